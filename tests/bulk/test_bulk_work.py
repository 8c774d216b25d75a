"""Bulk work: each engine's documented events, over many objects, twice; and what must never happen."""

from __future__ import annotations

import csv
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, quote_plus, unquote, unquote_plus

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from conftest import MakeStore
from hypothesis import given
from hypothesis import strategies as st
from support.for_each import for_each
from support.memory_s3 import InMemoryS3, InMemoryS3Client

from s3memory import LocalKeyWrapper, MemoryStore, bulk
from s3memory.admin.keys.resealing import ResealOutcome, reseal_file
from s3memory.admin.scanning import scan as scan_tenant
from s3memory.admin.scanning import scan_file
from s3memory.admin.verify import Defect, verify_file
from s3memory.admin.verify import verify as verify_tenant
from s3memory.admin.versions import tombstones
from s3memory.admin.versions.tombstones import Tombstone, tombstones_of, write_tombstone
from s3memory.audit import LOGGER
from s3memory.bulk import BulkHandler, Code, UnfinishedBatchError
from s3memory.bulk.events import decoded, found_so_far, parsed
from s3memory.bulk.handlers import _redactor, order_of_work
from s3memory.bulk.manifests import Row, batch_line, batch_lines, erasure_rows, map_line, rows
from s3memory.bulk.results import again, wrong
from s3memory.bulk.work import erase, reseal, scan, verify
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError, IntegrityError, InvalidInputError, KeyRingError, NotFoundError
from s3memory.format import envelope
from s3memory.format.envelope import sealed_generation
from s3memory.format.object_keys import FOLDERS, Folder, ObjectPlace, place_of
from s3memory.keys.key_cache import PROCESS_CACHE, KeyCache, forget_keys
from s3memory.keys.seen_rings import SeenRings
from s3memory.paths import MemoryPath
from s3memory.redaction import PatternRedactor
from s3memory.s3.batch_deletes import TRANSIENT_CODES
from s3memory.store import documents, intents

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

BUCKET = "agent-memory"
# More than two pages of a listing, less than one, and a tenant whose name starts with another's.
FILES = {"tenant-0": 2_100, "tenant-1": 500, "tenant-2": 200, "tenant-20": 200}
MANY = 3_000
SECRET = "the key is AKIA" + "Q3EGRTZ7JKLMNP4X"


class Server(InMemoryS3Client):
    """A client of a bucket without versioning, which lists the current objects as versions."""

    def list_object_versions(self, *, Bucket: str, Prefix: str, MaxKeys: int, **marker: str) -> Any:  # noqa: N803
        after = marker.get("KeyMarker")
        answer = self.list_objects_v2(Bucket=Bucket, Prefix=Prefix, MaxKeys=MaxKeys, ContinuationToken=after)
        return {
            "Versions": [{**one, "VersionId": "null", "IsLatest": True} for one in answer.get("Contents", [])],
            "IsTruncated": answer["IsTruncated"],
            "NextKeyMarker": answer.get("NextContinuationToken"),
            "NextVersionIdMarker": "null",
        }


