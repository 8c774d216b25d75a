"""`TenantSessions`: credentials for each tenant that give access to that tenant's memory only.

A role is assumed with the tenant as its session tag, and the role's policies compare this tag with object keys and
encryption contexts. If a bug makes the process mix up tenants, AWS refuses the request.
"""

from __future__ import annotations

import functools
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from s3memory._arguments import Takes, checking, client_for, is_positive
from s3memory.aws.client_hooks import adopt
from s3memory.aws.clients import BOTO3, ClientOptions, ClientSource, Keeper, SharedClients, clients_of_process
from s3memory.aws.sessions import client_of, session_with
from s3memory.aws.tenant_credentials import CredentialSource
from s3memory.errors import ConfigurationError
from s3memory.paths import check_tenant

if TYPE_CHECKING:
    import boto3
    from mypy_boto3_sts.client import STSClient

TENANT_TAG = "tenant"
"""Key of the session tag; policies refer to it as ``${aws:PrincipalTag/tenant}``."""

DEFAULT_DURATION_SECONDS = 3_600
"""The maximum that STS allows a process that already has a role, as a Lambda function does."""

DEFAULT_MAX_TENANTS = 64

# botocore renews credentials 15 minutes before they expire; it would renew shorter ones at every request.
_MIN_DURATION_SECONDS = 1_800
_MAX_DURATION_SECONDS = 43_200
# STS's limits.
_MAX_SESSION_NAME_CHARS = 64
_MAX_POLICY_CHARS = 2_048


def role_session_name(tenant: str) -> str:
    """Return the name of a tenant's session in CloudTrail and access logs: the tenant is the part before the ``@``.

    A long tenant's name may fill it all. Tenants can't contain an ``@``, so two tenants never share a session name.
    """
    return f"{tenant}@s3memory"[:_MAX_SESSION_NAME_CHARS]


@dataclass(frozen=True, slots=True)
class TenantSession(ClientSource):
    """One tenant's clients. Two are equal if STS would give them the same rights."""

    tenant: str
    _rights: tuple[object, ...] = field(repr=False)
    _clients: Callable[[], _TenantClients] = field(repr=False, compare=False)

    def client(self, service: str, endpoint_url: str | None = None, /, **options: Unpack[ClientOptions]) -> Any:
        """Return the tenant's client of a service; see `ClientSource`."""
        return self._clients().source.client(service, endpoint_url, **options)

    def boto3_session(self) -> boto3.Session:
        """Return a new boto3 session with the tenant's credentials, for other services or your own clients.

        It loads its own service models: create it once, not for every request.
        """
        import boto3  # the clients here are botocore's

        clients = self._clients()
        # boto3 extends the search path of a session's loader, so this must not be the shared loader.
        own = session_with(clients.credentials(), region_name=clients.region_name, share_models=False)
        return boto3.Session(botocore_session=own)


