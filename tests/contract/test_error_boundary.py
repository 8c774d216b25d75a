"""What the log says of a command that failed: the type of the error, and AWS's code where there is one."""

from __future__ import annotations

import pytest
from conftest import MakeCommands
from support.faults import FaultLayer, refused

from s3memory.contract.error_boundary import run_guarded
from s3memory.errors import UnavailableError


def test_the_log_names_the_code_that_aws_gave(
    make_commands: MakeCommands, faults: FaultLayer, caplog: pytest.LogCaptureFixture
) -> None:
    commands = make_commands()
    commands.create("/memories/a.md", "text")
    faults.hit("GetObject", refused(403, "AccessDenied"), times=9)
    text, is_error = run_guarded(commands.view, "/memories/a.md")
    assert is_error
    assert text.startswith("Error: The memory store refused access")
    assert [record.getMessage() for record in caplog.records if record.name == "s3memory"] == [
        "a memory command failed: AccessDeniedError (AccessDenied)"
    ]


def test_the_log_names_the_type_alone_where_aws_said_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> str:
        raise UnavailableError("There is no time left.") from ValueError("bucket agent-memory")

    assert run_guarded(fail) == ("Error: There is no time left.", True)
    assert [record.getMessage() for record in caplog.records] == ["a memory command failed: UnavailableError"]
