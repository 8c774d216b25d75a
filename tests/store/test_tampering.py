"""Stored objects altered by somebody who may write to the bucket: nothing opens falsely, and nothing is destroyed."""

from __future__ import annotations

import json
import os
import string
from collections.abc import Callable
from typing import Any

import pytest
from support.flavours import Refused, through_call
from support.memory_s3 import InMemoryS3
from support.stored import key_of

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.errors import AlreadyExistsError, IntegrityError, KeyRingError, S3MemoryError
from s3memory.format.envelope import MAGIC
from s3memory.format.key_ring import KeyRing
from s3memory.format.names import ENCRYPTED, PLAIN
from s3memory.keys.key_cache import KeyCache
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.s3.bucket import Bucket
from s3memory.store import tree

BUCKET = "the-bucket"
PREFIX = "the/prefix/"
TENANT = "tenant-zero"
NEIGHBOUR = "neighbour-inc"
A, B = "/memories/a.md", "/memories/d/b.md"
FILES = {A: "alpha\nbeta\n", B: "gamma", "/memories/d/e/c.md": "delta"}
EVERY_COMMAND: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": A},
    {"command": "create", "path": "/memories/new.md", "file_text": "new"},
    {"command": "str_replace", "path": A, "old_str": "alpha", "new_str": "omega"},
    {"command": "insert", "path": A, "insert_line": 0, "insert_text": "new"},
    {"command": "delete", "path": A},
    {"command": "delete", "path": "/memories/d"},
    {"command": "rename", "old_path": A, "new_path": "/memories/new.md"},
    {"command": "rename", "old_path": "/memories/d", "new_path": "/memories/new"},
]

MALFORMED = "Error: The tenant's key ring is malformed or was altered."
WRONG_KEY = "Error: The tenant's key ring does not open with the configured local key."
OTHER_KIND = "Error: The tenant's key ring was made with another kind of key than the one configured."
MISSING = "Error: The tenant's key ring is missing, and without it nothing that is stored can be opened."
RING_TEXTS = {MALFORMED, WRONG_KEY, OTHER_KIND}


class Scene:
    """Two tenants' files on an in-memory S3, and the means to alter them."""

    def __init__(
        self, name_mode: str, server: InMemoryS3 | None = None, wrapper: LocalKeyWrapper | None = None
    ) -> None:
        self.name_mode = name_mode
        self.wrapper = wrapper or LocalKeyWrapper(os.urandom(32))
        self.server = server or InMemoryS3()
        if server is None:
            for path, text in FILES.items():
                self.commands().create(path, text)
            self.commands(tenant=NEIGHBOUR).create(A, "the neighbour's")
        self.ring_key = self.store().key_ring.object_key

    def copy(self) -> Scene:
        return Scene(self.name_mode, self.server.copy(), self.wrapper)

    def store(self, *, tenant: str = TENANT, client: Any = None, **more: Any) -> MemoryStore:
        """Return a store that has cached no keys."""
        arguments: dict[str, Any] = {"key_wrapper": self.wrapper, "name_mode": self.name_mode, **more}
        arguments["s3_client"] = client or self.server.client()
        return MemoryStore(bucket=BUCKET, prefix=PREFIX, tenant=tenant, key_cache=KeyCache(), **arguments)

    def commands(self, **more: Any) -> MemoryCommands:
        return MemoryCommands(self.store(**more))

    def key_of(self, path: str, *, tenant: str = TENANT) -> str:
        return key_of(self.store(tenant=tenant), path)

    def refuses_repair(self, *, tenant: str = TENANT) -> None:
        before = self.objects
        with pytest.raises(IntegrityError):
            tree.repair(self.store(tenant=tenant))
        assert self.objects == before

    @property
    def objects(self) -> dict[str, bytes]:
        return self.server.objects[BUCKET]

    def put(self, key: str, body: bytes, **more: Any) -> None:
        self.server.client().put_object(Bucket=BUCKET, Key=key, Body=body, **more)

    def remove(self, key: str) -> None:
        self.server.client().delete_object(Bucket=BUCKET, Key=key)

    def assert_refuses(self, sent: dict[str, Any], error_type: type[S3MemoryError] = IntegrityError) -> str:
        """Send a command that must fail and change nothing in the bucket. Return the error's text."""
        before = self.objects
        with pytest.raises(error_type) as caught:
            self.commands().call(sent)
        text = caught.value.for_model
        assert through_call(self.commands(), sent) == Refused(text)
        assert not [name for name in (BUCKET, PREFIX, TENANT, NEIGHBOUR, self.ring_key) if name in text]
        assert "internal error" not in text
        assert self.objects == before
        return text


