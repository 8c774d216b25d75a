"""Remembers which key rings a process has used, to notice when an older one is put back. It holds no keys."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

from s3memory.format.key_ring import KeyRing

_MAX_RINGS = 16_384
# The wrapped keys remembered per tenant. A ring has few generations; each rewrap adds as many again.
_MAX_WRAPS = 64


class SeenRings:
    """The newest generation seen of each ring, and hashes of its wrapped keys. The least recent rings are evicted.

    A ring whose newest generation is lower than the one seen is an older ring that was put back, if one of its wrapped
    keys was seen before. If none was, it belongs to a new tenant with the same name: another process erased the former.
    """

    def __init__(self) -> None:
        # Wrapped keys are kept as hashes of 8 bytes, which nobody outside the process can choose.
        self._seen: OrderedDict[Hashable, tuple[int, dict[int, None]]] = OrderedDict()
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Replace the lock in a forked child, since the parent's may have been held. What was seen stays."""
        self._lock = threading.Lock()

    def note(self, place: Hashable, ring: KeyRing) -> None:
        """Remember a ring that opened and is not an older one, by its place."""
        wraps, generation = _wraps(ring), ring.newest.generation
        with self._lock:
            newest, before = self._seen.pop(place, (0, {}))
            if generation < newest and before.keys().isdisjoint(wraps):
                newest, before = 0, {}  # a new tenant
            wraps = {**before, **wraps}
            # Another thread may have noted a newer ring since this one was found not to be older.
            self._seen[place] = (max(generation, newest), dict.fromkeys(list(wraps)[-_MAX_WRAPS:]))
            if len(self._seen) > _MAX_RINGS:
                self._seen.popitem(last=False)

    def is_older(self, place: Hashable, ring: KeyRing) -> bool:
        """Whether a ring was put back in place of a newer one of the same tenant."""
        with self._lock:
            newest, before = self._seen.get(place, (0, {}))
        return ring.newest.generation < newest and not before.keys().isdisjoint(_wraps(ring))

    def forget(self, place: Hashable) -> None:
        """Forget the ring at this place: it is no longer stored."""
        with self._lock:
            self._seen.pop(place, None)


def _wraps(ring: KeyRing) -> dict[int, None]:
    return dict.fromkeys(hash(key.wrapped) for key in ring.keys)
