"""What the doctor examines: a bucket, the credentials that reach it, and the key that wraps data keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from s3memory.audit import Auditor
from s3memory.aws import clients
from s3memory.aws.clients import DynamoDBClient
from s3memory.config.settings import Settings
from s3memory.format.object_keys import Layout
from s3memory.keys.open_key_ring import KeyWrapper
from s3memory.paths import check_prefix, check_tenant
from s3memory.s3.client_wrappers import expecting_owner

if TYPE_CHECKING:
    from mypy_boto3_kms.client import KMSClient
    from mypy_boto3_s3.client import S3Client


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterTable:
    """The table of a register of key rings, and the clients for it.

    Attributes:
        name: name or ARN of the table.
        agents: the client that agents use: with the tenant's session, if there are tenant sessions.
        operators: boto3's client, which reads the table's settings; it may be the same.
    """

    name: str
    agents: DynamoDBClient
    operators: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A bucket for one tenant, as an agent reaches it.

    Attributes:
        bucket: its name.
        tenant: the tenant.
        prefix: the prefix of all object keys.
        s3: the client that agents use: with the tenant's session, if there are tenant sessions.
        operator_s3: the client that reads the bucket's settings; it may be the same.
        key_wrapper: wraps data keys.
        kms: the client that unwraps data keys; ``None`` if they are not wrapped by KMS.
        kms_key_id: the KMS key that wraps new data keys.
        has_tenant_sessions: whether `s3` and `kms` have the permissions of this tenant only.
        register: the register of key rings, if there is one.
        actor: the actor in the audit event.
        auditor: receives an audit event for the examination; without one, there is none.
    """

    bucket: str
    tenant: str
    s3: S3Client
    operator_s3: S3Client
    key_wrapper: KeyWrapper
    prefix: str = ""
    kms: KMSClient | None = None
    kms_key_id: str | None = None
    has_tenant_sessions: bool = False
    register: RegisterTable | None = None
    actor: str | None = None
    auditor: Auditor | None = None

    @classmethod
    def from_settings(cls, settings: Settings, *, tenant: str | None = None) -> Self:
        """Return the deployment that the ``S3MEMORY_*`` settings name. The tenant defaults to ``S3MEMORY_TENANT``.

        Raises:
            ConfigurationError: a setting is missing or malformed.
        """
        tenant = check_tenant(settings.tenant(tenant))
        sessions = settings.tenant_sessions(transport=clients.BOTO3)  # only boto3 has all requests of the checks
        source = clients.PROCESS if sessions is None else sessions.for_tenant(tenant)
        owner = settings.get("BUCKET_OWNER")
        key_ids = settings.kms_key_ids(tenant)
        table = settings.get("KEY_RING_TABLE")
        return cls(
            bucket=settings.bucket,
            tenant=tenant,
            prefix=check_prefix(settings.get("PREFIX", "")),
            s3=expecting_owner(settings.s3_client(source), owner),
            key_wrapper=settings.key_wrapper(source, tenant=tenant),
            operator_s3=expecting_owner(settings.s3_client(clients.PROCESS), owner),
            kms=source.kms_client(endpoint_url=settings.get("KMS_ENDPOINT_URL")) if key_ids else None,
            kms_key_id=key_ids[0] if key_ids else None,
            has_tenant_sessions=sessions is not None,
            register=None
            if table is None
            else RegisterTable(
                name=table, agents=source.dynamodb_client(), operators=clients.PROCESS.dynamodb_client()
            ),
            actor=settings.get("ACTOR"),
            auditor=settings.auditor(),
        )

    @property
    def layout(self) -> Layout:
        """The tenant's object keys."""
        return Layout(self.prefix, self.tenant)
