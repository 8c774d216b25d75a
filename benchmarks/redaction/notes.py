"""What agents write down on ordinary days: ids, hashes, versions, times, addresses, settings, and nothing secret."""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Callable

from redaction.samples import ALNUM, HEX, made_of, seeded

_SERVICES = ("billing", "search", "checkout", "ledger", "gateway", "reports", "mailer", "catalog")
_NAMES = ("Jo Miller", "Ana Silva", "Wei Chen", "Priya Nair", "Tom Becker", "Yuki Sato", "Omar Haddad")
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

_LINES = (
    "- Last commit on `{service}` is {sha} ({short}), tagged v{version}.",
    "- Image registry.example.org/acme/{service}@sha256:{sha256}",
    "- request {uuid} took {float} s, trace {trace}, span {span}",
    "- Order {order}, invoice INV-{date}-{number:06}, customer {number}, total EUR {float:.2f}",
    "- {name} can be reached at +49 30 {number:07} or (415) 555-{short_number:04}, {mail}",
    "- Role arn:aws:iam::{account}:role/{service}-api, topic arn:aws:sns:eu-west-1:{account}:{service}-events",
    "- Secret is in arn:aws:secretsmanager:eu-west-1:{account}:secret:prod/{service}/db-{suffix}, rotates monthly.",
    "- Dashboard: https://grafana.example.org/d/{suffix}{suffix}/{service}?orgId=1&from={epoch_ms}&to=now",
    "- Logs in /var/log/{service}/app-{date}.log.gz (md5 {md5}), config in ~/.config/{service}/settings.toml",
    '- ETag "{md5}-{short_number}", version id {version_id}, key s3://acme-{service}-exports/{path}',
    "- The password for {service} is in Vault under `secret/data/{service}/prod`, key `password`.",
    "- Password policy: at least 12 characters, one digit; reset links expire after 24h.",
    "- The API key is read from `{env}_API_KEY`; the token comes from /run/secrets/{service}-token.",
    "- Set `{env}_PASSWORD=${{{env}_PASSWORD}}` in compose, `postgres://app:${{DB_PASSWORD}}@db:5432/{service}` here.",
    "- {name} asked for a password reset on {iso}; ticket {ticket}, done by {name}.",
    "- Tokens used so far: {number}; max_tokens=4096, temperature 0.2, model {service}-{version}.",
    "- We sign in with SSO; basic authentication is off, `Authorization: Bearer <token>` everywhere else.",
    "- The access token is valid for 3600 seconds, the refresh token for 30 days.",
    "- Primary key `{service}_id`, sort key `created_at#{number}`, partition key tenant{short_number}.",
    "- Cursor for the next page: {cursor}; next_token={suffix}{suffix}{suffix}",
    "- Part number {part}, ISBN 978-{isbn}, EAN {ean}, serial {serial}, tracking 1Z{serial}",
    "- Feature flag `{service}-new-flow-{short_number}` is on for {short_number}% since {iso}.",
    "- ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{public} deploy@{service}",
    "- Integrity: sha512-{sha512}",
    "- ULID {ulid}, snowflake {snowflake}, epoch {epoch_ms}, ns {epoch_ms}123456",
    "- Position {float}, {float}; p50 {float}, p99 {float}; ratio 0.{number:09}",
    "- Pull request #{number}: https://github.com/acme/{service}/pull/{number}/files#diff-{sha256}",
    "- MAC {mac}, IP 10.{short_number}.0.{byte}, 2001:db8::{short:.4}, host {service}-{short_number}.internal",
    "- `kubectl -n {service} get secret {service}-tls -o yaml` shows who issued it.",
    "- Icon: data:image/png;base64,{image}",
    "| {service} | {version} | {sha256} | {iso} |",
    "{iso} INFO {service} user={number} session={uuid} status=200 bytes={number}",
    "{iso} WARN {service} login failed for {mail}: wrong password, attempt {byte}",
    "    {service}=={version} --hash=sha256:{sha256}",
    '  "resolved": "https://registry.npmjs.org/{service}/-/{service}-{version}.tgz", "integrity": "sha512-{sha512}"',
    "def {service}_login(user: str, password: str, token: str | None = None) -> Session:",
    '    password = os.environ["{env}_PASSWORD"]; api_key = settings.{service}_api_key',
    "Next: ask {name} whether the webhook secret of {service} was rotated; then close {ticket}.",
    "{name} prefers short answers. Birthday {day}.{month}.; works from Lisbon; passport expires in 2031.",
    "The user said the login page of {service} rejects correct passwords since {version}; see {ticket}.",
    "Decision {iso}: tokens are hashed with SHA-256, passwords with Argon2id (m=65536, t=3, p=4).",
)


