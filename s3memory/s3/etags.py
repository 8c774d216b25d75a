"""The ETag of an answer, on which the next write is conditional."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s3memory.aws.errors import unreadable


def etag_of(told: Mapping[str, Any]) -> str:
    """Return the ETag of an answer, or of an entry of a listing.

    Raises:
        RequestError: it is empty, or not printable ASCII. A condition on nothing is no condition: libcurl does not send
            such a header, and many servers take it for one that did not come. And of other characters, botocore would
            send others than came.
    """
    etag = str(told["ETag"])
    if not etag.strip('" ') or not etag.isascii() or not etag.isprintable():
        raise unreadable()
    return etag
