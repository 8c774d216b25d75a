"""Passwords by their place: arguments of calls that log in, columns of an INSERT, what is piped into sudo."""

from __future__ import annotations

import re
from collections.abc import Iterator

from s3memory.redaction.compiling import compiled
from s3memory.redaction.model import Span
from s3memory.redaction.rule import Location, Rule, Subject, secret_group
from s3memory.redaction.rules.names import CHOSEN, GENERATED
from s3memory.redaction.values import is_elsewhere, is_slug, is_strong, is_term

_STRING = r"[@$frbu]{0,2}(?:\"(?:[^\"\\\n]|\\.){0,256}+\"|'(?:[^'\\\n]|\\.){0,256}+')"
_OTHER = r"[\w.$&*:>()-]{1,80}?"
_ARGUMENT = rf"(?:{_STRING}|{_OTHER})"
_CREDENTIAL = (
    r"(?:\w{0,40}Credentials?|(?:Http)?(?:Basic|Digest|Password)Auth(?:entication)?\w{0,24}"
    r"|basic_?auth|set_?[Bb]asic_?[Aa]uth"
    r"|UsernamePassword\w{0,40}|SetBasicAuth|with_?[Bb]asic_?[Aa]uth)"
)
_CONNECT = (
    r"(?:\w{0,40}[Cc]onnect(?:ion)?|\w{0,24}[Ll]ogin|[Aa]uthenticate|sign_?[Ii]n\w{0,24}"
    r"|PDO|mysqli|createPool|Connect_?Db)"
)
_LEAST, _LEAST_TO_CONNECT = 4, 6
_COLUMNS = (
    r"(?is)INSERT\s{1,9}(?:IGNORE\s{1,9})?INTO\s{1,9}[\w.\"`\[\]]{1,120}\s{0,9}"
    r"\((?P<columns>[^()]{1,600})\)\s{0,9}VALUES\s{0,9}"
)
_ROW = r"\s{0,9},?\s{0,9}\((?P<cells>(?:[^()'\"]|'(?:[^'\\]|\\.|'')*+'|\"(?:[^\"\\]|\\.)*+\")*+)\)"
_CELL = r"\s{0,20}(?P<cell>'(?:[^'\\]|\\.|'')*+'|\"(?:[^\"\\]|\\.)*+\"|[^,]*+)\s{0,20}(?:,|\Z)"
_MOST_ROWS = 500
_HOST = r"(?i)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}(?::[0-9]{1,5})?"


def _argument(match: re.Match[str]) -> Location:
    value = match["secret"]
    return match.span("secret") if len(value) >= _LEAST and " " not in value and not is_elsewhere(value) else None


def _strong_argument(match: re.Match[str]) -> Location:
    value = match["secret"]
    is_name = is_slug(value) or is_term(value) or compiled(_HOST).fullmatch(value) is not None
    is_one = len(value) >= _LEAST_TO_CONNECT and is_strong(value) and not is_name and not is_elsewhere(value)
    return match.span("secret") if is_one and " " not in value and "://" not in value else None


