"""The SDK's local filesystem tool as an oracle: the same commands must give the same answers and the same files.

The table below lists every difference with its reason; any other difference fails.
"""

from __future__ import annotations

import itertools
import os
import posixpath
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool
from conftest import MakeCommands
from hypothesis import given, settings
from hypothesis import strategies as st
from support.flavours import Answer, Refused, files_of, make_ring, through_call
from support.unique import unique

from s3memory import MemoryCommands

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

ROOT = "/memories"
_numbers = itertools.count()


@dataclass(frozen=True)
class Crashed:
    """An exception other than `ToolError`: the model would see its ``repr``."""

    error: Exception


@dataclass(frozen=True)
class Step:
    """One command and its result.

    Attributes:
        sent: the tool input.
        files: what was stored beforehand.
        answer: the oracle's answer; after the differences have been applied, the expected answer of ours.
        stored: what is stored afterwards, likewise.
    """

    sent: dict[str, Any]
    files: dict[str, str]
    answer: Answer | Crashed
    stored: dict[str, str]

    @property
    def command(self) -> str:
        return str(self.sent["command"])

    @property
    def raw_paths(self) -> list[str]:
        return [self.sent[name] for name in ("path", "old_path", "new_path") if name in self.sent]

    @property
    def paths(self) -> list[str]:
        return [posixpath.normpath(raw) for raw in self.raw_paths]

    @property
    def path(self) -> str:
        return self.paths[0]

    @property
    def text(self) -> str | None:
        """The text of the file that the command is about."""
        return self.files.get(self.path)

    @property
    def is_directory(self) -> bool:
        return self.path == ROOT or any(name.startswith(f"{self.path}/") for name in self.files)

    @property
    def file_above_last(self) -> str | None:
        """The existing file that the path, or the new path, would be below."""
        return file_above(self.files, self.paths[-1])

    @property
    def is_inside(self) -> bool:
        return all(re.match(r"/memories(/|$)", raw) for raw in self.raw_paths) and all(
            re.match(r"/memories(/|$)", path) for path in self.paths
        )

    def refused(self, text: str) -> Step:
        """Refuse the command: nothing is changed."""
        return replace(self, answer=Refused(text), stored=self.files)


def file_above(files: dict[str, str], path: str) -> str | None:
    """Return the file that a path would be below."""
    return next((name for name in files if path.startswith(f"{name}/")), None)


@dataclass(frozen=True)
class Difference:
    """A known bug of the oracle, or a point on which documentation and oracle differ.

    Attributes:
        reason: why ours differs.
        applies: whether it applies to a step.
        ours: returns the step as ours carries it out.
    """

    reason: str
    applies: Callable[[Step], bool]
    ours: Callable[[Step], Step]


def _refused_with(*beginnings: str) -> Callable[[Step], bool]:
    return lambda step: isinstance(step.answer, Refused) and step.answer.text.startswith(beginnings)


def _is_listing(step: Step) -> bool:
    return isinstance(step.answer, str) and step.answer.startswith("Here're the files and directories")


def _reworded(step: Step, change: Callable[[str], str]) -> Step:
    if isinstance(step.answer, Refused):
        return replace(step, answer=Refused(change(step.answer.text)))
    return replace(step, answer=change(step.answer)) if isinstance(step.answer, str) else step


def _with_canonical_paths(step: Step) -> Step:
    canonical = dict(zip(step.raw_paths, step.paths, strict=True))
    raw = re.compile("|".join(map(re.escape, sorted(canonical, key=len, reverse=True))))
    return _reworded(step, lambda text: raw.sub(lambda match: canonical[match[0]], text))


def _with_sums(step: Step) -> Step:
    assert isinstance(step.answer, str)
    header, *lines = step.answer.split("\n")
    resized = []
    for number, line in enumerate(lines):
        size, path = line.split("\t")
        if number == 0 or path.endswith("/"):
            below = [text for name, text in step.files.items() if name.startswith(path.rstrip("/") + "/")]
            size = f"{sum(len(text.encode()) for text in below)}B"
        resized.append(f"{size}\t{path}")
    return replace(step, answer="\n".join((header, *resized)))


