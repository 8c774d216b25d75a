"""What is found below a tenant's prefix and is nothing of this package's."""

from __future__ import annotations

import sys


def tell_of_strays(number: int) -> None:
    """Say on standard error how many objects are no memory files, if there are any."""
    if number:
        what = "1 object is no memory file" if number == 1 else f"{number} objects are no memory files"
        sys.stderr.write(f"s3memory: {what}\n")