class InsertRule(Rule):
    """A rule that goes down the columns of an INSERT that are named for a secret."""

    __slots__ = ()

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what such columns hold."""
        if not subject.may_hold("insert") or not subject.may_hold("values"):
            return
        text = subject.text
        for found in compiled(_COLUMNS).finditer(text):
            names = [name.strip(" \t\r\n\"`[]'") for name in found["columns"].split(",")]
            wanted = {number for number, name in enumerate(names) if compiled(self.pattern).fullmatch(name)}
            position = found.end() if wanted else len(text)
            for _ in range(_MOST_ROWS):
                row = compiled(_ROW).match(text, position)
                if row is None:
                    break
                yield from self._cells(text, *row.span("cells"), wanted)
                position = row.end()

    def _cells(self, text: str, start: int, end: int, wanted: set[int]) -> Iterator[Span]:
        for number, cell in enumerate(compiled(_CELL).finditer(text, start, end)):
            begin, stop = cell.span("cell")
            if number in wanted and text[begin : begin + 1] in ("'", '"'):
                value = text[begin + 1 : stop - 1]
                if len(value) >= _LEAST and not is_elsewhere(value):
                    yield Span(self.kind, begin + 1, stop - 1)


_SOURCE = "https://cwe.mitre.org/data/definitions/798.html"

RULES = (
    Rule(
        kind="password",
        anchors=("credential", "auth", "usernamepassword"),
        fold=True,
        scan=True,
        pattern=rf"{_CREDENTIAL}\([ ]?{_ARGUMENT},\s{{0,20}}[@$frbu]{{0,2}}[\"'](?P<secret>[^\"'\n]{{1,128}})[\"']",
        locate=_argument,
        source=_SOURCE,
        samples=('new NetworkCredential("bob", "«{password}»")', "HttpBasicAuth(user, '«{password}»')"),
        near=('new NetworkCredential("bob", "<password>")', "new NetworkCredential(user, password)"),
    ),
    Rule(
        kind="password",
        anchors=("connect", "login", "authenticate", "signin", "sign_in", "pdo", "mysqli", "createpool"),
        fold=True,
        scan=True,
        pattern=(
            rf"{_CONNECT}\([ ]?{_STRING},\s{{0,20}}(?:{_ARGUMENT},\s{{0,20}}){{0,2}}"
            r"[\"'](?P<secret>[^\"'\n]{1,128})[\"']"
        ),
        locate=_strong_argument,
        source=_SOURCE,
        samples=('mysqli_connect("db1", "bob", "«{password}»")', 'client.login("bob", "«{password}»")'),
        near=('socket.connect("db1.example.org", "eth0")', 'connect("db1", "bob", "<password>")'),
    ),
    InsertRule(
        kind="password",
        anchors=("insert",),
        scan=True,
        pattern=rf"(?ai:(?:\w{{1,40}}_)?(?:{CHOSEN})|\w{{0,40}}(?:{GENERATED}))",
        source=_SOURCE,
        samples=("INSERT INTO users (name, password) VALUES ('bob', '«{password}»');",),
        near=("INSERT INTO users (name, mail) VALUES ('bob', '{password}');",),
    ),
    Rule(
        kind="password",
        anchors=("echo ", "printf "),
        pattern=(
            r"(?:echo|printf)[ ](?:-\w{1,3}[ ])?[\"']?(?P<secret>(?!\$)[^\s\"'|]{4,128})[\"']?[ ]{0,3}\|[ ]{0,3}"
            r"(?:sudo[ ](?:-\w{1,8}[ ]){0,3}-S\b|su\b"
            r"|[^\n|]{0,120}?(?:--password-stdin|--stdin\b|passphrase-fd|cryptsetup|smbpasswd))"
        ),
        locate=_argument,
        source="https://man7.org/linux/man-pages/man8/sudo.8.html",
        samples=("echo '«{password}»' | sudo -S apt update",),
        near=("echo $PASSWORD | sudo -S apt update", "echo done | tee log"),
    ),
    Rule(
        kind="password",
        anchors=(
            "snmp-server community ",
            "pre-shared-key ",
            "-server key ",
            "enable secret ",
            "enable password ",
            "key-string ",
        ),
        pattern=(
            r"(?:snmp-server community|pre-shared-key(?: (?:local|remote|address [0-9.]{7,15}))?"
            r"|(?:tacacs|radius)?-server key"
            r"|enable (?:secret|password)|key-string) (?:[0-9] )?(?P<secret>[!-~]{4,128})"
        ),
        locate=_argument,
        source="https://www.cisco.com/c/en/us/td/docs/ios-xml/ios/security/a1/sec-a1-cr-book.html",
        samples=("snmp-server community «{password}» RW", "enable secret 5 «{mixed 24}»"),
        near=("snmp-server community <string> RO",),
    ),
    Rule(
        kind="api-key",
        anchors=("+",),
        scan=True,
        pattern=r"\+(?<=[a-z0-9]\+)[a-z0-9_]{2,64}:(?P<secret>[A-Z0-9]{64})(?![A-Za-z0-9])",
        locate=secret_group,
        source="https://docs.quay.io/glossary/robot-accounts.html",
        samples=("docker login -u acme+ci:«<UPPER:64>»",),
        near=("acme+ci:<UPPER:20>",),
    ),
)
