"""Several passwords after one name: "passwords: a, b and c", a list in brackets, or a list with an item per line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from s3memory.redaction.interface import PLACEHOLDER_PATTERN, PLACEHOLDER_START
from s3memory.redaction.rule import Location
from s3memory.redaction.rules.reading.judging import is_no_word
from s3memory.redaction.rules.reading.literals import END_OF_LINE, Literal, literal_at, to_end_of_secret
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere, is_phrase, is_reference, is_technical_term

_REDACTED_ITEM = rf"\\?[\"'`]?{PLACEHOLDER_PATTERN.pattern}"
_BULLET = r"[ \t]{0,8}(?:#[^\n]{0,80})?\r?\n[ \t]{0,16}[-*+][ \t]{1,4}"
_OPENING = (
    r"\\?[\"'`*_\])]{0,3}(?:[ \t]{0,4}(?::|=>?|:=)|[ ](?:are|were):?(?=[ ]))(?:\*\*)?"
    rf"(?:{_BULLET}|\s{{0,20}}(?!{re.escape(PLACEHOLDER_START)})[\[({{]\s{{0,20}}|[ \t]{{0,20}})"
)
_SEPARATOR = rf"\\?[\"'`*]{{0,3}}(?:{_BULLET}|\s{{0,20}}(?:[,;/|]|,?[ ](?:and|or)[ ])\s{{0,20}}(?:(?:and|or)[ ])?)"
_BRACKETS = ("[", "(", "{")
_CODE_NAME = r"[a-z_][a-z0-9_]*"
_ASSIGNMENT = r"[\w-]{2,40}="
_MIN_LENGTH = 4


def list_after(text: str, position: int) -> Location:
    """Return the span of the passwords after a name that ends at `position`, from the first one to the last."""
    spans = list(_item_spans(text, position))
    return (spans[0][0], spans[-1][1]) if spans else None


def _item_spans(text: str, position: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the passwords in a list, skipping the placeholders of those that were replaced."""
    join = compiled(_OPENING).match(text, position)
    is_code = join is not None and join[0].rstrip().endswith(_BRACKETS)
    while join:
        if redacted := compiled(_REDACTED_ITEM).match(text, position := join.end()):
            position = redacted.end()
        else:
            value = literal_at(text, position, is_setting=False)
            if (
                value is None
                or not _is_password(value)
                or (is_code and not value.is_quoted and compiled(_CODE_NAME).fullmatch(value.text))
            ):
                return
            span = to_end_of_secret(text, value.span)
            if "\n" in join[0] and not is_code and not compiled(END_OF_LINE).match(text, span[1]):
                return  # an item that goes on after the value: no password
            yield span
            position = span[1]
        join = compiled(_SEPARATOR).match(text, position)


def _is_password(value: Literal) -> bool:
    """Whether an item of a list looks like a password: mixed or a passphrase, and no setting or variable."""
    text = value.text
    if len(text) < _MIN_LENGTH or is_elsewhere(text) or is_technical_term(text) or compiled(_ASSIGNMENT).match(text):
        return False
    is_named = not value.is_quoted and is_reference(text)
    return not is_named and (is_phrase(text) or (is_no_word(text) and " " not in text))
