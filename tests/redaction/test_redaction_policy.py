"""What becomes of what is found, by kind: redacted, tagged, refused, reported, ignored or let through."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from unittest.mock import Mock

import pytest
from support.for_each import for_each
from support.made_tokens import npm_token

from s3memory.errors import ConfigurationError
from s3memory.redaction import (
    Allowlist,
    BlockedTextError,
    CustomRule,
    Finding,
    PatternRedactor,
    Span,
    UncheckedTextError,
)
from s3memory.redaction.interface import PLACEHOLDER_PATTERN
from s3memory.redaction.kinds import PERSONAL_KINDS, SERVICE_KINDS
from s3memory.redaction.policy import KNOWN_KINDS, MODES, TAG_KEY_BYTES, is_taggable
from s3memory.redaction.rules import KINDS, personal
from s3memory.redaction.searching.text_search import Rules

KEY = bytes(range(TAG_KEY_BYTES))
OTHER_KEY = KEY[::-1]
PERSONAL = {
    "email": "jo@acme-corp.example",
    "ip-address": "203.0.113.77",
    "phone": "+49 30 90182 0",
    "national-id": "756.9217.0769.85",
}


def note() -> str:
    """A token in the first line, a password in the third."""
    return f"npm uses {npm_token()}\n\npassword: Harbor!4711x\n"


class Digits:
    """A detector of one's own."""

    def __init__(self, kind: str = "digits") -> None:
        self.kind = kind

    def find(self, text: str, /) -> Iterable[Span]:
        return [Span(self.kind, *match.span()) for match in re.finditer("[0-9]{5,}", text)]


# Modes.


def test_unless_a_policy_says_otherwise_all_is_redacted() -> None:
    assert PatternRedactor().redact(note()).text == "npm uses [REDACTED:npm-token]\n\npassword: [REDACTED:password]\n"


def test_a_kind_that_is_off_stays_and_is_not_told_of() -> None:
    redaction = PatternRedactor(policy={"npm-token": "off"}).redact(note())
    assert redaction.text == note().replace("Harbor!4711x", "[REDACTED:password]")
    assert redaction.findings == (Finding("password", 3),)


def test_a_kind_that_is_only_reported_stays_and_is_told_of() -> None:
    redaction = PatternRedactor(policy={"npm-token": "report"}).redact(note())
    assert redaction.text == note().replace("Harbor!4711x", "[REDACTED:password]")
    assert redaction.findings == (Finding("npm-token", 1, is_kept=True), Finding("password", 3))


def test_a_kind_that_is_blocked_refuses_the_text_by_kind_and_line() -> None:
    with pytest.raises(BlockedTextError) as caught:
        PatternRedactor(policy={"password": "block"}).redact(note())
    assert (caught.value.kind, caught.value.line) == ("password", 3)
    assert "Harbor" not in str(caught.value)
    assert npm_token() not in str(caught.value)


def test_what_is_blocked_is_refused_when_it_is_encoded() -> None:
    encoded = "".join(f"%{byte:02X}" for byte in npm_token().encode())
    with pytest.raises(BlockedTextError, match="npm-token"):
        PatternRedactor(policy={"npm-token": "block"}).redact(f"see {encoded}")


def test_what_is_blocked_is_refused_when_only_a_redaction_uncovers_it() -> None:
    redactor = PatternRedactor(policy={"npm-token": "block"}, detectors=[Digits()])
    assert redactor.redact(f"x{npm_token()}").findings == ()
    with pytest.raises(BlockedTextError, match="npm-token"):
        redactor.redact(f"x12345{npm_token()}")


def test_a_star_stands_for_all_kinds_that_are_not_named() -> None:
    redactor = PatternRedactor(policy={"*": "report", "npm-token": "redact"})
    redaction = redactor.redact(note())
    assert redaction.text == note().replace(npm_token(), "[REDACTED:npm-token]")
    assert [(one.kind, one.is_kept) for one in redaction.findings] == [("npm-token", False), ("password", True)]


def test_a_policy_counts_for_the_kinds_of_one_s_own_detectors() -> None:
    assert PatternRedactor(detectors=[Digits()], policy={"digits": "off"}).redact("12345").text == "12345"
    with pytest.raises(BlockedTextError, match="digits"):
        PatternRedactor(then=[Digits()], policy={"digits": "block"}).redact("12345")


