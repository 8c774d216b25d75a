"""The options of a store, as types: declared by `MemoryStore`, passed on by whoever makes one for somebody else."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Required, TypedDict, TypeVar

if TYPE_CHECKING:
    from s3memory.audit import Auditor
    from s3memory.aws.tenant_sessions import TenantSessions
    from s3memory.keys.key_cache import KeyCache
    from s3memory.keys.open_key_ring import KeyWrapper
    from s3memory.keys.ring_register import RingRegister
    from s3memory.limits import Limits
    from s3memory.redaction import Redactor
    from s3memory.s3.transport import Transport

F = TypeVar("F", bound=Callable[..., Any])


class StoreOptions(TypedDict, total=False):
    """The arguments of `MemoryStore`, which documents them."""

    bucket: Required[str]
    tenant: Required[str]
    key_wrapper: Required[KeyWrapper]
    bucket_owner: str | None
    prefix: str
    redactor: Redactor | None
    limits: Limits
    name_mode: str
    read_only: bool
    actor: str | None
    auditor: Auditor | None
    s3_client: Transport | None
    transport: str
    tenant_sessions: TenantSessions | None
    key_ttl_seconds: float
    key_cache: KeyCache
    ring_register: RingRegister | None
    remaining_seconds: Callable[[], float] | None
    touch_after_seconds: float | None


class SettingsOverrides(TypedDict, total=False):
    """What a program says itself beside its settings: the arguments of `MemoryStore.from_settings`."""

    tenant: str | None
    actor: str | None
    auditor: Auditor | None
    s3_client: Transport | None
    remaining_seconds: Callable[[], float] | None


def passing_options_to(target: Callable[..., object]) -> Callable[[F], F]:
    """Have `help` and `inspect.signature` of a function name the options that it passes on as ``**options``.

    Args:
        target: what takes them.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        passed = [one for one in inspect.signature(target).parameters.values() if one.kind is one.KEYWORD_ONLY]
        own_positional = [one for one in own if one.kind is not one.KEYWORD_ONLY]
        parameters = [*own_positional, *passed, *own[len(own_positional) :]]
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # for inspect
        return function

    return decorate
