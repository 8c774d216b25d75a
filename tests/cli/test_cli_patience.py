"""What walks over a tenant's objects do where S3 does not give one of them, or does not answer a write of one."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from conftest import MakeStore
from support.cli_runs import Run
from support.clock import SetClock
from support.faults import ANSWER_LOST, Fault, FaultLayer, other_writer_first, refused
from support.flavours import put_file
from support.stored import key_of, text_of, texts_of

from s3memory import LocalKeyWrapper, MemoryStore
from s3memory.admin.keys.rotation import rotate
from s3memory.paths import MemoryPath
from s3memory.store import tree

pytestmark = pytest.mark.usefixtures("settings")

A = MemoryPath(("a",))
NAMES = ["a", "d/b", "d/c"]
TEXT = "key AKIA" + "QWERTYUIOPASDFGH here\n"  # for `scan`; no redactor of the stores here has looked at it
FAR_AHEAD = "2100-01-01T00:00:00Z"
MISSED = {"name": "/memories/a", "code": "InvalidObjectState", "is_unknown": False}


@pytest.fixture
def filled(make_store: MakeStore, local_key: str) -> MemoryStore:
    store = make_store(key_wrapper=LocalKeyWrapper.from_text(local_key), redactor=None)
    for name in NAMES:
        store.create(MemoryPath.parse(f"/memories/{name}"), TEXT)
    return store


@pytest.fixture
def faults() -> Iterator[FaultLayer]:
    """Faults for the requests of the command line."""
    from s3memory.aws import clients  # noqa: PLC0415 - the client is made here, so that the layer can be put around it

    with FaultLayer(clients.PROCESS.s3_client()) as layer:
        yield layer


@pytest.fixture
def one_archived(filled: MemoryStore, faults: FaultLayer) -> MemoryStore:
    """The same, where one of the objects lies in an archive's storage class."""
    faults.hit_object("GetObject", key_of(filled, "a"), refused(403, "InvalidObjectState"))
    return filled


