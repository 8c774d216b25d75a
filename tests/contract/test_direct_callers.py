"""A program that calls a command with an invalid argument gets this package's error, as a model does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
from anthropic.lib.tools import ToolError
from conftest import MakeCommands
from support.flavours import files_of
from support.for_each import for_each
from support.recorder import Recorder

from s3memory import AsyncS3MemoryTool, MemoryCommands, MountedCommands, S3MemoryTool
from s3memory.audit import Outcome
from s3memory.errors import InvalidInputError

A = "/memories/a.md"
NO_STRINGS: list[Any] = [None, b"x", 5, True, 1.5, ["x"], {"x": "y"}, object()]
NO_INTEGERS: list[Any] = [None, "0", b"0", 1.0, True, False, [0], object()]
NO_RANGES: list[Any] = [5, 1.5, True, "12", "1", {1: 1, 2: 2}, {1, 2}, iter([1, 2]), [1], [1, "2"], [True, 1], object()]


@pytest.fixture(params=["one", "mounted"])
def memory(request: pytest.FixtureRequest, commands: MemoryCommands) -> MemoryCommands:
    """The commands of one memory, and of a tree of mounted memories, with one file stored."""
    commands.create(A, "x\ny\n")
    return MountedCommands({"/memories": commands}) if request.param == "mounted" else commands


def refuse(memory: MemoryCommands, command: str, *arguments: Any, parameter: str, why: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        getattr(memory, command)(*arguments)
    assert str(raised.value) == f"Invalid `{parameter}` parameter: it must be {why}"
    assert files_of(memory.store) == {A: "x\ny\n"}


@for_each(
    ("command", "arguments", "parameter"),
    [
        ("view", [...], "path"),
        ("create", [..., "x"], "path"),
        ("create", ["/memories/new.md", ...], "file_text"),
        ("str_replace", [..., "x"], "path"),
        ("str_replace", [A, ..., "y"], "old_str"),
        ("str_replace", [A, "x", ...], "new_str"),
        ("insert", [..., 0, "x"], "path"),
        ("insert", [A, 0, ...], "insert_text"),
        ("delete", [...], "path"),
        ("rename", [..., A], "old_path"),
        ("rename", [A, ...], "new_path"),
        ("search", [...], "query"),
        ("search", ["x", ...], "path"),
    ],
)
@for_each("wrong", NO_STRINGS)
def test_an_argument_that_is_not_a_string_is_refused_by_the_name_of_its_parameter(
    memory: MemoryCommands, command: str, arguments: list[Any], parameter: str, wrong: Any
) -> None:
    sent = [wrong if argument is ... else argument for argument in arguments]
    refuse(memory, command, *sent, parameter=parameter, why="a string")


@for_each("wrong", NO_INTEGERS)
def test_an_insert_line_that_is_not_an_integer_is_refused(memory: MemoryCommands, wrong: Any) -> None:
    refuse(memory, "insert", A, wrong, "x", parameter="insert_line", why="an integer")


@for_each("wrong", NO_RANGES)
def test_a_view_range_that_is_not_a_sequence_of_two_integers_is_refused(memory: MemoryCommands, wrong: Any) -> None:
    refuse(memory, "view", A, wrong, parameter="view_range", why="a list of two integers")


@for_each("sent", [[1, 2], (1, 2), range(1, 3)])
def test_any_sequence_of_two_integers_is_a_valid_view_range(memory: MemoryCommands, sent: Any) -> None:
    assert memory.view(A, sent).endswith("     1\tx\n     2\ty")


@for_each(
    ("command", "arguments"),
    [
        ("create", ["/memories/new.md", "\ud800"]),
        ("str_replace", [A, "\ud800", "x"]),
        ("str_replace", [A, "x", "\ud800"]),
        ("insert", [A, 0, "\ud800"]),
        ("search", ["\ud800"]),
    ],
)
def test_text_that_is_not_valid_unicode_is_refused(memory: MemoryCommands, command: str, arguments: list[Any]) -> None:
    with pytest.raises(InvalidInputError, match="lone surrogate"):
        getattr(memory, command)(*arguments)
    assert files_of(memory.store) == {A: "x\ny\n"}


def test_a_refused_argument_appears_in_the_audit_event_of_its_command(make_commands: MakeCommands) -> None:
    recorder, wrong = Recorder(with_paths=True), cast("Any", None)
    with pytest.raises(InvalidInputError):
        make_commands(auditor=recorder).create(A, wrong)
    assert [(one.operation, one.outcome, one.error, one.paths) for one in recorder.events] == [
        ("create", Outcome.REFUSED, "InvalidInputError", (A,))
    ]


@for_each("wrong", [None, 5, [1], "ab", object()])
def test_both_tools_refuse_input_that_is_not_a_command(commands: MemoryCommands, wrong: Any) -> None:
    tool, async_tool = S3MemoryTool.from_commands(commands), AsyncS3MemoryTool.from_commands(commands)
    calls: list[Callable[[], str]] = [
        lambda: tool.view(wrong),
        lambda: tool.execute(wrong),
        lambda: asyncio.run(async_tool.view(wrong)),
        lambda: asyncio.run(async_tool.execute(wrong)),
    ]
    for call in calls:
        with pytest.raises(ToolError) as raised:
            call()
        assert str(raised.value) == "Error: The input must be an object with a `command`"
