"""Checks of a bucket's name, which can show that the bucket can't hold a memory, and of its expected owner."""

from __future__ import annotations

import re

from s3memory.errors import ConfigurationError

# Kinds that lack what compare-and-swap or a listing relies on. Access points of a single bucket are fine.
_UNFIT = {
    r"[.]mrap$": "a multi-Region access point does not fit: a replica that is behind would check the conditions",
    r"--x-s3$": "a directory bucket does not fit: its listings have no order, and it keeps no versions",
    r":s3-outposts:": "S3 on Outposts is not supported",
    r":s3-object-lambda:": "an Object Lambda access point does not fit: it may answer with other bytes than are stored",
}


def check_bucket(bucket: object) -> str:
    """Return `bucket` if it is a bucket's name, or an access point's ARN or alias, of a kind that can hold a memory.

    Raises:
        ConfigurationError: it is none of these, or of a kind that lacks what a memory relies on.
    """
    # No request accepts a bucket's own ARN, which has no account in it.
    if not isinstance(bucket, str) or not (
        re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", bucket)
        or re.fullmatch(r"arn:aws[a-z-]*:s3[a-z-]*:[a-z0-9-]*:[0-9]{12}:[!-~]+", bucket)
    ):
        raise ConfigurationError("bucket must be the name of a bucket or the ARN of an access point")
    for pattern, reason in _UNFIT.items():
        if re.search(pattern, bucket):
            raise ConfigurationError(reason)
    return bucket


def check_bucket_owner(owner: object) -> str:
    """Return `owner` if it is an AWS account id, which has 12 digits. Raise `ConfigurationError` otherwise."""
    if not isinstance(owner, str) or not re.fullmatch("[0-9]{12}", owner):
        raise ConfigurationError("bucket_owner must be the 12 digits of an AWS account")
    return owner
