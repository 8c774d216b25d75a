"""Audit events: one for each command, sent to a hook, standard logging, traces or metrics. Off by default.

An event names the tenant, the command, its outcome, its duration and the requests that it sent to AWS. It never holds
text from a memory, and holds memory paths only if the auditor asks for them.
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
    """Nothing was changed: not found, already there, malformed, too large, refused by the redactor, or read-only."""
    FAILED = "failed"
    """S3 or KMS failed, other writers were faster at every attempt, or a stored object can't be opened."""
    CRASHED = "crashed"
    """Any other exception: a bug, or the end of the program."""

    @classmethod
    def of(cls, raised: BaseException) -> Outcome:
        """Return the outcome of a command that raised this."""
        if isinstance(raised, RefusedError):
            return cls.REFUSED
        return cls.FAILED if isinstance(raised, S3MemoryError) else cls.CRASHED


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """The record of one command.

    Attributes:
        tenant: the tenant; `None` if the operation is about all tenants.
        operation: the name of the command, such as ``view``, ``create``, ``history`` or ``verify``.
        outcome: how the command ended.
        error: the type of the exception that it raised, if any; never its text.
        started_at: when it began.
        duration_seconds: how long it took.
        requests: how many requests of each kind were sent, retries included: ``{"GetObject": 1}``.
        version_ids: the first 100 versions and delete markers that were written, if S3 named them. It names none
            without versioning, or when a directory is deleted.
        redactions: how many findings were redacted in the stored text, by kind: ``{"email": 2}``.
        actor: the label of the user or program that ran the command, if one was set.
        paths: the memory paths of the command, if the auditor asks for them; otherwise empty. If the redactor refused
            one of them, each is ``(refused)``.
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
    """Receives an event for every command, in the thread that ran it, before the command returns.

    If it raises an exception, the type is logged and the command still returns: by then, the change is made.
    """

    @property
    def with_paths(self) -> bool:
        """Whether events should hold memory paths."""

    def audit(self, event: AuditEvent, /) -> None:
        """Called with the event of a command that has ended."""


@dataclass(frozen=True, slots=True)
class LogAuditor:
    """Writes each event to the log `s3memory.audit` as a JSON object, at INFO, or at WARNING if the command failed.

    Attributes:
        with_paths: write memory paths, too. They may contain names of customers.
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
