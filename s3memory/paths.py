"""Memory paths: parsed from what a model sent, canonical ever after.

The order is the contract's: canonicalise lexically, then look for the root, then for an escape. Only the
canonical form is stored, shown or sealed, so that one file has one name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple
from urllib.parse import unquote

from s3memory.errors import ConfigurationError, InvalidInputError
from s3memory.limits import MAX_OBJECT_KEY_BYTES, MAX_PATH_CHARS, MAX_PATH_SEGMENTS

ROOT = "/memories"

_TENANT_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
# Control, format and surrogate characters, line and paragraph separators: invisible or line-breaking in a listing.
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Each round of percent-decoding shortens the text, so a path that is still changing after this many is hostile.
_MAX_DECODING_ROUNDS = 8
_SHOWN_CHARS = 1_000


_shown_root: ContextVar[str] = ContextVar("s3memory-shown-root", default=ROOT)


class MemoryPath(NamedTuple):
    """A canonical path at or below ``/memories``: its segments in NFC, never empty, ``.`` or ``..``."""

    segments: tuple[str, ...] = ()

    @classmethod
    def parse(cls, raw: object, *, parameter: str = "path") -> MemoryPath:
        """Canonicalise a path as it was sent.

        Args:
            raw: what was sent; anything but a string is refused.
            parameter: the name of the parameter, for the error.

        Raises:
            InvalidInputError: not a string, not below ``/memories``, too long or too deep, or it holds
                characters or percent-encodings that could mean another path to somebody else.
        """
        if not isinstance(raw, str):
            raise InvalidInputError.of(parameter, "it must be a string")
        if raw != ROOT and not raw.startswith(f"{ROOT}/"):
            raise InvalidInputError(f"Path must start with {ROOT}, got: {shown(raw)}", is_bare=True)
        if len(raw) > MAX_PATH_CHARS:
            raise _invalid(raw, f"it is longer than {MAX_PATH_CHARS} characters")
        text = unicodedata.normalize("NFC", raw)
        _refuse_characters(text, raw)
        sent = [part for part in text.split("/") if part not in {"", "."}]
        _refuse_encoded(sent, raw)
        kept = _resolve(sent)
        if kept[:1] != [ROOT[1:]]:
            raise _escapes(raw)
        if len(kept) - 1 > MAX_PATH_SEGMENTS:
            raise _invalid(raw, f"it is more than {MAX_PATH_SEGMENTS} levels deep")
        return cls(tuple(kept[1:]))

    def __str__(self) -> str:
        return "/".join((ROOT, *self.segments))

    def __format__(self, spec: str) -> str:
        """Return what people and models read: where a memory is mounted, not what its files are sealed under."""
        return format("/".join((_shown_root.get(), *self.segments)), spec)

    @property
    def is_root(self) -> bool:
        """Whether this is ``/memories`` itself."""
        return not self.segments

    @property
    def name(self) -> str:
        """The last segment; ``memories`` for the root."""
        return self.segments[-1] if self.segments else ROOT[1:]

    @property
    def shown_depth(self) -> int:
        """How many names deep it is where it is shown, below the memory's mount point."""
        return _shown_root.get().count("/") - 1 + len(self.segments)

    def child(self, *names: str) -> MemoryPath:
        """Return the path of `names` below this one."""
        return MemoryPath((*self.segments, *names))

    def ancestors(self) -> list[MemoryPath]:
        """Return the directories above this path, outermost first, without the root."""
        return [MemoryPath(self.segments[:depth]) for depth in range(1, len(self.segments))]

    def is_below(self, other: MemoryPath) -> bool:
        """Whether this path is strictly inside the directory `other`."""
        depth = len(other.segments)
        return len(self.segments) > depth and self.segments[:depth] == other.segments

    def moved(self, old: MemoryPath, new: MemoryPath) -> MemoryPath:
        """Return where this path, at or below `old`, is once `old` is called `new`."""
        return MemoryPath((*new.segments, *self.segments[len(old.segments) :]))


@contextmanager
def shown_below(mount: MemoryPath) -> Iterator[None]:
    """Show the paths of a mounted memory as they are below its mount point, but only in ``format`` and f-strings.

    ``str`` stays what is stored, sealed and compared.
    """
    token = _shown_root.set(str(mount))
    try:
        yield
    finally:
        _shown_root.reset(token)


