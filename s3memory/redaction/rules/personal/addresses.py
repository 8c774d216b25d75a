"""IP addresses, of both versions, told from version numbers, times and names in code."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.text.compiling import compiled

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_VERSION_BEFORE = r"(?i)(?:\bv|version[ :=]{0,3}|ver\.? ?|release ?|[<>=~^]=? ?|[\w-]@|[A-Za-z_-]-?|[0-9]\.|==)\Z"
_CONTEXT = 16
_GROUPS = 8
_LEAST_FIRST_GROUP = 3
_NOBODY = ("127.", "0.", "255.255.255.")


def _version_4(match: re.Match[str]) -> Location:
    start, end = match.span()
    before = match.string[max(0, start - _CONTEXT) : start]
    if match[0].startswith(_NOBODY) or compiled(_VERSION_BEFORE).search(before):
        return None
    return start, end


def _version_6(match: re.Match[str]) -> Location:
    from ipaddress import AddressValueError, IPv6Address  # noqa: PLC0415 - few texts have what could be one

    written = match[0]
    try:
        address = IPv6Address(written)
    except AddressValueError:
        return None
    first = written.partition(":")[0]
    # `a::b` is a name in code, and `::1` is this machine.
    is_name = written.count(":") < _GROUPS - 1 and (
        len(first) < _LEAST_FIRST_GROUP or not any(map(str.isdigit, written))
    )
    return None if is_name or address.is_loopback or address.is_unspecified else match.span()


RULES = (
    Rule(
        kind="ip-address",
        anchors=(),
        scan=True,
        # The first digit comes first, and what must not stand before it second: `re` then skips to such digits.
        pattern=rf"(?=[0-9])(?<![0-9A-Za-z_.])(?<![0-9]-){_OCTET}(?:\.{_OCTET}){{3}}(?![0-9A-Za-z_]|\.[0-9])",
        locate=_version_4,
        source="https://www.rfc-editor.org/rfc/rfc791",
        samples=("host «10.{octet}.0.{octet}» is down",),
        near=("version 10.2.0.4", "v1.2.3.4", "127.0.0.1", "1.2.3.4.5"),
    ),
    Rule(
        kind="ip-address",
        anchors=("::", ":"),
        scan=True,
        pattern=r"(?<![0-9A-Za-z_:.])[0-9A-Fa-f]{1,4}(?::{1,2}[0-9A-Fa-f]{1,4}){1,7}(?:::)?(?![0-9A-Za-z_:]|\.[0-9])",
        locate=_version_6,
        source="https://www.rfc-editor.org/rfc/rfc4291#section-2.2",
        samples=("it has «2001:db8::<hex:3>1:<hex:4>»",),
        near=("std::vector a::b", "12:30:45", "::1"),
    ),
)
