"""What the log says of a command that failed: the type of the error, and AWS's code where there is one."""

from __future__ import annotations

import traceback
from collections.abc import Callable

import pytest
from conftest import MakeCommands
from support.faults import FaultLayer, refused

from s3memory.contract.error_boundary import run_guarded
from s3memory.errors import BackendError, ConfigurationError, MissingExtraError, S3MemoryError, UnavailableError


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


def test_a_log_record_names_the_command_and_the_tenant_in_fields_of_its_own(
    make_commands: MakeCommands, faults: FaultLayer, caplog: pytest.LogCaptureFixture
) -> None:
    commands = make_commands(tenant="acme")
    commands.create("/memories/a.md", "text")
    faults.hit("GetObject", refused(403, "AccessDenied"), times=9)
    run_guarded(commands.call, {"command": "view", "path": "/memories/a.md"})
    run_guarded(commands.insert, "/memories/a.md", 0, "x")
    fields = [(vars(record)["operation"], vars(record)["tenant"]) for record in caplog.records if record.args]
    assert fields == [("view", "acme"), ("insert", "acme")]
    assert "acme" not in caplog.text


def test_a_record_of_what_was_no_command_has_the_fields_too(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> str:
        raise UnavailableError("There is no time left.")

    run_guarded(fail)
    assert [(vars(one)["operation"], vars(one)["tenant"]) for one in caplog.records] == [(None, None)]


@pytest.mark.parametrize("command", ["view", "create", "str_replace", "delete", "rename", "search", "clear"])
def test_what_a_program_logs_of_an_error_with_its_traceback_names_no_resource(
    make_commands: MakeCommands, faults: FaultLayer, command: str
) -> None:
    commands = make_commands()
    commands.create("/memories/a.md", "text")
    for operation in ("GetObject", "PutObject", "DeleteObject", "DeleteObjects", "ListObjectsV2"):
        faults.hit(operation, refused(403, "AccessDenied"), times=99)
    arguments = {
        "view": ("/memories/a.md",), "create": ("/memories/b.md", "x"), "str_replace": ("/memories/a.md", "t", "u"),
        "delete": ("/memories/a.md",), "rename": ("/memories/a.md", "/memories/b.md"), "search": ("text",), "clear": (),
    }  # fmt: skip
    with pytest.raises(BackendError) as caught:
        getattr(commands, command)(*arguments[command])
    one: BaseException | None = caught.value
    while one is not None:
        assert isinstance(one, S3MemoryError)
        assert one.__cause__ or one.__context__ is None
        one = one.__cause__
    assert "ClientError" not in "".join(traceback.format_exception(caught.value))


def test_what_a_model_is_to_read_of_a_wrong_setting_quotes_none() -> None:
    for error in (ConfigurationError("S3MEMORY_BUCKET is 'telling'"), MissingExtraError("install telling")):
        assert run_guarded(raising(error)) == (error.for_model, True)
        assert error.for_model == "Error: The memory is misconfigured. Nothing was changed. This needs an operator."


def raising(error: Exception) -> Callable[[], str]:
    def fail() -> str:
        raise error

    return fail
