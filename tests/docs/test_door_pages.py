"""The adapters' pages are short, begin with the block to paste, and all their Python blocks run unchanged."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from support.for_each import for_each
from support.repository import REPOSITORY

from s3memory.testing import ScriptedMessagesAPI, Turn

DOCS = REPOSITORY / "docs"
PAGES = ["search", "mounts", "testing", "telemetry", "pydantic-ai", "deepagents", "mirror", "browse", "import"]
_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def text_of(page: str) -> str:
    return (DOCS / f"{page}.md").read_text("utf-8")


@for_each("page", PAGES)
def test_a_page_has_at_most_80_lines_and_begins_with_the_block_to_paste(page: str) -> None:
    lines = text_of(page).splitlines()
    assert len(lines) <= 80
    assert any(line.startswith("```") for line in lines[:8])
    assert max(map(len, lines)) <= 140


@pytest.mark.parametrize("page", PAGES)
def test_the_python_blocks_of_a_page_run_one_after_another(
    page: str, settings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if page == "deepagents":
        pytest.importorskip("deepagents", reason="deepagents is not installed: make deepagents")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": f"docs_{page}"}
    with asyncio.Runner() as runner, ScriptedMessagesAPI([Turn("Tea.")] * 3, strict=False) as api:
        asyncio.set_event_loop(runner.get_loop())  # a library that creates its own loop does not close this one
        for name, value in api.environment.items():
            monkeypatch.setenv(name, value)
        for block in _BLOCK.findall(text_of(page)):
            exec(compile(block, f"docs/{page}.md", "exec"), names)  # noqa: S102 - our own pages
