r"""``s3memory call``: the memory tool as a subprocess, for agent loops in any language.

Each input line is a tool input as JSON, and is answered by one line, ``{"content": "...", "is_error": false}``. JSON
escapes everything that is not ASCII, so neither the locale nor a line separator in a text can break a line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from s3memory._lines import LongLine, lines_of
from s3memory.cli.ending import FAILED, OK
from s3memory.cli.logs import package_log
from s3memory.cli.options import TenantOption, argument
from s3memory.cli.output import explain_input
from s3memory.commands import MemoryCommands
from s3memory.config.settings import Settings
from s3memory.contract.error_boundary import run_guarded
from s3memory.contract.inputs import number_of
from s3memory.contract.views import count_of
from s3memory.errors import InvalidInputError
from s3memory.limits import max_input_bytes


def call(
    tool_input: Annotated[
        str | None, argument("JSON", "A tool input. Without it, or with -: one per line from standard input.")
    ] = None,
    tenant: TenantOption = None,
) -> None:
    """Run memory tool inputs: JSON in, JSON out.

    Each input is answered at once with one line, {"content": "...", "is_error": false}: the tool result to send
    back to Claude. Every input gets a line, even if it is malformed. The SDK is not used.

    Examples:
      s3memory call '{"command": "view", "path": "/memories"}'
      s3memory call --tenant acme < inputs.jsonl > results.jsonl

    Exit codes:
      0  success
      1  a result is an error, or the output was closed: the current input is
         finished, and no further one is run
      2  a setting is wrong or missing, and nothing was read
    """
    commands = MemoryCommands.from_env(tenant=Settings.from_env().tenant(tenant))
    inputs: Iterable[str | bytes | LongLine]
    if tool_input is None or tool_input == "-":
        explain_input("Type tool inputs as JSON, one per line.")
        inputs = lines_of(sys.stdin.buffer, max_bytes=max_input_bytes(commands.store.limits))
    else:
        inputs = [tool_input]
    n_done, failed = 0, False
    try:
        with package_log():
            for line in inputs:
                content, is_error = run_guarded(_called, commands, line)
                failed |= is_error
                sys.stdout.write(json.dumps({"content": content, "is_error": is_error}) + "\n")
                sys.stdout.flush()
                n_done += 1
    except (KeyboardInterrupt, OSError) as ended:
        ended.add_note(f"{count_of(n_done, 'input')} answered; the one that was running may have taken effect.")
        raise
    raise typer.Exit(FAILED if failed else OK)


def _called(commands: MemoryCommands, line: str | bytes | LongLine) -> str:
    if isinstance(line, LongLine):
        raise InvalidInputError("The input is larger than any command may be")
    try:
        sent = line if isinstance(line, str) else line.decode("utf-8-sig")
        tool_input = json.loads(sent, parse_int=number_of)
    except (ValueError, RecursionError) as error:
        where = f": {error.msg} at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInputError(f"The input is not JSON{where}") from None
    return commands.call(tool_input)
