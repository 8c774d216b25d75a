"""The negative twin: notes of the same habits in which nothing is secret, though much of it looks like it."""

from __future__ import annotations

import base64
import random
import re
import string
import uuid
from collections.abc import Iterator

from redaction.generated import prose
from redaction.generated.marks import Note, Part, half, note
from redaction.generated.places import lines_around, placed
from redaction.samples import ALNUM, HEX, made_of, seeded

_EACH = 2
_LINES: dict[str, tuple[str, ...]] = {
    "ids": (
        "request id {uuid} timed out twice",
        "trace {hex32} has the slow query",
        "order {order} was shipped to the wrong desk",
        "session log {uuid}.jsonl, 4 MB",
        "x-request-id: {uuid}",
        "correlation id {alnum24}",
        "the user's id is {digits12}",
        "tenant {uuid} moved to eu-west-1",
        "build {digits8} failed on arm",
        "message-id <{alnum24}@mail.example.org>",
        "job_id={alnum24} state=done",
        "cluster id {alnum22}, topic orders",
        "arn:aws:iam::{digits12}:role/deploy-{alnum8}",
        "key id {upper20} is the one in use",
        "customer number {digits10}, contract {digits8}",
        "device {mac} lost its lease",
    ),
    "hashes": (
        "sha256:{hex64} is the image we run",
        "commit {hex40} broke the build",
        "md5 {hex32}  dump.sql.gz",
        "integrity sha512-{base64}",
        'etag "{hex32}"',
        "cache key {hex64}",
        "bcrypt cost is 12, argon2id m=65536",
        "fingerprint SHA256:{base43}",
        "checksum = {hex40}",
        "- {hex7} fix the retry",
        "digest: sha1:{hex40}",
        "layer {hex64} 84MB",
        "git show {hex12}",
        "blob {hex40} is 3 MB",
        "pip hash --hash=sha256:{hex64}",
        "crc32 {hex8}",
    ),
    "versions": (
        "password-generator 2.4.1 is out",
        "keyring==25.6.0",
        "bump python-jose from 3.3.0 to 3.4.0",
        "token-bucket >= 0.3.0",
        "passlib 1.7.4 warns about bcrypt 4.1",
        "secretstorage~=3.3.3",
        "pinned django-otp==1.5.4",
        "oauthlib 3.2.2 -> 3.3.1",
        "auth0-python: 4.7.2",
        '"jsonwebtoken": "^9.0.2",',
        "password_strength v0.0.3",
        "requests-oauthlib (2.0.0)",
        "credentials-loader: 1.18.0-rc.2",
        "vault 1.17.3+ent",
        "login-page: v2.11",
        "api-key-auth @ 5.0.0-beta.1",
    ),
    "code": (
        "def check(password: str, token: str | None = None) -> bool:",
        "client = Client(token=settings.api_token, timeout=30)",
        'assert response.json()["token"] == expected_token',
        "if not user.check_password(form.password.data):",
        'password = getpass.getpass("Password: ")',
        "const { password, ...rest } = user;",
        'os.environ["API_KEY"]',
        "login(username=user.name, password=user.password)",
        "type Credentials = { user: string; password: string };",
        "api_key: str = Field(repr=False)",
        "secret = secrets.token_urlsafe(32)",
        "self.auth_token = auth_token or default_token()",
        "WHERE password_hash = crypt($1, password_hash)",
        'token="${{ secrets.DEPLOY_TOKEN }}"',
        "auth=(config.user, config.password)",
        "password: passwordController.text,",
    ),
    "prose": (
        "We talked about password rules: nobody likes the 90 days.",
        "The username and password are checked by the proxy.",
        "Password reset mails land in spam since Monday.",
        "The token expires after an hour, the refresh token after a month.",
        "Secret Santa draws names on 4 December.",
        "He holds the key to the server room, literally.",
        "Passwords are hashed with argon2, tokens with sha256.",
        "The api key page is slow for large accounts.",
        "A passphrase of four words beats eight random characters.",
        "PIN entry fails on small screens.",
        "The login form has two fields and a checkbox.",
        "Authentication by certificate replaces passwords in May.",
        "key: value pairs, one a line",
        "Access token handling moved to the gateway.",
        "Bearer of bad news: the launch slips.",
        "The code review took longer than the code.",
    ),
    "references": (
        "password: see vault secret/data/ledger/prod",
        "DB_PASSWORD=${DB_PASSWORD}",
        "token: !vault ledger/token",
        'api key is in 1Password, item "Quillbeam prod"',
        "secretKeyRef: {name: ledger-db, key: password}",
        "password: op://prod/ledger/password",
        "aws secretsmanager get-secret-value --secret-id prod/ledger/db",
        "valueFrom: arn:aws:ssm:eu-west-1:{digits12}:parameter/ledger/token",
        "the token comes from /run/secrets/ledger_token",
        "password_file: /etc/ledger/db.pass",
        'key = file("~/.ssh/id_ed25519.pub")',
        "client_secret: $(az keyvault secret show --name x)",
        "token = os.getenv('QUILLBEAM_TOKEN')",
        "password: {{ vault_db_password }}",
        "credentials: gs://acme-conf/sa.json",
        "passwordSecret: projects/acme/secrets/db-password/versions/latest",
    ),
    "YAML": (
        "base: &default_secret\n  <<: *common",
        "password: *db_password",
        "secrets:\n  - ledger_token\n  - db_password",
        "token: ~",
        "auth: {type: none}",
        "api_key: null",
        "password:\n  min_length: 12",
        "login: true",
        "existingSecret: ledger-db",
        "tokenTTL: 3600s",
        "secretName: ledger-tls",
        "passwordPolicy: strict",
        "key: created_at\norder: desc",
        "pinned: false",
        "authMode: oidc",
        "credentialsId: 'deploy-bot'",
    ),
    "Luhn numbers": (
        "parcel {luhn16} is at the depot",
        "ticket ref {luhn16}",
        "meter reading id {luhn16}",
        "row {luhn16} is the duplicate",
        "IMEI {luhn15}",
        "barcode {luhn14}",
        "case no. {luhn16}, opened 3 March",
        "event {luhn16} replayed",
    ),
    "examples of documentation": (
        "password: changeme",
        "API_KEY=<your-token>",
        "export TOKEN=your_token_here",
        'password = "********"',
        "Authorization: Bearer <token>",
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "sk_test_xxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        "postgres://user:password@localhost/db",
        "password=example",
        "Authorization: Basic dXNlcjpwYXNz",
        "client_secret: REPLACE_ME",
        'token: "..."',
        "https://user:pass@example.com/",
        "secret: TODO",
        "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        'api_key = "YOUR_API_KEY"',
        "password: <redacted>",
        "token = 'xxxxx'",
    ),
    "places and numbers": (
        "+49 30 {digits8}, room 4.12",
        "50.0755, 14.4378 is the depot",
        "invoice INV-2026-{digits6}, EUR 1,204.50",
        "IP 10.4.{digits2}.7, VLAN 312",
        "ISBN 978-3-16-148410-0",
        "{iso} to {iso}",
        "port 5432, 6379 and 8443 are open",
        "flight LH{digits4}, seat 14C",
        "PO {digits10}, 12 pallets",
        "temperature {digits2}.4 degrees",
        "licence plate B-XY {digits4}",
        "https://example.org/docs/{uuid}",
        "s3://acme-dumps/2026/03/{hex32}.parquet",
        "postal code 10115, Berlin",
        "page 14 of {digits3}",
        "{digits6} rows in {digits3} ms",
    ),
}


