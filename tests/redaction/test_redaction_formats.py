"""Formats with a structure of their own: private keys, JWTs, URLs, headers, connection strings, webhooks."""

from __future__ import annotations

import base64
import string

import pytest
from support.made_tokens import seeded
from support.redaction_samples import jwt_part

from s3memory.redaction import Finding, PatternRedactor

REDACTOR = PatternRedactor()
RNG = seeded("formats")
ALNUM = string.ascii_letters + string.digits


def made_of(alphabet: str, length: int) -> str:
    return "".join(RNG.choices(alphabet, k=length))


def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


def is_left_alone(text: str) -> bool:
    return REDACTOR.redact(text).findings == ()


def key_block(label: str, *, end: str = "\n", lines: int = 4, dashes: str = "-----") -> str:
    body = [made_of(ALNUM + "+/", 64) for _ in range(lines)]
    return end.join([f"{dashes}BEGIN {label}{dashes}", *body, f"{dashes}END {label}{dashes}"])


PRIVATE = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]
PRIVATE += ["OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]


@pytest.mark.parametrize("label", PRIVATE)
def test_a_private_key_goes_from_its_begin_to_its_end_line(label: str) -> None:
    assert redacted(f"Before\n{key_block(label)}\nAfter") == "Before\n[REDACTED:private-key]\nAfter"


@pytest.mark.parametrize("label", PRIVATE)
def test_a_private_key_without_an_end_goes_to_the_end_of_the_text(label: str) -> None:
    text = f"Before\n{key_block(label)}".rpartition("\n")[0]
    assert redacted(text) == "Before\n[REDACTED:private-key]"
    assert redacted(text[:-70] + "\n\nlast words") == "Before\n[REDACTED:private-key]"


@pytest.mark.parametrize("end", ["\\n", "\\r\\n", "\\\\n"])
def test_a_private_key_in_a_string_keeps_the_string(end: str) -> None:
    block = key_block("PRIVATE KEY", end=end)
    account = f'{{"type": "service_account", "private_key": "{block}{end}", "client_id": "1"}}'
    expected = f'{{"type": "service_account", "private_key": "[REDACTED:private-key]{end}", "client_id": "1"}}'
    assert redacted(account) == expected


@pytest.mark.parametrize("quote", ["> ", "    ", "+", "# ", "> > ", "\t", "| "])
def test_a_quoted_or_indented_private_key_is_found(quote: str) -> None:
    text = "\n".join(quote + line for line in key_block("RSA PRIVATE KEY").split("\n"))
    assert redacted(text) == f"{quote}[REDACTED:private-key]"


def test_two_private_keys_are_two_findings() -> None:
    text = f"{key_block('PRIVATE KEY')}\nbetween\n{key_block('EC PRIVATE KEY')}\n"
    assert REDACTOR.redact(text).findings == (Finding("private-key", 1), Finding("private-key", 3))


def test_a_private_key_of_ssh2_or_putty_is_found() -> None:
    assert redacted(key_block("SSH2 ENCRYPTED PRIVATE KEY", dashes="---- ").replace("KEY---- ", "KEY ----")) == (
        "[REDACTED:private-key]"
    )
    putty = f"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n{made_of(ALNUM, 48)}\nPrivate-MAC: {'0a' * 32}"
    assert redacted(f"{putty}\nend") == "[REDACTED:private-key]\nend"
    assert is_left_alone("a file that starts with PuTTY-User-Key-File-3: ssh-ed25519\nand goes on")


def test_a_private_key_with_headers_is_found() -> None:
    block = key_block("RSA PRIVATE KEY").replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,0A\n\n", 1)
    assert redacted(block) == "[REDACTED:private-key]"


@pytest.mark.parametrize("label", ["PUBLIC KEY", "CERTIFICATE", "PGP PUBLIC KEY BLOCK"])
def test_a_public_key_is_left_alone(label: str) -> None:
    assert is_left_alone(key_block(label))


@pytest.mark.parametrize("body", [" are keys.", "\n...\n", "\n<your key>\n", "\n", "`: a key."])
def test_a_begin_line_without_a_key_behind_it_is_left_alone(body: str) -> None:
    begin, *_, end = key_block("RSA PRIVATE KEY").split("\n")
    assert is_left_alone(begin + body)
    assert is_left_alone(begin + body + end)


def jwt(header: object, *, signature_length: int = 43) -> str:
    return f"{jwt_part(header)}.{jwt_part({'sub': '1234', 'name': 'Jo'})}.{made_of(ALNUM + '-_', signature_length)}"


@pytest.mark.parametrize("context", ["{}", "token is {}.", "`{}`", '"{}"', "({})", "Cookie: session={}; a=b", "a\\n{}"])
def test_a_signed_token_is_redacted_with_its_signature(context: str) -> None:
    assert redacted(context.format(jwt({"alg": "HS256", "typ": "JWT"}))) == context.format("[REDACTED:jwt]")


def test_an_unsecured_and_an_encrypted_token_are_redacted() -> None:
    assert redacted(jwt({"alg": "none"}, signature_length=0)) == "[REDACTED:jwt]"
    encrypted = f"{jwt({'alg': 'dir', 'enc': 'A128GCM'})}.{made_of(ALNUM, 20)}.{made_of(ALNUM, 22)}"
    assert redacted(encrypted) == "[REDACTED:jwt]"


def test_a_token_with_parts_like_a_signed_one_is_redacted_whatever_its_header_says() -> None:
    assert redacted(jwt({"typ": "JWT"})) == "[REDACTED:jwt]"
    assert redacted(f"eyJ{made_of(ALNUM, 21)}.eyJ{made_of(ALNUM, 40)}.{made_of(ALNUM, 43)}") == "[REDACTED:jwt]"


def test_what_has_no_header_with_an_algorithm_is_no_signed_token() -> None:
    assert is_left_alone(jwt_part({"alg": "HS256"}) + ".only-one-dot")
    assert is_left_alone(f"eyJ{made_of(ALNUM, 20)}.{made_of(ALNUM, 20)}.{made_of(ALNUM, 20)}")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("postgres://app:{}@db.internal:5432/app", "hunter2"),
        ("postgresql+psycopg://app:{}@[::1]/app", "p@ss:w0rd"),
        ("mysql://root:{}@localhost", "swordfish"),
        ("redis://:{}@cache:6379/0", "s3same"),
        ("amqp://guest:{}@mq/vhost", "pa/ss#word"),
        ("https://bot:{}@git.example.org/team/repo.git", "Tr0ub4dor&3"),
        ("https://bot:{}@example.org/u@v?w@x", "aB3%2Fx"),
        ("see <ftp://jo@example.org:{}@files.example.org>", "1234"),
        ("[dashboard](https://admin:{}@grafana.local)", "letmein"),
        ("https://bot:{}@git.example.org/team/repo.git", "Tu#lip4711"),
        ("https://bot:{}@git.example.org/team/repo.git", "Tu?lip4711"),
        ("https://bot:{}@10.20.0.5/team/repo.git", "Tu/lip4711"),
        ("jdbc:oracle:thin:app/{}@db1:1521:orcl", "Tr0ub4dor&3"),
        ('"mongodb+srv://u:{}@cluster0.mongodb.net/?w=majority"', "kX9-2_f"),
    ],
)
def test_of_credentials_in_a_url_the_password_goes(text: str, secret: str) -> None:
    redaction = REDACTOR.redact(text.format(secret))
    assert redaction.text == text.format("[REDACTED:url-password]")
    assert redaction.findings == (Finding("url-password", 1),)


