"""Credentials in URLs, connection strings, Authorization headers, and commands of curl and its like."""

from __future__ import annotations

import re

from s3memory.redaction.interface import PLACEHOLDER_PATTERN, PLACEHOLDER_START
from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.text.base64_text import decoded
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_placeholder, is_slug, is_strong, looks_random

# A token that documentation shows only the start of: "Bearer eyJhbGciOi...".
_ELLIPSES, _MAX_SHORTENED = ("...", "\u2026"), 20
_MIN_CREDENTIAL, _MADE_UP = 8, r"[A-Za-z]{2,5}[0-9]{3,5}"
_MIN_PASSWORD = 3
_MIN_TOKEN = 16  # for a token as the user, without a password
_FILLERS = ("", "x", "X", "api", "token", "api_token")
# HTTPie, xh, and load generators such as ab.
_HTTP_TOOL_OPTIONS, _HTTP_TOOLS = (" -a", " -A", " --auth"), r"(?<![\w./-])(?:https?|xhs?|ab|hey|bombardier)(?![^ ])"

_WEB_SCHEMES = ("http", "https", "ws", "wss", "ftp")

# What follows "host:" in a URL without credentials: a port and a path, or the tag of an image before its digest.
_PORT_AND_PATH = r"[0-9]{1,5}[/?#].*"
_NEXT_URL = r"[,;|][a-z]{2,10}://"
_IMAGE_DIGEST = r"@sha(?:256|512):"
_FULL_HOST = r"(?:(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}|[0-9]{1,3}(?:\.[0-9]{1,3}){3})"
_HOST = rf"(?:{_FULL_HOST}|[\w-]{{1,63}}(?=:[0-9]{{2,5}}))(?=[:/?#]|$)"
_HOST_OF_WEB = rf"(?:{_HOST}|[\w-]{{1,63}}(?=[:/?#]|$))"
# A password with a "/", "?", "#", "@" or a space that should have been percent-encoded, up to the last host. A space
# needs a URL in quotes, or one that is a value and ends its line.
_UNESCAPED_UP_TO_HOST = rf"(?!(?:[0-9]{{1,5}}|port)[/?#])(?P<password>[^${{}}&=]{{3,64}})@{_HOST}"
_SPACED_UP_TO_HOST = (
    r"(?![0-9]{1,5}[ ,;/?#])(?P<password>[^\s\"'`<>|\\${}][^\n\"'`<>|\\${}]{2,64})"
    rf"@(?:{_FULL_HOST}|[\w-]{{1,63}})(?::[0-9]{{1,5}})?(?:[/?][^\s\"'`<>]{{0,200}})?"
    r"(?:[\"'`]|[ \t]{0,9}(?:\r?\n|\Z))"
)
_VALUE_UP_TO_SCHEME, _MAX_SCHEME = r"[\"'`=](?:jdbc:)?[a-z][a-z0-9+.-]{1,24}\Z", 32
# What is before the host in "user:password@host", and names before an address that is no login.
_TOKEN_ENDS, _MAX_TOKEN = r"[\s\"'`<>(),]", 200
_NO_USER = (
    r"(?i)(?:e-?)?mail(?:to)?|from|to|b?cc|(?:in-)?reply-to|(?:u|message-)?id|references|[cmj]id|xmpp|acct|organizer"
    r"|attendee"
)
# The user of a URL. A template may have colons of its own: "${self:custom.user}".
_URL_USER = (
    r"[^\s/:?#\"'<>`\\|{]{0,128}(?:\{(?:\{?[^{}\n]{1,100}\}\}?|(?!\{?[^{}\n]{1,100}\}))[^\s/:?#\"'<>`\\|]{0,64})?"
)
_USER = rf"(?:{PLACEHOLDER_PATTERN.pattern}[^\s\"':]{{0,64}}|[^\s\"':]{{1,128}})"
_USER_PAIR = (
    rf"(?:\"{_USER}:(?P<quoted>[^\"\n]{{0,128}})\"|'{_USER}:(?P<single>[^'\n]{{0,128}})'"
    rf"|(?:{_USER}|\"{_USER}\"|'{_USER}'):"
    r"(?:\"(?P<own>[^\"\n]{1,128})\"|'(?P<own_single>[^'\n]{1,128})'|(?P<bare>[^\s\"']{0,128})))"
)
# As in "<user:password>" or "user:`pass x`".
_PLACEHOLDER_PAIR = r"[ =\"'](?:<[^<>\n]*>|\{[^{}\n]*\}|\[[^\[\]\n]*\])[\"']?\Z|:`[^`]*`[\"']?\Z"
# A token as the user, with no password or a filler: "-u gT7k...:x".
_ONLY_A_USER = r"[ =\"'u](?P<secret>[\w.~+/=-]{20,128}):(?:x|X|api|token|api_token)?[\"']?\Z"