def _filled(line: str, fields: dict[str, str]) -> str:
    """Return `line` with the fields that it names; other braces stay."""
    return re.sub(r"\{([a-z]+[0-9]*)\}", lambda found: fields.get(found[1], found[0]), line)


def _fields(rng: random.Random) -> dict[str, str]:
    fields = {f"hex{length}": made_of(rng, HEX, length) for length in (7, 8, 12, 32, 40, 64)}
    fields |= {f"digits{length}": made_of(rng, string.digits, length) for length in (2, 3, 4, 6, 8, 10, 12)}
    fields |= {f"alnum{length}": made_of(rng, ALNUM, length) for length in (8, 22, 24)}
    fields |= {f"luhn{length}": _luhn(rng, length) for length in (14, 15, 16)}
    return fields | {
        "uuid": str(uuid.UUID(int=rng.getrandbits(128), version=4)),
        "order": f"{made_of(rng, string.digits, 3)}-{made_of(rng, string.digits, 7)}",
        "upper20": made_of(rng, string.ascii_uppercase + string.digits, 20),
        "base64": base64.b64encode(rng.randbytes(64)).decode(),
        "base43": base64.b64encode(rng.randbytes(32)).decode().rstrip("="),
        "mac": ":".join(made_of(rng, HEX, 2) for _ in range(6)),
        "iso": f"2026-0{rng.randint(1, 9)}-{rng.randint(10, 28)}",
    }


def _luhn(rng: random.Random, length: int) -> str:
    digits = [rng.choice((4, 5)), *(rng.randrange(10) for _ in range(length - 2))]
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[::-1][::2]) + sum(digits[::-1][1::2])
    return "".join(map(str, digits)) + str(-doubled % 10)


def notes(split: str) -> Iterator[Note]:
    """Yield innocent notes."""
    rng = seeded(f"generated:innocent:{split}")
    for kind, lines in _LINES.items():
        for line in half(split, lines):
            for _ in range(_EACH):
                text = _filled(line, _fields(rng))
                parts: list[Part] = ["```yaml\n", text, "\n```"] if kind == "YAML" else placed(rng, split, [text])
                yield note(split, kind, lines_around(rng, split, parts))
    yield from prose.innocent(split)
