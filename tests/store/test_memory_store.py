"""One file at a time: compare-and-swap, key rings on first use, redaction before sealing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from conftest import TENANT, MakeStore
from support.faults import FaultLayer, other_writer_first, refused
from support.for_each import for_each
from support.stored import text_of

from s3memory import KmsKeyWrapper, LocalKeyWrapper, MemoryPath, MemoryStore, forget_keys
from s3memory.config.settings import Settings
from s3memory.errors import (
    AccessDeniedError,
    AlreadyExistsError,
    ConfigurationError,
    ConflictError,
    InvalidInputError,
    KeyRingError,
    LimitError,
    NotFoundError,
    ReadOnlyError,
    RedactionError,
)
from s3memory.keys.key_cache import KeyCache
from s3memory.limits import Limits
from s3memory.redaction import Finding, Redaction

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

NOTE = MemoryPath(("notes", "a.md"))
FORBIDDEN = refused(403, "AccessDenied")


def objects(s3: S3Client, bucket: str) -> dict[str, bytes]:
    listed = s3.list_objects_v2(Bucket=bucket).get("Contents", [])
    return {item["Key"]: s3.get_object(Bucket=bucket, Key=item["Key"])["Body"].read() for item in listed}


@pytest.mark.parametrize("name_mode", ["plain", "encrypted"])
def test_a_stored_file_is_read_back_by_a_store_that_shares_nothing(make_store: MakeStore, name_mode: str) -> None:
    make_store(name_mode=name_mode, key_cache=KeyCache()).create(NOTE, "text\r\n\u2028")
    assert text_of(make_store(key_cache=KeyCache()), NOTE) == "text\r\n\u2028"


def test_the_bucket_contains_neither_texts_nor_names_if_they_are_encrypted(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    make_store(name_mode="encrypted").create(NOTE, "a very telling text")
    stored = objects(s3, bucket)
    everything = " ".join(stored).encode() + b"".join(stored.values())
    for telling in (b"telling", b"notes", b"a.md"):
        assert telling not in everything


def test_plain_names_are_readable_in_the_bucket(make_store: MakeStore, s3: S3Client, bucket: str) -> None:
    make_store(prefix="team/").create(NOTE, "x")
    assert set(objects(s3, bucket)) == {f"team/keyrings/{TENANT}", f"team/memories/{TENANT}/notes/a.md"}


def test_reading_a_new_tenant_creates_nothing(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    assert store.read(NOTE) is None
    assert store.files.info(NOTE) is None
    assert not store.files.has_directory(MemoryPath(("notes",)))
    with pytest.raises(NotFoundError):
        store.edit(NOTE, str.upper)
    assert objects(s3, bucket) == {}


def test_a_refused_write_creates_no_key_ring(make_store: MakeStore, s3: S3Client, bucket: str) -> None:
    with pytest.raises(LimitError):
        make_store(limits=Limits(max_file_bytes=3)).create(NOTE, "four")
    assert objects(s3, bucket) == {}


def test_a_denied_key_ring_counts_as_missing_while_there_is_no_memory(
    make_store: MakeStore, faults: FaultLayer, s3: S3Client, bucket: str
) -> None:
    """S3 answers 403 for a missing object to callers that may not list the bucket."""
    faults.hit("GetObject", FORBIDDEN, times=2)
    store = make_store(key_cache=KeyCache())
    assert not store.files.list_page(MemoryPath()).files
    store.create(NOTE, "tea")
    assert text_of(make_store(key_cache=KeyCache()), NOTE) == "tea"
    assert len(objects(s3, bucket)) == 2


def test_a_denied_key_ring_is_an_error_once_there_is_memory(make_store: MakeStore, faults: FaultLayer) -> None:
    make_store().create(NOTE, "tea")
    store = make_store(key_cache=KeyCache())
    calls: list[Callable[[], object]] = [
        lambda: store.read(NOTE),
        lambda: store.create(MemoryPath(("b",)), "x"),
        lambda: store.edit(NOTE, str.upper),
        lambda: store.files.list_page(MemoryPath()),
    ]
    for call in calls:
        faults.hit("GetObject", FORBIDDEN, times=2)
        with pytest.raises(AccessDeniedError):
            call()


def test_an_existing_key_ring_that_is_denied_is_not_replaced(
    make_store: MakeStore, faults: FaultLayer, s3: S3Client, bucket: str
) -> None:
    store = make_store()
    written = store.create(NOTE, "tea")
    store.delete(NOTE, etag=written.etag)
    before = objects(s3, bucket)
    faults.hit("GetObject", FORBIDDEN, times=2)
    with pytest.raises(AccessDeniedError):
        make_store(key_cache=KeyCache()).create(NOTE, "tea")
    assert objects(s3, bucket) == before


def test_only_one_key_ring_is_created_however_many_writers_start_at_once(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    stores = [make_store(key_cache=KeyCache()) for _ in range(8)]
    barrier = threading.Barrier(len(stores))

    def create(number: int) -> None:
        barrier.wait()
        stores[number].create(MemoryPath((f"{number}",)), f"{number}")

    with ThreadPoolExecutor(len(stores)) as pool:
        list(pool.map(create, range(len(stores))))
    reader = make_store(key_cache=KeyCache())
    assert [text_of(reader, MemoryPath((f"{number}",))) for number in range(8)] == [f"{n}" for n in range(8)]
    versions = s3.list_object_versions(Bucket=bucket, Prefix="keyrings/")["Versions"]
    assert len(versions) == 1


def test_threads_of_a_cold_start_unwrap_the_key_once(make_store: MakeStore, faults: FaultLayer) -> None:
    make_store().create(NOTE, "x")
    unwraps = []

    class Counting(LocalKeyWrapper):
        def unwrap(self, wrapped: bytes, context: dict[str, str], /) -> bytes:
            unwraps.append(context)
            return super().unwrap(wrapped, context)

    wrapper = Counting(*make_store().key_ring.wrapper._keys)  # type: ignore[attr-defined]
    store = make_store(key_wrapper=wrapper, key_cache=KeyCache())
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: text_of(store, NOTE), range(16))) == {"x"}
    assert len(unwraps) == 1


def requests_of_a_read(store: MemoryStore, faults: FaultLayer) -> int:
    before = len(faults.requests)
    store.read(NOTE)
    return len(faults.requests) - before


def test_keys_are_loaded_again_when_they_expire_or_are_dropped(make_store: MakeStore, faults: FaultLayer) -> None:
    now = 0.0
    cache = KeyCache(clock=lambda: now)
    store = make_store(key_cache=cache, key_ttl_seconds=10)
    store.create(NOTE, "x")

    assert requests_of_a_read(store, faults) == 1
    now = 9.9
    assert requests_of_a_read(store, faults) == 1
    now = 10.0
    assert requests_of_a_read(store, faults) == 2
    cache.clear()
    assert requests_of_a_read(store, faults) == 2
    assert requests_of_a_read(store, faults) == 1


def test_keys_that_another_store_loaded_are_used_no_longer_than_a_stores_own_lifetime(
    make_store: MakeStore, faults: FaultLayer
) -> None:
    now = 0.0
    cache = KeyCache(clock=lambda: now)
    short, long = (make_store(key_cache=cache, key_ttl_seconds=seconds) for seconds in (10, 100))
    long.create(NOTE, "x")

    now = 9.9
    assert requests_of_a_read(short, faults) == 1
    now = 10.0
    assert requests_of_a_read(long, faults) == 1
    assert requests_of_a_read(short, faults) == 2
    assert requests_of_a_read(short, faults) == 1
    now = 109.9
    assert requests_of_a_read(long, faults) == 1
    now = 110.0
    assert requests_of_a_read(long, faults) == 2


def test_forgetting_keys_drops_keys_that_stores_share(make_store: MakeStore, faults: FaultLayer) -> None:
    store = make_store()
    store.create(NOTE, "x")
    forget_keys()
    faults.requests.clear()
    store.read(NOTE)
    assert faults.requests == ["GetObject", "GetObject"]


def test_stores_that_are_created_per_request_share_unwrapped_keys(make_store: MakeStore, faults: FaultLayer) -> None:
    make_store().create(NOTE, "x")
    faults.requests.clear()
    make_store().read(NOTE)
    assert faults.requests == ["GetObject"]


def test_a_file_can_be_created_only_once(store: MemoryStore) -> None:
    store.create(NOTE, "first")
    with pytest.raises(AlreadyExistsError):
        store.create(NOTE, "second")
    assert text_of(store, NOTE) == "first"


@pytest.mark.parametrize("blocked", [NOTE.child("x"), NOTE.child("x", "y"), MemoryPath(("notes",))])
def test_nothing_is_created_below_a_file_or_at_a_directorys_path(store: MemoryStore, blocked: MemoryPath) -> None:
    store.create(NOTE, "x")
    with pytest.raises(AlreadyExistsError):
        store.create(blocked, "y")
    assert store.read(blocked) is None


def test_an_edit_that_loses_to_another_writer_is_applied_to_the_new_text(
    make_store: MakeStore, other_s3: S3Client, faults: FaultLayer
) -> None:
    store, other = make_store(), make_store(s3_client=other_s3)
    store.create(NOTE, "one")
    faults.hit("PutObject", other_writer_first(lambda: other.edit(NOTE, lambda text: f"{text} two")))
    store.edit(NOTE, lambda text: f"{text} three")
    assert text_of(store, NOTE) == "one two three"


def test_an_edit_that_always_loses_gives_up_and_changes_nothing(
    make_store: MakeStore, other_s3: S3Client, faults: FaultLayer
) -> None:
    store, other = make_store(limits=Limits(max_tries=2)), make_store(s3_client=other_s3)
    store.create(NOTE, "")
    beat = other_writer_first(lambda: other.edit(NOTE, lambda text: f"{text}o"))
    faults.hit("PutObject", beat, times=9)
    with pytest.raises(ConflictError, match="Nothing was changed"):
        store.edit(NOTE, lambda text: f"{text}s")
    assert text_of(store, NOTE) == "oo"


def test_an_edit_of_a_file_that_is_deleted_meanwhile_does_not_bring_it_back(
    make_store: MakeStore, faults: FaultLayer, s3: S3Client, other_s3: S3Client, bucket: str
) -> None:
    store, other = make_store(), make_store(s3_client=other_s3)
    written = store.create(NOTE, "x")
    faults.hit("PutObject", other_writer_first(lambda: other.delete(NOTE, etag=written.etag)))
    with pytest.raises(NotFoundError):
        store.edit(NOTE, str.upper)
    assert set(objects(s3, bucket)) == {f"keyrings/{TENANT}"}


def test_two_simultaneous_edits_are_both_in_the_file(make_store: MakeStore) -> None:
    stores = [make_store(limits=Limits(max_tries=40)) for _ in range(6)]
    stores[0].create(NOTE, "")
    with ThreadPoolExecutor(len(stores)) as pool:
        list(pool.map(lambda number: stores[number].edit(NOTE, lambda text: f"{text}{number}\n"), range(6)))
    assert sorted((text_of(stores[0], NOTE) or "").split()) == list("012345")


def test_a_key_from_a_rotation_by_another_process_is_found(make_store: MakeStore) -> None:
    stale, writer = make_store(key_cache=KeyCache()), make_store(key_cache=KeyCache())
    stale.create(NOTE, "old")
    ring = writer.key_ring.existing_or_new().rotated()
    info = writer.objects.head(writer.key_ring.object_key)
    assert info is not None
    writer.objects.put(writer.key_ring.object_key, ring.ring.to_bytes(), over=info.etag)
    fresh = make_store(key_cache=KeyCache())
    fresh.edit(NOTE, lambda text: f"{text} new")
    assert text_of(stale, NOTE) == "old new"
    assert fresh.key_ring.existing_or_new().newest.generation == 2


def test_a_missing_key_ring_is_never_replaced_while_files_exist(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    make_store().create(NOTE, "x")
    s3.delete_object(Bucket=bucket, Key=f"keyrings/{TENANT}")
    store = make_store(key_cache=KeyCache())
    for command in (lambda: store.read(NOTE), lambda: store.create(MemoryPath(("b",)), "y")):
        with pytest.raises(KeyRingError, match="missing"):
            command()
    assert set(objects(s3, bucket)) == {f"memories/{TENANT}/notes/a.md"}


def test_the_marker_that_a_console_makes_for_a_folder_does_not_block_a_new_tenant(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/", Body=b"")
    store = make_store()
    assert store.read(NOTE) is None
    store.create(NOTE, "tea")
    assert text_of(make_store(key_cache=KeyCache()), NOTE) == "tea"


def test_a_key_ring_does_not_open_with_another_wrapper(make_store: MakeStore) -> None:
    make_store().create(NOTE, "x")
    other = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())
    with pytest.raises(KeyRingError):
        make_store(key_wrapper=other).read(NOTE)
    with pytest.raises(KeyRingError, match="another kind of key"):
        make_store(key_wrapper=KmsKeyWrapper("alias/k", kms_client=boto3.client("kms"))).read(NOTE)


def test_kms_is_called_once_for_many_files(make_store: MakeStore) -> None:
    kms = boto3.client("kms")
    key_id = kms.create_key()["KeyMetadata"]["KeyId"]
    wrapper = KmsKeyWrapper(key_id, kms_client=kms)
    make_store(key_wrapper=wrapper).create(MemoryPath(("0",)), "x")
    with FaultLayer(kms) as calls:
        store = make_store(key_wrapper=wrapper, key_cache=KeyCache())
        for number in range(1, 5):
            store.create(MemoryPath((f"{number}",)), "x")
            store.read(MemoryPath((f"{number}",)))
    assert calls.requests == ["Decrypt"]


def test_a_read_only_store_refuses_every_write(make_store: MakeStore, faults: FaultLayer) -> None:
    make_store().create(NOTE, "x")
    faults.requests.clear()
    store = make_store(read_only=True)
    writes: list[Callable[[], object]] = [
        lambda: store.create(NOTE, "y"),
        lambda: store.edit(NOTE, str.upper),
        lambda: store.delete(NOTE, etag='"e"'),
    ]
    for write in writes:
        with pytest.raises(ReadOnlyError):
            write()
    assert faults.requests == []
    assert text_of(store, NOTE) == "x"


def test_a_limit_counts_bytes_after_redaction(make_store: MakeStore) -> None:
    store = make_store(limits=Limits(max_file_bytes=4))
    store.create(MemoryPath(("a",)), "\u00e9\u00e9")
    with pytest.raises(LimitError, match="4 bytes"):
        store.create(MemoryPath(("b",)), "\u00e9\u00e9\u00e9")
    with pytest.raises(LimitError):
        store.edit(MemoryPath(("a",)), lambda text: text * 2)


def test_a_lone_surrogate_is_refused_and_leaves_nothing(store: MemoryStore, s3: S3Client, bucket: str) -> None:
    with pytest.raises(InvalidInputError):
        store.create(NOTE, "\ud800")
    assert objects(s3, bucket) == {}


class Shouting:
    """Redacts a text by converting it to upper case."""

    def redact(self, text: str, /) -> Redaction:
        return Redaction(text.upper(), (Finding("quiet", 1),))


class Broken:
    """Fails in the given way."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def redact(self, text: str, /) -> Any:  # noqa: ARG002 - the protocol's signature
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


