"""Destroying versions permanently, many per request, and sorting the results: gone, refused, or to be retried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from s3memory.aws.errors import (
    LATER_CODES,
    NOT_ALLOWED_CODES,
    TRANSIENT_OUTCOMES,
    RequestOutcome,
    aws_errors,
    error_code,
    is_missing,
    outcome_of,
    to_backend_error,
)
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import UnavailableError
from s3memory.s3.batch_deletes import TRANSIENT_CODES, code_of, fits_a_batch

if TYPE_CHECKING:
    from s3memory.s3.transport import Transport
    from s3memory.s3.versions import ListedVersion

_GONE_CODES = frozenset({"NoSuchKey", "NoSuchVersion"})
# botocore has retried each of these requests already.
_MAX_UNANSWERED = 3

_Codes = dict["ListedVersion", str]
"""S3's error codes, by the versions that a request did not destroy."""


class Destruction:
    """Destroys versions of a bucket's objects, and retries transient errors. Calls `slowed` whenever S3 throttles."""

    def __init__(self, client: Transport, bucket: str, *, retry: RetryPolicy, slowed: Callable[[], object]) -> None:
        self._client = client
        self._bucket = bucket
        self._retry = retry
        self._slowed = slowed
        self._n_unanswered = 0  # in a row

    def of(self, versions: Sequence[ListedVersion]) -> _Codes:
        """Destroy versions. Return those that S3 refused for good; see `ObjectVersions.try_to_destroy`."""
        in_batches = [version for version in versions if fits_a_batch(version.object_key)]
        by_themselves = [version for version in versions if not fits_a_batch(version.object_key)]
        return self._retrying(in_batches, self._together) | self._retrying(by_themselves, self._one_by_one)

    def _retrying(self, left: list[ListedVersion], send: Callable[[Sequence[ListedVersion]], _Codes]) -> _Codes:
        """Send the versions that are left, until each is destroyed or refused for good. Return the refusals."""
        refused: _Codes = {}
        codes: _Codes = {}
        for _ in self._retry.attempts() if left else ():
            codes = send(left)
            refused |= {version: code for version, code in codes.items() if code not in TRANSIENT_CODES}
            left = [version for version in codes if version not in refused]
            if not LATER_CODES.isdisjoint(codes.values()):
                self._slowed()
            if not left:
                break
        if left:
            last_codes = ", ".join(sorted({codes[version] for version in left}))
            raise UnavailableError(
                f"The memory store did not destroy everything at every try ({last_codes}). Run it again later."
            )
        return refused

    def _together(self, versions: Sequence[ListedVersion]) -> _Codes:
        """Destroy versions in one request (``DeleteObjects``)."""
        by_id = {(version.object_key, version.version_id): version for version in versions}
        entries = [{"Key": object_key, "VersionId": version_id} for object_key, version_id in by_id]
        try:
            answer = self._client.delete_objects(Bucket=self._bucket, Delete={"Objects": entries, "Quiet": True})
        except aws_errors() as error:
            if error_code(error) == "MalformedXML":  # a server that accepts fewer characters than XML does
                return self._one_by_one(versions)
            return dict.fromkeys(versions, self._code_of(error))
        self._n_unanswered = 0
        codes: _Codes = {}
        for failed in answer.get("Errors", []):
            version = by_id.get((failed.get("Key", ""), failed.get("VersionId", "null")))
            if version is None:  # the error names none of these versions: send each by itself
                return self._one_by_one(versions)
            code = code_of(failed)
            if code not in _GONE_CODES:
                codes[version] = code
        # The request asks for errors only. If a server also lists what it destroyed, its list must be complete.
        reported = {
            (one.get("Key", ""), one.get("VersionId", "null"))
            for name in ("Errors", "Deleted")
            for one in answer.get(name, [])
        }
        unreported = by_id.keys() - reported if answer.get("Deleted") else ()
        return codes | self._one_by_one([by_id[one] for one in unreported])

    def _one_by_one(self, versions: Sequence[ListedVersion]) -> _Codes:
        """Destroy versions with one request each (``DeleteObject``)."""
        codes: _Codes = {}
        for version in versions:
            try:
                self._client.delete_object(Bucket=self._bucket, Key=version.object_key, VersionId=version.version_id)
                self._n_unanswered = 0
            except aws_errors() as error:
                code, outcome = error_code(error), outcome_of(error)
                if outcome is RequestOutcome.FAILED or code in NOT_ALLOWED_CODES:
                    codes[version] = code
                elif not is_missing(error):
                    codes[version] = self._code_of(error)
        return codes

    def _code_of(self, error: Exception) -> str:
        """Return the code of a transient error. Raise a `BackendError` for any other, or after too many in a row."""
        code = error_code(error)
        if code in LATER_CODES:
            return code
        self._n_unanswered += 1
        if outcome_of(error) in TRANSIENT_OUTCOMES and self._n_unanswered < _MAX_UNANSWERED:
            return "RequestTimeout"
        raise to_backend_error(error) from error
