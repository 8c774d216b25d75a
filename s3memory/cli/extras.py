"""Libraries that not every installation has: one line says which extra brings them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec

from s3memory.errors import ConfigurationError

LIBRARIES_OF_CLI = {"typer": "s3memory[cli]", "rich": "s3memory[cli]"}


def ensure_installed(what: str, libraries: Mapping[str, str]) -> None:
    """Make sure that libraries are there.

    Args:
        what: what needs them.
        libraries: the requirement that brings each.

    Raises:
        ConfigurationError: some are missing: the text says what to install.
    """
    line = missing_line(what, libraries)
    if line:
        raise ConfigurationError(line)


def missing_line(what: str, libraries: Mapping[str, str]) -> str | None:
    """Return a line that says what to install, or ``None`` if nothing is missing.

    Args:
        what: what needs the libraries.
        libraries: the requirement that brings each.
    """
    missing = [library for library in libraries if not _is_there(library)]
    if not missing:
        return None
    brings = " ".join(dict.fromkeys(f"'{libraries[library]}'" for library in missing))
    return f"{what} needs {' and '.join(missing)}, not installed here. Install with: pip install {brings}"


def _is_there(library: str) -> bool:
    if library in sys.modules:
        return sys.modules[library] is not None
    return find_spec(library) is not None
