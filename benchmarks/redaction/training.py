"""Trains the weights of `s3memory/redaction/rules/weighing`, and measures them on themes that are left out.

    python -m redaction.training > s3memory/redaction/rules/weighing/table.py

The notes in `told/` are made up: a file a theme, a note a line, with the secrets in it. Half of them have none, and are
as hard: orders, versions, names of machines, talk about passwords. What else has none is the documentation and code of
this interpreter and of what is installed for it. Each note is learnt as it is and as it looks once the other rules have
redacted it. With ``--report``, each theme in turn is left out of the training and measured.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import sysconfig
import zlib
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import add
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from support.redaction_samples import expanded

from redaction.samples import seeded
from s3memory.redaction import PatternRedactor, patterns
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import RULES
from s3memory.redaction.rules.weighing.features import (
    N_FEATURES,
    Features,
    form_of_plain,
    form_of_shape,
    numbers_of,
)
from s3memory.redaction.rules.weighing.plain import Sentences, features_beside_plain, has_plain_form, plain_words
from s3memory.redaction.rules.weighing.weighed import WeighedRule, WeighedValues, WeighedWords
from s3memory.redaction.rules.weighing.weights import Early, Least, Shapes, Table, Weights
from s3memory.redaction.rules.weighing.words import shape_of
from s3memory.redaction.text.judged import forget
from s3memory.redaction.text.subject import Subject

THEMES = Path(__file__).parent / "told"
_TEXTS = frozenset(
    {".py", ".pyi", ".md", ".rst", ".txt", ".js", ".ts", ".html", ".toml", ".yaml", ".yml", ".c", ".h", ".sh"}
)
_NAMES = frozenset({"METADATA", "AUTHORS", "CHANGES", "CONTRIBUTORS", "RECORD"})
_OF_A_FILE, _OF_ALL_FILES = 40_000, 24_000_000
_REGULARIZATION = 0.3
_LEAST_LOG_ODDS, _LEAST_OF_VALUES = 0.65, 0.9  # of what is taken for a secret
_SHARE_LOST_OF_PLAIN = 0.04
_OF_TEXTS_ASKED = 6  # one of so many, for which plain words are weighed at all
_SHARE_LOST_EARLY = 0.01  # of secrets, by a look at their shape, and at what is beside them
_LARGEST = 127
_TIMES_NEAR = 3
_WIDTH = 100


class Candidate(NamedTuple):
    """What a word or a random value that is weighed is told by, and whether it is a secret."""

    is_secret: bool
    features: array[int]
    beside: list[int]
    of_shape: tuple[int, ...]
    is_plain: bool


class Asked(NamedTuple):
    """A plain word or phrase that is asked about before any is weighed, and whether it is a secret."""

    is_secret: bool
    is_phrase: bool
    word: array[int]
    around: array[int]
    beside: array[int]


class Candidates(NamedTuple):
    """Those of some texts."""

    words: list[Candidate]
    values: list[Candidate]


class Note(NamedTuple):
    """A note of a theme, as it is or once the other rules have redacted it."""

    text: str
    secrets: list[str]
    asked: list[Asked]


def _asked(text: str, secrets: Iterable[str]) -> list[Asked]:
    places = [place for secret in secrets for place in _places(text, secret)]
    sentences, asked = Sentences(text, _ASKS_ALL), []
    for start, end in plain_words(Subject(text), _ASKS_ALL):
        if not _is_part(places, start, end):
            word = text[start:end]
            numbers = (
                form_of_plain(word).numbers,
                numbers_of(sentences.names_at(start)),
                features_beside_plain(text, start, end),
            )
            asked.append(Asked((start, end) in places, " " in word, *(array("i", those) for those in numbers)))
    forget()
    return asked


def _candidates(text: str, secrets: Iterable[str], early: Early) -> Candidates:
    places = [place for secret in secrets for place in _places(text, secret)]
    found = Candidates(*([*_candidates_of(rule, text, places)] for rule in _untrained(early)))
    forget()
    return found


def _is_part(places: Iterable[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a plain word or phrase is a part of a secret, or has one in it: neither is learnt."""
    return any(first < end and start < last and (first, last) != (start, end) for first, last in places)


def _candidates_of(rule: WeighedRule, text: str, places: list[tuple[int, int]]) -> Iterator[Candidate]:
    features = Features(text)
    for start, end in rule.candidates(Subject(text)):
        is_secret = any(first < end and start < last for first, last in places)
        is_plain = has_plain_form(text[start:end])
        if is_plain and _is_part(places, start, end):
            continue
        near, of_shape = rule.features_beside(text, start, end), form_of_shape(shape_of(text[start:end]))
        of_all = array("i", rule.features(features, start, end))
        yield Candidate(is_secret, of_all, near, of_shape.numbers, is_plain)


def _places(text: str, secret: str) -> Iterator[tuple[int, int]]:
    start = text.find(secret)
    while start >= 0:
        yield start, start + len(secret)
        start = text.find(secret, start + 1)


