"""Connections: kept, shared by threads but never with a forked child, and no request is silently sent twice."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any

import pytest
from fast_clients import NO_CERTIFICATES, s3_at, service
from support.certificates import Certificates
from support.repository import REPOSITORY
from support.wire_server import ANSWER_SECONDS, Close, Received, Reply, Stall, WireServer, answer, in_turn

from s3memory import forget_clients
from s3memory.aws.errors import RequestError, RequestOutcome
from s3memory.aws.fast.clients import FastClients, Reach
from s3memory.aws.fast.connections import KEPT_CONNECTIONS
from s3memory.aws.fast.http import Curl, HttpAnswer, HttpRequest, Route
from s3memory.aws.fast.s3 import S3

DONE = answer(ETag='"x"')


def test_a_request_is_not_repeated_if_a_kept_connection_ends_without_a_response() -> None:
    """libcurl would repeat it by itself: if it was carried out the first time, it would be answered 412."""

    def once_and_no_more(received: Received) -> Reply:
        return DONE if len([one for one in server.received if one.connection == received.connection]) < 2 else Close()

    with WireServer(once_and_no_more) as server:
        s3 = s3_at(server.url)
        s3.put_object(Bucket="b-b", Key="first", Body=b"x", IfNoneMatch="*")
        with pytest.raises(RequestError, match="ConnectionClosedError") as caught:
            s3.put_object(Bucket="b-b", Key="second", Body=b"x", IfNoneMatch="*")
    assert [one.target for one in server.received] == ["/b-b/first", "/b-b/second"]
    assert caught.value.outcome is RequestOutcome.UNKNOWN


def test_the_next_request_opens_a_new_connection_after_that() -> None:
    with WireServer(lambda received: Close() if received.target.endswith("bad") else DONE) as server:
        s3 = s3_at(server.url)
        for key in ("a", "bad", "b"):
            try:
                s3.put_object(Bucket="b-b", Key=key, Body=b"x")
            except RequestError:
                assert key == "bad"
    first, bad, second = (one.connection for one in server.received)
    assert first == bad != second


@pytest.mark.parametrize("kind", ["clear", "tls"])
def test_a_connection_that_its_server_has_closed_meanwhile_is_not_used(kind: str, certificates: Certificates) -> None:
    """Without ``Connection: close``, as proxies do. A request on it would be lost, and its outcome unknown."""
    tls = certificates.server_context() if kind == "tls" else None
    with WireServer(lambda _: Close(DONE), tls=tls) as server:
        s3 = s3_at(server.url, ca_file=str(certificates.authority))
        for key in ("a", "b", "c"):
            server.closed.clear()
            s3.put_object(Bucket="b-b", Key=key, Body=b"x")
            assert server.closed.wait(20)
    assert [one.target for one in server.received] == ["/b-b/a", "/b-b/b", "/b-b/c"]


def test_closed_connections_of_a_pool_are_skipped() -> None:
    """The one that is still open is used, although it was used less recently."""
    is_asked, may_end = threading.Event(), threading.Event()

    def ending_first(received: Received) -> Reply:
        if received.connection > 0:
            return DONE
        is_asked.set()
        assert may_end.wait(20)
        return Close(DONE)

    with WireServer(ending_first) as server:
        s3 = s3_at(server.url)
        put: dict[str, Any] = {"Bucket": "b-b", "Key": "k", "Body": b"x"}
        meanwhile = threading.Thread(target=s3.put_object, kwargs=put)
        meanwhile.start()
        assert is_asked.wait(20)
        s3.put_object(**put)
        may_end.set()
        meanwhile.join()
        assert server.closed.wait(20)
        for _ in range(2):
            s3.put_object(**put)
    assert [one.connection for one in server.received] == [0, 1, 1, 1]


def test_a_connection_is_kept_after_every_kind_of_response() -> None:
    replies = [answer(404), answer(503), DONE, answer(412, b"<Error><Code>PreconditionFailed</Code></Error>"), DONE]
    with WireServer(lambda _: replies[len(server.received) - 1]) as server:
        s3 = s3_at(server.url)
        for _ in replies:
            with suppress(RequestError):
                s3.put_object(Bucket="b-b", Key="k", Body=b"x")
    assert server.connections == 1


def test_threads_share_a_client_and_each_gets_its_own_response() -> None:
    def echo(received: Received) -> Reply:
        body = received.target.encode()
        return answer(200, body, ETag='"x"', Last_Modified="Mon, 02 Mar 2026 12:00:00 GMT")

    wrong: list[str] = []

    def work(number: int) -> None:
        for round_ in range(20):
            key = f"{number}/{round_}"
            if s3.get_object(Bucket="b-b", Key=key)["Body"].read() != f"/b-b/{key}".encode():
                wrong.append(key)

    with WireServer(echo) as server:
        s3 = s3_at(server.url)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(48)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (wrong, len(server.received)) == ([], 960)
    assert server.connections <= 48


def test_the_number_of_kept_connections_is_limited() -> None:
    all_there = threading.Barrier(KEPT_CONNECTIONS + 10)

    def together(_: Received) -> Reply:
        all_there.wait(20)
        return DONE

    with WireServer(together) as server:
        s3 = s3_at(server.url)
        exchange = s3._service.exchange
        threads = [
            threading.Thread(target=s3.put_object, kwargs={"Bucket": "b-b", "Key": "k", "Body": b"x"})
            for _ in range(all_there.parties)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert isinstance(exchange, Curl)
        idle = exchange._connections._idle
        assert [len(handles) for handles in idle.values()] == [KEPT_CONNECTIONS]
        exchange.close()
        assert exchange._connections._idle == {}


def test_connections_are_kept_for_each_server() -> None:
    """S3 and KMS, or two buckets: neither uses the other's connection."""
    with WireServer(lambda _: DONE) as first, WireServer(lambda _: DONE) as second:
        of_first = service(first.url)
        clients = [S3(one, is_aws=False) for one in (of_first, replace(of_first, address=second.url))]
        for s3 in clients * 3:
            s3.put_object(Bucket="b-b", Key="k", Body=b"x")
    assert (first.connections, second.connections) == (1, 1)