def _without_node_modules(step: Step) -> Step:
    assert isinstance(step.answer, str)
    header, top, *lines = step.answer.split("\n")
    kept = [line for line in lines if "/node_modules" not in line.split("\t")[1][len(step.path) :]]
    header = header.replace("excluding hidden items:", "excluding hidden items and node_modules:")
    return replace(step, answer="\n".join((header, top, *kept)))


def _is_range_refused(step: Step) -> bool:
    view_range = step.sent.get("view_range")
    if view_range is None or not step.is_inside or not (step.is_directory or step.text is not None):
        return False
    if step.text is None or len(view_range) != 2:
        return True
    first, last = view_range
    return not 1 <= first <= step.text.count("\n") + 1 or (last != -1 and last < first)


def _refuse_range(step: Step) -> Step:
    view_range = step.sent["view_range"]
    what = "Error: Invalid `view_range` parameter"
    if step.text is None:
        return step.refused(f"{what}: {step.path} is a directory, and lines are in files")
    if len(view_range) != 2:
        return step.refused(f"{what}: it must be a list of two integers")
    first, last = view_range
    n_lines = step.text.count("\n") + 1
    if 1 <= first <= n_lines:
        return step.refused(f"{what}: [{first}, {last}]. It should end at or after its begin, or be -1 for the end")
    within = f"It should begin within the range of lines of the file: [1, {n_lines}]"
    return step.refused(f"{what}: [{first}, {last}]. {within}")


def _inserted_lines(step: Step) -> list[str]:
    assert step.text is not None
    lines = step.text.split("\n")
    if lines[-1] == "":
        lines.pop()
    inserted = step.sent["insert_text"]
    lines.insert(step.sent["insert_line"], inserted.removesuffix("\n"))
    return lines


def _insert(step: Step) -> Step:
    return replace(step, stored={**step.files, step.path: "".join(f"{line}\n" for line in _inserted_lines(step))})


def _delete_old_text(step: Step) -> Step:
    assert step.text is not None
    before, _, after = step.text.partition(step.sent["old_str"])
    lines = (before + after).split("\n")
    changed = before.count("\n") + 1
    shown = range(max(1, changed - 2), min(len(lines), changed + 2) + 1)
    header = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    answer = "\n".join((header, *(f"{number:>6}\t{lines[number - 1]}" for number in shown)))
    return replace(step, answer=answer, stored={**step.files, step.path: before + after})


def _count_without_overlap(step: Step) -> Step:
    assert step.text is not None
    old_str = step.sent["old_str"]
    lines = [step.text.count("\n", 0, match.start()) + 1 for match in re.finditer(re.escape(old_str), step.text)]
    return step.refused(
        f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: "
        f"{', '.join(map(str, lines))}. Please ensure it is unique"
    )


def _is_alias(raw: str) -> bool:
    return raw.startswith(ROOT) and raw != ROOT and not raw.startswith(f"{ROOT}/")


def _refuse_alias(step: Step) -> Step:
    for raw in step.raw_paths:
        if not re.match(r"/memories(/|$)", raw):
            return step.refused(f"Path must start with /memories, got: {raw}")
        if not re.match(r"/memories(/|$)", posixpath.normpath(raw)):
            return step.refused(f"Path {raw} would escape /memories directory")
    return step


def _surrogate_parameter(step: Step) -> str | None:
    return next((name for name in step.sent if isinstance(step.sent[name], str) and "\ud800" in step.sent[name]), None)


