"""Whatever a service answers but what it documents refuses the write, and nothing of the text gets out."""

from __future__ import annotations

import ast
import logging
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from anthropic.lib.tools import ToolError
from botocore.exceptions import NoCredentialsError, ReadTimeoutError
from conftest import TENANT
from support.remote_answers import Answers, client_for

import s3memory.redaction.adapters
from s3memory import S3MemoryTool
from s3memory.errors import RedactionError
from s3memory.redaction import Detector, PatternRedactor
from s3memory.redaction.adapters import BedrockGuardrailDetector, ComprehendDetector, PresidioDetector
from s3memory.redaction.adapters.calls import BoundedCalls, CallSlots
from s3memory.redaction.refusals import ServiceRefusalError, sanitized_error

CANARY = "canary-4711"
TEXT = f"Note of {CANARY}, called Anna"
COMPREHEND, GUARDRAIL = "comprehend", "bedrock-runtime"


def entity(**changed: Any) -> dict[str, Any]:
    fields = {"Type": "NAME", "BeginOffset": 0, "EndOffset": 4, "Score": 0.9, **changed}
    return {"Entities": [{name: value for name, value in fields.items() if value is not None}]}


UNITS = {"sensitiveInformationPolicyUnits": 1, "topicPolicyUnits": 0}
PASSED: dict[str, Any] = {"usage": UNITS, "action": "NONE", "outputs": [], "assessments": [{}]}
INTERVENED: dict[str, Any] = {**PASSED, "action": "GUARDRAIL_INTERVENED"}


def masked(*, lists: str = "piiEntities", **changed: Any) -> dict[str, Any]:
    fields = {"type": "NAME", "match": "Anna", "action": "ANONYMIZED", **changed}
    item = {name: value for name, value in fields.items() if value is not None}
    return {
        **INTERVENED,
        "assessments": [{"sensitiveInformationPolicy": {"piiEntities": [], "regexes": [], lists: [item]}}],
    }


def covered(guarded: Any, total: Any) -> dict[str, Any]:
    return {"guardrailCoverage": {"textCharacters": {"guarded": guarded, "total": total}}}


NO_ANSWERS: list[Any] = [
    b"",
    b"no JSON",
    b"<html><body>proxy</body></html>",
    b"[]",
    b"null",
    b"7",
    b"\xff\xfe",
    {},
    {"Output": {"__type": "InternalServerException"}},
    (400, "ValidationException"),
    (403, "AccessDeniedException"),
    (404, "ResourceNotFoundException"),
    (429, "ThrottlingException"),
    (500, "InternalServerException"),
    ReadTimeoutError(endpoint_url="the service"),
    NoCredentialsError(),
    ValueError(TEXT),
    UnicodeDecodeError("utf-8", TEXT.encode(), 0, 1, TEXT),
]
WRONG_TYPES: list[Any] = ["", "name", "A NAME", CANARY, TEXT, "N" * 65, 7, ["NAME"]]
WRONG_SCORES: list[Any] = ["high", -0.1, 1.1, True, []]
BAD_ANSWERS: dict[str, list[Any]] = {
    COMPREHEND: [
        {"Entities": None},
        {"Entities": {"Type": "NAME"}},
        {"Entities": CANARY},
        {"Entities": [None]},
        {"Entities": [CANARY]},
        {"Entities": [{}]},
        *(entity(**{name: None}) for name in ("Type", "BeginOffset", "EndOffset", "Score")),
        *(entity(Type=wrong) for wrong in WRONG_TYPES),
        *(entity(Score=wrong) for wrong in WRONG_SCORES),
        *(entity(BeginOffset=wrong) for wrong in (-1, 4, 5, 0.5, "0", True, 10**9)),
        *(entity(EndOffset=wrong) for wrong in (0, -1, 10_000, 4.0, "4", 10**30)),
        b'{"Entities": [{"Type": "NAME", "BeginOffset": 0, "EndOffset": 4, "Score": NaN}]}',
    ],
    GUARDRAIL: [
        *({name: PASSED[name] for name in PASSED.keys() - {missing}} for missing in ("usage", "action", "assessments")),
        {**PASSED, "action": "ALLOWED"},
        {**PASSED, "action": None},
        {**PASSED, "assessments": {"wordPolicy": {}}},
        {**PASSED, "assessments": [CANARY]},
        {**PASSED, "usage": dict.fromkeys(UNITS, 0)},
        {**PASSED, "usage": {}},
        {**PASSED, "usage": [1]},
        INTERVENED,
        {**INTERVENED, "assessments": []},
        {**PASSED, **covered(20, 30)},
        {**PASSED, "assessments": [{"invocationMetrics": covered(0, 30)}]},
        {**PASSED, "assessments": [{"invocationMetrics": covered(None, 30)}]},
        {**PASSED, "assessments": [{"sensitiveInformationPolicy": CANARY}]},
        {**PASSED, "assessments": [{"sensitiveInformationPolicy": {"piiEntities": {"match": "Anna"}, "regexes": []}}]},
        {**PASSED, "assessments": [{"wordPolicy": {"customWords": [{"match": "x", "action": "HIDDEN"}]}}]},
        {**PASSED, "assessments": [{"wordPolicy": {"customWords": [{"match": "Anna", "action": "BLOCKED"}]}}]},
        {**PASSED, "assessments": [{"topicPolicy": {"topics": [{"name": "x", "type": "DENY", "action": "BLOCKED"}]}}]},
        masked(match="Berta"),
        masked(match="anna"),
        masked(match=""),
        masked(match=None),
        masked(match=7),
        masked(action="BLOCKED"),
        masked(action="SHOWN"),
        masked(action=None),
        *(masked(type=wrong) for wrong in [None, *WRONG_TYPES]),
        masked(lists="regexes", match=None),
        masked(lists="regexes", match="Berta"),
        masked(lists="regexes", action="BLOCKED"),
    ],
}  # fmt: skip


