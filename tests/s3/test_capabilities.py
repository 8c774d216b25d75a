"""Servers that do not honour a condition on DELETE: detected, reported once, and handled as well as they allow."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import uuid
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NoReturn, cast

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError
from conftest import MakeCommands
from support.faults import ANSWER_LOST, NOT_SENT, Fault, FaultLayer, other_writer_first, refused
from support.flavours import files_of
from support.memory_s3 import InMemoryS3, InMemoryS3Client

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory._parallel import MAX_PARALLEL_REQUESTS
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import AccessDeniedError, OutcomeUnknownError, UnavailableError
from s3memory.s3 import capabilities
from s3memory.s3.bucket import Bucket
from s3memory.s3.objects import Deletion

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

NOT_IMPLEMENTED = refused(501, "NotImplemented")
WARNING = (
    "s3memory",
    "WARNING",
    (
        "the S3 server does not honour conditions on DELETE: "
        "an edit in the moment before a file is deleted or renamed can be lost"
    ),
)
A, B = "/memories/a.md", "/memories/b.md"


@pytest.fixture
def s3_bucket(single_attempt_s3: S3Client, bucket: str) -> Bucket:
    return Bucket(single_attempt_s3, bucket, retry=RetryPolicy(max_tries=1))


def logged(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, str]]:
    return [(record.name, record.levelname, record.getMessage()) for record in caplog.records]


class TestAServerThatRefuses:
    """It answers 501 to a conditional DELETE: here, to the first one, and no other is sent after it."""

    @pytest.fixture(autouse=True)
    def _refusal(self, single_attempt_faults: FaultLayer) -> None:
        single_attempt_faults.hit("DeleteObject", NOT_IMPLEMENTED)

    def test_deletes_an_unchanged_object(self, s3_bucket: Bucket, single_attempt_faults: FaultLayer) -> None:
        etag = s3_bucket.put("k", b"one") or ""
        assert s3_bucket.deletes.one("k", etag=etag) is Deletion.DONE
        assert s3_bucket.head("k") is None
        assert single_attempt_faults.requests[1:-1] == ["DeleteObject", "HeadObject", "DeleteObject"]

    def test_keeps_an_edited_object(self, s3_bucket: Bucket, single_attempt_faults: FaultLayer) -> None:
        first = s3_bucket.put("k", b"one") or ""
        s3_bucket.put("k", b"two", over=first)
        assert s3_bucket.deletes.one("k", etag=first) is Deletion.CHANGED
        assert single_attempt_faults.counts["DeleteObject"] == 1
        stored = s3_bucket.get("k")
        assert stored is not None
        assert stored.body == b"two"

    def test_has_nothing_to_delete_if_there_is_no_object(
        self, s3_bucket: Bucket, single_attempt_faults: FaultLayer
    ) -> None:
        assert s3_bucket.deletes.one("k", etag='"e"') is Deletion.MISSING
        assert single_attempt_faults.counts["DeleteObject"] == 1

    def test_gets_no_further_conditions(self, s3_bucket: Bucket, single_attempt_faults: FaultLayer) -> None:
        assert s3_bucket.deletes.one("k", etag='"e"') is Deletion.MISSING
        etag = s3_bucket.put("k", b"one") or ""
        single_attempt_faults.clear()
        assert s3_bucket.deletes.one("k", etag=etag) is Deletion.DONE
        assert single_attempt_faults.requests == ["HeadObject", "DeleteObject"]

    def test_loses_an_edit_between_check_and_delete_but_keeps_its_version(
        self, s3_bucket: Bucket, single_attempt_faults: FaultLayer, s3: S3Client, bucket: str
    ) -> None:
        """What is lost on such a server, no more and no less: docs/semantics.md says so."""
        etag = s3_bucket.put("k", b"one") or ""
        edit = other_writer_first(lambda: s3.put_object(Bucket=bucket, Key="k", Body=b"edited"))
        single_attempt_faults.hit("DeleteObject", edit, nth=2)
        assert s3_bucket.deletes.one("k", etag=etag) is Deletion.DONE
        assert s3_bucket.get("k") is None
        newest = s3.list_object_versions(Bucket=bucket, Prefix="k")["Versions"][0]
        version = s3.get_object(Bucket=bucket, Key="k", VersionId=newest["VersionId"])
        assert version["Body"].read() == b"edited"

    def test_may_have_deleted_if_it_does_not_respond_and_is_not_asked_again(
        self, s3_bucket: Bucket, single_attempt_faults: FaultLayer
    ) -> None:
        etag = s3_bucket.put("k", b"one") or ""
        single_attempt_faults.hit("DeleteObject", ANSWER_LOST, nth=2)
        with pytest.raises(OutcomeUnknownError):
            s3_bucket.deletes.one("k", etag=etag)
        assert single_attempt_faults.counts["DeleteObject"] == 2

    @pytest.mark.parametrize("where", [("HeadObject", 1), ("DeleteObject", 2)], ids=["look", "delete"])
    @pytest.mark.parametrize(
        ("fault", "error"),
        [(NOT_SENT, UnavailableError), (refused(403, "AccessDenied"), AccessDeniedError)],
        ids=["out of reach", "denied"],
    )
    def test_can_fail_like_any_other_and_nothing_is_deleted(
        self,
        s3_bucket: Bucket,
        single_attempt_faults: FaultLayer,
        where: tuple[str, int],
        fault: Fault,
        error: type[Exception],
    ) -> None:
        etag = s3_bucket.put("k", b"one") or ""
        operation, nth = where
        single_attempt_faults.hit(operation, fault, nth=nth)
        with pytest.raises(error, match="Nothing was changed"):
            s3_bucket.deletes.one("k", etag=etag)
        assert s3_bucket.head("k") is not None

    def test_is_reported_once_per_bucket_without_naming_it(
        self,
        s3_bucket: Bucket,
        single_attempt_faults: FaultLayer,
        single_attempt_s3: S3Client,
        bucket: str,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        other_name = f"other-{bucket}"
        single_attempt_s3.create_bucket(
            Bucket=other_name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
        )
        same = Bucket(single_attempt_s3, bucket, retry=RetryPolicy(max_tries=1))
        other = Bucket(single_attempt_s3, other_name, retry=RetryPolicy(max_tries=1))
        for one in (s3_bucket, same, other):
            etag = one.put("the-key", b"one") or ""
            if one is other:
                single_attempt_faults.hit("DeleteObject", NOT_IMPLEMENTED)
            assert one.deletes.one("the-key", etag=etag) is Deletion.DONE
        assert logged(caplog) == [WARNING, WARNING]

    def test_moves_an_edit_that_came_before_the_check(
        self, make_commands: MakeCommands, single_attempt_s3: S3Client, single_attempt_faults: FaultLayer
    ) -> None:
        commands, other = make_commands(s3_client=single_attempt_s3), make_commands()
        commands.create(A, "one")

        def edit() -> None:
            other.str_replace(A, "one", "one, edited")

        single_attempt_faults.hit("DeleteObject", Fault(action=edit, is_sent=False, answer=(501, "NotImplemented")))
        commands.rename(A, B)
        assert files_of(other.store) == {B: "one, edited"}


class ForgetfulClient(InMemoryS3Client):
    """A client of a server that ignores conditions on DELETE."""

    def delete_object(self, **sent: Any) -> dict[str, Any]:
        return super().delete_object(**{name: value for name, value in sent.items() if name != "IfMatch"})


class RefusingClient(InMemoryS3Client):
    """A client of a server that does not support conditional DELETE, and says so."""

    def delete_object(self, **sent: Any) -> dict[str, Any]:
        def refuse(*_: object) -> NoReturn:
            raise ClientError({"Error": {"Code": "NotImplemented"}}, "DeleteObject")

        if "IfMatch" in sent:
            return self._answer("DeleteObject", sent["Bucket"], sent["Key"], refuse)
        return super().delete_object(**sent)


class DroppingClient(InMemoryS3Client):
    """A client whose every other DELETE, starting with the first, never reaches the server."""

    _deletes = 0

    def delete_object(self, **sent: Any) -> dict[str, Any]:
        self._deletes += 1
        if self._deletes % 2:
            raise EndpointConnectionError(endpoint_url=self.meta.endpoint_url)
        return super().delete_object(**sent)


class BehindAProxy(ForgetfulClient):
    """A client of such a server, whose first DELETE is answered by a proxy that does not find the server."""

    status = "404"

    def delete_object(self, **sent: Any) -> dict[str, Any]:
        status, self.status = self.status, ""
        if status:
            raise ClientError({"Error": {"Code": status}}, "DeleteObject")
        return super().delete_object(**sent)


class Server:
    """An in-memory S3 at an address that is not AWS's, and the requests that it got."""

    def __init__(self, address: str = "http://127.0.0.1:9") -> None:
        self.s3 = InMemoryS3()
        self.s3.endpoint_url = address
        self.bucket_name = f"bucket-{uuid.uuid4().hex}"
        self.requests: list[tuple[str, str]] = []

    def bucket(self, kind: type[InMemoryS3Client] = InMemoryS3Client) -> Bucket:
        return Bucket(self.client(kind), self.bucket_name, retry=RetryPolicy(max_tries=1))

    def client(self, kind: type[InMemoryS3Client] = InMemoryS3Client) -> S3Client:
        return cast("S3Client", kind(self.s3, lambda *request: self.requests.append(request), None))

    def deletes(self) -> list[str]:
        return [object_key for operation, object_key in self.requests if operation == "DeleteObject"]


