"""The S3 requests of each command with the key ring cached, as docs/semantics.md promises them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
import pytest
from conftest import MakeStore
from faults import FaultLayer
from request_counts import CALLS, DEEP, ROOT, Recorder, plant

from s3memory import KmsKeyWrapper, MemoryCommands, MemoryStore
from s3memory.keys import KeyCache

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

EXPECTED: dict[str, dict[str, int]] = {
    "view a file": {"GetObject": 1},
    "view the root": {"ListObjectsV2": 1},
    "view a directory": {"GetObject": 1, "ListObjectsV2": 1},
    "create at depth 1": {"ListObjectsV2": 1, "PutObject": 1},
    "create at depth 4": {"HeadObject": 3, "ListObjectsV2": 1, "PutObject": 1},
    "str_replace": {"GetObject": 1, "PutObject": 1},
    "insert": {"GetObject": 1, "PutObject": 1},
    "delete a file": {"HeadObject": 1, "ListObjectsV2": 1, "DeleteObject": 1},
    "delete a directory of 2 files": {
        "HeadObject": 1,
        "ListObjectsV2": 1,
        "PutObject": 1,
        "DeleteObjects": 1,
        "DeleteObject": 1,
    },
    "rename a file to depth 1": {
        "GetObject": 1,
        "HeadObject": 1,
        "ListObjectsV2": 1,
        "PutObject": 1,
        "DeleteObject": 1,
    },
    "rename a file to depth 3": {
        "GetObject": 1,
        "HeadObject": 3,
        "ListObjectsV2": 1,
        "PutObject": 1,
        "DeleteObject": 1,
    },
    "rename a directory of 2 files": {
        "GetObject": 3,
        "HeadObject": 1,
        "ListObjectsV2": 3,
        "PutObject": 3,
        "DeleteObject": 3,
    },
}


@pytest.fixture
def tree(store: MemoryStore) -> MemoryCommands:
    """Two files, one of them deep, and a warm key ring."""
    commands = MemoryCommands(store)
    plant(commands)
    return commands


@pytest.mark.parametrize("kind", CALLS)
def test_a_command_makes_the_requests_that_it_promises(tree: MemoryCommands, s3: S3Client, kind: str) -> None:
    with Recorder(s3) as recorded:
        tree.call(CALLS[kind])
    assert recorded.operations() == EXPECTED[kind]


@pytest.mark.usefixtures("tree")
def test_the_first_command_of_a_process_adds_one_get_and_one_kms_call(make_store: MakeStore, s3: S3Client) -> None:
    kms = boto3.client("kms")
    wrapper = KmsKeyWrapper(kms.create_key()["KeyMetadata"]["KeyId"], kms_client=kms)
    MemoryCommands(make_store(tenant="kms", key_wrapper=wrapper)).create(DEEP, "x")
    cold = MemoryCommands(make_store(tenant="kms", key_wrapper=wrapper, key_cache=KeyCache()))
    with FaultLayer(s3) as s3_requests, FaultLayer(kms) as kms_requests:
        cold.view(DEEP)
        cold.view(ROOT)
    assert s3_requests.requests == ["GetObject", "GetObject", "ListObjectsV2"]
    assert kms_requests.requests == ["Decrypt"]


def test_the_first_look_at_a_new_tenant_is_one_get_beside_one_list_and_another_list(
    commands: MemoryCommands, s3: S3Client
) -> None:
    with FaultLayer(s3) as recorded:
        commands.view(ROOT)
    assert sorted(recorded.requests) == ["GetObject", "ListObjectsV2", "ListObjectsV2"]


def test_the_first_command_of_a_new_tenant_makes_its_key_ring(commands: MemoryCommands, s3: S3Client) -> None:
    with FaultLayer(s3) as recorded:
        commands.create(f"{ROOT}/first", "x")
    assert recorded.requests == ["GetObject", "ListObjectsV2", "PutObject", "ListObjectsV2", "PutObject"]