# Commands that ours decides without the oracle, in the order of its checks: only the first that applies is used.
DECIDED_DIFFERENTLY = [
    Difference(
        "Fault: a lone surrogate is a UnicodeEncodeError, and leaves an empty file behind.",
        lambda step: _surrogate_parameter(step) is not None,
        lambda step: step.refused(
            f"Error: Invalid `{_surrogate_parameter(step)}` parameter: "
            "it holds a lone surrogate, which is not a character"
        ),
    ),
    Difference(
        "Fault: `/memoriesX` is an alias of `/memories/X`.",
        lambda step: any(map(_is_alias, step.raw_paths)),
        _refuse_alias,
    ),
    Difference(
        "Contract: an empty old_str is an error, not a match.",
        lambda step: step.is_inside and step.sent.get("old_str") == "",
        lambda step: step.refused("Error: Invalid `old_str` parameter: it must not be empty"),
    ),
    Difference(
        "Fault: renaming something into itself is an OSError with a path of the host.",
        lambda step: (
            step.command == "rename"
            and step.is_inside
            and step.path != ROOT
            and step.paths[1].startswith(f"{step.path}/")
        ),
        lambda step: step.refused(f"Error: Cannot move {step.path} into itself: {step.paths[1]} is below it"),
    ),
    Difference(
        "Fault: renaming to below a file is an OSError with a path of the host. Ours checks this before the source.",
        lambda step: (
            step.command == "rename" and step.is_inside and step.path != ROOT and step.file_above_last is not None
        ),
        lambda step: step.refused(
            f"Error: There can be nothing at {step.paths[1]}, because {step.file_above_last} is a file, not a directory"
        ),
    ),
    Difference(
        "Fault: renaming a path below a file is an OSError with a path of the host.",
        lambda step: (
            step.command == "rename" and isinstance(step.answer, Crashed) and bool(file_above(step.files, step.path))
        ),
        lambda step: step.refused(f"Error: The path {step.path} does not exist"),
    ),
    Difference(
        "Fault: creating below a file is an OSError with a path of the host.",
        lambda step: step.command == "create" and isinstance(step.answer, Crashed) and bool(step.file_above_last),
        lambda step: step.refused(
            f"Error: There can be nothing at {step.path}, because {step.file_above_last} is a file, not a directory"
        ),
    ),
    Difference(
        "Fault: an omitted new_str is a TypeError.",
        lambda step: (
            isinstance(step.answer, Crashed)
            and isinstance(step.answer.error, TypeError)
            and "new_str" not in step.sent
            and bool(step.sent["old_str"])
        ),
        _delete_old_text,
    ),
    Difference(
        "Contract: occurrences are counted without overlap, including in the list of their lines.",
        lambda step: _refused_with("No replacement was performed. Multiple")(step) and bool(step.sent["old_str"]),
        _count_without_overlap,
    ),
    Difference(
        "Fault: the values of view_range are used as slice bounds, and ignored if they are invalid.",
        _is_range_refused,
        _refuse_range,
    ),
]

# What ours says or stores in other words than the reference: all that apply are used, in this order.
WORDED_DIFFERENTLY = [
    Difference(
        "The reference shows a path as it was sent: `/memories/` lists `/memories//a`.",
        lambda step: step.is_inside and step.raw_paths != step.paths,
        _with_canonical_paths,
    ),
    Difference(
        "Documentation: the error for a directory says that the path does not exist.",
        lambda step: isinstance(step.answer, Refused) and step.answer.text.endswith(" is not a file."),
        lambda step: _reworded(
            step, lambda text: text.replace(" is not a file.", " does not exist. Please provide a valid path.")
        ),
    ),
    Difference(
        "Documentation: these errors begin with `Error: `.",
        lambda step: (
            step.command != "view" and _refused_with("File ", "The path ", "The destination ", "Invalid `insert")(step)
        ),
        lambda step: _reworded(step, lambda text: f"Error: {text}"),
    ),
    Difference(
        "Documentation: `insert` only says that the path does not exist.",
        lambda step: step.command == "insert" and _refused_with("Error: The path ")(step),
        lambda step: step.refused(f"Error: The path {step.path} does not exist"),
    ),
    Difference(
        "Documentation: the range of `insert_line` refers to lines of the file.",
        _refused_with("Error: Invalid `insert_line`"),
        lambda step: _reworded(
            step, lambda text: text.replace("range [", "range of lines of the file: [").removesuffix(".")
        ),
    ),
    Difference("Documentation: node_modules are left out of listings.", _is_listing, _without_node_modules),
    Difference(
        "Contract: a directory's size is the sum of the files below it, not that of its inode.", _is_listing, _with_sums
    ),
    Difference(
        "Fault: insert_text loses all its trailing newlines.",
        lambda step: (
            step.command == "insert" and isinstance(step.answer, str) and step.sent["insert_text"].endswith("\n\n")
        ),
        _insert,
    ),
    Difference(
        "Fault: an empty last line is mistaken for the final newline, and lost.",
        lambda step: step.command == "insert" and isinstance(step.answer, str) and _inserted_lines(step)[-1] == "",
        _insert,
    ),
]


