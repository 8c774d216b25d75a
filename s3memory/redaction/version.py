"""The version of the rules, which changes whenever what they find could change."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable


@cache
def rules_version() -> str:
    """Return 12 hexadecimal digits of a hash of this subpackage: the rules, the models' weights and all other code."""
    digest = sha256()
    for name, content in sorted(_files(files("s3memory.redaction"))):
        digest.update(b"%s\0%d\0" % (name.encode("ascii"), len(content)) + content)
    return digest.hexdigest()[:12]


def _files(folder: Traversable, within: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = f"{within}{entry.name}"
        if entry.is_dir():
            yield from _files(entry, f"{name}/")
        elif name.endswith(".py"):
            # Line endings differ between checkouts.
            yield name, entry.read_bytes().replace(b"\r\n", b"\n")
        elif name.endswith(".bin"):
            yield name, entry.read_bytes()
