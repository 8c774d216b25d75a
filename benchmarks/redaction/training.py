"""Trains the models of `s3memory/redaction/rules/scoring`, and measures them on themes that they were not trained on.

    python -m redaction.training > s3memory/redaction/rules/scoring/tables.bin
    python -m redaction.training --described > benchmarks/redaction/described.bin

The notes in `training_notes/` are made up: each file is a theme, and each line a note with its secrets. Half of the
notes have no secret and are as hard: orders, versions, names of machines, talk about passwords. The other texts without
secrets are documentation and code of this interpreter and of packages installed for it. The composed notes are used as
well: both halves, or with ``--described`` only the half that rules were written for, so that the other half can be
measured. Each note is used twice: as it is, and after redaction by the other rules. ``--report`` leaves out a fifth of
the themes at a time and measures these.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from redaction.candidates import (
    REJECTS_NOTHING,
    Asked,
    Candidate,
    Candidates,
    Find,
    Note,
    asked_in,
    candidates_in,
    composed_notes,
    finds_in,
    innocent_texts,
)
from redaction.models import rules_of, scoring_by
from redaction.samples import DEVELOPMENT, HELD_OUT, seeded
from s3memory.redaction import PatternRedactor
from s3memory.redaction.rules.scoring.finding_filter import FindingFilter
from s3memory.redaction.rules.scoring.forms import N_FEATURES
from s3memory.redaction.rules.scoring.models import Prefilter
from s3memory.redaction.rules.scoring.scored_rules import ScoredRule
from s3memory.redaction.rules.scoring.weight_tables import (
    UNITS_PER_LOG_ODD,
    PrefilterThresholds,
    WeightTable,
    WeightTables,
)

THEMES = Path(__file__).parent / "training_notes"
_SOLVER = LogisticRegression(C=0.1, max_iter=500, solver="liblinear", random_state=0)
_LEAST_LOG_ODDS, _LEAST_OF_VALUES, _LEAST_OF_FINDS = (
    -0.3,
    0.15,
    -0.4,
)  # the log-odds from which a candidate is a secret, or a finding is kept
_SHARE_LOST_EARLY = 0.01  # of secrets, by their shape or by what is next to them
_SHARE_LOST_OF_PLAIN = 0.15  # of plain secrets, by the prefilter
_SHARE_LOST_AROUND = 0.12  # of these, by their context alone
_OF_TEXTS_ASKED = 6  # the prefilter is trained on every sixth text
_LARGEST = 127
_FOLDS = 5
_COMPOSED = "composed"  # the composed notes, beside the themes
# The themes most like notes that agents write at work: each of their notes counts twice.
_COUNTED_TWICE = frozenset(
    (
        *("assistants_again", "by_a_verb", "coding_agents", "europe_third", "infrastructure_again"),
        *("innocent_documentation", "innocent_everyday", "innocent_technical", "journals", "lists_and_tables"),
        *("machines_and_archives", "science_and_schools", "scripts", "services"),
    )
)
_GROUPS = 5
_MOST_IN_A_FILE = 6
_BETWEEN_NOTES = ("\n", "\n\n", "\n\n", "\n---\n")


def _redacted(texts: Iterable[str], *rules: ScoredRule, finding_filter: FindingFilter = REJECTS_NOTHING) -> list[str]:
    """Redact texts with all rules but the scoring ones, with `rules` in their place and with `finding_filter`."""
    with scoring_by(rules, finding_filter):
        redactor = PatternRedactor()
        return [redactor.redact(text).text for text in texts]


def _without_finds(texts: list[str]) -> list[str]:
    """Return the texts in which rules find nothing: a page on setting a password shows one."""
    return [text for text, redacted in zip(texts, _redacted(texts), strict=True) if redacted == text]


def _prefilter(asked: list[Asked]) -> Prefilter:
    """Train the prefilter.

    Its thresholds are set by notes that it was not trained on. By its own training notes they would be far too strict.
    """
    matrix = _matrix([*one.word, *one.around, *one.beside] for one in asked)
    truth = np.array([one.is_secret for one in asked])
    others, left_out = next(StratifiedKFold(_FOLDS).split(matrix, truth))
    weights, bias = _fitted(matrix[others], truth[others])
    secrets = [asked[number] for number in left_out if truth[number]]
    words, around, beside = (
        np.array([sum(weights[number] for number in numbers) for numbers in those])
        for those in zip(*((one.word, one.around, one.beside) for one in secrets), strict=True)
    )
    are_phrases = np.array([one.is_phrase for one in secrets])
    least = np.quantile(bias + words + around + beside, _SHARE_LOST_OF_PLAIN)
    come_to = (around[~are_phrases], around[are_phrases], bias - least + words + around)
    weights, bias = _fitted(matrix, truth)
    thresholds = (np.quantile(those, _SHARE_LOST_AROUND) * UNITS_PER_LOG_ODD for those in come_to)
    return Prefilter(_table(weights, bias - least), PrefilterThresholds(*map(round, thresholds)))


def _learnt(notes: Iterable[tuple[str, list[str]]], *, are_told: bool = True) -> Iterator[tuple[Note, Note]]:
    """Yield each note with its secrets as it is and redacted.

    The prefilter is not trained on composed notes (`are_told` is false), as these have little context.
    """
    notes = [*notes]
    for (text, secrets), redacted in zip(notes, _redacted(text for text, _ in notes), strict=True):
        yield (
            Note(text, secrets, asked_in(text, secrets) * are_told, finds_in(text, secrets)),
            Note(redacted, secrets, asked_in(redacted, secrets) * are_told, []),
        )


def _in_files(notes: list[tuple[str, list[str]]]) -> Iterator[tuple[str, list[str]]]:
    """Yield files of several notes, with their secrets: a model has to learn that the next note is not context."""
    rng = seeded("files")
    notes = rng.sample(notes, len(notes))
    while notes:
        taken = rng.randint(2, _MOST_IN_A_FILE)
        those, notes = notes[:taken], notes[taken:]
        secrets = [secret for _, of_note in those for secret in of_note]
        yield rng.choice(_BETWEEN_NOTES).join(text for text, _ in those), secrets


def _told_in(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the notes of a theme, each with its secrets."""
    for line in path.read_text("utf-8").splitlines():
        note = json.loads(line)
        yield note["text"], note["secrets"]