def _redactor(*rules: Rule) -> PatternRedactor:
    """Return a redactor with all rules but those that weigh, and with `rules`."""
    others = (rule for rule in RULES if not isinstance(rule, WeighedRule))
    patterns.RULES = (*others, *rules)  # type: ignore[attr-defined]
    try:
        return PatternRedactor()
    finally:
        patterns.RULES = RULES  # type: ignore[attr-defined]


def _early(asked: list[Asked]) -> Early:
    """Return what tells which plain words are weighed."""
    rows: list[Iterable[int]] = [[*one.word, *one.around, *one.beside] for one in asked]
    model = _trained(rows, [one.is_secret for one in asked], None, _SHARE_LOST_OF_PLAIN)
    table = _table(model)
    secrets = [one for one in asked if one.is_secret]
    around = {id(one): table.sum(one.around) - table.bias for one in secrets}
    least = (
        [table.sum(one.word) for one in secrets],
        [around[id(one)] for one in secrets if one.is_phrase],
        [table.sum(one.word) + around[id(one)] for one in secrets],
    )
    return Early(table, Least(*(sorted(those)[int(len(those) * _SHARE_LOST_EARLY)] for those in least)))


def _notes(path: Path, redactor: PatternRedactor) -> Iterator[tuple[Note, Note]]:
    """Yield the notes of a theme, each as it is and redacted."""
    for line in path.read_text("utf-8").splitlines():
        told = json.loads(line)
        redacted = redactor.redact(told["text"]).text
        both = (Note(text, told["secrets"], _asked(text, told["secrets"])) for text in (told["text"], redacted))
        yield next(both), next(both)


