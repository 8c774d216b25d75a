"""Saying which server a command waits for, while that does not answer."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from s3memory.aws.waiting import waits_watched
from s3memory.cli.ending import shown_address
from s3memory.cli.output import note, printable, warn

_SLOW_SECONDS = 5.0


def told_if_slow(*, in_log: bool = False, after_seconds: float = _SLOW_SECONDS) -> AbstractContextManager[None]:
    """Say on stderr which server has not answered yet: the tries of one request can take most of a minute.

    Once a server has answered, it is not named any more. This is only said at a terminal, or if stderr is a log.
    """
    if not in_log and not sys.stderr.isatty():
        return nullcontext()

    def say(url: str) -> None:
        line = f"No answer from {shown_address(url)} yet."
        if in_log:
            warn(line)
        else:
            note(printable(f"{line} Ctrl-C ends the wait."))

    known = set[str]()

    @contextmanager
    def waiting_for(url: str) -> Iterator[None]:
        if url in known:
            yield
            return
        known.add(url)  # of several first requests at once, one is enough to watch
        timer = threading.Timer(after_seconds, say, [url])
        timer.daemon = True
        timer.start()
        try:
            yield
        except Exception:
            known.discard(url)  # it may have been no answer, and the next request may wait as long
            raise
        finally:
            timer.cancel()

    return waits_watched(waiting_for)
