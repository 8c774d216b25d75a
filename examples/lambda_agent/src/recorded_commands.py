"""The memory commands, with a record for the log: the outcome of each command, and whether the memory is down."""

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


class RecordedCommands(MemoryCommands):
    """Memory commands that record each command's name, outcome and time, and stop after the store fails.

    Claude reads an error as a tool result and goes on. That is right for a missing file, and wrong for a store that
    can't be used: that error is kept in `failure`, the caller gets it as the answer, and later commands are not tried.

    Attributes:
        counts: how often each ``command:outcome`` occurred.
        seconds: the time that all commands took.
        failure: the error after which nothing more is tried; ``None`` if there was none.
    """

    def __init__(self, store: MemoryStore, *, overwrite: bool = False) -> None:
        super().__init__(store, overwrite=overwrite)
        self.counts: Counter[str] = Counter()
        self.seconds = 0.0
        self.failure: S3MemoryError | None = None

    def call(self, tool_input: object) -> str:
        """Carry out a tool input and record it. Raises what `MemoryCommands.call` raises, and `failure`."""
        command = tool_input.get("command") if isinstance(tool_input, Mapping) else None
        # An unknown name may hold content, so it is not logged.
        known = command if isinstance(command, str) and command in _COMMANDS else "unknown"
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
    """Refuse paths in the directory of this program's own files, as if they did not exist."""
    given = tool_input if isinstance(tool_input, Mapping) else {}
    for name in _PATHS:
        with suppress(S3MemoryError):  # the command itself refuses an invalid path
            path = MemoryPath.parse(given.get(name))
            if path.segments[:1] == (DIRECTORY,):
                break
    else:
        return
    raise NotFoundError(f"The path {path} does not exist. Please provide a valid path.", is_bare=True)
