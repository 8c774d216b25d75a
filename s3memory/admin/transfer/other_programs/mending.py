"""Turns names of other programs into segments of memory paths."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from s3memory.errors import InvalidInputError
from s3memory.paths import ROOT, MemoryPath, is_unicode_text

MAX_NAME_BYTES = 255
"""A longer name is cut. It is the limit of file systems, and far below that of object keys."""

_KEPT_BYTES = 200
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


def mended(name: str) -> str:
    """Return a name as one segment of a memory path.

    If its NFC form is a valid segment that views show, it is kept. Otherwise invisible characters are removed, other
    invalid ones become ``_``, the name is cut to 200 bytes, and eight digits of its hash keep it distinct from others.
    """
    plain = unicodedata.normalize("NFC", name)
    if _is_segment(plain):
        return plain
    extension = _EXTENSION.search(plain)
    suffix = extension.group() if extension else ""
    stem = "".join(map(_mended, plain.removesuffix(suffix)[:_KEPT_BYTES]))
    stem = stem.encode("utf-8")[:_KEPT_BYTES].decode("utf-8", "ignore")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return unicodedata.normalize("NFC", f"{stem.lstrip('.')}-{digest}{suffix}")


def mended_path(path: str) -> str:
    """Return a relative path with each of its segments mended."""
    return "/".join(map(mended, path.split("/")))


def _is_segment(name: str) -> bool:
    if name.startswith(".") or not is_unicode_text(name) or len(name.encode("utf-8")) > MAX_NAME_BYTES:
        return False
    return _parsed(name) == (name,)


def _mended(char: str) -> str:
    # Removed, not replaced: the redactor would not recognize a secret with a ``_`` in place of an invisible character.
    if unicodedata.category(char) == "Cf":
        return ""
    return "_" if char in "%/\\" or _parsed(f"x{char}x") is None else char


def _parsed(name: str) -> tuple[str, ...] | None:
    try:
        return MemoryPath.parse(f"{ROOT}/{name}").segments
    except InvalidInputError:
        return None
