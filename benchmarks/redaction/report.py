"""The page that the benchmark writes."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from statistics import mean

from redaction.corpus import ENCODED, PERSONAL, SECRETS
from redaction.samples import DEVELOPMENT, HELD_OUT, Sample

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
_HEAD = (
    "# Redaction: figures",
    "",
    "Written by `make bench-redaction`; every sample is generated from a seed, none is in the repository. A secret",
    "counts as redacted when at least 80% of its characters are gone; secrets together are all samples, not all rows.",
    "Rules were developed on the one split; nobody looked at what is missed of the other, which has phrases, contexts",
    "and passwords of its own. Token formats are public facts: those of betterleaks and detect-secrets are generated",
    "from their own patterns, one half for each split, so those two know them by construction, and we read about them.",
    "",
)
_PERCENT = 100
_MILLISECONDS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What one library came to.

    Attributes:
        name: With its version.
        redacted: For each sample, in order.
        flags: Findings a million characters, by kind of innocent text.
        speed: Millions of characters a second.
        hostile: Seconds, by text.
        start: Milliseconds to import it and use it for the first time.
    """

    name: str
    redacted: list[bool]
    flags: dict[str, float]
    speed: float
    hostile: dict[str, float]
    start: float


def page(samples: list[Sample], innocent: dict[str, str], columns: list[Column]) -> str:
    """Return the whole page, in Markdown."""
    machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, one used"
    lines = [
        *_HEAD,
        f"{machine}; times are CPU times. s3memory {version('s3memory')}.",
        "",
        *_redacted(samples, columns),
        "",
        *_costs(innocent, columns),
        "",
        *_hostile(columns),
        "",
    ]
    return "\n".join(lines)


def _redacted(samples: list[Sample], columns: list[Column]) -> Iterable[str]:
    names = " | ".join(column.name for column in columns)
    yield f"| redacted, % | aim | development (s3memory) | held out: {names} | samples |"
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


def _costs(innocent: dict[str, str], columns: list[Column]) -> Iterable[str]:
    yield f"| cost | aim | {' | '.join(column.name for column in columns)} |"
    yield f"|---|---|{'---|' * len(columns)}"
    size = sum(map(len, innocent.values()))
    together = [sum(column.flags[part] * len(text) for part, text in innocent.items()) / size for column in columns]
    yield f"| false flags a MB, all {size / 1e6:.1f} MB | 8 | {' | '.join(f'{count:.1f}' for count in together)} |"
    for part, text in innocent.items():
        cells = " | ".join(f"{column.flags[part]:.1f}" for column in columns)
        yield f"| of {part}, {len(text) / 1e6:.1f} MB | | {cells} |"
    yield f"| MB a second | 2.5 | {' | '.join(f'{column.speed:.2f}' for column in columns)} |"
    slowest = " | ".join(f"{max(column.hostile.values()):.2f}" for column in columns)
    yield f"| the slowest 40 kB of hostile text, s | 0.2 | {slowest} |"
    yield f"| import and first use, ms | 15 | {' | '.join(f'{column.start:.0f}' for column in columns)} |"


def _hostile(columns: list[Column]) -> Iterable[str]:
    yield f"| 40 kB of | {' | '.join(f'{column.name}, ms' for column in columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for name in columns[0].hostile:
        cells = " | ".join(f"{column.hostile[name] * _MILLISECONDS:.0f}" for column in columns)
        yield f"| {name} | {cells} |"
