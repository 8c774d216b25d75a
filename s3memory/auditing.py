"""`audited` has an audit event made of each call of a function, `as_one_event`, of several."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from contextvars import copy_context
from dataclasses import dataclass
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

from s3memory.audit import Auditor, Running, recorded, running
from s3memory.paths import MemoryPath, shown

_PATH_PARAMETERS = ("path", "old_path", "new_path")

F = TypeVar("F", bound=Callable[..., Any])


class Audited(Protocol):
    """Whose commands are audited: a `MemoryStore`, or what the doctor examines."""

    tenant: str
    actor: str | None
    auditor: Auditor | None


def audited(
    operation: str, *, of: Callable[[Any], Audited] = lambda store: cast("Audited", store), is_named: bool = True
) -> Callable[[F], F]:
    """Have an event made of each call of a function whose first argument is a store, or leads to one.

    A function that is called by another one that is audited makes no event of its own. The event of a generator is made
    when it ends, or is closed.

    Args:
        operation: the command.
        of: from the first argument to the store.
        is_named: false for a function that carries out other commands: the first of them gives its name to the event.
    """

    def decorate(function: F) -> F:
        command = _Command(operation, of, is_named, function, inspect.signature(function))
        run = _generating(command) if inspect.isgeneratorfunction(function) else _calling(command)
        return cast("F", wraps(function)(run))

    return decorate


def as_one_event(source: Audited, operation: str) -> AbstractContextManager[Running]:
    """Have one event made of all that goes on in this context: of a command that looks, asks, and only then acts.

    Args:
        source: whose command it is.
        operation: the command.
    """
    return recorded(source.auditor, operation, tenant=source.tenant, actor=source.actor)


@dataclass(frozen=True, slots=True)
class _Command:
    operation: str
    of: Callable[[Any], Audited]
    is_named: bool
    function: Callable[..., Any]
    signature: inspect.Signature

    def paths(self, auditor: Auditor, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[str, ...]:
        """Return the memory paths of a call, if the auditor wants them: as they were sent, and shortened."""
        if not auditor.with_paths:
            return ()
        try:
            bound = self.signature.bind(*arguments, **named).arguments
        except TypeError:  # the call fails by itself
            return ()
        values = [bound[name] for name in _PATH_PARAMETERS if name in bound]
        return tuple(shown(str(value)) for value in values if isinstance(value, str | MemoryPath))


def _calling(command: _Command) -> Callable[..., Any]:
    def run(*arguments: Any, **named: Any) -> Any:
        source = command.of(arguments[0])
        if source.auditor is None:
            return command.function(*arguments, **named)
        outer, paths = running(), command.paths(source.auditor, arguments, named)
        if outer is not None:
            outer.name(command.operation, paths)
            return command.function(*arguments, **named)
        with as_one_event(source, command.operation) as own:
            if command.is_named:
                own.name(command.operation, paths)
            return command.function(*arguments, **named)

    return run


def _generating(command: _Command) -> Callable[..., Any]:
    def run(*arguments: Any, **named: Any) -> Iterator[Any]:
        source = command.of(arguments[0])
        if source.auditor is None or running() is not None:
            yield from command.function(*arguments, **named)
            return
        paths = command.paths(source.auditor, arguments, named)
        # In a context of its own: what the caller does between two items is not this command's.
        context = copy_context()
        steps = _steps(command, source, paths, command.function(*arguments, **named))
        try:
            while True:
                try:
                    item = context.run(next, steps)
                except StopIteration:
                    return
                yield item
        finally:
            context.run(steps.close)

    return run


def _steps(
    command: _Command, source: Audited, paths: tuple[str, ...], items: Iterator[Any]
) -> Generator[Any, None, None]:
    with as_one_event(source, command.operation) as own:
        own.name(command.operation, paths)
        yield from items