def _matrix(rows: Iterable[Iterable[int]]) -> csr_matrix:
    columns, ends = array("i"), array("i", [0])
    for row in rows:
        columns.extend(row)
        ends.append(len(columns))
    counts = np.ones(len(columns), dtype=np.float32)
    matrix = csr_matrix((counts, np.array(columns), np.array(ends)), shape=(len(ends) - 1, N_FEATURES))
    matrix.sum_duplicates()  # in order, or the weights would differ by the order of features in sets
    return matrix


def _trained(rows: list[Iterable[int]], are_secrets: list[bool], least: float | None) -> WeightTable:
    """Train a model and return its weights, rounded to whole numbers.

    Args:
        rows: The feature numbers of each candidate.
        are_secrets: Which candidates are secrets.
        least: The log-odds from which a candidate is taken for a secret, or `None` for a value that nearly all secrets
            exceed.
    """
    matrix, truth = _matrix(rows), np.array(are_secrets)
    weights, bias = _fitted(matrix, truth)
    if least is None:
        # On notes that the model has not seen. The rows of a note are neighbours, so folds without shuffling keep them
        # together.
        unseen = cross_val_predict(_SOLVER, matrix, truth, cv=StratifiedKFold(_FOLDS), method="decision_function")
        least = float(np.quantile(unseen[truth], _SHARE_LOST_EARLY)) - 1e-3
    return _table(weights, bias - least)