def answer_to_texts(answer: Any, *, names: Any) -> Callable[[Any], Any]:
    """Give `answer` where a text is sent, and `names` where a name is: that has no spaces in it."""

    def answer_to(body: Any) -> Any:
        text = body["Text"] if "Text" in body else body["content"][0]["text"]["text"]
        return answer if " " in text else names

    return answer_to


@pytest.fixture(scope="module")
def clients(_aws: None) -> dict[str, Any]:
    return {service: client_for(service) for service in BAD_ANSWERS}


@pytest.fixture
def make_tool(bucket: str, s3: Any, key_wrapper: Any) -> Callable[[Detector], S3MemoryTool]:
    def make(detector: Detector) -> S3MemoryTool:
        redactor = PatternRedactor(then=[detector])
        return S3MemoryTool(bucket=bucket, tenant=TENANT, key_wrapper=key_wrapper, s3_client=s3, redactor=redactor)

    return make


def detector_for(client: Any, **more: Any) -> Detector:
    if hasattr(client, "detect_pii_entities"):
        return ComprehendDetector(client=client, max_tries=2, sleep=lambda _: None, **more)
    if hasattr(client, "apply_guardrail"):
        named = {"guardrail_id": "abc123", "guardrail_version": "1", **more}
        return BedrockGuardrailDetector(client=client, max_tries=2, sleep=lambda _: None, **named)
    return PresidioDetector(analyzer=client, **more)


def expect_refusal(detector: Detector, caplog: pytest.LogCaptureFixture) -> str:
    """Expect that `detector` refuses `TEXT` in words that hold nothing of it. Return them."""
    with caplog.at_level(logging.DEBUG, logger="s3memory"), pytest.raises(RedactionError) as caught:
        detector.find(TEXT)
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    told = "\n".join([repr(error), str(error), repr(detector), caplog.text])
    assert CANARY not in told
    assert "Anna" not in told
    assert "Nothing was changed" in str(error)
    assert caplog.records[-1].levelno == logging.WARNING
    return str(error)


CASES = [(service, answer) for service, answers in BAD_ANSWERS.items() for answer in [*NO_ANSWERS, *answers]]


