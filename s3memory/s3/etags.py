"""The ETag of a response. The next write is conditional on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s3memory.aws.errors import unreadable
from s3memory.errors import BackendError


def etag_of(answer: Mapping[str, Any]) -> str:
    """Return the ETag of a response, or of an entry of a listing.

    Raises:
        RequestError: it is empty, not printable ASCII, ``*`` or several. An empty one is no condition: libcurl does
            not send such a header, and many servers ignore it. ``*`` matches any object, and a list matches any of its
            ETags. botocore would change other characters when it sends them back.
    """
    etag = str(answer["ETag"])
    bare = etag.removeprefix("W/").strip('" ')
    if bare in {"", "*"} or '"' in bare or not etag.isascii() or not etag.isprintable():
        raise unreadable()
    return etag


def is_weak(etag: str) -> bool:
    """Whether an ETag is weak. S3's never are, but a proxy that changes a response, say by compressing it, weakens it.

    No ``If-Match`` accepts a weak ETag (RFC 9110, 8.8.3.2 and 13.1.1). Sending it as a strong one would claim that the
    bytes are identical, which nobody has said.
    """
    return etag.startswith("W/")


def weak_etag_error() -> BackendError:
    """Return the error for a write that was refused because its ETag is weak, not because somebody else has written."""
    return BackendError(
        "A proxy before the memory store changes its answers, by compressing them, say, and makes their ETags weak: "
        "what is stored can't be changed through it. Nothing was changed. This needs an operator.",
        code="WeakETag",
    )