def test_the_oldest_connections_are_closed_if_there_are_too_many_in_total(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s3memory.aws.fast.connections.KEPT_CONNECTIONS", 2)
    with ExitStack() as stack:
        servers = [stack.enter_context(WireServer(lambda _: DONE)) for _ in range(3)]
        of_first = service(servers[0].url)
        for server in (*servers, *servers[:0:-1]):
            S3(replace(of_first, address=server.url), is_aws=False).put_object(Bucket="b-b", Key="k", Body=b"x")
        assert servers[0].closed.wait(20)
        assert [server.connections for server in servers] == [1, 1, 1]


class Noting(Curl):
    """Records for each request whether it has a connection."""

    def __init__(self) -> None:
        super().__init__(Route(NO_CERTIFICATES, lambda _: ""))
        self.had_connection: list[bool] = []

    def _answer(self, handle: Any, request: HttpRequest, *, is_connected: bool) -> HttpAnswer:
        self.had_connection.append(is_connected)
        return super()._answer(handle, request, is_connected=is_connected)


def test_time_for_connecting_is_allowed_only_without_a_connection() -> None:
    """At first, to another server, and after a connection has ended. With one, only the response takes time."""
    replies: list[Reply] = [DONE, DONE, Close(), DONE, DONE]
    exchange = Noting()
    with WireServer(in_turn(replies)) as first, WireServer(lambda _: DONE) as second:
        of_first = replace(service(first.url), exchange=exchange)
        of_second = replace(of_first, address=second.url)
        for of_server in (of_first, of_first, of_second, of_first, of_first, of_first):
            with suppress(RequestError):
                S3(of_server, is_aws=False).put_object(Bucket="b-b", Key="k", Body=b"x")
    assert exchange.had_connection == [False, True, False, True, False, True]


@pytest.mark.parametrize("first", [b"", DONE[:20]], ids=["nothing", "a part of it"])
def test_unused_time_for_connecting_is_not_added_to_the_response(monkeypatch: pytest.MonkeyPatch, first: bytes) -> None:
    """The server would end the connection before that time is over."""
    monkeypatch.setattr("s3memory.aws.fast.http.CONNECT_TIMEOUT_SECONDS", 10 * ANSWER_SECONDS)
    with WireServer(lambda _: Stall(first)) as server, pytest.raises(RequestError, match="ReadTimeoutError") as caught:
        s3_at(server.url, timeout_seconds=0.1).put_object(Bucket="b-b", Key="k", Body=b"x")
    assert caught.value.outcome is RequestOutcome.UNKNOWN


def test_a_connection_keeps_nothing_of_a_request() -> None:
    """Neither its credentials, headers and method, nor its body."""
    with WireServer(lambda _: DONE) as server:
        s3 = s3_at(server.url)
        s3.put_object(Bucket="b-b", Key="k", Body=b"x" * 100, Metadata={"a": "b"}, IfMatch='"y"')
        s3.delete_object(Bucket="b-b", Key="k")
        first, second = server.received
    names = Counter(name.lower() for name, _ in second.headers)
    assert (second.method, second.body) == ("DELETE", b"")
    assert names.keys() == {
        "authorization",
        "host",
        "user-agent",
        "x-amz-content-sha256",
        "x-amz-date",
        "x-amz-security-token",
    }
    assert first.connection == second.connection


def test_a_late_response_is_not_taken_for_the_next_requests() -> None:
    def reply(received: Received) -> Reply:
        if received.target.endswith("slow"):
            return Stall()
        return answer(200, received.target.encode(), ETag='"x"', Last_Modified="Mon, 02 Mar 2026 12:00:00 GMT")

    with WireServer(reply) as server:
        s3 = s3_at(server.url, timeout_seconds=0.2)
        s3.get_object(Bucket="b-b", Key="a")
        with pytest.raises(RequestError, match="ReadTimeoutError"):
            s3.get_object(Bucket="b-b", Key="slow")
        assert s3.get_object(Bucket="b-b", Key="b")["Body"].read() == b"/b-b/b"


# In its own process: the parent sends a request, forks, both send one; then the child ends, and the parent sends again.
FORKING = """
import os, sys
sys.path[:0] = ["tests", "tests/aws/fast"]
from pathlib import Path
from support.certificates import Certificates
from s3memory.aws.fast.clients import PROCESS  # first, as in a program: what was made first begins anew first
from fast_clients import NO_CERTIFICATES, s3_at, service
from support.wire_server import WireServer, answer

certificates = Certificates(Path(sys.argv[1]))
tls = certificates.server_context() if sys.argv[2] == "tls" else None
server = WireServer(lambda received: answer(ETag=f'"{received.connection}"'), tls=tls).__enter__()
os.environ["AWS_CA_BUNDLE"] = str(certificates.authority)
held = s3_at(server.url, ca_file=str(certificates.authority))

def connection():
    s3 = held if sys.argv[3] == "held" else PROCESS.s3_client(endpoint_url=server.url)
    return int(s3.put_object(Bucket="b-b", Key="k", Body=b"x")["ETag"].strip('"'))

before = connection()
assert connection() == before, "a connection is kept"
child = os.fork()
if not child:
    mine = [connection(), connection()]
    # Not os._exit: everything of the child's is taken down, its handles too.
    sys.exit(0 if mine[0] == mine[1] != before else 3)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
assert connection() == before, "the parent keeps its own"
print("well")
os._exit(0)
"""


@pytest.mark.parametrize("client", ["held", "shared"])
@pytest.mark.parametrize("kind", ["clear", "tls"])
def test_a_forked_child_opens_its_own_connections_and_leaves_the_parents_alone(
    kind: str, client: str, tmp_path: object
) -> None:
    """Those of shared clients too, which the child forgets, so that nobody else may hold them."""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-W", "ignore", "-c", FORKING, str(tmp_path), kind, client],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=REPOSITORY,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "well"), done.stdout + done.stderr


def test_a_childs_end_of_a_connection_is_disconnected() -> None:
    """So nothing that libcurl sends in the child when it closes its handles reaches the parent's server."""
    with WireServer(lambda _: DONE) as server:
        s3 = s3_at(server.url)
        s3.put_object(Bucket="b-b", Key="k", Body=b"x")
        exchange = s3._service.exchange
        assert isinstance(exchange, Curl)
        exchange._connections.reset_after_fork()
        assert server.closed.wait(20)  # there is no other end here


def test_a_pool_held_by_a_single_thread_is_left_to_the_parent_too() -> None:
    """Objects that only a thread holds are destroyed in a child before any of our hooks runs."""
    program = """if True:
        import os, sys, threading, weakref
        sys.path[:0] = ["tests", "tests/aws/fast"]
        from fast_clients import NO_CERTIFICATES, s3_at, service
        from s3memory.aws.fast import connections
        from support.wire_server import WireServer, answer

        server = WireServer(lambda _: answer(ETag='"x"')).__enter__()
        own, is_asked, is_over = threading.local(), threading.Event(), threading.Event()

        def work():
            own.s3 = s3_at(server.url)
            own.s3.put_object(Bucket="b-b", Key="k", Body=b"x")
            is_asked.set()
            is_over.wait()

        threading.Thread(target=work, daemon=True).start()
        is_asked.wait()
        child = os.fork()
        if not child:
            os._exit(len(connections._left_to_parents))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(connections._left_to_parents), flush=True)
        os._exit(0)
    """
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=REPOSITORY,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "1 0"), done.stdout + done.stderr


