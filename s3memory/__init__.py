"""An encrypted, multi-tenant Amazon S3 backend for Claude's memory tool.

The names are loaded when they are first used: a program that needs only the core does not wait for ``anthropic``.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from s3memory.adapters.anthropic import AsyncS3MemoryTool, S3MemoryTool
    from s3memory.adapters.mirror.mirrored_folder import MirroredFolder
    from s3memory.adapters.search_tool import async_search_tool, search_tool
    from s3memory.aws.clients import forget_clients
    from s3memory.aws.tenant_sessions import TenantSessions
    from s3memory.commands import MemoryCommands
    from s3memory.errors import ConfigurationError, S3MemoryError
    from s3memory.keys.dynamodb_register import DynamoDBRingRegister
    from s3memory.keys.key_cache import forget_keys
    from s3memory.keys.open_key_ring import KeyWrapper
    from s3memory.keys.ring_register import RingRecord, RingRegister
    from s3memory.keys.wrappers.kms import KmsKeyWrapper
    from s3memory.keys.wrappers.local import LocalKeyWrapper
    from s3memory.limits import Limits
    from s3memory.mounts import MountedCommands
    from s3memory.paths import MemoryPath, check_tenant
    from s3memory.s3.transport import Transport
    from s3memory.store.memory_store import MemoryStore

# Nothing is printed unless the program sets up logging.
logging.getLogger(__name__).addHandler(logging.NullHandler())

_MODULES = {
    "AsyncS3MemoryTool": "adapters.anthropic",
    "ConfigurationError": "errors",
    "DynamoDBRingRegister": "keys.dynamodb_register",
    "KeyWrapper": "keys.open_key_ring",
    "KmsKeyWrapper": "keys.wrappers.kms",
    "Limits": "limits",
    "LocalKeyWrapper": "keys.wrappers.local",
    "MemoryCommands": "commands",
    "MemoryPath": "paths",
    "MemoryStore": "store.memory_store",
    "MirroredFolder": "adapters.mirror.mirrored_folder",
    "MountedCommands": "mounts",
    "RingRecord": "keys.ring_register",
    "RingRegister": "keys.ring_register",
    "S3MemoryError": "errors",
    "S3MemoryTool": "adapters.anthropic",
    "TenantSessions": "aws.tenant_sessions",
    "Transport": "s3.transport",
    "async_search_tool": "adapters.search_tool",
    "check_tenant": "paths",
    "forget_clients": "aws.clients",
    "forget_keys": "keys.key_cache",
    "search_tool": "adapters.search_tool",
}

__all__ = [
    "AsyncS3MemoryTool",
    "ConfigurationError",
    "DynamoDBRingRegister",
    "KeyWrapper",
    "KmsKeyWrapper",
    "Limits",
    "LocalKeyWrapper",
    "MemoryCommands",
    "MemoryPath",
    "MemoryStore",
    "MirroredFolder",
    "MountedCommands",
    "RingRecord",
    "RingRegister",
    "S3MemoryError",
    "S3MemoryTool",
    "TenantSessions",
    "Transport",
    "async_search_tool",
    "check_tenant",
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
