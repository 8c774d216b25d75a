"""A register of key rings outside the bucket, by which every process notices an older ring that is put back.

`SeenRings` remembers what one process has used. A register remembers for all processes, out of reach of anyone who can
write to the bucket. It knows rings by the generation of their newest data key, and by a fingerprint of that key.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from s3memory.errors import UnavailableError
from s3memory.keys.open_key_ring import OpenKeyRing

_FINGERPRINT_BYTES = 16
_FINGERPRINT_PURPOSE = b"s3memory/v1/ring-register\0"
# Each try that fails means that another process has recorded something.
_MAX_TRIES = 8


class RingRecord(NamedTuple):
    """What is known of one tenant's key rings.

    Attributes:
        revision: how often it was written, from 1.
        newest: the newest generation that the tenant's ring has had; 0 once the tenant was erased.
        fingerprint: of that generation's data key; empty once the tenant was erased.
        before: the fingerprints of all data keys that were the newest before, those of erased rings included.
    """

    revision: int
    newest: int
    fingerprint: bytes
    before: frozenset[bytes]


class RingRegister(Protocol):
    """Keeps one record for each tenant. Two are equal where they keep the same records with the same credentials.

    Both methods raise `BackendError` where the register can't be reached: a key ring that can't be checked is not used.
    """

    def read(self, tenant: str, /) -> RingRecord | None:
        """Return the newest record of a tenant, never a stale one; ``None`` if there is none."""

    def write(self, tenant: str, record: RingRecord, /) -> bool:
        """Store a record over the one of the revision before, or where there is none if it is the first.

        Returns:
            Whether it was stored: not if there is another revision by now.
        """


def fingerprint(ring: OpenKeyRing) -> bytes:
    """Return 16 bytes that tell a ring's newest data key from all others, and give nothing of the key away."""
    import hmac  # not loaded where there is no register: it brings a libcrypto of its own

    purpose = _FINGERPRINT_PURPOSE + ring.ring.tenant.encode("ascii")
    return hmac.digest(ring.newest.key_bytes, purpose, "sha256")[:_FINGERPRINT_BYTES]


class TenantRegister(NamedTuple):
    """What a register knows of one tenant. Without a register, each ring is admitted and nothing is recorded.

    Each method raises `BackendError` where the register could not be reached.

    Attributes:
        rings: the register of all tenants, if there is one.
        may_record: whether newer rings are recorded. A read-only store records none.
    """

    rings: RingRegister | None
    tenant: str
    may_record: bool = True

    def admits(self, ring: OpenKeyRing) -> bool:
        """Whether a ring is the newest that the tenant has had: one read, and a write to record one that is newer.

        Args:
            ring: the ring as it was stored when it was read. Where the answer is no, a newer one may have taken its
                place since: read it again before saying so.
        """
        if self.rings is None:
            return True
        generation, own = ring.newest.generation, fingerprint(ring)
        for _ in range(_MAX_TRIES):
            record = self.rings.read(self.tenant)
            if record is None:
                newer = RingRecord(1, generation, own, frozenset())
            elif generation == record.newest:
                import hmac

                return hmac.compare_digest(own, record.fingerprint)
            elif generation < record.newest or own in record.before:
                return False
            else:
                newer = RingRecord(record.revision + 1, generation, own, _all_of(record))
            if not self.may_record or self.rings.write(self.tenant, newer):
                return True
        raise UnavailableError("The memory store is not available right now. Nothing was changed. Try again later.")

    def has_ring(self) -> bool:
        """Whether the tenant has a key ring, as far as the register knows, and was not erased."""
        record = self.recorded()
        return record is not None and record.newest > 0

    def recorded(self) -> RingRecord | None:
        """Return what is recorded of the tenant's rings, or raise `ConfigurationError` if that is no register's."""
        return None if self.rings is None else self.rings.read(self.tenant)

    def record_erasure(self, known: RingRecord | None) -> bool:
        """Let the tenant's name begin at generation 1 again. None of the rings that it has had is admitted any more.

        Args:
            known: what was recorded before the ring was found gone. A later record is of another ring.

        Returns:
            Whether that is so: not if another ring was recorded since.
        """
        if self.rings is None or known is None or not known.newest:
            return self.recorded() == known
        erased = RingRecord(known.revision + 1, 0, b"", _all_of(known))
        # Where the answer to the first try was lost, the second is refused and the record is there.
        return self.rings.write(self.tenant, erased) or self.recorded() == erased


def _all_of(record: RingRecord) -> frozenset[bytes]:
    return record.before | ({record.fingerprint} if record.fingerprint else frozenset())
