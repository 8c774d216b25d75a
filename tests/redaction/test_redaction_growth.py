"""Four times the text takes about four times as long, whatever the text: no rule can be made to hang."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from support.for_each import for_each
from support.made_tokens import TOKENS, example, name_of, seeded

from s3memory.redaction import PatternRedactor, UncheckedTextError
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import RULES
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.tokens import Token

pytestmark = pytest.mark.long

# The text that is grown fourfold: for all rules together, and for one alone, which there are hundreds of.
SMALL, SMALL_FOR_A_RULE = 40_000, 10_000
GROWTH = 4
QUADRATIC = GROWTH**2
# Between linear and quadratic. Below the floor the clock of a busy machine is all that is measured.
MOST_GROWTH = 12
FLOOR_SECONDS = 0.1
MOST_SECONDS = 20


def seconds(work: Callable[[str], object], unit: str, size: int) -> float:
    text = (unit * (size // len(unit) + 1))[:size]
    start = time.process_time()
    work(text)
    return time.process_time() - start


def assert_grows_with_the_text(work: Callable[[str], object], unit: str, size: int = SMALL) -> None:
    small = seconds(work, unit, size)
    if small * QUADRATIC < FLOOR_SECONDS:
        return
    large = seconds(work, unit, size * GROWTH)
    for _ in range(2):
        if large < max(FLOOR_SECONDS, MOST_GROWTH * small):
            break
        small = max(small, seconds(work, unit, size))
        large = min(large, seconds(work, unit, size * GROWTH))
    assert large < max(FLOOR_SECONDS, MOST_GROWTH * small), repr(unit[:60])
    assert large < MOST_SECONDS


def run(rule: Rule) -> Callable[[str], object]:
    return lambda text: sum(1 for _ in rule.find(Subject(text)))


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if not isinstance(rule, Token)], ids=lambda rule: f"{rule.kind}:{rule.anchors[:1]}"
)
def test_anchors_over_and_over_take_linear_time(rule: Rule) -> None:
    for anchor in rule.anchors[:3] or ("4", "MTEx", "1.2.3.4 ", "DE89 "):
        for unit in (
            anchor,
            f"{anchor} ",
            f"-{anchor}-",
            f'{anchor}="',
            f"{anchor} a/b ",
            f"{anchor}: a ",
            f"({anchor}/a",
        ):
            assert_grows_with_the_text(run(rule), unit, SMALL_FOR_A_RULE)


@for_each("rule", TOKENS, ids=name_of)
def test_tokens_that_are_almost_right_take_linear_time(rule: Token) -> None:
    near = example(rule, seeded("near"), shorter_by=1)
    for unit in ((rule.prefixes or rule.anchors)[0], f"-{near}-"):
        assert_grows_with_the_text(run(rule), unit, SMALL_FOR_A_RULE)


def test_all_tokens_together_take_linear_time() -> None:
    near = "-".join(example(rule, seeded("near"), shorter_by=1) for rule in TOKENS)
    assert_grows_with_the_text(PatternRedactor().redact, near)


HOSTILE = [
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAA!",
    "-----BEGIN A A A A ",
    "-eyJaaaaaaaa-",
    ".eyJaaaaaaaa.eyJ",
    "://a:",
    "://a:@@@@/",
    "://a:b@c",
    "password=",
    "password=,a",
    'password="',
    'password=\\"',
    "passwords: a1b2c3, ",
    "passwords:\n- a1b2c3\n",
    "passwords=a1b2c3 and ",
    "passwords: [REDACTED:jwt], ",
    "a1b2c3, ",
    "password is ",
    "password for a ",
    "password                    ",
    "password=${a",
    "password=a(",
    "PASSWORD=;",
    "identified by '",
    "api_key=",
    "auth=",
    "secret:",
    "secret,\n value",
    "passphrase: aa bb cc dd ",
    "authorization: a ",
    "bearer a",
    "curl -u a:",
    "user/password ",
    "credentials: a/",
    "use a as the password ",
    "mysql -u a ",
    "mongo -u a ",
    "redis-cli -h a ",
    "7z x ",
    "vault login -a ",
    "echo a | --password-stdin ",
    'auth=("a", ',
    "kubeadm token ",
    ":5432:a:a:",
    "Cookie: a=" + "a1B" * 8,
    "sessionid=",
    "$6$a$",
    "-----BEGIN OpenVPN Static key V1-----\n",
    "b3BlbnNzaC1rZXktdjE",
    "https://a:b/",
    "0" * 32 + "-" + "0" * 8 + "-",
    "0" * 24 + ":",
    "1" * 15 + "|",
    "| password |\n|---|\n",
    "\u5bc6\u7801",
    "1.2.3.4 a/",
    "ssh a@b ",
    "IBAN DE89 ",
    "219-45-",
    "(a/B1c",
    "4111 ",
    "4111-1111-1111-1111-",
    "41",
    "AKIA" + "A" * 16 + "/",
    "sig=" + "a" * 50 + "%3Dse=",
    "MTEx" * 6,
    "[REDACTED:a]",
    "password=[REDACTED:a]",
    "password: hunter2\n",
    "\\",
    "a",
    "é",
]


def encoded_over(text: str, times: int) -> str:
    """A text in base64, in base64, ..."""
    for _ in range(times):
        text = base64.b64encode(text.encode()).decode()
    return text


ENCODED_HOSTILE = {
    "base64 of names": encoded_over("password is auth= token: " * 6, 1) + "\n",
    "base64 of base64 of names": encoded_over("password is auth= token: " * 6, 2) + " ",
    "base64 five times over": encoded_over("password is ", 5) + " ",
    "base64 of one character": "QUFB",
    "base64 of hexadecimal": encoded_over("70617373776f7264206973203a " * 3, 1),
    "lines of base64": encoded_over("password: a " * 4, 1) + "\n",
    "escaped lines of base64": encoded_over("password: a " * 4, 1) + "\\n",
    "hexadecimal of names": b"password is auth= ".hex(),
    "hexadecimal with spaces": b"password is ".hex(" ") + " ",
    "percent of names": "%70%61%73%73%77%6F%72%64%20is%20",
    "percent of percent": "%2570%2561%2573%2573word%2520is%2520",
    "percent of percent of percent": "%252541",
    "entities of entities": "&amp;#112;&amp;#97;ss: ",
    "entities of noughts": "&#0000000",
    "entities of letters": "&aaaaaaaa",
    "entities without an end": "&#112;&#",
    "backslashes": "\\\\u005cu0061",
    "signs behind backslashes": "\\_password\\=\\-",
    "u of names": "\\u0070\\u0061ss\\u003d",
    "full width": "\uff50\uff41\uff53\uff53\uff1d",
    "three for one": "\u33d2=",
    "invisible": "p\u200ba\u200bss=\u200b",
    "tags": "".join(chr(0xE0000 + ord(character)) for character in "password is "),
    "all at once": "%70ass&#61;\\u0061\uff41\u200b" + encoded_over("password is", 1) + " ",
    "long words": "x" * 300 + "%41",
    "windows": "%41" + " password is" * 12,
    "windows of base64": "QUJDREVGR0hJSktMTU5PUFFSU1Q=" + " auth=" * 20,
}


@pytest.mark.parametrize("unit", ENCODED_HOSTILE.values(), ids=list(ENCODED_HOSTILE))
def test_views_of_whatever_text_take_linear_time(unit: str) -> None:
    def work(text: str) -> None:
        with suppress(UncheckedTextError):
            PatternRedactor().redact(text)

    assert_grows_with_the_text(work, unit, SMALL_FOR_A_RULE)


@pytest.mark.parametrize("unit", HOSTILE)
def test_the_whole_redactor_takes_linear_time(unit: str) -> None:
    assert_grows_with_the_text(PatternRedactor().redact, unit, SMALL_FOR_A_RULE)


def test_many_spans_over_many_placeholders_take_linear_time() -> None:
    def work(text: str) -> None:
        PatternRedactor().redact(f"password = '{text}'\n" + text)

    assert_grows_with_the_text(work, "password=a1b2c3d4 [REDACTED:a] ", SMALL_FOR_A_RULE)
