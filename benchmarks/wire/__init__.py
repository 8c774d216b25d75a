"""A local server for S3, KMS and STS that delays and records its responses, to measure clients of any kind.

It answers like `support.memory_s3`, but over HTTP, and with little CPU, so that the client and its round trips are
measured. It runs in a separate process, so client and server share no interpreter lock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HERE = Path(__file__).parent
OPERATIONS: Final = (
    *("GetObject", "HeadObject", "PutObject", "ListObjectsV2", "DeleteObject", "DeleteObjects", "CopyObject"),
    *("ListObjectVersions", "ListMultipartUploads"),
    *("GenerateDataKey", "Encrypt", "Decrypt", "AssumeRole"),
)
"""The operations that the server answers, by AWS's names."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response, as the server saw them.

    Attributes:
        service: ``s3``, ``kms`` or ``sts``.
        operation: AWS's name, such as ``PutObject``, ``Decrypt`` or ``AssumeRole``.
        status: the HTTP status of the response.
        begin_seconds: when the request's head had arrived, by the server's clock.
        end_seconds: when the response was sent.
        received_bytes: the size of the request, head and body.
        sent_bytes: the size of the response, head and body.
    """

    service: str
    operation: str
    status: int
    begin_seconds: float
    end_seconds: float
    received_bytes: int
    sent_bytes: int


def longest_chain(exchanges: Iterable[Exchange]) -> int:
    """Return the number of sequential round trips: the largest number of exchanges of which no two overlap in time.

    A request that waits for another one's response never overlaps it, so the count is never too low. It is too high if
    a client is so slow to send two parallel requests that the server answers the first before it has the second. So
    take the minimum of several runs.
    """
    count, free_from = 0, float("-inf")
    for exchange in sorted(exchanges, key=lambda exchange: exchange.end_seconds):
        if exchange.begin_seconds >= free_from:
            count, free_from = count + 1, exchange.end_seconds
    return count


class WireServer:
    """A context manager that runs the server on a free port of 127.0.0.1. Every bucket exists, and is empty at first.

    Args:
        delay_seconds: see `delay`.
    """

    def __init__(self, *, delay_seconds: float | Mapping[str, float]) -> None:
        self._delay_seconds = delay_seconds
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def __enter__(self) -> Self:
        """Start the server.

        Raises:
            RuntimeError: it did not start.
        """
        self._process = subprocess.Popen(
            [sys.executable, "-m", "wire.server"],
            env=os.environ | {"PYTHONPATH": str(_HERE.parent)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        port = self._process.stdout.readline().strip() if self._process.stdout else ""
        if not port:
            raise RuntimeError("the benchmark's server did not start")
        self.url = f"http://127.0.0.1:{port}"
        self.delay(self._delay_seconds)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server, and wait until it has ended."""
        if self._process is not None:
            self._process.communicate()

    @property
    def environment(self) -> dict[str, str]:
        """The environment with which boto3, aiobotocore and this package reach only this server."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "eu-central-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "NO_PROXY": "127.0.0.1",
        }

    def take_record(self) -> list[Exchange]:
        """Return the exchanges since the last call, in the order in which they ended."""
        return [Exchange(*row) for row in self._control("record", {})]

    def fill(self, bucket: str, object_keys: list[str], *, size_bytes: int) -> None:
        """Store objects filled with zeros, without delay, and without recording them."""
        self._control("fill", {"bucket": bucket, "keys": object_keys, "size": size_bytes})

    def delay(self, seconds: float | Mapping[str, float]) -> None:
        """Delay responses from now on, as a network and S3 would. Parallel requests wait in parallel.

        Args:
            seconds: the delay: one number for all operations, or one for each of `OPERATIONS`.

        Raises:
            ValueError: an operation is missing or unknown.
        """
        by_operation = dict.fromkeys(OPERATIONS, seconds) if isinstance(seconds, int | float) else dict(seconds)
        if by_operation.keys() != set(OPERATIONS):
            raise ValueError(f"unknown, or without a latency: {sorted(by_operation.keys() ^ set(OPERATIONS))}")
        self._control("delay", {"seconds": by_operation})

    def _control(self, what: str, arguments: dict[str, Any]) -> Any:
        request = urllib.request.Request(  # noqa: S310 - loopback
            f"{self.url}/_{what}", data=json.dumps(arguments).encode(), method="POST"
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request) as answer:
            return json.load(answer)
