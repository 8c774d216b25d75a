"""What each request takes on the benchmarks' server. Assumptions, not measurements: see the report's introduction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FLAT_SECONDS: Final = 0.015
_BY_KIND_MS: Final = {
    "GET": (20, ("GetObject",)),
    "HEAD": (15, ("HeadObject",)),
    "PUT": (45, ("PutObject",)),
    "LIST": (40, ("ListObjectsV2", "ListObjectVersions", "ListMultipartUploads")),
    "DELETE": (25, ("DeleteObject",)),
    "DeleteObjects": (60, ("DeleteObjects",)),
    "COPY": (55, ("CopyObject",)),
    "KMS": (10, ("GenerateDataKey", "Encrypt", "Decrypt")),
    "STS": (30, ("AssumeRole",)),
}


@dataclass(frozen=True, slots=True)
class Latencies:
    """What requests take.

    Attributes:
        name: what the report calls them.
        said: the figures, for the report.
        seconds: as `WireServer.delay` takes them.
    """

    name: str
    said: str
    seconds: float | dict[str, float]


FLAT: Final = Latencies("flat", f"each request {FLAT_SECONDS * 1000:.0f} ms", FLAT_SECONDS)
BY_OPERATION: Final = Latencies(
    "by operation",
    ", ".join(f"{kind} {ms}" for kind, (ms, _) in _BY_KIND_MS.items()) + " ms; a DeleteObjects of however many keys",
    {operation: ms / 1000 for ms, operations in _BY_KIND_MS.values() for operation in operations},
)
BOTH: Final = (BY_OPERATION, FLAT)
