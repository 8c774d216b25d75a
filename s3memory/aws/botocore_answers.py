"""Answers that are not the service's own, such as a proxy's page, which botocore takes for one or breaks on.

The transport on libcurl looks, and reads, for itself.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element

from s3memory.aws.errors import STATUSES_OF_SUCCESS, unreadable

_FIRST_OF_SUCCESSES = 200
_FIRST_OF_REDIRECTS = 300  # as botocore tells a success from an error
_REGION_HEADER = "x-amz-bucket-region"
_NOTHING = re.compile(rb"\s*\Z")
_JSON = re.compile(rb"\s*\{")
_OF_LISTING = re.compile(rb"<(?:[\w.-]+:)?(Version|DeleteMarker)[\s>]")  # texts have no such bracket
_LISTINGS = frozenset({"ListMultipartUploads", "ListObjectVersions", "ListObjectsV2"})
_IS_TRUNCATED, _IS_LATEST = (
    re.compile(rb"(<(?:[\w.-]+:)?%b(?:\s[^>]*)?>)\s*([^<\s]*)\s*<" % tag) for tag in (b"IsTruncated", b"IsLatest")
)
_BOOLEANS = frozenset({b"true", b"false"})


def _root(tag: str) -> re.Pattern[bytes]:
    # An XML declaration, and perhaps a comment, come before it; it may have a prefix.
    return re.compile(rb"(?s)(?:\xef\xbb\xbf)?(?:\s+|<\?.*?\?>|<!--.*?-->)*+<(?:[\w.-]+:)?%b[\s/>]" % tag.encode())


_SHAPES = {
    **dict.fromkeys(("AbortMultipartUpload", "DeleteObject", "PutObject"), _NOTHING),
    "DeleteObjects": _root("DeleteResult"),
    "ListMultipartUploads": _root("ListMultipartUploadsResult"),
    "ListObjectVersions": _root("ListVersionsResult"),
    "ListObjectsV2": _root("ListBucketResult"),
    **dict.fromkeys(("Decrypt", "Encrypt", "GenerateDataKey", "GetItem", "PutItem"), _JSON),
}
"""What an answer of success begins with, by AWS's name for the operation."""


def refuse_other_shapes(*, operation_model: Any, response_dict: Any, **_: object) -> None:
    """Refuse a success that is not the service's own, which botocore would take for an empty answer (``before-parse``).

    A DELETE would count as done, a PUT too if the page has an ETag, and a table would have no record. The same goes for
    an answer whose body did not come, and for an informational one: see `s3memory.aws.botocore_connections`. And a 204
    has no object, which may come without a length.
    """
    shape, status = _SHAPES.get(operation_model.name), response_dict["status_code"]
    is_success = status < _FIRST_OF_REDIRECTS
    if is_success and status not in STATUSES_OF_SUCCESS.get(operation_model.name, (status,)):
        _close(response_dict["body"])
        raise unreadable()
    if status < _FIRST_OF_SUCCESSES or (shape and is_success and not _fits(shape, response_dict)):
        raise unreadable()


def tell_kinds(*, operation_model: Any, response_dict: Any, customized_response_dict: Any, **_: object) -> None:
    """Tell which entries of a listing of versions are delete markers (``before-parse``).

    botocore makes two lists of them. Of one second, only the order in S3's document tells which came first.
    """
    if operation_model.name == "ListObjectVersions":
        kinds = _OF_LISTING.findall(response_dict["body"])
        customized_response_dict["AreDeleteMarkers"] = [kind == b"DeleteMarker" for kind in kinds]


