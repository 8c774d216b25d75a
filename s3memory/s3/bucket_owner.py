"""A client whose every request names the account that the bucket has to belong to.

A bucket's name is anybody's to take once it was deleted. S3 refuses a request that expects another owner (403), before
it reads or stores anything.
"""

from __future__ import annotations

import functools
import re
from typing import Any, TypeVar, cast

from s3memory.errors import ConfigurationError
from s3memory.s3.transport import Transport

T = TypeVar("T", bound=Transport)

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


def expecting_owner(client: T, owner: str | None) -> T:
    """Return a client that sends what `client` sends, and ``ExpectedBucketOwner`` with it; `client` for no owner.

    Raises:
        ConfigurationError: the owner is malformed.
    """
    return client if owner is None else cast("T", _Expecting(client, check_bucket_owner(owner)))


class _Expecting:
    def __init__(self, client: Transport, owner: str) -> None:
        self._client = client
        self._owner = owner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        return found if name in _NO_REQUESTS else functools.partial(found, ExpectedBucketOwner=self._owner)
