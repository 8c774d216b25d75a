"""An intent or record that opens and holds something else than described is named like what does not open."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from conftest import MakeStore
from support.flavours import make_ring, put_file

from s3memory import MemoryCommands, MemoryStore
from s3memory.admin.keys.resealing import reseal
from s3memory.admin.keys.rotation import rotate
from s3memory.admin.verify import Defect, Kind, verify
from s3memory.admin.versions import tombstones
from s3memory.admin.versions.history import history
from s3memory.errors import IntegrityError, S3MemoryError
from s3memory.format.envelope import INTENT_PURPOSE, REDACTION_PURPOSE, Place, seal
from s3memory.format.object_keys import Folder
from s3memory.paths import MemoryPath
from s3memory.store import documents, intents, tree
from s3memory.store.intents import DELETE, Intent

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

D = MemoryPath(("d",))
INTENT: dict[str, Any] = {"operation": "delete", "path": "/memories/d", "new_path": "/memories/d", "etags": []}
RECORD: dict[str, Any] = {
    "path": "/memories/d/a",
    "version_id": "x",
    "modified": "2026-01-01T00:00:00+00:00",
    "operation": "edited",
    "actor": None,
    "redacted_at": "2026-01-01T00:00:00+00:00",
    "redacted_by": None,
}
NO_OBJECTS = [b"", b"no JSON", b"\xff", b"[" * 100_000, b"{}", b"[]", b"null", b'"text"', b"7"]
WRONG_VALUES: list[Any] = [None, 7, [], {}, ["x"], "", "x", "/elsewhere", "/memories/../x", "\ud800"]

NO_ETAGS: list[Any] = [None, 7, [7], [["x"]], [{}]]
NO_TEXTS: list[Any] = [7, [], {}]


def altered(fields: dict[str, Any], name: str, value: Any) -> bytes:
    return json.dumps({**fields, name: value}).encode()


INTENTS = [
    *NO_OBJECTS,
    *(altered(INTENT, "operation", value) for value in WRONG_VALUES),
    *(altered(INTENT, "path", value) for value in WRONG_VALUES),
    *(altered(INTENT, "new_path", value) for value in WRONG_VALUES),
    *(altered(INTENT, name, value) for name in ("etags",) for value in NO_ETAGS),
    *(json.dumps({key: value for key, value in INTENT.items() if key != name}).encode() for name in INTENT),
]
RECORDS = [
    *NO_OBJECTS,
    *(altered(RECORD, "path", value) for value in WRONG_VALUES),
    *(altered(RECORD, name, value) for name in ("version_id", "operation") for value in (None, *NO_TEXTS)),
    *(altered(RECORD, name, value) for name in ("actor", "redacted_by") for value in NO_TEXTS),
    *(
        altered(RECORD, name, value)
        for name in ("modified", "redacted_at")
        for value in (None, 7, "", "x", "2026-01-01T00:00:00", "2026-01-01")
    ),
    *(json.dumps({key: value for key, value in RECORD.items() if key != name}).encode() for name in RECORD),
]


def put_sealed(store: MemoryStore, s3: S3Client, purpose: str, object_key: str, plaintext: bytes) -> None:
    ring = store.key_ring.existing()
    assert ring is not None
    name = object_key.rpartition("/")[2]
    body = seal(plaintext, data_key=ring.newest, place=Place(purpose, store.tenant, name))
    s3.put_object(Bucket=store.objects.identity[1], Key=object_key, Body=body)


@pytest.fixture
def filled(make_store: MakeStore) -> MemoryStore:
    store = make_store()
    make_ring(store, "plain")
    put_file(store, "/memories/d/a", "one")
    put_file(store, "/memories/d/b", "two")
    return store


def findings(store: MemoryStore) -> list[Defect]:
    found: list[Defect] = []
    verify(store, found.append)
    return found


@pytest.mark.parametrize("plaintext", INTENTS)
def test_an_intent_of_an_unknown_kind_is_named_by_whatever_meets_it(
    filled: MemoryStore, s3: S3Client, plaintext: bytes
) -> None:
    # Where a delete of the directory looks for what a crash has left of itself.
    object_key = intents._object_key(filled, Intent(DELETE, D, D))
    put_sealed(filled, s3, INTENT_PURPOSE, object_key, plaintext)
    with pytest.raises(IntegrityError):
        intents.opened(filled, object_key)
    named: list[str] = []
    assert list(tree.pending(filled, lambda key, _: named.append(key))) == []
    assert named == [object_key]
    assert [(one.kind, one.object_key) for one in findings(filled)] == [(Kind.DOES_NOT_OPEN, object_key)]
    rotate(filled)
    assert reseal(filled).unreadable_objects == [object_key]
    with pytest.raises(S3MemoryError, match="needs an operator"):  # what a tool tells a model; no internal error
        MemoryCommands(filled).delete("/memories/d")
    assert filled.read(D.child("a")) is not None


@pytest.mark.parametrize("plaintext", RECORDS)
def test_a_record_of_an_unknown_kind_is_named_by_whatever_meets_it(
    filled: MemoryStore, s3: S3Client, plaintext: bytes
) -> None:
    object_key = f"{filled.objects.layout.folder(Folder.REDACTIONS)}{'0' * 32}"
    put_sealed(filled, s3, REDACTION_PURPOSE, object_key, plaintext)
    with pytest.raises(IntegrityError):
        documents.read(filled, tombstones.KIND, object_key)
    told = history(filled, D.child("a"))
    assert told.unreadable_tombstones == (object_key,)
    assert len(told.versions) == 1
    assert [(one.kind, one.object_key) for one in findings(filled)] == [(Kind.DOES_NOT_OPEN, object_key)]


def test_what_is_described_is_taken(filled: MemoryStore, s3: S3Client) -> None:
    object_key = intents._object_key(filled, Intent(DELETE, D, D))
    put_sealed(filled, s3, INTENT_PURPOSE, object_key, json.dumps(INTENT).encode())
    assert intents.opened(filled, object_key) is not None
    record_key = f"{filled.objects.layout.folder(Folder.REDACTIONS)}{'0' * 32}"
    put_sealed(filled, s3, REDACTION_PURPOSE, record_key, json.dumps(RECORD).encode())
    assert documents.read(filled, tombstones.KIND, record_key) is not None
