"""The clock of the mocked S3, set by a test: versions of one second can't be told in order by their times."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

SetClock = Callable[[int], datetime]
