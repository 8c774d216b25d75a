"""Makes every run of the package the same: no threads, no pauses, no randomness."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from unittest.mock import patch

from s3memory import _parallel
from s3memory.aws import retry
from s3memory.errors import KeyRingError, UnavailableError
from s3memory.keys import open_key_ring


class InPlaceExecutor:
    """Calls at once, in the caller's thread, so that the order of requests is the same each time."""

    def submit(self, make: Callable[[], None]) -> None:
        """Call at once. A crash propagates."""
        make()


class Keys:
    """A key wrapper that generates the same data keys each time, and can be made unavailable."""

    name = "machine"

    def __init__(self) -> None:
        self.is_down = False
        self._made = 0

    def generate(self, context: dict[str, str], /) -> tuple[bytes, bytes]:
        """Generate a data key and wrap it."""
        self._answer()
        key_bytes = self.random(32)
        return key_bytes, key_bytes + self._tag(key_bytes, context)

    def unwrap(self, wrapped: bytes, context: dict[str, str], /) -> bytes:
        """Unwrap a data key."""
        self._answer()
        if wrapped[32:] != self._tag(wrapped[:32], context):
            raise KeyRingError("The tenant's key ring does not open.")
        return wrapped[:32]

    def random(self, size: int) -> bytes:
        """Return bytes that no earlier call returned, the same in each run."""
        self._made += 1
        return hashlib.shake_256(b"%d" % self._made).digest(size)

    def _answer(self) -> None:
        if self.is_down:
            raise UnavailableError("The key wrapper is out of reach. Nothing was changed. Try again later.")

    @staticmethod
    def _tag(key_bytes: bytes, context: dict[str, str]) -> bytes:
        return hashlib.sha256(key_bytes + json.dumps(context, sort_keys=True).encode()).digest()


@contextmanager
def repeatable(keys: Keys) -> Iterator[None]:
    """Make the package's parallel calls run in place, its pauses take no time, and its random names repeat."""
    with (
        patch.object(_parallel._pool, "_executor", InPlaceExecutor()),
        patch.object(retry, "_FIRST_PAUSE_SECONDS", 0),
        patch.object(open_key_ring, "os", SimpleNamespace(urandom=keys.random)),
    ):
        yield
