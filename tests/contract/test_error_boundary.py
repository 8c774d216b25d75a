"""What the log says about a failed command: the type of the error, and AWS's error code if there is one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from conftest import MakeCommands
from support.faults import FaultLayer, refused
from support.repository import REPOSITORY

from s3memory.contract.error_boundary import run_guarded
from s3memory.errors import BackendError, ConfigurationError, MissingExtraError, S3MemoryError, UnavailableError


def test_the_log_names_the_error_code_from_aws(
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


def test_the_log_names_only_the_type_of_an_error_without_an_aws_code(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> str:
        raise UnavailableError("There is no time left.") from ValueError("bucket agent-memory")

    assert run_guarded(fail) == ("Error: There is no time left.", True)
    assert [record.getMessage() for record in caplog.records] == ["a memory command failed: UnavailableError"]


def test_a_log_record_has_the_command_and_the_tenant_in_separate_fields(
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


def test_a_log_record_about_input_that_is_not_a_command_has_these_fields_too(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> str:
        raise UnavailableError("There is no time left.")

    run_guarded(fail)
    assert [(vars(one)["operation"], vars(one)["tenant"]) for one in caplog.records] == [(None, None)]


@pytest.mark.parametrize("command", ["view", "create", "str_replace", "delete", "rename", "search", "clear"])
def test_an_error_that_a_program_logs_with_its_traceback_names_no_resource(
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


def test_the_message_for_the_model_about_a_wrong_setting_does_not_quote_it() -> None:
    for error in (ConfigurationError("S3MEMORY_BUCKET is 'telling'"), MissingExtraError("install telling")):
        assert run_guarded(raising(error)) == (error.for_model, True)
        assert error.for_model == "Error: The memory is misconfigured. Nothing was changed. This needs an operator."


# Carries out one command in a process that cannot open any more files, and again after it can.
WITHOUT_FILES = """
import json, logging, os, resource, sys
from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.contract.error_boundary import run_guarded
from s3memory.errors import S3MemoryError
from support.memory_s3 import InMemoryS3

os.environ |= {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "eu-central-1"}
server, wrapper = InMemoryS3(), LocalKeyWrapper(bytes(range(32)))

def made():
    return MemoryCommands(
        MemoryStore(bucket="agent-memory", tenant="acme", key_wrapper=wrapper, s3_client=server.client(), redactor=None)
    )

files = {"/memories/a.md": "tea", "/memories/d/b.md": "tea"}
for path, text in files.items():
    made().create(path, text)
command, *arguments = json.loads(sys.argv[1])
logging.basicConfig(format="%(message)s")
commands = made()
run = getattr(commands, command)
before = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) - 1, before[1]))
try:
    run(*arguments)
except S3MemoryError as error:
    kind = type(error).__name__
guarded = run_guarded(run, *arguments)
resource.setrlimit(resource.RLIMIT_NOFILE, before)
same = all(text in made().view(path) for path, text in files.items())
print(json.dumps([kind, *guarded, same, run_guarded(run, *arguments)[1]]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it counts the open files as Linux lists them")
@pytest.mark.parametrize(
    "call",
    [
        ("view", "/memories"),
        ("delete", "/memories/d"),
        ("rename", "/memories/d", "/memories/e"),
        ("search", "tea"),
        ("clear",),
    ],
)
def test_a_module_that_cannot_be_loaded_when_files_run_out_is_a_contract_error_and_changes_nothing(
    call: tuple[Any, ...],
) -> None:
    done = subprocess.run(  # noqa: S603 - this interpreter, the program above
        [sys.executable, "-c", WITHOUT_FILES, json.dumps(call)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY / "tests"), str(REPOSITORY)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kind, text, is_error, is_as_before, fails_again = json.loads(done.stdout)
    assert text == (
        "Error: The memory met an internal error, and it is not known whether a change was made. "
        "View the file before trying again."
    )
    assert (kind, is_error, is_as_before, fails_again) == ("OutcomeUnknownError", True, True, False)
    assert done.stderr == "a memory command failed: OutcomeUnknownError (EMFILE)\n"


def raising(error: Exception) -> Callable[[], str]:
    def fail() -> str:
        raise error

    return fail
