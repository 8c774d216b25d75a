"""The S3 requests: get, head, list and conditional put, with what botocore raises sorted out.

Every write carries a condition. What its answers prove, `s3memory.s3.attempts` says: where that is nothing, what is
stored is compared with what was sent. Sealed objects hold a random salt, so equal bytes mean the same write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from copy import copy
from typing import TYPE_CHECKING, Any, Self

from s3memory._parallel import MAX_PARALLEL_REQUESTS, pages
from s3memory.aws.client_hooks import adopt
from s3memory.aws.errors import RequestOutcome, aws_errors, has_request_id, is_missing, outcome_of, to_backend_error
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import BackendError, IntegrityError
from s3memory.limits import LIST_PAGE_KEYS, MAX_SEALED_BYTES
from s3memory.s3.attempts import Write, note_tries, outcome_unknown
from s3memory.s3.client_wrappers import expecting_owner, keeping_time, refusing_writes
from s3memory.s3.deletes import ConditionalDeletes
from s3memory.s3.etags import etag_of, is_weak, weak_etag_error
from s3memory.s3.listing_order import Reached
from s3memory.s3.objects import NOTHING_NOTED, ListedObject, ListPage, Noted, ObjectInfo, StoredObject

if TYPE_CHECKING:
    from s3memory.s3.transport import Answer, Transport
    from s3memory.s3.versions import ObjectVersions

_MAX_UNANSWERED_READS = 3
_CHUNK_BYTES = 64 * 1024
# What a refused PUT says of what is stored: another object, or none.
_REFUSALS = frozenset({RequestOutcome.MISSING, RequestOutcome.PRECONDITION_FAILED})


class Bucket:
    """One bucket, through an injected boto3 client. Safe to share between threads.

    Each request raises `BackendError` where S3 did not answer or refused.

    What IAM has to allow is listed at `MemoryStore`. Without ``s3:ListBucket`` for its key as a prefix, S3 says 403 and
    not 404 of a missing object.
    """

    def __init__(
        self,
        client: Transport,
        name: str,
        *,
        retry: RetryPolicy,
        owner: str | None = None,
        max_object_bytes: int = MAX_SEALED_BYTES,
    ) -> None:
        note_tries(client)
        adopt(client)
        self._client = keeping_time(expecting_owner(client, owner), retry)
        self._name = name
        self._retry = retry
        self._max_object_bytes = max_object_bytes

    @property
    def deletes(self) -> ConditionalDeletes:
        """Conditional deletes of its objects."""
        return ConditionalDeletes(self._client, self._name, retry=self._retry, head=self.head)

    @property
    def versions(self) -> ObjectVersions:
        """Older versions of its objects, if the bucket keeps them."""
        from s3memory.s3.versions import ObjectVersions  # no command of an agent's needs them

        return ObjectVersions(self._client, self._name, retry=self._retry)

    def refusing_writes(self) -> Self:
        """Return the same bucket through a client that sends no request that could change anything."""
        reading = copy(self)
        reading._client = refusing_writes(self._client)  # noqa: SLF001 - its own
        return reading

    @property
    def identity(self) -> tuple[str, str]:
        """Which bucket on which server this is."""
        return (self._client.meta.endpoint_url, self._name)

    @property
    def requests_at_once(self) -> int:
        """How many requests of one piece of work pay side by side: what the transport says, or the usual number."""
        return getattr(self._client.meta, "requests_at_once", MAX_PARALLEL_REQUESTS)

    def get(
        self,
        object_key: str,
        *,
        version_id: str | None = None,
        first_bytes: int | None = None,
        max_bytes: int | None = None,
    ) -> StoredObject | None:
        """Return an object, or ``None`` where there is none (``GetObject``).

        Args:
            object_key: the object's key.
            version_id: which version of it; the latest if left out. ``s3:GetObjectVersion`` is needed for one.
            first_bytes: how many of its bytes are wanted, if not all. The object must not be empty then.
            max_bytes: a larger object is refused before its body is read. The largest file if left out.

        Raises:
            IntegrityError: it is larger than anything this package stores.
        """
        failure: Exception | None = None
        more: dict[str, Any] = {} if version_id is None else {"VersionId": version_id}
        if first_bytes is not None:
            more["Range"] = f"bytes=0-{first_bytes - 1}"
        for number in self._retry.tries():
            is_begun = False
            try:
                answer = self._client.get_object(Bucket=self._name, Key=object_key, **more)
                with closing(answer["Body"]):
                    info = ObjectInfo.of(answer, etag=etag_of(answer))
                    is_begun = True
                    return StoredObject(_body(answer, self._max_object_bytes if max_bytes is None else max_bytes), info)
            except aws_errors() as error:
                outcome = outcome_of(error)
                if is_missing(error):
                    return None
                failure = error
                # Transports retry a request, but not a body that breaks off while it is read. libcurl reads it at once.
                is_begun = is_begun or getattr(error, "is_begun", False)
                if outcome is not RequestOutcome.UNKNOWN or not is_begun or number + 1 >= _MAX_UNANSWERED_READS:
                    break
        if failure is None:
            raise AssertionError("there is always a first try")
        raise to_backend_error(failure) from failure

    def head(self, object_key: str) -> ObjectInfo | None:
        """Return what there is to know of an object without its bytes (``HeadObject``).

        A 404 that does not show that it is S3's may be a proxy's. The answer to a ``GetObject`` has a body that tells.
        """
        try:
            answer = self._client.head_object(Bucket=self._name, Key=object_key)
            return ObjectInfo.of(answer, etag=etag_of(answer))
        except aws_errors() as error:
            if outcome_of(error) is not RequestOutcome.MISSING:
                raise to_backend_error(error) from error
            if has_request_id(error):
                return None
        stored = self.get(object_key)
        return None if stored is None else stored.info

    def put(self, object_key: str, body: bytes, *, over: str | None = None, noted: Noted = NOTHING_NOTED) -> str | None:
        """Store an object where there is none, or replace the one that has a given ETag (``PutObject``).

        Args:
            object_key: the object's key.
            body: its bytes.
            over: the ETag of what is replaced; left out, there must be nothing.
            noted: what is noted beside it.

        Returns:
            Its ETag, or ``None`` if something else is there, or nothing where something was to be replaced.

        Raises:
            OutcomeUnknownError: it may or may not have been stored.
            BackendError: it was not stored.
        """
        condition: dict[str, Any] = {"IfNoneMatch": "*"} if over is None else {"IfMatch": over}
        more = {**condition, "Metadata": noted.as_metadata()}
        write = Write()
        for trying in write.tries(self._retry):
            with trying:
                return etag_of(self._client.put_object(Bucket=self._name, Key=object_key, Body=body, **more))
        if not write.may_be_done:
            if write.outcome is RequestOutcome.PRECONDITION_FAILED and is_weak(over or ""):
                raise weak_etag_error() from write.failure
            if write.outcome in _REFUSALS:
                return None
            raise write.error() from write.failure
        try:
            stored = self.get(object_key)
        except (BackendError, IntegrityError) as error:
            raise outcome_unknown(write.failure) from error
        if stored is not None and stored.body == body:
            return stored.info.etag
        # If something else is there, others may have changed ours since; if nothing is, they may have deleted it.
        raise write.error() from write.failure

    def list_page(
        self, prefix: str, *, delimited: bool = False, token: str | None = None, max_keys: int = LIST_PAGE_KEYS
    ) -> ListPage:
        """Return one page of what begins with `prefix` (``ListObjectsV2``), grouped at ``/`` if asked.

        Args:
            prefix: what the object keys begin with.
            delimited: whether they are grouped.
            token: the `next_token` of the page before: where this one begins, and what has to come after.
            max_keys: how many keys and groups it may have.

        Raises:
            UnavailableError: also where a page was empty, and the caller has no time left for another.
        """
        more: dict[str, Any] = {"Delimiter": "/"} if delimited else {}
        reached = Reached()
        if token is not None:
            more["ContinuationToken"], name, empty_pages = json.loads(token)
            if empty_pages:
                self._retry.ensure_time()
            reached = Reached(name, frozenset({""}), empty_pages)
        try:
            answer = self._client.list_objects_v2(Bucket=self._name, Prefix=prefix, MaxKeys=max_keys, **more)
            objects = tuple(
                ListedObject(item["Key"], item["Size"], etag_of(item), item["LastModified"])
                for item in answer.get("Contents", [])
            )
            prefixes = tuple(item["Prefix"] for item in answer.get("CommonPrefixes", []))
            names = [(name, "") for name in (*(one.object_key for one in objects), *prefixes)]
            is_truncated, then = answer["IsTruncated"], answer.get("NextContinuationToken")
            reached = reached.after(names, prefix, is_truncated=is_truncated, then=(then,))
        except aws_errors() as error:
            raise to_backend_error(error) from error
        next_token = json.dumps([then, reached.name, reached.empty_pages]) if is_truncated else None
        return ListPage(objects, prefixes, next_token)

    def first_listed(self, prefix: str) -> ListedObject | None:
        """Return the first object whose key begins with `prefix`, or `None`: an empty page need not be the last."""
        token = None
        while True:
            page = self.list_page(prefix, max_keys=1, token=token)
            if page.objects:
                return page.objects[0]
            token = page.next_token
            if token is None:
                return None

    def list_pages(self, prefix: str, *, delimited: bool = False) -> Iterator[ListPage]:
        """Yield all pages, one after another."""
        return pages(lambda token: self.list_page(prefix, delimited=delimited, token=token))


def _body(answer: Answer, max_bytes: int) -> bytes:
    """Return an object's bytes, or raise `IntegrityError` where they are more: unread, if their number is told."""
    body, length = answer["Body"], answer.get("ContentLength")
    if length is None:  # it comes in chunks, as through some proxies
        read = bytearray()
        for part in body.iter_chunks(_CHUNK_BYTES):
            read += part
            if len(read) > max_bytes:
                break
        else:
            return bytes(read)
    elif length <= max_bytes:
        return bytes(body.read())
    raise IntegrityError("What is stored here is larger than any memory file.")
