"""Where a value stands in a sentence about passwords, how far it goes, and which ones follow it."""

from __future__ import annotations

from s3memory.redaction.model import PLACEHOLDER_PATTERN
from s3memory.redaction.rules.passwords.spoken.words import Words, is_unspaced
from s3memory.redaction.rules.reading.judging import (
    Joint,
    are_plain_words,
    is_candidate,
    is_leaked,
    is_password,
    is_said,
    is_typical,
    is_word_of_code,
)
from s3memory.redaction.rules.reading.kept_in import is_kept_in
from s3memory.redaction.rules.reading.letters import UNSPACED
from s3memory.redaction.rules.reading.likeness import Likeness, likeness
from s3memory.redaction.rules.reading.near import Places
from s3memory.redaction.rules.reading.seed_words import is_seed_word
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_gibberish

QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201e": "\u201c\u201d",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u2018": "\u2019",
    "\u2019": "\u2019",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "\u201a": "\u2018\u2019",
}
_LONGEST_QUOTED = 80
_ASCII = r"[!-~]{1,128}+"
TOKEN = r"[^\s\u3000-\u303f\uff01-\uff0f\uff1b\uff1f\u201c\u201d\u00ab\u00bb]{1,128}+"
ENDS = ".,;:!?)]}>\"'`*_\\|\u061b\u060c\u06d4\u0964"
_LAST = r"[\"'`*_)\]\u201d\u00bb\u300d!]{0,4}(?:[.,;\u3002\uff0c\u3001\uff01\u0964\u06d4\u060c)]|[ \t]{0,20}(?:\r?\n|\\n|\Z|[(#|\u2013\u2014]|//|--?[ ])|[ ]?[\uac00-\ud7a3\u3040-\u30ff\u0530-\u058f\u0900-\u0dff])"
_LAST_WORD = r"[ ](?:and|but|so|for|on|in|until|till|which|since|because|please|then|if|to|works|worked|fails|failed|again|und|aber|f\u00fcr|bis|bitte|et|mais|pour|y|pero|para|e|ma|per|en|maar|och|men|i|ale|a|\u0438|\u0430|\u043d\u043e|\u0627\u0633\u062a|\u0628\u0648\u062f|\u06c1\u06d2)(?:[ ]|(?=[.,;!?\n])|\Z)"
_GROUPS = r"(?:[0-9]{3,6}(?:[ -][0-9]{3,6}){1,9}|[A-Za-z0-9]{4}(?:[ -][A-Za-z0-9]{4}){2,9})(?![A-Za-z0-9@_-])"
_PHRASE = r"[^\W\d_]{2,20}(?:[ ][^\W\d_]{2,20}){2,9}[0-9!]{0,4}(?=[\"'`.;!)]{0,2}[ \t]{0,9}(?:\n|\\n|\Z))"
_MORE = (
    r"[\"'`*_)\u201d\u00bb\u300d]{0,3}(?:[ ]{0,2}[,;/|\u3001\uff0c(][ ]{0,2}|[ ]{1,2}(?:[-=]{1,2}>|\u2192)?[ ]{0,2})"
    r"(?:[^\W\d_]{1,12}(?:,?[ ]{1,2}|:[ ]{0,2}(?!//)|-(?=[\"'`]))){0,4}"
)
_MORE_BEYOND = rf"[\"'`]?[ ]?[{UNSPACED}]{{1,6}}[ ]?[\"'`]?"
_ARGUMENT = r"[\w-]{1,40}[=:]"
_MARKED_END = r"[*_`\"']{1,3}[)\]]?[!?.,;:]{1,3}\Z"
_MOST_VALUES = 12
# "to" and "from" are letters of the next word in Hebrew and Arabic.
_GLUED = r"(?:[\u05d0-\u05ea]{1,2}[-\u05be]?|[\u0621-\u064a]{1,2}\u0640?)?(?=[!-~])"
_LEAD = r"(?:[ \t\u00a0]{0,4}[:=\uff1a])?[ \t\u00a0\u3000]{0,4}\*{0,2}_{0,2}(?=\S|\Z)|"
# The line ends between the verb and the value.
_WRAP = r"[ \t]{0,4}\r?\n[ \t>*#\"'`]{0,8}(?=[^\s>*#\"'`])"
_NUMBER_OF_A_FILE = r"20[1-3][0-9][ -][0-9]{3,6}"
_LEAST_SHOUTED = 6
_MOST_WORDS_MIXED = 5
_LEAST_WORDS, _MOST_WORDS_OF_A_SAYING = 3, 7
_LEAST_KNOWN, _MOSTLY_KNOWN = 0.4, 0.6
_TWO_WORDS = r"([^\W\d_]{4,14})[!*&]([^\W\d_]{4,14})"
_AND = r"(?i)[\"'`*]{0,3}[ ](?:and|und|et|y|e|i|och|og|ja|en|ve|dan|\u0438)[ ]"
_ARROW = r"[-=]>|\u2192"
_USER_BEFORE = r"(?i)\b(?:user|username|host|server|port|for|ticket|issue|room|version)[ :]{1,2}\Z"
# What passphrases have as well as sentences.
_SMALL = word_set(
    "the a an my our of in on to for and or at by is old new big no red open long short good even same "
    "correct right clear"
)
_LINK = (
    r"(?i)[-=]>|\u2192|/|\b(?:to|into|or|new|now|old|was|previously|formerly|auf|zu|oder|neu|jetzt|alt|vorher|en|a|\u00e0|ou|puis"
    r"|para|por|o|ahora|antes|in|ora|prima|naar|of|nu|till|til|eller|na|do|lub|nebo|ke|atau|\u043d\u0430|\u0438\u043b\u0438|\u0431\u044b\u043b|\u0441\u0442\u0430\u043b)\b"
)


