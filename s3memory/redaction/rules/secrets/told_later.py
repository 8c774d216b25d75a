"""Random values that a sentence brings in after it has named them: "they share a secret. For Velmora that's ..."."""

from __future__ import annotations

from s3memory.redaction.rules.reading import nouns
from s3memory.redaction.rules.reading.random_values import RandomValue
from s3memory.redaction.text.compiling import compiled

_REACH = 170
_LEAST, _LEAST_OF_HEXADECIMAL = 20, 32
_BROUGHT_IN = (
    r"(?i)(?:(?<![a-z])(?:is|are|was|reads?|says|goes|g[ai]ve(?:[ ](?:me|us))?|got|sen[dt](?:[ ](?:me|us))?|copied"
    r"|pasted|take|now|value|(?:it|that)['\u2019]s)[ ]|\u4e3a|\u70ba|\u662f|\u306f"
    r"|(?<![:=] )(?<=[a-z,)] )[a-z]{2,20}(?:[:\uff1a]|[ ][\u2013\u2014-])[ ]"
    r"|cookie\b[^\n]{0,120}[;:,'\"][ ]?[\w.-]{1,40}=)[\"'`*\u201c]{0,3}\Z"
)
_OTHER_VALUE = r"(?=[A-Za-z+/]{0,40}[0-9])[A-Za-z0-9+/]{20,}+"
# What is encrypted stays, and so does the key of a domain's mail, which is public.
_FOR_ALL_TO_SEE = r"\bENC\[|\bv=DKIM1\b"
_DETERMINERS = frozenset(("the", "this", "that", "my", "our", "your", "new", "old", "a", "each", "same", "per", "with"))


def is_told_later(text: str, value: RandomValue) -> bool:
    """Whether a verb or a sign brings `value` in, and what was named last on its line is a secret."""
    if value.is_uuid or "=" in value.text.rstrip("="):
        return False
    if len(value.text) < (_LEAST_OF_HEXADECIMAL if value.is_hexadecimal else _LEAST):
        return False
    before = text[max(0, value.start - _REACH) : value.start].rpartition("\n")[2]
    if not compiled(_BROUGHT_IN).search(before) or compiled(_FOR_ALL_TO_SEE).search(before):
        return False
    words = nouns.words_of(compiled(_OTHER_VALUE).sub(",", before))
    for place in reversed(range(len(words))):
        said = nouns.meaning(words, place, is_beside=False)
        if said == nouns.KEY:
            return place > 0 and words[place - 1] not in _DETERMINERS
        if said != nouns.NOTHING:
            return said == nouns.SECRET
    return False
