"""Prints the table of what redaction is worth, ours beside two other libraries on the same data in the same run.

Run it with ``make bench-redaction``. With `--ours` nothing else runs, and `--misses ROW` shows what was missed of a
row of the development split. The held-out split has no such switch: looking at its misses would spend it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

from redaction import documents, hostile, notes, report, starting
from redaction.corpus import samples
from redaction.measure import (
    flags_a_megabyte,
    is_redacted,
    megabytes_a_second,
    occurrences,
    pieces,
    removed_by_us,
    seconds,
)
from redaction.samples import DEVELOPMENT, Sample
from s3memory.redaction import PatternRedactor

_HERE = Path(__file__).parent
_NOTES, _PAGES, _DOCSTRINGS = 1_000_000, 2_000_000, 1_000_000
_LONGEST_SECONDS = 20
_OTHERS = ("detect-secrets", "betterleaks", "datafog")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="redaction")
    parser.add_argument("--others", type=Path, help="the python of the other libraries' environment", required=True)
    parser.add_argument("--report", type=Path, help="where to write the table as well")
    parser.add_argument("--ours", action="store_true", help="leave the other libraries out")
    parser.add_argument("--misses", metavar="ROW", help="show what is missed of this row in development")
    parser.add_argument("--flags", action="store_true", help="show what is flagged in innocent text")
    asked = parser.parse_args()
    all_samples = samples(_formats(asked.others))
    innocent = {
        "pages": documents.pages(characters=_PAGES),
        "docstrings": documents.docstrings(characters=_DOCSTRINGS),
        "notes": notes.notes(characters=_NOTES),
    }
    if asked.misses:
        _show_misses(all_samples, asked.misses)
    elif asked.flags:
        _show_flags(innocent)
    else:
        columns = [_ours(all_samples, innocent)]
        if not asked.ours:
            columns += [_other(asked.others, name, all_samples, innocent) for name in _OTHERS]
        text = report.page(all_samples, innocent, columns)
        print(text)
        if asked.report:
            asked.report.write_text(text)


def _formats(python: Path) -> Path:
    """Return the file of the scanners' formats, which is made once for each environment."""
    path = python.parent.parent / "formats.json"
    if not path.exists() or path.stat().st_mtime < (_HERE / "scanners.py").stat().st_mtime:
        # What the patterns are made into depends on the order of sets, and that on the hash's seed.
        environment = os.environ | {"PYTHONHASHSEED": "0"}
        command = (python, _HERE / "scanners.py")
        made = subprocess.run(command, check=True, capture_output=True, env=environment)  # noqa: S603 - ours
        path.write_bytes(made.stdout)
    return path


def _ours(all_samples: list[Sample], innocent: dict[str, str]) -> report.Column:
    redactor = PatternRedactor()
    redacted = [is_redacted(sample, removed_by_us(redactor, sample.text)) for sample in all_samples]
    flags = {
        name: flags_a_megabyte(text, sum(len(redactor.redact(piece).findings) for piece in pieces(text)))
        for name, text in innocent.items()
    }
    slowest = {name: seconds(partial(redactor.redact, text)) for name, text in hostile.texts().items()}
    return report.Column(
        name="s3memory",
        redacted=redacted,
        flags=flags,
        speed=megabytes_a_second(redactor.redact, [piece for text in innocent.values() for piece in pieces(text)]),
        hostile=slowest,
        start=starting.milliseconds(Path(sys.executable), "s3memory"),
    )


def _other(python: Path, name: str, all_samples: list[Sample], innocent: dict[str, str]) -> report.Column:
    cut = {part: pieces(text) for part, text in innocent.items()}
    given = {
        "texts": [sample.text for sample in all_samples],
        "timed": [piece for part in cut.values() for piece in part],
    }
    answer = _asked(python, name, given)
    flags: dict[str, float] = {}
    counts = iter(answer["counts"])
    for part, parts in cut.items():
        flags[part] = flags_a_megabyte(innocent[part], sum(next(counts) for _ in parts))
    return report.Column(
        name=f"{name} {answer['version']}",
        redacted=[
            is_redacted(sample, occurrences(sample.text, found))
            for sample, found in zip(all_samples, answer["found"], strict=True)
        ],
        flags=flags,
        speed=answer["speed"],
        hostile={text_name: _hostile_seconds(python, name, text) for text_name, text in hostile.texts().items()},
        start=starting.milliseconds(python, name),
    )


def _asked(python: Path, name: str, given: object, *options: str, timeout: float | None = None) -> Any:
    answer = subprocess.run(  # noqa: S603 - our own script
        [python, _HERE / "others.py", name, *options],
        input=json.dumps(given),
        capture_output=True,
        check=True,
        text=True,
        timeout=timeout,
    )
    return json.loads(answer.stdout)


def _hostile_seconds(python: Path, name: str, text: str) -> float:
    try:
        return float(_asked(python, name, text, "--hostile", timeout=_LONGEST_SECONDS))
    except subprocess.TimeoutExpired:
        return _LONGEST_SECONDS


def _show_misses(all_samples: list[Sample], row: str) -> None:
    redactor = PatternRedactor()
    for sample in all_samples:
        is_asked_for = sample.split == DEVELOPMENT and sample.row == row
        if is_asked_for and not is_redacted(sample, removed_by_us(redactor, sample.text)):
            print(f"{sample.name}: {sample.text!r}")


def _show_flags(innocent: dict[str, str]) -> None:
    redactor = PatternRedactor()
    for name, text in innocent.items():
        for piece in pieces(text):
            for start, end in removed_by_us(redactor, piece):
                print(f"{name}: {piece[max(0, start - 60) : start]!r} [{piece[start:end][:80]!r}]")


if __name__ == "__main__":
    main()
