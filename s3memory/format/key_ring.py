"""Key rings: a tenant's data keys, wrapped, and what the ring says about itself, authenticated.

Pure: bytes in, bytes out. The document is specified in ``docs/format.md``. Everything in it is bound by the
ring's seal, which only the newest data key opens, and the wraps are bound to tenant, generation and name mode, so a
ring in which anything was edited does not open.
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
"""What is said of a ring that is no well-formed document, or whose seal does not open."""


class WrappedKey(NamedTuple):
    """One generation of a ring: its number and its wrapped data key."""

    generation: int
    wrapped: bytes


class KeyRing(NamedTuple):
    """A ring as it is stored. It holds no secret in clear.

    Attributes:
        name_mode: ``plain`` or ``encrypted``, fixed when the ring is made.
        wrapper: the name of the `KeyWrapper` that wrapped the data keys.
        keys: the generations, oldest first.
        seal: the name key (empty in plain mode) sealed under the newest data key, with all of the above as its place.
        archived: the tenant's files can be read, and not be changed.
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
        """The generation that names intents and tags: it stays the same when the ring is rotated."""
        return self.keys[0]

    def to_bytes(self) -> bytes:
        """Return the canonical JSON document."""
        return _canonical({**self._body(), "seal": _to_base64(self.seal)})

    @classmethod
    def from_bytes(cls, document: bytes, *, tenant: str) -> KeyRing:
        """Parse a stored ring of `tenant`. What it says is authenticated only by `OpenKeyRing`.

        Raises:
            KeyRingError: not a canonical key ring document, or another tenant's.
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
            # One document for one ring: spaces, order, unknown or doubled fields make it another.
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
        """Return the encryption context of a generation's wrap. It shows in CloudTrail in clear: no path is in it."""
        return {
            "s3memory:tenant": self.tenant,
            "s3memory:purpose": "data-key",
            "s3memory:generation": str(generation),
            "s3memory:name-mode": self.name_mode,
        }

    def place(self) -> Place:
        """Return what the ring's seal is bound to: everything else in the document."""
        return Place(KEY_RING_PURPOSE, self.tenant, _canonical(self._body()).decode("ascii"))

    def _body(self) -> dict[str, object]:
        return {
            "format": FORMAT,
            "tenant": self.tenant,
            "name_mode": self.name_mode,
            "wrapper": self.wrapper,
            "keys": [{"generation": key.generation, "wrapped": _to_base64(key.wrapped)} for key in self.keys],
            # Left out where it is not so: a ring of a tenant that was never archived is what it always was.
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
