"""Answers that botocore's parsers break on, such as a proxy's page in Latin-1 where JSON belongs.

They raise whatever Python raised, and a 403 would be told as an internal error. The transport on libcurl reads for
itself.
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
        try:
            return self._parser.parse(response, shape)
        except Exception:  # noqa: BLE001 - no list of what parsers raise is known
            status = response["status_code"]
            if status < _FIRST_OF_REDIRECTS:
                raise unreadable() from None
        headers = {name.lower(): value for name, value in response["headers"].items()}
        return {
            "Error": {"Code": str(status), "Message": ""},
            "ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": headers},
        }


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