class TenantSessions(Keeper):
    """Creates a session for each tenant, and keeps the most recently used ones. Safe to share between threads.

    Neither the constructor nor `for_tenant` sends a request: STS is called when the first request to S3 or KMS is
    signed, and again before the credentials expire. Threads of one tenant share a call to STS. If STS refuses or does
    not respond, the tenant's old credentials are used until a minute before they expire, and STS is retried every 30 s,
    with a single attempt of at most 3 s. After that, the tenant's requests fail: there are no other credentials.

    IAM actions, of the process's own role on the tenant role: ``sts:AssumeRole``, ``sts:TagSession``. The tenant role
    needs the actions that `MemoryStore` and its key wrapper list.

    Args:
        role_arn: the role to assume for every tenant; ``terraform/`` creates one.
        duration_seconds: how long credentials last, 1,800 to 43,200. STS refuses more than 3,600 to a process that
            already has a role.
        session_policy: a policy that restricts the role's further, at most 2,048 characters as JSON.
        external_id: the external id that the role's trust policy requires of callers from another account.
        max_tenants: for how many tenants to keep clients and credentials, 0.7 MB each; drops the least recently used.
        region_name: region of the tenants' clients; the process's if left out.
        sts_client: a boto3 STS client; the process's shared one if left out.
        transport: what sends the clients' requests: ``boto3`` or ``fast``.

    Attributes:
        transport: the same.

    Raises:
        ConfigurationError: an argument is malformed.
    """

    @checking(
        # AWS-compatible servers have other formats after this.
        role_arn=Takes(
            lambda value: isinstance(value, str) and value.startswith("arn:"),
            "be the ARN of the role to assume for tenants",
        ),
        duration_seconds=Takes(
            lambda value: isinstance(value, int) and _MIN_DURATION_SECONDS <= value <= _MAX_DURATION_SECONDS,
            f"be {_MIN_DURATION_SECONDS:,} to {_MAX_DURATION_SECONDS:,} seconds",
        ),
        max_tenants=Takes(lambda value: isinstance(value, int) and is_positive(value), "be at least 1"),
        sts_client=client_for("STS", "assume_role"),
    )
    def __init__(
        self,
        role_arn: str,
        *,
        duration_seconds: int = DEFAULT_DURATION_SECONDS,
        session_policy: Mapping[str, object] | None = None,
        external_id: str | None = None,
        max_tenants: int = DEFAULT_MAX_TENANTS,
        region_name: str | None = None,
        sts_client: STSClient | None = None,
        transport: str = BOTO3,
    ) -> None:
        self._process = clients_of_process(transport)
        self.transport = transport
        self._role_arn = role_arn
        self._duration_seconds = duration_seconds
        self._more: dict[str, str] = {} if external_id is None else {"ExternalId": external_id}
        if session_policy is not None:
            self._more["Policy"] = _policy_text(session_policy)
        self._max_tenants = max_tenants
        self._region_name = region_name
        self._sts_client = sts_client
        if sts_client is not None:
            adopt(sts_client, is_counted=False)
        super().__init__()

    def for_tenant(self, tenant: str) -> TenantSession:
        """Return the session of a tenant. Sends no request.

        Raises:
            ConfigurationError: `tenant` is not a valid tenant name; see `check_tenant` for the grammar.
        """
        rights = (self._role_arn, *sorted(self._more.items()), self._region_name, id(self._sts_client), self.transport)
        return TenantSession(check_tenant(tenant), rights, functools.partial(self._clients_of, tenant))

    def forget(self) -> None:
        """Drop all credentials and clients, as before a Lambda SnapStart snapshot. Existing stores keep theirs."""
        with self._lock:
            self._by_tenant.clear()

    def reset_after_fork(self) -> None:
        """Start empty in a forked child, where a thread that no longer exists may have held the lock."""
        self._lock = threading.Lock()
        self._by_tenant: OrderedDict[str, _TenantClients] = OrderedDict()

    def __repr__(self) -> str:
        return f"TenantSessions(<{len(self._by_tenant)} tenants>)"

    def _clients_of(self, tenant: str) -> _TenantClients:
        with self._lock:
            clients = self._by_tenant.get(tenant)
            if clients is None:
                make_source = functools.partial(
                    CredentialSource, self._sts(), self._request(tenant), renew_with=lambda: self._sts(hasty=True)
                )
                make = _of_boto3 if self.transport == BOTO3 else _of_libcurl
                clients = self._by_tenant[tenant] = make(make_source, self._region_name)
            self._by_tenant.move_to_end(tenant)
            if len(self._by_tenant) > self._max_tenants:
                self._by_tenant.popitem(last=False)
            return clients

    def _sts(self, *, hasty: bool = False) -> STSClient:
        return self._sts_client or self._process.sts_client(hasty=hasty)

    def _request(self, tenant: str) -> dict[str, Any]:
        return {
            "RoleArn": self._role_arn,
            "RoleSessionName": role_session_name(tenant),
            "Tags": [{"Key": TENANT_TAG, "Value": tenant}],
            "DurationSeconds": self._duration_seconds,
            **self._more,
        }


def shared_tenant_sessions(role_arn: str, *, external_id: str | None = None, transport: str = BOTO3) -> TenantSessions:
    """Return the process's sessions for a role, with defaults for everything else."""
    # A separate cached function, since `lru_cache` distinguishes a default from the same value passed explicitly.
    return _shared(role_arn, external_id, transport)


@functools.lru_cache(maxsize=16)
def _shared(role_arn: str, external_id: str | None, transport: str) -> TenantSessions:
    return TenantSessions(role_arn, external_id=external_id, transport=transport)


class _TenantClients(NamedTuple):
    """One tenant's clients, and a function that returns its botocore credentials."""

    source: ClientSource
    credentials: Callable[[], Any]
    region_name: str | None


def _of_boto3(make_source: Callable[[], CredentialSource], region_name: str | None) -> _TenantClients:
    credentials = make_source().credentials()
    source = SharedClients(functools.partial(client_of, session_with(credentials, region_name=region_name)))
    return _TenantClients(source, lambda: credentials, region_name)


def _of_libcurl(make_source: Callable[[], CredentialSource], region_name: str | None) -> _TenantClients:
    from s3memory.aws.fast.clients import REACH, FastClients
    from s3memory.aws.fast.renewed_credentials import RenewedKeys

    source = FastClients(REACH, keys=RenewedKeys(make_source()), region_name=region_name)
    return _TenantClients(source, lambda: make_source().credentials(), region_name)


def _policy_text(policy: Mapping[str, object]) -> str:
    try:
        text = json.dumps(dict(policy), separators=(",", ":"))  # `dict` refuses a policy passed as text
    except (TypeError, ValueError):
        raise ConfigurationError("session_policy must be an IAM policy document") from None
    if len(text) > _MAX_POLICY_CHARS:
        raise ConfigurationError(f"session_policy must be at most {_MAX_POLICY_CHARS:,} characters as JSON")
    return text
