"""The benchmark's figures mean what they say: samples hold their secrets, and what is gone is counted right."""

from __future__ import annotations

import re
from itertools import chain, pairwise
from pathlib import Path

import pytest
from redaction import (
    contexts,
    encodings,
    hostile,
    mutations,
    notes,
    passwords,
    personal,
    sources,
    structured,
    unlisted,
    unseen,
)
from redaction.generated import connections, innocent, prose
from redaction.generated import tokens as generated_tokens
from redaction.generated.marks import Secret, half, note
from redaction.held_out import contexts as held_out_contexts
from redaction.held_out import passwords as held_out_passwords
from redaction.measure import is_gone, occurrences, pieces, removed_by_us
from redaction.samples import DEVELOPMENT, HELD_OUT, Sample, crossed, filled, seeded

from s3memory.redaction import PatternRedactor

pytestmark = pytest.mark.long


def test_a_sample_knows_where_its_secret_stands() -> None:
    for template in chain(contexts.CODE.values(), contexts.PROSE.values(), held_out_contexts.CODE.values()):
        sample = filled(DEVELOPMENT, "row", "name", template, "S3cr3t")
        assert sample.text[sample.start : sample.end] == "S3cr3t"
        assert "{}" not in sample.text


def test_samples_are_the_same_at_every_run() -> None:
    def made() -> list[Sample]:
        return list(crossed(DEVELOPMENT, "row", passwords.PROSE, passwords.MAKERS, each=5))

    assert made() == made()
    assert notes.notes(characters=5000) == notes.notes(characters=5000)


def test_the_held_out_texts_share_no_phrase_with_those_of_development() -> None:
    assert not set(passwords.PROSE.values()) & set(held_out_passwords.PROSE.values())
    assert not set(passwords.SETTINGS.values()) & set(held_out_passwords.SETTINGS.values())
    assert not set(contexts.PROSE.values()) & set(held_out_contexts.PROSE.values())
    assert not set(contexts.CODE.values()) & set(held_out_contexts.CODE.values())
    assert not set(structured.NAMED.values()) & set(structured.HELD_OUT_NAMED.values())


def test_a_secret_counts_when_four_fifths_of_it_are_gone() -> None:
    sample = Sample(DEVELOPMENT, "row", "name", "xx0123456789yy", 2, 12)
    assert is_gone(sample, [(2, 10)])
    assert is_gone(sample, [(0, 6), (5, 14)])
    assert not is_gone(sample, [(2, 9)])
    assert not is_gone(sample, [(0, 2), (12, 14)])


def test_what_we_remove_is_told_from_what_is_left() -> None:
    text = "user bob, password hunter22, then password: swordfish99!"
    removed = [text[start:end] for start, end in removed_by_us(PatternRedactor(), text)]
    assert removed == ["hunter22", "swordfish99!"]
    assert removed_by_us(PatternRedactor(), "nothing here") == []


def test_what_another_library_names_is_looked_up_in_the_text() -> None:
    assert occurrences("a key and a key", ["key", ""]) == [(2, 5), (12, 15)]


def test_encodings_hide_the_secret_and_keep_its_place() -> None:
    plain = [filled(DEVELOPMENT, "provider tokens", "x", "{}", "ghp_S3cr3t" * 4)]
    for sample in encodings.encoded(plain, each=1):
        assert "ghp_S3cr3t" not in sample.text
        assert len(sample.text[sample.start : sample.end]) >= 40


def test_made_up_accounts_are_valid() -> None:
    card = personal.CARDS["visa spaces"](seeded("card"))
    assert PatternRedactor().redact(card).text == "[REDACTED:card-number]"


def test_long_texts_are_cut_at_line_ends() -> None:
    text = "a line of text\n" * 10_000
    assert "".join(pieces(text)) == text
    assert all(part.endswith("\n") for part in pieces(text))
    assert all(len(text) == hostile.CHARACTERS for text in hostile.texts().values())


