"""Which key rings a process has used, so that it notices an older one that is put back. It holds no key."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

from s3memory.format.key_ring import KeyRing

_MAX_RINGS = 16_384
# Of one tenant's wraps. A ring has few generations; a rewrap makes as many anew.
_MAX_WRAPS = 64


class SeenRings:
    """The newest generation seen of each ring, and its data keys' wraps. The least recent rings leave.

    A ring with a lower newest generation is an older one put back, if one of its wraps was seen before. If none was, it
    belongs to a new tenant of the same name: another process has erased the former one.
    """

    def __init__(self) -> None:
        # The wraps by their hashes, which nobody outside the process can choose: 8 bytes each.
        self._seen: OrderedDict[Hashable, tuple[int, dict[int, None]]] = OrderedDict()
        self.begin_anew()

    def begin_anew(self) -> None:
        """Make the lock anew, for a forked child, where the parent's may have been held. What was seen stays."""
        self._lock = threading.Lock()

    def note(self, place: Hashable, ring: KeyRing) -> None:
        """Remember a ring that opened and is no older one, by where it is stored."""
        wraps = _wraps(ring)
        with self._lock:
            newest, before = self._seen.pop(place, (0, {}))
            if ring.newest.generation < newest:
                before = {}  # a new tenant
            wraps = {**before, **wraps}
            self._seen[place] = (ring.newest.generation, dict.fromkeys(list(wraps)[-_MAX_WRAPS:]))
            if len(self._seen) > _MAX_RINGS:
                self._seen.popitem(last=False)

    def is_older(self, place: Hashable, ring: KeyRing) -> bool:
        """Whether a ring was put back in place of a newer one of the same tenant."""
        with self._lock:
            newest, before = self._seen.get(place, (0, {}))
        return ring.newest.generation < newest and not before.keys().isdisjoint(_wraps(ring))

    def forget(self, place: Hashable) -> None:
        """Forget what was seen: nothing is stored there any more."""
        with self._lock:
            self._seen.pop(place, None)


def _wraps(ring: KeyRing) -> dict[int, None]:
    return dict.fromkeys(hash(key.wrapped) for key in ring.keys)
