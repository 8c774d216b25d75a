"""E-mail and IP addresses, told from what looks like one.

An "@" is in packages, images, users on hosts and credentials in URLs, too; and dots and colons are in version numbers,
times and names in code.
"""

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

_LONGEST_LOCAL_PART = 64
_LONGEST_SCHEME = 24
# In a sentence, the dot before the address is the sentence's, and so are dashes.
_LOCAL_PART = r"(?:\\[nrt])?(?P<local>[A-Za-z0-9_+][A-Za-z0-9.!#$&'*+/=?^_{|}~-]*|[A-Za-z0-9_+])\Z"
_IN_URL = r"://[^\s/]{0,200}\Z"
# Ends of file names that stand where a top-level domain would.
_FILES = (
    "png jpg jpeg gif svg webp ico bmp css js mjs ts tsx jsx py rb rs go java kt cpp hpp php html htm md txt json yaml "
    "yml toml xml csv log lock zip tar gz tgz whl jar exe dll so local service socket timer"
)
# git@host:path is a repository, and the user says so.
_REPOSITORY = r":[\w~./-]+"
_SERVICE_USERS = frozenset({"git", "hg", "svn"})


def _address(match: re.Match[str]) -> Location:
    text, at = match.string, match.start()
    before = text[max(0, at - _LONGEST_LOCAL_PART) : at]
    local = compiled(_LOCAL_PART).search(before)
    if local is None or match["top"].lower() in _FILES.split():
        return None
    start = at - len(before) + local.start("local")
    is_repository = local["local"] in _SERVICE_USERS and compiled(_REPOSITORY).match(text, match.end())
    in_url = compiled(_IN_URL).search(text[max(0, start - _LONGEST_SCHEME) : start] + local["local"])
    return None if is_repository or in_url else (start, match.end())


def _version_4(match: re.Match[str]) -> Location:
    start, end = match.span()
    before = match.string[max(0, start - _CONTEXT) : start]
    if match[0].startswith(_NOBODY) or compiled(_VERSION_BEFORE).search(before):
        return None
    return start, end


def _version_6(match: re.Match[str]) -> Location:
    from ipaddress import AddressValueError, IPv6Address  # few texts have what could be one

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
        kind="email",
        anchors=("@",),
        pattern=(
            r"@(?=[A-Za-z0-9])(?:[A-Za-z0-9-]{1,63}+\.){1,8}(?P<top>[A-Za-z]{2,24}+|xn--[A-Za-z0-9-]{2,59}+)(?![A-Za-z0-9_])"
        ),
        locate=_address,
        source="https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2",
        samples=("write to «jo.<lower:6>@mail.example.org».",),
        near=("npm i @scope/package", "icon@2x.png", "git@github.com:team/repo.git", "https://bob@example.org/x"),
    ),
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
