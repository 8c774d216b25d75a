"""E-mail and IP addresses, and what distinguishes them from text that looks like one.

An "@" is also in names of packages and images and in credentials in URLs; dots and colons are also in version numbers,
times and names in code.
"""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.text.compiling import compiled

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_VERSION_BEFORE = r"(?i)(?:\bv|version[ :=]{0,3}|ver\.? ?|release ?|[<>=~^]=? ?|[\w-]@|[A-Za-z_-]-?|[0-9]\.|==)\Z"
_CONTEXT = 16
_IPV6_GROUPS = 8
_MIN_FIRST_GROUP = 3
_NOBODYS_ADDRESS = ("127.", "0.", "255.255.255.")

_MAX_LOCAL_PART = 64
_MAX_SCHEME = 24
# A dot or a dash before an address belongs to the sentence.
_LOCAL_PART = r"(?:\\[nrt])?(?P<local>[A-Za-z0-9_+][A-Za-z0-9.!#$&'*+/=?^_{|}~-]*|[A-Za-z0-9_+])\Z"
_URL_BEFORE = r"://[^\s/]{0,200}\Z"
# Extensions of file names, which look like a top-level domain: "icon@2x.png".
_FILE_EXTENSIONS = (
    "png jpg jpeg gif svg webp ico bmp css js mjs ts tsx jsx py rb rs go java kt cpp hpp php html htm md txt json yaml "
    "yml toml xml csv log lock zip tar gz tgz whl jar exe dll so local service socket timer"
)
# "git@host:path" is a repository, as its user shows.
_REPOSITORY = r":[\w~./-]+"
_SERVICE_USERS = frozenset({"git", "hg", "svn"})


def _email_address(match: re.Match[str]) -> Location:
    text, at = match.string, match.start()
    before = text[max(0, at - _MAX_LOCAL_PART) : at]
    local = compiled(_LOCAL_PART).search(before)
    if local is None or match["top"].lower() in _FILE_EXTENSIONS.split():
        return None
    start = at - len(before) + local.start("local")
    is_repository = local["local"] in _SERVICE_USERS and compiled(_REPOSITORY).match(text, match.end())
    in_url = compiled(_URL_BEFORE).search(text[max(0, start - _MAX_SCHEME) : start] + local["local"])
    return None if is_repository or in_url else (start, match.end())


def _ipv4_address(match: re.Match[str]) -> Location:
    start, end = match.span()
    before = match.string[max(0, start - _CONTEXT) : start]
    if match[0].startswith(_NOBODYS_ADDRESS) or compiled(_VERSION_BEFORE).search(before):
        return None
    return start, end


def _ipv6_address(match: re.Match[str]) -> Location:
    from ipaddress import AddressValueError, IPv6Address  # rarely needed

    written = match[0]
    try:
        address = IPv6Address(written)
    except AddressValueError:
        return None
    first = written.partition(":")[0]
    # `a::b` is a name in code, and `::1` is this machine.
    is_name = written.count(":") < _IPV6_GROUPS - 1 and (
        len(first) < _MIN_FIRST_GROUP or not any(map(str.isdigit, written))
    )
    return None if is_name or address.is_loopback or address.is_unspecified else match.span()


RULES = (
    Rule(
        kind="email",
        anchors=("@",),
        pattern=(
            r"@(?=[A-Za-z0-9])(?:[A-Za-z0-9-]{1,63}+\.){1,8}(?P<top>[A-Za-z]{2,24}+|xn--[A-Za-z0-9-]{2,59}+)(?![A-Za-z0-9_])"
        ),
        locate=_email_address,
        source="https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2",
        samples=("write to «jo.<lower:6>@mail.example.org».",),
        near=("npm i @scope/package", "icon@2x.png", "git@github.com:team/repo.git", "https://bob@example.org/x"),
    ),
    Rule(
        kind="ip-address",
        scan=True,
        # The lookahead for a digit comes before the lookbehinds, so that `re` can skip to digits.
        pattern=rf"(?=[0-9])(?<![0-9A-Za-z_.])(?<![0-9]-){_OCTET}(?:\.{_OCTET}){{3}}(?![0-9A-Za-z_]|\.[0-9])",
        locate=_ipv4_address,
        source="https://www.rfc-editor.org/rfc/rfc791",
        samples=("host «10.{octet}.0.{octet}» is down",),
        near=("version 10.2.0.4", "v1.2.3.4", "127.0.0.1", "1.2.3.4.5"),
    ),
    Rule(
        kind="ip-address",
        anchors=("::", ":"),
        scan=True,
        pattern=r"(?<![0-9A-Za-z_:.])[0-9A-Fa-f]{1,4}(?::{1,2}[0-9A-Fa-f]{1,4}){1,7}(?:::)?(?![0-9A-Za-z_:]|\.[0-9])",
        locate=_ipv6_address,
        source="https://www.rfc-editor.org/rfc/rfc4291#section-2.2",
        samples=("it has «2001:db8::<hex:3>1:<hex:4>»",),
        near=("std::vector a::b", "12:30:45", "::1"),
    ),
)
