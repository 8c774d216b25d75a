"""Which tenants a bucket holds: from key rings, memories and intents, in bounded memory however many there are."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from s3memory.aws.retry import RetryPolicy
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError, NotFoundError
from s3memory.format.object_keys import Folder
from s3memory.paths import check_tenant
from s3memory.s3.bucket import Bucket
from s3memory.store.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class ListedTenant:
    """A tenant of whom something is stored.

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


def tenants_of(settings: Settings, *, stray: Callable[[str], object] = lambda _: None) -> Iterator[ListedTenant]:
    """Yield what `list_tenants` does, with the process's own credentials: those of no tenant.

    Raises:
        ConfigurationError: a setting is missing, or no client can be made.
    """
    bucket = Bucket(
        settings.s3_client(settings.clients()),
        settings.require("BUCKET"),
        retry=RetryPolicy(max_tries=settings.limits().max_tries),
        owner=settings.get("BUCKET_OWNER"),
    )
    return list_tenants(bucket, settings.get("PREFIX", ""), stray=stray)


def list_tenants(
    bucket: Bucket, prefix: str, *, stray: Callable[[str], object] = lambda _: None
) -> Iterator[ListedTenant]:
    """Yield the tenants of a deployment (one ``ListObjectsV2`` for 1,000 in each of three folders).

    They come in the order of their names with a ``/`` behind them, which is how S3 lists folders.

    Args:
        bucket: the bucket; its client may list it all.
        prefix: what all object keys of the deployment begin with.
        stray: is called with each object key, or folder, that belongs to no tenant.

    Raises:
        BackendError: S3 did not answer or refused.
    """
    folders = [
        _tenants_in(bucket, folder, prefix, stray) for folder in (Folder.KEY_RINGS, Folder.MEMORIES, Folder.INTENTS)
    ]
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

    Args:
        store: whose.

    Raises:
        NotFoundError: there is none of these. Older versions may be there yet.
        BackendError: S3 did not answer or refused.
    """
    if not store.objects.is_any():
        raise NotFoundError(
            f'No data for tenant "{store.tenant}". Run `s3memory tenants` to list the tenants that have data.'
        )


def no_key_ring(store: MemoryStore) -> NotFoundError:
    """Return the error for a tenant without a key ring, whose name may have a typing error in it.

    Args:
        store: whose.
    """
    return NotFoundError(
        f'Tenant "{store.tenant}" has no key ring: the first file creates it. '
        "Run `s3memory tenants` to list the tenants that have data."
    )


def _tenants_in(
    bucket: Bucket, folder: Folder, prefix: str, stray: Callable[[str], object]
) -> Iterator[tuple[str, Folder]]:
    """Yield the tenants of a folder, each of which has a folder in it; a key ring is an object there."""
    names = _names(bucket, folder.below(prefix), are_objects=folder is Folder.KEY_RINGS, stray=stray)
    return ((f"{name}/", folder) for name in (_as_folders(names) if folder is Folder.KEY_RINGS else names))


def _names(bucket: Bucket, prefix: str, *, are_objects: bool, stray: Callable[[str], object]) -> Iterator[str]:
    for page in bucket.list_pages(prefix, delimited=True):
        objects = [listed.object_key for listed in page.objects]
        theirs, others = (objects, page.prefixes) if are_objects else (page.prefixes, objects)
        for other in others:
            stray(other)
        for object_key in theirs:
            try:
                yield check_tenant(object_key.removeprefix(prefix).removesuffix("" if are_objects else "/"))
            except ConfigurationError:
                stray(object_key)


def _as_folders(names: Iterator[str]) -> Iterator[str]:
    """Bring names from their own order into that of the same names with a ``/`` behind them.

    ``a`` comes before ``a-b``, but ``a-b/`` before ``a/``: a name waits for those that begin with it.
    """
    waiting: list[str] = []
    for name in names:
        while waiting and not (name.startswith(waiting[-1]) and name[len(waiting[-1])] < "/"):
            yield waiting.pop()
        waiting.append(name)
    yield from reversed(waiting)
