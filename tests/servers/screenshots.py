"""Create the pictures of docs/pictures again: ``make screenshots``. Offline, on moto, with made-up notes."""

from __future__ import annotations

import asyncio
import errno
import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import boto3
from moto import mock_aws
from rich.console import Console
from rich.text import Text
from textual.widgets import Tree

from s3memory import LocalKeyWrapper, MemoryStore
from s3memory.cli.browser.app import Browser
from s3memory.paths import MemoryPath
from s3memory.testing import MotoServer

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
# In parts: repository scanners would take the whole text for a leaked secret.
MADE_UP_SECRET = "AKIA" + "QWERTYUIOPASDFGH"
NOTES = {
    "customers/acme-corp.md": f"""# Acme Corp

- Contact: Anna, mornings only
- Plan: team, renewed in March
- Asked for exports to S3 twice; see /memories/tasks.md

## Access

They sent us aws_access_key_id = {MADE_UP_SECRET} by mail.
Told them to rotate it.
""",
    "customers/globex.md": "# Globex\n",
    "lessons/deploys.md": "Never on Fridays.\n",
    "lessons/tests.md": "No sleeps.\n",
    "tasks.md": "- [ ] export to S3\n",
}


async def picture_of(browser: Browser) -> str:
    """Return the browser as an SVG, with a file open that contains something redacted."""
    async with browser.run_test(size=(110, 26)) as pilot:
        tree = browser.query_one(Tree)
        for line in (1, 2):
            await browser.workers.wait_for_complete()
            await pilot.pause()
            tree.move_cursor_to_line(line)
            await pilot.press("enter")
        await browser.workers.wait_for_complete()
        await pilot.pause()
        return browser.export_screenshot(title="s3memory browse --tenant acme")


def terminal_output(arguments: list[str], environ: Mapping[str, str], *, columns: int) -> str:
    """Return what the program shows on a terminal, with its colours but without its progress bars."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(  # noqa: S603 - our program
        [sys.executable, "-m", "s3memory", *arguments],
        env={**environ, "COLUMNS": str(columns), "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    ):
        os.close(theirs)
        with open(ours, "rb", buffering=0) as terminal:  # noqa: PTH123 - a descriptor
            output = b""
            try:
                while part := terminal.read(65_536):
                    output += part
            except OSError as error:  # Linux's way of saying that there are no more writers
                if error.errno != errno.EIO:
                    raise
    return output.decode().replace("\r\n", "\n")


def drawn(output: str, *, title: str, columns: int) -> str:
    """Return a terminal's output as an SVG."""
    console = Console(record=True, width=columns, file=io.StringIO(), legacy_windows=False)
    console.print(Text.from_ansi(output.rstrip("\n")))
    return console.export_svg(title=title)


def draw_browser() -> None:
    """Draw ``s3memory browse``."""
    os.environ |= {"AWS_ACCESS_KEY_ID": "-", "AWS_SECRET_ACCESS_KEY": "-", "AWS_DEFAULT_REGION": "eu-central-1"}
    with mock_aws():
        boto3.client("s3").create_bucket(
            Bucket="memory", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
        )
        wrapper = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())
        store = MemoryStore(bucket="memory", tenant="acme", key_wrapper=wrapper)
        for name, text in NOTES.items():
            store.create(MemoryPath.parse(f"/memories/{name}"), text)
        save("browse", asyncio.run(picture_of(Browser(store))))


def draw_commands() -> None:
    """Draw the end of ``s3memory demo``, and ``history`` and ``doctor``."""
    demo = terminal_output(["demo"], os.environ, columns=80)
    save("demo", drawn(demo[demo.index("7. Checked") :], title="s3memory demo", columns=80))
    path = "/memories/customers/acme-corp.md"
    calls: list[dict[str, object]] = [
        {"command": "create", "path": path, "file_text": "# Acme Corp\n- Contact: Anna\n"},
        {"command": "str_replace", "path": path, "old_str": "Anna", "new_str": "Anna, mornings only"},
        {"command": "insert", "path": path, "insert_line": 2, "insert_text": "- Plan: team\n"},
        {"command": "str_replace", "path": path, "old_str": "team", "new_str": "team, renewed in March"},
    ]
    with MotoServer() as server:
        server.make_bucket("agent-memory")
        server.make_kms_key("alias/agent-memory")
        environ = {
            **os.environ,
            **server.environment,
            "S3MEMORY_BUCKET": "agent-memory",
            "S3MEMORY_KMS_KEY_ID": "alias/agent-memory",
            "S3MEMORY_TENANT": "acme",
        }
        for actor, call in zip(("support-bot", "support-bot", "billing-bot", "nightly-tidy"), calls, strict=True):
            terminal_output(["call", json.dumps(call)], {**environ, "S3MEMORY_ACTOR": actor}, columns=80)
        for arguments in (["history", path], ["doctor"]):
            output = terminal_output(arguments, environ, columns=90)
            save(arguments[0], drawn(output, title=" ".join(["s3memory", *arguments]), columns=90))


def save(name: str, picture: str) -> None:
    """Store a picture, without fonts from other hosts."""
    (PICTURES / f"{name}.svg").write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL), "utf-8")


def main() -> None:
    """Write the pictures."""
    PICTURES.mkdir(exist_ok=True)
    draw_commands()
    draw_browser()


if __name__ == "__main__":
    main()
