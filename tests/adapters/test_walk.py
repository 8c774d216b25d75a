"""How far it is from the tool to S3: whoever reads the code goes this way, frame by frame."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import s3memory
from s3memory import MemoryCommands, S3MemoryTool

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

_PACKAGE = Path(s3memory.__file__).parent
_FILE = "/memories/tea.md"
_CREATE = {"command": "create", "path": _FILE, "file_text": "Anna: tea"}


def walks(s3: S3Client, commands: MemoryCommands, tool_input: dict[str, object]) -> dict[str, list[str]]:
    """Return the package's own frames above each kind of request of one command."""
    seen: dict[str, list[str]] = {}

    def note(event_name: str, **_: object) -> None:
        frames = [frame for frame in traceback.extract_stack() if _PACKAGE in Path(frame.filename).parents]
        seen[event_name.rpartition(".")[2]] = [f"{Path(frame.filename).stem}.{frame.name}" for frame in frames]

    s3.meta.events.register("before-call.s3", note, unique_id="walks")
    try:
        S3MemoryTool.from_commands(commands).call(tool_input)
    finally:
        s3.meta.events.unregister("before-call.s3", unique_id="walks")
    return seen


@pytest.mark.parametrize(
    ("tool_input", "request_name", "most"),
    [
        (_CREATE | {"path": "/memories/new.md"}, "PutObject", 10),
        ({"command": "view", "path": _FILE}, "GetObject", 10),
        ({"command": "view", "path": "/memories"}, "ListObjectsV2", 10),
        ({"command": "str_replace", "path": _FILE, "old_str": "tea", "new_str": "coffee"}, "PutObject", 11),
        ({"command": "insert", "path": _FILE, "insert_line": 0, "insert_text": "Drinks"}, "PutObject", 11),
        ({"command": "delete", "path": _FILE}, "DeleteObject", 11),
        ({"command": "rename", "old_path": _FILE, "new_path": "/memories/new.md"}, "PutObject", 12),
    ],
    ids=["create", "view-file", "view-directory", "str_replace", "insert", "delete", "rename"],
)
def test_a_request_is_so_many_frames_from_the_tool_at_most(
    s3: S3Client, commands: MemoryCommands, tool_input: dict[str, object], request_name: str, most: int
) -> None:
    commands.call(_CREATE)
    walk = walks(s3, commands, tool_input)[request_name]
    assert walk[0] == "anthropic.call"
    assert len(walk) <= most, " > ".join(walk)
