"""Items of lists and enumerations: a label of one to three words, then a random value: "- Stripe live: sk1x..."."""

from __future__ import annotations

from s3memory.redaction.rules.reading import nouns, tools
from s3memory.redaction.rules.reading.random_values import RandomValue
from s3memory.redaction.text.compiling import compiled

MAX_LABEL_LENGTH = 72
"""The length of the longest label, with its bullet and its sign."""

_MIN_LENGTH = 18
_PUBLIC_ROLE = ["search", "only"]  # such a key is in every page that offers the search
# Names of settings and JSON fields are no labels: their lists hold identifiers and digests as often as keys.
_WORD = r"[A-Za-z][A-Za-z0-9.+@-]{0,24}(?:[ ]\([\w -]{1,20}\))?"
_LABEL = (
    r"(?:[ ](?:and|or|und|et|y)(?=[ ])|\A|[,;/|(&\u2022.]|:(?=[ ]))"
    r"[ \t>#*+|`(\[-]{0,12}(?:[0-9]{1,3}[.)][ ]{1,3})?\*{0,2}(?:(?:the|my|our)[ ])?"
    rf"(?P<label>{_WORD}(?:(?:[ /]|:[ ]){_WORD}){{0,2}})"
    r"\*{0,2}[ \t]{0,9}(?:[:=|\uff1a\u2192\u2013\u2014-]|->|=>)?(?<!\w=)\*{0,2}[ \t]{0,9}[\"'`]?\Z"
)


def label_before(before: str, *, is_all: bool = False) -> list[str]:
    """Return the words, in lower case, of the label at the end of `before`, or none if there is no label.

    Args:
        before: The text before a value.
        is_all: `before` as a whole has to be the label.
    """
    if is_all and len(before) > MAX_LABEL_LENGTH:
        return []
    label = compiled(_LABEL).match(before) if is_all else compiled(_LABEL).search(before)
    return nouns.words_of(label["label"]) if label else []


def has_tool(words: list[str]) -> bool:
    """Whether one of `words` is a tool whose keys have no format of their own."""
    return any(tools.is_tool(words, index) for index in range(len(words)))


def may_label_a_key(words: list[str], value: RandomValue) -> bool:
    """Whether a label may be that of a key: none of its words calls the value an identifier or a thing."""
    if not words or len(value.text) < _MIN_LENGTH or value.text.startswith("0x"):  # more often an address than a key
        return False
    if words[-2:] == _PUBLIC_ROLE:
        return False
    may_have_role = has_tool(words)
    for index, word in enumerate(words):
        is_harmless = nouns.meaning(words, index) == nouns.HARMLESS or word in tools.NO_KEYS
        if is_harmless and not (may_have_role and word in tools.ROLES):
            return False
    return True


def form_of(value: RandomValue) -> tuple[str, int]:
    """Return the kind of a value, and its length if hexadecimal: siblings of the same form are secrets of one kind."""
    if value.is_uuid:
        return "uuid", 0
    return ("hexadecimal", len(value.text)) if value.is_hexadecimal else ("mixed", 0)
