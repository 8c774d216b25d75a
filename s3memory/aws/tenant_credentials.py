"""One tenant's credentials: fetched from STS when needed, and kept while they are valid."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from s3memory.aws.errors import RequestOutcome, TenantCredentialsError, aws_errors
from s3memory.aws.retry import was_cut_short

if TYPE_CHECKING:
    from botocore.credentials import Credentials
    from mypy_boto3_sts.client import STSClient

# Threads that waited for one request to STS share its failure. Otherwise each would try for 15 s, one after the other.
_FAILURE_SECONDS = 1.0
# While a tenant's old credentials are valid, a failed renewal is not repeated for this long.
_FAILED_RENEWAL_SECONDS = 30.0
# Closer to their end, credentials may expire while a request is on its way.
_LAST_USE_BEFORE_END = timedelta(seconds=60)

_log = logging.getLogger("s3memory")


class CredentialSource:
    """Gets one tenant's credentials from STS, for refreshable credentials that call it.

    Args:
        sts: the STS client.
        request: the arguments of AssumeRole.
        renew_with: returns the client for renewing credentials that are still valid; `sts` if left out.
        clock: returns monotonic time in seconds.
    """

    def __init__(
        self,
        sts: STSClient,
        request: dict[str, Any],
        *,
        renew_with: Callable[[], STSClient] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sts = sts
        self._request = request
        self._renew_with = renew_with or (lambda: sts)
        self._clock = clock
        self._given: dict[str, str] = {}
        self._given_until = datetime.min.replace(tzinfo=UTC)
        # Not the error itself: its traceback would keep the command's local variables alive.
        self._failure: tuple[str, RequestOutcome] | None = None
        self._failed_at = 0.0

    def credentials(self) -> Credentials:
        """Return botocore credentials that are fetched, and renewed, from this source. Sends no request."""
        from botocore.credentials import DeferredRefreshableCredentials

        return DeferredRefreshableCredentials(self.fetched, "assume-role")

    def fetched(self) -> dict[str, str]:
        """Return credentials, under botocore's names for their parts.

        Raises:
            TenantCredentialsError: STS returned none, and no old ones are still valid.
        """
        # botocore calls this from one thread at a time, starting 15 minutes before the credentials expire, and accepts
        # no failure in the last 10 minutes. The old ones are valid until they expire, so they are returned again.
        is_good = self._given_until - datetime.now(UTC) > _LAST_USE_BEFORE_END
        remembered_seconds = _FAILED_RENEWAL_SECONDS if is_good else _FAILURE_SECONDS
        if self._failure is None or self._clock() - self._failed_at >= remembered_seconds:
            self._failure = self._failure_of(self._renew_with() if is_good else self._sts)
            # After a failure for lack of time, a caller with more time may succeed.
            self._failed_at = -math.inf if was_cut_short() else self._clock()
            if self._failure is not None:  # an alarm in terraform/ matches on the code
                what = "were not renewed (%s); the old ones are still valid" if is_good else "were not given (%s)"
                _log.warning(f"credentials of a tenant {what}", self._failure[0])
        if self._failure is None or is_good:
            return self._given
        code, outcome = self._failure
        # Raised here, it has no cause: botocore logs a failure with its whole chain, in which STS names roles and ARNs.
        raise TenantCredentialsError(code=code, outcome=outcome)

    def _failure_of(self, sts: STSClient) -> tuple[str, RequestOutcome] | None:
        try:
            given = sts.assume_role(**self._request)["Credentials"]
        except aws_errors() as error:
            return TenantCredentialsError.meaning_of(error)
        if given["Expiration"] <= datetime.now(UTC):
            return "AssumeRole: RequestTimeTooSkewed", RequestOutcome.DENIED
        self._given_until = given["Expiration"]
        self._given = {
            "access_key": given["AccessKeyId"],
            "secret_key": given["SecretAccessKey"],
            "token": given["SessionToken"],
            "expiry_time": given["Expiration"].isoformat(),
        }
        return None
