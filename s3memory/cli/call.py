r"""``s3memory call``: the memory tool for agent loops of any language, as a subprocess.

The protocol is a line for a line: a tool input as JSON in, ``{"content": "...", "is_error": false}`` out. JSON escapes
all that is not ASCII, so neither the locale nor a line separator in a text breaks a line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from s3memory.cli.confirming import is_terminal
from s3memory.cli.exit_codes import FAILED, OK
from s3memory.cli.options import TenantOption
from s3memory.errors import InvalidInputError

if TYPE_CHECKING:
    from s3memory.commands import MemoryCommands


def call(
    tool_input: Annotated[
        str | None,
        typer.Argument(
            metavar="JSON",
            help="A tool input. Without it, or with -: one a line from standard input.",
            show_default=False,
        ),
    ] = None,
    tenant: TenantOption = None,
) -> None:
    """Carry out memory tool inputs: JSON in, JSON out.

    For each input, one line {"content": "...", "is_error": false} is written at once: what goes back
    to Claude as the tool result. Whatever happens to an input, its line comes out. The SDK is not used.

    \b
    Examples:
      s3memory call '{"command": "view", "path": "/memories"}'
      s3memory call --tenant acme < inputs.jsonl > results.jsonl

    \b
    Exit codes:
      0  all right
      1  a result is an error
      2  a setting is wrong or missing, and nothing was read
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.commands import MemoryCommands  # noqa: PLC0415 - botocore comes with it

    commands = MemoryCommands.from_env(tenant=tenant)
    inputs: Iterable[str | bytes] = [tool_input] if tool_input not in {None, "-"} else _lines()
    failed = False
    for line in inputs:
        content, is_error = _answer(commands, line)
        failed |= is_error
        sys.stdout.write(json.dumps({"content": content, "is_error": is_error}) + "\n")
        sys.stdout.flush()
    raise typer.Exit(FAILED if failed else OK)


def _lines() -> Iterable[bytes]:
    if is_terminal(sys.stdin):
        sys.stderr.write("Type tool inputs as JSON, one a line. Ctrl-D ends.\n")
    return sys.stdin.buffer if sys.stdin is not None else []


def _answer(commands: MemoryCommands, line: str | bytes) -> tuple[str, bool]:
    from s3memory.contract.error_boundary import run_guarded  # noqa: PLC0415 - loaded by now

    return run_guarded(lambda: commands.call(_parsed(line)))


def _parsed(line: str | bytes) -> Any:
    try:
        return json.loads(line if isinstance(line, str) else line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        where = f": {error.msg} at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInputError(f"Error: The input is no JSON{where}") from None
