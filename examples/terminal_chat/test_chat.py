"""How to test an agent: run `pytest` here, after `pip install '.[test]'` in the root of the clone.

In a project of yours, `pip install 's3memory[local]' pytest` is enough.
"""

from __future__ import annotations

from collections.abc import Callable

import chat
import pytest

from s3memory.testing import ScriptedMessagesAPI, Turn

NOTE = {"command": "create", "path": "/memories/coffee.md", "file_text": "black\n"}


@pytest.mark.usefixtures("s3memory_bucket")
def test_what_is_said_is_noted(
    claude_script: Callable[..., ScriptedMessagesAPI],
    memory_contents: Callable[..., dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The chat has Claude note what it was told, and shows its answer."""
    claude_script([Turn("", [NOTE]), Turn("Noted.")])
    said = iter(["I take my coffee black."])

    def typed(_prompt: str) -> str:
        line = next(said, None)
        if line is None:
            raise EOFError
        return line

    monkeypatch.setattr("builtins.input", typed)
    chat.main(["--tenant", "anna"])
    assert "Noted." in capsys.readouterr().out
    assert memory_contents(tenant="anna") == {"/memories/coffee.md": "black\n"}


@pytest.mark.usefixtures("s3memory_bucket")
def test_a_name_that_no_tenant_can_have_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is wrong usage, and no traceback."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    with pytest.raises(SystemExit):
        chat.main(["--tenant", "a b"])
    assert "tenant must be" in capsys.readouterr().err
