"""What a rule takes from a few words is looked at again with all that is around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest
from support.for_each import for_each

from s3memory.redaction import PatternRedactor, patterns
from s3memory.redaction.rules.scoring.features import ContextFeatures
from s3memory.redaction.rules.scoring.finding_filter import MIN_CONTEXT_CHARACTERS

TITLE = 'the film "The Password is Courage"'
LISTING = f"Film night at the club on Friday: {TITLE} (1962) starts at eight, bring your own cushion and some cake."
REDACTED = TITLE.replace("Courage", "[REDACTED:password]")


@dataclass
class Asked:
    """Stands in for the finding filter: rejects all or nothing, and keeps what it was asked about."""

    refuses_all: bool = False
    found: list[str] = field(default_factory=list)

    def rejects(self, features: ContextFeatures, start: int, end: int, families: Iterable[str]) -> bool:
        assert families
        self.found.append(features.text[start:end])
        return self.refuses_all


def asked(monkeypatch: pytest.MonkeyPatch, *, refuses_all: bool = False) -> Asked:
    look = Asked(refuses_all)
    monkeypatch.setattr(patterns, "FINDING_FILTER", look)
    return look


def redacted(text: str) -> str:
    return PatternRedactor().redact(text).text


EXERCISE = 'Exercise 4 in the Italian textbook, translate: "La parola d\'ordine è girasole", then write two sentences.'


@for_each("text", [LISTING, EXERCISE])
def test_a_word_stays_that_stands_in_a_title_or_an_exercise(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert redacted(text) == text
    with monkeypatch.context() as patch:
        look = asked(patch)
        assert redacted(text) != text, "a rule finds it"
    assert look.found


def test_the_same_words_are_a_password_where_nothing_else_is_said() -> None:
    assert len(TITLE) < MIN_CONTEXT_CHARACTERS
    assert redacted(TITLE) == REDACTED


def test_what_a_rule_tells_by_its_form_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    look = asked(monkeypatch, refuses_all=True)
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
    text = f"{LISTING}\n{token}\npostgres://jo:Tw0-Harbours@db.test/orders\n"
    assert redacted(text) == (
        f"{LISTING}\n[REDACTED:github-token]\npostgres://jo:[REDACTED:url-password]@db.test/orders\n"
    )
    assert token not in look.found


SECRETS = [f"the password of box {number} is plum-{number:03}-tree" for number in range(600)]
PROSE = "\n\n".join(f"We met on day {day} and talked about the garden and the weather there." for day in range(130))


def test_many_finds_close_together_are_a_list_of_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    look = asked(monkeypatch, refuses_all=True)
    assert "plum" not in redacted("\n".join(SECRETS))
    assert look.found == []


def test_the_last_of_a_list_is_in_it_whatever_is_found_far_below(monkeypatch: pytest.MonkeyPatch) -> None:
    look = asked(monkeypatch, refuses_all=True)
    redacted("\n".join([*SECRETS[:50], PROSE, EXERCISE]))
    assert set(look.found) == {"girasole"}


EXERCISES = "\n".join(EXERCISE.replace("4", f"{number}") for number in range(260))


def test_many_finds_that_are_far_apart_are_looked_at_each() -> None:
    assert redacted(EXERCISES) == EXERCISES


def test_a_token_elsewhere_in_a_text_does_not_end_the_review() -> None:
    token, prose = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5", "The class reads on page 4 and sings. " * 20
    assert redacted(f"{EXERCISES}\n\n{prose}\n{token}\n") == f"{EXERCISES}\n\n{prose}\n[REDACTED:github-token]\n"


def test_a_text_that_grew_is_redacted_as_one_that_is_new() -> None:
    exercises = EXERCISES.splitlines()
    parts = [part for at in range(0, 260, 65) for part in ("\n".join(exercises[at : at + 65]), PROSE)]
    redactor = PatternRedactor()
    for n_parts in range(1, len(parts)):
        redactor.redact("\n\n".join(parts[:n_parts]))
    whole = "\n\n".join(parts)
    assert redactor.redact(whole) == PatternRedactor().redact(whole)


def test_a_placeholder_in_a_find_is_no_reason_to_keep_the_rest() -> None:
    text = f"{LISTING} The password is [REDACTED:github-token]hunter2Real, ask Jo."
    assert "hunter2Real" not in redacted(text)
    assert redacted(redacted(text)) == redacted(text)
