"""What a response's status and code mean, for the code that retries and for the caller who sees the final error."""

from __future__ import annotations

import pytest
from botocore.retries.standard import ThrottledRetryableChecker, TransientRetryableChecker
from support.for_each import for_each

from s3memory.aws.errors import AnswerError, RequestOutcome, outcome_of_answer, outcome_of_code, to_backend_error
from s3memory.errors import AccessDeniedError, BackendError, UnavailableError

# botocore's own lists, so that a code that it adds is covered here.
THROTTLED: list[str] = sorted(ThrottledRetryableChecker._THROTTLED_ERROR_CODES)  # type: ignore[attr-defined]
SENT_AGAIN = sorted({*THROTTLED, *TransientRetryableChecker._TRANSIENT_ERROR_CODES})  # type: ignore[attr-defined]


@for_each("code", SENT_AGAIN)
def test_errors_that_are_retried_are_never_worded_as_final(code: str) -> None:
    assert isinstance(to_backend_error(AnswerError(status=400, code=code)), UnavailableError)


@for_each("code", THROTTLED)
def test_throttling_means_not_carried_out_only_with_a_4xx(code: str) -> None:
    assert outcome_of_answer(400, code) is RequestOutcome.NOT_DONE
    # A 5xx proves nothing, nor does an error by key, which has no status.
    assert outcome_of_answer(503, code) is outcome_of_code(code) is RequestOutcome.UNKNOWN


@pytest.mark.parametrize("code", ["TooManyRequests", "429", "unknown"])
def test_a_429_is_throttling_whatever_its_code(code: str) -> None:
    assert outcome_of_answer(429, code) is RequestOutcome.NOT_DONE


@pytest.mark.parametrize("code", ["408", "unknown", "RequestTimeout"])
def test_a_408_is_temporary_and_proves_nothing(code: str) -> None:
    """Load balancers send it for a connection on which a request came too slowly, or too late."""
    assert outcome_of_answer(408, code) is RequestOutcome.UNKNOWN
    assert isinstance(to_backend_error(AnswerError(status=408, code=code)), UnavailableError)


def test_any_other_refusal_is_final() -> None:
    error = to_backend_error(AnswerError(status=400, code="InvalidRequest"))
    assert type(error) is BackendError


@pytest.mark.parametrize("code", ["InvalidSignatureException", "NoSuchAccessPoint"])
def test_a_wrong_key_clock_or_name_is_a_refusal_of_access(code: str) -> None:
    """KMS and DynamoDB report a clock that is more than 5 minutes off as the first, S3 only after 15."""
    assert isinstance(to_backend_error(AnswerError(status=400, code=code)), AccessDeniedError)