@pytest.mark.parametrize("kind", [ForgetfulClient, RefusingClient])
class TestAWeakerServerThatIsNotAws:
    def test_is_detected_before_anything_is_deleted(
        self, kind: type[InMemoryS3Client], caplog: pytest.LogCaptureFixture
    ) -> None:
        s3_bucket = Server().bucket(kind)
        first = s3_bucket.put("d/k", b"one") or ""
        second = s3_bucket.put("d/k", b"two", over=first) or ""
        assert s3_bucket.deletes.one("d/k", etag=first) is Deletion.CHANGED
        assert s3_bucket.deletes.one("d/k", etag=second) is Deletion.DONE
        assert s3_bucket.deletes.one("d/k", etag=second) is Deletion.MISSING
        assert logged(caplog) == [WARNING]

    def test_is_probed_once_with_an_object_that_nobody_has(self, kind: type[InMemoryS3Client]) -> None:
        server = Server()
        for s3_bucket in (server.bucket(kind), server.bucket(kind)):
            etag = s3_bucket.put("d/k", b"one") or ""
            s3_bucket.deletes.one("d/k", etag=etag)
        *asked_about, _, _ = server.deletes()
        assert server.deletes()[-2:] == ["d/k", "d/k"]
        assert [re.fullmatch(r"d/[0-9a-f]{32}", object_key) is not None for object_key in asked_about] == [True]

    def test_holds_a_memory_like_any_other(self, kind: type[InMemoryS3Client]) -> None:
        server = Server()
        store = MemoryStore(
            bucket=server.bucket_name,
            tenant="acme",
            key_wrapper=LocalKeyWrapper(bytes(range(32))),
            s3_client=server.client(kind),
        )
        commands = MemoryCommands(store)
        commands.create("/memories/d/a.md", "one")
        commands.rename("/memories/d", "/memories/e")
        commands.create(A, "another")
        commands.delete(A)
        assert files_of(store) == {"/memories/e/a.md": "one"}


