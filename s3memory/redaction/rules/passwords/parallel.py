"""Passwords among values that are set at once, as many as there are names: user, password = "jo", "..."."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location
from s3memory.redaction.rules.reading.judging import is_said
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere

_NAMES_BEFORE = r"(?<![\w.$@\"'])(?P<names>(?:[$@]?[A-Za-z_]\w{0,30},[ ]?){0,4})[$@]?\w{0,30}\Z"
_NAMES_BEHIND = (
    r"\w{0,20}(?P<names>(?:,[ ]?[$@]?[A-Za-z_]\w{0,30}){0,4})[)\]]?"
    r"(?:[ ][A-Za-z]\w{0,20})?[ ]?:?=[ ]?[(\[]?(?=[\"'])"
)
_STRING = r"(?P<quote>[\"'])(?P<secret>[^\"'\\\n]{0,128})(?P=quote)(?:,[ ]{0,2}|(?P<end>[)\]]?[ ]?(?:;|#|//|\r?\n|\Z)))"
_LONGEST_BEFORE = 160
_LEAST = 4


def value_of_its_own(match: re.Match[str]) -> Location:
    """Locate the string that is set to the name in `match`, if it is one of several names before one sign."""
    text, start = match.string, match.start()
    before = compiled(_NAMES_BEFORE).search(text, max(0, start - _LONGEST_BEFORE), start)
    behind = compiled(_NAMES_BEHIND).match(text, match.end())
    if before is None or behind is None:
        return None
    place, n_names = before["names"].count(","), before["names"].count(",") + behind["names"].count(",") + 1
    if n_names == 1:
        return None
    strings: list[re.Match[str]] = []
    position = behind.end()
    while len(strings) < n_names and (string := compiled(_STRING).match(text, position)):
        strings.append(string)
        position = string.end()
    if len(strings) != n_names or strings[-1]["end"] is None:
        return None
    secret = strings[place]["secret"]
    is_one = len(secret) >= _LEAST and not is_elsewhere(secret) and not any(map(is_said, secret.split()))
    return strings[place].span("secret") if is_one else None
