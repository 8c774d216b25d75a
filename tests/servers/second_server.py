"""Shared by the programs that test a second server: a free port, the rules, and messages."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import NoReturn

PROJECT = Path(__file__).parents[2]
RULES = "tests/conformance/test_second_server.py"
RUN_SECONDS = 1_800


def end_on_signals() -> None:
    """Let signals that end this program also end what it has started."""
    signal.signal(signal.SIGTERM, _exit)
    signal.signal(signal.SIGHUP, _exit)


def free_address() -> str:
    """Return a loopback address that nothing listens on yet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def holds(endpoint_url: str, *options: str, credentials: Mapping[str, str] | None = None) -> bool:
    """Run the rules on a server. Return whether all hold.

    Args:
        endpoint_url: its URL.
        options: options for pytest.
        credentials: AWS's variables; made-up ones are used if left out.
    """
    mine = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    run = subprocess.run(  # noqa: S603 - the line below
        [sys.executable, "-m", "pytest", "-n", "2", "-q", *options, RULES],
        check=False,
        cwd=PROJECT,
        env={**mine, **(credentials or {}), "CONFORMANCE_ENDPOINT_URL": endpoint_url},
        timeout=RUN_SECONDS,
    )
    return run.returncode == 0


def say(text: str) -> None:
    """Print a message for the user."""
    sys.stdout.write(f"\n=== {text}\n")
    sys.stdout.flush()


def _exit(signum: int, _: FrameType | None) -> NoReturn:
    sys.exit(128 + signum)
