"""Memory paths: parsed from what a model sent, and canonical from then on.

The contract fixes the order: canonicalise lexically, then check for the root, then for an escape. Only the canonical
form is stored, shown or sealed, so that every file has exactly one name.
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
# Each round of percent-decoding shortens the text, so a path that still changes after this many rounds is hostile.
_MAX_DECODING_ROUNDS = 8
_SHOWN_CHARS = 1_000


_shown_root: ContextVar[str] = ContextVar("s3memory-shown-root", default=ROOT)


class MemoryPath(NamedTuple):
    """A canonical path at or below ``/memories``: its segments in NFC, never empty, ``.`` or ``..``."""

    segments: tuple[str, ...] = ()

    @classmethod
    def parse(cls, raw: object, *, parameter: str = "path") -> MemoryPath:
        """Parse and canonicalise a path as it was sent.

        Args:
            raw: the value that was sent; anything but a string is refused.
            parameter: the parameter's name, for the error.

        Raises:
            InvalidInputError: it is not a string, is not ``/memories`` or below, is too long or too deep, or contains
                characters or percent-encodings that other software could read as another path.
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
        """Return the path as people and models read it, below its mount point. Files are sealed under ``str(path)``."""
        return format("/".join((_shown_root.get(), *self.segments)) or "/", spec)

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
        """The number of segments of the path as it is shown, including those of the memory's mount point."""
        return _shown_root.get().count("/") - 1 + len(self.segments)

    def child(self, *names: str) -> MemoryPath:
        """Return the path with `names` appended."""
        return MemoryPath((*self.segments, *names))

    def ancestors(self) -> list[MemoryPath]:
        """Return the directories above this path, outermost first, without the root."""
        return [MemoryPath(self.segments[:depth]) for depth in range(1, len(self.segments))]

    def is_below(self, other: MemoryPath) -> bool:
        """Whether this path is strictly inside the directory `other`."""
        depth = len(other.segments)
        return len(self.segments) > depth and self.segments[:depth] == other.segments

    def rebased(self, old: MemoryPath, new: MemoryPath) -> MemoryPath:
        """Return the path that is below `new` what this one is below `old`; this one must be at or below `old`."""
        return MemoryPath((*new.segments, *self.segments[len(old.segments) :]))


@contextmanager
def shown_below(mount: MemoryPath | str) -> Iterator[None]:
    """Show the paths of a mounted memory below its mount point, but only in ``format`` and f-strings.

    ``str`` still returns the path that is stored, sealed and compared. A framework may mount a memory anywhere: its
    mount point is a string without a slash at its end.
    """
    token = _shown_root.set(str(mount))
    try:
        yield
    finally:
        _shown_root.reset(token)


def check_path(path: object) -> None:
    """Refuse anything but a `MemoryPath`, such as an unparsed string.

    Raises:
        InvalidInputError: it is something else.
    """
    if not isinstance(path, MemoryPath):
        raise InvalidInputError.of("path", 'it must be a MemoryPath, such as MemoryPath.parse("/memories/notes.md")')


def check_tenant(tenant: object) -> str:
    """Return `tenant` if it can be used in object keys, IAM policies and encryption contexts.

    Raises:
        ConfigurationError: it is not 1 to 64 characters of ``A-Z a-z 0-9 . _ -`` beginning with a letter or digit, or
            it contains ``..``. With a ``/`` in its name, a tenant would be covered by another one's policy.
    """
    if not isinstance(tenant, str) or not _TENANT_PATTERN.fullmatch(tenant) or ".." in tenant:
        given = f"it is {tenant!a:.80}" if isinstance(tenant, str) else f"its type is {type(tenant).__name__}"
        raise ConfigurationError(
            "tenant must be 1 to 64 letters, digits, '.', '_' or '-', begin with a letter or digit, and not hold '..': "
            f"{given}"
        )
    return tenant


def check_prefix(prefix: object) -> str:
    """Return `prefix` if all object keys can begin with it.

    Raises:
        ConfigurationError: it is not empty and does not end with ``/``, or it begins with ``/``, has a segment that is
            empty, ``.`` or ``..``, is longer than 512 characters, or is not printable ASCII.
    """
    if not isinstance(prefix, str) or (prefix and not prefix.endswith("/")) or prefix.startswith("/"):
        raise ConfigurationError("prefix must be empty, or end with '/' and not begin with it")
    if not prefix.isascii() or not prefix.isprintable() or "//" in prefix or len(prefix) > MAX_OBJECT_KEY_BYTES // 2:
        raise ConfigurationError("prefix must be at most 512 printable ASCII characters, without '//'")
    # S3 takes these literally, but software that resolves paths (proxies, other servers, tools) would look elsewhere.
    if not {".", ".."}.isdisjoint(prefix.split("/")):
        raise ConfigurationError("prefix must not have a segment '.' or '..'")
    return prefix


def is_unicode_text(text: str) -> bool:
    """Whether `text` can be encoded as UTF-8: it contains no lone surrogate."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def shown(text: str) -> str:
    """Return `text` in a form that is safe in an error: refused characters are escaped, and a long text is cut."""
    escaped = "".join(
        char.encode("unicode_escape", "surrogatepass").decode("ascii") if _is_refused(char) else char
        for char in text[:_SHOWN_CHARS]
    )
    return escaped if len(text) <= _SHOWN_CHARS else f"{escaped}..."


def _is_refused(char: str) -> bool:
    # Noncharacters (the last two of each plane, and U+FDD0..U+FDEF) can't appear in the XML of an S3 request.
    point = ord(char)
    return (
        unicodedata.category(char) in _REFUSED_CATEGORIES
        or point & 0xFFFE == 0xFFFE  # noqa: PLR2004
        or 0xFDD0 <= point <= 0xFDEF  # noqa: PLR2004
    )


def _invalid(raw: str, why: str) -> InvalidInputError:
    return InvalidInputError(f"Invalid path {_shown_below_root(raw)}: {why}")


def _escapes(raw: str) -> InvalidInputError:
    root = f"{MemoryPath()}"
    return InvalidInputError(f"Path {_shown_below_root(raw)} would escape {root} directory", is_bare=True)


def _shown_below_root(raw: str) -> str:
    return shown(_shown_root.get() + raw.removeprefix(ROOT))


def _refuse_characters(text: str, raw: str) -> None:
    if "\\" in text:
        raise _invalid(raw, "it holds a backslash")
    if not text.isascii() or not text.isprintable():
        refused = next((char for char in text if _is_refused(char)), None)
        if refused is not None:
            raise _invalid(raw, f"it holds the character U+{ord(refused):04X}, which is not allowed in a path")


def _refuse_encoded(segments: list[str], raw: str) -> None:
    """Refuse segments that percent-decoding, once or repeatedly, would turn into path syntax."""
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
