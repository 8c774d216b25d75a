"""One tenant's credentials: asked of STS when they are needed, and kept for as long as they are good."""

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

# Threads that waited for one request to STS share its failure. Otherwise each would try for 15 s, one after another.
_FAILURE_SECONDS = 1.0
# While a tenant's old credentials are good, an STS that does not answer is waited for at most once in this time.
_FAILED_RENEWAL_SECONDS = 30.0
# From here on, old credentials may expire while a request is on its way.
_LAST_USE_BEFORE_END = timedelta(seconds=60)

_log = logging.getLogger("s3memory")


class CredentialSource:
    """Asks STS for one tenant's credentials, when botocore's refreshing credentials call for them.

    Args:
        sts: the client.
        request: what to ask.
        renew_with: gives the client for renewing credentials that are still good; the same one if left out.
        clock: monotonic time in seconds.
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
        # Not the error itself: its traceback would keep what the command had in hand.
        self._failure: tuple[str, RequestOutcome] | None = None
        self._failed_at = 0.0

    def credentials(self) -> Credentials:
        """Return credentials that come from here, and come again before they end. No request is made."""
        from botocore.credentials import DeferredRefreshableCredentials

        return DeferredRefreshableCredentials(self.fetched, "assume-role")

    def fetched(self) -> dict[str, str]:
        """Return credentials, by the names that botocore has for them.

        Raises:
            TenantCredentialsError: STS gave none, and there are no old ones that are good yet.
        """
        # botocore calls this from one thread at a time, from 15 minutes before the credentials end, and accepts no
        # failure in the last 10 minutes. The old ones are good until their end, so they are returned again.
        is_good = self._given_until - datetime.now(UTC) > _LAST_USE_BEFORE_END
        remembered_seconds = _FAILED_RENEWAL_SECONDS if is_good else _FAILURE_SECONDS
        if self._failure is None or self._clock() - self._failed_at >= remembered_seconds:
            self._failure = self._failure_of(self._renew_with() if is_good else self._sts)
            # Who has more time may get some.
            self._failed_at = -math.inf if was_cut_short() else self._clock()
            if self._failure is not None:  # an alarm of terraform/ looks for the code
                what = "were not renewed (%s); the old ones are good yet" if is_good else "were not given (%s)"
                _log.warning(f"credentials of a tenant {what}", self._failure[0])
        if self._failure is None or is_good:
            return self._given
        code, outcome = self._failure
        # Out here it has no cause: botocore logs a failure with its whole chain, and STS names roles and ARNs in it.
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