@pytest.fixture(scope="module", params=[PLAIN, ENCRYPTED])
def original(request: pytest.FixtureRequest) -> Scene:
    return Scene(request.param)


@pytest.fixture
def scene(original: Scene) -> Scene:
    return original.copy()


def does_not_open(path: str) -> str:
    return (
        f"Error: The file {path} does not open: it was altered, moved, or sealed under another key. "
        "It was left as it is. This needs an operator."
    )


UNKNOWN_GENERATION = "Error: What is stored here was sealed under a key that the tenant's key ring does not have."
ON_A = [sent for sent in EVERY_COMMAND if sent.get("path", sent.get("old_path")) == A and sent["command"] != "delete"]


def flipped(body: bytes, offset: int, bits: int = 1) -> bytes:
    return body[:offset] + bytes([body[offset] ^ bits]) + body[offset + 1 :]


class TestAFile:
    def test_does_not_open_with_any_byte_flipped(self, scene: Scene) -> None:
        key = scene.key_of(A)
        body = scene.objects[key]
        for offset in range(len(body)):
            for bits in (1, 0x80):
                scene.put(key, flipped(body, offset, bits))
                with pytest.raises(IntegrityError) as caught:
                    scene.commands().view(A)
                assert caught.value.for_model in {does_not_open(A), UNKNOWN_GENERATION}
                assert isinstance(caught.value, KeyRingError) <= (4 <= offset < 8)
                assert scene.objects[key] == flipped(body, offset, bits)
        scene.put(key, body)
        assert "alpha" in scene.commands().view(A)

    @pytest.mark.parametrize("offset", [0, 3, 4, 7, 8, 31, 32, 63, 64, 70, -16, -1])
    def test_is_left_unchanged_by_every_command_that_reads_it(self, scene: Scene, offset: int) -> None:
        key = scene.key_of(A)
        body = scene.objects[key]
        scene.put(key, flipped(body, offset % len(body)))
        for sent in ON_A:
            assert scene.assert_refuses(sent) in {does_not_open(A), UNKNOWN_GENERATION}

    def test_does_not_open_truncated_or_extended(self, scene: Scene) -> None:
        key = scene.key_of(A)
        body = scene.objects[key]
        for altered in (
            *(body[:size] for size in range(len(body))),
            *(body + b"\0" * size for size in (1, 15, 16, 17, 100)),
            body + body,
            b"\0" + body,
            body[8:],
            b"S3M1",
            b"S3M2" + body[4:],
            b"plain text that somebody put here",
            FILES[A].encode(),
            b"\xff" * 200,
        ):
            scene.put(key, altered)
            assert scene.assert_refuses({"command": "view", "path": A}) in {does_not_open(A), UNKNOWN_GENERATION}

    @pytest.mark.parametrize("size", [0, 1, 8, 63, 79])
    def test_is_listed_however_much_is_cut_off(self, scene: Scene, size: int) -> None:
        scene.put(scene.key_of(A), scene.objects[scene.key_of(A)][:size])
        assert "0B\t/memories/a.md\n" in scene.commands().view("/memories")
        assert sorted(str(one.path) for one in scene.store().files.below(MemoryPath())) == sorted(FILES)

    def test_is_listed_if_truncated_to_a_size_between_two_possible_ones(self, scene: Scene) -> None:
        scene.commands(redactor=None).create("/memories/long.md", "x" * 40_000)
        key = scene.key_of("/memories/long.md")
        scene.put(key, scene.objects[key][: 64 + 2 * (16 * 1024 + 16) + 8])
        assert scene.commands().view("/memories").endswith("32.0K\t/memories/long.md")

    def test_of_more_than_one_chunk_does_not_open_with_chunks_removed_or_swapped(self, scene: Scene) -> None:
        commands = scene.commands(redactor=None)
        commands.create("/memories/long.md", "x" * 40_000)
        key = scene.key_of("/memories/long.md")
        body = scene.objects[key]
        header, step = 64, 16 * 1024 + 16
        first, second, last = (
            body[header : header + step],
            body[header + step : header + 2 * step],
            body[header + 2 * step :],
        )
        for chunks in (
            (second, first, last),
            (first, last),
            (first, second),
            (first,),
            (first, first, last),
            (last,),
            (),
        ):
            scene.put(key, body[:header] + b"".join(chunks))
            assert scene.assert_refuses({"command": "view", "path": "/memories/long.md"}) == (
                does_not_open("/memories/long.md")
            )

    def test_does_not_open_in_another_files_place(self, scene: Scene) -> None:
        key_a, key_b = scene.key_of(A), scene.key_of(B)
        body_a, body_b = scene.objects[key_a], scene.objects[key_b]
        scene.put(key_a, body_b)
        scene.put(key_b, body_a)
        for path in (A, B):
            assert scene.assert_refuses({"command": "view", "path": path}) == does_not_open(path)
        # The view of the directory shows what is there; only the texts cannot be read.
        assert "/memories/d/b.md" in scene.commands().view("/memories")

    def test_does_not_open_at_another_path(self, scene: Scene) -> None:
        elsewhere = scene.key_of("/memories/d/elsewhere.md")
        scene.put(elsewhere, scene.objects[scene.key_of(A)])
        assert scene.assert_refuses({"command": "view", "path": "/memories/d/elsewhere.md"}) == (
            does_not_open("/memories/d/elsewhere.md")
        )
        assert "/memories/d/elsewhere.md" in scene.commands().view("/memories")
        # It blocks a new file, and keeps its directory from being renamed.
        assert (
            scene.assert_refuses(
                {"command": "create", "path": "/memories/d/elsewhere.md", "file_text": "x"}, AlreadyExistsError
            )
            == "Error: File /memories/d/elsewhere.md already exists"
        )
        scene.assert_refuses({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/new"})
        assert "gamma" in scene.commands().view(B)

    def test_does_not_open_for_another_tenant(self, scene: Scene) -> None:
        scene.put(scene.key_of(A, tenant=NEIGHBOUR), scene.objects[scene.key_of(A)])
        with pytest.raises(IntegrityError, match="does not open"):
            scene.commands(tenant=NEIGHBOUR).view(A)
        assert scene.commands().view(A).endswith("alpha\n     2\tbeta\n     3\t")

    def test_does_not_open_under_another_generation(self, scene: Scene) -> None:
        store = scene.store()
        ring = store.key_ring.existing()
        assert ring is not None
        old_body = scene.objects[scene.key_of(A)]
        scene.put(scene.ring_key, ring.rotated().ring.to_bytes())
        scene.commands().create("/memories/second.md", "second")
        assert scene.commands().view(A).endswith("     1\talpha\n     2\tbeta\n     3\t")
        second = scene.key_of("/memories/second.md")
        new_body = scene.objects[second]
        assert (old_body[:8], new_body[:8]) == (MAGIC + b"\0\0\0\1", MAGIC + b"\0\0\0\2")
        for key, path, body, generation in (
            (scene.key_of(A), A, old_body, b"\0\0\0\2"),
            (second, "/memories/second.md", new_body, b"\0\0\0\1"),
            (second, "/memories/second.md", new_body, b"\0\0\0\0"),
        ):
            scene.put(key, MAGIC + generation + body[8:])
            assert scene.assert_refuses({"command": "view", "path": path}) == does_not_open(path)
        for generation in (b"\0\0\0\3", b"\xff\xff\xff\xff"):
            scene.put(second, MAGIC + generation + new_body[8:])
            assert scene.assert_refuses({"command": "view", "path": "/memories/second.md"}) == UNKNOWN_GENERATION

    def test_cannot_be_another_kind_of_object(self, scene: Scene) -> None:
        note = an_intent(scene)
        for body in (scene.objects[note], scene.objects[scene.ring_key]):
            scene.put(scene.key_of(A), body)
            assert scene.assert_refuses({"command": "view", "path": A}) == does_not_open(A)

    def test_can_be_deleted_by_its_path(self, scene: Scene) -> None:
        """The command names the file and does not read it."""
        key = scene.key_of(A)
        scene.put(key, b"garbage")
        assert scene.commands().delete(A) == f"Successfully deleted {A}"
        assert key not in scene.objects

    def test_that_claims_to_be_a_copy_is_not_replaced(self, scene: Scene) -> None:
        """Anybody who may write to the bucket may write metadata."""
        client = scene.server.client()
        etag = client.head_object(Bucket=BUCKET, Key=scene.key_of(A))["ETag"].strip('"')
        claim = {"s3memory-copied-from": etag}
        scene.put(scene.key_of(B), scene.objects[scene.key_of(B)], Metadata=claim)
        text = scene.assert_refuses({"command": "rename", "old_path": A, "new_path": B}, AlreadyExistsError)
        assert text == f"Error: The destination {B} already exists"
        # A file that does not open is not replaced either.
        scene.put(scene.key_of(B), scene.objects[scene.key_of(A)], Metadata=claim)
        scene.assert_refuses({"command": "rename", "old_path": A, "new_path": B})
        scene.put(scene.key_of(B), b"garbage", Metadata=claim)
        scene.assert_refuses({"command": "rename", "old_path": A, "new_path": B})


class TestADirectoryWithOneAlteredFile:
    def test_can_be_viewed(self, scene: Scene) -> None:
        whole = scene.commands().view("/memories")
        body = scene.objects[scene.key_of(B)]
        scene.put(scene.key_of(B), flipped(body, 70))
        assert scene.commands().view("/memories") == whole
        scene.put(scene.key_of(B), body[:10])
        assert scene.commands().view("/memories") == (
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and "
            "node_modules:\n16B\t/memories\n11B\t/memories/a.md\n5B\t/memories/d/\n0B\t/memories/d/b.md\n"
            "5B\t/memories/d/e/"
        )

    @pytest.mark.parametrize("alter", [lambda body: flipped(body, 70), lambda body: body[:10], lambda _: b""])
    def test_is_not_moved_and_neither_are_its_other_files(self, scene: Scene, alter: Callable[[bytes], bytes]) -> None:
        scene.put(scene.key_of(B), alter(scene.objects[scene.key_of(B)]))
        scene.assert_refuses({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/new"})
        assert scene.commands().view("/memories/d/e/c.md").endswith("delta")


class TestAKeyRing:
    def test_does_not_open_with_any_byte_flipped(self, scene: Scene) -> None:
        document = scene.objects[scene.ring_key]
        for offset in range(len(document)):
            for bits in (1, 0x20):
                scene.put(scene.ring_key, flipped(document, offset, bits))
                with pytest.raises(KeyRingError) as caught:
                    scene.commands().view(A)
                assert scene.objects[scene.ring_key] == flipped(document, offset, bits)
                assert caught.value.for_model in RING_TEXTS

    def test_does_not_open_truncated(self, scene: Scene) -> None:
        document = scene.objects[scene.ring_key]
        for size in range(len(document)):
            scene.put(scene.ring_key, document[:size])
            with pytest.raises(KeyRingError):
                scene.commands().view(A)

    def test_does_not_open_in_any_other_form(self, scene: Scene) -> None:
        document = scene.objects[scene.ring_key]
        fields = json.loads(document)
        for altered in (
            document + b"\n",
            b" " + document,
            document.replace(b":", b": ", 1),
            json.dumps(fields, indent=1).encode(),
            document[:-1] + b',"tenant":"tenant-zero"}',
            document[:-1] + b',"zz":1}',
            b"\xef\xbb\xbf" + document,
            b"[" + document + b"]",
            b"null",
            b"0",
            b"{}",
            b"[" * 5_000,
            b'{"a":' * 5_000,
            b"\xff\xfe",
        ):
            scene.put(scene.ring_key, altered)
            assert scene.assert_refuses({"command": "view", "path": A}, KeyRingError) in RING_TEXTS

    def test_does_not_open_with_any_field_exchanged(self, scene: Scene) -> None:
        fields = json.loads(scene.objects[scene.ring_key])
        other_mode = PLAIN if scene.name_mode == ENCRYPTED else ENCRYPTED
        (key,) = fields["keys"]
        values: Any
        for name, values in {
            "tenant": [NEIGHBOUR, "", None, 5, [TENANT]],
            "name_mode": [other_mode, "", None, 1],
            "wrapper": ["aws-kms", "", None, "locaI"],
            "format": ["s3memory/keyring/2", None, ""],
            "seal": ["", None, "AAAA", fields["seal"] + "AAAA", key["wrapped"], 7],
            "keys": [
                [],
                None,
                {},
                [key, key],
                [key, {**key, "generation": 2}],
                [{**key, "generation": 2}],
                [{**key, "generation": 0}],
                [{**key, "generation": -1}],
                [{**key, "generation": True}],
                [{**key, "generation": 1.0}],
                [{**key, "generation": "1"}],
                [{**key, "generation": 2**32}],
                [{**key, "wrapped": ""}],
                [{**key, "wrapped": fields["seal"]}],
                [{**key, "wrapped": None}],
                [{"generation": 1}],
                [None],
            ],
        }.items():
            for value in values:
                altered = json.dumps({**fields, name: value}, sort_keys=True, separators=(",", ":")).encode()
                assert altered != scene.objects[scene.ring_key] or value == fields[name]
                scene.put(scene.ring_key, altered)
                with pytest.raises(KeyRingError) as caught:
                    scene.commands().view(A)
                assert caught.value.for_model in RING_TEXTS

    def test_of_another_tenant_does_not_open(self, scene: Scene) -> None:
        scene.put(scene.ring_key, scene.objects[scene.store(tenant=NEIGHBOUR).key_ring.object_key])
        for sent in EVERY_COMMAND:
            assert scene.assert_refuses(sent, KeyRingError) == MALFORMED

    def test_whose_tenant_is_changed_to_this_one_does_not_open(self, scene: Scene) -> None:
        neighbours = scene.objects[scene.store(tenant=NEIGHBOUR).key_ring.object_key]
        scene.put(scene.ring_key, neighbours.replace(NEIGHBOUR.encode(), TENANT.encode()))
        for sent in EVERY_COMMAND:
            assert scene.assert_refuses(sent, KeyRingError) in RING_TEXTS

    def test_of_another_wrapper_does_not_open(self, scene: Scene) -> None:
        other = OpenKeyRing.new(
            tenant=TENANT, name_mode=scene.name_mode, wrapper=LocalKeyWrapper(os.urandom(32))
        ).ring.to_bytes()
        scene.put(scene.ring_key, other)
        for sent in EVERY_COMMAND:
            assert scene.assert_refuses(sent, KeyRingError) == WRONG_KEY

    def test_that_is_newly_created_opens_none_of_the_old_files(self, scene: Scene) -> None:
        """Anybody who may use the wrapper can create a ring, but not one that opens what was sealed before."""
        scene.put(
            scene.ring_key,
            OpenKeyRing.new(tenant=TENANT, name_mode=scene.name_mode, wrapper=scene.wrapper).ring.to_bytes(),
        )
        before = scene.objects
        answer = through_call(scene.commands(), {"command": "view", "path": A})
        missing = f"The path {A} does not exist. Please provide a valid path."
        assert answer == Refused(missing if scene.name_mode == ENCRYPTED else does_not_open(A))
        assert scene.objects == before

    def test_restored_to_an_older_state_does_not_open_newer_files(self, scene: Scene) -> None:
        ring = scene.store().key_ring.existing()
        assert ring is not None
        older = scene.objects[scene.ring_key]
        scene.put(scene.ring_key, ring.rotated().ring.to_bytes())
        scene.commands().create("/memories/second.md", "second")
        scene.put(scene.ring_key, older)
        assert scene.assert_refuses({"command": "view", "path": "/memories/second.md"}) == UNKNOWN_GENERATION
        assert "alpha" in scene.commands().view(A)

    def test_that_lost_a_generation_does_not_open(self, scene: Scene) -> None:
        ring = scene.store().key_ring.existing()
        assert ring is not None
        rotated = ring.rotated().ring
        for keys in (rotated.keys[:1], rotated.keys[1:], rotated.keys[::-1]):
            scene.put(
                scene.ring_key,
                KeyRing(rotated.tenant, rotated.name_mode, rotated.wrapper, keys, rotated.seal).to_bytes(),
            )
            assert scene.assert_refuses({"command": "view", "path": A}, KeyRingError) == MALFORMED

    def test_that_is_missing_is_not_replaced_while_anything_is_stored(self, scene: Scene) -> None:
        scene.remove(scene.ring_key)
        for sent in EVERY_COMMAND:
            assert scene.assert_refuses(sent, KeyRingError) == MISSING

    def test_that_is_missing_is_not_replaced_while_a_foreign_object_is_stored(self, scene: Scene) -> None:
        for key in scene.objects:
            scene.remove(key)
        scene.put(f"{PREFIX}memories/{TENANT}/left over", b"by whom?")
        for sent in EVERY_COMMAND:
            assert scene.assert_refuses(sent, KeyRingError) == MISSING


class Crash(BaseException):
    """The process ends."""


def an_intent(scene: Scene) -> str:
    """End a process in the middle of a directory rename. Return the object key of the intent that it leaves."""

    def crash(operation: str, _: str) -> None:
        if operation == "DeleteObject":
            raise Crash

    with pytest.raises(Crash):
        scene.commands(client=scene.server.client(before=crash)).rename("/memories/d", "/memories/moved")
    (key,) = (key for key in scene.objects if key.startswith(f"{PREFIX}intents/"))
    return key


def repaired(scene: Scene) -> list[str]:
    return [str(intent) for intent in tree.repair(scene.store())]


class TestAnIntent:
    def test_is_carried_out_if_it_is_intact(self, scene: Scene) -> None:
        key = an_intent(scene)
        assert repaired(scene) == ["rename /memories/d to /memories/moved"]
        assert key not in scene.objects
        assert scene.commands().view("/memories/moved/b.md").endswith("gamma")
        assert through_call(scene.commands(), {"command": "view", "path": "/memories/d"}) == Refused(
            "The path /memories/d does not exist. Please provide a valid path."
        )

    def test_is_not_carried_out_with_any_byte_flipped(self, scene: Scene) -> None:
        key = an_intent(scene)
        body = scene.objects[key]
        for offset in range(len(body)):
            scene.put(key, flipped(body, offset))
            scene.refuses_repair()

    def test_is_not_carried_out_in_another_place(self, scene: Scene) -> None:
        key = an_intent(scene)
        body = scene.objects[key]
        scene.remove(key)
        folder = f"{PREFIX}intents/{TENANT}/"
        for elsewhere in (folder + "0" * 32, f"{key}0", f"{folder}x/{key.removeprefix(folder)}", folder):
            scene.put(elsewhere, body)
            scene.refuses_repair()
            scene.remove(elsewhere)

    def test_is_not_carried_out_for_another_tenant(self, scene: Scene) -> None:
        key = an_intent(scene)
        scene.put(key.replace(TENANT, NEIGHBOUR), scene.objects[key])
        scene.refuses_repair(tenant=NEIGHBOUR)

    @pytest.mark.parametrize("body", [b"", b"{}", b"garbage", b"S3M1" + b"\0" * 200])
    def test_cannot_be_arbitrary_bytes(self, scene: Scene, body: bytes) -> None:
        scene.put(f"{PREFIX}intents/{TENANT}/{'0' * 32}", body)
        scene.put(f"{PREFIX}intents/{TENANT}/{'1' * 32}", scene.objects[scene.key_of(A)])
        scene.refuses_repair()

    def test_that_is_broken_does_not_stop_other_commands(self, scene: Scene) -> None:
        key = an_intent(scene)
        scene.put(key, flipped(scene.objects[key], 70))
        commands = scene.commands()
        commands.create("/memories/d/new.md", "new")
        commands.str_replace(A, "alpha", "omega")
        commands.rename(A, "/memories/renamed.md")
        commands.rename("/memories/d", "/memories/other")
        commands.delete("/memories/other")
        assert commands.view("/memories/renamed.md").endswith("     1\tomega\n     2\tbeta\n     3\t")
        # The same rename finds it, reports it, and leaves everything where it is.
        commands.create("/memories/d/b.md", "again")
        text = scene.assert_refuses({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/moved"})
        assert "does not open" in text

    def test_that_is_outdated_touches_nothing_that_was_written_since(self, scene: Scene) -> None:
        """Anybody who may write can restore an old intent; the files that it lists are identified by their ETags."""
        key = an_intent(scene)
        body = scene.objects[key]
        tree.repair(scene.store())
        scene.commands().create(B, "written since")
        files = dict(scene.objects)
        scene.put(key, body)
        tree.repair(scene.store())
        assert scene.objects == files


FOREIGN_NAMES = [
    "raw",
    "raw.md",
    "d/raw",
    "d/raw/deeper",
    "d//raw",
    "/raw",
    "raw/",
    ".",
    "..",
    "../up",
    "d/../raw",
    "e\u0301",
    "\u00e9",
    "a\u202eb",
    "a\\b",
    "%2e%2e",
    "%2e%2e%2fraw",
    "a%2fb",
    "x" * 700,
    "/".join("x" * 25),
    "=",
    "AA",
    "AAAA",
    "A" * 22,
    "A" * 43,
    "AA==",
    "A+/A",
    "!!!!",
    "-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_",
]


class TestAForeignObject:
    @pytest.mark.parametrize("name", FOREIGN_NAMES)
    @pytest.mark.parametrize("body", [b"", b"foreign", b"S3M1\0\0\0\1" + b"\0" * 72])
    def test_does_not_affect_views_and_is_left_unchanged(self, scene: Scene, name: str, body: bytes) -> None:
        key = f"{PREFIX}memories/{TENANT}/{name}"
        scene.put(key, body)
        view = scene.commands().view("/memories")
        for line in ("11B\t/memories/a.md", "/memories/d/", "5B\t/memories/d/b.md", "5B\t/memories/d/e/"):
            assert line in view
        assert ".." not in view
        assert scene.commands().view(A).endswith("beta\n     3\t")
        scene.commands().str_replace(A, "alpha", "omega")
        scene.commands().create("/memories/new.md", "new")
        scene.commands().rename("/memories/new.md", "/memories/n/newer.md")
        assert scene.objects[key] == body

    def test_is_not_a_memory_file(self, scene: Scene) -> None:
        if scene.name_mode == ENCRYPTED:
            scene.put(f"{PREFIX}memories/{TENANT}/raw", b"foreign")
            assert through_call(scene.commands(), {"command": "view", "path": "/memories/raw"}) == Refused(
                "The path /memories/raw does not exist. Please provide a valid path."
            )
        scene.put(scene.key_of("/memories/raw"), b"foreign")
        assert scene.assert_refuses({"command": "view", "path": "/memories/raw"}) == does_not_open("/memories/raw")

    def test_cannot_use_a_second_spelling_of_a_sealed_name(self, scene: Scene) -> None:
        """The last character of a base64 text may contain unused bits."""
        key = scene.key_of(A)
        view = scene.commands().view("/memories")
        for char in string.ascii_letters + string.digits + "-_=":
            scene.put(key[:-1] + char, scene.objects[key])
        scene.put(f"{key}=", scene.objects[key])
        after = scene.commands().view("/memories")
        assert after.count("/memories/a.md\n") == 1
        if scene.name_mode == ENCRYPTED:
            assert after == view

    def test_keeps_its_directory_from_being_renamed(self, scene: Scene) -> None:
        scene.put(scene.key_of("/memories/d/e") + "/..", b"foreign")
        text = scene.assert_refuses({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/new"})
        assert text == "Error: Something below /memories/d is not a memory file. This needs an operator."
        scene.commands().rename(A, "/memories/d/e/a.md")
        assert scene.commands().view("/memories/d/e/a.md").endswith("beta\n     3\t")

    def test_is_not_shown_in_a_tree_of_many_pages_either(self, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
        view = scene.commands().view("/memories")
        monkeypatch.setitem(Bucket.list_page.__kwdefaults__ or {}, "max_keys", 2)
        assert scene.commands().view("/memories") == view
        for name in ("..", "zz/..", "\u202e"):
            scene.put(f"{PREFIX}memories/{TENANT}/{name}", b"foreign")
        scene.put(f"{scene.key_of('/memories/d')}/a\\b", b"foreign")
        if scene.name_mode == ENCRYPTED:
            assert scene.commands().view("/memories") == view
        else:
            assert set(view.split("\n")) - {"21B\t/memories"} <= set(scene.commands().view("/memories").split("\n"))
