"""Which buckets can hold a memory, as far as their names tell, and whose they may be."""

from __future__ import annotations

import re

from s3memory.errors import ConfigurationError

# Where S3 does not keep what compare and swap, or a listing, rests on. Access points of one bucket do.
_UNFIT = {
    r"[.]mrap$": "a multi-Region access point does not fit: a replica that is behind would check the conditions",
    r"--x-s3$": "a directory bucket does not fit: its listings have no order, and it keeps no versions",
    r":s3-outposts:": "S3 on Outposts is not supported",
    r":s3-object-lambda:": "an Object Lambda access point does not fit: it may answer with other bytes than are stored",
}


def check_bucket(bucket: object) -> str:
    """Return `bucket` if it is the name of a bucket, or the ARN or alias of an access point, that can hold a memory.

    Raises:
        ConfigurationError: it is neither, or of a kind that does not keep what a memory rests on.
    """
    # No request takes a bucket's own ARN: it has no account.
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
    """Return `owner` if it is the id of an AWS account, 12 digits, or raise `ConfigurationError`."""
    if not isinstance(owner, str) or not re.fullmatch("[0-9]{12}", owner):
        raise ConfigurationError("bucket_owner must be the 12 digits of an AWS account")
    return owner
