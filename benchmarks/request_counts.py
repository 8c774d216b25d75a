"""Counts the requests to AWS of each command: every command runs against moto, and every request is recorded.

tests/store/test_requests.py compares the counts with docs/semantics.md, and scale.py prices them.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Self
from unittest import mock
from uuid import uuid4

import boto3
from botocore.awsrequest import AWSPreparedRequest
from moto import mock_aws

from s3memory import KmsKeyWrapper, MemoryCommands, MemoryStore, TenantSessions
from s3memory.keys.key_cache import KeyCache
from s3memory.testing.moto_corrections import correct

ROOT = "/memories"
DEEP = f"{ROOT}/a/b/c/d.md"  # depth 4

CALLS: dict[str, dict[str, Any]] = {
    "view a file": {"command": "view", "path": DEEP},
    "view the root": {"command": "view", "path": ROOT},
    "view a directory": {"command": "view", "path": f"{ROOT}/a"},
    "create at depth 1": {"command": "create", "path": f"{ROOT}/new", "file_text": ""},
    "create at depth 4": {"command": "create", "path": f"{ROOT}/a/b/c/new", "file_text": ""},
    "str_replace": {"command": "str_replace", "path": DEEP, "old_str": "x", "new_str": "y"},
    "insert": {"command": "insert", "path": DEEP, "insert_line": 0, "insert_text": "y"},
    "delete a file": {"command": "delete", "path": DEEP},
    "delete a directory of 2 files": {"command": "delete", "path": f"{ROOT}/a"},
    "rename a file to depth 1": {"command": "rename", "old_path": DEEP, "new_path": f"{ROOT}/new"},
    "rename a file to depth 3": {"command": "rename", "old_path": DEEP, "new_path": f"{ROOT}/x/y/new"},
    "rename a directory of 2 files": {"command": "rename", "old_path": f"{ROOT}/a", "new_path": f"{ROOT}/new"},
}
"""One call of each kind, over the tree that `plant` makes."""

# The region of the clients, and of the bucket in moto.
_REGION: Final = "eu-central-1"
# moto's default account, which holds the key and the bucket.
_ROLE_ARN = "arn:aws:iam::123456789012:role/agent-memory-tenant"
DELETED_KEYS: Final = "s3-deleted-keys"
"""A pseudo service: each key of a ``DeleteObjects`` counts as a write to its partition, although it is not billed."""

_FOLDER = re.compile(r"(memories|intents|keyrings)/")


def plant(commands: MemoryCommands) -> None:
    """Store two files, one of them deep, for the calls to work on."""
    commands.create(DEEP, "x")
    commands.create(f"{ROOT}/a/e.md", "y")


@dataclass(frozen=True, slots=True, order=True)
class Sent:
    """One request.

    Attributes:
        service: ``s3``, ``kms`` or ``sts``; `DELETED_KEYS` for a key of a ``DeleteObjects``, which is not a request.
        folder: for S3, the bucket's top-level folder in the request; otherwise empty.
        operation: the API's name of the operation.
    """

    service: str
    folder: str
    operation: str


Counts = Counter[Sent]


class Recorder:
    """Counts each request that clients send. A retry counts as another request."""

    def __init__(self, *clients: Any) -> None:
        self._clients = clients
        self.counts: Counts = Counter()

    def operations(self) -> dict[str, int]:
        """Return the number of requests of each operation, over all services."""
        totals: Counter[str] = Counter()
        for sent, count in self.counts.items():
            if sent.service != DELETED_KEYS:
                totals[sent.operation] += count
        return dict(totals)

    def __enter__(self) -> Self:
        for client in self._clients:
            client.meta.events.register_first(f"before-send.{client.meta.service_model.service_name}", self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.meta.events.unregister(f"before-send.{client.meta.service_model.service_name}", self._note)

    def _note(self, request: AWSPreparedRequest, event_name: str, **_more: object) -> None:
        _, service, operation = event_name.split(".")
        found = None
        if service == "s3":
            # The tenant follows the first folder in the URL. Only DeleteObjects has its keys in the body.
            body = request.body.decode("latin-1") if isinstance(request.body, bytes) else ""
            found = _FOLDER.search(request.url.replace("%2F", "/")) or _FOLDER.search(body)
            if found and operation == "DeleteObjects":
                self.counts[Sent(DELETED_KEYS, found[1], operation)] += body.count("<Key>")
        self.counts[Sent(service, found[1] if found else "", operation)] += 1


@dataclass(frozen=True, slots=True)
class Measured:
    """The requests that were counted.

    Attributes:
        warm: the requests of each kind of command, with the tenant's key ring cached.
        session: the requests for a tenant's credentials, if the process has none.
        ring: the requests for a tenant's key ring, if the process has no fresh one.
        new_tenant: the requests of a new tenant's first write beyond a warm one of the same kind, `session` included.
    """

    warm: dict[str, Counts]
    session: Counts
    ring: Counts
    new_tenant: Counts


def measured() -> Measured:
    """Run every command against moto, and count its requests. moto must already be mocking AWS."""
    bucket = f"counted-{uuid4()}"  # moto may still have the bucket of an earlier call
    boto3.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": _REGION})
    key_id = boto3.client("kms").create_key()["KeyMetadata"]["KeyId"]
    sts = boto3.client("sts")

    def process(tenant: str) -> tuple[MemoryCommands, Recorder]:
        """Return commands with nothing cached, as in a new process, and a recorder of all clients that they use."""
        sessions = TenantSessions(_ROLE_ARN, sts_client=sts)
        session = sessions.for_tenant(tenant)
        store = MemoryStore(
            bucket=bucket,
            tenant=tenant,
            key_wrapper=KmsKeyWrapper(key_id),
            tenant_sessions=sessions,
            key_cache=KeyCache(),
        )
        return MemoryCommands(store), Recorder(session.s3_client(), session.kms_client(), sts)

    def counted(commands: MemoryCommands, recorder: Recorder, call: dict[str, Any]) -> Counts:
        recorder.counts = Counter()
        with recorder:
            commands.call(call)
        return recorder.counts

    commands, recorder = process("warm")
    first_write = counted(commands, recorder, CALLS["create at depth 1"])
    warm: dict[str, Counts] = {}
    for kind, call in CALLS.items():
        commands.clear()
        plant(commands)
        warm[kind] = counted(commands, recorder, call)
    commands.clear()
    plant(commands)
    cold = counted(*process("warm"), CALLS["view a file"]) - warm["view a file"]
    return Measured(
        warm=warm,
        session=Counter({sent: count for sent, count in cold.items() if sent.service == "sts"}),
        ring=Counter({sent: count for sent, count in cold.items() if sent.service != "sts"}),
        new_tenant=first_write - warm["create at depth 1"],
    )


@contextmanager
def mocked_aws() -> Iterator[None]:
    """Mock AWS, and hide the user's credentials and settings. moto stays corrected afterwards."""
    correct(setattr)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "S3MEMORY_"))}
    made_up = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": _REGION}
    with mock.patch.dict(os.environ, {**kept, **made_up}, clear=True), mock_aws():
        yield
