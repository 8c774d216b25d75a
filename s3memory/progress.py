"""How far long work has come, for whoever wants to show it."""

from __future__ import annotations

from typing import Protocol


class Watcher(Protocol):
    """Is told of steps of long work as they are done. It must be safe to call from several threads at once."""

    def begins(self, what: str, steps: int | None, /) -> None:
        """Hear what is done next, and in how many steps; `None` where nobody has counted them."""
        ...

    def advances(self, steps: int = 1, /) -> None:
        """Hear that so many more steps are done."""
        ...


class _Nobody:
    def begins(self, what: str, steps: int | None, /) -> None:
        pass

    def advances(self, steps: int = 1, /) -> None:
        pass


NOBODY: Watcher = _Nobody()
"""Watches nothing."""