def test_a_composed_note_knows_where_its_secrets_stand() -> None:
    for split in (DEVELOPMENT, HELD_OUT):
        for made in chain(prose.notes(split), generated_tokens.notes(split), connections.notes(split)):
            assert made.marks
            assert all(before.end <= behind.start for before, behind in pairwise(made.marks))
            assert all(made.text[mark.start : mark.end].strip() for mark in made.marks)
            assert not re.search(r"\{[a-z]\}", made.text)


def test_composed_notes_are_the_same_at_every_run() -> None:
    assert list(prose.notes(DEVELOPMENT)) == list(prose.notes(DEVELOPMENT))
    assert list(innocent.notes(HELD_OUT)) == list(innocent.notes(HELD_OUT))


def test_the_halves_of_the_grammar_share_nothing() -> None:
    for grammar in prose.LANGUAGES.values():
        for listed in (grammar[key] for key in ("nouns", "of", "say", "frames", "innocent")):
            assert len(listed) > 1
            assert not set(half(DEVELOPMENT, listed)) & set(half(HELD_OUT, listed))


def test_there_are_twenty_five_languages_and_every_phrase_says_a_value() -> None:
    assert len(prose.LANGUAGES) >= 25
    for grammar in prose.LANGUAGES.values():
        assert all("{v}" in phrase for phrase in chain(grammar["say"], grammar["frames"], grammar["change"]))
        assert all("{w}" in phrase for phrase in grammar["change"])


def test_an_innocent_note_has_no_secret_and_no_field_that_was_left_open() -> None:
    for made in innocent.notes(DEVELOPMENT):
        assert not made.marks
        assert not re.search(r"\{(?:hex|digits|alnum|luhn|uuid)\d*\}", made.text)


def test_a_border_is_cut_right_when_all_of_the_secret_goes_and_nothing_else() -> None:
    written = note("development", "x", ["pw=", Secret("row", "name", "s3cr3t"), ";port=1"])
    assert unlisted.exact(written, [(3, 9)]) == (1, 1)
    assert unlisted.exact(written, [(3, 8)]) == (0, 1)
    assert unlisted.exact(written, [(3, 10)]) == (0, 1)


def test_published_examples_are_read_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.rows").write_text("password: «S3cr3t»\\nuser: «jo»\nC:\\\\new «x»\nnothing\n")
    secret, other, none = sources.rows(tmp_path)
    assert [secret.text[mark.start : mark.end] for mark in secret.marks] == ["S3cr3t", "jo"]
    assert secret.text == "password: S3cr3t\nuser: jo"
    assert other.text == "C:\\new x"
    assert none.marks == ()
    assert {row.name for row in (secret, other, none)} == {"a"}


def test_a_mutation_keeps_the_place_of_the_secret() -> None:
    written = note("development", "x", ["first\npassword ", Secret("row", "name", "s3cr3t"), "\nlast"])
    made = dict(mutations.mutated(written))
    assert set(made) == set(mutations.OF_SECRETS | mutations.OF_LINES)
    for name in ("in bold", "quoted", "in a table", "moved down", "as a link"):
        (mark,) = made[name].marks
        assert made[name].text[mark.start : mark.end] == "s3cr3t"
    assert made["in hexadecimal"].text == b"password s3cr3t".hex()


def test_a_mutation_counts_only_what_was_found_before() -> None:
    found = note("development", "x", ["password ", Secret("row", "name", "s3cr3t")])
    lost = note("development", "x", ["word ", Secret("row", "name", "other7")])

    def remove(text: str) -> list[tuple[int, int]]:
        return [(start, start + 6)] if (start := text.find("s3cr3t")) >= 0 and "**" not in text else []

    kept = mutations.figures([found, lost], [note("development", "y", ["nothing here"])], remove)
    assert kept["quoted"].found == [True]
    assert kept["in bold"].found == [False]
    assert kept["quoted"].left == [True]


def test_a_form_whose_rules_are_taken_away_is_found_by_the_general_ones_or_not_at_all() -> None:
    gone = unseen.redacted()
    for place in (unseen.NAMED, unseen.BARE):
        assert sum(gone[place].unseen) <= sum(gone[place].whole) == len(gone[place].whole)
    assert sum(gone[unseen.NAMED].unseen) > sum(gone[unseen.BARE].unseen)
