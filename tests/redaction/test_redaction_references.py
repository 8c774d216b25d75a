"""What stands for a secret that is elsewhere stays as a whole, and a secret in the same place goes."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()


@for_each(
    "text",
    [
        'value: "postgresql://$(DB_USER):$(DB_PASSWORD)@$(DB_SERVER):$(DB_PORT)/$(DB_NAME)"',
        'DATABASE_URL: "postgresql://${self:custom.db.user}:${self:custom.db.password}@${self:custom.db_host}:5432/x"',
        "url = redis://:%(db_password)s@%(db_host)s:6379/0",
        "url = amqp://%DB_USER%:%DB_PASSWORD%@%DB_HOST%",
        'DB_PASSWORD=os.Getenv("DB_PASSWORD")\n\tDB_NAME="shop"',
        "f\"PWD={os.environ.get('DATABASE_PASS')};\"",
        "password: process.env['DB_PASS2'],",
        "  password: form.pw1_x,",
        'authentication(userName: "root", password: mvnPassword)',
        "login(user=jo, password=hashed_password_2)",
        '"Key": "@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/sub-key/e3e56868da48ab516b3538609ec2eb9b)",',
        "db_password: ref+awsssm:///prod/db1/password",
        "API_KEY=op://vault1/item2/section/field3",
        "password: !GetAtt Db1.Password",
        "password: vault:v1/secret/db1#DB_PASSWORD",
        'echo "user:$MY_PASS" | chpasswd',
        "09_variable_password: 'This is not a password'",
        'String usernamePassword = "application:" + appKey + ":" + appSecret;',
        'password = "prefix_{}".format(other)',
        'backend_pass = "XXXXXXXXXXXXX";',
        "cmdkey /add:s /user:<testuser5> /pass:<5555>",
        "암호 : @@@hl@@@비번@@@endhl@@@",
        'confirm_password: "passwordFieldLabel1"',
        "PASSWORD = 'queue/amqp/password'",
        "'password': processors.MASK,",
        "--parameter-overrides DbPassword=$$DB_PASSWORD",
        "ALTER ROLE orders WITH PASSWORD :'newpw'",
        "password: {{ pillar['mysql']['root_password'] | yaml_dquote }}",
        "login: docker/login-action@343f7c4344506bcbf9b4de18042ae17996df046d",
        "login(email: String!, password: String!): AuthPayload!",
        'secret: "sha256:a1b2c3d4e5f60718a1b2c3d4e5f60718a1b2c3d4e5f60718a1b2c3d4e5f60718"',
        'the root password of the lab is "in the usual place".',
    ],
)
def test_a_reference_a_mask_or_a_name_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    ("text", "secret"),
    [
        ("postgresql://${self:custom.db.user}:kT9mw2xQ4zL8@${self:custom.db_host}/x", "kT9mw2xQ4zL8"),
        ("DB_PASSWORD=env('DB_PASSWORD', 'Harbor4711x')", "Harbor4711x"),
        ('password = os.getenv("DB_PASSWORD", "Harbor!4711x")', "Harbor!4711x"),
        ("password: ${DB_PASSWORD:-Harbor!4711x}", "Harbor!4711x"),
        ('authentication(userName: "root", password: "Harbor!4711x")', "Harbor!4711x"),
        ("password: %Harbor12%", "Harbor12"),
        ("root password: Kranich%saffron !", "Kranich%saffron"),
        ('db_password: "mailBox12"', "mailBox12"),
        ("password: form.kT9mw2x", "kT9mw2x"),
        ("unlocked by `security unlock-keychain -p ninePebbles build.keychain-db`", "ninePebbles"),
        ("echo 'jo:Harbor!4711x' | chpasswd", "Harbor!4711x"),
        ('password = "Harbor!4711x" + salt', "Harbor!4711x"),
        ('09_variable_password: "Harbor!4711x"', "Harbor!4711x"),
        ("cmdkey /add:s /user:jo /pass:Harbor!4711x", "Harbor!4711x"),
    ],
)
def test_a_secret_in_the_same_place_goes(text: str, secret: str) -> None:
    assert secret not in REDACTOR.redact(text).text


@for_each("name", ["PUBLIC_API_KEY", "publicApiKey", "ProjectKey", "rowIDkey", "colKey", "columnkey", "uniq_key"])
def test_a_key_of_a_table_and_a_public_key_stay(name: str) -> None:
    text = f"export {name}=h4rdc0dedOkay02"
    assert REDACTOR.redact(text).text == text


@for_each("name", ["API_KEY", "PRIVATE_API_KEY", "projectApiKey", "columnEncryptionKey", "public_site_secret"])
def test_a_key_that_opens_something_goes(name: str) -> None:
    assert "h4rdc0dedOkay02" not in REDACTOR.redact(f"export {name}=h4rdc0dedOkay02").text
