"""Merging, masking and substitution: whatever detectors return, the text is cut once and nothing leaks."""

from __future__ import annotations

import pickle
import random
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from threading import Thread
from typing import Any

import pytest
from support.made_tokens import seeded

from s3memory.errors import ConfigurationError, RedactionError
from s3memory.redaction import CustomRule, Detector, Finding, PatternRedactor, Redaction, Redactor, Span
from s3memory.redaction.kinds import PERSONAL_KINDS
from s3memory.redaction.searching.rule_detector import RuleDetector
from s3memory.redaction.substitution import redact_with

CANARY = "canary-4711"


@dataclass(frozen=True)
class Finds:
    """Returns the same spans for every text."""

    spans: tuple[Any, ...]

    def find(self, _text: str, /) -> Iterable[Span]:
        return self.spans


@dataclass(frozen=True)
class FindsWord:
    """Finds every occurrence of a word."""

    word: str
    kind: str = "codename"

    def find(self, text: str, /) -> Iterator[Span]:
        start = text.find(self.word)
        while start >= 0:
            yield Span(self.kind, start, start + len(self.word))
            start = text.find(self.word, start + 1)


def redact(text: str, *spans: tuple[str, int, int]) -> Redaction:
    return redact_with([Finds(tuple(Span(*span) for span in spans))], text)


def test_a_span_becomes_its_placeholder() -> None:
    assert redact("my cat Tom", ("pet", 7, 10)) == Redaction("my cat [REDACTED:pet]", (Finding("pet", 1),))


def test_a_text_without_findings_is_returned_as_it_is() -> None:
    assert redact("nothing here") == Redaction("nothing here")


def test_spans_come_in_any_order_and_twice() -> None:
    assert redact("abcdef", ("b", 4, 5), ("a", 1, 2), ("b", 4, 5)).text == "a[REDACTED:a]cd[REDACTED:b]f"


def test_overlapping_spans_are_replaced_by_one_placeholder_for_their_union() -> None:
    assert redact("0123456789", ("a", 2, 5), ("b", 4, 8)).text == "01[REDACTED:b]89"


def test_a_chain_of_overlaps_is_one_finding() -> None:
    redaction = redact("0123456789", ("a", 1, 4), ("b", 3, 6), ("c", 5, 9))
    assert redaction == Redaction("0[REDACTED:c]9", (Finding("c", 1),))


def test_spans_that_only_touch_stay_two() -> None:
    assert redact("0123456789", ("a", 2, 5), ("b", 5, 8)).text == "01[REDACTED:a][REDACTED:b]89"


@pytest.mark.parametrize("general", ["secret", "password", "authorization", "url-password", "api-key"])
def test_a_format_names_the_finding_rather_than_the_word_beside_it(general: str) -> None:
    redaction = redact("0123456789", (general, 0, 10), ("github-token", 3, 8))
    assert redaction == Redaction("[REDACTED:github-token]", (Finding("github-token", 1),))


def test_of_two_formats_the_longer_names_the_finding() -> None:
    assert redact("0123456789", ("jwt", 4, 6), ("private-key", 0, 9)).text == "[REDACTED:private-key]9"


def test_a_finding_has_the_line_of_its_placeholder_in_the_redacted_text() -> None:
    redaction = redact("one\ntwo 2\nthree\nfour\nfive 5", ("a", 4, 14), ("b", 26, 27))
    assert redaction.text == "one\n[REDACTED:a]e\nfour\nfive [REDACTED:b]"
    assert redaction.findings == (Finding("a", 2), Finding("b", 4))


def test_only_a_line_feed_ends_a_line() -> None:
    assert redact("a\r\u2028\x0b\x85b", ("x", 5, 6)).findings == (Finding("x", 1),)


def test_a_placeholder_is_never_redacted() -> None:
    text = "key [REDACTED:jwt] and [REDACTED:npm-token#0123abcd]"
    assert redact(text, ("a", 4, 18), ("b", 5, 9), ("c", 23, len(text))) == Redaction(text)


def test_a_span_across_a_placeholder_is_cut_around_it() -> None:
    text = "ab[REDACTED:jwt]cd[REDACTED:jwt]ef"
    assert redact(text, ("x", 1, len(text) - 1)).text == (
        "a[REDACTED:x][REDACTED:jwt][REDACTED:x][REDACTED:jwt][REDACTED:x]f"
    )


def test_quotes_and_commas_left_beside_a_placeholder_stay() -> None:
    text = '"[REDACTED:jwt]", [REDACTED:jwt]; '
    assert redact(text, ("x", 0, len(text))) == Redaction(text)


