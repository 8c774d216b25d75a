"""Reads footnotes of one word as the value of what the line that refers to them names: "the PIN[^1]", "[^1]: 4827"."""

from __future__ import annotations

from collections.abc import Iterable

from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.reading.stated_words import NOUNS_AFTER_PASSWORD, is_description
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.searching.settings_view import NamedValues
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Lines
from s3memory.redaction.text.tables import Cell

_SUPERSCRIPTS = "\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
# As in "[^1]", "[*]", a raised digit, "note 1", "Fußnote 1".
_REFERENCE = (
    rf"\[\^?(?P<mark>[\w*]{{1,8}})\]|(?P<raised>[{_SUPERSCRIPTS}])"
    r"|(?i:(?<![^\W\d_])(?:foot|fu(?:\u00df|ss)|voet)?not[ea][ ])(?P<number>[0-9]{1,2})(?!\.?\w)"
)
# A line that is a note of one word: "[^1]: 4827".
_NOTE = (
    rf"(?m)^[ \t>]{{0,8}}(?:\[\^?(?P<mark>[\w*]{{1,8}})\]:?|(?P<raised>[{_SUPERSCRIPTS}]))[ \t]{{1,4}}"
    r"[\"'`*\u201c]{0,3}(?P<value>[^\s\"'`*\u201c]{4,64}?)[\"'`*\u201d]{0,3}\.?[ \t\r]*$"
)
_WORD, _MAX_WORDS = r"[^\W\d_]+(?:-[^\W\d_]+)*", 3
_TICKET_OR_DATE = r"[A-Z]{2,8}-[0-9]{2,8}|[0-9]{4}-[0-9]{2}-[0-9]{2}"
_DIGITS = str.maketrans(_SUPERSCRIPTS, "123456789")


def read_footnotes(lines: Lines, named: Iterable[int], values: NamedValues) -> None:
    """Add the footnotes to which lines that name a secret refer to `values`.

    Args:
        lines: The lines of the text.
        named: The numbers of those that name a secret.
        values: Where each footnote is added, with the name before its reference.
    """
    notes: dict[str, Cell] | None = None
    for number in named:
        line = lines[number].text
        for reference in compiled(_REFERENCE).finditer(line):
            name = _name_before(line[: reference.start()])
            notes = _notes(lines.text) if name and notes is None else notes
            if name and notes and (cell := notes.get(reference[reference.lastgroup or 0].translate(_DIGITS))):
                values.add_alone(name, cell, is_of_words=True)


def _notes(text: str) -> dict[str, Cell]:
    """Return the spans of the notes that are one word, and not one that describes a secret, by their marks."""
    return {
        (note["mark"] or note["raised"]).translate(_DIGITS): note.span("value")
        for note in compiled(_NOTE).finditer(text)
        if not (is_description(note["value"]) or compiled(_TICKET_OR_DATE).fullmatch(note["value"]))
    }


def _name_before(before: str) -> str:
    """Return the last name of a secret in the text before a reference, with the words before it, or nothing."""
    words = [*compiled(_WORD).finditer(before)]
    last = max((index for index, word in enumerate(words) if has_label(word[0])), default=-1)
    behind = words[last + 1 :]
    if last < 0 or (behind and behind[0][0].lower() in NOUNS_AFTER_PASSWORD):
        return ""
    name = before[words[max(0, last + 1 - _MAX_WORDS)].start() : words[last].end()]
    called = words_of(name)
    return name if called and meaning(called, len(called) - 1) != HARMLESS else ""
