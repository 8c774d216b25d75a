"""Text to sealed bytes and back: the one way into a memory object. No requests of its own but for unwrapping keys.

What may be stored is a `Redaction`, and only `TextSealer.redact` makes one: what did not pass the redactor and the size
limit can't be sealed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from s3memory.envelope import FILE_PURPOSE, Place, open_sealed, seal, sealed_generation
from s3memory.errors import IntegrityError, InvalidInputError, KeyRingError, LimitError
from s3memory.keyring import OpenKeyRing
from s3memory.keys import TenantKeys
from s3memory.limits import Limits
from s3memory.paths import MemoryPath, is_unicode_text
from s3memory.redaction import Redaction, Redactor
from s3memory.redaction.funnel import redact_text, refuse_sensitive_path


@dataclass(frozen=True, slots=True)
class TextSealer:
    """Seals and opens the texts of one tenant.

    Attributes:
        keys: the tenant's key ring.
        redactor: filters every text and path; ``None`` lets all pass.
        limits: how large a text may be.
    """

    keys: TenantKeys
    redactor: Redactor | None
    limits: Limits

    def redact(self, text: str) -> Redaction:
        """Return a text as it may be stored.

        Raises:
            RedactionError: the redactor refused it, or failed.
            LimitError: it is too large. InvalidInputError: it is no Unicode text.
        """
        # A text that is too long in characters is too long in bytes; the redactor need not look at it.
        if len(text) <= self.limits.max_file_bytes:
            _refuse_surrogates(text)
            redaction = redact_text(self.redactor, text)
            _refuse_surrogates(redaction.text)
            if len(redaction.text.encode("utf-8")) <= self.limits.max_file_bytes:
                return redaction
        raise LimitError(
            f"Error: The file would be larger than {self.limits.max_file_bytes} bytes, which is the limit. "
            "Nothing was changed. Shorten it or use several files."
        )

    def refuse_sensitive_names(self, names: Iterable[str]) -> None:
        """Refuse names of a path in which the redactor finds anything.

        Raises:
            RedactionError: it found something, or failed. The text names the kind.
        """
        refuse_sensitive_path(self.redactor, names)

    def seal(self, ring: OpenKeyRing, path: MemoryPath, redaction: Redaction) -> bytes:
        """Return the body of a memory object at `path`, under the newest data key and a fresh salt."""
        return seal(redaction.text.encode("utf-8"), data_key=ring.newest, place=self._place(path))

    def open(self, ring: OpenKeyRing, path: MemoryPath, body: bytes) -> str:
        """Return the text that was sealed for `path`.

        Raises:
            IntegrityError: it does not open. KeyRingError: the ring has no key for it.
            BackendError: an older key had to be unwrapped, and the wrapper could not be reached.
        """
        try:
            data_key = self.keys.data_key(ring, sealed_generation(body))
            return open_sealed(body, data_key=data_key, place=self._place(path)).decode("utf-8")
        except KeyRingError:
            raise
        except (IntegrityError, UnicodeDecodeError):
            raise IntegrityError(
                f"Error: The file {path} does not open: it was altered, moved, or sealed under another key. "
                "It was left as it is. This needs an operator."
            ) from None

    def _place(self, path: MemoryPath) -> Place:
        return Place(FILE_PURPOSE, self.keys.tenant, str(path))


def _refuse_surrogates(text: str) -> None:
    if not is_unicode_text(text):
        raise InvalidInputError("Error: The text holds a lone surrogate, which is no Unicode character.")
