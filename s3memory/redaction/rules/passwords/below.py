"""Secrets below their name: the rows of a table or of CSV whose head names the column."""

from __future__ import annotations

import re

from s3memory.redaction.rules.reading.getting_in import LOCKS
from s3memory.redaction.rules.reading.near import NearRule, Places
from s3memory.redaction.rules.reading.random_values import is_random
from s3memory.redaction.rules.reading.tables import table_below
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import looks_random

_LEAST_SECRET = 12
_BEFORE, _BEHIND = 400, 30


def _passwords(match: re.Match[str], _limit: int) -> Places:
    yield from table_below(match.string, *match.span())


def _codes(match: re.Match[str], _limit: int) -> Places:
    text, start, end = match.string, *match.span()
    places = [place for place in table_below(text, start, end) if text[slice(*place)].strip("#*").isdigit()]
    about = text[max(0, start - _BEFORE) : end + _BEHIND].lower() if places else ""
    if compiled(rf"\b(?:{LOCKS}|puk|sim)\b").search(about):
        yield from places


def _is_secret(cell: str) -> bool:
    groups = cell.split(" ")
    value = "".join(groups) if {*map(len, groups[:-1])} == {4} else cell  # seeds are written in groups of four
    return looks_random(value, least=_LEAST_SECRET) or is_random(cell, least=_LEAST_SECRET)


def _secrets(match: re.Match[str], _limit: int) -> Places:
    yield from table_below(match.string, *match.span(), is_one=_is_secret)


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"
_HEAD_END = r"(?=[ \"'`*_]{0,4}[|,;\t\r\n])"

RULES = (
    # A head that ends in a name; those that are one are of the sentences.
    NearRule(
        kind="password",
        anchors=("_pass", "_pwd", "-pass", ".pass", "_pw"),
        pattern=rf"(?i:[_.-](?:password|passwd|pwd|pw|pass(?:phrase|code)?)){_HEAD_END}",
        around=_passwords,
        source=_SOURCE,
        samples=("login_password,name\n«{mixed 12}»,shop\n",),
        near=("name,login_password\nshop,required\n", "a call(user, login_password, 4)"),
    ),
    NearRule(
        kind="recovery-code",
        anchors=("code", "pin", "puk", "combo"),
        pattern=rf"(?i:(?<![A-Za-z])(?:codes?|pin|puk|combo|combination)){_HEAD_END}",
        around=_codes,
        source=_SOURCE,
        samples=("| cabin | lock | code |\n|---|---|---|\n| 1 | Yale | «27837» |\n| 2 | key | - |\n",),
        near=("| cabin | status | code |\n|---|---|---|\n| 1 | late | 27837 |\n",),
    ),
    NearRule(
        kind="secret",
        anchors=("secret", "token", "key", "seed", "totp"),
        pattern=rf"(?i:(?:secret|(?<![a-z])seed|(?<![a-z])totp|token|(?:(?<=api[ _-])|(?<=access[ _-])|(?<=private[ _-])|(?<=secret[ _-]))key)s?(?:[ _-]value)?){_HEAD_END}",
        around=_secrets,
        source=_SOURCE,
        samples=("| name | API key |\n|---|---|\n| ci | «{mixed 40}» |\n", "name,ci_token\nx,«{mixed 40}»\n"),
        near=("| name | API key |\n|---|---|\n| ci | in the vault |\n", "name,token\nx,bearer\n"),
    ),
)
