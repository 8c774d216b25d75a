"""Answers that botocore's parsers break on, such as a proxy's page in Latin-1 where JSON belongs.

They raise whatever Python raised, or make of a page's elements what is no error's code, on which botocore breaks later:
a 403 would be told as an internal error. The transport on libcurl reads for itself.
"""

from __future__ import annotations

from typing import Any

from s3memory.aws.errors import unreadable
from s3memory.aws.fork_safety import is_of_botocore

_FIRST_OF_REDIRECTS = 300  # as botocore tells a success from an error


class _Parser:
    """Parses as botocore does. Where that breaks, an error counts by its status, and a success proves nothing."""

    def __init__(self, parser: Any) -> None:
        self._parser = parser

    def parse(self, response: Any, shape: Any) -> Any:
        status = response["status_code"]
        is_error = status >= _FIRST_OF_REDIRECTS
        try:
            parsed = self._parser.parse(response, shape)
            if not is_error or "Error" not in parsed:  # what is special about this kind of error
                return parsed
            if _is_readable(parsed["Error"]):  # botocore looks at other elements of a page as at those of a listing
                return {name: parsed[name] for name in ("Error", "ResponseMetadata")}
        except Exception:  # noqa: BLE001 - no list of what parsers raise is known
            if not is_error:
                if hasattr(response["body"], "close"):  # of an object, which nobody reads now
                    response["body"].close()
                raise unreadable() from None
        headers = {name.lower(): value for name, value in response["headers"].items()}
        return {
            "Error": {"Code": str(status), "Message": ""},
            "ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": headers},
        }


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
    """Let a boto3 client's errors count by their status where the rest can't be read, from now on.

    A client that is not botocore's is left as it is.
    """
    if not is_of_botocore(client):
        return
    endpoint: Any = client._endpoint  # type: ignore[attr-defined]  # noqa: SLF001 - see `_Parsers`
    if not isinstance(endpoint._response_parser_factory, _Parsers):  # noqa: SLF001
        endpoint._response_parser_factory = _Parsers(endpoint._response_parser_factory)  # noqa: SLF001
