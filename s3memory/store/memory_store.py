"""`MemoryStore`: the files of one tenant, made of a bucket, a key wrapper, a redactor and limits, or of settings."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Self

from s3memory.aws import clients
from s3memory.aws.retry import RetryPolicy
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError
from s3memory.format.actor_labels import check_actor
from s3memory.format.names import ENCRYPTED_REQUIRED, NAME_MODES, PLAIN
from s3memory.format.object_keys import Layout
from s3memory.keys.open_key_ring import KeyWrapper
from s3memory.keys.tenant_keys import DEFAULT_KEY_TTL_SECONDS, MAX_KEY_TTL_SECONDS, PROCESS_CACHE, KeyCache, TenantKeys
from s3memory.limits import Limits
from s3memory.redaction import Redactor
from s3memory.redaction.default import DEFAULT_REDACTOR
from s3memory.s3.bucket import Bucket
from s3memory.store.quotas import Quotas
from s3memory.store.sealing import TextSealer
from s3memory.store.writer import MemoryWriter

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from s3memory.audit import Auditor
    from s3memory.aws.tenant_sessions import TenantSessions

DEFAULT_LIMITS = Limits()

_DAY_SECONDS = 86_400.0


class MemoryStore(MemoryWriter):
    """The files of one tenant. Safe to share between threads and with forked children; makes no request by itself.

    IAM actions: ``s3:GetObject``, ``s3:PutObject`` and ``s3:DeleteObject`` on the tenant's files and intents,
    ``s3:ListBucket`` for their prefixes, ``s3:GetObject`` on its key ring, ``s3:PutObject`` on it to make one; and
    those of the key wrapper.

    Args:
        bucket: name of the S3 bucket.
        tenant: whose memory it is; see `check_tenant` for the grammar.
        key_wrapper: what wraps the tenant's data keys.
        bucket_owner: the AWS account that the bucket has to belong to, 12 digits: S3 refuses all requests if it is
            another's.
        prefix: what all object keys begin with: empty, or ending in ``/``.
        redactor: filters every text and path that is written; ``None`` stores text as it is.
        limits: sizes and tries.
        name_mode: ``plain`` or ``encrypted`` object keys, for a key ring that is yet to be made; an existing key ring
            keeps the mode it was made with. ``encrypted-required`` makes encrypted ones, and refuses every use of a
            tenant whose key ring is plain, with a `ConfigurationError`.
        read_only: refuse every write.
        actor: who makes the changes, such as an agent or a session: a label of at most 128 bytes that is sealed beside
            each text that is written. Nobody checks it. Left out, none is stored.
        auditor: is told of every command; nobody is if left out.
        s3_client: a boto3 S3 client; the process's shared one if left out.
        tenant_sessions: reach S3 and KMS with credentials for this tenant alone, in place of the process's.
        key_ttl_seconds: how long unwrapped keys stay in memory.
        key_cache: where they are kept; shared by the process if left out.
        remaining_seconds: how much time the caller has left, such as a Lambda's.
        touch_after_seconds: a file that is viewed, and was last written or touched longer ago, is stored again as it
            is, so that S3 tells when it was last used; ``None`` leaves it alone.

    Raises:
        ConfigurationError: an argument is malformed, or a client is given beside `tenant_sessions`.
    """

    def __init__(
        self,
        *,
        bucket: str,
        tenant: str,
        key_wrapper: KeyWrapper,
        bucket_owner: str | None = None,
        prefix: str = "",
        redactor: Redactor | None = DEFAULT_REDACTOR,
        limits: Limits = DEFAULT_LIMITS,
        name_mode: str = PLAIN,
        read_only: bool = False,
        actor: str | None = None,
        auditor: Auditor | None = None,
        s3_client: S3Client | None = None,
        tenant_sessions: TenantSessions | None = None,
        key_ttl_seconds: float = DEFAULT_KEY_TTL_SECONDS,
        key_cache: KeyCache = PROCESS_CACHE,
        remaining_seconds: Callable[[], float] | None = None,
        touch_after_seconds: float | None = None,
    ) -> None:
        if not bucket or not isinstance(bucket, str):
            raise ConfigurationError("bucket must be the name of an S3 bucket")
        if name_mode not in {*NAME_MODES, ENCRYPTED_REQUIRED}:
            raise ConfigurationError(f"name_mode must be one of {', '.join((*NAME_MODES, ENCRYPTED_REQUIRED))}")
        if not 0 < key_ttl_seconds <= MAX_KEY_TTL_SECONDS:
            raise ConfigurationError(f"key_ttl_seconds must be a number of seconds, at most {MAX_KEY_TTL_SECONDS}")
        if touch_after_seconds is not None and not touch_after_seconds > 0:
            raise ConfigurationError("touch_after_seconds must be a positive number of seconds, or None")
        if not isinstance(key_wrapper, KeyWrapper):
            raise ConfigurationError("key_wrapper must be a KmsKeyWrapper, a LocalKeyWrapper or another KeyWrapper")
        if redactor is not None and not isinstance(redactor, Redactor):
            raise ConfigurationError("redactor must have a method redact(text), or be None")
        if tenant_sessions is not None:
            session = tenant_sessions.for_tenant(tenant)
            if s3_client is not None:
                raise ConfigurationError(
                    "give either s3_client or tenant_sessions: a client has its credentials already"
                )
            s3_client = session.s3_client()
            if isinstance(key_wrapper, clients.UsesClients):
                key_wrapper = key_wrapper.with_clients(session)
        self.tenant = tenant
        self.layout = Layout(prefix, tenant)
        self.limits = limits
        self.read_only = read_only
        self.actor = None if actor is None else check_actor(actor)
        self.auditor = auditor
        self.retry = RetryPolicy(max_tries=limits.max_tries, remaining_seconds=remaining_seconds)
        self.bucket = Bucket(
            s3_client or clients.PROCESS.s3_client(),
            bucket,
            retry=self.retry,
            owner=bucket_owner,
            max_object_bytes=limits.max_sealed_bytes,
        )
        self.keys = TenantKeys(
            bucket=self.bucket,
            object_key=self.layout.key_ring,
            memories_prefix=self.layout.memories_prefix,
            tenant=tenant,
            wrapper=key_wrapper,
            name_mode=name_mode,
            cache=key_cache,
            ttl_seconds=key_ttl_seconds,
        )
        self.texts = TextSealer(self.keys, redactor, limits)
        self.quotas = Quotas(self.bucket, self.layout.memories_prefix, limits)
        self.touch_after_seconds = touch_after_seconds

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        tenant: str | None = None,
        actor: str | None = None,
        auditor: Auditor | None = None,
        s3_client: S3Client | None = None,
        remaining_seconds: Callable[[], float] | None = None,
    ) -> Self:
        """Make a store from ``S3MEMORY_*`` settings.

        Args:
            settings: what the environment says.
            tenant: whose memory; ``S3MEMORY_TENANT`` if left out.
            actor: who makes the changes; ``S3MEMORY_ACTOR`` if left out.
            auditor: is told of every command; as ``S3MEMORY_AUDIT`` says if left out.
            s3_client: a client to use in place of the process's shared one.
            remaining_seconds: as for the class.

        Raises:
            ConfigurationError: a setting is missing or malformed, or contradicts a client that is given; the text names
                its variable.
        """
        tenant = settings.tenant(tenant)
        sessions = settings.tenant_sessions()
        if sessions is not None and s3_client is not None:
            raise ConfigurationError("S3MEMORY_TENANT_ROLE_ARN is set, and an S3 client has its credentials already")
        source = clients.PROCESS if sessions is None else sessions.for_tenant(tenant)
        touch_after_days = settings.get("TOUCH_AFTER_DAYS")
        return cls(
            bucket=settings.require("BUCKET"),
            tenant=tenant,
            key_wrapper=settings.key_wrapper(source, tenant=tenant),
            bucket_owner=settings.get("BUCKET_OWNER"),
            prefix=settings.get("PREFIX", ""),
            redactor=settings.redactor(),
            limits=settings.limits(),
            name_mode=settings.get("NAME_MODE", PLAIN),
            read_only=settings.get("READ_ONLY", False),
            actor=settings.get("ACTOR") if actor is None else actor,
            auditor=settings.auditor() if auditor is None else auditor,
            s3_client=s3_client
            or source.s3_client(
                endpoint_url=settings.get("ENDPOINT_URL"),
                checksums=settings.get("CHECKSUMS", clients.DEFAULT_CHECKSUMS),
            ),
            key_ttl_seconds=settings.get("KEY_CACHE_SECONDS", DEFAULT_KEY_TTL_SECONDS),
            remaining_seconds=remaining_seconds,
            touch_after_seconds=None if touch_after_days is None else touch_after_days * _DAY_SECONDS,
        )

    def __repr__(self) -> str:
        return f"MemoryStore(tenant={self.tenant!r})"

    def refusing_writes(self) -> Self:
        """Return the same memory, read-only, through a client that sends no request that could change anything."""
        reading = copy(self)
        reading.read_only = True
        reading.bucket = self.bucket.refusing_writes()
        reading.keys, reading.texts, reading.quotas = copy(self.keys), copy(self.texts), copy(self.quotas)
        reading.keys.bucket = reading.quotas.bucket = reading.bucket
        reading.texts.keys = reading.keys
        return reading
