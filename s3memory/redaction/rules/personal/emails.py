"""E-mail addresses, told from what else has an "@": packages, images, users on hosts, credentials in URLs."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.text.compiling import compiled

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
)
