"""`MemoryWriter`: new files, edits, copies and deletions, one file at a time.

Every text that is stored passes `TextSealer`. Every write is a compare and swap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from s3memory._parallel import together
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import AlreadyExistsError, ConflictError, KeyRingError, NotFoundError, ReadOnlyError
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.keys.tenant_keys import refuse_archived
from s3memory.paths import MemoryPath
from s3memory.redaction import Finding, Redaction
from s3memory.s3.objects import Deletion, Noted
from s3memory.store.quotas import Quotas
from s3memory.store.reader import MemoryFile, MemoryReader


class WrittenFile(NamedTuple):
    """A file as it was written: the text that is stored, what was redacted from it, and its ETag."""

    path: MemoryPath
    text: str
    findings: tuple[Finding, ...]
    etag: str


class MemoryWriter(MemoryReader):
    """The files of one tenant, to be read and written.

    Attributes:
        quotas: how much the tenant may store.
        retry: how often a write is tried, and until when.
        actor: as for `MemoryStore`.
    """

    quotas: Quotas
    retry: RetryPolicy
    actor: str | None

    def ensure_writable(self) -> None:
        """Refuse where this memory is read-only.

        Raises:
            ReadOnlyError: it is.
        """
        if self.read_only:
            raise ReadOnlyError("Error: This memory is read-only. Nothing was changed.")

    def create(self, path: MemoryPath, text: str, *, read_with: OpenKeyRing | None = None) -> WrittenFile:
        """Store a new file. The first one of a tenant makes its key ring.

        Args:
            path: the file.
            text: what it is to say.
            read_with: the ring that opened what the text is made of; left out, it is new.

        Raises:
            NotFoundError: the tenant was erased since the text was read.
            AlreadyExistsError: a file or directory is there already, or a file is where a directory above it would be.
            RedactionError: the redactor refused the text or the path, or failed.
            LimitError: the text is too large, or the tenant's quota is used up.
            InvalidInputError: it is no Unicode text, or the path is too long.
            OutcomeUnknownError: the file may or may not have been stored.
            BackendError: S3 or the key wrapper could not be reached; nothing was stored.
        """
        self.ensure_writable()
        self.texts.refuse_sensitive_names(path)
        redaction = self.texts.redact(text, path, read_with=read_with)
        ring = self.keys.existing_or_new() if read_with is None else self._going_on_from(read_with, path)
        object_key = self.layout.file(ring.names, path)
        obstacle = self._obstacle_or_no_room(path, redaction)
        etag = None
        if obstacle is None:
            body = self.texts.seal(ring, path, redaction)
            etag = self.bucket.put(object_key, body, noted=self._noted(ring, path, body))
        if etag is None:
            raise AlreadyExistsError(f"Error: File {obstacle or path} already exists", at=str(obstacle or path))
        return WrittenFile(path, redaction.text, redaction.findings, etag)

    def edit(
        self, path: MemoryPath, change: Callable[[str], str], *, read_with: OpenKeyRing | None = None
    ) -> WrittenFile:
        """Replace a file's text by what `change` makes of it, and again if another writer was faster.

        Args:
            path: the file.
            change: from the present text to the new one; it may be called several times and may raise to refuse.
            read_with: the ring that opened what `change` puts in, if that was read elsewhere.

        Raises:
            NotFoundError: there is no file, or the tenant was erased since something was read.
            ConflictError: other writers were faster at every try; nothing was changed.
            RedactionError, LimitError, InvalidInputError, OutcomeUnknownError, BackendError: as for `create`.
        """
        self.ensure_writable()
        for _ in self.retry.tries():
            current = self.read(path)
            if current is None:
                raise NotFoundError(f"Error: The path {path} does not exist")
            written = self.replace(
                path,
                change(current.text),
                etag=current.info.etag,
                read_with=read_with or current.ring,
                present=current.text,
            )
            if written is not None:
                return written
        raise ConflictError(
            f"Error: Other writers changed {path} at every try. Nothing was changed. View the file and try again."
        )

    def replace(
        self, path: MemoryPath, text: str, *, etag: str, read_with: OpenKeyRing, present: str = ""
    ) -> WrittenFile | None:
        """Store a text over the file that has this ETag, whether that one opens or not.

        Args:
            path: the file.
            text: what it is to say.
            etag: of what is replaced.
            read_with: the ring that opened what the text is made of, or that was there then.
            present: what the file says, for the quota of bytes: left out, the whole text counts as growth.

        Returns:
            The file as it was written, or ``None`` if it is another by now, or gone.

        Raises:
            NotFoundError: the tenant was erased since the text was read.
            RedactionError, LimitError, InvalidInputError, OutcomeUnknownError, BackendError: as for `create`.
        """
        self.ensure_writable()
        redaction = self.texts.redact(text, path, read_with=read_with)
        self.quotas.ensure_room_for_growth(present, redaction.text)
        ring = self._going_on_from(read_with, path)
        body = self.texts.seal(ring, path, redaction)
        object_key = self.layout.file(ring.names, path)
        new_etag = self.bucket.put(object_key, body, over=etag, noted=self._noted(ring, path, body))
        return None if new_etag is None else WrittenFile(path, redaction.text, redaction.findings, new_etag)

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
        self.ensure_writable()
        redaction = self.texts.redact(source.text, path, read_with=source.ring)
        ring = self._going_on_from(source.ring, source.path)
        object_key = self.layout.file(ring.names, path)
        body = self.texts.seal(ring, path, redaction)
        noted = self._noted(ring, path, body, copied_from=source.info.etags)
        if over is None:
            etag = self.bucket.put(object_key, body, noted=noted)
        else:
            etag = self.bucket.put(object_key, body, over=over, noted=noted)
        return None if etag is None else WrittenFile(path, redaction.text, redaction.findings, etag)

    def delete(self, path: MemoryPath, *, etag: str, read_with: OpenKeyRing | None = None) -> Deletion:
        """Delete the file if it still has this ETag.

        Args:
            path: the file.
            etag: its ETag.
            read_with: the ring that it was read with, or written under: it goes even where the tenant was erased since,
                as what is left without a ring would keep the next one from being made.
        """
        self.ensure_writable()
        try:
            ring = self.keys.existing() or read_with
        except KeyRingError:
            if read_with is None:
                raise
            ring = read_with
        if ring is None:
            return Deletion.MISSING
        refuse_archived(ring)
        return self.bucket.delete(self.layout.file(ring.names, path), etag=etag)

    def _obstacle_or_no_room(self, path: MemoryPath, redaction: Redaction) -> MemoryPath | None:
        """Return what keeps a new file from being made; raise if it is that the tenant's quota is used up."""
        if not (self.quotas.limit_files or self.quotas.limit_bytes):
            return self.obstacle(path)
        obstacle, usage = together(lambda: self.obstacle(path), self.quotas.usage)
        if obstacle is not None:
            return obstacle
        refusal = self.quotas.refusal(usage, files=1, size_bytes=len(redaction.text.encode("utf-8")))
        if refusal is None:
            return None
        # A file that exists is no new one: its caller hears of that, and may overwrite it with less.
        if self.info(path) is not None:
            return path
        raise refusal

    def _going_on_from(self, read_with: OpenKeyRing, path: MemoryPath) -> OpenKeyRing:
        # A ring that is made now would bring back, readable, what an erasure has destroyed meanwhile.
        ring = self.keys.going_on_from(read_with)
        if ring is None:
            raise NotFoundError(f"Error: The path {path} does not exist")
        return ring

    def _noted(self, ring: OpenKeyRing, path: MemoryPath, body: bytes, *, copied_from: tuple[str, ...] = ()) -> Noted:
        seal = None if self.actor is None else self.texts.seal_actor(ring, path, body, self.actor)
        return Noted(copied_from=copied_from, actor_seal=seal)
