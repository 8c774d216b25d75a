"""A Bedrock guardrail as a detector: what it masks is found again, what it blocks is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from botocore.stub import Stubber
from hypothesis import given
from hypothesis import strategies as st
from support.remote_answers import Answers, client_for

from s3memory.errors import ConfigurationError, RedactionError
from s3memory.redaction import Detector, PatternRedactor, Span
from s3memory.redaction.adapters import BedrockGuardrailDetector
from s3memory.redaction.adapters.guardrail import DEFAULT_REQUEST_BYTES
from s3memory.redaction.adapters.kinds import kind_of
from s3memory.redaction.adapters.services import OVERLAP_CHARACTERS
from s3memory.redaction.interface import KIND_PATTERN

TEXT = "👋🏽 Hello Paul Santos.\r\nMail: paul@example.com"
NAME = Span("name", 9, 20)
EMAIL = Span("email", 29, 45)
UNITS = {
    "topicPolicyUnits": 0,
    "contentPolicyUnits": 0,
    "wordPolicyUnits": 0,
    "sensitiveInformationPolicyUnits": 1,
    "sensitiveInformationPolicyFreeUnits": 0,
    "contextualGroundingPolicyUnits": 0,
}
SMALL_REQUEST_BYTES = 8 * (OVERLAP_CHARACTERS + 1)


def pii(entity_type: str, match: str, action: str = "ANONYMIZED") -> dict[str, Any]:
    return {"type": entity_type, "match": match, "action": action, "detected": True}


def answer(*entities: dict[str, Any], regexes: list[dict[str, Any]] | None = None, **assessment: Any) -> dict[str, Any]:
    """An answer with these findings, as the service gives it."""
    found = [*entities, *(regexes or ())]
    policy = {"sensitiveInformationPolicy": {"piiEntities": list(entities), "regexes": regexes or []}}
    return {
        "usage": UNITS,
        "action": "GUARDRAIL_INTERVENED" if any(item["action"] != "NONE" for item in found) else "NONE",
        "outputs": [{"text": "masked by the service"}] if found else [],
        "assessments": [
            {
                **(policy if found else {}),
                "invocationMetrics": {
                    "guardrailProcessingLatency": 179,
                    "usage": UNITS,
                    "guardrailCoverage": {"textCharacters": {"guarded": 62, "total": 62}},
                },
                **assessment,
            }
        ],
    }  # fmt: skip


def masks_mail(body: Any) -> dict[str, Any]:
    """Answer as a guardrail that masks e-mail addresses and nothing else."""
    return answer(
        *(pii("EMAIL", match) for match in re.findall(r"[a-z]+@[a-z]+\.com", body["content"][0]["text"]["text"]))
    )


@pytest.fixture(scope="module")
def client(_aws: None) -> Any:
    return client_for("bedrock-runtime")


@pytest.fixture
def make(client: Any) -> Callable[..., BedrockGuardrailDetector]:
    fixed = {"client": client, "guardrail_id": "abc123", "guardrail_version": "3", "sleep": lambda _: None}
    return lambda **more: BedrockGuardrailDetector(**{**fixed, **more})


Make = Callable[..., BedrockGuardrailDetector]


def test_what_is_masked_is_found_again_in_the_text(make: Make, stubber: Stubber) -> None:
    stubber.add_response(
        "apply_guardrail",
        answer(pii("NAME", "Paul Santos"), pii("EMAIL", "paul@example.com")),
        {
            "guardrailIdentifier": "abc123",
            "guardrailVersion": "3",
            "source": "OUTPUT",
            "content": [{"text": {"text": TEXT}}],
        },
    )
    detector = make()
    assert isinstance(detector, Detector)
    assert set(detector.find(TEXT)) == {NAME, EMAIL}


@pytest.mark.parametrize("text", ["", "\n "])
def test_nothing_is_sent_where_nothing_is_to_be_found(make: Make, stubber: Stubber, text: str) -> None:
    assert make().find(text) == []


def test_a_text_that_the_guardrail_lets_pass_has_no_spans(make: Make, stubber: Stubber) -> None:
    stubber.add_response("apply_guardrail", answer())
    stubber.add_response("apply_guardrail", {**answer(), "assessments": []})
    assert make().find(TEXT) == make().find(TEXT) == []


def test_what_is_only_detected_stays(make: Make, stubber: Stubber) -> None:
    stubber.add_response(
        "apply_guardrail", answer(pii("NAME", "Paul Santos", "NONE"), pii("EMAIL", "paul@example.com"))
    )
    assert make().find(TEXT) == [EMAIL]


def test_an_operator_s_pattern_names_the_kind(make: Make, stubber: Stubber) -> None:
    pattern = {"name": "Booking ID (EU)", "match": "Hello", "regex": "H.+o", "action": "ANONYMIZED"}
    nameless = {"match": "Mail", "regex": "M.+l", "action": "ANONYMIZED"}
    stubber.add_response("apply_guardrail", answer(regexes=[pattern, nameless]))
    assert set(make().find(TEXT)) == {Span("booking-id-eu", 3, 8), Span("sensitive", 23, 27)}
    stubber.add_response("apply_guardrail", answer(regexes=[pattern]))
    assert make(kinds={"Booking ID (EU)": "booking"}).find(TEXT) == [Span("booking", 3, 8)]


def test_every_place_with_a_masked_value_is_redacted(make: Make, stubber: Stubber) -> None:
    stubber.add_response("apply_guardrail", answer(pii("PASSWORD", "tiger")))
    assert set(make().find("password: tiger\ntigers, xtiger")) == {
        Span("password", 10, 15),
        Span("password", 16, 21),
        Span("password", 25, 30),
    }


def test_a_short_value_is_redacted_where_it_is_a_word(make: Make, stubber: Stubber) -> None:
    stubber.add_response("apply_guardrail", answer(pii("NAME", "Al")))
    assert set(make().find("Al also saw Al's ALU")) == {Span("name", 0, 2), Span("name", 12, 14)}


def test_a_short_value_is_redacted_everywhere_if_words_do_not_account_for_it(make: Make, stubber: Stubber) -> None:
    text = "Al saw 12 Als"
    stubber.add_response("apply_guardrail", answer(pii("NAME", "Al"), pii("NAME", "Al")))
    assert set(make().find(text)) == {Span("name", 0, 2), Span("name", 10, 12)}
    stubber.add_response("apply_guardrail", answer(pii("AGE", "Al"), pii("NAME", "Al")))
    assert {span.start for span in make().find(text)} == {0, 10}


words = st.lists(
    st.sampled_from(["ann@example.com", "bo@ex.com", "日本語", "👩\u200d👧", "e\u0301t", "word", "\r\n", "\n"])
)


@given(words, st.integers(0, 400), st.integers(SMALL_REQUEST_BYTES, 2 * SMALL_REQUEST_BYTES))
def test_a_long_text_has_the_spans_that_it_would_have_in_one_request(
    client: Any, few: list[str], many: int, max_request_bytes: int
) -> None:
    text = " ".join([*few, *["né bo@ex.com 👩"] * many, *few])
    with Answers(client, compute=masks_mail) as answers:
        found = BedrockGuardrailDetector(
            client=client, guardrail_id="abc123", guardrail_version="DRAFT", max_request_bytes=max_request_bytes
        ).find(text)
    assert {(span.start, span.end) for span in found} == {
        match.span() for match in re.finditer(r"[a-z]+@[a-z]+\.com", text)
    }
    assert all(len(body["content"][0]["text"]["text"].encode()) <= max_request_bytes for body in answers.bodies)


def test_a_request_has_25_text_units_unless_more_is_allowed(make: Make, client: Any) -> None:
    text = "word " * 10_000
    with Answers(client, compute=masks_mail) as answers:
        make().find(text)
        assert len(answers.bodies) == 3
        make(max_request_bytes=4 * DEFAULT_REQUEST_BYTES).find(text)
    assert len(answers.bodies) == 4


def test_a_value_found_in_one_request_is_redacted_in_the_text_of_all(make: Make, client: Any) -> None:
    text = f"token Bluebird {'word ' * 6_000}Bluebird"
    with Answers(client, answer(pii("PASSWORD", "Bluebird")), compute=lambda _: answer()):
        assert {span.start for span in make().find(text)} == {6, len(text) - 8}


BLOCKING: dict[str, dict[str, Any]] = {
    "topic": {"topicPolicy": {"topics": [{"name": "Health", "type": "DENY", "action": "BLOCKED"}]}},
    "content": {"contentPolicy": {"filters": [{"type": "HATE", "confidence": "HIGH", "action": "BLOCKED"}]}},
    "word": {"wordPolicy": {"customWords": [{"match": "Hello", "action": "BLOCKED"}], "managedWordLists": []}},
    "profanity": {
        "wordPolicy": {
            "customWords": [],
            "managedWordLists": [{"match": "Hello", "type": "PROFANITY", "action": "BLOCKED"}],
        }
    },
    "grounding": {
        "contextualGroundingPolicy": {
            "filters": [{"type": "GROUNDING", "threshold": 0.5, "score": 0.1, "action": "BLOCKED"}]
        }
    },
    "pii": {"sensitiveInformationPolicy": {"piiEntities": [pii("NAME", "Paul Santos", "BLOCKED")], "regexes": []}},
    "pattern": {
        "sensitiveInformationPolicy": {
            "piiEntities": [],
            "regexes": [{"name": "x", "match": "Hello", "action": "BLOCKED"}],
        }
    },
}


@pytest.mark.parametrize("policy", BLOCKING)
def test_whatever_policy_blocks_refuses_the_text(make: Make, stubber: Stubber, policy: str) -> None:
    stubber.add_response("apply_guardrail", {**answer(**BLOCKING[policy]), "action": "GUARDRAIL_INTERVENED"})
    with pytest.raises(RedactionError, match="the Bedrock guardrail blocks it"):
        make().find(TEXT)


@pytest.mark.parametrize("policy", BLOCKING)
def test_what_a_policy_only_detects_does_not_refuse_the_text(make: Make, client: Any, policy: str) -> None:
    detected = json.loads(json.dumps(BLOCKING[policy]).replace("BLOCKED", "NONE"))
    with Answers(client, answer(**detected)):
        assert make().find(TEXT) == []


def test_a_block_in_a_later_request_refuses_all(make: Make, client: Any) -> None:
    with (
        Answers(client, answer(), answer(**BLOCKING["topic"]), compute=lambda _: answer()),
        pytest.raises(RedactionError, match="blocks it"),
    ):
        make().find("word " * 10_000)


def test_throttled_requests_are_sent_again(make: Make, client: Any) -> None:
    with Answers(
        client, (429, "ThrottlingException"), (503, "ServiceUnavailableException"), compute=masks_mail
    ) as answers:
        assert make().find(TEXT) == [EMAIL]
    assert len(answers.bodies) == 3


def test_placeholders_of_the_local_pass_stay(make: Make, client: Any) -> None:
    text = "Written by REDACTED, password: hunter2"
    with Answers(client, answer(pii("NAME", "REDACTED"))):
        redacted = PatternRedactor(then=[make()]).redact(text).text
    assert redacted == "Written by [REDACTED:name], password: [REDACTED:password]"
    with Answers(client, answer(pii("NAME", "REDACTED"))):
        assert PatternRedactor(then=[make()]).redact(redacted).text == redacted


def test_each_type_of_the_service_s_has_a_kind(client: Any) -> None:
    names = client.meta.service_model.shape_for("GuardrailPiiEntityType").enum
    assert all(KIND_PATTERN.fullmatch(kind_of(name, {})) for name in names)
    assert kind_of("US_SOCIAL_SECURITY_NUMBER", {}) == "ssn"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"client": object()}, "client for bedrock-runtime"),
        ({"guardrail_id": ""}, "guardrail_id"),
        ({"guardrail_version": 3}, "guardrail_version"),
        ({"source": "BOTH"}, "INPUT, OUTPUT"),
        ({"kinds": {"x": "A"}}, "kinds"),
        ({"max_request_bytes": 100}, "bytes or more"),
        ({"timeout_seconds": -1}, "timeout_seconds"),
    ],
)
def test_what_can_not_work_is_refused_when_the_detector_is_made(
    make: Make, arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigurationError, match=says):
        make(**arguments)


def test_a_detector_tells_nothing_of_its_client_or_guardrail(make: Make) -> None:
    assert repr(make()) == "BedrockGuardrailDetector(guardrail_version='3', source='OUTPUT')"
