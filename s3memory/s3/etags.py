"""The ETag of an answer, on which the next write is conditional."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s3memory.aws.errors import unreadable
from s3memory.errors import BackendError


def etag_of(told: Mapping[str, Any]) -> str:
    """Return the ETag of an answer, or of an entry of a listing.

    Raises:
        RequestError: it is empty, not printable ASCII, ``*`` or several. An empty one is no condition: libcurl does
            not send such a header, and many servers ignore it. ``*`` is met by whatever is there, and several by each
            of them. Other characters would be changed by botocore on their way back.
    """
    etag = str(told["ETag"])
    bare = etag.removeprefix("W/").strip('" ')
    if bare in {"", "*"} or '"' in bare or not etag.isascii() or not etag.isprintable():
        raise unreadable()
    return etag


def is_weak(etag: str) -> bool:
    """Whether an ETag is weak. S3's never are: a proxy that changes an answer, as by compressing it, makes them weak.

    No ``If-Match`` accepts a weak ETag (RFC 9110, 8.8.3.2 and 13.1.1). To send it as a strong one would claim what
    nobody has said: that these are the very bytes.
    """
    return etag.startswith("W/")


def weak_etag_error() -> BackendError:
    """Return the error of a write that was refused, since its condition was on a weak ETag: nobody else has written."""
    return BackendError(
        "A proxy before the memory store changes its answers, by compressing them, say, and makes their ETags weak: "
        "what is stored can't be changed through it. Nothing was changed. This needs an operator.",
        code="WeakETag",
    )
