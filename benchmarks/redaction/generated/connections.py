"""Secrets in URLs and connection strings, and keys in files as they are pasted into notes."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator

from redaction.generated.marks import Note, Part, Secret, fill, half, note
from redaction.generated.places import lines_around, placed
from redaction.samples import ALNUM, BASE64URL, HEX, LOWER_ALNUM, Maker, made_of, seeded

URLS, KEYS = "connection strings and URLs", "key files"
_EACH = 3


def _password(rng: random.Random) -> str:
    return made_of(rng, ALNUM, rng.choice((8, 12, 16))) + rng.choice(("", "!", "%40x", "-9"))


def _of(alphabet: str, length: int) -> Maker:
    return lambda rng: made_of(rng, alphabet, length)


_UPPER = string.ascii_uppercase
_HEX32, _URL43, _LOWER24 = _of(HEX, 32), _of(BASE64URL, 43), _of(LOWER_ALNUM, 24)
_URLS: tuple[tuple[str, Maker], ...] = (
    ("postgres://app:{v}@db1.internal:5432/ledger", _password),
    ("postgresql+psycopg://ledger_rw:{v}@10.0.3.7/ledger?sslmode=require", _password),
    ("mysql://root:{v}@127.0.0.1:3306/shop", _password),
    ("mongodb+srv://api:{v}@cluster0.ab1cd.mongodb.net/prod", _password),
    ("redis://:{v}@cache.internal:6379/0", _password),
    ("rediss://default:{v}@cache.example.org:6380", _password),
    ("amqp://worker:{v}@mq.internal/vhost", _password),
    ("smtp://postmaster%40example.org:{v}@smtp.example.org:587", _password),
    ("https://deploy:{v}@git.example.org/acme/ledger.git", _LOWER24),
    ("https://oauth2:{v}@git.example.org/acme/search.git", _URL43),
    ("sftp://backup:{v}@10.0.9.4:2222/dumps", _password),
    ("ftp://www:{v}@ftp.example.org/htdocs", _password),
    ("jdbc:postgresql://db/ledger?user=app&password={v}", _password),
    ("jdbc:sqlserver://sql1:1433;databaseName=crm;user=crm_app;password={v};encrypt=true", _password),
    ("Host=db1;Username=app;Password={v};Database=ledger", _password),
    ("Server=tcp:sql1,1433;Initial Catalog=crm;User ID=crm;Pwd={v};", _password),
    ("dbname=ledger user=app password={v} host=db1", _password),
    ("DRIVER={{ODBC Driver 18}};SERVER=sql1;UID=crm;PWD={v}", _password),
    ("ldap bind cn=reader,dc=acme,dc=org / {v}", _password),
    ("rsync rsync://mirror:{v}@10.0.4.4/data", _password),
    (
        "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={v};EndpointSuffix=core.windows.net",
        lambda rng: base64.b64encode(rng.randbytes(64)).decode(),
    ),
    (
        "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={v}",
        lambda rng: base64.b64encode(rng.randbytes(32)).decode(),
    ),
    (
        "https://acme.blob.core.windows.net/x?sv=2024-11-04&se=2027-01-01&sr=c&sp=rl&sig={v}",
        lambda rng: (
            base64.b64encode(rng.randbytes(32)).decode().replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")
        ),
    ),
    ("https://acme-dumps.s3.amazonaws.com/a.sql?X-Amz-Expires=600&X-Amz-Signature={v}", _of(HEX, 64)),
    (
        "https://hooks.slack.com/services/{v}",
        lambda rng: f"T{made_of(rng, _UPPER, 8)}/B{made_of(rng, _UPPER, 8)}/{made_of(rng, ALNUM, 24)}",
    ),
    ("https://discord.com/api/webhooks/1184467440737095680/{v}", _of(BASE64URL, 68)),
    ("https://hooks.quillbeam.example/t/acme/{v}", _of(ALNUM, 32)),
    ("https://chat.example.org/hooks/{v}", _of(LOWER_ALNUM, 26)),
    ("https://api.example.org/v2/ping?apikey={v}&full=1", _HEX32),
    ("https://api.example.org/v2/ping?auth_token={v}", _URL43),
    ("https://app.example.org/reset?code=1&token={v}", _URL43),
    ("wss://stream.example.org/?access_token={v}&v=3", _URL43),
    ("https://sentry.example.org/invite/{v}/?token={v2}", _HEX32),
    ("https://{v}@sentry.example.org/14", _HEX32),
)


def _pem(rng: random.Random, label: str, lines: int) -> list[str]:
    body = base64.b64encode(rng.randbytes(48 * lines)).decode()
    rows = [body[start : start + 64] for start in range(0, len(body), 64)]
    return [f"-----BEGIN {label}-----", *rows, f"-----END {label}-----"]


_LABELS = (
    "RSA PRIVATE KEY",
    "PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "EC PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "DSA PRIVATE KEY",
)
_DECORATIONS: dict[str, Callable[[list[str]], str]] = {
    "plain": "\n".join,
    "quoted": lambda lines: "\n".join(f"> {line}" for line in lines),
    "commented": lambda lines: "\n".join(f"# {line}" for line in lines),
    "indented": lambda lines: "\n".join(f"      {line}" for line in lines),
    "logged": lambda lines: "\n".join(f"2026-03-04 09:12:44 app[81]: {line}" for line in lines),
    "escaped": "\\n".join,
    "in strings": lambda lines: "\n".join(f'  "{line}\\n" +' for line in lines),
    "numbered": lambda lines: "\n".join(f"{number:>4}  {line}" for number, line in enumerate(lines, 1)),
    "in a diff": lambda lines: "\n".join(f"+{line}" for line in lines),
    "cut off": lambda lines: "\n".join(lines[:-2]),
    "in a table": "<br>".join,
    "with carriage returns": "\r\n".join,
}

_BASE64_32: Maker = lambda rng: base64.b64encode(rng.randbytes(32)).decode()  # noqa: E731 - a value of the table below
_FILES: tuple[tuple[str, Maker], ...] = (
    ("[Interface]\nAddress = 10.8.0.2/24\nPrivateKey = {v}\n", _BASE64_32),
    ("[Peer]\nPublicKey = " + "A" * 43 + "=\nPresharedKey = {v}\n", _BASE64_32),
    ("# age\nAGE-SECRET-KEY-1{v}\n", _of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    ("machine git.example.org login jo password {v}\n", _password),
    ("machine api.example.org\n  login bot\n  password {v}\n", _LOWER24),
    ("db1:5432:ledger:app:{v}\n", _password),
    (
        '{{"auths": {{"registry.example.org": {{"auth": "{v}"}}}}}}',
        lambda rng: base64.b64encode(f"bot:{made_of(rng, ALNUM, 20)}".encode()).decode(),
    ),
    (
        "users:\n- name: admin\n  user:\n    client-key-data: {v}\n",
        lambda rng: base64.b64encode("\n".join(_pem(rng, "RSA PRIVATE KEY", 6)).encode()).decode(),
    ),
    ("users:\n- name: ci\n  user:\n    token: {v}\n", _of(BASE64URL, 90)),
    ('{{"kty": "OKP", "crv": "Ed25519", "x": "' + "B" * 43 + '", "d": "{v}"}}', _URL43),
    ("//registry.npmjs.org/:_authToken={v}\n", _of(HEX, 36)),
    ("[pypi]\nusername = jo\npassword = {v}\n", _password),
    ("spring.datasource.username=app\nspring.datasource.password={v}\n", _password),
    (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: {v}\n",
        lambda rng: base64.b64encode(made_of(rng, ALNUM, 16).encode()).decode(),
    ),
    ('[Service]\nEnvironment="LEDGER_SECRET={v}"\n', _of(ALNUM, 28)),
    ("production:\n  secret_key_base: {v}\n", _of(HEX, 128)),
    ("SECRET_KEY = 'django-insecure-{v}'\n", _of(LOWER_ALNUM + "!@#$%^&*(-_=+)", 50)),
    ('"outputs": {{"db_password": {{"value": "{v}", "type": "string"}}}}', _password),
    ("auth:\n  rootPassword: {v}\n  database: ledger\n", _password),
    ("ansible_become_password: {v}\n", _password),
    ("    env:\n      DEPLOY_TOKEN: {v}\n", _of(ALNUM, 32)),
    ("aws_secret_access_key = {v}\n", _of(ALNUM + "/+", 40)),
    ('{{"name": "authorization", "value": "Bearer {v}"}}', _URL43),
    ('{{"request": {{"headers": [{{"name": "x-api-key", "value": "{v}"}}]}}}}', _HEX32),
    ("requirepass {v}\n", _password),
    ("config set requirepass {v}\n", _password),
    ("CREATE USER app WITH PASSWORD '{v}';", _password),
    ("ALTER USER 'app'@'%' IDENTIFIED BY '{v}';", _password),
    ("INSERT INTO users (name, password) VALUES ('jo', '{v}');", _password),
    ("UPDATE users SET password = '{v}' WHERE id = 4;", _password),
    ('new NetworkCredential("svc_mail", "{v}")', _password),
    ('smtp.login("svc_mail", "{v}")', _password),
    ("mysqldump -u root -p{v} shop > shop.sql", _password),
    ("sshpass -p '{v}' ssh deploy@10.0.0.4", _password),
    ("echo {v} | sudo -S systemctl restart ledger", _password),
    ("net use Z: \\\\nas\\share {v} /user:acme\\jo", _password),
)


def notes(split: str) -> Iterator[Note]:
    """Yield notes with URLs, connection strings, key files and settings."""
    rng = seeded(f"generated:connections:{split}")
    for row, listed in ((URLS, _URLS), (KEYS, _FILES)):
        for template, maker in half(split, listed):
            for _ in range(_EACH):
                name = template.strip().replace("\n", " ")[:60]
                parts = fill(template, v=Secret(row, name, maker(rng)), v2=Secret(row, name, maker(rng)))
                if row == URLS:
                    parts = placed(rng, split, parts)
                elif rng.random() < 0.5:  # noqa: PLR2004 - every second one in a fence
                    parts = ["```\n", *parts, "\n```"]
                yield note(split, name, lines_around(rng, split, parts))
    for decoration, decorate in half(split, list(_DECORATIONS.items())):
        for label in half(split, _LABELS):
            yield _key(rng, split, decoration, label, decorate(_pem(rng, label, rng.choice((3, 6, 12)))))


def _key(rng: random.Random, split: str, decoration: str, label: str, text: str) -> Note:
    start = text.index("-----BEGIN")
    while text[:start].rpartition("\n")[2].strip():  # what decorates the first line may go or stay
        start -= 1
    end = text.index("-----END") + len(f"-----END {label}-----") if "-----END" in text else len(text)
    secret = Secret(KEYS, f"{label}, {decoration}", text[start:end])
    parts: list[Part] = [text[:start], secret, text[end:]]
    if decoration == "in a table":
        parts = ["| key | ", *parts, " |\n"]
    elif decoration == "escaped":
        parts = [json.dumps({"type": "service_account"})[:-1] + ', "private_key": "', *parts, '\\n"}']
    return note(split, f"{label}, {decoration}", lines_around(rng, split, parts))
