"""The command line: ``s3memory``, also ``python -m s3memory``. It needs the extra ``cli``.

Data goes to standard output and everything else to standard error. A command's module is loaded when the command is
used, so that ``s3memory --help`` does not wait for botocore.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from s3memory._extras import LIBRARIES_OF_CLI, ensure_installed
from s3memory.errors import MissingExtraError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    Args:
        arguments: the process's own arguments if left out.

    Raises:
        SystemExit: always, with the exit code.
    """
    # A parent process may have closed standard streams. Output to a closed standard output would be lost silently, so
    # its replacement is opened such that a write to it fails.
    for name, flags, mode in (
        ("stdin", os.O_RDONLY, "r"),
        ("stdout", os.O_RDONLY, "w"),
        ("stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a path that the terminal can't show is no reason to fail
    try:
        ensure_installed("the command line", LIBRARIES_OF_CLI)
        from s3memory.cli.app import app  # it imports the extra's libraries
        from s3memory.cli.logs import audit_log  # only after the check above

        with audit_log():
            app(args=arguments, prog_name="s3memory")
    except MissingExtraError as error:  # from the check above; `s3memory.cli.ending` reports the errors of commands
        sys.stderr.write(f"s3memory: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:  # before a command has begun; later ones are handled in `s3memory.cli.ending`
        sys.exit(130)
