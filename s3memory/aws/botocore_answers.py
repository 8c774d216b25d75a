"""Responses that are not from the service, such as a proxy's page. botocore accepts some of them, or breaks on them.

The transport on libcurl has its own checks and its own parser.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element

from s3memory.aws.errors import STATUSES_OF_SUCCESS, unreadable

_FIRST_OF_SUCCESSES = 200
_FIRST_OF_REDIRECTS = 300  # botocore's boundary between success and error
_REGION_HEADER = "x-amz-bucket-region"
_NOTHING = re.compile(rb"\s*\Z")
_JSON = re.compile(rb"\s*\{")
_LISTED_ENTRY = re.compile(rb"<(?:[\w.-]+:)?(Version|DeleteMarker)[\s>]")  # in text, the bracket would be escaped
_LISTINGS = frozenset({"ListMultipartUploads", "ListObjectVersions", "ListObjectsV2"})
_IS_TRUNCATED, _IS_LATEST = (
    re.compile(rb"(<(?:[\w.-]+:)?%b(?:\s[^>]*)?>)\s*([^<\s]*)\s*<" % tag) for tag in (b"IsTruncated", b"IsLatest")
)
_BOOLEANS = frozenset({b"true", b"false"})


def _root(tag: str) -> re.Pattern[bytes]:
    # An XML declaration and comments may come before it, and it may have a namespace prefix.
    return re.compile(rb"(?s)(?:\xef\xbb\xbf)?(?:\s+|<\?.*?\?>|<!--.*?-->)*+<(?:[\w.-]+:)?%b[\s/>]" % tag.encode())


_SHAPES = {
    **dict.fromkeys(("AbortMultipartUpload", "DeleteObject", "PutObject"), _NOTHING),
    "DeleteObjects": _root("DeleteResult"),
    "ListMultipartUploads": _root("ListMultipartUploadsResult"),
    "ListObjectVersions": _root("ListVersionsResult"),
    "ListObjectsV2": _root("ListBucketResult"),
    **dict.fromkeys(("Decrypt", "Encrypt", "GenerateDataKey", "GetItem", "PutItem"), _JSON),
}
"""What a successful response begins with, by AWS's name for the operation."""


def refuse_other_shapes(*, operation_model: Any, response_dict: Any, **_: object) -> None:
    """Refuse a success that is not from the service, which botocore would read as an empty response (``before-parse``).

    A DELETE would count as done, a PUT too if the page has an ETag, and a table would seem to have no record. This also
    refuses a response whose body is missing, an informational response (see `s3memory.aws.botocore_connections`), and
    a 204 for an object, whose body may come without a length.
    """
    shape, status = _SHAPES.get(operation_model.name), response_dict["status_code"]
    is_success = status < _FIRST_OF_REDIRECTS
    if is_success and status not in STATUSES_OF_SUCCESS.get(operation_model.name, (status,)):
        _close(response_dict["body"])
        raise unreadable()
    if status < _FIRST_OF_SUCCESSES or (shape and is_success and not _fits(shape, response_dict)):
        raise unreadable()


def note_markers(*, operation_model: Any, response_dict: Any, customized_response_dict: Any, **_: object) -> None:
    """Note which entries of a listing of versions are delete markers (``before-parse``).

    botocore splits them into two lists. Within a second, only their order in S3's document says which came first.
    """
    if operation_model.name == "ListObjectVersions":
        kinds = _LISTED_ENTRY.findall(response_dict["body"])
        customized_response_dict["AreDeleteMarkers"] = [kind == b"DeleteMarker" for kind in kinds]


