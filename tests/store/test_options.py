"""Only `MemoryStore` declares the options of a store: all functions that pass them on have the same names and types."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

import boto3
import pytest
from conftest import MakeCommands, MakeStore

from s3memory import (
    AsyncS3MemoryTool,
    KmsKeyWrapper,
    Limits,
    LocalKeyWrapper,
    MemoryCommands,
    MemoryStore,
    MountedCommands,
    S3MemoryTool,
    TenantSessions,
)
from s3memory.adapters.search_tool import search_tool
from s3memory.audit import LogAuditor
from s3memory.errors import ConfigurationError, UnavailableError
from s3memory.keys.dynamodb_register import DynamoDBRingRegister
from s3memory.keys.key_cache import KeyCache
from s3memory.redaction import PatternRedactor, Redaction
from s3memory.store.options import TAKES, SettingsOverrides, StoreOptions


def options_of(function: Callable[..., object]) -> dict[str, inspect.Parameter]:
    """Return the keyword-only parameters of a function, as `help` shows them."""
    return {name: one for name, one in inspect.signature(function).parameters.items() if one.kind is one.KEYWORD_ONLY}


@pytest.mark.parametrize(
    ("options", "declared"), [(StoreOptions, MemoryStore), (SettingsOverrides, MemoryStore.from_settings)]
)
def test_options_that_are_passed_on_have_the_declared_names_and_types(
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
def test_from_env_shows_only_the_options_that_a_program_may_set_itself(from_env: Callable[..., object]) -> None:
    assert options_of(from_env).keys() - options_of(MemoryStore.from_settings).keys() <= {"environ", "cache_control"}
    assert options_of(MemoryStore.from_settings).keys() <= options_of(from_env).keys()


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="bukket"):
        S3MemoryTool(bukket="b")  # type: ignore[call-arg]


def test_each_option_declares_its_accepted_types_or_has_a_grammar() -> None:
    assert StoreOptions.__annotations__.keys() - TAKES.keys() == {"bucket", "tenant", "bucket_owner", "prefix", "actor"}


class _NoPaths:
    def audit(self, event: object) -> None: ...


class _FailingPaths(_NoPaths):
    @property
    def with_paths(self) -> bool:
        raise ValueError


class _Client:
    """Any stand-in for a client, as in users' tests."""

    meta = MagicMock()

    def get_object(self, **_: object) -> None: ...

    def put_object(self, **_: object) -> None: ...


class _ReadingClient:
    """A client that only reads, and refuses everything else with its own error."""

    meta = MagicMock()

    def get_object(self, **_: object) -> None: ...

    def __getattr__(self, name: str) -> Any:
        raise PermissionError(name)


class _Async:
    """Async hooks, which nothing would await."""

    with_paths = True
    name = "async"

    async def audit(self, event: object) -> None: ...

    async def redact(self, text: str) -> Redaction:
        return Redaction(text)

    async def generate(self, context: object) -> None: ...

    async def unwrap(self, wrapped: bytes, context: object) -> None: ...

    async def read(self, tenant: str) -> None: ...

    async def write(self, tenant: str, record: object) -> None: ...

    async def get_object(self, **_: object) -> None: ...

    async def __call__(self) -> float:
        return 5.0


def wrong_options() -> list[tuple[str, Any]]:
    """Return each option with a value that it does not accept."""
    session = boto3.Session(region_name="eu-central-1")
    wrong: dict[str, list[object]] = {
        "bucket": [None, 1],
        "tenant": [None, 1],
        "bucket_owner": [111122223333],
        "prefix": [None, 1],
        "actor": [1, ""],
        "key_wrapper": [None, "alias/x", LocalKeyWrapper, KmsKeyWrapper, _Async()],
        "redactor": ["on", PatternRedactor, _Async()],
        "limits": [None, {}, Limits],
        "name_mode": [None, [], "secret"],
        "read_only": [None, "no", 0],
        "auditor": ["on", _NoPaths(), LogAuditor, _Async()],
        "s3_client": ["x", "", session, session.client("sts"), session.resource("s3"), _Client, _Async()],
        "transport": [None, [], "slow"],
        "tenant_sessions": ["x", TenantSessions],
        "key_ttl_seconds": [None, "5", True, 0, math.nan, math.inf],
        "key_cache": [None, {}, KeyCache],
        "ring_register": ["table", DynamoDBRingRegister, _Async()],
        "remaining_seconds": [5, "5", _Async(), _Async().__call__],
        "touch_after_seconds": ["5", True, 0, math.nan],
    }
    assert wrong.keys() == StoreOptions.__annotations__.keys()
    return [(name, value) for name, values in wrong.items() for value in values]


