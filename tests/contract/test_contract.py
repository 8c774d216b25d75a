"""The memory tool's contract as a table: each input, the exact answer, and what is stored afterwards.

The texts are those of Claude's memory tool documentation; where it is silent, those of the SDK's local filesystem
tool; and beyond that, this package's own. Each row holds for the core, for both tools and for their typed methods.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from conftest import MakeCommands
from support.buckets import new_bucket
from support.flavours import (
    Answer,
    Flavour,
    Refused,
    files_of,
    make_ring,
    put_file,
    through_async_call,
    through_async_typed_method,
    through_call,
    through_core,
    through_typed_method,
)
from support.memory_s3 import InMemoryS3

from s3memory import Limits, MemoryCommands
from s3memory.contract.editing import only_occurrence
from s3memory.errors import EditError
from s3memory.limits import MAX_VIEW_LINES
from s3memory.paths import MemoryPath
from s3memory.redaction import Redaction
from s3memory.s3.bucket import Bucket
from s3memory.store import listing
from s3memory.store.tree import pending

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

Files = Mapping[str, str]

_tenants = (f"tenant-{number}" for number in itertools.count())

FLAVOURS: dict[str, tuple[Flavour, str]] = {
    "core": (through_core, "plain"),
    "core-encrypted": (through_core, "encrypted"),
    "call": (through_call, "encrypted"),
    "typed": (through_typed_method, "plain"),
    "async_call": (through_async_call, "plain"),
    "async_typed": (through_async_typed_method, "encrypted"),
}

# Flavours, name modes and servers are independent of one another, so not every combination is tested. The core runs
# against moto through botocore; the tools, which add nothing to its requests, against an in-memory S3.
every_flavour = pytest.mark.parametrize("flavour", ["core", "call", "typed", "async_typed"])
every_untyped_flavour = pytest.mark.parametrize("flavour", ["core", "call", "async_call"])
both_name_modes = pytest.mark.parametrize("flavour", ["core", "core-encrypted"])


@pytest.fixture
def bucket() -> str:
    """A bucket without versioning."""
    return new_bucket(is_versioned=False)


class Memory:
    """A tenant's memory behind one flavour."""

    def __init__(self, commands: MemoryCommands, send: Flavour) -> None:
        self.commands = commands
        self.store = commands.store
        self._send = send
        self._written: dict[str, tuple[str, str]] = {}

    def send(self, command: str, **parameters: Any) -> Answer:
        return self.send_raw({"command": command, **parameters})

    def send_raw(self, sent: Any) -> Answer:
        return self._send(self.commands, sent)

    def write(self, files: Files) -> None:
        for path, text in files.items():
            self._written[path] = (text, put_file(self.store, path, text))

    def files(self) -> dict[str, str]:
        """Return all files. One whose object is still the one that `write` stored is not read again."""
        return files_of(self.store, self._written)


MakeMemory = Callable[..., Memory]


@pytest.fixture(scope="module")
def server() -> InMemoryS3:
    return InMemoryS3()


@pytest.fixture
def make_memory(make_commands: MakeCommands, server: InMemoryS3) -> MakeMemory:
    def make(flavour: str, *, is_used: bool = True, **more: Any) -> Memory:
        send, name_mode = FLAVOURS[flavour]
        if send is not through_core:
            more["s3_client"] = server.client()
        memory = Memory(make_commands(tenant=next(_tenants), name_mode=name_mode, **more), send)
        if is_used:
            make_ring(memory.store, name_mode)
        return memory

    return make


@pytest.fixture
def memory(make_memory: MakeMemory, flavour: str) -> Memory:
    return make_memory(flavour)


Request = tuple[str, dict[str, Any]]


@pytest.fixture
def requests(s3: S3Client) -> Iterator[list[Request]]:
    """The operation and the query string of every S3 request that the test makes."""
    made: list[Request] = []

    def record(params: dict[str, Any], model: Any, **_: Any) -> None:
        made.append((model.name, params["query_string"]))

    s3.meta.events.register("before-call.s3", record, unique_id="contract-requests")
    yield made
    s3.meta.events.unregister("before-call.s3", unique_id="contract-requests")


@dataclass(frozen=True)
class Row:
    """One rule of the contract.

    Attributes:
        rule: the rule as a sentence.
        sent: the tool input.
        answer: the answer.
        files: what is stored beforehand.
        stored: what is stored afterwards; the same as before where left out.
    """

    rule: str
    sent: Mapping[str, Any]
    answer: Answer
    files: Files = field(default_factory=dict)
    stored: Files | None = None


def rows(*table: Row) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", table, ids=lambda row: row.rule.replace(" ", "_"))


def check(row: Row, memory: Memory) -> None:
    memory.write(row.files)
    assert memory.send_raw(row.sent) == row.answer
    assert memory.files() == (row.files if row.stored is None else row.stored)


def put_files(memory: Memory, sizes: Mapping[str, int]) -> None:
    memory.write({path: "x" * size for path, size in sizes.items()})


def view(path: str, view_range: object = None) -> dict[str, Any]:
    return {"command": "view", "path": path} | ({} if view_range is None else {"view_range": view_range})


def create(path: str, file_text: str) -> dict[str, Any]:
    return {"command": "create", "path": path, "file_text": file_text}


def str_replace(path: str, old_str: str, new_str: str | None = None) -> dict[str, Any]:
    sent = {"command": "str_replace", "path": path, "old_str": old_str}
    return sent if new_str is None else sent | {"new_str": new_str}


def insert(path: str, insert_line: int, insert_text: str) -> dict[str, Any]:
    return {"command": "insert", "path": path, "insert_line": insert_line, "insert_text": insert_text}


def delete(path: str) -> dict[str, Any]:
    return {"command": "delete", "path": path}


def rename(old_path: str, new_path: str) -> dict[str, Any]:
    return {"command": "rename", "old_path": old_path, "new_path": new_path}


def listed(path: str, *lines: str) -> str:
    header = (
        f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
    )
    return "\n".join((header, *lines))


def cut_line(n_items: int) -> str:
    return f"[The listing is cut after {n_items} items. For more, view a subdirectory, or move shown files into one.]"


def content(path: str, *lines: str) -> str:
    return "\n".join((f"Here's the content of {path} with line numbers:", *lines))


def edited(*lines: str) -> str:
    header = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return "\n".join((header, *lines))


def no_character(parameter: str) -> Refused:
    return Refused(f"Error: Invalid `{parameter}` parameter: it holds a lone surrogate, which is not a character")


A = "/memories/a.md"
NOTES = "/memories/notes"
THREE_LINES = {A: "one\ntwo\nthree"}
TREE = {"/memories/d/x.md": "X", "/memories/d/e/y.md": "Y", "/memories/d.md": "beside", "/memories/dd/z.md": "Z"}
NOT_TWO_INTEGERS = Refused("Error: Invalid `view_range` parameter: it must be a list of two integers")


