"""The generated parts of the pages: ``make docs-pages`` writes them, and a test compares them with the code.

A part is enclosed in ``<!-- made of the code: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Final

import click
import typer
from support.repository import REPOSITORY

from s3memory import errors, limits
from s3memory.audit import AuditEvent, Outcome
from s3memory.cli.app import app
from s3memory.cli.ending import HELP, exit_code_of
from s3memory.config.variables import VARIABLES

PART: Final = re.compile(r"(<!-- made of the code: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
PAGES: Final = sorted((REPOSITORY / "docs").rglob("*.md"))
_HELP_COLUMNS = 100


def settings_table() -> str:
    """All ``S3MEMORY_*`` variables."""
    return _table("variable | meaning", ((f"`{one.full_name}`", one.purpose) for one in VARIABLES))


def exit_code_list() -> str:
    """The exit codes of the command line."""
    return f"```text\n{HELP.strip()}\n```\n"


def error_table() -> str:
    """All errors of the package, each below its base class."""

    def below(error: type[errors.S3MemoryError], depth: int) -> Iterator[tuple[str, str, str]]:
        for kind in error.__subclasses__():
            if kind.__module__ == errors.__name__:
                yield _error_row(kind, depth)
                yield from below(kind, depth + 1)

    rows = [_error_row(errors.S3MemoryError, 0), *below(errors.S3MemoryError, 1)]
    return _table("error | exit code | meaning", rows)


def _error_row(kind: type[errors.S3MemoryError], depth: int) -> tuple[str, str, str]:
    code = exit_code_of(kind.__new__(kind))
    said = (inspect.getdoc(kind) or "").partition("\n\n")[0]
    return f"{'· ' * depth}`{kind.__name__}`", str(code), _one_line(said)


def audit_field_table() -> str:
    """The fields of an audit event."""
    return _table("field | meaning", ((f"`{name}`", said) for name, said in _attributes(AuditEvent)))


def outcome_list() -> str:
    """The possible outcomes of a command."""
    return "`" + "`, `".join(Outcome) + "`\n"


def limit_table() -> str:
    """The limits that a deployment can configure."""
    defaults = {one.name: one.default for one in fields(limits.Limits)}
    rows = ((f"`{name}`", _number(defaults[name]), said) for name, said in _attributes(limits.Limits))
    return _table("`Limits(...)` | default | meaning", rows)


def fixed_limit_table() -> str:
    """The fixed limits."""
    named = {
        "MAX_PATH_SEGMENTS": "names in a path, below `/memories`",
        "MAX_PATH_CHARS": "characters of a path as sent",
        "MAX_OBJECT_KEY_BYTES": "bytes of an object key, prefix included",
        "MAX_VIEW_LINES": "lines of a file that a view numbers",
        "MIN_VIEW_CHARS": "the least that `max_view_chars` may be",
        "MAX_KEY_RING_BYTES": "bytes of a tenant's key ring",
    }
    rows = [(said, _number(getattr(limits, name))) for name, said in named.items()]
    rows.append(("the most that `max_file_bytes` may be", _number(limits.MAX_TEXT_BYTES)))
    return _table("limit | value", rows)


def command_help() -> str:
    """The help of every command, as printed."""
    return "\n".join(
        f"{'#' * (2 + depth)} {name}\n\n```text\n{text}\n```\n"
        for name, depth, text in _commands(_group(), "s3memory", None)
    )


def _group() -> click.Group:
    group = typer.main.get_command(app)
    assert hasattr(group, "commands")  # typer's own subclass of click's group
    return group  # type: ignore[return-value]


def _commands(command: Any, name: str, parent: click.Context | None) -> Iterator[tuple[str, int, str]]:
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    context.terminal_width = context.max_content_width = _HELP_COLUMNS
    text = "\n".join(line.rstrip() for line in command.get_help(context).strip().splitlines())
    yield context.command_path, int(parent is not None), text
    for below in getattr(command, "commands", ()):
        yield from _commands(command.get_command(context, below), below, context)


def _attributes(documented: type) -> list[tuple[str, str]]:
    """Return the names and meanings under ``Attributes:`` in a docstring."""
    text = (inspect.getdoc(documented) or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    found = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", text, re.MULTILINE)
    assert [name for name, _ in found] == [one.name for one in fields(documented)], documented
    return [(name, _one_line(said)) for name, said in found]


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")


def _number(value: object) -> str:
    return "none" if value is None or value is MISSING else f"{value:,}"


def _table(heading: str, rows: Any) -> str:
    lines = [f"| {heading} |", "|" + "---|" * (heading.count(" | ") + 1)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


PARTS: Final[dict[str, Callable[[], str]]] = {
    "settings": settings_table,
    "exit-codes": exit_code_list,
    "errors": error_table,
    "audit-fields": audit_field_table,
    "audit-outcomes": outcome_list,
    "limits": limit_table,
    "fixed-limits": fixed_limit_table,
    "commands": command_help,
}


def filled(text: str) -> str:
    """Return a page with its generated parts updated from the code."""
    return PART.sub(lambda part: part[1] + PARTS[part[2]]() + part[4], text)


def main() -> None:
    """Update the generated parts of all pages."""
    for page in PAGES:
        text = page.read_text("utf-8")
        if (made := filled(text)) != text:
            page.write_text(made, "utf-8")
            sys.stdout.write(f"{Path(page).relative_to(REPOSITORY)}\n")


if __name__ == "__main__":
    main()
