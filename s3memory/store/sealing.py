"""Turns texts into sealed bytes and back: every memory object is made here. The only requests are to unwrap keys.

Only a `Redaction` can be sealed, and only `TextSealer.redact` makes one: so every stored text has passed the redactor
and the size limit.
"""

from __future__ import annotations

from collections.abc import Iterable

from s3memory._parallel import batches
from s3memory.errors import IntegrityError, InvalidInputError, KeyRingError, LimitError, RefusedError, S3MemoryError
from s3memory.format.actor_labels import open_actor, seal_actor, sealed_actor
from s3memory.format.envelope import FILE_PURPOSE, TAG_PURPOSE, Place, derive_key, open_sealed, seal, sealed_generation
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.keys.tenant_keys import TenantKeys
from s3memory.limits import LIST_PAGE_KEYS, Limits
from s3memory.paths import MemoryPath, is_unicode_text
from s3memory.redaction import Redaction, Redactor, UncheckedTextError, WriteRedactor
from s3memory.redaction.fail_closed import placeholders_of, redact_text, refuse_sensitive_path, refuse_sensitive_paths
from s3memory.s3.objects import Noted, StoredObject


class TextSealer:
    """Seals and opens the texts of one tenant. Without a redactor, every text and path is accepted."""

    def __init__(self, keys: TenantKeys, redactor: Redactor | None, limits: Limits) -> None:
        self.keys = keys
        self.redactor = redactor
        self.limits = limits

    def redact(self, text: str, path: MemoryPath, *, read_with: OpenKeyRing | None = None) -> Redaction:
        """Return the redacted text, which may be stored at `path`.

        `read_with` is the ring that opened what the text was made from. Without one the text is new, and redacting it
        may make the tenant's first ring.

        Raises:
            RedactionError: the redactor refused it, or failed.
            LimitError: it is too large. InvalidInputError: it is not Unicode text.
            KeyRingError, BackendError: the redactor needed the tenant's tag key, which was not available.
        """
        # A text that is too long in characters is too long in bytes; the redactor need not look at it.
        if len(text) <= self.limits.max_file_bytes:
            _refuse_surrogates(text)
            redaction = self._redacted(text, path, read_with)
            _refuse_surrogates(redaction.text)
            if len(redaction.text.encode("utf-8")) <= self.limits.max_file_bytes:
                return redaction
        raise LimitError(
            f"The file would be larger than {self.limits.max_file_bytes} bytes, which is the limit. "
            "Nothing was changed. Shorten it or use several files."
        )

    def as_stored(self, text: str, sought: str, path: MemoryPath) -> str:
        """Return what to look for in a file's text: `sought`, or what it would be after redaction.

        An agent may remember a text that was redacted when it was stored.
        """
        if sought in text:
            return sought
        ring = self.keys.existing()
        if ring is None:  # the tenant was erased after the file was read: no ring is made for this
            return sought
        try:
            # An empty text would be found everywhere.
            return self.redact(sought, path, read_with=ring).text or sought
        except RefusedError:
            return sought

    def _redacted(self, text: str, path: MemoryPath, read_with: OpenKeyRing | None) -> Redaction:
        if not isinstance(self.redactor, WriteRedactor):
            return redact_text(self.redactor, text)
        tag_key = _TagKey(self.keys, read_with)
        try:
            return redact_text(_PerWriteRedactor(self.redactor, str(path), tag_key), text)
        except UncheckedTextError:
            # The failure to get the key is more useful: it says, for example, whether to try again.
            if tag_key.failure is not None:
                raise tag_key.failure from None
            raise

    def refuse_sensitive_path(self, path: MemoryPath) -> None:
        """Raise a `RedactionError` that names the kind if the redactor finds something in a path, or if it fails."""
        refuse_sensitive_path(self.redactor, str(path), path.segments)

    def refuse_sensitive_paths(self, paths: Iterable[MemoryPath]) -> None:
        """Check the paths of files that move with their directory, each as `refuse_sensitive_path` does."""
        for batch in batches(paths, LIST_PAGE_KEYS):
            refuse_sensitive_paths(self.redactor, [(str(path), path.segments) for path in batch])

    def placeholders(self, text: str) -> list[tuple[int, int]]:
        """Return the start and end of each placeholder in `text`, in order."""
        return [] if self.redactor is None else placeholders_of(self.redactor, text)

    def seal(self, ring: OpenKeyRing, path: MemoryPath, redaction: Redaction) -> bytes:
        """Return the body of a memory object at `path`, under the newest data key and a fresh salt."""
        return seal(redaction.text.encode("utf-8"), data_key=ring.newest, place=self._place(path))

    def open(self, ring: OpenKeyRing, path: MemoryPath, body: bytes) -> str:
        """Return the text that was sealed for `path`.

        Raises:
            IntegrityError: it does not open. KeyRingError: the ring has no key for it.
            BackendError: an older key has to be unwrapped, and the wrapper could not be reached.
        """
        try:
            data_key = self.keys.data_key(ring, sealed_generation(body))
            return open_sealed(body, data_key=data_key, place=self._place(path)).decode("utf-8")
        except KeyRingError:
            raise
        except (IntegrityError, UnicodeDecodeError):
            raise IntegrityError(
                f"The file {path} does not open: it was altered, moved, or sealed under another key. "
                "It was left as it is. This needs an operator."
            ) from None

    def seal_actor(self, ring: OpenKeyRing, path: MemoryPath, body: bytes, actor: str) -> str:
        """Return the sealed actor label to store with a body that was sealed for `path`."""
        return seal_actor(actor, data_key=ring.newest, tenant=self.keys.tenant, path=path, body=body)

    def open_actor(self, ring: OpenKeyRing, path: MemoryPath, stored: StoredObject) -> tuple[str | None, bool]:
        """Return a file's actor label, if it has one that opens, and whether it has one that does not.

        A label does not open if it was sealed with another text or altered, or if the ring has no key for it.

        Raises:
            BackendError: an older key has to be unwrapped, and the wrapper could not be reached.
        """
        if stored.info.noted.actor_seal is None:
            return None, False
        try:
            sealed = sealed_actor(stored.info.noted.actor_seal)
            data_key = self.keys.data_key(ring, sealed_generation(sealed))
            actor = open_actor(sealed, data_key=data_key, tenant=self.keys.tenant, path=path, body=stored.body)
        except IntegrityError:
            return None, True
        return actor, False

    def resealed(self, ring: OpenKeyRing, path: MemoryPath, stored: StoredObject) -> tuple[bytes, Noted]:
        """Return the file stored at `path`, resealed under the newest data key, and the metadata to note with it.

        The text stays the same, byte for byte, and is not redacted again. An actor label that does not open is dropped:
        it would not open with the new body either. Raises as `open`.
        """
        text = self.open(ring, path, stored.body)
        body = seal(text.encode("utf-8"), data_key=ring.newest, place=self._place(path))
        actor, _ = self.open_actor(ring, path, stored)
        actor_seal = None if actor is None else self.seal_actor(ring, path, body, actor)
        return body, stored.info.noted_again._replace(actor_seal=actor_seal)

    def _place(self, path: MemoryPath) -> Place:
        return Place(FILE_PURPOSE, self.keys.tenant, str(path))


