"""Works on directories with 32 parallel requests instead of one after another."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

from peers.objects import DELETED_AT_ONCE, THREADS, ObjectFiles


class SideBySide(ObjectFiles):
    """Files as objects, with parallel copies and listings of directories. DeleteObjects deletes moved files too."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._pool = ThreadPoolExecutor(THREADS)

    def entries(self, prefix: str, levels: int) -> Iterator[tuple[str, int]]:
        """Yield a directory's entries like `ObjectFiles.entries`, but list 32 directories at a time."""
        level = self.level(prefix)
        while some := list(islice(level, THREADS)):

            def below(name: str) -> list[tuple[str, int]]:
                # Not recursively through the pool: tasks that wait for tasks of the same pool can deadlock.
                return list(ObjectFiles.entries(self, prefix + name, levels - 1)) if name.endswith("/") else []

            for (name, size), inner in zip(some, self._pool.map(below, [name for name, _ in some]), strict=True):
                yield from ((name + inner_name, inner_size) for inner_name, inner_size in inner)
                yield name, size + sum(inner_size for _, inner_size in inner)

    def delete_many(self, keys: list[str]) -> None:
        """Delete objects with parallel DeleteObjects requests."""
        batches = [keys[first : first + DELETED_AT_ONCE] for first in range(0, len(keys), DELETED_AT_ONCE)]
        list(self._pool.map(self.delete_batch, batches))

    def move_many(self, old_keys: list[str], new_keys: list[str]) -> None:
        """Copy objects in parallel, and delete the old ones once all are copied."""
        list(self._pool.map(self.copy, old_keys, new_keys))
        self.delete_many(old_keys)
