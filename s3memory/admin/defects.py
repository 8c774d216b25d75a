"""What `s3memory.admin.verify` finds, and how much it looked at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Kind(StrEnum):
    """What is wrong."""

    KEY_RING_MISSING = "key-ring-missing"
    """Memory is there, and no key ring: nothing opens."""
    KEY_RING_UNREADABLE = "key-ring-unreadable"
    """It was altered, is malformed, or was wrapped by another key. Nothing else was looked at."""
    GENERATION_UNREADABLE = "generation-unreadable"
    """A data key of the ring can't be unwrapped."""
    DOES_NOT_OPEN = "does-not-open"
    """An object was altered, moved, cut, or sealed under another key."""
    NO_KEY = "no-key"
    """An object says that it is of a generation that the key ring does not have."""
    STRAY_OBJECT = "stray-object"
    """An object is not a file, intent or tombstone: this package makes no such name."""
    FILE_BELOW_FILE = "file-below-file"
    """A file lies below another. Both can be read, and either can be renamed or deleted."""
    STALE_INTENT = "stale-intent"
    """A directory operation was begun and not ended: ``s3memory repair`` ends it."""
    NOT_LOOKED_AT = "not-looked-at"
    """S3 or the key wrapper did not give an object: it refused, or did not answer at every try."""


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing that is wrong.

    Attributes:
        tenant: whose it is; `None` for what is nobody's.
        kind: what is wrong.
        object_key: the object, as S3 knows it.
        path: the memory path, where it has one.
        version_id: which older version of the object; `None` for the current one.
        generation: which data key is meant, where one is.
        modified: when the object was stored, where that is known.
        code: why an object could not be looked at: AWS's error code, most often.
        reason: why a key ring does not open, as a sentence.
    """

    tenant: str | None
    kind: Kind
    object_key: str
    path: str | None = None
    version_id: str | None = None
    generation: int | None = None
    modified: datetime | None = None
    code: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Verified:
    """How much was looked at. What S3 or the key wrapper did not give is in no count but that of findings.

    Attributes:
        tenant: whose memory.
        files: current objects below the tenant's folder of memories.
        versions: older versions of them.
        intents_under_way: directory operations that began a moment ago.
        records: tombstones of versions that were redacted.
        findings: how many findings there were.
        is_settled: every file was looked at, also those that agents moved meanwhile; not if they went on at every pass.
    """

    tenant: str
    files: int
    versions: int
    intents_under_way: int
    records: int
    findings: int
    is_settled: bool = True
