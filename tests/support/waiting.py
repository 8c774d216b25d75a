"""Threads that wait for a load of a key cache, and are known to wait before the load continues."""

from __future__ import annotations

import threading
from typing import Any

from s3memory.keys.key_cache import KeyCache


class Waiting:
    """A cache, with a load that continues once the expected number of threads wait for it.

    Args:
        number: the expected number of threads.

    Attributes:
        cache: the cache.
        is_begun: the load has started: threads that wait from now on are counted.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self.cache = KeyCache(new_lock=self._new_lock)
        self.is_begun = threading.Event()
        self._is_tried = threading.Semaphore(0)

    def until_others_wait(self) -> None:
        """Called by the load."""
        self.is_begun.set()
        for _ in range(self._number):
            assert self._is_tried.acquire(timeout=60)

    def _new_lock(self) -> Any:
        lock, is_begun, is_tried = threading.Lock(), self.is_begun, self._is_tried

        class Noting:
            release = lock.release

            def acquire(self, *, timeout: float | None = None) -> bool:
                if timeout is None:
                    return lock.acquire()
                if is_begun.is_set():
                    is_tried.release()
                return lock.acquire(timeout=timeout)

        return Noting()
