"""A path tells as well: a token over two segments, and a name that says what the only word of a file is."""

from __future__ import annotations

from functools import partial

import pytest
from support.made_tokens import TOKENS, example, seeded

from s3memory import MemoryCommands
from s3memory.errors import RedactionError
from s3memory.redaction import PatternRedactor

GITHUB = next(rule for rule in TOKENS if "ghp_" in rule.prefixes)
REDACTOR = PatternRedactor()


@pytest.mark.parametrize("cut", [6, 14, 25])
def test_a_token_over_two_segments_refuses_the_path(commands: MemoryCommands, cut: int) -> None:
    token = example(GITHUB, seeded("halves"))
    path = f"/memories/notes/{token[:cut]}/{token[cut:]}.md"
    for command in (partial(commands.create, path, "x"), partial(commands.rename, "/memories/a", path)):
        with pytest.raises(RedactionError, match="github-token"):
            command()


def test_a_url_with_a_password_refuses_the_path_although_its_slashes_become_one(commands: MemoryCommands) -> None:
    for path in ("/memories/postgres://jo:Zz9!aab2@db/x", "/memories/old/redis://:Harbortown7@cache:6379"):
        with pytest.raises(RedactionError, match="url-password"):
            commands.create(path, "x")


def test_what_is_left_of_a_list_in_a_named_file_is_judged_again_at_once() -> None:
    writing = REDACTOR.for_write("/memories/seed.txt", None)
    written = writing.redact("Harbor!4711x\n4827\n").text
    assert writing.redact(written).text == written


def test_segments_that_are_words_are_no_halves(commands: MemoryCommands) -> None:
    for path in (
        "/memories/passwords/policy-2026-rules.md",
        "/memories/api/key-rotation-in-2026.md",
        "/memories/ab/cdef0123456789.md",
    ):
        commands.create(path, "x")


NAMED = [
    ("/memories/wifi-password.txt", "Harbortown7"),
    ("/memories/passwords/router", "Harbortown7\n"),
    ("/memories/acme_api_token", "k3J9xQ2m7Lp4Rt8vW1zBq0Za\n"),
    ("/memories/deployKey.md", "\n k3J9xQ2m7Lp4Rt8vW1zBq0Za \n"),
    ("/memories/пароль.txt", "Harbortown7\n"),
    ("/memories/密码.txt", "Harbortown7\n"),
    ("/memories/şifre.txt", "Harbortown7\n"),
    ("/memories/door-code.txt", "4817\n"),
    ("/memories/backup_codes.txt", "48291377\n"),
    ("/memories/codes-de-secours.txt", "k2m4-9xqf\n"),
]


@pytest.mark.parametrize(("path", "text"), NAMED)
def test_a_text_that_is_only_a_value_goes_if_its_file_is_named_for_it(
    commands: MemoryCommands, path: str, text: str
) -> None:
    commands.create(path, text)
    assert text.strip() not in commands.view(path)
    assert "[REDACTED:" in commands.view(path)
    assert REDACTOR.findings(text, path=path)
    assert not REDACTOR.findings(text, path="/memories/notes.md")
    mark = REDACTOR.for_write(path, None).redact(text).text
    assert REDACTOR.for_write(path, None).redact(mark).text == mark


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("/memories/recovery-codes.md", ["482913", "771204", "553018"]),
        ("/memories/wiederherstellungscodes.txt", ["k2m4-9xqf", "p7wz-3rtn", "h5jd-8vcb"]),
        ("/memories/passwords/old.txt", ["Harbortown7", "Harbor!4712x"]),
        ("/memories/wallet-seed.txt", ["silla nube trigo ancla cobre pluma vela rango hielo motor dedo lince"]),
    ],
)
def test_each_line_goes_that_is_a_value_of_what_the_file_is_named_for(path: str, values: list[str]) -> None:
    redact = REDACTOR.for_write(path, None).redact
    for bullet in ("", "- ", "1. "):
        text = redact("".join(f"{bullet}{value}\n" for value in values)).text
        assert not any(value in text for value in values)
        assert redact(text).text == text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/memories/passwords/services.md", "github\ngitlab\nrouter\n"),
        ("/memories/password-policy.md", "- length-12\n- symbols\n- rotate-90d\n"),
        ("/memories/passwords.md", "- the router: ask Jo\n- the NAS: 4817 files\n"),
        ("/memories/keys.md", "- ctrl-c\n- ctrl-v\n"),
        ("/memories/credentials/last-rotated.txt", "2026-11-02\n"),
        ("/memories/codes/error.txt", "4817\n"),
        ("/memories/token.txt", "none\n"),
        ("/memories/wifi-password.txt", "in the vault"),
        ("/memories/wifi-password.txt", "vault://team/wifi"),
        ("/memories/password-policy.md", "required"),
        ("/memories/token-count.txt", "8192"),
        ("/memories/public_key.txt", "k3J9xQ2m7Lp4Rt8vW1zBq0Za"),
        ("/memories/commit.txt", "3f786850e387550fdab836ed7e6dc881de23001b"),
    ],
)
def test_another_text_and_another_name_stay(path: str, text: str) -> None:
    assert REDACTOR.for_write(path, None).redact(text).text == text
