"""Several passwords behind one name: "passwords: a, b and c", a list in brackets, or an item a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from s3memory.redaction.model import PLACEHOLDER_PATTERN, PLACEHOLDER_START
from s3memory.redaction.rule import Location
from s3memory.redaction.rules.reading.judging import is_no_word
from s3memory.redaction.rules.reading.literals import Literal, literal_at, to_its_end
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere, is_phrase, is_reference, is_term

_GONE = rf"\\?[\"'`]?{PLACEHOLDER_PATTERN.pattern}"
_ITEM_OF_LINES = r"[ \t]{0,8}(?:#[^\n]{0,80})?\r?\n[ \t]{0,16}[-*+][ \t]{1,4}"
_OPENING = (
    r"\\?[\"'`*_\])]{0,3}(?:[ \t]{0,4}(?::|=>?|:=)|[ ](?:are|were):?(?=[ ]))(?:\*\*)?"
    rf"(?:{_ITEM_OF_LINES}|\s{{0,20}}(?!{re.escape(PLACEHOLDER_START)})[\[({{]\s{{0,20}}|[ \t]{{0,20}})"
)
_NEXT = rf"\\?[\"'`*]{{0,3}}(?:{_ITEM_OF_LINES}|\s{{0,20}}(?:[,;/|]|,?[ ](?:and|or)[ ])\s{{0,20}}(?:(?:and|or)[ ])?)"
_END_OF_LINE = r"[\"'`*,;]{0,3}[ \t]{0,20}(?:#[^\n]{0,80})?(?:\r?\n|\Z)"
_BRACKETS = ("[", "(", "{")
_NAME = r"[a-z_][a-z0-9_]*"
_SETTING = r"[\w-]{2,40}="
_LEAST = 4


def list_behind(text: str, position: int) -> Location:
    """Return where the passwords stand that the name before `position` stands for, from the first to the last."""
    places = list(_items(text, position))
    return (places[0][0], places[-1][1]) if places else None


def _items(text: str, position: int) -> Iterator[tuple[int, int]]:
    join = compiled(_OPENING).match(text, position)
    is_code = join is not None and join[0].rstrip().endswith(_BRACKETS)
    while join:
        if gone := compiled(_GONE).match(text, position := join.end()):
            position = gone.end()
        else:
            value = literal_at(text, position, is_setting=False)
            if (
                value is None
                or not _is_password(value)
                or (is_code and not value.is_quoted and compiled(_NAME).fullmatch(value.text))
            ):
                return
            place = to_its_end(text, value.span)
            if "\n" in join[0] and not is_code and not compiled(_END_OF_LINE).match(text, place[1]):
                return  # a line that begins as a password does, and says something else
            yield place
            position = place[1]
        join = compiled(_NEXT).match(text, position)


def _is_password(value: Literal) -> bool:
    text = value.text
    if len(text) < _LEAST or is_elsewhere(text) or is_term(text) or compiled(_SETTING).match(text):
        return False
    is_named = not value.is_quoted and is_reference(text)
    return not is_named and (is_phrase(text) or (is_no_word(text) and " " not in text))
