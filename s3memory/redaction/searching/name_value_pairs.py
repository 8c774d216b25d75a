"""Reads objects with the label of a secret in one field and its value in another: `{"value": "v", "name": "TOKEN"}`.

Where the name comes right before the value, the rules read both as they are. This is for the other orders, and for
comments and fields between the two.
"""

from __future__ import annotations

from collections.abc import Iterable

from s3memory.redaction.rules.passwords.spoken.vocabulary import has_password_name
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.searching.settings_view import NamedValues
from s3memory.redaction.text.compiling import compiled

_MAX_NAME, _REACH = 80, 400
_SIGN = r"[\"']?[ \t]{0,9}(?:=>|[:=])[ \t]{0,9}"
_NAME_FIELD = rf"(?<![\w-])(?i:name|key|designation|variable|param(?:eter)?(?:_?name)?){_SIGN}[\"']?[\w./-]{{0,60}}\Z"
_REST_OF_NAME = r"[\w./-]{0,60}"
_VALUE_FIELD = (
    rf"[vVdD](?<![\w-].)(?i:(?<=v)al(?:ue)?|(?<=d)efault){_SIGN}"  # begins with a set, which is searched for faster
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\n]{4,400}?)(?P=quote)|(?P<bare>[^\s\"'`,;{}\[\]]{4,400}))"
    r"(?=[ \t]*(?:[,;}\])\n#]|//|\r|\Z))"
)
# Where an object begins or ends: a brace, a blank line, an item of a list.
_BORDER = r"[{}]|\n[ \t]*(?=\n)|\n[ \t]*-[ ]"


def read_name_value_pairs(text: str, labels: Iterable[tuple[int, str]], values: NamedValues) -> None:
    """Add the values of objects whose name is the label of a secret.

    Args:
        text: The text.
        labels: Where the labels of secrets start, and the labels.
        values: Where each value is added, with its name.
    """
    if not compiled(_VALUE_FIELD).search(text):  # nearly all texts
        return
    done = 0
    for start, label in sorted(labels):
        field = compiled(_NAME_FIELD).search(text, max(0, start - _MAX_NAME), start) if start >= done else None
        if field is None:
            continue
        rest = compiled(_REST_OF_NAME).match(text, start + len(label))
        done = rest.end() if rest else start
        name = text[max(text.rfind(sign, field.start(), start) for sign in "\"':= ") + 1 : done]
        if not has_label(name):
            continue
        begin, stop = _object_around(text, field.start(), done)
        for value in compiled(_VALUE_FIELD).finditer(text, begin, stop):
            are_words = value["quoted"] is not None and has_password_name(name)
            values.add_alone(name, value.span("quoted" if value["quoted"] else "bare"), is_of_words=are_words)


def _object_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of the object that a field is in, as far as it is near."""
    begin, stop = max(0, start - _REACH), end + _REACH
    borders = [border.end() for border in compiled(_BORDER).finditer(text, begin, start)]
    border = compiled(_BORDER).search(text, end, stop)
    return borders[-1] if borders else begin, border.start() if border else min(stop, len(text))
