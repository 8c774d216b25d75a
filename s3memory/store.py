"""`MemoryStore`: canonical path to text and back, one file at a time.

Every text that is stored passes `TextSealer`. Every write is a compare and swap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Self

from s3memory import clients
from s3memory.bucket import Bucket, Deletion, ListedObject, ObjectInfo
from s3memory.errors import (
    AlreadyExistsError,
    ConfigurationError,
    ConflictError,
    IntegrityError,
    NotFoundError,
    ReadOnlyError,
)
from s3memory.keyring import KeyWrapper
from s3memory.keys import DEFAULT_KEY_TTL_SECONDS, MAX_KEY_TTL_SECONDS, PROCESS_CACHE, KeyCache, TenantKeys
from s3memory.layout import EMPTY_PAGE, Layout, ListedFile, ListedPage
from s3memory.limits import Limits
from s3memory.names import NAME_MODES, PLAIN
from s3memory.parallel import together
from s3memory.paths import MemoryPath
from s3memory.redaction import Finding, PatternRedactor, Redactor
from s3memory.retry import RetryPolicy
from s3memory.sealing import TextSealer
from s3memory.settings import Settings

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

DEFAULT_LIMITS = Limits()
DEFAULT_REDACTOR = PatternRedactor()


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file as it was read: its text, and the version that it was."""

    path: MemoryPath
    text: str
    info: ObjectInfo


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file as it was written: the text that is stored, what was redacted from it, and its ETag."""

    path: MemoryPath
    text: str
    findings: tuple[Finding, ...]
    etag: str


class MemoryStore:
    """The files of one tenant. Safe to share between threads; makes no request before a method is called.

    IAM actions: those of `Bucket` and of the key wrapper.

    Args:
        bucket: name of the S3 bucket.
        tenant: whose memory it is; see `check_tenant` for the grammar.
        key_wrapper: what wraps the tenant's data keys.
        prefix: what all object keys begin with: empty, or ending in ``/``.
        redactor: filters every text and path that is written; ``None`` stores text as it is.
        limits: sizes and tries.
        name_mode: ``plain`` or ``encrypted`` object keys, for a key ring that is yet to be made; an existing key ring
            keeps the mode it was made with.
        read_only: refuse every write.
        s3_client: a boto3 S3 client; the process's shared one if left out.
        key_ttl_seconds: how long unwrapped keys stay in memory.
        key_cache: where they are kept; shared by the process if left out.
        remaining_seconds: how much time the caller has left, such as a Lambda's.

    Raises:
        ConfigurationError: an argument is malformed.
    """

    def __init__(
        self,
        *,
        bucket: str,
        tenant: str,
        key_wrapper: KeyWrapper,
        prefix: str = "",
        redactor: Redactor | None = DEFAULT_REDACTOR,
        limits: Limits = DEFAULT_LIMITS,
        name_mode: str = PLAIN,
        read_only: bool = False,
        s3_client: S3Client | None = None,
        key_ttl_seconds: float = DEFAULT_KEY_TTL_SECONDS,
        key_cache: KeyCache = PROCESS_CACHE,
        remaining_seconds: Callable[[], float] | None = None,
    ) -> None:
        if not bucket or not isinstance(bucket, str):
            raise ConfigurationError("bucket must be the name of an S3 bucket")
        if name_mode not in NAME_MODES:
            raise ConfigurationError(f"name_mode must be one of {', '.join(NAME_MODES)}")
        if not 0 < key_ttl_seconds <= MAX_KEY_TTL_SECONDS:
            raise ConfigurationError(f"key_ttl_seconds must be a number of seconds, at most {MAX_KEY_TTL_SECONDS}")
        if not isinstance(key_wrapper, KeyWrapper):
            raise ConfigurationError("key_wrapper must be a KmsKeyWrapper, a LocalKeyWrapper or another KeyWrapper")
        if redactor is not None and not isinstance(redactor, Redactor):
            raise ConfigurationError("redactor must have a method redact(text), or be None")
        self.tenant = tenant
        self.layout = Layout(prefix, tenant)
        self.limits = limits
        self.read_only = read_only
        self.retry = RetryPolicy(max_tries=limits.max_tries, remaining_seconds=remaining_seconds)
        self.bucket = Bucket(s3_client or clients.s3_client(), bucket, retry=self.retry)
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

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        tenant: str | None = None,
        s3_client: S3Client | None = None,
        remaining_seconds: Callable[[], float] | None = None,
    ) -> Self:
        """Make a store from ``S3MEMORY_*`` settings.

        Args:
            settings: what the environment says.
            tenant: whose memory; ``S3MEMORY_TENANT`` if left out.
            s3_client: a client to use in place of the process's shared one.
            remaining_seconds: as for the class.

        Raises:
            ConfigurationError: a setting is missing or malformed; the text names its variable.
        """
        shared = partial(clients.s3_client, endpoint_url=settings.get("ENDPOINT_URL"))
        return cls(
            bucket=settings.require("BUCKET"),
            tenant=settings.require("TENANT") if tenant is None else tenant,
            key_wrapper=settings.key_wrapper(),
            prefix=settings.get("PREFIX", ""),
            redactor=None if settings.get("REDACTION") == "off" else DEFAULT_REDACTOR,
            limits=settings.limits(),
            name_mode=settings.get("NAME_MODE", PLAIN),
            read_only=settings.get("READ_ONLY", False),
            s3_client=s3_client or shared(checksums=settings.get("CHECKSUMS", clients.DEFAULT_CHECKSUMS)),
            key_ttl_seconds=settings.get("KEY_CACHE_SECONDS", DEFAULT_KEY_TTL_SECONDS),
            remaining_seconds=remaining_seconds,
        )

    def __repr__(self) -> str:
        return f"MemoryStore(tenant={self.tenant!r})"

    def ensure_writable(self) -> None:
        """Refuse where this memory is read-only.

        Raises:
            ReadOnlyError: it is.
        """
        if self.read_only:
            raise ReadOnlyError("Error: This memory is read-only. Nothing was changed.")

    def read(self, path: MemoryPath) -> MemoryFile | None:
        """Return a file, or ``None`` where there is none (a directory is none).

        Raises:
            IntegrityError: what is stored there does not open.
            BackendError: S3 or the key wrapper could not be reached.
        """
        if path.is_root:
            return None
        ring = self.keys.existing()
        if ring is None:
            return None
        stored = self.bucket.get(self.layout.file(ring.names, path))
        return None if stored is None else MemoryFile(path, self.texts.open(ring, path, stored.body), stored.info)

    def info(self, path: MemoryPath) -> ObjectInfo | None:
        """Return a file's ETag without its text, or ``None`` where there is no file."""
        ring = self.keys.existing()
        return None if ring is None or path.is_root else self.bucket.head(self.layout.file(ring.names, path))

    def has_directory(self, path: MemoryPath) -> bool:
        """Whether anything is stored below `path`. The root always exists."""
        if path.is_root:
            return True
        ring = self.keys.existing()
        return ring is not None and bool(
            self.bucket.list_page(self.layout.directory(ring.names, path), max_keys=1).objects
        )

    def create(self, path: MemoryPath, text: str) -> WrittenFile:
        """Store a new file.

        Raises:
            AlreadyExistsError: a file or directory is there already, or a file is where a directory above it would be.
            RedactionError: the redactor refused the text or the path, or failed.
            LimitError: the text is too large. InvalidInputError: it is no Unicode text, or the path is too long.
            OutcomeUnknownError: the file may or may not have been stored.
            BackendError: S3 or the key wrapper could not be reached; nothing was stored.
        """
        self.ensure_writable()
        self.texts.refuse_sensitive_names(path.segments)
        redaction = self.texts.redact(text)
        ring = self.keys.existing_or_new()
        object_key = self.layout.file(ring.names, path)
        obstacle = self.obstacle(path)
        etag = None if obstacle else self.bucket.put_new(object_key, self.texts.seal(ring, path, redaction))
        if etag is None:
            raise AlreadyExistsError(f"Error: File {obstacle or path} already exists", at=str(obstacle or path))
        return WrittenFile(path, redaction.text, redaction.findings, etag)

    def edit(self, path: MemoryPath, change: Callable[[str], str]) -> WrittenFile:
        """Replace a file's text by what `change` makes of it, and again if another writer was faster.

        Args:
            path: the file.
            change: from the present text to the new one; it may be called several times and may raise to refuse.

        Raises:
            NotFoundError: there is no file.
            ConflictError: other writers were faster at every try; nothing was changed.
            RedactionError, LimitError, InvalidInputError, OutcomeUnknownError, BackendError: as for `create`.
        """
        self.ensure_writable()
        for _ in self.retry.tries():
            current = self.read(path)
            if current is None:
                raise NotFoundError(f"Error: The path {path} does not exist")
            redaction = self.texts.redact(change(current.text))
            ring = self.keys.existing_or_new()
            body = self.texts.seal(ring, path, redaction)
            etag = self.bucket.put_over(self.layout.file(ring.names, path), body, etag=current.info.etag)
            if etag is not None:
                return WrittenFile(path, redaction.text, redaction.findings, etag)
        raise ConflictError(
            f"Error: Other writers changed {path} at every try. Nothing was changed. View the file and try again."
        )

    def copy(self, source: MemoryFile, path: MemoryPath, *, over: str | None = None) -> WrittenFile | None:
        """Store a file's text at another path, noting the source's ETag beside it.

        Args:
            source: the file as it was read.
            path: where the copy goes; the caller has looked for obstacles.
            over: the ETag of the file that the copy replaces; where left out, there must be none.

        Returns:
            The copy, or ``None`` if something else is at `path`.

        Raises:
            RedactionError, LimitError, OutcomeUnknownError, BackendError: as for `create`.
        """
        self.ensure_writable()
        redaction = self.texts.redact(source.text)
        ring = self.keys.existing_or_new()
        object_key = self.layout.file(ring.names, path)
        body = self.texts.seal(ring, path, redaction)
        if over is None:
            etag = self.bucket.put_new(object_key, body, copied_from=source.info.etag)
        else:
            etag = self.bucket.put_over(object_key, body, etag=over, copied_from=source.info.etag)
        return None if etag is None else WrittenFile(path, redaction.text, redaction.findings, etag)

    def delete(self, path: MemoryPath, *, etag: str) -> Deletion:
        """Delete the file if it still has this ETag."""
        self.ensure_writable()
        ring = self.keys.existing()
        if ring is None:
            return Deletion.MISSING
        return self.bucket.delete(self.layout.file(ring.names, path), etag=etag)

    def list_page(self, path: MemoryPath, *, delimited: bool = False, token: str | None = None) -> ListedPage:
        """Return one page of what is below a directory: everything, or one level where `delimited`."""
        ring = self.keys.existing()
        if ring is None:
            return EMPTY_PAGE
        prefix = self.layout.directory(ring.names, path)
        return self.layout.decoded(ring.names, path, self.bucket.list_page(prefix, delimited=delimited, token=token))

    def objects_below(self, path: MemoryPath) -> list[ListedObject]:
        """Return everything that is stored below a directory, whether it is one of its files or stray."""
        ring = self.keys.existing()
        if ring is None:
            return []
        return [
            listed
            for page in self.bucket.list_pages(self.layout.directory(ring.names, path))
            for listed in page.objects
        ]

    def files_below(self, path: MemoryPath) -> list[ListedFile]:
        """Return all files below a directory, however deep.

        Raises:
            IntegrityError: something else is stored among them.
        """
        files: list[ListedFile] = []
        token: str | None = None
        while True:
            page = self.list_page(path, token=token)
            if page.stray:
                raise IntegrityError(f"Error: Something below {path} is no memory file. This needs an operator.")
            files += page.files
            token = page.next_token
            if token is None:
                return files

    def obstacle(self, path: MemoryPath) -> MemoryPath | None:
        """Return what keeps a file from being made at `path`: a file above it, or itself where it is a directory."""
        ancestors = path.ancestors()
        is_directory, *infos = together(
            lambda: self.has_directory(path), *(partial(self.info, ancestor) for ancestor in ancestors)
        )
        for ancestor, info in zip(ancestors, infos, strict=True):
            if info is not None:
                return ancestor
        return path if is_directory else None
