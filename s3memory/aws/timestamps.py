"""Timestamps of AWS's answers. botocore has dateutil guess the form of each, which is most of the work of a listing."""

from __future__ import annotations

import re
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from botocore.utils import parse_timestamp as parse_any_timestamp

if TYPE_CHECKING:
    from botocore.session import Session


# As S3 writes them. Other forms, such as a year of two digits, the parsers below read differently than botocore's does.
_OF_BODIES = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z", re.ASCII)
_OF_HEADERS = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [1-9]\d{3} "
    r"\d\d:\d\d:\d\d GMT",
    re.ASCII,
)


def parse_timestamp(value: Any) -> datetime:
    """Return what botocore's own parser returns; at a fraction of the time for the forms of S3's bodies and headers.

    Raises:
        ValueError: it is no timestamp.
    """
    try:
        if _OF_BODIES.fullmatch(value):
            return datetime.fromisoformat(value)
        if _OF_HEADERS.fullmatch(value):
            return parsedate_to_datetime(value)
    except (TypeError, ValueError):
        pass
    parsed: datetime = parse_any_timestamp(value)
    return parsed


def parse_timestamps_fast(session: Session) -> Session:
    """Have the clients that a session makes from now on parse timestamps so. Return the session."""
    session.get_component("response_parser_factory").set_parser_defaults(timestamp_parser=parse_timestamp)
    return session
