"""The clock of the mocked S3, which tests set: times cannot order versions that were written in the same second."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

SetClock = Callable[[int], datetime]
