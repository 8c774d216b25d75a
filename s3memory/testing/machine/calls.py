"""The hypothesis strategies for the commands of a machine."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from s3memory.paths import ROOT
from s3memory.testing.machine.model import ToolInput

CLIENTS = 3
"""How many clients a machine has."""

# Few names and texts, so that commands often concern the same files. The directories hold some of these, or none.
_FILES = [f"{ROOT}/{name}" for name in ("x", "y", "d/a", "d/b", "d/s/a")]
_PLACES = [*_FILES, *(f"{ROOT}/{name}" for name in ("d", "d/s", "e", "e/.a"))]
_ODD_PLACES = [ROOT, f"{ROOT}/./d/", f"{ROOT}/d//../e"]
FILE_PATHS = st.sampled_from(_FILES)
_PATHS = st.sampled_from(_PLACES)
_WIDE_PATHS = st.sampled_from([*_PLACES, *_ODD_PLACES])
TEXTS = st.sampled_from(["x", "y", "x\ny", "x\nx\n", "", "é\n"])
_PARAMETERS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "view": {"path": _WIDE_PATHS},
    "create": {"path": _PATHS, "file_text": TEXTS},
    "str_replace": {"path": FILE_PATHS, "old_str": st.sampled_from(["x", "y", "\n", "x\ny"]), "new_str": TEXTS},
    "insert": {"path": FILE_PATHS, "insert_line": st.integers(-1, 3), "insert_text": TEXTS},
    "delete": {"path": _WIDE_PATHS},
    "rename": {"old_path": _WIDE_PATHS, "new_path": _WIDE_PATHS},
}


def calls(*commands: str) -> st.SearchStrategy[ToolInput]:
    """Return a strategy for tool inputs of these commands."""
    return st.one_of(
        *(st.fixed_dictionaries({"command": st.just(command), **_PARAMETERS[command]}) for command in commands)
    )


CLIENT_NUMBERS = st.integers(0, CLIENTS - 1)
