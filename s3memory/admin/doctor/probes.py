"""The doctor's own objects. They are below the tenant's intents, where no agent looks, and removed at the end."""

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
    """Stores objects under keys that nobody else uses, and removes them, with those that earlier runs have left."""

    def __init__(self, deployment: Deployment) -> None:
        self.folder = deployment.layout.doctor_prefix
        self._run = f"{self.folder}{uuid.uuid4().hex}/"
        self._numbers = itertools.count(1)
        self.is_begun = False  # whether any object may have been stored
        self._s3, self._operator_s3, self._bucket = deployment.s3, deployment.operator_s3, deployment.bucket

    def new_key(self) -> str:
        """Return an unused object key."""
        self.is_begun = True
        return f"{self._run}{next(self._numbers)}"

    def put(
        self, object_key: str, body: bytes = BODY, ask: Callable[..., Answer] = answer_to, /, **more: Any
    ) -> Answer:
        """Store an object. All callers pass a condition, since bucket policies may require one.

        Pass `result_of` as `ask` for parallel writers: an overloaded server then counts as an answer.
        """
        return ask(self._s3.put_object, Bucket=self._bucket, Key=object_key, Body=body, **more)

    def made(self) -> tuple[str, str]:
        """Store a new object, and return its key and ETag.

        Raises:
            NoProbeError: the server refused to store it.
        """
        object_key = self.new_key()
        answer = self.put(object_key, IfNoneMatch="*")
        if answer.outcome is not None:
            raise NoProbeError(answer.code)
        return object_key, answer.fields["ETag"]

    def get(self, object_key: str) -> Answer:
        """Fetch an object."""
        return answer_to(self._s3.get_object, Bucket=self._bucket, Key=object_key)

    def head(self, object_key: str) -> Answer:
        """Request the head of an object, which shows whether it exists."""
        return answer_to(self._s3.head_object, Bucket=self._bucket, Key=object_key)

    def delete(self, object_key: str, **more: Any) -> Answer:
        """Delete an object."""
        return answer_to(self._s3.delete_object, Bucket=self._bucket, Key=object_key, **more)

    def remove(self) -> int:
        """Delete all objects that the doctor has stored for this tenant, then their versions if that is allowed.

        Returns:
            How many versions and delete markers are left to the lifecycle rules, since only operators may destroy them.

        Raises:
            BackendError: the objects could not be listed or deleted.
        """
        try:
            for item in self._s3.list_objects_v2(Bucket=self._bucket, Prefix=self.folder).get("Contents", []):
                if self.delete(item["Key"], IfMatch=item["ETag"]).outcome is not None:
                    self._s3.delete_object(Bucket=self._bucket, Key=item["Key"])  # for servers without this condition
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