def _url_password(match: re.Match[str]) -> Location:
    """Locate the password between "user:" and "@", if what follows "://" is not just a host and a port."""
    text, start = match.string, match.start("secret")
    rest = match["secret"]
    if compiled(_NEXT_URL).search(rest.partition("@")[0]):
        return None
    host_end = next(compiled(r"[/?#]|$").finditer(rest)).start()
    length = rest.rfind("@", 0, host_end)
    is_web = text[max(0, match.start() - 5) : match.start()].lower().endswith(_WEB_SCHEMES)
    has_host = length >= 0 and compiled(_HOST_OF_WEB if is_web else _HOST).match(rest, length + 1) is not None
    # A "/" in a password should have been percent-encoded, but often was not. On the web an "@" after the host is part
    # of the path, unless what is before it is not a port and what is after it is a host.
    if length < _MIN_PASSWORD or not has_host:
        unescaped = compiled(_UNESCAPED_UP_TO_HOST).match(rest)
        if unescaped is None and text.startswith(" ", match.end("secret")):
            before = text[max(0, match.start() - _MAX_SCHEME) : match.start()]
            unescaped = compiled(_SPACED_UP_TO_HOST).match(text, start)
            unescaped = unescaped if compiled(_VALUE_UP_TO_SCHEME).search(before) else None
        if unescaped and (not is_web or is_strong(unescaped["password"])):
            return None if is_placeholder(unescaped["password"]) else (start, start + len(unescaped["password"]))
    if length < 0:
        length = -1 if is_web else rest.find("@", host_end)
    if (
        length < _MIN_PASSWORD
        or compiled(_PORT_AND_PATH).fullmatch(rest[:length])
        or compiled(_IMAGE_DIGEST).match(rest, length)
    ):
        return None
    return None if is_placeholder(rest[:length]) else (start, start + length)


def _reset_password(match: re.Match[str]) -> Location:
    before = match.string[max(0, match.start() - 80) : match.start()].lower()
    return match.span("secret") if "password" in before and "reset" in before else None


def _authorization(match: re.Match[str]) -> Location:
    """Locate the credentials after a scheme such as "Bearer", unless they are shortened or a placeholder."""
    if compiled(r"::\w*\Z").search(match.string, max(0, match.start() - 48), match.start()):
        return None
    value, scheme = match["secret"].rstrip(".:!?)]}*"), (match["scheme"] or "").lower()
    is_cut = match["secret"].endswith(_ELLIPSES) and len(value) <= _MAX_SHORTENED
    is_short = len(value) < _MIN_CREDENTIAL and not (
        scheme in ("bearer", "token") and compiled(_MADE_UP).fullmatch(value)
    )
    if is_short or is_cut or is_placeholder(value):
        return None
    has_digit = any(map(str.isdigit, value))
    if scheme == "basic":
        user, sign, password = decoded(value).partition(b":")
        is_credential = sign != b"" and (password != b"" or len(user) >= _MIN_TOKEN)
        is_credential = is_credential or (sign == b"" and len(value) >= _MIN_TOKEN and has_digit and not is_slug(value))
    else:
        is_credential = looks_random(value) or (scheme != "" and has_digit and not is_slug(value))
    start = match.start("secret")
    return (start, start + len(value)) if is_credential else None


