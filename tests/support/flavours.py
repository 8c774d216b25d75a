"""The ways in which a tool input reaches the commands, behind one interface: the core, both tools, typed methods."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from anthropic import BaseModel
from anthropic.lib.tools import ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)
from pydantic import ValidationError

from s3memory import AsyncS3MemoryTool, MemoryCommands, MemoryStore, S3MemoryTool
from s3memory.errors import S3MemoryError
from s3memory.format.envelope import FILE_PURPOSE, Place, seal
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from support.buckets import is_of_moto, put_object

Input = Mapping[str, Any]

TYPES: dict[str, type[BaseModel]] = {
    "view": BetaMemoryTool20250818ViewCommand,
    "create": BetaMemoryTool20250818CreateCommand,
    "str_replace": BetaMemoryTool20250818StrReplaceCommand,
    "insert": BetaMemoryTool20250818InsertCommand,
    "delete": BetaMemoryTool20250818DeleteCommand,
    "rename": BetaMemoryTool20250818RenameCommand,
}


@dataclass(frozen=True, slots=True)
class Refused:
    """A command ended in an error with this text."""

    text: str


Answer = str | Refused
Flavour = Callable[[MemoryCommands, Any], Answer]


def through_core(commands: MemoryCommands, sent: Any) -> Answer:
    """Call the core, which raises this package's errors."""
    try:
        return commands.call(sent)
    except S3MemoryError as error:
        return Refused(error.for_model)


def through_call(commands: MemoryCommands, sent: Any) -> Answer:
    """Call the sync tool as the SDK's runner does."""
    return of_tool(partial(S3MemoryTool.from_commands(commands).call, sent))


def through_typed_method(commands: MemoryCommands, sent: Any) -> Answer:
    """Call the sync tool's method of the command with the SDK's type."""
    method = getattr(S3MemoryTool.from_commands(commands), sent["command"])
    return of_tool(partial(method, as_typed(sent)))


def through_async_call(commands: MemoryCommands, sent: Any) -> Answer:
    """Await the async tool as the SDK's async runner does."""
    return of_tool(partial(_awaited, partial(AsyncS3MemoryTool.from_commands(commands).call, sent)))


def through_async_typed_method(commands: MemoryCommands, sent: Any) -> Answer:
    """Await the async tool's method of the command with the SDK's type."""
    method = getattr(AsyncS3MemoryTool.from_commands(commands), sent["command"])
    return of_tool(partial(_awaited, partial(method, as_typed(sent))))


def as_typed(sent: Input) -> BaseModel:
    """Return a tool input as the SDK's type. If it is invalid, construct it without validation, as the SDK does."""
    its_type = TYPES[sent["command"]]
    try:
        return its_type.model_validate(dict(sent), strict=True)
    except ValidationError:
        return its_type.construct(**sent)


def make_ring(store: MemoryStore, name_mode: str) -> OpenKeyRing:
    """Store and cache a new key ring, in one request at most instead of five."""
    keys = store.key_ring
    ring = OpenKeyRing.new(tenant=store.tenant, name_mode=name_mode, wrapper=keys.wrapper)
    _put(store, keys.object_key, ring.ring.to_bytes())
    keys.cache.put(keys._identity, ring)
    return ring


def put_file(store: MemoryStore, path: str, text: str) -> str:
    """Store a file without the checks of `create`, in one request at most. Return its ETag."""
    ring = store.key_ring.existing()
    assert ring is not None
    memory_path = MemoryPath.parse(path)
    body = seal(text.encode(), data_key=ring.newest, place=Place(FILE_PURPOSE, store.tenant, str(memory_path)))
    return _put(store, store.objects.key_of(ring, memory_path), body)


def put_files(store: MemoryStore, files: Mapping[str, str]) -> None:
    """Store files in the same way, under a key ring that is created if there is none."""
    if store.key_ring.existing() is None:
        make_ring(store, store.key_ring.name_mode)
    for path, text in files.items():
        put_file(store, path, text)


def _put(store: MemoryStore, object_key: str, body: bytes) -> str:
    endpoint_url, bucket = store.objects.identity
    if endpoint_url.endswith(".amazonaws.com") and is_of_moto(bucket):
        return put_object(bucket, object_key, body)
    etag = store.objects.put(object_key, body)
    assert etag is not None
    return etag


def files_of(store: MemoryStore, known: dict[str, tuple[str, str]] | None = None) -> dict[str, str]:
    """Return all files of a tenant, as the store reads them.

    Args:
        store: the tenant's files.
        known: texts and ETags from earlier reads, so that unchanged files are not read again; updated in place.
    """
    known = {} if known is None else known
    found = {}
    token: str | None = None
    while True:
        page = store.files.list_page(MemoryPath(), token=token)
        assert not page.stray
        for listed in page.files:
            path = str(listed.path)
            text, etag = known.get(path, ("", ""))
            if etag != listed.listed.etag:
                file = store.read(listed.path)
                assert file is not None
                text = file.text
                known[path] = (text, listed.listed.etag)
            found[path] = text
        token = page.next_token
        if token is None:
            return found


def _awaited(call: Callable[[], Awaitable[str]]) -> str:
    async def wait() -> str:
        return await call()

    return asyncio.run(wait())


def of_tool(call: Callable[[], str]) -> Answer:
    try:
        return call()
    except ToolError as error:
        caught = error
    assert isinstance(caught.content, str)
    # A traceback would show the cause, with names of buckets and object keys.
    assert caught.__cause__ is None
    assert caught.__context__ is None or caught.__suppress_context__
    return Refused(caught.content)
