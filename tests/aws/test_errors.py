"""What an answer's status and code mean, for whoever sends the request again and for who is told of its end."""

from __future__ import annotations

import pytest
from botocore.retries.standard import ThrottledRetryableChecker, TransientRetryableChecker
from support.for_each import for_each

from s3memory.aws.errors import AnswerError, RequestOutcome, outcome_of_answer, outcome_of_code, to_backend_error
from s3memory.errors import AccessDeniedError, BackendError, UnavailableError

# botocore's own lists, so that a code which it adds is found here.
THROTTLED: list[str] = sorted(ThrottledRetryableChecker._THROTTLED_ERROR_CODES)  # type: ignore[attr-defined]
SENT_AGAIN = sorted({*THROTTLED, *TransientRetryableChecker._TRANSIENT_ERROR_CODES})  # type: ignore[attr-defined]


@for_each("code", SENT_AGAIN)
def test_what_is_sent_again_is_never_worded_as_final(code: str) -> None:
    assert isinstance(to_backend_error(AnswerError(status=400, code=code)), UnavailableError)


@for_each("code", THROTTLED)
def test_throttling_was_not_carried_out_where_a_4xx_says_so(code: str) -> None:
    assert outcome_of_answer(400, code) is RequestOutcome.NOT_DONE
    # A 5xx proves nothing, and an error by key, which has no status, as little.
    assert outcome_of_answer(503, code) is outcome_of_code(code) is RequestOutcome.UNKNOWN


@pytest.mark.parametrize("code", ["TooManyRequests", "429", "unknown"])
def test_a_429_wants_fewer_requests_whatever_its_code(code: str) -> None:
    assert outcome_of_answer(429, code) is RequestOutcome.NOT_DONE


@pytest.mark.parametrize("code", ["408", "unknown", "RequestTimeout"])
def test_a_408_is_no_refusal_but_another_try_may_not_meet_it_and_it_proves_nothing(code: str) -> None:
    """Load balancers say it of a connection on which a request came too slowly, or too late."""
    assert outcome_of_answer(408, code) is RequestOutcome.UNKNOWN
    assert isinstance(to_backend_error(AnswerError(status=408, code=code)), UnavailableError)


def test_any_other_refusal_is_final() -> None:
    error = to_backend_error(AnswerError(status=400, code="InvalidRequest"))
    assert type(error) is BackendError


@pytest.mark.parametrize("code", ["InvalidSignatureException", "NoSuchAccessPoint"])
def test_a_key_a_clock_or_a_name_that_is_wrong_is_a_refusal_of_access(code: str) -> None:
    """KMS and DynamoDB say the first of a clock that is more than 5 minutes off, where S3 lets 15 pass."""
    assert isinstance(to_backend_error(AnswerError(status=400, code=code)), AccessDeniedError)