def _user_and_password(match: re.Match[str]) -> Location:
    """Locate what follows "Basic" without the name of the header, if it is base64 of a user and a password."""
    user, _, password = decoded(match["secret"]).strip().partition(b":")
    is_pair = all(part.isascii() and part.decode().isprintable() for part in (user, password) if part)
    return _authorization(match) if user and password and is_pair else None


def _curl_password(match: re.Match[str]) -> Location:
    """Locate the password of `-u user:password`, or a token in place of the user, in a command of an HTTP client."""
    command = match.string[max(0, match.start() - 400) : match.start()]
    group = match.lastgroup or "bare"
    if match[0].startswith(_HTTP_TOOL_OPTIONS):
        start = max((tool.start() for tool in compiled(_HTTP_TOOLS).finditer(command)), default=-1)
    else:
        start = command.rfind("curl")
    if start < 0 or compiled(r"(?<!\\)\n|[|;]|&&").search(command, start):
        return None
    if PLACEHOLDER_START in match.string[match.start() : match.start(group)] and match[group] in _FILLERS:
        return None  # the secret was the user, which is already redacted
    user = compiled(_ONLY_A_USER).search(match[0])
    if user and looks_random(user["secret"]) and not is_slug(user["secret"]):
        return match.start() + user.start("secret"), match.start() + user.end("secret")
    if compiled(_PLACEHOLDER_PAIR).search(match[0]) or is_placeholder(match[group]):
        return None
    return match.span(group)


def _random_user(match: re.Match[str]) -> Location:
    return match.span("secret") if looks_random(match["secret"]) and not is_slug(match["secret"]) else None


def _oracle_password(match: re.Match[str]) -> Location:
    group = match.lastgroup or 0
    return None if is_placeholder(match[group]) else match.span(group)


def _password_before_host(match: re.Match[str]) -> Location:
    """Locate the password of "user:password@host" without a scheme, if it is random or, before a port, strong."""
    text, end = match.string, match.start()
    token = compiled(_TOKEN_ENDS).split(text[max(0, end - _MAX_TOKEN) : end])[-1]
    is_relative = token.startswith("//")  # a URL with the scheme of its page
    user, _, password = token.removeprefix("sip:").removeprefix("sips:").removeprefix("//").partition(":")
    user = user.rpartition("=")[2]
    if (
        compiled(r"[\w.+%-]{1,64}").fullmatch(user) is None
        or compiled(_NO_USER).fullmatch(user)
        or password.startswith(("/", "\\"))
    ):
        return None
    if match["port"] or is_relative:
        is_secret = is_strong(password)
    else:
        is_secret = looks_random(password) and not (password.isupper() or password.islower())
    is_secret = (
        is_secret and len(password) >= _MIN_CREDENTIAL and not is_slug(password) and not is_placeholder(password)
    )
    return (end - len(password), end) if is_secret else None


