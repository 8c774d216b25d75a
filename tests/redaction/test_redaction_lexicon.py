"""What kinds words are of is what the lists of words say, in all languages alike."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
from redaction import lexicon as benchmark
from support.for_each import for_each

from s3memory.redaction.rules.scoring import lexicon
from s3memory.redaction.rules.scoring.lexicon import PREFIX, Lexicon, has_kind, kinds_of
from s3memory.redaction.text.combining_marks import marks_as_letters

STORED = Path(lexicon.__file__).with_name("lexicon.bin")
LANGUAGES = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(benchmark.WORDS.glob("*.toml"))}


def test_what_is_stored_was_made_of_the_words() -> None:
    assert STORED.read_bytes() == Lexicon.of(benchmark.words_by_kind()).stored()


def test_no_two_words_have_one_checksum() -> None:
    words = {word[:PREFIX] for those in benchmark.words_by_kind().values() for word in those}
    assert len({lexicon._checksum(word) for word in words}) == len(words)


@for_each("language", sorted(LANGUAGES))
def test_each_word_has_the_kinds_that_its_lists_say(language: str) -> None:
    for kind, words in LANGUAGES[language].items():
        assert not [word for word in lexicon.runs_in(marks_as_letters(words)) if kind not in kinds_of({word[:PREFIX]})]


def test_each_kind_is_told_of_and_no_other() -> None:
    told = re.findall(r"`([a-z]+)`", (benchmark.WORDS / "README.md").read_text("utf-8"))
    assert sorted(told) == sorted(benchmark.words_by_kind())


@for_each(
    ("word", "kind"),
    [
        ("gebaude", "position"),
        ("contrase", "password"),
        ("haslo", "password"),
        ("losen", "password"),
        ("chupchik", None),
        ("", None),
        ("\ud800", None),
        ("密码", "password"),
    ],
)
def test_a_word_is_known_without_its_accents_and_no_other_word_is(word: str, kind: str | None) -> None:
    assert kinds_of({word}) >= {kind} if kind else not kinds_of({word})


def test_a_word_among_others_that_are_written_together_is_known() -> None:
    assert "password" in kinds_of(lexicon.words_in("我的密码是"))


def test_what_is_called_a_password_is_told_by_its_first_letters() -> None:
    assert has_kind("passphrases", "password")
    assert not has_kind("passengers", "password")


@pytest.mark.parametrize("byteorder", ["little", "big"])
def test_numbers_are_turned_where_a_machine_has_them_the_other_way_round(
    monkeypatch: pytest.MonkeyPatch, byteorder: str
) -> None:
    made = Lexicon.of({"lock": ["door"], "net": ["wifi"]})
    monkeypatch.setattr(sys, "byteorder", byteorder)
    stored = made.stored()
    assert stored.startswith(b"\x02\0\0\0")
    assert stored.endswith(b"lock\nnet")
    first = stored[4:8] if byteorder == "little" else stored[4:8][::-1]
    assert int.from_bytes(first, "little") == min(lexicon._checksum("door"), lexicon._checksum("wifi"))
