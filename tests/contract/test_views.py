"""The texts of views, as pure functions: sizes, numbered lines, pages, snippets, listings and redaction notes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.for_each import for_each

from s3memory.contract.views import (
    DirectoryItem,
    count_lines,
    directory_view,
    file_view,
    human_size,
    item_line,
    numbered,
    redaction_notes,
    snippet,
    split_lines,
)
from s3memory.paths import MemoryPath
from s3memory.redaction import Finding

A = MemoryPath(("a.md",))
HEADER = "Here's the content of /memories/a.md with line numbers:\n"
HOW_TO_GO_ON = r"more characters\. To see them, put a line break into the line with str_replace\. "
KIB, MIB, GIB = 1024, 1024**2, 1024**3


class TestSizes:
    @for_each(
        ("size_bytes", "text"),
        [
            (0, "0B"),
            (1, "1B"),
            (512, "512B"),
            (999, "999B"),
            (1000, "1000B"),
            (1023, "1023B"),
            (1024, "1.0K"),
            (1075, "1.0K"),
            (1076, "1.1K"),
            (1536, "1.5K"),
            (4096, "4.0K"),
            (10 * KIB, "10.0K"),
            (102_400, "100.0K"),
            (1023 * KIB, "1023.0K"),
            (MIB - 52, "1023.9K"),
            (MIB - 51, "1.0M"),
            (MIB - 1, "1.0M"),
            (MIB, "1.0M"),
            (1_258_291, "1.2M"),
            (GIB - 1, "1.0G"),
            (GIB, "1.0G"),
            (1023 * GIB, "1023.0G"),
            (1024 * GIB, "1024.0G"),
            (1536 * GIB, "1536.0G"),
        ],
    )
    def test_are_bytes_below_a_kibibyte_and_have_one_decimal_from_there(self, size_bytes: int, text: str) -> None:
        assert human_size(size_bytes) == text
        assert human_size(size_bytes, at_least=True) == f"{text}+"

    @given(st.integers(0, 2**45))
    def test_are_right_to_one_decimal(self, size_bytes: int) -> None:
        match = re.fullmatch(r"(\d+)B|(\d+\.\d)([KMG])", human_size(size_bytes))
        assert match
        if match[1]:
            assert int(match[1]) == size_bytes < KIB
        else:
            unit = {"K": KIB, "M": MIB, "G": GIB}[match[3]]
            assert abs(float(match[2]) * unit - size_bytes) <= unit * 0.0501
            assert float(match[2]) < 1024 or match[3] == "G"


class TestLines:
    @for_each(
        ("text", "lines", "n_lines"),
        [
            ("", [""], 0),
            ("a", ["a"], 1),
            ("a\n", ["a", ""], 1),
            ("\n", ["", ""], 1),
            ("\n\n", ["", "", ""], 2),
            ("a\nb", ["a", "b"], 2),
            ("a\n\n", ["a", "", ""], 2),
            ("a\r\nb\r", ["a\r", "b\r"], 2),
            ("a\u2028b\x0cc\x85d\x0be\x1cf", ["a\u2028b\x0cc\x85d\x0be\x1cf"], 1),
        ],
    )
    def test_end_only_at_newlines(self, text: str, lines: list[str], n_lines: int) -> None:
        assert split_lines(text) == lines
        assert count_lines(text) == n_lines

    def test_have_line_numbers_in_six_columns(self) -> None:
        assert list(numbered(["a", ""], first=9)) == ["     9\ta", "    10\t"]
        assert list(numbered(["a"], first=999_999)) == ["999999\ta"]
        assert list(numbered([], first=1)) == []


class TestFileView:
    def test_shows_the_requested_lines(self) -> None:
        text = "one\ntwo\nthree"
        assert (
            file_view(A, text, first=1, last=3, max_chars=2_000) == f"{HEADER}     1\tone\n     2\ttwo\n     3\tthree"
        )
        assert file_view(A, text, first=2, last=2, max_chars=2_000) == f"{HEADER}     2\ttwo"
        assert file_view(A, "", first=1, last=1, max_chars=2_000) == f"{HEADER}     1\t"

    @settings(max_examples=150)
    @given(
        st.lists(st.integers(0, 1_950), min_size=1, max_size=60),
        st.integers(2_000, 2_200),
        st.booleans(),
    )
    def test_shows_every_line_once_to_a_reader_who_follows_the_notes(
        self,
        lengths: list[int],
        max_chars: int,
        ends: bool,  # noqa: FBT001 - hypothesis passes it
    ) -> None:
        lines = [chr(0x41 + number % 26) * length for number, length in enumerate(lengths)]
        lines += [""] * ends
        text = "\n".join(lines)
        seen: list[str] = []
        first = 1
        while first:
            page = file_view(A, text, first=first, last=len(lines), max_chars=max_chars)
            assert len(page) <= max_chars
            shown, first = lines_of_page(page, first, lines)
            seen += shown
        assert seen == lines

    @pytest.mark.parametrize("n_lines", [1, 2, 9, 10, 99, 1_000])
    def test_stays_within_the_limit_and_is_cut_only_if_necessary(self, n_lines: int) -> None:
        """Around the length at which the first line alone no longer fits."""
        rest = "\n" * (n_lines - 1)
        for length in range(1_780, 2_010):
            text = "x" * length + rest
            page = file_view(A, text, first=1, last=n_lines, max_chars=2_000)
            assert len(page) <= 2_000
            cut = re.search(rf"^\[Line 1 is cut: (-?\d+) {HOW_TO_GO_ON}Lines 1-1 of (\d+) shown\.", page, re.MULTILINE)
            shown = len(re.match(r"     1\t(x*)", page.removeprefix(HEADER))[1])  # type: ignore[index]
            if cut:
                assert int(cut[1]) == length - shown > 0
                assert int(cut[2]) == n_lines
            else:
                assert shown == length

    def test_does_not_mention_a_next_line_after_a_cut_last_line(self) -> None:
        page = file_view(A, "a\n" + "x" * 5_000, first=2, last=2, max_chars=2_000)
        assert re.search(rf"\n\[Line 2 is cut: \d+ {HOW_TO_GO_ON}Lines 2-2 of 2 shown\.\]$", page)

    def test_names_the_end_of_the_requested_range(self) -> None:
        page = file_view(A, "x\n" * 5_000, first=10, last=4_000, max_chars=2_000)
        note = page.rpartition("\n")[2]
        match = re.fullmatch(
            r"\[Lines 10-(\d+) of 5001 shown\. For more, view with view_range \[(\d+), 4000\]\.\]", note
        )
        assert match
        assert int(match[2]) == int(match[1]) + 1
        assert page.count("\n") == int(match[1]) - 10 + 1 + 1


def lines_of_page(page: str, first: int, lines: list[str]) -> tuple[list[str], int]:
    """Return the lines that a page shows at least in part, and the first line of the next page; 0 at the end."""
    header, *shown = page.split("\n")
    assert f"{header}\n" == HEADER
    note = re.fullmatch(
        rf"\[(Line \d+ is cut: (\d+) {HOW_TO_GO_ON})?Lines (\d+)-(\d+) of (\d+) shown\."
        r"(?: For more, view with view_range \[(\d+), (\d+)\]\.)?\]",
        shown[-1],
    )
    if note is None:
        assert first + len(shown) - 1 == len(lines)
        return [line[7:] for line in shown], 0
    until = int(note[4])
    assert [int(note[3]), until, int(note[5])] == [first, first + len(shown) - 2, len(lines)]
    if note[1]:
        (part,) = shown[:-1]
        assert lines[first - 1].startswith(part[7:])
        assert int(note[2]) == len(lines[first - 1]) - len(part[7:]) > 0
        texts = [lines[first - 1]]
    else:
        texts = [line[7:] for line in shown[:-1]]
    assert [line[:7] for line in shown[:-1]] == [f"{number:>6}\t" for number in range(first, until + 1)]
    if note[6] is None:
        assert until == len(lines)
        return texts, 0
    assert [int(note[6]), int(note[7])] == [until + 1, len(lines)]
    return texts, until + 1


class TestSnippet:
    @for_each(
        ("n_lines", "changed_line", "shown"),
        [
            (1, 1, [1]),
            (2, 1, [1, 2]),
            (3, 1, [1, 2, 3]),
            (9, 1, [1, 2, 3]),
            (9, 2, [1, 2, 3, 4]),
            (9, 3, [1, 2, 3, 4, 5]),
            (9, 5, [3, 4, 5, 6, 7]),
            (9, 7, [5, 6, 7, 8, 9]),
            (9, 8, [6, 7, 8, 9]),
            (9, 9, [7, 8, 9]),
            (12, 10, [8, 9, 10, 11, 12]),
        ],
    )
    def test_is_the_changed_line_with_two_on_each_side(self, n_lines: int, changed_line: int, shown: list[int]) -> None:
        text = "\n".join(f"line {number}" for number in range(1, n_lines + 1))
        assert snippet(text, changed_line=changed_line, max_chars=2_000) == "\n".join(
            f"{number:>6}\tline {number}" for number in shown
        )

    @pytest.mark.parametrize("lengths", [[9_000], [10, 9_000, 10], [3_000] * 9, [10, 10, 10, 10, 10**6]], ids=str)
    def test_is_cut_if_lines_are_long_and_says_how_much_is_missing(self, lengths: list[int]) -> None:
        text = "\n".join("x" * length for length in lengths)
        cut = snippet(text, changed_line=min(3, len(lengths)), max_chars=2_000)
        assert len(cut) <= 2_000
        for length, line in zip(lengths, cut.split("\n"), strict=False):
            kept, _, missing = line.partition(" [")
            assert kept.count("x") + int(missing.removesuffix(" more characters]") or 0) == length

    def test_shows_the_text_as_stored_even_if_it_became_shorter(self) -> None:
        assert snippet("one\ntwo", changed_line=9, max_chars=2_000) == "     1\tone\n     2\ttwo"
        assert snippet("", changed_line=1, max_chars=2_000) == "     1\t"


def item(name: str, size_bytes: int = 1, *, is_directory: bool = False, at_least: bool = False) -> DirectoryItem:
    path = MemoryPath(tuple(name.split("/"))) if name else MemoryPath()
    return DirectoryItem(path, is_directory=is_directory, size_bytes=size_bytes, at_least=at_least)


def cut_line(n_items: int) -> str:
    return f"[The listing is cut after {n_items} items. For more, view a subdirectory, or move shown files into one.]"


LISTING = (
    "Here're the files and directories up to 2 levels deep in /memories/d, excluding hidden items and node_modules:\n"
)


class TestDirectoryView:
    def test_has_one_line_per_item_and_a_slash_after_subdirectories(self) -> None:
        items = [item("d", 1536, is_directory=True), item("d/e", 1024, is_directory=True), item("d/f.md", 512)]
        assert directory_view(items, more=False, max_chars=2_000) == (
            f"{LISTING}1.5K\t/memories/d\n1.0K\t/memories/d/e/\n512B\t/memories/d/f.md"
        )

    def test_marks_sizes_that_are_lower_bounds(self) -> None:
        assert item_line(item("d", 5, is_directory=True, at_least=True)) == "5B+\t/memories/d/"
        assert item_line(item("d", 5, is_directory=True), is_top=True) == "5B\t/memories/d"
        assert item_line(item("d", 5)) == "5B\t/memories/d"

    @for_each("name_chars", range(10, 200, 7))
    def test_is_cut_between_items_and_says_after_how_many(self, name_chars: int) -> None:
        items = [item("d", is_directory=True), *(item(f"d/{number:0{name_chars}}") for number in range(400))]
        whole = directory_view(items, more=False, max_chars=10**9)
        view = directory_view(items, more=False, max_chars=2_000)
        assert len(view) <= 2_000
        *lines, note = view.split("\n")
        n_shown = len(lines) - 2
        assert note == cut_line(n_shown)
        assert whole.startswith("\n".join(lines))
        assert len(view) + len(lines[-1]) + 1 > 2_000, "one more item would have fitted"

    def test_is_not_cut_while_it_fits(self) -> None:
        items = [item("d", is_directory=True), *(item(f"d/{number}") for number in range(50))]
        whole = directory_view(items, more=False, max_chars=10**9)
        assert directory_view(items, more=False, max_chars=len(whole)) == whole
        assert directory_view(items, more=False, max_chars=len(whole) - 1) != whole

    def test_says_that_there_is_more_even_if_all_its_items_fit(self) -> None:
        items = [item("d", is_directory=True), item("d/e")]
        assert directory_view(items, more=True, max_chars=2_000) == (
            f"{LISTING}1B\t/memories/d\n1B\t/memories/d/e\n"
            "[The listing is cut after 1 item. For more, view a subdirectory, or move shown files into one.]"
        )


class TestRedactionNote:
    @pytest.mark.parametrize(
        ("findings", "note"),
        [
            ([], ""),
            ([("email", 3)], "\nRedacted before it was stored: 1 email (line 3)."),
            ([("email", 3), ("email", 3)], "\nRedacted before it was stored: 2 email (line 3)."),
            ([("email", 3), ("email", 5)], "\nRedacted before it was stored: 2 email (lines 3, 5)."),
            ([("email", 1), ("email", 2), ("email", 2)], "\nRedacted before it was stored: 3 email (lines 1, 2)."),
            (
                [("email", 1), ("card-number", 2), ("email", 9)],
                "\nRedacted before it was stored: 2 email (lines 1, 9), 1 card-number (line 2).",
            ),
        ],
    )
    def test_says_kind_count_and_lines(self, findings: list[tuple[str, int]], note: str) -> None:
        assert redaction_notes([("", [Finding(kind, line) for kind, line in findings])]) == note