@pytest.mark.parametrize("make", [S3MemoryTool, AsyncS3MemoryTool, MemoryStore])
def test_an_option_of_the_wrong_type_is_refused_by_its_name_when_the_store_is_created(make: Any) -> None:
    right = {"bucket": "agent-memory", "tenant": "acme", "key_wrapper": LocalKeyWrapper(bytes(range(32)))}
    for name, value in wrong_options():
        with pytest.raises(ConfigurationError, match=f"^{name} must "):
            make(**{**right, name: value})
    make(**right, s3_client=_Client(), auditor=_FailingPaths(), key_ttl_seconds=5, touch_after_seconds=0.5)
    make(**right, s3_client=MagicMock(), auditor=MagicMock(), redactor=None)
    make(**right, s3_client=_ReadingClient(), read_only=True)


def test_an_option_of_the_wrong_type_is_refused_by_from_env() -> None:
    environ = {
        "S3MEMORY_BUCKET": "agent-memory",
        "S3MEMORY_TENANT": "acme",
        "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text(),
    }
    for name, value in wrong_options():
        if name in SettingsOverrides.__annotations__ and value is not None:
            with pytest.raises(ConfigurationError, match=f"^{name} must "):
                S3MemoryTool.from_env(environ=environ, **{name: value})
    with pytest.raises(ConfigurationError, match=r"^environ must "):
        S3MemoryTool.from_env(environ=1)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"^cache_control must "):
        S3MemoryTool.from_env(environ=environ, cache_control="x")  # type: ignore[arg-type]


def test_an_option_of_the_wrong_type_is_refused_by_a_tool_and_its_parts(make_store: MakeStore) -> None:
    store, role_arn = make_store(), "arn:aws:iam::111122223333:role/tenant"
    right = {"bucket": "agent-memory", "tenant": "acme", "key_wrapper": LocalKeyWrapper(bytes(range(32)))}
    sts = boto3.client("sts")
    wrong: list[tuple[str, Callable[[], object]]] = [
        ("overwrite", lambda: MemoryCommands(store, overwrite="false")),  # type: ignore[arg-type]
        ("overwrite", lambda: S3MemoryTool(**right, overwrite="false")),  # type: ignore[arg-type]
        ("cache_control", lambda: S3MemoryTool(**right, cache_control="x")),  # type: ignore[arg-type]
        ("cache_control", lambda: S3MemoryTool.from_commands(MemoryCommands(store), cache_control={})),  # type: ignore[arg-type]
        ("cache_control", lambda: search_tool(MemoryCommands(store), cache_control="x")),  # type: ignore[arg-type]
        ("kms_client", lambda: KmsKeyWrapper("alias/x", kms_client=1)),  # type: ignore[arg-type]
        ("kms_client", lambda: KmsKeyWrapper("alias/x", kms_client=sts)),  # type: ignore[arg-type]
        ("dynamodb_client", lambda: DynamoDBRingRegister("rings", dynamodb_client=sts)),  # type: ignore[arg-type]
        ("role_arn", lambda: TenantSessions("x")),
        ("sts_client", lambda: TenantSessions(role_arn, sts_client="x")),  # type: ignore[arg-type]
        ("duration_seconds", lambda: TenantSessions(role_arn, duration_seconds="3600")),  # type: ignore[arg-type]
        ("max_tenants", lambda: TenantSessions(role_arn, max_tenants=None)),  # type: ignore[arg-type]
    ]
    for name, make in wrong:
        with pytest.raises(ConfigurationError, match=f"^{name} must "):
            make()
    TenantSessions("arn:aws:iam:::role/tenant")  # the form of servers that imitate AWS


def test_nan_counts_as_no_time_left(make_commands: MakeCommands) -> None:
    with pytest.raises(UnavailableError, match="no time left"):
        make_commands(remaining_seconds=lambda: math.nan).view("/memories")


@pytest.mark.parametrize("owner", [None, "123456789012"])
def test_a_deep_copy_is_the_same_memory_and_pickling_is_refused_with_the_reason(
    make_store: MakeStore, owner: str | None
) -> None:
    own, team = MemoryCommands(make_store(bucket_owner=owner)), make_store(tenant="team").refusing_writes()
    for commands in (own, MountedCommands({"/memories": own, "/memories/team": team})):
        tool = S3MemoryTool.from_commands(commands, cache_control={"type": "ephemeral"})
        other = copy.deepcopy(tool)
        assert other.to_dict() == tool.to_dict()
        path = f"/memories/{type(commands).__name__}.md"
        other.call({"command": "create", "path": path, "file_text": "x"})
        assert "\tx" in tool.call({"command": "view", "path": path})
        for made in (tool, commands, commands.store):
            with pytest.raises(TypeError, match="a MemoryStore can't be pickled: its clients"):
                pickle.dumps(made)
    assert copy.copy(own.store).tenant == own.store.tenant
