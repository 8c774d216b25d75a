"""Finds the value in a sentence about passwords, where it ends, and the values that follow it."""

from __future__ import annotations

from s3memory.redaction.interface import PLACEHOLDER_PATTERN
from s3memory.redaction.rules.passwords.spoken.vocabulary import Vocabulary
from s3memory.redaction.rules.reading.judging import (
    Joint,
    are_plain_words,
    is_candidate,
    is_leaked,
    is_password,
    is_remark_word,
    is_saying,
    is_sentence,
    is_typical,
    is_word_of_code,
)
from s3memory.redaction.rules.reading.letters import UNSPACED, is_unspaced
from s3memory.redaction.rules.reading.likeness import Likeness, likeness
from s3memory.redaction.rules.reading.near import Places
from s3memory.redaction.rules.reading.seed_words import is_seed_word
from s3memory.redaction.rules.reading.storage_locations import is_storage_location
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.values import is_technical_term
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
_MAX_QUOTED = 80
_ASCII = r"[!-~]{1,128}+"
TOKEN = r"[^\s\u3000-\u303f\uff01-\uff0f\uff1b\uff1f\u201c\u201d\u00ab\u00bb]{1,128}+"
ENDS = ".,;:!?)]}>\"'`*_\\|\u061b\u060c\u06d4\u0964"
_END_OF_CLAUSE = r"[\"'`*_)\]\u201d\u00bb\u300d!]{0,4}(?:[.,;\u3002\uff0c\u3001\uff01\u0964\u06d4\u060c)]|[ \t]{0,20}(?:\r?\n|\\n|\Z|[(#|\u2013\u2014]|//|--?[ ])|[ ]?[\uac00-\ud7a3\u3040-\u30ff\u0530-\u058f\u0900-\u0dff])"
_WORD_AFTER_CLAUSE = r"[ ](?:and|but|so|for|on|in|until|till|which|since|because|please|then|if|to|works|worked|fails|failed|again|und|aber|f\u00fcr|bis|bitte|et|mais|pour|y|pero|para|e|ma|per|en|maar|och|men|i|ale|a|\u0438|\u0430|\u043d\u043e|\u0627\u0633\u062a|\u0628\u0648\u062f|\u06c1\u06d2)(?:[ ]|(?=[.,;!?\n])|\Z)"
# "482 916", "lvcz-afym-druf-qhxs"
_GROUPS = r"(?:[0-9]{3,6}(?:[ -][0-9]{3,6}){1,9}|[A-Za-z0-9]{4}(?:[ -][A-Za-z0-9]{4}){2,9})(?![A-Za-z0-9@_-])"
_PHRASE = r"[^\W\d_]{2,20}(?:[ ][^\W\d_]{2,20}){2,9}[0-9!]{0,4}(?=[\"'`.;!)]{0,2}[ \t]{0,9}(?:\n|\\n|\Z))"
# What stands between two values: " or ", ", now ", " -> ", " (was ".
_LINK_TO_NEXT = (
    r"[\"'`*_)\u201d\u00bb\u300d]{0,3}(?:[ ]{0,2}[,;/|\u3001\uff0c(][ ]{0,2}|[ ]{1,2}(?:[-=]{1,2}>|\u2192)?[ ]{0,2})"
    r"(?:[^\W\d_]{1,12}(?:,?[ ]{1,2}|:[ ]{0,2}(?!//)|-(?=[\"'`]))){0,4}"
)
_UNSPACED_LINK_TO_NEXT = rf"[\"'`]?[ ]?[{UNSPACED}]{{1,6}}[ ]?[\"'`]?"
_NEXT_SETTING = r"[\w-]{1,40}[=:]"
_MARKUP_AND_PUNCTUATION = r"[*_`\"']{1,3}[)\]]?[!?.,;:]{1,3}\Z"
_MAX_VALUES = 12
# In Hebrew and Arabic, "to" and "from" are letters attached to the next word.
_ATTACHED_PREPOSITION = r"(?:[\u05d0-\u05ea]{1,2}[-\u05be]?|[\u0621-\u064a]{1,2}\u0640?)?(?=[!-~])"
_LEAD = r"(?:[ \t\u00a0]{0,4}[:=\uff1a])?[ \t\u00a0\u3000]{0,4}\*{0,2}_{0,2}(?=\S|\Z)|"
# The line ends between the verb and the value.
_WRAP = r"[ \t]{0,4}\r?\n[ \t>*#\"'`]{0,8}(?=[^\s>*#\"'`])"
_YEAR_AND_NUMBER = r"20[1-3][0-9][ -][0-9]{3,6}"
_MIN_LENGTH_TO_STRIP = 6
_MAX_WORDS_MIXED = 5
_MIN_WORDS = 3
_MIN_KNOWN, _MOSTLY_KNOWN = 0.4, 0.6
_TWO_WORDS = r"([^\W\d_]{4,14})[!*&]([^\W\d_]{4,14})"
_AND = r"(?i)[\"'`*]{0,3}[ ](?:and|und|et|y|e|i|och|og|ja|en|ve|dan|\u0438)[ ]"
_ARROW = r"[-=]>|\u2192"
_USER_BEFORE = r"(?i)\b(?:user|username|host|server|port|for|ticket|issue|room|version)[ :]{1,2}\Z"
_LINK = (
    r"(?i)[-=]>|\u2192|/|\b(?:to|into|or|new|now|old|was|previously|formerly|auf|zu|oder|neu|jetzt|alt|vorher|en|a|\u00e0|ou|puis"
    r"|para|por|o|ahora|antes|in|ora|prima|naar|of|nu|till|til|eller|na|do|lub|nebo|ke|atau|\u043d\u0430|\u0438\u043b\u0438|\u0431\u044b\u043b|\u0441\u0442\u0430\u043b)\b"
)