@pytest.mark.parametrize("name", ["x", "next", "user_id"])
def test_a_password_in_a_query_string_ends_where_the_next_parameter_begins(name: str) -> None:
    url = f"https://example.org/login?user=jo&password={{}}&{name}=1"
    assert redacted(url.format("Harbor!4711x")) == url.format("[REDACTED:password]")


@pytest.mark.parametrize(
    "text",
    [
        "http://localhost:8080/users/jo1@example.org",
        "http://${HOST}:${PORT}/a1@example.org",
        "http://host:port/a1@example.org",
        "postgres://user:<password>@host/db",
        "postgres://user:${DB_PASSWORD}@host/db",
        "postgres://user:$DB_PASSWORD@host/db",
        "postgres://user:{password}@host/db",
        "postgres://user:{{ password }}@host/db",
        "postgres://user:%s@host/db",
        "postgres://user:password@host/db",
        "postgres://user:xxxx@host/db",
        "postgres://user:***@host/db",
        "postgres://user:...@host/db",
        "postgres://user:[REDACTED:url-password]@host/db",
        "https://example.org:8443/a?mail=jo@example.org",
        "https://example.org/a:b@c",
        "http://localhost:3000/@scope/package",
        "ssh://git@github.com:22/team/repo.git",
        "git@github.com:team/repo.git",
        "docker://alpine:3.19@sha256:" + "0a" * 32,
        "https://user@host/path:with@colon",
    ],
)
def test_urls_without_a_password_are_left_alone(text: str) -> None:
    assert is_left_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer {}",
        "authorization: bearer {}",
        'curl -H "Authorization: Bearer {}" https://example.org',
        "'Authorization': 'Token {}'",
        '"Authorization": "Bearer {}",',
        'headers["Authorization"] = "Bearer {}"',
        "Proxy-Authorization: ApiKey {}",
        "Authorization: {}",
        "We call it with Bearer {}, as before.",
        "We call it with `Authorization: Bearer {}` (or with **Bearer {}**).",
        "It sends Bearer {}.",
    ],
)
def test_of_an_authorization_header_the_credential_goes(text: str) -> None:
    count = text.count("{}")
    credentials = [made_of(ALNUM, 32) for _ in range(count)]
    assert redacted(text.format(*credentials)) == text.format(*["[REDACTED:authorization]"] * count)


