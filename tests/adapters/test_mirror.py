"""A memory as a folder: what is stored, what stays, and that nothing is lost whatever happens on either side."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import TENANT, MakeStore
from mcp_servers import environment_of
from support.cli_runs import Run
from support.dumping import is_dumpable
from support.faults import FaultLayer, Killed, other_writer_first, refused
from support.recorder import Recorder
from support.stored import key_of, retire, rotate, texts_of
from support.unique import unique

from s3memory import Limits, LocalKeyWrapper, MemoryCommands, MemoryStore, MirroredFolder
from s3memory.adapters.mirror.plain_folder import STATE_NAME, Left
from s3memory.adapters.mirror.syncing import SyncReport
from s3memory.admin.erasure.erasing import erase
from s3memory.admin.keys.resealing import reseal
from s3memory.errors import ConfigurationError
from s3memory.keys.key_cache import KeyCache, forget_keys
from s3memory.limits import MAX_PATH_SEGMENTS
from s3memory.paths import MemoryPath
from s3memory.redaction import Redaction
from s3memory.store import tree
from s3memory.testing import MotoServer

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

SECRET = "AKIA" + "Z7QX3LMP5TBV2KNW"
TEMPORARY = f"{STATE_NAME}-0123456789abcdef"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def mirror(store: MemoryStore, folder: Path) -> MirroredFolder:
    return MirroredFolder(store, folder)


def path(text: str) -> MemoryPath:
    return MemoryPath.parse(f"/memories/{text}")


def local(folder: Path) -> dict[str, str]:
    return {
        str(one.relative_to(folder)): one.read_text("utf-8")
        for one in folder.rglob("*")
        if one.is_file() and not one.name.startswith(STATE_NAME)
    }


def reasons(report: SyncReport) -> dict[str, str]:
    return dict(report.left)


def change(store: MemoryStore, name: str, text: str) -> None:
    store.edit(path(name), lambda _: text)


class FailingAgain:
    """A redactor that lets a text pass once, and then fails for it, as a service may."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._n_asked = 0

    def redact(self, text: str) -> Redaction:
        self._n_asked += text == self._text
        if self._n_asked > 1 and text == self._text:
            raise OSError("no answer")
        return Redaction(text)


def after_the_scan(mirror: MirroredFolder, monkeypatch: pytest.MonkeyPatch, save: Callable[[], object]) -> None:
    """Have something happen to the folder as soon as the mirror has read it."""
    files = mirror._folder.files

    def read(left: Left) -> dict[MemoryPath, bytes]:
        found = files(left)
        save()
        return found

    monkeypatch.setattr(mirror._folder, "files", read)


