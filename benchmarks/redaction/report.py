"""The page that the benchmark writes."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from statistics import mean
from typing import NamedTuple

from redaction import unlisted
from redaction.columns import Column
from redaction.corpus import ENCODED, PERSONAL, SECRETS
from redaction.mutations import Kept
from redaction.samples import DEVELOPMENT, HELD_OUT, Sample
from redaction.unseen import Gone

_AIMS = {
    "provider tokens": "96",
    "tokens in prose and Markdown": "97",
    "passwords in prose": "90",
    "private keys": "100",
    "signed tokens": "100",
    ENCODED: "99",
    "card numbers": "99",
    "IBANs": "98",
    "social security numbers": "94",
}
_HEAD = """\
# Redaction: figures

Written by `make bench-redaction`. A secret counts as redacted when at least 80% of its characters are gone. What is in
the repository is generated from a seed; published examples are not in it: put them into a folder, and name that with
`BENCH_SOURCES=folder` (a file `NAME.rows` for each source, a line for each text, « and » around what is secret in it).

## Forms that no rule was written for

Every token of ours as if nobody had known its form: the provider's own rules are taken away, and only the general
ones look.
"""
_UNLISTED = """\
Examples that other rule sets publish, and notes composed by a grammar: names, phrases, signs, values and places that
no rule lists, in {languages} languages. Whoever wrote the rules saw descriptions of what fails in the one half, and
nothing of the other half but its figures. The models that are installed learnt from both halves; the held-out one is
measured here by models that learnt the described half alone. Innocent notes are of the same habits.

Rows that begin with "evaluation" are of notes by somebody who saw neither rules nor notes of ours. No model learnt from
them. What is missed was read in every second note; of those that a verb alone tells, what is flagged was read in all.
"""
_LISTED = """\
## Forms that rules were written for

Rules were developed on the one split; nobody looked at what is missed of the other, which has phrases, contexts and
passwords of its own. Token formats are public facts: those of betterleaks and detect-secrets are generated from their
own patterns, one half for each split, so those two know them by construction, and we read about them.
"""
_MOVED = """\
## Moved, wrapped and encoded

What is found in held-out notes has to be found wherever it moves, and what is left alone stays so.
"""
_COSTS = """\
## What it costs

