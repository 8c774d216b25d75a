"""What is exported comes back as it was, elsewhere too; what is damaged, hostile or in the way is refused whole."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pyrage
import pytest
from anthropic.tools import BetaLocalFilesystemMemoryTool
from anthropic.types.beta.memory_stores import BetaManagedAgentsMemory
from conftest import TENANT, MakeStore
from hypothesis import given, settings
from hypothesis import strategies as st
from support.faults import KILL, FaultLayer, Killed, other_writer_first
from support.repository import REPOSITORY
from support.stored import texts_of

from s3memory import LocalKeyWrapper, MemoryStore
from s3memory.admin.transfer.age import decrypting, encrypting, identities_in
from s3memory.admin.transfer.exporting import export
from s3memory.admin.transfer.import_sources import FolderSource, Source
from s3memory.admin.transfer.importing import Existing, Import, ImportOutcome, import_files, plan
from s3memory.admin.transfer.memory_stores import MemoryStoreExport, write_memory
from s3memory.admin.transfer.tar_files import FORMAT, ExportSource, ExportWriter
from s3memory.errors import ConfigurationError, InvalidInputError, ReadOnlyError
from s3memory.format.names import ENCRYPTED, NAME_MODES
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.redaction import PatternRedactor

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

MAX_BYTES = 409_600
TEXTS = {
    "a": "one\r\n",
    "d/b": "",
    "d/e/ü ☕.md": "zwei\u2028\ufeff",
    "long/" + "/".join("n" * 40 for _ in range(6)): "x" * 20_000,
}


@pytest.fixture
def target(make_store: MakeStore) -> MemoryStore:
    return make_store(tenant="target")


def fill(store: MemoryStore, texts: dict[str, str] | None = None) -> MemoryStore:
    for name, text in (TEXTS if texts is None else texts).items():
        store.create(MemoryPath.parse(f"/memories/{name}"), text)
    return store


def exported(store: MemoryStore) -> bytes:
    out = io.BytesIO()
    writer = ExportWriter(out)

    def add(file: Any) -> bool:
        writer.add(file)
        return True

    assert export(store, add).is_complete
    writer.finish({"tenant": store.tenant}, datetime.now(UTC))
    return out.getvalue()


def source_of(data: bytes) -> ExportSource:
    return ExportSource(lambda: io.BytesIO(data), MAX_BYTES)


def outcomes(result: Import) -> dict[str, ImportOutcome]:
    return {file.path.removeprefix("/memories/"): file.outcome for file in result.files}


def folder(path: Path, texts: dict[str, str]) -> FolderSource:
    for name, text in texts.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8"))
    return FolderSource(path, MAX_BYTES)


class TestRoundTrip:
    @pytest.mark.parametrize("name_mode", NAME_MODES)
    def test_an_export_brings_every_file_to_another_tenant(self, make_store: MakeStore, name_mode: str) -> None:
        store = fill(make_store(name_mode=name_mode))
        target = make_store(tenant="target", name_mode=ENCRYPTED)
        result = import_files(target, source_of(exported(store)))
        assert result.is_done
        assert outcomes(result) == dict.fromkeys(TEXTS, ImportOutcome.CREATED)
        assert texts_of(target) == TEXTS

    def test_an_export_is_a_tar_file_that_says_what_is_in_it(self, store: MemoryStore) -> None:
        fill(store)
        with tarfile.open(fileobj=io.BytesIO(exported(store))) as tar:
            assert {member.name for member in tar} == {f"memories/{name}" for name in TEXTS} | {"manifest.json"}
            assert {member.mode for member in tar} == {0o600}
            manifest = json.load(tar.extractfile("manifest.json") or io.BytesIO())
        assert (manifest["format"], manifest["tenant"]) == (FORMAT, TENANT)
        by_path = {file["path"]: file for file in manifest["files"]}
        assert set(by_path) == {f"/memories/{name}" for name in TEXTS}
        assert by_path["/memories/a"]["sha256"] == hashlib.sha256(b"one\r\n").hexdigest()
        assert abs(datetime.fromisoformat(by_path["/memories/a"]["modified"]) - datetime.now(UTC)).seconds < 600

    @pytest.mark.parametrize("size_bytes", [100, 79, 0])
    def test_what_does_not_open_is_named_and_left_out(
        self, store: MemoryStore, s3: S3Client, bucket: str, size_bytes: int
    ) -> None:
        fill(store)
        s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/a", Body=b"x" * size_bytes)
        s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/folder/", Body=b"")
        names: list[str] = []

        def write(file: Any) -> bool:
            names.append(str(file.path))
            return True

        result = export(store, write)
        assert (list(map(str, result.unreadable)), result.stray, result.files) == (["/memories/a"], 1, 3)
        assert not result.is_complete
        assert "/memories/a" not in names

    def test_a_tenant_that_has_nothing_gives_an_empty_export(self, store: MemoryStore, target: MemoryStore) -> None:
        assert import_files(target, source_of(exported(store))).files == ()

    @given(st.dictionaries(st.sampled_from("abcd"), st.text(st.characters(exclude_categories=["Cs"]), max_size=40)))
    @settings(max_examples=8)
    def test_any_text_comes_back(self, s3: S3Client, key_wrapper: LocalKeyWrapper, texts: dict[str, str]) -> None:
        name = f"round-trip-{os.urandom(8).hex()}"
        s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})

        def store_of(tenant: str) -> MemoryStore:
            return MemoryStore(bucket=name, tenant=tenant, key_wrapper=key_wrapper, s3_client=s3, redactor=None)

        import_files(store_of("b"), source_of(exported(fill(store_of("a"), texts))))
        assert texts_of(store_of("b")) == texts


class TestEncryption:
    def encrypted(self, data: bytes, *recipients: str) -> bytes:
        out = io.BytesIO()
        with encrypting(out, recipients) as plaintext:
            plaintext.write(data)
        return out.getvalue()

    def source(self, ciphertext: bytes, *identities: str) -> ExportSource:
        @contextmanager
        def decrypted() -> Iterator[IO[bytes]]:
            with decrypting(io.BytesIO(ciphertext), identities) as plaintext:
                yield plaintext

        return ExportSource(decrypted, MAX_BYTES)

    def test_an_encrypted_export_comes_back_with_an_identity(self, store: MemoryStore, target: MemoryStore) -> None:
        identity, other = pyrage.x25519.Identity.generate(), pyrage.x25519.Identity.generate()
        plain = exported(fill(store))
        ciphertext = self.encrypted(plain, str(identity.to_public()), str(other.to_public()))
        assert b"one" not in ciphertext
        assert pyrage.decrypt(ciphertext, [other]) == plain
        import_files(target, self.source(ciphertext, str(identity)))
        assert texts_of(target) == TEXTS

    @pytest.mark.parametrize(
        "damage", [lambda c: c[:-1], lambda c: c[:-20], lambda c: c[:-5] + bytes([c[-5] ^ 1]) + c[-4:]]
    )
    def test_one_that_was_cut_or_altered_is_refused_before_anything_is_written(
        self, store: MemoryStore, target: MemoryStore, damage: Callable[[bytes], bytes]
    ) -> None:
        identity = pyrage.x25519.Identity.generate()
        ciphertext = damage(self.encrypted(exported(fill(store)), str(identity.to_public())))
        with pytest.raises(InvalidInputError, match="does not decrypt"):
            import_files(target, self.source(ciphertext, str(identity)))
        assert texts_of(target) == {}

    def test_a_disk_that_is_full_is_told_as_that(self) -> None:
        class Full(io.BytesIO):
            def write(self, _: object, /) -> int:
                raise OSError(errno.ENOSPC, "No space left on device")

        recipient = str(pyrage.x25519.Identity.generate().to_public())
        with pytest.raises(OSError, match="No space left"), encrypting(Full(), [recipient]) as plaintext:
            plaintext.write(bytes(1_000_000))

    def test_another_identity_opens_nothing(self, store: MemoryStore, target: MemoryStore) -> None:
        identity, other = pyrage.x25519.Identity.generate(), pyrage.x25519.Identity.generate()
        ciphertext = self.encrypted(exported(fill(store)), str(identity.to_public()))
        with pytest.raises(InvalidInputError, match="does not decrypt"):
            plan(target, self.source(ciphertext, str(other)))
        with pytest.raises(ConfigurationError, match="no identity"):
            plan(target, self.source(ciphertext))

    def test_what_is_decrypted_and_is_no_export_is_told_as_that(self, target: MemoryStore) -> None:
        identity = pyrage.x25519.Identity.generate()
        hostile = tar_of([("../evil", b"x")]) + bytes(1_000_000)
        with pytest.raises(InvalidInputError, match=r"not a memory: \.\./evil"):
            plan(target, self.source(self.encrypted(hostile, str(identity.to_public())), str(identity)))

    def test_keys_that_are_none_are_told(self, tmp_path: Path) -> None:
        for recipient in ("age1", "ssh-ed25519 AAAA", "x"):
            with pytest.raises(ConfigurationError), encrypting(io.BytesIO(), [recipient]):
                pass
        with pytest.raises(ConfigurationError), decrypting(io.BytesIO(), ["AGE-SECRET-KEY-1"]):
            pass
        with pytest.raises(ConfigurationError):
            identities_in(tmp_path / "missing")
        (tmp_path / "key.txt").write_text("# created: today\nAGE-SECRET-KEY-1X\n\n")
        assert identities_in(tmp_path / "key.txt") == ["AGE-SECRET-KEY-1X"]


def tar_of(members: list[tuple[str, bytes]], manifest: object = None, **more: Any) -> bytes:
    """Return a tar with files and, unless it is another, the manifest that fits."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            for attribute, value in more.items():
                setattr(member, attribute, value)
            tar.addfile(member, io.BytesIO(data))
        fitting = {
            "format": FORMAT,
            "files": [{"path": f"/{name}", "sha256": hashlib.sha256(data).hexdigest()} for name, data in members],
        }
        text = json.dumps(fitting if manifest is None else manifest).encode()
        info = tarfile.TarInfo("manifest.json")
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    return out.getvalue()


