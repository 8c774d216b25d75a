"""Passwords and secrets that have no format are known by their name, and a name alone is not enough."""

from __future__ import annotations

import string
import uuid

import pytest
from support.for_each import for_each
from support.made_tokens import seeded

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
RNG = seeded("assignments")
PASSWORD = "[REDACTED:password]"
SECRET = "[REDACTED:secret]"


def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


SETTINGS = [
    "DB_PASSWORD={}\n",
    "export PGPASSWORD={}\n",
    'DB_PASSWORD="{}"\n',
    "  password: '{}'\n",
    'password = "{}"',
    '{{"user": "jo", "password": "{}", "port": 1}}',
    '"{{\\"password\\": \\"{}\\"}}"',
    'connect(user="jo", password="{}")',
    "const dbPassword = '{}';",
    'password: str = "{}"',
    'db_passwd := "{}"',
    "'passwd' => '{}',",
    ":password => '{}'",
    'config["password"] = "{}"',
    "Server=x;User Id=sa;Password={};Database=y",
    "host=h user=u password={} dbname=d",
    "https://example.org/login?user=jo&password={}&next=a",
    "spring.datasource.password={}\n",
    "<password>{}</password>",
    '<user name="jo" password="{}"/>',
    '- name: DB_PASSWORD\n  value: "{}"\n',
    '{{"name": "DB_PASSWORD", "value": "{}"}}',
    '{{\n  "key": "DB_PASSWORD",\n  "type": "string",\n  "enabled": true,\n  "value": "{}"\n}}',
    "mysqldump --user root --password={} db",
    "mysqldump --user root --password '{}' db",
    "docker run -e MYSQL_ROOT_PASSWORD={} mysql",
    "MYSQL_ROOT_PASSWORD: {}\n",
    "ALTER USER jo WITH PASSWORD '{}';",
    "CREATE USER 'jo'@'%' IDENTIFIED BY '{}';",
    "the password is `{}`",
    'my password is "{}".',
    "- **Password**: `{}`",
    "Password (staging): `{}`",
]


