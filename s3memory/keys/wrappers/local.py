"""`LocalKeyWrapper`: wraps data keys with keys from the environment or a file, for tests and places without KMS."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence

from s3memory.errors import ConfigurationError, KeyRingError
from s3memory.format import cobblestone
from s3memory.format.envelope import DATA_KEY_BYTES, HoldsKeys, encode_context

LOCAL_KEY_BYTES = 32
# Only one in 10^37 random keys has fewer distinct bytes. All zeros, or text typed to fill 32 bytes, usually has fewer.
_MIN_DISTINCT_BYTES = 8

_PURPOSE = b"s3memory/v1/local-wrap"


class LocalKeyWrapper(HoldsKeys):
    """Wraps data keys with your own 256-bit key, bound to a context as in KMS.

    Anyone who has the key can open every key ring made with it. There is no access log, and no way to revoke the key.
    Use `KmsKeyWrapper` in production.

    Args:
        key_bytes: 32 random bytes; this key wraps.
        older_key_bytes: more keys of 32 bytes, which only unwrap what they once wrapped.

    Raises:
        ConfigurationError: a key does not have 32 bytes, or is obviously not random. `generate_key_text` makes a key.
    """

    name = "local"

    def __init__(self, key_bytes: bytes, *older_key_bytes: bytes) -> None:
        self._keys = (key_bytes, *older_key_bytes)
        del key_bytes, older_key_bytes  # so that error reports that show local variables show no keys
        if why := _problem_with(self._keys):
            raise ConfigurationError(why)

    @classmethod
    def from_text(cls, text: str) -> LocalKeyWrapper:
        """Make a wrapper from one or more base64 keys, separated by commas or white space; the first one wraps.

        Raises:
            ConfigurationError: there is no key, or one is not base64 of 32 bytes, or is obviously not random.
        """
        keys = _decoded(text)
        why = "a local key is the base64 text of 32 bytes" if keys is None else _problem_with(keys)
        if keys is None or why is not None:
            del text, keys  # as above
            raise ConfigurationError(why)
        return cls(*keys)

    @staticmethod
    def generate_key_text() -> str:
        """Return a new random key as base64, ready for `from_text`."""
        return base64.b64encode(os.urandom(LOCAL_KEY_BYTES)).decode("ascii")

    def generate(self, context: dict[str, str], /) -> tuple[bytes, bytes]:
        """Return a new random data key, in clear and wrapped under the first key."""
        data_key = os.urandom(DATA_KEY_BYTES)
        return data_key, self.wrap(data_key, context)

    def wrap(self, data_key: bytes, context: dict[str, str], /) -> bytes:
        """Return a data key wrapped under the first key."""
        return cobblestone.encrypt(self._keys[0], _encode(context), data_key)

    def first_alone(self) -> LocalKeyWrapper:
        """Return a wrapper with only the key that wraps, without the older ones."""
        return LocalKeyWrapper(self._keys[0])

    def unwrap(self, wrapped: bytes, context: dict[str, str], /) -> bytes:
        """Return the data key, trying each key in turn.

        Raises:
            KeyRingError: none of the keys opens it for this context.
        """
        encoded = _encode(context)
        opened = (cobblestone.decrypt(key, encoded, wrapped) for key in self._keys)
        data_key = next((one for one in opened if one is not None), None)
        if data_key is None:
            raise KeyRingError(
                "The tenant's key ring does not open with the configured local key.", configured=self.name
            )
        return data_key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LocalKeyWrapper) and self._fingerprint() == other._fingerprint()

    def __hash__(self) -> int:
        return hash(self._fingerprint())

    def __repr__(self) -> str:
        return f"LocalKeyWrapper(<{len(self._keys)} keys>)"

    def _fingerprint(self) -> bytes:
        return hashlib.sha256(b"".join(self._keys)).digest()


def _decoded(text: str) -> tuple[bytes, ...] | None:
    try:
        return tuple(base64.b64decode(word, validate=True) for word in text.replace(",", " ").split())
    except (AttributeError, TypeError, ValueError):  # also if given None, from an unset variable, or a file's bytes
        return None


def _problem_with(keys: Sequence[object]) -> str | None:
    """Return what is wrong with the keys, or `None`. It raises nothing, since its local variables hold the keys."""
    if not keys:
        return "there is no local key"
    if any(isinstance(key, str) for key in keys):
        return f"a local key is {LOCAL_KEY_BYTES} bytes; if it is base64 text, give it to LocalKeyWrapper.from_text"
    of_right_length = [key for key in keys if isinstance(key, bytes) and len(key) == LOCAL_KEY_BYTES]
    if len(of_right_length) < len(keys):
        return f"a local key is {LOCAL_KEY_BYTES} bytes"
    if not all(len(set(key)) >= _MIN_DISTINCT_BYTES for key in of_right_length):
        return "a local key is random bytes, and this one repeats a few: `s3memory keygen` makes one"
    return None


def _encode(context: dict[str, str]) -> bytes:
    fields = [text.encode("utf-8") for item in sorted(context.items()) for text in item]
    return encode_context(_PURPOSE, *fields)
