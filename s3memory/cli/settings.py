"""``s3memory settings``: the environment variables."""

from __future__ import annotations

import json
import os
import sys

from s3memory.cli.options import JsonOption


def settings(json_output: JsonOption = False) -> None:
    """List the S3MEMORY_* environment variables.

    Each with what it is for and whether it is set. Values are not shown: one of them is a key. A variable
    that is misspelt, malformed or contradicts another is named on standard error, with exit code 2.
    """
    from s3memory.config.settings import Settings  # noqa: PLC0415 - see the package's docstring
    from s3memory.config.variables import VARIABLES  # noqa: PLC0415 - same

    rows = [(variable.full_name, bool(os.environ.get(variable.full_name)), variable.purpose) for variable in VARIABLES]
    if json_output:
        listed = [{"name": name, "is_set": is_set, "purpose": purpose} for name, is_set, purpose in rows]
        sys.stdout.write(json.dumps(listed, indent=2) + "\n")
    else:
        _show(rows)
    Settings.from_env()


def _show(rows: list[tuple[str, bool, str]]) -> None:
    from rich import box  # noqa: PLC0415 - not needed for --json
    from rich.console import Console  # noqa: PLC0415 - same
    from rich.table import Table  # noqa: PLC0415 - same
    from rich.text import Text  # noqa: PLC0415 - same

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Variable", no_wrap=True)
    table.add_column("Set")
    table.add_column("Purpose")
    for name, is_set, purpose in rows:
        mark = Text("yes", style="green") if is_set else Text("-", style="dim")
        table.add_row(Text(name, style="bold" if is_set else ""), mark, Text(purpose))
    Console().print(table)
