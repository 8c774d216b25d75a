"""What a look at all of a tenant's files may leave out."""

from __future__ import annotations

import sys

MOVED_ON = "files were moved or deleted at every pass, and one may not have been looked at: run it again"


def tell_of_strays(number: int) -> None:
    """Say on standard error how many objects are no memory files, if there are any."""
    if number:
        what = "1 object is no memory file" if number == 1 else f"{number} objects are no memory files"
        sys.stderr.write(f"s3memory: {what}\n")