def values_at(text: str, position: int, joint: Joint, words: Words) -> Places:
    """Yield the value at `position`, and those that follow it: "from v to w", "v or w", "v (was w)"."""
    first = _value(text, position, joint, words)
    for _ in range(_MOST_VALUES):
        if first is None:
            return
        yield first
        first = _following(text, first, words)


def _following(text: str, last: tuple[int, int], words: Words) -> tuple[int, int] | None:
    """Return what follows a value and is one as well."""
    for pattern in (_MORE,) if text[last[1] : last[1] + 3].isascii() else (_MORE, _MORE_BEYOND):
        more = compiled(pattern).match(text, last[1])
        if more is None or more.end() == last[1]:
            continue
        is_linked = compiled(_LINK).search(more[0]) or compiled(_AND).fullmatch(more[0]) or is_unspaced(more[0])
        quoted = _quoted(text, more.end())
        place = quoted or token_at(text, more.end())
        if place is None:
            continue
        value = text[slice(*place)]
        if compiled(_ARGUMENT).match(value) or compiled(_USER_BEFORE).search(more[0]):
            continue
        if is_typical(value) or (quoted and (is_linked or not words.is_english) and not _is_sentence(value)):
            return place
        is_arrow = compiled(_ARROW).search(more[0]) is not None
        joint = Joint.GAP if is_like(value, text[slice(*last)]) else Joint.NEAR
        joint = Joint.SIGN if is_arrow else Joint.VERB if is_linked else joint
        if (is_arrow or not value.removeprefix("#").isalpha()) and is_one(
            text, place, joint, words, is_quoted=quoted is not None
        ):
            return place
    return None


def is_like(value: str, other: str) -> bool:
    """Whether two values are made alike: both of digits, or both of words, or both of a mixture."""
    return value.isdigit() == other.isdigit() and ("-" in value) == ("-" in other)


def _value(text: str, position: int, joint: Joint, words: Words) -> tuple[int, int] | None:
    position = compiled(_LEAD).match(text, position).end()  # type: ignore[union-attr]
    if PLACEHOLDER_PATTERN.match(text, position):
        return None
    if not text[position : position + 1].isascii() and (glued := compiled(_GLUED).match(text, position)):
        position = glued.end()
    if joint == Joint.VERB and (wrap := compiled(_WRAP).match(text, position)):
        token = token_at(text, wrap.end())
        is_wrapped = token is not None and words.is_explicit and is_candidate(text[slice(*token)])
        return token if is_wrapped else None
    if quoted := _quoted(text, position):
        is_value = _are_groups(text[slice(*quoted)]) or is_one(text, quoted, joint, words, is_quoted=True)
        return quoted if is_value else None
    if joint >= Joint.GAP and (groups := compiled(_GROUPS).match(text, position)) and _are_groups(groups[0]):
        return groups.span()
    phrase = compiled(_PHRASE).match(text, position) if joint >= Joint.VERB and words.is_explicit else None
    if phrase and _are_secret_words(phrase[0]):
        return phrase.span()
    token = token_at(text, position)
    return token if token and is_one(text, token, joint, words, is_quoted=False) else None


def _quoted(text: str, position: int) -> tuple[int, int] | None:
    closing = QUOTES.get(text[position : position + 1])
    if closing is None:
        return None
    start = position + 1 + text.startswith("``", position)
    start += len(text[start : start + 2]) - len(text[start : start + 2].lstrip(" \u00a0\u202f"))
    ends = [end for quote in closing if (end := text.find(quote, start, start + _LONGEST_QUOTED)) > start]
    inside = text[start : min(ends)] if ends else ""
    if not inside.strip() or "\n" in inside:
        return None
    return start, start + len(inside.rstrip())


