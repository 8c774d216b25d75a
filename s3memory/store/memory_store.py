"""`MemoryStore`: one tenant's memory. It is made here of its parts, and writes, edits and deletes files by their paths.

Every text that is stored passes `TextSealer`. Every write is a compare and swap.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, NoReturn, Self

from s3memory._arguments import checking
from s3memory.aws.clients import BOTO3
from s3memory.aws.request_counts import count_redacted
from s3memory.aws.retry import RetryPolicy
from s3memory.config.settings import Settings
from s3memory.contract import messages
from s3memory.errors import NotFoundError
from s3memory.format.actor_labels import check_actor
from s3memory.format.names import PLAIN
from s3memory.format.object_keys import Layout
from s3memory.keys.key_cache import DEFAULT_KEY_TTL_SECONDS, PROCESS_CACHE, KeyCache
from s3memory.keys.open_key_ring import KeyWrapper, OpenKeyRing
from s3memory.keys.tenant_keys import TenantKeys
from s3memory.limits import Limits
from s3memory.paths import MemoryPath, check_path
from s3memory.redaction import Redaction, Redactor
from s3memory.redaction.default import DEFAULT_REDACTOR
from s3memory.s3.bucket_name import check_bucket
from s3memory.s3.objects import Deletion, Noted
from s3memory.store import obstacles
from s3memory.store.access import access_of
from s3memory.store.files import MemoryFile, StoredFiles, WrittenFile
from s3memory.store.objects import TenantObjects
from s3memory.store.options import TAKES, SettingsOverrides, options_of
from s3memory.store.quotas import Quotas
from s3memory.store.sealing import TextSealer

if TYPE_CHECKING:
    from s3memory.audit import Auditor
    from s3memory.aws.tenant_sessions import TenantSessions
    from s3memory.keys.ring_register import RingRegister
    from s3memory.s3.transport import Transport

DEFAULT_LIMITS = Limits()


class MemoryStore:
    """The files of one tenant. Safe to share between threads and with forked children; makes no request by itself.

    Its methods take a `MemoryPath`, which `MemoryPath.parse` makes of a string, and refuse anything else with an
    `InvalidInputError`.

    A copy, also a deep one of a tool or of commands, shares the clients, keys and hooks. It can't be pickled.

    IAM actions: ``s3:GetObject``, ``s3:PutObject`` and ``s3:DeleteObject`` on the tenant's files and intents,
    ``s3:ListBucket`` for their prefixes, ``s3:GetObject`` on its key ring, ``s3:PutObject`` on it to make one; and
    those of the key wrapper.

    Args:
        bucket: name of the S3 bucket, or ARN or alias of an access point; see `check_bucket`.
        tenant: whose memory it is; see `check_tenant` for the grammar.
        key_wrapper: what wraps the tenant's data keys.
        bucket_owner: the AWS account that the bucket has to belong to, 12 digits: S3 refuses all requests if it is
            another's.
        prefix: what all object keys begin with: empty, or ending in ``/``.
        redactor: filters every text and path that is written; ``None`` stores text as it is.
        limits: sizes and tries.
        name_mode: ``plain`` or ``encrypted`` object keys, for a key ring that is yet to be made; an existing key ring
            keeps the mode it was made with. ``encrypted-required`` makes encrypted ones, and refuses every use of a
            tenant whose key ring is plain, with a `ConfigurationError`. Only its erasure needs no key ring.
        read_only: refuse every write.
        actor: who makes the changes, such as an agent or a session: a label of at most 128 bytes that is sealed beside
            each text that is written. Nobody checks it. Left out, none is stored.
        auditor: gets an event for every command; without one, there are no events. See `Auditor`.
        s3_client: a boto3 S3 client; the process's shared one if left out.
        transport: what carries the requests if neither `s3_client` nor `tenant_sessions` does: ``boto3``, or ``fast``
            for libcurl, of ``s3memory[fast]``. A key wrapper or register without its own client uses it as well.
        tenant_sessions: reach S3 and KMS with credentials for this tenant alone, in place of the process's.
        key_ttl_seconds: how long unwrapped keys are used.
        key_cache: where they are kept; shared by the process if left out.
        ring_register: where the newest key ring is recorded outside the bucket, so that one that is put back is
            refused, such as `DynamoDBRingRegister`.
        remaining_seconds: how much time the caller has left, such as a Lambda's; what is not a number (NaN) is none.
            Without any, no command begins and no request is sent again; no answer is waited for longer than that or
            0.25 s. A command that has begun may take longer: keep a second back. ``docs/deploy.md`` has the details.
        touch_after_seconds: a viewed file that was last written or touched longer ago is stored again unchanged, so
            that S3's time says when it was last used; ``None`` leaves it alone.

    Attributes:
        files: the tenant's files: read, looked at and listed.
        objects: the bucket, and what it holds of the tenant: by folder, in all versions.
        key_ring: the tenant's key ring.
        texts: what redacts its texts, and opens them. What it seals, the store alone stores.
        quotas: how much the tenant may store in all.
        retry: how often something is tried again, and how much time the caller has left.

    Raises:
        ConfigurationError: an argument is malformed or of another kind; the text names it. Or a client is given beside
            `tenant_sessions`.
    """

    @checking(**TAKES)
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
        s3_client: Transport | None = None,
        transport: str = BOTO3,
        tenant_sessions: TenantSessions | None = None,
        key_ttl_seconds: float = DEFAULT_KEY_TTL_SECONDS,
        key_cache: KeyCache = PROCESS_CACHE,
        ring_register: RingRegister | None = None,
        remaining_seconds: Callable[[], float] | None = None,
        touch_after_seconds: float | None = None,
    ) -> None:
        check_bucket(bucket)
        client, wrapper, register = access_of(
            bucket,
            prefix,
            tenant,
            key_wrapper=key_wrapper,
            ring_register=ring_register,
            s3_client=s3_client,
            transport=transport,
            tenant_sessions=tenant_sessions,
        )
        self.tenant = tenant
        self.limits = limits
        self.read_only = read_only
        self.actor = None if actor is None else check_actor(actor)
        self.auditor = auditor
        layout = Layout(prefix, tenant)
        self.retry = RetryPolicy(max_tries=limits.max_tries, remaining_seconds=remaining_seconds)
        objects = TenantObjects(
            client,
            bucket,
            layout,
            retry=self.retry,
            owner=bucket_owner,
            max_object_bytes=limits.max_sealed_bytes,
        )
        self.touch_after_seconds = touch_after_seconds
        key_ring = TenantKeys(
            bucket=objects,
            layout=layout,
            wrapper=wrapper,
            name_mode=name_mode,
            cache=key_cache,
            ttl_seconds=key_ttl_seconds,
            register=register,
            retry=self.retry,
        )
        self._hold(objects, key_ring, redactor)

    def _hold(self, objects: TenantObjects, key_ring: TenantKeys, redactor: Redactor | None) -> None:
        """Take these parts, and make those that stand on them."""
        self.objects, self.key_ring = objects, key_ring
        self.texts = TextSealer(key_ring, redactor, self.limits)
        self.quotas = Quotas(objects, self.limits)
        touch_after_seconds = None if self.read_only else self.touch_after_seconds
        self.files = StoredFiles(objects, key_ring, self.texts, touch_after_seconds=touch_after_seconds)

    @classmethod
    @checking(**{name: takes for name, takes in TAKES.items() if name in SettingsOverrides.__annotations__})
    def from_settings(
        cls,
        settings: Settings,
        *,
        tenant: str | None = None,
        actor: str | None = None,
        auditor: Auditor | None = None,
        s3_client: Transport | None = None,
        remaining_seconds: Callable[[], float] | None = None,
    ) -> Self:
        """Make a store from ``S3MEMORY_*`` settings.

        Args:
            settings: what the environment says.
            tenant: whose memory; ``S3MEMORY_TENANT`` if left out.
            actor: who makes the changes; ``S3MEMORY_ACTOR`` if left out.
            auditor: gets an event for every command; without one, ``S3MEMORY_AUDIT`` decides.
            s3_client: a client to use in place of the process's shared one.
            remaining_seconds: as for the class.

        Raises:
            ConfigurationError: a setting is missing or malformed, or contradicts a client that is given; the text names
                its variable.
        """
        given = SettingsOverrides(
            tenant=tenant, actor=actor, auditor=auditor, s3_client=s3_client, remaining_seconds=remaining_seconds
        )
        return cls(**options_of(settings, given))

    def __repr__(self) -> str:
        return f"MemoryStore(tenant={self.tenant!r})"

    def __copy__(self) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self, _memo: object) -> Self:
        # It has no state of its own that changes: clients, keys and what is known of the bucket are shared anyway.
        return copy(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a MemoryStore can't be pickled: its clients and keys are this process's. Make one in the other process"
        )

    def ensure_writable(self) -> None:
        """Refuse where this memory is read-only.

        Raises:
            ReadOnlyError: it is.
        """
        if self.read_only:
            raise messages.read_only()

    def read(self, path: MemoryPath, *, version_id: str | None = None) -> MemoryFile | None:
        """Return a file, or ``None`` where there is none; see `StoredFiles.read`.

        Raises:
            IntegrityError: what is stored there does not open.
            BackendError: S3 or the key wrapper could not be reached.
        """
        return self.files.read(path, version_id=version_id)

    def create(
        self,
        path: MemoryPath,
        text: str,
        *,
        read_with: OpenKeyRing | None = None,
        in_place_of: MemoryFile | None = None,
        checks_first: bool = False,
    ) -> WrittenFile:
        """Store a new file. The first one of a tenant makes its key ring.

        Args:
            path: the file.
            text: what it is to say.
            read_with: the ring that opened what the text is made of; left out, it is new.
            in_place_of: a file with this text that the caller deletes afterwards: a move, which needs no more room.
            checks_first: write only after the checks have found nothing in the way. A refusal then leaves no version.

        Raises:
            NotFoundError: the tenant was erased since the text was read.
            AlreadyExistsError: a file or directory is there already, or a file is where a directory above it would be.
            UnfinishedError: the same, or what is in the way could not be looked for, and the file may be there.
            ConflictError: other writers were in the way at every try.
            RedactionError: the redactor refused the text or the path, or failed.
            LimitError: the text is too large, or the tenant's quota is used up.
            InvalidInputError: it is not Unicode text, or the path is too long.
            OutcomeUnknownError: the file may or may not have been stored.
            BackendError: S3 or the key wrapper could not be reached; nothing was stored.
        """
        check_path(path)
        self.ensure_writable()
        self.texts.refuse_sensitive_path(path)
        redaction = self.texts.redact(text, path, read_with=read_with)
        ring = self.key_ring.existing_or_new() if read_with is None else self._going_on_from(read_with, path)
        object_key = self.objects.key_of(ring, path)
        if checks_first or (self.quotas.are_set and in_place_of is None):
            obstacle = obstacles.find_beside_quotas(self, path, size_bytes=len(redaction.text.encode("utf-8")))
            written = None if obstacle is not None else self._put(ring, object_key, path, redaction)
        else:
            take_back = partial(obstacles.take_back, self, read_with=ring)
            copied_from = () if in_place_of is None else in_place_of.info.etags
            for trial in obstacles.trials(self, path, take_back, occupied=messages.file_exists):
                with trial:
                    trial.placed = self._put(ring, object_key, path, redaction, copied_from=copied_from)
            written, obstacle = trial.placed, trial.obstacle
        if written is None:
            raise messages.file_exists(path, at=obstacle)
        return written

    def edit(
        self,
        path: MemoryPath,
        change: Callable[[str], str],
        *,
        read_with: OpenKeyRing | None = None,
        not_found: Callable[[MemoryPath], NotFoundError] = messages.not_found,
    ) -> WrittenFile:
        """Replace a file's text by what `change` makes of it. If another writer was faster, read it and try again.

        Args:
            path: the file.
            change: from the present text to the new one; it may be called several times and may raise to refuse.
            read_with: the ring that opened what `change` puts in, if that was read elsewhere.
            not_found: makes the error that tells of a missing file.

        Raises:
            NotFoundError: there is no file, or the tenant was erased since something was read.
            ConflictError: other writers were faster at every try; nothing was changed.
            RedactionError, LimitError, InvalidInputError, OutcomeUnknownError, BackendError: as for `create`.
        """
        check_path(path)
        self.ensure_writable()
        for _ in self.retry.tries():
            current = self.read(path)
            if current is None:
                raise not_found(path)
            written = self.replace(
                path,
                change(current.text),
                etag=current.info.etag,
                read_with=read_with or current.ring,
                present=current.text,
                not_found=not_found,
            )
            if written is not None:
                return written
        raise messages.changed_at_every_try(path)

    def replace(
        self,
        path: MemoryPath,
        text: str,
        *,
        etag: str,
        read_with: OpenKeyRing,
        present: str | None = None,
        not_found: Callable[[MemoryPath], NotFoundError] = messages.not_found,
    ) -> WrittenFile | None:
        """Store a text over the file that has this ETag, even if that one does not open.

        Args:
            path: the file.
            text: what it is to say.
            etag: of what is replaced.
            read_with: the ring that opened what the text is made of, or that was there then.
            present: what the file says, if known. A text that is not longer needs no count for a quota.
            not_found: makes the error that tells that the tenant was erased.

        Returns:
            The file as it was written, or ``None`` if it is another by now, or gone.

        Raises:
            NotFoundError: the tenant was erased since the text was read.
            RedactionError, LimitError, InvalidInputError, OutcomeUnknownError, BackendError: as for `create`.
        """
        check_path(path)
        self.ensure_writable()
        redaction = self.texts.redact(text, path, read_with=read_with)
        self.quotas.ensure_room_for_growth(self.objects.key_of(read_with, path), present, redaction.text)
        ring = self._going_on_from(read_with, path, not_found)
        return self._put(ring, self.objects.key_of(ring, path), path, redaction, over=etag)

    def copy(self, source: MemoryFile, path: MemoryPath, *, over: str | None = None) -> WrittenFile | None:
        """Store a file's text at another path, noting the source's ETags beside it.

        Args:
            source: the file as it was read.
            path: where the copy goes; the caller has looked for obstacles.
            over: the ETag of the file that the copy replaces; where left out, there must be none.

        Returns:
            The copy, or ``None`` if something else is at `path`.

        Raises:
            NotFoundError: the tenant was erased since the source was read.
            RedactionError, LimitError, OutcomeUnknownError, BackendError: as for `create`.
        """
        check_path(path)
        self.ensure_writable()
        redaction = self.texts.redact(source.text, path, read_with=source.ring)
        ring = self._going_on_from(source.ring, source.path)
        object_key = self.objects.key_of(ring, path)
        return self._put(ring, object_key, path, redaction, over=over, copied_from=source.info.etags)

    def delete(self, path: MemoryPath, *, etag: str | None = None, read_with: OpenKeyRing | None = None) -> Deletion:
        """Delete the file if it still has this ETag.

        Args:
            path: the file.
            etag: its ETag; left out, whatever is there is deleted.
            read_with: as for `TenantKeys.for_deletion`.
        """
        check_path(path)
        self.ensure_writable()
        ring = self.key_ring.for_deletion(read_with)
        if ring is None:
            return Deletion.MISSING
        object_key = self.objects.key_of(ring, path)
        if etag is None:
            return self.objects.deletes.whatever(object_key)
        return self.objects.deletes.one(object_key, etag=etag)

    def refusing_writes(self) -> Self:
        """Return the same memory, read-only, through a client that sends no request that could change anything."""
        reading = copy(self)
        reading.read_only = True
        objects = self.objects.refusing_writes()
        reading._hold(objects, self.key_ring.refusing_writes(objects), self.texts.redactor)  # noqa: SLF001 - its own
        return reading

    def redacting_with(self, redactor: Redactor | None) -> Self:
        """Return the same memory with another redactor."""
        other = copy(self)
        other._hold(self.objects, self.key_ring, redactor)  # noqa: SLF001 - its own
        return other

    def _going_on_from(
        self,
        read_with: OpenKeyRing,
        path: MemoryPath,
        not_found: Callable[[MemoryPath], NotFoundError] = messages.not_found,
    ) -> OpenKeyRing:
        # A ring that is made now would bring back, readable, what an erasure has destroyed meanwhile.
        ring = self.key_ring.going_on_from(read_with)
        if ring is None:
            raise not_found(path)
        return ring

    def _put(
        self,
        ring: OpenKeyRing,
        object_key: str,
        path: MemoryPath,
        redaction: Redaction,
        *,
        over: str | None = None,
        copied_from: tuple[str, ...] = (),
    ) -> WrittenFile | None:
        """Seal a text and store it where nothing is, or over the ETag. The one way of a text to the bucket."""
        body = self.texts.seal(ring, path, redaction)
        actor_seal = None if self.actor is None else self.texts.seal_actor(ring, path, body, self.actor)
        noted = Noted(copied_from=copied_from, actor_seal=actor_seal)
        etag = self.objects.put(object_key, body, over=over, noted=noted)
        if etag is None:
            return None
        count_redacted(finding.kind for finding in redaction.findings if not finding.is_kept)
        return WrittenFile(path, redaction.text, redaction.findings, etag)
