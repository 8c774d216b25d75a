"""Conditional deletes: of one object with a given ETag, of an object with any ETag, and of many at once.

`s3memory.s3.capabilities` finds out which conditions a server honours. If it honours fewer than S3 does, the object's
ETag is compared just before the delete, which leaves a short race.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from s3memory._parallel import each
from s3memory.aws.errors import TRANSIENT_OUTCOMES, RequestOutcome, outcome_of_code
from s3memory.aws.retry import RetryPolicy, no_time_left
from s3memory.errors import AccessDeniedError, BackendError
from s3memory.s3 import capabilities
from s3memory.s3.attempts import Write, outcome_unknown
from s3memory.s3.batch_deletes import code_of, fits_a_batch
from s3memory.s3.etags import is_weak, weak_etag_error
from s3memory.s3.objects import Deletion, ObjectInfo

if TYPE_CHECKING:
    from s3memory.s3.transport import Answer, Transport

# Refusals of a conditional delete that say what is stored.
_REFUSALS = {RequestOutcome.MISSING: Deletion.MISSING, RequestOutcome.PRECONDITION_FAILED: Deletion.CHANGED}
# What those refusals mean after an attempt whose outcome is unknown.
_UNSURE = {Deletion.MISSING: Deletion.GONE, Deletion.CHANGED: Deletion.UNKNOWN}


class ConditionalDeletes:
    """The conditional deletes of one bucket. One that has to look at the object first calls `head` (`Bucket.head`)."""

    def __init__(
        self, client: Transport, name: str, *, retry: RetryPolicy, head: Callable[[str], ObjectInfo | None]
    ) -> None:
        self._client = client
        self._name = name
        self._retry = retry
        self._head = head

    def one(self, object_key: str, *, etag: str) -> Deletion:
        """Delete the object if it still has this ETag (``DeleteObject``).

        If the server does not honour the condition, the ETag is compared just before (``HeadObject``), which leaves a
        short race.

        Raises:
            OutcomeUnknownError: it may or may not have been deleted. If it is gone afterwards, that proves nothing:
                somebody else may have deleted or moved it.
            BackendError: it was not deleted.
        """
        if not self._server_can(capabilities.are_honoured, object_key):
            return self._compare_then_delete(object_key, etag)
        write = Write()
        for attempt in write.attempts(self._retry):
            with attempt:
                self._client.delete_object(Bucket=self._name, Key=object_key, IfMatch=etag)
                return Deletion.DONE
        if not write.may_be_done:
            if write.outcome is RequestOutcome.PRECONDITION_FAILED and is_weak(etag):
                raise weak_etag_error() from write.failure
            if write.outcome in _REFUSALS:
                return _REFUSALS[write.outcome]
            if write.outcome is RequestOutcome.NOT_SUPPORTED:
                capabilities.record(self._client.meta.endpoint_url, self._name, honoured=False)
                return self._compare_then_delete(object_key, etag)
        # After a delete that may have been done, a new file can be at this key: it is neither examined nor touched.
        raise write.error() from write.failure

    def whatever(self, object_key: str) -> Deletion:
        """Delete the object at this key, whatever its ETag (``DeleteObject`` with ``If-Match: *``).

        The request is never resent: a second one could delete an object created in between. If the server reads ``*``
        as an ETag, as moto does, or honours no condition, this fetches the ETag (``HeadObject``) and deletes by it,
        again if it changes in between.

        Returns:
            `Deletion.DONE` or `Deletion.MISSING`; `Deletion.CHANGED` if other writers were faster at every attempt.

        Raises:
            As `one`.
        """
        if self._server_can(capabilities.take_any, object_key):
            deletion = self._delete_any(object_key)
            if deletion is not None:
                return deletion
            capabilities.record_literal(self._client.meta.endpoint_url, self._name)
        for _ in self._retry.attempts():
            info = self._head(object_key)
            if info is None:
                return Deletion.MISSING
            deletion = self.one(object_key, etag=info.etag)
            if deletion is not Deletion.CHANGED:
                return deletion
        return Deletion.CHANGED

    def reports_missing_by_key(self, *, beside: str) -> bool:
        """Whether `many` reports the fate of each object; see `capabilities.are_honoured_by_key`."""
        return self._server_can(capabilities.are_honoured_by_key, beside)

    def many(self, etags: Mapping[str, str]) -> dict[str, Deletion]:
        """Delete up to 1,000 objects by object key, each if it still has its ETag (``DeleteObjects``).

        Objects with a transient error are deleted one by one after a pause; so are all of them if no response came.

        Returns:
            The objects that were not deleted, or may not have been, by object key. A server that ignores ETags also
            deletes changed objects, and may not report missing ones: see `reports_missing_by_key`.

        Raises:
            OutcomeUnknownError: some may or may not have been deleted.
            BackendError: some were not deleted.
        """
        write = Write()
        outcomes = self._not_deleted(etags, write)
        left = {
            object_key: _UNSURE[_REFUSALS[outcome]] if write.may_be_done else _REFUSALS[outcome]
            for object_key, outcome in outcomes.items()
            if outcome in _REFUSALS
        }
        again = [object_key for object_key, outcome in outcomes.items() if outcome in TRANSIENT_OUTCOMES]
        if again:
            unsure = {one for one in again if write.may_be_done or outcomes[one] is RequestOutcome.UNKNOWN}
            if not self._retry.pause():
                raise (outcome_unknown(write.failure) if unsure else no_time_left()) from write.failure
            deletions = each(lambda one: self._delete_again(one, etags[one], is_unsure=one in unsure), again)
            for object_key, deletion in zip(again, deletions, strict=True):
                if deletion is not Deletion.DONE:
                    left[object_key] = _UNSURE[deletion] if object_key in unsure else deletion
        return left

    def _server_can(self, question: Callable[..., bool], beside: str) -> bool:
        with self._retry.in_time():  # may wait for another thread's answer
            return question(self._client, self._name, beside=beside)

    def _delete_any(self, object_key: str) -> Deletion | None:
        """Delete with ``If-Match: *``. Return the result, or `None` if the server does not support it."""
        write = Write(only_once=True)
        for attempt in write.attempts(self._retry):
            with attempt:
                self._client.delete_object(Bucket=self._name, Key=object_key, IfMatch=capabilities.ANY)
                return Deletion.DONE
        if not write.may_be_done:
            if write.outcome is RequestOutcome.MISSING:
                return Deletion.MISSING
            if write.outcome in {RequestOutcome.PRECONDITION_FAILED, RequestOutcome.NOT_SUPPORTED}:
                return None
        raise write.error() from write.failure

    def _delete_again(self, object_key: str, etag: str, *, is_unsure: bool) -> Deletion:
        try:
            return self.one(object_key, etag=etag)
        except BackendError as error:
            if not is_unsure:
                raise
            raise outcome_unknown(None, code=error.code) from error

    def _not_deleted(self, etags: Mapping[str, str], write: Write) -> dict[str, RequestOutcome]:
        """Send one ``DeleteObjects``. Return the outcome of each object that it did not delete, or may not have."""
        unfit = {object_key: RequestOutcome.NOT_DONE for object_key in etags if not fits_a_batch(object_key)}
        entries = [{"Key": object_key, "ETag": etag} for object_key, etag in etags.items() if object_key not in unfit]
        if not entries:
            return unfit
        answer: Answer = {}
        with write:
            answer = self._client.delete_objects(Bucket=self._name, Delete={"Objects": entries, "Quiet": True})
        if write.failure is not None:
            if write.outcome is RequestOutcome.CONFLICT:
                return dict.fromkeys(etags, write.outcome)
            if write.may_be_done:
                return dict.fromkeys(etags, RequestOutcome.UNKNOWN)
            raise write.error() from write.failure
        codes = {one.get("Key", ""): code_of(one) for one in answer.get("Errors", [])}
        # The request asks for errors only, but some servers also list what they deleted.
        reported = [one.get("Key", "") for name in ("Errors", "Deleted") for one in answer.get(name, [])]
        if not etags.keys() >= set(reported) or len(set(reported)) < len(reported):
            write.may_be_done = True  # unknown or repeated keys: the response can't be trusted
            return dict.fromkeys(etags, RequestOutcome.UNKNOWN)
        outcomes = {object_key: outcome_of_code(code) for object_key, code in codes.items()}
        for object_key, outcome in outcomes.items():
            if outcome not in {RequestOutcome.MISSING, RequestOutcome.PRECONDITION_FAILED, *TRANSIENT_OUTCOMES}:
                kind = AccessDeniedError if outcome is RequestOutcome.DENIED else BackendError
                code = codes[object_key]
                raise kind(f"The memory store could not delete everything ({code}).", code=code)
        unreported = etags.keys() - unfit.keys() - set(reported) if answer.get("Deleted") else ()
        return {**outcomes, **dict.fromkeys(unreported, RequestOutcome.UNKNOWN), **unfit}

    def _compare_then_delete(self, object_key: str, etag: str) -> Deletion:
        info = self._head(object_key)
        if info is None:
            return Deletion.MISSING
        if info.etag != etag:
            return Deletion.CHANGED
        # Never resent: a second request would delete whatever is there by then.
        write = Write(only_once=True)
        with write:
            self._client.delete_object(Bucket=self._name, Key=object_key)
            return Deletion.DONE
        raise write.error() from write.failure
