"""Passwords and secrets in the columns of a table: only the head names them, and every row has one."""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.compiling import compiled
from s3memory.redaction.model import Span
from s3memory.redaction.rule import Rule, Subject
from s3memory.redaction.rules.literals import literal_at
from s3memory.redaction.rules.names import CHOSEN
from s3memory.redaction.values import is_elsewhere, is_strong, is_term, looks_random
from s3memory.redaction.wording import is_predicate

# The line below a head: the only one of a table that can be told from other lines.
_BELOW_HEAD = r"\n[ \t>]{0,8}\|?[ \t]{0,3}:?-{2,400}+[-|: \t]{0,400}+(?=\n|\Z)"
_ROW = r"\n[ \t>]{0,8}(?P<row>\|?[^\n]*\|[^\n]*)"
_GENERATED = (
    r"(?:[\w -]{0,20}[ _-])?(?:secret(?:[ _-]key)?|token|(?:api|access|private|secret)[ _-]?key)(?:[ _-]value)?"
)
_LONGEST_HEAD = 600
_MOST_ROWS = 500
_LEAST_PASSWORD = 4
_LEAST_SECRET = 12


class ColumnRule(Rule):
    """A rule that finds the columns of a kind, by the names of their heads, and goes down them."""

    __slots__ = ()

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what stands in the cells below a head cell with such a name."""
        text = subject.text
        if "--" not in text or not any(map(subject.may_hold, self.anchors)):
            return
        for below in compiled(_BELOW_HEAD).finditer(text):
            line = max(text.rfind("\n", 0, below.start()) + 1, below.start() - _LONGEST_HEAD)
            head = text[line : below.start()].strip(" \t>\r")
            cells = head.removeprefix("|").removesuffix("|").split("|")
            named = [number for number, cell in enumerate(cells) if compiled(self.pattern).fullmatch(cell.strip())]
            if named and "|" in head:
                yield from self._below(text, below.end(), named)

    def _below(self, text: str, position: int, named: list[int]) -> Iterator[Span]:
        for _ in range(_MOST_ROWS):
            # The head of the next table is read with that one, so that every row is read once.
            row = None if compiled(_BELOW_HEAD).match(text, position) else compiled(_ROW).match(text, position)
            if row is None:
                return
            start = row.start("row") + row["row"].startswith("|")
            for number, cell in enumerate(row["row"].removeprefix("|").split("|")):
                if number in named and (span := self._secret(text, start, start + len(cell))):
                    yield Span(self.kind, *span)
                start += len(cell) + 1
            position = row.end()

    def _secret(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        cell = text[start:end]
        value = literal_at(text, start + len(cell) - len(cell.lstrip()), is_setting=False)
        # A cell is one value: with a space in it, it is a sentence.
        if value is None or value.span[1] > end or text[value.span[1] : end].strip(" \t\r`*_'\""):
            return None
        if is_elsewhere(value.text) or is_term(value.text):
            return None
        if self.kind != "password":
            return value.span if looks_random(value.text, least=_LEAST_SECRET) else None
        is_password = is_strong(value.text) or value.text.isdigit() or not is_predicate(value.text)
        return value.span if is_password and len(value.text) >= _LEAST_PASSWORD else None


RULES = (
    ColumnRule(
        kind="password",
        anchors=("pass", "pw", "kennwort", "contrase", "senha"),
        pattern=rf"(?i:.{{0,40}}(?<![A-Za-z0-9])(?:{CHOSEN})s?\W{{0,4}})",
        fold=True,
        scan=True,
        source="https://cwe.mitre.org/data/definitions/256.html",
        samples=("| host | password |\n|---|---|\n| db1 | «{password}» |\n",),
        near=("| host | password |\n|---|---|\n| db1 | required |\n", "| host | port |\n|---|---|\n| db1 | 5432 |\n"),
    ),
    ColumnRule(
        kind="secret",
        anchors=("secret", "token", "key"),
        pattern=rf"(?i:\W{{0,4}}(?:{_GENERATED})s?\W{{0,4}})",
        fold=True,
        scan=True,
        source="https://cwe.mitre.org/data/definitions/256.html",
        samples=("| name | API key |\n|---|---|\n| ci | «{mixed 40}» |\n",),
        near=("| name | API key |\n|---|---|\n| ci | in the vault |\n",),
    ),
)
