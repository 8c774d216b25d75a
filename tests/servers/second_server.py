"""What the programs that try a second server have in common: a free port, the rules, and what they say."""

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
    """Let what ends this program end what it has started, too."""
    signal.signal(signal.SIGTERM, _exit)
    signal.signal(signal.SIGHUP, _exit)


def free_address() -> str:
    """Return an address of loopback at which nothing listens yet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def holds(endpoint_url: str, *options: str, credentials: Mapping[str, str] | None = None) -> bool:
    """Run the rules on a server. Return whether all hold.

    Args:
        endpoint_url: where it is.
        options: of pytest.
        credentials: AWS's variables; made-up ones are used without.
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
    """Tell whoever runs this."""
    sys.stdout.write(f"\n=== {text}\n")
    sys.stdout.flush()


def _exit(signum: int, _: FrameType | None) -> NoReturn:
    sys.exit(128 + signum)
