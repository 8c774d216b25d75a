"""``s3memory settings``: list the environment variables."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from s3memory.cli.ending import OK, exit_code_of
from s3memory.cli.options import JsonOption
from s3memory.cli.output import emit, wrapped
from s3memory.config.settings import Settings
from s3memory.config.variables import VARIABLES
from s3memory.errors import ConfigurationError

_MIN_PURPOSE_WIDTH = 40


def settings(json_output: JsonOption = False) -> None:
    """List the S3MEMORY_* environment variables.

    Shows what each variable is for and whether it is set. Values are not shown, since one of them is a key. A
    variable that is misspelled, malformed or contradicts another is reported on stderr, with exit code 2.

    Examples:
      s3memory settings
      s3memory settings --json
    """
    rows = [(variable.full_name, bool(os.environ.get(variable.full_name)), variable.purpose) for variable in VARIABLES]
    fields = [{"name": name, "is_set": is_set, "purpose": purpose} for name, is_set, purpose in rows]
    exit_code, warnings = OK, []
    try:
        Settings.from_env()
    except ConfigurationError as error:
        exit_code, warnings = exit_code_of(error), [str(error)]
    emit(fields, text=_table(rows), warnings=warnings, as_json=json_output, indent=2, exit_code=exit_code)


def _table(rows: list[tuple[str, bool, str]]) -> Iterator[str]:
    """Yield lines that fit the terminal. Purposes go below the names if there is too little room next to them."""
    columns = shutil.get_terminal_size().columns
    width = max(len(name) for name, _, _ in rows)
    is_wide = columns - width - 7 >= _MIN_PURPOSE_WIDTH
    indent = " " * (width + 7 if is_wide else 4)
    yield f"{'Variable':<{width}}  Set{'  Purpose' if is_wide else ''}"
    for name, is_set, purpose in rows:
        head = f"{name:<{width}}  {'yes' if is_set else '-'}"
        if is_wide:
            yield wrapped(purpose, columns, first=f"{head:<{len(indent)}}", indent=indent)
        else:
            yield head
            yield wrapped(purpose, columns, first=indent, indent=indent)
