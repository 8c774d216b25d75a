"""Whether a server honours a condition on DELETE: found out, remembered, and said where it does not.

S3 does. Servers that speak its protocol may answer 501, or delete and leave the condition unread. ``docs/semantics.md``
says what is lost then, under "Servers without conditional delete".
"""

from __future__ import annotations

import logging
import os
import uuid
from concurrent.futures import Future
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from s3memory.aws.errors import AWS_ERRORS, RequestOutcome, outcome_of

if TYPE_CHECKING:
    from s3memory.s3.transport import Transport

_log = logging.getLogger("s3memory")

_AWS_DOMAINS = (".amazonaws.com", ".amazonaws.com.cn", ".amazonaws.eu")
# What an answer to a conditional delete of nothing says of the server; any other says nothing.
_MEANINGS = {
    RequestOutcome.MISSING: True,
    RequestOutcome.PRECONDITION_FAILED: True,
    RequestOutcome.NOT_SUPPORTED: False,
}

# By address and bucket. None needs a lock: `dict.setdefault` is atomic.
_known: dict[tuple[str, str], bool] = {}
_said: dict[tuple[str, str], object] = {}
# What is being asked, by one thread for all that want to know.
_asked: dict[tuple[str, str], Future[None]] = {}
# A forked child has no thread that will answer.
os.register_at_fork(after_in_child=_asked.clear)


def are_honoured(client: Transport, bucket: str, *, beside: str) -> bool:
    """Return whether the bucket's server deletes only what meets the condition. It is asked once; S3 never.

    It is asked to delete an object that does not exist, if it has a certain ETag. That is an error on S3; a server
    that reports success has not read the condition. (Where versions are kept, such a one adds a delete marker.)
    Threads that want to know at the same time ask once, and all go by the answer; if there is none, the next one asks.

    Args:
        client: a client of the server.
        bucket: the bucket.
        beside: an object key that the caller may delete: the one that is asked about lies beside it.
    """
    identity = (client.meta.endpoint_url, bucket)
    if identity not in _known and _is_to_be_asked(identity[0]):
        mine: Future[None] = Future()
        asked = _asked.setdefault(identity, mine)
        if asked is mine:
            try:
                if identity not in _known:  # or another thread was answered just now
                    _ask(client, bucket, object_key=beside[: beside.rfind("/") + 1] + uuid.uuid4().hex)
            finally:
                del _asked[identity]
                mine.set_result(None)
        else:
            asked.result()
    return _known.get(identity, True)


def note(address: str, bucket: str, *, honoured: bool) -> None:
    """Remember what a server's answer says of it. Warn in the log, once for each bucket, where it is weaker."""
    _known[address, bucket] = honoured
    mine = object()
    if not honoured and _said.setdefault((address, bucket), mine) is mine:
        _log.warning(
            "the S3 server does not honour conditions on DELETE: an edit in the moment before a file is deleted or "
            "renamed can be lost"
        )


def _ask(client: Transport, bucket: str, *, object_key: str) -> None:
    """Delete an object that does not exist, and note what the answer says of the server, if it says anything."""
    try:
        client.delete_object(Bucket=bucket, Key=object_key, IfMatch=f'"{uuid.uuid4().hex}"')
    except AWS_ERRORS as error:
        meaning = _MEANINGS.get(outcome_of(error))
        if meaning is not None:
            note(client.meta.endpoint_url, bucket, honoured=meaning)
    else:
        note(client.meta.endpoint_url, bucket, honoured=False)


def _is_to_be_asked(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in {"http", "https"} and not (parts.hostname or "").endswith(_AWS_DOMAINS)
