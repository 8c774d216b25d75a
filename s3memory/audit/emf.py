"""`EmfAuditor`: metrics of every command in CloudWatch's embedded metric format, as JSON lines on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TextIO

from s3memory.audit import AuditEvent, Outcome

NAMESPACE: Final = "s3memory"

# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
_MOST_METRICS = 100  # in one directive

_streams: list[TextIO] = []


@contextmanager
def printed_on(stream: TextIO) -> Iterator[None]:
    """Print this process's metrics to another stream, for programs whose standard output carries a protocol."""
    _streams.append(stream)
    try:
        yield
    finally:
        _streams.remove(stream)


@dataclass(frozen=True, slots=True)
class EmfAuditor:
    """Prints each event as one line of CloudWatch's embedded metric format. On Lambda, nothing else is needed.

    The metrics are ``Commands``, ``Duration``, ``Requests``, ``Refusals``, ``Failures``, ``Conflicts`` and
    ``Redactions`` in the namespace ``s3memory``, in total and by ``operation``, and ``Redactions.{kind}`` for each kind
    of redaction. The tenant is a searchable field, not a dimension: CloudWatch charges for each dimension's value.
    """

    @property
    def with_paths(self) -> bool:
        """Never, since they may contain names of customers."""
        return False

    def audit(self, event: AuditEvent, /) -> None:
        """Print an event."""
        stream = _streams[-1] if _streams else sys.stdout
        # In a single call, so that lines of several threads do not mix.
        stream.write(f"{json.dumps(_line(event))}\n")
        stream.flush()


def _line(event: AuditEvent) -> dict[str, Any]:
    values = {
        "Commands": 1,
        "Duration": round(event.duration_seconds * 1_000, 3),
        "Requests": sum(event.requests.values()),
        "Refusals": int(event.outcome is Outcome.REFUSED),
        "Failures": int(event.outcome in {Outcome.FAILED, Outcome.CRASHED}),
        "Conflicts": int(event.error == "ConflictError"),
        "Redactions": sum(event.redactions.values()),
    }
    by_kind = {f"Redactions.{kind}": count for kind, count in event.redactions.items()}
    kinds = list(by_kind)
    directives = [_directive(values, [[], ["operation"]])]
    directives += [
        _directive(kinds[begin : begin + _MOST_METRICS], [[]]) for begin in range(0, len(kinds), _MOST_METRICS)
    ]
    return {
        "_aws": {"Timestamp": int(event.started_at.timestamp() * 1_000), "CloudWatchMetrics": directives},
        "tenant": event.tenant,
        "operation": event.operation,
        "outcome": event.outcome,
        "error": event.error,
        "actor": event.actor,
        "requests": dict(event.requests),
        **values,
        **by_kind,
    }


def _directive(names: Iterable[str], dimensions: list[list[str]]) -> dict[str, Any]:
    metrics = [{"Name": name, "Unit": "Milliseconds" if name == "Duration" else "Count"} for name in names]
    return {"Namespace": NAMESPACE, "Dimensions": dimensions, "Metrics": metrics}
