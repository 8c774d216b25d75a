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
from operator import add
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from s3memory.redaction import PatternRedactor, patterns
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import RULES
from s3memory.redaction.rules.weighing.features import N_FEATURES, Features, features_beside, features_of_shape
from s3memory.redaction.rules.weighing.weighed import WeighedRule
from s3memory.redaction.rules.weighing.weights import Table, Weights
from s3memory.redaction.rules.weighing.words import is_random_and_long, shape_of, weighed_words
from s3memory.redaction.text.judged import forget
from s3memory.redaction.text.subject import Subject

THEMES = Path(__file__).parent / "told"
_TEXTS = frozenset(
    {".py", ".pyi", ".md", ".rst", ".txt", ".js", ".ts", ".html", ".toml", ".yaml", ".yml", ".c", ".h", ".sh"}
)
_NAMES = frozenset({"METADATA", "AUTHORS", "CHANGES", "CONTRIBUTORS", "RECORD"})
_OF_A_FILE, _OF_ALL_FILES = 40_000, 24_000_000
_REGULARIZATION = 0.3
_LEAST_LOG_ODDS = 0.75  # of what is taken for a secret
_SHARE_LOST_EARLY = 0.01  # of secrets, by a look at their shape, and at what is beside them
_LARGEST = 127
_MADE, _TIMES_NEAR = frozenset("<{"), 3
_WIDTH = 100


class Word(NamedTuple):
    """What a word that is weighed is told by, and whether it is a secret."""

    is_secret: bool
    features: list[int]
    beside: list[int]
    of_shape: tuple[int, ...]


class Note(NamedTuple):
    """A note of a theme, as it is or once the other rules have redacted it."""

    text: str
    secrets: list[str]
    words: list[Word]


def _words(text: str, secrets: Iterable[str]) -> Iterator[Word]:
    places = [place for secret in secrets for place in _places(text, secret)]
    features = Features(text)
    for start, end in weighed_words(Subject(text), lambda _: True):
        if is_random_and_long(text[start:end]):
            continue
        is_secret = any(first < end and start < last for first, last in places)
        of_shape = features_of_shape(shape_of(text[start:end]))
        yield Word(is_secret, features.of(start, end), features_beside(text, start, end), of_shape)
    forget()


def _places(text: str, secret: str) -> Iterator[tuple[int, int]]:
    start = text.find(secret)
    while start >= 0:
        yield start, start + len(secret)
        start = text.find(secret, start + 1)


def _redactor(*rules: Rule) -> PatternRedactor:
    """Return a redactor with all rules but the one that weighs, and with `rules`."""
    others = (rule for rule in RULES if not isinstance(rule, WeighedRule))
    patterns.RULES = (*others, *rules)  # type: ignore[attr-defined]
    try:
        return PatternRedactor()
    finally:
        patterns.RULES = RULES  # type: ignore[attr-defined]


def _notes(path: Path, redactor: PatternRedactor) -> Iterator[tuple[Note, Note]]:
    """Yield the notes of a theme, each as it is and redacted."""
    for line in path.read_text("utf-8").splitlines():
        told = json.loads(line)
        redacted = redactor.redact(told["text"]).text
        both = (Note(text, told["secrets"], [*_words(text, told["secrets"])]) for text in (told["text"], redacted))
        yield next(both), next(both)


def _texts() -> Iterator[str]:
    """Yield texts without secrets: what is only near those that rules find, and files."""
    near = [text for rule in RULES for text in rule.near if not _MADE.intersection(text)]
    yield from near * _TIMES_NEAR
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


def _trained(rows: list[Iterable[int]], are_secrets: list[bool], least: float | None) -> Model:
    matrix = _matrix(rows)
    solver = LogisticRegression(C=_REGULARIZATION, max_iter=500, solver="liblinear", random_state=0)
    model = solver.fit(matrix, np.array(are_secrets))
    if least is None:
        least = float(np.quantile(model.decision_function(matrix)[np.array(are_secrets)], _SHARE_LOST_EARLY)) - 1e-3
    scale = _LARGEST / np.abs(model.coef_).max()
    rounded = array("b", [round(weight * scale) for weight in model.coef_[0]])
    return Model(rounded, round((float(model.intercept_[0]) - least) * scale))


def _beside(words: list[Word]) -> Model:
    return _trained([word.beside for word in words], [word.is_secret for word in words], None)


def _of_shapes(words: list[Word]) -> Model:
    return _trained([word.of_shape for word in words], [word.is_secret for word in words], None)


def _of_all(words: list[Word]) -> Model:
    return _trained([word.features for word in words], [word.is_secret for word in words], _LEAST_LOG_ODDS)


def _report(themes: dict[str, list[tuple[Note, Note]]], texts: list[Word]) -> None:
    """Print what is found and flagged of each theme, by weights that are trained on the others."""
    print("# Passwords and codes that are told without a name\n")
    print("Notes of `benchmarks/redaction/told/`, by weights that were trained on all other themes: how many secrets")
    print(
        "are gone and in how many innocent notes something is, without the weights and with. `make train-redaction`.\n"
    )
    print("| theme | secrets | found without | found | innocent notes | flagged without | flagged |")
    print("|---|---|---|---|---|---|---|")
    totals = [0] * 6
    for left_out, notes in themes.items():
        words = _words_of(both for theme, both in themes.items() if theme != left_out) + texts
        full, beside, of_shape = (Table(model.bias, _packed(model)) for model in _models(words).values())
        redactor = _redactor(WeighedRule(Weights(full, beside, of_shape)))
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


def _words_of(themes: Iterable[list[tuple[Note, Note]]]) -> list[Word]:
    return [word for both in themes for pair in both for note in pair for word in note.words]


def _print_row(name: str, counts: Iterable[int]) -> None:
    print("| ", " | ".join((name, *map(str, counts))), " |", sep="", flush=True)


def _packed(model: Model) -> str:
    return base64.b64encode(zlib.compress(model.weights.tobytes(), 9)).decode("ascii")


def _print_table(name: str, model: Model) -> None:
    text = _packed(model)
    print(f"BIAS{name} = {model.bias}\nWEIGHTS{name} = (")
    for start in range(0, len(text), _WIDTH):
        print(f'    "{text[start : start + _WIDTH]}"')
    print(")")


def _models(words: list[Word]) -> dict[str, Model]:
    """Return the models by the ends of the names of their tables."""
    return {"": _of_all(words), "_BESIDE": _beside(words), "_OF_SHAPE": _of_shapes(words)}


def main() -> None:
    """Print the table, or the report."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--report", action="store_true")
    arguments.add_argument("--themes", type=Path, default=THEMES)
    asked = arguments.parse_args()
    redactor = _redactor()
    themes = {path.stem: [*_notes(path, redactor)] for path in sorted(asked.themes.glob("*.jsonl"))}
    texts = [word for text in _texts() for word in _words(text, ())]
    if asked.report:
        _report(themes, texts)
        return
    words = _words_of(themes.values()) + texts
    print(f"{len(words):,} words, {sum(word.is_secret for word in words):,} secrets", file=sys.stderr)
    print('"""The weights of words and their surroundings: see `benchmarks/redaction/training.py`."""\n')
    print("# fmt: off")
    for name, model in _models(words).items():
        _print_table(name, model)


if __name__ == "__main__":
    main()
