"""The boundary around every memory command that a model sent: it turns any failure into a text that is safe to show."""

from __future__ import annotations

import logging
from collections.abc import Callable

from s3memory.errors import (
    ConfigurationError,
    OutcomeUnknownError,
    RefusedError,
    S3MemoryError,
    code_behind,
    code_without_files,
)

_log = logging.getLogger("s3memory")
_COMMAND = "_s3memory_command"

_INTERNAL_TEXT = (
    "The memory met an internal error, and it is not known whether a change was made. "
    "View the file before trying again."
)
_INTERNAL_ERROR = S3MemoryError(_INTERNAL_TEXT)


def guarded(call: Callable[..., str], *arguments: object, error: Callable[[str], Exception]) -> str:
    """Run a command. Any exception is replaced by an `error` with the text for the model and without a cause."""
    try:
        return call(*arguments)
    except Exception as raised:  # noqa: BLE001 - its repr would reach the model
        text = _text_for_model(raised)
    raise error(text)


def run_guarded(call: Callable[..., str], *arguments: object) -> tuple[str, bool]:
    """Run a command, as `guarded` does. Return the text for the model, and whether it is an error."""
    try:
        return call(*arguments), False
    except Exception as raised:  # noqa: BLE001 - its repr would reach the model
        return _text_for_model(raised), True


def _text_for_model(raised: Exception) -> str:
    """Return the text for the model, and log the error's type, with AWS's code if there is one.

    The texts of our own errors are safe for a model. The text and ``repr`` of any other exception stay inside, even out
    of the log: they contain bucket names, object keys and ARNs.
    """
    kind = type(raised).__name__
    if isinstance(raised, RefusedError):
        return raised.for_model
    if isinstance(raised, ConfigurationError):  # its text is for operators and may quote settings, so it is not logged
        _log.error("the memory is misconfigured: %s", kind, extra=_command_of(raised))
        return raised.for_model
    if isinstance(raised, S3MemoryError):
        code = code_behind(raised)
        failure = kind if code is None else f"{kind} ({code})"
        _log.warning("a memory command failed: %s", failure, extra={**_command_of(raised), "code": code})
        return raised.for_model
    _log.error("a memory command met an internal error: %s", kind, extra=_command_of(raised))
    return _INTERNAL_ERROR.for_model


def leave_command(raised: Exception, /, *, operation: str, tenant: str, is_named: bool) -> Exception:
    """Return the error that a command should raise instead of `raised`. Callers may log it with its traceback.

    The command and the tenant are noted on it. Causes from outside this package are dropped, since AWS's libraries name
    buckets, keys and ARNs in them; a `ConfigurationError`, which may itself quote settings, keeps them. If a module
    could not be loaded because too many files are open, this returns an `OutcomeUnknownError` with the system's code.
    """
    code = None if isinstance(raised, S3MemoryError) else code_without_files(raised)
    if code is not None:
        raised = OutcomeUnknownError(_INTERNAL_TEXT, code=code)
    if is_named or not hasattr(raised, _COMMAND):
        setattr(raised, _COMMAND, {"operation": operation, "tenant": tenant})
    one: BaseException | None = raised
    while isinstance(one, S3MemoryError) and not isinstance(one, ConfigurationError):
        one.__context__ = None
        if not isinstance(one.__cause__, S3MemoryError):
            one.__cause__ = None
        one = one.__cause__
    return raised


def _command_of(raised: Exception) -> dict[str, str | None]:
    """Return the fields of a log record that say which command failed, if known."""
    return getattr(raised, _COMMAND, {"operation": None, "tenant": None})
