"""Values that no error report shows, not even one that prints local variables: one of the settings is a key.

What is malformed is returned, and raised by a caller that has not seen the value: the frames of an error would hold it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from s3memory.errors import ConfigurationError

T = TypeVar("T")


class _Hidden:
    """Environment variables, of which a report shows the names alone.

    It is not a `Mapping`: reporters print those item by item, whatever their repr is.
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
    """Return environment variables whose values no error report shows: those of the process if left out.

    A function that takes some rebinds its argument to these first, before anything can be raised.
    """
    environ = os.environ if environ is None else environ
    if not isinstance(environ, Mapping | _Hidden):
        raise ConfigurationError("environ must be a mapping of names to texts, or be None")
    return environ if isinstance(environ, _Hidden) else cast("Mapping[str, str]", _Hidden(environ))


class Malformed(NamedTuple):
    """Why something is malformed."""

    why: str


def parsed(parse: Callable[[str], T], environ: Mapping[str, str], name: str) -> T | Malformed:
    """Return what is made of a variable's text."""
    try:
        return parse(environ[name])
    except (ValueError, ConfigurationError) as error:
        return Malformed(str(error))


def made_of_file(make: Callable[[str], T], path: str | Path, *, called: str) -> T:
    """Return what is made of the text of a file, which may be as Windows programs save text.

    Raises:
        ConfigurationError: it can't be read or is malformed. The text begins with how its setting or option is called.
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