class TestProxies:
    def test_a_plain_http_server_is_requested_by_its_url(self) -> None:
        with WireServer(lambda _: DONE) as proxy:
            s3 = s3_at("http://s3.example", proxy=f"http://user:pass@127.0.0.1:{proxy.port}")
            s3.put_object(Bucket="b-b", Key="k", Body=b"x")
        (received,) = proxy.received
        assert received.target == "http://s3.example/b-b/k"
        assert received.header("host") == "s3.example"
        assert received.header("proxy-authorization") == "Basic dXNlcjpwYXNz"

    def test_a_tls_server_is_reached_through_a_tunnel_that_sees_nothing(self, certificates: Certificates) -> None:
        with WireServer(lambda _: Close(answer(403))) as proxy:
            s3 = s3_at("https://s3.example", proxy=proxy.url, ca_file=str(certificates.authority))
            with pytest.raises(RequestError, match="ProxyConnectionError") as caught:
                s3.put_object(Bucket="b-b", Key="k", Body=b"x")
        (received,) = proxy.received
        assert (received.method, received.target) == ("CONNECT", "s3.example:443")
        assert received.header("authorization") is None
        assert received.header("x-amz-security-token") is None
        assert caught.value.outcome is RequestOutcome.NOT_DONE

    def test_a_missing_proxy_means_that_nothing_was_sent(self) -> None:
        with WireServer(lambda _: DONE) as gone:
            url = gone.url
        for server in ("http://s3.example", "https://s3.example"):
            with pytest.raises(RequestError, match="ProxyConnectionError") as caught:
                s3_at(server, proxy=url).put_object(Bucket="b-b", Key="k", Body=b"x")
            assert caught.value.outcome is RequestOutcome.NOT_DONE


