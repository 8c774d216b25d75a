"""Which conditions on DELETE and DeleteObjects a server honours: probed once, cached, and logged if weaker than S3's.

S3 honours them. Other servers with its API may return 501, ignore the condition, or read ``*`` as an ETag.
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
"""The condition that an object exists, whatever its ETag."""

# Whether a server honours conditions, by its response to a conditional delete of nothing. Others prove nothing.
_MEANINGS = {
    RequestOutcome.MISSING: True,
    RequestOutcome.PRECONDITION_FAILED: True,
    RequestOutcome.NOT_SUPPORTED: False,
}

# The server's address and the bucket's name.
_Identity = tuple[str, str]
# Buckets that were warned about; buckets that read `*` literally. No locks: `dict.setdefault` and `set.add` are atomic.
_warned: dict[_Identity, object] = {}
_literal: set[_Identity] = set()


class _Question(OfOneProcess):
    """A yes-or-no question to a bucket's server, asked with a key that no object has, and cached once answered.

    Threads that ask at the same time send one request and share the answer.
    """

    def __init__(self, ask: Callable[[Transport, str, str], bool | None]) -> None:
        self._ask = ask
        self.known: dict[_Identity, bool] = {}
        super().__init__()

    def reset_after_fork(self) -> None:
        """Forget the pending questions: in a forked child, no thread is left to answer them."""
        self._asked: dict[_Identity, Future[None]] = {}

    def answer(self, client: Transport, bucket: str, *, beside: str) -> bool | None:
        """Return the answer, or `None` if the server gave none. Arguments and errors as for `are_honoured`."""
        identity = (client.meta.endpoint_url, bucket)
        if identity not in self.known:
            mine: Future[None] = Future()
            asked = self._asked.setdefault(identity, mine)
            if asked is mine:
                try:
                    if identity not in self.known:  # another thread may have got the answer just now
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
                except TimeoutError:  # the asking thread has more time left than this one
                    raise no_time_left() from None
        return self.known.get(identity)


def _ask_one(client: Transport, bucket: str, object_key: str) -> bool | None:
    """Delete a key that no object has, with an ETag as condition. A server that reports success ignored the condition.

    In a versioned bucket, such a server leaves a delete marker.
    """
    try:
        client.delete_object(Bucket=bucket, Key=object_key, IfMatch=f'"{os.urandom(16).hex()}"')
    except aws_errors() as error:
        answer = _MEANINGS.get(outcome_of(error)) if has_code(error) else None  # without a code, it is a proxy's
    else:
        answer = False
    if answer is False:
        _warn((client.meta.endpoint_url, bucket))
    return answer


def _ask_by_key(client: Transport, bucket: str, object_key: str) -> bool | None:
    """Ask the same with a DeleteObjects, which reports errors by key.

    No error means that the server ignores ETags, or counts a missing object as deleted. An error of another kind,
    such as ``InternalError``, proves nothing.
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
    """Return whether the bucket's server honours conditions on DELETE. S3 does; any other server is probed once.

    The probe uses a random key in the same folder as `beside`, a key that the caller may delete.

    Raises:
        UnavailableError: the time left ran out while another thread was probing.
    """
    identity = (client.meta.endpoint_url, bucket)
    if _is_s3(identity[0]):
        return _one.known.get(identity, True)
    return _one.answer(client, bucket, beside=beside) is not False


def take_any(client: Transport, bucket: str, *, beside: str) -> bool:
    """Return whether the bucket's server supports DELETE with ``If-Match: *``. Arguments as for `are_honoured`."""
    return are_honoured(client, bucket, beside=beside) and (client.meta.endpoint_url, bucket) not in _literal


def are_honoured_by_key(client: Transport, bucket: str, *, beside: str) -> bool:
    """Return whether DeleteObjects deletes only objects that still have their ETags, and reports all others.

    Every server is probed once, S3 included: no documentation says whether it reports missing objects. Arguments as
    for `are_honoured`.
    """
    return bool(_by_key.answer(client, bucket, beside=beside))


def record(address: str, bucket: str, *, honoured: bool) -> None:
    """Remember whether a server honours conditions. If not, log a warning, once per bucket."""
    _one.known[address, bucket] = honoured
    if not honoured:
        _warn((address, bucket))


def record_literal(address: str, bucket: str) -> None:
    """Remember that a server reads ``*`` as an ETag, or refuses it."""
    _literal.add((address, bucket))


def _warn(identity: _Identity) -> None:
    mine = object()
    if _warned.setdefault(identity, mine) is mine:
        _log.warning(
            "the S3 server does not honour conditions on DELETE: an edit in the moment before a file is deleted or "
            "renamed can be lost"
        )


def _is_s3(address: str) -> bool:
    """Whether an address is AWS's, or names an in-process fake, which has no URL."""
    parts = urlsplit(address)
    return parts.scheme not in {"http", "https"} or is_of_aws(parts.hostname)
