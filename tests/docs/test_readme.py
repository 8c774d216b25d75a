"""The README does what it says: every snippet runs, every command is one that is run, every setting is listed."""

from __future__ import annotations

import re
import shlex
import subprocess
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
import typer
from support.repository import REPOSITORY

from s3memory import LocalKeyWrapper
from s3memory.aws.clients import forget_clients
from s3memory.cli.app import app
from s3memory.config.variables import VARIABLES
from s3memory.testing import ScriptedMessagesAPI, Turn

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

README = (REPOSITORY / "README.md").read_text("utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
COMMANDS = [line for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]


@pytest.fixture
def agent_memory(s3: S3Client, monkeypatch: pytest.MonkeyPatch) -> str:
    """The bucket and key that the README speaks of."""
    name = "agent-memory"
    # The region is found in either of AWS's variables.
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    forget_clients()
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    kms = boto3.client("kms", "eu-central-1")
    key_id = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.create_alias(AliasName="alias/agent-memory", TargetKeyId=key_id)
    return name


@pytest.fixture(autouse=True)
def _gone(s3: S3Client) -> Any:
    yield
    for listed in s3.list_buckets()["Buckets"]:
        if listed["Name"] == "agent-memory":
            for item in s3.list_objects_v2(Bucket="agent-memory").get("Contents", []):
                s3.delete_object(Bucket="agent-memory", Key=item["Key"])
            s3.delete_bucket(Bucket="agent-memory")
    kms = boto3.client("kms", "eu-central-1")
    for alias in kms.list_aliases()["Aliases"]:
        if alias["AliasName"] == "alias/agent-memory":
            kms.delete_alias(AliasName="alias/agent-memory")


def snippet(beginning: str) -> str:
    found: list[str] = [text for text in SNIPPETS if text.startswith(beginning)]
    assert len(found) == 1
    return found[0]


def run(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(text, "README.md", "exec"), names)  # noqa: S102 - our own README
    return names


@pytest.mark.usefixtures("agent_memory")
def test_the_agent_remembers(s3: S3Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    script = [
        Turn("", [{"command": "view", "path": "/memories"}]),
        Turn("", [{"command": "create", "path": "/memories/anna.md", "file_text": "Anna: black coffee\n"}]),
        Turn("I'll remember that."),
    ]
    with ScriptedMessagesAPI(script) as api:
        for name, value in api.environment.items():
            monkeypatch.setenv(name, value)
        run(snippet("import anthropic\nfrom s3memory import KmsKeyWrapper"))["runner"]._client.close()
    assert capsys.readouterr().out == "I'll remember that.\n"
    assert [result.is_error for result in api.tool_results] == [False, False]
    keys = {item["Key"] for item in s3.list_objects_v2(Bucket="agent-memory")["Contents"]}
    assert keys == {"keyrings/acme", "memories/acme/anna.md"}


def test_the_handler_takes_its_settings_from_the_environment(
    agent_memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S3MEMORY_BUCKET", agent_memory)
    monkeypatch.setenv("S3MEMORY_LOCAL_KEY", LocalKeyWrapper.generate_key_text())
    handler = run(snippet("from s3memory import S3MemoryTool\n"))["handler"]
    event = {"requestContext": {"authorizer": {"jwt": {"claims": {"tenant": "acme"}}}}}
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: 3000)
    assert handler(event, context).endswith("0B\t/memories")


@pytest.mark.usefixtures("agent_memory")
def test_the_core_works_by_hand(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_KEY", LocalKeyWrapper.generate_key_text())
    run(snippet("import os\n"))
    out = capsys.readouterr().out
    assert out.startswith("File created successfully at: /memories/plan.md\n")
    assert out.endswith("11B\t/memories/plan.md\n")


def test_an_agent_is_tested_offline() -> None:
    names = run(snippet("import anthropic\nfrom s3memory import LocalKeyWrapper"))
    assert len(names["claude"].tool_results) == 1


def test_a_detector_of_ones_own_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    run(snippet("import re\n"))
    assert capsys.readouterr().out == "see [REDACTED:ticket]\n"


def test_every_snippet_is_run_by_a_test() -> None:
    assert len(SNIPPETS) == 5


def test_every_command_is_run_by_this_suite_or_by_ci() -> None:
    """`make` targets by the project's check, `pip install` of the built wheel as well, `s3memory call` by its tests."""
    check = (REPOSITORY / ".ci" / "run").read_text("utf-8")
    for command in COMMANDS:
        if command.startswith("make "):
            assert f"\n{command}\n" in check, command
        elif command.startswith("pip "):
            assert "make wheel-check" in check
        else:
            assert shlex.split(command)[:2] == ["s3memory", "call"]


@pytest.mark.parametrize("target", ["demo", "test", "check"])
def test_make_knows_the_targets(target: str) -> None:
    make = ["make", "--dry-run", "--always-make", target]
    done = subprocess.run(make, cwd=REPOSITORY, capture_output=True, text=True, check=True)  # noqa: S603
    program = {"demo": "s3memory demo", "test": "pytest", "check": "mypy"}[target]
    assert program in done.stdout


def settings_table() -> str:
    rows = "\n".join(f"| `{variable.full_name}` | {variable.purpose} |" for variable in VARIABLES)
    return f"| variable | meaning |\n|---|---|\n{rows}"


def test_every_setting_is_listed() -> None:
    assert settings_table() in README, f"put this table into the README:\n\n{settings_table()}"


def commands_without_json(group: Any, before: str = "") -> set[str]:
    found = set()
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            found |= commands_without_json(command, f"{before}{name} ")
        elif not any("--json" in option.opts for option in command.params):
            found.add(f"{before}{name}")
    return found


def test_it_is_told_which_commands_take_no_json() -> None:
    (named,) = re.findall(r"All take `--json` but (.*?), whose", README, re.DOTALL)
    assert set(re.findall(r"`([^`]+)`", named)) == commands_without_json(typer.main.get_command(app))


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", README):
        assert (REPOSITORY / target).exists(), target
