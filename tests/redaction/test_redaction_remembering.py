"""A detector that remembers asks again when it must, and keeps no text."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Barrier, Thread
from weakref import ref

import pytest
from conftest import MakeCommands

from s3memory.errors import ConfigurationError, RedactionError
from s3memory.redaction import Detector, PatternRedactor, Span
from s3memory.redaction.adapters import RememberingDetector
from s3memory.redaction.fail_closed import placeholders_of


@dataclass
class FindsDigits:
    """Finds the digits of a text, one by one, and counts how often it is asked."""

    asked: list[int] = field(default_factory=list)

    def find(self, text: str, /) -> Iterator[Span]:
        self.asked.append(hash(text))
        return (Span("digit", place, place + 1) for place, character in enumerate(text) if character.isdigit())


def test_a_text_is_asked_about_once_and_found_the_same() -> None:
    inner = FindsDigits()
    detector = RememberingDetector(detector=inner)
    assert isinstance(detector, Detector)
    texts = ["a1", "a", "", "a1", "\ud800", "a1", "a", "", "\ud800", "1a"]
    assert [detector.find(text) for text in texts] == [tuple(FindsDigits().find(text)) for text in texts]
    assert len(inner.asked) == 5


def test_it_is_asked_again_when_time_has_passed() -> None:
    inner, now = FindsDigits(), [100.0]
    detector = RememberingDetector(detector=inner, ttl_seconds=60, clock=lambda: now[0])
    for now[0] in (100.0, 159.9, 160.0, 200.0, 219.9):
        assert detector.find("a1")
    assert len(inner.asked) == 2


def test_the_text_longest_unused_is_forgotten_first() -> None:
    inner = FindsDigits()
    detector = RememberingDetector(detector=inner, max_texts=2)
    for text in ("a", "b", "a", "c", "a"):
        detector.find(text)
    assert len(inner.asked) == 3
    detector.find("b")
    assert len(inner.asked) == 4


def test_a_refusal_is_not_remembered() -> None:
    class FailsOnce:
        asked = 0

        def find(self, _text: str, /) -> Iterator[Span]:
            self.asked += 1
            yield Span("digit", 0, 1)
            if self.asked == 1:
                raise RedactionError("not now")

    detector = RememberingDetector(detector=FailsOnce())
    with pytest.raises(RedactionError):
        detector.find("a1")
    assert detector.find("a1") == (Span("digit", 0, 1),)


class Note(str):
    """A text that one can watch going."""

    __slots__ = ("__weakref__",)


@pytest.mark.usefixtures("few_to_collect")
def test_no_text_is_kept() -> None:
    detector = RememberingDetector(detector=FindsDigits())
    text = Note("canary-4711")
    is_alive = ref(text)
    assert len(detector.find(text)) == 4
    del text
    gc.collect()
    assert is_alive() is None
    assert "canary" not in repr(detector) + repr(detector._remembered)


def test_threads_share_it() -> None:
    inner = FindsDigits()
    detector = RememberingDetector(detector=inner, max_texts=3)
    gathering = Barrier(8)

    def work() -> None:
        gathering.wait(60)
        for number in range(200):
            assert len(detector.find(f"a{number % 5}")) == 1

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(detector._remembered) == 3


def test_it_knows_the_kinds_of_the_detector_that_it_asks() -> None:
    class FindsNoTokens:
        known_kinds = ("customer", "npm-token")

        def find(self, _text: str, /) -> list[Span]:
            return []

    detector = RememberingDetector(detector=FindsNoTokens())
    mark = "[REDACTED:customer]"
    redactor = PatternRedactor(then=[detector])
    assert placeholders_of(redactor, mark) == [(0, len(mark))]
    assert redactor.redact(f"password: {mark}").findings == ()
    with pytest.raises(ConfigurationError, match="tagged"):
        PatternRedactor(policy={"npm-token": "tag"}, then=[detector])
    assert RememberingDetector(detector=FindsDigits()).known_kinds == frozenset()


@pytest.mark.parametrize(("remembers", "asked"), [(False, [4, 4, 1, 1, 0, 4, 4, 0]), (True, [4, 3, 1, 1, 0, 2, 3, 0])])
def test_so_many_texts_are_asked_about_by_a_command(
    make_commands: MakeCommands, asked: list[int], *, remembers: bool
) -> None:
    inner = FindsDigits()
    detector = RememberingDetector(detector=inner) if remembers else inner
    commands = make_commands(redactor=PatternRedactor(then=[detector]))
    numbers = []
    for command in (
        {"command": "create", "path": "/memories/a/b.md", "file_text": "one"},
        {"command": "create", "path": "/memories/a/c.md", "file_text": "two"},
        {"command": "str_replace", "path": "/memories/a/b.md", "old_str": "one", "new_str": "uno"},
        {"command": "insert", "path": "/memories/a/b.md", "insert_line": 0, "insert_text": "more"},
        {"command": "view", "path": "/memories/a/b.md"},
        {"command": "rename", "old_path": "/memories/a/b.md", "new_path": "/memories/d/b.md"},
        {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/e"},
        {"command": "delete", "path": "/memories/e"},
    ):
        inner.asked.clear()
        commands.call(command)
        numbers.append(len(inner.asked))
    assert numbers == asked


def test_what_can_not_work_is_refused_when_it_is_made() -> None:
    with pytest.raises(ConfigurationError, match="find"):
        RememberingDetector(detector=object())  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="above 0"):
        RememberingDetector(detector=FindsDigits(), max_texts=0)
    with pytest.raises(ConfigurationError, match="above 0"):
        RememberingDetector(detector=FindsDigits(), ttl_seconds=float("nan"))
