"""What an agent finds in its memory, and what a search reports that it left out."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

import pytest
from anthropic.lib.tools import ToolError
from anyio import run as run_async
from conftest import TENANT, MakeCommands, MakeStore
from support.faults import FaultLayer, refused
from support.flavours import put_files
from support.memory_s3 import InMemoryS3
from support.recorder import Recorder

from s3memory import Limits, MemoryCommands, S3MemoryError, S3MemoryTool, async_search_tool, search_tool
from s3memory.audit import Outcome
from s3memory.errors import AccessDeniedError, ConfigurationError, InvalidInputError, NotFoundError, UnavailableError
from s3memory.format.names import NAME_MODES

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client


def fill(commands: MemoryCommands, files: dict[str, str]) -> None:
    put_files(commands.store, {f"/memories/{path}": text for path, text in files.items()})


class TestWhatIsFound:
    @pytest.mark.parametrize("name_mode", NAME_MODES)
    def test_each_line_that_contains_the_text_is_shown_after_its_path_and_line_number(
        self, make_commands: MakeCommands, name_mode: str
    ) -> None:
        commands = make_commands(name_mode=name_mode)
        fill(commands, {"b.md": "tea\nCoffee, black\n", "a/c.md": "no\n\ncoffee", "a/d.md": "cocoa"})
        assert commands.search("coffee") == "/memories/a/c.md:3: coffee\n/memories/b.md:2: Coffee, black"

    @pytest.mark.parametrize(
        ("query", "line"),
        [
            *((".*", "a .* b"), ("STRASSE", "Straße"), (" x", "a x"), ("\\", "a\\b")),
            *(("JOSÉ", "jose\u0301"), ("jose\u0301", "José"), ("\u0390", "\u03b9\u0308\u0301")),
        ],
    )
    def test_the_text_is_taken_literally_and_neither_case_nor_composition_makes_a_difference(
        self, commands: MemoryCommands, query: str, line: str
    ) -> None:
        fill(commands, {"a.md": f"nothing\n{line}\n"})
        assert commands.search(query) == f"/memories/a.md:2: {line}"

    def test_only_a_newline_ends_a_line(self, commands: MemoryCommands) -> None:
        fill(commands, {"a.md": "x\u2028y\x0cz\r\nx"})
        assert commands.search("Y") == "/memories/a.md:1: x\u2028y\x0cz\r"

    def test_a_directory_and_a_single_file_can_be_searched(self, commands: MemoryCommands) -> None:
        fill(commands, {"a/x.md": "tea", "ab.md": "tea", "a/y/z.md": "tea"})
        assert commands.search("tea", "/memories/a/") == "/memories/a/x.md:1: tea\n/memories/a/y/z.md:1: tea"
        assert commands.search("tea", "/memories/ab.md") == "/memories/ab.md:1: tea"

    def test_an_empty_result_names_the_searched_path(self, commands: MemoryCommands) -> None:
        assert commands.search("tea") == "No matches in /memories."
        fill(commands, {"a/x.md": "coffee"})
        assert commands.search("tea", "/memories/a") == "No matches in /memories/a."

    def test_a_missing_path_gets_the_error_of_a_view(self, commands: MemoryCommands) -> None:
        for made in (False, True):
            with pytest.raises(NotFoundError, match=r"^The path /memories/b does not exist\. Please provide a valid"):
                commands.search("tea", "/memories/b")
            if not made:
                fill(commands, {"a.md": "tea"})

    @pytest.mark.parametrize("query", ["", "a\nb", None, 7, ["tea"], "\ud800"])
    def test_a_search_text_that_is_not_one_line_of_text_is_refused_by_the_name_of_the_field(
        self, commands: MemoryCommands, query: Any
    ) -> None:
        with pytest.raises(InvalidInputError, match="`query`"):
            commands.search(query)

    @pytest.mark.parametrize("path", ["/etc", "/memories/../x", "/memories/%2e%2e/x", 3])
    def test_a_path_must_follow_the_rules_of_all_commands(self, commands: MemoryCommands, path: Any) -> None:
        with pytest.raises(InvalidInputError):
            commands.search("tea", path)

    def test_the_memory_tool_itself_cannot_search(self, commands: MemoryCommands) -> None:
        with pytest.raises(InvalidInputError, match="Unknown command search"):
            commands.call({"command": "search", "query": "tea"})

    def test_a_file_that_is_deleted_meanwhile_is_not_an_error(self, commands: MemoryCommands, s3: S3Client) -> None:
        fill(commands, {"a.md": "tea", "b.md": "tea"})
        with FaultLayer(s3) as faults:
            faults.hit("GetObject", refused(404, "NoSuchKey"))
            assert commands.search("tea").count("tea") == 1


class TestWhatIsLeftOut:
    def test_hidden_files_and_node_modules_are_left_out_as_in_views_and_found_under_their_own_path(
        self, commands: MemoryCommands
    ) -> None:
        fill(commands, {".a.md": "tea", "b/.c/d.md": "tea", "node_modules/x.md": "tea", "e.md": "tea"})
        shown, note = commands.search("tea").splitlines()
        assert shown == "/memories/e.md:1: tea"
        assert note.startswith("[3 files left out: hidden, or in ")
        assert commands.search("tea", "/memories/b/.c") == "/memories/b/.c/d.md:1: tea"
        assert commands.search("tea", "/memories/.a.md") == "/memories/.a.md:1: tea"

    def test_unreadable_files_are_named_and_the_others_are_still_searched(
        self, commands: MemoryCommands, s3: S3Client, bucket: str
    ) -> None:
        fill(commands, {"a.md": "tea", "bad.md": "tea", "worse.md": "tea"})
        for name in ("bad.md", "worse.md"):
            s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/{name}", Body=b"S3M1" + b"\0" * 100)
        shown, note = commands.search("tea").splitlines()
        assert shown == "/memories/a.md:1: tea"
        assert note == (
            "[Not searched, because they do not open: /memories/bad.md, /memories/worse.md. This needs an operator.]"
        )
        assert commands.search("tea", "/memories/bad.md").startswith("No matches in /memories/bad.md.\n[Not searched")

    @pytest.mark.parametrize("code", ["AccessDenied", "InvalidObjectState"])
    def test_a_file_that_s3_denies_is_named_and_the_others_are_still_searched(
        self, commands: MemoryCommands, faults: FaultLayer, code: str
    ) -> None:
        fill(commands, {"a.md": "tea", "b.md": "tea"})
        faults.hit_object("GetObject", f"memories/{TENANT}/a.md", refused(403, code))
        shown, note = commands.search("tea").splitlines()
        assert shown == "/memories/b.md:1: tea"
        assert note == (
            "[Not searched, because the memory store refuses them: /memories/a.md. This needs an operator.]"
        )

    def test_a_search_that_s3_denies_every_file_ends_before_it_has_requested_all(
        self, commands: MemoryCommands, faults: FaultLayer
    ) -> None:
        fill(commands, {f"{number}.md": "tea" for number in range(300)})
        faults.follow(lambda _, operation: refused(403, "AccessDenied") if operation == "GetObject" else None)
        with pytest.raises(AccessDeniedError):
            commands.search("tea", "/memories/1.md")
        with pytest.raises(AccessDeniedError):
            commands.search("tea")
        assert faults.requests.count("GetObject") < 300

    def test_no_more_files_than_the_limit_are_opened_and_the_rest_are_counted(
        self, make_commands: MakeCommands, s3: S3Client
    ) -> None:
        commands = make_commands(limits=Limits(max_search_files=3))
        fill(commands, {f"{number}.md": "tea" for number in range(8)})
        with FaultLayer(s3) as recorded:
            *shown, note = commands.search("tea").splitlines()
        assert shown == [f"/memories/{number}.md:1: tea" for number in range(3)]
        assert recorded.requests.count("GetObject") == 3
        assert note.startswith("[5 more files not looked at: one search opens 3 files at most. Search a directory")
        assert "5 more files not looked at" in commands.search("coffee")

    def test_the_result_is_no_longer_than_a_view_and_says_that_it_is_truncated(
        self, make_commands: MakeCommands
    ) -> None:
        commands = make_commands(limits=Limits(max_view_chars=2_000))
        fill(commands, {f"{number:03}.md": f"tea {'x' * 90}\n" * 3 for number in range(20)})
        found = commands.search("tea")
        *shown, note = found.splitlines()
        assert 1_700 < len(found) <= 2_000
        assert all(line.startswith("/memories/") for line in shown)
        assert note.startswith(f"[The result is cut after {len(shown)} lines, and ")
        assert "more files not looked at" in note

    def test_the_result_stays_within_its_length_however_many_files_are_unreadable(
        self, make_commands: MakeCommands, s3: S3Client, bucket: str
    ) -> None:
        commands = make_commands(limits=Limits(max_view_chars=2_000))
        fill(commands, {f"{number:02}{'x' * 80}.md": "y" * 99 + "tea" for number in range(40)})
        for number in range(0, 40, 2):
            key = f"memories/{TENANT}/{number:02}{'x' * 80}.md"
            s3.put_object(Bucket=bucket, Key=key, Body=b"S3M1" + b"\0" * 100)
        found = commands.search("tea")
        assert len(found) <= 2_000
        assert re.search(r"\.md and \d+ more\. This needs an operator\.\]$", found)

    @pytest.mark.parametrize("before", ["", "x" * 5_000, "ß" * 3_000, "e\u0301" * 3_000, "x" * 90_000])
    def test_a_very_long_line_is_shown_around_the_match(self, commands: MemoryCommands, before: str) -> None:
        fill(commands, {"a.md": f"{before}TEA{'y' * 5_000}"})
        shown, note = commands.search("tea").splitlines()
        assert len(shown) < 600
        assert "TEA" in shown
        assert note == "[Lines of more than 500 characters are shown around the match.]"

    def test_a_search_ends_at_its_deadline_and_says_what_it_did_not_reach(self, make_commands: MakeCommands) -> None:
        fill(make_commands(), {f"{number:03}.md": "tea" for number in range(300)})
        left = itertools.chain([10.0] * 50, itertools.repeat(0.5))
        found = make_commands(remaining_seconds=lambda: next(left)).search("tea")
        *shown, note = found.splitlines()
        assert 10 < len(shown) < 60
        assert note.startswith(f"[Time ran out: {300 - len(shown)} more files not looked at.")

    def test_a_search_that_looked_at_everything_does_not_say_that_time_ran_out(
        self, make_commands: MakeCommands, s3: S3Client
    ) -> None:
        fill(make_commands(), {"a.md": "tea"})
        with FaultLayer(s3) as recorded:
            commands = make_commands(remaining_seconds=lambda: 0.5 if "GetObject" in recorded.requests else 10.0)
            assert commands.search("tea") == "/memories/a.md:1: tea"

    def test_without_any_time_left_no_request_is_sent(self, make_commands: MakeCommands, s3: S3Client) -> None:
        with FaultLayer(s3) as recorded, pytest.raises(UnavailableError):
            make_commands(remaining_seconds=lambda: 0.0).search("tea")
        assert recorded.requests == []

    def test_no_more_is_listed_than_the_files_that_may_be_opened_and_a_few_pages(self, make_store: MakeStore) -> None:
        """In a memory with many hidden files, which the listing contains too."""
        server = InMemoryS3()
        store = make_store(s3_client=server.client(), limits=Limits(max_search_files=1))
        MemoryCommands(store).create("/memories/a.md", "tea")
        (objects,) = server._objects.values()
        stored = objects[f"memories/{TENANT}/a.md"]
        objects.update({f"memories/{TENANT}/.h/{number:05}": stored for number in range(16_500)})
        found = MemoryCommands(store).search("tea")
        assert found.startswith("No matches in /memories.\n[More files not looked at: one search opens 1 file at most.")
        assert "[16000 files left out: hidden" in found


class TestBeingASecondTool:
    def test_bad_arguments_are_tool_errors_that_name_the_field(self, commands: MemoryCommands) -> None:
        tool, other = search_tool(commands), async_search_tool(commands)
        cases: list[tuple[object, str]] = [
            ({}, "Error: Missing required parameter `query` for search"),
            ({"query": None}, "Error: Missing required parameter `query` for search"),
            ({"query": 7}, "Error: Invalid `query` parameter: it must be a string"),
            ({"query": "a", "depth": 2}, "Error: Unknown parameter `depth` for search. It takes: `query`, `path`"),
            ({"query": "a", "path": 2}, "Error: Invalid `path` parameter: it must be a string"),
            ("tea", "Error: The input of search must be an object"),
            ({"query": "a", "path": "/etc"}, "Path must start with /memories, got: /etc"),
        ]
        for sent, text in cases:
            with pytest.raises(ToolError) as raised:
                tool.call(sent)
            assert raised.value.content == text
            with pytest.raises(ToolError) as raised:
                run_async(other.call, sent)
            assert raised.value.content == text

    def test_the_memory_tool_in_place_of_its_commands_is_refused_at_once(self, commands: MemoryCommands) -> None:
        for make in (search_tool, async_search_tool):
            with pytest.raises(ConfigurationError, match="the `commands` of an S3MemoryTool"):
                make(S3MemoryTool.from_commands(commands))  # type: ignore[arg-type]  # as in a program without types

    def test_the_sync_and_the_async_tool_search(self, commands: MemoryCommands) -> None:
        fill(commands, {"a.md": "tea"})
        assert search_tool(commands).call({"query": "TEA", "path": None}) == "/memories/a.md:1: tea"
        assert run_async(async_search_tool(commands).call, {"query": "TEA"}) == "/memories/a.md:1: tea"

    def test_the_sync_and_the_async_tool_describe_themselves_to_the_model_identically(
        self, commands: MemoryCommands
    ) -> None:
        told = search_tool(commands, cache_control={"type": "ephemeral"}).to_dict()
        assert told == async_search_tool(commands, cache_control={"type": "ephemeral"}).to_dict()
        assert search_tool(commands).name == "memory_search"
        assert "cache_control" not in search_tool(commands).to_dict()

    def test_details_from_s3_are_not_shown(self, commands: MemoryCommands, s3: S3Client, bucket: str) -> None:
        with FaultLayer(s3) as faults:
            faults.hit("ListObjectsV2", refused(403, "AccessDenied"))
            with pytest.raises(ToolError) as raised:
                search_tool(commands).call({"query": "tea"})
        assert bucket not in str(raised.value)


class TestWhatItCosts:
    def test_a_search_is_one_list_and_one_get_per_file(self, commands: MemoryCommands, s3: S3Client) -> None:
        fill(commands, {f"d/{number}.md": "tea" for number in range(5)})
        with FaultLayer(s3) as recorded:
            commands.search("tea")
        assert sorted(recorded.requests) == ["GetObject"] * 5 + ["ListObjectsV2"]
        with FaultLayer(s3) as recorded:
            commands.search("tea", "/memories/d")
        assert sorted(recorded.requests) == ["GetObject"] * 5 + ["HeadObject", "ListObjectsV2"]

    def test_it_is_one_audit_event_without_the_search_text(self, make_commands: MakeCommands) -> None:
        recorder = Recorder(with_paths=True)
        commands = make_commands(auditor=recorder)
        fill(commands, {"a.md": "marzipan"})
        commands.search("marzipan", "/memories/a.md")
        assert (recorder.last.operation, recorder.last.outcome) == ("search", Outcome.DONE)
        assert recorder.last.paths == ("/memories/a.md",)
        assert recorder.last.requests == {"GetObject": 1, "HeadObject": 1, "ListObjectsV2": 1}
        with pytest.raises(S3MemoryError):
            commands.search("")
        assert recorder.last.outcome is Outcome.REFUSED
        assert "marzipan" not in str(recorder.events)

    @pytest.mark.parametrize("sent", [{"query": 7}, {"marzipan": "x"}, "marzipan"])
    def test_a_malformed_search_from_a_model_is_one_audit_event_too(
        self, make_commands: MakeCommands, sent: object
    ) -> None:
        recorder = Recorder(with_paths=True)
        with pytest.raises(ToolError):
            search_tool(make_commands(auditor=recorder)).call(sent)
        assert [(one.operation, one.outcome) for one in recorder.events] == [("search", Outcome.REFUSED)]
        assert "marzipan" not in str(recorder.events)

    def test_a_search_changes_no_file(self, make_commands: MakeCommands, s3: S3Client) -> None:
        fill(make_commands(), {"a.md": "tea"})
        with FaultLayer(s3) as recorded:
            make_commands(touch_after_seconds=1e-9).search("tea")
        assert "PutObject" not in recorded.requests
