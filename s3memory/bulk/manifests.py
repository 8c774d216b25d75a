"""Manifests: lists of the objects of a job, as each engine reads them."""

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
        version_id: which version of it; ``None`` for the current one, or for all.
        encoded_key: its key as an inventory has it, if that may mean two keys, one of which is ``object_key``. The
            function then looks which of them is there.
    """

    object_key: str
    version_id: str | None = None
    encoded_key: str | None = None

    @property
    def object_keys(self) -> tuple[str, ...]:
        """The keys that it may have: one, or two."""
        return (self.object_key,) if self.encoded_key is None else decoded(self.encoded_key)


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
        for version in store.objects.versions_in(Folder.MEMORIES):
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
    for version in store.objects.versions_in(*FOLDERS):
        if version.object_key != last:
            last = version.object_key
            yield Row(last)


def batch_line(bucket: str, row: Row, *, with_versions: bool = False) -> str:
    """Return a row of a CSV manifest for S3 Batch Operations: bucket, URL-encoded key and, where asked, version.

    Everything but letters, digits and ``-._~/`` is percent-encoded, so that every way to decode it gives the same key,
    and no comma, quote or line end is left. A plus is left where an inventory leaves open what it means.
    """
    encoded = quote(row.object_key, safe="/") if row.encoded_key is None else quote(row.encoded_key, safe="/%+")
    fields = [bucket, encoded, *([row.version_id or ""] if with_versions else [])]
    return ",".join(fields)


def map_line(bucket: str, row: Row) -> str:
    """Return a row of a JSON Lines manifest for a Distributed Map (``InputType`` ``JSONL``).

    Its ``Key`` is plain. Where an inventory leaves open which key is meant, it has ``EncodedKey`` in its place.
    """
    return json.dumps({"Bucket": bucket, **_item(row)})


def _item(row: Row) -> dict[str, str]:
    key = {"Key": row.object_key} if row.encoded_key is None else {"EncodedKey": row.encoded_key}
    return key if row.version_id is None else {**key, "VersionId": row.version_id}


DEFAULT_BATCH_ITEMS = 500
# An item of a Distributed Map has at most 256 KiB, and is wrapped on its way.
_MAX_BATCH_BYTES = 200_000


def batch_lines(
    bucket: str, prefix: str, rows: Iterable[Row], *, max_items: int = DEFAULT_BATCH_ITEMS
) -> Iterator[str]:
    """Yield rows of a JSON Lines manifest for a Distributed Map, each a batch of one tenant's objects.

    An invocation gets one row, so it needs one tenant's session and key ring. Objects that are no tenant's make a batch
    without a tenant, in which each is reported as stray.

    Args:
        bucket: the name of the bucket.
        prefix: what all object keys begin with.
        rows: the objects. Those of a tenant make full batches if they come one after the other.
        max_items: how many objects are in a batch. It has fewer where their names are long.
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
    """Yield the objects of an S3 Inventory in CSV, whose fields begin with the bucket and the URL-encoded key.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html

    Args:
        lines: of its files, unpacked. Sorted, each tenant's objects come one after the other.
        bucket: the bucket that it is of.

    Raises:
        InvalidInputError: a line is of another bucket, or is no line of an inventory, or a file is still packed.
    """
    number = 0
    try:
        for number, fields in enumerate(csv.reader(lines, strict=True), start=1):
            if len(fields) < 2 or fields[0] != bucket:  # noqa: PLR2004 - bucket and key
                raise InvalidInputError(f"Line {number} is not of an inventory of this bucket in CSV.")
            # AWS says that keys are URL-encoded, and not whether a plus stands for itself or for a space.
            keys = decoded(fields[1])
            yield Row(keys[0], encoded_key=fields[1] if len(keys) > 1 else None)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"From line {number + 1} on, it can't be read as CSV. S3 packs an inventory's files: use gunzip first."
        ) from error
