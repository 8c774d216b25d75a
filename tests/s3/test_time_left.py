"""What callers with a deadline can rely on: neither retries nor waiting for a response go beyond it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from support.certificates import Certificates
from support.fast_transport import TRANSPORT
from support.wire_server import Drip, Stall, WireServer, answer, error_answer

from s3memory.aws.clients import BOTO3, FAST, clients_of_process
from s3memory.aws.retry import RetryPolicy, request_seconds
from s3memory.commands import MemoryCommands
from s3memory.errors import OutcomeUnknownError, UnavailableError
from s3memory.s3.bucket import Bucket

SLOW_DOWN = error_answer(503, "SlowDown")
KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
of_boto3 = pytest.mark.skipif(TRANSPORT != BOTO3, reason="it is of botocore's client, and all is sent by libcurl")

pytestmark = pytest.mark.usefixtures("no_clients_of_other_tests")


class Clock:
    """The time left, which only pauses reduce."""

    def __init__(self, left: float) -> None:
        self.left = left

    def __call__(self) -> float:
        return self.left

    def sleep(self, seconds: float) -> None:
        self.left -= seconds
        assert self.left > 0, "it paused for longer than there was time"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(3.0)
    monkeypatch.setattr("botocore.endpoint.time.sleep", clock.sleep)
    return clock


def bucket_at(url: str, remaining_seconds: Callable[[], float], transport: str = BOTO3) -> Bucket:
    retry = RetryPolicy(max_tries=16, remaining_seconds=remaining_seconds)
    return Bucket(clients_of_process(transport).s3_client(endpoint_url=url), "b-b", retry=retry)


@of_boto3
def test_boto3_does_not_retry_if_there_may_be_no_time_for_it(clock: Clock) -> None:
    clock.left = 0.9
    with WireServer(lambda _: SLOW_DOWN) as server, pytest.raises(UnavailableError, match="SlowDown"):
        bucket_at(server.url, clock).get("k")
    assert len(server.received) == 1


@pytest.mark.parametrize("left", [1.5, 3.0, 100.0])
def test_a_throttled_write_pauses_no_longer_than_there_is_time(
    clock: Clock, left: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOTO_EXPERIMENTAL__NO_EMPTY_CONTINUE", "true")  # this server never sends 100 Continue
    clock.left = left
    with WireServer(lambda one: answer(404) if one.method == "GET" else SLOW_DOWN) as server:
        with pytest.raises(OutcomeUnknownError):
            bucket_at(server.url, clock).put("k", b"")
        assert [one.method for one in server.received].count("PUT") <= 6


@of_boto3
def test_boto3_follows_a_redirect_however_little_time_is_left() -> None:
    def elsewhere(received: Any) -> bytes:
        is_asked_there = "/eu-west-1/s3/" in (received.header("authorization") or "")
        return answer(200, b"x", ETag='"x"') if is_asked_there else answer(301, x_amz_bucket_region="eu-west-1")

    with WireServer(elsewhere) as server:
        client: Any = bucket_at(server.url, lambda: 0.1)._client
        assert client.get_object(Bucket="b-b", Key="k")["Body"].read() == b"x"


@pytest.mark.parametrize("transport", [BOTO3, FAST])
def test_a_response_is_awaited_as_long_as_there_is_time(transport: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's own timeout (5 s), or a retry, would last longer than this server stalls."""
    ends = iter([0.01, *[0.0] * 99])
    with WireServer(lambda _: Stall()) as server, pytest.raises(UnavailableError, match="ReadTimeout"):
        bucket_at(server.url, lambda: next(ends), transport).get("k")
    assert len(server.received) == 1


OBJECT = b'HTTP/1.1 200 X\r\nETag: "x"\r\nLast-Modified: Mon, 02 Mar 2026 12:00:00 GMT\r\nContent-Length: 300\r\n\r\n'
DRIPS = {  # each ends by itself after some seconds
    "head": Drip(b"HTTP/1.1 200 X\r\nA: 1\r\n", again=16, every_seconds=0.01),
    "body": Drip(OBJECT + b" ", again=len(OBJECT), every_seconds=0.01),
}


@pytest.mark.parametrize("transport", [pytest.param(BOTO3, marks=of_boto3), FAST])
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("drip", DRIPS)
def test_a_response_that_arrives_byte_by_byte_is_not_awaited_beyond_the_deadline(
    drip: str, scheme: str, transport: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificates = Certificates(tmp_path)
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificates.authority))
    with WireServer(lambda _: DRIPS[drip], tls=certificates.server_context() if scheme == "https" else None) as server:
        bucket = bucket_at(server.url, lambda: 0.0, transport)
        with pytest.raises(UnavailableError, match="ReadTimeout"):
            bucket.get("k")
        with pytest.raises(OutcomeUnknownError):
            bucket.put("k", b"")
    # The last request checks what the PUT has done, and may end before the server has read it.
    assert [one.method for one in server.received] in (["GET", "PUT"], ["GET", "PUT", "GET"])


@of_boto3
def test_boto3_waits_no_longer_than_its_clients_timeout_however_much_time_is_left() -> None:
    with WireServer(lambda _: Stall()) as server:
        config = Config(read_timeout=0.05, retries={"total_max_attempts": 1})
        client = boto3.client("s3", endpoint_url=server.url, config=config)
        retry = RetryPolicy(max_tries=1, remaining_seconds=lambda: 60.0)
        with pytest.raises(UnavailableError, match="ReadTimeout"):
            Bucket(client, "b-b", retry=retry).get("k")


def test_a_caller_without_a_deadline_is_not_bound_by_anothers() -> None:
    with RetryPolicy(max_tries=1, remaining_seconds=lambda: 2.0).in_time():
        assert request_seconds() == 2.0
        with RetryPolicy(max_tries=1).in_time():
            assert request_seconds() == float("inf")


@pytest.mark.parametrize("command", ["view", "create", "str_replace", "delete"])
def test_a_command_ends_soon_after_its_deadline_if_s3_stalls(command: str) -> None:
    calls = {
        "view": {"path": "/memories/a.md"},
        "create": {"path": "/memories/a.md", "file_text": "x"},
        "str_replace": {"path": "/memories/a.md", "old_str": "x", "new_str": "y"},
        "delete": {"path": "/memories/a.md"},
    }
    left = iter([1.0])  # when the command starts
    with WireServer(lambda _: Stall()) as server:
        environ = {"S3MEMORY_BUCKET": "b-b", "S3MEMORY_LOCAL_KEY": KEY, "S3MEMORY_ENDPOINT_URL": server.url}
        commands = MemoryCommands.from_env(tenant="acme", environ=environ, remaining_seconds=lambda: next(left, 0.01))
        with pytest.raises((UnavailableError, OutcomeUnknownError)):
            commands.call({"command": command, **calls[command]})
    assert len(server.received) <= 3
