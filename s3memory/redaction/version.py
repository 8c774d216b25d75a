"""Which rules these are: a name that changes whenever what is found could."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable


@cache
def rules_version() -> str:
    """Return 12 hexadecimal digits of a hash of this subpackage: of the rules, their weights and all that runs them."""
    digest = sha256()
    for name, content in sorted(_modules(files("s3memory.redaction"))):
        digest.update(b"%s\0%d\0" % (name.encode("ascii"), len(content)) + content)
    return digest.hexdigest()[:12]


def _modules(folder: Traversable, within: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = f"{within}{entry.name}"
        if entry.is_dir():
            yield from _modules(entry, f"{name}/")
        elif name.endswith(".py"):
            # Line ends differ from one checkout to the other.
            yield name, entry.read_bytes().replace(b"\r\n", b"\n")
        elif name.endswith(".bin"):
            yield name, entry.read_bytes()
