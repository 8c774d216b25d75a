"""Marks of vowels and tones are read as letters, which shows neither in what is stored nor to rules of one's own."""

from __future__ import annotations

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.for_each import for_each

from s3memory.redaction import Allowlist, CustomRule, PatternRedactor
from s3memory.redaction.rules.scoring.lexicon import split_runs, words_in
from s3memory.redaction.text.combining_marks import marks_as_letters

REDACTOR = PatternRedactor()


@given(st.text(st.characters(min_codepoint=0x400, max_codepoint=0x1C00)))
def test_a_text_keeps_its_length_and_all_but_its_marks(text: str) -> None:
    read = marks_as_letters(text)
    assert len(read) == len(text)
    assert marks_as_letters(read) == read
    assert all(one == other or category(one) in ("Mn", "Mc") for one, other in zip(text, read, strict=True))
    assert all(other.isalpha() for one, other in zip(text, read, strict=True) if one != other)


def test_no_two_marks_are_the_same_letter() -> None:
    marks = [chr(code) for code in range(0x1C00) if marks_as_letters(chr(code)) != chr(code)]
    assert len(set(map(marks_as_letters, marks))) == len(marks)


def test_what_nothing_is_seen_of_stays_what_it_is() -> None:
    assert marks_as_letters("\u17b4\u180b\u180f") == "\u17b4\u180b\u180f"


@for_each("word", ["पासवर्ड", "পাসওয়ার্ড", "கடவுச்சொல்", "รหัสผ่าน", "ພາສາລາວ", "ភាសាខ្មែរ", "סִיסְמָה"])
def test_a_word_with_marks_is_one_word(word: str) -> None:
    assert "".join(words_in(marks_as_letters(word))) == marks_as_letters(word)
    assert len(marks_as_letters(word)) == len(word)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("我的密码", ["我的", "密码"]),
        ("รหัสผ่านใหม่", ["รหัสผ่าน", "ใหม่"]),
        ("hunter", ["hunter"]),
        ("Wifiパスワード", ["Wifi", "パスワード"]),
        ("ღამე", ["ღამე"]),
    ],
)
def test_words_that_are_written_together_are_taken_apart(run: str, words: list[str]) -> None:
    assert split_runs([marks_as_letters(run)]) == [marks_as_letters(word) for word in words]


@for_each(
    ("text", "value"),
    [
        ("राउटर का पासवर्ड: कमल-नाव-7481\n", "कमल-नाव-7481"),
        ("রাউটারের পাসওয়ার্ড: নৌকা-শাপলা-7481\n", "নৌকা-শাপলা-7481"),
        ("ரூட்டர் கடவுச்சொல்: படகு-தாமரை-7481\n", "படகு-தாமரை-7481"),
        ("รหัสผ่าน: เรือ-ดอกบัว-7481\n", "เรือ-ดอกบัว-7481"),
    ],
)
def test_a_password_with_marks_goes_whole(text: str, value: str) -> None:
    assert REDACTOR.redact(text).text == text.replace(value, "[REDACTED:password]")


def test_rules_of_ones_own_and_the_allow_list_see_a_text_as_it_is_written() -> None:
    own = PatternRedactor(rules=[CustomRule(kind="staff", pattern=r"พนักงาน\u0e48?-[0-9]{4}", keywords=("พนักงาน",))])
    assert own.redact("เจอ พนักงาน-1234 วันนี้").text == "เจอ [REDACTED:staff] วันนี้"
    ranged = PatternRedactor(rules=[CustomRule(kind="vowels", pattern="[\u0e31-\u0e3f]{3}")])
    assert ranged.redact("\u0e34\u0e35\u0e36").text == "[REDACTED:vowels]"
    table = "| ผู้ใช้ | รหัสผ่าน |\n|---|---|\n| สมชาย | เรือดอกบัว7481 |\n| มาลี | แมวน้ำเงิน9302 |\n"
    allowing = PatternRedactor(allow=Allowlist(values=("เรือดอกบัว7481",)))
    assert "เรือดอกบัว7481" not in REDACTOR.redact(table).text
    assert allowing.redact(table).text == REDACTOR.redact(table).text.replace(
        "| สมชาย | [REDACTED:password] |", "| สมชาย | เรือดอกบัว7481 |"
    )
