"""Finds words in prose that are candidates for a password, and those that the context shows to be something else."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from s3memory.redaction.interface import PLACEHOLDER_START
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled, occurs

STRIPPED = "\"'`.,;:()[]{}<>|\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019"
_MAX_LENGTH, _CHUNK = 64, 256  # a text is searched, and the result remembered, chunk by chunk
# ASCII and scripts with two cases: other scripts write no spaces, or prefix a preposition to the word.
_TWO_CASED = r"[!-~\u00c0-\u024f\u0370-\u052f\u1e00-\u1eff]"
WITH_DIGIT = rf"(?<!{_TWO_CASED})(?={_TWO_CASED})(?=\S{{0,48}}[0-9]){_TWO_CASED}{{4,{_MAX_LENGTH}}}(?!{_TWO_CASED})"
# A user or an owner, written together with the password: "jo/Hunter22", "nas%Hunter22".
_OWNER = r"[\"'`(]{0,2}[a-z][a-z.-]{1,24}[/%](?![a-z/])"
_NETWORK = r"(?i)\b(?:ssid|red|network|netz(?:werk)?|réseau|rede|rete|сеть|мережа)\W{0,3}(?:is|name)?\W{0,3}\Z"
OTHER_LABELS = (
    r"users?|user[ -]?names?|nick(?:name)?s?|handles?|ssid|networks?|hosts?|branch(?:es)?|models?|files?|tags?"
    r"|called|named|names?|version|release|build|order|ticket|product|part|sku|serial|theme|channel|server|titles?|report"
)
"""A pattern of words that label something other than a secret, in lower case."""

# What follows the name of a user: "mo2019, password ...", "(mo2019): ..."
_AFTER_A_USER = (
    r"(?i)[\"'`*)]{0,3}:[ ](?=\S{0,40}[0-9]|\[)|[\"'`*)\u201d]{0,3}[,;/(]?[ ](?:(?:and|und|et|y|e|en|the)[ ])?"
    r"(?:pass\w{0,8}|pw|pwd|kennwort|psk|mdp|clave|contrase\w{2,4}|senha|wachtwoord|has\u0142o|l\u00f6senord"
    r"|\u043f\u0430\u0440\u043e\u043b\u044c)[\"'`]?:?[ ](?:(?:is|ist|es|:|=)[ ])?(?=\S{0,40}[0-9]|\[)"
)
_NAME_SETTING = (
    r"(?i)(?:user(?:[ _]?name)?|usr|nick(?:name)?|handle|gamertag|host(?:name)?|ssid|database|db|e?mail|name"
    r"|req(?:uest)?_?id)[\"']?[ ]?[:=][ ]?[\"']?\Z"
)
_END_OF_PHRASE = (
    r"[\"'`*#)\u201d\u00bb\u2019]{0,3}(?:[.,;!?\u0964]|[ \t]*(?:\r?\n|\Z|[(|/<\u2013\u2014-])|[ ](?:है|ہے|است|then|and"
    r"|since|until|for|from|as|which|or|by|now|today|btw|instead|first|again|here|if|when|at|into|on|in|to|but|so|with|because|till|port"
    r"|yesterday|tomorrow|tonight|this|last)\b)"
)


def token_start(signs: bytes, position: int, reach: int) -> int:
    """Return the start of the token around `position`: after the last white space, `reach` characters before at most.

    Args:
        signs: `Subject.signs` of a text.
        position: A position inside the token.
        reach: How many characters to look back.
    """
    lowest, find = max(0, position - reach), signs.rfind
    found = max(find(b" ", lowest, position), find(b"\n", lowest, position), find(b"\t", lowest, position))
    return max(found + 1, lowest)


def word_in(token: str) -> tuple[int, int]:
    """Return the span of the word in a token, without quotes and punctuation: of "Hunter22" in "jo/Hunter22."."""
    owner = compiled(_OWNER).match(token)
    word = _bare(token[owner.end() :] if owner else token)
    first = token.rfind(word) if owner else token.find(word)
    return first, first + len(word)


def words_with_digits(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield, for each word with a digit, where its token starts, where it starts without quotes, and where it ends."""
    for number in range(start // _CHUNK, (end - 1) // _CHUNK + 1):
        words = _with_digits(text, number)
        for opening, first, last in words[bisect_left(words, (start,)) :]:
            if last > end:
                break
            yield opening, first, last


@cached_until_forgotten
def _with_digits(text: str, number: int) -> tuple[tuple[int, int, int], ...]:
    """Return the words that start in chunk `number` of the text: names in a row search the same chunk."""
    begin, found = number * _CHUNK, []
    end = begin + _CHUNK + _MAX_LENGTH + 1
    if not compiled(r"[0-9]").search(text, begin, end):
        return ()
    for token in compiled(WITH_DIGIT).finditer(text, begin, end):
        word = _bare(token[0])
        if not text[max(0, token.start() - 1) : token.start() + 1].isascii():  # after a prefixed preposition
            word = word.removeprefix("-")
        if token.start() < begin + _CHUNK and word and PLACEHOLDER_START not in token[0]:
            first = token.start() + token[0].find(word)
            found.append((token.start(), first, first + len(word)))
    return tuple(found)


def _bare(word: str) -> str:
    """Return `word` without quotes, brackets, punctuation and emphasis around it."""
    bare = word.strip(STRIPPED)
    return bare.strip("*_").strip(STRIPPED) if bare[:1] in ("*", "_") else bare


def is_last(text: str, position: int) -> bool:
    """Whether a value that ends at `position` ends its phrase, and is not the count of what follows: "4 tickets"."""
    return compiled(_END_OF_PHRASE).match(text, position) is not None


def is_thing(before: str) -> bool:
    """Whether `before` labels the value after it as something other than a secret: a user, a host, a file."""
    return occurs(rf"(?i)\b(?:{OTHER_LABELS})\b[^\n]{{0,32}}\Z", before)


def is_network(before: str) -> bool:
    """Whether `before` labels the value after it as the name of a network: "SSID: "."""
    return occurs(_NETWORK, before)


def is_of_a_user(text: str, before: str, end: int) -> bool:
    """Whether a word is a user whose password follows, or is set as a user or another name: "username: "."""
    is_its_owner = compiled(_AFTER_A_USER).match(text, end) is not None
    return is_its_owner or occurs(_NAME_SETTING, before)
