"""Stops botocore's retries if the caller's time runs short. Its connections limit how long each response may take."""

from __future__ import annotations

from typing import Any

from s3memory.aws.retry import has_time_for

# The bounds of botocore's pauses: those for throttling, which are the longest, and what a server's header may add.
_PAUSE_SECONDS, _MAX_PAUSE_SECONDS, _MAX_ADDED_SECONDS = 1.0, 20.0, 5.0
_REDIRECTS = range(300, 400)


def end_in_time(*, attempts: int, response: Any = None, **_: object) -> Any:
    """Return false, which prevents a retry, if there may be no time for the pause before it (``needs-retry``)."""
    pause = min(_PAUSE_SECONDS * 2 ** (attempts - 1), _MAX_PAUSE_SECONDS)
    if response is not None:
        if response[0].status_code in _REDIRECTS:
            pause = 0.0
        elif "x-amz-retry-after" in response[0].headers:
            pause += _MAX_ADDED_SECONDS
    return None if has_time_for(pause) else False
