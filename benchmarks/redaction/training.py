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
from s3memory.redaction.rules.weighing.features import N_FEATURES, Features, form_of_shape
from s3memory.redaction.rules.weighing.weighed import WeighedRule, WeighedValues, WeighedWords
from s3memory.redaction.rules.weighing.weights import Shapes, Table, Weights
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
_SHARE_LOST_EARLY = 0.01  # of secrets, by a look at their shape, and at what is beside them
_LARGEST = 127
_TIMES_NEAR = 3
_WIDTH = 100


class Candidate(NamedTuple):
    """What a word or a random value that is weighed is told by, and whether it is a secret."""

    is_secret: bool
    features: list[int]
    beside: list[int]
    of_shape: tuple[int, ...]


class Candidates(NamedTuple):
    """Those of some texts."""

    words: list[Candidate]
    values: list[Candidate]


class Note(NamedTuple):
    """A note of a theme, as it is or once the other rules have redacted it."""

    text: str
    secrets: list[str]
    candidates: Candidates


def _candidates(text: str, secrets: Iterable[str]) -> Candidates:
    places = [place for secret in secrets for place in _places(text, secret)]
    found = Candidates(*([*_candidates_of(rule, text, places)] for rule in _UNTRAINED))
    forget()
    return found


def _candidates_of(rule: WeighedRule, text: str, places: Iterable[tuple[int, int]]) -> Iterator[Candidate]:
    features = Features(text)
    for start, end in rule.candidates(Subject(text)):
        is_secret = any(first < end and start < last for first, last in places)
        beside, of_shape = rule.features_beside(text, start, end), form_of_shape(shape_of(text[start:end]))
        yield Candidate(is_secret, rule.features(features, start, end), beside, of_shape.numbers)


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


def _notes(path: Path, redactor: PatternRedactor) -> Iterator[tuple[Note, Note]]:
    """Yield the notes of a theme, each as it is and redacted."""
    for line in path.read_text("utf-8").splitlines():
        told = json.loads(line)
        redacted = redactor.redact(told["text"]).text
        both = (Note(text, told["secrets"], _candidates(text, told["secrets"])) for text in (told["text"], redacted))
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


def _trained(rows: list[Iterable[int]], are_secrets: list[bool], least: float | None) -> Model:
    matrix = _matrix(rows)
    solver = LogisticRegression(C=_REGULARIZATION, max_iter=500, solver="liblinear", random_state=0)
    model = solver.fit(matrix, np.array(are_secrets))
    if least is None:
        least = float(np.quantile(model.decision_function(matrix)[np.array(are_secrets)], _SHARE_LOST_EARLY)) - 1e-3
    scale = _LARGEST / np.abs(model.coef_).max()
    rounded = array("b", [round(weight * scale) for weight in model.coef_[0]])
    return Model(rounded, round((float(model.intercept_[0]) - least) * scale))


def _models(found: Candidates) -> dict[str, Model]:
    """Return the models by the ends of the names of their tables."""
    return {
        "": _of_all(found.words, _LEAST_LOG_ODDS),
        "_BESIDE": _beside(found.words),
        "_OF_SHAPE": _trained([word.of_shape for word in found.words], _are_secrets(found.words), None),
        "_OF_VALUES": _of_all(found.values, _LEAST_OF_VALUES),
        "_BESIDE_VALUES": _beside(found.values),
    }


def _of_all(found: list[Candidate], least: float) -> Model:
    return _trained([candidate.features for candidate in found], _are_secrets(found), least)


def _beside(found: list[Candidate]) -> Model:
    return _trained([candidate.beside for candidate in found], _are_secrets(found), None)


def _are_secrets(found: list[Candidate]) -> list[bool]:
    return [candidate.is_secret for candidate in found]


def _rules(
    full: Table, beside: Table, of_shape: Table, of_values: Table, beside_values: Table
) -> tuple[WeighedRule, ...]:
    """Return the rules that weigh by these tables, which are in the order of the models."""
    return WeighedWords(Weights(full, beside), Shapes(of_shape)), WeighedValues(Weights(of_values, beside_values))


_NOTHING = Table(1, base64.b64encode(zlib.compress(bytes(N_FEATURES))).decode("ascii"))
_UNTRAINED = _rules(*[_NOTHING] * 5)  # they say which words and values are weighed


def _report(themes: dict[str, list[tuple[Note, Note]]], texts: list[Candidates]) -> None:
    """Print what is found and flagged of each theme, by weights that are trained on the others."""
    print("# Passwords, codes and keys that are told without a name\n")
    print("Notes of `benchmarks/redaction/told/`, by weights that were trained on all other themes: how many secrets")
    print(
        "are gone and in how many innocent notes something is, without the weights and with. `make train-redaction`.\n"
    )
    print("| theme | secrets | found without | found | innocent notes | flagged without | flagged |")
    print("|---|---|---|---|---|---|---|")
    totals = [0] * 6
    for left_out, notes in themes.items():
        others = (both for theme, both in themes.items() if theme != left_out)
        models = _models(_together(others, texts))
        redactor = _redactor(*_rules(*(Table(model.bias, _packed(model)) for model in models.values())))
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


def _together(themes: Iterable[list[tuple[Note, Note]]], texts: Iterable[Candidates]) -> Candidates:
    """Return all candidates of the notes of `themes` and of `texts`."""
    several = [note.candidates for both in themes for pair in both for note in pair]
    words, values = zip(*several, *texts, strict=True)
    return Candidates([*chain.from_iterable(words)], [*chain.from_iterable(values)])


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


def main() -> None:
    """Print the table, or the report."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--report", action="store_true")
    arguments.add_argument("--themes", type=Path, default=THEMES)
    asked = arguments.parse_args()
    redactor = _redactor()
    themes = {path.stem: [*_notes(path, redactor)] for path in sorted(asked.themes.glob("*.jsonl"))}
    texts = [_candidates(text, ()) for text in _texts()]
    if asked.report:
        _report(themes, texts)
        return
    found = _together(themes.values(), texts)
    for name, those in found._asdict().items():
        print(f"{len(those):,} {name}, {sum(_are_secrets(those)):,} secrets", file=sys.stderr)
    print('"""The weights of words, values and their surroundings: see `benchmarks/redaction/training.py`."""\n')
    print("# fmt: off")
    for name, model in _models(found).items():
        _print_table(name, model)


if __name__ == "__main__":
    main()
