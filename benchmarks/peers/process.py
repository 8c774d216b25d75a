"""Starts the peers' processes and sends them jobs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from wire import WireServer

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build"
OURS = "s3memory"
UNREDACTED = "s3memory_unredacted"
LOCAL = "sdk_local"
EACH = "a data key for each object"
CACHED = "a cached data key"


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer to measure.

    Attributes:
        name: the name of its module, or `OURS`, `UNREDACTED` or `LOCAL`.
        title: its name in the report.
        python: the interpreter that has its libraries.
        data_keys: `EACH` or `CACHED` if the client encrypts; empty if the server sees plaintext.
    """

    name: str
    title: str
    python: str = sys.executable
    data_keys: str = ""

    @property
    def bucket(self) -> str:
        """The peer's own bucket."""
        return f"bench-{self.name.replace('_', '-')}"


PEERS = (
    Peer(OURS, "s3memory"),
    Peer(UNREDACTED, "s3memory, redaction off"),
    Peer("afternoon", "afternoon version", data_keys=EACH),
    Peer("encryption_client", "S3 Encryption Client", str(BUILD / "encryption_client/bin/python"), data_keys=EACH),
    Peer("cached_key", "cached key", data_keys=CACHED),
    Peer("cached_key_threads", "cached key, 32 threads", data_keys=CACHED),
    Peer("sse_kms", "SSE-KMS, 32 threads"),
    Peer("s3fs_tool", "s3fs", str(BUILD / "s3fs/bin/python")),
    Peer(LOCAL, "SDK's local files"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a job: its wall time, and for each call its text, whether it failed, and its wall time."""

    seconds: float
    results: list[list[tuple[str, bool, float]]]
    peak_kilobytes: int


class PeerProcess:
    """A context manager that runs a process with one peer in it."""

    def __init__(self, peer: Peer, server: WireServer) -> None:
        self.peer = peer
        self._server = server
        self._cleanup = ExitStack()
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        """Start the process, without waiting until it has imported its libraries."""
        directory = self._cleanup.enter_context(tempfile.TemporaryDirectory())
        environment = {
            "PATH": os.defpath,
            "PYTHONPATH": str(HERE.parent),
            "BENCH_BUCKET": self.peer.bucket,
            "BENCH_DIRECTORY": directory,
            "S3MEMORY_BUCKET": self.peer.bucket,
            "S3MEMORY_KMS_KEY_ID": "alias/benchmark",
            **({"S3MEMORY_REDACTION": "off"} if self.peer.name == UNREDACTED else {}),
            **self._server.environment,
        }
        self._process = subprocess.Popen(  # noqa: S603 - our interpreters, our program
            [self.peer.python, "-m", "peers.worker", self.peer.name],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, and wait until it has ended."""
        if self._process is not None:
            self._process.communicate()
        self._cleanup.close()

    def run(self, *batches: list[dict[str, Any]], how: str = "sequence", may_fail: bool = False) -> Outcome:
        """Carry out batches of calls.

        Args:
            batches: the tool inputs of each batch.
            how: how batches run: ``sequence``, ``threads`` or ``async``, see `peers.worker`.
            may_fail: whether failed calls are expected.

        Raises:
            RuntimeError: the peer has died, or a call failed unexpectedly.
        """
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("this process is not running")
        self._process.stdin.write(json.dumps({"how": how, "batches": batches}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.peer.title} has died")
        outcome = Outcome(**json.loads(line))
        failed = [text for batch in outcome.results for text, is_error, _ in batch if is_error]
        if failed and not may_fail:
            raise RuntimeError(f"{self.peer.title}: {failed[0]}")
        return outcome


def cold_session(peer: Peer, server: WireServer, calls: list[dict[str, Any]]) -> tuple[float, int]:
    """Start a process, and carry out calls in it.

    Returns:
        The wall time in seconds, including the start, and the peak of resident memory in kilobytes.
    """
    begin = time.perf_counter()
    with PeerProcess(peer, server) as process:
        outcome = process.run(calls)
        return time.perf_counter() - begin, outcome.peak_kilobytes
