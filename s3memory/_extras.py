"""Libraries of extras: if one is missing, the error says which extra to install."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec

from s3memory.errors import MissingExtraError

_OF_THIS_PACKAGE = "s3memory["
LIBRARIES_OF_CLI = {"typer": "s3memory[cli]", "rich": "s3memory[cli]"}
LIBRARIES_OF_MOTO_SERVER = dict.fromkeys(("moto", "flask", "flask_cors"), "s3memory[local]")


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Make failed imports of an extra's libraries say what to install.

    Raises:
        MissingExtraError: an import failed: the library is not installed, or its release is outside the extra's range.
    """
    try:
        yield
    except ImportError as error:
        library = (error.name or "").partition(".")[0]
        if isinstance(error, MissingExtraError) or library == __package__:
            raise
        is_missing = isinstance(error, ModuleNotFoundError) and not _is_there(library)
        problem = f"{library}, not installed here" if is_missing else f"another release of {library}"
        line = _line(what, problem, [f"s3memory[{name}]"])
        if not is_missing:
            line += ". If something here needs the installed release, do so in an environment of its own"
        raise MissingExtraError(line, name=library) from error


def ensure_installed(what: str, libraries: Mapping[str, str]) -> None:
    """Raise a `MissingExtraError` that says what to install, unless all libraries are installed. Imports none."""
    missing = [library for library in libraries if not _is_there(library)]
    if missing:
        problem = f"{' and '.join(missing)}, not installed here"
        requirements = [libraries[library] for library in missing]
        raise MissingExtraError(_line(what, problem, requirements), name=missing[0])


def _line(what: str, problem: str, requirements: list[str]) -> str:
    return f"{what} needs {problem}. Install with: {installing(requirements)}"


def installing(requirements: Iterable[str]) -> str:
    """Return the command that installs requirements.

    There is no release of this package on PyPI yet: installing it from there by name could fetch a stranger's package.
    """
    wanted = [requirement.replace(_OF_THIS_PACKAGE, ".[") for requirement in dict.fromkeys(requirements)]
    command = "pip install " + " ".join(f"'{requirement}'" for requirement in wanted)
    return f"{command}, in a clone of s3memory" if any(one.startswith(".[") for one in wanted) else command


def _is_there(library: str) -> bool:
    if library in sys.modules:
        return sys.modules[library] is not None
    return find_spec(library) is not None