def at_the_last_moment(
    *calls: str,
) -> Callable[[MirroredFolder, pytest.MonkeyPatch, Path], object]:
    """Have an editor save a file just before the first of these calls that names it."""

    def patch(_: MirroredFolder, monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
        rename, waiting = os.rename, [place]

        def then(call: Callable[..., Any]) -> Callable[..., Any]:
            def called(*given: Any, **named: Any) -> Any:
                if waiting and place.name in given:
                    waiting.clear()
                    (place.parent / "new").write_text("saved")
                    rename(place.parent / "new", place)
                return call(*given, **named)

            return called

        for call in calls:
            monkeypatch.setattr(os, call, then(getattr(os, call)))

    return patch


def after_it_was_read(mirror: MirroredFolder, monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    after_the_scan(mirror, monkeypatch, lambda: place.write_text("saved"))


def as_soon_as(monkeypatch: pytest.MonkeyPatch, call: str, name: object, then: Callable[[], object]) -> None:
    """Have something happen just before this call of the system is made for something of this name."""
    waiting, calling = [name], getattr(os, call)

    def called(*given: Any, **named: Any) -> Any:
        if waiting and name in given:
            waiting.clear()
            then()
        return calling(*given, **named)

    monkeypatch.setattr(os, call, called)


def failing(monkeypatch: pytest.MonkeyPatch, call: str, name: object) -> None:
    """Have this call of the system fail for everything of this name."""
    calling = getattr(os, call)

    def called(*given: Any, **named: Any) -> Any:
        if name in given:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        return calling(*given, **named)

    monkeypatch.setattr(os, call, called)


@contextmanager
def files_of_at_most(size_bytes: int) -> Iterator[None]:
    """Have a write of more than that end short, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def killed_after(n_files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the process end once so many files have been written to the folder."""
    link = os.link
    written: list[str] = []

    def linked(old: str, new: str, **named: Any) -> None:
        if len(written) == n_files and old.startswith(STATE_NAME):
            raise Killed
        link(old, new, **named)
        written.append(new)

    monkeypatch.setattr(os, "link", linked)


class TestPullAndPush:
    def test_what_is_stored_lies_at_the_folders_root_for_its_owner_alone(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("MEMORY.md"), "index\r\n\u2028")
        store.create(path("d/e/a.md"), "")
        assert sorted(mirror.pull().pulled) == ["/memories/MEMORY.md", "/memories/d/e/a.md"]
        assert (folder / "MEMORY.md").read_bytes() == "index\r\n\u2028".encode()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "MEMORY.md").stat().st_mode) == 0o600
        assert stat.S_IMODE((folder / "d").stat().st_mode) == 0o700

    def test_what_was_made_changed_and_deleted_is_stored(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        for name in ("a.md", "b.md", "c.md"):
            store.create(path(name), name)
        mirror.pull()
        (folder / "a.md").write_text("changed")
        (folder / "b.md").unlink()
        (folder / "d").mkdir()
        (folder / "d" / "new.md").write_text("new")
        report = mirror.push()
        assert report.is_complete
        assert sorted(report.stored) == ["/memories/a.md", "/memories/d/new.md"]
        assert report.deleted == ["/memories/b.md"]
        assert texts_of(store) == {"a.md": "changed", "c.md": "c.md", "d/new.md": "new"}
        assert mirror.push() == SyncReport(), "nothing is left to do"

    def test_a_pull_brings_what_others_changed_and_removes_what_they_deleted(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "1")
        store.create(path("b.md"), "1")
        mirror.pull()
        change(store, "a.md", "2")
        store.delete(path("b.md"), etag=store.files.info(path("b.md")).etag)  # type: ignore[union-attr]  # it is there
        mirror.pull()
        assert local(folder) == {"a.md": "2"}

    def test_a_folder_stays_the_same_one_when_the_program_goes_to_another_directory(
        self, store: MemoryStore, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.create(path("a.md"), "1")
        monkeypatch.chdir(folder.parent)
        mirror = MirroredFolder(store, folder.name, push_wiped=True)
        mirror.pull()
        (folder / "b.md").write_text("2")
        (folder.parent / "elsewhere").mkdir()
        monkeypatch.chdir(folder.parent / "elsewhere")
        assert mirror.push().stored == ["/memories/b.md"]
        assert texts_of(store) == local(folder) == {"a.md": "1", "b.md": "2"}

    def test_a_folder_in_a_working_directory_that_is_gone_is_refused(
        self, store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "gone").mkdir()
        monkeypatch.chdir(tmp_path / "gone")
        (tmp_path / "gone").rmdir()
        with pytest.raises(ConfigurationError, match="can't be created"):
            MirroredFolder(store, "memory").pull()

    def test_commands_in_place_of_their_store_are_refused(self, commands: MemoryCommands, folder: Path) -> None:
        store: Any = commands
        with pytest.raises(ConfigurationError, match="takes a MemoryStore"):
            MirroredFolder(store, folder)

    def test_each_is_one_audit_event(self, make_store: MakeStore, folder: Path) -> None:
        recorder = Recorder()
        mirror = MirroredFolder(make_store(auditor=recorder), folder)
        mirror.pull()
        (folder / "a.md").write_text(f"key {SECRET}\n")
        mirror.push()
        assert recorder.operations() == ["pull", "push"]
        assert sum(recorder.last.redactions.values()) == 1


class TestDirectoriesAndFiles:
    def test_a_directory_that_became_a_file_in_the_store_becomes_one_in_the_folder(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        for name in ("a/b/c.md", "a/d.md", "z.md"):
            store.create(path(name), "x")
        mirror.pull()
        for name in ("a/b/c.md", "a/d.md"):
            store.delete(path(name), etag=store.files.info(path(name)).etag)  # type: ignore[union-attr]  # it is there
        store.create(path("a"), "now a file")
        assert mirror.pull().is_complete
        assert local(folder) == {"a": "now a file", "z.md": "x"}
        assert mirror.push() == SyncReport(), "nothing is left to do"

    def test_a_file_that_became_a_directory_in_the_store_becomes_one_in_the_folder(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a"), "a file")
        store.create(path("d/e/f.md"), "x")
        store.create(path("z.md"), "x")
        mirror.pull()
        for name in ("a", "d/e/f.md"):
            store.delete(path(name), etag=store.files.info(path(name)).etag)  # type: ignore[union-attr]  # it is there
        store.create(path("a/b.md"), "below")
        assert mirror.pull().is_complete
        store.create(path("d/e/g.md"), "in a directory that was removed")
        assert mirror.pull().is_complete
        assert local(folder) == {"a/b.md": "below", "d/e/g.md": "in a directory that was removed", "z.md": "x"}

    @pytest.mark.parametrize("inside", [[], ["new.md"]], ids=["empty", "with a file"])
    def test_a_directory_of_the_folder_is_named_where_it_is_in_the_way(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, inside: list[str]
    ) -> None:
        mirror.pull()
        (folder / "a").mkdir()
        for name in inside:
            (folder / "a" / name).write_text("x")
        store.create(path("a"), "a file")
        assert reasons(mirror.pull()) == {
            "/memories/a": "it was not changed in the folder: a directory has its name there"
        }
        for name in inside:
            (folder / "a" / name).unlink()
        (folder / "a").rmdir()
        assert mirror.pull().is_complete

    def test_a_directory_that_became_a_file_in_the_folder_becomes_one_in_the_store(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        for name in ("a/b/c.md", "a/d.md", "z.md"):
            store.create(path(name), "x")
        mirror.pull()
        shutil.rmtree(folder / "a")
        (folder / "a").write_text("now a file")
        assert mirror.push().is_complete
        assert texts_of(store) == {"a": "now a file", "z.md": "x"}

    def test_what_another_one_changed_below_keeps_its_place_and_the_file_is_left(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        for name in ("a/b.md", "a/c.md", "z.md"):
            store.create(path(name), "x")
        mirror.pull()
        shutil.rmtree(folder / "a")
        (folder / "a").write_text("now a file")
        change(store, "a/b.md", "changed")
        assert set(reasons(mirror.push())) == {"/memories/a", "/memories/a/b.md"}
        assert texts_of(store) == {"a/b.md": "changed", "z.md": "x"}
        assert local(folder) == {"a": "now a file", "z.md": "x"}


class TestConflicts:
    def test_the_store_wins_and_the_loser_stays_beside_it_in_both_places(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "1")
        mirror.pull()
        change(store, "a.md", "theirs")
        (folder / "a.md").write_text("ours")
        report = mirror.push()
        ((lost, beside),) = report.conflicts
        assert report.is_complete
        assert lost == "/memories/a.md"
        name = beside.removeprefix("/memories/")
        assert name.startswith("a.conflict-")
        assert name.endswith(".md")
        assert hashlib.sha256(b"ours").hexdigest()[:8] not in name, "a hash of a text shows which guess at it is right"
        assert texts_of(store) == {"a.md": "theirs", name: "ours"} == local(folder)

    def test_a_file_that_both_made_or_the_other_deleted_is_a_conflict_as_well(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("gone.md"), "1")
        mirror.pull()
        store.delete(path("gone.md"), etag=store.files.info(path("gone.md")).etag)  # type: ignore[union-attr]  # it is there
        store.create(path("new.md"), "theirs")
        (folder / "new.md").write_text("ours")
        (folder / "gone.md").write_text("still wanted")
        report = mirror.push()
        assert [lost for lost, _ in report.conflicts] == ["/memories/gone.md", "/memories/new.md"]
        assert sorted(texts_of(store).values()) == ["ours", "still wanted", "theirs"]
        assert texts_of(store) == local(folder)

    @pytest.mark.parametrize("name", ["n" * 252 + ".md", "a." + "\u00e9" * 126])
    def test_a_name_that_has_no_room_for_more_is_cut_for_the_losers(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, name: str
    ) -> None:
        store.create(path(name), "1")
        mirror.pull()
        change(store, name, "theirs")
        (folder / name).write_text("ours")
        report = mirror.push()
        assert (len(report.conflicts), report.left) == (1, [])
        assert sorted(texts_of(store).values()) == ["ours", "theirs"]
        assert texts_of(store) == local(folder)

    def test_both_having_done_the_same_is_none(self, store: MemoryStore, mirror: MirroredFolder, folder: Path) -> None:
        store.create(path("a.md"), "1")
        mirror.pull()
        for name in ("a.md", "b.md"):
            (folder / name).write_text("2")
        change(store, "a.md", "2")
        store.create(path("b.md"), "2")
        report = mirror.push()
        assert (report.conflicts, report.left) == ([], [])
        assert texts_of(store) == {"a.md": "2", "b.md": "2"}

    def test_a_deletion_of_what_another_one_changed_brings_it_back(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "1")
        store.create(path("b.md"), "1")
        mirror.pull()
        (folder / "a.md").unlink()
        change(store, "a.md", "2")
        mirror.push()
        assert texts_of(store) == {"a.md": "2", "b.md": "1"} == local(folder)

    def test_what_was_in_the_folder_before_is_not_lost(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        for name in ("a.md", "large.md", "link.md"):
            store.create(path(name), "stored")
        folder.mkdir()
        (folder / "a.md").write_text("was here")
        (folder / "b.md").write_text("was here too")
        (folder / "large.md").write_text("x" * 102_401)
        (folder / "link.md").symlink_to("a.md")
        pulled = mirror.pull()
        assert len(pulled.conflicts) == 1
        assert set(reasons(pulled)) == {"/memories/large.md", "/memories/link.md"}
        assert len((folder / "large.md").read_text()) == 102_401
        assert (folder / "link.md").is_symlink()
        mirror.push()
        for name in ("large.md", "link.md"):
            store.delete(path(name), etag=store.files.info(path(name)).etag)  # type: ignore[union-attr]  # it is there
        assert sorted(texts_of(store).values()) == ["stored", "was here", "was here too"]
        mirror.remove()
        assert folder.exists(), "it was not made by the mirror"


class TestTextsThatWereStoredAgain:
    """A text under another ETag is the same text: three-way by content."""

    @pytest.fixture
    def resealed(self, store: MemoryStore, mirror: MirroredFolder, folder: Path) -> MirroredFolder:
        for name in ("edited.md", "gone.md", "same.md"):
            store.create(path(name), name)
        mirror.pull()
        (folder / "edited.md").write_text("edited")
        (folder / "gone.md").unlink()
        rotate(store)
        assert reseal(store).is_complete
        return mirror

    @pytest.mark.parametrize("is_pulled_first", [False, True])
    def test_what_was_resealed_meanwhile_is_changed_and_deleted_as_if_it_had_not_been(
        self, store: MemoryStore, resealed: MirroredFolder, folder: Path, *, is_pulled_first: bool
    ) -> None:
        if is_pulled_first:
            assert resealed.pull() == SyncReport(unstored=["/memories/edited.md"])
        report = resealed.push()
        assert report == SyncReport(stored=["/memories/edited.md"], deleted=["/memories/gone.md"])
        assert texts_of(store) == {"edited.md": "edited", "same.md": "same.md"} == local(folder)

    def test_what_is_stored_again_at_every_try_is_left_and_keeps_nothing_else_from_being_pushed(
        self, make_store: MakeStore, folder: Path, s3: S3Client
    ) -> None:
        store = make_store(limits=Limits(max_tries=2))
        mirror = MirroredFolder(store, folder)
        store.create(path("a.md"), "1")
        mirror.pull()
        (folder / "a.md").write_text("2")
        (folder / "b.md").write_text("x")
        with FaultLayer(s3) as faults:
            faults.hit("PutObject", refused(412, "PreconditionFailed"), times=2)
            report = mirror.push()
        assert set(reasons(report)) == {"/memories/a.md"}
        assert report.stored == ["/memories/b.md"]
        assert local(folder) == {"a.md": "2", "b.md": "x"}


class TestWhatIsSavedMeanwhile:
    @pytest.mark.parametrize("pushed", ["mine 1", "theirs"])
    def test_what_is_saved_while_a_conflict_is_pushed_stays_and_is_the_next_pushs_business(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, s3: S3Client, pushed: str
    ) -> None:
        store.create(path("a.md"), "1")
        mirror.pull()
        change(store, "a.md", "theirs")
        (folder / "a.md").write_text(pushed)
        with FaultLayer(s3) as faults:
            faults.hit("PutObject", other_writer_first(lambda: (folder / "a.md").write_text("mine 2")))
            report = mirror.push()
        assert reasons(report) == {"/memories/a.md": "it was not changed in the folder: it was changed meanwhile"}
        assert (report.conflicts, report.pulled) == ([], [])
        assert local(folder) == {"a.md": "mine 2"}
        ((_, beside),) = mirror.push().conflicts
        assert texts_of(store) == {"a.md": "theirs", beside.removeprefix("/memories/"): "mine 2"} == local(folder)

    def test_what_is_saved_while_its_deletion_is_pushed_is_not_written_over(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, s3: S3Client
    ) -> None:
        store.create(path("a.md"), "1")
        store.create(path("b.md"), "1")
        mirror.pull()
        change(store, "a.md", "theirs")
        (folder / "a.md").unlink()
        with FaultLayer(s3) as faults:
            faults.hit("DeleteObject", other_writer_first(lambda: (folder / "a.md").write_text("mine")))
            report = mirror.push()
        assert set(reasons(report)) == {"/memories/a.md"}
        assert local(folder) == {"a.md": "mine", "b.md": "1"}
        assert len(mirror.push().conflicts) == 1
        assert sorted(texts_of(store).values()) == ["1", "mine", "theirs"]

    def test_what_is_saved_while_its_redacted_text_is_stored_is_out_of_sync_and_no_conflict(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, s3: S3Client
    ) -> None:
        mirror.pull()
        (folder / "a.md").write_text(f"key {SECRET}\n")
        with FaultLayer(s3) as faults:
            faults.hit("PutObject", other_writer_first(lambda: (folder / "a.md").write_text("newer")), nth=2)
            report = mirror.push()
        assert set(reasons(report)) == {"/memories/a.md"}
        assert report.redacted == [], "the folder does not have the redacted text"
        assert mirror.push().conflicts == []
        assert texts_of(store) == {"a.md": "newer"}

    @pytest.mark.parametrize("name", ["a.md", "d/new.md", "binary"])
    def test_a_folder_in_which_something_was_saved_while_it_was_pushed_is_not_removed_before_that_is_stored(
        self, mirror: MirroredFolder, folder: Path, s3: S3Client, name: str
    ) -> None:
        mirror.pull()
        (folder / "d").mkdir()
        (folder / "a.md").write_text("1")
        with FaultLayer(s3) as faults:
            faults.hit("PutObject", other_writer_first(lambda: (folder / name).write_bytes(b"saved\xff")), nth=2)
            assert mirror.push().is_complete
        assert [one for one, _ in mirror.remove().left] == [f"/memories/{name}"]
        assert (folder / name).read_bytes() == b"saved\xff"
        (folder / name).write_text("2")
        assert mirror.push().stored == [f"/memories/{name}"]
        assert mirror.remove().is_complete
        assert not folder.exists()

    @pytest.mark.parametrize(
        ("name", "save"),
        [
            *(
                (name, save)
                for name in ("changed.md", "conflict.md", "deleted.md", "gone.md", "new.md")
                for save in (after_it_was_read, at_the_last_moment("rename", "replace", "unlink", "link"))
            ),
            *((name, at_the_last_moment("link")) for name in ("changed.md", "conflict.md")),
        ],
    )
    def test_what_is_saved_while_it_is_pulled_stays_and_is_the_next_pushs_business(
        self,
        store: MemoryStore,
        mirror: MirroredFolder,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        name: str,
        *,
        save: Callable[[MirroredFolder, pytest.MonkeyPatch, Path], object],
    ) -> None:
        for one in ("changed.md", "conflict.md", "deleted.md", "gone.md"):
            store.create(path(one), "1")
        mirror.pull()
        for one in ("changed.md", "conflict.md", "gone.md"):
            change(store, one, "theirs")
        store.delete(path("deleted.md"))
        store.create(path("new.md"), "theirs")
        (folder / "conflict.md").write_text("mine")
        (folder / "gone.md").unlink()
        with monkeypatch.context() as patch:
            save(mirror, patch, folder / name)
            report = mirror.pull()
        assert set(reasons(report)) == {f"/memories/{name}"}
        assert (folder / name).read_text() == "saved"
        assert [one for one, _ in mirror.push().conflicts] == [f"/memories/{name}"]
        assert "saved" in texts_of(store).values()
        assert texts_of(store) == local(folder)

    def test_a_link_or_a_directory_that_takes_a_files_place_at_the_last_moment_stays_as_it_is(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("link.md", "d.md"):
            store.create(path(name), "1")
        mirror.pull()
        for name in ("link.md", "d.md"):
            change(store, name, "2")
        rename = os.rename

        def renamed(old: str, new: str, **named: Any) -> None:
            place = folder / old
            if place.is_file() and not place.is_symlink():
                place.unlink()
                place.symlink_to(tmp_path) if old == "link.md" else place.mkdir()
            rename(old, new, **named)

        with monkeypatch.context() as patch:
            patch.setattr(os, "rename", renamed)
            report = mirror.pull()
        assert set(reasons(report)) == {"/memories/link.md", "/memories/d.md"}
        assert (folder / "link.md").readlink() == tmp_path
        assert (folder / "d.md").is_dir()

    def test_a_file_system_without_hard_links_is_as_good(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: Any, **__: Any) -> None:
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "link", refuse)
        for name in ("changed.md", "conflict.md"):
            store.create(path(name), "1")
        mirror.pull()
        for name in ("changed.md", "conflict.md"):
            change(store, name, "2")
        (folder / "conflict.md").write_text("mine")
        assert mirror.pull().is_complete
        assert mirror.push().is_complete
        assert len(local(folder)) == 3
        assert local(folder) == texts_of(store)
        change(store, "changed.md", "3")
        with monkeypatch.context() as patch:
            at_the_last_moment("rename")(mirror, patch, folder / "changed.md")
            assert set(reasons(mirror.pull())) == {"/memories/changed.md"}
        assert (folder / "changed.md").read_text() == "saved"

    def test_a_conflicts_file_that_was_changed_is_not_written_over_by_the_same_conflict(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "1")
        mirror.pull()
        change(store, "a.md", "theirs 1")
        (folder / "a.md").write_text("mine")
        ((_, beside),) = mirror.push().conflicts
        (folder / beside.removeprefix("/memories/")).write_text("merged")
        change(store, "a.md", "theirs 2")
        (folder / "a.md").write_text("mine")
        ((_, again),) = mirror.push().conflicts
        merged, mine = (name.removeprefix("/memories/") for name in (beside, again))
        assert local(folder) == {"a.md": "theirs 2", merged: "merged", mine: "mine"} == texts_of(store)


class TestNames:
    @pytest.fixture
    def case_insensitive(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have the system find what is in an open directory whatever the case of its letters, as on macOS."""

        def found(name: str, folder: int) -> str:
            return next((one for one in os.listdir(folder) if one.casefold() == name.casefold()), name)

        def folding(call: Callable[..., Any]) -> Callable[..., Any]:
            def folded(name: Any, *given: Any, dir_fd: int | None = None, **named: Any) -> Any:
                entry = name if dir_fd is None else found(name, dir_fd)
                return call(entry, *given, dir_fd=dir_fd, **named)

            return folded

        for call in ("mkdir", "open", "stat", "unlink"):
            monkeypatch.setattr(os, call, folding(getattr(os, call)))

        def folding_both(call: Callable[..., Any]) -> Callable[..., Any]:
            def folded(old: Any, new: Any, **named: Any) -> None:
                if named:
                    old, new = found(old, named["src_dir_fd"]), found(new, named["dst_dir_fd"])
                call(old, new, **named)

            return folded

        for call in ("link", "rename", "replace"):
            monkeypatch.setattr(os, call, folding_both(getattr(os, call)))

    @pytest.mark.parametrize("name", [STATE_NAME, f"{STATE_NAME}-lock", f"d/{TEMPORARY}", f"d/{TEMPORARY}/b.md"])
    def test_a_stored_file_with_a_name_of_the_mirrors_own_is_neither_pulled_nor_deleted(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, name: str
    ) -> None:
        store.create(path(name), "x")
        store.create(path("a.md"), "x")
        assert "reserved for the mirror" in reasons(mirror.pull())[f"/memories/{name}"]
        assert local(folder) == {"a.md": "x"}
        assert mirror.push() == SyncReport()
        assert set(texts_of(store)) == {name, "a.md"}

    @pytest.mark.parametrize(
        "name", [f"{STATE_NAME}-notes.md", f"d/{STATE_NAME}", f"d/{STATE_NAME}-lock", f"{TEMPORARY}.md"]
    )
    def test_a_file_whose_name_is_only_like_those_of_the_mirror_is_a_file_as_any_other(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, tmp_path: Path, name: str
    ) -> None:
        mirror.pull()
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("precious")
        assert mirror.push().stored == [f"/memories/{name}"]
        assert MirroredFolder(store, tmp_path / "other").pull().pulled == [f"/memories/{name}"]
        assert (tmp_path / "other" / name).read_text() == "precious"

    @pytest.mark.parametrize("name", [STATE_NAME, f"{STATE_NAME}-lock"])
    def test_what_is_in_a_directory_of_such_a_name_is_stored_or_stays_with_the_folder(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, name: str
    ) -> None:
        with mirror:
            mirror.pull()
            (folder / name).unlink()
            (folder / name).mkdir()
            (folder / name / "a.md").write_text("precious")
            assert mirror.push().stored == [f"/memories/{name}/a.md"]
        assert texts_of(store) == {f"{name}/a.md": "precious"}

    @pytest.mark.usefixtures("case_insensitive")
    @pytest.mark.parametrize("text", ["one", "other"])
    @pytest.mark.parametrize(
        ("one", "other"), [("Notes.md", "notes.md"), ("Notes/a.md", "notes/a.md"), ("Notes/a.md", "notes/b.md")]
    )
    def test_of_names_that_differ_in_case_alone_the_first_is_mirrored_where_both_are_one_entry(
        self, store: MemoryStore, folder: Path, one: str, other: str, text: str
    ) -> None:
        store.create(path(one), "one")
        store.create(path(other), text)
        for mirror in (MirroredFolder(store, folder), MirroredFolder(store, folder)):
            told = reasons(mirror.pull())
            assert set(told) == {f"/memories/{other}"}
            assert "differs only in case" in told[f"/memories/{other}"]
            assert local(folder) == {one: "one"}
            assert mirror.push() == SyncReport()
            assert texts_of(store) == {one: "one", other: text}
        (folder / one).write_text("changed")
        assert MirroredFolder(store, folder).push().stored == [f"/memories/{one}"]
        assert texts_of(store) == {one: "changed", other: text}

    @pytest.mark.usefixtures("case_insensitive")
    def test_a_name_that_differs_in_case_alone_from_a_new_file_of_the_folder_is_left(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        mirror.pull()
        (folder / "notes.md").write_text("mine")
        store.create(path("Notes.md"), "theirs")
        assert set(reasons(mirror.pull())) == {"/memories/Notes.md"}
        mirror.push()
        assert local(folder) == {"notes.md": "mine"}
        assert texts_of(store) == {"Notes.md": "theirs", "notes.md": "mine"}

    @pytest.mark.usefixtures("case_insensitive")
    def test_a_file_that_was_renamed_in_case_alone_is_renamed_in_the_store(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        for name in ("Notes.md", "d/a.md", "d/b.md"):
            store.create(path(name), "x")
        assert mirror.pull().is_complete, "a directory that a mirror made holds more than one file"
        (folder / "Notes.md").rename(folder / "notes.md")
        assert mirror.push().is_complete
        assert set(texts_of(store)) == {"notes.md", "d/a.md", "d/b.md"}

    def test_a_file_whose_name_the_file_system_decomposed_is_left_and_not_deleted(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        for name in ("caf\u00e9.md", "\u00e9/a.md", "b.md"):
            store.create(path(name), "x")
        mirror.pull()
        (folder / "caf\u00e9.md").rename(folder / "cafe\u0301.md")
        (folder / "\u00e9").rename(folder / "e\u0301")
        report = mirror.push()
        assert set(reasons(report)) == {"/memories/cafe\u0301.md", "/memories/e\u0301"}
        assert set(texts_of(store)) == {"caf\u00e9.md", "\u00e9/a.md", "b.md"}


class TestWhatIsNotPushed:
    @pytest.mark.parametrize("with_the_folder", [False, True])
    def test_a_wiped_folder_is_no_deletion_of_everything_unless_asked(
        self, store: MemoryStore, folder: Path, *, with_the_folder: bool
    ) -> None:
        for name in ("a.md", "d/b.md"):
            store.create(path(name), "x")
        with MirroredFolder(store, folder) as mirror:
            mirror.pull()
            (folder / "a.md").unlink()
            (folder / "d" / "b.md").unlink()
            if with_the_folder:
                shutil.rmtree(folder)
            report = mirror.push()
            assert set(reasons(report)) == {"/memories/a.md", "/memories/d/b.md"}
            assert len(texts_of(store)) == 2
            mirror.push_wiped = True
            assert len(mirror.push().deleted) == 2
        assert texts_of(store) == {}

    @pytest.mark.parametrize("is_pushed", [False, True])
    @pytest.mark.parametrize("comes", ["in the folder", "with the pull"])
    def test_what_a_wiped_folder_lost_comes_back_with_the_next_pull_whatever_else_is_in_it_by_then(
        self, store: MemoryStore, folder: Path, comes: str, *, is_pushed: bool
    ) -> None:
        for name in ("a.md", "d/b.md", "gone.md"):
            store.create(path(name), name)
        mirror = MirroredFolder(store, folder)
        mirror.pull()
        for name in ("a.md", "d/b.md", "gone.md"):
            (folder / name).unlink()
        if comes == "in the folder":
            (folder / "new.md").write_text("new")
        if is_pushed:
            assert mirror.push().deleted == []
            (folder / "new.md").write_text("new")
            assert mirror.push().deleted == [], "it is not forgotten after one push"
        if comes == "with the pull":
            store.create(path("other.md"), "from elsewhere")
        store.delete(path("gone.md"))
        again = MirroredFolder(store, folder)
        assert {"/memories/a.md", "/memories/d/b.md"} <= set(again.pull().pulled)
        report = again.push()
        assert (report.deleted, report.left) == ([], [])
        assert {"a.md", "d/b.md"} < set(local(folder))
        assert local(folder) == texts_of(store)
        (folder / "a.md").unlink()
        assert again.push().deleted == ["/memories/a.md"], "it can be deleted as any other"

    def test_a_file_that_a_wiped_folder_lost_and_has_again_is_pushed_as_any_other(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        for name in ("a.md", "b.md", "c.md"):
            store.create(path(name), name)
        mirror.pull()
        for name in ("a.md", "b.md", "c.md"):
            (folder / name).unlink()
        mirror.push()
        (folder / "a.md").write_text("a.md")
        (folder / "b.md").write_text("changed")
        report = mirror.push()
        assert (report.stored, report.conflicts) == (["/memories/b.md"], [])
        assert set(reasons(report)) == {"/memories/c.md"}
        assert texts_of(store) == {"a.md": "a.md", "b.md": "changed", "c.md": "c.md"}

    def test_a_wiped_folder_can_be_pushed_as_such_by_a_later_run_too(self, store: MemoryStore, folder: Path) -> None:
        for name in ("a.md", "b.md"):
            store.create(path(name), name)
        first = MirroredFolder(store, folder)
        first.pull()
        for name in ("a.md", "b.md"):
            (folder / name).unlink()
        (folder / "new.md").write_text("new")
        first.push()
        again = MirroredFolder(store, folder, push_wiped=True)
        assert again.pull() == SyncReport()
        assert again.push().deleted == ["/memories/a.md", "/memories/b.md"]
        assert texts_of(store) == {"new.md": "new"}

    def test_new_files_in_a_wiped_folder_are_stored_and_nothing_is_deleted(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "x")
        mirror.pull()
        (folder / "a.md").unlink()
        (folder / "b.md").write_text("anew")
        assert set(reasons(mirror.push())) == {"/memories/a.md"}
        assert texts_of(store) == {"a.md": "x", "b.md": "anew"}

    @pytest.mark.parametrize("marker", [".lock", "todo.md", "a.md"])
    def test_an_empty_file_is_no_text_that_a_wiped_folder_kept(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, marker: str
    ) -> None:
        for name, text in (("a.md", "x"), ("b.md", "y"), ("todo.md", "")):
            store.create(path(name), text)
        mirror.pull()
        for name in ("a.md", "b.md", "todo.md"):
            (folder / name).unlink()
        (folder / marker).touch()
        report = mirror.push()
        assert report.deleted == []
        assert "the folder lost every text" in reasons(report)["/memories/b.md"]
        assert texts_of(store)["b.md"] == "y"

    def test_of_files_that_are_all_empty_one_is_deleted_and_not_all(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        for name in ("a.md", "b.md", "c.md"):
            store.create(path(name), "")
        mirror.pull()
        (folder / "a.md").unlink()
        assert mirror.push().deleted == ["/memories/a.md"]
        (folder / "b.md").unlink()
        (folder / "c.md").unlink()
        assert mirror.push().deleted == []

    def test_a_file_that_was_changed_where_it_lies_keeps_the_folder_from_being_wiped(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        for name in ("MEMORY.md", "note.md"):
            store.create(path(name), name)
        mirror.pull()
        (folder / "MEMORY.md").write_text("no notes any more")
        (folder / "note.md").unlink()
        assert mirror.push().deleted == ["/memories/note.md"]

    def test_a_folder_whose_files_all_have_other_names_is_not_wiped(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "1")
        store.create(path("b.md"), "2")
        mirror.pull()
        (folder / "notes").mkdir()
        (folder / "a.md").rename(folder / "notes" / "a.md")
        (folder / "b.md").rename(folder / "notes" / "b.md")
        (folder / "notes" / "b.md").write_text("changed as well")
        assert mirror.push().is_complete
        assert texts_of(store) == {"notes/a.md": "1", "notes/b.md": "changed as well"}

    def test_a_store_that_lost_every_file_is_not_pulled_and_gets_them_again_as_new(
        self, store: MemoryStore, make_store: MakeStore, folder: Path
    ) -> None:
        folder.mkdir()
        for name in ("a.md", "b.md"):
            (folder / name).write_text("the only copy")
        first = MirroredFolder(store, folder)
        first.pull()
        assert first.push().is_complete
        elsewhere = make_store(prefix="elsewhere/")
        elsewhere.create(path("new.md"), "new")
        for _ in range(2):
            with pytest.raises(ConfigurationError, match=f"none of the files .* only {STATE_NAME} in it to store them"):
                MirroredFolder(elsewhere, folder).pull()
        assert sorted(local(folder)) == ["a.md", "b.md"]
        (folder / STATE_NAME).unlink()
        again = MirroredFolder(elsewhere, folder)
        assert again.pull().is_complete
        assert sorted(again.push().stored) == ["/memories/a.md", "/memories/b.md"]

    def test_a_store_whose_files_all_have_other_names_is_pulled(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        for one in ("d/a.md", "d/empty.md"):
            store.create(path(one), "" if "empty" in one else f"of {one}")
        mirror.pull()
        tree.rename(store, path("d"), path("new"))
        assert mirror.pull().is_complete
        assert local(folder) == {"new/a.md": "of d/a.md", "new/empty.md": ""}

    def test_binary_oversized_and_refused_files_are_named_and_left(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        mirror.pull()
        (folder / "bin").write_bytes(b"\xff\xfe\x00")
        (folder / "large.md").write_text("x" * 102_401)
        (folder / "back\\slash.md").write_text("x")
        (folder / f"{SECRET}.md").write_text("x")
        (folder / "cafe\u0301.md").write_text("x")
        (folder / "good.md").write_text("x")
        (folder / os.fsdecode(b"\xff.md")).write_text("x")
        report = mirror.push()
        told = reasons(report)
        assert told["/memories/bin"] == "it is not UTF-8 text"
        assert "larger than 102400 bytes" in told["/memories/large.md"]
        assert "backslash" in told["/memories/back\\slash.md"]
        assert "not a canonical" in told["/memories/cafe\u0301.md"]
        assert len(told) == 6
        assert texts_of(store) == {"good.md": "x"}
        assert (folder / "bin").exists()

    @pytest.mark.parametrize("name", ["directory", f"{SECRET}.md", "back\\slash.md"])
    def test_a_file_that_was_moved_to_where_it_can_not_be_stored_is_not_deleted_in_the_store(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, name: str
    ) -> None:
        for one in ("moved.md", "gone.md", "kept.md"):
            store.create(path(one), f"of {one}")
        mirror.pull()
        store.create(path("directory/a.md"), "theirs")
        (folder / "moved.md").rename(folder / name)
        (folder / "gone.md").unlink()
        for _ in range(2):
            assert "it could not be stored under its new name" in reasons(mirror.push())["/memories/moved.md"]
        assert set(texts_of(store)) == {"directory/a.md", "moved.md", "kept.md"}
        (folder / name).rename(folder / "elsewhere.md")
        assert mirror.push().deleted == ["/memories/moved.md"]
        assert texts_of(store)["elsewhere.md"] == "of moved.md"

    def test_a_file_that_was_moved_is_stored_under_its_new_name_before_it_is_deleted_under_the_old_one(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, faults: FaultLayer
    ) -> None:
        store.create(path("a.md"), "moved")
        mirror.pull()
        (folder / "a.md").rename(folder / "b.md")
        faults.hit("PutObject", refused(403, "AccessDenied"))
        assert set(reasons(mirror.push())) == {"/memories/a.md", "/memories/b.md"}
        assert texts_of(store) == {"a.md": "moved"}
        assert mirror.push().is_complete
        assert texts_of(store) == {"b.md": "moved"}

    @pytest.mark.parametrize("name", ["back\\slash", "cafe\u0301", "/".join("d" * (MAX_PATH_SEGMENTS + 1))])
    def test_a_directory_that_was_moved_to_where_it_can_not_be_stored_is_not_deleted_in_the_store(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, name: str
    ) -> None:
        for one in ("moved/a.md", "moved/below/b.md", "gone.md", "kept.md"):
            store.create(path(one), f"of {one}")
        mirror.pull()
        (folder / "gone.md").unlink()
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "moved").rename(folder / name)
        for _ in range(2):
            told = reasons(mirror.push())
            assert len(told) == 3, "the directory by one name, and what was not deleted"
            assert "it could not be stored under its new name" in told["/memories/moved/a.md"]
        assert set(texts_of(store)) == {"moved/a.md", "moved/below/b.md", "kept.md"}

    @pytest.mark.parametrize("limits", [Limits(max_tenant_files=2), Limits(max_tenant_bytes=8)])
    def test_a_file_that_is_moved_takes_no_more_room(self, make_store: MakeStore, folder: Path, limits: Limits) -> None:
        store = make_store(limits=limits)
        for one in ("a.md", "b.md"):
            store.create(path(one), f"of {one[0]}")
        mirror = MirroredFolder(store, folder)
        mirror.pull()
        (folder / "a.md").rename(folder / "moved.md")
        (folder / "copied.md").write_text("of a")
        assert "The memory is full" in reasons(mirror.push())["/memories/moved.md"]
        assert texts_of(store) == {"copied.md": "of a", "b.md": "of b"}
        (folder / "copied.md").unlink()
        assert mirror.push().is_complete
        assert texts_of(store) == {"moved.md": "of a", "b.md": "of b"}

    def test_one_whose_old_name_has_another_text_by_now_is_new_and_takes_its_room(
        self, make_store: MakeStore, folder: Path
    ) -> None:
        store = make_store(limits=Limits(max_tenant_files=1))
        store.create(path("a.md"), "of a")
        mirror = MirroredFolder(store, folder)
        mirror.pull()
        (folder / "a.md").rename(folder / "moved.md")
        change(store, "a.md", "theirs")
        assert "The memory is full" in reasons(mirror.push())["/memories/moved.md"]
        assert texts_of(store) == {"a.md": "theirs"}

    def test_a_files_history_goes_on_where_it_was_moved(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "moved")
        mirror.pull()
        (folder / "a.md").rename(folder / "b.md")
        etags = (store.files.info(path("a.md")) or pytest.fail("it is stored")).etags
        assert mirror.push().is_complete
        copy = store.files.info(path("b.md"))
        assert copy is not None
        assert copy.is_copy_of(etags)

    def test_what_is_deleted_makes_room_for_what_is_new(self, make_store: MakeStore, folder: Path) -> None:
        store = make_store(limits=Limits(max_tenant_files=2))
        for one in ("kept.md", "z.md"):
            store.create(path(one), f"of {one}")
        mirror = MirroredFolder(store, folder)
        mirror.pull()
        (folder / "z.md").unlink()
        (folder / "a.md").write_text("new")
        assert mirror.push().is_complete
        assert set(texts_of(store)) == {"a.md", "kept.md"}

    def test_a_directory_that_can_have_no_memory_path_is_named_and_keeps_nothing_else_from_being_stored(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        mirror.pull()
        (folder / "d").mkdir()
        (folder / "d" / "new.md").write_text("x")
        (folder / "deep").mkdir()
        for _ in range(sys.getrecursionlimit() + 200):  # from within: no system takes a path of that length
            (folder / "next").mkdir()
            (folder / "deep").rename(folder / "next" / "deep")
            (folder / "next").rename(folder / "deep")
        try:
            report = mirror.push()
        finally:
            while (folder / "deep" / "deep").exists():  # pytest does not remove what is so deep
                (folder / "deep" / "deep").rename(folder / "next")
                (folder / "deep").rmdir()
                (folder / "next").rename(folder / "deep")
        ((named, reason),) = report.left
        assert named == "/memories" + "/deep" * (MAX_PATH_SEGMENTS + 1)
        assert "levels deep" in reason
        assert texts_of(store) == {"d/new.md": "x"}

    def test_links_and_pipes_are_neither_followed_nor_waited_for(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, tmp_path: Path
    ) -> None:
        store.create(path("a.md"), "x")
        store.create(path("d/b.md"), "x")
        mirror.pull()
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "secret.md").write_text("secret")
        (folder / "link.md").symlink_to(outside / "secret.md")
        (folder / "directory").symlink_to(outside)
        (folder / "a.md").unlink()
        (folder / "a.md").symlink_to(outside / "secret.md")
        (folder / "d" / "b.md").unlink()
        (folder / "d").rmdir()
        (folder / "d").symlink_to(outside)
        os.mkfifo(folder / "pipe.md")
        report = mirror.push()
        told = reasons(report)
        assert told["/memories/link.md"] == told["/memories/directory"] == "it is a symbolic link"
        assert told["/memories/pipe.md"] == "it is not a regular file"
        assert texts_of(store) == {"a.md": "x", "d/b.md": "x"}, "a link in place of a file is no deletion of it"

    def test_files_of_a_directory_that_can_not_be_read_are_not_deleted(
        self, store: MemoryStore, mirror: MirroredFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.create(path("a.md"), "x")
        store.create(path("d/b.md"), "x")
        mirror.pull()
        opened = os.open

        def refuse(name: str, *given: int, **named: int) -> int:
            if name == "d":
                raise PermissionError(13, "Permission denied")
            return opened(name, *given, **named)

        with monkeypatch.context() as patch:
            patch.setattr(os, "open", refuse)
            report = mirror.push()
        assert "can't be read: Permission denied" in reasons(report)["/memories"]
        assert report.deleted == []

    def test_a_pull_writes_nothing_through_a_link(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, tmp_path: Path
    ) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        folder.mkdir()
        (folder / "d").symlink_to(outside)
        store.create(path("d/b.md"), "x")
        assert reasons(mirror.pull()) == {"/memories/d": "it is a symbolic link"}
        assert list(outside.iterdir()) == []
        assert mirror.push().deleted == []

    def test_a_folder_that_is_a_link_is_refused(self, store: MemoryStore, folder: Path, tmp_path: Path) -> None:
        folder.symlink_to(tmp_path)
        with pytest.raises(ConfigurationError, match="symbolic link"):
            MirroredFolder(store, folder).pull()

    @pytest.mark.parametrize(
        ("module", "call", "told"), [(os, "open", "can't be opened"), (fcntl, "flock", "can't be locked")]
    )
    def test_a_folder_that_can_not_be_used_is_refused_for_what_keeps_it_from_being(  # noqa: PLR0917 - two are fixtures
        self, store: MemoryStore, folder: Path, monkeypatch: pytest.MonkeyPatch, module: Any, call: str, told: str
    ) -> None:
        """Such as one that others may not enter, or on a network's file system without locks."""
        folder.mkdir()

        def refuse(*_: object, **__: object) -> int:
            raise OSError(errno.ENOTSUP, "Not supported")

        monkeypatch.setattr(module, call, refuse)
        with pytest.raises(ConfigurationError, match=f"the folder {told}: Not supported"):
            MirroredFolder(store, folder).pull()

    @pytest.mark.parametrize("directory", ["", ".", "..", "/", "~", "~/..", "../link"])
    def test_a_folder_that_is_or_contains_the_home_or_the_working_directory_is_refused_untouched(
        self, store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, directory: str
    ) -> None:
        (tmp_path / "home" / "of" / "me").mkdir(parents=True)
        (tmp_path / "project").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "project")
        monkeypatch.setenv("HOME", str(tmp_path / "home" / "of" / "me"))
        monkeypatch.chdir(tmp_path / "project")
        refused_folder = Path(directory).expanduser()
        with pytest.raises(ConfigurationError, match="must not be, or contain, your home or the working directory"):
            MirroredFolder(store, refused_folder).pull()
        assert not (refused_folder / STATE_NAME).exists()

    def test_a_folder_in_the_home_or_the_working_directory_is_taken(
        self, store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.chdir(tmp_path)
        assert MirroredFolder(store, "memory").pull().is_complete

    def test_a_read_only_memory_is_pulled_and_changes_are_left(
        self, store: MemoryStore, make_store: MakeStore, folder: Path
    ) -> None:
        store.create(path("a.md"), "x")
        store.create(path("b.md"), "x")
        mirror = MirroredFolder(make_store(read_only=True), folder)
        mirror.pull()
        (folder / "a.md").write_text("y")
        (folder / "new.md").write_text("y")
        (folder / "b.md").unlink()
        assert set(reasons(mirror.push())) == {"/memories/a.md", "/memories/b.md", "/memories/new.md"}
        assert texts_of(store) == {"a.md": "x", "b.md": "x"}

    def test_after_an_outage_everything_that_is_not_stored_is_named_and_the_next_push_stores_it(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, s3: S3Client
    ) -> None:
        mirror.pull()
        for name in ("a.md", "b.md", "c.md"):
            (folder / name).write_text("x")
        with FaultLayer(s3) as faults:
            faults.hit("PutObject", refused(403, "AccessDenied"), nth=3)
            report = mirror.push()
        assert set(reasons(report)) == {"/memories/b.md", "/memories/c.md"}
        assert mirror.push().is_complete
        assert set(texts_of(store)) == {"a.md", "b.md", "c.md"}

    def test_what_is_stored_and_does_not_open_is_named_and_left_alone(
        self, store: MemoryStore, mirror: MirroredFolder, s3: S3Client, bucket: str
    ) -> None:
        store.create(path("a.md"), "x")
        bad = f"memories/{TENANT}/bad.md"
        s3.put_object(Bucket=bucket, Key=bad, Body=b"S3M1" + b"\0" * 100)
        assert "/memories/bad.md" in reasons(mirror.pull())
        assert mirror.push().deleted == []
        assert s3.head_object(Bucket=bucket, Key=bad)

    def test_a_deletion_of_what_does_not_open_any_more_is_left_and_keeps_nothing_else_from_being_pushed(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, s3: S3Client, bucket: str
    ) -> None:
        for name in ("a.md", "b.md"):
            store.create(path(name), "x")
        mirror.pull()
        s3.put_object(Bucket=bucket, Key=key_of(store, "a.md"), Body=b"S3M1" + b"\0" * 100)
        (folder / "a.md").unlink()
        (folder / "new.md").write_text("x")
        report = mirror.push()
        assert set(reasons(report)) == {"/memories/a.md"}
        assert report.stored == ["/memories/new.md"]
        assert s3.head_object(Bucket=bucket, Key=key_of(store, "a.md"))


class TestRemoval:
    """The folder goes with nothing that is not stored, and what stays is named."""

    @pytest.fixture
    def pushed(self, mirror: MirroredFolder, folder: Path) -> MirroredFolder:
        mirror.pull()
        (folder / "d" / "e").mkdir(parents=True)
        for name in ("a.md", "d/b.md", "d/e/c.md"):
            (folder / name).write_text(name)
        assert mirror.push().is_complete
        return mirror

    def stored(self, *, without: str = "", **more: str) -> dict[str, str]:
        return {name: name for name in ("a.md", "d/b.md", "d/e/c.md") if name != without} | more

    @pytest.mark.parametrize(
        ("call", "name", "saved"),
        [
            *(("rename", "a.md", one) for one in ("a.md", "d/b.md", "new.md", "d/new.md")),
            ("rmdir", "e", "d/e/new.md"),
            ("unlink", STATE_NAME, "new.md"),
            ("unlink", f"{STATE_NAME}-lock", "new.md"),
            ("rmdir", "the folder", "new.md"),
        ],
    )
    def test_what_is_saved_while_the_folder_is_removed_stays_and_is_the_next_pushs_business(
        self,
        store: MemoryStore,
        pushed: MirroredFolder,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        *,
        call: str,
        name: str,
        saved: str,
    ) -> None:
        with monkeypatch.context() as patch:
            named = folder if name == "the folder" else name
            as_soon_as(patch, call, named, lambda: (folder / saved).write_text("saved"))
            report = pushed.remove()
        assert reasons(report) == {f"/memories/{saved}": "it was saved after the folder was read"}
        assert (folder / saved).read_text() == "saved"
        assert texts_of(store) == self.stored()
        again = MirroredFolder(store, folder)
        again.pull()
        assert again.push().deleted == []
        assert "saved" in texts_of(store).values()
        assert set(self.stored()) <= set(texts_of(store)), "what was removed was not deleted"
        assert again.remove().is_complete
        assert not folder.exists(), "it is still known whose folder it is"

    @pytest.mark.parametrize("push_wiped", [False, True])
    def test_what_can_not_be_removed_is_named_and_what_was_removed_is_no_deletion(
        self,
        store: MemoryStore,
        pushed: MirroredFolder,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        *,
        push_wiped: bool,
    ) -> None:
        with monkeypatch.context() as patch:
            failing(patch, "rename", "b.md")
            (told,) = reasons(pushed.remove()).items()
        assert told[0] == "/memories/d/b.md"
        assert "could not be removed, so its plaintext stays on this disk" in told[1]
        assert told[1].endswith("(Operation not permitted)")
        assert local(folder) == {"d/b.md": "d/b.md"}
        again = MirroredFolder(store, folder, push_wiped=push_wiped)
        assert again.push() == SyncReport()
        assert again.pull().is_complete
        assert texts_of(store) == self.stored() == local(folder)
        assert again.remove().is_complete
        assert not folder.exists()

    def test_what_was_deleted_in_the_store_is_not_stored_again_from_what_could_not_be_removed(
        self, store: MemoryStore, pushed: MirroredFolder, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            for name in ("b.md", "c.md"):
                failing(patch, "rename", name)
            assert len(pushed.remove().left) == 2
        store.delete(path("d/b.md"))
        again = MirroredFolder(store, folder)
        again.pull()
        assert again.push() == SyncReport()
        assert texts_of(store) == self.stored(without="d/b.md") == local(folder)

    def test_nothing_of_a_memory_that_was_erased_is_stored_again_from_what_could_not_be_removed(
        self, store: MemoryStore, pushed: MirroredFolder, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            failing(patch, "rename", "b.md")
            assert len(pushed.remove().left) == 1
        (folder / "d" / "b.md").rename(folder / "moved.md")
        erase(store)
        forget_keys()
        again = MirroredFolder(store, folder)
        assert all("was erased after it was pulled" in reason for reason in reasons(again.push()).values())
        with pytest.raises(ConfigurationError, match=f"Remove the folder, or only {STATE_NAME} in it"):
            again.pull()
        assert texts_of(store) == {}
        assert local(folder) == {"moved.md": "d/b.md"}

    def test_a_removal_that_was_killed_amidst_deletes_nothing_in_the_store_and_forgets_nothing_that_is_left(
        self, store: MemoryStore, pushed: MirroredFolder, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def kill() -> None:
            raise Killed

        with monkeypatch.context() as patch:
            as_soon_as(patch, "rename", "c.md", kill)
            with pytest.raises(Killed):
                pushed.remove()
        assert local(folder) == {"d/e/c.md": "d/e/c.md"}
        change(store, "d/e/c.md", "changed")
        again = MirroredFolder(store, folder, push_wiped=True)
        assert again.pull().conflicts == []
        assert again.push() == SyncReport()
        assert texts_of(store) == local(folder) == self.stored(**{"d/e/c.md": "changed"})

    def test_a_removal_that_can_not_be_noted_first_removes_nothing(self, pushed: MirroredFolder, folder: Path) -> None:
        with files_of_at_most(50):
            assert set(reasons(pushed.remove())) == {f"/memories/{STATE_NAME}"}
        assert local(folder) == self.stored()

    def test_a_directory_that_its_owner_may_not_write_to_goes_as_well(
        self, pushed: MirroredFolder, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def obeying(call: Callable[..., Any]) -> Callable[..., Any]:  # as the system does to anybody but root
            def called(*given: Any, **named: Any) -> Any:
                for within in {"dir_fd", "src_dir_fd", "dst_dir_fd"} & named.keys():
                    if not os.fstat(named[within]).st_mode & stat.S_IWUSR:
                        raise PermissionError(errno.EACCES, "Permission denied")
                return call(*given, **named)

            return called

        for name in ("d/e", "d"):
            (folder / name).chmod(0o500)
        for call in ("mkdir", "rename", "rmdir", "unlink"):
            monkeypatch.setattr(os, call, obeying(getattr(os, call)))
        assert pushed.remove().is_complete
        assert not folder.exists()

    def test_a_folder_that_the_directory_around_it_keeps_is_named_and_has_its_note_again(
        self, store: MemoryStore, pushed: MirroredFolder, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            failing(patch, "rmdir", folder)
            assert reasons(pushed.remove()) == {"/memories": "the folder could not be removed: Operation not permitted"}
        assert local(folder) == {}
        assert texts_of(store) == self.stored()
        again = MirroredFolder(store, folder)
        assert again.push() == SyncReport()
        assert again.remove().is_complete
        assert not folder.exists()

    @pytest.mark.parametrize("at_the_end", [False, True])
    def test_a_folder_that_somebody_else_removes_meanwhile_is_removed(
        self, pushed: MirroredFolder, folder: Path, monkeypatch: pytest.MonkeyPatch, *, at_the_end: bool
    ) -> None:
        call, name = ("rmdir", folder) if at_the_end else ("rename", "b.md")
        as_soon_as(monkeypatch, call, name, lambda: shutil.rmtree(folder))
        assert pushed.remove() == SyncReport()
        assert not folder.exists()

    def test_a_folder_that_another_mirror_begins_with_meanwhile_is_that_ones(
        self, store: MemoryStore, pushed: MirroredFolder, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = MirroredFolder(store, folder)
        with monkeypatch.context() as patch:
            as_soon_as(patch, "rmdir", folder, other.__enter__)
            assert set(reasons(pushed.remove())) == {"/memories"}
        with pytest.raises(ConfigurationError, match="another mirror"):
            pushed.pull()
        assert other.pull().is_complete
        assert local(folder) == texts_of(store) == self.stored()
        other.__exit__()


class TestErasure:
    """What was pulled from a memory that was erased since is not stored again, under whatever name."""

    @pytest.fixture
    def pulled(self, store: MemoryStore, mirror: MirroredFolder, folder: Path) -> MirroredFolder:
        for name in ("anna.md", "moved.md", "gone.md"):
            store.create(path(name), f"of {name}")
        mirror.pull()
        (folder / "anna.md").write_text("of anna.md, changed")
        (folder / "moved.md").rename(folder / "elsewhere.md")
        (folder / "gone.md").unlink()
        erase(store)
        forget_keys()
        return mirror

    def test_a_ring_that_is_cached_is_not_used_for_a_memory_that_was_erased(
        self, store: MemoryStore, make_store: MakeStore, mirror: MirroredFolder, folder: Path, s3: S3Client
    ) -> None:
        store.create(path("a.md"), "1")
        mirror.pull()
        (folder / "a.md").write_text("2")
        (folder / "b.md").write_text("new")
        erase(make_store(key_cache=KeyCache()))
        with FaultLayer(s3) as faults:
            report = mirror.push()
        assert set(reasons(report)) == {"/memories/a.md", "/memories/b.md"}
        assert faults.counts["PutObject"] == 0
        assert local(folder) == {"a.md": "2", "b.md": "new"}

    def test_what_was_stored_while_the_memory_was_erased_does_not_count_as_stored(
        self, store: MemoryStore, make_store: MakeStore, mirror: MirroredFolder, folder: Path, s3: S3Client
    ) -> None:
        store.create(path("a.md"), "1")
        mirror.pull()
        for name in ("b.md", "c.md"):
            (folder / name).write_text(f"new {name}")
        with FaultLayer(s3) as faults:
            faults.hit("PutObject", other_writer_first(lambda: erase(make_store(key_cache=KeyCache()))))
            report = mirror.push()
        assert report.stored == []
        assert set(reasons(report)) == {"/memories/b.md", "/memories/c.md"}
        assert all("was erased meanwhile" in reason for reason in reasons(report).values())
        mirror.remove()
        assert local(folder) == {"a.md": "1", "b.md": "new b.md", "c.md": "new c.md"}

    @pytest.mark.parametrize("began_anew", [False, True])
    def test_of_an_erased_memory_nothing_is_pushed_and_no_key_ring_is_made(
        self, store: MemoryStore, pulled: MirroredFolder, folder: Path, *, began_anew: bool
    ) -> None:
        anew = {"anna.md": "another Anna"} if began_anew else {}
        for name, text in anew.items():
            store.create(path(name), text)
        report = pulled.push()
        assert set(reasons(report)) == {f"/memories/{name}.md" for name in ("anna", "moved", "elsewhere", "gone")}
        assert all("was erased after it was pulled" in reason for reason in reasons(report).values())
        assert (report.stored, report.deleted, report.conflicts) == ([], [], [])
        assert texts_of(store) == anew
        assert local(folder) == {"anna.md": "of anna.md, changed", "elsewhere.md": "of moved.md"}

    @pytest.mark.usefixtures("pulled")
    @pytest.mark.parametrize("began_anew", [False, True])
    def test_a_pull_of_the_next_run_is_refused_until_its_user_says_that_the_files_are_to_be_stored(
        self, store: MemoryStore, folder: Path, *, began_anew: bool
    ) -> None:
        if began_anew:
            store.create(path("anna.md"), "another Anna")
        else:
            (folder / "anna.md").unlink()
        with pytest.raises(ConfigurationError, match=f"was erased after it was pulled.* only {STATE_NAME} in it"):
            MirroredFolder(store, folder).pull()
        assert local(folder)["elsewhere.md"] == "of moved.md"
        (folder / STATE_NAME).unlink()
        again = MirroredFolder(store, folder)
        again.pull()
        again.push()
        assert texts_of(store) == local(folder)

    @pytest.mark.parametrize("began_anew", [False, True])
    def test_a_folder_that_has_nothing_of_the_erased_memory_any_more_begins_anew(
        self, store: MemoryStore, pulled: MirroredFolder, folder: Path, *, began_anew: bool
    ) -> None:
        for name in ("anna.md", "elsewhere.md"):
            (folder / name).unlink()
        anew = {"anna.md": "another Anna"} if began_anew else {}
        for name, text in anew.items():
            store.create(path(name), text)
        assert pulled.pull().is_complete
        assert local(folder) == anew
        (folder / "b.md").write_text("x")
        assert pulled.push().is_complete
        assert texts_of(store) == {**anew, "b.md": "x"}

    def test_what_the_mirror_itself_stored_first_is_not_stored_again_either(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        mirror.pull()
        (folder / "a.md").write_text("1")
        assert mirror.push().stored == ["/memories/a.md"]
        erase(store)
        forget_keys()
        (folder / "a.md").write_text("2")
        assert set(reasons(MirroredFolder(store, folder).push())) == {"/memories/a.md"}
        assert texts_of(store) == {}

    def test_a_rotated_ring_goes_on_also_for_who_has_an_older_one_in_its_cache(
        self, store: MemoryStore, make_store: MakeStore, folder: Path
    ) -> None:
        store.create(path("a.md"), "1")
        other = make_store(key_cache=KeyCache())
        rotate(other)
        MirroredFolder(other, folder).pull()
        (folder / "a.md").write_text("2")
        assert MirroredFolder(store, folder).push().is_complete
        rotate(other)
        (folder / "a.md").write_text("3")
        assert MirroredFolder(other, folder).push().is_complete
        assert texts_of(store) == {"a.md": "3"}


class TestRetirement:
    """A folder goes on in a key ring that loses an old generation, where it has seen a newer one of it."""

    @pytest.mark.parametrize("sees", [MirroredFolder.pull, MirroredFolder.push])
    def test_a_folder_that_was_pulled_or_pushed_after_the_rotation_goes_on(
        self, store: MemoryStore, folder: Path, sees: Callable[[MirroredFolder], SyncReport]
    ) -> None:
        for name in ("a.md", "b.md"):
            store.create(path(name), "1")
        MirroredFolder(store, folder).pull()
        rotate(store)
        assert reseal(store).is_complete
        (folder / "b.md").write_text("2")
        assert sees(MirroredFolder(store, folder)).is_complete
        retire(store, 1)
        (folder / "a.md").write_text("2")
        assert MirroredFolder(store, folder).push().is_complete
        assert MirroredFolder(store, folder).pull().is_complete
        assert texts_of(store) == {"a.md": "2", "b.md": "2"} == local(folder)

    def test_a_folder_that_was_not_is_told_that_it_may_have_been_that_and_keeps_its_only_copy(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "1")
        mirror.pull()
        rotate(store)
        assert reseal(store).is_complete
        retire(store, 1)
        (folder / "a.md").write_text("2")
        (reason,) = reasons(mirror.push()).values()
        assert "was erased after it was pulled, or the key that it had then was retired" in reason
        with pytest.raises(ConfigurationError, match="or the key that it had then was retired") as refusal:
            mirror.pull()
        assert "Remove the folder, or" not in str(refusal.value)
        assert f"Remove only {STATE_NAME} in it to store them again" in str(refusal.value)
        (folder / STATE_NAME).unlink()
        again = MirroredFolder(store, folder)
        assert len(again.pull().conflicts) == 1
        assert again.push().is_complete
        assert sorted(texts_of(store).values()) == ["1", "2"]
        assert texts_of(store) == local(folder)

    def test_a_memory_that_was_erased_and_rotated_anew_is_not_taken_for_the_one_that_was_pulled(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "1")
        mirror.pull()
        (folder / "a.md").write_text("2")
        erase(store)
        forget_keys()
        store.create(path("a.md"), "another")
        rotate(store)
        assert reseal(store).is_complete
        retire(store, 1)
        assert set(reasons(mirror.push())) == {"/memories/a.md"}
        assert texts_of(store) == {"a.md": "another"}


class TestRedaction:
    def test_what_is_redacted_is_written_back(self, store: MemoryStore, mirror: MirroredFolder, folder: Path) -> None:
        mirror.pull()
        (folder / "a.md").write_text(f"key {SECRET}\n")
        report = mirror.push()
        assert (report.redacted, report.left) == (["/memories/a.md"], [])
        assert SECRET not in (folder / "a.md").read_text()
        assert "[REDACTED:" in (folder / "a.md").read_text()
        assert texts_of(store) == local(folder)
        assert mirror.push() == SyncReport()

    @pytest.mark.parametrize("method", ["pull", "push"])
    @pytest.mark.parametrize("was_there", [False, True])
    def test_what_was_stored_and_not_written_back_since_the_push_was_killed_is_no_conflict(
        self,
        store: MemoryStore,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        method: str,
        *,
        was_there: bool,
    ) -> None:
        if was_there:
            store.create(path("a.md"), "1")
        mirror = MirroredFolder(store, folder)
        mirror.pull()
        note = (folder / STATE_NAME).read_bytes()
        (folder / "a.md").write_text(f"key {SECRET}\n")

        def killed(*_: Any, **__: Any) -> None:
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(mirror._folder, "write", killed)
            with pytest.raises(Killed):
                mirror.push()
        (folder / STATE_NAME).write_bytes(note)
        report = getattr(MirroredFolder(store, folder), method)()
        assert report == SyncReport(pulled=["/memories/a.md"])
        assert local(folder) == texts_of(store)
        assert SECRET not in (folder / "a.md").read_text()

    @pytest.mark.parametrize("mine", [b"mine", b"\xff"])
    def test_a_file_that_both_sides_changed_and_that_can_not_be_redacted_is_a_conflict_of_the_pull(
        self, make_store: MakeStore, folder: Path, mine: bytes
    ) -> None:
        store = make_store(redactor=FailingAgain("mine"))
        store.texts.redact("mine", path("a.md"))
        mirror = MirroredFolder(store, folder)
        mirror.pull()
        store.create(path("a.md"), "theirs")
        (folder / "a.md").write_bytes(mine)
        assert len(mirror.pull().conflicts) == 1
        assert (folder / "a.md").read_text() == "theirs"

    def test_what_is_written_while_it_is_pushed_is_not_written_over(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, s3: S3Client
    ) -> None:
        mirror.pull()
        (folder / "a.md").write_text(f"key {SECRET}\n")
        with FaultLayer(s3) as faults:
            faults.hit("PutObject", other_writer_first(lambda: (folder / "a.md").write_text("newer")), nth=2)
            mirror.push()
        assert (folder / "a.md").read_text() == "newer"
        mirror.push()
        assert texts_of(store) == {"a.md": "newer"}

    def test_a_redactor_that_fails_for_a_file_that_both_sides_made_keeps_nothing_else_from_being_pushed(
        self, make_store: MakeStore, folder: Path
    ) -> None:
        store = make_store(redactor=FailingAgain("mine"))
        mirror = MirroredFolder(store, folder)
        mirror.pull()
        store.create(path("a.md"), "theirs")
        (folder / "a.md").write_text("mine")
        (folder / "b.md").write_text("x")
        report = mirror.push()
        assert set(reasons(report)) == {"/memories/a.md"}
        assert report.stored == ["/memories/b.md"]
        assert local(folder) == {"a.md": "mine", "b.md": "x"}


class TestCrashesAndCompany:
    def test_changes_of_a_run_that_ended_between_pull_and_push_are_pushed_by_the_next(
        self, store: MemoryStore, folder: Path
    ) -> None:
        for name in ("a.md", "b.md", "c.md"):
            store.create(path(name), "1")
        MirroredFolder(store, folder).pull()
        (folder / "a.md").write_text("ours")
        (folder / "b.md").write_text("ours")
        change(store, "b.md", "theirs")
        change(store, "c.md", "theirs")
        again = MirroredFolder(store, folder)
        assert len(again.pull().conflicts) == 1
        assert again.push().is_complete
        texts = texts_of(store)
        assert (texts["a.md"], texts["b.md"], texts["c.md"]) == ("ours", "theirs", "theirs")
        assert sorted(texts.values()) == ["ours", "ours", "theirs", "theirs"]
        assert texts == local(folder)
        again.remove()
        assert not folder.exists(), "the mirror before had made it"

    @pytest.mark.parametrize("is_pushed_first", [False, True])
    def test_a_pull_that_was_killed_amidst_goes_on_from_what_it_has_written(
        self,
        store: MemoryStore,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        *,
        is_pushed_first: bool,
    ) -> None:
        names = [f"{number}.md" for number in range(6)]
        for name in names[1:]:
            store.create(path(name), "1")
        folder.mkdir()
        (folder / "own.md").write_text("was here")
        MirroredFolder(store, folder).pull()
        store.create(path(names[0]), "2")
        for name in names[1:]:
            change(store, name, "2")
        with monkeypatch.context() as patch:
            killed_after(3, patch)
            with pytest.raises(Killed):
                MirroredFolder(store, folder).pull()
        there = local(folder)
        assert [there.get(name) for name in names] == ["2", "2", "2", "1", "1", "1"]
        store.delete(path("0.md"))
        store.delete(path("3.md"))
        change(store, "1.md", "3")
        change(store, "4.md", "3")
        again = MirroredFolder(store, folder)
        if is_pushed_first:
            assert again.push() == SyncReport(stored=["/memories/own.md"])
        assert again.pull().conflicts == []
        assert again.push().is_complete
        assert texts_of(store) == {"1.md": "3", "2.md": "2", "4.md": "3", "5.md": "2", "own.md": "was here"}
        assert texts_of(store) == local(folder)

    def test_the_folder_of_a_first_pull_that_was_killed_is_the_mirrors_to_remove(
        self, store: MemoryStore, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("a.md", "b.md"):
            store.create(path(name), "1")
        with monkeypatch.context() as patch:
            killed_after(1, patch)
            with pytest.raises(Killed):
                MirroredFolder(store, folder).pull()
        (folder / "a.md").write_text("edited before the next run")
        again = MirroredFolder(store, folder)
        again.pull()
        assert again.push().is_complete
        assert "edited before the next run" in texts_of(store).values()
        again.remove()
        assert not folder.exists()

    @pytest.mark.parametrize("method", ["pull", "push"])
    def test_the_text_that_a_killed_write_left_is_removed_by_the_next_run_and_nothing_else_is(
        self, mirror: MirroredFolder, folder: Path, method: str
    ) -> None:
        (folder / "d").mkdir(parents=True)
        left = f"d/{TEMPORARY}"
        others = ("d/a.md", f"d/{STATE_NAME}-notes", f"d/{STATE_NAME}-0123456789ABCDEF.md")
        for name in (left, *others):
            (folder / name).write_text("text")
        getattr(mirror, method)()
        assert not (folder / left).exists()
        assert [(folder / name).read_text() for name in others] == ["text"] * len(others)

    @pytest.mark.parametrize("there", [None, "saved"])
    def test_what_a_killed_write_had_taken_out_of_its_place_goes_back_or_beside_what_is_there_by_now(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path, there: str | None
    ) -> None:
        for name in ("a.md", "d/b.md"):
            store.create(path(name), "1")
        mirror.pull()
        (folder / "d" / TEMPORARY).mkdir()
        (folder / "d" / "b.md").rename(folder / "d" / TEMPORARY / "b.md")
        if there is not None:
            (folder / "d" / "b.md").write_text(there)
        assert mirror.push().is_complete
        assert not (folder / "d" / TEMPORARY).exists()
        beside = {} if there is None else {TEMPORARY.replace(STATE_NAME, "d/conflict"): "1"}
        assert texts_of(store) == {"a.md": "1", "d/b.md": there or "1", **beside} == local(folder)

    def test_a_push_whose_end_nobody_noted_is_no_conflict(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "1")
        mirror.pull()
        (folder / "a.md").write_text("2")
        state = (folder / STATE_NAME).read_bytes()
        mirror.push()
        (folder / STATE_NAME).write_bytes(state)
        report = MirroredFolder(store, folder).push()
        assert (report.conflicts, report.left) == ([], [])

    def test_a_note_that_the_disk_has_no_room_for_is_left_and_the_one_before_stays(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "1")
        mirror.pull()
        note = (folder / STATE_NAME).read_bytes()
        for name in ("a.md", "new1.md", "new2.md"):
            (folder / name).write_text("2")
        with files_of_at_most(len(note) + 50):
            report = mirror.push()
        assert report.stored == ["/memories/a.md", "/memories/new1.md", "/memories/new2.md"]
        assert "could not be saved" in reasons(report)[f"/memories/{STATE_NAME}"]
        assert (folder / STATE_NAME).read_bytes() == note
        again = MirroredFolder(store, folder)
        assert again.pull() == again.push() == SyncReport(), "the same text is on both sides"
        with files_of_at_most(50):
            assert set(reasons(again.pull())) == {f"/memories/{STATE_NAME}"}

    @pytest.mark.parametrize("make", [Path.mkdir, lambda place: place.symlink_to("elsewhere"), os.mkfifo])
    def test_what_has_the_notes_name_and_is_no_file_is_named(
        self, store: MemoryStore, folder: Path, make: Callable[[Path], object]
    ) -> None:
        folder.mkdir()
        make(folder / STATE_NAME)
        with pytest.raises(ConfigurationError, match=f"{STATE_NAME} in the folder can't be read"):
            MirroredFolder(store, folder).pull()

    def test_two_mirrors_of_one_folder_are_refused_and_of_one_memory_lose_nothing(
        self, store: MemoryStore, folder: Path, tmp_path: Path
    ) -> None:
        store.create(path("a.md"), "1")
        with MirroredFolder(store, folder) as one, MirroredFolder(store, tmp_path / "other") as other:
            with pytest.raises(ConfigurationError, match="another mirror"):
                MirroredFolder(store, folder).pull()
            one.pull()
            other.pull()
            (folder / "a.md").write_text("one")
            (tmp_path / "other" / "a.md").write_text("other")
            one.push()
            other.push()
        assert sorted(texts_of(store).values()) == ["one", "other"]

    def test_a_folder_that_another_mirror_uses_is_not_removed(
        self, store: MemoryStore, mirror: MirroredFolder, folder: Path
    ) -> None:
        store.create(path("a.md"), "x")
        mirror.pull()
        with MirroredFolder(store, folder), pytest.raises(ConfigurationError, match="another mirror"):
            mirror.remove()
        assert local(folder) == {"a.md": "x"}
        for _ in range(2):
            assert mirror.remove() == SyncReport()
            assert not folder.exists()

    def test_a_folder_of_another_tenant_or_with_a_broken_note_is_refused(
        self, store: MemoryStore, make_store: MakeStore, folder: Path
    ) -> None:
        MirroredFolder(store, folder).pull()
        with pytest.raises(ConfigurationError, match="another tenant"):
            MirroredFolder(make_store(tenant="other"), folder).pull()
        broken_rings = '{"ring": 1}', '{"ring": ["x", "y"]}', '{"ring": [Infinity, "y"]}'
        broken_seen = ("[]", "[1, 2]", r'["x\r\ny", "z"]', r'["\ud800", "z"]')
        broken_files = (
            '{"files": {"/etc": ["x", "y"]}}',
            *(f'{{"files": {{"/memories/a": {one}}}}}' for one in broken_seen),
        )
        mirror = MirroredFolder(store, folder)
        for broken in ("{", "[]", "[" * 100_000, *broken_rings, *broken_files):
            (folder / STATE_NAME).write_text(broken)
            for sync in (mirror.pull, mirror.push):
                with pytest.raises(ConfigurationError, match="malformed"):
                    sync()


@pytest.mark.usefixtures("settings")
class TestTheCommand:
    @pytest.fixture
    def memory(self) -> MemoryStore:
        from s3memory.config.settings import Settings  # noqa: PLC0415 - kept apart from what the module is about

        return MemoryStore.from_settings(Settings.from_env())

    @pytest.fixture
    def faults(self) -> Iterator[FaultLayer]:
        from s3memory.aws import clients  # noqa: PLC0415 - the client is made here, so that the layer is around it

        with FaultLayer(clients.PROCESS.s3_client()) as layer:
            yield layer

    def command(self, program: str) -> tuple[str, ...]:
        return ("--", sys.executable, "-c", program)

    def test_it_pulls_runs_pushes_and_removes_the_folder(self, run: Run, folder: Path, memory: MemoryStore) -> None:
        memory.create(path("a.md"), "1")
        program = f"import pathlib; p = pathlib.Path({str(folder)!r}, 'a.md'); p.write_text(p.read_text() + '2')"
        ran = run("mirror", str(folder), *self.command(program))
        assert (ran.exit_code, ran.err) == (0, "")
        assert texts_of(memory) == {"a.md": "12"}
        assert not folder.exists()

    def test_a_tenant_without_data_is_told_since_it_may_be_a_typing_error(self, run: Run, folder: Path) -> None:
        program = f"import pathlib; pathlib.Path({str(folder)!r}, 'a.md').write_text('x')"
        told = 'No data for tenant "globex" yet: the first file creates its memory.\n'
        for err in (told, ""):
            ran = run("mirror", "--tenant", "globex", str(folder), *self.command(program))
            assert (ran.exit_code, ran.err) == (0, err)

    def test_how_many_files_of_the_folder_will_be_stored_is_told_before_the_command_runs(
        self, run: Run, folder: Path, memory: MemoryStore
    ) -> None:
        for name in ("here.md", "there.md"):
            memory.create(path(name), "stored")
        (folder / "a").mkdir(parents=True)
        for name, text in (("here.md", "stored"), ("a/b.md", "x"), ("c.md", "x")):
            (folder / name).write_text(text)
        ran = run("mirror", str(folder), "--", "true")
        assert (ran.exit_code, ran.err) == (0, f"2 files of {folder} will be stored when `true` ends.\n")
        assert texts_of(memory).keys() == {"here.md", "there.md", "a/b.md", "c.md"}
        assert run("mirror", str(folder), "--", "true").err == ""

    def test_the_commands_exit_code_is_passed_on_and_its_changes_are_pushed_all_the_same(
        self, run: Run, folder: Path, memory: MemoryStore
    ) -> None:
        program = f"import pathlib, sys; pathlib.Path({str(folder)!r}, 'a.md').write_text('x'); sys.exit(7)"
        assert run("mirror", str(folder), *self.command(program)).exit_code == 7
        assert texts_of(memory) == {"a.md": "x"}
        assert not folder.exists()

    def test_what_can_not_be_stored_stays_with_its_path_told_and_an_exit_code(self, run: Run, folder: Path) -> None:
        program = f"import pathlib; pathlib.Path({str(folder)!r}, 'a.bin').write_bytes(bytes([255]))"
        ran = run("mirror", str(folder), *self.command(program))
        assert ran.exit_code == 1
        assert "/memories/a.bin is out of sync: it is not UTF-8 text" in ran.err
        assert str(folder) in ran.err
        assert (folder / "a.bin").exists()

    @pytest.mark.parametrize("mend", ["write_text('x')", "unlink()"])
    def test_what_could_not_be_stored_and_the_command_mended_or_removed_is_in_sync(
        self, run: Run, folder: Path, memory: MemoryStore, mend: str
    ) -> None:
        limit = memory.limits.max_file_bytes
        grown = f"import pathlib; pathlib.Path({str(folder)!r}, 'a.md').write_text('x' * {limit + 1})"
        assert run("mirror", str(folder), *self.command(grown)).exit_code == 1
        ran = run("mirror", str(folder), *self.command(f"import pathlib; pathlib.Path({str(folder)!r}, 'a.md').{mend}"))
        assert (ran.exit_code, "Not everything is in sync" in ran.err) == (0, False)
        assert texts_of(memory) == ({} if mend == "unlink()" else {"a.md": "x"})
        assert not folder.exists()

    def test_what_does_not_open_stays_out_of_sync_whatever_the_command_does_in_its_place(
        self, run: Run, folder: Path, memory: MemoryStore, s3: S3Client, bucket: str
    ) -> None:
        memory.create(path("a.md"), "1")
        memory.create(path("b.md"), "2")
        s3.put_object(Bucket=bucket, Key="memories/acme/a.md", Body=bytes(100))
        folder.mkdir()
        (folder / "a.md").symlink_to("elsewhere")
        program = f"import pathlib; pathlib.Path({str(folder)!r}, 'a.md').unlink()"
        ran = run("mirror", str(folder), *self.command(program))
        assert (ran.exit_code, "Not everything is in sync" in ran.err) == (1, True)

    @pytest.mark.parametrize("in_the_way", ["a.md", "a"])
    def test_what_was_not_pulled_since_something_was_in_its_place_is_out_of_sync_when_that_is_gone(
        self, run: Run, folder: Path, memory: MemoryStore, in_the_way: str
    ) -> None:
        memory.create(path("a.md" if in_the_way == "a.md" else "a/b.md"), "1")
        folder.mkdir()
        (folder / in_the_way).symlink_to("elsewhere")
        program = f"import pathlib; pathlib.Path({str(folder)!r}, {in_the_way!r}).unlink()"
        ran = run("mirror", str(folder), *self.command(program))
        assert (ran.exit_code, "Not everything is in sync" in ran.err) == (1, True)

    def test_each_file_that_is_deleted_in_the_store_is_named(self, run: Run, folder: Path, memory: MemoryStore) -> None:
        for name in ("a.md", "b.md", "c.md"):
            memory.create(path(name), name)
        program = f"import pathlib; [pathlib.Path({str(folder)!r}, one).unlink() for one in ('a.md', 'b.md')]"
        ran = run("mirror", str(folder), *self.command(program))
        told = [
            f"/memories/{name} was deleted in the store, because it was deleted in the folder."
            for name in ("a.md", "b.md")
        ]
        assert (ran.exit_code, ran.err.splitlines()) == (0, told)
        assert texts_of(memory) == {"c.md": "c.md"}

    def test_a_folder_that_the_command_removed_is_not_told_to_stay(
        self, run: Run, folder: Path, memory: MemoryStore
    ) -> None:
        memory.create(path("a.md"), "1")
        ran = run("mirror", str(folder), *self.command(f"import shutil; shutil.rmtree({str(folder)!r})"))
        assert ran.exit_code == 1
        assert f"{folder} is gone. What was stored before is still stored." in ran.err
        assert texts_of(memory) == {"a.md": "1"}

    def test_of_a_folder_that_the_command_removed_it_is_told_how_many_files_were_deleted_in_the_store(
        self, run: Run, folder: Path, memory: MemoryStore, faults: FaultLayer
    ) -> None:
        for name in ("a.md", "b.md", "c.md"):
            memory.create(path(name), "1")
        faults.hit("DeleteObject", refused(403, "AccessDenied"), nth=2)
        program = f"import shutil; shutil.rmtree({str(folder)!r})"
        ran = run("mirror", "--push-wiped", str(folder), *self.command(program))
        assert ran.exit_code == 1
        assert f"{folder} is gone. Files deleted in the store: 1." in ran.err
        assert set(texts_of(memory)) == {"b.md", "c.md"}

    @pytest.mark.parametrize("was_there", [False, True])
    def test_what_is_saved_while_the_changes_are_stored_is_named_and_stays_with_the_folder(
        self, run: Run, folder: Path, memory: MemoryStore, faults: FaultLayer, *, was_there: bool
    ) -> None:
        memory.create(path("z.md"), "1")
        if was_there:
            folder.mkdir()
        program = f"import pathlib; pathlib.Path({str(folder)!r}, 'a.md').write_text('x')"
        faults.hit("PutObject", other_writer_first(lambda: (folder / "late.md").write_text("saved")))
        ran = run("mirror", str(folder), *self.command(program))
        assert ran.exit_code == 1
        assert "/memories/late.md is out of sync: it was saved after the folder was read" in ran.err
        assert f"The files stay in {folder}" in ran.err
        assert local(folder) == {"a.md": "x", "late.md": "saved", "z.md": "1"}
        assert run("mirror", str(folder), *self.command("")).exit_code == 0
        assert texts_of(memory) == {"a.md": "x", "late.md": "saved", "z.md": "1"}
        assert folder.exists() is was_there

    def test_keys_and_credentials_are_kept_out_of_the_commands_environment_unless_asked_for(
        self, run: Run, folder: Path, tmp_path: Path
    ) -> None:
        told = tmp_path / "told.json"
        program = f"import json, os, pathlib; pathlib.Path({str(told)!r}).write_text(json.dumps(dict(os.environ)))"
        run("mirror", str(folder), *self.command(program))
        seen = json.loads(told.read_text())
        assert {name for name in seen if name.startswith(("S3MEMORY_", "AWS_"))} == {"AWS_DEFAULT_REGION"}
        assert "PATH" in seen
        run("mirror", str(folder), "--pass-credentials", *self.command(program))
        assert "S3MEMORY_LOCAL_KEY" in json.loads(told.read_text())

    def test_what_can_not_be_removed_is_told_with_where_it_stays_and_an_exit_code(
        self, run: Run, folder: Path, memory: MemoryStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        memory.create(path("a.md"), "1")
        failing(monkeypatch, "rename", "a.md")
        for program, code in ((sys.executable, 1), (folder / "none", 127)):
            ran = run("mirror", str(folder), "--", str(program), "-c", "")
            assert ran.exit_code == code
            assert "/memories/a.md is out of sync: it could not be removed, so its plaintext stays" in ran.err
            assert f"The files stay in {folder}\n" in ran.err
            assert local(folder) == {"a.md": "1"}
            shutil.rmtree(folder)

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such call")
    def test_the_mirrors_own_environment_is_closed_to_the_command_unless_credentials_are_passed(
        self, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        open_at_start: list[bool] = []

        def start(*given: Any, **named: Any) -> subprocess.Popen[bytes]:
            open_at_start.append(is_dumpable())
            return popen(*given, **named)

        popen = subprocess.Popen
        monkeypatch.setattr(subprocess, "Popen", start)
        run("mirror", str(folder), "--", "true")
        run("mirror", str(folder), "--pass-credentials", "--", "true")
        assert open_at_start == [False, True]

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such call")
    def test_a_system_that_does_not_close_it_is_told(
        self, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(_: object) -> None:
            raise OSError

        monkeypatch.setattr(ctypes, "CDLL", refuse)
        ran = run("mirror", str(folder), "--", "true")
        assert (ran.exit_code, "the command could read the keys in it" in ran.err) == (0, True)
        assert "environment" not in run("mirror", str(folder), "--pass-credentials", "--", "true").err

    @pytest.mark.long
    @pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such call")
    def test_a_command_does_not_read_the_keys_from_the_processes_that_run_the_mirror(
        self, folder: Path, moto_server: MotoServer, tmp_path: Path
    ) -> None:
        name, told = unique("mirror"), tmp_path / "told"
        moto_server.make_bucket(name)
        # With root's capabilities, any process can be read. Without a bounding set, no program that is run has any.
        unprivileged = """if True:
            import ctypes, os, sys
            for capability in range(64):
                ctypes.CDLL(None).prctl(24, *map(ctypes.c_ulong, (capability, 0, 0, 0)))  # PR_CAPBSET_DROP
            os.execv(sys.executable, [sys.executable, "-m", "s3memory", *sys.argv[1:]])
        """
        program = f"""if True:
            import os, pathlib
            try:
                told = pathlib.Path(f"/proc/{{os.getppid()}}/environ").read_text()
            except PermissionError:
                told = "refused"
            pathlib.Path({str(told)!r}).write_text(told)
        """
        ran = subprocess.run(  # noqa: S603 - this interpreter and our program
            [sys.executable, "-c", unprivileged, "mirror", folder, *self.command(program)],
            env=environment_of(moto_server, name, S3MEMORY_TENANT=TENANT),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (ran.returncode, told.read_text()) == (0, "refused"), ran.stderr

    @pytest.fixture
    def heeded(self) -> Iterator[None]:
        """Signals that are not ignored, although whoever started the tests may do so: `nohup`, or `&` in a script."""
        ignored = [one for one in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(one) is signal.SIG_IGN]
        for one in ignored:
            signal.signal(one, signal.SIG_DFL)
        yield
        for one in ignored:
            signal.signal(one, signal.SIG_IGN)

    @pytest.mark.usefixtures("heeded")
    @pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
    def test_a_signal_is_passed_on_and_what_was_changed_is_pushed(
        self, run: Run, folder: Path, memory: MemoryStore, name: str
    ) -> None:
        program = f"""if True:
            import os, pathlib, signal
            def end(*_):
                pathlib.Path({str(folder)!r}, 'a.md').write_text('at the end')
                raise SystemExit(3)
            signal.signal(signal.{name}, end)
            os.kill(os.getppid(), signal.{name})
            signal.pause()
        """
        assert run("mirror", str(folder), *self.command(program)).exit_code == 3
        assert texts_of(memory) == {"a.md": "at the end"}
        assert not folder.exists()

    @pytest.fixture
    def at_start(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[Callable[[], object]]]:
        """Have something happen once the command has opened `tmp_path / "ready"`, and before the mirror goes on."""
        os.mkfifo(tmp_path / "ready")
        actions: list[Callable[[], object]] = []
        started: list[subprocess.Popen[bytes]] = []

        def start(*given: Any, **named: Any) -> subprocess.Popen[bytes]:
            started.append(popen(*given, **named))
            (tmp_path / "ready").read_bytes()
            for action in actions:
                action()
            return started[-1]

        popen = subprocess.Popen
        monkeypatch.setattr(subprocess, "Popen", start)
        yield actions
        for process in started:
            process.kill()
            process.wait()

    @pytest.mark.usefixtures("heeded")
    @pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
    def test_a_signal_that_comes_while_the_command_starts_is_passed_on_as_well(
        self, run: Run, folder: Path, memory: MemoryStore, at_start: list[Callable[[], object]], name: str
    ) -> None:
        program = f"""if True:
            import pathlib, signal
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.{name}])
            pathlib.Path({str(folder.parent)!r}, 'ready').write_text('')
            signal.sigwait([signal.{name}])
            pathlib.Path({str(folder)!r}, 'a.md').write_text('at the end')
            raise SystemExit(3)
        """
        at_start.append(lambda: os.kill(os.getpid(), getattr(signal, name)))
        assert run("mirror", str(folder), *self.command(program)).exit_code == 3
        assert texts_of(memory) == {"a.md": "at the end"}
        assert not folder.exists()

    @pytest.mark.usefixtures("heeded")
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_a_signal_before_the_command_starts_ends_the_mirror_and_leaves_no_folder(
        self, run: Run, folder: Path, memory: MemoryStore, faults: FaultLayer, number: signal.Signals
    ) -> None:
        memory.create(path("a.md"), "1")
        faults.hit("GetObject", other_writer_first(lambda: os.kill(os.getpid(), number)))
        ran = run("mirror", str(folder), *self.command("raise SystemExit(9)"))
        assert ran.exit_code == 128 + number
        assert "was not started" in ran.err
        assert not folder.exists()

    @pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT])
    def test_a_signal_that_the_caller_ignores_is_ignored_by_the_mirror_and_its_command(
        self, run: Run, folder: Path, memory: MemoryStore, number: signal.Signals
    ) -> None:
        program = f"""if True:
            import os, pathlib
            os.kill(os.getppid(), {int(number)})
            os.kill(os.getpid(), {int(number)})
            pathlib.Path({str(folder)!r}, 'a.md').write_text('done')
        """
        before = signal.signal(number, signal.SIG_IGN)
        try:
            assert run("mirror", str(folder), *self.command(program)).exit_code == 0
            assert signal.getsignal(number) is signal.SIG_IGN
        finally:
            signal.signal(number, before)
        assert texts_of(memory) == {"a.md": "done"}

    def test_a_command_that_a_signal_ends_has_a_shells_exit_code(self, run: Run, folder: Path) -> None:
        program = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
        assert run("mirror", str(folder), *self.command(program)).exit_code == 137

    @pytest.mark.parametrize(("name", "exit_code"), [("none", 127), ("no-program", 126)])
    def test_a_command_that_does_not_start_stores_nothing_and_leaves_the_folder_as_it_was(
        self, run: Run, folder: Path, memory: MemoryStore, name: str, exit_code: int
    ) -> None:
        (folder.parent / "no-program").write_text("x")
        folder.mkdir()
        (folder / "a.md").write_text("password: hunter2-Blue!")
        ran = run("mirror", str(folder), "--", str(folder.parent / name))
        assert ran.exit_code == exit_code
        assert "can't be run" in ran.err
        assert texts_of(memory) == {}
        assert (folder / "a.md").read_text() == "password: hunter2-Blue!"

    def test_a_folder_that_was_made_for_a_command_that_does_not_start_is_removed(
        self, run: Run, folder: Path, memory: MemoryStore
    ) -> None:
        memory.create(path("a.md"), "1")
        assert run("mirror", str(folder), "--", str(folder / "none")).exit_code == 127
        assert texts_of(memory) == {"a.md": "1"}
        assert not folder.exists()

    def test_a_memory_with_others_mounted_in_it_is_refused_since_their_files_would_be_stored_as_its_own(
        self, run: Run, folder: Path, memory: MemoryStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("S3MEMORY_MOUNTS", "/memories/team=team")
        program = f"import pathlib; pathlib.Path({str(folder)!r}, 'a.md').write_text('x')"
        ran = run("mirror", str(folder), *self.command(program))
        assert ran.exit_code == 2
        assert "S3MEMORY_MOUNTS is set, and a folder holds one memory" in ran.err
        assert texts_of(memory) == {}
        assert not folder.exists()

    def test_a_folder_that_another_mirror_uses_is_refused_before_anything_runs(
        self, run: Run, folder: Path, memory: MemoryStore, tmp_path: Path
    ) -> None:
        ran_too = tmp_path / "ran"
        with MirroredFolder(memory, folder):
            ran = run("mirror", str(folder), *self.command(f"open({str(ran_too)!r}, 'w')"))
        assert ran.exit_code == 2
        assert not ran_too.exists()

    def test_a_pull_that_fails_starts_nothing_and_leaves_no_folder(
        self, run: Run, folder: Path, memory: MemoryStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        memory.create(path("a.md"), "1")
        monkeypatch.setenv("S3MEMORY_LOCAL_KEY", LocalKeyWrapper.generate_key_text())
        ran = run("mirror", str(folder), *self.command("raise SystemExit(9)"))
        assert ran.exit_code == 3
        assert "was not started" in ran.err
        assert not folder.exists()
