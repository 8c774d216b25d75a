"""The README works: every block runs from a clean folder and prints what the page shows."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from support.repository import REPOSITORY

from s3memory import LocalKeyWrapper
from s3memory.testing import MotoServer, ScriptedMessagesAPI, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

README = (REPOSITORY / "README.md").read_text("utf-8")
REPORT = (REPOSITORY / "benchmarks" / "report.md").read_text("utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
(QUICKSTART,) = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
(PRINTED,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
BUCKET = "agent-memory"


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "S3MEMORY_"))}


@pytest.fixture(scope="module")
def server() -> Iterator[MotoServer]:
    """The bucket and key of the README, on a local server."""
    with MotoServer() as aws:
        aws.make_bucket(BUCKET)
        aws.make_kms_key("alias/agent-memory")
        yield aws


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A clean folder with a virtual environment that contains s3memory: the one that runs this test."""
    interpreter = tmp_path / ".venv" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', "utf-8")
    interpreter.chmod(0o700)
    return tmp_path


def snippet(beginning: str) -> str:
    found: list[str] = [text for text in SNIPPETS if text.startswith(beginning)]
    assert len(found) == 1
    return found[0]


def run(text: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a block as a separate program, with the variables that the local server prints."""
    command = [str(folder / ".venv" / "bin" / "python"), "-c", text]
    return subprocess.run(  # noqa: S603 - our own README
        command, env=clean_environment() | environment, cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_quickstart_prints_what_the_page_shows(folder: Path) -> None:
    """`make first-use` runs the whole block, from a clone; its first two lines need a package index."""
    make, install, *program = QUICKSTART.splitlines(keepends=True)
    assert make == "python3 -m venv .venv\n"
    assert install.startswith(".venv/bin/python -m pip install ")
    done = subprocess.run(  # noqa: S603 - our own README
        ["/bin/sh", "-ec", "".join(program)],
        env=clean_environment(),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == PRINTED


@pytest.mark.long
def test_the_agent_remembers_on_the_local_server(server: MotoServer, folder: Path) -> None:
    script = [
        Turn("", [{"command": "view", "path": "/memories"}]),
        Turn("", [{"command": "create", "path": "/memories/anna.md", "file_text": "Anna: black coffee\n"}]),
        Turn("I'll remember that."),
    ]
    with ScriptedMessagesAPI(script) as api:
        done = run(snippet("import anthropic\n"), folder, server.environment | api.environment)
    assert (done.returncode, done.stdout) == (0, "I'll remember that.\n")
    assert [result.is_error for result in api.tool_results] == [False, False]
    listed = server.s3_client.list_objects_v2(Bucket=BUCKET, Prefix="memories/acme/")["Contents"]
    assert [item["Key"] for item in listed] == ["memories/acme/anna.md"]


def test_the_core_works_without_the_sdk_and_fails_if_nothing_was_stored(server: MotoServer, folder: Path) -> None:
    program = snippet("import sys\n")
    stored = run(program, folder, server.environment)
    assert (stored.returncode, stored.stdout) == (0, "File created successfully at: /memories/plan.md\n")
    again = run(program, folder, server.environment)
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == "not done: File /memories/plan.md already exists\n"


def test_boto3_next_to_s3memory_stays_on_the_local_server(server: MotoServer, folder: Path) -> None:
    program = (
        "import boto3\n"
        "for service in ('s3', 'kms', 'sts'):\n"
        "    print(boto3.client(service).meta.endpoint_url)\n"
        "print(boto3.client('s3').list_buckets()['Buckets'][0]['Name'])\n"
    )
    assert run(program, folder, server.environment).stdout == f"{server.endpoint_url}\n" * 3 + f"{BUCKET}\n"


@pytest.mark.long
def test_the_handler_takes_its_settings_from_the_environment(server: MotoServer, folder: Path) -> None:
    call = "\nfrom types import SimpleNamespace\n"
    call += "claims = {'requestContext': {'authorizer': {'jwt': {'claims': {'tenant': 'initech'}}}}}\n"
    call += "print(handler(claims, SimpleNamespace(get_remaining_time_in_millis=lambda: 3000)))\n"
    settings = {"S3MEMORY_BUCKET": BUCKET, "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text()}
    done = run(snippet("from s3memory import S3MemoryTool\n") + call, folder, _without_kms(server) | settings)
    assert done.stdout.endswith("0B\t/memories\n")


def test_the_documented_doctor_command_runs_if_no_tenant_has_data(server: MotoServer, folder: Path) -> None:
    (arguments,) = re.findall(r"`s3memory (doctor[^`]*)` against", README)
    settings = {"S3MEMORY_BUCKET": BUCKET, "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text()}
    program = f"from s3memory.cli import main; main({arguments.split()} + ['--json'])"
    done = run(program, folder, _without_kms(server) | settings)
    assert (done.returncode, done.stderr) == (1, "")  # a local server is weaker than S3
    assert done.stdout.startswith("{")


def _without_kms(server: MotoServer) -> dict[str, str]:
    return {name: value for name, value in server.environment.items() if name != "S3MEMORY_KMS_ENDPOINT_URL"}


def test_every_block_is_run_by_a_test() -> None:
    assert len(SNIPPETS) == 3
    assert README.count("```") == 2 * (3 + len(["mermaid", "sh", "text"]))


@pytest.fixture
def build_hook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The build hook, without the build tools, which are only in the builds' own environments."""
    interface = ModuleType("hatchling.metadata.plugin.interface")
    interface.MetadataHookInterface = SimpleNamespace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    return runpy.run_path(str(REPOSITORY / "hatch_build.py"))["RepositoryMetadata"](root=str(REPOSITORY))


@pytest.mark.parametrize("url", ["", "https://forge.example/owner/s3memory"], ids=["unknown", "known"])
def test_on_an_index_all_links_lead_to_the_repository_if_it_is_known(
    build_hook: Any, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("REPOSITORY_URL", url)
    metadata: dict[str, Any] = {"version": "1.2.3"}
    build_hook.update(metadata)
    text = metadata["readme"]["text"]
    if not url:
        assert (text, set(metadata)) == (README, {"version", "readme"})
        return
    assert not re.search(r"\]\((?!https://)", text)
    assert f"[Deploy]({url}/blob/v1.2.3/docs/deploy.md)" in text
    assert f"({url}/raw/v1.2.3/docs/pictures/demo.svg)" in text
    assert re.sub(rf"{url}/(blob|raw)/v1.2.3/", "", text) == README
    assert metadata["urls"]["Repository"] == url


def test_a_build_from_an_sdist_keeps_the_releases_repository(build_hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REPOSITORY_URL", raising=False)
    said = {"version": "1.2.3", "readme": {"text": "of the release"}, "urls": {"Repository": "there"}}
    metadata = {**said}
    build_hook.update(metadata)
    assert metadata == said


def test_it_is_short() -> None:
    assert len(README.splitlines()) < 250


@pytest.mark.parametrize("target", ["demo", "test", "check", "docs"])
def test_make_knows_the_targets(target: str) -> None:
    make = ["make", "--dry-run", "--always-make", target]
    done = subprocess.run(make, cwd=REPOSITORY, capture_output=True, text=True, check=True)  # noqa: S603
    program = {"demo": "s3memory demo", "test": "pytest", "check": "mypy", "docs": "mkdocs"}[target]
    assert program in done.stdout


def rows(table: str) -> dict[str, list[str]]:
    """Return the rows of a table of the report, by their first column."""
    section = REPORT.partition(f"\n## {table}\n")[2].partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "|" in line]
    return {first: rest for first, *rest in reversed(cells)}


def test_the_figures_match_the_report() -> None:
    """`rows` keeps the first table of a section: the times."""
    warm, cold = rows("One command, warm"), rows("Ten commands from a cold process")
    view, edit = warm["view, 1 kB"], warm["str_replace, 1 kB"]
    assert f"`view` takes {view[0]} ms and `str_replace` {edit[0]} ms" in README
    text = " ".join(README.split())
    ratio = {name: warm[f"{name}, 1 kB"][2].partition(" ")[0] for name in ("create", "rename", "delete")}
    assert f"takes {view[2].partition(' ')[0]} and {edit[2].partition(' ')[0]} times as long" in text
    assert f"takes {ratio['create']}, {ratio['rename']} and {ratio['delete']} times as long" in text
    assert f"make {cold['s3memory'][4]} KMS call**, where that tool makes {cold['afternoon version'][4]}" in text
    assert "(a GET 20 ms, a PUT 45 ms)" in text
    assert "GET 20, HEAD 15, PUT 45" in REPORT
    trips = dict(re.findall(r"^\| (view|str_replace) \| (\d) \| \d \|", REPORT, re.MULTILINE))
    assert trips == {"view": "1", "str_replace": "2"}
