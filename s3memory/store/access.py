"""Which clients a store uses: those it was given, one tenant's, or the process's."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from s3memory.aws.clients import BOTO3, ClientSource, ClientUser, check_reach, clients_of_process
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from s3memory.aws.tenant_sessions import TenantSessions
    from s3memory.keys.open_key_ring import KeyWrapper
    from s3memory.keys.ring_register import RingRegister
    from s3memory.s3.transport import Transport

T = TypeVar("T")


def access_of(
    bucket: str,
    prefix: str,
    tenant: str,
    *,
    key_wrapper: KeyWrapper,
    ring_register: RingRegister | None,
    s3_client: Transport | None,
    transport: str,
    tenant_sessions: TenantSessions | None,
) -> tuple[Transport, KeyWrapper, RingRegister | None]:
    """Return a store's S3 client, key wrapper and register, with clients from the same source.

    The arguments are those of `MemoryStore`.

    Raises:
        ConfigurationError: they contradict each other, there is no such transport, or it can't reach such a bucket.
    """
    if tenant_sessions is not None:
        session = tenant_sessions.for_tenant(tenant)
        if s3_client is not None:
            raise ConfigurationError("give either s3_client or tenant_sessions: a client has its credentials already")
        if transport not in {BOTO3, tenant_sessions.transport}:
            raise ConfigurationError("give transport to TenantSessions: they make the clients")
        check_reach(tenant_sessions.transport, bucket=bucket, prefix=prefix)
        return session.s3_client(), _bound(session, key_wrapper), _bound(session, ring_register)
    if transport == BOTO3:
        return s3_client or clients_of_process(BOTO3).s3_client(), key_wrapper, ring_register
    if s3_client is not None:
        raise ConfigurationError("give either s3_client or transport: a client is a transport already")
    check_reach(transport, bucket=bucket, prefix=prefix)
    source = clients_of_process(transport)
    wrapper, register = _bound(source, key_wrapper, or_own=True), _bound(source, ring_register, or_own=True)
    return source.s3_client(), wrapper, register


def _bound(source: ClientSource, one: T, *, or_own: bool = False) -> T:
    """Return a key wrapper or register that uses this source's clients, if it uses any. `or_own` keeps its own one."""
    if not isinstance(one, ClientUser) or (or_own and one.has_own_client):
        return one
    return one.with_clients(source)