def normalize_booleans(*, operation_model: Any, response_dict: Any, **_: object) -> None:
    """Write a listing's booleans in lower case, as S3 does, or refuse it if one is no boolean (``before-parse``).

    botocore reads anything but ``true`` as false, and other servers write ``True``. A listing would end too early:
    files would be missing from views, and survive the deletion of everything. And the latest version would look like an
    older one, which may be destroyed.
    """
    if operation_model.name in _LISTINGS and response_dict["status_code"] < _FIRST_OF_REDIRECTS:
        body = response_dict["body"]
        n_versions = len(_LISTED_ENTRY.findall(body)) if operation_model.name == "ListObjectVersions" else 0
        for pattern, number in ((_IS_TRUNCATED, 1), (_IS_LATEST, n_versions)):
            words = [word.lower() for _, word in pattern.findall(body)]
            if len(words) != number or not _BOOLEANS.issuperset(words):
                raise unreadable()
            body = pattern.sub(lambda found: found[1] + found[2].lower() + b"<", body)
        response_dict["body"] = body


def end_redirect_loop(*, response: Any, request_dict: Any, **_: object) -> None:
    """End an endless redirect, as from a proxy that sends ``http`` to ``https`` (``needs-retry.s3.HeadBucket``).

    botocore assumes that a redirect leads to the bucket's region. If the response does not name the region, it sends
    HeadBucket, gets the same redirect, and would repeat this until Python's stack overflows.
    """
    if response is not None and _REGION_HEADER not in response[1]["ResponseMetadata"].get("HTTPHeaders", {}):
        request_dict["context"].setdefault("s3_redirect", {})["redirected"] = True  # botocore then leaves it alone


def _fits(shape: re.Pattern[bytes], response_dict: Any) -> bool:
    body = response_dict["body"]
    is_whole = body or response_dict["headers"].get("content-length", "0").strip() == "0"  # botocore does not check
    return bool(is_whole and shape.match(body))


def _close(body: Any) -> None:
    if hasattr(body, "close"):  # an object's body, which nobody will read
        body.close()


class _Parser:
    """Parses as botocore does. If its parser breaks, an error counts by its status, and a success proves nothing."""

    def __init__(self, parser: Any) -> None:
        self._parser = parser

    def parse(self, response: Any, shape: Any) -> Any:
        status = response["status_code"]
        is_error = status >= _FIRST_OF_REDIRECTS
        try:
            parsed = self._parser.parse(response, shape)
            if not is_error:
                _refuse_elements(parsed)
            if not is_error or "Error" not in parsed:  # the extra fields of one kind of error
                return parsed
            if _is_readable(parsed["Error"]):  # botocore also reads the page's other elements, as if of a listing
                return {name: parsed[name] for name in ("Error", "ResponseMetadata")}
        except Exception:  # noqa: BLE001 - what parsers raise is not documented
            if not is_error:
                _close(response["body"])
                raise unreadable() from None
        headers = {name.lower(): value for name, value in response["headers"].items()}
        return {
            "Error": {"Code": str(status), "Message": ""},
            "ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": headers},
        }


def _refuse_elements(parsed: Any) -> None:
    """Refuse a response in which an element occurs twice but should not: botocore leaves those as XML elements."""
    if isinstance(parsed, Element):
        raise unreadable()
    if isinstance(parsed, (dict, list)):
        for one in parsed.values() if isinstance(parsed, dict) else parsed:
            _refuse_elements(one)


def _is_readable(error: Any) -> bool:
    # botocore parses an element that occurs twice into a list, and one that has children into a dictionary.
    return all(isinstance(error.get(name, ""), str) for name in ("Code", "Region"))


class _Parsers:
    """Replaces a client's parser factory: botocore has no event for an error in a parser."""

    def __init__(self, factory: Any) -> None:
        self._factory = factory

    def create_parser(self, protocol: str) -> _Parser:
        return _Parser(self._factory.create_parser(protocol))


def classify_unreadable_answers(client: Any) -> None:
    """Make a botocore client classify errors by their status if the rest of the response can't be read.

    Given a proxy's page in Latin-1 instead of JSON, botocore's parsers raise arbitrary Python errors, or read a code
    from the page's elements that is none: a 403 would be reported as an internal error.
    """
    endpoint: Any = client._endpoint  # noqa: SLF001 - see `_Parsers`
    if not isinstance(endpoint._response_parser_factory, _Parsers):  # noqa: SLF001
        endpoint._response_parser_factory = _Parsers(endpoint._response_parser_factory)  # noqa: SLF001
