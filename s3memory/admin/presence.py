"""Whether anything is stored for a tenant: a name with a typing error in it looks like a tenant without files."""

from __future__ import annotations

from s3memory.errors import AccessDeniedError, NotFoundError
from s3memory.store.memory_store import MemoryStore


def ensure_stored(store: MemoryStore) -> None:
    """Make sure that a tenant has a file, a key ring or an unfinished change: three requests at most.

    Args:
        store: whose.

    Raises:
        NotFoundError: there is none of these. Older versions may be there yet.
        BackendError: S3 did not answer or refused.
    """
    if not is_anything_stored(store):
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


def is_anything_stored(store: MemoryStore) -> bool:
    """Return whether a tenant has a file, a key ring or an unfinished change: three requests at most.

    Args:
        store: whose.

    Raises:
        BackendError: S3 did not answer or refused.
    """
    return (
        _has_any(store, store.layout.memories_prefix)
        or _has_key_ring(store)
        or _has_any(store, store.layout.intents_prefix)
    )


def _has_any(store: MemoryStore, prefix: str) -> bool:
    return bool(store.bucket.list_page(prefix, max_keys=1).objects)


def _has_key_ring(store: MemoryStore) -> bool:
    try:
        return store.bucket.head(store.layout.key_ring) is not None
    except AccessDeniedError:  # what S3 says of a missing object to whoever may not list it
        return False