@for_each("text", SETTINGS)
@for_each("value", ["hunter2", "swordfish", "Tr0ub4dor.3", "aB3-xY_9", "correct-horse-battery-staple"])
def test_a_password_behind_its_name_goes_and_the_name_stays(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format(PASSWORD)


SENTENCES = [
    "the password is {}",
    "The staging password is {}, ask Jo for more.",
    "Password: {}",
    "**Password:** {}",
    "- password: {}\n- user: jo",
    "> my password is {}\n",
    "Password for the admin account: {}",
    "the password for root on web01 is {}.",
    "Password was set to {} yesterday.",
    "I changed the password to {}.",
    "log in as jo with password {} there",
    "| user | jo |\n| password | {} |\n",
    "(pw: {})",
    "mysql --password {} db",
    "passphrase: {}",
    "pwd={}",
]


@for_each("text", SENTENCES)
@for_each("value", ["hunter2", "Tr0ub4dor&3", "s3same!x", "Winter2031", "m4ngo#Tree"])
def test_a_password_in_a_sentence_goes(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format(PASSWORD)


def test_an_exclamation_mark_may_be_the_passwords() -> None:
    assert redacted("the password is hunter2!") == f"the password is {PASSWORD}"


@pytest.mark.parametrize(
    "value", ["p,a;s&s1", "x=y=z1", "a'b\"c1d", "it)is(fine9", "<3you&me", "#hash!tag1", "back\\slash1", "pä55wörd"]
)
def test_a_password_with_punctuation_in_it_goes_whole(value: str) -> None:
    assert redacted(f"DB_PASSWORD={value}\nNEXT=1") == f"DB_PASSWORD={PASSWORD}\nNEXT=1"


def test_a_very_long_password_goes_whole() -> None:
    value = "aB3$" * 2000
    assert redacted(f"password = {value} end") == f"password = {PASSWORD} end"
    assert redacted(f'password = "{value}" end') == f'password = "{PASSWORD}" end'


@pytest.mark.parametrize(
    "text",
    [
        "my passphrase: {}",
        "The passphrase is {}.",
        'passphrase = "{}"',
        "**Recovery phrase:** {}\nmore",
        "seed phrase: {} (keep it)",
        "mnemonic: {}",
    ],
)
def test_a_passphrase_of_words_goes(text: str) -> None:
    for phrase in ("correct horse battery staple", "legal winner thank year wave sausage worth useful legal winner"):
        assert redacted(text.format(phrase)) == text.format(PASSWORD)


@for_each(
    "text",
    [
        "password is required",
        "Password is required.",
        "password: string",
        "password: str",
        "password: Optional[str] = None",
        "password: SecretStr",
        "the password is stored in Vault",
        "The password is wrong, try again.",
        "the password was changed on 2026-01-05",
        "password reset: see https://example.org/reset",
        "Password: must have at least 12 characters",
        "password: 8-64 characters",
        "password is 12-character and bcrypt-hashed",
        "the password is SHA-256 hashed",
        "the password is AES-256-GCM encrypted with a 32-byte key",
        "password = os.environ['DB_PASSWORD']",
        'password = os.environ["DB_PASSWORD"]',
        'password = os.getenv("DB_PASSWORD")',
        "password=settings.db_password",
        "password = getpass.getpass()",
        'password = input("Password: ")',
        "password=password, user=user",
        "self.password = password",
        "password = generate_password(16)",
        "password: process.env.DB_PASSWORD,",
        "password: ${{ secrets.DB_PASSWORD }}",
        "password: {{ .Values.db.password }}",
        "DB_PASSWORD=${DB_PASSWORD}",
        "DB_PASSWORD=$DB_PASSWORD",
        "DB_PASSWORD=$(cat /run/secrets/db)",
        "DB_PASSWORD=<your password>",
        "DB_PASSWORD=your-password-here",
        "DB_PASSWORD=changeme",
        "DB_PASSWORD=xxxxxxxx",
        "DB_PASSWORD=********",
        "DB_PASSWORD=",
        'DB_PASSWORD=""',
        "DB_PASSWORD_FILE=/run/secrets/db_password",
        'password: "/run/secrets/db_password"',
        'password: "op://vault/item/password"',
        "password: !vault |",
        "password: null",
        'password: "Enter your password"',
        '"password": {"type": "string", "minLength": 8}',
        '<input type="password" name="password" placeholder="Password">',
        "password_hash = x1y2z3a4",
        "password-policy: min12chars",
        "| password | string | required |",
        "--password PASSWORD  the password",
        "--password TEXT",
        "Use --password or --password-file.",
        "passwordless: true1",
        "1Password: Shared1Vault",
        "pass: 12, fail: 3",
        "Pass `--no-verify2` to skip the hook",
        "All tests pass: 1204",
        "bypass=yes1",
        "compass: north2",
        "PWD=/srv/app",
        "passphrase: kept in the team's vault",
        "the passphrase is never stored on disk",
        "mnemonic: mov add sub",
    ],
)
def test_talk_of_passwords_and_placeholders_are_left_alone(text: str) -> None:
    assert redacted(text) == text


NAMED = [
    "api_key: {}",
    "API_KEY={}\n",
    '"apiKey": "{}",',
    "x-api-key: {}",
    "the API key is {}",
    "The API token for staging is `{}`.",
    "auth_token = '{}'",
    "tool --token {} run",
    "https://example.org/v1?access_token={}&a=b",
    "| API key | {} |",
    "SECRET_KEY = '{}'",
    "client_secret: {}",
    "- Client secret: `{}`",
    "export GH_TOKEN={}",
    "my secret key is {}!",
    "<apiKey>{}</apiKey>",
    '{{"name": "API_TOKEN", "value": "{}"}}',
    "//registry.example.org/:_authToken={}",
    "encryption key: {}",
]


def secrets() -> list[str]:
    return [
        "".join(RNG.choices("0123456789abcdef", k=32)),
        "".join(RNG.choices("0123456789abcdef", k=64)),
        "a1B2" + "".join(RNG.choices(string.ascii_letters + string.digits, k=28)),
        "k7" + "".join(RNG.choices(string.ascii_lowercase + string.digits, k=38)),
        str(uuid.UUID(int=RNG.getrandbits(128))),
        "pk-live-a1B2" + "".join(RNG.choices(string.ascii_letters + string.digits, k=20)),
    ]


@pytest.mark.parametrize("text", NAMED)
def test_a_secret_behind_its_name_goes_and_the_name_stays(text: str) -> None:
    for value in secrets():
        found = REDACTOR.redact(text.format(value))
        assert value not in found.text, value
        assert found.text.count("[REDACTED:") == 1


def test_a_secret_that_somebody_made_up_goes() -> None:
    assert redacted("JWT_SECRET=mysecret123\n") == f"JWT_SECRET={SECRET}\n"
    assert redacted('client_secret = "s3cr3t-value"') == f'client_secret = "{SECRET}"'


@for_each(
    "text",
    [
        "token: string",
        "The token is valid for 3600s.",
        "max_tokens: 4096, temperature: 0.2",
        "tokens used: 12345678",
        "total tokens: 1234567, cached: 98765",
        "next_token = a1b2c3d4e5f6a7b8",
        "nextPageToken: CAoQAA9x8y7z6w5v",
        "idempotency token 7f3a9c1e",
        "token_type: bearer, expires_in: 3600",
        "eos_token: </s>",
        "api_key = config.api_key",
        "api_key=os.environ['API_KEY']",
        "API_KEY=your_api_key_here",
        "API_KEY=sk-...",
        'api_key="my-api-key"',
        "apiKey: process.env.API_KEY",
        "api key rotation: every 90 days",
        "primary_key: user_id1",
        "partition key = tenant2024",
        "public_key: a1b2c3d4e5f6",
        "keyboard: iso105",
        "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdE1",
        "secret_name: prod/db2",
        "secretKeyRef: {name: db2}",
        "client_secret: ${CLIENT_SECRET}",
        "client_secret: <client-secret>",
        "the secret is that we cache it",
        "auth: oauth2-pkce",
        "author: a1b2c3d4e5f6",
        "secret/data/prod/db2",
    ],
)
def test_talk_of_secrets_and_other_tokens_and_keys_is_left_alone(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize("kind", ["password", "github-token"])
def test_a_value_that_is_a_placeholder_already_is_left_alone(kind: str) -> None:
    mark = f"[REDACTED:{kind}]"
    for text in (*SETTINGS, *SENTENCES, *NAMED):
        assert redacted(text.format(mark)) == text.format(mark)


LISTS = [
    "passwords: {}, {}, {}",
    "PASSWORDS={}, {}, {}\n",
    "the passwords were {}, {} and {}.",
    "**Passwords:** `{}`, `{}`, and `{}` (old)",
    "old passwords: {} / {} / {}",
    '"passwords": ["{}", "{}", "{}"], "port": 1',
    "passwords = [\n    '{}',\n    '{}',\n    '{}',\n]",
    '"{{\\"passwords\\": [\\"{}\\", \\"{}\\", \\"{}\\"]}}"',
    "passwords: [{}, {}, {}]\nport: 1\n",
    "passwords:\n  - {}\n  - '{}'  # old\n  - {}\nport: 1\n",
]
VALUES = ("Tr0ub4dor.3", "aB3-xY_9", "Hunter-22x")


@pytest.mark.parametrize("text", LISTS)
def test_of_several_passwords_behind_one_name_all_go(text: str) -> None:
    once = redacted(text.format(*VALUES))
    before, behind = text.format("|", "|", "|").split("|")[::3]
    assert once == before + PASSWORD + behind
    assert redacted(once) == once


@pytest.mark.parametrize("text", LISTS)
def test_a_password_beside_those_that_are_gone_goes(text: str) -> None:
    for place in range(3):
        values = [VALUES[number] if number == place else PASSWORD for number in range(3)]
        assert redacted(text.format(*values)) == text.format(PASSWORD, PASSWORD, PASSWORD)


@pytest.mark.parametrize(
    "text",
    [
        "passwords are hashed with sha256, bcrypt2",
        "passwords: 12-character minimum, 90 days, UTF-8",
        "passwords:\n- v2alpha rollout first\n- oauth2 later\n",
        "passwords = load(path1, path2)",
        "hash_passwords(a1b2, c3d4)",
        f"passwords: {PASSWORD}, user=bob2, host=db2",
        f"passwords: {PASSWORD}, {PASSWORD}, see the vault",
    ],
)
def test_what_is_no_list_of_passwords_is_left_alone(text: str) -> None:
    assert redacted(text) == text


GLUED = [
    "password={}",
    'password: "{}"',
    "DB_PASSWORD={}\n",
    "the password is {}.",
    "<password>{}</password>",
    "| user | password |\n|---|---|\n| bob | {} |\n",
    "use {} as the password",
    "id/pw: bob/{}",
    "curl -u bob:{} https://example.org",
    "https://bob:{}@example.org/x",
]


@for_each("text", GLUED)
@for_each("form", ["{mark}{rest}", "{rest}{mark}", "{mark}{rest}{mark}", "{rest}{mark}{rest}"])
def test_what_is_glued_to_a_placeholder_is_judged_without_it(text: str, form: str) -> None:
    mark, rest = "[REDACTED:github-token]", "hunter2Real"
    once = redacted(text.format(form.format(mark=mark, rest=rest)))
    assert rest not in once
    assert once.count(mark) == form.count("{mark}")
    assert redacted(once) == once


@pytest.mark.parametrize(
    "text", ["password={},user2", "password={}@db1.example", "password: {}/admin2", "[password {}](login2)", "{}-prod2"]
)
def test_a_host_a_field_or_a_link_behind_a_placeholder_is_left_alone(text: str) -> None:
    assert redacted(text.format(PASSWORD)) == text.format(PASSWORD)


NAMES = ["api_key", "db_password", "client_secret", "access_token"]
SYNTAXES = [
    'public string {camel} {{ get; set; }} = "{v}";',
    "ENV['{upper}'] ||= '{v}'",
    '{name} <- "{v}"',
    'let {name}: Option<&str> = Some("{v}");',
    '"{name}": {{"value": "{v}"}}',
    '{{"{name}": {{"S": "{v}"}}}}',
    "- {name}:\n    value: {v}\n",
    '<property name="{name}"><value>{v}</value></property>',
    "| {upper} | string | {v} |",
    'gh secret set {upper} --body "{v}"',
    "gh secret set {upper} -b {v}",
    "vercel env add {upper} <<< {v}",
    "ENV {upper} {v}\n",
    'setx {upper} "{v}"',
    "set -x {upper} {v}",
    "set -gx {upper} {v}\n",
    '#define {upper} "{v}"',
    '(setq my-{dashes} "{v}")',
    '(def {dashes} "{v}")',
    "Set {upper} to {v} before the start",
    "app.{dots}={v}",
    "java -D{dots}={v} -jar app.jar",
]


@for_each("text", SYNTAXES)
@for_each("name", NAMES)
def test_what_is_named_goes_in_whatever_language_it_is_set(text: str, name: str) -> None:
    words = name.split("_")
    forms = {"camel": "".join(word.title() for word in words), "upper": name.upper(), "name": name}
    forms |= {"dashes": "-".join(words), "dots": ".".join(words)}
    value = "".join(RNG.choices(string.ascii_letters + string.digits, k=28))
    mark = PASSWORD if "password" in name else SECRET
    assert redacted(text.format(v=value, **forms)) == text.format(v=mark, **forms)


VARIABLES = [
    "GITHUB_PAT",
    "AZURE_DEVOPS_PAT",
    "TELEGRAM_API_HASH",
    "AZURE_OPENAI_KEY",
    "OPENAI_KEY",
    "VAULT_UNSEAL_KEY",
]


@for_each("name", [*VARIABLES, "VAULT_TOKEN", "SECRET_KEY_BASE"])
@for_each("text", ["{N}={v}", "{N}: {v}\n", "| {N} | {v} |", "--{d} {v}", "The {N} is {v}.", '{N} = "{v}"'])
def test_a_variable_that_names_a_key_by_its_owner_is_a_name(text: str, name: str) -> None:
    alphabet, length = ("0123456789abcdef", 128) if name.endswith(("BASE", "HASH")) else (string.ascii_letters, 32)
    value = "".join(RNG.choices(alphabet + string.digits, k=length))
    forms = {"N": name, "d": name.lower().replace("_", "-")}
    assert value not in redacted(text.format(v=value, **forms))


@pytest.mark.parametrize(
    "text",
    [
        "ENV API_KEY required",
        "Set API_KEY to something before the start",
        "fn login(token: Option<&str> = None, password: Option<&str>) {}",
        '{"token": {"type": "string"}, "password": {"value": "string"}}',
        "| API_KEY | string | required |\n| password | string | at least 8 characters |",
        "#define API_KEY_LENGTH 32\n#define TOKEN_TYPE 0x1f",
        '(def token (System/getenv "API_TOKEN"))',
        "The path is in GIT_PAT: see above",
        '_NAME_PAT = r"(?:[^\\[\\]%:/?#]|%[a-fA-F0-9]{2})*"\n',
        '_PAT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._\\-~"',
        "api.key=@api.key@",
        "cache.key=user:4711:profile:v2",
        'gh secret set API_KEY --body "$API_KEY"',
    ],
)
def test_names_in_other_languages_without_a_value_are_left_alone(text: str) -> None:
    assert redacted(text) == text


@for_each(
    ("text", "value"),
    [
        ("stringData:\n  user: mailer\n  pass: {}\n", "lanternfish"),
        ('gpg --passphrase "{}" -d x.gpg', "ochre tulip wagon"),
        ("auth: user=jo pw={} ip=10.0.0.8 result=ok", "tomato.Soup"),
        ('host = "db1"\n  password = "{}"\n', "purple window"),
        ('The wifi password is "{}".', "two chickens"),
        ('{{"user": "eva", "heslo": "{}"}}', "modrá žába"),
        ("<user>radio</user>\n<admin-password>{}</admin-password>", "red light quiet"),
        ("<haslo>{}</haslo>", "lantern.mustard"),
        ("wifi_ssid: Birkenhof\nwifi_password: {}\n", "Oma backt Streusel"),
        ("smtp-password: {}\nport: 25\n", "brown otter dance"),
        ("export PASSWORD_DB='{}'", "cashew-in-the-yard"),
        ("losenord_smtp: '{}'", "Midsommar_regnet"),
    ],
)
def test_plain_words_go_where_nothing_but_a_password_stands(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format(PASSWORD)


@for_each(
    "text",
    [
        "user.name=quill\nsigning.password={}\n",
        "signing.password={}\nsigning.keyId=006667CF\n",
    ],
)
def test_in_a_file_of_properties_a_password_ends_with_its_line(text: str) -> None:
    assert redacted(text.format("Harbor!47 rolls uphill")) == text.format(PASSWORD)


@for_each(
    "text",
    [
        "login.password=Enter your password\nlogin.user=Enter your name\n",
        '"user": "Gebruiker", "password": "Enter again"',
        'password = "not valid"',
        'The password is "too short".',
        'Do not use Environment= for passwords: "systemctl show" prints them.',
        "user: jo\npassword: ask the admin\n",
        "Gebruiker: jo\nWachtwoord: zie kluis\n",
        "<user>name</user>\n<password>forgotten again</password>",
        "password_hashDb = 'brown otter'",
        "DB_PASSWORD=${DB_PASSWORD:?must be set}\n",
        "user: string\npass: string\n",
        "steps:\n  user: create\n  pass: verify\n",
        'tool --passphrase "the passphrase to use" -d x',
        "user=self.user pw=self.password host=self.host",
        "connect(user=cfg.user, password=cfg.login, host=cfg.host)",
    ],
)
def test_what_forms_and_code_have_there_stays(text: str) -> None:
    assert redacted(text) == text


@for_each(
    "text",
    (
        '"Jwt": {{ "Issuer": "acme", "Key": "{}" }}',
        "'auth': {{'key': '{}'}}",
        "app.config['SECRET_KEY'] = '{}'",
        'SECRET_KEY_BASE="{}"',
    ),
)
def test_a_key_that_somebody_made_up_goes_where_its_object_or_its_name_says_that_it_is_one(text: str) -> None:
    made = text.format("dev-but-used-in-prod-81")
    assert PatternRedactor().redact(made).text == text.format("[REDACTED:secret]")


@for_each(
    "text",
    (
        '"S3": { "Key": "ThisIsMySuperLong/SigningKey2024" }',
        '"tokenizer": {"Key": "ThisIsATokenWithNumber12345"}',
        '"auth": {"mode": {}, "Key": "dev-but-used-in-prod-81"}',
        'secret: "web-tls-for-prod-02"',
        "secret_key = 'stripe-key-v2'",
    ),
)
def test_a_key_of_anything_else_stays(text: str) -> None:
    assert PatternRedactor().redact(text).text == text


@for_each(
    "text",
    [
        "user = Aladdin\npassword = «open_sesame»",
        "user = Aladdin\n// some comment\n# another\npassword = «open_sesame»",
        "db_user: app\ndb_password: «harbor_gravel»",
    ],
)
def test_below_a_line_with_a_user_joined_words_are_a_password(text: str) -> None:
    secret = text.partition("«")[2].partition("»")[0]
    assert secret not in REDACTOR.redact(text.replace("«", "").replace("»", "")).text


@for_each(
    "text",
    [
        "user = alice\npassword = hashed_value",
        "user = form_user\npassword = form_password",
        "password = open_sesame",
        "user_id = 17\n\npassword = open_form",
    ],
)
def test_names_of_code_below_a_user_and_joined_words_without_one_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "curl --user [REDACTED:api-key]-:Gravel51!x https://example.org",
        "curl -u [REDACTED:api-key]:'Gravel51!x' https://example.org",
    ],
)
def test_a_password_behind_a_user_that_was_removed_goes(text: str) -> None:
    assert "Gravel51" not in REDACTOR.redact(text).text


def test_a_filler_behind_a_user_that_was_removed_stays() -> None:
    text = "curl -u [REDACTED:password]:x https://example.org"
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "Server=db1;Database=shop;User Id=shop_user;Password={};",
        "Password={};Initial Catalog=Shop;Data Source=db1",
        "host=db1 user=app password={} dbname=shop",
        "user=app password={} host=db1",
    ],
)
@for_each("password", ["shop_user", "app_rw", "gravel", "Kettle7!"])
def test_in_a_connection_string_whatever_is_a_password_goes(text: str, password: str) -> None:
    assert redacted(text.format(password)) == text.format(PASSWORD)


