"""The doctor's own objects: below the tenant's intents, where no agent looks, and gone when it is done."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable
from typing import Any

from s3memory.admin.doctor.checks import Answer, NoProbeError, answer_to
from s3memory.admin.doctor.deployment import Deployment
from s3memory.aws.errors import aws_errors, to_backend_error
from s3memory.aws.retry import RetryPolicy
from s3memory.errors import BackendError
from s3memory.s3.versions import DELETE_PAGE_KEYS, ObjectVersions

BODY = b"s3memory doctor: may be deleted"
_MAX_TRIES = 3


class Probes:
    """Makes objects at keys that nobody else has, and removes them, and what an earlier run could not remove."""

    def __init__(self, deployment: Deployment) -> None:
        self.folder = deployment.layout.doctor_prefix
        self._run = f"{self.folder}{uuid.uuid4().hex}/"
        self._numbers = itertools.count(1)
        self.is_begun = False  # whether an object may be there
        self._s3, self._operator_s3, self._bucket = deployment.s3, deployment.operator_s3, deployment.bucket

    def new_key(self) -> str:
        """Return an object key at which there is nothing."""
        self.is_begun = True
        return f"{self._run}{next(self._numbers)}"

    def put(
        self, object_key: str, body: bytes = BODY, ask: Callable[..., Answer] = answer_to, /, **more: Any
    ) -> Answer:
        """Store an object. Each of these has a condition, as bucket policies may demand.

        One of several writers at once asks by `result_of`: that the server can't keep up is an answer.
        """
        return ask(self._s3.put_object, Bucket=self._bucket, Key=object_key, Body=body, **more)

    def made(self) -> tuple[str, str]:
        """Store a new object, and return its key and ETag.

        Raises:
            NoProbeError: the server does not store it.
        """
        object_key = self.new_key()
        answer = self.put(object_key, IfNoneMatch="*")
        if answer.outcome is not None:
            raise NoProbeError(answer.code)
        return object_key, answer.fields["ETag"]

    def get(self, object_key: str) -> Answer:
        """Return what a read of an object tells."""
        return answer_to(self._s3.get_object, Bucket=self._bucket, Key=object_key)

    def head(self, object_key: str) -> Answer:
        """Return whether an object is there."""
        return answer_to(self._s3.head_object, Bucket=self._bucket, Key=object_key)

    def delete(self, object_key: str, **more: Any) -> Answer:
        """Delete an object."""
        return answer_to(self._s3.delete_object, Bucket=self._bucket, Key=object_key, **more)

    def remove(self) -> int:
        """Delete everything that the doctor has stored for this tenant, then its versions where that is allowed.

        Returns:
            How many versions and delete markers are left to the lifecycle, because only an operator may destroy them.

        Raises:
            BackendError: what is there could not be listed, or not be deleted.
        """
        try:
            for item in self._s3.list_objects_v2(Bucket=self._bucket, Prefix=self.folder).get("Contents", []):
                if self.delete(item["Key"], IfMatch=item["ETag"]).outcome is not None:
                    self._s3.delete_object(Bucket=self._bucket, Key=item["Key"])  # a server without such conditions
        except aws_errors() as error:
            raise to_backend_error(error) from error
        return self._destroy_versions()

    def _destroy_versions(self) -> int:
        versions = ObjectVersions(self._operator_s3, self._bucket, retry=RetryPolicy(max_tries=_MAX_TRIES))
        found = [one for one in versions.below(self.folder) if one.version_id != "null" or one.is_delete_marker]
        for page in range(0, len(found), DELETE_PAGE_KEYS):
            try:
                versions.destroy(found[page : page + DELETE_PAGE_KEYS])
            except BackendError:
                return len(found) - page
        return 0
