"""The server between Terraform's provider and moto, `tests/servers/moto_front.py`."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping

import pytest
from support.getting import GettingServer
from support.repository import REPOSITORY

from s3memory.testing.loopback import Response


@pytest.fixture
def asked() -> list[bytes]:
    return []


@pytest.fixture
def front(asked: list[bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.syspath_prepend(REPOSITORY / "tests" / "servers")
    from moto_front import front_of  # noqa: PLC0415 - once the search path is set

    def answer(_path: str, _headers: Mapping[str, str], body: bytes) -> Response:
        asked.append(body)
        return Response(200, "text/plain", b"%d" % len(asked), {"x-told": "yes"})

    def answer_get(_path: str) -> Response:
        return Response(200, "application/json", b'{"Effect": "Deny", "Action": "s3:DeleteBucketPolicy"}')

    server = GettingServer(answer, answer_get)
    server.start()
    with front_of(server.url) as address:
        yield address
    server.stop()


def post(front: str, body: bytes, **headers: str) -> tuple[bytes, str | None]:
    request = urllib.request.Request(front, body, {name.replace("_", "-"): value for name, value in headers.items()})  # noqa: S310 - a server of this test's
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - same
        return answer.read(), answer.headers["x-told"]


def test_a_repeated_request_gets_the_first_ones_response(front: str, asked: list[bytes]) -> None:
    sent = [post(front, b"role", amz_sdk_invocation_id="1", amz_sdk_request=f"attempt={n}") for n in (1, 2, 3)]
    assert sent == [(b"1", "yes")] * 3
    assert asked == [b"role"]


def test_different_requests_are_each_passed_on(front: str, asked: list[bytes]) -> None:
    sent = [post(front, b"a", amz_sdk_invocation_id="1"), post(front, b"b", amz_sdk_invocation_id="2")]
    sent += [post(front, b"c"), post(front, b"c")]
    assert [body for body, _ in sent] == [b"1", b"2", b"3", b"4"]
    assert asked == [b"a", b"b", b"c", b"c"]


@pytest.mark.parametrize("query", ["policy", "policy="])  # boto3's, and that of Terraform's provider
def test_a_bucket_policy_that_protects_itself_is_not_deleted(front: str, query: str) -> None:
    deletion = urllib.request.Request(f"{front}/bucket?{query}", method="DELETE")  # noqa: S310 - a server of this test's
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(deletion)  # noqa: S310 - same
