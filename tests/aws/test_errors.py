"""What a response's status and code mean, for the code that retries and for the caller who sees the final error."""

from __future__ import annotations

import socket
import threading

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ProxyConnectionError
from botocore.retries.standard import ThrottledRetryableChecker, TransientRetryableChecker
from support.certificates import Certificates
from support.for_each import for_each
from support.wire_server import Close, WireServer, answer

from s3memory.aws.botocore_errors import understood
from s3memory.aws.errors import AnswerError, RequestOutcome, outcome_of_answer, outcome_of_code, to_backend_error
from s3memory.errors import AccessDeniedError, BackendError, UnavailableError

# botocore's own lists, so that a code that it adds is covered here.
THROTTLED: list[str] = sorted(ThrottledRetryableChecker._THROTTLED_ERROR_CODES)  # type: ignore[attr-defined]
SENT_AGAIN = sorted({*THROTTLED, *TransientRetryableChecker._TRANSIENT_ERROR_CODES})  # type: ignore[attr-defined]


@for_each("code", SENT_AGAIN)
def test_errors_that_are_retried_are_never_worded_as_final(code: str) -> None:
    assert isinstance(to_backend_error(AnswerError(status=400, code=code)), UnavailableError)


@for_each("code", THROTTLED)
def test_throttling_means_not_carried_out_only_with_a_4xx(code: str) -> None:
    assert outcome_of_answer(400, code) is RequestOutcome.NOT_DONE
    # A 5xx proves nothing, nor does an error by key, which has no status.
    assert outcome_of_answer(503, code) is outcome_of_code(code) is RequestOutcome.UNKNOWN


@pytest.mark.parametrize("code", ["TooManyRequests", "429", "unknown"])
def test_a_429_is_throttling_whatever_its_code(code: str) -> None:
    assert outcome_of_answer(429, code) is RequestOutcome.NOT_DONE


@pytest.mark.parametrize("code", ["408", "unknown", "RequestTimeout"])
def test_a_408_is_temporary_and_proves_nothing(code: str) -> None:
    """Load balancers send it for a connection on which a request came too slowly, or too late."""
    assert outcome_of_answer(408, code) is RequestOutcome.UNKNOWN
    assert isinstance(to_backend_error(AnswerError(status=408, code=code)), UnavailableError)


def test_any_other_refusal_is_final() -> None:
    error = to_backend_error(AnswerError(status=400, code="InvalidRequest"))
    assert type(error) is BackendError


@pytest.mark.parametrize("code", ["InvalidSignatureException", "NoSuchAccessPoint"])
def test_a_wrong_key_clock_or_name_is_a_refusal_of_access(code: str) -> None:
    """KMS and DynamoDB report a clock that is more than 5 minutes off as the first, S3 only after 15."""
    assert isinstance(to_backend_error(AnswerError(status=400, code=code)), AccessDeniedError)


class TestBehindAProxy:
    """urllib3 blames the proxy for a lost response as well, so that botocore's error alone proves nothing."""

    def outcome(self, proxy_url: str, server: str, certificates: Certificates) -> RequestOutcome:
        config = Config(
            proxies={"http": proxy_url, "https": proxy_url},
            retries={"total_max_attempts": 1},
            connect_timeout=5,
            read_timeout=5,
        )
        s3 = boto3.client(
            "s3",
            endpoint_url=server,
            config=config,
            verify=str(certificates.authority),
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
        )
        with pytest.raises(ProxyConnectionError) as caught:
            s3.delete_object(Bucket="b-b", Key="k")
        return understood(caught.value).outcome

    def test_a_lost_answer_leaves_the_outcome_open(self, certificates: Certificates) -> None:
        with WireServer(lambda _: Close()) as proxy:
            assert self.outcome(proxy.url, "http://s3.example", certificates) is RequestOutcome.UNKNOWN
        assert proxy.received[0].method == "DELETE"

    def test_so_does_an_answer_that_is_lost_in_a_tunnel(self, certificates: Certificates) -> None:
        server = certificates.server_context("s3.example")
        received: list[bytes] = []

        def lose(listening: socket.socket) -> None:
            tunnel, _ = listening.accept()
            tunnel.recv(4_096)
            tunnel.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            with server.wrap_socket(tunnel, server_side=True) as inside:
                received.append(inside.recv(4_096))

        with socket.create_server(("127.0.0.1", 0)) as listening:
            losing = threading.Thread(target=lose, args=(listening,))
            losing.start()
            proxy_url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            assert self.outcome(proxy_url, "https://s3.example", certificates) is RequestOutcome.UNKNOWN
            losing.join()
        assert received[0].startswith(b"DELETE ")

    def test_without_a_tunnel_nothing_was_sent(self, certificates: Certificates) -> None:
        with WireServer(lambda _: answer(407)) as proxy:
            assert self.outcome(proxy.url, "https://s3.example", certificates) is RequestOutcome.NOT_DONE
        assert [received.method for received in proxy.received] == ["CONNECT"]

    def test_without_a_proxy_nothing_was_sent(self, certificates: Certificates) -> None:
        with WireServer(lambda _: Close()) as gone:
            url = gone.url
        for server in ("http://s3.example", "https://s3.example"):
            assert self.outcome(url, server, certificates) is RequestOutcome.NOT_DONE
