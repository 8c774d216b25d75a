"""The quickstart works: its server, the text to paste, each command with its output, and its agent."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from support.repository import REPOSITORY

PAGE = (REPOSITORY / "docs" / "quickstart.md").read_text("utf-8")
SERVER, AGENT = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SESSION = "".join(re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL))


@pytest.mark.long
def test_each_command_prints_the_output_on_the_page(tmp_path: Path) -> None:
    program = tmp_path / ".venv" / "bin" / "s3memory"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m s3memory "$@"\n', "utf-8")
    program.chmod(0o700)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "S3MEMORY_"))}
    commands = [line.removeprefix("$ ") for line in SESSION.splitlines() if line.startswith("$ ")]
    with subprocess.Popen(  # noqa: S603 - this interpreter and the page
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean
    ) as server:
        assert server.stdout is not None
        pasted = "".join(takewhile(lambda line: not line.startswith("#"), server.stdout))
        shown = "".join(f"printf '%s\\n' {shlex.quote('$ ' + one)}\n{one}\n" for one in commands)
        done = subprocess.run(  # noqa: S603 - the same
            ["/bin/sh", "-c", pasted + shown], cwd=tmp_path, env=clean, capture_output=True, text=True, check=False
        )
        server.communicate("", timeout=30)
    assert done.stdout == SESSION
    assert done.stderr == ""


def test_the_scripted_agent_prints_what_its_comment_says() -> None:
    printed, names = io.StringIO(), dict[str, Any]()
    with contextlib.redirect_stdout(printed):
        exec(compile(AGENT, "docs/quickstart.md", "exec"), names)  # noqa: S102 - our own page
    assert printed.getvalue().splitlines() == re.findall(r"print\(.*\)  # (.*)", AGENT)
