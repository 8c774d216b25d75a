"""The afternoon version with cached data keys: one for all writes, and each key that it has used for reading."""

from __future__ import annotations

import os
import threading
from functools import lru_cache
from typing import Any, Final

from peers.afternoon import AfternoonFiles
from peers.objects import client
from peers.texts import PeerTool

_KEPT: Final = 1_000


class CachedKeyFiles(AfternoonFiles):
    """Encrypted files that call KMS once for the key to write with, and once for each key to read with."""

    def __init__(self, bucket: str, s3: Any, kms: Any) -> None:
        super().__init__(bucket, s3, kms)
        self._lock = threading.Lock()
        self._own: tuple[bytes, bytes] | None = None
        self._others = lru_cache(_KEPT)(super().unwrapped)

    def data_key(self) -> tuple[bytes, bytes]:
        """Return this process's data key, wrapped and plain."""
        with self._lock:
            if self._own is None:
                self._own = super().data_key()
            return self._own

    def unwrapped(self, wrapped: bytes) -> bytes:
        """Return a data key, decrypted by KMS unless it is cached."""
        own = self._own
        return own[1] if own is not None and own[0] == wrapped else self._others(wrapped)


def make() -> PeerTool:
    """Return the tool."""
    return PeerTool(CachedKeyFiles(os.environ["BENCH_BUCKET"], client("s3"), client("kms")))
