"""A memory as a backend of deepagents, with the real framework: `make deepagents` runs this where it is installed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import TENANT, MakeCommands
from support.faults import FaultLayer, other_writer_first, refused
from support.memory_s3 import InMemoryS3
from support.recorder import Recorder

from s3memory import MemoryCommands, MountedCommands
from s3memory.audit import Outcome
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

pytest.importorskip("deepagents", reason="deepagents is not installed: make deepagents")

from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, FilesystemBackend, StateBackend
from deepagents.backends.protocol import BackendProtocol, GrepMatch
from deepagents.middleware.filesystem import FilesystemPermission
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from s3memory.adapters.deepagents import MemoryBackend


@pytest.fixture
def backend(commands: MemoryCommands) -> MemoryBackend:
    return MemoryBackend(commands)


def paths(entries: Any) -> list[str]:
    return [entry["path"] for entry in entries]


def test_what_is_written_is_read_and_lies_below_the_root(backend: MemoryBackend, commands: MemoryCommands) -> None:
    assert backend.write("/a/b.md", "one\ntwo\n").path == "/a/b.md"
    assert backend.write("/a/b.md", "one\ntwo\nthree\n").error is None, "write replaces"
    assert "three" in commands.view("/memories/a/b.md")
    read = backend.read("/a/b.md", offset=1, limit=1)
    assert read.file_data is not None
    assert read.file_data["content"].rstrip() == "two"
    assert (read.total_lines, read.next_offset) == (3, 2)
    assert backend.read("/none.md").error == "The path /memories/none.md does not exist"


def test_a_listing_is_one_level_with_sizes(make_commands: MakeCommands) -> None:
    # moto goes on listing a directory of which only delete markers are left; S3 does not.
    backend = MemoryBackend(make_commands(s3_client=InMemoryS3().client()))
    for path in ("/a.md", "/d/b.md", "/d/e/c.md"):
        backend.write(path, "12345")
    listed = backend.ls("/").entries
    assert paths(listed) == ["/a.md", "/d/"]
    assert listed is not None
    assert (listed[0].get("size"), listed[1].get("is_dir")) == (5, True)
    assert paths(backend.ls("/d").entries) == ["/d/b.md", "/d/e/"]
    assert backend.ls("/none").error == "The path /memories/none does not exist"
    assert backend.ls("/d/b.md").error == "The path /memories/d/b.md is a file: not_a_directory"
    assert paths(backend.glob("*.md").matches) == ["/a.md", "/d/b.md", "/d/e/c.md"]
    assert paths(backend.glob("e/*.md", "/d").matches) == ["/d/e/c.md"]
    assert backend.delete("/d").path == "/d"
    assert paths(backend.ls("/").entries) == ["/a.md"]
    assert backend.delete("/d").error == "Error: The path /memories/d does not exist"


def test_a_file_that_s3_refuses_keeps_no_other_from_being_searched(backend: MemoryBackend, faults: FaultLayer) -> None:
    backend.write("/a.md", "tea")
    backend.write("/b.md", "tea")
    faults.hit_object("GetObject", f"memories/{TENANT}/a.md", refused(403, "InvalidObjectState"))
    found = backend.grep("tea")
    assert found.matches == [
        GrepMatch(
            path="/a.md",
            line=0,
            text="(The memory store refuses this file, so it was not searched. This needs an operator.)",
        ),
        GrepMatch(path="/b.md", line=1, text="tea"),
    ]
    assert found.error is None


def test_grep_names_what_does_not_open_by_its_route_and_drops_nothing_that_others_found(
    backend: MemoryBackend, s3: S3Client, bucket: str, tmp_path: Path
) -> None:
    drafts = FilesystemBackend(root_dir=tmp_path, virtual_mode=True)
    drafts.write("/b.md", "tea")
    backend.write("/b.md", "tea")
    s3.put_object(Bucket=bucket, Key=f"memories/{TENANT}/a.md", Body=b"S3M1" + b"\0" * 100)
    whole = CompositeBackend(default=drafts, routes={"/memories/": backend})
    unopened = GrepMatch(
        path="/memories/a.md",
        line=0,
        text="(This file does not open, so it was not searched. This needs an operator.)",
    )
    ours = GrepMatch(path="/memories/b.md", line=1, text="tea")
    found = whole.grep("tea")
    assert (found.error, found.matches) == (None, [GrepMatch(path="/b.md", line=1, text="tea"), unopened, ours])
    assert whole.grep("tea", "/memories").matches == [unopened, ours]
    assert whole.grep("none", "/memories").matches == [unopened]
    capped = whole.grep("tea", "/memories", max_count=1)
    assert (capped.error, capped.matches, capped.truncated) == (None, [unopened], True)


def test_each_operation_is_one_event_with_its_path_and_its_end(make_commands: MakeCommands) -> None:
    recorder = Recorder(with_paths=True)
    backend = MemoryBackend(make_commands(auditor=recorder))
    backend.write("/d/a.md", "tea")
    backend.read("/d/a.md")
    backend.ls("/d")
    backend.glob("*.md", "/d")
    backend.grep("tea", "/d")
    backend.edit("/d/a.md", "tea", "cake")
    backend.edit("/d/a.md", "cake", "pie", replace_all=True)
    backend.read("/none")
    backend.ls("/../none")
    backend.edit("/d/a.md", "cake", "pie", replace_all=True)
    file, directory, done, refused_ = ("/memories/d/a.md",), ("/memories/d",), Outcome.DONE, Outcome.REFUSED
    assert [(one.operation, one.paths, one.outcome) for one in recorder.events] == [
        ("create", file, done),
        ("view", file, done),
        ("ls", directory, done),
        ("ls", directory, done),
        ("search", directory, done),
        ("str_replace", file, done),
        ("str_replace", file, done),
        ("view", ("/memories/none",), refused_),
        ("ls", ("/memories/../none",), refused_),
        ("str_replace", file, refused_),
    ]
    assert recorder.events[4].requests == {"GetObject": 1, "ListObjectsV2": 1}


def test_an_edit_replaces_one_or_all(backend: MemoryBackend) -> None:
    backend.write("/a.md", "x y x")
    assert "Multiple occurrences of old_string `x` in lines: 1, 1." in str(backend.edit("/a.md", "x", "z").error)
    assert backend.edit("/a.md", "y", "w").occurrences == 1
    assert backend.edit("/a.md", "x", "z", replace_all=True).occurrences == 2
    read = backend.read("/a.md").file_data
    assert read is not None
    assert read["content"] == "z w z"
    for replace_all in (False, True):
        absent = backend.edit("/a.md", "none", "", replace_all=replace_all).error
        assert "old_string `none` did not appear verbatim" in str(absent)
        assert "`old_string`" in str(backend.edit("/a.md", "", "", replace_all=replace_all).error)
        missing = backend.edit("/none.md", "x", "", replace_all=replace_all).error
        assert missing == "Error: The path /memories/none.md does not exist. Please provide a valid path."


@pytest.mark.parametrize("replace_all", [False, True])
def test_an_edit_finds_what_was_redacted_when_it_was_stored(backend: MemoryBackend, replace_all: bool) -> None:  # noqa: FBT001 - of the protocol
    backend.write("/a.md", "Password: hunter2-Blue!\n")
    edited = backend.edit("/a.md", "Password: hunter2-Blue!", "None.", replace_all=replace_all)
    assert (edited.occurrences, edited.error) == (1, None)
    read = backend.read("/a.md").file_data
    assert read is not None
    assert read["content"] == "None.\n"


def test_an_edit_leaves_or_replaces_a_placeholder_as_a_whole(backend: MemoryBackend) -> None:
    backend.write("/a.md", "a. Password: hunter2-Blue!\n")
    for part in ("a", "REDACTED", "Password: [RED", "password]\n"):
        edited = backend.edit("/a.md", part, "-", replace_all=True)
        assert "old_string is part of [REDACTED:password], which stands for text" in str(edited.error)
    assert "old_string is part of [REDACTED:password]" in str(backend.edit("/a.md", "REDACTED", "-").error)
    assert backend.edit("/a.md", "Password: [REDACTED:password]", "None", replace_all=True).occurrences == 1
    read = backend.read("/a.md").file_data
    assert read is not None
    assert read["content"] == "a. None\n"


def text_at(backend: MemoryBackend, path: str) -> str:
    content: bytes | None = backend.download_files([path])[0].content
    assert content is not None
    return content.decode()


def test_read_and_grep_count_lines_alike_and_only_a_newline_ends_one(backend: MemoryBackend) -> None:
    backend.write("/a.md", "one\u2028still one\ntwo\x0cstill two\x85\rand on\r\nthree\n\nfive")
    (match,) = backend.grep("three").matches or []
    assert match["line"] == 3
    read = backend.read("/a.md", offset=match["line"] - 1, limit=1)
    assert read.file_data is not None
    assert read.file_data["content"] == "three\n"
    assert (read.total_lines, read.start_line, read.end_line, read.next_offset) == (5, 3, 3, 3)
    assert backend.grep("still two").matches == [GrepMatch(path="/a.md", line=2, text="two\x0cstill two\x85\rand on")]
    rest = backend.read("/a.md", offset=3)
    assert rest.file_data is not None
    assert (rest.file_data["content"], rest.start_line, rest.end_line, rest.next_offset) == ("\nfive", 4, 5, None)
    before = backend.read("/a.md", offset=-1, limit=1).file_data
    assert before is not None
    assert before["content"] == "one\u2028still one\n"
    past = "Invalid `offset` parameter: 5. It should be within the lines of the file, the first of which is 0: [0, 4]"
    assert backend.read("/a.md", offset=5).error == past
    backend.write("/empty.md", "")
    empty = backend.read("/empty.md", offset=1)
    assert (empty.error, empty.file_data and empty.file_data["content"], empty.start_line) == (None, "", None)


def test_an_edit_of_what_was_read_keeps_the_line_ends_of_the_file(backend: MemoryBackend) -> None:
    backend.write("/a.md", "one\r\ntwo\r\nthree\r\n")
    read = backend.read("/a.md").file_data
    assert read is not None
    assert read["content"] == "one\ntwo\nthree\n"
    assert backend.edit("/a.md", "one\ntwo\n", "1\n2\n").occurrences == 1
    assert text_at(backend, "/a.md") == "1\r\n2\r\nthree\r\n"
    assert backend.edit("/a.md", "three", "3\n4").error is None
    assert text_at(backend, "/a.md") == "1\r\n2\r\n3\r\n4\r\n"
    assert backend.edit("/a.md", "2\r\n3", "2\n3").error is None, "who sends CRLF means the text as it is"
    assert text_at(backend, "/a.md") == "1\r\n2\n3\r\n4\r\n"


def test_an_edit_counts_what_was_read_alike_whatever_ends_its_lines(backend: MemoryBackend) -> None:
    mixed = "a.\nb\r\na.\r\nb\na\\g\nb\n"
    backend.write("/a.md", mixed)
    assert "of old_string `a.\nb` in lines: 1, 3." in str(backend.edit("/a.md", "a.\nb", "c").error)
    assert backend.edit("/a.md", "a.\nb", "\\1\nd", replace_all=True).occurrences == 2
    assert text_at(backend, "/a.md") == "\\1\nd\r\n\\1\nd\na\\g\nb\n"
    assert backend.edit("/a.md", "d\n\\1\nd\na\\g\nb\n", "e\n").occurrences == 1
    assert text_at(backend, "/a.md") == "\\1\ne\n"


def test_an_edit_across_crlf_finds_what_was_redacted_and_leaves_placeholders_whole(backend: MemoryBackend) -> None:
    backend.write("/a.md", "k\r\nPassword: hunter2-Blue!\r\nz\r\n")
    part = backend.edit("/a.md", "k\nPassword: [RED", "-")
    assert "old_string is part of [REDACTED:password]" in str(part.error)
    assert backend.edit("/a.md", "k\nPassword: hunter2-Blue!\n", "None.\n").occurrences == 1
    assert text_at(backend, "/a.md") == "None.\r\nz\r\n"


def test_arguments_of_other_types_get_an_error_and_raise_nothing(backend: MemoryBackend) -> None:
    wrong: Any = ["x"]
    backend.write("/a.md", "x")
    assert "`old_string`" in str(backend.edit("/a.md", wrong, "x").error)
    assert "`new_string`" in str(backend.edit("/a.md", "x", wrong).error)
    assert "`pattern`" in str(backend.grep(wrong).error)
    assert "`glob`" in str(backend.grep("x", glob=wrong).error)
    assert "`glob`" in str(backend.glob(wrong).error)
    assert "`offset`" in str(backend.read("/a.md", offset=wrong).error)
    assert "`limit`" in str(backend.read("/a.md", limit=wrong).error)
    sent = backend.upload_files([("/text.md", "x"), ("/list.md", wrong), (wrong, b"x"), ("/b.md", b"x")])  # type: ignore[list-item]
    assert ["`content`" in str(one.error) for one in sent] == [True, True, False, False]
    assert [one.error is None for one in sent] == [False, False, False, True]


def test_a_write_that_another_writer_overtakes_is_made_over_theirs(
    backend: MemoryBackend, make_commands: MakeCommands, s3: S3Client, other_s3: S3Client
) -> None:
    backend.write("/a.md", "1")
    other = make_commands(s3_client=other_s3)
    with FaultLayer(s3) as faults:
        # The first PUT finds the file there, the second one replaces it.
        faults.hit("PutObject", other_writer_first(lambda: other.insert("/memories/a.md", 1, "theirs")), nth=2)
        assert backend.write("/a.md", "2").error is None
    assert faults.requests.count("PutObject") == 3
    assert other.view("/memories/a.md").endswith("     1\t2")


def test_grep_is_literal_and_minds_case(backend: MemoryBackend) -> None:
    backend.write("/a.md", "Tea.\ntea.*\n")
    backend.write("/d/b.txt", "tea")
    assert backend.grep("tea").matches == [
        GrepMatch(path="/a.md", line=2, text="tea.*"),
        GrepMatch(path="/d/b.txt", line=1, text="tea"),
    ]
    assert paths(backend.grep("tea", glob="*.txt").matches) == ["/d/b.txt"]
    assert paths(backend.grep("tea", path="/d").matches) == ["/d/b.txt"]
    first = backend.grep("tea", max_count=1)
    assert (len(first.matches or []), first.truncated) == (1, True)
    assert backend.grep("tea", max_count=2).truncated is False
    none = backend.grep("tea", max_count=-1)
    assert (none.matches, none.truncated) == ([], True)


def test_a_file_is_searched_by_its_own_path(backend: MemoryBackend) -> None:
    backend.write("/d/a.md", "tea")
    backend.write("/d/b.md", "tea")
    found = backend.grep("tea", path="/d/a.md")
    assert (paths(found.matches), found.error) == (["/d/a.md"], None)
    assert paths(backend.grep("tea", path="/d/a.md", glob="*.md").matches) == ["/d/a.md"]
    assert backend.grep("tea", path="/d/a.md", glob="*.txt").matches == []
    assert paths(backend.glob("*", "/d/a.md").matches) == ["/d/a.md"]
    assert backend.glob("*", "/d/none.md").matches == []


def test_files_are_uploaded_and_downloaded_each_with_its_own_result(
    backend: MemoryBackend, make_commands: MakeCommands
) -> None:
    sent = backend.upload_files([("/a.md", b"tea"), ("/b.bin", b"\xff\x00"), ("/../c", b""), ("/a.md/x", b"")])
    assert [one.error is None for one in sent] == [True, False, False, False]
    assert sent[2].error == "invalid_path"
    got = backend.download_files(["/a.md", "/none", "/../c"])
    assert [(one.content, one.error) for one in got] == [
        (b"tea", None),
        (None, "file_not_found"),
        (None, "invalid_path"),
    ]
    backend.write("/d/x.md", "x")
    assert backend.download_files(["/d"])[0].error == "is_directory"
    reading = MemoryBackend(make_commands(read_only=True))
    assert reading.upload_files([("/b.md", b"")])[0].error == "permission_denied"


@pytest.mark.parametrize("path", ["/..", "/a/../../b", "/%2e%2e/x", "/a\x00", "/\ud800", 7, None])
def test_no_path_leaves_the_memory_and_nothing_is_raised(backend: MemoryBackend, path: Any) -> None:
    for answer in (
        backend.read(path),
        backend.write(path, "x"),
        backend.edit(path, "a", "b"),
        backend.delete(path),
        backend.ls(path),
    ):
        assert answer.error
        answer.error.encode()


def test_what_s3_says_stays_inside(backend: MemoryBackend, s3: S3Client, bucket: str) -> None:
    backend.write("/a.md", "x")
    with FaultLayer(s3) as faults:
        faults.hit("GetObject", refused(403, "AccessDenied"))
        error = backend.read("/a.md").error
    assert error is not None
    assert "refused access" in error
    assert bucket not in error


def test_it_serves_a_route_of_the_composite_backend(backend: MemoryBackend, commands: MemoryCommands) -> None:
    whole = CompositeBackend(default=StateBackend(), routes={"/memories/": backend})
    assert whole.write("/memories/a.md", "tea").path == "/memories/a.md"
    assert "tea" in commands.view("/memories/a.md")
    assert paths(whole.ls("/memories/").entries) == ["/memories/a.md"]
    assert paths(whole.grep("tea", path="/memories/").matches) == ["/memories/a.md"]
    assert asyncio.run(whole.aread("/memories/a.md")).file_data is not None


def test_errors_name_paths_below_the_route(make_commands: MakeCommands) -> None:
    own, team = MemoryBackend(make_commands()), MemoryBackend(make_commands(tenant="team"), route="/shared/team/")
    whole = CompositeBackend(default=StateBackend(), routes={"/memories/": own, "/shared/team/": team})
    whole.write("/memories/plan.md", "own")
    whole.write("/shared/team/plan.md", "team")
    edited = whole.edit("/shared/team/plan.md", "none", "x").error
    assert edited == "No replacement was performed, old_string `none` did not appear verbatim in /shared/team/plan.md."
    assert whole.read("/shared/team/none").error == "The path /shared/team/none does not exist"
    assert whole.read("/memories/none").error == "The path /memories/none does not exist"
    assert whole.delete("/shared/team/").error == "Cannot delete the /shared/team directory itself"
    assert whole.read("/shared/team/../x").error == "Path /shared/team/../x would escape /shared/team directory"
    assert str(whole.read("/shared/team/a\\b").error).startswith("Invalid path /shared/team/a\\b: ")
    assert whole.glob("**", "/shared/team").matches == [
        {**found, "path": f"/shared/team{found['path']}"} for found in team.glob("**").matches or []
    ]


def test_the_only_backend_of_an_agent_has_the_route_of_the_root(commands: MemoryCommands) -> None:
    only = MemoryBackend(commands, route="/")
    assert only.write("/a.md", "tea").path == "/a.md"
    assert only.read("/none.md").error == "The path /none.md does not exist"
    assert only.delete("/").error == "Cannot delete the / directory itself"


@pytest.mark.parametrize("route", ["memories/", "", None])
def test_a_route_begins_with_a_slash(commands: MemoryCommands, route: Any) -> None:
    with pytest.raises(ConfigurationError, match="must be a route of CompositeBackend"):
        MemoryBackend(commands, route=route)


def test_mounts_are_routes(commands: MemoryCommands) -> None:
    with pytest.raises(ConfigurationError, match="route of its own"):
        MemoryBackend(MountedCommands({"/memories": commands}))


class Scripted(GenericFakeChatModel):
    """A model that calls tools by a script."""

    def bind_tools(self, *_: Any, **__: Any) -> Scripted:
        return self


def run_agent(
    backend: BackendProtocol, *calls: tuple[str, dict[str, Any]], permissions: list[FilesystemPermission] | None = None
) -> list[str]:
    """Run an agent of the framework that makes these calls, one a turn. Return the results."""
    turns = [AIMessage("", tool_calls=[{"name": name, "args": args, "id": name}]) for name, args in calls]
    agent = create_deep_agent(
        model=Scripted(messages=iter([*turns, AIMessage("Done.")])),
        backend=CompositeBackend(default=StateBackend(), routes={"/memories/": backend}),
        permissions=permissions,
    )
    ended = agent.invoke({"messages": [{"role": "user", "content": "Go on."}]})
    assert ended["messages"][-1].content == "Done."
    return [str(message.content) for message in ended["messages"] if message.type == "tool"]


def test_what_an_agent_of_the_framework_writes_outlives_its_run(
    backend: MemoryBackend, commands: MemoryCommands
) -> None:
    run_agent(
        backend,
        ("write_file", {"file_path": "/memories/anna.md", "content": "Anna drinks tea.\n"}),
        ("write_file", {"file_path": "/draft.md", "content": "not a memory\n"}),
        ("edit_file", {"file_path": "/memories/anna.md", "old_string": "tea", "new_string": "mate"}),
    )
    assert commands.view("/memories/anna.md").endswith("\tAnna drinks mate.\n     2\t")
    assert "draft" not in commands.view("/memories")
    read, missing = run_agent(
        backend,
        ("read_file", {"file_path": "/memories/anna.md"}),
        ("read_file", {"file_path": "/memories/none.md"}),
    )
    assert "Anna drinks mate." in read
    assert missing == "Error: The path /memories/none.md does not exist"


def test_an_agent_may_delete_what_it_may_in_a_folder_where_some_names_are_denied(
    backend: MemoryBackend, tmp_path: Path
) -> None:
    deny = FilesystemPermission(operations=["write"], paths=["/memories/**/*.key"], mode="deny")
    told = []
    for one in (backend, FilesystemBackend(root_dir=tmp_path, virtual_mode=True)):
        one.write("/d/a.md", "x")
        one.write("/d/b.key", "x")
        deletes = [("delete", {"file_path": f"/memories/d{name}"}) for name in ("/a.md", "/b.key", "")]
        told.append((run_agent(one, *deletes, permissions=[deny]), paths(one.ls("/d").entries)))
    assert told[0] == told[1]
    assert "/d/b.key" in told[0][1]
