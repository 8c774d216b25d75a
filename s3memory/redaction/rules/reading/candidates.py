"""Words in sentences that may be a password: where they start and end, and what says that they are something else."""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.model import PLACEHOLDER_START
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import judged

STRIPPED = "\"'`.,;:()[]{}<>|\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019"
_LONGEST, _STRETCH = 64, 256  # of a word, and of what is read at once
# As long as scripts have two cases: others write no spaces, or a preposition in front.
_TWO_CASED = r"[!-~\u00c0-\u024f\u0370-\u052f\u1e00-\u1eff]"
WITH_DIGIT = rf"(?<!{_TWO_CASED})(?={_TWO_CASED})(?=\S{{0,48}}[0-9]){_TWO_CASED}{{4,{_LONGEST}}}(?!{_TWO_CASED})"
# A user, or whose it is, written together with it.
_PAIR = r"[\"'`(]{0,2}[a-z][a-z.-]{1,24}[/%](?![a-z/])"
_NAME_OF_NETWORK = r"(?i)\b(?:ssid|red|network|netz(?:werk)?|réseau|rede|rete|сеть|мережа)\W{0,3}(?:is|name)?\W{0,3}\Z"
_NAMED_THING = (
    r"(?i)\b(?:users?|user[ -]?names?|nick(?:name)?s?|handles?|ssid|networks?|hosts?|branch(?:es)?|models?|files?|tags?"
    r"|called|named|names?|version|release|build|order|ticket|product|part|sku|serial|theme|channel|server|titles?|report)"
    r"\b[^\n]{0,32}\Z"
)
_ITS_OWN = (  # "mo2019, password ...", "(mo2019): ..."
    r"(?i)[\"'`*)]{0,3}:[ ](?=\S{0,40}[0-9]|\[)|[\"'`*)\u201d]{0,3}[,;/(]?[ ](?:(?:and|und|et|y|e|en|the)[ ])?"
    r"(?:pass\w{0,8}|pw|pwd|kennwort|psk|mdp|clave|contrase\w{2,4}|senha|wachtwoord|has\u0142o|l\u00f6senord"
    r"|\u043f\u0430\u0440\u043e\u043b\u044c)[\"'`]?:?[ ](?:(?:is|ist|es|:|=)[ ])?(?=\S{0,40}[0-9]|\[)"
)
_SET_AS_NAME = (
    r"(?i)(?:user(?:[ _]?name)?|usr|nick(?:name)?|handle|gamertag|host(?:name)?|ssid|database|db|e?mail|name"
    r"|req(?:uest)?_?id)[\"']?[ ]?[:=][ ]?[\"']?\Z"
)
_END = (
    r"[\"'`*#)\u201d\u00bb\u2019]{0,3}(?:[.,;!?]|[ \t]*(?:\r?\n|\Z|[(|/<\u2013\u2014-])|[ ](?:then|and|since|until|for"
    r"|from|as|which|or|by|now|today|btw|instead|first|again|here|if|when|at|into|on|in|to|but|so|with|because|till|port"
    r"|yesterday|tomorrow|tonight|this|last)\b)"
)


def token_start(signs: bytes, position: int, reach: int) -> int:
    """Return where what stands between spaces and holds `position` starts, or `reach` before it.

    Args:
        signs: `Subject.signs` of a text.
        position: Where it is looked from.
        reach: How far.
    """
    lowest, find = max(0, position - reach), signs.rfind
    found = max(find(b" ", lowest, position), find(b"\n", lowest, position), find(b"\t", lowest, position))
    return max(found + 1, lowest)


def word_in(token: str) -> tuple[int, int]:
    """Return where the word in a token starts and ends, without a user before it and what is written around it."""
    pair = compiled(_PAIR).match(token)
    word = _bare(token[pair.end() :] if pair else token)
    first = token.rfind(word) if pair else token.find(word)
    return first, first + len(word)


def words_with_digits(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield where words with a digit start, with what is written around them and without it, and where they end."""
    for number in range(start // _STRETCH, (end - 1) // _STRETCH + 1):
        for opening, first, last in _with_digits(text, number):
            if start <= opening and last <= end:
                yield opening, first, last


@judged
def _with_digits(text: str, number: int) -> tuple[tuple[int, int, int], ...]:
    """Return those that start in a stretch: names in a row look for them in the same one."""
    begin, found = number * _STRETCH, []
    end = begin + _STRETCH + _LONGEST + 1
    if not compiled(r"[0-9]").search(text, begin, end):
        return ()
    for token in compiled(WITH_DIGIT).finditer(text, begin, end):
        word = _bare(token[0])
        if not text[max(0, token.start() - 1) : token.start() + 1].isascii():  # a preposition in front
            word = word.removeprefix("-")
        if token.start() < begin + _STRETCH and word and PLACEHOLDER_START not in token[0]:
            first = token.start() + token[0].find(word)
            found.append((token.start(), first, first + len(word)))
    return tuple(found)


def _bare(word: str) -> str:
    bare = word.strip(STRIPPED)
    return bare.strip("*_").strip(STRIPPED) if bare[:1] in ("*", "_") else bare


def is_last(text: str, position: int) -> bool:
    """Whether what ends at `position` is no count of what follows."""
    return compiled(_END).match(text, position) is not None


def is_thing(before: str) -> bool:
    """Whether what stands behind `before` is called something else than a secret: a user, a host, a file."""
    return compiled(_NAMED_THING).search(before) is not None


def is_network(before: str) -> bool:
    """Whether what stands behind `before` is called a network."""
    return compiled(_NAME_OF_NETWORK).search(before) is not None


def is_of_a_user(text: str, before: str, end: int) -> bool:
    """Whether a word is whose password follows, or is set as the name of somebody or something."""
    is_its_owner = compiled(_ITS_OWN).match(text, end) is not None
    return is_its_owner or compiled(_SET_AS_NAME).search(before) is not None
