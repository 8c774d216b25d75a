"""The cost of a run, counted by list price while it runs."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any, Final

# US dollars per request, by list price in eu-central-1, rounded up (2026-11). Prices change.
PRICES: Final[dict[str, float]] = {
    "s3:write": 0.0000054,
    "s3:read": 0.00000043,
    "kms": 0.000003,
    "lambda": 0.0001,  # one second at 1 GB, and the request
    "other": 0.00001,
}
JOB_DOLLARS: Final = 0.26
"""A job of S3 Batch Operations, with its objects."""

DEPLOYMENT_DOLLARS_AN_HOUR: Final = 0.05
"""The hourly cost while it exists: two KMS keys, thirteen alarms, logs, metrics and the trail."""

_S3_READS = ("Get", "Head")


class OverBudgetError(Exception):
    """The next request could cost more than is allowed."""


class Budget:
    """Counts the requests of clients, and refuses the next one when the money is spent.

    Args:
        dollars: the maximum cost.
    """

    def __init__(self, dollars: float) -> None:
        self.dollars = dollars
        self._counts: Counter[str] = Counter()
        self._jobs = 0
        self._began = time.monotonic()
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """The cost so far, in dollars, by list price."""
        with self._lock:
            requests = sum(PRICES[kind] * count for kind, count in self._counts.items())
            standing = (time.monotonic() - self._began) / 3600 * DEPLOYMENT_DOLLARS_AN_HOUR
            return requests + self._jobs * JOB_DOLLARS + standing

    def watch(self, *clients: Any) -> None:
        """Count the requests of these clients from now on."""
        for client in clients:
            client.meta.events.register("before-call", self._before)

    def start_job(self) -> None:
        """Count a job. Raises `OverBudgetError` if there is not enough money left for one."""
        self._jobs += 1
        self.ensure()

    def ensure(self) -> None:
        """Raise `OverBudgetError` if more has been spent than is allowed."""
        if self.spent > self.dollars:
            raise OverBudgetError(f"over {self.dollars:.2f} USD would be spent")

    def _before(self, model: Any, **_: Any) -> None:
        service = model.service_model.service_name
        kind = service if service in PRICES else "other"
        if service == "s3":
            kind = "s3:read" if model.name.startswith(_S3_READS) else "s3:write"
        with self._lock:
            self._counts[kind] += 1
        self.ensure()
