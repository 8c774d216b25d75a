"""Time the README's five minutes: `git clone`, its block unchanged, and the output. Needs a package index."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
LIMIT_SECONDS = 90.0


def main() -> int:
    """Return 0 if the block prints what the page shows, in time."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "S3MEMORY_", "PYTHON"))}
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "s3memory"
        began = time.monotonic()
        subprocess.run(["git", "clone", "-q", REPOSITORY, clone], check=True)  # noqa: S603, S607 - as people call it
        cloned = time.monotonic()
        page = (clone / "README.md").read_text("utf-8")
        (block,) = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
        (expected,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
        done = subprocess.run(  # noqa: S603 - our own page
            ["/bin/sh", "-ec", block], cwd=clone, env=clean, stdout=subprocess.PIPE, text=True, check=True
        )
        ended = time.monotonic()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    sys.stdout.write(f"{used.ru_utime + used.ru_stime:.1f} s of processor time\n")
    sys.stdout.write(f"clone {cloned - began:.1f} s, block {ended - cloned:.1f} s, {ended - began:.1f} s in all\n")
    sys.stdout.write("as the page shows\n" if done.stdout == expected else f"printed something else:\n{done.stdout}")
    return 0 if done.stdout == expected and ended - began <= LIMIT_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
