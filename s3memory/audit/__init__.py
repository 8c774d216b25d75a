"""Audit events: one for each command, to a hook, to standard logging, to traces or to metrics. Off by default.

An event says whose memory it was, what was done, how it ended, how long it took, and which requests it sent to AWS. It
never holds a text, and memory paths only if the auditor asks for them.
"""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from s3memory.errors import RefusedError, S3MemoryError

if TYPE_CHECKING:
    from s3memory.audit.emf import EmfAuditor
    from s3memory.audit.opentelemetry import OpenTelemetryAuditor

__all__ = ["LOGGER", "AuditEvent", "Auditor", "EmfAuditor", "LogAuditor", "OpenTelemetryAuditor", "Outcome"]

_MODULES = {"EmfAuditor": "emf", "OpenTelemetryAuditor": "opentelemetry"}

LOGGER = "s3memory.audit"
"""The name of the log that `LogAuditor` writes to."""


class Outcome(StrEnum):
    """How a command ended."""

    DONE = "done"
    REFUSED = "refused"
    """Nothing was changed: not there, there already, malformed, too large, refused by the redactor, read-only."""
    FAILED = "failed"
    """S3 or KMS did not do it, other writers were faster at every try, or what is stored does not open."""
    CRASHED = "crashed"
    """Something else was raised: a fault of a program, or its end."""

    @classmethod
    def of(cls, raised: BaseException) -> Outcome:
        """Return how a command ended that raised this."""
        if isinstance(raised, RefusedError):
            return cls.REFUSED
        return cls.FAILED if isinstance(raised, S3MemoryError) else cls.CRASHED


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One command.

    Attributes:
        tenant: whose memory; `None` for what is about all.
        operation: the command: ``view``, ``create``, ``history``, ``verify`` and so on.
        outcome: how it ended.
        error: the type of what it raised, if it did; never its text.
        started_at: when it began.
        duration_seconds: how long it took.
        requests: how often each request was sent, repeats included, by AWS's name for it: ``{"GetObject": 1}``.
        version_ids: the first 100 versions and delete markers that were written, if S3 named them: it does not for a
            directory's deletion, nor without versioning.
        redactions: how many pieces of text were redacted in what was stored, by kind: ``{"email": 2}``.
        actor: the label of who did it, if the program gave one.
        paths: the memory paths that it was about, if the auditor asks for them; otherwise empty. ``(refused)`` stands
            for each of a command in which the redactor refused one.
    """

    tenant: str | None
    operation: str
    outcome: Outcome
    error: str | None
    started_at: datetime
    duration_seconds: float
    requests: Mapping[str, int]
    version_ids: tuple[str, ...]
    redactions: Mapping[str, int] = field(default_factory=dict)
    actor: str | None
    paths: tuple[str, ...]


class Auditor(Protocol):
    """Is told of every command, in the thread that ran it, before the command returns.

    An exception of its own is logged by type, and does not hold up the answer: by then the change is made.
    """

    @property
    def with_paths(self) -> bool:
        """Whether events are to hold memory paths."""

    def audit(self, event: AuditEvent, /) -> None:
        """Hear of a command that has ended."""


@dataclass(frozen=True, slots=True)
class LogAuditor:
    """Writes events to the log `s3memory.audit`, each as one JSON object, at INFO, or WARNING where a command failed.

    Attributes:
        with_paths: write memory paths as well: names of customers may be in them.
    """

    with_paths: bool = False

    def audit(self, event: AuditEvent, /) -> None:
        """Write an event."""
        level = logging.INFO if event.outcome in {Outcome.DONE, Outcome.REFUSED} else logging.WARNING
        fields = asdict(event) | {"started_at": event.started_at.isoformat(timespec="milliseconds")}
        fields["duration_seconds"] = round(event.duration_seconds, 6)
        logging.getLogger(LOGGER).log(level, "%s", json.dumps(fields))


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
