"""What users import to test their own agents offline. Loaded when first used: pytest loads the plugin in every run."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from s3memory.testing.messages_api import ScriptedMessagesAPI
    from s3memory.testing.messages_script import Failure, RecordedRequest, ScriptError, Step, ToolCall, ToolResult, Turn
    from s3memory.testing.moto_server import MotoServer, ServedRequest

_MODULES = {
    "Failure": "messages_script",
    "MotoServer": "moto_server",
    "RecordedRequest": "messages_script",
    "ScriptError": "messages_script",
    "ScriptedMessagesAPI": "messages_api",
    "ServedRequest": "moto_server",
    "Step": "messages_script",
    "ToolCall": "messages_script",
    "ToolResult": "messages_script",
    "Turn": "messages_script",
}

__all__ = [
    "Failure",
    "MotoServer",
    "RecordedRequest",
    "ScriptError",
    "ScriptedMessagesAPI",
    "ServedRequest",
    "Step",
    "ToolCall",
    "ToolResult",
    "Turn",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