def test_of_basic_authorization_the_credential_goes() -> None:
    credential = base64.b64encode(b"Sindbad:open sesame").decode()
    assert redacted(f"Authorization: Basic {credential}") == "Authorization: Basic [REDACTED:authorization]"


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer ${TOKEN}",
        'headers = {"Authorization": f"Bearer {token}"}',
        "Authorization: Bearer YOUR_TOKEN_HERE",
        "Authorization: Bearer your-access-token",
        "Authorization: required for all routes",
        "Authorization: Basic authentication is off",
        "Bearer authentication-is-what-we-use-here",
        "authorization: role-based-access-control",
        "Authorization: Bearer xxxxxxxxxxxxxxxxxxxx",
    ],
)
def test_talk_of_authorization_is_left_alone(text: str) -> None:
    assert is_left_alone(text)


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_of_curls_user_option_the_password_goes(quote: str) -> None:
    text = f"curl -fsS -u {quote}admin:{{}}{quote} https://example.org"
    assert redacted(text.format("s3same")) == text.format("[REDACTED:password]")
    assert is_left_alone("docker run -u 1000:1000 alpine")
    assert is_left_alone(text.format("$PASSWORD"))


@pytest.mark.parametrize(
    "text",
    [
        "aws_secret_access_key = {}",
        "AWS_SECRET_ACCESS_KEY={}",
        '"SecretAccessKey": "{}",',
        "| Secret access key | {} |",
        "the secret key is {}.",
        "secret_key: '{}'",
    ],
)
def test_an_aws_secret_key_beside_its_name_is_redacted(text: str) -> None:
    for _ in range(20):
        key = "aB3" + made_of(ALNUM + "+/", 37)
        assert redacted(text.format(key)) == text.format("[REDACTED:aws-secret-key]")


def test_an_aws_secret_key_behind_its_access_key_is_redacted() -> None:
    access_key = "AKIA" + made_of(string.ascii_uppercase + "234567", 16)
    for joint in (",", " / ", " | ", "\n", '"\nsecret "'):
        text = f"{access_key}{joint}{'aB3' + made_of(ALNUM + '+/', 37)} end"
        assert redacted(text) == f"[REDACTED:aws-access-key]{joint}[REDACTED:aws-secret-key] end"


@pytest.mark.parametrize(
    "value", ["0123456789abcdef0123456789abcdef01234567", "src/main/java/com/Example/app/util/String"]
)
def test_hashes_and_paths_beside_a_secret_keys_name_are_no_aws_key(value: str) -> None:
    kinds = {finding.kind for finding in REDACTOR.redact(f"secret key: {value}").findings}
    assert "aws-secret-key" not in kinds


def test_of_azures_connection_strings_the_key_goes() -> None:
    account = f"DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={{}};EndpointSuffix={'core.windows.net'}"
    key = base64.b64encode(RNG.randbytes(64)).decode()
    assert redacted(account.format(key)) == account.format("[REDACTED:azure-storage-key]")
    bus = "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}"
    key = base64.b64encode(RNG.randbytes(32)).decode()
    assert redacted(bus.format(key)) == bus.format("[REDACTED:azure-shared-access-key]")


def test_of_a_shared_access_signature_the_signature_goes() -> None:
    url = "https://acme.blob.core.windows.net/c?sv=2024-08-04&se=2026-01-01T00%3A00%3A00Z&sr=c&sp=r&sig={}"
    signature = base64.b64encode(RNG.randbytes(32)).decode().replace("=", "%3D").replace("/", "%2F")
    assert redacted(url.format(signature)) == url.format("[REDACTED:azure-shared-access-signature]")


@pytest.mark.parametrize("context", ["{}", "posts to {}.", "<{}>", "[hook]({})", 'url: "{}"'])
def test_a_webhook_is_redacted_whole(context: str) -> None:
    host = "hooks.slack.com"
    slack = f"https://{host}/services/T{made_of(ALNUM, 8)}/B{made_of(ALNUM, 8)}/{made_of(ALNUM, 24)}"
    assert redacted(context.format(slack)) == context.format("[REDACTED:slack-webhook]")
    discord = f"https://discord.com/api/webhooks/{made_of('123456789', 18)}/{made_of(ALNUM, 68)}"
    assert redacted(context.format(discord)) == context.format("[REDACTED:discord-webhook]")


def test_webhooks_of_documentation_are_left_alone() -> None:
    assert is_left_alone("https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX")
    assert is_left_alone("see https://discord.com/api/webhooks/ and https://hooks.slack.com/services/")


def test_a_discord_token_starts_with_its_bots_id() -> None:
    for id_length in (17, 18, 19, 20):
        bot = base64.b64encode(("1" + made_of(string.digits, id_length - 1)).encode()).decode().rstrip("=")
        text = f"the bot logs in with {bot}.{made_of(ALNUM, 6)}.{made_of(ALNUM + '-_', 38)}."
        assert redacted(text) == "the bot logs in with [REDACTED:discord-token]."
    assert is_left_alone(f"MzAx{made_of(ALNUM, 20)}.{made_of(ALNUM, 6)}.{made_of(ALNUM, 38)}")


def test_a_twilio_key_is_found_beside_the_name_only() -> None:
    key = "SK" + made_of("0123456789abcdef", 32)
    assert redacted(f"{key} is for Twilio") == "[REDACTED:twilio-key] is for Twilio"
    assert is_left_alone(f"{key} is for something else")