FINE = [("memories/a", b"x")]


class TestHostileExports:
    @pytest.mark.parametrize(("seed", "names"), [("seed-0", []), ("seed-1", ["x", "d/ü"])])
    def test_fuzzing_begins_with_exports_that_are_whole(self, seed: str, names: list[str]) -> None:
        data = (REPOSITORY / "tests" / "fuzz" / "corpus" / "export" / seed).read_bytes()
        assert [file.name for file in source_of(data).files()] == names

    @pytest.mark.parametrize(
        "data",
        [
            pytest.param(b"", id="empty"),
            pytest.param(b"no export" * 200, id="no tar"),
            pytest.param(tar_of(FINE)[:700], id="cut in a header"),
            pytest.param(tar_of([("memories/a", b"x" * 3_000)])[:1_500], id="cut in a file"),
            pytest.param(tar_of([("../a", b"x")]), id="above the folder"),
            pytest.param(tar_of([("/memories/a", b"x")]), id="absolute"),
            pytest.param(tar_of([("other/a", b"x")]), id="another folder"),
            pytest.param(tar_of(FINE, type=tarfile.SYMTYPE, linkname="/etc/passwd"), id="symbolic link"),
            pytest.param(tar_of(FINE, type=tarfile.LNKTYPE, linkname="memories/b"), id="hard link"),
            pytest.param(tar_of(FINE, type=tarfile.DIRTYPE), id="folder"),
            pytest.param(tar_of(FINE, type=tarfile.FIFOTYPE), id="pipe"),
            pytest.param(tar_of(FINE * 2), id="a file twice"),
            pytest.param(tar_of(FINE, {"format": FORMAT, "files": []}), id="a file that the manifest lacks"),
            pytest.param(
                tar_of([], {"format": FORMAT, "files": [{"path": "/memories/a", "sha256": ""}]}), id="missing"
            ),
            pytest.param(tar_of(FINE, {"format": "s3memory/export/2", "files": []}), id="a later format"),
            pytest.param(tar_of(FINE, []), id="another manifest"),
            pytest.param(tar_of(FINE, {"format": FORMAT, "files": 7}), id="no list of files"),
        ],
    )
    def test_one_that_is_not_as_it_should_be_is_refused_as_a_whole(self, target: MemoryStore, data: bytes) -> None:
        with pytest.raises(InvalidInputError, match="damaged"):
            import_files(target, source_of(data), partial_=True)
        assert texts_of(target) == {}

    @pytest.mark.parametrize(
        ("begins", "told"),
        [
            (b"\x1f\x8b\x08", "gzip: decompress it first"),
            (b"\x28\xb5\x2f\xfd", "zstd: decompress it first"),
            (b"BZh9", "bzip2: decompress it first"),
            (b"\xfd7zXZ\x00", "xz: decompress it first"),
            (b"PK\x03\x04", "zip file: unpack it first"),
            (b"-----BEGIN AGE ENCRYPTED FILE-----\n", "decrypt it first"),
        ],
    )
    def test_one_that_is_packed_is_told_as_what_it_is(self, tmp_path: Path, begins: bytes, told: str) -> None:
        (tmp_path / "packed").write_bytes(begins + bytes(100))
        with pytest.raises(InvalidInputError, match=told):
            list(MemoryStoreExport(tmp_path / "packed", MAX_BYTES).files())

    def test_one_without_a_manifest_is_cut_off(self, target: MemoryStore) -> None:
        whole = tar_of(FINE)
        with pytest.raises(InvalidInputError, match="no manifest"):
            plan(target, source_of(whole[:1024] + bytes(1024)))

    def test_one_that_is_compressed_is_not_read(self, target: MemoryStore) -> None:
        import gzip  # noqa: PLC0415 - for this test alone

        with pytest.raises(InvalidInputError, match="not an export"):
            plan(target, source_of(gzip.compress(tar_of(FINE))))

    def test_a_file_whose_hash_is_another_is_refused(self, target: MemoryStore) -> None:
        data = tar_of(FINE, {"format": FORMAT, "files": [{"path": "/memories/a", "sha256": "0" * 64}]})
        result = import_files(target, source_of(data))
        assert outcomes(result) == {"a": ImportOutcome.REFUSED}
        assert not result.is_done

    @pytest.mark.parametrize(
        "name", ["d/../../x", "d//x", "d/./x", "", "a%2fb", "a\\b", "x\u202ey", "/".join("n" * 21), "n\n"]
    )
    def test_a_name_that_is_no_memory_path_is_refused(self, target: MemoryStore, name: str) -> None:
        result = import_files(target, source_of(tar_of([(f"memories/{name}", b"x")])))
        assert [file.outcome for file in result.files] == [ImportOutcome.REFUSED]
        assert texts_of(target) == {}

    def test_a_file_larger_than_any_memory_is_not_read(self, target: MemoryStore) -> None:
        result = import_files(target, source_of(tar_of([("memories/a", bytes(MAX_BYTES + 1)), ("memories/b", b"x")])))
        assert outcomes(result) == {"a": ImportOutcome.REFUSED, "b": ImportOutcome.CREATED}
        assert not result.is_done


