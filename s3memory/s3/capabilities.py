"""Which conditions on DELETE and DeleteObjects a server honours: found out once, remembered, and logged if weaker.

S3 honours them. Servers that speak its protocol may answer 501, leave the condition unread, or take ``*`` for an ETag.
``docs/semantics.md`` says what is lost then, under "Servers without conditional delete".
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from s3memory._forks import OfOneProcess
from s3memory.aws.addresses import is_of_aws
from s3memory.aws.errors import RequestOutcome, aws_errors, has_code, outcome_of, outcome_of_code
from s3memory.aws.retry import no_time_left, request_seconds
from s3memory.s3.batch_deletes import code_of

if TYPE_CHECKING:
    from s3memory.s3.transport import Transport

_log = logging.getLogger("s3memory")

ANY: Final = "*"
"""As a condition: whatever is there."""

# What an answer to a conditional delete of nothing says of the server; any other says nothing.
_MEANINGS = {
    RequestOutcome.MISSING: True,
    RequestOutcome.PRECONDITION_FAILED: True,
    RequestOutcome.NOT_SUPPORTED: False,
}

# A bucket by its server's address and its name.
_Identity = tuple[str, str]
# None needs a lock: `dict.setdefault` and `set.add` are atomic.
_said: dict[_Identity, object] = {}
_literal: set[_Identity] = set()


class _Question(OfOneProcess):
    """A question to a bucket's server about an object key where nothing is: asked until it is answered, and then known.

    Threads that want to know at the same time ask once and share the answer.
    """

    def __init__(self, ask: Callable[[Transport, str, str], bool | None]) -> None:
        self._ask = ask
        self.known: dict[_Identity, bool] = {}
        super().__init__()

    def begin_anew(self) -> None:
        """Forget what was asked: a forked child has no thread that will be answered."""
        self._asked: dict[_Identity, Future[None]] = {}

    def answer(self, client: Transport, bucket: str, *, beside: str) -> bool | None:
        """Return the answer, or `None` if there was none. Arguments and errors as for `are_honoured`."""
        identity = (client.meta.endpoint_url, bucket)
        if identity not in self.known:
            mine: Future[None] = Future()
            asked = self._asked.setdefault(identity, mine)
            if asked is mine:
                try:
                    if identity not in self.known:  # or another thread was answered just now
                        answer = self._ask(client, bucket, f"{beside[: beside.rfind('/') + 1]}{os.urandom(16).hex()}")
                        if answer is not None:
                            self.known[identity] = answer
                finally:
                    del self._asked[identity]
                    mine.set_result(None)
            else:
                seconds = request_seconds()
                try:
                    asked.result(seconds if math.isfinite(seconds) else None)
                except TimeoutError:  # the thread that asks has more time than this one
                    raise no_time_left() from None
        return self.known.get(identity)


def _ask_one(client: Transport, bucket: str, object_key: str) -> bool | None:
    """Delete an object that does not exist, on the condition of an ETag. A server that reports success has not read it.

    (Such a server adds a delete marker where versions are kept.)
    """
    try:
        client.delete_object(Bucket=bucket, Key=object_key, IfMatch=f'"{os.urandom(16).hex()}"')
    except aws_errors() as error:
        answer = _MEANINGS.get(outcome_of(error)) if has_code(error) else None  # a proxy has no code of S3's
    else:
        answer = False
    if answer is False:
        _warn((client.meta.endpoint_url, bucket))
    return answer


def _ask_by_key(client: Transport, bucket: str, object_key: str) -> bool | None:
    """The same by a DeleteObjects, whose errors come by key.

    No error means that ETags are not read, or that what is missing counts as deleted, whoever deleted it. An error of
    another kind, such as ``InternalError``, says nothing.
    """
    entry = {"Key": object_key, "ETag": f'"{os.urandom(16).hex()}"'}
    try:
        answer = client.delete_objects(Bucket=bucket, Delete={"Objects": [entry], "Quiet": True})
    except aws_errors():
        return None
    errors = answer.get("Errors", [])
    return _MEANINGS.get(outcome_of_code(code_of(errors[0]))) if errors else False


_one, _by_key = _Question(_ask_one), _Question(_ask_by_key)


def are_honoured(client: Transport, bucket: str, *, beside: str) -> bool:
    """Return whether the bucket's server deletes only what meets the condition. It is asked once; S3 never.

    It is asked about an object key beside one that the caller may delete.

    Raises:
        UnavailableError: another thread waited for the answer longer than this context has time.
    """
    identity = (client.meta.endpoint_url, bucket)
    if _is_s3(identity[0]):
        return _one.known.get(identity, True)
    return _one.answer(client, bucket, beside=beside) is not False


def take_any(client: Transport, bucket: str, *, beside: str) -> bool:
    """Return whether the bucket's server is to be sent ``If-Match: *`` on DELETE. Arguments as for `are_honoured`."""
    return are_honoured(client, bucket, beside=beside) and (client.meta.endpoint_url, bucket) not in _literal


def are_honoured_by_key(client: Transport, bucket: str, *, beside: str) -> bool:
    """Return whether DeleteObjects deletes only what still has its ETag, and says of each other object that it did not.

    It is asked once, S3 too: that it says so of an object which is missing is documented nowhere. Arguments as for
    `are_honoured`.
    """
    return bool(_by_key.answer(client, bucket, beside=beside))


def note(address: str, bucket: str, *, honoured: bool) -> None:
    """Remember what a server's answer says of it. Warn in the log, once for each bucket, where it is weaker."""
    _one.known[address, bucket] = honoured
    if not honoured:
        _warn((address, bucket))


def note_literal(address: str, bucket: str) -> None:
    """Remember that a server takes ``*`` for an ETag, or refuses it."""
    _literal.add((address, bucket))


def _warn(identity: _Identity) -> None:
    mine = object()
    if _said.setdefault(identity, mine) is mine:
        _log.warning(
            "the S3 server does not honour conditions on DELETE: an edit in the moment before a file is deleted or "
            "renamed can be lost"
        )


def _is_s3(address: str) -> bool:
    """Whether an address is AWS's, or that of a stand-in within this process, which is not an address at all."""
    parts = urlsplit(address)
    return parts.scheme not in {"http", "https"} or is_of_aws(parts.hostname)
