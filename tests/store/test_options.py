"""The options of a store are declared by `MemoryStore` alone: whoever passes them on takes the same names and types."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from s3memory import AsyncS3MemoryTool, MemoryCommands, MemoryStore, S3MemoryTool
from s3memory.store.options import SettingsOverrides, StoreOptions


def options_of(function: Callable[..., object]) -> dict[str, inspect.Parameter]:
    """Return the keyword-only parameters of a function, as `help` shows them."""
    return {name: one for name, one in inspect.signature(function).parameters.items() if one.kind is one.KEYWORD_ONLY}


@pytest.mark.parametrize(
    ("options", "declared"), [(StoreOptions, MemoryStore), (SettingsOverrides, MemoryStore.from_settings)]
)
def test_what_is_passed_on_has_the_names_and_types_that_are_declared(
    options: Any, declared: Callable[..., object]
) -> None:
    parameters = options_of(declared)
    passed = {name: one.__forward_arg__ for name, one in options.__annotations__.items()}
    required = {name for name, one in parameters.items() if one.default is one.empty}
    assert passed == {
        name: f"Required[{one.annotation}]" if name in required else one.annotation for name, one in parameters.items()
    }


@pytest.mark.parametrize("tool", [S3MemoryTool, AsyncS3MemoryTool])
def test_a_tool_shows_each_option_of_a_store_with_its_default(tool: Callable[..., object]) -> None:
    shown, declared = options_of(tool), options_of(MemoryStore)
    assert shown.keys() - declared.keys() == {"overwrite", "cache_control"}
    assert {name: one.default for name, one in shown.items() if name in declared} == {
        name: one.default for name, one in declared.items()
    }


@pytest.mark.parametrize("from_env", [S3MemoryTool.from_env, MemoryCommands.from_env])
def test_from_env_shows_what_a_program_may_say_itself(from_env: Callable[..., object]) -> None:
    assert options_of(from_env).keys() - options_of(MemoryStore.from_settings).keys() <= {"environ", "cache_control"}
    assert options_of(MemoryStore.from_settings).keys() <= options_of(from_env).keys()


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="bukket"):
        S3MemoryTool(bukket="b")  # type: ignore[call-arg]
