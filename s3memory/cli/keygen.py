"""``s3memory keygen``: make a local key."""

from __future__ import annotations

import sys

from s3memory.cli.output import note
from s3memory.keys.wrappers.local import LocalKeyWrapper


def keygen() -> None:
    """Make a local key for S3MEMORY_LOCAL_KEY.

    The key is 32 random bytes as base64, for tests, development and places without AWS KMS. Anyone who has it
    can open every memory stored under it; without it, nobody can.

    Examples:
      (umask 077 && s3memory keygen > local.key)
      export S3MEMORY_LOCAL_KEY_FILE="$PWD/local.key"
      export S3MEMORY_LOCAL_KEY="$(s3memory keygen)"    # for this shell only
    """
    sys.stdout.write(f"{LocalKeyWrapper.generate_key_text()}\n")
    if sys.stdout.isatty():
        note("Set S3MEMORY_LOCAL_KEY to this key, and keep it: without it, stored memories can't be opened.")
