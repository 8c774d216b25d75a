"""The guard around every memory command that a model sent: text comes out, whatever happens inside."""

from __future__ import annotations

import logging
from collections.abc import Callable

from s3memory.errors import ConfigurationError, RefusedError, S3MemoryError

_log = logging.getLogger("s3memory")

_INTERNAL_ERROR = (
    "Error: The memory met an internal error, and it is not known whether a change was made. "
    "View the file before trying again."
)

_MISCONFIGURED = "Error: The memory is misconfigured. Nothing was changed. This needs an operator."


def run_guarded(call: Callable[[], str]) -> tuple[str, bool]:
    """Carry out a command. Return the text for the model, and whether it is an error.

    The texts of our own errors are fit for a model. Of any other exception neither the text nor the ``repr`` gets out,
    not even to the log: they hold bucket names, object keys and ARNs.
    """
    try:
        return call(), False
    except RefusedError as error:
        text = str(error)
    except ConfigurationError as error:  # written for who configures: it may quote settings
        _log.error("the memory is misconfigured: %s", type(error).__name__)
        text = _MISCONFIGURED
    except S3MemoryError as error:
        _log.warning("a memory command failed: %s", type(error).__name__)
        text = str(error)
    except Exception as error:  # noqa: BLE001 - its repr would reach the model
        _log.error("a memory command met an internal error: %s", type(error).__name__)
        text = _INTERNAL_ERROR
    return text, True
