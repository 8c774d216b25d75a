"""The S3 requests of each command with the key ring cached, as docs/semantics.md promises them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from conftest import MakeStore
from faults import FaultLayer

from s3memory import KmsKeyWrapper, MemoryCommands, MemoryStore
from s3memory.keys import KeyCache

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

ROOT = "/memories"
DEEP = f"{ROOT}/a/b/c/d.md"  # depth 4

TABLE: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "view a file": ({"command": "view", "path": DEEP}, {"GetObject": 1}),
    "view the root": ({"command": "view", "path": ROOT}, {"ListObjectsV2": 1}),
    "view a directory": ({"command": "view", "path": f"{ROOT}/a"}, {"GetObject": 1, "ListObjectsV2": 1}),
    "create at depth 1": (
        {"command": "create", "path": f"{ROOT}/new", "file_text": ""},
        {"ListObjectsV2": 1, "PutObject": 1},
    ),
    "create at depth 4": (
        {"command": "create", "path": f"{ROOT}/a/b/c/new", "file_text": ""},
        {"HeadObject": 3, "ListObjectsV2": 1, "PutObject": 1},
    ),
    "str_replace": (
        {"command": "str_replace", "path": DEEP, "old_str": "x", "new_str": "y"},
        {"GetObject": 1, "PutObject": 1},
    ),
    "insert": (
        {"command": "insert", "path": DEEP, "insert_line": 0, "insert_text": "y"},
        {"GetObject": 1, "PutObject": 1},
    ),
    "delete a file": (
        {"command": "delete", "path": DEEP},
        {"HeadObject": 1, "ListObjectsV2": 1, "DeleteObject": 1},
    ),
    "delete a directory": (
        {"command": "delete", "path": f"{ROOT}/a"},
        {"HeadObject": 1, "ListObjectsV2": 1, "PutObject": 1, "DeleteObjects": 1, "DeleteObject": 1},
    ),
    "rename a file to depth 1": (
        {"command": "rename", "old_path": DEEP, "new_path": f"{ROOT}/new"},
        {"GetObject": 1, "HeadObject": 1, "ListObjectsV2": 1, "PutObject": 1, "DeleteObject": 1},
    ),
    "rename a file to depth 3": (
        {"command": "rename", "old_path": DEEP, "new_path": f"{ROOT}/x/y/new"},
        {"GetObject": 1, "HeadObject": 3, "ListObjectsV2": 1, "PutObject": 1, "DeleteObject": 1},
    ),
    "rename a directory of 2 files": (
        {"command": "rename", "old_path": f"{ROOT}/a", "new_path": f"{ROOT}/new"},
        {"GetObject": 3, "HeadObject": 1, "ListObjectsV2": 3, "PutObject": 3, "DeleteObject": 3},
    ),
}


@pytest.fixture
def tree(store: MemoryStore) -> MemoryCommands:
    """Two files, one of them deep, and a warm key ring."""
    commands = MemoryCommands(store)
    commands.create(DEEP, "x")
    commands.create(f"{ROOT}/a/e.md", "y")
    return commands


@pytest.mark.parametrize(("call", "expected"), TABLE.values(), ids=TABLE)
def test_a_command_makes_the_requests_that_it_promises(
    tree: MemoryCommands, s3: S3Client, call: dict[str, Any], expected: dict[str, int]
) -> None:
    with FaultLayer(s3) as recorded:
        tree.call(call)
    assert Counter(recorded.requests) == Counter(expected)


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


def test_the_first_look_at_a_new_tenant_is_one_get_and_one_list(commands: MemoryCommands, s3: S3Client) -> None:
    with FaultLayer(s3) as recorded:
        commands.view(ROOT)
    assert recorded.requests == ["GetObject", "ListObjectsV2"]


def test_the_first_command_of_a_new_tenant_makes_its_key_ring(commands: MemoryCommands, s3: S3Client) -> None:
    with FaultLayer(s3) as recorded:
        commands.create(f"{ROOT}/first", "x")
    assert recorded.requests == ["GetObject", "ListObjectsV2", "PutObject", "ListObjectsV2", "PutObject"]
