"""The output of the command line: data goes to standard output, everything else to standard error.

A command writes each row as soon as it is known (`row`), and ends with `emit`.
"""

from __future__ import annotations

import json
import os
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn, TextIO

import typer

from s3memory.contract.views import shown_time
from s3memory.errors import ConfigurationError
from s3memory.paths import MemoryPath

UNWRITTEN = 1
"""The exit code of a command that succeeded, but whose output can't be written."""

IN_DRY_RUN = " (dry run: nothing was written)"
"""What follows the counts of a dry run."""


def emit(
    outcome: object,
    *,
    as_json: bool,
    tenant: str | None = None,
    exit_code: int = 0,
    text: Iterable[str] = (),
    notes: Iterable[str] = (),
    warnings: Iterable[str] = (),
    indent: int | None = None,
) -> NoReturn:
    """Write the outcome of a command, and exit. The work is done, so the exit code holds even if nobody reads this.

    If standard output can't be written, as on a full disk, the outcome goes to standard error, and that is a failure.

    Args:
        outcome: the JSON document, which is written in place of text and notes.
        as_json: whether to write JSON.
        tenant: the tenant that it is about: the JSON and the notes name it, since operators run commands for many.
        exit_code: the exit code of the process.
        text: lines of data.
        notes: lines about the data, for people.
        warnings: lines that are written with JSON as well.
        indent: the indentation of the JSON.
    """
    if as_json:
        document = _plain(outcome)
        named = document if tenant is None else {"tenant": tenant, **document}
        text = [json.dumps(named, default=str, indent=indent)]
    text = list(text)
    try:
        sys.stdout.writelines(f"{line}\n" for line in text)
        sys.stdout.flush()
    except OSError as error:
        discard(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            warn(f"{output_error_text(error)}{' This is it:' if text else ''}")
            note(*text)
            exit_code = exit_code or UNWRITTEN
    if not as_json:
        note(*(notes if tenant is None else (f"{tenant}: {line}" for line in notes)))
    warn(*warnings)
    raise typer.Exit(exit_code)


def output_error_text(error: OSError) -> str:
    """Return the message for an output that can't be written."""
    return f"The output can't be written: {error.strerror or error}."


def row(fields: object, text: str, *, as_json: bool) -> None:
    """Write one line of data: `fields`, a mapping or dataclass, as JSON, or `text`."""
    sys.stdout.write((json.dumps(_plain(fields), default=str) if as_json else text) + "\n")


def refuse_dash(path: Path) -> None:
    """Refuse ``-`` as the name of a new file: users may mean standard output, and would get a plaintext file."""
    if path == Path("-"):
        raise ConfigurationError("- does not mean standard output here: name a file")


def fields_of(one: Any) -> dict[str, Any]:
    """Return the fields of a dataclass, by name."""
    return {field.name: getattr(one, field.name) for field in fields(one)}


def note(*lines: str) -> None:
    """Write lines for people to standard error. If it is closed, as when its terminal is, they are dropped."""
    try:
        sys.stderr.writelines(f"{line}\n" for line in lines)
    except OSError:
        discard(sys.stderr)


def warn(*lines: str) -> None:
    """Write lines to standard error, after the program's name. They are escaped: a server may have chosen the names."""
    note(*(f"s3memory: {printable(line)}" for line in lines))


def discard(stream: TextIO) -> None:
    """Discard whatever is written to a stream from now on: writing would fail again when the interpreter exits."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_text(text: str) -> None:
    """Write a stored text: byte for byte, except that control characters are escaped on a terminal."""
    if sys.stdout.isatty():
        sys.stdout.write(printable(text))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def printable(text: str) -> str:
    r"""Return a text with its control and format characters escaped, except for ``\n`` and ``\t``.

    Otherwise, a text that an agent was talked into storing could move an operator's cursor, or rename the window.
    """
    return "".join(
        char
        if char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Zl", "Zp"}
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def one_line(text: str) -> str:
    r"""Return a text as `printable` does, but on one line: a name that contains ``\n`` could forge a line of a list."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def wrapped(text: str, columns: int, *, first: str = "", indent: str = "") -> str:
    """Wrap a text: the first line begins with `first`, the others with `indent`. No word, path or option is split."""
    lines = textwrap.TextWrapper(columns, first, indent, break_long_words=False, break_on_hyphens=False)
    return lines.fill(text)


def counted(number: int, one: str, several: str) -> str:
    """Return a number and the words for it. If only a noun changes, use `count_of`."""
    return f"{number} {one if number == 1 else several}"


def explain_input(what: str) -> None:
    """Explain on stderr what to type, if standard input is a terminal."""
    if sys.stdin.isatty():
        note(f"{what} Ctrl-D ends.")


def _plain(value: Any) -> Any:
    if isinstance(value, MemoryPath):
        return str(value)
    if isinstance(value, datetime):
        return shown_time(value)
    if is_dataclass(value):
        return _plain(fields_of(value))
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
