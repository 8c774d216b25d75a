"""Runs of the command line in this process: their input and what came out."""

from __future__ import annotations

import errno
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ran:
    exit_code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def results(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]


class Stdin(io.TextIOWrapper):
    def __init__(self, buffer: io.BytesIO, *, terminal: bool) -> None:
        super().__init__(buffer, encoding="ascii")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


class Closed(io.TextIOWrapper):
    """An output stream whose reader has closed it."""

    def __init__(self, error: OSError | None = None) -> None:
        super().__init__(io.BytesIO(), write_through=True)
        self._error = error or BrokenPipeError(errno.EPIPE, "Broken pipe")

    def write(self, _: str, /) -> int:
        raise self._error
