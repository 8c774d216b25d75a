"""Key rings as stored documents: a tenant's wrapped data keys and the ring's own metadata, authenticated.

Pure: bytes in, bytes out. ``docs/format.md`` specifies the document. The ring's seal, which only the newest data key
opens, is bound to everything in it, and wrapped keys are bound to tenant, generation and name mode. So a ring does not
open if anything in it was edited.
"""

from __future__ import annotations

import base64
import itertools
import json
from typing import NamedTuple

from s3memory.errors import KeyRingError
from s3memory.format.envelope import KEY_RING_PURPOSE, MAX_GENERATION, Place
from s3memory.format.names import NAME_MODES

FORMAT = "s3memory/keyring/1"

MALFORMED = "The tenant's key ring is malformed or was altered."
"""The error text for a ring that is not a well-formed document, or whose seal does not open."""


class WrappedKey(NamedTuple):
    """One generation of a ring: its number and its data key, wrapped."""

    generation: int
    wrapped: bytes


class KeyRing(NamedTuple):
    """A ring as it is stored. It holds no secret in clear.

    Attributes:
        name_mode: ``plain`` or ``encrypted``, fixed when the ring is made.
        wrapper: the name of the `KeyWrapper` that wrapped the data keys.
        keys: the generations, oldest first.
        seal: the name key (empty in plain mode), sealed under the newest data key and bound to the rest of the ring.
        archived: whether the tenant is archived: its files can be read but not changed.
    """

    tenant: str
    name_mode: str
    wrapper: str
    keys: tuple[WrappedKey, ...]
    seal: bytes = b""
    archived: bool = False

    @property
    def newest(self) -> WrappedKey:
        """The generation that writes use."""
        return self.keys[-1]

    @property
    def oldest(self) -> WrappedKey:
        """The generation that intent ids and tags are derived from: it stays the same when the ring is rotated."""
        return self.keys[0]

    def to_bytes(self) -> bytes:
        """Return the canonical JSON document."""
        return _canonical({**self._body(), "seal": _to_base64(self.seal)})

    @classmethod
    def from_bytes(cls, document: bytes, *, tenant: str) -> KeyRing:
        """Parse a stored ring of `tenant`. Only `OpenKeyRing` authenticates its content.

        Raises:
            KeyRingError: it is not a canonical key ring document, or is another tenant's.
        """
        try:
            fields = json.loads(document)
            ring = cls(
                tenant=fields["tenant"],
                name_mode=fields["name_mode"],
                wrapper=fields["wrapper"],
                keys=tuple(
                    WrappedKey(key["generation"], base64.b64decode(key["wrapped"], validate=True))
                    for key in fields["keys"]
                ),
                archived=fields.get("archived", False),
                seal=base64.b64decode(fields["seal"], validate=True),
            )
            # Each ring has exactly one valid document: other spaces, orders, unknown or duplicate fields are refused.
            well_formed = (
                ring.to_bytes() == document
                and ring.tenant == tenant
                and ring.name_mode in NAME_MODES
                and _ascending([key.generation for key in ring.keys])
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            well_formed = False
            ring = None
        if ring is None or not well_formed:
            raise KeyRingError(MALFORMED)
        return ring

    def wrap_context(self, generation: int) -> dict[str, str]:
        """Return the encryption context for wrapping a generation. CloudTrail shows it in clear, so it has no paths."""
        return {
            "s3memory:tenant": self.tenant,
            "s3memory:purpose": "data-key",
            "s3memory:generation": str(generation),
            "s3memory:name-mode": self.name_mode,
        }

    def place(self) -> Place:
        """Return the place that the ring's seal is bound to: everything else in the document."""
        return Place(KEY_RING_PURPOSE, self.tenant, _canonical(self._body()).decode("ascii"))

    def _body(self) -> dict[str, object]:
        return {
            "format": FORMAT,
            "tenant": self.tenant,
            "name_mode": self.name_mode,
            "wrapper": self.wrapper,
            "keys": [{"generation": key.generation, "wrapped": _to_base64(key.wrapped)} for key in self.keys],
            # Left out if false, so that the rings of tenants that were never archived stay byte for byte the same.
            **({"archived": True} if self.archived else {}),
        }


def _ascending(generations: list[int]) -> bool:
    return (
        bool(generations)
        and all(type(number) is int and 1 <= number <= MAX_GENERATION for number in generations)
        and all(lower < higher for lower, higher in itertools.pairwise(generations))
    )


def _canonical(document: dict[str, object]) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
