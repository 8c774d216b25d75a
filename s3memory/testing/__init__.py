"""Tools for users to test their agents offline. They are imported lazily, as pytest loads the plugin in every run."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from s3memory.testing.messages_api import ScriptedMessagesAPI
    from s3memory.testing.messages_script import Failure, RecordedRequest, ScriptError, Step, ToolCall, ToolResult, Turn
    from s3memory.testing.moto_server import MotoServer, ServedRequest

# All others are in `messages_script`.
_MODULES = {"MotoServer": "moto_server", "ScriptedMessagesAPI": "messages_api", "ServedRequest": "moto_server"}

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
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES.get(name, 'messages_script')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
