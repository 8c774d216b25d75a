"""Telephone numbers: international ones by "+", North American ones by their groups, others by a label.

`phonenumbers` checks that a number is possible. Without a country, only the number of digits can be checked.
"""

from __future__ import annotations

import re

import phonenumbers

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.text.word_lists import word_list

_MIN_DIGITS, _MAX_DIGITS = 7, 12
_LABEL_ANCHORS = word_list("phone tel mobile cell fax whatsapp handy movil celular m?vil t?l?phone")
_SEPARATOR = r"[ .\u00a0/-]"
_INTERNATIONAL = (
    rf"(?<![0-9A-Za-z_])\+[1-9][0-9]{{0,3}}(?:{_SEPARATOR}?\(0?[0-9]{{0,4}}\))?(?:{_SEPARATOR}?[0-9]{{1,12}}+){{1,7}}+"
    r"(?![0-9A-Za-z_])"
)
_NORTH_AMERICAN = (
    r"(?:\([2-9][0-9]{2}\) ?|[2-9](?<![0-9A-Za-z_.+/-].)[0-9]{2}(?P<joint>[ .-]))"
    r"[2-9][0-9]{2}(?(joint)(?P=joint)|[ .-])[0-9]{4}(?![0-9A-Za-z_]|[-.][0-9])"
)
_LABELLED = (
    r"(?i:(?:tele)?phone|tel|mobile|cell|fax|whatsapp|telefon|t[\u00e9e]l[\u00e9e]phone|handy|movil|m\u00f3vil|celular)"
    r"(?i:[ _]?(?:number|no\.?|nr\.?|#))?(?:\\?[\"'`]|\*\*)?[ \t]{0,3}(?:[:=|.]|is\b)?(?:\*\*)?[ \t]{0,3}\\?[\"'`]?"
    rf"(?P<secret>\(?[0-9]{{1,12}}+\)?(?:{_SEPARATOR}{{1,2}}+\(?[0-9]{{2,8}}+\)?){{0,5}}+)(?![0-9A-Za-z_]|[-.:/][0-9])"
)


def _is_possible(number: str, region: str | None) -> bool:
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(number, region))
    except phonenumbers.NumberParseException:
        return False


def _international(match: re.Match[str]) -> Location:
    # A short number without groups after "+" is from a diff or a sum.
    is_grouped = not match[0][1:].isdigit() or len(match[0]) > _MIN_DIGITS + 3
    return match.span() if is_grouped and _is_possible(match[0], None) else None


def _north_american(match: re.Match[str]) -> Location:
    return match.span() if _is_possible(match[0], "US") else None


def _labelled(match: re.Match[str]) -> Location:
    number = match["secret"]
    is_number = _MIN_DIGITS <= sum(map(str.isdigit, number)) <= _MAX_DIGITS
    return match.span("secret") if is_number and len(set(number)) > 1 else None


RULES = (
    Rule(
        kind="phone",
        anchors=("+",),
        pattern=_INTERNATIONAL,
        locate=_international,
        source="https://www.itu.int/rec/T-REC-E.164",
        samples=("call «+49 30 <digits:7>», please",),
        near=("5 + 49 30 1234567x", "+1234", "+999 30 1234567"),
    ),
    Rule(
        kind="phone",
        scan=True,
        pattern=_NORTH_AMERICAN,
        locate=_north_american,
        source="https://www.nanpa.com/numbering",
        samples=("call «(415) 555-<digits:4>»",),
        near=("415-555-01", "1415-555-01234"),
    ),
    Rule(
        kind="phone",
        anchors=_LABEL_ANCHORS,
        fold=True,
        pattern=_LABELLED,
        locate=_labelled,
        source="https://www.itu.int/rec/T-REC-E.123",
        samples=("phone: «030 <digits:7>»",),
        near=("phone: ext. 12", "telegram 12"),
    ),
)
