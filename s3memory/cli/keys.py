"""``s3memory keygen``: local keys."""

from __future__ import annotations

import sys


def keygen() -> None:
    """Make a local key, for S3MEMORY_LOCAL_KEY.

    It is 32 random bytes as base64, for tests, development and places without AWS KMS. Whoever has the key
    opens every memory that is stored under it, and without it nobody does.

    \b
    Examples:
      export S3MEMORY_LOCAL_KEY="$(s3memory keygen)"
      (umask 077 && s3memory keygen > local.key)    # for S3MEMORY_LOCAL_KEY_FILE
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.keys.wrappers.local import LocalKeyWrapper  # noqa: PLC0415 - see the package's docstring

    sys.stdout.write(f"{LocalKeyWrapper.generate_key_text()}\n")
    if sys.stdout.isatty():
        sys.stderr.write("Set S3MEMORY_LOCAL_KEY to this, and keep it: without it, no memory opens again.\n")
