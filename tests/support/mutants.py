"""Bugs put into the package for the duration of a test: one function's source is changed, and nothing on disk."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True, slots=True)
class Mutant:
    """A bug.

    Attributes:
        name: what is wrong.
        owner: the module or class that has the function.
        function: the function's name.
        text: a part of its source, which must occur exactly once.
        becomes: what replaces it in the mutant.
        seed: a seed with which a state machine finds the bug soon.
    """

    name: str
    owner: Any
    function: str
    text: str
    becomes: str
    seed: int = 0

    def put_into(self, patch: pytest.MonkeyPatch) -> None:
        """Replace the function by its mutant."""
        original: Callable[..., Any] = getattr(self.owner, self.function)
        source = inspect.getsource(original)
        assert source.count(self.text) == 1, f"the mutant {self.name!r} is about a text that is not there any more"
        made: dict[str, Any] = {}
        names = inspect.unwrap(original).__globals__
        mistaken = textwrap.dedent(source.replace(self.text, self.becomes))
        exec(compile(mistaken, f"<{self.name}>", "exec"), names, made)  # noqa: S102 - our own code, but for the mistake
        patch.setattr(self.owner, self.function, made[self.function])
