"""Private keys, signed tokens, credentials in URLs and headers, and secrets that only a name tells."""

from __future__ import annotations

import base64
import json
import random
import uuid

from redaction.samples import ALNUM, BASE64URL, HEX, Maker, made_of

_ALGORITHMS = ("HS256", "RS256", "ES256", "EdDSA")
_LINE = 64


def _part(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def json_web_token(rng: random.Random) -> str:
    """Return a signed token."""
    header = {"alg": rng.choice(_ALGORITHMS), "typ": "JWT"}
    claims = {"sub": str(rng.randrange(10**9)), "iat": rng.randrange(10**9, 2 * 10**9), "scope": "read"}
    return f"{_part(header)}.{_part(claims)}.{made_of(rng, BASE64URL, rng.choice((43, 86, 342)))}"


def private_key(label: str, *, line_end: str = "\n", lines: int = 6) -> Maker:
    """Return what makes a private key of `label`, in lines that end as in a file or as in a string."""

    def make(rng: random.Random) -> str:
        body = base64.b64encode(rng.randbytes(48 * lines)).decode()
        rows = [body[start : start + _LINE] for start in range(0, len(body), _LINE)]
        return line_end.join([f"-----BEGIN {label}-----", *rows, f"-----END {label}-----"])

    return make


KEYS: dict[str, Maker] = {
    "pkcs8": private_key("PRIVATE KEY"),
    "rsa": private_key("RSA PRIVATE KEY", lines=12),
    "ec": private_key("EC PRIVATE KEY", lines=3),
    "openssh": private_key("OPENSSH PRIVATE KEY"),
    "encrypted": private_key("ENCRYPTED PRIVATE KEY"),
    "dsa": private_key("DSA PRIVATE KEY"),
    "pgp": private_key("PGP PRIVATE KEY BLOCK"),
    "in a string": private_key("PRIVATE KEY", line_end="\\n"),
    "with returns": private_key("PRIVATE KEY", line_end="\r\n"),
}
KEY_CONTEXTS = {
    "alone": "{}\n",
    "fence": "The key:\n\n```\n{}\n```\n\nKeep it.\n",
    "json": '{{"type": "service_account", "private_key": "{}", "n": 1}}',
    "yaml": "tls:\n  key: |\n    {}\n",
    "prose": "He pasted {} into the chat.",
    "python": 'KEY = """{}"""\n',
}
HELD_OUT_KEYS: dict[str, Maker] = {
    "ssh2": private_key("SSH2 ENCRYPTED PRIVATE KEY"),
    "any": private_key("ANY PRIVATE KEY"),
    "short": private_key("EC PRIVATE KEY", lines=2),
    "twice escaped": private_key("RSA PRIVATE KEY", line_end="\\\\n"),
    "one line": private_key("RSA PRIVATE KEY", line_end=" "),
    "returns in a string": private_key("PRIVATE KEY", line_end="\\r\\n"),
}
HELD_OUT_KEY_CONTEXTS = {
    "env file": 'TLS_KEY="{}"\nNEXT=1\n',
    "xml": "<key>{}</key>\n",
    "go": "const key = `{}`\n",
    "quote": "> {}\n\nend\n",
    "table": "| key | {} |\n",
    "log": "2026-03-04 ERROR bad key: {}\n",
}

_WORDS = ("alpha", "harbor", "tiger", "marble", "sonata", "pixel", "walnut", "comet")


def _password(rng: random.Random) -> str:
    return rng.choice(_WORDS).capitalize() + made_of(rng, ALNUM, rng.choice((4, 8, 12)))


def _random(rng: random.Random) -> str:
    return made_of(rng, ALNUM, rng.choice((24, 32, 40, 64)))


URLS = {
    "postgres": "postgres://app:{}@db.internal:5432/app",
    "mysql": "DATABASE_URL=mysql+pymysql://root:{}@localhost/app\n",
    "redis": "redis://:{}@cache:6379/0",
    "mongodb": '"mongodb+srv://u:{}@cluster0.mongodb.net/?w=majority"',
    "amqp": "amqps://guest:{}@mq.example.org/vhost",
    "https": "git clone https://bot:{}@git.example.org/team/repo.git",
    "ftp": "see ftp://jo:{}@files.example.org/a for the export",
    "bearer": 'curl -H "Authorization: Bearer {}" https://example.org/v1',
    "header": "Authorization: token {}\r\n",
    "python header": "headers = {{'Authorization': 'Bearer {}'}}\n",
    "x-api-key": "X-Api-Key: {}\r\n",
}
HELD_OUT_URLS = {
    "mssql": "mssql+pyodbc://sa:{}@db1:1433/x?driver=ODBC\n",
    "clickhouse": "clickhouse://default:{}@ch1:9000/x",
    "smtp": "EMAIL_URL=smtps://mailer:{}@smtp.example.org:465\n",
    "ldap": "bind to ldap://cn=admin:{}@ldap.example.org",
    "proxy": "export HTTPS_PROXY=http://jo:{}@proxy.example.org:3128\n",
    "markdown": "[db](postgresql://svc:{}@10.0.0.9/x) is the replica",
    "npmrc": "//registry.example.org/:_authToken={}\n",
    "fetch": 'fetch(url, {{headers: {{"Authorization": `Bearer {}`}}}})\n',
    "apikey header": "apikey: {}\r\n",
    "http file": "GET https://example.org/v1\nAuthorization: Bearer {}\n",
    "query": "https://example.org/v1/items?api_key={}&page=2",
    "cookie": "Cookie: session_token={}; theme=dark\r\n",
}
URL_SECRETS: dict[str, Maker] = {"chosen": _password, "generated": _random}

NAMED = {
    "api key": "api_key: {}\n",
    "env": "ACME_API_KEY={}\n",
    "json": '{{"apiKey": "{}", "n": 1}}',
    "prose": "The API key is {}.",
    "token prose": "the API token for staging is `{}`",
    "python": "SECRET_KEY = '{}'\n",
    "client secret": "- Client secret: `{}`\n",
    "option": "tool --token {} run\n",
    "table": "| API key | {} |\n",
    "xml": "<apiKey>{}</apiKey>",
    "go": 'apiToken := "{}"\n',
    "auth token": "auth_token = '{}'\n",
    "encryption key": "encryption key: {}",
    "webhook": "webhook signing secret: {}\n",
    "terraform": '  access_token = "{}"\n',
}
HELD_OUT_NAMED = {
    "yaml block": "acme_token: |\n  {}\n",
    "yaml folded": "acme_token: >\n  {}\n",
    "xml lines": "<acmeToken>\n    {}\n</acmeToken>\n",
    "make": 'ACME_TOKEN ?= "{}"\n',
    "append": 'ACME_TOKEN += "{}"\n',
    "posix make": 'ACME_TOKEN ::= "{}"\n',
    "csv": "acmeToken,{},\n",
    "logstash": '  "acmeToken" => "{}"\n',
    "java": 'public static final String ACME_SECRET = "{}";\n',
    "go typed": 'var acmeToken string = "{}"\n',
    "c sharp": 'private const string ApiKey = "{}";\n',
    "setter": 'client.setApiKey("{}");\n',
    "map": 'params.put("api_key", "{}");\n',
    "argument": "Client(api_key='{}', timeout=3)\n",
    "note": "acme access key = {} (expires in May)",
    "bullets": "* key id: AB12\n* secret access key: {}\n",
    "sentence": "Here is your new API token: {}",
    "private": "the signing key we use is {}.",
    "attribute": '<add key="ApiSecret" value="{}"/>\n',
    "environment default": 'process.env.API_KEY || "{}"\n',
}


def _hexadecimal(rng: random.Random) -> str:
    return made_of(rng, HEX, rng.choice((32, 40, 64)))


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def _base64(rng: random.Random) -> str:
    return base64.b64encode(rng.randbytes(rng.choice((24, 33, 48)))).decode()


def _dotted(rng: random.Random) -> str:
    return f"{made_of(rng, ALNUM, 22)}.{made_of(rng, BASE64URL, 32)}"


def _short(rng: random.Random) -> str:
    return made_of(rng, ALNUM.lower(), rng.choice((16, 20, 24)))


NAMED_SECRETS: dict[str, Maker] = {
    "hexadecimal": _hexadecimal,
    "uuid": _uuid,
    "base64": _base64,
    "alphanumeric": _random,
    "dotted": _dotted,
    "short": _short,
}
