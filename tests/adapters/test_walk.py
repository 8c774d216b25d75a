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
_MAX_FRAMES = 10
_CREATE = {"command": "create", "path": "/memories/tea.md", "file_text": "Anna: tea"}


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
    ("tool_input", "request_name"),
    [
        (_CREATE | {"path": "/memories/new.md"}, "PutObject"),
        ({"command": "view", "path": "/memories/tea.md"}, "GetObject"),
        ({"command": "view", "path": "/memories"}, "ListObjectsV2"),
    ],
    ids=["create", "view-file", "view-directory"],
)
def test_a_request_is_ten_frames_from_the_tool_at_most(
    s3: S3Client, commands: MemoryCommands, tool_input: dict[str, object], request_name: str
) -> None:
    commands.call(_CREATE)
    walk = walks(s3, commands, tool_input)[request_name]
    assert walk[0] == "anthropic.call"
    assert len(walk) <= _MAX_FRAMES, " > ".join(walk)
