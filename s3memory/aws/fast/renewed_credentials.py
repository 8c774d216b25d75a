"""One tenant's credentials for the second transport: fetched from STS, and renewed before they expire."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from s3memory._forks import OfOneProcess
from s3memory.aws.fast.http import SigningKeys
from s3memory.aws.tenant_credentials import CredentialSource

# botocore's times: from the first on, one thread at a time renews the credentials; from the second on, all wait for it.
_RENEWED_BEFORE_END = timedelta(minutes=15)
_AWAITED_BEFORE_END = timedelta(minutes=10)


class RenewedKeys(OfOneProcess):
    """Credentials that are fetched from a source when first needed, and renewed before they expire."""

    def __init__(self, source: CredentialSource) -> None:
        self._source = source
        self._given: tuple[SigningKeys, datetime] | None = None
        super().__init__()

    def reset_after_fork(self) -> None:
        """Create a new lock, since the parent's may have been held during a fork."""
        self._lock = threading.Lock()

    def __call__(self) -> SigningKeys:
        """Return the credentials. Raise `TenantCredentialsError` if STS returned none and no old ones are valid."""
        if self._are_due(_AWAITED_BEFORE_END):
            with self._lock:
                if self._are_due(_AWAITED_BEFORE_END):
                    return self._renewed()
        elif self._are_due(_RENEWED_BEFORE_END) and self._lock.acquire(blocking=False):
            try:
                return self._renewed()
            finally:
                self._lock.release()
        if self._given is None:
            raise AssertionError("what is not due is there")
        return self._given[0]

    def _are_due(self, before_end: timedelta) -> bool:
        return self._given is None or self._given[1] - datetime.now(UTC) < before_end

    def _renewed(self) -> SigningKeys:
        given = self._source.fetched()
        keys = SigningKeys(given["access_key"], given["secret_key"], given["token"])
        self._given = (keys, datetime.fromisoformat(given["expiry_time"]))
        return keys
