"""Mistakes put into the package for the length of a test: one function's text changed, and nothing on disk."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mistake.

    Attributes:
        name: what is wrong.
        owner: the module or class that has the function.
        function: the function's name.
        text: a part of its source, which has to be there once.
        becomes: what stands there in the mutant.
        seed: one from which a state machine finds it soon.
    """

    name: str
    owner: Any
    function: str
    text: str
    becomes: str
    seed: int = 0

    def put_into(self, patch: pytest.MonkeyPatch) -> None:
        """Replace the function by the one with the mistake."""
        original: Callable[..., Any] = getattr(self.owner, self.function)
        source = inspect.getsource(original)
        assert source.count(self.text) == 1, f"the mutant {self.name!r} is about a text that is not there any more"
        made: dict[str, Any] = {}
        names = inspect.unwrap(original).__globals__
        mistaken = textwrap.dedent(source.replace(self.text, self.becomes))
        exec(compile(mistaken, f"<{self.name}>", "exec"), names, made)  # noqa: S102 - our own code, but for the mistake
        patch.setattr(self.owner, self.function, made[self.function])
