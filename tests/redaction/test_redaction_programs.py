"""Each row of the table of programs says how one is told a password; a sentence about an option tells none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.for_each import for_each

from s3memory.redaction import PatternRedactor
from s3memory.redaction.interface import PLACEHOLDER_PATTERN
from s3memory.redaction.rules.passwords.programs import PROGRAMS

REDACTOR = PatternRedactor()
ONE = "[REDACTED:password]"
GIVEN = {"<": ("{} <<< {}", "{} --file=<(echo '{}')"), "<-": ()}


def commands() -> Iterator[str]:
    """Yield a command for each program and way of the table, with "{}" for the password."""
    for row in PROGRAMS.strip().splitlines():
        called, _, ways = row.partition(": ")
        names, *words = called.replace("\u2026", "s").replace("-u", "-u jo").split()
        for name in names.split(","):
            line = " ".join([name, *words])
            for way in ways.split(" | "):
                if way.startswith("<"):
                    yield f"printf '{{}}' | {line}"
                    yield from (form.format(line, "{}") for form in GIVEN[way])
                elif way.startswith("^"):
                    yield f"{name} {told(way[1:])}"
                else:
                    yield f"{line} {told(way.removeprefix('~'))} --user jo"


def told(way: str) -> str:
    """Return what a way is on a command line."""
    parts = ("arg" if part == "_" else part.replace("_,", "jo,").replace("\u2026", "x") for part in way.split())
    return " ".join(parts).replace("*", "{}")


@for_each("command", sorted({*commands()}))
@for_each("password", ["gravelpond", "kbxnbDQnAeN", "Zk7!mWq4pRx2"])
def test_what_a_program_is_told_goes_whatever_it_looks_like(command: str, password: str) -> None:
    redacted = REDACTOR.redact(command.format(password)).text
    assert PLACEHOLDER_PATTERN.sub(lambda _: ONE, redacted) == command.format(ONE)


@pytest.mark.parametrize(
    "name", ["sshpass", "/usr/bin/sshpass", "SSHPASS.EXE", "$(sshpass", "`sshpass", "time sshpass"]
)
def test_a_program_is_known_by_any_path(name: str) -> None:
    assert REDACTOR.redact(f"{name} -p gravelpond ssh jo@db1").text == f"{name} -p {ONE} ssh jo@db1"


def test_a_command_goes_on_behind_a_backslash() -> None:
    text = "docker login \\\n  -u jo \\\n  -p {} \\\n  registry.example.org\n"
    assert REDACTOR.redact(text.format("gravelpond")).text == text.format(ONE)


def test_of_two_commands_on_a_line_each_has_its_own() -> None:
    text = "unzip -P {} a.zip && sshpass -p {} scp a jo@db1: ; zip -P {} b.zip b"
    assert REDACTOR.redact(text.format("gravelpond", "Sunflower", "thimble4")).text == text.format(ONE, ONE, ONE)


@for_each(
    "text",
    (
        "Use zip -P only for throwaway archives.",
        "The docker login -p flag is deprecated, use --password-stdin.",
        "sshpass -p is insecure; prefer keys.",
        "docker run -p 8080:80 --name login web",
        "docker run -d -p 5432:5432 postgres:16",
        "mongo -p 27017",
        "redis-cli -h cache -p 6379 -n 2 get user:42",
        "unzip -p archive.zip file.txt | less",
        "plink -ssh root@box -P 2222",
        "signtool sign /f cert.pfx /fd sha256 a.exe",
        "steamcmd +login anonymous +quit",
        "aws secretsmanager create-secret --name db --secret-string file://secret.json",
        "aws ssm put-parameter --name /app/url --type String --value https://a.example.org",
        "net user jo /active:no",
        "The net user growth was 20 percent in March.",
        "echo done | tee log",
        "echo 1 | sudo tee /proc/sys/net/ipv4/ip_forward",
        'echo "$TOKEN" | docker login ghcr.io -u jo --password-stdin',
        "sshpass -p password ssh pi@raspberrypi",
        'sshpass -p "<your password>" ssh pi@box',
        "rabbitmqctl add_user myuser mypassword",
        "cat key.bin | cryptsetup luksOpen /dev/sdb1 d",
    ),
)
def test_a_command_or_sentence_without_a_password_stays(text: str) -> None:
    assert REDACTOR.redact(text).findings == ()
