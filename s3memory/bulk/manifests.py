"""Manifests: which objects a job is about, in the form that each engine reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from s3memory.audit.recording import audited
from s3memory.format.object_keys import FOLDERS, Folder
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a manifest.

    Attributes:
        object_key: its key.
        version_id: which version of it; ``None`` for the current one, or for all.
    """

    object_key: str
    version_id: str | None = None


@audited("manifest")
def rows(store: MemoryStore, *, with_versions: bool = False) -> Iterator[Row]:
    """Yield a tenant's files, in the order of their keys: 1,000 a request, in bounded memory.

    Args:
        store: whose.
        with_versions: each version of each, older ones and those of deleted files included, in place of current ones.

    Raises:
        BackendError: S3 did not answer or refused.
    """
    if with_versions:
        for version in store.objects.versions(Folder.MEMORIES):
            if not version.is_delete_marker:
                yield Row(version.object_key, version.version_id)
        return
    for listed in store.objects.listed(Folder.MEMORIES):
        yield Row(listed.object_key)


@audited("manifest")
def erasure_rows(store: MemoryStore) -> Iterator[Row]:
    """Yield every key of which a tenant has anything, deleted files included: the key ring first, then all folders.

    Raises:
        BackendError: S3 did not answer or refused.
    """
    last = None
    for version in store.objects.versions(*FOLDERS):
        if version.object_key != last:
            last = version.object_key
            yield Row(last)


def batch_line(bucket: str, row: Row, *, with_versions: bool = False) -> str:
    """Return a row of a CSV manifest for S3 Batch Operations: bucket, URL-encoded key and, where asked, version.

    Everything but letters, digits and ``-._~/`` is percent-encoded, so that every way to decode it gives the same key,
    and no comma, quote or line end is left.
    """
    fields = [bucket, quote(row.object_key, safe="/"), *([row.version_id or ""] if with_versions else [])]
    return ",".join(fields)


def map_line(bucket: str, row: Row) -> str:
    """Return a row of a JSON Lines manifest for a Distributed Map (``InputType`` ``JSONL``). Its keys are plain."""
    fields = {"Bucket": bucket, "Key": row.object_key}
    if row.version_id is not None:
        fields["VersionId"] = row.version_id
    return json.dumps(fields)
