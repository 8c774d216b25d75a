"""What redaction does to commands: what is stored, and what the agent is told, in words that give nothing away."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from conftest import TENANT, MakeStore
from support.made_tokens import npm_token

from s3memory import MemoryCommands, S3MemoryTool
from s3memory.errors import EditError, RedactionError, UnavailableError
from s3memory.paths import MemoryPath
from s3memory.redaction import Allowlist, CustomRule, PatternRedactor, Redaction, Redactor, Span
from s3memory.redaction.interface import PLACEHOLDER_PATTERN

CANARY = "Harbor!4711x"
SECRET = f"password: {CANARY}"
BLOCKING = PatternRedactor(policy={"*": "block"})
Make = Callable[..., MemoryCommands]


def stored(commands: MemoryCommands, path: str) -> str:
    text = commands.view(path)
    return "\n".join(line.partition("\t")[2] for line in text.split("\n")[1:])


def mark_of(commands: MemoryCommands, path: str) -> str:
    found = PLACEHOLDER_PATTERN.search(stored(commands, path))
    assert found
    return found[0]


# What the agent is told.


def test_the_agent_is_told_kind_count_and_line_behind_the_documented_line(commands: MemoryCommands) -> None:
    told = commands.create("/memories/a", f"{SECRET}\n\n{npm_token()}\npassword: Quartz-81-xyz\n")
    assert told == (
        "File created successfully at: /memories/a\n"
        "Redacted before it was stored: 2 password (lines 1, 4), 1 npm-token (line 3)."
    )


def test_what_is_only_reported_is_told_of_as_stored(make_commands: Make) -> None:
    commands = make_commands(redactor=PatternRedactor(policy={"password": "report"}))
    assert commands.create("/memories/a", f"{SECRET}\n").endswith(
        "\nStored as it is, although it looks sensitive: 1 password (line 1)."
    )
    assert CANARY in stored(commands, "/memories/a")


def test_what_is_only_reported_is_logged_without_its_value(
    make_commands: Make, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="s3memory"):
        make_commands(redactor=PatternRedactor(policy={"password": "report"})).create("/memories/a", f"\n{SECRET}\n")
    assert "kind password in line 2" in caplog.text
    assert CANARY not in caplog.text


def writes(tool: S3MemoryTool, text: str) -> list[dict[str, Any]]:
    """Every command that would store `text`, one part of it being there already."""
    return [
        {"command": "create", "path": "/memories/new", "file_text": text},
        {"command": "str_replace", "path": "/memories/old", "old_str": "old", "new_str": text},
        {"command": "insert", "path": "/memories/old", "insert_line": 1, "insert_text": text},
    ]


def test_a_blocked_text_is_refused_clearly_and_nothing_of_it_is_told(
    bucket: str, s3: Any, key_wrapper: Any, caplog: pytest.LogCaptureFixture
) -> None:
    tool = S3MemoryTool(bucket=bucket, tenant=TENANT, key_wrapper=key_wrapper, s3_client=s3, redactor=BLOCKING)
    tool.call({"command": "create", "path": "/memories/old", "file_text": "an old note\n"})
    for command in writes(tool, SECRET):
        with pytest.raises(ToolError) as caught:
            tool.call(command)
        line = 2 if command["command"] == "insert" else 1
        assert str(caught.value) == (
            f"Error: The text holds something that looks like sensitive content (password) in line {line}, and such a "
            "text is not stored. Nothing was changed. Leave it out."
        )
        assert caught.value.__cause__ is None or CANARY not in repr(caught.value.__cause__)
    assert "an old note" in str(tool.call({"command": "view", "path": "/memories/old"}))
    assert "/memories/new" not in str(tool.call({"command": "view", "path": "/memories"}))
    assert CANARY not in caplog.text


def test_a_secret_that_two_edits_put_together_is_redacted(commands: MemoryCommands) -> None:
    token = npm_token()
    commands.create("/memories/a", f"see {token[:-4]}~\n")
    assert token[:-4] in stored(commands, "/memories/a")
    commands.str_replace("/memories/a", "~", token[-4:])
    assert stored(commands, "/memories/a").startswith("see [REDACTED:npm-token]")


def test_an_old_secret_in_a_file_is_redacted_by_whatever_edit(make_commands: Make) -> None:
    make_commands(redactor=None).create("/memories/a", f"{SECRET}\nold\n")
    make_commands().insert("/memories/a", 2, "new")
    assert CANARY not in stored(make_commands(), "/memories/a")


def test_a_rename_redacts_what_it_moves(make_commands: Make) -> None:
    make_commands(redactor=None).create("/memories/a", f"{SECRET}\n")
    told = make_commands().rename("/memories/a", "/memories/b")
    assert "Redacted before it was stored: 1 password (line 1)." in told
    assert CANARY not in stored(make_commands(), "/memories/b")


# Hooks.


class Raises:
    """A redactor and a detector that raises what it was made with."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def redact(self, _: str, /) -> Redaction:
        raise self.error

    def find(self, _: str, /) -> list[Span]:
        raise self.error


