"""Keeping botocore to the time that a caller has left: by the timeout of each request, and before each repeat.

botocore makes its timeouts with a client, but takes a request's own for reading from its context, since 1.44. Before
that it waits for an answer as long as the client was made for.
"""

from __future__ import annotations

import math
from typing import Any

from s3memory.aws.retry import LEAST_SECONDS, has_time_for, request_seconds

# The bounds of botocore's pauses: for throttling, which are its longest, and for what a server asks for beside them.
_PAUSE_SECONDS, _MAX_PAUSE_SECONDS, _MAX_ADDED_SECONDS = 1.0, 20.0, 5.0
# What botocore waits for the word to send a body, before it sends it all the same and waits for the answer.
_EXPECTING_SECONDS = 1.0
_REDIRECTS = range(300, 400)


def bound_by_what_is_left(*, request: Any, **_: object) -> None:
    """Have botocore wait no longer for an answer than there is time (``request-created``)."""
    seconds = request_seconds()
    if math.isfinite(seconds):
        if "Expect" in request.headers:
            seconds = max(seconds - _EXPECTING_SECONDS, LEAST_SECONDS)
        usual = request.context["client_config"].read_timeout
        request.context["read_timeout"] = seconds if usual is None else min(seconds, usual)


def end_in_time(*, attempts: int, response: Any = None, **_: object) -> Any:
    """Return that a request is not sent again if there may be no time for the pause before it (``needs-retry``)."""
    pause = min(_PAUSE_SECONDS * 2 ** (attempts - 1), _MAX_PAUSE_SECONDS)
    if response is not None:
        if response[0].status_code in _REDIRECTS:
            pause = 0.0
        elif "x-amz-retry-after" in response[0].headers:
            pause += _MAX_ADDED_SECONDS
    return None if has_time_for(pause) else False
