"""Whether a regular expression that somebody else wrote ends in bounded time, told before it is ever run.

`re` cannot be interrupted: a pattern that tries too many ways hangs the process, whatever a timeout says. So the ways
are counted beforehand, on the safe side, and a pattern with too many of them is a configuration error.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from s3memory.errors import ConfigurationError
from s3memory.redaction.checks import LONGEST_MATCH_CHARACTERS
from s3memory.redaction.text.compiling import compiled, compiled_as_written

_LOOK_AHEAD = r"\(\?[=!]"
_MOST_STEPS = 8192
_ENDLESS = 10**12


def check_bounds(pattern: str, *, called: str = "the pattern") -> None:
    """Refuse a pattern that could take long, match nothing, or match more than `LONGEST_MATCH_CHARACTERS`.

    Args:
        pattern: The regular expression.
        called: What an error calls it. Nothing of the pattern itself is told: it may hold what it looks for.

    Raises:
        ConfigurationError: It could, or this Python's `re` does not take it.
    """
    if not isinstance(pattern, str):
        raise ConfigurationError(f"{called} is not a string")
    try:
        parse = import_module("re._parser").parse
        with warnings.catch_warnings():  # of what a later Python may read in another way
            warnings.simplefilter("error")
            tree: Any = parse(pattern)
        compiled_as_written(pattern)  # some of what can be parsed can't be compiled
        least, most = tree.getwidth()
        # A rule is shown a stretch of the text at a time: it must not look beyond.
        _, most_with_ahead = parse(compiled(_LOOK_AHEAD).sub("(?:", pattern)).getwidth()
        _, steps = _ways(tree)
    except Warning:
        raise ConfigurationError(
            f"{called} has a set that a later Python may read in another way: "
            "put a backslash before `[`, `--`, `&&`, `~~` and `||` in it"
        ) from None
    except re.error as error:
        raise ConfigurationError(f"{called} is not a regular expression: {_told(error)}") from None
    except (ImportError, AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
        # The tree is not a public interface of Python. Where it is another, or too deep, nothing is known.
        raise ConfigurationError(f"{called} can't be shown to be bounded") from None
    if least < 1:
        raise ConfigurationError(f"{called} can match without a character")
    if most > LONGEST_MATCH_CHARACTERS:
        raise ConfigurationError(
            f"{called} can match more than {LONGEST_MATCH_CHARACTERS} characters: "
            "give every repeat an upper bound, as in {1,64} in place of +"
        )
    if most_with_ahead > LONGEST_MATCH_CHARACTERS:
        raise ConfigurationError(
            f"{called} can look further than {LONGEST_MATCH_CHARACTERS} characters: shorten its look-aheads"
        )
    if steps > _MOST_STEPS:
        raise ConfigurationError(
            f"{called} can take more than {_MOST_STEPS} steps at one place: shorten its repeats, put none inside "
            "another, or make them possessive, as in {1,64}+"
        )


def _told(error: re.error) -> str:
    """Return what is wrong and where, up to where `re` quotes the pattern."""
    what = re.split(" ['\"\\\\]", error.msg, maxsplit=1)[0]
    return what if error.pos is None else f"{what} at position {error.pos}"


def _ways(items: Iterable[tuple[Any, Any]]) -> tuple[int, int]:
    """Return in how many ways a sequence can match at one place at most, and in how many steps all are tried."""
    ways, steps = 1, 0
    for operator, argument in items:
        its_ways, its_steps = _WAYS[str(operator)](argument)
        steps = min(_ENDLESS, steps + ways * its_steps)
        ways = min(_ENDLESS, ways * its_ways)
    return ways, steps


def _repeated(argument: Any) -> tuple[int, int]:
    least, most, inside = argument
    if most > LONGEST_MATCH_CHARACTERS:
        # The width says so as well, but not of what only looks ahead.
        return _ENDLESS, _ENDLESS
    inside_ways, inside_steps = _ways(inside)
    ways = steps = 0
    so_far = 1
    for count in range(int(most) + 1):
        ways += so_far if count >= least else 0
        steps += so_far * inside_steps
        so_far *= inside_ways
        if max(ways, steps, so_far) > _ENDLESS:
            return _ENDLESS, _ENDLESS
    return ways, steps


def _sum(branches: Iterable[tuple[int, int]]) -> tuple[int, int]:
    ways, steps = zip(*branches, strict=True)
    return sum(ways), sum(steps) + len(ways)


# What is asserted, atomic or possessive is left as soon as it matched, and not tried in another way.
_WAYS: dict[str, Callable[[Any], tuple[int, int]]] = {
    **dict.fromkeys(("LITERAL", "NOT_LITERAL", "ANY", "AT"), lambda _: (1, 1)),
    **dict.fromkeys(("MAX_REPEAT", "MIN_REPEAT"), _repeated),
    "POSSESSIVE_REPEAT": lambda argument: (1, _repeated(argument)[1]),
    "IN": lambda alternatives: (1, len(alternatives)),
    "BRANCH": lambda argument: _sum(map(_ways, argument[1])),
    "SUBPATTERN": lambda argument: _ways(argument[-1]),
    **dict.fromkeys(("ASSERT", "ASSERT_NOT"), lambda argument: (1, _ways(argument[1])[1])),
    "ATOMIC_GROUP": lambda items: (1, _ways(items)[1]),
    "GROUPREF": lambda _: (1, LONGEST_MATCH_CHARACTERS),
    "GROUPREF_EXISTS": lambda argument: _sum(_ways(branch) for branch in argument[1:] if branch),
}
