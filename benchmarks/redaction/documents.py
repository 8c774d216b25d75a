"""Documentation and code of ordinary projects: what is installed beside this package, and any folder of more.

Which files are taken is decided by a hash of their names, and no project gives more than its share.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

_PAGES = frozenset({".md", ".rst", ".txt", ""})
_CODE = frozenset(
    {".py", ".pyi", ".js", ".ts", ".sh", ".c", ".toml", ".yaml", ".yml", ".cfg", ".ini", ".json", ".html"}
)
_LARGEST_BYTES = 300_000
_SHARE_BYTES = 400_000
_TABLES = ("RECORD", "top_level", "entry_points", "botocore/data")


def _files(endings: frozenset[str], more: Path | None) -> Iterator[Path]:
    roots = [Path(entry) for entry in sys.path if entry.endswith("site-packages")] + ([more] if more else [])
    found = {path.relative_to(root): path for root in roots for path in root.rglob("*") if path.suffix in endings}
    shares: Counter[str] = Counter()
    for name, path in sorted(found.items(), key=lambda entry: crc32(entry[0].as_posix().encode())):
        is_table = any(table in name.as_posix() for table in _TABLES) or (not path.suffix and path.name != "METADATA")
        if is_table or not path.is_file() or path.stat().st_size > _LARGEST_BYTES:
            continue
        project = name.parts[0].partition("-")[0]
        if shares[project] < _SHARE_BYTES:
            shares[project] += path.stat().st_size
            yield path


def pages(*, characters: int, more: Path | None = None) -> str:
    """Return so many characters of readmes, changelogs, metadata and other pages, or all that there are."""
    return _first(characters, (path.read_text("utf-8", "replace") for path in _files(_PAGES, more)))


def code(*, characters: int, more: Path | None = None) -> str:
    """Return so many characters of source code and configuration, or all that there are."""
    return _first(characters, (path.read_text("utf-8", "replace") for path in _files(_CODE, more)))


def docstrings(*, characters: int) -> str:
    """Return so many characters of docstrings, or all that there are."""
    return _first(characters, (text for path in _files(frozenset({".py"}), None) for text in _docstrings_of(path)))


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