def test_what_only_looks_like_a_placeholder_is_redacted() -> None:
    assert redact("[REDACTED:Upper]", ("x", 0, 16)).text == "[REDACTED:x]"


@pytest.mark.parametrize(
    "bad",
    [
        Span("a", -1, 2),
        Span("a", 0, 100),
        Span("a", 3, 3),
        Span("a", 4, 2),
        Span("A b", 0, 2),
        Span(CANARY + "!", 0, 2),
        Span("", 0, 2),
        Span("a", start=True, end=2),
        Span("a", 0, 2.0),  # type: ignore[arg-type]
        Span(None, 0, 2),  # type: ignore[arg-type]
        ("a", 0, 2),
        None,
        CANARY,
    ],
)
def test_a_malformed_span_refuses_the_text_without_quoting_it(bad: object, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(RedactionError) as caught:
        redact_with([Finds((bad,))], f"text with {CANARY}")
    assert CANARY not in repr(caught.value) + caplog.text
    assert "Finds" in caplog.text


@pytest.mark.parametrize("result", [None, 7])
def test_a_detector_that_returns_no_spans_at_all_refuses_the_text(result: Any) -> None:
    with pytest.raises(RedactionError):
        redact_with([Finds(result)], "text")


def test_a_detector_that_raises_refuses_the_text_and_nothing_of_it_leaves(caplog: pytest.LogCaptureFixture) -> None:
    class Fails:
        def find(self, text: str, /) -> Iterator[Span]:
            yield Span("a", 0, 1)
            raise ValueError(text)

    with pytest.raises(RedactionError, match="could not be checked") as caught:
        redact_with([Fails()], CANARY)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert CANARY not in repr(caught.value) + caplog.text
    assert "Fails failed" in caplog.text


def test_what_a_redaction_uncovers_is_redacted_as_well() -> None:
    class AfterBracket:
        """Finds a digit behind a bracket, as a token's start is found where no letter is before it."""

        def find(self, text: str, /) -> Iterator[Span]:
            for index in range(1, len(text)):
                if text[index].isdigit() and text[index - 1] in "[]":
                    yield Span("digit", index, index + 1)

    redaction = redact_with([FindsWord("cat", "pet"), AfterBracket()], "cat12\nx", settle=[AfterBracket()])
    assert redaction.text == "[REDACTED:pet][REDACTED:digit][REDACTED:digit]\nx"
    assert redaction.findings == (Finding("pet", 1), Finding("digit", 1), Finding("digit", 1))
    endless = redact_with([FindsWord("cat", "pet")], "tea\ncat" + "7" * 50, settle=[AfterBracket()])
    assert "7" not in endless.text


def test_many_findings_are_put_where_they_were() -> None:
    text = "\n".join(f"{number} cat {number}" for number in range(500))
    redaction = redact_with([FindsWord("cat", "pet")], text, settle=[FindsWord("4", "four")])
    assert redaction.text == text.replace("cat", "[REDACTED:pet]").replace("4", "[REDACTED:four]")
    lines = redaction.text.split("\n")
    assert all(f"[REDACTED:{kind.kind}]" in lines[kind.line - 1] for kind in redaction.findings)


def test_the_redactor_and_detectors_fulfil_their_protocols() -> None:
    assert isinstance(PatternRedactor(), Redactor)
    assert isinstance(FindsWord("x"), Detector)


def test_own_detectors_are_asked_beside_the_rules() -> None:
    redactor = PatternRedactor(detectors=[FindsWord("Bluebird")])
    assert redactor.redact("Project Bluebird, password: hunter2").text == (
        "Project [REDACTED:codename], password: [REDACTED:password]"
    )


def test_own_detectors_are_asked_once_a_text() -> None:
    asked: list[str] = []

    class Counts:
        def find(self, text: str, /) -> Iterable[Span]:
            asked.append(text)
            return ()

    PatternRedactor(detectors=[Counts()]).redact("password: hunter2")
    assert asked == ["password: hunter2"]


def test_kinds_restrict_the_built_in_rules() -> None:
    text = "password: hunter2, postgres://app:s3same@db/x"
    assert PatternRedactor(kinds={"password"}).redact(text).findings == (Finding("password", 1),)
    assert PatternRedactor(kinds=["url-password"]).redact(text).findings == (Finding("url-password", 1),)
    assert PatternRedactor(kinds=()).redact(text) == Redaction(text)


def test_a_kind_that_no_rule_finds_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match=r"nothing finds 'passwort'; did you mean password"):
        PatternRedactor(kinds={"password", "passwort"})