def _values(rng: random.Random) -> dict[str, object]:
    service = rng.choice(_SERVICES)
    hexadecimal: Callable[[int], str] = lambda length: made_of(rng, HEX, length)  # noqa: E731 - used eight times below
    sha = hexadecimal(40)
    return {
        "service": service,
        "env": service.upper(),
        "name": rng.choice(_NAMES),
        "mail": f"{rng.choice(_NAMES).lower().replace(' ', '.')}@example.org",
        "sha": sha,
        "short": sha[:7],
        "sha256": hexadecimal(64),
        "md5": hexadecimal(32),
        "trace": hexadecimal(32),
        "span": hexadecimal(16),
        "sha512": base64.b64encode(rng.randbytes(64)).decode(),
        "image": base64.b64encode(rng.randbytes(rng.randint(60, 600))).decode(),
        "public": made_of(rng, ALNUM + "+/", 43),
        "uuid": uuid.UUID(int=rng.getrandbits(128), version=4),
        "version": f"{rng.randint(0, 30)}.{rng.randint(0, 40)}.{rng.randint(0, 99)}",
        "number": rng.randint(1000, 9_999_999),
        "short_number": rng.randint(1, 255),
        "byte": rng.randint(1, 254),
        "float": rng.random() * 100,
        "order": f"{rng.randint(100, 999)}-{rng.randint(10**6, 10**7 - 1)}-{rng.randint(10**6, 10**7 - 1)}",
        "account": made_of(rng, string.digits, 12),
        "suffix": made_of(rng, ALNUM, 6),
        "version_id": made_of(rng, ALNUM + "._", 32),
        "path": f"{rng.randint(2020, 2027)}/{rng.randint(1, 12):02}/part-{rng.randint(0, 9999):05}.parquet",
        "date": f"{rng.randint(2020, 2027)}{rng.randint(1, 12):02}{rng.randint(1, 28):02}",
        "day": rng.randint(1, 28),
        "month": rng.randint(1, 12),
        "iso": f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}T{rng.randint(0, 23):02}:{rng.randint(0, 59):02}Z",
        "epoch_ms": rng.randint(1_600_000_000_000, 1_900_000_000_000),
        "snowflake": rng.randint(10**18, 2 * 10**18),
        "ticket": f"{rng.choice(('BILL', 'PLAT', 'OPS'))}-{rng.randint(1, 9999)}",
        "cursor": base64.urlsafe_b64encode(f'{{"id":{rng.randint(1, 10**6)}}}'.encode()).decode(),
        "part": f"{made_of(rng, string.ascii_uppercase, 3)}-{rng.randint(1000, 9999)}-{rng.choice('ABX')}",
        "isbn": f"{rng.randint(0, 9)}-{rng.randint(10, 99)}-{rng.randint(100000, 999999)}-{rng.randint(0, 9)}",
        "ean": made_of(rng, string.digits, 13),
        "serial": made_of(rng, string.ascii_uppercase + string.digits, 16),
        "ulid": "01J" + made_of(rng, _CROCKFORD, 23),
        "mac": ":".join(f"{rng.randrange(256):02x}" for _ in range(6)),
    }


def notes(*, characters: int) -> str:
    """Return so many characters of notes."""
    rng = seeded("notes")
    pages: list[str] = []
    length = 0
    while length < characters:
        page = "\n".join(rng.choice(_LINES).format(**_values(rng)) for _ in range(30))
        pages.append(f"## {rng.choice(_SERVICES)}, week {rng.randint(1, 52)}\n\n{page}\n")
        length += len(pages[-1])
    return "\n".join(pages)[:characters]
