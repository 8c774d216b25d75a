"""The CLI as others meet it: as a process, with its pipes, its exit code, and what it does not load."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.unique import unique

from s3memory.testing import MotoServer

VIEW_ROOT = json.dumps({"command": "view", "path": "/memories"})
CLI = [sys.executable, "-m", "s3memory"]
BUCKET = unique("piped")
_SETTINGS = {"S3MEMORY_BUCKET": BUCKET, "S3MEMORY_KMS_KEY_ID": f"alias/{BUCKET}", "S3MEMORY_TENANT": "acme"}
REFUSED_LIBRARY = """
import sys
sys.modules[{library!r}] = None  # importing it fails
from s3memory.cli import main
main({arguments!r})
"""


@pytest.fixture(scope="session")
def environment(shared_server: MotoServer) -> dict[str, str]:
    """The environment of a process with a memory."""
    shared_server.make_bucket(BUCKET)
    shared_server.make_kms_key(f"alias/{BUCKET}")
    return os.environ | shared_server.environment | _SETTINGS


@contextmanager
def called(environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    command = [*CLI, "call"]
    with subprocess.Popen(  # noqa: S603 - this interpreter and our program
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="ascii"
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_each_result_comes_out_before_the_next_input_goes_in(environment: dict[str, str]) -> None:
    with called(environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(VIEW_ROOT + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["is_error"] is False
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait(timeout=30) == 0


def test_the_examples_of_the_help_work_one_after_the_other_and_their_key_outlives_the_shell(
    environment: dict[str, str], tmp_path: Path
) -> None:
    clean = {name: value for name, value in environment.items() if name not in _SETTINGS}
    told = subprocess.run([*CLI, "--help"], env=clean, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our program
    examples = told.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
    assert examples.pop(0).strip().startswith("s3memory demo ")
    function = f's3memory() {{ {shlex.join(CLI)} "$@"; }}'
    script = "\n".join([function, *examples]).replace("agent-memory", BUCKET)
    without_new_key = "\n".join(line for line in script.splitlines() if "keygen" not in line)
    for text in (script, without_new_key):
        done = subprocess.run(  # noqa: S603 - the same
            ["/bin/bash", "-c", text], env=clean, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
        assert json.loads(done.stdout)["is_error"] is False
    assert (tmp_path / "local.key").stat().st_mode & 0o777 == 0o600


def test_a_call_does_not_load_the_sdk_nor_the_libraries_of_other_commands(environment: dict[str, str]) -> None:
    program = (
        "import sys\nfrom s3memory.cli import main\n"
        f"try: main(['call', {VIEW_ROOT!r}])\n"
        "finally: sys.stderr.write(' '.join({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(  # noqa: S603 - this interpreter and the lines above
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["is_error"] is False
    assert not {"anthropic", "httpx2", "moto", "rich"} & set(done.stderr.split())


@pytest.mark.parametrize("command", ["--help", "--version", "keygen", "settings"])
def test_what_needs_no_bucket_loads_neither_the_core_nor_botocore(command: str) -> None:
    program = (
        "import sys\nfrom s3memory.cli import main\n"
        f"try: main([{command!r}])\n"
        "finally: sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run(  # noqa: S603 - this interpreter and the lines above
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert not {"boto3", "botocore", "anthropic", "rich.console", "moto", "s3memory.store.memory_store"} & loaded
    assert ("cryptography" in loaded) is (command in {"keygen", "settings"})


@pytest.mark.parametrize(
    ("library", "arguments", "extra"),
    [
        ("typer", ["--help"], ".[cli]"),
        ("moto", ["demo"], ".[local]"),
        ("anthropic", ["demo"], "anthropic"),
    ],
)
def test_a_library_that_is_not_installed_costs_one_line_and_exit_code_2(
    library: str, arguments: list[str], extra: str
) -> None:
    program = REFUSED_LIBRARY.format(library=library, arguments=arguments)
    done = subprocess.run(  # noqa: S603 - this interpreter and the lines above
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"pip install '{extra}'" in done.stderr


def test_the_installed_program_is_the_same(environment: dict[str, str]) -> None:
    beside = os.path.join(os.path.dirname(sys.executable), "s3memory")  # noqa: PTH118, PTH120 - no symlink followed
    done = subprocess.run(  # noqa: S603 - our program
        [beside, "call", VIEW_ROOT], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["is_error"] is False
