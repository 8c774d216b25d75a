"""What host names of AWS end in: those of the partitions that have regions for everybody, GovCloud's among them.

Not of the isolated ones: nobody here knows what S3 can do there.
"""

from __future__ import annotations

from typing import Final

_DOMAINS: Final = (
    ".amazonaws.com",
    ".api.aws",
    ".amazonaws.com.cn",
    ".api.amazonwebservices.com.cn",
    ".amazonaws.eu",
    ".api.amazonwebservices.eu",
)


def is_of_aws(host: str | None) -> bool:
    """Whether a host is AWS's own, by its name. Servers like S3 have other names."""
    return (host or "").endswith(_DOMAINS)
