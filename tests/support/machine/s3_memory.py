"""A memory of this package on S3, its clients, and what operators and attackers can do to its bucket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from s3memory.commands import MemoryCommands
from s3memory.errors import IntegrityError, S3MemoryError
from s3memory.format.envelope import nominal_size_bytes
from s3memory.keys.key_cache import KeyCache
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.s3.objects import ListedObject, ListPage
from s3memory.store import tree
from s3memory.store.memory_store import MemoryStore
from s3memory.testing.machine.model import ToolInput
from support.machine.determinism import Keys
from support.machine.seen import Seen, Version, is_unreadable, unreadable
from support.machine.wire import Wire

_FOREIGN = "//"
"""Appended to an object key, it makes a key that no file has."""


@dataclass(frozen=True, slots=True)
class S3Place:
    """Where a memory is stored.

    Attributes:
        client: a boto3 S3 client, or one of `InMemoryS3`.
        bucket: the name of an existing bucket.
        prefix: the prefix of the memory's object keys. Nothing may be stored below it yet.
    """

    client: Any
    bucket: str
    prefix: str = ""


class S3Client:
    """A client with its own cached key ring."""

    def __init__(self, memory: S3Memory) -> None:
        self.wire = Wire(memory.place.client)
        self.cache = KeyCache()
        self.store = memory.store(self.wire, self.cache)
        self._commands = MemoryCommands(self.store)

    def call(self, tool_input: ToolInput, /) -> tuple[str, bool]:
        """Carry out a tool input. Exceptions that are not this package's propagate."""
        try:
            return self._commands.call(tool_input), False
        except S3MemoryError as error:
            return error.for_model, True


class S3Memory:
    """A tenant's memory on S3, its clients, and what operators and attackers can do to it.

    Args:
        place: where it is stored.
        name_mode: ``plain`` or ``encrypted`` names.
        keys: wraps its data keys.
    """

    TENANT = "acme"

    def __init__(self, place: S3Place, name_mode: str, keys: Keys) -> None:
        self.place = place
        self.versions: list[Version] = []
        self._name_mode = name_mode
        self._keys = keys
        self._known: dict[tuple[str, str], Version] = {}
        self._reader = S3Client(self)

    def store(self, client: Any, cache: KeyCache) -> MemoryStore:
        """Return a store for a client of this memory."""
        return MemoryStore(
            bucket=self.place.bucket,
            tenant=self.TENANT,
            key_wrapper=self._keys,
            prefix=self.place.prefix,
            redactor=None,
            name_mode=self._name_mode,
            s3_client=client,
            key_cache=cache,
        )

    def client(self) -> S3Client:
        """Return another client."""
        return S3Client(self)

    def files(self) -> Mapping[str, str]:
        """Return every file's text."""
        return {str(path): text for path, text in self.seen().files.items()}

    def seen(self) -> Seen:
        """Read everything that is stored."""
        store = self._reader.store
        ring = store.key_ring.existing()
        if ring is None:
            return Seen()
        objects = [
            one for page in store.objects.list_pages(store.objects.layout.memories_prefix) for one in page.objects
        ]
        listed = store.objects.layout.decoded(ring.names, MemoryPath(), ListPage(tuple(objects), (), None)).files
        stray = {one.object_key for one in objects} - {file.listed.object_key for file in listed}
        versions = {file.path: self._version(ring, file.path, file.listed) for file in listed}
        return Seen(versions, frozenset(stray), tuple(tree.pending(store)))

    def text_of(self, path: MemoryPath, body: bytes) -> str | None:
        """Return the text of a body that was once stored at exactly this path."""
        return next((old.text for old in self.versions if old.path == path and old.body == body), None)

    def path_of(self, object_key: str) -> MemoryPath:
        """Return a path as deep as that of an object that `put_foreign` has stored."""
        object_key = object_key.removesuffix(_FOREIGN)
        store, ring = self._reader.store, self.ring()
        path = ring.names.decode(MemoryPath(), object_key.removeprefix(store.objects.layout.memories_prefix))
        return path.child("foreign")

    def ring(self) -> OpenKeyRing:
        """Return the key ring as it is stored."""
        ring = self._reader.store.key_ring.reloaded()
        if ring is None:
            raise AssertionError("no key ring was made yet")
        return ring

    @property
    def has_ring(self) -> bool:
        """Whether a key ring exists."""
        return self._reader.store.key_ring.existing() is not None

    @property
    def ring_key(self) -> str:
        """The object key of the key ring."""
        return self._reader.store.key_ring.object_key

    def put(self, path: MemoryPath, body: bytes, metadata: dict[str, str] | None = None) -> None:
        """Write bytes in place of a file."""
        object_key = self._reader.store.objects.key_of(self.ring(), path)
        self.put_object(object_key, body, metadata or {})

    def put_foreign(self, path: MemoryPath, body: bytes) -> None:
        """Write bytes below a path, under a key that no file has."""
        self.put_object(self._reader.store.objects.key_of(self.ring(), path) + _FOREIGN, body, {})

    def remove(self, path: MemoryPath) -> None:
        """Delete the object of a file."""
        self.remove_object(self._reader.store.objects.key_of(self.ring(), path))

    def put_object(self, object_key: str, body: bytes, metadata: dict[str, str] | None = None) -> None:
        """Write bytes to any object key."""
        place = self.place
        # The ETag covers the bytes only; the metadata may be new.
        self._known = {known: version for known, version in self._known.items() if known[0] != object_key}
        place.client.put_object(Bucket=place.bucket, Key=object_key, Body=body, Metadata=metadata or {})

    def remove_object(self, object_key: str) -> None:
        """Delete any object."""
        self.place.client.delete_object(Bucket=self.place.bucket, Key=object_key)

    def get_object(self, object_key: str) -> dict[str, Any]:
        """Read any object."""
        answer: dict[str, Any] = self.place.client.get_object(Bucket=self.place.bucket, Key=object_key)
        return {**answer, "Body": answer["Body"].read()}

    def rotate(self) -> None:
        """Add a data key to the ring, by compare-and-swap."""
        bucket = self._reader.store.objects
        info = bucket.head(self.ring_key)
        ring = self.ring()
        if info is None or bucket.put(self.ring_key, ring.rotated().ring.to_bytes(), over=info.etag) is None:
            raise AssertionError("the ring was not rotated")

    def repair(self) -> None:
        """Finish what was left unfinished."""
        tree.repair(self._reader.store)

    def forget(self) -> None:
        """Drop the reader's keys, so that it reads next like a new process."""
        self._reader.cache.clear()

    def _version(self, ring: OpenKeyRing, path: MemoryPath, listed: ListedObject) -> Version:
        known = self._known.get((listed.object_key, listed.etag))
        if known is None:
            answer = self.get_object(listed.object_key)
            try:
                text = self._reader.store.texts.open(ring, path, answer["Body"])
            except IntegrityError:
                text = unreadable(nominal_size_bytes(len(answer["Body"])))
            known = Version(path, text, answer["Body"], answer["Metadata"], listed.etag)
            self._known[listed.object_key, listed.etag] = known
            if not is_unreadable(text):
                self.versions.append(known)
        return known
