"""Keeps clients' requests out of botocore's debug logs, which contain whole requests and responses.

Those of KMS hold plaintext data keys, those of STS credentials, and the headers of every request session tokens. The
program decides about log levels and handlers, so messages below INFO about these requests are dropped at the loggers.
"""

from __future__ import annotations

import logging
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from s3memory.aws.waiting import waiting_for

if TYPE_CHECKING:
    from botocore.client import BaseClient

_LIBRARIES = ("boto3", "botocore", "urllib3", "s3transfer")

_thread = threading.local()


def _is_allowed(record: logging.LogRecord) -> bool:
    return record.levelno > logging.DEBUG or not getattr(_thread, "requests", 0)


def _call_quietly(client: BaseClient, operation_name: str, arguments: Any) -> Any:
    """Replace the method through which a client makes all its requests. It notifies the watcher of waits, too."""
    # Looked up each time: libraries that trace requests replace it in the class.
    make: Any = type(client)._make_api_call  # type: ignore[attr-defined]  # noqa: SLF001 - botocore has no event for every end
    _thread.requests = getattr(_thread, "requests", 0) + 1  # signing one request may need another, to STS
    try:
        with waiting_for(client.meta.endpoint_url):
            return make(client, operation_name, arguments)
    finally:
        _thread.requests -= 1


def keep_out_of_logs(client: BaseClient) -> None:
    """Have botocore and its libraries log nothing below INFO about this client's requests. Other clients still do."""
    if "_make_api_call" in vars(client):
        return
    # A logger's filter does not apply to the loggers below it, and every module has its own logger.
    for name in list(logging.root.manager.loggerDict):
        if name.split(".", 1)[0] in _LIBRARIES:
            logging.getLogger(name).addFilter(_is_allowed)
    vars(client)["_make_api_call"] = partial(_call_quietly, client)
