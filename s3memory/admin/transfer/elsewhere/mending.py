"""What a name of another program becomes where it can't be a segment of a memory path."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from s3memory.errors import InvalidInputError
from s3memory.paths import ROOT, MemoryPath, is_unicode_text

MAX_NAME_BYTES = 255
"""A longer name is cut: what file systems take, and far less than an object key."""

_KEPT_BYTES = 200
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


def mended(name: str) -> str:
    """Return a name as one segment of a memory path: as it is, in NFC, wherever that is one that views show.

    Otherwise invisible characters are left out, what else is refused becomes ``_``, it is cut to 200 bytes, and eight
    digits of the name's hash tell it from others that would look the same.
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
    """Return a path of a folder with each of its segments mended."""
    return "/".join(map(mended, path.split("/")))


def _is_segment(name: str) -> bool:
    if name.startswith(".") or not is_unicode_text(name) or len(name.encode("utf-8")) > MAX_NAME_BYTES:
        return False
    return _parsed(name) == (name,)


def _mended(char: str) -> str:
    # Left out, not replaced: a secret that is cut by something invisible would be none to the redactor any more.
    if unicodedata.category(char) == "Cf":
        return ""
    return "_" if char in "%/\\" or _parsed(f"x{char}x") is None else char


def _parsed(name: str) -> tuple[str, ...] | None:
    try:
        return MemoryPath.parse(f"{ROOT}/{name}").segments
    except InvalidInputError:
        return None
