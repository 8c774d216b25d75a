"""Addresses of servers: which texts are one, which are AWS's own, and how they are shown."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

# The partitions that everybody can use, and GovCloud's. Not the isolated ones: nobody here knows what S3 does there.
_DOMAINS: Final = (
    ".amazonaws.com",
    ".api.aws",
    ".amazonaws.com.cn",
    ".api.amazonwebservices.com.cn",
    ".amazonaws.eu",
    ".api.amazonwebservices.eu",
)


def is_url(text: str) -> bool:
    """Whether a text is a URL of http or https that names a host."""
    try:
        parts = urlsplit(text)  # which drops line breaks
        # An environment that is not UTF-8 comes with surrogates, which no request can be sent with.
        is_one_word = not re.search(r"[\s\x00-\x1f\x7f\ud800-\udfff]", text)
        return is_one_word and parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def without_password(url: str) -> str:
    """Return a URL without the user name and password that may be in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def is_of_aws(host: str | None) -> bool:
    """Whether a host is AWS's own, by its name. Servers like S3 have other names."""
    return (host or "").endswith(_DOMAINS)
