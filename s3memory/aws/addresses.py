"""Addresses of servers: whether a text is one, whether it is AWS's own, and how to show it."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

# The public partitions, and GovCloud's. Not the isolated ones: how S3 behaves there is not known.
_DOMAINS: Final = (
    ".amazonaws.com",
    ".api.aws",
    ".amazonaws.com.cn",
    ".api.amazonwebservices.com.cn",
    ".amazonaws.eu",
    ".api.amazonwebservices.eu",
)


def is_url(text: str) -> bool:
    """Whether a text is an http or https URL with a host."""
    try:
        parts = urlsplit(text)  # drops line breaks, hence the next check
        # In an environment that is not UTF-8, Python reads surrogates, which can't be sent in a request.
        is_one_word = not re.search(r"[\s\x00-\x1f\x7f\ud800-\udfff]", text)
        return is_one_word and parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def without_password(url: str) -> str:
    """Return a URL without its user name and password, if it has any."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def is_of_aws(host: str | None) -> bool:
    """Whether a host's name is AWS's own. S3-compatible servers have other names."""
    return (host or "").endswith(_DOMAINS)
