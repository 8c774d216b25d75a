"""Exit codes, by what a caller would do about them; and how they are told in the help."""

from __future__ import annotations

from s3memory.errors import BackendError, ConfigurationError, IntegrityError, S3MemoryError

OK = 0
FAILED = 1
USAGE = 2
STORE = 3

HELP = """
Exit codes:
  0  all right
  1  a command was refused, or a check failed
  2  wrong usage, a wrong or missing setting, or an extra that is not installed
  3  the store is out of reach, refuses access, or holds what does not open
     (call reports these as results, and exits with 1)
"""


def exit_code_of(error: S3MemoryError) -> int:
    """Return the exit code for one of our errors."""
    if isinstance(error, ConfigurationError):
        return USAGE
    return STORE if isinstance(error, BackendError | IntegrityError) else FAILED
