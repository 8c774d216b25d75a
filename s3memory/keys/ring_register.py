"""A register of key rings outside the bucket. With it, every process notices when an older ring is put back.

`SeenRings` remembers the rings that one process has used. A register remembers those of all processes, out of reach of
anyone who can only write to the bucket. It identifies rings by the generation and a fingerprint of their newest key.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from s3memory.errors import UnavailableError
from s3memory.keys.open_key_ring import OpenKeyRing

_FINGERPRINT_BYTES = 16
_FINGERPRINT_PURPOSE = b"s3memory/v1/ring-register\0"
# An attempt fails only if another process has recorded something in between.
_MAX_ATTEMPTS = 8


class RingRecord(NamedTuple):
    """The register's record of one tenant's key rings.

    Attributes:
        revision: how often the record was written, from 1.
        newest: the newest generation that the tenant's ring has had; 0 after the tenant was erased.
        fingerprint: the fingerprint of that generation's data key; empty after the tenant was erased.
        before: the fingerprints of all earlier newest data keys, including those of erased rings.
    """

    revision: int
    newest: int
    fingerprint: bytes
    before: frozenset[bytes]


class RingRegister(Protocol):
    """Keeps one record per tenant. Two registers are equal if they keep the same records with the same credentials.

    Both methods raise `BackendError` if the register can't be reached: a key ring that can't be checked is not used.
    """

    def read(self, tenant: str, /) -> RingRecord | None:
        """Return the newest record of a tenant, never a stale one; ``None`` if there is none."""

    def write(self, tenant: str, record: RingRecord, /) -> bool:
        """Store a record if the stored one has the previous revision, or, for revision 1, if there is none.

        Returns:
            Whether it was stored; ``False`` if there is another revision by now.
        """


def fingerprint(ring: OpenKeyRing) -> bytes:
    """Return 16 bytes that identify a ring's newest data key and reveal nothing about it."""
    import hmac  # not loaded without a register: it brings its own libcrypto

    purpose = _FINGERPRINT_PURPOSE + ring.ring.tenant.encode("ascii")
    return hmac.digest(ring.newest.key_bytes, purpose, "sha256")[:_FINGERPRINT_BYTES]


class TenantRegister(NamedTuple):
    """One tenant's entry in a register. Without a register, every ring is admitted and nothing is recorded.

    Each method raises `BackendError` if the register could not be reached.

    Attributes:
        rings: the register of all tenants, if there is one.
        may_record: whether newer rings are recorded. A read-only store records none.
    """

    rings: RingRegister | None
    tenant: str
    may_record: bool = True

    def admits(self, ring: OpenKeyRing) -> bool:
        """Whether a ring is the newest that the tenant has had: one read, and a write to record a newer one.

        Args:
            ring: the ring as it was read. If the answer is no, a newer ring may have replaced it in the meantime: read
                it again before refusing it.
        """
        if self.rings is None:
            return True
        generation, own = ring.newest.generation, fingerprint(ring)
        for _ in range(_MAX_ATTEMPTS):
            record = self.rings.read(self.tenant)
            if record is None:
                newer = RingRecord(1, generation, own, frozenset())
            elif generation == record.newest:
                import hmac

                return hmac.compare_digest(own, record.fingerprint)
            elif generation < record.newest or own in record.before:
                return False
            else:
                newer = RingRecord(record.revision + 1, generation, own, _all_fingerprints(record))
            if not self.may_record or self.rings.write(self.tenant, newer):
                return True
        raise UnavailableError("The memory store is not available right now. Nothing was changed. Try again later.")

    def has_ring(self) -> bool:
        """Whether, according to the register, the tenant has a key ring and was not erased."""
        record = self.recorded()
        return record is not None and record.newest > 0

    def recorded(self) -> RingRecord | None:
        """Return the tenant's record, or raise `ConfigurationError` if what is stored is not a register's record."""
        return None if self.rings is None else self.rings.read(self.tenant)

    def record_erasure(self, known: RingRecord | None) -> bool:
        """Record an erasure: the tenant's next ring may start at generation 1, and no former ring is admitted any more.

        Args:
            known: the record as it was before the ring was found to be gone. A later record is of another ring.

        Returns:
            Whether the erasure is recorded; ``False`` if another ring was recorded since.
        """
        if self.rings is None or known is None or not known.newest:
            return self.recorded() == known
        erased = RingRecord(known.revision + 1, 0, b"", _all_fingerprints(known))
        # If the response to a first attempt was lost, the second attempt is refused, and the record is there.
        return self.rings.write(self.tenant, erased) or self.recorded() == erased


def _all_fingerprints(record: RingRecord) -> frozenset[bytes]:
    return record.before | ({record.fingerprint} if record.fingerprint else frozenset())
