"""`audited` records an audit event for each call of a function, `as_one_event` for several calls.

Events and auditors are in `s3memory.audit`, which is loaded only if there is an auditor.
"""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from datetime import UTC, datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast

from s3memory.aws import request_counts
from s3memory.errors import RedactionError
from s3memory.paths import MemoryPath, shown

if TYPE_CHECKING:
    from s3memory.audit import AuditEvent, Auditor

_log = logging.getLogger("s3memory")

REFUSED_PATH = "(refused)"
"""Replaces a command's paths if the redactor refused one of them, since it contains what looks like a secret."""

_PATH_PARAMETERS = ("path", "old_path", "new_path")

F = TypeVar("F", bound=Callable[..., Any])


class Audited(Protocol):
    """Something with audited commands: a `MemoryStore`, or what the doctor examines."""

    tenant: str
    actor: str | None
    auditor: Auditor | None


def audited(
    operation: str,
    *,
    of: Callable[[Any], Audited] = lambda store: cast("Audited", store),
    is_named: bool = True,
    begin: Callable[[Any], object] = lambda _: None,
    leave: Callable[..., Exception] | None = None,
) -> Callable[[F], F]:
    """Record an event for each call of a function whose first argument is a store, or leads to one.

    A call from within another audited function has no event of its own. A generator's event is recorded when it ends or
    is closed.

    Args:
        operation: the command.
        of: returns the store, given the first argument.
        is_named: false for a function that runs other commands: the first of them gives the event its name.
        begin: called with the store before the function. It may refuse the call, which the event then shows.
        leave: called with the exception that the function raises, and with ``operation``, ``tenant`` and ``is_named``;
            returns the exception to raise instead.
    """

    def decorate(function: F) -> F:
        command = _Command(operation, of, function, is_named, begin, leave)
        run = _generating(command) if inspect.isgeneratorfunction(function) else _calling(command)
        return cast("F", wraps(function)(run))

    return decorate


def as_one_event(
    source: Audited, operation: str, *paths: object, is_named: bool = True
) -> AbstractContextManager[Running]:
    """Record one event for everything in this context, for a command that checks and confirms before it acts.

    The event has these paths, unless an audited function in the context names others, and this name. If `is_named` is
    false, the first audited function gives it its name.
    """
    shown_paths = () if source.auditor is None else _paths_for(source.auditor, lambda: paths)
    command = Running(operation, shown_paths, is_named=is_named)
    return recorded(source.auditor, command, tenant=source.tenant, actor=source.actor)


