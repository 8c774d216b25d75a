"""The benchmark's figures mean what they say: samples hold their secrets, and what is gone is counted right."""

from __future__ import annotations

from itertools import chain

from redaction import contexts, encodings, hostile, notes, passwords, personal, structured
from redaction.held_out import contexts as held_out_contexts
from redaction.held_out import passwords as held_out_passwords
from redaction.measure import is_gone, occurrences, pieces, removed_by_us
from redaction.samples import DEVELOPMENT, Sample, crossed, filled, seeded

from s3memory.redaction import PatternRedactor


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