class _PerWriteRedactor:
    """A redactor for one write. It calls `for_write` only while redacting.

    So the write is refused if `for_write` fails, or returns `None` or other nonsense.
    """

    def __init__(self, redactor: WriteRedactor, path: str, tag_key: _TagKey) -> None:
        self._redactor, self._path, self._tag_key = redactor, path, tag_key

    def redact(self, text: str, /) -> Redaction:
        return self._redactor.for_write(self._path, self._tag_key).redact(text)


class _TagKey:
    """Returns the tenant's tag key, and remembers why it could not: a redactor's errors are not passed on.

    The key is derived from the oldest data key, as the ids of intents are, so that a rotation changes no tag.
    """

    def __init__(self, keys: TenantKeys, ring: OpenKeyRing | None) -> None:
        self._keys = keys
        self._ring = ring
        self.failure: S3MemoryError | None = None

    def __call__(self) -> bytes:
        try:
            ring = self._ring or self._keys.existing_or_new()
            return derive_key(self._keys.data_key(ring, ring.ring.oldest.generation), TAG_PURPOSE)
        except S3MemoryError as error:
            self.failure = error
            raise


def _refuse_surrogates(text: str) -> None:
    if not is_unicode_text(text):
        raise InvalidInputError("The text holds a lone surrogate, which is not a Unicode character.")