@pytest.mark.parametrize(("service", "answer"), CASES)
def test_an_answer_that_is_none_refuses_the_text(
    service: str, answer: Any, clients: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with Answers(clients[service], compute=lambda _: answer):
        expect_refusal(detector_for(clients[service]), caplog)


@pytest.mark.parametrize("service", BAD_ANSWERS)
def test_nothing_is_stored_whatever_the_service_answers(
    service: str,
    clients: dict[str, Any],
    make_tool: Callable[[Detector], S3MemoryTool],
    caplog: pytest.LogCaptureFixture,
) -> None:
    tool = make_tool(detector_for(clients[service]))
    passes = {COMPREHEND: {"Entities": []}, GUARDRAIL: PASSED}[service]
    with Answers(clients[service], compute=lambda _: passes):
        tool.call({"command": "create", "path": "/memories/old", "file_text": "an old note"})
    commands = [
        {"command": "create", "path": "/memories/new", "file_text": TEXT},
        {"command": "str_replace", "path": "/memories/old", "old_str": "old", "new_str": TEXT},
        {"command": "insert", "path": "/memories/old", "insert_line": 0, "insert_text": TEXT},
        {"command": "rename", "old_path": "/memories/old", "new_path": "/memories/new"},
    ]
    for number, answer in enumerate([*NO_ANSWERS, *BAD_ANSWERS[service]]):
        # Names are let pass, so that it is the text that is refused.
        with (
            Answers(clients[service], compute=answer_to_texts(answer, names=passes)),
            pytest.raises(ToolError) as caught,
        ):
            tool.call(commands[number % len(commands)])
        assert CANARY not in repr(caught.value)
        assert "Nothing was changed" in str(caught.value)
    assert CANARY not in caplog.text
    assert "an old note" in str(tool.call({"command": "view", "path": "/memories/old"}))
    assert "/memories/new" not in str(tool.call({"command": "view", "path": "/memories"}))


def test_the_model_is_told_which_service_refused_and_why_in_words_of_this_package(
    clients: dict[str, Any], make_tool: Callable[[Detector], S3MemoryTool]
) -> None:
    tool = make_tool(detector_for(clients[COMPREHEND]))
    command = {"command": "create", "path": "/memories/new", "file_text": TEXT}
    with (
        Answers(clients[COMPREHEND], compute=answer_to_texts((429, "ThrottlingException"), names={"Entities": []})),
        pytest.raises(ToolError) as caught,
    ):
        tool.call(command)
    assert str(caught.value) == (
        "Error: The text could not be checked for sensitive content: "
        "Amazon Comprehend did not answer (ThrottlingException). Nothing was changed."
    )


def test_every_reason_that_an_adapter_gives_is_one_that_is_passed_on() -> None:
    adapters = Path(s3memory.redaction.adapters.__file__).parent
    reasons = [
        str(call.args[1].value)
        for file in adapters.glob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "refusal"
        if isinstance(call.args[1], ast.Constant)
    ]
    assert len(reasons) > 10
    for service in ("Amazon Comprehend", "the Bedrock guardrail", "Presidio"):
        for reason in [*reasons, "failed (KeyError)", "did not answer (ThrottlingException)", "did not answer ()"]:
            error = sanitized_error(ServiceRefusalError(service, reason))
            assert f"{service} {reason}." in str(error)


@pytest.mark.parametrize(
    ("service", "reason"),
    [(TEXT, "failed"), ("Presidio", TEXT), ("Presidio", f"failed ({TEXT})"), (None, "failed"), ("Presidio", 7)],
)
def test_an_adapter_of_one_s_own_can_not_pass_a_text_on_as_its_reason(service: Any, reason: Any) -> None:
    error = sanitized_error(ServiceRefusalError(service, reason))
    assert str(error) == "The text could not be checked for sensitive content. Nothing was changed."


def test_moto_s_canned_answer_is_about_another_text_and_refused(make_tool: Callable[[Detector], S3MemoryTool]) -> None:
    with pytest.raises(ToolError, match="could not be checked"):
        make_tool(ComprehendDetector(client=boto3.client("comprehend"))).call(
            {"command": "create", "path": "/memories/new", "file_text": TEXT}
        )


@pytest.mark.parametrize("service", BAD_ANSWERS)
def test_a_lone_surrogate_is_refused_before_anything_is_sent(service: str, clients: dict[str, Any]) -> None:
    with Answers(clients[service]) as answers, pytest.raises(RedactionError, match="surrogates") as caught:
        detector_for(clients[service]).find(CANARY + "\ud800")
    assert caught.value.__context__ is None
    assert answers.bodies == []


@pytest.mark.parametrize("answer", [None, [], "answer", 7, {"Entities": {}}, {"Entities": ()}, {"Entities": iter([])}])
def test_a_client_of_another_make_is_not_trusted_either(answer: Any, caplog: pytest.LogCaptureFixture) -> None:
    client = SimpleNamespace(detect_pii_entities=lambda **_: answer, apply_guardrail=None)
    expect_refusal(ComprehendDetector(client=client), caplog)


class Stuck:
    """A client and engine in one that does not answer until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.asked = 0

    def ask(self, *_: Any, **__: Any) -> Any:
        self.asked += 1
        assert self.go.wait(60)
        return {"Entities": []}

    def as_client(self, method: str) -> Any:
        return SimpleNamespace(**{method: self.ask, "get_supported_entities": lambda _=None: ["PERSON"]})


@pytest.fixture
def stuck() -> Iterator[Stuck]:
    stuck = Stuck()
    yield stuck
    stuck.go.set()


METHODS = ["detect_pii_entities", "apply_guardrail", "analyze"]


@pytest.mark.parametrize("method", METHODS)
def test_no_answer_in_time_refuses_the_text(method: str, stuck: Stuck, caplog: pytest.LogCaptureFixture) -> None:
    detector = detector_for(stuck.as_client(method), timeout_seconds=0.3)
    assert "did not answer in time" in expect_refusal(detector, caplog)
    assert stuck.asked == 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("remaining_seconds", [0, -1])
def test_without_time_nothing_is_asked(
    method: str, remaining_seconds: float, stuck: Stuck, caplog: pytest.LogCaptureFixture
) -> None:
    detector = detector_for(stuck.as_client(method), remaining_seconds=lambda: remaining_seconds)
    assert "could not be asked in the time there was" in expect_refusal(detector, caplog)
    assert stuck.asked == 0


def test_the_caller_s_time_counts_where_it_is_less(stuck: Stuck, caplog: pytest.LogCaptureFixture) -> None:
    detector = detector_for(stuck.as_client("analyze"), remaining_seconds=lambda: 0.02, timeout_seconds=50)
    assert "did not answer in time" in expect_refusal(detector, caplog)


def test_a_text_given_up_sends_no_further_requests(stuck: Stuck) -> None:
    ended = threading.Event()

    def call(retry: Any) -> None:
        try:
            for _ in range(3):
                calls.request(retry, stuck.ask)
        finally:
            ended.set()

    calls = BoundedCalls(service="the service", timeout_seconds=0.3)
    with pytest.raises(RedactionError, match="in time"):
        calls.within_time(call)
    stuck.go.set()
    assert ended.wait(60)
    assert stuck.asked == 1


def test_when_so_many_calls_hang_further_texts_are_refused_until_one_ends(stuck: Stuck) -> None:
    slots = CallSlots(2)
    calls = BoundedCalls(service="the service", timeout_seconds=0.3, slots=slots)
    for _ in range(2):
        with pytest.raises(RedactionError, match="did not answer in time"):
            calls.within_time(lambda _: stuck.ask())
    with pytest.raises(RedactionError, match="could not be asked"):
        calls.within_time(lambda _: "answer")
    assert stuck.asked == 2
    stuck.go.set()
    patient = BoundedCalls(service="the service", timeout_seconds=60, slots=slots)
    assert [patient.within_time(lambda _: "answer") for _ in range(5)] == ["answer"] * 5


def test_a_forked_child_does_not_wait_for_calls_of_its_parent(stuck: Stuck) -> None:
    slots = CallSlots(1)
    assert slots.take(0) is not None
    assert slots.take(0) is None
    slots.reset_after_fork()
    assert slots.take(0) is not None


def test_a_thread_that_can_not_be_started_keeps_no_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = CallSlots(1)
    calls = BoundedCalls(service="the service", slots=slots)

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        with pytest.raises(RuntimeError):
            calls.within_time(lambda _: "answer")
    assert calls.within_time(lambda _: "answer") == "answer"


def test_the_caller_s_context_is_seen_by_the_call() -> None:
    trace: ContextVar[str] = ContextVar("trace")
    trace.set("of this request")
    assert BoundedCalls(service="the service").within_time(lambda _: trace.get()) == "of this request"


def test_pauses_between_tries_end_when_time_does() -> None:
    pauses: list[float] = []
    calls = BoundedCalls(
        service="the service", timeout_seconds=60, remaining_seconds=lambda: 0.3, max_tries=1_000, sleep=pauses.append
    )

    def throttled() -> None:
        raise ReadTimeoutError(endpoint_url="x")

    with pytest.raises(RedactionError, match="ReadTimeoutError"):
        calls.within_time(lambda retry: calls.request(retry, throttled))
    assert len(pauses) < 1_000
    assert all(pause < 0.3 for pause in pauses)