class _Command(NamedTuple):
    operation: str
    of: Callable[[Any], Audited]
    function: Callable[..., Any]
    is_named: bool
    begin: Callable[[Any], object]
    leave: Callable[..., Exception] | None

    @contextmanager
    def event(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Iterator[None]:
        """Record an event for a call, if it is audited, or give the enclosing command its name."""
        source, outer = self.of(arguments[0]), running()
        try:
            if source.auditor is None:
                self.begin(source)
                yield
                return
            paths = self._paths(source.auditor, arguments, named)
            event = nullcontext(outer) if outer else as_one_event(source, self.operation, is_named=False)
            with event as command:
                if self.is_named or outer is not None:
                    command.name(self.operation, paths)
                self.begin(source)
                yield
        except Exception as raised:
            if self.leave is None:
                raise
            leaving = self.leave(raised, operation=self.operation, tenant=source.tenant, is_named=self.is_named)
            if leaving is raised:
                raise
            raise leaving from None

    def _paths(self, auditor: Auditor, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[str, ...]:
        def sent() -> list[object]:
            try:
                bound = inspect.signature(self.function).bind(*arguments, **named).arguments
            except TypeError:  # the call itself will fail
                return []
            return [bound[name] for name in _PATH_PARAMETERS if name in bound]

        return _paths_for(auditor, sent)


def _paths_for(auditor: Auditor, sent: Callable[[], Iterable[object]]) -> tuple[str, ...]:
    """Return memory paths as they were sent, but shortened. Return none if the auditor does not want them."""
    try:
        if not auditor.with_paths:
            return ()
    except Exception as error:  # noqa: BLE001 - an auditor's error does not stop the command
        _failed(error)
        return ()
    return tuple(shown(str(path)) for path in sent() if isinstance(path, str | MemoryPath))


def _calling(command: _Command) -> Callable[..., Any]:
    def run(*arguments: Any, **named: Any) -> Any:
        with command.event(arguments, named):
            return command.function(*arguments, **named)

    return run


def _generating(command: _Command) -> Callable[..., Any]:
    def steps(arguments: tuple[Any, ...], named: dict[str, Any]) -> Generator[Any, None, None]:
        with command.event(arguments, named):
            yield from command.function(*arguments, **named)

    def run(*arguments: Any, **named: Any) -> Iterator[Any]:
        own = steps(arguments, named)
        if command.of(arguments[0]).auditor is None or running() is not None:
            yield from own
            return
        # In its own context: the caller's work between two items is not part of this command.
        context = copy_context()
        try:
            while True:
                try:
                    item = context.run(next, own)
                except StopIteration:
                    return
                yield item
        finally:
            context.run(own.close)

    return run


class Running:
    """A running command.

    Args:
        operation: its name.
        paths: its paths, until `name` is called.
        is_named: the name stays, even if `name` gives another.
    """

    def __init__(self, operation: str, paths: tuple[str, ...] = (), *, is_named: bool = False) -> None:
        self.operation = operation
        self.paths = paths
        self.is_named = is_named
        self._has_paths = False

    def name(self, operation: str, paths: tuple[str, ...]) -> None:
        """Set the command's paths, and its name unless it has one, if this was not called before."""
        if not self._has_paths:
            self.paths, self._has_paths = paths, True
        if not self.is_named:
            self.operation, self.is_named = operation, True


_running: ContextVar[Running | None] = ContextVar("s3memory-audit", default=None)


def running() -> Running | None:
    """Return the audited command that is running in this context, if any."""
    return _running.get()


@contextmanager
def recorded(
    auditor: Auditor | None, command: Running, *, tenant: str | None, actor: str | None = None
) -> Iterator[Running]:
    """Record an event for everything in this context, if there is an auditor."""
    if auditor is None:
        yield command
        return
    from s3memory.audit import AuditEvent, Outcome  # not loaded without an auditor

    token = _running.set(command)
    started_at, started = datetime.now(UTC), time.perf_counter()
    outcome, error = Outcome.DONE, None
    with request_counts.counted() as counted:
        try:
            yield command
        except GeneratorExit:  # the caller stopped iterating, which is not an error
            raise
        except BaseException as raised:
            outcome, error = Outcome.of(raised), type(raised).__name__
            if isinstance(raised, RedactionError) and raised.is_of_path:
                command.paths = (REFUSED_PATH,) * len(command.paths)
            raise
        finally:
            _running.reset(token)
            _hand_over(
                auditor,
                AuditEvent(
                    tenant=tenant,
                    operation=command.operation,
                    outcome=outcome,
                    error=error,
                    started_at=started_at,
                    duration_seconds=time.perf_counter() - started,
                    requests=dict(sorted(counted.requests.items())),
                    version_ids=tuple(counted.version_ids),
                    redactions=dict(sorted(counted.redactions.items())),
                    actor=actor,
                    paths=command.paths,
                ),
            )


def _hand_over(auditor: Auditor, event: AuditEvent) -> None:
    try:
        audit: Callable[[AuditEvent], object] = auditor.audit
        returned = audit(event)
        if inspect.iscoroutine(returned):  # from a function that does not look async, as a decorated one may
            returned.close()
            _log.error("the auditor failed: its method audit is async, and nobody awaits it")
    except Exception as error:  # noqa: BLE001 - the change is made, and the caller must learn of it
        _failed(error)


def _failed(error: Exception) -> None:
    _log.error("the auditor failed: %s", type(error).__name__)
