"""What each library comes to: ours in this process, the others in their environment."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from redaction import hostile, starting
from redaction.measure import (
    Ranges,
    flags_a_megabyte,
    is_gone,
    megabytes_a_second,
    occurrences,
    pieces,
    removed_by_us,
    seconds,
)
from redaction.models import Described
from redaction.samples import HELD_OUT, Sample
from redaction.unlisted import Part
from s3memory.redaction import PatternRedactor

OTHERS = ("betterleaks", "detect-secrets", "credsweeper", "presidio", "datafog")
_HERE = Path(__file__).parent
_LONGEST_SECONDS = 20
_DIGEST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What one library came to.

    Attributes:
        name: With its version.
        redacted: For each sample, in order; of other libraries only for those held out.
        removed: For each row of `unlisted.parts`, what is gone from each of its notes; likewise.
        flags: Findings a million characters, by kind of innocent text.
        wrong: Those of `flags` that nobody found plausible; of other libraries nobody looked.
        speed: Millions of characters a second.
        hostile: Seconds, by text.
        longest: Seconds for the slowest hostile text of 100 kB.
        start: Milliseconds to import it and use it for the first time.
    """

    name: str
    redacted: list[bool]
    removed: list[list[Ranges]]
    flags: dict[str, float]
    wrong: dict[str, float] | None
    speed: float
    hostile: dict[str, float]
    longest: float
    start: float


def ours(samples: list[Sample], parts: list[Part], innocent: dict[str, str]) -> Column:
    """Return the column of this package."""
    redactor, described = PatternRedactor(), Described()
    plausible = set((_HERE / "plausible.txt").read_text().split())
    flags: dict[str, float] = {}
    wrong: dict[str, float] = {}
    for name, text in innocent.items():
        found = [piece[start:end] for piece in pieces(text) for start, end in removed_by_us(redactor, piece)]
        flags[name] = flags_a_megabyte(text, len(found))
        wrong[name] = flags_a_megabyte(text, sum(digest(flag) not in plausible for flag in found))
    return Column(
        name="s3memory",
        redacted=[is_gone(sample, removed_by_us(redactor, sample.text)) for sample in samples],
        removed=[
            [removed_by_us(described if note.split == HELD_OUT else redactor, note.text) for note in part.notes]
            for part in parts
        ],
        flags=flags,
        wrong=wrong,
        # A new redactor each time: one that knows a text does not look at it again.
        speed=megabytes_a_second(
            lambda text: PatternRedactor().redact(text), [piece for text in innocent.values() for piece in pieces(text)]
        ),
        hostile={name: seconds(partial(redactor.redact, text)) for name, text in hostile.texts().items()},
        longest=max(seconds(partial(redactor.redact, text)) for text in hostile.texts(hostile.MANY).values()),
        start=starting.milliseconds(Path(sys.executable), "s3memory"),
    )


def digest(flag: str) -> str:
    """Return what stands for a flag in ``plausible.txt``."""
    return sha256(flag.encode()).hexdigest()[:_DIGEST]


def other(python: Path, name: str, samples: list[Sample], parts: list[Part], innocent: dict[str, str]) -> Column:
    """Return the column of another library, which `python` can import."""
    cut = {part: pieces(text) for part, text in innocent.items()}
    # Of another library nobody asks what it does on the half that our rules were developed on.
    texts = [sample.text for sample in samples if sample.split == HELD_OUT]
    texts += [note.text for part in parts for note in part.notes if note.split == HELD_OUT]
    answer = _asked(python, name, {"texts": texts, "timed": [piece for part in cut.values() for piece in part]})
    removed = iter([occurrences(text, found) for text, found in zip(texts, answer["found"], strict=True)])
    counts = iter(answer["counts"])
    slowest = _hostile_seconds(python, name, hostile.texts())
    worst = max(slowest, key=lambda text_name: slowest[text_name])
    return Column(
        name=f"{name} {answer['version']}",
        redacted=[sample.split == HELD_OUT and is_gone(sample, next(removed)) for sample in samples],
        removed=[[next(removed) if note.split == HELD_OUT else [] for note in part.notes] for part in parts],
        flags={part: flags_a_megabyte(innocent[part], sum(next(counts) for _ in cut[part])) for part in cut},
        wrong=None,
        speed=answer["speed"],
        hostile=slowest,
        longest=_hostile_seconds(python, name, {worst: hostile.texts(hostile.MANY)[worst]})[worst],
        start=starting.milliseconds(python, name),
    )


def _asked(python: Path, name: str, given: object, *options: str, timeout: float | None = None) -> Any:
    """Return what another library answers. It is kept beside its environment: our rules change nothing about it.

    `None` stands for an answer that took longer than `timeout`.
    """
    script, asked = _HERE / "others.py", json.dumps(given)
    known = python.parent.parent / "answers" / f"{name}-{digest(script.read_text() + ' '.join(options) + asked)}.json"
    if not known.exists():
        command = (str(python), str(script), name, *options)
        known.parent.mkdir(exist_ok=True)
        try:
            made = subprocess.run(command, input=asked, capture_output=True, check=True, text=True, timeout=timeout)  # noqa: S603 - ours
        except subprocess.TimeoutExpired:
            known.write_text("null")
        else:
            known.write_text(made.stdout)
    return json.loads(known.read_text())


def _hostile_seconds(python: Path, name: str, texts: dict[str, str]) -> dict[str, float]:
    """Return the seconds for each text, at most `_LONGEST_SECONDS`: all in one process, or else in two halves."""
    taken = _asked(python, name, list(texts.values()), "--hostile", timeout=_LONGEST_SECONDS + len(texts) - 1)
    if taken is None:
        names = list(texts)
        if len(names) == 1:
            return {names[0]: _LONGEST_SECONDS}
        halves = names[: len(names) // 2], names[len(names) // 2 :]
        first, second = (_hostile_seconds(python, name, {one: texts[one] for one in half}) for half in halves)
        return first | second
    return dict(zip(texts, taken, strict=True))
