"""An encrypted, multi-tenant Amazon S3 backend for Claude's memory tool.

The names are loaded when they are first used: who only needs the core does not wait for ``anthropic``.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from s3memory.adapters.search_tool import async_search_tool, search_tool
    from s3memory.clients import forget_clients
    from s3memory.commands import MemoryCommands
    from s3memory.errors import S3MemoryError
    from s3memory.keys import forget_keys
    from s3memory.keywrap_kms import KmsKeyWrapper
    from s3memory.keywrap_local import LocalKeyWrapper
    from s3memory.limits import Limits
    from s3memory.store import MemoryStore
    from s3memory.tenant_sessions import TenantSessions
    from s3memory.tool import AsyncS3MemoryTool, S3MemoryTool

# Nothing is printed unless the program sets up logging.
logging.getLogger(__name__).addHandler(logging.NullHandler())

_MODULES = {
    "AsyncS3MemoryTool": "tool",
    "KmsKeyWrapper": "keywrap_kms",
    "Limits": "limits",
    "LocalKeyWrapper": "keywrap_local",
    "MemoryCommands": "commands",
    "MemoryStore": "store",
    "S3MemoryError": "errors",
    "S3MemoryTool": "tool",
    "TenantSessions": "tenant_sessions",
    "async_search_tool": "adapters.search_tool",
    "forget_clients": "clients",
    "forget_keys": "keys",
    "search_tool": "adapters.search_tool",
}

__all__ = [
    "AsyncS3MemoryTool",
    "KmsKeyWrapper",
    "Limits",
    "LocalKeyWrapper",
    "MemoryCommands",
    "MemoryStore",
    "S3MemoryError",
    "S3MemoryTool",
    "TenantSessions",
    "async_search_tool",
    "forget_clients",
    "forget_keys",
    "search_tool",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
