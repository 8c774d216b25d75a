"""Session cookies: by the names that frameworks give them, and in headers by whether they look random."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.near import NearRule, Places, line_around
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_placeholder, is_slug, looks_random

# A value ends at a percent-encoded separator or quote, since the whole may be inside a URL.
_CHARACTER = r"(?:[A-Za-z0-9._~+/=-]|%(?!2[0267Cc]|3[Bb]|0[AaDd]))"
_VALUE = rf"(?P<secret>{_CHARACTER}{{16,}}+)"
# The lookbehind allows only one start per name, so that `re` tries each position once.
_PAIR = r"(?<![^\s;,\"'])[\w.$%-]{1,64}=" + _VALUE + r"\Z"
_MAX_PAIR = 400
_DIGEST_NAME = r"(?i)etag|digest|commit|build|version"
_COOKIE_ATTRIBUTE_AFTER = r"\"[^{}]{0,160}?\"(?:domain|httpOnly|sameSite|hostOnly|expirationDate)\""
_MIN_LENGTH, _MIN_UNNAMED, _MIN_IN_HEADER = 16, 20, 8
_MAX_LINE, _MAX_SENTENCE = 1000, 200
_NAME_IN_HEADER = r"(?i)(?:sess(?:ion)?(?:[_-]?id)?[0-9]?|[._-]sid|(?<![a-z])sid|auth|token|login|jwt)\Z"
_SESSION_NAME = r"session_?id|sess_?id|(?<![a-z])sid\b"

# "session" and "sid" also label ids that are no secret: UUIDs, ULIDs, and Twilio's, with two letters first.
_PUBLIC_ID = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}|[0-7][0-9A-HJKMNP-TV-Z]{25}|[A-Z]{2}[0-9a-f]{32}"


def _header_cookie(match: re.Match[str]) -> Location:
    before = match.string[max(0, match.start() - _MAX_LINE) : match.start()]
    least = _MIN_IN_HEADER if compiled(_NAME_IN_HEADER).search(before) else _MIN_UNNAMED
    return _if_random(match, least) if compiled(r"(?i)\bcookie[\"']?[ ]?[:=,][^\n]*\Z").search(before) else None


def _cookie_before_attribute(match: re.Match[str], _limit: int) -> Places:
    text, end = match.string, match.start()
    pair = compiled(_PAIR).search(text, max(0, end - _MAX_PAIR), end)
    if pair and (span := _if_random(pair)):
        yield span


def _listed_cookie(match: re.Match[str]) -> Location:
    text, start, name = match.string, match.start(), match["name"] or match["described"]
    if match["described"]:
        begin, stop = line_around(text, start, match.end(), _MAX_SENTENCE)
        is_cookie = compiled(rf"(?i)cookie|storage_?state|{_SESSION_NAME}").search(text, begin, stop) is not None
    else:
        is_cookie = text.rfind('ookies"', max(0, start - _MAX_LINE), start) >= 0
        is_cookie = is_cookie or compiled(_COOKIE_ATTRIBUTE_AFTER).match(text, match.end()) is not None
    return _if_random(match) if is_cookie and compiled(_DIGEST_NAME).match(name) is None else None


def _if_random(match: re.Match[str], least: int = _MIN_LENGTH) -> Location:
    start = match.start("secret")
    value = match["secret"].rstrip(".")
    if not looks_random(value, least=least) or is_placeholder(value) or is_slug(value):
        return None
    return None if compiled(_PUBLIC_ID).fullmatch(value) else (start, start + len(value))


RULES = (
    # A value that Tornado signed, as Jupyter's cookies are.
    Rule(
        kind="session-cookie",
        anchors=("2|1:0|10:",),
        pattern=r"2\|1:0\|10:[0-9]{10}\|[0-9]{1,3}:[\w.-]{1,80}\|[0-9]{1,4}:[A-Za-z0-9+/=]{8,800}\|[0-9a-f]{64}",
        source="https://www.tornadoweb.org/en/stable/guide/security.html#cookies-and-signed-cookies",
        samples=('Cookie: user="«2|1:0|10:1753794366|4:user|8:<alnum:8>|<hex:64>»"',),
        near=("2|1:0|10:30",),
    ),
    Rule(
        kind="session-cookie",
        anchors=(
            *("sessionid", "session=", "{session", "sessid", "connect.sid", "laravel_session", "ci_session", "li_at"),
            *("sid=", "remember_me", "remember_token", "_session_id", ".cookies=", "aspxauth", "clearance="),
        ),
        fold=True,
        pattern=(
            r"(?i:sessionid|sessid|connect\.sid|laravel_session|ci_session|li_at|remember_(?:me|token)|_session_id|aspxauth|(?<=_)clearance(?==)"
            r"|session(?==)|(?<=cookies: )\{session|\.cookies(?==)|(?<![A-Za-z0-9_-])sid(?==))"
            r"(?:[\"'`]?[ ]?[:=][ ]?|[ ](?:is[ ]|was[ ])?)[\"'`]?" + _VALUE
        ),
        locate=_if_random,
        source="https://owasp.org/www-community/attacks/Session_hijacking_attack",
        samples=(
            "PHPSESSID=«<lower:24>1a2b3c4d»",
            "connect.sid=«s%3A{mixed 32}.{mixed 43}»; a=b",
            '"JSESSIONID": "«A1B2C3D4<UPPER:24>»"',
            "remember_me: «{mixed 32}»",
        ),
        near=(
            "session=1b4e28ba-2fa1-11d2-883f-0016d3cca427",
            "sid=SM<hex:32>",
            "sessionid=<your session id>",
            "the sessionid is in the cookie",
        ),
    ),
    Rule(
        kind="session-cookie",
        anchors=("cookie",),
        fold=True,
        scan=True,
        before=_MAX_LINE,
        pattern=rf"=(?<=[A-Za-z0-9_.-]=)(?P<secret>{_CHARACTER}{{8,}}+)",
        locate=_header_cookie,
        source="https://www.rfc-editor.org/rfc/rfc6265#section-4.2",
        samples=(
            "Cookie: theme=dark; acme_x=«{mixed 24}»; lang=en",
            "Cookie: lang=de; PHPSESSID=«{mixed 12}»",
            "Set-Cookie: acme_x=«{mixed 24}»; Path=/; HttpOnly",
            "curl -H 'Cookie: acme_x=«{mixed 24}»' https://example.org",
        ),
        near=(
            "Cookie: theme=dark; lang=en-us-with-a-long-name",
            "Cookie: theme={mixed 8}; session=disabled2",
            "the cookie\nbuild={mixed 24}",
            "Set-Cookie: a=<session>; Expires=Wed, 21-Oct-2026",
        ),
    ),
    # A name and value before a cookie's attribute.
    NearRule(
        kind="session-cookie",
        anchors=("; path", "; secure", "; httponly", "; samesite", "; max-age", "; expires", "; domain"),
        pattern=r"(?i:;[ ](?:path|secure|httponly|samesite|max-age|expires|domain)(?![A-Za-z]))",
        around=_cookie_before_attribute,
        source="https://www.rfc-editor.org/rfc/rfc6265#section-4.1",
        samples=("acme_x=«{mixed 24}»; Path=/; HttpOnly",),
        near=("theme=dark; path=/", "build {mixed 24}; secure"),
    ),
    # A line of a cookie file of curl or a browser.
    Rule(
        kind="session-cookie",
        anchors=("\tTRUE\t", "\tFALSE\t"),
        pattern=r"\t(?:TRUE|FALSE)\t[0-9]{1,12}\t[^\t\n]{1,80}\t" + _VALUE,
        locate=_if_random,
        source="https://curl.se/docs/http-cookies.html",
        samples=("example.org\tFALSE\t/\tTRUE\t1790000000\tacme_x\t«{mixed 24}»\n",),
        near=("example.org\tFALSE\t/\tTRUE\t1790000000\ttheme\tdark\n",),
    ),
    # Lists of cookies in JSON, as browsers and HAR files have them, and descriptions of one in prose.
    Rule(
        kind="session-cookie",
        anchors=('"name"', 'name "', "name '", "name `", "cookie named ", "cookie called "),
        fold=True,
        before=_MAX_LINE,
        pattern=(
            r"(?:\"name\"[ ]?:[ ]?\"(?P<name>[^\"\n]{1,80})\",\s{0,40}\"value\"[ ]?:[ ]?\""
            r"|(?i:name|cookie named|cookie called)[ ][\"'`*]{0,3}(?P<described>[\w.$-]{1,80})[\"'`*]{0,3}[,;]?[ ]"
            r"(?:(?i:and|with|has)[ ])?(?:(?i:the|a)[ ])?(?i:value)(?:[ ](?i:is)|[:=])?[ ]?[\"'`*]{0,3})"
        )
        + _VALUE,
        locate=_listed_cookie,
        source="https://w3c.github.io/web-performance/specs/HAR/Overview.html",
        samples=(
            '"cookies": [{"name": "acme_x", "value": "«{mixed 24}»"}]',
            'cookies: name "session_id", value "«s%3A{mixed 32}.{mixed 43}»", domain app.example.org',
            "the cookie named acme_x has the value «{mixed 24}»",
        ),
        near=(
            '[{"name": "etag", "value": "{mixed 24}", "size": 12}]',
            '"cookies": [{"name": "theme", "value": "dark"}]',
            'cookies: name "theme", value "dark-with-a-long-name"',
            'the parameter name "page", value "{mixed 24}"',
        ),
    ),
)
