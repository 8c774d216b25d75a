"""The S3 requests: get, head, list and conditional put, with botocore's errors translated.

Every write is conditional. `s3memory.s3.attempts` decides what its responses prove. If they prove nothing, the stored
bytes are compared with those that were sent: a sealed object holds a random salt, so equal bytes mean the same write.
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
from s3memory.limits import LIST_PAGE_KEYS, MAX_OBJECT_KEY_BYTES, MAX_SEALED_BYTES
from s3memory.s3.attempts import Write, outcome_unknown, record_attempts
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
# Refusals of a PUT that say what is stored: no object, or another one.
_REFUSALS = frozenset({RequestOutcome.MISSING, RequestOutcome.PRECONDITION_FAILED})


class Bucket:
    """One bucket, used through an injected client. Safe to share between threads.

    Each request raises `BackendError` if S3 does not respond or refuses it.

    `MemoryStore` lists the IAM actions. Without ``s3:ListBucket`` for its key as a prefix, a missing object gets a 403
    from S3, not a 404.
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
        record_attempts(client)
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
        """The versions of its objects, if the bucket keeps them."""
        from s3memory.s3.versions import ObjectVersions  # no command of an agent needs them

        return ObjectVersions(self._client, self._name, retry=self._retry)

    def refusing_writes(self) -> Self:
        """Return the same bucket with a client that refuses every request that could change something."""
        reading = copy(self)
        reading._client = refusing_writes(self._client)  # noqa: SLF001 - of this class
        return reading

    @property
    def identity(self) -> tuple[str, str]:
        """The server's address and the bucket's name."""
        return (self._client.meta.endpoint_url, self._name)

    @property
    def requests_at_once(self) -> int:
        """The number of parallel requests that pays off for one operation: the transport's, or the default."""
        return getattr(self._client.meta, "requests_at_once", MAX_PARALLEL_REQUESTS)

    def get(
        self,
        object_key: str,
        *,
        version_id: str | None = None,
        first_bytes: int | None = None,
        max_bytes: int | None = None,
    ) -> StoredObject | None:
        """Return an object, or ``None`` if there is none (``GetObject``).

        Args:
            object_key: the object's key.
            version_id: the version to fetch, which needs ``s3:GetObjectVersion``; the latest if left out.
            first_bytes: fetch only this many bytes. The object must not be empty then.
            max_bytes: refuse a larger object, if possible before its body is read; the bucket's limit if left out.

        Raises:
            IntegrityError: it is larger than `max_bytes`.
        """
        failure: Exception | None = None
        more: dict[str, Any] = {} if version_id is None else {"VersionId": version_id}
        if first_bytes is not None:
            more["Range"] = f"bytes=0-{first_bytes - 1}"
        for number in self._retry.attempts():
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
                # Transports retry requests, but not a body that breaks off while it is read. libcurl reads it at once.
                is_begun = is_begun or getattr(error, "is_begun", False)
                if outcome is not RequestOutcome.UNKNOWN or not is_begun or number + 1 >= _MAX_UNANSWERED_READS:
                    break
        if failure is None:
            raise AssertionError("there is always a first try")
        raise to_backend_error(failure) from failure

    def head(self, object_key: str) -> ObjectInfo | None:
        """Return an object's information without its bytes, or ``None`` if there is none (``HeadObject``).

        A 404 may come from a proxy unless its headers show that it is S3's. A ``GetObject`` then decides: its response
        has a body.
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
        """Create an object, or replace the one that has a given ETag (``PutObject``).

        Args:
            object_key: the object's key.
            body: its bytes.
            over: the ETag of the object to replace; if left out, no object may exist.
            noted: the notes to store in its metadata.

        Returns:
            The new ETag, or ``None`` if the condition failed: another object is there, or none to replace.

        Raises:
            OutcomeUnknownError: it may or may not have been stored.
            BackendError: it was not stored.
        """
        condition: dict[str, Any] = {"IfNoneMatch": "*"} if over is None else {"IfMatch": over}
        more = {**condition, "Metadata": noted.as_metadata()}
        write = Write()
        for attempt in write.attempts(self._retry):
            with attempt:
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
        # Another writer may have changed or deleted our object since, so what is there now proves nothing.
        raise write.error() from write.failure

    def list_page(
        self, prefix: str, *, delimited: bool = False, token: str | None = None, max_keys: int = LIST_PAGE_KEYS
    ) -> ListPage:
        """Return one page of the keys that begin with `prefix` (``ListObjectsV2``), optionally grouped at ``/``.

        Args:
            prefix: what the object keys begin with.
            delimited: whether to group keys at ``/``.
            token: the `next_token` of the previous page: where this page begins, and how far the listing has come.
            max_keys: the most keys and groups on a page.

        Raises:
            UnavailableError: also if the previous page was empty and the caller has no time left for another.
        """
        if len(prefix.encode("utf-8")) > MAX_OBJECT_KEY_BYTES:  # no key is that long
            return ListPage((), (), None)
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
        """Return the first object whose key begins with `prefix`, or `None`. Reads on after an empty page.

        A key that is the prefix of a folder itself is the marker that consoles make for it, and no object in it.
        """
        token = None
        while True:
            page = self.list_page(prefix, max_keys=1, token=token)
            for listed in page.objects:
                if listed.object_key != prefix or not prefix.endswith("/"):
                    return listed
            token = page.next_token
            if token is None:
                return None

    def list_pages(self, prefix: str, *, delimited: bool = False) -> Iterator[ListPage]:
        """Yield all pages in order."""
        return pages(lambda token: self.list_page(prefix, delimited=delimited, token=token))


def _body(answer: Answer, max_bytes: int) -> bytes:
    """Return an object's bytes. If there are too many, raise `IntegrityError`, unread if the length is known."""
    body, length = answer["Body"], answer.get("ContentLength")
    if length is None:  # the body comes in chunks, as through some proxies
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