def values_at(text: str, position: int, joint: Joint, vocabulary: Vocabulary) -> Places:
    """Yield the span of the value at `position`, and of those that follow it: "from v to w", "v or w", "v (was w)"."""
    span = _value(text, position, joint, vocabulary)
    for _ in range(_MAX_VALUES):
        if span is None:
            return
        yield span
        span = _next_value(text, span, vocabulary)


def _next_value(text: str, last: tuple[int, int], vocabulary: Vocabulary) -> tuple[int, int] | None:
    """Return the span of the next value, if another one follows the value at `last`."""
    is_ascii = text[last[1] : last[1] + 3].isascii()
    for pattern in (_LINK_TO_NEXT,) if is_ascii else (_LINK_TO_NEXT, _UNSPACED_LINK_TO_NEXT):
        link = compiled(pattern).match(text, last[1])
        if link is None or link.end() == last[1]:
            continue
        is_linked = occurs(_LINK, link[0]) or compiled(_AND).fullmatch(link[0]) or is_unspaced(link[0])
        quoted = _quoted(text, link.end())
        span = quoted or token_at(text, link.end())
        if span is None:
            continue
        value = text[slice(*span)]
        if compiled(_NEXT_SETTING).match(value) or occurs(_USER_BEFORE, link[0]):
            continue
        if is_typical(value) or (quoted and (is_linked or not vocabulary.is_english) and not is_sentence(value)):
            return span
        is_arrow = compiled(_ARROW).search(link[0]) is not None
        joint = Joint.GAP if _is_alike(value, text[slice(*last)]) else Joint.NEAR
        joint = Joint.SIGN if is_arrow else Joint.VERB if is_linked else joint
        if (is_arrow or not value.removeprefix("#").isalpha()) and is_password_at(
            text, span, joint, vocabulary, is_quoted=quoted is not None
        ):
            return span
    return None


def _is_alike(value: str, other: str) -> bool:
    """Whether two values have the same form: both or neither are digits, and both or neither have a hyphen."""
    return value.isdigit() == other.isdigit() and ("-" in value) == ("-" in other)


def _value(text: str, position: int, joint: Joint, vocabulary: Vocabulary) -> tuple[int, int] | None:
    """Return the span of the value at `position`, if there is a password."""
    position = compiled(_LEAD).match(text, position).end()  # type: ignore[union-attr]
    if PLACEHOLDER_PATTERN.match(text, position):
        return None
    is_ascii = text[position : position + 1].isascii()
    if not is_ascii and (preposition := compiled(_ATTACHED_PREPOSITION).match(text, position)):
        position = preposition.end()
    if joint == Joint.VERB and (wrap := compiled(_WRAP).match(text, position)):
        token = token_at(text, wrap.end())
        is_wrapped = token is not None and vocabulary.is_explicit and is_candidate(text[slice(*token)])
        return token if is_wrapped else None
    if quoted := _quoted(text, position):
        is_value = _are_groups(text[slice(*quoted)]) or is_password_at(text, quoted, joint, vocabulary, is_quoted=True)
        return quoted if is_value else None
    if joint >= Joint.GAP and (groups := compiled(_GROUPS).match(text, position)) and _are_groups(groups[0]):
        return groups.span()
    phrase = compiled(_PHRASE).match(text, position) if joint >= Joint.VERB and vocabulary.is_explicit else None
    if phrase and _is_passphrase(phrase[0]):
        return phrase.span()
    token = token_at(text, position)
    return token if token and is_password_at(text, token, joint, vocabulary, is_quoted=False) else None


def _quoted(text: str, position: int) -> tuple[int, int] | None:
    """Return the span of the text inside the quotes that open at `position`."""
    closing = QUOTES.get(text[position : position + 1])
    if closing is None:
        return None
    start = position + 1 + text.startswith("``", position)
    start += len(text[start : start + 2]) - len(text[start : start + 2].lstrip(" \u00a0\u202f"))
    ends = [end for quote in closing if (end := text.find(quote, start, start + _MAX_QUOTED)) > start]
    inside = text[start : min(ends)] if ends else ""
    if not inside.strip() or "\n" in inside:
        return None
    return start, start + len(inside.rstrip())


