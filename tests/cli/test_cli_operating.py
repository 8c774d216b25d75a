"""The commands for erasing, moving and keys: what they print and exit with, that they ask, and the page's lines."""

from __future__ import annotations

import errno
import gc
import io
import json
import os
import re
import shlex
import stat
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pyrage
import pytest
from conftest import TENANT, MakeStore
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from support.cli_runs import Ran, Run, Stdin
from support.faults import Fault, FaultLayer, other_writer_first, refused
from support.flavours import make_ring, put_file
from support.repository import REPOSITORY
from support.stored import key_of

from s3memory import LocalKeyWrapper, MemoryStore, forget_keys
from s3memory.admin.transfer.age import HEADER
from s3memory.errors import ConflictError
from s3memory.paths import MemoryPath
from s3memory.store import documents, intents, tree
from s3memory.store.intents import DELETE, Intent

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

PAGE = (REPOSITORY / "docs" / "operations.md").read_text("utf-8")
SECTION = PAGE.partition("## Erasing, moving and keys\n")[2].partition("\n## ")[0]
COMMAND_LINES = [
    line for block in re.findall(r"```console\n(.*?)```", SECTION, re.DOTALL) for line in block.splitlines()
]
COMMANDS = [
    ["keys", "show"],
    ["keys", "rotate"],
    ["keys", "rewrap"],
    ["keys", "retire"],
    ["reseal"],
    ["erase"],
    ["receipt"],
    ["export"],
    ["import"],
]
MOVING_LINES = [line for line in COMMAND_LINES if line.split()[1] in {"export", "import"}]
KEYS_AND_ERASING_LINES = [line for line in COMMAND_LINES if line not in MOVING_LINES]
WRITES = {"PutObject", "DeleteObject", "DeleteObjects", "CopyObject"}
A, B = MemoryPath(("a",)), MemoryPath(("d", "b"))


@pytest.fixture(scope="module")
def local_key() -> str:
    return LocalKeyWrapper.generate_key_text()


@pytest.fixture
def run(run: Run, monkeypatch: pytest.MonkeyPatch, bucket: str, local_key: str, tmp_path: Path) -> Run:
    """Run the CLI as a process of its own would: with an empty cache, in an empty directory."""
    monkeypatch.setenv("S3MEMORY_BUCKET", bucket)
    monkeypatch.setenv("S3MEMORY_LOCAL_KEY", local_key)
    monkeypatch.chdir(tmp_path)

    def running(*arguments: str, stdin: str = "", terminal: bool = False) -> Ran:
        forget_keys()
        return run(*arguments, stdin=stdin.encode(), terminal=terminal)

    return running


