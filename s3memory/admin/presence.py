"""Whether anything is stored for a tenant: a name with a typing error in it looks like a tenant without files."""

from __future__ import annotations

from s3memory.errors import NotFoundError
from s3memory.store.memory_store import MemoryStore


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
            f"Error: Nothing is stored for {store.tenant}: s3memory tenants lists of whom something is."
        )


def no_key_ring(store: MemoryStore) -> NotFoundError:
    """Return the error for a tenant without a key ring, whose name may have a typing error in it.

    Args:
        store: whose.
    """
    return NotFoundError(
        f"Error: {store.tenant} has no key ring, which the first file makes: "
        "s3memory tenants lists of whom something is stored."
    )
