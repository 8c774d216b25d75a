"""Manifests: the lists of a job's objects, in the format of each engine."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import quote

from s3memory._parallel import batches
from s3memory.audit.recording import audited
from s3memory.bulk.events import decoded
from s3memory.errors import InvalidInputError
from s3memory.format.object_keys import FOLDERS, Folder, place_of
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a manifest.

    Attributes:
        object_key: its key.
        version_id: the version; ``None`` for the current one, or for all.
        encoded_key: its key as encoded in an inventory, if that may mean two keys, one of which is ``object_key``. The
            Lambda function then checks which of them exists.
    """

    object_key: str
    version_id: str | None = None
    encoded_key: str | None = None

    @property
    def object_keys(self) -> tuple[str, ...]:
        """The possible keys: one, or two."""
        return (self.object_key,) if self.encoded_key is None else decoded(self.encoded_key)


@audited("manifest")
def rows(store: MemoryStore, *, with_versions: bool = False) -> Iterator[Row]:
    """Yield a tenant's files in the order of their keys, with one request per 1,000, in bounded memory.

    Args:
        store: the tenant's store.
        with_versions: yield all versions instead, older ones and those of deleted files included.

    Raises:
        BackendError: S3 did not respond or refused.
    """
    if with_versions:
        for version in store.objects.versions_in(Folder.MEMORIES):
            if not version.is_delete_marker:
                yield Row(version.object_key, version.version_id)
        return
    for listed in store.objects.listed(Folder.MEMORIES):
        yield Row(listed.object_key)


@audited("manifest")
def erasure_rows(store: MemoryStore) -> Iterator[Row]:
    """Yield every object key of a tenant, including those of deleted files: the key ring first, then all folders.

    Raises:
        BackendError: S3 did not respond or refused.
    """
    last = None
    for version in store.objects.versions_in(*FOLDERS):
        if version.object_key != last:
            last = version.object_key
            yield Row(last)


def batch_line(bucket: str, row: Row, *, with_versions: bool = False) -> str:
    """Return a row of a CSV manifest for S3 Batch Operations: bucket, URL-encoded key and, on request, version.

    Everything but letters, digits and ``-._~/`` is percent-encoded, so that every decoder gets the same key, and no
    comma, quote or newline is left. A plus is kept if its meaning in an inventory is ambiguous.
    """
    encoded = quote(row.object_key, safe="/") if row.encoded_key is None else quote(row.encoded_key, safe="/%+")
    fields = [bucket, encoded, *([row.version_id or ""] if with_versions else [])]
    return ",".join(fields)


def map_line(bucket: str, row: Row) -> str:
    """Return a row of a JSON Lines manifest for a Distributed Map (``InputType`` ``JSONL``).

    Its ``Key`` is not encoded. If an inventory's key is ambiguous, the row has ``EncodedKey`` instead.
    """
    return json.dumps({"Bucket": bucket, **_item(row)})


def _item(row: Row) -> dict[str, str]:
    key = {"Key": row.object_key} if row.encoded_key is None else {"EncodedKey": row.encoded_key}
    return key if row.version_id is None else {**key, "VersionId": row.version_id}


DEFAULT_BATCH_ITEMS = 500
# An item of a Distributed Map has at most 256 KiB, and gets wrapped on its way.
_MAX_BATCH_BYTES = 200_000


def batch_lines(
    bucket: str, prefix: str, rows: Iterable[Row], *, max_items: int = DEFAULT_BATCH_ITEMS
) -> Iterator[str]:
    """Yield rows of a JSON Lines manifest for a Distributed Map, each with a batch of one tenant's objects.

    An invocation gets one row, so it needs only one tenant's session and key ring. Objects that belong to no tenant
    form batches without a tenant, and each is reported as stray.

    Args:
        bucket: the name of the bucket.
        prefix: the prefix of all object keys.
        rows: the objects. Batches are full only if each tenant's objects are adjacent.
        max_items: how many objects a batch has; fewer if their keys are long.
    """

    def tenant_of(row: Row) -> str | None:
        places = [place for key in row.object_keys if (place := place_of(prefix, key)) is not None]
        return places[0].tenant if places else None

    def n_bytes(item: dict[str, str]) -> int:
        return len(json.dumps(item)) + 2

    for tenant, of_tenant in groupby(rows, key=tenant_of):
        for items in batches(map(_item, of_tenant), max_items, n_bytes=n_bytes, max_bytes=_MAX_BATCH_BYTES):
            named = {} if tenant is None else {"tenant": tenant}
            yield json.dumps({"Bucket": bucket, **named, "Items": items})


def inventory_rows(lines: Iterable[str], *, bucket: str) -> Iterator[Row]:
    """Yield the objects in an S3 Inventory in CSV, whose fields begin with the bucket and the URL-encoded key.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html

    Args:
        lines: the lines of its unpacked files. If they are sorted, each tenant's objects are adjacent.
        bucket: the bucket that the inventory lists.

    Raises:
        InvalidInputError: a line names another bucket or is not from an inventory, or a file is still packed.
    """
    number = 0
    try:
        for number, fields in enumerate(csv.reader(lines, strict=True), start=1):
            if len(fields) < 2 or fields[0] != bucket:  # noqa: PLR2004 - bucket and key
                raise InvalidInputError(f"Line {number} is not of an inventory of this bucket in CSV.")
            # AWS documents that keys are URL-encoded, but not whether a plus stands for itself or for a space.
            keys = decoded(fields[1])
            yield Row(keys[0], encoded_key=fields[1] if len(keys) > 1 else None)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"From line {number + 1} on, it can't be read as CSV. S3 packs an inventory's files: use gunzip first."
        ) from error
