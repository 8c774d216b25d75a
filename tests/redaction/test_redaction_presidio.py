"""Presidio as a detector, by an engine with the signature of the real one: presidio-analyzer 2.2.366."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import signature
from types import ModuleType
from typing import Any

import pytest

from s3memory.errors import ConfigurationError, RedactionError
from s3memory.redaction import Detector, PatternRedactor, Span
from s3memory.redaction.adapters import PresidioDetector
from s3memory.redaction.fail_closed import placeholders_of

TEXT = "👋🏽 Hello Paul Santos.\r\nMail: paul@example.com, Tom"
CANARY = "canary-4711"


@dataclass
class Result:
    """As Presidio's ``RecognizerResult``, as far as it is looked at."""

    entity_type: Any
    start: Any
    end: Any
    score: Any = 0.85


def analyze(  # noqa: PLR0917 - theirs
    text: str,
    language: str,
    entities: list[str] | None = None,
    correlation_id: str | None = None,
    score_threshold: float | None = None,
    return_decision_process: bool | None = False,  # noqa: FBT001, FBT002 - theirs
    ad_hoc_recognizers: list[Any] | None = None,
    context: list[str] | None = None,
    allow_list: list[str] | None = None,
    allow_list_match: str | None = "exact",
    regex_flags: int | None = re.DOTALL | re.MULTILINE | re.IGNORECASE,
    nlp_artifacts: Any = None,
) -> list[Any]:
    """Have the signature of the real one, and find two kinds of things by patterns."""
    return [Result(name, *match.span()) for name in entities or PATTERNS for match in re.finditer(PATTERNS[name], text)]


PATTERNS = {"PERSON": r"Paul \w+", "EMAIL_ADDRESS": r"\w+@\w+\.com", "DATE_TIME": r"Tom"}


@dataclass
class Engine:
    """As Presidio's ``AnalyzerEngine``, or one that returns or raises what the test wants."""

    returns: Any = None
    raises: BaseException | None = None
    log_decision_process: bool = False
    asked: list[dict[str, Any]] = field(default_factory=list)

    def analyze(self, *args: Any, **kwargs: Any) -> Any:
        arguments = signature(analyze).bind(*args, **kwargs).arguments
        self.asked.append({name: value for name, value in arguments.items() if name != "text"})
        if self.raises is not None:
            raise self.raises
        return analyze(**arguments) if self.returns is None else self.returns

    def get_supported_entities(self, language: str | None = None) -> list[str]:
        if language != "en":
            raise ValueError("No matching recognizers were found to serve the request.")
        return list(PATTERNS)


@pytest.fixture
def engine() -> Engine:
    return Engine()


def test_results_become_spans(engine: Engine) -> None:
    detector = PresidioDetector(analyzer=engine)
    assert isinstance(detector, Detector)
    assert set(detector.find(TEXT)) == {Span("name", 9, 20), Span("email", 29, 45)}


def test_dates_stay_unless_they_are_asked_for(engine: Engine) -> None:
    assert PresidioDetector(analyzer=engine, entities=["DATE_TIME"]).find(TEXT) == [Span("date-time", 47, 50)]


def test_the_engine_is_asked_with_what_was_set(engine: Engine) -> None:
    PresidioDetector(analyzer=engine).find(TEXT)
    PresidioDetector(analyzer=engine, entities=["PERSON"], min_score=None).find(TEXT)
    assert engine.asked == [
        {"language": "en", "entities": ["EMAIL_ADDRESS", "PERSON"], "score_threshold": 0.5},
        {"language": "en", "entities": ["PERSON"], "score_threshold": None},
    ]


def test_own_kinds_come_first(engine: Engine) -> None:
    detector = PresidioDetector(analyzer=engine, entities=["PERSON"], kinds={"PERSON": "customer"})
    assert detector.find(TEXT) == [Span("customer", 9, 20)]


@pytest.mark.parametrize("text", ["", " \n"])
def test_the_engine_is_not_asked_about_nothing(engine: Engine, text: str) -> None:
    assert PresidioDetector(analyzer=engine).find(text) == []
    assert engine.asked == []


