"""Valid values of arguments, declared where the arguments are, and the error for a file that can't be read.

A program that passes a wrong value gets an error with the argument's name at once. Otherwise the model would get it, at
its first command.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

from s3memory.errors import ConfigurationError

F = TypeVar("F", bound=Callable[..., Any])


class Takes(NamedTuple):
    """The valid values of an argument: a test, and the requirement in words, such as ``be True or False``."""

    is_met_by: Callable[[Any], bool]
    must: str

    def or_none(self) -> Takes:
        """Return the same, but allow ``None``."""
        return Takes(lambda value: value is None or self.is_met_by(value), f"{self.must}, or be None")


FLAG = Takes(lambda value: isinstance(value, bool), "be True or False")


def has(value: object, *names: str) -> bool:
    """Whether an object of any class has methods with these names. A class itself does not count.

    Async methods do not count either: nobody would await them.
    """
    return not isinstance(value, type) and all(_has(value, name) for name in names)


def _has(value: object, name: str) -> bool:
    try:
        return is_function(getattr(value, name, None))
    except Exception:  # noqa: BLE001 - a client's stand-in may refuse a request with an error of any kind
        return True


def is_function(value: object) -> bool:
    """Whether something can be called and does its work in the call, without being awaited."""
    return callable(value) and not any(map(inspect.iscoroutinefunction, (value, value.__call__)))


def client_for(service: str, request: str) -> Takes:
    """Accept a boto3 client of a service, or its stand-in, recognized by having the request, or None."""
    return Takes(
        lambda value: has(value, request), f"be a boto3 client of {service}, or have its method {request}"
    ).or_none()


def is_positive(value: object, *, at_most: float = float("inf")) -> bool:
    """Whether something is a positive number. Booleans and NaN are not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= at_most


@contextmanager
def naming_file(path: object, *, done: str = "read") -> Iterator[None]:
    """Turn an `OSError` into a `ConfigurationError` that names the file and what can't be done with it."""
    try:
        yield
    except OSError as error:
        raise ConfigurationError(f"{path} can't be {done}: {error.strerror}") from None


def checking(**arguments: Takes) -> Callable[[F], F]:
    """Make a function refuse invalid arguments with a `ConfigurationError` before it does anything."""

    def decorate(function: F) -> F:
        names = function.__code__.co_varnames[: function.__code__.co_argcount]

        @wraps(function)
        def run(*positional: Any, **named: Any) -> Any:
            given = {**dict(zip(names, positional, strict=False)), **named}
            for name, takes in arguments.items():
                if name in given and not takes.is_met_by(given[name]):
                    raise ConfigurationError(f"{name} must {takes.must}")
            return function(*positional, **named)

        return cast("F", run)

    return decorate
