"""The S3 requests: get, head, list, conditional put and delete, with what botocore raises sorted out.

Every write carries a condition. A write whose answer was lost may have been carried out, and a write that was sent
twice may have met its own first try: what is stored is then compared with what was sent before anything is
called a conflict. Sealed objects hold a random salt, so equal bytes mean the same write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from s3memory import attempts, delete_conditions, tally
from s3memory.aws_errors import AWS_ERRORS, Outcome, outcome_of, to_backend_error
from s3memory.bucket_owner import expecting_owner
from s3memory.errors import BackendError, IntegrityError, OutcomeUnknownError
from s3memory.forks import connect_anew_in_child
from s3memory.limits import LIST_PAGE_KEYS, MAX_SEALED_BYTES
from s3memory.objects import Deletion, ListedObject, ListPage, ObjectInfo, StoredObject
from s3memory.quiet import keep_out_of_logs
from s3memory.retry import RetryPolicy
from s3memory.write_refusal import refusing_writes

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from s3memory.versions import ObjectVersions

# After so many writes without an answer the outcome is left open rather than waited for.
_MAX_UNANSWERED_WRITES = 2
_MAX_UNANSWERED_READS = 3
# Which source a copy was made from, for a rename that is taken up again. A hint: it is never trusted alone.
COPIED_FROM = "s3memory-copied-from"
# Who made the change, sealed: see `s3memory.actors`.
_ACTOR = "s3memory-actor"


class Bucket:
    """One bucket, through an injected boto3 client. Safe to share between threads.

    What IAM has to allow is listed at `MemoryStore`. Without ``s3:ListBucket`` for its key as a prefix, S3 says 403 and
    not 404 of a missing object.
    """

    def __init__(self, client: S3Client, name: str, *, retry: RetryPolicy, owner: str | None = None) -> None:
        attempts.watch(client)
        connect_anew_in_child(client)
        keep_out_of_logs(client)
        tally.watch(client)
        self._client = expecting_owner(client, owner)
        self._name = name
        self._retry = retry

    @property
    def versions(self) -> ObjectVersions:
        """The older versions of what is here, where the bucket keeps them."""
        from s3memory.versions import ObjectVersions  # noqa: PLC0415 - no command of an agent's needs them

        return ObjectVersions(self._client, self._name)

    def refusing_writes(self) -> Bucket:
        """Return the same bucket through a client that sends no request that could change anything."""
        return Bucket(refusing_writes(self._client), self._name, retry=self._retry)

    @property
    def identity(self) -> tuple[str, str]:
        """Which bucket on which server this is."""
        return (self._client.meta.endpoint_url, self._name)

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
            first_bytes: how many of its bytes are wanted, if not all. It must not be empty then.
            max_bytes: what is larger is refused before its body is read; any file's size if left out.

        Raises:
            IntegrityError: it is larger than anything this package stores.
            BackendError: S3 did not answer or refused.
        """
        failure: Exception | None = None
        more: dict[str, Any] = {} if version_id is None else {"VersionId": version_id}
        if first_bytes is not None:
            more["Range"] = f"bytes=0-{first_bytes - 1}"
        for number in self._retry.tries():
            try:
                answer = self._client.get_object(Bucket=self._name, Key=object_key, **more)
                if answer["ContentLength"] > (MAX_SEALED_BYTES if max_bytes is None else max_bytes):
                    answer["Body"].close()
                    raise IntegrityError("Error: What is stored here is larger than any memory file.")
                return StoredObject(answer["Body"].read(), _info(answer))
            except AWS_ERRORS as error:
                outcome = outcome_of(error)
                if outcome is Outcome.MISSING:
                    return None
                failure = error
                # botocore retries a request, but not a body that breaks off while it is read.
                if outcome is not Outcome.UNKNOWN or number + 1 >= _MAX_UNANSWERED_READS:
                    break
        raise _failed(failure, may_be_done=False) from failure

    def head(self, object_key: str) -> ObjectInfo | None:
        """Return what there is to know of an object without its bytes (``HeadObject``)."""
        try:
            return _info(self._client.head_object(Bucket=self._name, Key=object_key))
        except AWS_ERRORS as error:
            if outcome_of(error) is Outcome.MISSING:
                return None
            raise to_backend_error(error) from error

    def put_new(
        self, object_key: str, body: bytes, *, copied_from: str | None = None, actor_seal: str | None = None
    ) -> str | None:
        """Store an object where there is none. Return its ETag, or ``None`` if there is one.

        Raises:
            OutcomeUnknownError: it may or may not have been stored.
            BackendError: it was not stored.
        """
        return self._put(object_key, body, {"IfNoneMatch": "*", "Metadata": _metadata(copied_from, actor_seal)})

    def put_over(
        self,
        object_key: str,
        body: bytes,
        *,
        etag: str,
        copied_from: str | None = None,
        actor_seal: str | None = None,
    ) -> str | None:
        """Replace the object that has this ETag. Return the new ETag, or ``None`` if it is another by now, or gone.

        Raises:
            OutcomeUnknownError: it may or may not have been replaced.
            BackendError: it was not replaced.
        """
        return self._put(object_key, body, {"IfMatch": etag, "Metadata": _metadata(copied_from, actor_seal)})

    def delete(self, object_key: str, *, etag: str) -> Deletion:
        """Delete the object if it still has this ETag (``DeleteObject``).

        Where the server does not honour the condition, the ETag is compared just before (``HeadObject``): better than
        nothing, and not as good.

        Raises:
            OutcomeUnknownError: it may or may not have been deleted.
            BackendError: it was not deleted.
        """
        if not delete_conditions.are_honoured(self._client, self._name, beside=object_key):
            return self._compare_then_delete(object_key, etag)
        call = attempts.begin()
        unanswered = 0
        failure: Exception | None = None
        for _ in self._retry.tries():
            try:
                self._client.delete_object(Bucket=self._name, Key=object_key, IfMatch=etag)
            except AWS_ERRORS as error:
                failure = error
                outcome = outcome_of(error)
                if outcome is Outcome.MISSING:
                    # A delete that was sent before meets its own result.
                    return Deletion.DONE if call.may_be_done or unanswered else Deletion.MISSING
                if outcome is Outcome.PRECONDITION_FAILED and not (call.may_be_done or unanswered):
                    return Deletion.CHANGED
                if outcome is Outcome.NOT_SUPPORTED:
                    delete_conditions.note(*self.identity, honoured=False)
                    return self._compare_then_delete(object_key, etag)
                if outcome is Outcome.UNKNOWN and (unanswered := unanswered + 1) < _MAX_UNANSWERED_WRITES:
                    continue
                if outcome is not Outcome.CONFLICT:
                    break
            else:
                return Deletion.DONE
        # What is there after a delete that may have been done can be a new file: it is not looked at, and not touched.
        raise _failed(failure, may_be_done=bool(unanswered) or call.may_be_done) from failure

    def delete_many(self, etags: Mapping[str, str]) -> list[str]:
        """Delete up to 1,000 objects, each if it still has its ETag (``DeleteObjects``).

        Args:
            etags: ETags by object key.

        Returns:
            The object keys that are another object by now and were left alone. (S3 checks the ETags; other servers
            may not: only for deletes that a later writer cannot regret.)

        Raises:
            BackendError: some were not deleted for another reason.
        """
        entries = [{"Key": object_key, "ETag": etag} for object_key, etag in etags.items()]
        try:
            answer = self._client.delete_objects(
                Bucket=self._name,
                Delete={"Objects": entries, "Quiet": True},  # type: ignore[typeddict-item]  # stubs lack ETag
            )
        except AWS_ERRORS as error:
            raise to_backend_error(error) from error
        changed = []
        for failed in answer.get("Errors", []):
            code = failed.get("Code", "unknown")
            if code == "PreconditionFailed":
                changed.append(failed.get("Key", ""))
            elif code != "NoSuchKey":
                raise BackendError(f"Error: The memory store could not delete everything ({code}).")
        return changed

    def list_page(
        self, prefix: str, *, delimited: bool = False, token: str | None = None, max_keys: int = LIST_PAGE_KEYS
    ) -> ListPage:
        """Return one page of what begins with `prefix` (``ListObjectsV2``), grouped at ``/`` if asked."""
        more: dict[str, Any] = {"Delimiter": "/"} if delimited else {}
        if token is not None:
            more["ContinuationToken"] = token
        try:
            answer = self._client.list_objects_v2(Bucket=self._name, Prefix=prefix, MaxKeys=max_keys, **more)
        except AWS_ERRORS as error:
            raise to_backend_error(error) from error
        return ListPage(
            tuple(
                ListedObject(item["Key"], item["Size"], item["ETag"], item["LastModified"])
                for item in answer.get("Contents", [])
            ),
            tuple(item["Prefix"] for item in answer.get("CommonPrefixes", [])),
            answer.get("NextContinuationToken") if answer["IsTruncated"] else None,
        )

    def list_pages(self, prefix: str, *, delimited: bool = False) -> Iterator[ListPage]:
        """Yield all pages, one after another."""
        token: str | None = None
        while True:
            page = self.list_page(prefix, delimited=delimited, token=token)
            yield page
            token = page.next_token
            if token is None:
                return

    def _compare_then_delete(self, object_key: str, etag: str) -> Deletion:
        info = self.head(object_key)
        if info is None:
            return Deletion.MISSING
        if info.etag != etag:
            return Deletion.CHANGED
        call = attempts.begin()
        try:
            self._client.delete_object(Bucket=self._name, Key=object_key)
        except AWS_ERRORS as error:
            # Not sent again: it would delete whatever is there by then.
            may_be_done = call.may_be_done or outcome_of(error) is Outcome.UNKNOWN
            raise _failed(error, may_be_done=may_be_done) from error
        return Deletion.DONE

    def _put(self, object_key: str, body: bytes, condition: dict[str, Any]) -> str | None:
        call = attempts.begin()
        unanswered = 0
        failure: Exception | None = None
        for _ in self._retry.tries():
            try:
                return self._client.put_object(Bucket=self._name, Key=object_key, Body=body, **condition)["ETag"]
            except AWS_ERRORS as error:
                failure = error
                outcome = outcome_of(error)
                if outcome is Outcome.UNKNOWN and (unanswered := unanswered + 1) < _MAX_UNANSWERED_WRITES:
                    continue  # the condition makes it safe to send again
                if outcome is not Outcome.CONFLICT:
                    break
        may_be_done = bool(unanswered) or call.may_be_done
        is_refused = failure is not None and outcome_of(failure) in {Outcome.PRECONDITION_FAILED, Outcome.MISSING}
        if not may_be_done:
            if is_refused:
                return None
            raise _failed(failure, may_be_done=False) from failure
        stored = self._looked_up(object_key)
        if stored is not None and stored.body == body:
            return stored.info.etag
        # Not ours. Where nothing may be there, that is what "exists" means; an edit may be in what others made of it.
        if is_refused and "IfNoneMatch" in condition and stored is not None:
            return None
        raise _failed(failure, may_be_done=True) from failure

    def _looked_up(self, object_key: str) -> StoredObject | None:
        try:
            return self.get(object_key)
        except (BackendError, IntegrityError) as error:
            raise _failed(error, may_be_done=True) from error


def _failed(failure: Exception | None, *, may_be_done: bool) -> BackendError:
    if may_be_done:
        return OutcomeUnknownError(
            "Error: The memory store did not answer, and it is not known whether the change was made. "
            "View the file before trying again."
        )
    if failure is None:
        raise AssertionError("there is always a first try")
    return to_backend_error(failure)


def _metadata(copied_from: str | None, actor_seal: str | None) -> dict[str, str]:
    noted = {COPIED_FROM: copied_from and copied_from.strip('"'), _ACTOR: actor_seal}
    return {name: value for name, value in noted.items() if value is not None}


def _info(answer: Any) -> ObjectInfo:
    metadata = answer.get("Metadata", {})
    return ObjectInfo(
        answer["ETag"],
        answer["LastModified"],
        answer.get("VersionId"),
        metadata.get(COPIED_FROM),
        metadata.get(_ACTOR),
    )