def _fitted(matrix: csr_matrix, truth: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the weights of the features and the bias, as log-odds."""
    model = clone(_SOLVER).fit(matrix, truth)
    return model.coef_[0], float(model.intercept_[0])


def _table(weights: np.ndarray, bias: float) -> WeightTable:
    rounded = np.clip(np.rint(weights * UNITS_PER_LOG_ODD), -_LARGEST, _LARGEST).astype(np.int8)
    return WeightTable(round(bias * UNITS_PER_LOG_ODD), zlib.compress(rounded.tobytes(), 9))


def _tables(found: Candidates, finds: list[Find], prefilter: Prefilter) -> WeightTables:
    # A value after a label is scored whatever it looks like.
    words = [word for word in found.words if not (word.is_plain or word.is_called)]
    return WeightTables(
        words=_of_all(found.words, _LEAST_LOG_ODDS),
        words_beside=_beside(words),
        shapes=_trained([word.of_shape for word in words], _are_secrets(words), None),
        values=_of_all(found.values, _LEAST_OF_VALUES),
        values_beside=_beside(found.values),
        prefilter=prefilter.table,
        finds=_trained([find.features for find in finds], [find.is_secret for find in finds], _LEAST_OF_FINDS),
    )


def _of_all(found: list[Candidate], least: float) -> WeightTable:
    return _trained([candidate.features for candidate in found], _are_secrets(found), least)


def _beside(found: list[Candidate]) -> WeightTable:
    return _trained([candidate.beside for candidate in found], _are_secrets(found), None)


def _are_secrets(found: list[Candidate]) -> list[bool]:
    return [candidate.is_secret for candidate in found]


def _all_of(theme: str, pairs: list[tuple[Note, Note]], in_files: list[tuple[Note, Note]]) -> list[Note]:
    """Return all training notes of a theme: as they are, redacted, and several in a file."""
    notes = [*chain.from_iterable(pairs), *(note for note, _ in in_files)]
    return notes * 2 if theme in _COUNTED_TWICE else notes


def _report(
    learnt: dict[str, list[tuple[Note, Note]]], in_files: dict[str, list[tuple[Note, Note]]], texts: list[str]
) -> None:
    """Print what is found and flagged in each theme by models that were trained without it and some others."""
    themes = [theme for theme in learnt if theme != _COMPOSED]
    print("# Passwords, codes and keys without a label\n")
    print("Notes of `benchmarks/redaction/training_notes/`, by models trained without their theme and some others:")
    print("how many secrets are redacted, and how many innocent notes flagged, without the models and with them.")
    print("`make train-redaction`.\n")
    print("| theme | secrets | found without | found | innocent notes | flagged without | flagged |")
    print("|---|---|---|---|---|---|---|")
    # The first prefilter knows all themes, but only proposes candidates. No model that decides does.
    asked = _asked_of_texts(texts)
    by_theme = {theme: _all_of(theme, pairs, in_files.get(theme, [])) for theme, pairs in learnt.items()}
    prefilter = _prefilter_of(chain.from_iterable(by_theme.values()), asked)
    of_texts = _together(candidates_in(text, (), prefilter) for text in texts)
    candidates = {
        theme: _together(candidates_in(note.text, note.secrets, prefilter) for note in notes)
        for theme, notes in by_theme.items()
    }
    counts: dict[str, list[int]] = {}
    counts_in_files: list[list[int]] = []
    for group in range(_GROUPS):
        left_out = themes[group::_GROUPS]
        others = [theme for theme in learnt if theme not in left_out]
        prefilter = _prefilter_of((note for theme in others for note in by_theme[theme]), asked)
        finds = [find for theme in others for note in by_theme[theme] for find in note.finds]
        tables = _tables(_together([of_texts, *(candidates[theme] for theme in others)]), finds, prefilter)
        counts |= {theme: _counted(learnt[theme], tables, prefilter) for theme in left_out}
        counts_in_files += [_counted(in_files[theme], tables, prefilter) for theme in left_out]
    for theme in themes:
        _print_row(theme, counts[theme])
    _print_row("all", map(sum, zip(*counts.values(), strict=True)))
    n_secrets, _, n_found, *_ = map(sum, zip(*counts_in_files, strict=True))
    print(f"\nOf the same notes, 2 to {_MOST_IN_A_FILE} in a file, {n_found} of {n_secrets} secrets are found.")


def _counted(notes: list[tuple[Note, Note]], tables: WeightTables, prefilter: Prefilter) -> list[int]:
    counts = [0] * 6
    rules = rules_of(tables, prefilter)
    texts = _redacted((note.text for note, _ in notes), *rules, finding_filter=FindingFilter(tables.finds))
    for (note, redacted), text in zip(notes, texts, strict=True):
        if note.secrets:
            counts[0] += len(note.secrets)
            counts[1] += sum(secret not in redacted.text for secret in note.secrets)
            counts[2] += sum(secret not in text for secret in note.secrets)
        else:
            counts[3] += 1
            counts[4] += redacted.text != note.text
            counts[5] += text != note.text
    return counts


def _asked_of_texts(texts: list[str]) -> list[Asked]:
    """Return the plain words and phrases of some of the texts."""
    return [*chain.from_iterable(asked_in(text, ()) for text in texts[::_OF_TEXTS_ASKED])]


def _prefilter_of(notes: Iterable[Note], of_texts: list[Asked]) -> Prefilter:
    """Train the prefilter on notes and texts."""
    return _prefilter([*of_texts, *(one for note in notes for one in note.asked)])


def _together(several: Iterable[Candidates]) -> Candidates:
    words, values = zip(*several, strict=True)
    return Candidates([*chain.from_iterable(words)], [*chain.from_iterable(values)])


def _print_row(name: str, counts: Iterable[int]) -> None:
    print("| ", " | ".join((name, *map(str, counts))), " |", sep="", flush=True)


def main() -> None:
    """Write the tables, or print the report."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--report", action="store_true")
    arguments.add_argument("--described", action="store_true")
    arguments.add_argument("--themes", type=Path, default=THEMES)
    asked = arguments.parse_args()
    told = {path.stem: [*_told_in(path)] for path in sorted(asked.themes.glob("*.jsonl"))}
    learnt = {theme: [*_learnt(notes)] for theme, notes in told.items()}
    in_files = {theme: [*_learnt(_in_files(notes))] for theme, notes in told.items()}
    halves = (DEVELOPMENT,) if asked.described else (DEVELOPMENT, HELD_OUT)
    learnt[_COMPOSED] = [*_learnt(composed_notes(halves), are_told=False)]
    texts = _without_finds([*innocent_texts()])
    if asked.report:
        _report(learnt, in_files, texts)
        return
    notes = [note for theme, pairs in learnt.items() for note in _all_of(theme, pairs, in_files.get(theme, []))]
    prefilter = _prefilter_of(notes, _asked_of_texts(texts))
    found = _together(
        [
            *(candidates_in(note.text, note.secrets, prefilter) for note in notes),
            *(candidates_in(text, (), prefilter) for text in texts),
        ]
    )
    for name, those in found._asdict().items():
        print(f"{len(those):,} {name}, {sum(_are_secrets(those)):,} secrets", file=sys.stderr)
    finds = [find for note in notes for find in note.finds]
    sys.stdout.buffer.write(_tables(found, finds, prefilter).stored(prefilter.thresholds))


if __name__ == "__main__":
    main()
