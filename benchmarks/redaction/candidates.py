"""What `training` trains on: the candidates in notes and in texts without secrets, as features."""

from __future__ import annotations

import sysconfig
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from support.redaction_samples import expanded

from redaction.generated import afresh, connections, corpus, outright, plainly, prose, sayings, tokens
from redaction.models import rules_of
from redaction.samples import seeded
from s3memory.redaction.rules import RULES
from s3memory.redaction.rules.scoring.features import ContextFeatures
from s3memory.redaction.rules.scoring.finding_filter import MIN_CONTEXT_CHARACTERS, FindingFilter, features_of_finding
from s3memory.redaction.rules.scoring.forms import N_FEATURES, feature_numbers, form_of_plain, form_of_shape
from s3memory.redaction.rules.scoring.models import Prefilter
from s3memory.redaction.rules.scoring.plain_candidates import (
    Sentences,
    adjacent_features_of_plain,
    has_plain_form,
    plain_candidates,
)
from s3memory.redaction.rules.scoring.scored_rules import ScoredRule
from s3memory.redaction.rules.scoring.weight_tables import PrefilterThresholds, WeightTable, WeightTables
from s3memory.redaction.rules.scoring.word_candidates import has_joined_words, shape_of
from s3memory.redaction.searching.rule_selection import needed
from s3memory.redaction.text.caching import forget
from s3memory.redaction.text.combining_marks import marks_as_letters
from s3memory.redaction.text.subject import Subject

_TEXTS = frozenset(
    {".py", ".pyi", ".md", ".rst", ".txt", ".js", ".ts", ".html", ".toml", ".yaml", ".yml", ".c", ".h", ".sh"}
)
_NAMES = frozenset({"METADATA", "AUTHORS", "CHANGES", "CONTRIBUTORS", "RECORD"})
_OF_A_FILE, _OF_A_PROJECT, _OF_ALL_FILES = 40_000, 4_000_000, 32_000_000
_TIMES_NEAR = 6
_LOOKED_AT_AGAIN = tuple(rule for rule in RULES if rule.family)


class Candidate(NamedTuple):
    """A word or random value as the models see it, and whether it is a secret."""

    is_secret: bool
    features: array[int]
    beside: list[int]
    of_shape: tuple[int, ...]
    is_plain: bool
    is_called: bool


class Asked(NamedTuple):
    """A plain word or phrase as the prefilter sees it, and whether it is a secret."""

    is_secret: bool
    is_phrase: bool
    word: array[int]
    around: array[int]
    beside: array[int]


class Find(NamedTuple):
    """A finding of a rule as the filter of findings sees it, and whether it is a secret."""

    is_secret: bool
    features: array[int]


class Candidates(NamedTuple):
    """The candidates of some texts."""

    words: list[Candidate]
    values: list[Candidate]


class Note(NamedTuple):
    """A note of a theme, either as it is or after redaction by the other rules."""

    text: str
    secrets: list[str]
    asked: list[Asked]
    finds: list[Find]


def asked_in(text: str, secrets: Iterable[str]) -> list[Asked]:
    """Return the plain words and phrases of a text that contains `secrets`."""
    text, places = _read(text, secrets)
    sentences, asked = Sentences(text, _ASKS_ALL), []
    for start, end in plain_candidates(Subject(text), _ASKS_ALL):
        if not _is_part(places, start, end):
            word = text[start:end]
            numbers = (
                form_of_plain(word).numbers,
                feature_numbers(sentences.context_feature_names_at(start)),
                adjacent_features_of_plain(text, start, end),
            )
            asked.append(Asked((start, end) in places, " " in word, *(array("i", those) for those in numbers)))
    forget()
    return asked


def finds_in(text: str, secrets: Iterable[str]) -> list[Find]:
    """Return the findings of rules in a text that the filter would review."""
    if len(text) < MIN_CONTEXT_CHARACTERS:
        return []
    text, places = _read(text, secrets)
    subject, features, finds = Subject(text), ContextFeatures(text), []
    families: dict[tuple[int, int], set[str]] = {}
    for finder in needed(_LOOKED_AT_AGAIN, subject):
        for span in finder.find(subject):
            families.setdefault((span.start, span.end), set()).add(finder.family)
    for (start, end), those in families.items():
        is_secret = any(first < end and start < last for first, last in places)
        finds.append(Find(is_secret, array("i", features_of_finding(features, start, end, those))))
    forget()
    return finds


