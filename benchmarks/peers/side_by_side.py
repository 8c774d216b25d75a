"""Directories by 32 requests at a time, in place of one after another."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

from peers.objects import DELETED_AT_ONCE, THREADS, ObjectFiles


class SideBySide(ObjectFiles):
    """A directory's files are copied side by side and deleted by DeleteObjects; directories are listed side by side."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._pool = ThreadPoolExecutor(THREADS)

    def entries(self, prefix: str, levels: int) -> Iterator[tuple[str, int]]:
        """Yield names below a directory and sizes in bytes, as `ObjectFiles.entries`; 32 directories at a time."""
        level = self.level(prefix)
        while some := list(islice(level, THREADS)):

            def below(name: str) -> list[tuple[str, int]]:
                # One thread each: a pool whose tasks wait for tasks of the same pool can come to a stop.
                return list(ObjectFiles.entries(self, prefix + name, levels - 1)) if name.endswith("/") else []

            for (name, size), inner in zip(some, self._pool.map(below, [name for name, _ in some]), strict=True):
                yield from ((name + inner_name, inner_size) for inner_name, inner_size in inner)
                yield name, size + sum(inner_size for _, inner_size in inner)

    def delete_many(self, keys: list[str]) -> None:
        """Delete objects, by DeleteObjects side by side."""
        batches = [keys[first : first + DELETED_AT_ONCE] for first in range(0, len(keys), DELETED_AT_ONCE)]
        list(self._pool.map(self.delete_batch, batches))

    def move_many(self, old_keys: list[str], new_keys: list[str]) -> None:
        """Copy objects side by side; delete the old ones once all are copied."""
        list(self._pool.map(self.copy, old_keys, new_keys))
        self.delete_many(old_keys)
