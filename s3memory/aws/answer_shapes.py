"""A success that is not the service's own, such as a page of a proxy's: botocore would take it for an empty answer.

A DELETE would count as done, a PUT too if the page has an ETag, and a table would have no record. The transport on
libcurl looks for itself.
"""

from __future__ import annotations

import re
from typing import Any

from s3memory.aws.errors import unreadable

_NOTHING = re.compile(rb"\s*\Z")
_JSON = re.compile(rb"\s*\{")


def _root(tag: str) -> re.Pattern[bytes]:
    # An XML declaration, and perhaps a comment, come before it; it may have a prefix.
    return re.compile(rb"(?s).{0,512}?<(?:[\w.-]+:)?%b[\s/>]" % tag.encode())


_SHAPES = {
    **dict.fromkeys(("DeleteObject", "PutObject"), _NOTHING),
    "DeleteObjects": _root("DeleteResult"),
    "ListMultipartUploads": _root("ListMultipartUploadsResult"),
    "ListObjectVersions": _root("ListVersionsResult"),
    "ListObjectsV2": _root("ListBucketResult"),
    **dict.fromkeys(("Decrypt", "Encrypt", "GenerateDataKey", "GetItem", "PutItem"), _JSON),
}
"""What an answer of success begins with, by AWS's name for the operation."""


def refuse_other_shapes(client: Any) -> None:
    """Refuse a boto3 client such answers from now on."""
    events = getattr(getattr(client, "meta", None), "events", None)
    if events is not None:
        # After botocore's own look for an error inside a success, which it tries again.
        events.register_last("before-parse", _check, unique_id="s3memory-answer-shapes")


def _check(*, operation_model: Any, response_dict: Any, **_: object) -> None:
    shape = _SHAPES.get(operation_model.name)
    is_success = response_dict["status_code"] < 300  # noqa: PLR2004 - HTTP's
    if shape is not None and is_success and not shape.match(response_dict["body"]):
        raise unreadable()
