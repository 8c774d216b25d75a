"""`OpenTelemetryAuditor`: a span for every command, by the conventions for agents' memories (extra ``otel``).

The conventions (``gen_ai.*``) are still in development, so their names appear in this module only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from s3memory._extras import extra
from s3memory.audit import AuditEvent

with extra("otel", __name__):
    from opentelemetry import trace

OPERATION_NAME: Final = "gen_ai.operation.name"
STORE_ID: Final = "gen_ai.memory.store.id"
RECORD_ID: Final = "gen_ai.memory.record.id"
RECORD_COUNT: Final = "gen_ai.memory.record.count"
ERROR_TYPE: Final = "error.type"
COMMAND: Final = "s3memory.command"
OUTCOME: Final = "s3memory.outcome"
REQUESTS: Final = "s3memory.requests"

OPERATIONS: Final = {
    "view": "search_memory",
    "search": "search_memory",
    "create": "create_memory",
    "str_replace": "update_memory",
    "insert": "update_memory",
    "rename": "update_memory",
    "delete": "delete_memory",
    "clear": "delete_memory",
}
"""The conventions' names for agents' commands. Operators' commands keep their own."""

_ABOUT_ONE_FILE: Final = frozenset({"create", "str_replace", "insert"})
_NANOSECONDS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class OpenTelemetryAuditor:
    """Creates a span for each event, as a child of the caller's current span, such as the agent's tool call.

    The span has the conventions' name for the operation and kind CLIENT, and holds no text from a memory.

    Attributes:
        tracer_provider: creates the spans; the process's global one if left out.
        with_paths: put the file's path into ``gen_ai.memory.record.id``. It may contain names of customers.
    """

    tracer_provider: trace.TracerProvider | None = field(default=None, repr=False)
    with_paths: bool = False

    def audit(self, event: AuditEvent, /) -> None:
        """Create a span for an event."""
        operation = OPERATIONS.get(event.operation)
        began = int(event.started_at.timestamp() * _NANOSECONDS)
        span = trace.get_tracer("s3memory", tracer_provider=self.tracer_provider).start_span(
            operation or event.operation, kind=trace.SpanKind.CLIENT, start_time=began
        )
        span.set_attributes(
            {COMMAND: event.operation, OUTCOME: event.outcome.value, REQUESTS: sum(event.requests.values())}
        )
        if operation is not None:
            span.set_attribute(OPERATION_NAME, operation)
        if event.tenant is not None:
            span.set_attribute(STORE_ID, event.tenant)
        if event.paths:
            span.set_attribute(RECORD_ID, event.paths[0])
        if event.operation in _ABOUT_ONE_FILE:
            span.set_attribute(RECORD_COUNT, 1)
        if event.error is not None:
            span.set_attribute(ERROR_TYPE, event.error)
            span.set_status(trace.StatusCode.ERROR)
        span.end(began + int(event.duration_seconds * _NANOSECONDS))