class ChattyError(RedactionError):
    """An error of the package's own family, with words of a hook."""


@pytest.mark.parametrize(
    "error", [ValueError(SECRET), RedactionError(SECRET), ChattyError(SECRET), KeyError(SECRET), TimeoutError(SECRET)]
)
@pytest.mark.parametrize("hook", ["redactor", "detector"])
def test_what_a_hook_says_of_its_failure_never_reaches_the_model(
    error: Exception, hook: str, make_commands: Make, caplog: pytest.LogCaptureFixture
) -> None:
    redactor: Redactor = PatternRedactor(detectors=[Raises(error)]) if hook == "detector" else Raises(error)
    with caplog.at_level(logging.DEBUG, logger="s3memory"), pytest.raises(RedactionError) as caught:
        make_commands(redactor=redactor).create("/memories/a", "a note")
    assert str(caught.value) == "The text could not be checked for sensitive content. Nothing was changed."
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert CANARY not in caplog.text


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (None, "NoneType, not a Redaction"),
        (SECRET, "str, not a Redaction"),
        ((SECRET, ()), "tuple, not a Redaction"),
        (Redaction(7), "a malformed Redaction"),  # type: ignore[arg-type]
        (Redaction(SECRET, []), "a malformed Redaction"),  # type: ignore[arg-type]
    ],
)
def test_a_hook_that_returns_something_else_refuses_the_write(
    result: Any, told: str, make_commands: Make, caplog: pytest.LogCaptureFixture
) -> None:
    class Wrong:
        def redact(self, _: str, /) -> Redaction:
            return result  # type: ignore[no-any-return]

    with pytest.raises(RedactionError, match="could not be checked"):
        make_commands(redactor=Wrong()).create("/memories/a", "a note")
    assert {record.getMessage() for record in caplog.records} == {
        f"the redactor failed, so a write was refused: it returned {told}"
    }


def test_a_hook_that_is_interrupted_is_not_taken_for_one_that_failed(make_commands: Make) -> None:
    with pytest.raises(KeyboardInterrupt):
        make_commands(redactor=Raises(KeyboardInterrupt())).create("/memories/a", "a note")


# Paths.