def test_what_is_redacted_under_another_kind_is_not_reported_as_kept() -> None:
    text = f'password: "{npm_token()} x1"'
    redaction = PatternRedactor(policy={"npm-token": "report"}).redact(text)
    assert redaction.text == 'password: "[REDACTED:password]"'
    assert redaction.findings == (Finding("password", 1),)


@pytest.mark.parametrize("mode", MODES)
def test_redacting_twice_changes_nothing_under_any_policy(mode: str) -> None:
    redactor = PatternRedactor(policy={"npm-token": mode}, tag_key=KEY)
    if mode == "block":
        with pytest.raises(BlockedTextError):
            redactor.redact(note())
        return
    once = redactor.redact(note()).text
    assert redactor.redact(once).text == once


def test_a_policy_in_one_line_is_for_the_environment_alone() -> None:
    with pytest.raises(ConfigurationError, match="a mapping from kinds to modes"):
        PatternRedactor(policy="email=redact")  # type: ignore[arg-type]  # as in a program without types


@pytest.mark.parametrize(
    "policy",
    [{"npm-token": "hide"}, {"npm-token": ""}, {"npm-tokn": "off"}, {"*": "all"}, {"": "off"}, {"digits": "off"}],
)
def test_a_policy_that_means_nothing_is_a_configuration_error(policy: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError):
        PatternRedactor(policy=policy)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("passwrd", "nothing finds 'passwrd'; did you mean password or .*[?] docs/redaction.md lists all kinds$"),
        ("githubtoken", "did you mean github-token or "),
        ("tickets", "did you mean ticket[?] "),
        ("q" * 20, "nothing finds '" + "q" * 20 + "'; docs/redaction.md lists all kinds$"),
    ],
)
def test_a_kind_that_nothing_finds_is_told_with_those_most_like_it_and_not_with_all(kind: str, told: str) -> None:
    ticket = CustomRule(kind="ticket", pattern="TICKET-[0-9]{1,9}")
    with pytest.raises(ConfigurationError, match=told) as caught:
        PatternRedactor(rules=[ticket], policy={kind: "off"})
    assert len(str(caught.value)) < 160
    if "ticket" not in kind:
        with pytest.raises(ConfigurationError, match=told):
            PatternRedactor(kinds=["password", kind])


def test_a_policy_for_what_is_not_among_the_kinds_is_a_configuration_error() -> None:
    for policy in ({"npm-token": "block"}, {"npm-token": "off"}, {"email": "redact"}):
        with pytest.raises(ConfigurationError, match="not among kinds"):
            PatternRedactor(kinds=["password"], policy=policy)
    for policy in ({"password": "block"}, {"*": "block"}, {"email": "block"}):
        assert PatternRedactor(kinds=["password", "email"], policy=policy).policy == policy


def test_a_policy_may_name_what_one_s_own_find_whatever_the_kinds_are() -> None:
    ticket = CustomRule(kind="ticket", pattern="TICKET-[0-9]{1,9}")
    policy = {"ticket": "report", "card-number": "report"}
    redactor = PatternRedactor(kinds=["password"], rules=[ticket], detectors=[Digits("card-number")], policy=policy)
    assert [one.kind for one in redactor.redact("TICKET-7, 12345").findings if one.is_kept] == ["ticket", "card-number"]


def test_findings_change_and_refuse_nothing_and_say_what_would_stay() -> None:
    redactor = PatternRedactor(policy={"password": "block", "npm-token": "report"})
    assert redactor.findings(note()) == (Finding("npm-token", 1, is_kept=True), Finding("password", 3))


def test_findings_say_of_what_overlaps_what_redact_does_with_it() -> None:
    url = f"https://jo:{'ghp_'}aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6!Xk29q@git.acme-corp.com/x"
    redactor = PatternRedactor(policy={"github-token": "report"})
    assert redactor.redact(url).findings == (Finding("url-password", 1),)
    assert redactor.findings(url) == (Finding("url-password", 1),)


