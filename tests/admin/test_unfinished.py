"""A job of many writes that an error ends says that it was not finished, why it ended, and whether waiting helps."""

from __future__ import annotations

import pytest

from s3memory.admin.long_jobs import job
from s3memory.errors import (
    AccessDeniedError,
    BackendError,
    OutcomeUnknownError,
    UnavailableError,
    UnfinishedError,
)

LATER = "What was done stays. Run it again later."
OPERATOR = "What was done stays. This needs an operator. Then run it again."


@pytest.mark.parametrize(
    ("kind", "code", "told"),
    [
        (UnavailableError, "SlowDown", f"the memory store did not answer as it should (SlowDown). {LATER}"),
        (
            OutcomeUnknownError,
            "InternalError",
            f"the memory store did not answer as it should (InternalError). {LATER}",
        ),
        (OutcomeUnknownError, None, f"the memory store did not answer as it should. {LATER}"),
        (AccessDeniedError, "AccessDenied", f"the memory store refused access (AccessDenied). {OPERATOR}"),
        (BackendError, "InvalidObjectState", f"the memory store refused something (InvalidObjectState). {OPERATOR}"),
    ],
)
def test_the_error_of_one_request_becomes_one_of_the_job(kind: type[BackendError], code: str | None, told: str) -> None:
    error = kind("The memory store. Nothing was changed.")
    error.code = code
    with pytest.raises(UnfinishedError) as caught, job("The sweep"):
        raise error
    assert str(caught.value) == f"The sweep was not finished, because {told}"
