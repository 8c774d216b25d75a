"""The memory's commands, noted for the log: how each ended, and that the store can't be used."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from conversation import DIRECTORY

from s3memory import MemoryCommands, MemoryPath, MemoryStore, S3MemoryError
from s3memory.errors import AccessDeniedError, ConfigurationError, KeyRingError, NotFoundError, UnavailableError

_COMMANDS: Final = frozenset({"view", "create", "str_replace", "insert", "delete", "rename"})
_PATHS: Final = ("path", "old_path", "new_path")


class NotedCommands(MemoryCommands):
    """The memory commands, which also note what was asked for, how it ended, and how long it took.

    The model reads what went wrong and goes on, which is right for a missing file, and wrong for a store that can't be
    used: that is kept in `failure`, for the request to be answered with, and nothing more is tried.
    """

    def __init__(self, store: MemoryStore, *, overwrite: bool = False) -> None:
        super().__init__(store, overwrite=overwrite)
        self.counts: Counter[str] = Counter()
        self.seconds = 0.0
        self.failure: S3MemoryError | None = None

    def call(self, tool_input: object) -> str:
        """Carry out a tool input."""
        command = tool_input.get("command") if isinstance(tool_input, Mapping) else None
        known = command if isinstance(command, str) and command in _COMMANDS else "unknown"  # it may be content
        outcome, began = "ok", time.monotonic()
        try:
            self._refuse_after_failure()
            _refuse_own_files(tool_input)
            return super().call(tool_input)
        except (UnavailableError, AccessDeniedError, KeyRingError, ConfigurationError) as error:
            outcome = type(error).__name__ if self.failure is None else "not_tried"
            self.failure = self.failure or error
            raise
        except Exception as error:
            outcome = type(error).__name__
            raise
        finally:
            self.counts[f"{known}:{outcome}"] += 1
            self.seconds += time.monotonic() - began

    def _refuse_after_failure(self) -> None:
        if self.failure is not None:
            raise self.failure


def _refuse_own_files(tool_input: object) -> None:
    """Keep Claude from what this program keeps beside the memory."""
    given = tool_input if isinstance(tool_input, Mapping) else {}
    for name in _PATHS:
        with suppress(S3MemoryError):  # what is no path is refused where it is carried out
            path = MemoryPath.parse(given.get(name))
            if path.segments[:1] == (DIRECTORY,):
                break
    else:
        return
    raise NotFoundError(f"The path {path} does not exist. Please provide a valid path.", is_bare=True)