def encoded(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def test_a_secret_in_a_path_refuses_the_command_and_names_the_kind(commands: MemoryCommands) -> None:
    token = npm_token()
    commands.create("/memories/a", "a note")
    below = (token, f"{token}/a", f"x/{token}.md", encoded(token))
    for path in (f"/memories/{one}" for one in below):
        for command in (partial(commands.create, path, "x"), partial(commands.rename, "/memories/a", path)):
            with pytest.raises(RedactionError) as caught:
                command()
            assert "(npm-token)" in str(caught.value)
            assert token not in str(caught.value)
    assert stored(commands, "/memories/a") == "a note"


def test_a_path_is_checked_as_a_whole(make_commands: Make) -> None:
    rule = CustomRule(kind="case", pattern=r"cases/[0-9]{4}/[a-z]{2,20}")
    commands = make_commands(redactor=PatternRedactor(rules=[rule]))
    with pytest.raises(RedactionError, match=r"\(case\)"):
        commands.create("/memories/cases/2026/smith", "a note")
    commands.create("/memories/cases/open/smith", "a note")


def test_what_is_only_reported_does_not_refuse_a_path(make_commands: Make) -> None:
    commands = make_commands(redactor=PatternRedactor(policy={"npm-token": "report"}))
    commands.create(f"/memories/{npm_token()}", "a note")


def test_a_file_that_is_let_through_has_its_path_checked_all_the_same(make_commands: Make) -> None:
    allow = Allowlist(paths=["/memories/samples/"])
    commands = make_commands(redactor=PatternRedactor(allow=allow))
    commands.create("/memories/samples/a", SECRET)
    assert stored(commands, "/memories/samples/a") == SECRET
    with pytest.raises(RedactionError):
        commands.create(f"/memories/samples/{npm_token()}", "a note")


# Edits of what was redacted.


def test_an_agent_may_replace_what_it_wrote_although_it_was_redacted(commands: MemoryCommands) -> None:
    commands.create("/memories/a", f"host: db1\n{SECRET}\nport: 1\n")
    told = commands.str_replace("/memories/a", f"{SECRET}\nport: 1", "port: 2")
    assert stored(commands, "/memories/a").startswith("host: db1\nport: 2")
    assert CANARY not in told


def test_an_old_text_that_is_not_there_is_told_without_what_would_be_redacted(commands: MemoryCommands) -> None:
    commands.create("/memories/a", "host: db1\n")
    with pytest.raises(EditError, match="old_str") as caught:
        commands.str_replace("/memories/a", "port: 7", "x")
    assert "did not appear" in str(caught.value)


@pytest.mark.parametrize("part", ["REDACTED", "[REDACTED:pass", "word]", "word]\nport", "host: [RED"])
def test_an_edit_of_a_part_of_a_placeholder_is_refused(part: str, commands: MemoryCommands) -> None:
    commands.create("/memories/a", f"{SECRET}\nport: 1\n{SECRET.replace('password', 'host')}\n")
    commands.create("/memories/b", f"host: {mark_of(commands, '/memories/a')}\nport: 1\n")
    before = stored(commands, "/memories/b")
    with pytest.raises(EditError, match=r"stands for text that was redacted"):
        commands.str_replace("/memories/b", part, "x")
    assert stored(commands, "/memories/b") == before


def test_a_placeholder_may_be_replaced_or_deleted_as_a_whole(commands: MemoryCommands) -> None:
    commands.create("/memories/a", f"{SECRET}\n")
    mark = mark_of(commands, "/memories/a")
    commands.str_replace("/memories/a", f"password: {mark}", "see the vault")
    assert stored(commands, "/memories/a").rstrip() == "see the vault"


def test_what_somebody_made_up_as_a_placeholder_may_be_edited(commands: MemoryCommands) -> None:
    commands.create("/memories/a", "[REDACTED:nothing-known]\n")
    commands.str_replace("/memories/a", "nothing", "x")
    assert stored(commands, "/memories/a").startswith("[REDACTED:x-known]")


# Tags.


def test_tags_are_the_same_in_all_files_of_a_tenant_and_others_for_another(make_commands: Make) -> None:
    redactor = PatternRedactor(policy={"npm-token": "tag"})
    ours = make_commands(redactor=redactor)
    ours.create("/memories/a", npm_token())
    ours.create("/memories/b", f"see {npm_token()} there")
    theirs = make_commands(redactor=redactor, tenant="other")
    theirs.create("/memories/a", npm_token())
    assert mark_of(ours, "/memories/a") == mark_of(ours, "/memories/b") != mark_of(theirs, "/memories/a")
    assert re.fullmatch(r"\[REDACTED:npm-token#[0-9a-f]{8}\]", mark_of(theirs, "/memories/a"))


def test_a_key_that_can_not_be_had_is_told_as_that(make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store = make_store(redactor=PatternRedactor(policy={"npm-token": "tag"}))

    def fail(*_: object) -> Any:
        raise UnavailableError("S3 did not answer")

    monkeypatch.setattr(type(store.key_ring), "existing_or_new", fail)
    with pytest.raises(UnavailableError):
        store.create(MemoryPath.parse("/memories/a"), npm_token())