class Deployment:
    """An in-memory bucket, its settings, and functions over it."""

    def __init__(self) -> None:
        self.s3 = InMemoryS3()
        self.requests: Counter[str] = Counter()
        self.environ = {"S3MEMORY_BUCKET": BUCKET, "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text()}

    def client(self) -> S3Client:
        return cast("S3Client", Server(self.s3, lambda operation, _: self.requests.update([operation]), None))

    def store(self, tenant: str = "acme") -> MemoryStore:
        settings = Settings.from_env(self.environ)
        store = MemoryStore.from_settings(settings, tenant=tenant, s3_client=self.client())
        store.key_ring.cache = KeyCache()
        return store

    def handler(self, like: BulkHandler) -> BulkHandler:
        return BulkHandler(
            like._make_work,
            operation=like._operation,
            erases=like._erases,
            rereads_keys=like._rereads_keys,
            settings=Settings.from_env(self.environ),
            s3_client=self.client(),
        )

    @property
    def keys(self) -> list[str]:
        return sorted(self.s3.objects.get(BUCKET, {}))


@pytest.fixture
def deployment() -> Iterator[Deployment]:
    forget_keys()
    yield Deployment()
    forget_keys()


@pytest.fixture(scope="module")
def template() -> Deployment:
    """Thousands of files of four tenants, sealed once for all tests."""
    made = Deployment()
    for tenant, n_files in FILES.items():
        store = made.store(tenant)
        ring = store.key_ring.existing_or_new()
        for file in range(n_files):
            path = MemoryPath((f"directory {file % 50}", f"file+{file}.md"))
            text = store.texts.redact(f"file {file}", path)
            made.client().put_object(
                Bucket=BUCKET, Key=store.objects.key_of(ring, path), Body=store.texts.seal(ring, path, text)
            )
    return made


@pytest.fixture
def many(template: Deployment) -> Iterator[Deployment]:
    forget_keys()
    PROCESS_CACHE.seen = SeenRings()  # the copy's key rings are older than those that another test has rotated
    made = Deployment()
    made.environ = template.environ
    made.s3 = template.s3.copy()
    yield made
    forget_keys()


def batch_event(task: dict[str, Any], schema: str, **arguments: str) -> dict[str, Any]:
    """Return an event in the format of S3's user guide."""
    job: dict[str, Any] = {"id": "f3cc4f60-61f6-4a2b-8a21-d07600c373ce"}
    if schema == "2.0":
        job["userArguments"] = arguments
    return {
        "invocationSchemaVersion": schema,
        "invocationId": "YXNkbGZqYWRmaiBhc2RmdW9hZHNmZGpmaGFzbGtkaGZza2RmaAo",
        "job": job,
        "tasks": [task],
    }


def task_of(line: str, schema: str, number: int = 0) -> dict[str, Any]:
    """Return the task that S3 Batch Operations makes from a line of its manifest."""
    (fields,) = csv.reader([line])
    bucket, key, *version = fields
    where = {"s3Bucket": bucket} if schema == "2.0" else {"s3BucketArn": f"arn:aws:s3:::{bucket}"}
    return {"taskId": f"task-{number}", "s3Key": key, "s3VersionId": version[0] if version else None, **where}


def run_batch(
    handler: BulkHandler, lines: Iterable[str], schema: str = "2.0", **arguments: str
) -> list[tuple[str, str]]:
    results = []
    for number, line in enumerate(lines):
        event = batch_event(task_of(line, schema, number), schema, **arguments)
        answer = handler(json.loads(json.dumps(event)), None)
        assert answer["invocationSchemaVersion"] == schema
        assert answer["invocationId"] == event["invocationId"]
        assert answer["treatMissingKeysAs"] == "TemporaryFailure"
        (result,) = answer["results"]
        assert result["taskId"] == f"task-{number}"
        results.append((result["resultCode"], result["resultString"]))
    json.dumps(results)
    return results


def one(handler: BulkHandler, object_key: str, **more: Any) -> tuple[str, str]:
    return run_batch(handler, [batch_line(BUCKET, Row(object_key))], **more)[0]


def make(store: MemoryStore, name: str, text: str = "text") -> str:
    store.create(MemoryPath((name,)), text)
    return f"memories/{store.tenant}/{name}"


def rotate(deployment: Deployment, tenant: str) -> None:
    from s3memory.admin.keys import rotation  # noqa: PLC0415 - one test's

    rotation.rotate(deployment.store(tenant))
    forget_keys()


def manifest_of(deployment: Deployment) -> list[str]:
    return [batch_line(BUCKET, row) for tenant in FILES for row in rows(deployment.store(tenant))]


class TestThousandsOfObjects:
    def test_are_verified_by_batch_operations_with_one_get_each(self, many: Deployment) -> None:
        lines = manifest_of(many)
        assert len(lines) == MANY
        many.requests.clear()
        results = run_batch(many.handler(bulk.verify), lines, "1.0")
        assert Counter(results) == {("Succeeded", "opens"): MANY}
        assert many.requests == {"GetObject": MANY + 4}  # and a key ring for each tenant

    def test_are_resealed_and_nothing_changes_the_second_time(self, many: Deployment) -> None:
        rotate(many, "tenant-20")
        lines = manifest_of(many)
        resealing = many.handler(bulk.reseal)
        first = run_batch(resealing, lines)
        assert Counter(first) == {("Succeeded", "resealed"): 200, ("Succeeded", "already"): MANY - 200}
        before = many.s3.objects
        assert set(run_batch(resealing, lines)) == {("Succeeded", "already")}
        assert many.s3.objects == before
        bodies = [body for key, body in before[BUCKET].items() if key.startswith("memories/tenant-20/")]
        assert {sealed_generation(body) for body in bodies} == {2}

    def test_are_verified_by_a_distributed_map_in_batches(self, many: Deployment) -> None:
        lines = [json.loads(map_line(BUCKET, row)) for tenant in FILES for row in rows(many.store(tenant))]
        verifying = many.handler(bulk.verify)
        answers = [verifying({"Items": lines[at : at + 500]}, None) for at in range(0, MANY, 500)]
        assert answers == [{"counts": {"opens": 500}, "failed": []}] * (MANY // 500)

    def test_of_one_tenant_are_erased_and_those_of_others_are_not(self, many: Deployment) -> None:
        lines = [batch_line(BUCKET, row) for row in erasure_rows(many.store("tenant-2"))]
        others = [key for key in many.keys if key != "keyrings/tenant-2" and "/tenant-2/" not in key]
        erasing = many.handler(bulk.erase)
        results = run_batch(erasing, lines, tenant="tenant-2")
        assert Counter(results) == {("Succeeded", "erased: 1"): 201}
        assert many.keys == others
        assert sum("tenant-20" in key for key in others) == 201
        assert set(run_batch(erasing, lines[:50], tenant="tenant-2")) == {("Succeeded", "gone")}


class TestVerifying:
    def test_reports_what_does_not_open_what_is_foreign_and_what_is_gone(self, deployment: Deployment) -> None:
        store = deployment.store()
        good, bad = make(store, "good"), make(store, "bad")
        client = deployment.client()
        body = client.get_object(Bucket=BUCKET, Key=good)["Body"].read()
        client.put_object(Bucket=BUCKET, Key=bad, Body=body)
        client.put_object(Bucket=BUCKET, Key="memories/acme//stray", Body=body)
        handler = deployment.handler(bulk.verify)
        assert one(handler, good) == ("Succeeded", "opens")
        assert one(handler, bad) == ("PermanentFailure", "does-not-open")
        assert one(handler, "memories/acme//stray") == ("PermanentFailure", "stray-object")
        assert one(handler, "memories/acme/none") == ("Succeeded", "gone")
        assert one(handler, "elsewhere/x") == ("PermanentFailure", "stray-object")
        assert one(handler, "keyrings/acme") == ("Succeeded", "opens")

    def test_reports_a_key_ring_that_does_not_open(self, deployment: Deployment) -> None:
        object_key = make(deployment.store(), "a")
        deployment.client().put_object(Bucket=BUCKET, Key="keyrings/acme", Body=b"{}")
        handler = deployment.handler(bulk.verify)
        assert one(handler, "keyrings/acme") == ("PermanentFailure", "key-ring-unreadable")
        assert one(handler, object_key) == ("PermanentFailure", "no-key")

    def test_opens_intents(self, deployment: Deployment) -> None:
        store = deployment.store()
        make(store, "a")
        intents.record(store, intents.Intent(intents.DELETE, MemoryPath(("d",)), MemoryPath(("d",))), ['"e"'])
        (object_key,) = documents.object_keys(store, intents.KIND)
        assert one(deployment.handler(bulk.verify), object_key) == ("Succeeded", "opens")


class TestScanning:
    def test_reports_kinds_and_counts_and_no_values(self, deployment: Deployment) -> None:
        deployment.environ["S3MEMORY_REDACTION"] = "off"
        store = deployment.store()
        held, clean = make(store, "held", SECRET), make(store, "clean")
        del deployment.environ["S3MEMORY_REDACTION"]
        handler = deployment.handler(bulk.scan)
        code, text = one(handler, held)
        assert (code, text.partition(":")[0]) == ("Succeeded", "found")
        assert "AKIA" not in text
        assert one(handler, clean) == ("Succeeded", "clean")
        assert one(handler, "keyrings/acme") == ("Succeeded", "no-text")

    def test_needs_rules(self, deployment: Deployment) -> None:
        deployment.environ["S3MEMORY_REDACTION"] = "off"
        with pytest.raises(ConfigurationError, match="REDACTION is off"):
            one(deployment.handler(bulk.scan), "memories/acme/a")


class TestResealing:
    def test_leaves_files_of_an_unfinished_change_to_repair(self, deployment: Deployment) -> None:
        store = deployment.store()
        object_key = make(store, "a")
        info = store.files.info(MemoryPath(("a",)))
        assert info is not None
        intents.record(store, intents.Intent(intents.DELETE, MemoryPath(("d",)), MemoryPath(("d",))), [info.etag])
        rotate(deployment, "acme")
        handler = deployment.handler(bulk.reseal)
        code, text = one(handler, object_key)
        assert (code, text.partition(":")[0]) == ("TemporaryFailure", "unfinished-change")
        (intent,) = documents.object_keys(deployment.store(), intents.KIND)
        assert one(handler, intent) == ("Succeeded", "resealed")
        assert one(handler, intent) == ("Succeeded", "already")

    def test_replaces_a_record_of_a_redacted_version(self, deployment: Deployment) -> None:
        path, moment = MemoryPath(("a",)), datetime(2026, 1, 1, tzinfo=UTC)
        object_key = make(deployment.store(), "a")
        record = Tombstone(path, "id", moment, "edited", None, moment, None)
        write_tombstone(deployment.store(), record)
        rotate(deployment, "acme")
        handler = deployment.handler(bulk.reseal)
        (of_record,) = documents.object_keys(deployment.store(), tombstones.KIND)
        assert one(handler, of_record) == ("Succeeded", "resealed")
        assert one(handler, of_record) == ("Succeeded", "already")
        assert tombstones_of(deployment.store(), path).by_version_id == {"id": record}
        assert one(handler, object_key) == ("Succeeded", "resealed")
        assert one(handler, "keyrings/acme") == ("Succeeded", "nothing-to-reseal")

    def test_continues_despite_an_intent_that_does_not_open(self, deployment: Deployment) -> None:
        object_key = make(deployment.store(), "a")
        deployment.client().put_object(Bucket=BUCKET, Key="intents/acme/x", Body=b"")
        rotate(deployment, "acme")
        handler = deployment.handler(bulk.reseal)
        assert one(handler, object_key) == ("Succeeded", "resealed")
        assert one(handler, "intents/acme/x") == ("PermanentFailure", "does-not-open")

    def test_does_not_replace_a_file_that_a_writer_replaced_meanwhile(self, deployment: Deployment) -> None:
        store = deployment.store()
        object_key = make(store, "a")
        rotate(deployment, "acme")
        handler = deployment.handler(bulk.reseal)
        writer = deployment.store()

        def put(**sent: Any) -> Any:
            if sent["Key"] == object_key:
                client.put_object = original
                writer.edit(MemoryPath(("a",)), lambda text: f"{text}, edited")
            return original(**sent)

        client = cast("Any", handler._s3_client)
        original = client.put_object
        client.put_object = put
        assert one(handler, object_key) == ("Succeeded", "already")
        file = deployment.store().read(MemoryPath(("a",)))
        assert file is not None
        assert file.text == "text, edited"

    def test_notices_a_key_ring_that_was_rotated_since_it_was_read(self, deployment: Deployment) -> None:
        store = deployment.store()
        object_key = make(store, "a")
        handler = deployment.handler(bulk.reseal)
        assert one(handler, object_key) == ("Succeeded", "already")
        rotate_elsewhere = deployment.store()
        from s3memory.admin.keys import rotation  # noqa: PLC0415 - one test's

        rotation.rotate(rotate_elsewhere)
        rotate_elsewhere.edit(MemoryPath(("a",)), lambda text: f"{text}!")
        assert one(handler, object_key) == ("Succeeded", "already")

    def test_reports_a_file_that_claims_the_newest_generation_and_does_not_open(self, deployment: Deployment) -> None:
        object_key = make(deployment.store(), "a")
        for generation, text in ((1, "does-not-open"), (2, "no-key")):
            place = envelope.Place(envelope.FILE_PURPOSE, "acme", "/memories/a")
            body = envelope.seal(b"x", data_key=envelope.DataKey(generation, bytes(32)), place=place)
            deployment.client().put_object(Bucket=BUCKET, Key=object_key, Body=body)
            assert one(deployment.handler(bulk.reseal), object_key) == ("PermanentFailure", text)

    def test_a_warm_function_notices_a_rotation(self, deployment: Deployment) -> None:
        object_key = make(deployment.store(), "a")
        handler = deployment.handler(bulk.reseal)
        assert one(handler, object_key) == ("Succeeded", "already")
        from s3memory.admin.keys import rotation  # noqa: PLC0415 - one test's

        rotation.rotate(deployment.store())  # by another process: this one's cache keeps the old ring
        assert one(handler, object_key) == ("Succeeded", "resealed")
        assert one(handler, object_key) == ("Succeeded", "already")
        assert sealed_generation(deployment.s3.objects[BUCKET][object_key]) == 2

    def test_an_invocation_checks_each_key_ring_once_and_unwraps_changed_ones(
        self, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tenants = ("acme", "globex")
        items = [
            {"Key": make(deployment.store(tenant), name)} for tenant in tenants for name in ("a", "b", "c", "d", "e")
        ]
        unwrapped = []
        unwrap = LocalKeyWrapper.unwrap

        def counted(self: LocalKeyWrapper, wrapped: bytes, context: dict[str, str], /) -> bytes:
            unwrapped.append(context)
            return unwrap(self, wrapped, context)

        monkeypatch.setattr(LocalKeyWrapper, "unwrap", counted)
        handler = deployment.handler(bulk.reseal)
        for n_unwrapped in (2, 0):
            deployment.requests.clear()
            unwrapped.clear()
            assert handler({"Items": items}, None)["counts"] == {"already": 10}
            assert deployment.requests == {"GetObject": 10 + 2}
            assert len(unwrapped) == n_unwrapped

    def test_if_a_key_ring_cannot_be_read_again_the_objects_of_its_tenant_fail(self, deployment: Deployment) -> None:
        keys = [make(deployment.store(tenant), "a") for tenant in ("acme", "globex")]
        handler = deployment.handler(bulk.reseal)
        assert handler({"Items": [{"Key": key} for key in keys]}, None)["counts"] == {"already": 2}
        deployment.client().put_object(Bucket=BUCKET, Key="keyrings/acme", Body=b"{}")
        assert handler({"Items": [{"Key": key} for key in keys]}, None) == {
            "counts": {"no-key": 1, "already": 1},
            "failed": [{"item": 0, "resultCode": "PermanentFailure", "resultString": "no-key"}],
        }

    def test_requests_an_unavailable_key_ring_once_however_many_objects_wait_for_it(
        self, deployment: Deployment
    ) -> None:
        items = [{"Key": make(deployment.store(), str(number))} for number in range(40)]
        handler = deployment.handler(bulk.reseal)
        client, asked = cast("Any", handler._s3_client), []
        original = client.get_object

        def out_of_reach(**sent: Any) -> None:
            asked.append(sent["Key"])
            raise EndpointConnectionError(endpoint_url="here")

        client.get_object = out_of_reach
        with pytest.raises(UnfinishedBatchError, match="40 of 40"):
            handler({"Items": items}, None)
        assert asked == ["keyrings/acme"]
        client.get_object = original
        assert handler({"Items": items}, None)["counts"] == {"already": 40}

    def test_does_not_start_objects_for_which_a_slow_key_ring_left_no_time(
        self, deployment: Deployment, caplog: pytest.LogCaptureFixture
    ) -> None:
        object_key = make(deployment.store(), "a")
        deployment.environ["S3MEMORY_AUDIT"] = "on"
        handler = deployment.handler(bulk.reseal)
        client = cast("Any", handler._s3_client)
        original, left_millis = client.get_object, 60_000

        def slow(**sent: Any) -> Any:
            nonlocal left_millis
            left_millis = 1_500
            return original(**sent)

        client.get_object = slow
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: left_millis)
        deployment.requests.clear()
        event = batch_event(task_of(batch_line(BUCKET, Row(object_key)), "2.0"), "2.0")
        with caplog.at_level(logging.INFO, LOGGER):
            (result,) = handler(event, context)["results"]
        assert (result["resultCode"], result["resultString"]) == ("TemporaryFailure", "no-time")
        assert deployment.requests == {"GetObject": 1}
        (told,) = (json.loads(record.message) for record in caplog.records if record.name == LOGGER)
        assert told["outcome"] == "failed"

    def test_refuses_an_older_version(self, deployment: Deployment) -> None:
        line = batch_line(BUCKET, Row("memories/acme/a", "v1"), with_versions=True)
        code, text = run_batch(deployment.handler(bulk.reseal), [line])[0]
        assert (code, text.partition(":")[0]) == ("PermanentFailure", "older-version")


class TestErasing:
    @pytest.mark.parametrize(
        ("code", "times", "result"),
        [
            *((code, 2, ("Succeeded", "erased: 1")) for code in sorted(TRANSIENT_CODES)),
            *((code, 99, ("TemporaryFailure", "unavailable")) for code in sorted(TRANSIENT_CODES)),
            ("AccessDenied", 1, ("PermanentFailure", "refused: AccessDenied 1")),
        ],
    )
    def test_reports_as_refused_only_what_s3_refuses_permanently(
        self, deployment: Deployment, monkeypatch: pytest.MonkeyPatch, *, code: str, times: int, result: tuple[str, str]
    ) -> None:
        object_key = make(deployment.store(), "a")
        real, answers = Server.delete_objects, iter(range(times))

        def delete_objects(server: Server, *, Bucket: str, Delete: dict[str, Any]) -> dict[str, Any]:  # noqa: N803
            if next(answers, None) is None:
                return real(server, Bucket=Bucket, Delete=Delete)
            return {"Errors": [{**one, "Code": code} for one in Delete["Objects"]]}

        monkeypatch.setattr(Server, "delete_objects", delete_objects)
        monkeypatch.setattr("s3memory.aws.retry._FIRST_PAUSE_SECONDS", 0.0)
        assert one(deployment.handler(bulk.erase), object_key, tenant="acme") == result

    def test_needs_a_tenant_and_touches_no_other(self, deployment: Deployment) -> None:
        mine, other = make(deployment.store("acme"), "a"), make(deployment.store("acme2"), "a")
        before = deployment.keys
        handler = deployment.handler(bulk.erase)
        assert one(handler, mine) == ("PermanentFailure", "tenant-not-named")
        assert one(handler, mine, schema="1.0") == ("PermanentFailure", "tenant-not-named")
        assert one(handler, other, tenant="acme") == ("PermanentFailure", "another-tenant")
        assert one(handler, mine, tenant="acm") == ("PermanentFailure", "another-tenant")
        assert deployment.keys == before
        assert one(handler, mine, tenant="acme") == ("Succeeded", "erased: 1")
        assert other in deployment.keys

    def test_of_schema_1_uses_the_tenant_of_the_settings(self, deployment: Deployment) -> None:
        object_key = make(deployment.store(), "a")
        deployment.environ["S3MEMORY_TENANT"] = "acme"
        assert one(deployment.handler(bulk.erase), object_key, schema="1.0") == ("Succeeded", "erased: 1")

    def test_by_a_map_uses_the_tenant_of_its_batches_or_of_the_function(self, deployment: Deployment) -> None:
        for tenant in ("acme", "globex", "initech"):
            make(deployment.store(tenant), "a")
        for_map = [json.loads(map_line(BUCKET, row)) for row in erasure_rows(deployment.store("acme"))]
        batched = {"Items": for_map, "BatchInput": {"tenant": "acme"}}
        assert deployment.handler(bulk.erase)(batched, None)["counts"] == {"erased: 1": 2}
        deployment.environ["S3MEMORY_TENANT"] = "globex"
        (line,) = batch_lines(BUCKET, "", erasure_rows(deployment.store("globex")))
        assert deployment.handler(bulk.erase)(json.loads(line), None)["counts"] == {"erased: 1": 2}
        assert deployment.keys == ["keyrings/initech", "memories/initech/a"]

    def test_does_not_start_just_because_the_rows_of_a_manifest_name_a_tenant(self, deployment: Deployment) -> None:
        for tenant in ("acme", "globex"):
            make(deployment.store(tenant), "a")
        before = deployment.keys
        handler = deployment.handler(bulk.erase)
        answers = [handler(json.loads(line), None) for line in batch_lines(BUCKET, "", map(Row, before))]
        answers += [handler({"Key": "memories/acme/a", "tenant": "acme"}, None)]
        assert {text for answer in answers for text in answer["counts"]} == {"tenant-not-named"}
        assert deployment.keys == before

    def test_of_a_row_erases_only_the_rows_tenant(self, deployment: Deployment) -> None:
        mine = make(deployment.store("acme"), "a")
        row = {"Items": [{"Key": mine}], "tenant": "globex", "BatchInput": {"tenant": "acme"}}
        assert deployment.handler(bulk.erase)(row, None)["counts"] == {"another-tenant": 1}
        assert mine in deployment.keys

    def test_is_refused_if_memory_is_read_only(self, deployment: Deployment) -> None:
        object_key = make(deployment.store(), "a")
        deployment.environ["S3MEMORY_READ_ONLY"] = "true"
        handler = deployment.handler(bulk.erase)
        assert one(handler, object_key, tenant="acme") == ("PermanentFailure", "refused")
        assert object_key in deployment.keys

    def test_destroys_every_version_or_the_named_one(self, s3: S3Client, bucket: str) -> None:
        environ = {"S3MEMORY_BUCKET": bucket, "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text()}
        settings = Settings.from_env(environ)
        store = MemoryStore.from_settings(settings, tenant="acme", s3_client=s3)
        path = MemoryPath(("a",))
        store.create(path, "one")
        store.edit(path, lambda _: "two")
        written = store.edit(path, lambda _: "three")
        store.delete(path, etag=written.etag)
        listed = list(rows(store, with_versions=True))
        assert len(listed) == 3
        assert [row.object_key for row in erasure_rows(store)] == ["keyrings/acme", "memories/acme/a"]
        verifying = BulkHandler(bulk.verify._make_work, operation="verify", settings=settings, s3_client=s3)
        lines = [batch_line(bucket, row, with_versions=True) for row in listed]
        assert run_batch(verifying, lines) == [("Succeeded", "opens")] * 3
        erasing = BulkHandler(bulk.erase._make_work, operation="erase", erases=True, settings=settings, s3_client=s3)
        assert run_batch(erasing, lines[1:2], tenant="acme") == [("Succeeded", "erased: 1")]
        assert run_batch(erasing, lines[1:2], tenant="acme") == [("Succeeded", "gone")]
        assert run_batch(verifying, lines[1:2]) == [("Succeeded", "gone")]
        everything = [batch_line(bucket, row) for row in erasure_rows(store)]
        assert run_batch(erasing, everything, tenant="acme") == [("Succeeded", "erased: 1"), ("Succeeded", "erased: 3")]
        assert "Versions" not in s3.list_object_versions(Bucket=bucket)


class TestAnEvent:
    @pytest.mark.parametrize(
        "event",
        [
            {},
            [],
            None,
            {"Records": []},
            {"Items": [{"key": "a"}]},
            {"Items": [{"Key": 1}]},
            {"invocationSchemaVersion": "1.0"},
            {"invocationSchemaVersion": "3.0", "invocationId": "i", "tasks": []},
            {"invocationSchemaVersion": "1.0", "invocationId": "i", "tasks": [{"s3Key": "a"}]},
            batch_event({"taskId": "t", "s3Key": "%ff", "s3BucketArn": "arn:aws:s3:::b"}, "1.0"),
        ],
        ids=repr,
    )
    def test_of_neither_engine_is_refused(self, deployment: Deployment, event: Any) -> None:
        with pytest.raises(InvalidInputError):
            deployment.handler(bulk.verify)(event, None)

    @pytest.mark.parametrize("row", [{"Key": None}, {"Nokey": 1}, {"EncodedKey": "memories/acme/%ff"}, None], ids=repr)
    def test_with_a_malformed_row_reports_it_and_the_others_are_processed(
        self, deployment: Deployment, row: object
    ) -> None:
        good = {"Key": make(deployment.store(), "a")}
        answer = deployment.handler(bulk.verify)({"Items": [good, row, good]}, None)
        assert answer["counts"] == {"opens": 2, "malformed-row": 1}
        (failed,) = answer["failed"]
        assert (failed["item"], failed["resultCode"]) == (1, "PermanentFailure")

    def test_with_a_malformed_task_is_answered_for_each_task(self, deployment: Deployment) -> None:
        keys = [make(deployment.store(), "a"), "memories/acme/%ff"]
        tasks = [{"taskId": key, "s3Key": key, "s3VersionId": None, "s3Bucket": BUCKET} for key in keys]
        event = {"invocationSchemaVersion": "2.0", "invocationId": "i", "job": {"id": "j"}, "tasks": tasks}
        results = deployment.handler(bulk.verify)(event, None)["results"]
        assert [(one["taskId"], one["resultString"]) for one in results] == [
            (keys[0], "opens"),
            (keys[1], "malformed-row"),
        ]

    def test_of_another_bucket_is_not_processed(self, deployment: Deployment) -> None:
        object_key = make(deployment.store(), "a")
        results = run_batch(deployment.handler(bulk.erase), [batch_line("other", Row(object_key))], tenant="acme")
        assert results == [("PermanentFailure", "another-bucket")]
        assert object_key in deployment.keys

    @pytest.mark.parametrize("like", [bulk.verify, bulk.scan, bulk.reseal, bulk.erase], ids=lambda one: one._operation)
    def test_of_another_tenant_than_the_functions_is_not_processed_whatever_it_names(
        self, deployment: Deployment, like: BulkHandler
    ) -> None:
        mine, other = make(deployment.store("acme"), "a"), make(deployment.store("globex"), "a")
        before = deployment.keys
        deployment.environ["S3MEMORY_TENANT"] = "acme"
        handler = deployment.handler(like)
        refused = ("PermanentFailure", "another-tenant")
        assert [one(handler, key, tenant="globex") for key in (mine, other)] == [refused] * 2
        for named in ({"tenant": "globex"}, {"BatchInput": {"tenant": "globex"}}):
            for key in (mine, other):
                assert handler({"Items": [{"Key": key}], **named}, None)["counts"] == {"another-tenant": 1}
        assert deployment.keys == before

    def test_of_a_map_over_a_listing_has_plain_keys(self, deployment: Deployment) -> None:
        object_key = make(deployment.store(), "100% a+b c.md")
        item = {"Etag": '"e"', "Key": object_key, "LastModified": 1, "Size": 1, "StorageClass": "STANDARD"}
        answer = {"counts": {"opens": 1}, "failed": []}
        handler = deployment.handler(bulk.verify)
        assert handler(item, None) == answer
        assert handler({"Items": [item], "BatchInput": {"tenant": "acme"}}, None) == answer
        refused = handler({"Items": [item], "BatchInput": {"tenant": "globex"}}, None)
        assert refused["failed"] == [{"item": 0, "resultCode": "PermanentFailure", "resultString": "another-tenant"}]

    @pytest.mark.parametrize("encode", [quote, quote_plus, lambda key: quote(key, safe="/+ ")])
    def test_refers_to_an_existing_object_however_its_key_is_encoded(
        self, deployment: Deployment, encode: Callable[[str], str]
    ) -> None:
        object_key = make(deployment.store(), "a+b c.md")
        task = {"taskId": "t", "s3Key": encode(object_key), "s3VersionId": None, "s3Bucket": BUCKET}
        answer = deployment.handler(bulk.verify)(batch_event(task, "2.0"), None)
        assert answer["results"][0]["resultString"] == "opens"

    def test_that_could_refer_to_two_objects_is_not_processed(self, deployment: Deployment) -> None:
        store = deployment.store()
        make(store, "a+b")
        make(store, "a b")
        before = deployment.keys
        task = {"taskId": "t", "s3Key": "memories/acme/a+b", "s3VersionId": None, "s3Bucket": BUCKET}
        answer = deployment.handler(bulk.erase)(batch_event(task, "2.0", tenant="acme"), None)
        assert answer["results"][0]["resultString"] == "ambiguous-key"
        assert deployment.keys == before


class TestFailures:
    @pytest.fixture
    def handler(self, deployment: Deployment) -> BulkHandler:
        make(deployment.store(), "a")
        return deployment.handler(bulk.verify)

    def fail(self, handler: BulkHandler, error: Exception) -> None:
        def raising(**_: object) -> None:
            raise error

        cast("Any", handler._s3_client).get_object = raising

    @pytest.mark.parametrize(
        ("error", "result"),
        [
            (EndpointConnectionError(endpoint_url="here"), ("TemporaryFailure", "unavailable")),
            (ClientError({"Error": {"Code": "SlowDown"}}, "GetObject"), ("TemporaryFailure", "unavailable")),
            (ClientError({"Error": {"Code": "AccessDenied"}}, "GetObject"), ("PermanentFailure", "access-denied")),
            (
                ClientError({"Error": {"Code": "InvalidObjectState"}}, "GetObject"),
                ("PermanentFailure", "refused-by-store"),
            ),
            (RuntimeError("a fault with a secret"), ("PermanentFailure", "internal-error")),
        ],
        ids=repr,
    )
    def test_are_classified_by_whether_to_retry(
        self, handler: BulkHandler, error: Exception, result: tuple[str, str], caplog: pytest.LogCaptureFixture
    ) -> None:
        self.fail(handler, error)
        assert one(handler, "memories/acme/a") == result
        assert "secret" not in caplog.text

    def test_make_a_map_retry_its_batch(self, handler: BulkHandler) -> None:
        self.fail(handler, EndpointConnectionError(endpoint_url="here"))
        with pytest.raises(UnfinishedBatchError, match="2 of 2"):
            handler({"Items": [{"Key": "memories/acme/a"}, {"Key": "memories/acme/b"}]}, None)

    def test_of_one_object_do_not_hide_findings_in_the_others(
        self, deployment: Deployment, caplog: pytest.LogCaptureFixture
    ) -> None:
        keys = [make(deployment.store("tenantname"), f"filename-{number}") for number in range(5)]
        deployment.client().put_object(Bucket=BUCKET, Key=keys[3], Body=b"content")
        handler = deployment.handler(bulk.verify)
        client = cast("Any", handler._s3_client)
        original = client.get_object

        def out_of_reach(**sent: Any) -> Any:
            if sent["Key"] == keys[1]:
                raise EndpointConnectionError(endpoint_url="here")
            return original(**sent)

        client.get_object = out_of_reach
        with caplog.at_level(logging.WARNING, "s3memory"), pytest.raises(UnfinishedBatchError) as raised:
            handler({"Items": [{"Key": key} for key in keys]}, None)
        said, _, found = str(raised.value).partition(" Found: ")
        assert said == "1 of 5 objects are to be sent again."
        assert json.loads(found) == {
            "counts": {"opens": 3, "unavailable": 1, "does-not-open": 1},
            "items": {"does-not-open": [3], "unavailable": [1]},
        }
        assert [record.levelno for record in caplog.records if found in record.message] == [logging.WARNING]
        told = caplog.text + str(raised.value)
        assert not any(word in told for word in ("tenantname", "filename", "content", BUCKET))

    @pytest.mark.parametrize("n_texts", [1, 7, 3_000])
    def test_are_reported_in_an_error_that_fits_the_engine_with_permanent_ones_first(self, n_texts: int) -> None:
        bad = [wrong(f"refused: Code{number % n_texts} 1, {'AnotherCode 1, ' * 10}") for number in range(5_000)]
        text = found_so_far([*[again("no-time")] * 5_000, *bad])
        cause = json.dumps({"errorMessage": text, "errorType": "UnfinishedBatchError", "stackTrace": []})
        assert len(cause) < 32_768 - 4_096  # and a stack trace
        found = json.loads(text)
        assert found["counts"]["no-time"] == 5_000
        assert "no-time" not in found["items"]
        numbers = [number for numbers in found["items"].values() for number in numbers]
        assert sorted(numbers) == list(range(5_000, 5_000 + len(numbers)))
        assert numbers

    def test_for_lack_of_time_leave_the_rest_for_later(self, handler: BulkHandler, deployment: Deployment) -> None:
        deployment.requests.clear()
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 1_500)
        line = batch_line(BUCKET, Row("memories/acme/a"))
        answer = handler(batch_event(task_of(line, "2.0"), "2.0"), context)
        assert answer["results"][0]["resultCode"] == "TemporaryFailure"
        assert answer["results"][0]["resultString"] == "no-time"
        assert not deployment.requests

    def test_name_nothing(self, deployment: Deployment, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG, "s3memory")
        deployment.environ["S3MEMORY_REDACTION"] = "off"
        store = deployment.store("tenantname")
        object_key = make(store, "filename.md", f"content {SECRET}")
        deployment.client().put_object(Bucket=BUCKET, Key=f"{object_key}.bad", Body=b"content")
        del deployment.environ["S3MEMORY_REDACTION"]
        said = caplog.text
        for like in (bulk.verify, bulk.scan, bulk.reseal, bulk.erase):
            for name in (object_key, f"{object_key}.bad", "keyrings/tenantname", "memories/tenantname/none"):
                said += " ".join(one(deployment.handler(like), name, tenant="tenantname"))
        assert not any(word in said for word in ("tenantname", "filename", "content", "AKIA", BUCKET))


class TestARetriedBatch:
    def test_reaches_objects_for_which_earlier_attempts_had_no_time(self, deployment: Deployment) -> None:
        items = [{"Key": make(deployment.store(), str(number))} for number in range(200)]
        handler = deployment.handler(bulk.verify)
        client = cast("Any", handler._s3_client)
        original = client.get_object
        tries: list[set[str]] = []

        def counted(**sent: Any) -> Any:
            tries[-1].add(sent["Key"])
            return original(**sent)

        client.get_object = counted
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 60_000 if len(tries[-1]) < 40 else 0)
        for _ in range(7):
            tries.append(set())
            with pytest.raises(UnfinishedBatchError):
                handler({"Items": items}, context)
        assert len(set[str]().union(*tries)) > 2 * max(len(one) for one in tries)

    def test_is_answered_in_the_order_of_its_items(self, deployment: Deployment) -> None:
        keys = [make(deployment.store(), str(number)) for number in range(100)]
        for number in (7, 42, 99):
            deployment.client().put_object(Bucket=BUCKET, Key=keys[number], Body=b"x" * 100)
        answer = deployment.handler(bulk.verify)({"Items": [{"Key": key} for key in keys]}, None)
        assert [one["item"] for one in answer["failed"]] == [7, 42, 99]

    @given(st.integers(0, 100))
    def test_starts_with_its_first_object_which_may_be_the_key_ring_of_a_tenant_to_erase(self, n_items: int) -> None:
        order = order_of_work(n_items)
        assert order[:1] == [0][:n_items]
        assert sorted(order) == list(range(n_items))


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


class TestManifests:
    @given(NAMES)
    def test_contain_keys_that_every_decoder_reads_correctly(self, name: str) -> None:
        line = batch_line(BUCKET, Row(f"memories/acme/{name}", "v,1".replace(",", "")), with_versions=True)
        bucket, encoded, version = line.split(",")
        assert (bucket, version) == (BUCKET, "v1")
        assert unquote(encoded) == unquote_plus(encoded) == f"memories/acme/{name}"
        assert decoded(encoded) == (f"memories/acme/{name}",)
        assert line.isprintable()
        assert line.isascii()

    @given(NAMES)
    def test_for_a_map_have_one_line_of_json_per_object(self, name: str) -> None:
        line = map_line(BUCKET, Row(name, "v1"))
        assert line.isascii()
        assert "\n" not in line
        assert parsed(json.loads(line)).items[0].object_keys == (name,)

    def test_of_a_tenant_exclude_tenants_whose_names_start_with_its_name(self, deployment: Deployment) -> None:
        make(deployment.store("a"), "x")
        make(deployment.store("ab"), "x")
        assert [row.object_key for row in rows(deployment.store("a"))] == ["memories/a/x"]
        assert [row.object_key for row in erasure_rows(deployment.store("a"))] == ["keyrings/a", "memories/a/x"]


class TestPlaces:
    @for_each(
        ("object_key", "place"),
        [
            ("p/memories/acme/a/b", ObjectPlace(Folder.MEMORIES, "acme")),
            ("p/intents/acme/i", ObjectPlace(Folder.INTENTS, "acme")),
            ("p/redactions/acme/r", ObjectPlace(Folder.REDACTIONS, "acme")),
            ("p/keyrings/acme", ObjectPlace(Folder.KEY_RINGS, "acme")),
            ("p/keyrings/acme/x", None),
            ("p/keyrings/acme/", None),
            ("p/memories/acme", None),
            ("p/memories/acme/", None),
            ("p/memories//a", None),
            ("p/memories/-acme/a", None),
            ("p/memories/../a", None),
            ("memories/acme/a", None),
            ("p/batch/manifests/m.csv", None),
            ("", None),
        ],
    )
    def test_of_a_key(self, object_key: str, place: ObjectPlace | None) -> None:
        assert place_of("p/", object_key) == place

    @given(st.sampled_from(FOLDERS), NAMES, NAMES)
    def test_never_name_an_invalid_tenant(self, folder: str, tenant: str, rest: str) -> None:
        place = place_of("", f"{folder}/{tenant}/{rest}")
        assert place is None or "/" not in place.tenant


class TestAsTheCommandsDo:
    """Bulk work reports for each file what `s3memory.admin` reports for the whole tenant."""

    @pytest.fixture
    def damaged(self, deployment: Deployment) -> MemoryStore:
        """A file that opens, and others that are named after what is wrong with them."""
        deployment.environ["S3MEMORY_REDACTION"] = "off"
        store = deployment.store()
        make(store, "opens", SECRET)
        ring = store.key_ring.existing_or_new()
        client = deployment.client()
        for name, generation in (("does-not-open", 1), ("no-key", 7)):
            path = MemoryPath((name,))
            place = envelope.Place(envelope.FILE_PURPOSE, "acme", str(path))
            body = envelope.seal(b"x", data_key=envelope.DataKey(generation, bytes(32)), place=place)
            client.put_object(Bucket=BUCKET, Key=store.objects.key_of(ring, path), Body=body)
        client.put_object(Bucket=BUCKET, Key="memories/acme//stray-object", Body=b"x")
        del deployment.environ["S3MEMORY_REDACTION"]
        return store

    def test_verify(self, deployment: Deployment, damaged: MemoryStore) -> None:
        whole: list[Defect] = []
        verify_tenant(damaged, whole.append)
        ring = damaged.key_ring.existing_or_new()
        handler = deployment.handler(bulk.verify)
        for object_key in [key for key in deployment.keys if key.startswith("memories/")]:
            kind = object_key.rpartition("/")[2]
            found = verify_file(damaged, ring, object_key)
            assert found == next((replace(one, modified=None) for one in whole if one.object_key == object_key), None)
            assert ("opens" if found is None else found.kind) == kind == one(handler, object_key)[1]
        with pytest.raises(NotFoundError):
            verify_file(damaged, ring, "memories/acme/gone")

    def test_scan(self, deployment: Deployment, damaged: MemoryStore) -> None:
        redactor = PatternRedactor().never_refusing()
        whole = scan_tenant(damaged, redactor)
        scanned = scan_file(damaged, redactor, MemoryPath(("opens",)))
        assert (scanned.findings, scanned.failure) == (whole.findings, None)
        kinds = Counter(one.kind for one in scanned.findings)
        counted = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        handler = deployment.handler(bulk.scan)
        assert one(handler, "memories/acme/opens") == ("Succeeded", f"found: {counted}")
        unreadable = []
        for name in ("does-not-open", "no-key"):
            scanned = scan_file(damaged, redactor, MemoryPath((name,)))
            assert scanned.failure is not None
            unreadable.append(scanned.path)
            assert one(handler, f"memories/acme/{name}") == ("PermanentFailure", name)
        assert tuple(unreadable) == whole.unreadable

    def test_reseal(self, deployment: Deployment, damaged: MemoryStore) -> None:
        rotate(deployment, "acme")
        ring = damaged.key_ring.reloaded()
        assert ring is not None
        path = MemoryPath(("opens",))
        assert reseal_file(damaged, ring, path, dry_run=True) is ResealOutcome.RESEALED
        assert reseal_file(damaged, ring, path) is ResealOutcome.RESEALED
        assert reseal_file(damaged, ring, path) is ResealOutcome.ALREADY
        assert reseal_file(damaged, ring, MemoryPath(("gone",))) is ResealOutcome.GONE
        handler = deployment.handler(bulk.reseal)
        assert one(handler, "memories/acme/opens") == ("Succeeded", "already")
        for name, error in (("does-not-open", IntegrityError), ("no-key", KeyRingError)):
            with pytest.raises(error):
                reseal_file(damaged, ring, MemoryPath((name,)))
            assert one(handler, f"memories/acme/{name}") == ("PermanentFailure", name)


class TestAudit:
    def test_each_processed_object_causes_one_event(
        self, deployment: Deployment, caplog: pytest.LogCaptureFixture
    ) -> None:
        good = make(deployment.store(), "marzipan")
        deployment.environ["S3MEMORY_AUDIT"] = "on"
        deployment.client().put_object(Bucket=BUCKET, Key="memories/acme/bad", Body=b"x" * 100)
        items = {"Items": [{"Key": good}, {"Key": "memories/acme/bad"}, {"Key": "elsewhere"}]}
        for handler, operation in (
            (bulk.verify, "verify"),
            (bulk.scan, "scan"),
            (bulk.reseal, "reseal"),
            (bulk.erase, "erase"),
        ):
            with caplog.at_level(logging.INFO, LOGGER):
                caplog.clear()
                deployment.handler(handler)({**items, "BatchInput": {"tenant": "acme"}}, None)
            events = [json.loads(record.message) for record in caplog.records if record.name == LOGGER]
            told = sorted((one["tenant"], one["operation"], one["outcome"]) for one in events)
            of_bad = "done" if operation in {"verify", "erase"} else "failed"  # verify exists to report findings
            assert told == [("acme", operation, "done"), ("acme", operation, of_bad)]
            assert "marzipan" not in caplog.text

    def test_reading_a_key_ring_again_is_among_the_requests(
        self, make_store: MakeStore, bucket: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        key = LocalKeyWrapper.generate_key_text()
        make_store(key_wrapper=LocalKeyWrapper.from_text(key)).create(MemoryPath(("a",)), "text")
        environ = {"S3MEMORY_BUCKET": bucket, "S3MEMORY_LOCAL_KEY": key, "S3MEMORY_AUDIT": "on"}
        handler = BulkHandler(
            bulk.reseal._make_work, operation="reseal", rereads_keys=True, settings=Settings.from_env(environ)
        )
        with caplog.at_level(logging.INFO, LOGGER):
            handler({"Key": "memories/acme/a"}, None)
        (event,) = (json.loads(record.message) for record in caplog.records if record.name == LOGGER)
        assert event["requests"] == {"GetObject": 2}


def test_each_handler_does_what_its_name_says() -> None:
    settings = Settings.from_env({})
    made = [handler._make_work(settings) for handler in (bulk.verify, bulk.reseal, bulk.erase)]
    assert made == [verify, reseal, erase]
    assert bulk.scan._make_work(settings).__qualname__ == scan(_redactor(settings)).__qualname__
    assert [handler._operation for handler in (bulk.verify, bulk.scan, bulk.reseal, bulk.erase)] == [
        "verify",
        "scan",
        "reseal",
        "erase",
    ]
    assert [handler._erases for handler in (bulk.verify, bulk.scan, bulk.reseal, bulk.erase)] == [
        False,
        False,
        False,
        True,
    ]
    assert {str(code) for code in Code} == {"Succeeded", "TemporaryFailure", "PermanentFailure"}
