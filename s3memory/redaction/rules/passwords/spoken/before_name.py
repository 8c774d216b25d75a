"""Passwords before their name: in scripts that write no spaces, and plain words in English ("use v as the password").

`searching.labels_after_values` finds all other values that stand before their name.
"""

from __future__ import annotations

from s3memory.redaction.rules.passwords.spoken.values import is_password_at
from s3memory.redaction.rules.passwords.spoken.vocabulary import Vocabulary
from s3memory.redaction.rules.reading.judging import Joint
from s3memory.redaction.rules.reading.near import Found, line_start
from s3memory.redaction.rules.reading.stated_words import stated_before
from s3memory.redaction.text.compiling import compiled

_MAX_BEFORE = 70
_DELIMITERS = "([\"'`*_\u201e\u201c\u00ab\u201d\u00bb"


def values_before(text: str, start: int, vocabulary: Vocabulary) -> Found:
    """Return the spans of the values on the line before the name at `start`, which has this vocabulary."""
    begin = line_start(text, start, _MAX_BEFORE)
    if vocabulary.is_english and vocabulary.is_explicit and (plain := stated_before(text, begin, start)):
        return plain
    glued = compiled(vocabulary.glued).search(text, begin, start) if vocabulary.glued else None
    if glued is None:
        return []
    value = glued["value"].strip(_DELIMITERS)
    first = glued.start("value") + glued["value"].find(value)
    span = first, first + len(value)
    if not value or not is_password_at(text, span, Joint.VERB, vocabulary, is_quoted=False, is_ended=True):
        return []
    return [span]