@pytest.mark.usefixtures("one_archived")
@pytest.mark.parametrize(
    "command",
    [
        "verify",
        "scan",
        "grep here",
        "export out.tar",
        "reseal",
        "keys show --count",
        "repair --discard-unreadable --dry-run",
        "history /memories/a",
        f"restore --at {FAR_AHEAD}",
    ],
)
def test_one_object_that_s3_does_not_give_is_named_with_the_code(
    run: Run, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run(*command.split())
    assert ran.exit_code == 3
    told = ran.out + ran.err
    assert "memories/a" in told or command.startswith("history")
    assert "InvalidObjectState" in told


@pytest.mark.usefixtures("one_archived")
def test_verify_looks_at_the_others(run: Run) -> None:
    finding, tenant = run("verify", "--json").results
    assert (finding["kind"], finding["path"], finding["code"]) == ("not-looked-at", "/memories/a", "InvalidObjectState")
    assert (tenant["files"], tenant["findings"]) == (2, 1)


@pytest.mark.usefixtures("one_archived")
def test_grep_searches_the_others(run: Run) -> None:
    assert [one["path"] for one in run("grep", "here", "--json").results] == ["/memories/d/b", "/memories/d/c"]


@pytest.mark.usefixtures("one_archived")
def test_export_holds_the_others_and_its_manifest_names_the_one(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("export", "out.tar", "--json")
    assert (ran.exit_code, ran.json["files"], ran.json["missed"]) == (3, 2, [MISSED])
    with tarfile.open(tmp_path / "out.tar") as tar:
        assert sorted(tar.getnames()) == ["manifest.json", "memories/d/b", "memories/d/c"]
        manifest = tar.extractfile("manifest.json")
        assert manifest is not None
        assert json.load(manifest)["missed"] == [MISSED]


@pytest.mark.usefixtures("one_archived")
def test_scan_finds_what_is_in_the_others(run: Run) -> None:
    ran = run("scan", "--json")
    assert (ran.exit_code, ran.json["missed"]) == (3, [MISSED])
    assert {one["path"] for one in ran.json["findings"]} == {"/memories/d/b", "/memories/d/c"}


@pytest.mark.parametrize("command", ["scan", "verify"])
def test_files_and_older_versions_that_s3_does_not_give_are_not_counted(
    run: Run, one_archived: MemoryStore, command: str
) -> None:
    for name in ("a", "d/b"):
        put_file(one_archived, f"/memories/{name}", "another text")
    told = run(command, "--versions", "--json").results[-1]
    assert (told["files"], told["versions"]) == (2, 1)


def test_scan_hides_what_is_sensitive_in_a_path_that_it_missed(
    run: Run, filled: MemoryStore, faults: FaultLayer
) -> None:
    secret = TEXT.split()[1]
    filled.create(MemoryPath((secret,)), "text")
    faults.hit_object("GetObject", key_of(filled, secret), refused(403, "AccessDenied"))
    for options in ([], ["--json"]):
        ran = run("scan", *options)
        assert "AccessDenied" in ran.out + ran.err
        assert secret not in ran.out + ran.err


@pytest.mark.usefixtures("one_archived")
def test_scan_fix_redacts_the_others(run: Run) -> None:
    ran = run("scan", "--fix", "--json")
    assert (ran.exit_code, ran.json["missed"]) == (3, [MISSED])
    assert [one["is_fixed"] for one in ran.json["findings"]] == [True, True]


def test_reseal_reseals_the_others(run: Run, one_archived: MemoryStore) -> None:
    rotate(one_archived)
    ran = run("reseal", "--json")
    assert (ran.exit_code, ran.json["resealed"], ran.json["missed"]) == (3, 2, [MISSED])


def _instead(text: str, _before: str) -> str:
    return text


def test_the_others_are_restored(run: Run, one_archived: MemoryStore, at: SetClock) -> None:
    for minutes, text in (0, "then"), (10, "now"):
        at(minutes)
        for name in NAMES:
            one_archived.edit(MemoryPath.parse(f"/memories/{name}"), partial(_instead, text))
    moment = f"{at(5):%Y-%m-%dT%H:%M:%SZ}"
    at(20)
    outcomes = {one["path"]: one["outcome"] for one in run("restore", "--at", moment, "--json").results}
    assert outcomes == {"/memories/a": "missed", "/memories/d/b": "restored", "/memories/d/c": "restored"}
    assert texts_of(one_archived) == {"a": "now", "d/b": "then", "d/c": "then"}


@pytest.mark.usefixtures("one_archived")
def test_keys_show_counts_the_others(run: Run) -> None:
    ran = run("keys", "show", "--count", "--json")
    assert ran.json["generations"] == [{"generation": 1, "current": 2, "older": 0}]
    assert [one["code"] for one in ran.json["missed"]] == ["InvalidObjectState"]


def test_discarding_deletes_the_junk_beside_the_one(run: Run, one_archived: MemoryStore) -> None:
    junk = key_of(one_archived, "d/junk")
    one_archived.objects.put(junk, b"junk")
    ran = run("repair", "--discard-unreadable", "--yes", "--expect-count", "1", "--json")
    assert (ran.exit_code, ran.json["unreadable_objects"], len(ran.json["missed"])) == (3, [junk], 1)
    assert one_archived.objects.head(junk) is None


def test_an_export_that_agents_moved_files_during_says_that_one_may_be_missing(
    run: Run, filled: MemoryStore, faults: FaultLayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tree.delete(filled, MemoryPath(("d",)))  # of one file alone, each GET is the next
    places = [A, MemoryPath(("moved",))]

    def move() -> None:
        tree.rename(filled, *places)
        places.reverse()

    faults.hit("GetObject", other_writer_first(move), times=99)
    ran = run("export", "out.tar", "--json")
    assert (ran.exit_code, ran.json["is_settled"]) == (3, False)
    assert "with another FILE" in ran.err
    with tarfile.open(tmp_path / "out.tar") as tar:
        manifest = tar.extractfile("manifest.json")
        assert manifest is not None
        assert json.load(manifest)["is_settled"] is False


def test_an_expiry_tells_what_it_deleted_and_of_which_file_that_is_not_known(
    run: Run, filled: MemoryStore, faults: FaultLayer
) -> None:
    faults.hit_object("DeleteObject", key_of(filled, "a"), ANSWER_LOST)
    ran = run("expire", "--older-than", "0m", "--yes", "--expect-count", "3", "--json")
    assert ran.exit_code == 3
    assert [one["path"] for one in ran.json["files"]] == ["/memories/d/b", "/memories/d/c"]
    assert [(one["name"], one["is_unknown"]) for one in ran.json["missed"]] == [("/memories/a", True)]
    assert "/memories/a: it is not known whether it was changed" in ran.err


def test_an_import_tells_what_it_wrote_and_of_which_file_that_is_not_known(
    run: Run, filled: MemoryStore, faults: FaultLayer, tmp_path: Path
) -> None:
    for name in ("x", "y"):
        (tmp_path / name).write_text("text\n")
    object_key = key_of(filled, "x")
    refuse_get = partial(faults.hit_object, "GetObject", object_key, refused(403, "AccessDenied"))
    faults.hit_object("PutObject", object_key, Fault(action=refuse_get))  # and no answer
    ran = run("import", str(tmp_path), "--json")
    told = {one["path"]: (one["outcome"], one["reason"]) for one in ran.json["files"]}
    reason = "it is not known whether it was changed (ConnectionClosedError)"  # and the look at it was refused
    assert (ran.exit_code, told) == (3, {"/memories/x": ("missed", reason), "/memories/y": ("created", None)})


@pytest.mark.usefixtures("one_archived")
@pytest.mark.parametrize(("options", "y"), [([], None), (["--partial"], "text\n")])
def test_an_import_names_what_it_can_not_compare_with_what_is_there(
    run: Run, filled: MemoryStore, tmp_path: Path, *, options: list[str], y: str | None
) -> None:
    for name in ("a", "y"):
        (tmp_path / name).write_text("text\n")
    ran = run("import", str(tmp_path), "--json", *options)
    assert (ran.exit_code, ran.json["files"][0]["outcome"]) == (3, "missed")
    assert text_of(filled, MemoryPath(("y",))) == y


@pytest.mark.parametrize("command", ["keys rotate", "archive"])
@pytest.mark.usefixtures("filled")
def test_a_key_ring_of_which_it_is_not_known_is_no_file_to_view(run: Run, faults: FaultLayer, command: str) -> None:
    get = refused(403, "AccessDenied")

    def choose(_: int, operation: str) -> Fault | None:
        if operation == "PutObject":
            faults.follow(lambda _, operation: get if operation == "GetObject" else None)
            return ANSWER_LOST
        return None

    faults.follow(choose)
    ran = run(*command.split())
    assert ran.exit_code == 3
    assert "s3memory keys show" in ran.err
    assert "View the file" not in ran.err