@for_each(
    "text",
    [
        '"Server=db1;User Id=" + user + ";Password=" + password + ";"',
        "Server=db1;User Id={0};Password={1};Database=shop",
        "Server=db1;User Id=jo;Password=your_password;",
        "host=db1 user=$user password=$password dbname=shop",
    ],
)
def test_what_is_put_into_a_connection_string_stays(text: str) -> None:
    assert redacted(text) == text


@for_each(
    "text",
    [
        'host, password, port = "db1", "{}", "5432"',
        'const host, password string = "db1", "{}"',
        "my ($host, $password) = ('db1', '{}');",
        'const [host, password] = ["db1", "{}"];',
    ],
)
@for_each("password", ["gravel", "kale12", "Kettle7!"])
def test_of_values_that_are_set_at_once_the_one_of_its_name_goes(text: str, password: str) -> None:
    assert password not in redacted(text.format(password))


@for_each("text", ['label, password = "Enter it", "Password"', 'ok, password = check("a", "kale12x")'])
def test_of_values_that_are_set_at_once_words_and_arguments_stay(text: str) -> None:
    assert redacted(text) == text


@for_each("call", ["SET PASSWORD FOR 'jo'@'%' = PASSWORD('{}');", "insert into users values (PASSWORD('{}'))"])
@for_each("password", ["gravel", "kale12"])
def test_what_sql_hashes_as_a_password_goes(call: str, password: str) -> None:
    assert redacted(call.format(password)) == call.format(PASSWORD)


