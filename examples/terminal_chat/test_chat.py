"""An example of how to test an agent. Run `pytest` here, after `pip install '.[test]'` in the root of the clone.

In your own project, `pip install 's3memory[local]' pytest` is enough.
"""

from __future__ import annotations

from collections.abc import Callable

import chat
import pytest

from s3memory.testing import ScriptedMessagesAPI, Turn

NOTE = {"command": "create", "path": "/memories/coffee.md", "file_text": "black\n"}


@pytest.mark.usefixtures("s3memory_bucket")
def test_claude_stores_what_the_user_says(
    claude_script: Callable[..., ScriptedMessagesAPI],
    memory_contents: Callable[..., dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Claude stores the user's message in the memory, and the chat prints Claude's answer."""
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
def test_an_invalid_tenant_name_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The chat ends with a message instead of a traceback."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    with pytest.raises(SystemExit):
        chat.main(["--tenant", "a b"])
    assert "tenant must be" in capsys.readouterr().err
