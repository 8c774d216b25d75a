"""A missing library: whatever needs it says which extra to install."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from s3memory._extras import ensure_installed, extra
from s3memory.errors import ConfigurationError, MissingExtraError

WITHOUT = """
import sys
sys.modules[{library!r}] = None  # importing it fails as where it is not installed
from s3memory.errors import MissingExtraError
try:
    {statement}
except MissingExtraError as error:
    assert isinstance(error, ImportError)
    print(error)
"""


@pytest.mark.parametrize(
    ("statement", "library", "name"),
    [
        ("import s3memory.adapters.mcp", "mcp", "mcp"),
        ("import s3memory.adapters.mcp", "mangum", "mcp"),
        ("from s3memory.adapters.mcp import lambda_handler", "jwt", "mcp"),
        ("import s3memory.adapters.mcp.server", "mcp_types", "mcp"),
        ("import s3memory.adapters.pydantic_ai", "pydantic_ai", "pydantic-ai"),
        ("from s3memory.adapters.deepagents import MemoryBackend", "deepagents", "deepagents"),
        ("from s3memory.audit import OpenTelemetryAuditor", "opentelemetry", "otel"),
        ("import s3memory.cli.browser.app", "textual", "browse"),
        ("from s3memory.testing import MotoServer; MotoServer().__enter__()", "flask", "local"),
        ("from s3memory.admin.transfer.age import encrypting; encrypting(None, []).__enter__()", "pyrage", "age"),
    ],
)
def test_an_object_that_needs_a_missing_extra_names_it(statement: str, library: str, name: str) -> None:
    program = WITHOUT.format(library=library, statement=statement)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert (
        f"needs {library}, not installed here. Install with: pip install '.[{name}]', in a clone of s3memory\n"
        in done.stdout
    )


def test_an_object_that_needs_a_library_outside_of_all_extras_names_the_library() -> None:
    program = WITHOUT.format(library="hypothesis", statement="import s3memory.testing.machine")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout == (
        "s3memory.testing.machine needs hypothesis, not installed here. Install with: pip install 'hypothesis'\n"
    )


def test_an_old_release_that_lacks_a_name_is_told_apart_from_a_missing_library() -> None:
    with (
        pytest.raises(MissingExtraError, match=r"^x needs another release of json\. Install with: pip install "),
        extra("mcp", "x"),
    ):
        from json import nothing_of_this_name  # type: ignore[attr-defined]  # noqa: F401, PLC0415 - fails
    with (
        pytest.raises(MissingExtraError, match=r"^x needs another release of json\..* in an environment of its own$"),
        extra("mcp", "x"),
    ):
        importlib.import_module("json.nothing_of_this_name")


def test_a_bug_of_our_own_is_not_mistaken_for_a_missing_extra() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 's3memory\.nothing'") as raised, extra("mcp", "x"):
        importlib.import_module("s3memory.nothing")
    assert not isinstance(raised.value, MissingExtraError)


def test_all_missing_extras_are_named_together_in_a_configuration_error() -> None:
    libraries = {"nothing_one": "s3memory[a]", "json": "s3memory[b]", "nothing_two": "s3memory[a]"}
    with pytest.raises(ConfigurationError) as raised:
        ensure_installed("x", libraries)
    assert str(raised.value) == (
        "x needs nothing_one and nothing_two, not installed here. "
        "Install with: pip install '.[a]', in a clone of s3memory"
    )


def test_every_named_extra_exists() -> None:
    root = Path(__file__).parents[1]
    extras = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for module in (root / "s3memory").rglob("*.py"):
        for part in module.read_text("utf-8").split('with extra("')[1:]:
            assert part.partition('"')[0] in extras