def test_a_string_is_no_collection_of_kinds() -> None:
    with pytest.raises(ConfigurationError, match="collection of kinds"):
        PatternRedactor(kinds="jwt")


def test_a_detector_without_find_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="find"):
        PatternRedactor(detectors=[object()])  # type: ignore[list-item]


def test_a_redactor_does_not_change() -> None:
    kinds = ["jwt"]
    redactor = PatternRedactor(kinds=kinds)
    kinds.append("password")
    assert redactor.kinds == {"jwt"}
    with pytest.raises(AttributeError):
        redactor.kinds = None  # type: ignore[misc]


def test_a_redactor_goes_to_another_process_before_and_after_its_first_text() -> None:
    text = f"the key is AKIA{'Q7ZD' * 4}."
    for redactor in (PatternRedactor(), PatternRedactor(kinds=("aws-access-key", *PERSONAL_KINDS))):
        for _ in range(2):
            sent = pickle.loads(pickle.dumps(redactor))  # noqa: S301 - our own bytes
            assert sent.redact(text) == redactor.redact(text) != Redaction(text, ())


def test_repr_says_what_it_was_made_with_and_nothing_that_detectors_hold() -> None:
    assert repr(PatternRedactor()) == "PatternRedactor()"
    redactor = PatternRedactor(kinds=("jwt", "api-key"), detectors=[FindsWord(CANARY)])
    assert repr(redactor) == "PatternRedactor(kinds=['api-key', 'jwt'], detectors=[FindsWord])"


def test_threads_share_a_redactor() -> None:
    redactor = PatternRedactor()
    text = "password: hunter2\n" * 50
    results: list[Redaction] = []
    threads = [Thread(target=lambda: results.append(redactor.redact(text))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [redactor.redact(text)] * 8


def numbers(rng: random.Random, *lengths: int) -> str:
    return " ".join("".join(rng.choices("123456789", k=length)) for length in lengths)


@pytest.mark.parametrize("seed", range(8))
def test_columns_of_ids_and_counts_are_written(seed: int) -> None:
    rng = seeded(f"columns {seed}")
    text = "\n".join(numbers(rng, 16, 3, 2, 4) for _ in range(200))
    redaction = PatternRedactor().redact(text)
    assert PatternRedactor().redact(redaction.text).text == redaction.text
    # A placeholder names what stood there: the numbers below it are none for that.
    assert len(redaction.findings) < 40


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["2FA", "recovery codes:", "Passwort", "token"])
@pytest.mark.parametrize("sign", ["\n|", ":", "; "])
def test_random_words_without_end_are_looked_through_a_few_times(
    name: str, sign: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_through: list[str] = []
    find = RuleDetector.find

    def counted(self: RuleDetector, text: str) -> Iterator[Span]:
        looked_through.append(text)
        return find(self, text)

    monkeypatch.setattr(RuleDetector, "find", counted)
    rng = seeded(f"{name}{sign}{seed}")
    words = ["".join(rng.choices(string.ascii_uppercase + "234567", k=16)) for _ in range(600)]
    PatternRedactor().redact(sign.join([name, *words, name, *words[:300]]))
    assert len(looked_through) <= 6


def test_rules_that_uncover_more_each_time_come_to_an_end() -> None:
    after_a_mark = CustomRule(kind="next", pattern=r"[\]:] (?P<secret>[0-9]{1,4})")
    redactor = PatternRedactor(rules=[after_a_mark], budget_seconds=60)  # how it ends, not how fast
    chain = "start: " + " ".join(str(number) for number in range(2000))
    text = f"tea, a long way before\n{'x ' * 50_000}\n{chain}\n{'x ' * 50_000}\ncoffee, a long way behind"
    redaction = redactor.redact(text)
    assert not re.search(r"[0-9]\[REDACTED|\][0-9]", redaction.text)  # no number in halves
    assert redaction.text.startswith("tea")
    assert redaction.text.endswith("coffee, a long way behind")
    assert redactor.redact(redaction.text).text == redaction.text


@pytest.mark.parametrize("text", [None, b"password: x", 4711])
def test_what_is_no_text_is_told_by_its_type_and_nothing_else(text: Any) -> None:
    for work in (PatternRedactor().redact, PatternRedactor().findings):
        with pytest.raises(TypeError, match=f"^a text is a str, not {type(text).__name__}$"):
            work(text)
