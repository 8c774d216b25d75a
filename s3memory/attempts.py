"""Whether a request that failed in the end may have been carried out by one of its earlier tries.

botocore tries again by itself and shows only the last answer. A try that got none, or a server's error, may have been
carried out all the same; this remembers whether there was one, call by call.
"""

from __future__ import annotations

import threading
from typing import Any

from botocore.exceptions import ClientError

from s3memory.aws_errors import Outcome, outcome_of

_calls = threading.local()


def watch(client: Any) -> None:
    """Note the tries of a client's requests from now on. A client that is no botocore client tries once."""
    events = getattr(client.meta, "events", None)
    if events is not None:
        events.register("needs-retry", _note, unique_id="s3memory-attempts")


class Call:
    """One call, with all its tries.

    Attributes:
        may_be_done: whether a try got no answer, or a server's error.
    """

    def __init__(self) -> None:
        self.may_be_done = False


def begin() -> Call:
    """Begin a call in this thread: the tries from now on are noted in what is returned."""
    _calls.current = Call()
    return _calls.current  # type: ignore[no-any-return]  # a thread's locals have no types


def _note(*, response: Any = None, caught_exception: Exception | None = None, **_: object) -> None:
    error = caught_exception
    if error is None and response is not None and response[0].status_code >= 300:  # noqa: PLR2004 - no success
        error = ClientError(response[1], "request")
    call: Call | None = getattr(_calls, "current", None)
    if call is not None and error is not None and outcome_of(error) is Outcome.UNKNOWN:
        call.may_be_done = True