def check_path(path: object) -> None:
    """Refuse what is not a `MemoryPath`, such as the string that one is made of.

    Raises:
        InvalidInputError: it is something else.
    """
    if not isinstance(path, MemoryPath):
        raise InvalidInputError.of("path", 'it must be a MemoryPath, such as MemoryPath.parse("/memories/notes.md")')


def check_tenant(tenant: object) -> str:
    """Return `tenant` if it is one that can stand in object keys, IAM policies and encryption contexts.

    Raises:
        ConfigurationError: it is not 1 to 64 of ``A-Z a-z 0-9 . _ -`` beginning with a letter or digit, or it
            holds ``..``. A tenant with a ``/`` would hold the policy of another.
    """
    if not isinstance(tenant, str) or not _TENANT_PATTERN.fullmatch(tenant) or ".." in tenant:
        raise ConfigurationError(
            "tenant must be 1 to 64 letters, digits, '.', '_' or '-', begin with a letter or digit, and not hold '..'"
        )
    return tenant


def check_prefix(prefix: object) -> str:
    """Return `prefix` if all object keys can begin with it.

    Raises:
        ConfigurationError: it neither is empty nor ends with ``/``, begins with ``/``, has a segment that is empty,
            ``.`` or ``..``, or is not at most 512 printable ASCII characters.
    """
    if not isinstance(prefix, str) or (prefix and not prefix.endswith("/")) or prefix.startswith("/"):
        raise ConfigurationError("prefix must be empty, or end with '/' and not begin with it")
    if not prefix.isascii() or not prefix.isprintable() or "//" in prefix or len(prefix) > MAX_OBJECT_KEY_BYTES // 2:
        raise ConfigurationError("prefix must be at most 512 printable ASCII characters, without '//'")
    # S3 takes these as they are, but what resolves paths (proxies, other servers, tools) would look elsewhere.
    if not {".", ".."}.isdisjoint(prefix.split("/")):
        raise ConfigurationError("prefix must not have a segment '.' or '..'")
    return prefix


def is_unicode_text(text: str) -> bool:
    """Whether `text` can be written as UTF-8: it holds no lone surrogate."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def shown(text: str) -> str:
    """Return `text` as it may stand in an error: refused characters escaped, and cut where it is very long."""
    escaped = "".join(
        char.encode("unicode_escape", "surrogatepass").decode("ascii") if _is_refused(char) else char
        for char in text[:_SHOWN_CHARS]
    )
    return escaped if len(text) <= _SHOWN_CHARS else f"{escaped}..."


def _is_refused(char: str) -> bool:
    # Noncharacters (the last two of each plane, U+FDD0..U+FDEF) can't be written in the XML of an S3 request.
    point = ord(char)
    return (
        unicodedata.category(char) in _REFUSED_CATEGORIES
        or point & 0xFFFE == 0xFFFE  # noqa: PLR2004
        or 0xFDD0 <= point <= 0xFDEF  # noqa: PLR2004
    )


def _invalid(raw: str, why: str) -> InvalidInputError:
    return InvalidInputError(f"Invalid path {shown(raw)}: {why}")


def _escapes(raw: str) -> InvalidInputError:
    return InvalidInputError(f"Path {shown(raw)} would escape {ROOT} directory", is_bare=True)


def _refuse_characters(text: str, raw: str) -> None:
    if "\\" in text:
        raise _invalid(raw, "it holds a backslash")
    if not text.isascii() or not text.isprintable():
        refused = next((char for char in text if _is_refused(char)), None)
        if refused is not None:
            raise _invalid(raw, f"it holds the character U+{ord(refused):04X}, which is not allowed in a path")


def _refuse_encoded(segments: list[str], raw: str) -> None:
    """Refuse segments that percent-decoding, once or often, would turn into other path syntax."""
    for segment in segments:
        if "%" not in segment:
            continue
        decoded = segment
        for _ in range(_MAX_DECODING_ROUNDS):
            further = unquote(decoded)
            if further == decoded:
                break
            decoded = further
        else:
            raise _invalid(raw, "it is percent-encoded too often")
        if any(part in {".", ".."} for part in re.split(r"[/\\]", decoded)):
            raise _escapes(raw)
        if "/" in decoded or "\\" in decoded or any(map(_is_refused, decoded)):
            raise _invalid(raw, "it holds percent-encoded path characters")


def _resolve(segments: list[str]) -> list[str]:
    kept: list[str] = []
    for segment in segments:
        if segment != "..":
            kept.append(segment)
        elif kept:
            kept.pop()
    return kept