def test_spans_of_an_engine_are_cut_out_by_the_core(engine: Engine) -> None:
    redactor = PatternRedactor(detectors=[PresidioDetector(analyzer=engine)])
    assert redactor.redact(TEXT).text == "👋🏽 Hello [REDACTED:name].\r\nMail: [REDACTED:email], Tom"


@pytest.mark.parametrize(
    "returns",
    [
        {},
        "PERSON",
        (Result("PERSON", 0, 1),),
        [None],
        ["PERSON"],
        [{"entity_type": "PERSON", "start": 0, "end": 1, "score": 1.0}],
        [Result("PERSON", -1, 3)],
        [Result("PERSON", 3, 3)],
        [Result("PERSON", 4, 3)],
        [Result("PERSON", 0, 10_000)],
        [Result("PERSON", 0.0, 3)],
        [Result("PERSON", 0, None)],
        [Result("PERSON", start=False, end=3)],
        [Result(None, 0, 3)],
        [Result(CANARY, 0, 3)],
        [Result("DATE_TIME", 0, 3)],
    ],
)
def test_a_result_that_is_not_as_documented_refuses_the_text(engine: Engine, returns: Any) -> None:
    engine.returns = returns
    with pytest.raises(RedactionError, match=r"Presidio (returned|answered)") as caught:
        PresidioDetector(analyzer=engine).find(TEXT)
    assert CANARY not in repr(caught.value)


@pytest.mark.parametrize("error", [ValueError(CANARY), TimeoutError(CANARY), MemoryError(CANARY), SystemExit(CANARY)])
def test_an_engine_that_raises_refuses_the_text_and_nothing_of_it_leaves(
    engine: Engine, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    engine.raises = error
    with pytest.raises(RedactionError, match=rf"Presidio failed \({type(error).__name__}\)") as caught:
        PresidioDetector(analyzer=engine).find(CANARY)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert CANARY not in repr(caught.value) + caplog.text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"analyzer": object()}, "AnalyzerEngine"),
        ({"analyzer": Engine(log_decision_process=True)}, "would log the texts"),
        ({"language": "tlh"}, "in the language 'tlh'"),
        ({"entities": "PERSON"}, "not a string"),
        ({"entities": ["PERSON", "PERSOM"]}, "no type 'PERSOM'"),
        ({"entities": []}, "nothing is asked"),
        ({"min_score": 2}, "min_score"),
        ({"kinds": {"PERSON": ""}}, "kinds"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
    ],
)
def test_what_can_not_work_is_refused_when_the_detector_is_made(
    engine: Engine, arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigurationError, match=says):
        PresidioDetector(**{"analyzer": engine, **arguments})


def test_placeholders_of_one_s_own_kinds_and_types_are_known(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PATTERNS, "BADGE_NUMBER", "B-[0-9]{4}")
    redactor = PatternRedactor(detectors=[PresidioDetector(analyzer=engine, kinds={"PERSON": "customer"})])
    once = redactor.redact("Paul Santos, B-4711").text
    assert once == "[REDACTED:customer], [REDACTED:badge-number]"
    assert len(placeholders_of(redactor, once)) == 2
    for mark in ("[REDACTED:customer]", "[REDACTED:badge-number]"):
        assert redactor.redact(f"password: {mark}").findings == ()


@pytest.fixture
def regex_timeout(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Have Presidio loaded, as far as the detector looks, with patterns that are skipped after so many seconds."""

    def load(seconds: int) -> None:
        module = ModuleType("presidio_analyzer.pattern_recognizer")
        module.REGEX_TIMEOUT_SECONDS = seconds  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)

    return load


def test_time_is_up_before_presidio_would_skip_a_pattern(engine: Engine, regex_timeout: Callable[[int], None]) -> None:
    regex_timeout(10)
    with pytest.raises(ConfigurationError, match=r"below Presidio's REGEX_TIMEOUT_SECONDS \(10\)"):
        PresidioDetector(analyzer=engine, timeout_seconds=10)
    PresidioDetector(analyzer=engine, timeout_seconds=9.9)


def test_a_detector_tells_nothing_of_its_engine(engine: Engine) -> None:
    assert repr(PresidioDetector(analyzer=engine)) == "PresidioDetector(language='en', min_score=0.5)"
