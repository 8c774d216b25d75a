"""Touches: a viewed file is stored again unchanged, so that its S3 timestamp says when it was last used."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from s3memory.errors import BackendError
from s3memory.s3.bucket import Bucket
from s3memory.s3.objects import StoredObject

_log = logging.getLogger("s3memory")


def touch_if_due(bucket: Bucket, object_key: str, stored: StoredObject, *, after_seconds: float) -> None:
    """Store an object again as it was read, if it was last written or touched more than `after_seconds` ago.

    A concurrent write is never overwritten, and no view fails because of a touch.
    """
    if (datetime.now(UTC) - stored.info.modified).total_seconds() <= after_seconds:
        return
    try:
        bucket.put(object_key, stored.body, over=stored.info.etag, noted=stored.info.noted_again)
    except BackendError as error:
        _log.warning("a file that was viewed could not be touched: %s", type(error).__name__)
