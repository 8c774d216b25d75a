"""`MemoryStore`: one tenant's memory. It assembles the parts of a store, and writes, edits and deletes files by path.

Every stored text passes through `TextSealer`. Every write is conditional (a compare-and-swap).
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
    """The files of one tenant. Safe to share between threads and with forked children. Making one sends no request.

    Methods take a `MemoryPath`, as `MemoryPath.parse` returns it, and refuse anything else with an
    `InvalidInputError`.

    Copies, including deep copies of a tool or of commands, share the clients, keys and hooks. It can't be pickled.

    IAM actions: ``s3:GetObject``, ``s3:PutObject`` and ``s3:DeleteObject`` on the tenant's files and intents,
    ``s3:ListBucket`` for their prefixes, ``s3:GetObject`` on its key ring, ``s3:PutObject`` on it to make one; and
    the actions that the key wrapper needs.

    Args:
        bucket: name of the S3 bucket, or ARN or alias of an access point; see `check_bucket`.
        tenant: the tenant's name; see `check_tenant` for the grammar.
        key_wrapper: wraps the tenant's data keys.
        bucket_owner: the AWS account that must own the bucket, 12 digits. S3 refuses all requests if another one does.
        prefix: common prefix of all object keys: empty, or ending in ``/``.
        redactor: filters every text and path that is written; ``None`` stores text as it is.
        limits: size limits and the number of attempts.
        name_mode: ``plain`` or ``encrypted`` object keys, for a key ring that has yet to be made; an existing key ring
            keeps its mode. ``encrypted-required`` makes encrypted ones, and refuses every use of a tenant whose key
            ring is plain, with a `ConfigurationError`. Only erasing such a tenant works: that needs no key ring.
        read_only: refuse every write.
        actor: who makes the changes, such as an agent or a session: a label of at most 128 bytes, sealed next to each
            text that is written. Nobody verifies it. If left out, no label is stored.
        auditor: receives an event for every command; without one, there are no events. See `Auditor`.
        s3_client: a boto3 S3 client; the process's shared one if left out.
        transport: what carries the requests if neither `s3_client` nor `tenant_sessions` does: ``boto3``, or ``fast``
            for libcurl, from ``s3memory[fast]``. A key wrapper or register without its own client uses it as well.
        tenant_sessions: reach S3 and KMS with credentials for this tenant alone instead of the process's.
        key_ttl_seconds: how long unwrapped keys are used.
        key_cache: keeps unwrapped keys; shared by the process if left out.
        ring_register: records the newest key ring outside the bucket, so that an older one put back in its place is
            refused. `DynamoDBRingRegister` is one.
        remaining_seconds: returns how much time the caller has left, such as a Lambda's; NaN counts as none. With no
            time left, no command begins and no request is resent. A response is awaited for the time left, or 0.25 s
            if that is longer. A running command may overrun: keep a second in reserve. See ``docs/deploy.md``.
        touch_after_seconds: a viewed file that was last written or touched longer ago is stored again unchanged, so
            that its S3 timestamp says when it was last used; ``None`` turns this off.

    Attributes:
        files: reads, examines and lists the tenant's files.
        objects: the bucket and the tenant's objects in it, by folder and in all versions.
        key_ring: the tenant's key ring.
        texts: redacts, seals and opens texts. Only the store writes what it seals.
        quotas: how much the tenant may store in total.
        retry: how often an operation is retried, and how much time the caller has left.

    Raises:
        ConfigurationError: an argument is malformed or has the wrong type; the text names it. Or a client is given
            together with `tenant_sessions`.
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
        self._assemble(objects, key_ring, redactor)

    def _assemble(self, objects: TenantObjects, key_ring: TenantKeys, redactor: Redactor | None) -> None:
        """Take these parts and build the ones that depend on them."""
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
            settings: the settings, as read from the environment.
            tenant: the tenant's name; ``S3MEMORY_TENANT`` if left out.
            actor: who makes the changes; ``S3MEMORY_ACTOR`` if left out.
            auditor: receives an event for every command; without one, ``S3MEMORY_AUDIT`` decides.
            s3_client: a client to use instead of the process's shared one.
            remaining_seconds: as for the class.

        Raises:
            ConfigurationError: a setting is missing or malformed, or contradicts the client that was passed; the text
                names its variable.
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
        # It has no mutable state of its own: clients, keys and knowledge about the bucket are shared anyway.
        return copy(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a MemoryStore can't be pickled: its clients and keys are this process's. Make one in the other process"
        )

    def ensure_writable(self) -> None:
        """Raise `ReadOnlyError` if this memory is read-only."""
        if self.read_only:
            raise messages.read_only()

    def read(self, path: MemoryPath, *, version_id: str | None = None) -> MemoryFile | None:
        """Return a file, or ``None`` if there is none; see `StoredFiles.read`.

        Raises:
            IntegrityError: the stored object does not open.
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
        """Store a new file. A tenant's first file also makes its key ring.

        Args:
            path: the file.
            text: the file's text.
            read_with: the ring that opened what the text was made from; leave it out for a new text.
            in_place_of: a file with this text that the caller deletes afterwards: a move, which needs no extra room.
            checks_first: write only after the checks have found no obstacle. A refusal then leaves no version behind.

        Raises:
            NotFoundError: the tenant was erased after the text was read.
            AlreadyExistsError: there already is a file or directory at the path, or a file above it.
            UnfinishedError: the same, or the checks for obstacles failed, and the new file may still be there.
            ConflictError: other writers' files were in the way at every attempt.
            RedactionError: the redactor refused the text or the path, or failed.
            LimitError: the text is too large, or the tenant's quota is used up.
            InvalidInputError: the text is not Unicode, or the path is too long.
            OutcomeUnknownError: the file may or may not have been stored.
            BackendError: S3 or the key wrapper could not be reached; nothing was stored.
        """
        check_path(path)
        self.ensure_writable()
        self.texts.refuse_sensitive_path(path)
        redaction = self.texts.redact(text, path, read_with=read_with)
        ring = self.key_ring.existing_or_new() if read_with is None else self._ring_for_write(read_with, path)
        object_key = self.objects.key_of(ring, path)
        if checks_first or (self.quotas.are_set and in_place_of is None):
            obstacle = obstacles.find_and_check_quotas(self, path, size_bytes=len(redaction.text.encode("utf-8")))
            written = None if obstacle is not None else self._put(ring, object_key, path, redaction)
        else:
            undo_write = partial(obstacles.undo_write, self, read_with=ring)
            copied_from = () if in_place_of is None else in_place_of.info.etags
            placement = obstacles.Placement(self, path, undo_write, messages.file_exists)
            for attempt in placement.attempts():
                with attempt:
                    placement.placed = self._put(ring, object_key, path, redaction, copied_from=copied_from)
            written, obstacle = placement.placed, placement.obstacle
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
        """Replace a file's text with what `change` makes of it. If another writer was faster, read again and retry.

        Args:
            path: the file.
            change: maps the current text to the new one; it may be called several times, and may raise to refuse.
            read_with: the ring that opened what `change` inserts, if that was read elsewhere.
            not_found: makes the error for a missing file.

        Raises:
            NotFoundError: there is no file, or the tenant was erased after something was read.
            ConflictError: other writers were faster at every attempt; nothing was changed.
            RedactionError, LimitError, InvalidInputError, OutcomeUnknownError, BackendError: as for `create`.
        """
        check_path(path)
        self.ensure_writable()
        for _ in self.retry.attempts():
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
        raise messages.changed_during_every_attempt(path)

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
        """Replace the file that has this ETag, even if that file does not open.

        Args:
            path: the file.
            text: the new text.
            etag: the ETag of the file to replace.
            read_with: the ring that opened what the text was made from, or the tenant's ring at that time.
            present: the current text, if known. A new text that is no longer than it needs no count for a quota.
            not_found: makes the error for a tenant that was erased.

        Returns:
            The file as it was written, or ``None`` if it has changed or is gone.

        Raises:
            NotFoundError: the tenant was erased after the text was read.
            RedactionError, LimitError, InvalidInputError, OutcomeUnknownError, BackendError: as for `create`.
        """
        check_path(path)
        self.ensure_writable()
        redaction = self.texts.redact(text, path, read_with=read_with)
        self.quotas.ensure_room_for_growth(self.objects.key_of(read_with, path), present, redaction.text)
        ring = self._ring_for_write(read_with, path, not_found)
        return self._put(ring, self.objects.key_of(ring, path), path, redaction, over=etag)

    def copy(self, source: MemoryFile, path: MemoryPath, *, over: str | None = None) -> WrittenFile | None:
        """Store a file's text at another path, and note the source's ETags in the copy's metadata.

        Args:
            source: the file as it was read.
            path: where the copy goes. Checking for obstacles is up to the caller.
            over: the ETag of the file that the copy replaces; if left out, there must be none.

        Returns:
            The copy, or ``None`` if something else is at `path`.

        Raises:
            NotFoundError: the tenant was erased after the source was read.
            RedactionError, LimitError, OutcomeUnknownError, BackendError: as for `create`.
        """
        check_path(path)
        self.ensure_writable()
        redaction = self.texts.redact(source.text, path, read_with=source.ring)
        ring = self._ring_for_write(source.ring, source.path)
        object_key = self.objects.key_of(ring, path)
        return self._put(ring, object_key, path, redaction, over=over, copied_from=source.info.etags)

    def delete(self, path: MemoryPath, *, etag: str | None = None, read_with: OpenKeyRing | None = None) -> Deletion:
        """Delete the file if it still has this ETag.

        Args:
            path: the file.
            etag: its ETag; if left out, the file is deleted whatever its ETag.
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
        """Return the same memory, read-only, through a client that never sends a request that could change anything."""
        reading = copy(self)
        reading.read_only = True
        objects = self.objects.refusing_writes()
        reading._assemble(objects, self.key_ring.refusing_writes(objects), self.texts.redactor)  # noqa: SLF001 - its own
        return reading

    def redacting_with(self, redactor: Redactor | None) -> Self:
        """Return the same memory with another redactor."""
        other = copy(self)
        other._assemble(self.objects, self.key_ring, redactor)  # noqa: SLF001 - its own
        return other

    def _ring_for_write(
        self,
        read_with: OpenKeyRing,
        path: MemoryPath,
        not_found: Callable[[MemoryPath], NotFoundError] = messages.not_found,
    ) -> OpenKeyRing:
        # Making a ring here could bring back, in readable form, a text that an erasure has just destroyed.
        ring = self.key_ring.for_write(read_with)
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
        """Seal a text and store it as a new object, or over the one with this ETag. No text is stored anywhere else."""
        body = self.texts.seal(ring, path, redaction)
        actor_seal = None if self.actor is None else self.texts.seal_actor(ring, path, body, self.actor)
        noted = Noted(copied_from=copied_from, actor_seal=actor_seal)
        etag = self.objects.put(object_key, body, over=over, noted=noted)
        if etag is None:
            return None
        count_redacted(finding.kind for finding in redaction.findings if not finding.is_kept)
        return WrittenFile(path, redaction.text, redaction.findings, etag)
