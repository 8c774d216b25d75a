"""Who waits for a server is told for which one, whatever the command."""

from __future__ import annotations

import functools
import io
import threading
from collections.abc import Iterator
from contextlib import redirect_stderr

import pytest
from support.cli_runs import Run
from support.wire_server import Received, WireServer, error_answer

from s3memory import LocalKeyWrapper
from s3memory.aws.waiting import waiting_for
from s3memory.cli import groups
from s3memory.cli.waiting import report_if_slow

SERVER = "https://user:secret@s3.example.com/path"


class _Standard(io.StringIO):
    """What stands in for standard error, and knows when a silence was told of."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal
        self.is_told = threading.Event()

    def isatty(self) -> bool:
        return self.is_terminal

    def write(self, text: str, /) -> int:
        written = super().write(text)
        if "No answer" in text:
            self.is_told.set()
        return written


def is_watched() -> bool:
    timers = [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]
    return not all(timer.finished.is_set() for timer in timers)


@pytest.fixture
def terminal() -> _Standard:
    return _Standard(is_terminal=True)


def test_a_person_who_waits_is_told_for_which_server_and_not_its_password(terminal: _Standard) -> None:
    with redirect_stderr(terminal), report_if_slow(after_seconds=0.0), waiting_for(SERVER):
        assert terminal.is_told.wait(60)
    assert terminal.getvalue() == "No answer from https://s3.example.com yet. Ctrl-C ends the wait.\n"


def test_a_server_that_answered_is_not_watched_again_and_one_that_failed_is(terminal: _Standard) -> None:
    with redirect_stderr(terminal), report_if_slow(after_seconds=3_600):
        with pytest.raises(OSError, match="no route"), waiting_for(SERVER):
            raise OSError("no route")
        assert not is_watched()
        with waiting_for(SERVER):
            assert is_watched()
        assert not is_watched()
        with waiting_for(SERVER):
            assert not is_watched()
        with waiting_for("https://kms.example.com"):
            assert is_watched(), "another server"


def test_nobody_is_told_where_nobody_looks_but_a_log_is() -> None:
    piped = _Standard(is_terminal=False)
    with redirect_stderr(piped), report_if_slow(after_seconds=3_600), waiting_for(SERVER):
        assert not is_watched()
    with redirect_stderr(piped), report_if_slow(in_log=True, after_seconds=0.0), waiting_for(SERVER):
        assert piped.is_told.wait(60)
    assert piped.getvalue() == "s3memory: No answer from https://s3.example.com yet.\n"


@pytest.fixture
def slow_server(monkeypatch: pytest.MonkeyPatch, terminal: _Standard) -> Iterator[WireServer]:
    """Settings of a server that answers once its silence was told of, and refuses everything then."""

    def refuse_once_told(_: Received) -> bytes:
        assert terminal.is_told.wait(60)
        return error_answer(403, "AccessDenied")

    monkeypatch.setattr(groups, "report_if_slow", functools.partial(report_if_slow, after_seconds=0.0))
    with WireServer(refuse_once_told) as server:
        for name, value in {
            "S3MEMORY_ENDPOINT_URL": server.url,
            "S3MEMORY_BUCKET": "memory",
            "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text(),
            "S3MEMORY_TENANT": "acme",
        }.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.mark.parametrize(
    "line",
    [
        'call {"command":"view","path":"/memories"}',
        "tenants",
        "erase --tenant acme --dry-run",
        "ls",
        "verify",
        "keys show",
    ],
)
def test_every_command_says_which_server_it_waits_for(
    run: Run, terminal: _Standard, slow_server: WireServer, line: str
) -> None:
    with redirect_stderr(terminal):
        ran = run(*line.split())
    assert ran.exit_code != 0
    assert f"No answer from {slow_server.url} yet. Ctrl-C ends the wait.\n" in terminal.getvalue()
    assert "No answer" not in ran.out