MADE_UP = ["walnut-velvet-tunnel", "walnut_velvet_4711", "jwt_signing_key_very_long_ghi789", "super-secret-walnut-key"]


@for_each("value", MADE_UP)
@for_each(
    "form",
    [
        "JWT_SECRET={}\n",
        "SESSION_SECRET: {}\n",
        'export COOKIE_SECRET="{}"\n',
        "API_SIGNING_SECRET = '{}'",
        'const jwtSecret = "{}";',
        '- name: ENCRYPTION_KEY\n  value: "{}"\n',
        "SECRET_KEY_BASE={}\n",
        'os.getenv("HMAC_SECRET", "{}")',
        "| NEXTAUTH_SECRET | `{}` |",
        "- **Cookie secret:** `{}`",
        'jwt:\n  secret: "{}"\n',
    ],
)
def test_words_that_somebody_joined_are_a_secret_to_sign_with(form: str, value: str) -> None:
    assert value not in redacted(form.format(value))


@for_each(
    "text",
    [
        "TLS_SECRET=web-tls-cert-2024\n",
        "secretName: web-tls-2024\n",
        "imagePullSecret: regcred-prod-eu\n",
        "existingSecret: postgres-credentials-2024\n",
        "JWT_SECRET_NAME=prod-jwt-2024\n",
        "JWT_SECRET: app-jwt-secret\n",
        "gcloud run deploy --set-secrets=JWT_SECRET=prod-jwt-secret:latest",
        "SIGNING_KEY_ID=walnut-velvet-tunnel-99\n",
        'SIGNING_KEY="release-signing-key-2024"',
        'encryption_key = "prod-data-encryption"',
        'API_KEY="google-maps-javascript"',
        "session({ key: 'connect-session-id' })",
        "jwt_secret = some_long_variable_name",
        'xpack.security.encryptionKey: "something_at_least_32_characters"',
        "JWT_SECRET=change-me-in-production\n",
        "'Square OAuth Secret': 'CKV_SECRET_16'",
    ],
)
def test_the_name_of_a_secret_is_no_secret(text: str) -> None:
    assert redacted(text) == text