def _asked(oracle: BetaLocalFilesystemMemoryTool, sent: dict[str, Any]) -> Answer | Crashed:
    try:
        answer = oracle.call(sent)
    except ToolError as error:
        return Refused(str(error))
    except Exception as error:  # noqa: BLE001 - what the oracle lets through is what is looked at
        return Crashed(error)
    assert isinstance(answer, str)
    return answer


def _files_on_disk(root: Path) -> dict[str, str]:
    """Return the oracle's files. Remove its empty directories: ours has none."""
    files = {}
    for directory, directories, names in os.walk(root, topdown=False):
        for name in names:
            path = Path(directory, name)
            files[f"{ROOT}/{path.relative_to(root)}"] = path.read_bytes().decode()
        if Path(directory) != root and not names and not any(Path(directory, name).exists() for name in directories):
            Path(directory).rmdir()
    return files


def _put_on_disk(root: Path, files: dict[str, str]) -> None:
    shutil.rmtree(root)
    root.mkdir()
    for name, text in files.items():
        path = root / name.removeprefix(f"{ROOT}/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def _as_ours(step: Step) -> tuple[Step, list[Difference]]:
    """Return our expected result for a command that the oracle carried out, and the differences that this takes."""
    for difference in DECIDED_DIFFERENTLY:
        if difference.applies(step):
            return difference.ours(step), [difference]
    applied = []
    for difference in WORDED_DIFFERENTLY:
        if difference.applies(step):
            worded = difference.ours(step)
            applied += [difference] * (worded != step)
            step = worded
    return step, applied


PATHS = st.sampled_from(
    [
        *(f"{ROOT}/{name}" for name in ("a", "a", "d/a", "d/a", "d/b", "d/e/a", "d", "d", "d/e", "a/b", ".h")),
        *(f"{ROOT}/{name}" for name in ("node_modules/x", "caf\u00e9", "/a", "./d/a", "d/", "d/../a", "x/../d/e", "")),
        *(ROOT, f"{ROOT}/d/..", f"{ROOT}/../memories/a", f"{ROOT}/..", f"{ROOT}/../x", f"{ROOT}d", "/etc/a", "a", ""),
    ]
)
TEXTS = st.sampled_from(
    [
        "",
        "x",
        "x\n",
        "x\ny",
        "x\ny\n",
        "x\nx\n",
        "\n",
        "\n\n",
        "x\n\n",
        "xxxx",
        "aba\naba",
        "x\r\ny\r\n",
        "\u00e9\u2028\x0cx",
    ]
)
SURROGATE = st.just("x\ud800")
OLD_TEXTS = st.sampled_from(["x", "x", "y", "xx", "\n", "x\n", "x\ny", "a", "aba", "z", "", "\u2028"])
INSERTED = st.sampled_from(["n", "n\n", "n\n\n\n", "", "\n", "a\nb", "\nb\n", "r\r\n"])
LINES = st.integers(-2, 5)
RANGES = st.lists(LINES, min_size=2, max_size=2) | st.lists(LINES, max_size=3)


def inputs(command: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"command": st.just(command), **fields})


CREATES = inputs("create", path=PATHS, file_text=TEXTS)
INPUTS = st.one_of(
    CREATES,
    CREATES,
    inputs("create", path=PATHS, file_text=SURROGATE),
    inputs("view", path=PATHS),
    inputs("view", path=PATHS, view_range=RANGES),
    inputs("str_replace", path=PATHS, old_str=OLD_TEXTS, new_str=OLD_TEXTS),
    inputs("str_replace", path=PATHS, old_str=OLD_TEXTS | SURROGATE),
    inputs("insert", path=PATHS, insert_line=LINES, insert_text=INSERTED),
    inputs("insert", path=PATHS, insert_line=LINES, insert_text=INSERTED),
    inputs("delete", path=PATHS),
    inputs("rename", old_path=PATHS, new_path=PATHS),
    inputs("rename", old_path=PATHS, new_path=PATHS),
)


