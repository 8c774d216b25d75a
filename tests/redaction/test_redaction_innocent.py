"""What an agent writes down on an ordinary day holds no secret, and none is found in it."""

from __future__ import annotations

import random
import string
import uuid

import pytest
from support.made_tokens import seeded

from s3memory.redaction import PatternRedactor, Redaction

REDACTOR = PatternRedactor()

NOTES = """\
# Project notes: billing-service

Last updated 2026-11-20T09:41:07Z by the agent, session 01J9ZQ4T8N5W3R7X2KQ6M1B0CD.

## Where things are

- Repository: https://github.com/acme/billing-service (default branch `main`, last commit
  3f786850e387550fdab836ed7e6dc881de23001b, short 3f78685).
- Image: registry.example.org/acme/billing@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
- Config lives in /etc/billing/config.yaml and ~/.config/billing/settings.toml; on Windows C:\\Users\\jo\\billing.ini.
- Terraform state: s3://acme-terraform-state/prod/billing/terraform.tfstate, lock table `tf-locks`.
- Logs: `kubectl -n billing logs deploy/api --since=2h | grep -v healthz`
- Dashboard: https://grafana.example.org/d/aBcDeF123/billing?orgId=1&from=now-6h&to=now&var-env=prod
- Role: arn:aws:iam::123456789012:role/billing-api, bucket arn:aws:s3:::acme-billing-exports
- Secret: arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/billing/db-AbC1dE (rotates every 30 days)

## Decisions

1. Passwords are never stored here; the database password is in Vault at `secret/data/billing/prod`, key `password`.
2. The API key is read from the environment (`BILLING_API_KEY`), the token from `/run/secrets/token`.
3. `password: str = Field(min_length=12)`; hashes are Argon2id (m=65536, t=3, p=4), before that bcrypt, cost 12.
4. Tokens expire after 3600 s; refresh tokens after 30 days. Max tokens per request: 8192, temperature 0.2.
5. We use `Authorization: Bearer <token>` everywhere; Basic authentication was switched off on 2025-03-01.
6. The session cookie is `sid`; CSRF tokens are double-submitted. JWTs are signed with RS256 and checked by the gateway.
7. Set `DB_PASSWORD=${DB_PASSWORD}` in compose; for local work `postgres://app:${DB_PASSWORD}@localhost:5432/app`.
8. If the password is wrong five times, the account is locked for 15 minutes (see docs/password-policy.md).

## Versions

| package | version | hash |
|---|---|---|
| python | 3.13.1 | md5 d41d8cd98f00b204e9800998ecf8427e |
| postgres | 17.2-alpine3.21 | sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709 |
| billing | v2.14.0-rc.3+build.20261118.1204 | 9c1185a5c5e9fc54612808977ee8f548b2258d31 |
| node | 22.11.0 | sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg== |

## People and tickets

- Jo Miller <jo.miller@example.org>, +49 30 901820, ext. 4021; on call: +1 (415) 555-0132, 020 7946 0958.
- Customer 4711, contract 2024-000123-7, order 100-2345678-9012345, invoice INV-20261118-000042 over EUR 1,234.56.
- Tracking numbers 1Z999AA10123456784 and 00340434161094042557; ISBN 978-3-16-148410-0; EAN 4006381333931.
- BILL-1234, BILL-1240 (blocked by PLAT-99), incident 2026-11-03#2, request id 7b0c6f2e-9d3a-4f0b-8a53-0f6f3f2f8f11.
- Trace 4bf92f3577b34da6a3ce929d0e0e4736, span 00f067aa0ba902b7, ULID 01ARZ3NDEKTSV4RRFFQ69G5FAV.

## Numbers that came up

Epoch 1763631667, in ms 1763631667123, in us 1763631667123456, in ns 1763631667123456789. Snowflake 1316084712345678901.
Latency p50 0.0421339871234567 s, p99 0.3199999999999999; ratio 0.4532015112830366; pi 3.14159265358979323846.
Rows: 1200 1350 1410 1500 1620, 4200 4300 4400 4500 4600; MAC 00:1B:44:11:3A:B7; IPs 10.0.12.7, 2001:db8::8a2e:370:7334.
UUIDs: 550e8400-e29b-41d4-a716-446655440000, 6ba7b810-9dad-11d1-80b4-00c04fd430c8, f47ac10b-58cc-4372-a567-0e02b2c3d479.

## How to

```sh
export AWS_PROFILE=billing-dev AWS_REGION=eu-central-1
aws sso login && aws s3 ls s3://acme-billing-exports/2026/11/
pip install 'billing-client>=2.14,<3' && pytest -q -k 'not slow' --maxfail=1
curl -fsS -H "Authorization: Bearer $TOKEN" https://api.example.org/v1/invoices?limit=50\\&cursor=eyJpZCI6MTIzfQ
psql "host=localhost user=app dbname=app" -c 'select count(*) from invoices where paid_at is null'
docker run --rm -u 1000:1000 -e PGPASSWORD="$PGPASSWORD" postgres:17 pg_dump -Fc app > app.dump
git log --oneline -5   # a1b2c3d Fix rounding; 0f1e2d3 Bump deps; 9e8d7c6 Rename token_count to tokens_used
```

```python
def connect(user: str, password: str | None = None, *, token: str = "") -> Connection:
    password = password or os.environ["DB_PASSWORD"]
    secret = client.get_secret_value(SecretId="prod/billing/db")["SecretString"]
    api_key = settings.api_key.get_secret_value()
    return Connection(user=user, password=password, token=token, key=cache_key(user, "v2"))
```

```yaml
env:
  - name: DB_PASSWORD
    valueFrom:
      secretKeyRef: {name: billing-db, key: password}
  - name: API_TOKEN
    value: $(API_TOKEN)
resources: {limits: {cpu: 500m, memory: 512Mi}}
```

Next: ask Jo whether the webhook secret was rotated; the key point is that partition keys stay stable. Primary key is
`invoice_id`, sort key `created_at#line2`. The public key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxpbmVzIG9m.
Memory was redacted before: password [REDACTED:password], key [REDACTED:aws-access-key#0a1b2c3d], both gone.
"""


