"""Items of lists and enumerations: a label of a word or three, and a random value behind it."""

from __future__ import annotations

from s3memory.redaction.rules.reading import nouns, tools
from s3memory.redaction.rules.reading.random_values import RandomValue
from s3memory.redaction.text.compiling import compiled

LONGEST_LABEL = 72
"""No label is longer, with its bullet and its sign."""

_LEAST = 18
_SHOWN_TO_EVERYBODY = ["search", "only"]  # as pages are searched with it
# Names of settings and fields of JSON are no labels: those lists have ids and digests in them as often as keys.
_WORD = r"[A-Za-z][A-Za-z0-9.+@-]{0,24}(?:[ ]\([\w -]{1,20}\))?"
_LABEL = (
    r"(?:[ ](?:and|or|und|et|y)(?=[ ])|\A|[,;/|(&\u2022.]|:(?=[ ]))"
    r"[ \t>#*+|`(\[-]{0,12}(?:[0-9]{1,3}[.)][ ]{1,3})?\*{0,2}(?:(?:the|my|our)[ ])?"
    rf"(?P<label>{_WORD}(?:(?:[ /]|:[ ]){_WORD}){{0,2}})"
    r"\*{0,2}[ \t]{0,9}(?:[:=|\uff1a\u2192\u2013\u2014-]|->|=>)?(?<!\w=)\*{0,2}[ \t]{0,9}[\"'`]?\Z"
)


def label_before(before: str, *, is_all: bool = False) -> list[str]:
    """Return the words of the label that `before` ends in, or is as a whole, in small letters; of none, none."""
    if is_all and len(before) > LONGEST_LABEL:
        return []
    label = compiled(_LABEL).match(before) if is_all else compiled(_LABEL).search(before)
    return nouns.words_of(label["label"]) if label else []


def has_tool(words: list[str]) -> bool:
    """Whether one of `words` is a tool whose keys have no form of their own."""
    return any(tools.is_tool(words, place) for place in range(len(words)))


def names_a_key(words: list[str], value: RandomValue) -> bool:
    """Whether a label may be that of a key: it is no sentence, and calls the value no id and no thing."""
    if not words or len(value.text) < _LEAST or value.text.startswith("0x"):  # an address, more often than a key
        return False
    if words[-2:] == _SHOWN_TO_EVERYBODY:
        return False
    is_role = has_tool(words)
    for place, word in enumerate(words):
        is_of_a_thing = nouns.meaning(words, place) == nouns.HARMLESS or word in tools.NO_KEYS
        if is_of_a_thing and not (is_role and word in tools.ROLES):
            return False
    return True


def form_of(value: RandomValue) -> tuple[str, int]:
    """Return how a value is made: siblings that are made alike are of one kind."""
    if value.is_uuid:
        return "uuid", 0
    return ("hexadecimal", len(value.text)) if value.is_hexadecimal else ("mixed", 0)
