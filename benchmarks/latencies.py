"""The latency of each request on the benchmarks' server. These are assumptions: see the report's introduction."""

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
    """A set of latencies.

    Attributes:
        name: its name in the report.
        description: the figures, for the report.
        seconds: the latencies, as for `WireServer.delay`.
    """

    name: str
    description: str
    seconds: float | dict[str, float]


FLAT: Final = Latencies("flat", f"each request {FLAT_SECONDS * 1000:.0f} ms", FLAT_SECONDS)
BY_OPERATION: Final = Latencies(
    "by operation",
    ", ".join(f"{kind} {ms}" for kind, (ms, _) in _BY_KIND_MS.items()) + " ms; a DeleteObjects with any number of keys",
    {operation: ms / 1000 for ms, operations in _BY_KIND_MS.values() for operation in operations},
)
BOTH: Final = (BY_OPERATION, FLAT)
