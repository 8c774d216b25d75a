"""Reads the entries of collections in code and data that are called secrets: `TOKENS = {"ci": "v", "prod": "w"}`.

The name labels every entry, however far away the entry is. Each one is rewritten as a setting, which the rules search.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.searching.rows import VALUES, label_of_row
from s3memory.redaction.searching.settings_view import NamedValues
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.tables import Cell
from s3memory.redaction.text.wording import is_plain

_MAX_CHARACTERS, _MAX_NAME, _MIN_LENGTH = 8_000, 40, 4
_NAME_BEFORE = r"[A-Za-z0-9_-]{1,40}\Z"
# What comes between the name and the first bracket: `s_by_user`, a type, a sign and a constructor.
_OPENING = (
    r"(?P<plural>s?)(?:[_-]?(?i:map|list|dict|set|array|table|(?:by|for|per)_?[a-z]{1,16}))?[\"'`\]]{0,3}[ \t]{0,3}"
    r"(?:(?::[ ]?[A-Za-z&][\w.<>,& |'\[\]]{0,48}[ ])?(?::=|=>|=|:)|(?P<test>[ ]?in)(?=[ ]?[(\[{]))[ \t\r\n]{0,9}"
    r"(?P<type>(?:[\w.:!&*@%<> ]|,[ ](?=[\w ]{1,16}>)|\[[\w ]{0,12}\](?=[\w*({])){0,40}?)"
    r"(?P<bracket>\[(?![\w ]{0,12}\][\w*({])|[({])"
)
_CONSTRUCTOR = (
    r"(?i)(?:\w+\.)?(?:new[ ])?(?:frozen)?"
    r"(?:set|list|map|dict|array|tuple|vec!?|of|aslist|freeze|entries|mapof|listof|setof)"
)
_PART = (
    r"(?P<comment>(?://|#|--)[^\n]*+)"
    r"|(?P<prefix>[A-Za-z]{1,2}8?|@)?(?P<quote>[\"'`])(?P<string>(?:(?!(?P=quote))[^\\\n]|\\.){0,500}+)(?P=quote)"
    r"|(?P<sign>=>|->|:=|[:=])|(?P<open>[\[({])|(?P<close>[\])}])|(?P<comma>[,;\n])"
    r"|(?P<word>[^\s,;:=\[\](){}\"'`]{1,400}+)"
)
_SIGN = r"[ \t]*(?:=>|->|:=|[:=])"
# Plural words that do not mean several secrets.
_NOT_PLURAL = ("pass", "access", "address")


class _Entry(NamedTuple):
    """A value of a collection.

    Attributes:
        key: Its key, or the name of its field in an object inside the collection; empty in a list.
        cell: Its span in the text.
        depth: How many brackets of the collection it is in.
        group: The number of the innermost of these.
    """

    key: str
    cell: Cell
    depth: int
    group: int


def read_collections(text: str, labels: Iterable[tuple[int, str]], values: NamedValues) -> None:
    """Add the entries of collections whose name is the plural of a secret's, or that a secret is looked up in.

    Args:
        text: The text.
        labels: Where the labels of secrets start, and the labels.
        values: Where each entry is added, with the singular of the name.
    """
    done = 0
    for start, label in sorted(labels):
        opening = compiled(_OPENING).match(text, start + len(label)) if start >= done else None
        if opening is None or _is_call(opening) or not (opening["test"] or _is_plural(label, opening)):
            continue
        before = compiled(_NAME_BEFORE).search(text, max(0, start - _MAX_NAME), start)
        name = f"{before[0] if before else ''}{label.removesuffix('s')}"
        entries, done = _entries(text, opening.end())
        column = values.new_column()
        for entry in filter(_may_be_secret, _without_first_of_pairs(text, entries)):
            # "user1" tells whose token it is, and "user" that the value is no token.
            key = "" if entry.key[-1:].isdigit() else label_of_row(entry.key)
            values.add(f"{name}{key}", entry.cell, column)
        values.end_part()


def _is_plural(label: str, opening: re.Match[str]) -> bool:
    """Whether a collection is called by the plural of a label, such as "tokens" or "apiKeys"."""
    return bool(opening["plural"]) or (label.lower().endswith("s") and not label.lower().endswith(_NOT_PLURAL))


def _is_call(opening: re.Match[str]) -> bool:
    """Whether a bracket holds the arguments of a call that makes no collection, as in `tokens = encode("text")`."""
    constructor = opening["type"].strip()
    return opening["bracket"] == "(" and constructor != "" and not compiled(_CONSTRUCTOR).fullmatch(constructor)


def _without_first_of_pairs(text: str, entries: list[_Entry]) -> Iterator[_Entry]:
    """Yield entries without those that name the next one, as in `[("jo", "v"), ("mia", "w")]`."""
    for entry, following in zip_longest(entries, entries[1:]):
        is_first = following is not None and not entry.key and entry.depth > 1 and following.group == entry.group
        if not (is_first and is_plain(text[slice(*entry.cell)])):
            yield entry


def _may_be_secret(entry: _Entry) -> bool:
    """Whether an entry may be a secret: in an object inside a collection, only fields with such a name."""
    return entry.depth == 1 or not entry.key or entry.key.lower() in VALUES or has_label(entry.key)


def _entries(text: str, start: int) -> tuple[list[_Entry], int]:
    """Return the values up to the bracket that closes the one before `start`, and where that is."""
    entries: list[_Entry] = []
    key, groups, n_groups, end = "", [0], 1, start
    for token in compiled(_PART).finditer(text, start, start + _MAX_CHARACTERS):
        end = token.end()
        if token["open"]:
            groups.append(n_groups)
            n_groups += 1
        elif token["close"]:
            groups.pop()
            key = ""
            if not groups:
                break
        elif token["comma"]:
            key = key if token["comma"] == "\n" else ""
        elif token["string"] is not None or token["word"]:
            group = "string" if token["string"] is not None else "word"
            if compiled(_SIGN).match(text, end):
                key = token[group]
            elif token["string"] is not None or _may_be_value(text, token["word"], end):
                is_pattern = "r" in (token["prefix"] or "") or "\\" in token[group]
                if len(token[group]) >= _MIN_LENGTH and not is_pattern:
                    entries.append(_Entry(key, token.span(group), len(groups), groups[-1]))
                key = ""
    return entries, end


def _may_be_value(text: str, word: str, end: int) -> bool:
    """Whether a word without quotes may be a value: it has a digit, and is no call."""
    return any(map(str.isdigit, word)) and text[end : end + 1] != "("
