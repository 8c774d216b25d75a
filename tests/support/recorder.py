"""An auditor that keeps the events that it receives."""

from __future__ import annotations

from dataclasses import dataclass, field

from s3memory.audit import AuditEvent


@dataclass
class Recorder:
    with_paths: bool = False
    events: list[AuditEvent] = field(default_factory=list)

    def audit(self, event: AuditEvent, /) -> None:
        self.events.append(event)

    @property
    def last(self) -> AuditEvent:
        return self.events[-1]

    def operations(self) -> list[str]:
        return [one.operation for one in self.events]