@pytest.fixture(scope="module")
def bucket(s3: S3Client) -> str:
    """One bucket for all sequences: each uses its own tenant."""
    name = unique("oracle")
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    return name


class Both:
    """The oracle and ours, side by side."""

    def __init__(self, commands: MemoryCommands, directory: Path) -> None:
        self._commands = commands
        self._oracle = BetaLocalFilesystemMemoryTool(base_path=str(directory))
        self._root = self._oracle.memory_root
        self._files: dict[str, str] = {}
        self._known: dict[str, tuple[str, str]] = {}

    def send(self, sent: dict[str, Any]) -> list[Difference]:
        """Send a command to both and compare the results. Return the differences that were allowed for."""
        theirs = Step(sent, self._files, _asked(self._oracle, sent), _files_on_disk(self._root))
        ours, applied = _as_ours(theirs)
        assert through_call(self._commands, sent) == ours.answer, sent
        if sent["command"] != "view":
            assert files_of(self._commands.store, self._known) == ours.stored, sent
        if ours.stored != theirs.stored:
            _put_on_disk(self._root, ours.stored)
        self._files = ours.stored
        return applied


@pytest.fixture
def make_both(make_commands: MakeCommands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Both]:
    monkeypatch.setattr(os, "fsync", lambda _: None)

    def make(name_mode: str) -> Both:
        number = next(_numbers)
        commands = make_commands(tenant=f"tenant-{number}", name_mode=name_mode)
        make_ring(commands.store, name_mode)
        return Both(commands, tmp_path / str(number))

    return make


@pytest.mark.long
@pytest.mark.parametrize("name_mode", ["plain", "encrypted"])
@settings(max_examples=75)
@given(sequence=st.lists(INPUTS, min_size=3, max_size=15))
def test_answers_and_files_match_the_reference_except_for_the_listed_differences(
    make_both: Callable[[str], Both], name_mode: str, sequence: list[dict[str, Any]]
) -> None:
    both = make_both(name_mode)
    for sent in sequence:
        both.send(sent)


def test_every_listed_difference_still_exists(make_both: Callable[[str], Both]) -> None:
    both = make_both("plain")
    a, deep = f"{ROOT}/a", f"{ROOT}/d/b"
    sequence: list[dict[str, Any]] = [
        {"command": "create", "path": a, "file_text": "xx\nxx\n\n"},
        {"command": "create", "path": f"{ROOT}//a", "file_text": ""},
        {"command": "create", "path": f"{ROOT}d", "file_text": ""},
        {"command": "create", "path": f"{a}/b", "file_text": ""},
        {"command": "create", "path": deep, "file_text": "x\ud800"},
        {"command": "create", "path": deep, "file_text": "x"},
        {"command": "create", "path": f"{ROOT}/node_modules/x", "file_text": "x"},
        {"command": "view", "path": ROOT},
        {"command": "view", "path": a, "view_range": [0, 1]},
        {"command": "insert", "path": a, "insert_line": 0, "insert_text": "n"},
        {"command": "insert", "path": a, "insert_line": 0, "insert_text": "n\n\n"},
        {"command": "insert", "path": a, "insert_line": 99, "insert_text": "n"},
        {"command": "insert", "path": f"{ROOT}/d", "insert_line": 0, "insert_text": "n"},
        {"command": "str_replace", "path": a, "old_str": "", "new_str": "y"},
        {"command": "str_replace", "path": a, "old_str": "xx"},
        {"command": "str_replace", "path": deep, "old_str": "x"},
        {"command": "create", "path": f"{ROOT}/y", "file_text": "yyyy"},
        {"command": "str_replace", "path": f"{ROOT}/y", "old_str": "yy", "new_str": "z"},
        {"command": "rename", "old_path": f"{ROOT}/d", "new_path": f"{ROOT}/d/e/f"},
        {"command": "rename", "old_path": deep, "new_path": f"{a}/b/c"},
        {"command": "rename", "old_path": f"{a}/b", "new_path": f"{ROOT}/z"},
    ]
    seen = [difference.reason for sent in sequence for difference in both.send(sent)]
    assert set(seen) == {difference.reason for difference in DECIDED_DIFFERENTLY + WORDED_DIFFERENTLY}