def test_findings_are_by_the_lines_of_the_original() -> None:
    class Blocks:
        def find(self, text: str, /) -> Iterable[Span]:
            return [Span("block", *match.span()) for match in re.finditer("BEGIN[^~]*?END", text)]

    redactor = PatternRedactor(
        detectors=[Blocks()], then=[Digits()], policy={"npm-token": "report", "password": "block"}
    )
    told = (
        Finding("block", 1),
        Finding("npm-token", 3, is_kept=True),
        Finding("password", 5),
        Finding("digits", 6),
    )
    assert redactor.findings(f"BEGIN\n\nEND {note()}12345") == told


def test_a_policy_that_is_changed_afterwards_changes_no_redactor() -> None:
    policy = {"npm-token": "off"}
    redactor = PatternRedactor(policy=policy)
    policy["npm-token"] = "block"
    assert npm_token() in redactor.redact(note()).text


# Tags.


def marks(text: str) -> list[str]:
    return [match[0] for match in PLACEHOLDER_PATTERN.finditer(text)]


def test_equal_values_have_equal_tags_and_others_have_others() -> None:
    redactor = PatternRedactor(policy={"npm-token": "tag"}, tag_key=KEY)
    first, second = npm_token("first"), npm_token("second")
    one, other, again = marks(redactor.redact(f"{first} {second} {first}").text)
    assert one == again != other
    assert re.fullmatch(r"\[REDACTED:npm-token#[0-9a-f]{8}\]", one)


def test_a_tag_depends_on_the_key_and_on_nothing_that_surrounds_the_value() -> None:
    made = [
        marks(PatternRedactor(policy={"npm-token": "tag"}, tag_key=key).redact(text).text)
        for key in (KEY, OTHER_KEY)
        for text in (npm_token(), f"see `{npm_token()}`, there")
    ]
    assert made[0] == made[1] != made[2] == made[3]


def test_without_a_key_there_is_no_tag() -> None:
    assert marks(PatternRedactor(policy={"npm-token": "tag"}).redact(npm_token()).text) == ["[REDACTED:npm-token]"]


def test_only_what_a_machine_made_of_64_random_bits_is_tagged() -> None:
    taggable = {kind for kind in KINDS if is_taggable(kind)}
    assert {"npm-token", "github-token", "aws-secret-key", "private-key", "mailgun-key", "facebook-token"} <= taggable
    assert not taggable & {"password", "card-number", "ssn", "iban", "secret", "pin"}
    for kind in ("password", "card-number", "email", "*"):
        with pytest.raises(ConfigurationError, match="can't be tagged"):
            PatternRedactor(policy={kind: "tag"})


@pytest.mark.parametrize("kind", ["pin", "npm-token"])
def test_what_a_rule_or_detector_of_one_s_own_finds_is_not_tagged_whatever_it_is_called(kind: str) -> None:
    class Declared(Digits):
        known_kinds = (kind,)

    rule = CustomRule(kind=kind, pattern="PIN [0-9]{4}")
    for own in ({"rules": [rule]}, {"detectors": [Declared(kind)]}, {"then": [Declared(kind)]}):
        with pytest.raises(ConfigurationError, match="can't be tagged"):
            PatternRedactor(policy={kind: "tag"}, **own)


def test_what_a_service_may_find_is_not_tagged_where_there_is_one() -> None:
    assert "aws-secret-key" in SERVICE_KINDS
    assert PatternRedactor(policy={"aws-secret-key": "tag"}).policy == {"aws-secret-key": "tag"}
    assert PatternRedactor(policy={"npm-token": "tag"}, then=[Digits()]).policy == {"npm-token": "tag"}
    with pytest.raises(ConfigurationError, match="can't be tagged"):
        PatternRedactor(policy={"aws-secret-key": "tag"}, then=[Digits()])


@pytest.mark.parametrize("key", [b"", KEY[:-1], KEY + b"x"])
def test_a_key_of_another_length_is_a_configuration_error(key: bytes) -> None:
    with pytest.raises(ConfigurationError, match="32 bytes"):
        PatternRedactor(tag_key=key)


# Let through.


def test_a_value_is_let_through_where_exactly_it_is_found() -> None:
    first, second = npm_token("first"), npm_token("second")
    redaction = PatternRedactor(allow=Allowlist(values=[first])).redact(f"{first} {second}")
    assert redaction.text == f"{first} [REDACTED:npm-token]"