class BrokenForWrites:
    """Fails in the given way when it is asked for the redactor of one write."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def redact(self, text: str, /) -> Redaction:
        return Redaction(text)

    def for_write(self, path: str | None, tag_key: Callable[[], bytes] | None, /) -> Any:  # noqa: ARG002 - as above
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


class PathsOnly:
    """Finds something in one name."""

    def redact(self, text: str, /) -> Redaction:
        return Redaction(text, (Finding("word", 1),) if "secret" in text else ())


def test_the_redactor_gets_every_text_in_full(make_store: MakeStore) -> None:
    make_store(redactor=None).create(NOTE, "before")
    written = make_store(redactor=Shouting()).edit(NOTE, lambda text: f"{text} after")
    assert (written.text, written.findings) == ("BEFORE AFTER", (Finding("quiet", 1),))
    assert text_of(make_store(), NOTE) == "BEFORE AFTER"


@pytest.mark.parametrize(
    "result",
    [
        RuntimeError("the text was hunter2"),
        None,
        "a plain string",
        Redaction(b"bytes"),  # type: ignore[arg-type]
        Redaction("x", ("not a finding",)),  # type: ignore[arg-type]
        Redaction("x", (Finding("Bad Kind", 1),)),
        Redaction("\ud800"),
    ],
)
def test_a_failing_redactor_stops_the_write_and_its_message_goes_nowhere(
    make_store: MakeStore, s3: S3Client, bucket: str, caplog: pytest.LogCaptureFixture, result: object
) -> None:
    make_store(redactor=None).create(NOTE, "x")
    store = make_store(redactor=Broken(result))
    before = objects(s3, bucket)
    writes: list[Callable[[], object]] = [
        lambda: store.create(MemoryPath(("b",)), "y"),
        lambda: store.edit(NOTE, str.upper),
    ]
    for write in writes:
        with pytest.raises((RedactionError, InvalidInputError)) as caught:
            write()
        assert "hunter2" not in str(caught.value)
        assert caught.value.__cause__ is None
    assert objects(s3, bucket) == before
    assert "hunter2" not in caplog.text


@pytest.mark.parametrize("result", [RuntimeError("hunter2"), None, "a plain string", Broken(None)])
def test_a_redactor_that_returns_none_for_a_write_stops_it(
    make_store: MakeStore, s3: S3Client, bucket: str, caplog: pytest.LogCaptureFixture, result: object
) -> None:
    store = make_store(redactor=BrokenForWrites(result))
    with pytest.raises(RedactionError) as caught:
        store.create(NOTE, "y")
    assert "hunter2" not in str(caught.value) + caplog.text
    assert caught.value.__cause__ is None
    assert objects(s3, bucket) == {}


def test_a_path_with_a_finding_is_refused_by_its_kind(make_store: MakeStore) -> None:
    store = make_store(redactor=PathsOnly())
    for segments in [("secret",), ("a", "secret.md"), ("a", "%73ecret")]:
        with pytest.raises(RedactionError, match="word") as caught:
            store.create(MemoryPath(segments), "x")
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "more",
    [
        {"bucket": ""},
        {"tenant": "a/b"},
        {"tenant": ".."},
        {"tenant": None},
        {"prefix": "x"},
        {"prefix": "/"},
        {"name_mode": "rot13"},
        {"key_wrapper": None},
        {"key_wrapper": "alias/key"},
        {"redactor": "no redactor"},
        {"auditor": print},
        {"remaining_seconds": 30},
    ],
    ids=str,
)
def test_malformed_arguments_are_configuration_errors(make_store: MakeStore, more: dict[str, Any]) -> None:
    (name,) = more
    with pytest.raises(ConfigurationError, match=name):
        make_store(**more)


@pytest.mark.parametrize(
    ("bucket", "reason"),
    [
        ("s3://agent-memory", "name of a bucket"),
        ("Agent_Memory", "name of a bucket"),
        ("arn:aws:s3::111122223333:accesspoint/mfzwi23gnjvgw.mrap", "replica"),
        ("agents--use1-az4--x-s3", "versions"),
    ],
)
def test_a_bucket_name_that_settings_would_refuse_is_also_refused_as_an_argument(
    make_store: MakeStore, bucket: str, reason: str
) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        make_store(bucket=bucket)


@for_each("field", ["max_file_bytes", "max_view_chars", "max_tries"])
@for_each("value", [0, -1, True, 1.5, "1", 10**9])
def test_limits_out_of_range_are_configuration_errors(field: str, value: Any) -> None:
    if (field, value) in {("max_view_chars", 10**9), ("max_tries", 10**9)}:
        assert Limits(**{field: value}) is not None
        return
    with pytest.raises(ConfigurationError):
        Limits(**{field: value})


def test_a_path_that_does_not_fit_into_an_object_key_is_refused(make_store: MakeStore) -> None:
    long = MemoryPath.parse("/memories/" + "/".join(["x" * 200] * 6))
    with pytest.raises(InvalidInputError, match="too long"):
        make_store().create(long, "x")
    fits = MemoryPath.parse("/memories/" + "x" * 700)
    make_store(tenant="plain").create(fits, "x")
    with pytest.raises(InvalidInputError, match="too long"):
        make_store(tenant="sealed", name_mode="encrypted").create(MemoryPath.parse("/memories/" + "x" * 900), "x")


def test_tenants_do_not_see_one_another(make_store: MakeStore) -> None:
    make_store(tenant="a").create(NOTE, "of a")
    make_store(tenant="ab").create(NOTE, "of ab")
    assert text_of(make_store(tenant="a"), NOTE) == "of a"
    assert text_of(make_store(tenant="ab"), NOTE) == "of ab"
    assert text_of(make_store(tenant="b"), NOTE) is None
    assert [file.path for file in make_store(tenant="a").files.list_page(MemoryPath()).files] == [NOTE]


def test_reprs_do_not_show_key_bytes(key_wrapper: LocalKeyWrapper, make_store: MakeStore) -> None:
    store = make_store()
    store.create(NOTE, "x")
    shown = f"{store!r} {store.key_ring!r} {store.key_ring.existing()!r} {key_wrapper!r} {KeyCache()!r}"
    ring = store.key_ring.existing()
    assert ring is not None
    for secret in (ring.newest.key_bytes, *key_wrapper._keys):
        assert repr(secret)[2:-1] not in shown
        assert secret.hex() not in shown


def test_a_store_from_settings_creates_its_own_client(
    s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {"S3MEMORY_BUCKET": bucket, "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text()}
    first = MemoryStore.from_settings(Settings.from_env(environ), tenant=TENANT)
    first.create(NOTE, "x")
    second = MemoryStore.from_settings(Settings.from_env(environ), tenant=TENANT)
    assert first.objects._client is second.objects._client
    assert text_of(second, NOTE) == "x"


@pytest.fixture
def filled_store(store: MemoryStore) -> MemoryStore:
    """A store with one file."""
    store.create(NOTE, "x")
    return store


@for_each("wrong", ["/memories/anna.md", ("anna.md",), None, 5, b"/memories"])
@for_each(
    "call",
    [
        lambda store, path: store.read(path),
        lambda store, path: store.create(path, "x"),
        lambda store, path: store.edit(path, str.upper),
        lambda store, path: store.replace(path, "x", etag="e", read_with=store.key_ring.existing()),
        lambda store, path: store.copy(store.read(NOTE), path),
        lambda store, path: store.delete(path),
        lambda store, path: store.files.read(path),
        lambda store, path: store.files.look_up(path, is_likely_directory=True),
        lambda store, path: store.files.look_up(path, is_likely_directory=False),
        lambda store, path: store.files.info(path),
        lambda store, path: store.files.has_directory(path),
        lambda store, path: store.files.list_page(path),
        lambda store, path: list(store.files.pages_below(path)),
        lambda store, path: store.files.below(path),
        lambda store, path: store.files.etags_below(path),
    ],
)
def test_an_argument_that_is_not_a_memory_path_is_refused_with_the_name_of_the_required_type(
    filled_store: MemoryStore, call: Callable[[MemoryStore, Any], object], wrong: Any
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        call(filled_store, wrong)
    assert str(raised.value) == (
        'Invalid `path` parameter: it must be a MemoryPath, such as MemoryPath.parse("/memories/notes.md")'
    )


def test_an_exported_name_converts_a_string_to_a_store_path(filled_store: MemoryStore) -> None:
    assert text_of(filled_store, MemoryPath.parse(str(NOTE))) == "x"
