"""A client whose every request names the account that the bucket has to belong to.

A bucket's name is anybody's to take once it was deleted. S3 refuses a request that expects another owner (403), before
it reads or stores anything.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, cast

from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

# All else that is used of a client is a request for a bucket.
_NO_REQUESTS = frozenset({"can_paginate", "close", "exceptions", "meta"})


def check_bucket_owner(owner: object) -> str:
    """Return `owner` if it is the id of an AWS account.

    Raises:
        ConfigurationError: it is not a text of 12 digits.
    """
    if not isinstance(owner, str) or not re.fullmatch("[0-9]{12}", owner):
        raise ConfigurationError("bucket_owner must be the 12 digits of an AWS account")
    return owner


def expecting_owner(client: S3Client, owner: str | None) -> S3Client:
    """Return a client that sends what `client` sends, and ``ExpectedBucketOwner`` with it; `client` for no owner.

    Raises:
        ConfigurationError: the owner is malformed.
    """
    return client if owner is None else cast("S3Client", _Expecting(client, check_bucket_owner(owner)))


class _Expecting:
    def __init__(self, client: S3Client, owner: str) -> None:
        self._client = client
        self._owner = owner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        return found if name in _NO_REQUESTS else functools.partial(found, ExpectedBucketOwner=self._owner)
