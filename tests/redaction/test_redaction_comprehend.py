"""Amazon Comprehend as a detector: offsets, types, long texts and throttling."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError
from botocore.stub import Stubber
from hypothesis import given
from hypothesis import strategies as st
from support.remote_answers import Answers, client_for

from s3memory.errors import ConfigurationError, RedactionError
from s3memory.redaction import Detector, Finding, PatternRedactor, Span
from s3memory.redaction.adapters import ComprehendDetector
from s3memory.redaction.adapters.kinds import kind_of
from s3memory.redaction.adapters.services import OVERLAP_CHARACTERS
from s3memory.redaction.fail_closed import placeholders_of
from s3memory.redaction.interface import KIND_PATTERN

TEXT = "👋🏽 Hello Paul Santos.\r\nMail: paul@example.com"
NAME = Span("name", 9, 20)
EMAIL = Span("email", 29, 45)
SMALL_REQUEST_BYTES = 8 * (OVERLAP_CHARACTERS + 1)


def entity(entity_type: Any, start: Any, end: Any, score: Any = 0.99) -> dict[str, Any]:
    return {"Type": entity_type, "BeginOffset": start, "EndOffset": end, "Score": score}


def finds_mail(body: Any) -> dict[str, Any]:
    """Answer as the service does where e-mail addresses are all it knows."""
    found = re.finditer(r"[a-z]+@[a-z]+\.com", body["Text"])
    return {"Entities": [entity("EMAIL", *match.span()) for match in found]}


@pytest.fixture(scope="module")
def client(_aws: None) -> Any:
    return client_for("comprehend")


@pytest.fixture
def make(client: Any) -> Callable[..., ComprehendDetector]:
    return lambda **more: ComprehendDetector(**{"client": client, "sleep": lambda _: None, **more})


def test_entities_become_spans_of_code_points(make: Callable[..., ComprehendDetector], stubber: Stubber) -> None:
    stubber.add_response(
        "detect_pii_entities",
        {"Entities": [entity("NAME", 9, 20, 0.9999), entity("EMAIL", 29, 45, 1.0)]},
        {"Text": TEXT, "LanguageCode": "en"},
    )
    detector = make()
    assert isinstance(detector, Detector)
    spans = detector.find(TEXT)
    assert spans == [NAME, EMAIL]
    assert [TEXT[span.start : span.end] for span in spans] == ["Paul Santos", "paul@example.com"]


def test_a_text_without_entities_has_no_spans(make: Callable[..., ComprehendDetector], stubber: Stubber) -> None:
    stubber.add_response("detect_pii_entities", {"Entities": []})
    assert make().find("Nothing in here") == []


def test_an_entity_may_end_with_the_text_and_not_after_it(make: Callable[..., ComprehendDetector], client: Any) -> None:
    with Answers(client, {"Entities": [entity("NAME", 0, 4)]}, {"Entities": [entity("NAME", 0, 5)]}):
        assert make().find("Anna") == [Span("name", 0, 4)]
        with pytest.raises(RedactionError, match="not in the text"):
            make().find("Anna")


@pytest.mark.parametrize("text", ["", " ", "\n\t\r\n"])
def test_nothing_is_sent_where_nothing_is_to_be_found(
    make: Callable[..., ComprehendDetector], stubber: Stubber, text: str
) -> None:
    assert make().find(text) == []


def test_the_language_is_the_one_that_was_set(make: Callable[..., ComprehendDetector], stubber: Stubber) -> None:
    stubber.add_response("detect_pii_entities", {"Entities": []}, {"Text": "Hola", "LanguageCode": "es"})
    assert make(language_code="es").find("Hola") == []


def test_what_the_service_is_less_sure_of_stays(make: Callable[..., ComprehendDetector], stubber: Stubber) -> None:
    answer = {"Entities": [entity("NAME", 9, 20, 0.79), entity("EMAIL", 29, 45, 0.8)]}
    stubber.add_response("detect_pii_entities", answer)
    assert make(min_score=0.8).find(TEXT) == [EMAIL]


def test_dates_and_addresses_of_pages_stay_unless_they_are_asked_for(
    make: Callable[..., ComprehendDetector], stubber: Stubber
) -> None:
    answer = {"Entities": [entity("DATE_TIME", 0, 2), entity("URL", 2, 4), entity("AGE", 4, 6)]}
    stubber.add_response("detect_pii_entities", answer)
    assert make().find(TEXT) == [Span("age", 4, 6)]
    stubber.add_response("detect_pii_entities", answer)
    assert make(entity_types=["URL", "SSN"]).find(TEXT) == [Span("url", 2, 4)]


def test_a_type_that_the_service_learned_later_is_redacted(
    make: Callable[..., ComprehendDetector], client: Any
) -> None:
    with Answers(client, {"Entities": [entity("SHOE_SIZE", 0, 2)]}):
        assert make().find(TEXT) == [Span("shoe-size", 0, 2)]


def test_one_s_own_kinds_come_before_the_table_s(make: Callable[..., ComprehendDetector], stubber: Stubber) -> None:
    answer = {"Entities": [entity("NAME", 9, 20), entity("BANK_ROUTING", 0, 1)]}
    stubber.add_response("detect_pii_entities", answer)
    kinds = {span.kind for span in make(kinds={"NAME": "person"}).find(TEXT)}
    assert kinds == {"person", "bank-routing"}


def test_placeholders_of_one_s_own_kinds_are_known(make: Callable[..., ComprehendDetector], client: Any) -> None:
    redactor = PatternRedactor(then=[make(kinds={"NAME": "customer"})])
    mark = "[REDACTED:customer]"
    assert placeholders_of(redactor, mark) == [(0, len(mark))]
    with Answers(client, {"Entities": []}):
        assert redactor.redact(f"password: {mark}").findings == ()


def test_each_type_of_the_service_s_has_a_kind(client: Any) -> None:
    names = client.meta.service_model.shape_for("PiiEntityType").enum
    kinds = {name: kind_of(name, {}) for name in names}
    assert all(KIND_PATTERN.fullmatch(kind) for kind in kinds.values())
    assert {kinds[name] for name in ("CREDIT_DEBIT_NUMBER", "INTERNATIONAL_BANK_ACCOUNT_NUMBER", "DRIVER_ID")} == {
        "card-number",
        "iban",
        "driver-id",
    }


words = st.lists(
    st.sampled_from(["ann@example.com", "bo@ex.com", "日本語", "👩\u200d👧", "e\u0301t", "word", "\r\n", "\n"])
)


@given(words, st.integers(0, 400), st.integers(SMALL_REQUEST_BYTES, 2 * SMALL_REQUEST_BYTES))
def test_a_long_text_has_the_spans_that_it_would_have_in_one_request(
    client: Any, few: list[str], many: int, max_request_bytes: int
) -> None:
    text = " ".join([*few, *["né bo@ex.com 👩"] * many, *few])
    with Answers(client, compute=finds_mail) as answers:
        found = ComprehendDetector(client=client, max_request_bytes=max_request_bytes).find(text)
    assert {(span.start, span.end) for span in found} == {
        match.span() for match in re.finditer(r"[a-z]+@[a-z]+\.com", text)
    }
    assert all(len(body["Text"].encode()) <= max_request_bytes for body in answers.bodies)


def test_a_request_takes_100_kb(make: Callable[..., ComprehendDetector], client: Any) -> None:
    with Answers(client, compute=finds_mail) as answers:
        make().find("é" * 50_000)
        assert len(answers.bodies) == 1
        make().find("é" * 50_001)
    assert [len(body["Text"].encode()) for body in answers.bodies[1:]] == [100_000, 1_002]


THROTTLED = (400, "ThrottlingException")


@pytest.mark.parametrize(
    "passing",
    [
        THROTTLED,
        (400, "TooManyRequestsException"),
        (500, "InternalServerException"),
        (503, "ServiceUnavailable"),
        ReadTimeoutError(endpoint_url="the service"),
    ],
)
def test_a_request_that_is_throttled_or_lost_is_sent_again(
    make: Callable[..., ComprehendDetector], client: Any, passing: Any
) -> None:
    pauses: list[float] = []
    with Answers(client, passing, passing, compute=finds_mail) as answers:
        assert make(sleep=pauses.append).find(TEXT) == [EMAIL]
    assert len(answers.bodies) == 3
    assert len(pauses) == 2


def test_throttling_by_the_stubber_s_errors_as_well(make: Callable[..., ComprehendDetector], stubber: Stubber) -> None:
    stubber.add_client_error("detect_pii_entities", "ThrottlingException", http_status_code=400)
    stubber.add_response("detect_pii_entities", {"Entities": [entity("EMAIL", 29, 45)]})
    assert make().find(TEXT) == [EMAIL]


def test_tries_are_bounded(make: Callable[..., ComprehendDetector], client: Any) -> None:
    with Answers(client, compute=lambda _: THROTTLED) as answers, pytest.raises(RedactionError, match="Throttling"):
        make(max_tries=3).find(TEXT)
    assert len(answers.bodies) == 3


@pytest.mark.parametrize(
    "answer",
    [
        (400, "AccessDeniedException"),
        (400, "UnsupportedLanguageException"),
        (400, "TextSizeLimitExceededException"),
        (400, "InvalidRequestException"),
    ],
)
def test_an_error_that_does_not_pass_is_not_tried_again(
    make: Callable[..., ComprehendDetector], client: Any, answer: tuple[int, str]
) -> None:
    with Answers(client, answer) as answers, pytest.raises(RedactionError, match=answer[1]):
        make().find(TEXT)
    assert len(answers.bodies) == 1


def test_the_service_is_shown_only_what_the_local_rules_leave(
    make: Callable[..., ComprehendDetector], client: Any
) -> None:
    text = "password: hunter2\nann@example.com\npostgres://app:s3same@db/x bo@ex.com"
    with Answers(client, compute=finds_mail) as answers:
        redaction = PatternRedactor(then=[make()]).redact(text)
    assert [body["Text"] for body in answers.bodies] == [
        "password: [REDACTED:password]\nann@example.com\npostgres://app:[REDACTED:url-password]@db/x bo@ex.com"
    ]
    assert redaction.text == (
        "password: [REDACTED:password]\n[REDACTED:email]\npostgres://app:[REDACTED:url-password]@db/x [REDACTED:email]"
    )
    kinds_by_line = ("password", 1), ("email", 2), ("url-password", 3), ("email", 3)
    assert redaction.findings == tuple(Finding(*one) for one in kinds_by_line)


def test_what_the_service_finds_across_lines_moves_those_after_it(
    make: Callable[..., ComprehendDetector], client: Any
) -> None:
    text = "1 Main St\nSeattle\npassword: hunter2"
    with Answers(client, {"Entities": [entity("ADDRESS", 0, 17)]}):
        redaction = PatternRedactor(then=[make()]).redact(text)
    assert redaction.text == "[REDACTED:address]\npassword: [REDACTED:password]"
    assert redaction.findings == (Finding("address", 1), Finding("password", 2))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"client": object()}, "client for comprehend"),
        ({"language_code": ""}, "language code"),
        ({"language_code": None}, "language code"),
        ({"min_score": 1.5}, "min_score"),
        ({"min_score": True}, "min_score"),
        ({"min_score": float("nan")}, "min_score"),
        ({"entity_types": "NAME"}, "not a string"),
        ({"entity_types": ["NAME", "EMIAL"]}, "no type 'EMIAL'; it has .*EMAIL"),
        ({"entity_types": ["ALL"]}, "no type 'ALL'"),
        ({"kinds": {"NAME": "A Person"}}, r"kinds\['NAME'\]"),
        ({"kinds": {"NAME": 7}}, r"kinds\['NAME'\]"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": float("nan")}, "timeout_seconds"),
        ({"max_tries": 0}, "max_tries"),
        ({"max_request_bytes": 100_001}, "at most 100000"),
        ({"max_request_bytes": 100}, "bytes or more"),
    ],
)
def test_what_can_not_work_is_refused_when_the_detector_is_made(
    make: Callable[..., ComprehendDetector], arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigurationError, match=says):
        make(**arguments)


def test_a_detector_tells_nothing_of_its_client(make: Callable[..., ComprehendDetector]) -> None:
    assert repr(make(kinds={"NAME": "agent"})) == "ComprehendDetector(language_code='en', min_score=0.5)"