def test_a_page_of_notes_has_no_findings() -> None:
    assert REDACTOR.redact(NOTES) == Redaction(NOTES)


@pytest.mark.parametrize("number", range(0, NOTES.count("\n"), 7))
def test_notes_cut_anywhere_have_no_findings(number: int) -> None:
    part = "\n".join(NOTES.split("\n")[number:])[number:]
    assert REDACTOR.redact(part).findings == ()


def hexadecimal(rng: random.Random, length: int) -> str:
    return f"{rng.getrandbits(4 * length):0{length}x}"


def test_ids_and_hashes_by_the_thousand_have_no_findings() -> None:
    rng = seeded("ids")
    lines = []
    for number in range(1500):
        lines += [
            f"commit {hexadecimal(rng, 40)} ({hexadecimal(rng, 7)}), digest sha256:{hexadecimal(rng, 64)}",
            f"request {uuid.UUID(int=rng.getrandbits(128), version=4)} took {rng.random()} s",
            f"order {rng.randrange(10**9)} at {1_700_000_000_000 + rng.randrange(10**11)}, row {number}",
            f"etag {hexadecimal(rng, 32)}-{rng.randrange(99)} v{rng.randrange(9)}.{rng.randrange(99)}.{number}",
        ]
    assert REDACTOR.redact("\n".join(lines)).findings == ()


@pytest.mark.parametrize(
    "path",
    [
        "/memories/password-policy.md",
        "/memories/projects/api_key_rotation.md",
        "/memories/tokens/usage-2026-11.csv",
        "/memories/users/jo.miller@example.org/notes.txt",
        "/memories/how to reset a password.md",
        "/memories/3f786850e387550fdab836ed7e6dc881de23001b.json",
        "/memories/550e8400-e29b-41d4-a716-446655440000/secret santa.md",
    ],
)
def test_memory_paths_that_name_secrets_have_no_findings(path: str) -> None:
    assert REDACTOR.redact(path).findings == ()


@pytest.mark.parametrize("form", ["prj_{}", "dpl_{}", "cs_test_{}", "cs_live_{}", "gen-1730000000-{}"])
def test_ids_that_may_be_shown_have_no_findings(form: str) -> None:
    rng = seeded(form)
    for length in (28, 40, 58):
        for _ in range(20):
            made = "".join(rng.choices(string.ascii_letters + string.digits, k=length))
            assert REDACTOR.redact(f"see {form.format(made)} there").findings == ()