def write_as_s3_does(*, operation_model: Any, response_dict: Any, **_: object) -> None:
    """Write what is true of a listing as S3 does, or refuse one that does not say it in a word (``before-parse``).

    botocore takes any word but ``true`` for its contrary, and other servers write ``True``. A listing would end too
    early: files would be missing from views, and be left when all are deleted. And what a reader finds would be an
    older version, which may be destroyed.
    """
    if operation_model.name in _LISTINGS and response_dict["status_code"] < _FIRST_OF_REDIRECTS:
        body = response_dict["body"]
        n_versions = len(_OF_LISTING.findall(body)) if operation_model.name == "ListObjectVersions" else 0
        for pattern, number in ((_IS_TRUNCATED, 1), (_IS_LATEST, n_versions)):
            words = [word.lower() for _, word in pattern.findall(body)]
            if len(words) != number or not _BOOLEANS.issuperset(words):
                raise unreadable()
            body = pattern.sub(lambda found: found[1] + found[2].lower() + b"<", body)
        response_dict["body"] = body


def end_at_head_bucket(*, response: Any, request_dict: Any, **_: object) -> None:
    """End a circle of redirects, as by a proxy that sends ``http`` to ``https`` (``needs-retry.s3.HeadBucket``).

    botocore takes a redirect for one to a bucket's region. Where the answer does not name the region, it asks with
    HeadBucket, takes that one's redirect for the same, and would ask until Python's stack ends.
    """
    if response is not None and _REGION_HEADER not in response[1]["ResponseMetadata"].get("HTTPHeaders", {}):
        request_dict["context"].setdefault("s3_redirect", {})["redirected"] = True  # botocore leaves such a one alone


def _fits(shape: re.Pattern[bytes], response_dict: Any) -> bool:
    body = response_dict["body"]
    is_whole = body or response_dict["headers"].get("content-length", "0").strip() == "0"  # botocore does not look
    return bool(is_whole and shape.match(body))


def _close(body: Any) -> None:
    if hasattr(body, "close"):  # of an object, which nobody reads now
        body.close()


class _Parser:
    """Parses as botocore does. Where that breaks, an error counts by its status, and a success proves nothing."""

    def __init__(self, parser: Any) -> None:
        self._parser = parser

    def parse(self, response: Any, shape: Any) -> Any:
        status = response["status_code"]
        is_error = status >= _FIRST_OF_REDIRECTS
        try:
            parsed = self._parser.parse(response, shape)
            if not is_error:
                _refuse_elements(parsed)
            if not is_error or "Error" not in parsed:  # what is special about this kind of error
                return parsed
            if _is_readable(parsed["Error"]):  # botocore looks at other elements of a page as at those of a listing
                return {name: parsed[name] for name in ("Error", "ResponseMetadata")}
        except Exception:  # noqa: BLE001 - no list of what parsers raise is known
            if not is_error:
                _close(response["body"])
                raise unreadable() from None
        headers = {name.lower(): value for name, value in response["headers"].items()}
        return {
            "Error": {"Code": str(status), "Message": ""},
            "ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": headers},
        }


def _refuse_elements(parsed: Any) -> None:
    """Refuse what botocore has left as elements of XML: those that come twice where there should be one."""
    if isinstance(parsed, Element):
        raise unreadable()
    if isinstance(parsed, (dict, list)):
        for one in parsed.values() if isinstance(parsed, dict) else parsed:
            _refuse_elements(one)


def _is_readable(error: Any) -> bool:
    # An element that comes twice is a list, and one that holds others is a dictionary.
    return all(isinstance(error.get(name, ""), str) for name in ("Code", "Region"))


class _Parsers:
    """Stands in for the maker of a client's parsers: no event of botocore's comes where one raises."""

    def __init__(self, factory: Any) -> None:
        self._factory = factory

    def create_parser(self, protocol: str) -> _Parser:
        return _Parser(self._factory.create_parser(protocol))


def sort_unreadable_answers(client: Any) -> None:
    """Let a client of botocore's take errors by their status where the rest can't be read, from now on.

    On a proxy's page in Latin-1 where JSON belongs, its parsers raise whatever Python raised, or make of the page's
    elements what is no error's code: a 403 would be told as an internal error.
    """
    endpoint: Any = client._endpoint  # noqa: SLF001 - see `_Parsers`
    if not isinstance(endpoint._response_parser_factory, _Parsers):  # noqa: SLF001
        endpoint._response_parser_factory = _Parsers(endpoint._response_parser_factory)  # noqa: SLF001