def test_a_pattern_lets_through_what_it_matches_as_a_whole() -> None:
    redactor = PatternRedactor(allow=Allowlist(patterns=["test-[0-9]{1,9}!"]))
    assert redactor.redact("password: test-4711!").text == "password: test-4711!"
    assert redactor.redact("password: test-4711!x").text == "password: [REDACTED:password]"


def test_what_is_let_through_does_not_block() -> None:
    redactor = PatternRedactor(allow=Allowlist(values=["Harbor!4711x"]), policy={"password": "block"})
    assert redactor.redact("password: Harbor!4711x").findings == ()


def test_one_s_own_detectors_are_let_through_as_well() -> None:
    redactor = PatternRedactor(allow=Allowlist(values=["12345"]), detectors=[Digits()])
    assert redactor.redact("12345 123456").text == "12345 [REDACTED:digits]"


def test_a_path_lets_its_file_through_and_a_folder_all_below_it() -> None:
    redactor = PatternRedactor(allow=Allowlist(paths=["/memories/a.md", "/memories/samples/"]))
    for path, is_let_through in {
        "/memories/a.md": True,
        "/memories/samples/x/y.md": True,
        "/memories/b.md": False,
        "/memories/a.md.txt": False,
        "/memories/samples": False,
        "/memories/samples.md": False,
    }.items():
        text = redactor.for_write(path, None).redact(note()).text
        assert (text == note()) is is_let_through, path
        assert (redactor.findings(note(), path=path) == ()) is is_let_through, path


@pytest.mark.parametrize(
    "fields",
    [
        {"values": "secret"},
        {"values": [""]},
        {"values": [7]},
        {"patterns": ["(a+)+"]},
        {"patterns": ["("]},
        {"patterns": [".{1,500}"]},
        {"paths": ["notes.md"]},
        {"paths": ["/memories"]},
        {"paths": "/memories/a"},
        {"paths": ["memories/a"]},
        {"paths": ["/memories/../a"]},
        {"paths": ["/memories/a/../b"]},
        {"paths": ["/memories/a//"]},
        {"paths": ["/memories/./a"]},
        {"paths": ["/memories/a%2Fb"]},
        {"paths": ["/memories/cafe\u0301"]},
    ],
)
def test_a_malformed_allow_list_is_a_configuration_error(fields: dict[str, list[str]]) -> None:
    with pytest.raises(ConfigurationError):
        Allowlist(**fields)


def test_an_allow_list_shows_no_value() -> None:
    allow = Allowlist(values=["Harbor!4711x"], patterns=["test-[0-9]"])
    assert "Harbor" not in repr(allow) + repr(PatternRedactor(allow=allow))


# Personal data.


@pytest.mark.parametrize("kind", PERSONAL)
def test_personal_data_is_looked_for_only_where_a_policy_names_it(kind: str) -> None:
    text = f"Jo is at {PERSONAL[kind]}, they say"
    assert PatternRedactor().redact(text).text == text
    assert PatternRedactor(policy={kind: "redact"}).redact(text).text == f"Jo is at [REDACTED:{kind}], they say"
    for other in PERSONAL_KINDS - {kind}:
        assert PatternRedactor(policy={other: "redact"}).redact(text).text == text


def test_all_kinds_of_personal_data_have_an_example_here() -> None:
    assert PERSONAL.keys() == PERSONAL_KINDS


def test_a_policy_for_all_kinds_does_not_switch_personal_data_on() -> None:
    text = f"Jo is at {PERSONAL['email']}"
    assert PatternRedactor(policy={"*": "block"}).redact(text).text == text


def test_personal_data_that_is_off_stays_off() -> None:
    assert PatternRedactor(policy={"email": "off"}).redact(PERSONAL["email"]).findings == ()


# The closed list of kinds.


@for_each("kind", sorted(KNOWN_KINDS))
def test_a_placeholder_of_a_known_kind_is_left_alone(kind: str) -> None:
    text = f"password: [REDACTED:{kind}] and [REDACTED:{kind}#0123abcd]"
    assert PatternRedactor().redact(text).text == text


def test_a_secret_in_what_somebody_made_up_as_a_placeholder_is_redacted() -> None:
    token = npm_token()
    assert token not in PatternRedactor().redact(f"[REDACTED:{token}]").text
    assert "harbor-4711-x" not in PatternRedactor().redact("password: [REDACTED:harbor-4711-x]").text