def test_the_digests_of_a_wheel_have_no_findings() -> None:
    rng = seeded("wheel")
    digests = ("".join(rng.choices(string.ascii_letters + string.digits + "-_", k=43)) for _ in range(2000))
    record = "\n".join(f"acme/module_{number}.py,sha256={digest},4711" for number, digest in enumerate(digests))
    assert REDACTOR.redact(record).findings == ()


@pytest.mark.parametrize(
    "text",
    [
        'password: "<在此填写>"',
        "/memories/a&b=c?d#e2",
        'psql -h db -U postgres\nPGPASSWORD="$PGPASSWORD" docker run --rm postgres:17 pg_dump shop',
        # Sources of manual pages and of Perl's documentation.
        "password   required    pam_ledger\\&.so",
        "\\fB\\-\\-no\\-password\\fP \\fBchpasswd\\fP(8) skips the prompt",
        "run it with the password of \\f5harbor\\fR by hand",
        "$ harbor secrets enable 7 \\-\\-secret=billing \\-\\-etag=90210",
        "signs in as C<$user> with password C<$secret>",
        "the users who see the password of all processes\\&.",
        # Options and settings.
        "--no-ask-password --no-block --legend=no --no-pager",
        'complete "user= passphrase= password= profileName= region="',
        "# the password of the relay\n#net.relay.timeout=5",
        "# Unlock the backend once it has been idle.\n#IdleShutdownSeconds=90",
        "keystore.pkcs12.keyIterationCount = 12000",
        "MSBuild.exe app.sln /p:Configuration=Release /p:Platform=x64",
        '"$tool" -merged="$(pwd)/$MERGED"',
        "--secret=projects/acme/secrets/billing/versions/2",
        # Code.
        "#define QUEUE_FLAG_BYPASS 0x0004",
        'BYPASS = "bypass"',
        "$pw = lookup($whoever);",
        "password: _PasswordLike | None = None,",
        "uses :class:`vault.PasswordStore` for passwords.",
        'store.get_password("billing", "jo")',
        'store.set_password("billing", "jo", "password")',
        "connect(creds=creds, scopes=['https://example.org/auth/storage.full'])",
        "connect(certfile=cert, password=lambda: ask())",
        'images = sorted(glob(str(root / "hd2k_input" / "left")))',
        "Requires-Dist: harborproto>=2.0.0b6; extra == 'signing'",
        "Requires-Dist: harbor-auth!=2.43.0,!=2.44.0,<3.0.0,>=2.15.0",
        r"r'(?:[^:@]+?:[^:@]*?@|)'  # basic auth" + "\n    r'(?:(?:[A-Z0-9](?:[A-Z0-9-]{0,61}[A-Z0-9])?\\.)+'",
        "::\n\n  0040 BACKUP\n  0041 PANE\n  0042 CODEPAGE",
        "reserved: BASED BY BYTE CALL CASE CLOSE",
        # Sentences.
        "fixed the setters of ``X509Name`` to correctly pass the value length on",
        "pass into html5lib as follows:",
        "an id that we pass to the worker to identify the run",
        "a strong hash (such as ``sha256``) of the password",
        'a password is sent in clear; "scram-sha-256" is preferred',
        "the profile (Internet RFC 3454) to the supplied password",
        "Python 3.15.0b2+ falls back when we don't pass one",
        "the user's password over the physical network.",
        "# storepass must be at least six characters long.",
        "# vp8enc is an open source encoder",
        'a word about Jo\'s "User Name and Password Disclosure"',
        "the connections' policies. (dbus#343; Jo Miller)",
        "users are warned that their password is about to expire.",
        "users may not be able to change their password on a system if it is shared",
        "updates all the passwords in memory, and then commits the changes to disk if all went well.",
        "harbor_connect now restricts others to password authentication",
        "if phrase_desc has the value of a pass phrase",
        "account for policy :policy:`ABC0071`.",
        "build_account = 'serviceAccount:{0}@build.example.org'.format(",
        "http://Benutzer:Passwort@Server:Port/",
        "\u6b8b\u308a\u306e4\u3064\u306e\u90e8\u5206\u306f\u305d\u308c\u305e\u308c\u30d1\u30b9\u30ef\u30fc\u30c9\u306e\u671f\u9650",
        "[-newkeypass arg] [-subject name]",
        # Tables whose head names no cell of its own row, and cells that say "password".
        "| Email | Password | Role |\n|---|---|---|\n| jo@example.org | `secret` | Administrator |",
        "| Compte | Mot de passe | R\u00f4le |\n|---|---|---|\n| jo | `password` | **Administrateur** |",
        "| `jo@example.org` | `password` | **Administrator** | Access",
        # What code puts together.
        "'Your code to reset the password is '+code+' . Use it soon.'",
        '"Dein Passwort lautet: ".$password_tohash."<br> Melde dich an"',
        'echo "<p>Senha: " . show($senha) . "</p>"',
        "Ihr neues Passwort lautet: <b>{0}</b></p>",
        "Dein neues Passwort lautet dann nachher:\n    `{$new_password}`",
        "System.out.println('| SENHA: |');\n user.setSenha(scanner.nextLine());",
        "/\\bmy password is\\b/i,\n /\\bpassword[:=]\\s*\\S+/i,",
        "hydra -l jo '/login:email=^USER^&password=^PASS^:Invalid'",
        "os.getenv('DB_PASSWORD', 'password_default')",
        "Le validateur de mot de passe (`MinimumLengthValidator`) est actif",
        "Se la password \u00e8 predefinita, non si controlla",
        "const check = (login, password) => async (dispatch) => {",
        "curl -u user:pass 'http://127.0.0.1:3381/v1/mesh?format=ascii'",
        'curl -u user:pass "http://127.0.0.1:3381/v1/mesh?format=ascii"',
        "ok ? 'Je wachtwoord is veranderd.' : 'Je wachtwoord is gezet.'",
        "Authorization: Bearer eyJhbGciOi...",
        "or Harbor-Bcrypt, or you will break password checking.",
        "image: https://codecov.example.org/gh/acme/harbor/badge.svg?token=4ZFc9dwKqY",
        "https://docs.google.com/document/d/1ZlL_4bXCw5Xl0WstQw1GpnZqfb9JFOeUGAPcBVk-kn8",
    ],
)
def test_what_manuals_code_and_settings_say_has_no_findings(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        'user.setPassword("Blue.Otter!42")',
        "store.set_password('billing', 'jo', 'Blue.Otter!42')",
        'config.get("password", "Blue.Otter!42")',
        "DBPASS=Blue.Otter!42",
        "compass: north, password: Blue.Otter!42",
        "user.setPassword(passwordEncoder.encode('Blue.Otter!42'))",
        "const hash = await bcrypt.hash('Blue.Otter!42', 10)",
        "| Role | User | Password |\n|---|---|---|\n| Admin | `jo` | `Blue.Otter!42` |",
        "the RFC says so, but Blue.Otter!42 is the password",
    ],
)
def test_a_password_beside_them_is_found(text: str) -> None:
    assert "Otter" not in REDACTOR.redact(text).text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("mysql -u bob -pBlue\\&Otter42 shop", "Otter42"),
        ("requirepass admin", "admin"),
        ("the password is PasswordX99.", "PasswordX99"),
        ("| grafana | `password` | `hunter22` |", "hunter22"),
        ("| service | key | value |\n|---|---|---|\n| db | `password` | `Blue-Otter-42` |", "Otter"),
        ("updated the root password on db1, db2 to hunter22", "hunter22"),
        ("USE 4821 as the password", "4821"),
        ("jo's password 4821", "4821"),
        ("recovery codes:\n482913 used", "482913"),
        ("recovery key: QWXT ZRPK LMNB", "ZRPK"),
        ("parola chiave: hunter22", "hunter22"),
        ("the gate code. 482913", "482913"),
        ("password: *Bold9!x*", "Bold9"),
    ],
)
def test_what_looks_like_them_and_is_a_password_is_found(text: str, secret: str) -> None:
    assert secret not in REDACTOR.redact(text).text
