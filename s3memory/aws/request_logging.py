"""Clients whose requests botocore does not log: at DEBUG it writes down whole requests and answers.

Those of KMS hold data keys in clear, those of STS credentials, and the headers of every request session tokens. What
level a program gives its loggers is the program's business, so what is said of these clients' requests below INFO is
dropped where it is said, whatever handlers there are.
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


def _is_said(record: logging.LogRecord) -> bool:
    return record.levelno > logging.DEBUG or not getattr(_thread, "requests", 0)


def _call_quietly(client: BaseClient, operation_name: str, arguments: Any) -> Any:
    """Stand in for a client's method that makes its requests, all of them. Watchers are notified there as well."""
    # Looked up each time: libraries that trace requests replace it in the class.
    make: Any = type(client)._make_api_call  # type: ignore[attr-defined]  # noqa: SLF001 - no event of botocore's comes at every end
    _thread.requests = getattr(_thread, "requests", 0) + 1  # signing one request may need another, to STS
    try:
        with waiting_for(client.meta.endpoint_url):
            return make(client, operation_name, arguments)
    finally:
        _thread.requests -= 1


def keep_out_of_logs(client: BaseClient) -> None:
    """Let botocore, and what it stands on, say nothing of a client's requests below INFO. Others' are as they were."""
    if "_make_api_call" in vars(client):
        return
    # A filter is asked by the logger that it is at, not by those below: every module has one of its own.
    for name in list(logging.root.manager.loggerDict):
        if name.split(".", 1)[0] in _LIBRARIES:
            logging.getLogger(name).addFilter(_is_said)
    vars(client)["_make_api_call"] = partial(_call_quietly, client)
