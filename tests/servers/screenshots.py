"""Make the pictures of docs/pictures anew: ``make screenshots``. Offline, on moto, with made-up notes."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import boto3
from moto import mock_aws
from textual.widgets import Tree

from s3memory import LocalKeyWrapper, MemoryStore
from s3memory.cli.browser.app import Browser
from s3memory.cli.browser.reading import Reading
from s3memory.paths import MemoryPath

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
# Not as one text: scanners of repositories would take it for a leaked one.
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
    """Return the browser as an SVG, with a file open that has something redacted."""
    async with browser.run_test(size=(110, 26)) as pilot:
        tree = browser.query_one(Tree)
        for line in (1, 2):
            await browser.workers.wait_for_complete()
            await pilot.pause()
            tree.move_cursor_to_line(line)
            await pilot.press("enter")
        await browser.workers.wait_for_complete()
        await pilot.pause()
        picture = browser.export_screenshot(title="s3memory browse --tenant acme")
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # no fonts from other hosts


def main() -> None:
    """Write the pictures."""
    os.environ |= {"AWS_ACCESS_KEY_ID": "-", "AWS_SECRET_ACCESS_KEY": "-", "AWS_DEFAULT_REGION": "eu-central-1"}
    with mock_aws():
        boto3.client("s3").create_bucket(
            Bucket="memory", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
        )
        wrapper = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())
        store = MemoryStore(bucket="memory", tenant="acme", key_wrapper=wrapper)
        for name, text in NOTES.items():
            store.create(MemoryPath.parse(f"/memories/{name}"), text)
        picture = asyncio.run(picture_of(Browser(Reading(store))))
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / "browse.svg").write_text(picture, "utf-8")


if __name__ == "__main__":
    main()