@every_flavour
class TestViewOfAFile:
    @rows(
        Row(
            "lines are numbered in six columns before a tab",
            view(A),
            content(A, "     1\tone", "     2\ttwo", "     3\tthree"),
            THREE_LINES,
        ),
        Row(
            "numbers are right-aligned",
            view(A, [9, 11]),
            content(A, "     9\t9", "    10\t10", "    11\t11"),
            {A: "\n".join(map(str, range(1, 13)))},
        ),
        Row(
            "a trailing newline shows one further empty line",
            view(A),
            content(A, "     1\tone", "     2\t"),
            {A: "one\n"},
        ),
        Row("an empty file shows one empty line", view(A), content(A, "     1\t"), {A: ""}),
        Row(
            "carriage returns are content",
            view(A),
            content(A, "     1\tone\r", "     2\ttwo\r", "     3\tthree\rfour"),
            {A: "one\r\ntwo\r\nthree\rfour"},
        ),
        Row(
            "only a newline ends a line",
            view(A),
            content(A, "     1\ta\u2028b\u2029c\x0cd\x0be\x85f\x1cg\x1dh\x1ei", "     2\tj"),
            {A: "a\u2028b\u2029c\x0cd\x0be\x85f\x1cg\x1dh\x1ei\nj"},
        ),
        Row(
            "the canonical path is shown",
            view("/memories//notes/./x/../y.md/"),
            content("/memories/notes/y.md", "     1\ty"),
            {"/memories/notes/y.md": "y"},
        ),
        Row(
            "composed and decomposed spellings name the same file",
            view("/memories/cafe\u0301.md"),
            content("/memories/caf\u00e9.md", "     1\ttea"),
            {"/memories/caf\u00e9.md": "tea"},
        ),
        Row(
            "names are case-sensitive",
            view("/memories/A.md"),
            Refused("The path /memories/A.md does not exist. Please provide a valid path."),
            THREE_LINES,
        ),
        Row(
            "a missing path is an error",
            view(A),
            Refused("The path /memories/a.md does not exist. Please provide a valid path."),
        ),
        Row(
            "there is nothing below a file",
            view(f"{A}/b"),
            Refused("The path /memories/a.md/b does not exist. Please provide a valid path."),
            THREE_LINES,
        ),
        Row(
            "the beginning of a name is a different name",
            view("/memories/a"),
            Refused("The path /memories/a does not exist. Please provide a valid path."),
            THREE_LINES,
        ),
    )
    def test_follows_the_table(self, memory: Memory, row: Row) -> None:
        check(row, memory)

    @rows(
        Row("both ends are included", view(A, [1, 2]), content(A, "     1\tone", "     2\ttwo"), THREE_LINES),
        Row("one line is a range", view(A, [2, 2]), content(A, "     2\ttwo"), THREE_LINES),
        Row("minus one stands for the end", view(A, [2, -1]), content(A, "     2\ttwo", "     3\tthree"), THREE_LINES),
        Row("the last line can be viewed alone", view(A, [3, -1]), content(A, "     3\tthree"), THREE_LINES),
        Row(
            "an end after the last line stands for the last line",
            view(A, [3, 99]),
            content(A, "     3\tthree"),
            THREE_LINES,
        ),
        Row("the line after a trailing newline can be viewed", view(A, [2, 2]), content(A, "     2\t"), {A: "one\n"}),
        Row("an empty file has a first line", view(A, [1, 1]), content(A, "     1\t"), {A: ""}),
        Row(
            "a null range is the whole file",
            {**view(A), "view_range": None},
            content(A, "     1\tone", "     2\ttwo", "     3\tthree"),
            THREE_LINES,
        ),
        *(
            Row(
                f"no range begins at {start}",
                view(A, [start, end]),
                Refused(
                    f"Error: Invalid `view_range` parameter: [{start}, {end}]. "
                    "It should begin within the range of lines of the file: [1, 3]"
                ),
                THREE_LINES,
            )
            for start, end in ((0, 1), (-1, -1), (-2, 3), (4, 4), (4, -1), (10**9, 10**9))
        ),
        *(
            Row(
                f"no range from {start} ends at {end}",
                view(A, [start, end]),
                Refused(
                    f"Error: Invalid `view_range` parameter: [{start}, {end}]. "
                    "It should end at or after its begin, or be -1 for the end"
                ),
                THREE_LINES,
            )
            for start, end in ((3, 2), (1, 0), (1, -2), (2, -3))
        ),
        *(
            Row(f"{not_a_range!r} is no range", view(A, not_a_range), NOT_TWO_INTEGERS, THREE_LINES)
            for not_a_range in (
                [],
                [1],
                [1, 2, 3],
                [1.5, 2],
                [None, 2],
                [[1], [2]],
                "1,2",
                1,
                True,
                {"start": 1},
            )
        ),
        Row(
            "a directory has no lines",
            view(NOTES, [1, 2]),
            Refused("Error: Invalid `view_range` parameter: /memories/notes is a directory, and lines are in files"),
            {f"{NOTES}/a.md": "a"},
        ),
        Row(
            "the root has no lines",
            view("/memories/", [1, -1]),
            Refused("Error: Invalid `view_range` parameter: /memories is a directory, and lines are in files"),
        ),
        Row(
            "a missing path is an error with a range as well",
            view(A, [1, 2]),
            Refused("The path /memories/a.md does not exist. Please provide a valid path."),
        ),
    )
    def test_takes_a_range_of_lines(self, memory: Memory, row: Row) -> None:
        check(row, memory)


@every_untyped_flavour  # the SDK's types convert these to integers
@pytest.mark.parametrize("view_range", [["1", "2"], [1.5, 2], [True, 2], [1, False], [1, float("inf")], [[1.0], 2]])
def test_a_range_is_only_two_actual_integers(memory: Memory, view_range: list[object]) -> None:
    memory.write(THREE_LINES)
    assert memory.send("view", path=A, view_range=view_range) == NOT_TWO_INTEGERS


@every_flavour
def test_a_whole_number_is_an_integer_however_json_writes_it(memory: Memory) -> None:
    memory.write(THREE_LINES)
    assert memory.send_raw({**view(A), "view_range": [1.0, -1.0]}) == memory.send_raw(view(A))
    assert memory.send_raw({**insert(A, 0, "new\n"), "insert_line": 1.0}) == f"The file {A} has been edited."
    huge = memory.send_raw({**insert(A, 0, "new\n"), "insert_line": 1e300})
    assert isinstance(huge, Refused)
    assert "insert_line" in huge.text


@every_untyped_flavour
class TestViewOfALongFile:
    def test_numbers_as_many_lines_as_fit_six_columns(self, make_memory: MakeMemory, flavour: str) -> None:
        memory = make_memory(flavour, redactor=None, limits=Limits(max_file_bytes=2_000_000))
        memory.write({A: "\n" * (MAX_VIEW_LINES - 1), NOTES: "\n" * MAX_VIEW_LINES})
        assert memory.send("view", path=A, view_range=[999_999, -1]) == content(A, "999999\t")
        refusal = Refused("File /memories/notes exceeds maximum line limit of 999,999 lines.")
        assert memory.send("view", path=NOTES) == refusal
        assert memory.send("view", path=NOTES, view_range=[1, 2]) == refusal

    @pytest.mark.parametrize("max_chars", [2_000, 16_000])
    def test_is_read_completely_and_once_by_following_the_ranges(
        self, make_memory: MakeMemory, flavour: str, max_chars: int
    ) -> None:
        memory = make_memory(flavour, limits=Limits(max_view_chars=max_chars))
        lines = [f"{number} " + "words and " * (number % 23) for number in range(1, 701)]
        memory.write({A: "\n".join(lines)})

        read: list[str] = []
        view_range = None
        while True:
            page = memory.send("view", path=A, view_range=view_range)
            assert isinstance(page, str)
            assert len(page) <= max_chars
            header, *numbered = page.split("\n")
            assert header == f"Here's the content of {A} with line numbers:"
            first, *others = numbered_lines_of(numbered)
            assert first[0] == len(read) + 1
            read += [text for _, text in (first, *others)]
            cut = re.fullmatch(
                r"\[Lines (\d+)-(\d+) of 700 shown\. For more, view with view_range \[(\d+), (\d+)\]\.\]", numbered[-1]
            )
            if cut is None:
                break
            assert [int(number) for number in cut.groups()] == [first[0], len(read), len(read) + 1, 700]
            view_range = [int(cut[3]), int(cut[4])]
        assert read == lines

    def test_is_not_cut_while_it_fits(self, make_memory: MakeMemory, flavour: str) -> None:
        memory = make_memory(flavour)
        header = f"Here's the content of {A} with line numbers:\n"
        fits = "x" * (16_000 - len(header) - len("     1\t"))
        memory.write({A: fits, NOTES[:-1]: f"{fits}y"})
        assert memory.send("view", path=A) == f"{header}     1\t{fits}"
        longer = memory.send("view", path=NOTES[:-1])
        assert isinstance(longer, str)
        assert len(longer) <= 16_000

    def test_shows_the_beginning_of_a_single_line_that_is_too_long(self, make_memory: MakeMemory, flavour: str) -> None:
        memory = make_memory(flavour)
        line = "0123456789" * 2_000
        memory.write({A: f"{line}\nlast"})
        page = memory.send("view", path=A)
        assert isinstance(page, str)
        assert 15_000 < len(page) <= 16_000
        shown, note = page.removeprefix(f"Here's the content of {A} with line numbers:\n     1\t").split("\n")
        assert line.startswith(shown)
        assert note == (
            f"[Line 1 is cut: {len(line) - len(shown)} more characters. "
            "To see them, put a line break into the line with str_replace. "
            "Lines 1-1 of 2 shown. For more, view with view_range [2, 2].]"
        )
        assert memory.send("view", path=A, view_range=[2, 2]) == content(A, "     2\tlast")

    def test_shows_the_rest_of_such_a_line_after_the_break_that_the_note_suggests(
        self, make_memory: MakeMemory, flavour: str
    ) -> None:
        memory = make_memory(flavour)
        memory.write({A: " ".join(f"{number:04}" for number in range(5_000))})
        page = memory.send("view", path=A)
        assert isinstance(page, str)
        assert "put a line break into the line with str_replace" in page
        memory.send("str_replace", path=A, old_str=" 3000 ", new_str="\n3000 ")
        rest = memory.send("view", path=A, view_range=[2, 2])
        assert isinstance(rest, str)
        assert rest.endswith(" 4998 4999")

    def test_stops_paging_at_the_end_of_the_requested_range(self, make_memory: MakeMemory, flavour: str) -> None:
        memory = make_memory(flavour, limits=Limits(max_view_chars=2_000))
        memory.write({A: "\n".join("x" * 90 for _ in range(100))})
        page = memory.send("view", path=A, view_range=[11, 40])
        assert isinstance(page, str)
        assert page.endswith("\n[Lines 11-29 of 100 shown. For more, view with view_range [30, 40].]")
        assert len(page) + len("    30\t\n") + 90 > 2_000, "one more line would have fitted"


