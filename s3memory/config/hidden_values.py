"""Hides settings' values from error reports, even from those that print local variables: one of them is a key.

An error about a malformed value is returned, and raised by a caller that never had the value in its frame.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from s3memory.errors import ConfigurationError

T = TypeVar("T")


class _Hidden:
    """Environment variables whose repr shows names only.

    This is not a `Mapping`: error reporters print those item by item, whatever their repr is.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def __iter__(self) -> Iterator[str]:
        return iter(self._environ)

    def __getitem__(self, name: str) -> str:
        return self._environ[name]

    def keys(self) -> Iterable[str]:
        return self._environ.keys()

    def __repr__(self) -> str:
        return f"<{', '.join(sorted(self._environ))}>"


def hidden(environ: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return environment variables with their values hidden from error reports: the process's if left out.

    A function that takes an environment must first rebind its argument to this, before anything can raise.
    """
    environ = os.environ if environ is None else environ
    if not isinstance(environ, Mapping | _Hidden):
        raise ConfigurationError("environ must be a mapping of names to texts, or be None")
    return environ if isinstance(environ, _Hidden) else cast("Mapping[str, str]", _Hidden(environ))


class Malformed(NamedTuple):
    """The reason why a value is malformed."""

    why: str


def parsed(parse: Callable[[str], T], environ: Mapping[str, str], name: str) -> T | Malformed:
    """Return a variable's parsed value, or why it is malformed."""
    try:
        return parse(environ[name])
    except (ValueError, ConfigurationError) as error:
        return Malformed(str(error))


def made_of_file(make: Callable[[str], T], path: str | Path, *, called: str) -> T:
    """Return what `make` returns for the text of a UTF-8 file, which may begin with a byte order mark.

    Raises:
        ConfigurationError: it can't be read or is malformed. The error begins with `called`, the setting's name.
    """
    made = _read_and_made(make, path)
    if isinstance(made, Malformed):
        raise ConfigurationError(f"{called} {made.why}")
    return made


def _read_and_made(make: Callable[[str], T], path: str | Path) -> T | Malformed:
    try:
        return make(Path(path).read_text("utf-8-sig"))
    except OSError as error:
        why = f": {error.strerror}" if error.strerror else ""
        return Malformed(f"names a file that can't be read{why}")
    except ConfigurationError as error:
        return Malformed(f"is malformed: {error}")
    except ValueError:  # PowerShell's `>` writes UTF-16
        return Malformed("is malformed: the file is not in UTF-8 (older PowerShells write UTF-16)")
