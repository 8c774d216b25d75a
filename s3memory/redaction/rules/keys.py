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
_LEAST_PART, _LEAST_OPAQUE_PART = 16, 24
# Of DER: a tag, and what says how the length is written.
_SEQUENCE, _SHORT_LENGTH = 0x30, 0x80
_HEAD_CHARACTERS = 24
_NEXT_LINE = r"(?:\\n|\r?\n[ \t>]{0,8})(?P<part>[A-Za-z0-9+/]++={0,2})"
_LEAST_LINE = 16
_UPPER_BECH32 = "AC-HJ-NP-Z02-9"


def _private_key(match: re.Match[str]) -> Location:
    # A BEGIN line that somebody only writes about has no key behind it.
    if not compiled(_KEY_START).match(match.string, match.end()):
        return None
    # Without an END line the key was cut off somewhere, and nothing says where: the rest of the text goes.
    end = compiled(_KEY_END).search(match.string, match.end())
    return match.start(), end.end() if end else len(match.string)


def _bare_key(match: re.Match[str]) -> Location:
    """Return a key without its BEGIN line: a sequence whose first part is version 0 or 1, which no certificate has."""
    text, start = match.string, match.start()
    try:
        head = a2b_base64(match[0][:_HEAD_CHARACTERS])
    except Base64Error:
        return None
    length_bytes = head[1] - _SHORT_LENGTH if head[1] > _SHORT_LENGTH else 0
    content = head[2 + length_bytes :]
    if head[0] != _SEQUENCE or not content.startswith((b"\x02\x01\x00\x02", b"\x02\x01\x00\x30", b"\x02\x01\x01\x04")):
        return None
    content_bytes = int.from_bytes(head[2 : 2 + length_bytes]) if length_bytes else head[1]
    # A line as short as a word is the key's last only where the sequence says that it ends.
    left = -(-(2 + length_bytes + content_bytes) // 3) * 4 - len(match[0])
    end = match.end()
    while line := compiled(_NEXT_LINE).match(text, end):
        if len(line["part"]) < _LEAST_LINE and len(line["part"]) != left:
            break
        left -= len(line["part"])
        end = line.end()
    return start, end


def _web_key(match: re.Match[str]) -> Location:
    around = match.string[max(0, match.start() - _LONGEST_PUBLIC_PART) : match.end() + _LONGEST_PUBLIC_PART]
    return match.span("secret") if '"kty"' in around else None


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
        decoded = b""
    rest = match["rest"] or ""
    is_header = decoded.startswith(b"{") and decoded.rstrip().endswith(b"}") and b'"alg"' in decoded
    # What was made up by hand, or cut, has parts like a token's and a header that nobody can read.
    least = _LEAST_PART if rest.startswith(".eyJ") else _LEAST_OPAQUE_PART
    is_alike = min(map(len, rest[1:].split("."))) >= least
    return match.span() if rest and (is_header or is_alike) else None


RULES = (
    Rule(
        kind="private-key",
        anchors=("---- BEGIN ", "-----BEGIN "),
        pattern=r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}",
        locate=_private_key,
        source="https://www.rfc-editor.org/rfc/rfc7468",
        samples=("before\n«{pem}»\nafter",),
        near=("-----BEGIN PRIVATE KEY-----\n...", "a line `-----BEGIN PRIVATE KEY-----` and a key below it"),
    ),
    Rule(
        kind="private-key",
        anchors=("PuTTY-User-Key-File-",),
        pattern=r"PuTTY-User-Key-File-[0-9]: ?[a-z0-9-]{1,40}\s",
        locate=_putty_key,
        source="https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html",
        samples=("«PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n<alnum:48>\nPrivate-MAC: <hex:64>»\nend",),
        near=("a file that begins with PuTTY-User-Key-File-3: ssh-ed25519\nand so on",),
    ),
    Rule(
        kind="private-key",
        anchors=("MII", "MIG", "MIH", "MHcCAQ", "MHgCAQ", "MHQCAQ", "MC4CAQ"),
        pattern=rf"{WORD_START}M[A-Za-z0-9+/]{{40,}}+={{0,2}}",
        locate=_bare_key,
        source="https://www.rfc-editor.org/rfc/rfc5958",
        samples=("key: «{der}»",),
        near=("key: MIIB<alnum:30>", "MIIC is how it begins"),
    ),
    Rule(
        kind="private-key",
        anchors=tuple(f'"{name}"' for name in ("d", "k", "p", "q", "dp", "dq", "qi")),
        pattern=r"\"[a-z]{1,2}\"[ \t\n]{0,9}:[ \t\n]{0,9}\"(?P<secret>[A-Za-z0-9_-]{22,}+)\"",
        locate=_web_key,
        source="https://www.rfc-editor.org/rfc/rfc7518#section-6",
        samples=('{"kty": "OKP", "crv": "Ed25519", "x": "<url:43>", "d": "«<url:43>»"}',),
        near=('{"kty": "OKP", "crv": "Ed25519", "x": "<url:43>"}', '{"d": "<url:43>"}'),
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
        samples=("session={jwt marked}; a=b",),
        near=("eyJ<alnum:20> is how it begins", "eyJ<alnum:8>.<alnum:4>.x"),
    ),
)
