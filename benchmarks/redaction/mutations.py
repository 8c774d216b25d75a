"""What is found has to be found wherever it moves, and what is innocent stays so."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from redaction.generated.marks import Mark, Note
from redaction.measure import Ranges, is_gone

Mutation = Callable[[str, str, str], tuple[str, str, str]]
"""What stands before a secret on its line, the secret, and what stands behind it: the same once it is mutated."""


def _around(opening: str, closing: str) -> Mutation:
    return lambda before, secret, behind: (before + opening, secret, closing + behind)


def _line(opening: str, closing: str = "") -> Mutation:
    return lambda before, secret, behind: (opening + before, secret, behind + closing)


def _as_a_whole(encode: Callable[[bytes], str]) -> Mutation:
    return lambda before, secret, behind: ("", encode((before + secret + behind).encode()), "")


def _percent_encoded(before: str, secret: str, behind: str) -> tuple[str, str, str]:
    return quote(before), quote(secret), quote(behind)


OF_SECRETS: dict[str, Mutation] = {
    "in bold": _around("**", "**"),
    "in backticks": _around("`", "`"),
    "in quotes": _around('"', '"'),
    "in typographic quotes": _around("\u201c", "\u201d"),
    "in parentheses": _around("(", ")"),
    "before a full stop": _around("", "."),
    "before a comma": _around("", ", really"),
    "as a link": _around("[", "](https://example.org/where)"),
    "between emoji": _around("\U0001f511 ", " \U0001f512"),
    "on the next line": _around("\n", ""),
}
_PLAIN = "as it is"
OF_LINES: dict[str, Mutation] = {
    _PLAIN: _line(""),
    "quoted": _line("> "),
    "in a list": _line("  - "),
    "in a numbered list": _line("12. "),
    "checked off": _line("- [x] "),
    "in a table": _line("| 1 | ", " | ok |"),
    "behind an emoji": _line("\u26a0\ufe0f "),
    "in a log": _line("2026-03-04T09:12:44Z INFO note: "),
    "in a chat": _line("[09:12] wei: "),
    "in a comment": _line("# "),
    "in HTML": _line("<li>", "</li>"),
    "in brackets": _line("(", ")"),
    "moved down": _line("The invoices are in euros.\n\nThe dashboard shows dollars.\n\n"),
    "with Windows line ends": _line("first\r\n", "\r\nlast\r\n"),
    "in base64": _as_a_whole(lambda text: base64.b64encode(text).decode()),
    "in hexadecimal": _as_a_whole(bytes.hex),
    "percent-encoded": _percent_encoded,
}


def mutated(note: Note) -> Iterator[tuple[str, Note]]:
    """Yield the name and the text of every mutation of the one line on which the one secret of `note` stands."""
    (mark,) = note.marks
    secret = note.text[mark.start : mark.end]
    before = note.text[: mark.start].rpartition("\n")[2]
    behind = note.text[mark.end :].partition("\n")[0]
    is_apart = not before[-1:].strip() and not behind[:1].strip()
    for name, mutate in ((OF_SECRETS if is_apart else {}) | OF_LINES).items():
        opening, made, closing = mutate(before, secret, behind)
        place = Mark(mark.row, mark.name, len(opening), len(opening) + len(made))
        yield name, Note(note.split, note.name, opening + made + closing, (place,))


def mutated_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every mutation of an innocent line."""
    for name, mutate in OF_LINES.items():
        yield name, "".join(mutate("", text, ""))


class Kept(NamedTuple):
    """What became of a mutation: of the secrets that are found without it, and of the texts that are left alone."""

    found: list[bool]
    left: list[bool]


def figures(notes: Iterable[Note], innocent: Iterable[Note], remove: Callable[[str], Ranges]) -> dict[str, Kept]:
    """Return what became of every mutation of `notes` with a single secret that is found, and of `innocent` lines."""
    kept = {name: Kept([], []) for name in OF_SECRETS | OF_LINES}
    for note in notes:
        if len(note.marks) == 1 and "\n" not in note.text[note.marks[0].start : note.marks[0].end]:
            made = {name: is_gone(mutation.marks[0], remove(mutation.text)) for name, mutation in mutated(note)}
            if made[_PLAIN]:
                for name, is_kept in made.items():
                    kept[name].found.append(is_kept)
    for note in innocent:
        if "\n" not in note.text and not remove(note.text):
            for name, text in mutated_lines(note.text):
                kept[name].left.append(not remove(text))
    return kept
