"""What is let through although it is found: by value, by pattern, by file. Configuration, never part of a memory."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from s3memory.errors import ConfigurationError, InvalidInputError
from s3memory.redaction.checks import LONGEST_MATCH_CHARACTERS, are_words
from s3memory.redaction.text.compiling import compiled_as_written

_ROOT = "/memories/"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Allowlist:
    """Exceptions from redaction.

    Attributes:
        values: What is let through if exactly this is found. What is found can be more or less than one expects:
            ``s3memory redact`` shows it.
        patterns: Regular expressions; what one of them matches as a whole is let through. Each has to be bounded,
            as for a `CustomRule`.
        paths: Memory paths of files in which nothing is looked for, as they are shown; one that ends in ``/`` stands
            for all below it.

    Raises:
        ConfigurationError: One of these is malformed, or a pattern is not bounded.
    """

    values: Collection[str] = ()
    patterns: Collection[str] = ()
    paths: Collection[str] = ()

    def __post_init__(self) -> None:
        for name in ("values", "patterns", "paths"):
            if not are_words(getattr(self, name)):
                raise ConfigurationError(f"{name} of an allow-list is a collection of strings, none of them empty")
        for number, pattern in enumerate(self.patterns, 1):
            from s3memory.redaction.bounds import check_bounds  # most allow-lists have no pattern

            check_bounds(pattern, called=f"pattern {number} of the allow-list")
        for name in ("values", "patterns", "paths"):
            object.__setattr__(self, name, frozenset(getattr(self, name)))
        for path in self.paths:
            _check_path(path)

    def permits(self, value: str) -> bool:
        """Whether `value` is let through where it is found."""
        if value in self.values:
            return True
        return len(value) <= LONGEST_MATCH_CHARACTERS and any(
            compiled_as_written(pattern).fullmatch(value) for pattern in self.patterns
        )

    def covers(self, path: str) -> bool:
        """Whether nothing is looked for in the file at `path`."""
        return path in self.paths or any(one.endswith("/") and path.startswith(one) for one in self.paths)

    def __bool__(self) -> bool:
        return bool(self.values or self.patterns or self.paths)

    def __repr__(self) -> str:
        # The values may be secrets that are known and harmless here, and not elsewhere.
        return f"Allowlist(<{len(self.values)} values, {len(self.patterns)} patterns, {len(self.paths)} paths>)"


def _check_path(path: str) -> None:
    """Refuse what no file's path is or begins with: it would let nothing through, and nobody would notice."""
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
