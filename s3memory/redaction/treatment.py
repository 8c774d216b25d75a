"""What becomes of what is found: taken out, taken out and tagged, refused, reported, or ignored."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from s3memory.errors import ConfigurationError
from s3memory.redaction.allowlist import Allowlist
from s3memory.redaction.kinds import PERSONAL_KINDS, SERVICE_KINDS
from s3memory.redaction.model import placeholder
from s3memory.redaction.rules import KINDS

REDACT = "redact"
TAG = "tag"
BLOCK = "block"
REPORT = "report"
OFF = "off"
MODES = (REDACT, TAG, BLOCK, REPORT, OFF)
OTHERS = "*"
"""In a policy, all kinds that it does not name."""

TAG_KEY_BYTES = 32

KNOWN_KINDS = KINDS | PERSONAL_KINDS | SERVICE_KINDS
"""The kinds of which placeholders are known without a detector that says so."""

_SHIELDING_NOTHING = PERSONAL_KINDS | (SERVICE_KINDS - KINDS)


class Treatment:
    """The rules of one redaction.

    Args:
        policy: The mode of each kind, and of all others.
        allow: What is let through.
        known_kinds: The kinds of which placeholders are left alone.
        tag_key: Gives the key of tags; without it, placeholders have none.
    """

    __slots__ = ("_policy", "_tag_key", "allow", "known_kinds")

    def __init__(
        self,
        policy: Mapping[str, str] | None = None,
        *,
        allow: Allowlist | None = None,
        known_kinds: frozenset[str] = KNOWN_KINDS,
        tag_key: Callable[[], bytes] | None = None,
    ) -> None:
        self._policy = policy or {}
        self.allow = allow or Allowlist()
        self.known_kinds = known_kinds
        self._tag_key = tag_key

    def mode(self, kind: str) -> str:
        """Return what becomes of `kind`."""
        return self._policy.get(kind) or self._policy.get(OTHERS, REDACT)

    def shields(self, kind: str, *modes: str) -> bool:
        """Whether what is of `kind` stays, and is left alone by what is treated in one of `modes`.

        Personal data never shields: an address that may stay can be somebody's password.
        """
        if kind in _SHIELDING_NOTHING:
            return False
        mode = self.mode(kind)
        return mode == OFF or (mode == REPORT and REPORT not in modes)

    def mark(self, kind: str, value: str) -> str:
        """Return the placeholder for `value`.

        Raises:
            BackendError: The key of tags is the tenant's, and could not be had.
        """
        if self.mode(kind) != TAG or self._tag_key is None:
            return placeholder(kind)
        return placeholder(kind, tag_of(self._tag_key(), kind, value))


def tag_of(key: bytes, kind: str, value: str) -> str:
    """Return 8 hexadecimal digits that are the same for the same value, and tell nothing else without the key.

    They are the first 32 bits of HMAC-SHA-256 over the kind, a zero byte and the value in UTF-8. Nobody can try values
    without the key, but who may write and read memories can: so only what can't be guessed is tagged.

    Raises:
        ConfigurationError: The key is not 32 bytes.
    """
    import hmac  # noqa: PLC0415 - loads OpenSSL, which a text without tags does not need

    if len(key) != TAG_KEY_BYTES:
        raise ConfigurationError(f"a key for tags is {TAG_KEY_BYTES} bytes")
    message = b"%s\0%s" % (kind.encode("ascii"), value.encode("utf-8", "surrogatepass"))
    return hmac.digest(key, message, "sha256")[:4].hex()