def composed_notes(halves: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the composed notes of these halves, each with its secrets."""
    composed = (
        *(prose.notes, sayings.notes, afresh.notes, tokens.notes, connections.notes, outright.notes, plainly.notes),
        *(afresh.innocent, corpus.innocent_notes, outright.innocent, plainly.innocent),
    )
    for note in chain.from_iterable(notes(half) for half in halves for notes in composed):
        yield note.text, [note.text[mark.start : mark.end] for mark in note.marks]


def candidates_in(text: str, secrets: Iterable[str], prefilter: Prefilter) -> Candidates:
    """Return the candidates in a text that contains `secrets`."""
    text, places = _read(text, secrets)
    found = Candidates(*([*_candidates_of(rule, text, places)] for rule in _untrained(prefilter)))
    forget()
    return found


def _is_part(places: Iterable[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a plain word or phrase overlaps a secret without being one: it is left out of the training."""
    return any(first < end and start < last and (first, last) != (start, end) for first, last in places)


def _candidates_of(rule: ScoredRule, text: str, places: list[tuple[int, int]]) -> Iterator[Candidate]:
    features = ContextFeatures(text)
    for start, end in rule.candidates(Subject(text)):
        is_secret = any(first < end and start < last for first, last in places)
        is_plain = has_plain_form(text[start:end])
        if is_plain and _is_part(places, start, end):
            continue
        if has_joined_words(text[start:end]) or (" " in text[start:end] and not is_plain):
            is_secret = (start, end) in places
        near, of_shape = rule.adjacent_features(text, start, end), form_of_shape(shape_of(text[start:end]))
        of_all = array("i", rule.features(features, start, end))
        yield Candidate(is_secret, of_all, near, of_shape.numbers, is_plain, features.label_before(start) is not None)


def _read(written: str, secrets: Iterable[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return a text as rules read it, and the spans of its secrets."""
    text = marks_as_letters(written)
    return text, [place for secret in secrets for place in _places(text, marks_as_letters(secret))]


def _places(text: str, secret: str) -> Iterator[tuple[int, int]]:
    start = text.find(secret)
    while start >= 0:
        yield start, start + len(secret)
        start = text.find(secret, start + 1)


def innocent_texts() -> Iterator[str]:
    """Yield texts without secrets: the counterexamples of rules, and files."""
    rng = seeded("near")
    yield from (expanded(text, rng) for _ in range(_TIMES_NEAR) for rule in RULES for text in rule.near)
    shares: Counter[str] = Counter()
    for name, path in sorted(_files(), key=lambda entry: zlib.crc32(entry[0].as_posix().encode())):
        text = path.read_text("utf-8", "replace")[:_OF_A_FILE]
        if shares[name.parts[0]] + len(text) <= _OF_A_PROJECT and shares.total() + len(text) <= _OF_ALL_FILES:
            shares[name.parts[0]] += len(text)
            yield text


def _files() -> Iterator[tuple[Path, Path]]:
    """Yield the text files of the standard library and of installed packages, each with its relative path."""
    for folder in (Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")):
        for path in folder.rglob("*"):
            name = path.relative_to(folder)
            is_text = path.suffix in _TEXTS or path.name in _NAMES
            if is_text and "site-packages" not in name.parts and path.is_file():
                yield name, path


_NOTHING = WeightTable(1, zlib.compress(bytes(N_FEATURES)))
REJECTS_NOTHING = FindingFilter(_NOTHING)
_ASKS_ALL = Prefilter(_NOTHING, PrefilterThresholds(0, 0, 0))


def _untrained(prefilter: Prefilter) -> tuple[ScoredRule, ...]:
    """Return rules that propose candidates; their models are empty."""
    return rules_of(WeightTables(*[_NOTHING] * len(WeightTables._fields)), prefilter)
