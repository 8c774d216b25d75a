"""A chain redacts with each of its links in turn: each sees only what those before it left."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from s3memory.errors import ConfigurationError, RedactionError
from s3memory.redaction import (
    Allowlist,
    Finding,
    PatternRedactor,
    Redaction,
    Redactor,
    Span,
    UncheckedTextError,
    chain,
)
from s3memory.redaction.policy import TAG_KEY_BYTES

TEXT = "password: Harbor!4711x\nAnna's number is 47114711\n"


class Finds:
    """A detector of what matches, which notes what it is shown."""

    def __init__(self, pattern: str, kind: str) -> None:
        self.pattern, self.kind = pattern, kind
        self.shown: list[str] = []

    @property
    def known_kinds(self) -> tuple[str, ...]:
        return (self.kind,)

    def find(self, text: str, /) -> Iterable[Span]:
        self.shown.append(text)
        return [Span(self.kind, *match.span()) for match in re.finditer(self.pattern, text)]


def test_each_link_sees_what_those_before_it_left() -> None:
    service = Finds("Anna", "name")
    redactor = chain(PatternRedactor(), Finds("[0-9]{8}", "number"), service)
    redaction = redactor.redact(TEXT)
    assert redaction.text == "password: [REDACTED:password]\n[REDACTED:name]'s number is [REDACTED:number]\n"
    assert service.shown == ["password: [REDACTED:password]\nAnna's number is [REDACTED:number]\n"]
    assert [(one.kind, one.line) for one in redaction.findings] == [("password", 1), ("number", 2), ("name", 2)]


def test_redacting_twice_changes_nothing() -> None:
    redactor = chain(PatternRedactor(), Finds("[a-z]{6,}", "word"))
    once = redactor.redact(TEXT).text
    assert redactor.redact(once).text == once


def test_what_a_later_link_uncovers_goes() -> None:
    names = Finds("Anna", "customer")
    redactor = chain(PatternRedactor(), names)
    text = f"AnnaAKIA{'QYLPMN5HHHFPZAM2'}"
    redaction = redactor.redact(text)
    assert redaction.text == "[REDACTED:customer][REDACTED:aws-access-key]"
    assert {one.kind for one in redaction.findings} == {"customer", "aws-access-key"}
    assert redactor.redact(redaction.text).text == redaction.text
    assert redactor.for_write("/memories/a", None).redact(text).text == redaction.text
    assert chain(redactor, Finds("Bob", "customer")).redact(f"Bob{text}").text == f"[REDACTED:customer]{redaction.text}"


def test_a_link_is_not_asked_about_what_it_left_itself() -> None:
    numbers, service = Finds("[0-9]{8}", "number"), Finds("Anna", "name")
    redaction = chain(numbers, service).redact(TEXT)
    assert numbers.shown == [TEXT, redaction.text]
    assert len(service.shown) == 1


def test_a_later_link_that_uncovers_what_is_blocked_refuses_the_text() -> None:
    redactor = chain(PatternRedactor(policy={"aws-access-key": "block"}), Finds("Anna", "customer"))
    with pytest.raises(RedactionError, match="aws-access-key"):
        redactor.redact(f"AnnaAKIA{'QYLPMN5HHHFPZAM2'}")


def test_links_that_come_to_no_end_refuse_the_text() -> None:
    class Adds:
        def __init__(self, end: str) -> None:
            self.end = end

        def redact(self, text: str, /) -> Redaction:
            return Redaction(text if text.endswith(self.end) else text + self.end)

    with pytest.raises(UncheckedTextError, match="uncovers more each time"):
        chain(Adds("a"), Adds("b")).redact("text")


def test_what_is_only_reported_is_reported_once_however_often_a_link_looks() -> None:
    text = "Anna's\n\npassword: Harbor!4711x\n"
    redactor = chain(PatternRedactor(policy={"password": "report"}), Finds("Anna's\n", "name"))
    assert redactor.redact(text).findings == (Finding("name", 1), Finding("password", 2, is_kept=True))


def test_a_later_link_that_takes_lines_out_moves_the_findings_before_it() -> None:
    lines = Finds(r"BEGIN[^~]*END", "block")
    text = "BEGIN\n\n\nEND\npassword: Harbor!4711x\n"
    assert PatternRedactor().redact(text).findings == (Finding("password", 5),)
    redaction = chain(PatternRedactor(), lines).redact(text)
    assert redaction.text == "[REDACTED:block]\npassword: [REDACTED:password]\n"
    assert redaction.findings == (Finding("block", 1), Finding("password", 2))


@given(st.lists(st.sampled_from(["BEGIN\n\nEND", "\n", "password: Harbor!4711x\n", "x "]), max_size=12).map("".join))
def test_findings_are_on_lines_that_hold_their_placeholders(text: str) -> None:
    redaction = chain(PatternRedactor(), Finds(r"BEGIN[^~]*?END", "block"), Finds("x ", "ex")).redact(text)
    lines = redaction.text.split("\n")
    assert all(f"[REDACTED:{one.kind}]" in lines[one.line - 1] for one in redaction.findings)
    assert len(redaction.findings) == redaction.text.count("[REDACTED:")


def test_a_link_that_refuses_refuses_the_text() -> None:
    with pytest.raises(RedactionError, match="password"):
        chain(Finds("Anna", "name"), PatternRedactor(policy={"password": "block"})).redact(TEXT)


def test_a_link_that_returns_no_redaction_refuses_the_text() -> None:
    class Wrong:
        def redact(self, text: str, /) -> Redaction:
            return text  # type: ignore[return-value]

    with pytest.raises(RedactionError):
        chain(Wrong()).redact(TEXT)


def test_a_chain_passes_the_file_and_the_tenant_s_key_on() -> None:
    asked: list[str] = []

    def tag_key() -> bytes:
        asked.append("key")
        return bytes(TAG_KEY_BYTES)

    allowing = PatternRedactor(allow=Allowlist(paths=["/memories/samples/"]))
    redactor = chain(allowing, Finds("Anna", "name"))
    of_samples = redactor.for_write("/memories/samples/a", tag_key)
    assert of_samples.redact(TEXT).text == TEXT.replace("Anna", "[REDACTED:name]")
    assert redactor.for_write("/memories/a", tag_key).redact(TEXT).text.startswith("password: [REDACTED:password]")
    assert asked == []


def test_a_chain_is_a_redactor_that_knows_the_kinds_of_its_links() -> None:
    redactor = chain(PatternRedactor(), Finds("Anna", "customer"))
    assert isinstance(redactor, Redactor)
    assert "customer" in redactor.known_kinds
    assert redactor.redact("password: [REDACTED:customer]").findings == ()


def test_a_built_in_redactor_keeps_what_it_does_when_it_is_a_link() -> None:
    redactor = chain(PatternRedactor(policy={"password": "off"}, kinds=["password", "jwt"]), Finds("Anna", "name"))
    assert redactor.redact(TEXT).text == TEXT.replace("Anna", "[REDACTED:name]")


def test_what_is_no_link_is_a_configuration_error() -> None:
    for links in ((), ("password",), (PatternRedactor(), object())):
        with pytest.raises(ConfigurationError, match="chain"):
            chain(*links)


def test_an_async_link_or_detector_is_refused_when_it_is_given() -> None:
    class Later:
        async def find(self, text: str, /) -> list[Span]:
            return [Span("name", 0, len(text))]

    class LaterStill:
        async def redact(self, text: str, /) -> Redaction:
            return Redaction(text)

    for make in (
        lambda: chain(Later()),  # type: ignore[arg-type]
        lambda: chain(LaterStill()),  # type: ignore[arg-type]
        lambda: PatternRedactor(detectors=[Later()]),  # type: ignore[list-item]
    ):
        with pytest.raises(ConfigurationError, match="async"):
            make()


def test_a_chain_shows_nothing_that_its_links_hold() -> None:
    assert repr(chain(PatternRedactor(), Finds("Anna", "name"))) == "chain(PatternRedactor, Finds)"
