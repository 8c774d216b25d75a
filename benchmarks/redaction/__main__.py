"""Prints the tables of what redaction is worth, ours beside other libraries on the same data in the same run.

Run it with ``make bench-redaction``. With `--ours` nothing else runs, and `--misses ROW` shows what was missed of a
row of the development half. The held-out half has no such switch: looking at its misses would spend it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

from redaction import columns, documents, mutations, notes, report, unlisted, unseen
from redaction.corpus import samples
from redaction.measure import Ranges, is_gone, pieces, removed_by_us
from redaction.models import Described
from redaction.samples import DEVELOPMENT, HELD_OUT, Sample
from s3memory.redaction import PatternRedactor

_HERE = Path(__file__).parent
_NOTES, _PAGES, _DOCSTRINGS, _CODE = 1_000_000, 2_000_000, 1_000_000, 2_000_000
_AROUND, _SHOWN = 60, 80


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="redaction")
    parser.add_argument("--others", type=Path, help="the python of the other libraries' environment", required=True)
    parser.add_argument("--sources", type=Path, help="a folder of published examples, and of documents below it")
    parser.add_argument("--report", type=Path, help="where to write the tables as well")
    parser.add_argument(
        "--beside", choices=columns.OTHERS, nargs="+", default=columns.OTHERS, help="only these of them"
    )
    parser.add_argument("--ours", action="store_true", help="leave the other libraries out")
    parser.add_argument("--misses", metavar="ROW", help="show what is missed of this row in development")
    parser.add_argument("--flags", action="store_true", help="show what is flagged in innocent text, and not plausible")
    asked = parser.parse_args()
    parts = unlisted.parts(_made(asked.others, "mnemonics.py"), asked.sources)
    if asked.misses:
        _show_misses(samples(_made(asked.others, "scanners.py")), parts, asked.misses)
        return
    innocent = {
        "pages": documents.pages(characters=_PAGES, more=asked.sources and asked.sources / "documents"),
        "docstrings": documents.docstrings(characters=_DOCSTRINGS),
        "code": documents.code(characters=_CODE, more=asked.sources and asked.sources / "documents"),
        "notes": notes.notes(characters=_NOTES),
    }
    if asked.flags:
        _show_flags(innocent)
        return
    all_samples = samples(_made(asked.others, "scanners.py"))
    found = [columns.ours(all_samples, parts, innocent)]
    if not asked.ours:
        found += [columns.other(asked.others, name, all_samples, parts, innocent) for name in asked.beside]
    text = report.page(all_samples, parts, innocent, found, unseen=unseen.redacted(), moved=_moved(parts))
    print(text)
    if asked.report:
        asked.report.write_text(text)


def _made(python: Path, script: str) -> Path:
    """Return the file of what a script writes in the others' environment, made once for each environment."""
    path = (python.parent.parent / script).with_suffix(".json")
    if not path.exists() or path.stat().st_mtime < (_HERE / script).stat().st_mtime:
        # What patterns are made into depends on the order of sets, and that on the hash's seed.
        environment = os.environ | {"PYTHONHASHSEED": "0"}
        made = subprocess.run((python, _HERE / script), check=True, capture_output=True, env=environment)  # noqa: S603 - ours
        path.write_bytes(made.stdout)
    return path


def _remover() -> Callable[[str], Ranges]:
    return partial(removed_by_us, PatternRedactor())


def _moved(parts: list[unlisted.Part]) -> report.Moved:
    held_out = [note for part in parts for note in part.notes if note.split == HELD_OUT]
    redactor = Described()
    once = [redactor.redact(note.text).text for note in held_out]
    return report.Moved(
        kept=mutations.figures(
            (note for note in held_out if note.marks),
            (note for note in held_out if not note.marks),
            partial(removed_by_us, redactor),
        ),
        changed_again=sum(redactor.redact(text).text != text for text in once),
        texts=len(once),
    )


def _show_misses(all_samples: list[Sample], parts: list[unlisted.Part], row: str) -> None:
    remove = _remover()
    for sample in all_samples:
        is_asked_for = sample.split == DEVELOPMENT and sample.row == row
        if is_asked_for and not is_gone(sample, remove(sample.text)):
            print(f"{sample.name}: {sample.text!r}")
    for part in parts:
        if part.label == row:
            print("\n".join(unlisted.missed(part, remove)))
    if row in (unseen.NAMED, unseen.BARE):
        print("\n".join(unseen.missed(row)))


def _show_flags(innocent: dict[str, str]) -> None:
    remove, plausible = _remover(), set((_HERE / "plausible.txt").read_text().split())
    for name, text in innocent.items():
        for piece in pieces(text):
            for start, end in remove(piece):
                if (digest := columns.digest(piece[start:end])) not in plausible:
                    before, flag = piece[max(0, start - _AROUND) : start], piece[start:end]
                    print(f"{digest} {name}: {before!r} [{flag[:_SHOWN]!r}]")


if __name__ == "__main__":
    main()