def test_kinds_of_services_are_known_without_them() -> None:
    assert {"name", "address", "passport"} <= SERVICE_KINDS <= KNOWN_KINDS


def test_a_kind_of_one_s_own_is_known_once_its_detector_says_so() -> None:
    class Declared(Digits):
        known_kinds = ("digits",)

    text = "[REDACTED:digits] password: [REDACTED:digits]"
    assert PatternRedactor(detectors=[Declared()]).redact(text).text == text
    assert PatternRedactor(detectors=[Digits()]).known_kinds == KNOWN_KINDS


# The budget.


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_budget_is_above_nought(seconds: float) -> None:
    with pytest.raises(ConfigurationError, match="budget_seconds"):
        PatternRedactor(budget_seconds=seconds)


def test_a_text_over_the_budget_is_refused_whatever_was_found_so_far() -> None:
    rule = CustomRule(kind="ticket", pattern="TICKET-[0-9]{1,9}")
    redactor = PatternRedactor(rules=[rule], budget_seconds=1e-9)
    with pytest.raises(UncheckedTextError, match="in the time") as caught:
        redactor.redact(f"TICKET-4711 {npm_token()}")
    assert caught.value.reason == "slow"
    assert "4711" not in str(caught.value)


def test_the_budget_is_for_rules_of_one_s_own_alone() -> None:
    assert PatternRedactor(budget_seconds=1e-9).redact(npm_token()).text == "[REDACTED:npm-token]"


def test_a_long_text_is_not_looked_at_again_under_the_same_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    redactor = PatternRedactor()
    looked_at: list[str] = []

    def look(_: Rules, looked: str) -> Mock:
        looked_at.append(looked)
        return Mock(everywhere=list)

    text = "nothing to see here\n" * 500
    assert redactor.for_write("/memories/notes.md", None).redact(text).text == text
    monkeypatch.setattr("s3memory.redaction.searching.rule_detector.TextSearch", look)
    assert redactor.for_write("/memories/notes.md", None).redact(text).text == text
    assert not looked_at
    # Another policy may look for other kinds, and another text may hold anything.
    for other, changed in ((PatternRedactor(policy={"email": "redact"}), text), (redactor, text + "a")):
        looked_at.clear()
        other.redact(changed)
        assert looked_at


@pytest.mark.parametrize(
    ("kind", "module", "library"),
    [("phone", "phonenumbers", "phonenumbers"), ("national-id", "stdnum", "python-stdnum")],
)
def test_a_kind_whose_library_is_missing_is_refused_when_the_redactor_is_made(
    monkeypatch: pytest.MonkeyPatch, kind: str, module: str, library: str
) -> None:
    monkeypatch.setattr(personal, "find_spec", lambda name: None if name == module else find_spec(name))
    with pytest.raises(ConfigurationError, match=rf"{kind} needs {library}: pip install '\.\[redaction-personal\]'"):
        PatternRedactor(policy={kind: "redact"})
    assert PatternRedactor(policy={"email": "redact"}).redact("jo@acme-corp.example").text == "[REDACTED:email]"


def test_without_a_policy_that_asks_for_them_the_libraries_of_personal_data_are_not_loaded() -> None:
    code = (
        "import sys; from s3memory.redaction import PatternRedactor; "
        "PatternRedactor().redact('password: x'); print({'stdnum', 'phonenumbers'} & sys.modules.keys())"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert made.stdout == "set()\n"


@pytest.mark.parametrize(
    "text",
    [
        "PESEL 44051401359 and more",
        "isikukood: 37605030299",
        "CNP 1630615123457",
        "OIB: 33392005961",
        "NHS no 943 476 5870",
    ],
)
def test_numbers_of_many_countries_are_told_by_their_check_digits(text: str) -> None:
    redactor = PatternRedactor(policy={"national-id": "redact"})
    assert "[REDACTED:national-id]" in redactor.redact(text).text
    wrong = re.sub(r"[0-9](?=[^0-9]*\Z)", lambda digit: str((int(digit[0]) + 1) % 10), text)
    assert redactor.redact(wrong).text == wrong