@pytest.fixture
def filled(make_store: MakeStore, local_key: str) -> MemoryStore:
    store = make_store(key_wrapper=LocalKeyWrapper.from_text(local_key))
    make_ring(store, "plain")
    put_file(store, str(A), "one")
    put_file(store, str(B), "two")
    return store


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Let the server have its clock so far from that of this machine."""

    def set_clock(difference: timedelta) -> None:
        now = datetime.now(UTC).replace(tzinfo=None) + difference
        monkeypatch.setattr("moto.s3.models.utcnow", lambda: now)

    return set_clock


@pytest.fixture
def sent() -> Iterator[list[str]]:
    """The operations that are sent to S3, by whatever client."""
    from s3memory.aws import clients  # noqa: PLC0415 - the client is made here, so that the layer can be put around it

    client = clients.PROCESS.s3_client()
    with FaultLayer(client) as layer:
        yield layer.requests


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    "line",
    [
        "keys show",
        "keys rotate",
        "keys rewrap",
        "keys retire --dry-run",
        "reseal",
        "reseal --dry-run",
        "archive",
        "unarchive",
    ],
)
def test_a_tenant_without_a_key_ring_may_be_a_typing_error(run: Run, line: str) -> None:
    ran = run(*line.split(), "--tenant", "acmee")
    told = 's3memory: Tenant "acmee" has no key ring: the first file creates it. '
    assert (ran.exit_code, ran.out) == (1, "")
    assert ran.err.endswith(f"{told}Run `s3memory tenants` to list the tenants that have data.\n")


def signing_keys(directory: Path) -> None:
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (directory / "privacy.pem").write_bytes(private)
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (directory / "privacy.pub").write_bytes(public)


def with_the_count(line: str, count: int) -> str:
    return re.sub(r"--expect-count \d+", f"--expect-count {count}", line)


@pytest.mark.parametrize(
    ("line", "operation"),
    [
        ("keys show", "show"),
        ("keys show --count", "show"),
        ("keys rotate --dry-run", "rotate"),
        ("keys rotate", "rotate"),
        ("keys rewrap --dry-run", "rewrap"),
        ("keys retire --dry-run", "retire"),
        ("keys retire", "retire"),
        ("expire --older-than 1d --dry-run", "expire"),
        ("expire --older-than 1d", "expire"),
        ("import m --dry-run", "import"),
        ("import m", "import"),
        ("stat /memories/d", "stat"),
        ("manifest", "manifest"),
        ("manifest --erasing", "manifest"),
        (f"erase --tenant {TENANT} --dry-run", "erase"),
        (f"erase --tenant {TENANT} --yes --expect-count 3", "erase"),
        ("erase --tenant globex", "erase"),
    ],
)
@pytest.mark.usefixtures("filled")
def test_each_command_is_one_audit_event(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str, operation: str
) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "new").write_text("x")
    monkeypatch.setenv("S3MEMORY_TENANT", TENANT)
    monkeypatch.setenv("S3MEMORY_AUDIT", "on")
    ran = run(*line.split())
    assert ran.exit_code == 0
    events = [json.loads(told) for told in ran.err.splitlines() if told.startswith("{")]
    assert [(event["operation"], event["outcome"]) for event in events] == [(operation, "done")]


def test_the_page_shows_every_command() -> None:
    shown = {tuple(shlex.split(line)[1:3]) for line in COMMAND_LINES}
    for command in COMMANDS:
        assert any(line[: len(command)] == tuple(command) for line in shown), command


def test_every_command_line_for_keys_and_erasing_runs(  # noqa: PLR0917 - fixtures
    run: Run,
    filled: MemoryStore,
    at: Callable[[timedelta], None],
    tmp_path: Path,
    s3: S3Client,
    bucket: str,
    monkeypatch: pytest.MonkeyPatch,
    local_key: str,
) -> None:
    """In the order of the page, in a bucket without older versions; only the count of what is erased is put in."""
    assert filled.read(A) is not None
    signing_keys(tmp_path)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
    for object_key in (f"memories/{TENANT}/a", f"memories/{TENANT}/d/b"):
        # What was made with versioning has an id, and would stay as an older version.
        body = s3.get_object(Bucket=bucket, Key=object_key)["Body"].read()
        versions = s3.list_object_versions(Bucket=bucket, Prefix=object_key)["Versions"]
        s3.delete_object(Bucket=bucket, Key=object_key, VersionId=versions[0]["VersionId"])
        s3.put_object(Bucket=bucket, Key=object_key, Body=body)
    at(timedelta(days=-3))
    for line in KEYS_AND_ERASING_LINES:
        words = shlex.split(line)
        assert words[0] == "s3memory"
        if words[1:3] == ["keys", "rewrap"]:
            monkeypatch.setenv("S3MEMORY_LOCAL_KEY", f"{LocalKeyWrapper.generate_key_text()},{local_key}")
        if words[1:3] == ["keys", "retire"]:
            s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        if words[1] == "erase" and "--yes" in words:
            words = shlex.split(
                with_the_count(line, run("erase", "--tenant", TENANT, "--dry-run", "--json").json["count"])
            )
        result = run(*words[1:])
        assert result.exit_code == 0, (line, result)
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


@pytest.mark.usefixtures("filled")
def test_every_command_line_for_moving_runs(run: Run, tmp_path: Path, make_store: MakeStore, local_key: str) -> None:
    """In the order of the page, with a recipient of the test in place of the dots."""
    identity = pyrage.x25519.Identity.generate()
    (tmp_path / "key.txt").write_text(f"# made by a test\n{identity}\n")
    (tmp_path / "memory" / "memories").mkdir(parents=True)
    (tmp_path / "memory" / "memories" / "a").write_text("another")
    for line in MOVING_LINES:
        words = [str(identity.to_public()) if word == "age1..." else word for word in shlex.split(line)]
        result = run(*words[1:])
        assert result.exit_code == 0, (line, result)
    moved = make_store(tenant=f"{TENANT}-2", key_wrapper=LocalKeyWrapper.from_text(local_key)).read(A)
    assert moved is not None
    assert moved.text == "one"
    assert {file.name for file in tmp_path.iterdir()} == {"key.txt", "memory", *(f"acme.{end}" for end in ENDS)}


ENDS = ["tar", "tar.age", "jsonl"]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_shows_examples(run: Run, command: list[str]) -> None:
    ran = run(*command, "--help")
    assert ran.exit_code == 0
    assert f"s3memory {' '.join(command)} " in ran.out
    assert "--json" in ran.out


@pytest.mark.usefixtures("filled")
class TestDryRun:
    @pytest.mark.parametrize(
        "arguments",
        [
            ["keys", "show", "--tenant", TENANT, "--count"],
            ["keys", "rotate", "--tenant", TENANT, "--dry-run"],
            ["keys", "rewrap", "--tenant", TENANT, "--dry-run"],
            ["reseal", "--tenant", TENANT, "--dry-run"],
            ["erase", "--tenant", TENANT, "--dry-run"],
            ["export", "a.tar", "--tenant", TENANT, "--dry-run"],
            ["import", "folder", "--tenant", TENANT, "--dry-run"],
        ],
        ids=" ".join,
    )
    def test_it_sends_no_write(self, run: Run, sent: list[str], tmp_path: Path, arguments: list[str]) -> None:
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "new").write_text("x")
        sent.clear()
        for more in ([], ["--json"]):
            assert run(*arguments, *more).exit_code == 0
        assert sent
        assert not WRITES & set(sent)
        assert [file.name for file in tmp_path.iterdir()] == ["folder"]


# `erase`, `tenants` and `manifest` need no key ring.
@pytest.mark.parametrize(
    "line",
    [
        "ls", "cat /memories/a.md", "stat /memories/a.md", "du", "grep one", "history /memories/a.md", "verify",
        "restore /memories --at 2026-01-31Z", "repair", "repair --dry-run", "repair --discard-unreadable --dry-run",
        "expire --older-than 1d --dry-run", "scan", "reseal", "export new.tar", "import new", "archive", "unarchive",
        "keys show", "keys rotate", "keys rotate --dry-run", "keys rewrap", "keys rewrap --dry-run", "keys retire",
        "keys retire --dry-run",
    ],
)  # fmt: skip
@pytest.mark.usefixtures("filled")
def test_a_plain_tenant_is_refused_with_the_reason_where_encrypted_names_are_required(
    run: Run, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    Path("new").mkdir()
    Path("new", "b.md").write_text("text", encoding="utf-8")
    before = s3.list_object_versions(Bucket=bucket)["Versions"]
    monkeypatch.setenv("S3MEMORY_NAME_MODE", "encrypted-required")
    ran = run(*line.split(), "--tenant", "acme")
    assert ran.exit_code == 2
    assert "encrypted names are required, and the key ring of tenant acme was made with plain ones" in ran.err
    assert s3.list_object_versions(Bucket=bucket)["Versions"] == before


@pytest.mark.usefixtures("filled")
class TestKeys:
    def test_show_tells_generations_and_what_they_are_needed_for(self, run: Run) -> None:
        assert run("keys", "rotate", "--tenant", TENANT, "--json").json["newest"] == 2
        assert run("reseal", "--tenant", TENANT, "--json").json["resealed"] == 2
        fields = run("keys", "show", "--tenant", TENANT, "--count", "--json").json
        assert fields["wrapper"] == "local"
        assert fields["generations"] == [
            {"generation": 1, "current": 0, "older": 2},
            {"generation": 2, "current": 2, "older": 0},
        ]
        shown = run("keys", "show", "--tenant", TENANT, "--count")
        assert "generation 2, used for new writes: 2 objects, 0 older versions" in shown.out

    def test_a_generation_that_is_needed_and_not_in_the_key_ring_is_told(
        self, run: Run, s3: S3Client, bucket: str
    ) -> None:
        before = s3.get_object(Bucket=bucket, Key=f"keyrings/{TENANT}")["Body"].read()
        assert run("keys", "rotate", "--tenant", TENANT).exit_code == 0
        assert run("reseal", "--tenant", TENANT).exit_code == 0
        s3.put_object(Bucket=bucket, Key=f"keyrings/{TENANT}", Body=before)
        show = ("keys", "show", "--tenant", TENANT)
        ran = run(*show, "--count")
        assert ran.exit_code == 3
        assert "generation 2, which the key ring lacks: 2 objects, 0 older versions\n" in ran.err
        assert run(*show, "--count", "--json").json["lacking"] == [{"generation": 2, "current": 2, "older": 0}]
        assert run(*show).exit_code == 0

    @pytest.mark.parametrize("command", ["show", "retire --dry-run"])
    def test_a_time_at_the_end_of_all_years_is_shown_like_any_other(self, run: Run, command: str) -> None:
        from s3memory.aws import clients  # noqa: PLC0415 - as above

        def at_the_end(body: bytes) -> bytes:
            return re.sub(b"<LastModified>[^<]*", b"<LastModified>9999-12-31T23:59:59.000Z", body)

        assert run("keys", "rotate", "--tenant", TENANT).exit_code == 0
        with FaultLayer(clients.PROCESS.s3_client()) as layer:
            layer.hit("ListObjectVersions", Fault(is_answered=True, body=at_the_end), times=9)
            ran = run("keys", *command.split(), "--tenant", TENANT)
        assert ran.exit_code == (1 if "retire" in command else 0)
        assert "9999-12-31T23:59:59Z" in ran.out + ran.err

    def test_nothing_that_is_shown_is_a_key(self, run: Run, local_key: str) -> None:
        ran = run("keys", "show", "--tenant", TENANT, "--json")
        assert local_key not in ran.out + ran.err
        assert "wrapped" not in ran.json["generations"][0]

    def test_a_tenant_without_a_key_ring_is_an_error(self, run: Run) -> None:
        for command in (["keys", "show"], ["keys", "rotate"], ["keys", "rewrap"], ["keys", "retire"], ["reseal"]):
            ran = run(*command, "--tenant", "nobody")
            assert ran.exit_code == 1
            assert "no key ring" in ran.err

    def test_what_is_not_rotated_since_another_generation_is_the_newest_says_so(self, run: Run) -> None:
        rotate = ["keys", "rotate", "--tenant", TENANT, "--only-from", "1"]
        assert run(*rotate).exit_code == 0
        assert run(*rotate).err == "acme: the newest generation is 2, not 1: nothing was changed\n"
        assert run(*rotate, "--dry-run").err == "acme: the newest generation is 2, not 1: nothing would be changed\n"
        assert run(*rotate, "--json").json == {"tenant": TENANT, "dry_run": False, "newest_before": 2, "newest": 2}

    @pytest.mark.parametrize("more", [[], ["--dry-run"]], ids=["", "dry"])
    def test_a_generation_that_is_yet_to_come_is_none_to_rotate_from(self, run: Run, more: list[str]) -> None:
        ran = run("keys", "rotate", "--tenant", TENANT, "--only-from", "99", *more)
        assert ran.exit_code == 2
        assert "there is no generation 99: the newest is 1" in ran.err
        assert run("keys", "rotate", "--tenant", TENANT, "--json").json["newest"] == 2

    def test_a_rotation_beside_another_says_what_its_own_generation_followed(self, run: Run) -> None:
        from s3memory.aws import clients  # noqa: PLC0415 - as in `sent`

        with FaultLayer(clients.PROCESS.s3_client()) as layer:
            layer.hit("PutObject", other_writer_first(lambda: run("keys", "rotate", "--tenant", TENANT)))
            ran = run("keys", "rotate", "--tenant", TENANT)
        assert ran.err == "acme: the newest generation is 3 (it was 2)\n"

    def test_a_key_ring_that_was_put_back_is_not_rotated_and_a_dry_run_says_so(
        self, run: Run, s3: S3Client, bucket: str
    ) -> None:
        object_key = f"keyrings/{TENANT}"
        older = s3.get_object(Bucket=bucket, Key=object_key)["Body"].read()
        run("keys", "rotate", "--tenant", TENANT)
        s3.put_object(Bucket=bucket, Key=object_key, Body=older)
        for more in ([], ["--dry-run"]):
            ran = run("keys", "rotate", "--tenant", TENANT, *more)
            assert ran.exit_code == 1
            assert "Put that version back" in ran.err

    def test_retiring_too_early_is_refused_and_says_when_and_what_else_is_in_the_way(self, run: Run) -> None:
        run("keys", "rotate", "--tenant", TENANT)
        run("reseal", "--tenant", TENANT)
        ran = run("keys", "retire", "--tenant", TENANT, "--yes", "--expect-count", "1")
        assert ran.exit_code == 1
        assert "may write under an older generation until 20" in ran.err
        assert " older versions still need a generation" in ran.err

    @pytest.mark.parametrize(("minutes", "is_refused"), [(46, False), (44, True)])
    def test_retiring_waits_as_long_as_it_is_told_and_half_an_hour_for_calls_under_way(
        self, run: Run, at: Callable[[timedelta], None], s3: S3Client, bucket: str, minutes: int, *, is_refused: bool
    ) -> None:
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
        at(timedelta(minutes=-minutes))
        run("keys", "rotate", "--tenant", TENANT)
        ran = run("keys", "retire", "--tenant", TENANT, "--max-cache-seconds", "900", "--dry-run")
        assert ran.exit_code == 1  # files and versions need it anyway
        assert ("it may keep keys for 900 seconds, and a call under way may take 1800 more." in ran.err) is is_refused
        assert "--max-cache-seconds" not in ran.err

    def test_retiring_in_a_bucket_that_keeps_no_versions_is_accepted_or_refused(
        self, run: Run, at: Callable[[timedelta], None], s3: S3Client, bucket: str, filled: MemoryStore
    ) -> None:
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
        for path in (A, B):
            filled.objects.versions.destroy(list(filled.objects.versions.of(key_of(filled, str(path)))))
        at(timedelta(days=-3))
        run("keys", "rotate", "--tenant", TENANT)
        retire = ["keys", "retire", "--tenant", TENANT, "--yes", "--expect-count", "1"]
        refused_run = run(*retire)
        assert refused_run.exit_code == 1
        assert "--without-versions" in refused_run.err
        assert run(*retire, "--without-versions").exit_code == 0

    def test_a_script_that_expects_to_retire_what_is_not_there_is_refused(self, run: Run) -> None:
        retire = ["keys", "retire", "--tenant", TENANT, "--yes", "--expect-count"]
        ran = run(*retire, "1")
        assert ran.exit_code == 1
        assert "This would affect 0, but --expect-count says 1" in ran.err
        assert run(*retire, "0").exit_code == 0

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
    def test_rewrap_moves_to_a_key_in_a_file(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_store: MakeStore, encoding: str
    ) -> None:
        new_key = LocalKeyWrapper.generate_key_text()
        (tmp_path / "new.key").write_text(new_key, encoding)
        arguments = ["keys", "rewrap", "--tenant", TENANT, "--local-key-file", "new.key", "--json"]
        assert run(*arguments).json == {"tenant": TENANT, "dry_run": False, "rewrapped": True}
        assert run("keys", "show", "--tenant", TENANT).exit_code == 3  # with the old key
        assert run(*arguments).json == {"tenant": TENANT, "dry_run": False, "rewrapped": False}
        assert run(*arguments, "--dry-run").json == {"tenant": TENANT, "dry_run": True, "rewrapped": False}
        monkeypatch.setenv("S3MEMORY_LOCAL_KEY", new_key)
        assert run(*arguments).json == {"tenant": TENANT, "dry_run": False, "rewrapped": False}
        forget_keys()
        assert make_store(key_wrapper=LocalKeyWrapper.from_text(new_key)).read(A) is not None

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (["--kms-key", "a", "--local-key-file", "b"], "choose one key"),
            (["--local-key-file", "missing"], "--local-key-file names a file that can't be read: No such file"),
            (["--local-key-file", "short.key"], "--local-key-file is malformed: a local key is 32 bytes"),
            (["--local-key-file", "utf-16.key"], "--local-key-file is malformed: the file is not in UTF-8"),
        ],
    )
    def test_rewrap_to_two_keys_or_to_none_that_can_be_read_is_wrong_usage(
        self, run: Run, tmp_path: Path, options: list[str], said: str
    ) -> None:
        (tmp_path / "short.key").write_text("c2hvcnQ=")
        (tmp_path / "utf-16.key").write_text(LocalKeyWrapper.generate_key_text(), "utf-16")
        ran = run("keys", "rewrap", "--tenant", TENANT, *options)
        assert ran.exit_code == 2
        assert said in ran.err

    def test_what_reseal_leaves_is_told_by_the_exit_code(self, run: Run, s3: S3Client, bucket: str) -> None:
        run("keys", "rotate", "--tenant", TENANT)
        s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/a", Body=b"x" * 100)
        ran = run("reseal", "--tenant", TENANT)
        assert ran.exit_code == 3
        assert "/memories/a does not open" in ran.err

    def test_what_is_no_intent_or_record_is_told_by_reseal(self, run: Run, s3: S3Client, bucket: str) -> None:
        s3.put_object(Bucket=bucket, Key=f"intents/{TENANT}/x", Body=b"")
        ran = run("reseal", "--tenant", TENANT)
        assert ran.exit_code == 3
        assert f"intents/{TENANT}/x does not open as an intent or record" in ran.err
        ran = run("reseal", "--tenant", TENANT, "--dry-run", "--json")
        assert (ran.exit_code, ran.json["unreadable_objects"]) == (3, [f"intents/{TENANT}/x"])

    def test_an_intent_that_others_change_at_every_try_is_told_by_reseal(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, filled: MemoryStore
    ) -> None:
        def be_beaten(*_: object, **__: object) -> bool:
            raise ConflictError("A change under way was changed at every try.")

        stored = intents.record(filled, Intent(DELETE, A, A), [])
        monkeypatch.setattr(documents, "reseal", be_beaten)
        ran = run("reseal", "--tenant", TENANT)
        assert ran.exit_code == 1
        assert f"{stored.object_key} was changed by other writers during every attempt" in ran.err
        assert run("reseal", "--tenant", TENANT, "--json").json["contended_objects"] == [stored.object_key]


@pytest.mark.usefixtures("filled")
class TestErase:
    def count(self, run: Run) -> int:
        count = run("erase", "--tenant", TENANT, "--dry-run", "--json").json["count"]
        assert isinstance(count, int)
        return count

    def is_there(self, s3: S3Client, bucket: str) -> bool:
        return "Contents" in s3.list_objects_v2(Bucket=bucket)

    def test_without_a_terminal_it_does_not_ask_and_does_nothing(self, run: Run, s3: S3Client, bucket: str) -> None:
        ran = run("erase", "--tenant", TENANT)
        assert ran.exit_code == 2
        assert f"--yes --expect-count {self.count(run)}" in ran.err
        assert self.is_there(s3, bucket)

    @pytest.mark.parametrize("options", [["--yes"], ["--yes", "--expect-count", "999"]], ids=" ".join)
    def test_a_script_has_to_know_how_much_it_concerns(
        self, run: Run, s3: S3Client, bucket: str, options: list[str]
    ) -> None:
        assert run("erase", "--tenant", TENANT, *options).exit_code in {1, 2}
        assert self.is_there(s3, bucket)

    def test_a_person_types_the_tenants_name(self, run: Run, s3: S3Client, bucket: str) -> None:
        assert run("erase", "--tenant", TENANT, stdin="yes\n", terminal=True).exit_code == 1
        assert self.is_there(s3, bucket)
        ran = run("erase", "--tenant", TENANT, stdin=f"{TENANT}\n", terminal=True)
        assert ran.exit_code == 0
        assert not self.is_there(s3, bucket)
        # Nothing but the receipt is on standard output.
        assert f"({TENANT}) to continue: " in ran.err
        assert ran.out.startswith("{")
        assert ran.json["left"] == 0

    def test_a_dry_run_names_what_it_counts_in_the_words_of_the_help_and_json_by_folders(self, run: Run) -> None:
        told = [line.partition(":")[0] for line in run("erase", "--tenant", TENANT, "--dry-run").out.splitlines()]
        assert told == ["key ring", "intents", "records of redacted versions", "files"]
        found = run("erase", "--tenant", TENANT, "--dry-run", "--json").json["found"]
        assert list(found) == ["keyrings", "intents", "redactions", "memories"]
        assert all(f"`{folder}`" in PAGE for folder in found)

    def test_a_run_that_cannot_list_uploads_says_so_each_time(self, run: Run) -> None:
        from s3memory.aws import clients  # noqa: PLC0415 - as above

        with FaultLayer(clients.PROCESS.s3_client()) as layer:
            layer.hit("ListMultipartUploads", refused(403, "AccessDenied"), times=99)
            dry = run("erase", "--tenant", TENANT, "--dry-run", "--json")
            assert (dry.exit_code, dry.json["uploads"]) == (0, None)
            assert "unfinished multipart uploads: some may be left" in dry.err
            for count in (dry.json["count"], 0):
                assert run("erase", "--tenant", TENANT, "--yes", "--expect-count", str(count)).exit_code == 3

    def test_no_answer_is_a_no(self, run: Run, s3: S3Client, bucket: str) -> None:
        ran = run("erase", "--tenant", TENANT, terminal=True)
        assert (ran.exit_code, ran.out) == (1, "")
        assert ran.err.endswith("s3memory: There was no answer. Nothing was changed.\n")
        assert self.is_there(s3, bucket)

    def test_an_interrupted_question_is_a_no(
        self, run: Run, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupt(_: Stdin) -> str:
            raise KeyboardInterrupt

        monkeypatch.setattr(Stdin, "readline", interrupt)
        ran = run("erase", "--tenant", TENANT, stdin=f"{TENANT}\n", terminal=True)
        assert (ran.exit_code, ran.out) == (1, "")
        assert "Nothing was changed" in ran.err
        assert self.is_there(s3, bucket)

    def test_ctrl_c_just_as_the_question_is_shown_is_a_no(
        self, run: Run, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        terminal = io.StringIO()

        def interrupt() -> None:
            if terminal.getvalue().endswith("to continue: "):
                raise KeyboardInterrupt

        monkeypatch.setattr(terminal, "flush", interrupt)
        monkeypatch.setattr(sys, "stderr", terminal)
        assert run("erase", "--tenant", TENANT, stdin=f"{TENANT}\n", terminal=True).exit_code == 1
        assert terminal.getvalue().endswith("s3memory: There was no answer. Nothing was changed.\n")
        assert self.is_there(s3, bucket)

    def test_a_key_or_a_file_that_is_of_no_use_is_told_before_anything_is_destroyed(
        self, run: Run, s3: S3Client, bucket: str, tmp_path: Path
    ) -> None:
        (tmp_path / "there.json").write_text("{}")
        (tmp_path / "no.pem").write_text("no key")
        yes = ["--yes", "--expect-count", str(self.count(run))]
        for options in (
            ["--sign-with", "missing.pem"],
            ["--sign-with", "no.pem"],
            ["--receipt", "there.json"],
            ["--receipt", "missing/r.json"],
            ["--receipt", "-"],
        ):
            assert run("erase", "--tenant", TENANT, *options, *yes).exit_code == 2
        assert self.is_there(s3, bucket)

    def test_a_receipt_that_does_not_fit_on_the_disk_is_on_standard_output(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        yes = ["--yes", "--expect-count", str(self.count(run))]
        monkeypatch.setattr(Path, "write_text", full)
        ran = run("erase", "--tenant", TENANT, "--receipt", "r.json", *yes)
        assert (ran.exit_code, ran.json["found_nothing"]) == (1, False)
        assert "r.json can't be written: No space left on device" in ran.err

    def test_a_receipt_that_was_altered_is_refused(self, run: Run, tmp_path: Path) -> None:
        signing_keys(tmp_path)
        yes = ["--yes", "--expect-count", str(self.count(run))]
        (tmp_path / "r.json").touch()  # of a run that was interrupted
        ran = run("erase", "--tenant", TENANT, "--receipt", "r.json", "--sign-with", "privacy.pem", *yes)
        assert (ran.exit_code, ran.out) == (0, "")
        document = (tmp_path / "r.json").read_text()
        assert run("receipt", "r.json", "--public-key", "privacy.pub", "--json").json["tenant"] == TENANT
        (tmp_path / "r.json").write_text(document.replace('"left":0', '"left":1'))
        assert run("receipt", "r.json").exit_code == 3

    def test_it_is_told_what_a_signature_shows(self, run: Run, tmp_path: Path) -> None:
        signing_keys(tmp_path)
        assert (
            "the receipt is not signed (--sign-with)"
            in run("erase", "--tenant", "nobody", "--receipt", "plain.json").err
        )
        signed = run("erase", "--tenant", "nobody", "--receipt", "signed.json", "--sign-with", "privacy.pem")
        assert signed.err.endswith("the receipt is signed\n")
        assert run("receipt", "plain.json").err == "not signed: anyone may have written or altered it\n"
        assert "--public-key checks whose key that is" in run("receipt", "signed.json").err
        checked = run("receipt", "signed.json", "--public-key", "privacy.pub")
        assert checked.err == "signed by the key in privacy.pub\n"
        assert run("receipt", "plain.json", "--public-key", "privacy.pub").exit_code == 3
        by_public_key = ["signed.json", "--public-key", "privacy.pub"]
        verdicts = [
            run("receipt", *arguments, "--json").json["verdict"]
            for arguments in (["plain.json"], ["signed.json"], by_public_key)
        ]
        assert verdicts == ["not-signed", "signed-by-key-in-it", "signed-by-public-key"]
        assert all(f"`{verdict}`" in PAGE for verdict in verdicts)

    def test_a_name_that_is_empty_is_not_the_tenant_of_the_settings(
        self, run: Run, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As a script passes it whose variable is not set."""
        count = self.count(run)
        monkeypatch.setenv("S3MEMORY_TENANT", TENANT)
        ran = run("erase", "--tenant", "", "--yes", "--expect-count", str(count))
        assert (ran.exit_code, ran.out) == (2, "")
        assert "tenant must be 1 to 64 letters" in ran.err
        assert self.is_there(s3, bucket)

    def test_a_read_only_memory_is_not_erased(
        self, run: Run, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("S3MEMORY_READ_ONLY", "true")
        ran = run("erase", "--tenant", TENANT, "--yes", "--expect-count", "3")
        assert ran.exit_code == 1
        assert ran.err.endswith("This memory is read-only. Nothing was changed. S3MEMORY_READ_ONLY is set.\n")
        assert self.is_there(s3, bucket)


@pytest.mark.usefixtures("filled")
class TestATenantOfWhomNothingIsStored:
    def test_is_erased_without_a_question_and_told(self, run: Run, tmp_path: Path) -> None:
        for _ in range(2):
            ran = run("erase", "--tenant", "nobody")
            assert ran.exit_code == 0
            assert 'No data for tenant "nobody": it was erased before, or never had any.' in ran.err
            assert ran.json["found_nothing"] is True
        assert 'No data for tenant "nobody"' in run("erase", "--tenant", "nobody", "--dry-run").err
        assert run("erase", "--tenant", "nobody", "--receipt", "r.json", "--yes", "--expect-count", "0").exit_code == 0
        assert json.loads((tmp_path / "r.json").read_text())["found_nothing"] is True

    @pytest.mark.parametrize("options", [[], ["--yes", "--expect-count", "0"]], ids=" ".join)
    def test_is_not_erased_without_a_question_if_it_begins_meanwhile(
        self, run: Run, make_store: MakeStore, tmp_path: Path, options: list[str]
    ) -> None:
        from s3memory.aws import clients  # noqa: PLC0415 - as in `sent`

        late = make_store(tenant="late")
        with FaultLayer(clients.PROCESS.s3_client()) as layer:
            # Its four folders have been counted.
            layer.hit("ListObjectVersions", other_writer_first(lambda: late.create(A, "first")), nth=5)
            ran = run("erase", "--tenant", "late", "--receipt", "r.json", *options)
        assert (ran.exit_code, ran.out) == (1, "")
        assert "Something was stored for late since it was counted" in ran.err
        assert not WRITES & set(layer.requests)
        assert late.read(A) is not None
        assert (tmp_path / "r.json").read_text() == "", "as after an interruption: the next run writes it"

    def test_is_not_erased_by_who_expects_something(self, run: Run) -> None:
        ran = run("erase", "--tenant", "nobody", "--yes", "--expect-count", "3")
        assert (ran.exit_code, ran.out) == (1, "")
        assert 'No data for tenant "nobody"' in ran.err

    @pytest.mark.parametrize(
        "arguments",
        [
            ["ls", "--tenant", "nobody"],
            ["ls", "--tenant", "nobody", "--tree"],
            ["ls", "--tenant", "nobody", "--at", "2026-01-31T12:00:00Z"],
            ["cat", "/memories/a", "--tenant", "nobody"],
            ["stat", "/memories", "--tenant", "nobody"],
            ["du", "--tenant", "nobody", "--versions"],
            ["grep", "one", "--tenant", "nobody"],
            ["history", "/memories/a", "--tenant", "nobody"],
            ["diff", "/memories/a", "--tenant", "nobody"],
            ["restore", "/memories/a", "--version", "x", "--tenant", "nobody"],
            ["redact-version", "/memories/a", "--version", "x", "--tenant", "nobody", "--dry-run"],
            ["scan", "--tenant", "nobody", "--json"],
            ["scan", "--tenant", "nobody", "--fix"],
            ["repair", "--tenant", "nobody", "--dry-run"],
            ["repair", "--tenant", "nobody", "--json"],
            ["expire", "--older-than", "90d", "--tenant", "nobody", "--dry-run"],
            ["expire", "--older-than", "90d", "--tenant", "nobody", "--yes", "--expect-count", "0"],
            ["verify", "--tenant", "nobody"],
            ["verify", "--tenant", "nobody", "--json"],
            ["export", "x.tar", "--tenant", "nobody"],
            ["export", "x.tar", "--tenant", "nobody", "--dry-run"],
            ["export", "x.jsonl", "--tenant", "nobody", "--format", "memory-store"],
            ["manifest", "--tenant", "nobody"],
            ["manifest", "--tenant", "nobody", "--erasing"],
            ["manifest", "--tenant", "nobody", "--versions"],
        ],
        ids=" ".join,
    )
    def test_is_refused(self, run: Run, tmp_path: Path, arguments: list[str]) -> None:
        ran = run(*arguments)
        assert (ran.exit_code, ran.out) == (1, "")
        assert 'No data for tenant "nobody"' in ran.err
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        "line", ["ls", "restore --at 2026-01-31Z", "repair", "scan", "export x", "verify", "manifest"]
    )
    def test_is_an_audit_event(self, run: Run, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
        monkeypatch.setenv("S3MEMORY_TENANT", "nobody")
        monkeypatch.setenv("S3MEMORY_AUDIT", "on")
        (event,) = (json.loads(told) for told in run(*line.split()).err.splitlines() if told.startswith("{"))
        told = event["tenant"], event["operation"], event["outcome"], event["error"]
        assert told == ("nobody", line.split(maxsplit=1)[0], "refused", "NotFoundError")
        assert event["requests"]["ListObjectsV2"] >= 1

    def test_is_none_that_has_no_files_any_more(self, run: Run, filled: MemoryStore) -> None:
        for path in (A, B):
            tree.delete(filled, path)
        for arguments in (["verify", "--tenant", TENANT], ["manifest", "--tenant", TENANT]):
            assert run(*arguments).exit_code == 0
        for command in (["export", "x.tar"], ["ls"], ["du"], ["scan"], ["repair"], ["expire", "--older-than", "90d"]):
            assert run(*command, "--tenant", TENANT).exit_code == 0
        ran = run("erase", "--tenant", TENANT, "--yes", "--expect-count", "5")
        assert (ran.exit_code, ran.json["found_nothing"]) == (0, False)


@pytest.mark.usefixtures("filled")
class TestExportAndImport:
    def test_an_export_is_a_file_that_only_its_owner_may_read(self, run: Run, tmp_path: Path) -> None:
        assert run("export", "acme.tar", "--tenant", TENANT, "--json").json["files"] == 2
        assert stat.S_IMODE((tmp_path / "acme.tar").stat().st_mode) == 0o600
        ran = run("export", "acme.tar", "--tenant", TENANT)
        assert ran.exit_code == 2
        assert "already exists" in ran.err

    def test_a_dry_run_of_an_export_says_that_nothing_was_written(self, run: Run, tmp_path: Path) -> None:
        ran = run("export", "x.tar", "--tenant", TENANT, "--dry-run")
        told = f"{TENANT}: 2 files, 6 bytes, in x.tar (dry run: nothing was written)\n"
        assert (ran.exit_code, ran.err) == (0, told)
        assert list(tmp_path.iterdir()) == []

    def test_an_export_says_whose_it_is_and_where(self, run: Run) -> None:
        assert run("export", "globex", "--tenant", TENANT).err == f"{TENANT}: 2 files, 6 bytes, in globex\n"

    def test_an_export_to_a_dash_leaves_no_plaintext_in_a_file_of_that_name(self, run: Run, tmp_path: Path) -> None:
        ran = run("export", "-", "--tenant", TENANT)
        assert (ran.exit_code, "does not mean standard output" in ran.err) == (2, True)
        assert list(tmp_path.iterdir()) == []

    def test_the_error_for_a_text_file_says_what_can_be_imported(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "notes.md").write_text("tea\n")
        ran = run("import", "notes.md", "--tenant", TENANT)
        assert (ran.exit_code, "name their folder" in ran.err) == (1, True)

    @pytest.mark.usefixtures("few_to_collect")
    def test_an_export_to_a_full_disk_ends_with_a_sentence_and_no_traceback(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ignored: list[object] = []
        monkeypatch.setattr(sys, "unraisablehook", ignored.append)
        part = str(tmp_path / "part")
        monkeypatch.setattr("tempfile.mkstemp", lambda **_: (os.open("/dev/full", os.O_WRONLY), part))
        for n in range(2):  # more than what is buffered
            create = {"command": "create", "path": f"/memories/long{n}.md", "file_text": "x" * 30_000}
            run("call", json.dumps(create), "--tenant", TENANT)
        ran = run("export", "x.tar", "--tenant", TENANT)
        gc.collect()
        assert (ran.exit_code, ignored) == (2, [])
        assert "x.tar can't be written: No space left on device" in ran.err

    @pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP, errno.ENOSYS])
    def test_an_export_to_a_file_system_without_hard_links_has_its_name_once_it_is_whole(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
    ) -> None:
        def link(*_: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "link", link)
        assert run("export", "acme.tar", "--tenant", TENANT, "--json").json["files"] == 2
        assert [one.name for one in tmp_path.iterdir()] == ["acme.tar"]
        assert run("import", "acme.tar", "--tenant", "copy", "--json").json["is_done"]

    @pytest.mark.parametrize("has_links", [True, False])
    def test_an_export_replaces_no_file_that_came_first(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool
    ) -> None:
        link = os.link

        def come_first(part: Path, name: Path) -> None:
            name.write_text("another one's")
            if not has_links:
                raise PermissionError(errno.EPERM, "Operation not permitted")
            link(part, name)

        monkeypatch.setattr(os, "link", come_first)
        ran = run("export", "acme.tar", "--tenant", TENANT)
        assert (ran.exit_code, "acme.tar can't be written: File exists" in ran.err) == (2, True)
        assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"acme.tar": "another one's"}

    def test_an_export_that_fails_leaves_no_file(self, run: Run, tmp_path: Path, s3: S3Client, bucket: str) -> None:
        assert run("export", "x.tar", "--tenant", TENANT, "--recipient", "age1wrong").exit_code == 2
        assert run("export", "missing/x.tar", "--tenant", TENANT).exit_code == 2
        s3.delete_object(Bucket=bucket, Key=f"keyrings/{TENANT}")
        assert run("export", "x.tar", "--tenant", TENANT).exit_code == 3
        assert list(tmp_path.iterdir()) == []

    def test_what_is_left_out_is_told_by_the_exit_code(self, run: Run, s3: S3Client, bucket: str) -> None:
        s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/a", Body=b"x" * 100)
        ran = run("export", "acme.tar", "--tenant", TENANT)
        assert ran.exit_code == 3
        assert "/memories/a does not open" in ran.err

    def test_an_import_tells_what_became_of_each_file(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "m").mkdir()
        for name, text in (("a", "another"), ("new", "x"), ("bad", "\udcff")):
            (tmp_path / "m" / name).write_text(text, errors="surrogateescape")
        ran = run("import", "m", "--tenant", TENANT)
        assert ran.exit_code == 1
        assert ran.out.splitlines() == [
            "refused\t/memories/a (a file with a different text exists)",
            "refused\t/memories/bad (it is not UTF-8 text)",
            "not-begun\t/memories/new",
        ]
        outcomes = [file["outcome"] for file in run("import", "m", "--tenant", TENANT, "--json").json["files"]]
        assert outcomes == ["refused", "refused", "not-begun"]
        assert ran.err == "acme: nothing was changed; with --partial: 1 created, 2 refused\n"
        dry = run("import", "m", "--tenant", TENANT, "--dry-run")
        assert (dry.out, dry.err) == (ran.out, "acme: nothing would be changed; with --partial: 1 created, 2 refused\n")
        fields = run("import", "m", "--tenant", TENANT, "--partial", "--json").json
        assert fields["is_done"]
        assert [file["outcome"] for file in fields["files"]] == ["refused", "refused", "created"]

    def test_a_file_of_another_kind_is_told_to_be_no_source(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "passwd").write_text("root:x:0:0:root:/root:/bin/bash\n", encoding="utf-8")
        ran = run("import", "passwd", "--tenant", TENANT)
        assert ran.exit_code == 1
        assert "it is neither an export nor valid JSON. For text files, name their folder" in ran.err

    def test_an_import_tells_that_the_tenant_is_new(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "m").mkdir()
        (tmp_path / "m" / "new").write_text("x")
        note = 'No data for tenant "globex" yet: '
        for dry_run in (["--dry-run"], []):
            ran = run("import", "m", "--tenant", "globex", *dry_run)
            assert ran.exit_code == 0
            assert ran.err.startswith(note)
        assert note not in run("import", "m", "--tenant", "globex").err

    def test_overwriting_asks(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "m").mkdir()
        (tmp_path / "m" / "a").write_text("another")
        overwrite = ["import", "m", "--tenant", TENANT, "--existing", "overwrite"]
        assert run(*overwrite).exit_code == 2
        assert run(*overwrite, "--yes", "--expect-count", "2").exit_code == 1
        assert run(*overwrite, "--yes", "--expect-count", "1").exit_code == 0
        assert "unchanged" in run(*overwrite).out
        assert run(*overwrite, "--yes", "--expect-count", "1").exit_code == 1
        assert run(*overwrite, "--yes", "--expect-count", "0").exit_code == 0

    @pytest.mark.parametrize("form", ["tar", "memory-store"])
    def test_an_encrypted_export_is_imported_again_whatever_its_format(
        self, run: Run, tmp_path: Path, form: str
    ) -> None:
        identity, other = pyrage.x25519.Identity.generate(), pyrage.x25519.Identity.generate()
        (tmp_path / "key.txt").write_text(f"{identity}\n")
        (tmp_path / "other.txt").write_text(f"{other}\n")
        recipient = str(identity.to_public())
        assert run("export", "x", "--tenant", TENANT, "--format", form, "--recipient", recipient).exit_code == 0
        ran = run("import", "x", "--tenant", "copy", "--identity", "other.txt")
        assert (ran.exit_code, "It does not decrypt" in ran.err) == (1, True)
        assert run("import", "x", "--tenant", "copy", "--identity", "key.txt", "--json").json["is_done"]
        assert run("grep", "", "--tenant", "copy").out == "/memories/a:1:one\n/memories/d/b:1:two\n"
        (tmp_path / "x").write_bytes((tmp_path / "x").read_bytes()[:-1])
        ran = run("import", "x", "--tenant", "copy-2", "--identity", "key.txt")
        assert (ran.exit_code, "It does not decrypt" in ran.err) == (1, True)
        assert run("ls", "--tenant", "copy-2").exit_code == 1

    def test_identities_are_of_no_use_to_what_another_program_wrote(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "key.txt").write_text("AGE-SECRET-KEY-1\n")
        (tmp_path / "x.json").write_text("[]")
        ran = run("import", "--from", "memory-store", "x.json", "--tenant", TENANT, "--identity", "key.txt")
        told = "s3memory: --identity is for files that s3memory export encrypted: leave out --from\n"
        assert (ran.exit_code, ran.err) == (2, told)

    def test_an_encrypted_export_without_an_identity_leads_to_the_option(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "x.age").write_bytes(HEADER + b"\n")
        ran = run("import", "x.age", "--tenant", TENANT)
        told = "s3memory: x.age is encrypted: name a file of age identities with --identity\n"
        assert (ran.exit_code, ran.out, ran.err) == (2, "", told)

    @pytest.mark.parametrize(
        ("identities", "said"),
        [
            ("missing.txt", "missing.txt can't be read: No such file or directory"),
            ("bytes.txt", "bytes.txt is not a file of age identities, which begin with AGE-SECRET-KEY-1"),
            ("recipient.txt", "an age identity is malformed: it must begin with AGE-SECRET-KEY-1"),
        ],
    )
    def test_identities_that_are_none_are_refused_with_what_they_have_to_be(
        self, run: Run, tmp_path: Path, identities: str, said: str
    ) -> None:
        (tmp_path / "x.age").write_bytes(HEADER + b"\n")
        (tmp_path / "bytes.txt").write_bytes(b"\xff")
        (tmp_path / "recipient.txt").write_text("age1recipient\n")
        ran = run("import", "x.age", "--tenant", TENANT, "--identity", identities)
        assert (ran.exit_code, ran.out) == (2, "")
        assert ran.err.endswith(f"s3memory: {said}\n")

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
    def test_identities_may_be_saved_as_windows_programs_do_and_have_any_comment(
        self, run: Run, tmp_path: Path, encoding: str
    ) -> None:
        identity = pyrage.x25519.Identity.generate()
        (tmp_path / "key.txt").write_text(f"# Zoë's\r\n{identity}\r\n", encoding, newline="")
        assert run("export", "x", "--tenant", TENANT, "--recipient", str(identity.to_public())).exit_code == 0
        assert run("import", "x", "--tenant", "copy", "--identity", "key.txt", "--json").json["is_done"]

    def test_identities_that_can_not_be_read_are_told_of_a_source_that_needs_none(
        self, run: Run, tmp_path: Path
    ) -> None:
        (tmp_path / "notes").mkdir()
        ran = run("import", "notes", "--tenant", TENANT, "--identity", "missing.txt")
        assert (ran.exit_code, ran.err) == (2, "s3memory: missing.txt can't be read: No such file or directory\n")

    @pytest.mark.parametrize("more", [[], ["--dry-run"]], ids=["", "dry"])
    @pytest.mark.parametrize("recipient", ["age1short", "ssh-ed25519 AAAA", "bob"])
    def test_a_recipient_that_is_none_is_refused_with_what_it_has_to_be(
        self, run: Run, tmp_path: Path, recipient: str, more: list[str]
    ) -> None:
        ran = run("export", "x.age", "--tenant", TENANT, "--recipient", recipient, *more)
        told = "s3memory: an age recipient is malformed: it must be a whole public key, such as age1... or ssh-...\n"
        assert (ran.exit_code, ran.err) == (2, told)
        assert list(tmp_path.iterdir()) == []

    def test_what_is_no_source_is_told(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "x").write_text("no JSON")
        assert run("import", "x", "--tenant", TENANT).exit_code == 1
        assert run("import", "missing", "--tenant", TENANT).exit_code == 2
        assert run("import", "x", "--tenant", TENANT, "--existing", "merge").exit_code == 2