def token_at(text: str, position: int) -> tuple[int, int] | None:
    """Return where a value without quotes stands: in ASCII up to the next space or other letter, or a word of any script."""
    if is_unspaced(text[position : position + 1]):
        return None
    position += text.startswith(("(", "[", "<"), position)
    position += text.startswith("``", position)
    position += text.startswith(('"', "'", "`", "*"), position)
    token = compiled(_ASCII).match(text, position) or compiled(TOKEN).match(text, position)
    if token is None:
        return None
    value = token[0].removesuffix("(")  # a remark in another script
    if (rest := compiled(TOKEN).match(text, position)) and not is_unspaced(rest[0]):
        value = rest[0]
    # A password may end in one of these, but so does a sentence.
    if (mark := compiled(_MARKED_END).search(value)) and mark.start():
        value = value[: mark.start()]
    value = value.rstrip(ENDS.replace("!", ""))
    for bracket, closer in ("()", "[]"):
        if value.count(bracket) > value.count(closer) and text.startswith(closer, position + len(value)):
            value += closer
    return (position, position + len(value)) if value else None


def is_one(
    text: str, span: tuple[int, int], joint: Joint, words: Words, *, is_quoted: bool, is_ended: bool = False
) -> bool:
    """Whether what stands at `span` is a password, so joined to its name; with `is_ended`, what follows says nothing."""
    value = text[slice(*span)]
    if " " in value:
        are_words = _are_secret_words(value) or (_is_mixed(value) and not _is_sentence(value))
        is_told = is_quoted and words.is_explicit
        are_plain = is_told and (are_plain_words(value) or (joint >= Joint.VERB and is_saying(value)))
        least = (Joint.GAP if words.is_english else Joint.NEAR) if is_quoted else Joint.VERB
        return (are_words or are_plain) and joint >= least
    if is_kept_in(text, *span):
        return False
    if is_quoted and joint < Joint.VERB and words.is_english and not is_candidate(value) and not value.isdigit():
        return False
    is_last = is_ended or any(compiled(end).match(text, span[1]) for end in (_LAST, _LAST_WORD))
    if is_last and _is_two_words(value):
        return True
    if joint >= Joint.GAP and is_last and likeness(value) >= Likeness.RARE:
        return True
    if (number := value.rstrip("#*")).isdigit():
        value = number
    return is_password(
        value.rstrip("!.") if len(value) > _LEAST_SHOUTED else value,
        joint,
        is_quoted=is_quoted,
        is_last=is_last,
        is_explicit=words.is_explicit,
        is_foreign=value.isascii() and words.is_beyond,
        is_english=words.is_english,
    )


def _is_two_words(value: str) -> bool:
    """Whether `value` is two words that a sign joins which joins no words in sentences, and none of them is of code."""
    words = compiled(_TWO_WORDS).fullmatch(value)
    return words is not None and not any(is_word_of_code(word) for word in words.groups())


def _is_mixed(value: str) -> bool:
    has_digit = any(map(str.isdigit, value))
    return has_digit and any(map(str.isalpha, value)) and len(value.split()) <= _MOST_WORDS_MIXED


def _is_sentence(value: str) -> bool:
    words = [word.strip(ENDS).lower() for word in value.split()]
    return any(is_said(word) and word not in _SMALL for word in words)


def is_saying(value: str) -> bool:
    """Whether words in quotes are some that somebody says, small ones among them: "hunter in the rye"."""
    words = value.split()
    is_short = _LEAST_WORDS <= len(words) <= _MOST_WORDS_OF_A_SAYING
    are_words = all(word.isascii() and word.isalpha() and word.islower() for word in words)
    return is_short and are_words and not _is_sentence(value) and len(_SMALL.intersection(words)) < len(words) - 1


def _are_groups(value: str) -> bool:
    if not compiled(_GROUPS).fullmatch(value) or compiled(_NUMBER_OF_A_FILE).fullmatch(value):
        return False
    groups = value.replace("-", " ").split()
    run = "".join(groups)
    is_mixed = len(set(map(len, groups))) == 1 and (any(map(str.isdigit, run)) or is_gibberish(run))
    return run.isdigit() or (is_mixed and not _is_sentence(value))


def _are_secret_words(value: str) -> bool:
    """Whether words in a row are a passphrase: most are in the lists of seeds, and hardly any is said of passwords."""
    words = value.rstrip("0123456789!").replace("-", " ").lower().split()
    known, said = sum(map(is_seed_word, words)), sum(map(is_said, words))
    return is_leaked(value.rstrip("0123456789!")) or (
        len(words) >= _LEAST_WORDS
        and known >= _LEAST_KNOWN * len(words)
        and said <= (known >= _MOSTLY_KNOWN * len(words) > _MOSTLY_KNOWN * _LEAST_WORDS)
    )
