"""The command line: ``s3memory``, also ``python -m s3memory.cli``. It needs the extra ``cli``.

Data goes to standard output and everything else to standard error. Commands import what they need when they run, so
that ``s3memory --help`` does not wait for botocore.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from s3memory.cli.extras import LIBRARIES_OF_CLI, missing_line


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    Args:
        arguments: those of the process if left out.

    Raises:
        SystemExit: always, with the exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a path that the terminal can't show is no reason to fail
    line = missing_line("the command line", LIBRARIES_OF_CLI)
    if line:
        sys.exit(_refused(line))
    from s3memory.cli.app import app  # noqa: PLC0415 - it imports the extra's libraries
    from s3memory.cli.audit_log import audit_log  # noqa: PLC0415 - only after the check above
    from s3memory.cli.exit_codes import exit_code_of  # noqa: PLC0415 - same
    from s3memory.cli.hints import hint_for  # noqa: PLC0415 - same
    from s3memory.cli.reading import printable  # noqa: PLC0415 - same
    from s3memory.errors import S3MemoryError  # noqa: PLC0415 - same

    try:
        with audit_log():
            app(args=arguments, prog_name="s3memory")
    except S3MemoryError as error:
        # What a server called an error, or a version, may be in it.
        sys.stderr.write(f"s3memory: {printable(error.detail)}{hint_for(error)}\n")
        sys.exit(exit_code_of(error))


def _refused(line: str) -> int:
    sys.stderr.write(f"s3memory: {line}\n")
    return 2
