"""AWS clients, created when first needed and then shared.

A session keeps the credentials that it found. So a session that was created here is dropped together with the clients.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypedDict, TypeVar, Unpack

from s3memory._forks import OfOneProcess, living
from s3memory.aws import sessions
from s3memory.aws.client_hooks import adopt
from s3memory.aws.signing_credentials import reason_of
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from botocore.config import Config
    from mypy_boto3_kms.client import KMSClient
    from mypy_boto3_s3.client import S3Client
    from mypy_boto3_sts.client import STSClient

C = TypeVar("C")

BOTO3, FAST = "boto3", "fast"
TRANSPORTS = (BOTO3, FAST)
"""What can carry the requests: boto3's clients, or libcurl."""

MAX_CONNECTIONS = 50
# Our objects are small: S3 responds in a fraction of these times, or a retry is better. Three attempts without a
# response take 15 s.
CONNECT_TIMEOUT_SECONDS = 1.0
READ_TIMEOUT_SECONDS = 5.0
MAX_ATTEMPTS = 3
HASTY_READ_TIMEOUT_SECONDS = 2.0
DEFAULT_CHECKSUMS = "when_supported"


class DynamoDBClient(Protocol):
    """The requests that this package sends to DynamoDB, named as in boto3's client."""

    def get_item(self, *, TableName: str, Key: Mapping[str, Any], ConsistentRead: bool) -> Mapping[str, Any]:
        """Fetch an item: ``Item``, if there is one."""

    def put_item(
        self,
        *,
        TableName: str,
        Item: Mapping[str, Any],
        ConditionExpression: str,
        ExpressionAttributeValues: Mapping[str, Any] = ...,
    ) -> Mapping[str, Any]:
        """Store an item if the condition holds for the stored one."""


class ClientOptions(TypedDict, total=False):
    """Options of a client.

    Attributes:
        checksums: for S3: ``when_supported`` (CRC32 on every PUT) or ``when_required``, for servers that refuse those.
        hasty: for requests that nothing depends on yet: a single attempt, of 3 s at most.
    """

    checksums: str
    hasty: bool


class ClientSource(ABC):
    """A source of clients: the process, or one tenant's session. Sources with the same credentials are equal."""

    @abstractmethod
    def client(self, service: str, endpoint_url: str | None = None, /, **options: Unpack[ClientOptions]) -> Any:
        """Return the client of a service, shared within the process. Sends no request.

        Args:
            service: AWS's name for it, such as ``s3``.
            endpoint_url: a server other than AWS. Its buckets are addressed by path, not by host name.
            options: see `ClientOptions`.

        Raises:
            ConfigurationError: no region is set, or the endpoint is malformed.
        """

    def s3_client(self, *, endpoint_url: str | None = None, checksums: str = DEFAULT_CHECKSUMS) -> S3Client:
        """Return the S3 client for an endpoint; see `client`."""
        client: S3Client = self.client("s3", endpoint_url, checksums=checksums)
        return client

    def kms_client(self, *, endpoint_url: str | None = None) -> KMSClient:
        """Return the KMS client for an endpoint; see `client`."""
        client: KMSClient = self.client("kms", endpoint_url)
        return client

    def dynamodb_client(self, *, hasty: bool = False) -> DynamoDBClient:
        """Return the DynamoDB client; see `client`."""
        client: DynamoDBClient = self.client("dynamodb", hasty=hasty)
        return client


class ClientUser(Generic[C]):
    """Something that calls a service with its own client, or with a source's: the process's, unless replaced.

    Two are equal if they make the same calls with the same credentials.

    Args:
        client: its own client, if it has one.
        called: the name of the argument that passed the client, for the error.
    """

    def __init__(self, client: C | None, *, called: str) -> None:
        if client is not None:
            adopt(client)
        self._client = client
        self._called = called
        self._clients: ClientSource = PROCESS

    @property
    def has_own_client(self) -> bool:
        """Whether it was given its own client."""
        return self._client is not None

    def with_clients(self, clients: ClientSource, /) -> Self:
        """Return a copy that calls the service with these clients, such as a tenant's.

        Raises:
            ConfigurationError: this one has its own client.
        """
        if self.has_own_client:
            raise ConfigurationError(
                f"give either {self._called} or tenant_sessions: a client has its credentials already"
            )
        other = copy(self)
        other._clients = clients  # noqa: SLF001 - of this class
        return other

    def _identity(self) -> tuple[object, ...]:
        # Clients carry credentials: a key unwrapped for one role or session must not be used for another.
        return (self._clients, None if self._client is None else id(self._client))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"


class Keeper(OfOneProcess):
    """Something with its own clients and credentials. It forgets them whenever the shared ones are dropped."""

    @abstractmethod
    def forget(self) -> None:
        """Drop the clients and credentials."""