def numbered_lines_of(numbered: list[str]) -> list[tuple[int, str]]:
    """Return the number and text of each line of a view, without the continuation note."""
    matches = (re.fullmatch(r" *(\d+)\t(.*)", line) for line in numbered)
    return [(int(match[1]), match[2]) for match in matches if match]


@every_flavour
class TestViewOfADirectory:
    @rows(
        Row("an empty memory has a root", view("/memories"), listed("/memories", "0B\t/memories")),
        Row(
            "two levels are shown, depth first, and directories end in a slash",
            view("/memories"),
            listed(
                "/memories",
                "15B\t/memories",
                "14B\t/memories/a/",
                "6B\t/memories/a/b/",
                "8B\t/memories/a/c.md",
                "1B\t/memories/z.md",
            ),
            {
                "/memories/a/b/c/d.md": "ddd",
                "/memories/a/b/e.md": "eee",
                "/memories/a/c.md": "cccccccc",
                "/memories/z.md": "z",
            },
        ),
        Row(
            "levels are counted from the viewed directory",
            view("/memories/a/"),
            listed("/memories/a", "3B\t/memories/a", "3B\t/memories/a/b/", "3B\t/memories/a/b/c/"),
            {"/memories/a/b/c/d.md": "ddd", "/memories/z.md": "z"},
        ),
        Row(
            "items are sorted by name, not by object key",
            view("/memories"),
            listed(
                "/memories",
                "7B\t/memories",
                "1B\t/memories/B",
                "2B\t/memories/a/",
                "1B\t/memories/a/a",
                "1B\t/memories/a/b",
                "1B\t/memories/a-b",
                "1B\t/memories/a.md",
                "1B\t/memories/b",
                "1B\t/memories/\u00e9",
            ),
            {f"/memories/{name}": "x" for name in ("\u00e9", "a.md", "a-b", "a/b", "a/a", "b", "B")},
        ),
        Row(
            "hidden items and node_modules are left out at every level, and counted",
            view("/memories"),
            listed(
                "/memories", "8B\t/memories", "5B\t/memories/a/", "2B\t/memories/a/b/", "1B\t/memories/node_modules.md"
            ),
            {
                "/memories/.hidden": "x",
                "/memories/.git/config": "x",
                "/memories/a/.hidden": "x",
                "/memories/a/node_modules/m/index.js": "x",
                "/memories/a/.git/HEAD": "x",
                "/memories/a/b/.hidden": "x",
                "/memories/a/b/c/.hidden": "x",
                "/memories/node_modules.md": "x",
            },
        ),
        Row(
            "a hidden directory can be viewed by its name",
            view("/memories/.git"),
            listed("/memories/.git", "1B\t/memories/.git", "1B\t/memories/.git/config"),
            {"/memories/.git/config": "x"},
        ),
        Row(
            "a file named node_modules is left out as well",
            view("/memories"),
            listed("/memories", "1B\t/memories"),
            {"/memories/node_modules": "x"},
        ),
        Row(
            "sizes are plain bytes below a kibibyte and have one decimal from there",
            view("/memories"),
            listed(
                "/memories",
                "8.5K\t/memories",
                "0B\t/memories/0",
                "1023B\t/memories/1023",
                "1.0K\t/memories/1024",
                "1.5K\t/memories/1536",
                "4.0K\t/memories/4096",
                "512B\t/memories/512",
                "512B\t/memories/d/",
                "512B\t/memories/d/e/",
            ),
            {f"/memories/{size}": "x" * size for size in (0, 512, 1023, 1024, 1536, 4096)}
            | {"/memories/d/e/f": "x" * 512},
        ),
        Row(
            "sizes count bytes, not characters",
            view("/memories"),
            listed("/memories", "4B\t/memories", "4B\t/memories/a.md"),
            {A: "\N{HOT BEVERAGE}x"},
        ),
        Row(
            "names may contain characters with a meaning elsewhere",
            view("/memories"),
            listed(
                "/memories",
                "6B\t/memories",
                "1B\t/memories/ a  b ",
                "1B\t/memories/#?&=;:@!*'(),$",
                "1B\t/memories/%20",
                "1B\t/memories/+",
                "1B\t/memories/...",
                '1B\t/memories/[a]{b}^`|~"<>',
            ).replace("1B\t/memories/...\n", ""),
            {f"/memories/{name}": "x" for name in (" a  b ", "%20", "+", "#?&=;:@!*'(),$", "...", '[a]{b}^`|~"<>')},
        ),
    )
    def test_follows_the_table(self, memory: Memory, row: Row) -> None:
        check(row, memory)

    def test_shows_megabytes(self, make_memory: MakeMemory, flavour: str) -> None:
        memory = make_memory(flavour, redactor=None, limits=Limits(max_file_bytes=2_000_000))
        memory.write({A: "x" * 1_258_291})
        assert memory.send("view", path="/memories") == listed("/memories", "1.2M\t/memories", f"1.2M\t{A}")


class TestViewOfADirectoryWithManyItems:
    @both_name_modes
    def test_is_cut_between_items_and_says_so(self, memory: Memory) -> None:
        names = [f"{number:03}-{'long name ' * 20}" for number in range(80)]
        memory.write({f"/memories/{name}": "x" for name in names})
        page = memory.send("view", path="/memories")
        assert isinstance(page, str)
        assert len(page) <= 16_000
        _, top, *items, note = page.split("\n")
        assert top == "80B\t/memories"
        assert items == [f"1B\t/memories/{name}" for name in names[: len(items)]]
        assert note == cut_line(len(items))
        assert len(page) + len(items[0]) + 1 > 16_000, "one more item would have fitted"


