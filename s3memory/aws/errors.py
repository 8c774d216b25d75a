"""Sorting what transports raise: by what it says about the request, and into the error tree.

`s3memory.s3.attempts` decides what follows for a write with all its tries. `s3memory.aws.botocore_errors` knows
botocore's errors, and is loaded only if botocore is.

Codes are AWS's documented ones for S3 and KMS. Keying on the code, not on the status alone, matters for 409:
``ConditionalRequestConflict`` means "another request is under way", not "exists".
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from enum import Enum, auto

from s3memory.errors import AccessDeniedError, BackendError, UnavailableError

_CODE_PATTERN = re.compile(r"[A-Za-z0-9.]{1,64}", re.ASCII)
NO_CODE = "unknown"
"""Stands for an error code that is none of AWS's."""

NOT_ALLOWED_CODES = frozenset({"403", "AccessDenied", "AccessDeniedException"})
"""These credentials may not do this. Other denials mean that credentials, bucket, key or clock are wrong."""

THROTTLING_CODES = frozenset(
    {
        "BandwidthLimitExceeded",
        "EC2ThrottledException",
        "LimitExceededException",
        "PriorRequestNotComplete",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionInProgressException",
    }
)
"""The service wants fewer requests: those of botocore's standard mode, and of AWS's retry behavior for all SDKs."""

TIMEOUT_CODES = frozenset({"RequestTimeout", "RequestTimeoutException"})
"""A server that has waited too long for a request answers 400, and says nothing of what it did with what it had."""

REQUEST_TIMEOUT = 408
"""HTTP's status for the same, of a load balancer in between. It has no code of S3's."""

TOO_MANY_REQUESTS = 429
"""HTTP's status where the service wants fewer requests; the answer to a HEAD has no other code."""

LATER_CODES = THROTTLING_CODES | {"ServiceUnavailable"}
"""Refused, to be sent again later. Of a 5xx, the code does not count."""

CONFLICT_CODES = frozenset({"ConditionalRequestConflict", "OperationAborted"})
"""Another request is under way."""

STATUSES_OF_SUCCESS: Mapping[str, frozenset[int]] = {
    "GetObject": frozenset({200, 206}),  # the whole of it, or a range
    "PutObject": frozenset({200}),
    "DeleteObject": frozenset({200, 204}),
    "AbortMultipartUpload": frozenset({200, 204}),
}
"""S3's statuses of success for operations whose answers have nothing else by which to recognize S3.

Any other 2xx comes from somebody else: a proxy that has only accepted the request says 202, and so does AWS WAF when it
wants a puzzle solved first.
"""

_REQUEST_ID_HEADERS = frozenset({"x-amz-request-id", "x-amzn-requestid"})
_MISSING_CODES = frozenset({"404", "NoSuchKey", "NoSuchVersion", "NotFound"})
_DENIED_CODES = NOT_ALLOWED_CODES | {
    "AllAccessDisabled",
    "AuthorizationHeaderMalformed",
    "DisabledException",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidAccessKeyId",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "InvalidToken",
    "KMSInvalidStateException",
    "NoSuchAccessPoint",
    "NoSuchBucket",
    "NotFoundException",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}
# As an error by key, inside a 200 of DeleteObjects, they prove as little as a 5xx does.
_UNKNOWN_CODES = LATER_CODES | TIMEOUT_CODES | {"InternalError"}


class RequestOutcome(Enum):
    """What an error says about the request that met it."""

    MISSING = auto()
    """There is no such object."""
    PRECONDITION_FAILED = auto()
    """412: the object is not, or not any more, as the condition wants it."""
    CONFLICT = auto()
    """409 ``ConditionalRequestConflict``: another conditional request is under way; read again and retry."""
    NOT_SUPPORTED = auto()
    """501: the server does not know this kind of request."""
    DENIED = auto()
    """Credentials or permissions; the request was not carried out."""
    NOT_DONE = auto()
    """Never sent, or refused for now by a 4xx; the request was not carried out."""
    UNKNOWN = auto()
    """No answer, a 5xx, throttling included, a ``RequestTimeout`` or a 408: the request may have been carried out."""
    FAILED = auto()
    """Refused for another reason; the request was not carried out."""


TRANSIENT_OUTCOMES = frozenset({RequestOutcome.UNKNOWN, RequestOutcome.NOT_DONE, RequestOutcome.CONFLICT})
"""What another try may not meet."""


class RequestError(Exception):
    """A request that failed, or was not made, in this package's own words.

    Args:
        code: what to tell of the reason: the service's error code, or a name for what went wrong on the way.
        outcome: what it says about the request.
    """

    def __init__(self, *, code: str, outcome: RequestOutcome) -> None:
        super().__init__(code)
        self.code = code
        self.outcome = outcome


class AnswerError(RequestError):
    """The service has answered, with an error, and may have said how long it wants to be left alone.

    Args:
        status: HTTP's.
        code: the service's, or the status.
        retry_after_seconds: how long it wants to be left alone.
        headers: the answer's, by their names in lower case. AWS's have a request's id, a proxy's own page has none.
    """

    def __init__(
        self,
        *,
        status: int,
        code: str,
        retry_after_seconds: float | None = None,
        headers: Collection[str] = (),
    ) -> None:
        code = known_code(code)
        super().__init__(code=code, outcome=outcome_of_answer(status, code))
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        self.has_request_id = not _REQUEST_ID_HEADERS.isdisjoint(headers)


