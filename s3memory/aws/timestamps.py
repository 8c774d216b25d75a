"""Timestamps of AWS's answers. botocore has dateutil guess the form of each, which is most of the work of a listing."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from botocore.session import Session


# As S3 writes them. Other forms, such as a year of two digits, the parsers below read differently than botocore's does.
_OF_BODIES = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z", re.ASCII)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_OF_HEADERS = re.compile(
    rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ({'|'.join(_MONTHS)}) ([1-9]\d{{3}}) (\d\d):(\d\d):(\d\d) GMT", re.ASCII
)


def parse_timestamp(value: Any) -> datetime:
    """Return what botocore's own parser returns; at a fraction of the time for the forms of S3's bodies and headers.

    One that names no zone is in UTC, so that all can be compared.

    Raises:
        ValueError: it is not a timestamp.
    """
    try:
        if _OF_BODIES.fullmatch(value):
            return datetime.fromisoformat(value)
        if of_header := _OF_HEADERS.fullmatch(value):
            day, month, year, hour, minute, second = of_header.groups()
            number = _MONTHS.index(month) + 1
            return datetime(int(year), number, int(day), int(hour), int(minute), int(second), tzinfo=UTC)
    except (TypeError, ValueError):
        pass
    from botocore.utils import parse_timestamp as parse_any_timestamp

    try:
        parsed: datetime = parse_any_timestamp(value)
    except (RuntimeError, ArithmeticError):  # of a number that no calendar reaches, or that dateutil can't reckon with
        raise ValueError("Invalid timestamp") from None
    return parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)


def parse_timestamps_fast(session: Session) -> Session:
    """Have the clients that a session makes from now on parse timestamps so. Return the session."""
    session.get_component("response_parser_factory").set_parser_defaults(timestamp_parser=parse_timestamp)
    return session