@for_each("name", ["password", "DB_PASSWORD", "smtpPassword"])
@for_each(
    "string",
    [
        'L"{}"',
        "N'{}'",
        '@"{}"',
        'String::from("{}")',
        'new String("{}")',
        '"{{}}".format("{}")',
        "'%s' % '{}'",
        'os.environ.get("CI_X", "{}")',
        'process.env.CI_X || "{}"',
        'System.getenv().getOrDefault("CI_X", "{}")',
        'fmt.Sprintf("%s", "{}")',
    ],
)
def test_what_code_has_before_a_string_makes_no_difference(string: str, name: str) -> None:
    text = f"{name} = {string}"
    assert redacted(text.format("walnutvelvet")) == text.format(PASSWORD)


@for_each("string", ['f"{{name}}{}"', 'f"{{a}}-{}"', "`${{prefix}}{}`", '"#{{prefix}}{}"', 'u8"{}"'])
@for_each("name", ["key", "token", "api_key", "secret"])
def test_what_code_inserts_into_a_string_makes_no_difference(string: str, name: str) -> None:
    text, value = f"{name} = {string}", "I6CmuxV5EbOApZOXzcycDeZ6dqmVe5Mv"
    assert redacted(text.format(value)) == text.format(SECRET)


@for_each(
    "text",
    [
        'password = f"{a}{b}"',
        'cache_key = f"{prefix}:user:{id}"',
        'password = "{}".format(password)',
        'password = os.environ.get("DB_PASSWORD", "password")',
        'password = config.get("db", "mailpass")',
        "password = str(user.password)",
        "public_bytes(0x738713a818d8962058765a6ca7cff00d796c2541)",
    ],
)
def test_a_string_with_nothing_but_references_stays(text: str) -> None:
    assert redacted(text) == text


