"""Long work tells how far it is, in steps that add up; and a bar is shown where somebody looks."""

from __future__ import annotations

import io
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.faults import KILL, FaultLayer, Killed

from s3memory import MemoryStore
from s3memory.admin.transfer.import_sources import FolderSource
from s3memory.admin.transfer.importing import plan
from s3memory.cli.output import row, write_text
from s3memory.cli.progress import progress_bar
from s3memory.paths import MemoryPath
from s3memory.progress import watched_by
from s3memory.store import tree

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

OLD, NEW = MemoryPath(("old",)), MemoryPath(("new",))


class Recorder:
    def __init__(self) -> None:
        self.begun: list[tuple[str, int | None]] = []
        self.steps = 0
        self._lock = threading.Lock()

    def begin(self, what: str, steps: int | None, /) -> None:
        self.begun.append((what, steps))

    def advance(self, steps: int = 1, /) -> None:
        with self._lock:
            self.steps += steps


@pytest.fixture
def directory(store: MemoryStore) -> MemoryStore:
    """A store with 40 files in a directory."""
    for number in range(40):
        store.create(OLD.child(str(number)), "text")
    return store


def test_a_rename_and_a_delete_of_a_directory_tell_what_begins_before_they_tell_of_its_files(
    directory: MemoryStore,
) -> None:
    recorder = Recorder()
    with watched_by(recorder):
        tree.rename(directory, OLD, NEW)
        assert recorder.steps == 80, "copied and deleted"
        tree.delete(directory, NEW)
    assert recorder.begun == [("rename /memories/old to /memories/new", 80), ("delete /memories/new", 40)]
    assert recorder.steps == 120


def test_the_repair_of_a_rename_tells_each_file_twice_as_copied_and_as_deleted(
    directory: MemoryStore, s3: S3Client
) -> None:
    with FaultLayer(s3) as faults:
        faults.hit("PutObject", KILL, nth=2)  # the first is the intent's
        with pytest.raises(Killed):
            tree.rename(directory, OLD, NEW)
    recorder = Recorder()
    with watched_by(recorder):
        tree.repair(directory)
    assert recorder.begun == [("rename /memories/old to /memories/new", 80)]
    assert recorder.steps == 80


def test_the_repair_of_a_delete_tells_each_file(directory: MemoryStore, s3: S3Client) -> None:
    with FaultLayer(s3) as faults:
        faults.hit("DeleteObjects", KILL)
        with pytest.raises(Killed):
            tree.delete(directory, OLD)
    recorder = Recorder()
    with watched_by(recorder):
        tree.repair(directory)
    assert recorder.begun == [("delete /memories/old", 40)]
    assert recorder.steps == 40


def test_a_look_at_a_folder_tells_each_file_and_no_total(store: MemoryStore, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.md").write_text("text", "utf-8")
    recorder = Recorder()
    with watched_by(recorder):
        plan(store, FolderSource(tmp_path, max_bytes=100))
    assert (recorder.begun, recorder.steps) == ([("checking files", None)], 3)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_drawn_on_a_terminal_and_taken_away_again(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar() as watcher:
        watcher.begin("delete /memories/[b]old", 4)
        watcher.advance(4)
    assert "delete /memories/[b]old" in terminal.getvalue()
    assert "4/4" in terminal.getvalue()


def test_data_for_a_file_goes_there_while_a_bar_is_shown_and_that_for_a_terminal_above_the_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    for out in (sys.stdout, _Terminal()):
        monkeypatch.setattr("sys.stdout", out)
        with progress_bar() as watcher:
            watcher.begin("files", 4)
            row({}, "/memories/a.md", as_json=False)
            write_text("tea\n")
    assert capsys.readouterr().out == "/memories/a.md\ntea\n"
    assert (terminal.getvalue().count("/memories/a.md"), terminal.getvalue().count("tea")) == (1, 1)


def test_no_bar_is_drawn_into_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr("sys.stderr", file)
    with progress_bar() as watcher:
        watcher.begin("delete /memories/old", 4)
        watcher.advance(4)
    assert file.getvalue() == ""