def _texts() -> Iterator[str]:
    """Yield texts without secrets: what is only near those that rules find, and files."""
    rng = seeded("near")
    yield from (expanded(text, rng) for _ in range(_TIMES_NEAR) for rule in RULES for text in rule.near)
    folders = {Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")}
    names = {
        path.as_posix(): path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in _TEXTS or path.name in _NAMES
    }
    remaining = _OF_ALL_FILES
    for _, path in sorted(names.items(), key=lambda entry: zlib.crc32(entry[0].rpartition("/lib/")[2].encode())):
        text = path.read_text("utf-8", "replace")[:_OF_A_FILE]
        remaining -= len(text)
        if remaining < 0:
            return
        yield text


def _matrix(rows: Iterable[Iterable[int]]) -> csr_matrix:
    columns, ends = array("i"), array("i", [0])
    for row in rows:
        columns.extend(row)
        ends.append(len(columns))
    counts = np.ones(len(columns), dtype=np.float32)
    matrix = csr_matrix((counts, np.array(columns), np.array(ends)), shape=(len(ends) - 1, N_FEATURES))
    matrix.sum_duplicates()  # in order, or the weights would differ by the order of features in sets
    return matrix


class Model(NamedTuple):
    """Weights, rounded to whole numbers."""

    weights: array[int]
    bias: int


def _trained(
    rows: list[Iterable[int]], are_secrets: list[bool], least: float | None, lost: float = _SHARE_LOST_EARLY
) -> Model:
    matrix = _matrix(rows)
    solver = LogisticRegression(C=_REGULARIZATION, max_iter=500, solver="liblinear", random_state=0)
    model = solver.fit(matrix, np.array(are_secrets))
    if least is None:
        least = float(np.quantile(model.decision_function(matrix)[np.array(are_secrets)], lost)) - 1e-3
    scale = _LARGEST / np.abs(model.coef_).max()
    rounded = array("b", [round(weight * scale) for weight in model.coef_[0]])
    return Model(rounded, round((float(model.intercept_[0]) - least) * scale))


def _models(found: Candidates) -> dict[str, Model]:
    """Return the models by the ends of the names of their tables."""
    words = [word for word in found.words if not word.is_plain]
    return {
        "": _of_all(found.words, _LEAST_LOG_ODDS),
        "_BESIDE": _beside(words),
        "_OF_SHAPE": _trained([word.of_shape for word in words], _are_secrets(words), None),
        "_OF_VALUES": _of_all(found.values, _LEAST_OF_VALUES),
        "_BESIDE_VALUES": _beside(found.values),
    }


def _of_all(found: list[Candidate], least: float) -> Model:
    return _trained([candidate.features for candidate in found], _are_secrets(found), least)


def _beside(found: list[Candidate]) -> Model:
    return _trained([candidate.beside for candidate in found], _are_secrets(found), None)


def _are_secrets(found: list[Candidate]) -> list[bool]:
    return [candidate.is_secret for candidate in found]


def _rules(early: Early, tables: Iterable[Table]) -> tuple[WeighedRule, ...]:
    """Return the rules that weigh by these tables, which are in the order of the models."""
    full, beside, of_shape, of_values, beside_values = tables
    words = WeighedWords(Weights(full, beside), Shapes(of_shape), early)
    return words, WeighedValues(Weights(of_values, beside_values))


_NOTHING = Table(1, base64.b64encode(zlib.compress(bytes(N_FEATURES))).decode("ascii"))
_ASKS_ALL = Early(_NOTHING, Least(0, 0, 0))


def _untrained(early: Early) -> tuple[WeighedRule, ...]:
    """Return rules that say which words and values are weighed."""
    return _rules(early, [_NOTHING] * 5)


def _report(themes: dict[str, list[tuple[Note, Note]]], texts: list[str]) -> None:
    """Print what is found and flagged of each theme, by weights that are trained on the others."""
    print("# Passwords, codes and keys that are told without a name\n")
    print("Notes of `benchmarks/redaction/told/`, by weights that were trained on all other themes: how many secrets")
    print(
        "are gone and in how many innocent notes something is, without the weights and with. `make train-redaction`.\n"
    )
    print("| theme | secrets | found without | found | innocent notes | flagged without | flagged |")
    print("|---|---|---|---|---|---|---|")
    totals = [0] * 6
    # What is weighed at all is told with all themes, what it weighs without the one that is left out.
    asked = _asked_of_texts(texts)
    by_theme = {theme: [note for both in notes for note in both] for theme, notes in themes.items()}
    early = _early_of(chain.from_iterable(by_theme.values()), asked)
    of_texts = _together(_candidates(text, (), early) for text in texts)
    candidates = {
        theme: _together(_candidates(note.text, note.secrets, early) for note in notes)
        for theme, notes in by_theme.items()
    }
    for left_out, notes in themes.items():
        others = [theme for theme in themes if theme != left_out]
        early = _early_of((note for theme in others for note in by_theme[theme]), asked)
        models = _models(_together([of_texts, *(candidates[theme] for theme in others)]))
        redactor = _redactor(*_rules(early, map(_table, models.values())))
        counts = [0] * 6
        for note, redacted in notes:
            text = redactor.redact(note.text).text
            if note.secrets:
                counts[0] += len(note.secrets)
                counts[1] += sum(secret not in redacted.text for secret in note.secrets)
                counts[2] += sum(secret not in text for secret in note.secrets)
            else:
                counts[3] += 1
                counts[4] += redacted.text != note.text
                counts[5] += text != note.text
        totals = [*map(add, totals, counts)]
        _print_row(left_out, counts)
    _print_row("all", totals)


def _asked_of_texts(texts: list[str]) -> list[Asked]:
    """Return what is asked about in some of the texts."""
    return [*chain.from_iterable(_asked(text, ()) for text in texts[::_OF_TEXTS_ASKED])]


def _early_of(notes: Iterable[Note], of_texts: list[Asked]) -> Early:
    """Return what is learnt first of notes, and of texts."""
    return _early([*of_texts, *(one for note in notes for one in note.asked)])


def _together(several: Iterable[Candidates]) -> Candidates:
    words, values = zip(*several, strict=True)
    return Candidates([*chain.from_iterable(words)], [*chain.from_iterable(values)])


def _print_row(name: str, counts: Iterable[int]) -> None:
    print("| ", " | ".join((name, *map(str, counts))), " |", sep="", flush=True)


def _table(model: Model) -> Table:
    return Table(model.bias, base64.b64encode(zlib.compress(model.weights.tobytes(), 9)).decode("ascii"))


def _print_table(name: str, table: Table) -> None:
    text = table.packed
    print(f"BIAS{name} = {table.bias}\nWEIGHTS{name} = (")
    for start in range(0, len(text), _WIDTH):
        print(f'    "{text[start : start + _WIDTH]}"')
    print(")")


def main() -> None:
    """Print the table, or the report."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--report", action="store_true")
    arguments.add_argument("--themes", type=Path, default=THEMES)
    asked = arguments.parse_args()
    redactor = _redactor()
    themes = {path.stem: [*_notes(path, redactor)] for path in sorted(asked.themes.glob("*.jsonl"))}
    texts = [*_texts()]
    if asked.report:
        _report(themes, texts)
        return
    notes = [note for both in themes.values() for pair in both for note in pair]
    early = _early_of(notes, _asked_of_texts(texts))
    found = _together(
        [
            *(_candidates(note.text, note.secrets, early) for note in notes),
            *(_candidates(text, (), early) for text in texts),
        ]
    )
    for name, those in found._asdict().items():
        print(f"{len(those):,} {name}, {sum(_are_secrets(those)):,} secrets", file=sys.stderr)
    models = _models(found)
    print('"""The weights of words, values and their surroundings: see `benchmarks/redaction/training.py`."""\n')
    print("# fmt: off")
    for name, model in models.items():
        _print_table(name, _table(model))
    _print_table("_EARLY", early.table)
    print(f"LEAST_EARLY = {tuple(early.least)}")


if __name__ == "__main__":
    main()
