"""The clients of the second transport, for the process or for one tenant, as a `ClientSource`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

from s3memory.aws import clients
from s3memory.aws.fast.http import Curl, SigningKeys, load
from s3memory.aws.fast.retries import Retries
from s3memory.aws.fast.service import Service
from s3memory.aws.fast.surroundings import Surroundings, checked_address, checked_region, domain_of, look_around

if TYPE_CHECKING:
    from s3memory.aws.fast.others import SecretsManager


class Reach(clients.Keeper):
    """The process's AWS settings and its connections, read and created when first needed."""

    _found: tuple[Surroundings, Curl] | None

    def __call__(self) -> tuple[Surroundings, Curl]:
        """Return the settings and the connections.

        Raises:
            ConfigurationError: pycurl is missing, or this transport can't follow one of the settings.
        """
        with self._lock:
            if self._found is None:
                load()
                found = look_around()
                self._found = (found, Curl(found.route))
            return self._found

    def forget(self) -> None:
        """Drop the settings, to read them again when next needed, and close the idle connections."""
        with self._lock:
            found, self._found = self._found, None
        if found is not None:
            found[1].close()

    def reset_after_fork(self) -> None:
        """Start empty in a forked child, where the lock may have been held."""
        self._lock = threading.Lock()
        self._found = None


class FastClients(clients.ProcessClients):
    """Clients on libcurl. `keys` returns an attempt's credentials; keys and region are the process's if left out."""

    def __init__(
        self, reach: Reach, *, keys: Callable[[], SigningKeys] | None = None, region_name: str | None = None
    ) -> None:
        super().__init__()
        self._reach = reach
        self._keys = keys
        self._region_name = region_name

    def secrets_client(self) -> SecretsManager:
        """Return the client of Secrets Manager, from which the Lambda function gets its API key."""
        client: SecretsManager = self.client("secretsmanager")
        return client

    def _new(self, name: str, endpoint_url: str | None, **options: Unpack[clients.ClientOptions]) -> Any:
        found, exchange = self._reach()
        region = self._region_name or found.region
        configured = endpoint_url or found.endpoint("SECRETS_MANAGER" if name == "secretsmanager" else name.upper())
        timeout = clients.HASTY_READ_TIMEOUT_SECONDS if options.get("hasty") else clients.READ_TIMEOUT_SECONDS
        service = Service(
            name=name,
            address=checked_address(configured) if configured else f"https://{name}.{region}.{domain_of(region)}",
            region=checked_region(region),
            keys=self._keys or found.keys,
            exchange=exchange,
            retries=Retries(1 if options.get("hasty") else clients.MAX_ATTEMPTS),
            timeout_seconds=timeout,
        )
        if name != "s3":
            from s3memory.aws.fast import others

            made = {
                "kms": others.Kms,
                "dynamodb": others.DynamoDb,
                "sts": others.Sts,
                "secretsmanager": others.SecretsManager,
            }
            return made[name](service)
        from s3memory.aws.fast.s3 import S3

        return S3(
            service,
            is_aws=not configured,
            uses_paths=found.uses_paths,
            sends_checksums=options.get("checksums", clients.DEFAULT_CHECKSUMS) == clients.DEFAULT_CHECKSUMS,
            validates_checksums=found.validates_checksums,
        )


REACH = Reach()
"""The process's settings and connections, for its own clients and those of tenants."""

PROCESS = FastClients(REACH)
"""The process's clients."""
