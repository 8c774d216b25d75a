"""Lists the tenants of a bucket by their key rings, memories and intents, in bounded memory."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from s3memory.aws.retry import RetryPolicy
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError, NotFoundError
from s3memory.format.object_keys import Folder
from s3memory.paths import check_tenant
from s3memory.s3.bucket import Bucket
from s3memory.s3.versions import ListedVersion
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class ListedTenant:
    """A tenant that has data. If all three flags are false, only older versions or tombstones are left.

    Attributes:
        tenant: its name.
        has_key_ring: whether it has a key ring. Without one, its other objects can't be opened.
        has_memories: whether it has any memory object.
        has_intents: whether it has an intent: of a change under way, or left by a crash.
    """

    tenant: str
    has_key_ring: bool
    has_memories: bool
    has_intents: bool


def tenants_of(
    settings: Settings, *, with_versions: bool = False, stray: Callable[[str], object] = lambda _: None
) -> Iterator[ListedTenant]:
    """Yield as `list_tenants`, with the process's own credentials instead of a tenant's.

    Raises:
        ConfigurationError: a setting is missing, or no client can be made.
    """
    bucket = Bucket(
        settings.s3_client(settings.clients()),
        settings.bucket,
        retry=RetryPolicy(max_tries=settings.limits().max_tries),
        owner=settings.get("BUCKET_OWNER"),
    )
    return list_tenants(bucket, settings.get("PREFIX", ""), with_versions=with_versions, stray=stray)


def list_tenants(
    bucket: Bucket, prefix: str, *, with_versions: bool = False, stray: Callable[[str], object] = lambda _: None
) -> Iterator[ListedTenant]:
    """Yield the tenants of a deployment that have any current data (``ListObjectsV2``, in three folders).

    They are in the order in which S3 lists folders: that of their names with a ``/`` appended.

    Args:
        bucket: the bucket; its client needs permission to list all of it.
        prefix: the prefix of all object keys of the deployment.
        with_versions: also yield tenants of which only older versions, delete markers or records of redacted versions
            are left: one ``ListObjectVersions`` per 1,000 versions of the whole deployment.
        stray: called with each object key or folder that belongs to no tenant.

    Raises:
        BackendError: S3 did not answer or refused.
    """
    current, kept = partial(_current, bucket), partial(_kept, bucket)
    folders = [
        _tenants_in(folder, prefix, current, stray, label=folder)
        for folder in (Folder.KEY_RINGS, Folder.MEMORIES, Folder.INTENTS)
    ]
    if with_versions:
        # These add names only: the folders above show what is current, and report stray objects.
        folders += [_tenants_in(folder, prefix, kept, lambda _: None, label="") for folder in Folder]
    for name, group in groupby(heapq.merge(*folders), key=lambda entry: entry[0]):
        found = {folder for _, folder in group}
        yield ListedTenant(
            name.removesuffix("/"),
            has_key_ring=Folder.KEY_RINGS in found,
            has_memories=Folder.MEMORIES in found,
            has_intents=Folder.INTENTS in found,
        )


def ensure_has_data(store: MemoryStore) -> None:
    """Make sure that a tenant has a file, a key ring or an intent: three requests at most.

    Raises:
        NotFoundError: it has none of these. There may still be older versions.
        BackendError: S3 did not answer or refused.
    """
    if not store.objects.is_any():
        raise NotFoundError(
            f'No data for tenant "{store.tenant}". Run `s3memory tenants` to list the tenants that have data.'
        )


def no_key_ring_error(store: MemoryStore) -> NotFoundError:
    """Return the error for a tenant without a key ring. Its name may be a typo."""
    return NotFoundError(
        f'Tenant "{store.tenant}" has no key ring: the first file creates it. '
        "Run `s3memory tenants` to list the tenants that have data."
    )


def _tenants_in(
    folder: Folder, prefix: str, entries: Callable[[str], Iterator[str]], stray: Callable[[str], object], *, label: str
) -> Iterator[tuple[str, str]]:
    """Yield the tenants of a folder as ``name/``, each with `label`.

    A tenant has a subfolder there, or an object in the folder of key rings.
    """
    are_objects = folder is Folder.KEY_RINGS
    below = folder.below(prefix)

    def names() -> Iterator[str]:
        for entry in entries(below):
            try:
                if entry.endswith("/") is are_objects:
                    stray(entry)
                else:
                    yield check_tenant(entry.removeprefix(below).removesuffix("/"))
            except ConfigurationError:
                stray(entry)

    return ((f"{name}/", label) for name in (_as_folders(names()) if are_objects else names()))


def _current(bucket: Bucket, prefix: str) -> Iterator[str]:
    """Yield the current objects and subfolders of a folder. A subfolder ends with ``/``."""
    for page in bucket.list_pages(prefix, delimited=True):
        yield from (listed.object_key for listed in page.objects)
        yield from page.prefixes


def _kept(bucket: Bucket, prefix: str) -> Iterator[str]:
    """Yield the objects and subfolders of a folder of which any version or delete marker is kept."""

    def entry_of(version: ListedVersion) -> str:
        name, slash, _ = version.object_key.removeprefix(prefix).partition("/")
        return f"{prefix}{name}{slash}"

    return (entry for entry, _ in groupby(bucket.versions.below(prefix), key=entry_of))


def _as_folders(names: Iterator[str]) -> Iterator[str]:
    """Reorder sorted names as if a ``/`` were appended to each.

    ``a`` comes before ``a-b``, but ``a-b/`` before ``a/``. So a name waits for those that begin with it.
    """
    waiting: list[str] = []
    for name in names:
        while waiting and not (name.startswith(waiting[-1]) and name[len(waiting[-1])] < "/"):
            yield waiting.pop()
        waiting.append(name)
    yield from reversed(waiting)
