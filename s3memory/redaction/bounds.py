"""Checks that a regular expression from the configuration runs in bounded time, before it is ever run.

`re` can't be interrupted: a pattern that backtracks too much hangs the process, whatever the timeout. So the number of
ways in which it can match is estimated from above, and a pattern with too many is a configuration error.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from s3memory.errors import ConfigurationError
from s3memory.redaction.checks import MAX_MATCH_CHARACTERS
from s3memory.redaction.text.compiling import compiled, compiled_as_written

_LOOK_AHEAD = r"\(\?[=!]"
_MAX_STEPS = 8192
_UNBOUNDED = 10**12


def check_bounds(pattern: str, *, called: str = "the pattern") -> None:
    """Refuse a pattern that could take long, match the empty string, or match more than `MAX_MATCH_CHARACTERS`.

    Args:
        pattern: The regular expression.
        called: What error messages call it. They never quote the pattern, which may contain what it looks for.

    Raises:
        ConfigurationError: The pattern could do one of these, or this Python's `re` does not accept it.
    """
    if not isinstance(pattern, str):
        raise ConfigurationError(f"{called} is not a string")
    try:
        parse = import_module("re._parser").parse
        with warnings.catch_warnings():  # about syntax that a later Python may interpret differently
            warnings.simplefilter("error")
            tree: Any = parse(pattern)
        compiled_as_written(pattern)  # some patterns can be parsed but not compiled
        shortest, longest = tree.getwidth()
        # A rule is applied to one part of the text at a time, and must not look beyond it.
        _, longest_with_look_ahead = parse(compiled(_LOOK_AHEAD).sub("(?:", pattern)).getwidth()
        _, steps = _ways(tree)
    except Warning:
        raise ConfigurationError(
            f"{called} has a set that a later Python may read in another way: "
            "put a backslash before `[`, `--`, `&&`, `~~` and `||` in it"
        ) from None
    except re.error as error:
        raise ConfigurationError(f"{called} is not a regular expression: {_safe_message(error)}") from None
    except (ImportError, AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
        # The parse tree is no public interface of Python. If it is different or too deep, nothing can be concluded.
        raise ConfigurationError(f"{called} can't be shown to be bounded") from None
    if shortest < 1:
        raise ConfigurationError(f"{called} can match without a character")
    if longest > MAX_MATCH_CHARACTERS:
        raise ConfigurationError(
            f"{called} can match more than {MAX_MATCH_CHARACTERS} characters: "
            "give every repeat an upper bound, as in {1,64} in place of +"
        )
    if longest_with_look_ahead > MAX_MATCH_CHARACTERS:
        raise ConfigurationError(
            f"{called} can look further than {MAX_MATCH_CHARACTERS} characters: shorten its look-aheads"
        )
    if steps > _MAX_STEPS:
        raise ConfigurationError(
            f"{called} can take more than {_MAX_STEPS} steps at one place: shorten its repeats, put none inside "
            "another, or make them possessive, as in {1,64}+"
        )


def _safe_message(error: re.error) -> str:
    """Return the message and position of an error, without the part of the pattern that `re` quotes."""
    message = re.split(" ['\"\\\\]", error.msg, maxsplit=1)[0]
    return message if error.pos is None else f"{message} at position {error.pos}"


def _ways(items: Iterable[tuple[Any, Any]]) -> tuple[int, int]:
    """Return upper bounds for a sequence at one position: the ways to match it, and the steps to try all of them."""
    ways, steps = 1, 0
    for operator, argument in items:
        item_ways, item_steps = _WAYS[str(operator)](argument)
        steps = min(_UNBOUNDED, steps + ways * item_steps)
        ways = min(_UNBOUNDED, ways * item_ways)
    return ways, steps


def _repeated(argument: Any) -> tuple[int, int]:
    least, most, inside = argument
    if most > MAX_MATCH_CHARACTERS:
        # The width of the pattern shows this as well, except for a repeat inside a look-ahead.
        return _UNBOUNDED, _UNBOUNDED
    inside_ways, inside_steps = _ways(inside)
    ways = steps = 0
    ways_so_far = 1
    for count in range(int(most) + 1):
        ways += ways_so_far if count >= least else 0
        steps += ways_so_far * inside_steps
        ways_so_far *= inside_ways
        if max(ways, steps, ways_so_far) > _UNBOUNDED:
            return _UNBOUNDED, _UNBOUNDED
    return ways, steps


def _sum(branches: Iterable[tuple[int, int]]) -> tuple[int, int]:
    ways, steps = zip(*branches, strict=True)
    return sum(ways), sum(steps) + len(ways)


# For each operator of the parse tree, its ways and steps. An assertion, an atomic group or a possessive repeat has one
# way to match: `re` does not backtrack into it.
_WAYS: dict[str, Callable[[Any], tuple[int, int]]] = {
    **dict.fromkeys(("LITERAL", "NOT_LITERAL", "ANY", "AT"), lambda _: (1, 1)),
    **dict.fromkeys(("MAX_REPEAT", "MIN_REPEAT"), _repeated),
    "POSSESSIVE_REPEAT": lambda argument: (1, _repeated(argument)[1]),
    "IN": lambda alternatives: (1, len(alternatives)),
    "BRANCH": lambda argument: _sum(map(_ways, argument[1])),
    "SUBPATTERN": lambda argument: _ways(argument[-1]),
    **dict.fromkeys(("ASSERT", "ASSERT_NOT"), lambda argument: (1, _ways(argument[1])[1])),
    "ATOMIC_GROUP": lambda items: (1, _ways(items)[1]),
    "GROUPREF": lambda _: (1, MAX_MATCH_CHARACTERS),
    "GROUPREF_EXISTS": lambda argument: _sum(_ways(branch) for branch in argument[1:] if branch),
}
