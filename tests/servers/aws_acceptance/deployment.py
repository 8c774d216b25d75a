"""The deployment under test: Terraform's outputs, and clients for its users."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import ClientError
from steps import CheckError

from aws_acceptance.budget import Budget
from s3memory import MemoryCommands
from s3memory.aws.tenant_sessions import TenantSession, shared_tenant_sessions

TENANT, OTHER = "acme", "globex"


@dataclass(frozen=True, slots=True)
class Deployed:
    """An applied deployment.

    Attributes:
        outputs: Terraform's outputs, by name.
        region: the AWS region.
        budget: counts the requests.
        is_real: whether it is on AWS, not on moto.
    """

    outputs: Mapping[str, Any]
    region: str
    budget: Budget
    is_real: bool

    @property
    def environment(self) -> dict[str, str]:
        """The settings of an agent."""
        given: Mapping[str, str] = self.outputs["environment"]
        return {name: value for name, value in given.items() if name.startswith("S3MEMORY_")}

    @property
    def operators_environment(self) -> dict[str, str]:
        """The settings of an operator, who reaches every tenant without assuming its role."""
        return {name: value for name, value in self.environment.items() if name != "S3MEMORY_TENANT_ROLE_ARN"}

    @property
    def bucket(self) -> str:
        """The bucket's name."""
        return self.environment["S3MEMORY_BUCKET"]

    @property
    def prefix(self) -> str:
        """The prefix of all object keys."""
        return self.environment.get("S3MEMORY_PREFIX", "")

    def client(self, service: str) -> Any:
        """Return a client with the credentials of this process, whose requests are counted."""
        client = boto3.client(service, region_name=self.region)  # type: ignore[call-overload]  # any service
        self.budget.watch(client)
        return client

    def session(self, tenant: str) -> TenantSession:
        """Return a tenant's session, whose requests are counted."""
        session = shared_tenant_sessions(self.environment["S3MEMORY_TENANT_ROLE_ARN"]).for_tenant(tenant)
        self.budget.watch(session.s3_client(), session.kms_client())
        return session

    def commands(self, tenant: str) -> MemoryCommands:
        """Return a tenant's commands, as an agent has them."""
        self.session(tenant)
        return MemoryCommands.from_env(tenant=tenant, environ=self.environment)

    def run(self, *arguments: str, codes: tuple[int, ...] = (0,), as_agent: bool = False) -> str:
        """Run an s3memory command as an operator, or with a tenant's session. Return its standard output.

        Raises:
            CheckError: its exit code is not one of `codes`.
        """
        self.budget.ensure()
        given = self.environment if as_agent else self.operators_environment
        kept = {name: value for name, value in os.environ.items() if not name.startswith("S3MEMORY_")}
        done = subprocess.run(  # noqa: S603 - this project's command
            [sys.executable, "-m", "s3memory", *arguments],
            env={**kept, **self._endpoints(), **given},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        if done.returncode not in codes:
            raise CheckError(f"s3memory {arguments[0]} ended with {done.returncode}: {done.stderr or done.stdout}")
        return done.stdout

    @staticmethod
    def _endpoints() -> dict[str, str]:
        return {
            name: value for name, value in os.environ.items() if name.startswith("S3MEMORY_") and "ENDPOINT" in name
        }


@contextlib.contextmanager
def refused(*codes: str) -> Iterator[None]:
    """Expect a refusal with one of these codes.

    Raises:
        CheckError: there is another error, or none.
    """
    try:
        yield
    except ClientError as error:
        code = code_of(error)
        if code not in codes:
            raise CheckError(f"{code}, not {' or '.join(codes)}") from None
        return
    raise CheckError(f"it was allowed, not {' or '.join(codes)}")


def code_of(error: ClientError) -> str:
    """Return the error code of a response."""
    return error.response.get("Error", {}).get("Code", "no code")


def loaded(text: str) -> Any:
    """Return the value of a JSON text."""
    return json.loads(text)