RULES = (
    # What elasticsearch-reset-password prints.
    Rule(
        kind="password",
        anchors=("new value:",),
        fold=True,
        pattern=r"(?i:new value:)[ ](?P<secret>[!-~]{8,64})",
        locate=_reset_password,
        source="https://www.elastic.co/docs/reference/elasticsearch/command-line-tools/reset-password",
        samples=("Password for the [elastic] user successfully reset.\nNew value: «{password}»",),
        near=("the colour was reset.\nNew value: {password}",),
    ),
    # The user and the host stay.
    Rule(
        kind="url-password",
        anchors=("://",),
        pattern=rf"://{_URL_USER}:(?=(?P<secret>[^\s\"'<>`\\|]{{1,200}}))",
        locate=_url_password,
        source="https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1",
        samples=(
            "postgres://app:«{password}»@db1/shop",
            "git clone https://bob:«{password}»@git.example.org/a.git",
            "git clone https://bob:«{password}#<alnum:4>»@git.example.org/a.git",
            "git clone https://bob:«{password}/<alnum:4>»@git.example.org/a.git",
            "postgres://app:«p@7{password}/9#b»@db1.example.org:5432/shop",
            'url = "postgres://app:«{password} @ pond»@db1/shop"',
            "postgres://${self:custom.user}:«{password}»@${self:custom.host}/shop",
        ),
        near=(
            "postgres://app:${DB_PASSWORD}@db1/shop",
            "postgres://${self:custom.user}:${self:custom.db-2.pw}@${self:custom.host}:5432/shop",
            "http://localhost:3000/@scope/package",
            "http://localhost:3000/?mail=jo1@example.org",
            "http://localhost:port/users/jo1@example.org",
            'the "redis://cache:" and jo1@example.org',
            "http://jo1@web1:8080,http://jo2@web2:8080",
        ),
    ),
    # The same without a scheme.
    Rule(
        kind="url-password",
        anchors=("@",),
        pattern=rf"@(?:{_FULL_HOST}|localhost|[\w-]{{1,63}}(?=:))(?P<port>:[0-9]{{2,5}}(?![0-9A-Za-z]))?(?![\w@:-]|\.\w)",
        locate=_password_before_host,
        source="https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1",
        samples=(
            "proxy = app:«{mixed 12}»@proxy.example.org:3128",
            "app:«K3@{mixed 12}»@db1:5432",
            "sip:1001:«{mixed 12}»@pbx.example.org",
            'src="//jo:«{password}»@cdn.example.org/a.js"',
        ),
        near=(
            "mailto:{mixed 12}@example.org",
            "UID:{mixed 20}@example.org",
            "acme/tool:1.2.3-alpine@registry.example.org:5000",
            "app:$PASSWORD@db1:5432",
            "root@db1:5432",
        ),
    ),
    # A key or a token in place of the user: what Sentry reports to, and what Git clones with.
    Rule(
        kind="url-password",
        anchors=("://",),
        pattern=r"://(?P<secret>[A-Za-z0-9_-]{12,256}+)(?::(?:x-oauth-basic|\w{0,3})?)?@(?=[A-Za-z0-9])",
        locate=_random_user,
        source="https://docs.sentry.io/concepts/key-terms/dsn-explainer/",
        samples=(
            "https://«<hex:32>»@o1.ingest.sentry.example/7",
            "git clone https://«{mixed 40}»@git.example.org/a.git",
            "git clone https://«{mixed 40}»:@git.example.org/a.git",
            "ssh://«{mixed 12}»@git.example.org/a.git",
        ),
        near=("https://the-deploy-user-of-the-team@git.example.org/a.git", "https://example.org/<hex:32>@2x.png"),
    ),
    # Oracle's "user/password@host:port/service", with JDBC or without.
    Rule(
        kind="url-password",
        anchors=("jdbc:oracle:", "@//", ":152", "@(DESCRIPTION", "@(description"),
        scan=True,
        pattern=(
            r"(?:jdbc:oracle:(?:thin|oci8?):[\w$#.\[\]-]{1,64}/(?:\\?\"(?=[^\"\n]{3,64}\"@))?"
            r"(?P<jdbc>(?:(?!jdbc:|\?\w{1,40}=)[^\s\"'`<>]){3,64})(?:\\?\")?@"
            r"|(?<![\w/.@:-])[A-Za-z][\w$#]{1,63}(?:\[\w{1,64}\])?/(?P<other>[^\s\"'`<>]{3,64})"
            r"@(?://[\w.-]{1,253}(?::[0-9]{2,5})?/\w|[\w.-]{1,253}:152[0-9][/:]\w|\((?i:description)))"
        ),
        locate=_oracle_password,
        source="https://docs.oracle.com/en/database/oracle/oracle-database/21/jjdbc/data-sources-and-URLs.html",
        samples=(
            "jdbc:oracle:thin:app/«{password}»@db1:1521:orcl",
            "jdbc:oracle:thin:app/«{password}»@//db1:1521/orcl",
            "jdbc:oracle:thin:app/«p@{password}/9»@(DESCRIPTION=(ADDRESS=(HOST=db1)(PORT=1521)))",
            'connect("app/«{password}»@db1:1521/orcl")',
            "app/«K@{password}»@//db1.example.org:1521/orcl",
        ),
        near=(
            *("jdbc:oracle:thin:@//db1:1521/orcl", "jdbc:oracle:thin:app/${DB_PASSWORD}@db1:1521:orcl"),
            *("app/${DB_PASSWORD}@db1:1521/orcl", "docker pull acme/tool@sha256:<hex:64>", "acme/tool@//"),
        ),
    ),
    Rule(
        kind="authorization",
        anchors=("authorization",),
        fold=True,
        pattern=(
            r"(?i:authorization)(?:\\?[\"'`]|\]|\*\*){0,3}[ \t]{0,3}(?:=>|[:=,|])[ \t]{0,3}(?:[frb]?\\?[\"'`])?"
            r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+._-]{1,20})[ \t]{1,3}"
            r"(?:(?=\w{1,24}=)[^\n]{0,800}?[ ,;](?i:response|mac|(?:oauth_)?signature)=\\?\"?)?)?"
            r"(?P<secret>[^\s\"'`<>,;\\|]{6,}+)"
        ),
        locate=_authorization,
        source="https://www.rfc-editor.org/rfc/rfc9110#section-11.6.2",
        samples=(
            "Authorization: Bearer «{mixed 40}»",
            "Authorization: Basic «am86Z3JhdmVscG9uZA==»",
            "Authorization: Basic «c2tfbGl2ZV81MUh4WDJlWnZLWWxvMkM6»",
            'Authorization: Digest username="jo", uri="/", response="«<hex:32>»", nc=1',
            "Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host;x-date, Signature=«<hex:64>»",
        ),
        near=(
            *("Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Authorization: Basic YWRtaW46"),
            'WWW-Authenticate: Digest realm="a", nonce="<hex:32>"',
            "Authorization: Hawk mac=...",
        ),
    ),
    Rule(
        kind="authorization",
        anchors=("bearer ", "bearer:"),
        fold=True,
        pattern=r"(?P<scheme>(?i:bearer))(?::[ \t]{0,3}|[ \t]{1,3})(?P<secret>[A-Za-z0-9._~+/=-]{16,}+)",
        locate=_authorization,
        source="https://www.rfc-editor.org/rfc/rfc6750#section-2.1",
        samples=("it sends Bearer «{mixed 40}».", '"Bearer: «{mixed 40}»"'),
        near=("Bearer authentication-is-what-we-use",),
    ),
    Rule(
        kind="authorization",
        anchors=("basic ",),
        fold=True,
        pattern=r"(?<![\w-])(?P<scheme>(?i:basic))[ \t]{1,3}(?P<secret>[A-Za-z0-9+/]{12,512}={0,2}(?![\w+/=-]))",
        locate=_user_and_password,
        source="https://www.rfc-editor.org/rfc/rfc7617",
        samples=("it was sent with Basic «am86Z3JhdmVscG9uZA==» again",),
        near=("Basic understandings", "basic YWRtaW5pc3RyYXRpb24="),
    ),
    Rule(
        kind="password",
        anchors=(" -u", "\n-u", " -U", " --user", "\n--user", " --proxy-user", " -a ", " -A ", " --auth"),
        pattern=rf"[ \n](?:-[uU][ ]{{0,3}}|-[aA][ ]{{1,3}}|--(?:(?:proxy-)?user|auth)(?:=|[ ]{{1,3}})){_USER_PAIR}",
        locate=_curl_password,
        source="https://curl.se/docs/manpage.html#-u",
        samples=(
            "curl -u admin:«{password}» https://example.org",
            'curl -u "«{mixed 32}»:x" https://example.org',
            "curl -u «{mixed 32}»: https://example.org",
            "curl -X POST --user  'jo:«{password}»' $URL",
            "curl --user jo:'«{password}»' -i https://example.org",
            "curl https://example.org \\\n-u jo:«{password}»",
            "http -a jo:«{password}» GET https://example.org",
            "ab -n 9 -A 'jo:«{password}»' https://example.org/",
        ),
        near=(
            *("docker run -u 1000:1000 alpine", "curl -u admin:$PASSWORD https://example.org"),
            *("http -a jo:$PASSWORD https://example.org", "git commit -a fix:{password}"),
        ),
    ),
)