def unreadable() -> RequestError:
    """Return the error of an answer that says success and can't be read: it proves nothing."""
    return RequestError(code="ResponseParserError", outcome=RequestOutcome.UNKNOWN)


class TenantCredentialsError(RequestError):
    """STS gave no credentials for a tenant, so the request that needed them was not sent."""

    @staticmethod
    def meaning_of(error: Exception) -> tuple[str, RequestOutcome]:
        """Return code and outcome for an error of the request to STS: what needed its answer was not sent."""
        return f"AssumeRole: {error_code(error)}", outcome_without_credentials(error)


def aws_errors() -> tuple[type[Exception], ...]:
    """Return what to catch around a request, and around reading its body, by whatever transport."""
    if "botocore" not in sys.modules:  # so nothing of botocore's can have been raised
        return (RequestError,)
    from s3memory.aws import botocore_errors  # botocore comes with it

    return (RequestError, *botocore_errors.ERRORS)


def _understood(error: Exception) -> RequestError:
    """Return an error in this package's own words."""
    if isinstance(error, RequestError):
        return error
    from s3memory.aws import botocore_errors  # botocore is there: it raised the error

    return botocore_errors.understood(error)


def outcome_of(error: Exception) -> RequestOutcome:
    """Sort an error of `aws_errors`."""
    return _understood(error).outcome


def outcome_without_credentials(error: Exception) -> RequestOutcome:
    """Sort an error of getting credentials by what it means for the request that needed them, which was not sent."""
    outcome = outcome_of(error)
    if outcome in {RequestOutcome.UNKNOWN, RequestOutcome.CONFLICT}:
        return RequestOutcome.NOT_DONE
    if outcome in {RequestOutcome.DENIED, RequestOutcome.NOT_DONE}:
        return outcome
    return RequestOutcome.FAILED  # a 404 of STS's address is not a missing object


def outcome_of_code(code: str) -> RequestOutcome:
    """Sort an error that ``DeleteObjects`` gives for one of its keys, inside an answer that is a 200."""
    if code in _UNKNOWN_CODES:
        return RequestOutcome.UNKNOWN
    return _BY_CODE.get(code, RequestOutcome.FAILED)


def outcome_of_answer(status: int, code: str) -> RequestOutcome:
    """Sort an answer that is an error, by HTTP's status and the service's code."""
    outcome = _BY_CODE.get(code)
    if status == TOO_MANY_REQUESTS:
        return RequestOutcome.NOT_DONE
    if status == REQUEST_TIMEOUT:
        return RequestOutcome.UNKNOWN
    if status >= 500 and outcome is not RequestOutcome.NOT_SUPPORTED:  # noqa: PLR2004 - HTTP's class of server errors
        return RequestOutcome.UNKNOWN
    return outcome or RequestOutcome.FAILED


def known_code(code: object) -> str:
    """Return a server's error code if it looks like one of AWS's, else ``unknown``: it may be anybody's word."""
    code = str(code)
    return code if _CODE_PATTERN.fullmatch(code) else NO_CODE


def error_code(error: Exception) -> str:
    """Return the service's error code, or the exception's type: safe to log, no names of resources."""
    return _understood(error).code


def has_code(error: Exception) -> bool:
    """Whether an error has a code of the service's own, and not HTTP's status in its place, or none that is known."""
    code = error_code(error)
    return not code.isdigit() and code != NO_CODE


def is_missing(error: Exception) -> bool:
    """Whether S3 has said that there is no such object, in an answer that has a body.

    A 404 without a code of S3's is the page of a proxy that does not find its server. The answer to a HEAD has none.
    """
    return outcome_of(error) is RequestOutcome.MISSING and has_code(error)


def has_request_id(error: Exception) -> bool:
    """Whether an answer has the id that AWS gives every request: so the answer to a HEAD is known to be S3's."""
    return getattr(_understood(error), "has_request_id", False)


def is_answer(error: Exception) -> bool:
    """Whether the service has answered, and the transport has tried again what its answer lets it try again."""
    return isinstance(_understood(error), AnswerError)


def to_backend_error(error: Exception) -> BackendError:
    """Return the error for a request that was certainly not carried out, in words that name no resource."""
    outcome, code = outcome_of(error), error_code(error)
    kind: type[BackendError]
    if outcome is RequestOutcome.DENIED:
        kind, what, then = AccessDeniedError, "refused access", " This needs an operator."
    elif outcome in TRANSIENT_OUTCOMES:
        kind, what, then = UnavailableError, "is not available right now", " Try again later."
    else:
        kind, what, then = BackendError, "could not do this", ""
    return kind(f"The memory store {what} ({code}). Nothing was changed.{then}", code=code)


_BY_CODE = {
    "PreconditionFailed": RequestOutcome.PRECONDITION_FAILED,
    "412": RequestOutcome.PRECONDITION_FAILED,
    "NotImplemented": RequestOutcome.NOT_SUPPORTED,
    **dict.fromkeys(_MISSING_CODES, RequestOutcome.MISSING),
    **dict.fromkeys(_DENIED_CODES, RequestOutcome.DENIED),
    **dict.fromkeys(CONFLICT_CODES, RequestOutcome.CONFLICT),
    **dict.fromkeys(LATER_CODES, RequestOutcome.NOT_DONE),
    **dict.fromkeys(TIMEOUT_CODES, RequestOutcome.UNKNOWN),
}
