"""The allow-list: exceptions from redaction by value, pattern or file. It is configuration, never part of a memory."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from s3memory.errors import ConfigurationError, InvalidInputError
from s3memory.redaction.checks import MAX_MATCH_CHARACTERS, is_collection_of_strings
from s3memory.redaction.text.compiling import compiled_as_written

_ROOT = "/memories/"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Allowlist:
    """Exceptions from redaction.

    Attributes:
        values: A finding is allowed if its text is exactly one of these. That text can be longer or shorter than you
            expect: ``s3memory redact`` shows it.
        patterns: Regular expressions. A finding is allowed if one of them matches all of its text. Each must be
            bounded, as for a `CustomRule`.
        paths: Memory paths, as they are shown, of files that are not searched. A path that ends in ``/`` covers
            everything below it.

    Raises:
        ConfigurationError: One of these is malformed, or a pattern is not bounded.
    """

    values: Collection[str] = ()
    patterns: Collection[str] = ()
    paths: Collection[str] = ()

    def __post_init__(self) -> None:
        for name in ("values", "patterns", "paths"):
            if not is_collection_of_strings(getattr(self, name)):
                raise ConfigurationError(f"{name} of an allow-list is a collection of strings, none of them empty")
        for number, pattern in enumerate(self.patterns, 1):
            from s3memory.redaction.bounds import check_bounds  # most allow-lists have no pattern

            check_bounds(pattern, called=f"pattern {number} of the allow-list")
        for name in ("values", "patterns", "paths"):
            object.__setattr__(self, name, frozenset(getattr(self, name)))
        for path in self.paths:
            _check_path(path)

    def permits(self, value: str) -> bool:
        """Whether a finding whose text is `value` is allowed."""
        if value in self.values:
            return True
        return len(value) <= MAX_MATCH_CHARACTERS and any(
            compiled_as_written(pattern).fullmatch(value) for pattern in self.patterns
        )

    def covers(self, path: str) -> bool:
        """Whether the file at `path` is exempt from redaction."""
        return path in self.paths or any(one.endswith("/") and path.startswith(one) for one in self.paths)

    def __bool__(self) -> bool:
        return bool(self.values or self.patterns or self.paths)

    def __repr__(self) -> str:
        # The values may be secrets that are harmless here but not elsewhere.
        return f"Allowlist(<{len(self.values)} values, {len(self.patterns)} patterns, {len(self.paths)} paths>)"


def _check_path(path: str) -> None:
    """Refuse a path that can't be that of a file or directory: it would have no effect, and nobody would notice."""
    from s3memory.paths import MemoryPath  # most allow-lists have no path

    if not path.startswith(_ROOT):
        raise ConfigurationError(f"the path {path!r} of the allow-list does not begin with {_ROOT}")
    try:
        canonical = str(MemoryPath.parse(path))
    except InvalidInputError:
        raise ConfigurationError(f"the path {path!r} of the allow-list is none that a file can have") from None
    if path.removesuffix("/") != canonical:
        right = f"{canonical}/" if path.endswith("/") else canonical
        raise ConfigurationError(f"the path {path!r} of the allow-list matches nothing: write {right!r}")
