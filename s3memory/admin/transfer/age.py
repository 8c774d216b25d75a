"""Streaming encryption with age (https://age-encryption.org/v1) by pyrage. It needs the extra ``age``.

pyrage reads and writes whole streams, so it runs in its own thread behind a pipe.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from s3memory._arguments import naming_file
from s3memory._extras import extra
from s3memory.errors import ConfigurationError, InvalidInputError

HEADER = b"age-encryption.org/v1"
"""The first bytes of every file that is encrypted with age."""

_IDENTITY = "AGE-SECRET-KEY-1"


@contextmanager
def encrypting(out: IO[bytes], recipients: Sequence[str]) -> Iterator[IO[bytes]]:
    """Yield a stream whose content is encrypted into `out`. The identity of any of the recipients can decrypt it.

    Args:
        out: receives the ciphertext.
        recipients: native age recipients (``age1...``) or SSH public keys.

    Raises:
        ConfigurationError: a recipient is malformed, or pyrage is not installed.
        OSError: `out` can't be written.
    """
    pyrage = _pyrage()
    parsed = [_recipient(pyrage, text) for text in recipients]
    ciphertext = _ErrorKeeper(out)

    def encrypt() -> None:
        try:
            pyrage.encrypt_io(reader, ciphertext, parsed)
        except pyrage.EncryptError:
            if ciphertext.error is not None:
                raise ciphertext.error from None
            raise

    read_end, write_end = os.pipe()
    with ThreadPoolExecutor(1, thread_name_prefix="s3memory-age") as pool:
        reader = os.fdopen(read_end, "rb")
        done = pool.submit(_closing, reader, encrypt)
        try:
            with os.fdopen(write_end, "wb") as plaintext:
                yield plaintext
        except BrokenPipeError:  # the encryption has failed already, and its error says why: the disk is full, perhaps
            done.result()
            raise
        done.result()


@contextmanager
def decrypting(ciphertext: IO[bytes], identities: Sequence[str]) -> Iterator[IO[bytes]]:
    """Yield the plaintext as a stream.

    Args:
        ciphertext: the encrypted stream, from age or pyrage.
        identities: native age identities (``AGE-SECRET-KEY-1...``).

    Raises:
        InvalidInputError: none of the identities opens it, or it was altered or cut off.
        ConfigurationError: an identity is malformed, or pyrage is not installed.
    """
    pyrage = _pyrage()
    try:
        parsed = [pyrage.x25519.Identity.from_str(text) for text in identities]
    except pyrage.IdentityError:
        raise ConfigurationError(f"an age identity is malformed: it must begin with {_IDENTITY}") from None
    if not parsed:
        raise ConfigurationError("it is encrypted, and no identity is given")
    read_end, write_end = os.pipe()
    with ThreadPoolExecutor(1, thread_name_prefix="s3memory-age") as pool:
        plaintext, writer = os.fdopen(read_end, "rb"), os.fdopen(write_end, "wb")

        def decrypt() -> None:
            try:
                pyrage.decrypt_io(ciphertext, writer, parsed)
            except Exception:
                if not plaintext.closed:  # if it is closed, the error is that nobody reads any more
                    raise

        done = pool.submit(_closing, writer, decrypt)
        try:
            with plaintext:
                yield plaintext
                while plaintext.read(65_536):  # to the end, which has to be authenticated as well
                    pass
        except Exception:
            _raise_failure(done)  # it says more than the reader's error about half a stream
            raise
        _raise_failure(done)


def identities_in(path: Path) -> list[str]:
    """Return the identities in a file that age-keygen has written.

    Raises:
        ConfigurationError: it can't be read, or is not such a file.
    """
    try:
        with naming_file(path):
            lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not a file of age identities, which begin with {_IDENTITY}") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


class _ErrorKeeper:
    """An output stream that keeps the error of a failed write, since pyrage replaces it with its own."""

    error: OSError | None = None

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def write(self, data: bytes, /) -> int:
        try:
            return self._out.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        self._out.flush()


def _raise_failure(done: Future[None]) -> None:
    error = done.exception()
    if error is not None:
        raise InvalidInputError("It does not decrypt: none of the identities fits, or it was altered or cut off.")


def _closing(stream: IO[bytes], work: Callable[[], object]) -> None:
    try:
        work()
    finally:
        with suppress(OSError):
            stream.close()


def _recipient(pyrage: Any, text: str) -> Any:
    try:
        return (pyrage.ssh if text.startswith("ssh-") else pyrage.x25519).Recipient.from_str(text)
    except pyrage.RecipientError:
        raise ConfigurationError(
            "an age recipient is malformed: it must be a whole public key, such as age1... or ssh-..."
        ) from None


def _pyrage() -> Any:
    with extra("age", "encryption with age"):
        import pyrage  # of an extra
    return pyrage