class ProcessClients(Keeper, ClientSource):
    """The clients of a session or a transport, each created when first needed and then shared."""

    def client(self, service: str, endpoint_url: str | None = None, /, **options: Unpack[ClientOptions]) -> Any:
        """Return the client of a service; see `ClientSource`."""
        identity = (service, endpoint_url, *sorted(options.items()))
        with self._lock:
            if identity not in self._made:
                self._made[identity] = self._new(service, endpoint_url, **options)
            return self._made[identity]

    @abstractmethod
    def _new(self, service: str, endpoint_url: str | None, **options: Unpack[ClientOptions]) -> Any:
        """Create a client."""

    def sts_client(self, *, hasty: bool = False) -> STSClient:
        """Return the STS client; see `client`."""
        client: STSClient = self.client("sts", hasty=hasty)
        return client

    def forget(self) -> None:
        """Drop the clients with their credentials and connections."""
        with self._lock:
            self._made.clear()

    def reset_after_fork(self) -> None:
        """Start without clients in a forked child: on a shared connection, parent and child would mix up responses."""
        self._lock = threading.Lock()
        self._made: dict[Hashable, Any] = {}


class SharedClients(ProcessClients):
    """The clients of one boto3 or botocore session. `make` takes the arguments of `boto3.client`."""

    def __init__(self, make: Callable[..., Any]) -> None:
        super().__init__()
        self._make = make

    def _new(self, service: str, endpoint_url: str | None, **options: Unpack[ClientOptions]) -> Any:
        from botocore.exceptions import NoRegionError

        config: dict[str, Any] = {}
        if service == "s3":
            config["request_checksum_calculation"] = options.get("checksums", DEFAULT_CHECKSUMS)
            config["s3"] = {"addressing_style": "path"} if endpoint_url else None
        if options.get("hasty"):
            config["read_timeout"] = HASTY_READ_TIMEOUT_SECONDS
            config["retries"] = {"mode": "standard", "total_max_attempts": 1}
        try:
            with sessions.making.lock:
                client = self._make(service, endpoint_url=endpoint_url, config=_config(**config))
        except Exception as error:  # what the search for credentials raises is not documented
            reason = "set AWS_REGION" if isinstance(error, NoRegionError) else reason_of(error)
            raise ConfigurationError(f"no {service.upper()} client can be made: {reason}") from error
        adopt(client, is_counted=service != "sts")
        return client


def clients_of_process(transport: str) -> ProcessClients:
    """Return the process's clients for one of `TRANSPORTS`. Raise `ConfigurationError` for any other transport."""
    if transport == BOTO3:
        return PROCESS
    if transport != FAST:
        raise ConfigurationError(f"transport must be one of {', '.join(TRANSPORTS)}")
    from s3memory.aws.fast import clients as fast

    return fast.PROCESS


def check_reach(transport: str, *, bucket: str, prefix: str) -> None:
    """Refuse a bucket or a prefix that a transport can't address.

    Raises:
        ConfigurationError: the bucket is not a name, but an ARN, say, or a part of the prefix is ``.`` or ``..``.
    """
    if transport != FAST:
        return
    from s3memory.aws.fast.s3 import check_addressable

    check_addressable(bucket)
    if not {".", ".."}.isdisjoint(prefix.split("/")):
        raise ConfigurationError("transport 'fast' can't ask for keys below . or .., as S3MEMORY_PREFIX has it")


def forget_clients() -> None:
    """Drop the shared clients, those of tenants included, with their credentials and connections.

    The session that holds the process's credentials (boto3's default session, or botocore's in a process without boto3)
    is dropped if this package created it. A session that the program created, with `boto3.client` or
    `boto3.setup_default_session`, is the program's to drop (``boto3.DEFAULT_SESSION = None``): it may have a setup
    that could not be restored. Stores, tools and clients that are still in use keep what they have.
    """
    sessions.drop_own_sessions()
    for keeper in living(Keeper):  # type: ignore[type-abstract]  # those that tenants' clients depend on come first
        keeper.forget()


def _config(**more: Any) -> Config:
    from botocore.config import Config

    # "standard" retries with explicit limits. AWS advises against "adaptive" if one client serves many tenants.
    usual: dict[str, Any] = {
        "connect_timeout": CONNECT_TIMEOUT_SECONDS,
        "read_timeout": READ_TIMEOUT_SECONDS,
        "retries": {"mode": "standard", "total_max_attempts": MAX_ATTEMPTS},
        "max_pool_connections": MAX_CONNECTIONS,
        "user_agent_extra": "s3memory",
    }
    return Config(**{**usual, **more})


PROCESS = SharedClients(sessions.client_of_the_process)
"""The process's clients."""
