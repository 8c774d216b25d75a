"""Passwords in parallel assignments, with as many values as names: user, password = "jo", "v"."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere

_NAMES_BEFORE = r"(?<![\w.$@\"'])(?P<names>(?:[$@]?[A-Za-z_]\w{0,30},[ ]?){0,4})[$@]?\w{0,30}\Z"
_NAMES_AFTER = (
    r"\w{0,20}(?P<names>(?:,[ ]?[$@]?[A-Za-z_]\w{0,30}){0,4})[)\]]?"
    r"(?:[ ][A-Za-z]\w{0,20})?[ ]?:?=[ ]?[(\[]?(?=[\"'])"
)
_STRING = r"(?P<quote>[\"'])(?P<secret>[^\"'\\\n]{0,128})(?P=quote)(?:,[ ]{0,2}|(?P<end>[)\]]?[ ]?(?:;|#|//|\r?\n|\Z)))"
_MAX_BEFORE = 160
_MIN_LENGTH = 4


def parallel_value(match: re.Match[str]) -> Location:
    """Locate the string that is assigned to the name in `match`, if that is one of several names before one sign."""
    text, start = match.string, match.start()
    after = compiled(_NAMES_AFTER).match(text, match.end())
    before = compiled(_NAMES_BEFORE).search(text, max(0, start - _MAX_BEFORE), start) if after else None
    if before is None or after is None:
        return None
    index = before["names"].count(",")
    n_names = index + after["names"].count(",") + 1
    if n_names == 1:
        return None
    strings: list[re.Match[str]] = []
    position = after.end()
    while len(strings) < n_names and (string := compiled(_STRING).match(text, position)):
        strings.append(string)
        position = string.end()
    if len(strings) != n_names or strings[-1]["end"] is None:
        return None
    secret = strings[index]["secret"]
    is_one = len(secret) >= _MIN_LENGTH and not is_elsewhere(secret) and not any(map(is_remark_word, secret.split()))
    return strings[index].span("secret") if is_one else None