class TestImport:
    def test_texts_pass_the_redactor_and_the_limits(self, target: MemoryStore, tmp_path: Path) -> None:
        secret = "AKIA" + "".join("ABCDEFGHIJKLMNOP"[byte % 16] for byte in os.urandom(16))
        source = folder(tmp_path, {"keys.md": f"aws_access_key_id = {secret}", "fine": "x"})
        result = import_files(target, source)
        assert {file.path: bool(file.kinds) for file in result.files} == {
            "/memories/fine": False,
            "/memories/keys.md": True,
        }
        assert secret not in texts_of(target)["keys.md"]
        assert outcomes(import_files(target, source)) == dict.fromkeys(["fine", "keys.md"], ImportOutcome.UNCHANGED)

    def test_a_sensitive_name_is_refused_and_not_shown(self, target: MemoryStore, tmp_path: Path) -> None:
        secret = "AKIA" + "".join("ABCDEFGHIJKLMNOP"[byte % 16] for byte in os.urandom(16))
        result = plan(target, folder(tmp_path, {f"key {secret}": "x"}))
        assert [file.outcome for file in result.files] == [ImportOutcome.REFUSED]
        assert secret not in repr(result)

    @pytest.mark.parametrize("partial", [False, True])
    def test_what_cant_be_taken_keeps_the_rest_out_unless_asked_for(
        self, target: MemoryStore, tmp_path: Path, *, partial: bool
    ) -> None:
        source = folder(tmp_path, {"fine": "x", "large": "x" * 102_401, "huge": "x" * (MAX_BYTES + 1)})
        (tmp_path / "bytes").write_bytes(b"\xff\xfe")
        result = import_files(target, source, partial_=partial)
        assert result.is_done is partial
        refused = [name for name, outcome in outcomes(result).items() if outcome is ImportOutcome.REFUSED]
        assert sorted(refused) == ["bytes", "huge", "large"]
        assert texts_of(target) == ({"fine": "x"} if partial else {})

    def test_a_refusal_speaks_of_its_file_alone(self, target: MemoryStore, tmp_path: Path) -> None:
        result = import_files(target, folder(tmp_path, {"fine": "x", "large": "x" * 102_401}), partial_=True)
        (reason,) = (file.reason for file in result.files if file.outcome is ImportOutcome.REFUSED)
        assert reason is not None
        assert "This file was not written." in reason
        assert "Nothing was changed" not in reason

    @pytest.mark.parametrize(
        ("existing", "outcome", "text"),
        [
            (Existing.REFUSE, ImportOutcome.REFUSED, "theirs"),
            (Existing.SKIP, ImportOutcome.SKIPPED, "theirs"),
            (Existing.OVERWRITE, ImportOutcome.REPLACED, "ours"),
        ],
    )
    def test_where_another_text_is_the_policy_decides(
        self, target: MemoryStore, tmp_path: Path, existing: Existing, outcome: ImportOutcome, text: str
    ) -> None:
        fill(target, {"a": "theirs", "same": "same"})
        source = folder(tmp_path, {"a": "ours", "same": "same"})
        result = import_files(target, source, existing=existing)
        assert outcomes(result) == {"a": outcome, "same": ImportOutcome.UNCHANGED}
        assert texts_of(target)["a"] == text

    def test_a_file_below_a_file_is_refused(self, target: MemoryStore, tmp_path: Path) -> None:
        fill(target, {"a": "file", "d/x": "below"})
        result = plan(target, folder(tmp_path, {"a/b": "x", "d": "x"}))
        assert set(outcomes(result).values()) == {ImportOutcome.REFUSED}
        both = [("memories/n", b"x"), ("memories/n/m", b"x")]
        for members in (both, both[::-1]):
            assert plan(target, source_of(tar_of(members))).count(ImportOutcome.REFUSED) == 1

    def test_two_spellings_of_one_path_are_told(self, target: MemoryStore) -> None:
        data = tar_of([("memories/\u00fc", b"1"), ("memories/u\u0308", b"2")])
        result = import_files(target, source_of(data), partial_=True)
        assert [file.outcome for file in result.files] == [ImportOutcome.CREATED, ImportOutcome.REFUSED]
        assert texts_of(target) == {"\u00fc": "1"}

    def test_a_plan_changes_nothing(self, target: MemoryStore, tmp_path: Path, s3: S3Client, bucket: str) -> None:
        source = folder(tmp_path, {"a": "x"})
        for store in (target, target.refusing_writes()):
            assert outcomes(plan(store, source)) == {"a": ImportOutcome.CREATED}
        with pytest.raises(ReadOnlyError):
            import_files(target.refusing_writes(), source)
        assert "Contents" not in s3.list_objects_v2(Bucket=bucket)

    def test_tags_are_made_with_the_tenants_key_also_in_its_first_import(
        self, make_store: MakeStore, tmp_path: Path
    ) -> None:
        secret = "AKIA" + "".join("ABCDEFGHIJKLMNOP"[byte % 16] for byte in os.urandom(16))
        redactor = PatternRedactor(policy={"aws-access-key": "tag"})
        store = make_store(redactor=redactor, key_cache=KeyCache())
        source = folder(tmp_path, {"a": f"aws_access_key_id = {secret}"})
        assert outcomes(plan(store, source)) == {"a": ImportOutcome.CREATED}
        assert import_files(store, source).is_done
        assert "#" in texts_of(store)["a"]

    @pytest.mark.parametrize("nth", [1, 2, 4])
    def test_interrupted_it_is_run_again(
        self, target: MemoryStore, tmp_path: Path, faults: FaultLayer, nth: int
    ) -> None:
        source = folder(tmp_path, TEXTS)
        faults.hit("PutObject", KILL, nth=nth)
        with pytest.raises(Killed):
            import_files(target, source)
        faults.clear()
        result = import_files(target, source)
        assert result.is_done
        assert set(outcomes(result).values()) <= {ImportOutcome.CREATED, ImportOutcome.UNCHANGED}
        assert texts_of(target) == TEXTS

    def test_what_an_agent_writes_first_is_kept(
        self, target: MemoryStore, make_store: MakeStore, tmp_path: Path, faults: FaultLayer, other_s3: S3Client
    ) -> None:
        fill(target, {"there": "x"})
        agent = make_store(tenant="target", s3_client=other_s3)
        faults.hit("PutObject", other_writer_first(lambda: fill(agent, {"a": "theirs"})))
        result = import_files(target, folder(tmp_path, {"a": "ours"}))
        assert outcomes(result) == {"a": ImportOutcome.REFUSED}
        assert texts_of(target)["a"] == "theirs"


