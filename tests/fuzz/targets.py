"""The targets of fuzzing: each parses arbitrary bytes, and may raise only the package's own errors."""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from datetime import UTC, datetime
from itertools import islice
from typing import IO, Any

from support.memory_s3 import InMemoryS3

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.admin.transfer.tar_files import ExportSource
from s3memory.contract.error_boundary import run_guarded
from s3memory.contract.inputs import number_of
from s3memory.errors import S3MemoryError
from s3memory.format.actor_labels import open_actor, sealed_actor
from s3memory.format.envelope import (
    INTENT_PURPOSE,
    DataKey,
    Place,
    open_sealed,
    plaintext_size_bytes,
    seal,
    sealed_generation,
)
from s3memory.format.key_ring import KeyRing
from s3memory.format.names import NAME_MODES, PLAIN, EncryptedNames, PlainNames
from s3memory.format.object_keys import Layout
from s3memory.keys.key_cache import KeyCache
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath, check_tenant
from s3memory.redaction.configuration import parsed_policy, redactor_from_toml
from s3memory.s3.objects import ListedObject, ListPage
from s3memory.store import tree

Target = Callable[[bytes], None]

TENANT = "acme"
KEY = DataKey(1, bytes(range(32)))
PLACE = Place("s3memory/v1/file", TENANT, "/memories/x")
_WRAPPER = LocalKeyWrapper(bytes(range(32)))
_NAME_KEY = bytes(range(64))
_MOST_FILES = 200
# The length of zeros after an export, and the memory that reading one may take in addition.
_PADDING_BYTES = 300 * 2**20
_MOST_BYTES = 100 * 2**20


def envelope(data: bytes) -> None:
    """A sealed object, altered in any way: it opens to the sealed text, or not at all."""
    with _own_errors():
        plaintext_size_bytes(len(data))
        sealed_generation(data)
        if open_sealed(data, data_key=KEY, place=PLACE) != known_plaintext(data):
            raise AssertionError("something opens that nobody sealed")
    with _own_errors():
        open_actor(
            sealed_actor(data.decode("latin-1")), data_key=KEY, tenant=TENANT, path=MemoryPath(("x",)), body=data
        )
    with _own_errors():
        plaintext = data[:200]
        if open_sealed(seal(plaintext, data_key=KEY, place=PLACE), data_key=KEY, place=PLACE) != plaintext:
            raise AssertionError("what was sealed opens as something else")


def known_plaintext(sealed: bytes) -> bytes | None:
    """Return the text in a seed of the corpus, which contains its own length in the form of that many ``x``."""
    return b"x" * plaintext_size_bytes(len(sealed))


def key_ring(data: bytes) -> None:
    """A key ring document."""
    with _own_errors():
        ring = KeyRing.from_bytes(data, tenant=TENANT)
        if ring.to_bytes() != data:
            raise AssertionError("two documents for one ring")
        OpenKeyRing.open(ring, _WRAPPER)


def intent(data: bytes) -> None:
    """Arbitrary content that opens as an intent."""
    store = _store()
    ring = store.key_ring.existing_or_new()
    object_key = f"{store.objects.layout.intents_prefix}{'0' * 32}"
    place = Place(INTENT_PURPOSE, TENANT, "0" * 32)
    for body in (data, seal(data, data_key=ring.newest, place=place)):
        store.objects._client.put_object(Bucket="bucket", Key=object_key, Body=body)
        with _own_errors():
            list(tree.pending(store, lambda *_: None))
        with _own_errors():
            tree.repair(store)


def object_key(data: bytes) -> None:
    """Object keys from a listing, in both name modes."""
    text = data.decode("utf-8", "surrogateescape")
    layout = Layout("", TENANT)
    listed = ListedObject(layout.memories_prefix + text, 100, '"etag"', datetime(2026, 1, 1, tzinfo=UTC))
    for names in (PlainNames(), EncryptedNames(_NAME_KEY, tenant=TENANT)):
        for path in (MemoryPath(), MemoryPath(("d",))):
            with _own_errors():
                decoded = layout.decoded(names, path, ListPage((listed,), (listed.object_key,), None))
                for file in decoded.files:
                    if path.is_root and layout.file(names, file.path) != listed.object_key:
                        raise AssertionError("a path that is stored elsewhere")


def path(data: bytes) -> None:
    """Memory paths and tenants as received."""
    text = data.decode("utf-8", "surrogateescape")
    with _own_errors():
        parsed = MemoryPath.parse(text)
        if MemoryPath.parse(str(parsed)) != parsed or ".." in parsed.segments or "" in parsed.segments:
            raise AssertionError("a path that is not canonical")
        parsed.segments and EncryptedNames(_NAME_KEY, tenant=TENANT).encode(parsed)
    with _own_errors():
        check_tenant(text)


def tool_input(data: bytes) -> None:
    """Tool inputs, several per run, on a memory with a few files."""
    commands = MemoryCommands(_store(name_mode=NAME_MODES[len(data) % len(NAME_MODES)]))
    commands.create("/memories/d/x", "one\ntwo\n")
    for line in data.split(b"\n")[:20]:
        try:
            sent = json.loads(line, parse_int=number_of)
        except (ValueError, RecursionError):
            continue
        text, _ = run_guarded(functools.partial(commands.call, sent))
        if "internal error" in text:
            commands.call(sent)  # shows what it was
            raise AssertionError("an internal error that does not come again")
        text.encode("utf-8")


def export(data: bytes) -> None:
    """An export to import, followed by zeros: an entry that claims to be large is large."""
    streams: list[_Padded] = []

    def opened() -> AbstractContextManager[IO[bytes]]:
        streams.append(_Padded(data))
        stream: Any = streams[-1]
        return closing(stream)

    with _own_errors():
        for _ in islice(ExportSource(opened, max_bytes=102_400).files(), _MOST_FILES):
            pass
    if any(stream.read_zeros > _MOST_BYTES for stream in streams):
        raise AssertionError("more was read of an export than its largest file may have")


def policy(data: bytes) -> None:
    """A policy in one line, and one in TOML; then a text that passes through it."""
    text = data.decode("utf-8", "replace")
    with _own_errors():
        parsed_policy(text)
    with _own_errors():
        redactor_from_toml(text).redact("TICKET-123 password=hunter2 mail@example.com")


TARGETS: dict[str, Target] = {
    "envelope": envelope,
    "export": export,
    "intent": intent,
    "key_ring": key_ring,
    "object_key": object_key,
    "path": path,
    "policy": policy,
    "tool_input": tool_input,
}


class _OwnErrors(AbstractContextManager[None]):
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        if not isinstance(error, S3MemoryError):
            return False
        str(error).encode("utf-8")  # the message can be encoded
        return True


_own_errors = _OwnErrors


class _Padded(io.RawIOBase):
    """Some bytes, followed by zeros."""

    def __init__(self, data: bytes) -> None:
        self._rest = memoryview(data)
        self.read_zeros = 0

    def read(self, size: int = -1, /) -> bytes:
        if self._rest:
            size = len(self._rest) if size < 0 else size
            part, self._rest = bytes(self._rest[:size]), self._rest[size:]
            return part
        left = _PADDING_BYTES - self.read_zeros
        size = left if size < 0 else min(size, left)
        self.read_zeros += size
        return bytes(size)


def _store(name_mode: str = PLAIN) -> MemoryStore:
    client: Any = InMemoryS3().client()
    return MemoryStore(
        bucket="bucket",
        tenant=TENANT,
        key_wrapper=_WRAPPER,
        redactor=None,
        name_mode=name_mode,
        s3_client=client,
        key_cache=KeyCache(),
    )
