"""Listing pages that are empty and say that more follows: S3 does not promise that a page contains anything."""

from __future__ import annotations

from typing import Any

import pytest
from support.memory_s3 import InMemoryS3, InMemoryS3Client

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.errors import AlreadyExistsError, KeyRingError
from s3memory.keys.key_cache import KeyCache

KEY = bytes(range(32))


class EmptyPageFirst:
    """A client whose listings begin with an empty page."""

    def __init__(self, client: InMemoryS3Client) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def list_objects_v2(self, *, ContinuationToken: str | None = None, **asked: Any) -> Any:  # noqa: N803 - boto3's name
        if ContinuationToken is None:
            return {"KeyCount": 0, "IsTruncated": True, "NextContinuationToken": "of the page before"}
        if ContinuationToken != "of the page before":
            asked["ContinuationToken"] = ContinuationToken
        return self._client.list_objects_v2(**asked)


@pytest.fixture
def server() -> InMemoryS3:
    return InMemoryS3()


@pytest.fixture
def commands(server: InMemoryS3) -> MemoryCommands:
    return MemoryCommands(
        MemoryStore(
            bucket="bucket",
            tenant="acme",
            key_wrapper=LocalKeyWrapper(KEY),
            s3_client=EmptyPageFirst(server.client()),
            key_cache=KeyCache(),
            redactor=None,
        )
    )


def test_no_file_is_created_at_or_moved_to_a_directorys_path(commands: MemoryCommands) -> None:
    commands.create("/memories/d/x.md", "in a directory")
    commands.create("/memories/e/y.md", "in another")
    commands.create("/memories/f.md", "a file")
    with pytest.raises(AlreadyExistsError):
        commands.create("/memories/d", "a file")
    with pytest.raises(AlreadyExistsError):
        commands.rename("/memories/f.md", "/memories/d")
    with pytest.raises(AlreadyExistsError):
        commands.rename("/memories/d", "/memories/e")


def test_no_key_ring_is_created_next_to_files_whose_ring_is_missing(
    commands: MemoryCommands, server: InMemoryS3
) -> None:
    commands.create("/memories/d/x.md", "in a directory")
    server.client().delete_object(Bucket="bucket", Key="keyrings/acme")
    commands.store.key_ring.cache.clear()
    with pytest.raises(KeyRingError, match="missing"):
        commands.create("/memories/new.md", "text")


def test_views_and_deletes_continue_after_it(commands: MemoryCommands) -> None:
    commands.create("/memories/d/x.md", "in a directory")
    assert "/memories/d/x.md" in commands.view("/memories")
    assert commands.delete("/memories/d") == "Successfully deleted /memories/d"
    assert "/memories/d" not in commands.view("/memories")
