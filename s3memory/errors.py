"""The exception hierarchy: one type for each case that a caller would handle differently.

The text of every error is a sentence that is safe to show to a model (`S3MemoryError.for_model`) and to log: it names
memory paths and parameters that the caller sent, never a bucket, an object key, an ARN, another tenant or key material.
The functions for operators keep the error of S3 or KMS as ``__cause__``, which names resources. `MemoryCommands` drops
it, since agents log its errors.
"""

from __future__ import annotations

import errno
import os
from typing import Self

LABEL = "Error: "
"""What stands before an error that a model reads."""


class S3MemoryError(Exception):
    """Base of everything that this package raises on purpose.

    Args:
        arguments: the text, a sentence for people and logs.
        is_bare: show the text to a model without ``Error:``, as the memory tool's contract demands for a few texts.

    Attributes:
        about: the memory path of the file that failed, if the command was for a whole directory.
    """

    is_bare = False
    about: str | None = None

    def __init__(self, *arguments: object, is_bare: bool = False) -> None:
        super().__init__(*arguments)
        self.is_bare |= is_bare

    def __str__(self) -> str:
        return super().__str__() + ("" if self.about is None else f" It is about {self.about}.")

    @property
    def for_model(self) -> str:
        """The text for a model: prefixed with ``Error:``, except for the few that the contract shows bare."""
        return self._text_for_model if self.is_bare else f"{LABEL}{self._text_for_model}"

    @property
    def _text_for_model(self) -> str:
        return str(self)


class ConfigurationError(S3MemoryError, ValueError):
    """A setting is missing, malformed or contradicts another. Fix the setting; trying again does not help."""

    @property
    def _text_for_model(self) -> str:
        return (
            "The memory is misconfigured. Nothing was changed. This needs an operator."  # its text may quote settings
        )


class MissingExtraError(ModuleNotFoundError, ConfigurationError):
    """A library that an extra brings is not installed, or not in a release that fits. The text says what to install."""


class RefusedError(S3MemoryError):
    """The command was understood and refused, and nothing was changed. The text says what to send instead."""


class InvalidInputError(RefusedError):
    """A parameter or a memory path is malformed."""

    @classmethod
    def of(cls, parameter: str, why: str) -> Self:
        """Return the error for one parameter.

        Args:
            parameter: the parameter's name, as it was sent.
            why: what is wrong with it, as a clause.
        """
        return cls(f"Invalid `{parameter}` parameter: {why}")


class NotFoundError(RefusedError):
    """There is no file or directory at the memory path."""


class AlreadyExistsError(RefusedError):
    """Something is at the memory path already, or a file is above it.

    Attributes:
        at: the memory path of the obstacle.
    """

    def __init__(self, message: str, *, at: str) -> None:
        super().__init__(message)
        self.at = at


class EditError(RefusedError):
    """The text to edit is not what the command expects."""

    is_bare = True


class LimitError(RefusedError):
    """A file, path or view would exceed `Limits`, or a key ring its fixed limit."""


class ReadOnlyError(RefusedError):
    """The memory is read-only for this caller."""


class RedactionError(RefusedError):
    """The redactor refused the text or the path, or failed: nothing is stored unredacted.

    Attributes:
        is_of_path: a path was refused, and so must not be shown to anybody else either.
    """

    is_of_path = False


class ConflictError(S3MemoryError):
    """Other writers were faster at every attempt. Nothing was changed; you can send the same command again."""


class BackendError(S3MemoryError):
    """S3 or KMS did not do what was asked.

    Attributes:
        code: the reason, if known, usually as AWS's error code; else `None`.
        is_refusal: S3 or KMS has answered that it will not do this. Waiting does not help.
    """

    is_refusal = True

    def __init__(self, *arguments: object, code: str | None = None) -> None:
        super().__init__(*arguments)
        self.code = code


class UnavailableError(BackendError):
    """Throttled, timed out or out of reach, in a read or before a write. Nothing was changed; try again later."""

    is_refusal = False


class AccessDeniedError(BackendError):
    """Credentials or permissions are missing or expired. Nothing was changed; an operator must act."""


class OutcomeUnknownError(BackendError):
    """A write got no answer, or one that proves nothing, such as 503 ``SlowDown``: it may or may not have happened."""

    is_refusal = False


class UnfinishedError(BackendError):
    """A command of several writes was started and was not finished. Nothing is lost; the same command finishes it."""

    is_refusal = False


class IntegrityError(S3MemoryError):
    """A stored object does not open: it was altered, moved, truncated or sealed under another key. It is kept."""


class KeyRingError(IntegrityError):
    """The tenant's key ring is missing where it is needed, malformed, or does not open.

    Attributes:
        made_with: the kind of key that it was made with, if that is not the configured kind; else `None`.
        configured: the kind of key that is configured, if the ring does not open with it; else `None`.
    """

    def __init__(self, message: str, *, made_with: str | None = None, configured: str | None = None) -> None:
        super().__init__(message)
        self.made_with = made_with
        self.configured = configured


class MissingKeyRingError(KeyRingError):
    """The tenant's key ring is missing, although data was sealed under it."""


class OlderKeyRingError(KeyRingError):
    """The tenant's key ring is older than one that was used before: an old version was put back. It is not used."""


def code_behind(error: BaseException | None) -> str | None:
    """Return the code of an error or of its nearest cause that has one: why a request failed, as far as is known."""
    while error is not None:
        if isinstance(error, BackendError) and error.code is not None:
            return error.code
        error = error.__cause__
    return None


def code_without_files(error: BaseException) -> str | None:
    """Return the system's code if an error means that too many files are open, such as ``EMFILE``; else `None`."""
    number = getattr(error, "errno", None)
    for one in (errno.EMFILE, errno.ENFILE):
        # An import that fails to load a shared library reports the system's message, but no error number.
        if number == one or (isinstance(error, ImportError) and os.strerror(one) in str(error)):
            return errno.errorcode[one]
    return None
