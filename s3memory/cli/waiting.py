"""What a command says while a server does not answer: for which one it waits."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from s3memory.aws.waiting import waits_watched
from s3memory.cli.ending import shown_address
from s3memory.cli.output import note, printable, warn

_SLOW_SECONDS = 5.0


def told_if_slow(*, in_log: bool = False, after_seconds: float = _SLOW_SECONDS) -> AbstractContextManager[None]:
    """Say on stderr which server has not answered yet: the tries of one request can take most of a minute.

    Once a server has answered, nothing more is said of it. It is said at a terminal alone, or where stderr is a log.
    """
    if not in_log and not sys.stderr.isatty():
        return nullcontext()

    def say(address: str) -> None:
        line = f"No answer from {address} yet."
        if in_log:
            warn(line)
        else:
            note(printable(f"{line} Ctrl-C ends the wait."))

    return waits_watched(_FirstAnswers(say, after_seconds).waiting_for)


class _FirstAnswers:
    def __init__(self, say: Callable[[str], None], after_seconds: float) -> None:
        self._say = say
        self._after_seconds = after_seconds
        self._known = set[str]()

    @contextmanager
    def waiting_for(self, url: str) -> Iterator[None]:
        if url in self._known:
            yield
            return
        self._known.add(url)  # of several first requests at once, one is enough to watch
        timer = threading.Timer(self._after_seconds, self._say, [shown_address(url)])
        timer.daemon = True
        timer.start()
        try:
            yield
        except Exception:
            self._known.discard(url)  # it may have been no answer, and the next request may wait as long
            raise
        finally:
            timer.cancel()
