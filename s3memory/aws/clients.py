"""AWS clients, made when they are first needed and shared from then on.

A session keeps the credentials that it found, so one that was made here is dropped with the clients.
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
from s3memory.aws.signing_credentials import told_of
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
# An object of ours is small: S3 answers in a fraction of these, or is better asked again. Three unanswered attempts
# take 15 s.
CONNECT_TIMEOUT_SECONDS = 1.0
READ_TIMEOUT_SECONDS = 5.0
MAX_ATTEMPTS = 3
HASTY_READ_TIMEOUT_SECONDS = 2.0
DEFAULT_CHECKSUMS = "when_supported"


class DynamoDBClient(Protocol):
    """The requests that this package makes of DynamoDB, with the names of boto3's client."""

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
        """Store an item where the condition holds for what is there."""


class ClientOptions(TypedDict, total=False):
    """What a client can be asked for.

    Attributes:
        checksums: of S3: ``when_supported`` (CRC32 on every PUT) or ``when_required``, for servers that refuse those.
        hasty: for a request that nothing depends on yet: one try, of 3 s at most.
    """

    checksums: str
    hasty: bool


class ClientSource(ABC):
    """A source of clients: the process, or one tenant's session. Two are equal if they have the same credentials."""

    @abstractmethod
    def client(self, service: str, endpoint_url: str | None = None, /, **options: Unpack[ClientOptions]) -> Any:
        """Return the client of a service, shared by the process. No request is made.

        Args:
            service: what AWS calls it, such as ``s3``.
            endpoint_url: another server than AWS; it is addressed by path, since its host name has no buckets.
            options: those of `ClientOptions`.

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
    """Something that calls a service by its own client, or by a source's clients, the process's at first.

    Two are equal if they call the same with the same credentials.

    Args:
        client: a client of its own, if it has one.
        called: the argument that it was given by, for the error.
    """

    def __init__(self, client: C | None, *, called: str) -> None:
        if client is not None:
            adopt(client)
        self._client = client
        self._called = called
        self._clients: ClientSource = PROCESS

    @property
    def has_own_client(self) -> bool:
        """Whether it was given a client of its own."""
        return self._client is not None

    def with_clients(self, clients: ClientSource, /) -> Self:
        """Return the same, but calling the service with these clients, such as a tenant's.

        Raises:
            ConfigurationError: this one has a client of its own.
        """
        if self.has_own_client:
            raise ConfigurationError(
                f"give either {self._called} or tenant_sessions: a client has its credentials already"
            )
        other = copy(self)
        other._clients = clients  # noqa: SLF001 - of this class
        return other

    def _identity(self) -> tuple[object, ...]:
        # Clients carry credentials: keys that one role or session unwrapped are not for another.
        return (self._clients, None if self._client is None else id(self._client))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"


class Keeper(OfOneProcess):
    """Something with its own clients and credentials. It forgets them whenever the shared ones are forgotten."""

    @abstractmethod
    def forget(self) -> None:
        """Drop them."""


class ProcessClients(Keeper, ClientSource):
    """The clients of a session, or of a transport, each made when it is first needed and shared from then on."""

    def client(self, service: str, endpoint_url: str | None = None, /, **options: Unpack[ClientOptions]) -> Any:
        """Return the client of a service; see `ClientSource`."""
        identity = (service, endpoint_url, *sorted(options.items()))
        with self._lock:
            if identity not in self._made:
                self._made[identity] = self._new(service, endpoint_url, **options)
            return self._made[identity]

    @abstractmethod
    def _new(self, service: str, endpoint_url: str | None, **options: Unpack[ClientOptions]) -> Any:
        """Make a client."""

    def sts_client(self, *, hasty: bool = False) -> STSClient:
        """Return the STS client; see `client`."""
        client: STSClient = self.client("sts", hasty=hasty)
        return client

    def forget(self) -> None:
        """Drop the clients, and with them their credentials and connections."""
        with self._lock:
            self._made.clear()

    def begin_anew(self) -> None:
        """Have clients of its own in a forked child: of two that share a connection, each would read the other's."""
        self._lock = threading.Lock()
        self._made: dict[Hashable, Any] = {}


class SharedClients(ProcessClients):
    """The clients of one session of boto3's or botocore's, which makes them as `boto3.client` does."""

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
        except Exception as error:  # no list of what looking for credentials raises is known
            reason = "set AWS_REGION" if isinstance(error, NoRegionError) else told_of(error)
            raise ConfigurationError(f"no {service.upper()} client can be made: {reason}") from error
        adopt(client, is_counted=service != "sts")
        return client


def clients_of_process(transport: str) -> ProcessClients:
    """Return the clients of the process, by one of `TRANSPORTS`, or raise `ConfigurationError` if it is none."""
    if transport == BOTO3:
        return PROCESS
    if transport != FAST:
        raise ConfigurationError(f"transport must be one of {', '.join(TRANSPORTS)}")
    from s3memory.aws.fast import clients as fast

    return fast.PROCESS


def check_reach(transport: str, *, bucket: str, prefix: str) -> None:
    """Refuse a bucket or a prefix that a transport can't ask for.

    Raises:
        ConfigurationError: the bucket is no bucket's name, such as an ARN, or the prefix has ``.`` or ``..`` as a part.
    """
    if transport != FAST:
        return
    from s3memory.aws.fast.s3 import check_addressable

    check_addressable(bucket)
    if not {".", ".."}.isdisjoint(prefix.split("/")):
        raise ConfigurationError("transport 'fast' can't ask for keys below . or .., as S3MEMORY_PREFIX has it")


def forget_clients() -> None:
    """Drop the shared clients, and with them their credentials and connections; those of tenants too.

    The session in which the process's credentials are, boto3's default one or that of a process without boto3, is
    dropped if this package made it. One that the program made itself, by `boto3.client` or
    `boto3.setup_default_session`, is the program's to drop (``boto3.DEFAULT_SESSION = None``): it may be set up in a
    way that could not be found again. Stores, tools and clients that somebody still holds keep what they have.
    """
    sessions.drop_own_sessions()
    for keeper in living(Keeper):  # type: ignore[type-abstract]  # those that tenants' clients stand on come first
        keeper.forget()


def _config(**more: Any) -> Config:
    from botocore.config import Config

    # "standard" retries with explicit limits: AWS advises against "adaptive" where one client serves many tenants.
    usual: dict[str, Any] = {
        "connect_timeout": CONNECT_TIMEOUT_SECONDS,
        "read_timeout": READ_TIMEOUT_SECONDS,
        "retries": {"mode": "standard", "total_max_attempts": MAX_ATTEMPTS},
        "max_pool_connections": MAX_CONNECTIONS,
        "user_agent_extra": "s3memory",
    }
    return Config(**{**usual, **more})


PROCESS = SharedClients(sessions.client_of_the_process)
"""The clients of the process."""
