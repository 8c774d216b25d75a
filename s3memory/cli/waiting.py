"""`report_if_slow`: tells the user which server a command is waiting for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from s3memory.aws.waiting import watching_waits
from s3memory.cli.ending import shown_address
from s3memory.cli.output import note, printable, warn

_SLOW_SECONDS = 5.0


def report_if_slow(*, in_log: bool = False, after_seconds: float = _SLOW_SECONDS) -> AbstractContextManager[None]:
    """Report on stderr which server has not answered yet: the attempts of one request can take most of a minute.

    A server that has answered once is not reported any more. Nothing is reported unless stderr is a terminal or a log.
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
        known.add(url)  # if several first requests are sent at once, watching one is enough
        timer = threading.Timer(after_seconds, say, [url])
        timer.daemon = True
        timer.start()
        try:
            yield
        except Exception:
            known.discard(url)  # the server may not have answered at all, and the next request may wait as long
            raise
        finally:
            timer.cancel()

    return watching_waits(waiting_for)