Flags in documentation and code of ordinary projects. In brackets those that are plainly wrong: all but the ones that
somebody read and found plausible, a password, key or token that the text itself shows as one.
"""
_PERCENT, _MILLION, _MILLISECONDS = 100, 1e6, 1000


class Moved(NamedTuple):
    """What became of mutated texts, and of how many of `texts` redacting twice changes something."""

    kept: dict[str, Kept]
    changed_again: int
    texts: int


def page(
    samples: list[Sample],
    parts: list[unlisted.Part],
    innocent: dict[str, str],
    columns: list[Column],
    *,
    unseen: dict[str, Gone],
    moved: Moved,
) -> str:
    """Return the whole page, in Markdown."""
    machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, one used"
    return "\n".join(
        (
            _HEAD,
            *_unseen(unseen),
            "",
            _UNLISTED.format(languages=unlisted.LANGUAGES),
            *_unlisted(parts, columns),
            "",
            _LISTED,
            *_redacted(samples, columns),
            "",
            _MOVED,
            *_moved(moved),
            "",
            _COSTS,
            f"{machine}; times are CPU times. s3memory {version('s3memory')}.",
            "",
            *_costs(innocent, columns),
            "",
            *_hostile(columns),
            "",
        )
    )


def _unseen(found: dict[str, Gone]) -> Iterator[str]:
    yield "| tokens, % | as an unseen form | were no form known at all | with its own rules | samples |"
    yield "|---|---|---|---|---|"
    for place, gone in found.items():
        yield f"| {place} | {' | '.join(f'{_PERCENT * mean(listed):.1f}' for listed in gone)} | {len(gone.whole)} |"


def _unlisted(parts: list[unlisted.Part], columns: list[Column]) -> Iterator[str]:
    yield f"| % | aim | described half (s3memory) | held out: {_names(columns)} | texts |"
    yield f"|---|---|---|{'---|' * len(columns)}---|"
    for number, part in enumerate(parts):
        cells = [unlisted.percent(part, columns[0].removed[number], DEVELOPMENT)]
        cells += [unlisted.percent(part, column.removed[number], HELD_OUT) for column in columns]
        texts = [sum(note.split == split for note in part.notes) for split in (DEVELOPMENT, HELD_OUT)]
        yield f"| {part.label} | {part.aim} | {' | '.join(cells)} | {texts[0]} + {texts[1]} |"


def _redacted(samples: list[Sample], columns: list[Column]) -> Iterator[str]:
    yield f"| redacted, % | aim | development (s3memory) | held out: {_names(columns)} | samples |"
    yield f"|---|---|---|{'---|' * len(columns)}---|"
    rows = {"secrets together": SECRETS} | {row: (row,) for row in (*SECRETS, *PERSONAL, ENCODED)}
    for label, parts in rows.items():
        places = {
            split: [n for n, sample in enumerate(samples) if sample.split == split and sample.row in parts]
            for split in (DEVELOPMENT, HELD_OUT)
        }
        cells = [_percent(columns[0], places[DEVELOPMENT])]
        cells += [_percent(column, places[HELD_OUT]) for column in columns]
        aim = "88" if label == "secrets together" else _AIMS.get(label, "")
        yield f"| {label} | {aim} | {' | '.join(cells)} | {' + '.join(str(len(some)) for some in places.values())} |"


def _percent(column: Column, places: list[int]) -> str:
    return f"{_PERCENT * mean(column.redacted[place] for place in places):.1f}" if places else ""


def _moved(moved: Moved) -> Iterator[str]:
    yield "| % | still found | still left alone |"
    yield "|---|---|---|"
    for name, kept in moved.kept.items():
        left = f"{_PERCENT * mean(kept.left):.1f}" if kept.left else ""
        yield f"| {name} | {_PERCENT * mean(kept.found):.1f} | {left} |"
    yield ""
    yield f"Redacting a second time changed {moved.changed_again} of {moved.texts} texts."


def _costs(innocent: dict[str, str], columns: list[Column]) -> Iterator[str]:
    yield f"| cost | aim | {_names(columns)} |"
    yield f"|---|---|{'---|' * len(columns)}"
    aims = {"pages": "(0.5)", "code": "(0.8)"}
    for part, text in innocent.items():
        cells = " | ".join(_flags(column, part) for column in columns)
        yield f"| flags a MB of {part}, {len(text) / _MILLION:.1f} MB | {aims.get(part, '')} | {cells} |"
    yield f"| MB a second | 2 | {' | '.join(f'{column.speed:.2f}' for column in columns)} |"
    slowest = " | ".join(f"{max(column.hostile.values()):.2f}" for column in columns)
    yield f"| the slowest 40 kB of hostile text, s | 0.2 | {slowest} |"
    yield f"| the slowest 100 kB, s | 0.5 | {' | '.join(f'{column.longest:.2f}' for column in columns)} |"
    yield f"| import and first use, ms | 15 | {' | '.join(f'{column.start:.0f}' for column in columns)} |"


def _flags(column: Column, part: str) -> str:
    return f"{column.flags[part]:.1f}" + (f" ({column.wrong[part]:.1f})" if column.wrong else "")


def _hostile(columns: list[Column]) -> Iterator[str]:
    yield f"| 40 kB of | {' | '.join(f'{column.name}, ms' for column in columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for name in columns[0].hostile:
        cells = " | ".join(f"{column.hostile[name] * _MILLISECONDS:.0f}" for column in columns)
        yield f"| {name} | {cells} |"


def _names(columns: Iterable[Column]) -> str:
    return " | ".join(column.name for column in columns)
