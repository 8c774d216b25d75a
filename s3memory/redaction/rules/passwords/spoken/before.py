"""Passwords before their name in scripts that write no spaces, and the words that English tells so.

All else that a name behind it tells is read by `searching.names_behind`.
"""

from __future__ import annotations

from s3memory.redaction.rules.passwords.spoken.values import is_one
from s3memory.redaction.rules.passwords.spoken.words import Words
from s3memory.redaction.rules.reading.judging import Joint
from s3memory.redaction.rules.reading.near import Found, line_start
from s3memory.redaction.rules.reading.told_words import told_before
from s3memory.redaction.text.compiling import compiled

_LONGEST_BEFORE = 70
_EDGES = "([\"'`*_\u201e\u201c\u00ab\u201d\u00bb"


def before(text: str, start: int, words: Words) -> Found:
    """Return the values before the name at `start`, whose meaning is `words`, on its line."""
    begin = line_start(text, start, _LONGEST_BEFORE)
    if words.is_english and words.is_explicit and (told := told_before(text, begin, start)):
        return told
    glued = compiled(words.glued).search(text, begin, start) if words.glued else None
    if glued is None:
        return []
    value = glued["value"].strip(_EDGES)
    first = glued.start("value") + glued["value"].find(value)
    place = first, first + len(value)
    return [place] if value and is_one(text, place, Joint.VERB, words, is_quoted=False, is_ended=True) else []