@for_each("option", ["--api-key sk-1234", "--api-key='abc123'", "--token tok-98765", '--password "open sesame"'])
def test_an_option_holds_a_short_key_or_words(option: str) -> None:
    value = option.replace("=", " ").split(" ", 1)[1].strip("\"'")
    assert value not in redacted(f"acme login {option} run")


@for_each(
    "option",
    ["--api-key KEY", "--api-key $K", "--token auto", "--token v1.2", "--api-key-file a123.txt", '--password "a word"'],
)
def test_an_option_may_hold_no_key(option: str) -> None:
    assert redacted(f"acme login {option} run") == f"acme login {option} run"


@for_each(
    "text",
    [
        *(
            "api_key=\u00ababc123\u00bb",
            "TWILIO_AUTH_TOKEN=\u00abtwiliotoken123456\u00bb",
            'client_secret: "\u00abs3cr3t12\u00bb"',
        ),
        *("GET https://api.example.com?api_key=\u00abgravel123\u00bb&user=jo", "tool --token \u00abhunter22\u00bb run"),
        '$env:API_KEY="\u00abgravel22\u00bb"; npm test',
        "Repo password: \u00abLinnet Song 1402\u00bb. Retention: 7 daily",
    ],
)
def test_what_somebody_typed_as_a_secret_goes(text: str) -> None:
    value = text[text.index("\u00ab") + 1 : text.index("\u00bb")]
    redacted = REDACTOR.redact(text.replace("\u00ab", "").replace("\u00bb", ""))
    assert value not in redacted.text
    assert redacted.findings


@for_each(
    "text",
    [
        *("api_key = key12", "TOKEN_VERSION=v22", "secret: app-secret-12", '{"secret": "sha256", "token": "build123"}'),
        *('api_key: "rsa2048"', "token=2024-05", "TOKEN=ACME_TOKEN_16", "auth_token=v1.2.3"),
    ],
)
def test_a_variable_an_algorithm_a_version_or_a_thing_named_there_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text