def token_at(text: str, position: int) -> tuple[int, int] | None:
    """Return the span of a value without quotes: ASCII up to the next space or other letter, or a word in any script."""
    if is_unspaced(text[position : position + 1]):
        return None
    position += text.startswith(("(", "[", "<"), position)
    position += text.startswith("``", position)
    position += text.startswith(('"', "'", "`", "*"), position)
    token = compiled(_ASCII).match(text, position) or compiled(TOKEN).match(text, position)
    if token is None:
        return None
    value = token[0].removesuffix("(")  # it opens a remark in another script
    if (rest := compiled(TOKEN).match(text, position)) and not is_unspaced(rest[0]):
        value = rest[0]
    # Punctuation after markup belongs to the sentence, although a password may end in it as well: "**v**."
    if (mark := compiled(_MARKUP_AND_PUNCTUATION).search(value)) and mark.start():
        value = value[: mark.start()]
    value = value.rstrip(ENDS.replace("!", ""))
    for bracket, closer in ("()", "[]"):
        if value.count(bracket) > value.count(closer) and text.startswith(closer, position + len(value)):
            value += closer
    return (position, position + len(value)) if value else None


def is_password_at(
    text: str, span: tuple[int, int], joint: Joint, vocabulary: Vocabulary, *, is_quoted: bool, is_ended: bool = False
) -> bool:
    """Whether the value at `span` is a password, given how it is joined to its name.

    With `is_ended`, the value is known to end its clause, whatever follows.
    """
    value = text[slice(*span)]
    if " " in value:
        are_words = _is_passphrase(value) or (_is_mixed(value) and not is_sentence(value))
        is_labelled = is_quoted and vocabulary.is_explicit
        are_plain = is_labelled and (are_plain_words(value) or (joint >= Joint.VERB and is_saying(value)))
        least = (Joint.GAP if vocabulary.is_english else Joint.NEAR) if is_quoted else Joint.VERB
        return (are_words or are_plain) and joint >= least
    if is_storage_location(text, *span):
        return False
    if is_quoted and joint < Joint.VERB and vocabulary.is_english and not is_candidate(value) and not value.isdigit():
        return False
    is_last = is_ended or any(compiled(end).match(text, span[1]) for end in (_END_OF_CLAUSE, _WORD_AFTER_CLAUSE))
    if is_last and _is_two_words(value):
        return True
    if joint >= Joint.GAP and is_last and likeness(value) >= Likeness.RARE:
        return True
    if (number := value.rstrip("#*")).isdigit():
        value = number
    return is_password(
        value.rstrip("!.") if len(value) > _MIN_LENGTH_TO_STRIP else value,
        joint,
        is_quoted=is_quoted,
        is_last=is_last,
        is_explicit=vocabulary.is_explicit,
        is_foreign=value.isascii() and vocabulary.is_beyond,
        is_english=vocabulary.is_english,
    )


def _is_two_words(value: str) -> bool:
    """Whether `value` is two words joined by "!", "*" or "&", none of them a word of code: "gravel!pond"."""
    words = compiled(_TWO_WORDS).fullmatch(value)
    return words is not None and not (is_technical_term(value) or any(map(is_word_of_code, words.groups())))


def _is_mixed(value: str) -> bool:
    """Whether a few words have both letters and digits: "copper kettle 53"."""
    has_digit = any(map(str.isdigit, value))
    return has_digit and any(map(str.isalpha, value)) and len(value.split()) <= _MAX_WORDS_MIXED


def _are_groups(value: str) -> bool:
    """Whether `value` is groups of digits, or of letters and digits in no sentence: "482 916"."""
    if not compiled(_GROUPS).fullmatch(value) or compiled(_YEAR_AND_NUMBER).fullmatch(value):
        return False
    groups = value.replace("-", " ").split()
    run = "".join(groups)
    is_mixed = len(set(map(len, groups))) == 1 and (any(map(str.isdigit, run)) or is_gibberish(run))
    return run.isdigit() or (is_mixed and not is_sentence(value))


def _is_passphrase(value: str) -> bool:
    """Whether words are a passphrase: many are in the lists of seed words, and hardly any describes a password."""
    words = value.rstrip("0123456789!").replace("-", " ").lower().split()
    known, said = sum(map(is_seed_word, words)), sum(map(is_remark_word, words))
    return is_leaked(value.rstrip("0123456789!")) or (
        len(words) >= _MIN_WORDS
        and known >= _MIN_KNOWN * len(words)
        and said <= (known >= _MOSTLY_KNOWN * len(words) > _MOSTLY_KNOWN * _MIN_WORDS)
    )
