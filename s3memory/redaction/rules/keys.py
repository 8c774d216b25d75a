"""Private keys and signed tokens: what carries its own structure, whoever issued it."""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64

from s3memory.redaction.compiling import compiled
from s3memory.redaction.rule import BASE64URL, WORD_START, Location, Rule, at_least, exactly, token

# What can stand between the BEGIN line and the key: line ends, real and escaped, and what quotes a line in
# Markdown, YAML, a diff or a comment.
_LINE_END = r"(?:\s|\\{1,2}[nrt]|[>|+#*\"',]){0,40}"
_KEY_START = _LINE_END + r"(?:[A-Za-z0-9+/]{16}|(?:Proc-Type|DEK-Info|Version|Comment|Subject|Charset|Hash):)"
_KEY_END = r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_PUTTY_END = r"Private-MAC: ?[0-9a-f]{1,64}"
_LONGEST_PUBLIC_PART = 4000
_UPPER_BECH32 = "AC-HJ-NP-Z02-9"


def _private_key(match: re.Match[str]) -> Location:
    # A BEGIN line that somebody only writes about has no key behind it.
    if not compiled(_KEY_START).match(match.string, match.end()):
        return None
    # Without an END line the key was cut off somewhere, and nothing says where: the rest of the text goes.
    end = compiled(_KEY_END).search(match.string, match.end())
    return match.start(), end.end() if end else len(match.string)


def _putty_key(match: re.Match[str]) -> Location:
    if "Private-Lines:" not in match.string[match.end() : match.end() + _LONGEST_PUBLIC_PART]:
        return None
    end = compiled(_PUTTY_END).search(match.string, match.end())
    return match.start(), end.end() if end else len(match.string)


def _json_web_token(match: re.Match[str]) -> Location:
    header = match["header"].translate({ord("-"): "+", ord("_"): "/"})
    try:
        decoded = a2b_base64(header + "=" * (-len(header) % 4))
    except Base64Error:
        return None
    is_header = decoded.startswith(b"{") and decoded.rstrip().endswith(b"}") and b'"alg"' in decoded
    return match.span() if is_header and match["rest"] else None


RULES = (
    Rule(
        kind="private-key",
        anchors=("---- BEGIN ", "-----BEGIN "),
        pattern=r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}",
        locate=_private_key,
        source="https://www.rfc-editor.org/rfc/rfc7468",
    ),
    Rule(
        kind="private-key",
        anchors=("PuTTY-User-Key-File-",),
        pattern=r"PuTTY-User-Key-File-[0-9]: ?[a-z0-9-]{1,40}\s",
        locate=_putty_key,
        source="https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html",
    ),
    token(
        "age-secret-key",
        "AGE-SECRET-KEY-1",
        exactly(58, _UPPER_BECH32),
        source="https://age-encryption.org/v1",
    ),
    token(
        "age-secret-key",
        "AGE-SECRET-KEY-PQ-1",
        at_least(58, _UPPER_BECH32),
        source="https://age-encryption.org/v1",
    ),
    # Three parts, or five when it is encrypted; the signature of an unsecured one is empty. The whole run is read,
    # whatever it is, so that no part of it is read twice.
    Rule(
        kind="jwt",
        anchors=("eyJ",),
        pattern=(
            rf"{WORD_START}(?P<header>eyJ[{BASE64URL}]{{8,}}+)"
            rf"(?P<rest>\.[{BASE64URL}]{{2,}}+\.[{BASE64URL}]*+(?:\.[{BASE64URL}]*+\.[{BASE64URL}]++)?)?"
        ),
        locate=_json_web_token,
        source="https://www.rfc-editor.org/rfc/rfc7519",
    ),
)
