"""Which tenants a bucket holds: from key rings, memories and intents, in bounded memory however many there are."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from s3memory.aws import clients
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


def shared_bucket(settings: Settings) -> Bucket:
    """Return the bucket of the settings, reached with the process's own credentials: those of no tenant.

    Raises:
        ConfigurationError: a setting is missing, or no client can be made.
    """
    client = settings.clients().s3_client(
        endpoint_url=settings.get("ENDPOINT_URL"), checksums=settings.get("CHECKSUMS", clients.DEFAULT_CHECKSUMS)
    )
    return Bucket(
        client,
        settings.require("BUCKET"),
        retry=RetryPolicy(max_tries=settings.limits().max_tries),
        owner=settings.get("BUCKET_OWNER"),
    )


def list_tenants(
    bucket: Bucket, prefix: str, *, stray: Callable[[str], object] = lambda _: None
) -> Iterator[ListedTenant]:
    """Yield the tenants of a deployment (one ``ListObjectsV2`` for 1,000 in each of three folders).

    They come in the order of their names with a ``/`` behind them, which is how S3 lists folders.

    Args:
        bucket: the bucket; its client may list it all.
        prefix: what all object keys of the deployment begin with.
        stray: is called with each object key, or folder, that is no tenant's.

    Raises:
        BackendError: S3 did not answer or refused.
    """
    folders = [
        _named(Folder.KEY_RINGS, _as_folders(_objects(bucket, Folder.KEY_RINGS.below(prefix), stray))),
        _named(Folder.MEMORIES, _folders(bucket, Folder.MEMORIES.below(prefix), stray)),
        _named(Folder.INTENTS, _folders(bucket, Folder.INTENTS.below(prefix), stray)),
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
            f'Error: No data for tenant "{store.tenant}". Run `s3memory tenants` to list the tenants that have data.'
        )


def no_key_ring(store: MemoryStore) -> NotFoundError:
    """Return the error for a tenant without a key ring, whose name may have a typing error in it.

    Args:
        store: whose.
    """
    return NotFoundError(
        f'Error: Tenant "{store.tenant}" has no key ring: the first file creates it. '
        "Run `s3memory tenants` to list the tenants that have data."
    )


def _named(folder: str, names: Iterator[str]) -> Iterator[tuple[str, str]]:
    return ((f"{name}/", folder) for name in names)


def _objects(bucket: Bucket, prefix: str, stray: Callable[[str], object]) -> Iterator[str]:
    for page in bucket.list_pages(prefix, delimited=True):
        for folder in page.prefixes:
            stray(folder)
        yield from _tenants_of([listed.object_key for listed in page.objects], prefix, "", stray)


def _folders(bucket: Bucket, prefix: str, stray: Callable[[str], object]) -> Iterator[str]:
    for page in bucket.list_pages(prefix, delimited=True):
        for listed in page.objects:
            stray(listed.object_key)
        yield from _tenants_of(page.prefixes, prefix, "/", stray)


def _tenants_of(
    object_keys: list[str] | tuple[str, ...], prefix: str, ending: str, stray: Callable[[str], object]
) -> Iterator[str]:
    for object_key in object_keys:
        try:
            yield check_tenant(object_key.removeprefix(prefix).removesuffix(ending))
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
