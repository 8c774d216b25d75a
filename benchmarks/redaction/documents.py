"""Documentation of ordinary projects: what is installed beside this package, as pages and as docstrings."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from redaction.samples import seeded

_PAGES = ("*.md", "*.rst", "METADATA", "*.txt")
_LARGEST_BYTES = 300_000


def _files(patterns: tuple[str, ...]) -> list[Path]:
    root = Path(sysconfig.get_paths()["purelib"])
    found = {path for pattern in patterns for path in root.rglob(pattern) if path.is_file()}
    files = sorted(path for path in found if path.stat().st_size <= _LARGEST_BYTES)
    seeded("documents").shuffle(files)
    return files


def pages(*, characters: int) -> str:
    """Return so many characters of readmes, changelogs, metadata and other pages, or all that there are."""
    return _first(characters, (path.read_text("utf-8", "replace") for path in _files(_PAGES)))


def docstrings(*, characters: int) -> str:
    """Return so many characters of docstrings, or all that there are."""
    return _first(characters, (text for path in _files(("*.py",)) for text in _docstrings_of(path)))


def _docstrings_of(path: Path) -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other people's escapes
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def _first(characters: int, texts: Iterator[str]) -> str:
    parts: list[str] = []
    length = 0
    for text in texts:
        parts.append(text)
        length += len(text) + 1
        if length >= characters:
            break
    return "\n".join(parts)[:characters]