def test_no_connection_stays_open_once_clients_are_forgotten_and_a_held_client_reconnects() -> None:
    """As before a snapshot: two processes that resume from it would otherwise read each other's responses."""
    clients = FastClients(Reach())
    with WireServer(lambda _: DONE) as server:
        s3 = clients.s3_client(endpoint_url=server.url)
        for _ in range(2):
            s3.put_object(Bucket="b-b", Key="k", Body=b"x")
        assert server.connections == 1
        forget_clients()
        assert server.closed.wait(20)
        s3.put_object(Bucket="b-b", Key="k", Body=b"x")
        clients.s3_client(endpoint_url=server.url).put_object(Bucket="b-b", Key="k", Body=b"x")
    assert [one.connection for one in server.received] == [0, 0, 1, 2]


def test_clients_are_forgotten_while_other_threads_send_requests() -> None:
    """A connection that is idle at one moment may be in use at the next."""
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(50):
                s3.put_object(Bucket="b-b", Key="k", Body=b"x")
        except BaseException as error:  # noqa: BLE001 - it would be lost with the thread
            failures.append(error)

    clients = FastClients(Reach())
    with WireServer(lambda _: DONE) as server:
        s3 = clients.s3_client(endpoint_url=server.url)
        exchange = s3._service.exchange  # type: ignore[attr-defined]
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            exchange.close()
            forget_clients()
    assert failures == []
    assert len(server.received) == 400


def test_libcurl_is_not_used_before_the_first_request() -> None:
    """A handle seeds its OpenSSL for good: processes that resume from one snapshot would draw the same bytes."""
    program = (
        "import pycurl, os; from s3memory.aws.fast.clients import FastClients, Reach; "
        "clients = FastClients(Reach()); clients.s3_client(); clients.kms_client(); "
        "import gc; print(sum(isinstance(one, pycurl.Curl) for one in gc.get_objects()))"
    )
    environment = {**os.environ, "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    assert done.stdout.strip() == "0"