class TestFolders:
    def test_the_folder_of_the_sdks_own_tool_is_taken(self, target: MemoryStore, tmp_path: Path) -> None:
        tool = BetaLocalFilesystemMemoryTool(base_path=str(tmp_path))
        for name, text in (("a.md", "one"), ("d/b.md", "two\n")):
            tool.call({"command": "create", "path": f"/memories/{name}", "file_text": text})
        import_files(target, FolderSource(tmp_path, MAX_BYTES))
        assert texts_of(target) == {"a.md": "one", "d/b.md": "two\n"}

    def test_links_and_pipes_are_told_and_not_followed(self, target: MemoryStore, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        folder(outside, {"secret": "x"})
        inside = tmp_path / "inside"
        source = folder(inside, {"fine": "x"})
        (inside / "link").symlink_to(outside / "secret")
        (inside / "linked").symlink_to(outside)
        os.mkfifo(inside / "pipe")
        reasons = {file.path: file.reason for file in plan(target, source).files}
        assert reasons == {
            "/memories/fine": None,
            "/memories/link": "it is a link",
            "/memories/linked": "it is a link",
            "/memories/pipe": "it is not a regular file",
        }

    def test_a_folder_that_is_not_there_is_told(self, target: MemoryStore, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError):
            plan(target, FolderSource(tmp_path / "missing", MAX_BYTES))


class TestMemoryStores:
    def memory(self, path: str, content: str | None) -> dict[str, Any]:
        """A memory as the SDK's type has it."""
        now = datetime.now(UTC)
        data = (content or "").encode()
        memory = BetaManagedAgentsMemory(
            id="mem_1",
            type="memory",
            path=path,
            content=content,
            content_sha256=hashlib.sha256(data).hexdigest(),
            content_size_bytes=len(data),
            created_at=now,
            updated_at=now,
            memory_store_id="memstore_1",
            memory_version_id="memver_1",
        )
        return memory.to_dict(mode="json")

    def source(self, path: Path, text: str) -> Source:
        file = path / "memories.json"
        file.write_text(text)
        return MemoryStoreExport(file, MAX_BYTES)

    @pytest.mark.parametrize(
        "spelled",
        [
            lambda memories: "\n".join(map(json.dumps, memories)) + "\n",
            json.dumps,
            lambda memories: json.dumps(memories, indent=2),
            lambda memories: json.dumps({"data": memories, "next_page": None}),
        ],
        ids=["lines", "array", "indented", "page"],
    )
    def test_memories_are_taken_as_the_api_gives_them(
        self, target: MemoryStore, tmp_path: Path, spelled: Callable[[Any], str]
    ) -> None:
        memories = [self.memory(f"/{name}", text) for name, text in TEXTS.items()]
        assert import_files(target, self.source(tmp_path, spelled(memories))).is_done
        assert texts_of(target) == TEXTS

    def test_what_is_written_is_what_the_api_takes_and_comes_back(
        self, store: MemoryStore, target: MemoryStore, tmp_path: Path
    ) -> None:
        fill(store)
        out = io.BytesIO()
        assert export(store, lambda file: write_memory(out, file)).is_complete
        lines = [json.loads(line) for line in out.getvalue().splitlines()]
        assert {line["path"]: line["content"] for line in lines} == {f"/{name}": text for name, text in TEXTS.items()}
        assert {frozenset(line) for line in lines} == {frozenset({"path", "content"})}
        import_files(target, self.source(tmp_path, out.getvalue().decode()))
        assert texts_of(target) == TEXTS

    def test_what_a_memory_store_would_not_take_is_named(self, make_store: MakeStore) -> None:
        store = make_store(name_mode=ENCRYPTED, redactor=None)
        fill(store, {"fine": "x"})
        from s3memory.limits import Limits  # noqa: PLC0415 - for this test alone

        fill(make_store(redactor=None, limits=Limits(max_file_bytes=200_000)), {"large": "x" * 102_401})
        result = export(store, lambda file: write_memory(io.BytesIO(), file))
        assert list(map(str, result.refused)) == ["/memories/large"]
        assert not result.is_complete

    def test_memories_without_content_or_with_another_hash_are_refused(
        self, target: MemoryStore, tmp_path: Path
    ) -> None:
        altered = {**self.memory("/a", "x"), "content": "y"}
        prefix = {"type": "memory_prefix", "path": "/d/"}
        lone = {"path": "/s", "content": "\ud800"}
        items = [self.memory("/b", None), altered, prefix, lone]
        result = plan(target, self.source(tmp_path, json.dumps(items)))
        assert result.count(ImportOutcome.REFUSED) == 4

    @pytest.mark.parametrize(
        "text", ["", "no json", "7", "[7]", '{"path": 7}', '{"path": "a", "content": ""}', "[" * 9_999]
    )
    def test_what_is_no_memory_is_refused(self, target: MemoryStore, tmp_path: Path, text: str) -> None:
        with pytest.raises(InvalidInputError, match="damaged"):
            plan(target, self.source(tmp_path, text))


def test_a_folder_with_memories_among_other_files_is_refused_whole(tmp_path: Path) -> None:
    (tmp_path / "memories").mkdir()
    (tmp_path / "memories" / "b.md").write_text("b")
    (tmp_path / "a.md").write_text("a")
    with pytest.raises(InvalidInputError, match="other files next to it"):
        list(FolderSource(tmp_path, 1_000).files())
    (tmp_path / "a.md").unlink()
    assert [file.name for file in FolderSource(tmp_path, 1_000).files()] == ["b.md"]


MIB = 1024 * 1024
_READ = """
import resource, sys
from s3memory.admin.transfer.tar_files import ExportSource
from s3memory.errors import InvalidInputError
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    list(ExportSource(lambda: open(sys.argv[1], "rb"), max_bytes=102_400).files())
except InvalidInputError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def long_header(kind: bytes, size: int, *, name: str = "memories/a") -> bytes:
    header = tarfile.TarInfo(name)
    header.type, header.size = kind, size
    return header.tobuf(tarfile.GNU_FORMAT)


def pax_of(**records: str) -> bytes:
    """Return a pax header, with the file behind it that it is of."""
    member = tarfile.TarInfo("memories/a")
    member.pax_headers = {name.replace("_", "."): value for name, value in records.items()}
    member.size = 300 * MIB
    return member.tobuf(tarfile.PAX_FORMAT)


HOSTILE_HEADERS = {
    "pax": long_header(tarfile.XHDTYPE, 300 * MIB),
    "global pax": long_header(tarfile.XGLTYPE, 300 * MIB),
    "pax of Solaris": long_header(tarfile.SOLARIS_XHDTYPE, 300 * MIB),
    "long name": long_header(tarfile.GNUTYPE_LONGNAME, 300 * MIB),
    "long link": long_header(tarfile.GNUTYPE_LONGLINK, 300 * MIB),
    "sparse": long_header(tarfile.GNUTYPE_SPARSE, 0)[:482] + b"\1" + bytes(29),
    "sparse of pax": pax_of(GNU_sparse_major="1", GNU_sparse_minor="0"),
    "manifest": long_header(tarfile.REGTYPE, 300 * MIB, name="manifest.json"),
}
# What makes each go on: numbers of a sparse map, and blocks of a sparse file that say that another one comes.
FILLINGS = {"sparse of pax": b"9999999\n" + b"1\n" * 252, "sparse": b"0" * 504 + b"\1" + bytes(7)}


@pytest.mark.long
@pytest.mark.parametrize("kind", HOSTILE_HEADERS)
def test_a_header_of_300_mib_is_refused_before_it_is_read(tmp_path: Path, kind: str) -> None:
    header, filling = HOSTILE_HEADERS[kind], FILLINGS.get(kind, b"x" * 512)
    hostile = tmp_path / "hostile.tar"
    with hostile.open("wb") as out:
        # A checksum of what was altered.
        block = header[:512] if kind != "sparse" else _summed(header[:512])
        out.write(block + header[512:])
        chunk = filling[:512].ljust(512, b"\n") * 2048
        for _ in range(300):
            out.write(chunk)
    ran = subprocess.run(  # noqa: S603 - this interpreter, and a text of ours
        [sys.executable, "-c", _READ, str(hostile)], capture_output=True, text=True, timeout=60, check=True
    )
    assert int(ran.stdout) < 32 * 1024  # KiB


def _summed(block: bytes) -> bytes:
    blank = block[:148] + b" " * 8 + block[156:]
    return block[:148] + b"%06o\0 " % sum(blank) + block[156:]


def test_names_as_long_as_a_memory_path_can_be_are_read() -> None:
    name = "/".join(["memories", *("n" * 100 for _ in range(9))])
    data = tar_of([(name, b"x")])
    (file,) = source_of(data).files()
    assert (file.name, file.problem) == (name.removeprefix("memories/"), None)
