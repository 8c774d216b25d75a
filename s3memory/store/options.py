"""The options of a store: their types and valid values, and how settings are turned into them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Required, TypedDict, TypeVar

from s3memory._arguments import FLAG, Takes, client_for, has, is_function, is_positive
from s3memory.aws.clients import TRANSPORTS, check_reach
from s3memory.errors import ConfigurationError
from s3memory.format.names import ENCRYPTED_REQUIRED, NAME_MODES, PLAIN
from s3memory.keys.key_cache import DEFAULT_KEY_TTL_SECONDS, MAX_KEY_TTL_SECONDS, KeyCache
from s3memory.keys.open_key_ring import KeyWrapper
from s3memory.limits import Limits

if TYPE_CHECKING:
    from s3memory.audit import Auditor
    from s3memory.aws.tenant_sessions import TenantSessions
    from s3memory.config.settings import Settings
    from s3memory.keys.ring_register import RingRegister
    from s3memory.redaction import Redactor
    from s3memory.s3.transport import Transport

F = TypeVar("F", bound=Callable[..., Any])

_DAY_SECONDS = 86_400.0


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
    """What a program passes in addition to its settings: the arguments of `MemoryStore.from_settings`."""

    tenant: str | None
    actor: str | None
    auditor: Auditor | None
    s3_client: Transport | None
    remaining_seconds: Callable[[], float] | None


def _is_auditor(auditor: object) -> bool:
    try:
        return has(auditor, "audit") and hasattr(auditor, "with_paths")
    except Exception:  # noqa: BLE001 - it has the attribute, and commands log the failure
        return True


_NAME_MODES = (*NAME_MODES, ENCRYPTED_REQUIRED)

TAKES = {
    "key_wrapper": Takes(
        lambda value: isinstance(value, KeyWrapper) and has(value, "generate", "unwrap"),
        "be a KmsKeyWrapper, a LocalKeyWrapper or another KeyWrapper, whose methods are not async",
    ),
    "redactor": Takes(lambda value: has(value, "redact"), "have a method redact(text), which is not async").or_none(),
    "limits": Takes(lambda value: isinstance(value, Limits), "be Limits(...)"),
    "name_mode": Takes(lambda value: value in _NAME_MODES, f"be one of {', '.join(_NAME_MODES)}"),
    "read_only": FLAG,
    "auditor": Takes(
        _is_auditor,
        "have a method audit(event), which is not async, and with_paths, which says whether events hold paths",
    ).or_none(),
    "s3_client": client_for("S3", "get_object"),
    "transport": Takes(lambda value: value in TRANSPORTS, f"be one of {', '.join(TRANSPORTS)}"),
    "tenant_sessions": Takes(lambda value: has(value, "for_tenant"), "be TenantSessions(...)").or_none(),
    "key_ttl_seconds": Takes(
        lambda value: is_positive(value, at_most=MAX_KEY_TTL_SECONDS),
        f"be a number of seconds, at most {MAX_KEY_TTL_SECONDS}",
    ),
    "key_cache": Takes(lambda value: isinstance(value, KeyCache), "be a KeyCache"),
    "ring_register": Takes(
        lambda value: has(value, "read", "write"), "have methods read and write, which are not async"
    ).or_none(),
    "remaining_seconds": Takes(is_function, "be a function without parameters, which is not async").or_none(),
    "touch_after_seconds": Takes(is_positive, "be a positive number of seconds").or_none(),
}
"""The valid values of each option in `StoreOptions`, except those with their own grammar: names, prefixes, labels."""


def options_of(settings: Settings, given: SettingsOverrides) -> StoreOptions:
    """Return a store's options from its settings and from what a program passes itself.

    Raises as `MemoryStore.from_settings`.
    """
    tenant = settings.tenant(given.get("tenant"))
    bucket, prefix = settings.bucket, settings.get("PREFIX", "")
    check_reach(settings.transport, bucket=bucket, prefix=prefix)
    s3_client, actor, auditor = given.get("s3_client"), given.get("actor"), given.get("auditor")
    sessions = settings.tenant_sessions()
    if sessions is not None and s3_client is not None:
        raise ConfigurationError("S3MEMORY_TENANT_ROLE_ARN is set, and an S3 client has its credentials already")
    source = settings.clients() if sessions is None else sessions.for_tenant(tenant)
    touch_after_days = settings.get("TOUCH_AFTER_DAYS")
    return StoreOptions(
        bucket=bucket,
        tenant=tenant,
        key_wrapper=settings.key_wrapper(source, tenant=tenant),
        bucket_owner=settings.get("BUCKET_OWNER"),
        prefix=prefix,
        redactor=settings.redactor(),
        limits=settings.limits(),
        name_mode=settings.get("NAME_MODE", PLAIN),
        read_only=settings.get("READ_ONLY", False),
        actor=settings.get("ACTOR") if actor is None else actor,
        auditor=settings.auditor() if auditor is None else auditor,
        s3_client=s3_client or settings.s3_client(source),
        key_ttl_seconds=settings.get("KEY_CACHE_SECONDS", DEFAULT_KEY_TTL_SECONDS),
        ring_register=settings.ring_register(source),
        remaining_seconds=given.get("remaining_seconds"),
        touch_after_seconds=None if touch_after_days is None else touch_after_days * _DAY_SECONDS,
    )


def passing_options_to(target: Callable[..., object]) -> Callable[[F], F]:
    """Make `help` and `inspect.signature` of a function show the options that it passes on to `target`."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        passed = [one for one in inspect.signature(target).parameters.values() if one.kind is one.KEYWORD_ONLY]
        own_positional = [one for one in own if one.kind is not one.KEYWORD_ONLY]
        parameters = [*own_positional, *passed, *own[len(own_positional) :]]
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # for inspect
        return function

    return decorate