@pytest.fixture
def pages_of_five(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listings have five keys per page, so that small trees need several pages."""
    defaults = Bucket.list_page.__kwdefaults__
    assert defaults is not None
    assert defaults["max_keys"] == 1_000
    monkeypatch.setitem(defaults, "max_keys", 5)


class TestViewOfALargeTree:
    def test_does_not_enter_a_hidden_subtree_of_a_thousand_objects(
        self, make_memory: MakeMemory, requests: list[Request]
    ) -> None:
        memory = make_memory("core")
        put_files(
            memory,
            {f"/memories/.cache/{number}": 1 for number in range(1_050)}
            | {f"{NOTES}/{number:02}.md": 10 for number in range(40)}
            | {f"{NOTES}/deep/{number}/x.md": 1 for number in range(3)}
            | {f"{NOTES}/node_modules/{number}": 1 for number in range(6)}
            | {"/memories/z.md": 1},
        )
        requests.clear()
        assert memory.send("view", path="/memories") == listed(
            "/memories",
            "404B+\t/memories",
            "403B+\t/memories/notes/",
            *(f"10B\t/memories/notes/{number:02}.md" for number in range(40)),
            "3B\t/memories/notes/deep/",
            "1B\t/memories/z.md",
        )
        tenant = memory.store.tenant
        # The first page shows that there is more; then the two displayed levels, and the content of the last of them.
        assert [(name, query["prefix"]) for name, query in requests] == [
            ("ListObjectsV2", f"memories/{tenant}/"),
            ("ListObjectsV2", f"memories/{tenant}/"),
            ("ListObjectsV2", f"memories/{tenant}/notes/"),
            ("ListObjectsV2", f"memories/{tenant}/notes/deep/"),
        ]
        assert not any("continuation-token" in query for _, query in requests)

        requests.clear()
        assert memory.send("view", path=NOTES) == listed(
            NOTES,
            "409B\t/memories/notes",
            *(f"10B\t/memories/notes/{number:02}.md" for number in range(40)),
            "3B\t/memories/notes/deep/",
            *(f"1B\t/memories/notes/deep/{number}/" for number in range(3)),
        )
        assert sorted(name for name, _ in requests) == ["GetObject", "ListObjectsV2"]

    @pytest.mark.usefixtures("pages_of_five")
    @both_name_modes
    def test_counts_the_files_below_the_displayed_levels(self, memory: Memory, requests: list[Request]) -> None:
        put_files(memory, {f"/memories/a/b/c{number}/d.md": number for number in range(1, 13)} | {A: 22})
        requests.clear()
        assert memory.send("view", path="/memories") == listed(
            "/memories", "100B\t/memories", "78B\t/memories/a/", "78B\t/memories/a/b/", f"22B\t{A}"
        )
        # The first page, the root, /a, and the twelve files below /a/b at five per page.
        assert [name for name, _ in requests] == ["ListObjectsV2"] * 6

    @pytest.mark.usefixtures("pages_of_five")
    @both_name_modes
    def test_shows_every_level_of_a_deep_tree(self, memory: Memory) -> None:
        deepest = "/memories" + "".join(f"/{depth}" for depth in range(1, 20))
        put_files(memory, {f"{deepest}/{number}.md": 3 for number in range(7)})
        for depth in range(17):
            path = "/memories" + "".join(f"/{level}" for level in range(1, depth + 1))
            one, two = f"{path}/{depth + 1}", f"{path}/{depth + 1}/{depth + 2}"
            assert memory.send("view", path=path) == listed(path, f"21B\t{path}", f"21B\t{one}/", f"21B\t{two}/")
        assert memory.send("view", path=deepest) == listed(
            deepest, f"21B\t{deepest}", *(f"3B\t{deepest}/{number}.md" for number in range(7))
        )
        assert memory.send("view", path=f"{deepest}/6.md") == content(f"{deepest}/6.md", "     1\txxx")
        assert memory.send("view", path=f"{deepest}/6") == Refused(
            f"The path {deepest}/6 does not exist. Please provide a valid path."
        )

    @pytest.mark.usefixtures("pages_of_five")
    @both_name_modes
    def test_marks_a_size_that_was_not_fully_counted_as_a_lower_bound(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(listing, "_COUNTING_PAGES", 1)
        put_files(memory, {f"/memories/a/b/c{number:02}": 10 for number in range(30)})
        assert memory.send("view", path="/memories") == listed(
            "/memories", "100B+\t/memories", "100B+\t/memories/a/", "100B+\t/memories/a/b/"
        )

    @pytest.mark.usefixtures("pages_of_five")
    @both_name_modes
    def test_shows_depth_first_what_fits_and_lists_little_more(
        self, make_memory: MakeMemory, flavour: str, requests: list[Request]
    ) -> None:
        memory = make_memory(flavour, limits=Limits(max_view_chars=2_000))
        names = [f"{number:03}-{'x' * 90}" for number in range(60)]
        put_files(memory, {f"/memories/{name}/{'y' * 90}": 1 for name in names})
        requests.clear()
        page = memory.send("view", path="/memories")
        assert isinstance(page, str)
        assert len(page) <= 2_000
        _, top, *items, note = page.split("\n")
        assert re.fullmatch(r"\d+B\+\t/memories", top)
        assert len(items) > 8
        assert (
            items
            == [line for name in names for line in (f"1B\t/memories/{name}/", f"1B\t/memories/{name}/{'y' * 90}")][
                : len(items)
            ]
        )
        assert note == cut_line(len(items))
        entered = {query["prefix"] for _, query in requests}
        assert len(entered) < len(names) / 2

    @pytest.mark.usefixtures("pages_of_five")
    def test_takes_one_request_where_the_first_page_fills_it(
        self, make_memory: MakeMemory, requests: list[Request]
    ) -> None:
        memory = make_memory("core", limits=Limits(max_view_chars=2_000))
        names = [f"{number}{'x' * 200}" for number in range(9)]
        put_files(memory, {f"/memories/d/{name}/{'y' * 150}": 7 for name in names})
        requests.clear()
        page = memory.send("view", path="/memories/d")
        assert sorted(name for name, _ in requests) == ["GetObject", "ListObjectsV2"]
        assert isinstance(page, str)
        _, top, *items, note = page.split("\n")
        assert top == "35B+\t/memories/d"
        assert items[0::2] == [f"7B\t/memories/d/{name}/" for name in names[:3]]
        assert items[1::2] == [f"7B\t/memories/d/{name}/{'y' * 150}" for name in names[:3]]
        assert (
            note == "[The listing is cut after 6 items. For more, view a subdirectory, or move shown files into one.]"
        )

    @pytest.mark.usefixtures("pages_of_five")
    @pytest.mark.parametrize("below", ["", "/d"])
    def test_shows_a_directory_first_that_sorts_first_but_is_listed_last(
        self, make_memory: MakeMemory, below: str, requests: list[Request]
    ) -> None:
        memory = make_memory("core", limits=Limits(max_view_chars=2_000))
        top = f"/memories/{'t' * 200}"
        where = top + below
        # "2026-..." is listed before "2026/...", as "-" sorts before "/".
        put_files(memory, {f"{where}/2026-{number:02}-{'x' * 220}": 1 for number in range(9)} | {f"{where}/2026/z": 5})
        requests.clear()
        shown = memory.send("view", path=top)
        assert isinstance(shown, str)
        lines = shown.split("\n")
        assert lines.index(f"5B\t{where}/2026/") < lines.index(f"1B\t{where}/2026-00-{'x' * 220}")
        # Nothing at `top`, the page, and of the two directories in the last key, 2026-04-..., the listing of the first:
        # the other one would not fit into the view.
        assert len(requests) == 3


@every_flavour
class TestCreate:
    @rows(
        Row(
            "a file is stored as it was sent",
            create(A, "one\r\ntwo\n\n \t\u2028\N{HOT BEVERAGE}\x00\ufeff"),
            "File created successfully at: /memories/a.md",
            stored={A: "one\r\ntwo\n\n \t\u2028\N{HOT BEVERAGE}\x00\ufeff"},
        ),
        Row("a file may be empty", create(A, ""), "File created successfully at: /memories/a.md", stored={A: ""}),
        Row(
            "text is not normalised",
            create(A, "cafe\u0301"),
            "File created successfully at: /memories/a.md",
            stored={A: "cafe\u0301"},
        ),
        Row(
            "parents need not exist, and the path is stored in its canonical form",
            create("/memories/x/./y//../z/cafe\u0301.md/", "deep"),
            "File created successfully at: /memories/x/z/caf\u00e9.md",
            stored={"/memories/x/z/caf\u00e9.md": "deep"},
        ),
        Row(
            "an existing file is not replaced",
            create(f"/memories/../memories/{A[10:]}", "new"),
            Refused("Error: File /memories/a.md already exists"),
            THREE_LINES,
        ),
        Row(
            "a file can't have the path of a directory",
            create("/memories/d", "new"),
            Refused("Error: File /memories/d already exists"),
            TREE,
        ),
        Row(
            "a file can't be below a file",
            create(f"{A}/b/c", "new"),
            Refused(
                "Error: There can be nothing at /memories/a.md/b/c, because /memories/a.md is a file, not a directory"
            ),
            THREE_LINES,
        ),
        Row(
            "a file's name may be the beginning of another's",
            create("/memories/a.m", "new"),
            "File created successfully at: /memories/a.m",
            THREE_LINES,
            {**THREE_LINES, "/memories/a.m": "new"},
        ),
        Row(
            "a file of the maximum size is stored",
            create(A, "x" * 102_400),
            "File created successfully at: /memories/a.md",
            stored={A: "x" * 102_400},
        ),
        Row(
            "a file that is one byte larger is refused",
            create(A, "x" * 102_399 + "\u00e9"),
            Refused(
                "Error: The file would be larger than 102400 bytes, which is the limit. "
                "Nothing was changed. Shorten it or use several files."
            ),
        ),
        Row(
            "a lone surrogate is refused",
            create(A, "a\ud800b"),
            no_character("file_text"),
        ),
        Row(
            "a path of the maximum depth is stored",
            create("/memories" + "/d" * 20, "deep"),
            "File created successfully at: /memories" + "/d" * 20,
            stored={"/memories" + "/d" * 20: "deep"},
        ),
        Row(
            "a deeper path is refused",
            create("/memories" + "/d" * 21, "deep"),
            Refused("Error: Invalid path /memories" + "/d" * 21 + ": it is more than 20 levels deep"),
        ),
        Row(
            "a path that is too long for an object key is refused",
            create(f"/memories/{'x' * 1_020}", "long"),
            Refused("Error: Invalid path: it is too long to be stored. Use shorter or fewer names."),
        ),
    )
    def test_follows_the_table(self, memory: Memory, row: Row) -> None:
        check(row, memory)

    def test_replaces_a_file_if_overwriting_is_enabled(self, make_memory: MakeMemory, flavour: str) -> None:
        memory = make_memory(flavour, overwrite=True)
        memory.write(TREE)
        answer = memory.send("create", path="/memories/d.md", file_text="new")
        assert answer == "File created successfully at: /memories/d.md"
        assert memory.send("create", path="/memories/d", file_text="new") == Refused(
            "Error: File /memories/d already exists"
        )
        assert memory.send("create", path="/memories/d.md/e", file_text="new") == Refused(
            "Error: There can be nothing at /memories/d.md/e, because /memories/d.md is a file, not a directory"
        )
        assert memory.files() == {**TREE, "/memories/d.md": "new"}


class TestTheLengthOfAPath:
    @both_name_modes
    def test_is_limited_by_the_1024_bytes_of_an_object_key(self, memory: Memory, s3: S3Client) -> None:
        store = memory.store
        refusal = Refused("Error: Invalid path: it is too long to be stored. Use shorter or fewer names.")
        stored, refused = 1, 2_000
        while refused - stored > 1:
            length = (stored + refused) // 2
            answer = memory.send("create", path=f"/memories/{'x' * length}", file_text="x")
            if answer == refusal:
                refused = length
            else:
                assert answer == f"File created successfully at: /memories/{'x' * length}"
                stored = length
        keys = [
            item["Key"]
            for item in s3.list_objects_v2(Bucket=store.objects._name, Prefix=f"memories/{store.tenant}/")["Contents"]
        ]
        assert 1_022 <= max(len(key.encode()) for key in keys) <= 1_024
        for sent in (
            rename(f"/memories/{'x' * stored}", f"/memories/{'x' * refused}"),
            delete(f"/memories/{'x' * refused}"),
            view(f"/memories/{'x' * refused}"),
        ):
            assert memory.send_raw(sent) == refusal


@every_flavour
class TestStrReplace:
    @rows(
        Row(
            "the only occurrence is replaced and shown with two lines before and after it",
            str_replace(A, "four", "FOUR"),
            edited("     2\ttwo", "     3\tthree", "     4\tFOUR", "     5\tfive", "     6\tsix"),
            {A: "one\ntwo\nthree\nfour\nfive\nsix\nseven"},
            {A: "one\ntwo\nthree\nFOUR\nfive\nsix\nseven"},
        ),
        Row(
            "the snippet ends where the file does",
            str_replace(A, "three", "3"),
            edited("     1\tone", "     2\ttwo", "     3\t3"),
            THREE_LINES,
            {A: "one\ntwo\n3"},
        ),
        Row(
            "the snippet begins where the file does",
            str_replace(A, "one", "1"),
            edited("     1\t1", "     2\ttwo", "     3\tthree"),
            THREE_LINES,
            {A: "1\ntwo\nthree"},
        ),
        Row(
            "without a new text the old one is deleted",
            str_replace(A, "two\n"),
            edited("     1\tone", "     2\tthree"),
            THREE_LINES,
            {A: "one\nthree"},
        ),
        Row(
            "a null new text deletes as well",
            {**str_replace(A, "two\n"), "new_str": None},
            edited("     1\tone", "     2\tthree"),
            THREE_LINES,
            {A: "one\nthree"},
        ),
        Row(
            "an empty new text deletes as well",
            str_replace(A, "two\n", ""),
            edited("     1\tone", "     2\tthree"),
            THREE_LINES,
            {A: "one\nthree"},
        ),
        Row(
            "the whole text of a file may be deleted",
            str_replace(A, "one\ntwo\nthree"),
            edited("     1\t"),
            THREE_LINES,
            {A: ""},
        ),
        Row(
            "no newline is added",
            str_replace(A, "three", "four"),
            edited("     1\tone", "     2\ttwo", "     3\tfour"),
            THREE_LINES,
            {A: "one\ntwo\nfour"},
        ),
        Row(
            "the text is taken verbatim, not as a pattern",
            str_replace(A, "a.*\\d(", r"\1\g<0>$&"),
            edited("     1\tabc1 " + r"\1\g<0>$&"),
            {A: "abc1 a.*\\d("},
            {A: r"abc1 \1\g<0>$&"},
        ),
        Row(
            "carriage returns are kept",
            str_replace(A, "two", "2"),
            edited("     1\tone\r", "     2\t2\r", "     3\t"),
            {A: "one\r\ntwo\r\n"},
            {A: "one\r\n2\r\n"},
        ),
        Row(
            "a text of several lines may be replaced",
            str_replace(A, "b\nc", "B\nX\nC"),
            edited("     1\ta", "     2\tB", "     3\tX", "     4\tC"),
            {A: "a\nb\nc\nd"},
            {A: "a\nB\nX\nC\nd"},
        ),
        Row(
            "only newlines count as lines",
            str_replace(A, "b", "B"),
            edited("     1\ta\u2028\x0c\x85B"),
            {A: "a\u2028\x0c\x85b"},
            {A: "a\u2028\x0c\x85B"},
        ),
        Row(
            "the new text may equal the old one",
            str_replace(A, "two", "two"),
            edited("     1\tone", "     2\ttwo", "     3\tthree"),
            THREE_LINES,
        ),
        Row(
            "a missing path is an error",
            str_replace(A, "x", "y"),
            Refused("Error: The path /memories/a.md does not exist. Please provide a valid path."),
        ),
        Row(
            "a directory has no text",
            str_replace("/memories/d", "x", "y"),
            Refused("Error: The path /memories/d does not exist. Please provide a valid path."),
            TREE,
        ),
        Row(
            "a missing text is an error",
            str_replace(A, "Two", "x"),
            Refused("No replacement was performed, old_str `Two` did not appear verbatim in /memories/a.md."),
            THREE_LINES,
        ),
        Row(
            "Unicode normal forms of a text are different",
            str_replace(A, "caf\u00e9", "x"),
            Refused("No replacement was performed, old_str `caf\u00e9` did not appear verbatim in /memories/a.md."),
            {A: "cafe\u0301"},
        ),
        Row(
            "several occurrences are an error that names their lines",
            str_replace(A, "x", "y"),
            Refused(
                "No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 3. "
                "Please ensure it is unique"
            ),
            {A: "x\n\nx"},
        ),
        Row(
            "each occurrence has its number",
            str_replace(A, "x", "y"),
            Refused(
                "No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 1, 2. "
                "Please ensure it is unique"
            ),
            {A: "x x\nx"},
        ),
        Row(
            "at most a thousand occurrences are named",
            str_replace(A, "x", "y"),
            Refused(
                "No replacement was performed. Multiple occurrences of old_str `x` in lines: "
                f"{', '.join(map(str, range(1, 1_001)))}, and 5 more. Please ensure it is unique"
            ),
            {A: "x\n" * 1_005},
        ),
        Row(
            "occurrences do not overlap",
            str_replace(A, "aa", "b"),
            edited("     1\tba"),
            {A: "aaa"},
            {A: "ba"},
        ),
        Row(
            "occurrences that do not overlap count separately",
            str_replace(A, "a\na", "b"),
            Refused(
                "No replacement was performed. Multiple occurrences of old_str `a\na` in lines: 1, 3. "
                "Please ensure it is unique"
            ),
            {A: "a\na\na\na\na"},
        ),
        Row(
            "an empty old text is an error",
            str_replace(A, "", "x"),
            Refused("Error: Invalid `old_str` parameter: it must not be empty"),
            THREE_LINES,
        ),
        Row(
            "an empty old text is an error in an empty file",
            str_replace(A, "", "x"),
            Refused("Error: Invalid `old_str` parameter: it must not be empty"),
            {A: ""},
        ),
        Row(
            "a lone surrogate as the new text is refused",
            str_replace(A, "two", "\udfff"),
            no_character("new_str"),
            THREE_LINES,
        ),
        Row(
            "a lone surrogate as the old text is refused, and not quoted",
            str_replace(A, "\ud800", "x"),
            no_character("old_str"),
            THREE_LINES,
        ),
        Row(
            "a result beyond the limit of size is refused",
            str_replace(A, "two", "x" * 102_400),
            Refused(
                "Error: The file would be larger than 102400 bytes, which is the limit. "
                "Nothing was changed. Shorten it or use several files."
            ),
            THREE_LINES,
        ),
    )
    def test_follows_the_table(self, memory: Memory, row: Row) -> None:
        check(row, memory)


DONE = "The file /memories/a.md has been edited."


def not_in_range(insert_line: int, n_lines: int) -> Refused:
    return Refused(
        f"Error: Invalid `insert_line` parameter: {insert_line}. "
        f"It should be within the range of lines of the file: [0, {n_lines}]"
    )


@every_flavour
class TestInsert:
    @rows(
        Row("zero is the beginning", insert(A, 0, "new"), DONE, {A: "1\n2\n"}, {A: "new\n1\n2\n"}),
        Row("text comes after its line", insert(A, 1, "new"), DONE, {A: "1\n2\n"}, {A: "1\nnew\n2\n"}),
        Row("the number of lines is the end", insert(A, 2, "new"), DONE, {A: "1\n2\n"}, {A: "1\n2\nnew\n"}),
        Row("a last line without newline gets one", insert(A, 2, "new"), DONE, {A: "1\n2"}, {A: "1\n2\nnew\n"}),
        Row(
            "a last line gets a newline even if the text comes before it",
            insert(A, 0, "new"),
            DONE,
            {A: "1\n2"},
            {A: "new\n1\n2\n"},
        ),
        Row("one trailing newline ends the text", insert(A, 1, "new\n"), DONE, {A: "1\n2\n"}, {A: "1\nnew\n2\n"}),
        Row(
            "further trailing newlines are lines",
            insert(A, 1, "new\n\n\n"),
            DONE,
            {A: "1\n2\n"},
            {A: "1\nnew\n\n\n2\n"},
        ),
        Row("a newline alone is an empty line", insert(A, 1, "\n"), DONE, {A: "1\n2\n"}, {A: "1\n\n2\n"}),
        Row("no text is an empty line", insert(A, 1, ""), DONE, {A: "1\n2\n"}, {A: "1\n\n2\n"}),
        Row("leading newlines are lines", insert(A, 1, "\n\nnew"), DONE, {A: "1\n2\n"}, {A: "1\n\n\nnew\n2\n"}),
        Row("a text may have several lines", insert(A, 1, "a\nb"), DONE, {A: "1\n2\n"}, {A: "1\na\nb\n2\n"}),
        Row("text can be inserted into an empty file", insert(A, 0, "new"), DONE, {A: ""}, {A: "new\n"}),
        Row("empty last lines are kept", insert(A, 0, "new"), DONE, {A: "1\n\n\n"}, {A: "new\n1\n\n\n"}),
        Row("an empty last line is a line", insert(A, 2, "new"), DONE, {A: "1\n\n"}, {A: "1\n\nnew\n"}),
        Row("carriage returns are kept", insert(A, 1, "new\r\n"), DONE, {A: "1\r\n2\r\n"}, {A: "1\r\nnew\r\n2\r\n"}),
        Row("new lines get no carriage returns", insert(A, 1, "new"), DONE, {A: "1\r\n2\r\n"}, {A: "1\r\nnew\n2\r\n"}),
        Row(
            "only newlines count as lines",
            insert(A, 1, "new"),
            DONE,
            {A: "1\u2028\x0c\x85\r\n2\n"},
            {A: "1\u2028\x0c\x85\r\nnew\n2\n"},
        ),
        Row("an empty file has no first line", insert(A, 1, "new"), not_in_range(1, 0), {A: ""}),
        Row("a newline alone is one line", insert(A, 2, "new"), not_in_range(2, 1), {A: "\n"}),
        Row("a trailing newline makes no line", insert(A, 3, "new"), not_in_range(3, 2), {A: "1\n2\n"}),
        Row("lines do not count from the end", insert(A, -1, "new"), not_in_range(-1, 2), {A: "1\n2"}),
        Row("a very large number is after the end", insert(A, 10**9, "new"), not_in_range(10**9, 2), {A: "1\n2"}),
        Row(
            "a missing path is an error",
            insert(A, 0, "new"),
            Refused("Error: The path /memories/a.md does not exist"),
        ),
        Row(
            "a directory has no lines",
            insert("/memories/d", 0, "new"),
            Refused("Error: The path /memories/d does not exist"),
            TREE,
        ),
        Row(
            "a lone surrogate is refused",
            insert(A, 0, "\ud83c"),
            no_character("insert_text"),
            THREE_LINES,
        ),
        Row(
            "a result beyond the limit of size is refused",
            insert(A, 0, "x" * 102_400),
            Refused(
                "Error: The file would be larger than 102400 bytes, which is the limit. "
                "Nothing was changed. Shorten it or use several files."
            ),
            THREE_LINES,
        ),
        Row(
            "new_str is accepted in place of insert_text",
            {"command": "insert", "path": A, "insert_line": 0, "new_str": "new"},
            DONE,
            {A: "1\n"},
            {A: "new\n1\n"},
        ),
        Row(
            "new_str together with insert_text is an error",
            {**insert(A, 0, "new"), "new_str": "other"},
            Refused("Error: Unknown parameter `new_str` for insert. It takes: `path`, `insert_line`, `insert_text`"),
            {A: "1\n"},
        ),
    )
    def test_follows_the_table(self, memory: Memory, row: Row) -> None:
        check(row, memory)


@every_flavour
class TestDelete:
    @rows(
        Row(
            "a file is deleted, and nothing else whose name starts like it",
            delete("/memories/d.md"),
            "Successfully deleted /memories/d.md",
            {**TREE, "/memories/d.md.old": "old"},
            {path: text for path, text in {**TREE, "/memories/d.md.old": "old"}.items() if path != "/memories/d.md"},
        ),
        Row(
            "a directory is deleted with everything below it, and nothing else",
            delete("/memories//d/./"),
            "Successfully deleted /memories/d",
            TREE,
            {"/memories/d.md": "beside", "/memories/dd/z.md": "Z"},
        ),
        Row(
            "a directory disappears with its last file",
            delete("/memories/d/e/y.md"),
            "Successfully deleted /memories/d/e/y.md",
            TREE,
            {path: text for path, text in TREE.items() if path != "/memories/d/e/y.md"},
        ),
        Row(
            "hidden files below a directory are deleted as well",
            delete("/memories/d"),
            "Successfully deleted /memories/d",
            {"/memories/d/.hidden": "x", "/memories/d/node_modules/m": "x"},
            {},
        ),
        Row("a missing path is an error", delete(A), Refused("Error: The path /memories/a.md does not exist")),
        Row(
            "there is nothing below a file",
            delete("/memories/d.md/x"),
            Refused("Error: The path /memories/d.md/x does not exist"),
            TREE,
        ),
    )
    def test_follows_the_table(self, memory: Memory, row: Row) -> None:
        check(row, memory)

    def test_makes_room_for_a_new_file(self, memory: Memory) -> None:
        memory.write(TREE)
        memory.send("delete", path="/memories/d")
        assert memory.send("view", path="/memories/d") == Refused(
            "The path /memories/d does not exist. Please provide a valid path."
        )
        assert memory.send("delete", path="/memories/d") == Refused("Error: The path /memories/d does not exist")
        assert memory.send("create", path="/memories/d", file_text="now a file") == (
            "File created successfully at: /memories/d"
        )


def already(path: str) -> Refused:
    return Refused(f"Error: The destination {path} already exists")


@every_flavour
class TestRename:
    @rows(
        Row(
            "a file is renamed, and its new parents need not exist",
            rename("/memories//d/x.md", "/memories/new/./place/x.md"),
            "Successfully renamed /memories/d/x.md to /memories/new/place/x.md",
            TREE,
            {path: text for path, text in TREE.items() if path != "/memories/d/x.md"}
            | {"/memories/new/place/x.md": "X"},
        ),
        Row(
            "a directory is renamed completely, and nothing else",
            rename("/memories/d/", "/memories/new/place/"),
            "Successfully renamed /memories/d to /memories/new/place",
            {**TREE, "/memories/d/.hidden": "H", "/memories/d/node_modules/m": "M"},
            {
                "/memories/new/place/x.md": "X",
                "/memories/new/place/e/y.md": "Y",
                "/memories/new/place/.hidden": "H",
                "/memories/new/place/node_modules/m": "M",
                "/memories/d.md": "beside",
                "/memories/dd/z.md": "Z",
            },
        ),
        Row(
            "a directory may be moved up one level",
            rename("/memories/d/e", "/memories/e"),
            "Successfully renamed /memories/d/e to /memories/e",
            TREE,
            {path: text for path, text in TREE.items() if path != "/memories/d/e/y.md"} | {"/memories/e/y.md": "Y"},
        ),
        Row(
            "only the case of a path may change",
            rename(A, "/memories/A.md"),
            "Successfully renamed /memories/a.md to /memories/A.md",
            THREE_LINES,
            {"/memories/A.md": "one\ntwo\nthree"},
        ),
        Row(
            "the bytes are kept",
            rename(A, "/memories/b"),
            "Successfully renamed /memories/a.md to /memories/b",
            {A: "\ufeff\r\n\u2028 \n\n"},
            {"/memories/b": "\ufeff\r\n\u2028 \n\n"},
        ),
        Row(
            "path is accepted in place of old_path",
            {"command": "rename", "path": A, "new_path": "/memories/b"},
            "Successfully renamed /memories/a.md to /memories/b",
            THREE_LINES,
            {"/memories/b": "one\ntwo\nthree"},
        ),
        Row(
            "path together with old_path is an error",
            {**rename(A, "/memories/b"), "path": A},
            Refused("Error: Unknown parameter `path` for rename. It takes: `old_path`, `new_path`"),
            THREE_LINES,
        ),
        Row(
            "a missing path is an error",
            rename(A, "/memories/b"),
            Refused("Error: The path /memories/a.md does not exist"),
        ),
        Row(
            "a missing path is not an empty directory",
            rename(A, A),
            Refused("Error: The path /memories/a.md does not exist"),
        ),
        Row(
            "a file does not replace a file",
            rename("/memories/d/x.md", "/memories/d.md"),
            already("/memories/d.md"),
            TREE,
        ),
        Row(
            "a directory does not replace a file",
            rename("/memories/d", "/memories/d.md"),
            already("/memories/d.md"),
            TREE,
        ),
        Row(
            "a file does not replace a directory", rename("/memories/d.md", "/memories/d"), already("/memories/d"), TREE
        ),
        Row("directories are never merged", rename("/memories/d", "/memories/dd"), already("/memories/dd"), TREE),
        Row("a file can't be renamed to itself", rename(A, "/memories/./a.md"), already(A), THREE_LINES),
        Row(
            "a directory can't be renamed to itself",
            rename("/memories/d", "/memories/d/"),
            already("/memories/d"),
            TREE,
        ),
        Row(
            "a directory can't be renamed to its parent",
            rename("/memories/d/e", "/memories/d"),
            already("/memories/d"),
            TREE,
        ),
        Row(
            "a directory can't be moved into itself",
            rename("/memories/d", "/memories/d/e/f"),
            Refused("Error: Cannot move /memories/d into itself: /memories/d/e/f is below it"),
            TREE,
        ),
        Row(
            "a file can't be moved below itself",
            rename(A, f"{A}/b"),
            Refused("Error: Cannot move /memories/a.md into itself: /memories/a.md/b is below it"),
            THREE_LINES,
        ),
        Row(
            "a file can't be moved below a file",
            rename("/memories/d/x.md", "/memories/d.md/y/x.md"),
            Refused(
                "Error: There can be nothing at /memories/d.md/y/x.md, "
                "because /memories/d.md is a file, not a directory"
            ),
            TREE,
        ),
        Row(
            "a directory can't be moved below a file",
            rename("/memories/d", "/memories/d.md/y"),
            Refused(
                "Error: There can be nothing at /memories/d.md/y, because /memories/d.md is a file, not a directory"
            ),
            TREE,
        ),
        Row(
            "a directory whose files would be too deep is not moved",
            rename("/memories/d", "/memories" + "/n" * 19),
            Refused(
                "Error: Invalid path: it is too long to be stored. Use shorter or fewer names. "
                "It is about /memories/d/e/y.md."
            ),
            TREE,
        ),
    )
    def test_follows_the_table(self, memory: Memory, row: Row) -> None:
        check(row, memory)

    def test_can_be_undone(self, memory: Memory) -> None:
        memory.write(TREE)
        assert memory.send("rename", old_path="/memories/d", new_path="/memories/q") == (
            "Successfully renamed /memories/d to /memories/q"
        )
        assert memory.send("view", path="/memories/d/x.md") == Refused(
            "The path /memories/d/x.md does not exist. Please provide a valid path."
        )
        assert memory.send("view", path="/memories/q/e/y.md") == content("/memories/q/e/y.md", "     1\tY")
        memory.send("rename", old_path="/memories/q", new_path="/memories/d")
        assert memory.files() == TREE


@every_flavour
def test_a_memory_without_any_write_looks_empty(make_memory: MakeMemory, flavour: str) -> None:
    memory = make_memory(flavour, is_used=False)
    assert memory.send("view", path="/memories") == listed("/memories", "0B\t/memories")
    assert memory.send_raw(view(A)) == Refused("The path /memories/a.md does not exist. Please provide a valid path.")
    assert memory.send_raw(str_replace(A, "x")) == Refused(
        "Error: The path /memories/a.md does not exist. Please provide a valid path."
    )
    for sent in (insert(A, 0, "x"), delete(A), rename(A, NOTES)):
        assert memory.send_raw(sent) == Refused("Error: The path /memories/a.md does not exist")
    assert memory.store.objects.get(memory.store.key_ring.object_key) is None
    assert memory.send_raw(create(A, "first")) == "File created successfully at: /memories/a.md"
    assert memory.send("view", path=A) == content(A, "     1\tfirst")


ROOTS = [
    "/memories",
    "/memories/",
    "/memories//",
    "/memories/.",
    "/memories/./.",
    "/memories/sub/..",
    "/memories/sub/../",
    "/memories/a/b/../..",
    "/memories/../memories",
    "/memories/d/./../",
]


@every_flavour
@pytest.mark.parametrize("root", ROOTS)
def test_the_root_is_protected_in_every_spelling(memory: Memory, root: str) -> None:
    memory.write(TREE)
    assert memory.send("view", path=root) == listed(
        "/memories",
        "9B\t/memories",
        "2B\t/memories/d/",
        "1B\t/memories/d/e/",
        "1B\t/memories/d/x.md",
        "6B\t/memories/d.md",
        "1B\t/memories/dd/",
        "1B\t/memories/dd/z.md",
    )
    refusals = {
        "Cannot delete the /memories directory itself": delete(root),
        "Cannot rename the /memories directory itself": rename(root, "/memories/new"),
        "Error: The destination /memories already exists": rename("/memories/d", root),
        "Error: File /memories already exists": create(root, "x"),
        "Error: The path /memories does not exist. Please provide a valid path.": str_replace(root, "x", "y"),
        "Error: The path /memories does not exist": insert(root, 0, "x"),
    }
    for text, sent in refusals.items():
        assert memory.send_raw(sent) == Refused(text)
    assert memory.files() == TREE


OUTSIDE = [
    *(
        (path, f"Path must start with /memories, got: {path}")
        for path in (
            "",
            "/",
            "memories/a",
            "./memories/a",
            "/etc/passwd",
            "/memoriesfoo",
            "/memories.md",
            "/memories foo/a",
            "/Memories/a",
            " /memories/a",
            "//memories/a",
            "/./memories/a",
            "/x/../memories/a",
            "s3://bucket/memories/a",
            "../memories/a",
        )
    ),
    *(
        (path, f"Path {path} would escape /memories directory")
        for path in (
            "/memories/..",
            "/memories/../",
            "/memories/../../../etc/passwd",
            "/memories/a/../../b",
            "/memories/../memoriesfoo/a",
            "/memories/./../x",
            "/memories//..//x",
            "/memories/%2e%2e/x",
            "/memories/%2E%2e%2fx",
            "/memories/a/%252e%252e%252fx",
        )
    ),
]


@every_flavour
@pytest.mark.parametrize(("path", "text"), OUTSIDE, ids=[path for path, _ in OUTSIDE])
def test_no_command_leaves_the_root(memory: Memory, path: str, text: str) -> None:
    memory.write(THREE_LINES)
    for sent in (
        view(path),
        create(path, "x"),
        str_replace(path, "x", "y"),
        insert(path, 0, "x"),
        delete(path),
        rename(path, "/memories/b"),
        rename(A, path),
    ):
        assert memory.send_raw(sent) == Refused(text)
    assert memory.files() == THREE_LINES


FIELDS: dict[str, dict[str, str]] = {
    "view": {"path": "a string"},
    "create": {"path": "a string", "file_text": "a string"},
    "str_replace": {"path": "a string", "old_str": "a string"},
    "insert": {"path": "a string", "insert_line": "an integer", "insert_text": "a string"},
    "delete": {"path": "a string"},
    "rename": {"old_path": "a string", "new_path": "a string"},
}
OPTIONAL = {"str_replace": {"new_str": "a string"}, "view": {"view_range": "a list of two integers"}}
NOT_A = {
    "a string": (1, 1.5, True, ["/memories/a.md"], {"text": "x"}),
    "an integer": ("1", 1.5, False, [1], {}),
    "a list of two integers": ("[1, 2]", 1, True, {"0": 1}),
}
WELL_FORMED: dict[str, dict[str, Any]] = {
    "view": view(A),
    "create": create("/memories/new.md", "x"),
    "str_replace": str_replace(A, "one", "1"),
    "insert": insert(A, 0, "new"),
    "delete": delete(A),
    "rename": rename(A, "/memories/b.md"),
}


@every_flavour
@pytest.mark.parametrize("command", FIELDS)
class TestAMalformedInput:
    def test_without_a_required_field_is_refused_by_its_name(self, memory: Memory, command: str) -> None:
        memory.write(THREE_LINES)
        for name in FIELDS[command]:
            refusal = Refused(f"Error: Missing required parameter `{name}` for {command}")
            sent = dict(WELL_FORMED[command])
            del sent[name]
            assert memory.send_raw(sent) == refusal
            assert memory.send_raw({**sent, name: None}) == refusal
        assert memory.files() == THREE_LINES

    def test_with_a_field_of_the_wrong_type_is_refused_by_its_name(self, memory: Memory, command: str) -> None:
        memory.write(THREE_LINES)
        for name, kind in {**FIELDS[command], **OPTIONAL.get(command, {})}.items():
            for value in NOT_A[kind]:
                assert memory.send_raw({**WELL_FORMED[command], name: value}) == Refused(
                    f"Error: Invalid `{name}` parameter: it must be {kind}"
                )
        assert memory.files() == THREE_LINES

    def test_with_an_unknown_field_is_refused_by_its_name(self, memory: Memory, command: str) -> None:
        memory.write(THREE_LINES)
        takes = ", ".join(f"`{name}`" for name in {**FIELDS[command], **OPTIONAL.get(command, {})})
        for name in ("force", "content", "Path", "file_path"):
            assert memory.send_raw({**WELL_FORMED[command], name: "x"}) == Refused(
                f"Error: Unknown parameter `{name}` for {command}. It takes: {takes}"
            )
        assert memory.files() == THREE_LINES

    def test_with_an_unknown_null_field_is_accepted_as_if_without_it(self, memory: Memory, command: str) -> None:
        memory.write(THREE_LINES)
        assert isinstance(memory.send_raw({**WELL_FORMED[command], "force": None}), str)


@every_untyped_flavour
@pytest.mark.parametrize(
    ("sent", "text"),
    [
        *(
            (sent, "Error: The input must be an object with a `command`")
            for sent in (None, "view", ["view"], 5, [("command", "view")])
        ),
        (
            '{"command": "view", "path": "/memories"}',
            "Error: The input must be an object with a `command`, not text: parse the JSON first",
        ),
        *(
            (sent, "Error: Unknown command. The commands are: view, create, str_replace, insert, delete, rename")
            for sent in ({}, {"path": A}, {"command": None}, {"command": 1}, {"command": ["view"], "path": A})
        ),
        *(
            (
                {"command": name, "path": A},
                f"Error: Unknown command {name}. The commands are: view, create, str_replace, insert, delete, rename",
            )
            for name in ("undo_edit", "VIEW", "view ", "", "call", "clear", "__init__")
        ),
    ],
    ids=repr,
)
def test_an_input_that_is_not_a_command_is_refused_with_the_list_of_commands(
    memory: Memory, sent: object, text: str
) -> None:
    memory.write(THREE_LINES)
    assert memory.send_raw(sent) == Refused(text)
    assert memory.files() == THREE_LINES


@every_untyped_flavour
@pytest.mark.parametrize(
    "sent",
    [
        insert(A, 10**5_000, "x"),
        insert(A, -(10**5_000), "x"),
        view(A, [10**5_000, -1]),
        view(A, [1, -(10**5_000)]),
        {"command": "view", "path": A, 10**5_000: 1},
    ],
    ids=["insert", "insert before", "view from", "view to", "field"],
)
def test_an_integer_that_is_too_large_to_print_is_refused_like_any_other(memory: Memory, sent: dict[str, Any]) -> None:
    memory.write(THREE_LINES)
    answer = memory.send_raw(sent)
    assert isinstance(answer, Refused)
    assert re.match(r"Error: (Invalid `(insert_line|view_range)` parameter|The names of parameters)", answer.text)
    assert len(answer.text) < 10_000
    assert memory.files() == THREE_LINES


class TestADirectoryRenameThatOneFileBlocks:
    @both_name_modes
    def test_moves_none_of_the_others(self, memory: Memory) -> None:
        long_name = "x" * (900 if memory.store.key_ring.existing_or_new().names.keeps_order else 650)
        files = {f"/memories/d/{number}.md": str(number) for number in range(5)} | {f"/memories/d/{long_name}": "long"}
        memory.write(files)
        answer = memory.send("rename", old_path="/memories/d", new_path=f"/memories/{'y' * 200}")
        assert answer == Refused(
            "Error: Invalid path: it is too long to be stored. Use shorter or fewer names. "
            f"It is about /memories/d/{long_name}."
        )
        assert memory.files() == files
        assert list(pending(memory.store)) == []


class Erases:
    """Redacts a word to nothing."""

    def redact(self, text: str, /) -> Redaction:
        return Redaction(text.replace("secret", ""))


@pytest.mark.parametrize("text", ["", "one\ntwo\n"])
def test_an_old_str_that_is_redacted_to_nothing_is_never_found(make_commands: MakeCommands, text: str) -> None:
    commands = make_commands(redactor=Erases())
    commands.create(A, text)
    with pytest.raises(EditError) as raised:
        commands.str_replace(A, "secret", "new")
    assert str(raised.value) == f"No replacement was performed, old_str `secret` did not appear verbatim in {A}."
    assert commands.view(A) == content(A, *(f"{number:>6}\t{line}" for number, line in enumerate(text.split("\n"), 1)))


@pytest.mark.parametrize("text", ["", "one\ntwo\n"])
def test_an_empty_string_never_occurs(text: str) -> None:
    with pytest.raises(EditError, match="old_str `sent` did not appear verbatim in /memories/a"):
        only_occurrence(text, "", MemoryPath(("a.md",)), sent="sent")
