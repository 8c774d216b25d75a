"""Which tenants a bucket holds, by key rings, memories and intents: in bounded memory, however many there are."""

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
    """A tenant of whom something is stored. If nothing is current, there are older versions, or records of them.

    Attributes:
        tenant: its name.
        has_key_ring: whether it has a key ring. Without one, nothing else of it opens.
        has_memories: whether it has any memory object.
        has_intents: whether it has any change under way, or left by a crash.
    """

    tenant: str
    has_key_ring: bool
    has_memories: bool
    has_intents: bool


def tenants_of(
    settings: Settings, *, with_versions: bool = False, stray: Callable[[str], object] = lambda _: None
) -> Iterator[ListedTenant]:
    """Yield what `list_tenants` does, with the process's own credentials: those of no tenant.

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
    """Yield the tenants of a deployment that have anything current (``ListObjectsV2``, in three folders).

    They come in the order of their names with a ``/`` behind them, which is how S3 lists folders.

    Args:
        bucket: the bucket; its client may list it all.
        prefix: what all object keys of the deployment begin with.
        with_versions: also yield tenants of whom only older versions, delete markers or records of redacted versions
            are left: one ``ListObjectVersions`` for 1,000 versions of the whole deployment.
        stray: is called with each object key, or folder, that belongs to no tenant.

    Raises:
        BackendError: S3 did not answer or refused.
    """
    current, kept = partial(_current, bucket), partial(_kept, bucket)
    told = (Folder.KEY_RINGS, Folder.MEMORIES, Folder.INTENTS)
    folders = [_tenants_in(folder, prefix, current, stray, called=folder) for folder in told]
    if with_versions:
        # Only the names: the folders above tell what is current, and what belongs to no tenant.
        folders += [_tenants_in(folder, prefix, kept, lambda _: None, called="") for folder in Folder]
    for name, group in groupby(heapq.merge(*folders), key=lambda entry: entry[0]):
        found = {folder for _, folder in group}
        yield ListedTenant(
            name.removesuffix("/"),
            has_key_ring=Folder.KEY_RINGS in found,
            has_memories=Folder.MEMORIES in found,
            has_intents=Folder.INTENTS in found,
        )


def ensure_stored(store: MemoryStore) -> None:
    """Make sure that a tenant has a file, a key ring or an unfinished change: three requests at most.

    Raises:
        NotFoundError: there is none of these. Older versions may be there yet.
        BackendError: S3 did not answer or refused.
    """
    if not store.objects.is_any():
        raise NotFoundError(
            f'No data for tenant "{store.tenant}". Run `s3memory tenants` to list the tenants that have data.'
        )


def no_key_ring(store: MemoryStore) -> NotFoundError:
    """Return the error for a tenant without a key ring, whose name may have a typing error in it."""
    return NotFoundError(
        f'Tenant "{store.tenant}" has no key ring: the first file creates it. '
        "Run `s3memory tenants` to list the tenants that have data."
    )


def _tenants_in(
    folder: Folder, prefix: str, entries: Callable[[str], Iterator[str]], stray: Callable[[str], object], *, called: str
) -> Iterator[tuple[str, str]]:
    """Yield the tenants of a folder, each of which has a folder in it; a key ring is an object there."""
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

    return ((f"{name}/", called) for name in (_as_folders(names()) if are_objects else names()))


def _current(bucket: Bucket, prefix: str) -> Iterator[str]:
    """Yield the objects and folders of a folder; a folder ends with a ``/``."""
    for page in bucket.list_pages(prefix, delimited=True):
        yield from (listed.object_key for listed in page.objects)
        yield from page.prefixes


def _kept(bucket: Bucket, prefix: str) -> Iterator[str]:
    """Yield the same, where anything of them is kept: versions and delete markers."""

    def entry_of(version: ListedVersion) -> str:
        name, slash, _ = version.object_key.removeprefix(prefix).partition("/")
        return f"{prefix}{name}{slash}"

    return (entry for entry, _ in groupby(bucket.versions.below(prefix), key=entry_of))


def _as_folders(names: Iterator[str]) -> Iterator[str]:
    """Bring sorted names into the order that they have with a ``/`` behind them.

    ``a`` comes before ``a-b``, but ``a-b/`` before ``a/``. So a name waits for those that begin with it.
    """
    waiting: list[str] = []
    for name in names:
        while waiting and not (name.startswith(waiting[-1]) and name[len(waiting[-1])] < "/"):
            yield waiting.pop()
        waiting.append(name)
    yield from reversed(waiting)