@pytest.mark.parametrize("status", ["404", "412"])
def test_a_proxys_web_page_says_nothing_about_the_server_behind_it(
    status: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(BehindAProxy, "status", status)
    s3_bucket = Server().bucket(BehindAProxy)
    etag = s3_bucket.put("k", b"one") or ""
    s3_bucket.deletes.one("k", etag=etag)
    first = s3_bucket.put("k", b"one") or ""
    s3_bucket.put("k", b"two", over=first)
    assert s3_bucket.deletes.one("k", etag=first) is Deletion.CHANGED
    assert logged(caplog) == [WARNING]


class TestAServerThatHonoursTheCondition:
    def test_is_probed_once_if_it_is_not_aws(self, caplog: pytest.LogCaptureFixture) -> None:
        server = Server()
        s3_bucket = server.bucket()
        for _ in range(2):
            etag = s3_bucket.put("k", b"one") or ""
            assert s3_bucket.deletes.one("k", etag=etag) is Deletion.DONE
        assert server.deletes()[1:] == ["k", "k"]
        assert logged(caplog) == []

    @pytest.mark.parametrize(
        "address",
        [
            "https://s3.eu-central-1.amazonaws.com",
            "https://s3.cn-north-1.amazonaws.com.cn",
            "https://bucket.vpce-1a2b3c4d-5e6f.s3.us-east-1.vpce.amazonaws.com",
        ],
    )
    def test_is_never_probed_if_it_is_aws(self, address: str) -> None:
        server = Server(address)
        s3_bucket = server.bucket()
        etag = s3_bucket.put("k", b"one") or ""
        assert s3_bucket.deletes.one("k", etag=etag) is Deletion.DONE
        assert server.deletes() == ["k"]

    def test_is_probed_again_if_it_did_not_respond(self, caplog: pytest.LogCaptureFixture) -> None:
        server = Server()
        unsteady = server.bucket(DroppingClient)
        etag = unsteady.put("k", b"one") or ""
        assert unsteady.deletes.one("k", etag=etag) is Deletion.DONE
        assert server.deletes() == ["k"]
        steady = server.bucket()
        etag = steady.put("k", b"one") or ""
        assert steady.deletes.one("k", etag=etag) is Deletion.DONE
        assert len(server.deletes()) == 3
        assert logged(caplog) == []


class ForgetfulBatches(InMemoryS3Client):
    """A client of a server that ignores the ETags of a DeleteObjects, as moto does."""

    def delete_objects(self, **sent: Any) -> dict[str, Any]:
        entries = [{"Key": entry["Key"]} for entry in sent["Delete"]["Objects"]]
        return super().delete_objects(Bucket=sent["Bucket"], Delete={"Objects": entries})


class FailingBatches(InMemoryS3Client):
    """A client of a server that reports an error for every key, which says nothing about the ETags."""

    code = "InternalError"

    def delete_objects(self, **sent: Any) -> dict[str, Any]:
        return {"Errors": [{"Key": entry["Key"], "Code": self.code} for entry in sent["Delete"]["Objects"]]}


class DeniedBatches(FailingBatches):
    code = "AccessDenied"


class UnsteadyBatches(InMemoryS3Client):
    """A client whose DeleteObjects never reach the server."""

    def delete_objects(self, **_: Any) -> dict[str, Any]:
        raise EndpointConnectionError(endpoint_url=self.meta.endpoint_url)


class TestWhetherADeleteObjectsReportsEachObject:
    @pytest.mark.parametrize("address", ["https://s3.eu-central-1.amazonaws.com", "http://127.0.0.1:9"])
    @pytest.mark.parametrize(("kind", "does"), [(InMemoryS3Client, True), (ForgetfulBatches, False)])
    def test_is_probed_once_on_every_server(self, address: str, kind: type[InMemoryS3Client], does: bool) -> None:  # noqa: FBT001 - a parameter of the test
        server = Server(address)
        assert [server.bucket(kind).deletes.reports_missing_by_key(beside="d/k") for _ in range(2)] == [does, does]
        assert [operation for operation, _ in server.requests] == ["DeleteObjects"]

    @pytest.mark.parametrize("kind", [UnsteadyBatches, FailingBatches, DeniedBatches])
    def test_is_not_assumed_without_a_response_and_probed_again(self, kind: type[InMemoryS3Client]) -> None:
        server = Server()
        assert not server.bucket(kind).deletes.reports_missing_by_key(beside="d/k")
        assert not server.bucket(ForgetfulBatches).deletes.reports_missing_by_key(beside="d/k")
        assert not server.bucket().deletes.reports_missing_by_key(beside="d/k")  # a result is remembered
        other = Server()
        assert not other.bucket(kind).deletes.reports_missing_by_key(beside="d/k")
        assert other.bucket().deletes.reports_missing_by_key(beside="d/k")

    @pytest.mark.parametrize("kind", [InMemoryS3Client, ForgetfulBatches])
    def test_does_not_change_the_result_of_a_directory_rename(self, kind: type[InMemoryS3Client]) -> None:
        server = Server()
        store = MemoryStore(
            bucket=server.bucket_name,
            tenant="acme",
            key_wrapper=LocalKeyWrapper(bytes(range(32))),
            s3_client=server.client(kind),
            redactor=None,
        )
        commands, n_files = MemoryCommands(store), MAX_PARALLEL_REQUESTS + 1
        for number in range(n_files):
            commands.create(f"/memories/d/{number}", f"{number}")
        commands.rename("/memories/d", "/memories/e")
        assert files_of(store) == {f"/memories/e/{number}": f"{number}" for number in range(n_files)}
        deletes = [operation for operation, _ in server.requests if operation.startswith("Delete")]
        batches, singles = deletes.count("DeleteObjects"), deletes.count("DeleteObject")
        # The probe, the batch; the probe of the other condition, the intent.
        assert (batches, singles) == ((2, 2) if kind is InMemoryS3Client else (1, n_files + 2))


class LiteralClient(InMemoryS3Client):
    """A client of a server that takes ``*`` for an ETag, as moto does."""

    def delete_object(self, **sent: Any) -> dict[str, Any]:
        return super().delete_object(**{**sent, "IfMatch": '"*"'} if sent.get("IfMatch") == "*" else sent)


class TestAServerThatTakesAnyForAnETag:
    def test_is_detected_by_its_first_refusal_and_the_object_is_deleted_by_its_etag(self) -> None:
        server = Server("https://s3.eu-central-1.amazonaws.com")
        s3_bucket = server.bucket(LiteralClient)
        for number in range(2):
            s3_bucket.put("k", b"one")
            server.requests.clear()
            assert s3_bucket.deletes.whatever("k") is Deletion.DONE
            operations = [operation for operation, _ in server.requests]
            assert operations == ["DeleteObject", "HeadObject", "DeleteObject"][number:]
        assert s3_bucket.deletes.whatever("k") is Deletion.MISSING

    def test_deletes_an_object_that_is_edited_in_between_and_gives_up_if_it_is_edited_during_every_attempt(
        self,
    ) -> None:
        server = Server("https://s3.eu-central-1.amazonaws.com")
        server.bucket().put("k", b"one")
        edits = iter(range(3))

        def edit(operation: str, _: str) -> None:
            if operation == "DeleteObject":
                for number in edits:
                    server.s3.client().put_object(Bucket=server.bucket_name, Key="k", Body=b"%d" % number)
                    break

        client = cast("S3Client", LiteralClient(server.s3, edit, None))
        for tries, expected in ((2, Deletion.CHANGED), (3, Deletion.DONE)):
            s3_bucket = Bucket(client, server.bucket_name, retry=RetryPolicy(max_tries=tries, sleep=lambda _: None))
            assert s3_bucket.deletes.whatever("k") is expected


class TestADeleteWithoutAnETag:
    def test_is_one_request(self) -> None:
        server = Server("https://s3.eu-central-1.amazonaws.com")
        s3_bucket = server.bucket()
        s3_bucket.put("k", b"one")
        assert s3_bucket.deletes.whatever("k") is Deletion.DONE
        assert s3_bucket.deletes.whatever("k") is Deletion.MISSING
        assert server.deletes() == ["k", "k"]

    def test_is_not_repeated_if_it_may_have_been_carried_out(self, s3: S3Client, bucket: str) -> None:
        s3_bucket = Bucket(s3, bucket, retry=RetryPolicy(max_tries=3))
        s3_bucket.put("k", b"one")
        with FaultLayer(s3) as faults:
            faults.hit("DeleteObject", ANSWER_LOST)
            with pytest.raises(OutcomeUnknownError):
                s3_bucket.deletes.whatever("k")
            assert faults.counts["DeleteObject"] == 1

    def test_lets_botocore_retry_the_next_read_of_the_same_thread(
        self, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
        s3_bucket = Bucket(s3, bucket, retry=RetryPolicy(max_tries=1))
        assert s3_bucket.deletes.whatever("k") is Deletion.MISSING
        with FaultLayer(s3) as faults:
            faults.hit("ListObjectsV2", refused(503, "SlowDown"))
            assert s3_bucket.list_page("").objects == ()

    def test_is_repeated_after_a_conflict(
        self, single_attempt_s3: S3Client, single_attempt_faults: FaultLayer, bucket: str
    ) -> None:
        s3_bucket = Bucket(single_attempt_s3, bucket, retry=RetryPolicy(max_tries=2, sleep=lambda _: None))
        s3_bucket.put("k", b"one")
        single_attempt_faults.hit("DeleteObject", refused(409, "ConditionalRequestConflict"))
        assert s3_bucket.deletes.whatever("k") is Deletion.DONE

    @pytest.mark.parametrize("kind", [ForgetfulClient, RefusingClient])
    def test_compares_first_if_no_condition_is_honoured(self, kind: type[InMemoryS3Client]) -> None:
        s3_bucket = Server().bucket(kind)
        s3_bucket.put("k", b"one")
        assert s3_bucket.deletes.whatever("k") is Deletion.DONE
        assert s3_bucket.deletes.whatever("k") is Deletion.MISSING


class Arrivals(dict[tuple[str, str], Future[None]]):
    """The probes in progress; it signals when the expected number of threads want the result."""

    def __init__(self, expected: int) -> None:
        super().__init__()
        self._left = expected
        self.all_are_here = threading.Event()

    def setdefault(self, key: tuple[str, str], default: Any = None) -> Future[None]:
        asked = super().setdefault(key, default)
        self._left -= 1
        if not self._left:
            self.all_are_here.set()
        return asked


class SlowClient(InMemoryS3Client):
    """A client whose first DELETE is answered, or fails, once all threads wait for its result."""

    arrivals: Arrivals
    is_lost = False
    _deletes = 0

    def delete_object(self, **sent: Any) -> dict[str, Any]:
        self._deletes += 1
        if self._deletes == 1:
            assert self.arrivals.all_are_here.wait(timeout=30)
            if self.is_lost:
                raise ConnectionClosedError(endpoint_url=self.meta.endpoint_url)
        return super().delete_object(**sent)


class TestThreadsThatDeleteSimultaneouslyInANewProcess:
    THREADS = 8

    @pytest.fixture
    def server(self) -> Server:
        return Server()

    @pytest.fixture
    def client(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> SlowClient:
        client = cast("SlowClient", server.client(SlowClient))
        client.arrivals = Arrivals(self.THREADS)
        monkeypatch.setattr(capabilities._one, "_asked", client.arrivals)
        return client

    def delete_all(self, server: Server, client: SlowClient) -> list[Deletion]:
        s3_bucket = Bucket(cast("S3Client", client), server.bucket_name, retry=RetryPolicy(max_tries=1))
        keys = [f"d/{number}" for number in range(self.THREADS)]
        etags = [s3_bucket.put(key, b"one") or "" for key in keys]
        with ThreadPoolExecutor(self.THREADS) as threads:
            return list(threads.map(lambda key, etag: s3_bucket.deletes.one(key, etag=etag), keys, etags))

    def test_probe_the_server_once_for_all_of_them(self, server: Server, client: SlowClient) -> None:
        assert self.delete_all(server, client) == [Deletion.DONE] * self.THREADS
        assert len(server.deletes()) == 1 + self.THREADS
        assert not client.arrivals

    def test_continue_without_a_response_and_the_next_one_probes_again(
        self, server: Server, client: SlowClient
    ) -> None:
        client.is_lost = True
        assert self.delete_all(server, client) == [Deletion.DONE] * self.THREADS
        assert len(server.deletes()) == self.THREADS
        assert not client.arrivals
        assert server.bucket().deletes.one("nothing", etag='"e"') is Deletion.MISSING
        assert len(server.deletes()) == self.THREADS + 2


def test_a_thread_without_time_left_does_not_wait_for_another_threads_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server()
    client = cast("SlowClient", server.client(SlowClient))
    client.arrivals = Arrivals(3)  # the third does not come before the second has given up
    monkeypatch.setattr(capabilities._one, "_asked", client.arrivals)
    patient, hasty = (
        Bucket(cast("S3Client", client), server.bucket_name, retry=RetryPolicy(max_tries=1, remaining_seconds=left))
        for left in (None, lambda: 0.01)
    )
    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(patient.deletes.one, "d/a", etag='"e"')
        while not client.arrivals:
            pass
        with pytest.raises(UnavailableError, match="no time left"):
            hasty.deletes.one("d/b", etag='"e"')
        client.arrivals.all_are_here.set()
        assert asking.result() is Deletion.MISSING


def test_a_forked_child_does_not_wait_for_a_thread_of_its_parent() -> None:
    program = """
import os
from concurrent.futures import Future
from s3memory.s3 import capabilities
question = capabilities._one
question._asked["address", "bucket"] = Future()
child = os.fork()
if not child:
    os._exit(len(question._asked))
_, status = os.waitpid(child, 0)
assert len(question._asked) == 1
raise SystemExit(os.waitstatus_to_exitcode(status))
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)  # noqa: S603 - our own program


def test_a_delete_after_a_comparison_is_not_retried_by_botocore(s3: S3Client, other_s3: S3Client, bucket: str) -> None:
    writer = Bucket(other_s3, bucket, retry=RetryPolicy(max_tries=1))
    old = writer.put("a", b"old")
    assert old is not None
    capabilities.record(s3.meta.endpoint_url, bucket, honoured=False)
    try:
        with FaultLayer(s3) as faults:
            faults.hit("DeleteObject", ANSWER_LOST)
            faults.hit("DeleteObject", other_writer_first(lambda: writer.put("a", b"made since")), nth=2)
            with pytest.raises(OutcomeUnknownError):
                Bucket(s3, bucket, retry=RetryPolicy(max_tries=3)).deletes._compare_then_delete("a", old)
            assert faults.requests.count("DeleteObject") == 1
    finally:
        capabilities._one.known.pop((s3.meta.endpoint_url, bucket))
