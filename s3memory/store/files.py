"""What a store returns of a file that it has read or written."""

from __future__ import annotations

from typing import NamedTuple

from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.redaction import Finding
from s3memory.s3.objects import ObjectInfo


class MemoryFile(NamedTuple):
    """A file as it was read: its text, the version that it was, and the key ring that opened it."""

    path: MemoryPath
    text: str
    info: ObjectInfo
    ring: OpenKeyRing


class WrittenFile(NamedTuple):
    """A file as it was written: the text that is stored, what was redacted from it, and its ETag."""

    path: MemoryPath
    text: str
    findings: tuple[Finding, ...]
    etag: str
