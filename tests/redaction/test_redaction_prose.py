"""Passwords are found however people say them, and what only talks of passwords is left alone."""

from __future__ import annotations

import string

import pytest
from support.for_each import for_each
from support.made_tokens import seeded

from s3memory.redaction import PatternRedactor
from s3memory.redaction.text.wording import is_descriptive_word, is_gibberish

REDACTOR = PatternRedactor()
RNG = seeded("prose")
PASSWORD = "[REDACTED:password]"
ALNUM = string.ascii_letters + string.digits


def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


PAIRS = [
    "id/pw: bob/{}",
    "ID/PW=bob/{}",
    "ID PW bob {}",
    "username/password = bob/{}",
    "(ID&PWD): bob/{}",
    "credentials: bob:{}",
    "The credentials for the dashboard are bob / {}.",
    "login: bob / {}",
    "Log in as bob with {}.",
    "sign in with bob/{}",
    "192.0.2.7 (bob/{})",
    "192.0.2.7, bob/{}",
    "ssh bob@192.0.2.7 (bob/{})",
    "the test account (bob/{})",
    "id(bob)/pw({})",
    "(ID)bob/(PW){}",
]


@for_each("text", PAIRS)
@for_each("value", ["Tr0ub4dor3", "aB3xY9kQ"])
def test_of_a_pair_the_user_stays_and_the_password_goes(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format(PASSWORD)


SENTENCES = [
    "{} is the password of the router.",
    "Use {} as the passphrase.",
    "log in with user bob and password {}",
    "user: bob, pass: {}",
    "I reset the password for bob to {} this morning",
    "What was the password? It is {}.",
    "Bob's password is {} until Friday",
    "the pw's {}",
    "passowrd is {}",
    "### Admin password\n\n`{}`\n",
    "Password:\n{}\n",
    "PASS - {}",
    "TODO: drop the hard-coded password ({})",
]


@for_each("text", SENTENCES)
@for_each("value", ["hunter22", "Tr0ub4dor&3"])
def test_a_password_goes_wherever_its_name_stands(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format(PASSWORD)


LANGUAGES = [
    "Das Passwort lautet {}.",
    "Kennwort: {}",
    "Le mot de passe est {}.",
    "La contrase\u00f1a es {}.",
    "la password \u00e8 {}",
    "A senha \u00e9 {}.",
    "het wachtwoord is {}",
    "l\u00f6senord: {}",
    "has\u0142o: {}",
    "\u043f\u0430\u0440\u043e\u043b\u044c: {}",
    "\u5bc6\u7801\u662f{}\u3002",
    "\u5bc6\u7801\uff1a{}",
    "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f{}\u3067\u3059",
    "\ube44\ubc00\ubc88\ud638\ub294 {} \uc785\ub2c8\ub2e4",
    "\uacc4\uc815/\ube44\ubc88: bob/{}",
]


@pytest.mark.parametrize("text", LANGUAGES)
def test_a_password_goes_in_other_languages(text: str) -> None:
    assert redacted(text.format("hunter22")) == text.format(PASSWORD)


COMMANDS = [
    "mysql -u root -p{} app",
    "sshpass -p '{}' ssh root@192.0.2.7",
    "htpasswd -b -c .htpasswd bob {}\n",
    "docker login -u bob -p {} registry.example.org",
    "openssl rsa -passin pass:{} -in key.pem",
    "keytool -list -storepass {}",
    "requirepass {}\n",
    'echo "bob:{}" | chpasswd',
    "sqlplus system/{}@orcl",
    'ConvertTo-SecureString "{}" -AsPlainText -Force',
    "cmdkey /add:server /user:bob /pass:{}",
]


@pytest.mark.parametrize("text", COMMANDS)
@pytest.mark.parametrize("value", ["hunter22", "swordfish"])
def test_a_password_on_a_command_line_goes(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format(PASSWORD)


def test_of_a_table_the_column_of_passwords_goes_and_the_others_stay() -> None:
    text = "| user | password | host |\n|---|:--|---|\n| bob | {} | web1 |\n| ann | `{}` | web2 |\n\nend | of | it"
    assert redacted(text.format("swordfish", "aB3xY9kQ")) == text.format(PASSWORD, PASSWORD)


def test_of_a_table_the_column_of_keys_goes() -> None:
    text = "name | API key\n--- | ---\nci | {}\n"
    key = "".join(RNG.choices(ALNUM, k=32))
    assert redacted(text.format(key)) == text.format("[REDACTED:secret]")


INNOCENT = [
    "| parameter | type |\n|---|---|\n| password | string |\n| token | string |\n",
    "| password | description |\n|---|---|\n| required | see below |\n| optional | - |\n",
    "The password is required.",
    "The password is hashed and never logged.",
    "password: hashed with bcrypt\n",
    "the passwords are strings.",
    "id/name: app/web",
    "credentials: include",
    "credentials: 'same-origin'",
    "Log in as root with SSH.",
    "login: https://example.org/login",
    "192.0.2.7/24, eth0",
    "the image (linux/amd64) and (linux/arm64)",
    "(src/utils2)",
    "http://192.0.2.7/bob/photo1",
    "Use OAuth2 as the authentication flow.",
    "This is the password page.",
    "mysql -u root -p app",
    "mysql -h db --port 3306",
    "docker run -p 8080:80 nginx",
    "key: value",
    "monkey = 'abcdefgh12345678'",
    "cache_key = 'a1b2c3d4e5f6a7b8c9d0e1f2'",
    'keys = ["username", "password", "email1"]',
    "def login(user, password, token):",
    "connect(user=user, password=password, token=token)",
    "PIN: see the letter",
    "The pins are 1234 and 5678.",
    "secret santa: Tom",
    "version id veS_XtRsK6_ylRCiv8ZiH8qNdj8MtZFS",
    "zh-Hans: \u5bc6\u7801\u662f\u5fc5\u586b\u7684",
]


@for_each("text", INNOCENT)
def test_what_only_talks_of_passwords_is_left_alone(text: str) -> None:
    assert redacted(text) == text


def test_a_long_table_of_passwords_is_read_to_its_end() -> None:
    rows = "".join(f"| user{number} | Passw0rd{number} |\n" for number in range(300))
    found = REDACTOR.redact(f"| user | password |\n|---|---|\n{rows}").findings
    assert len(found) == 300


def test_random_letters_are_told_from_words() -> None:
    made = ["".join(RNG.choices(string.ascii_lowercase, k=20)) for _ in range(300)]
    assert sum(map(is_gibberish, made)) > 285
    words = ["configuration", "authentication", "my_service_name", "production-database", "RepositoryController"]
    assert not any(map(is_gibberish, words))


@pytest.mark.parametrize("word", ["required", "hashed", "optional", "missing", "stored", "expired"])
def test_words_about_passwords_are_told_from_passwords(word: str) -> None:
    assert is_descriptive_word(word)
    assert not is_descriptive_word("swordfish")


@pytest.mark.parametrize(
    "text", ['пароль: "тот же"', '{"密码": "见保险箱"}', "비밀번호: '없음'", '| пароль | "да" |', "סיסמה: `אותה`"]
)
def test_a_name_in_another_script_may_have_a_quoted_word_in_that_script_behind_it(text: str) -> None:
    assert redacted(text) == text


@for_each("value", ["Harbor!471x", "tR7!mQ2z", "Harbor?471x", "Basalt_2741x"])
@for_each(
    "text",
    [
        "The db password was rotated to {} on Monday",
        "type {} at the password prompt",
        "Password:\n- {}\n",
        "temp pass {}",
        "Das Passwort heißt {}",
        "Das Passwort wurde auf {} gesetzt",
        "Le mot de passe est « {} »",
        "Le mot de passe sera {}",
        "A senha do servidor é {}",
        "wachtwoord van de server: {}",
        "Hasło to {}",
        "parola: {}",
        "Lösenordet är {}",
        "пароль от сервера {}",
        "密码\uff1a{}",
    ],
)
def test_a_password_in_other_words_goes(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format("[REDACTED:password]")


@pytest.mark.parametrize("joint", "-_.")
@pytest.mark.parametrize("text", ["password: {}", "the password is {}.", "the password is {}", "password = '{}'"])
def test_three_joined_words_that_say_nothing_else_are_a_passphrase(text: str, joint: str) -> None:
    assert redacted(text.format(joint.join(("amber", "copper", "willow")))) == text.format("[REDACTED:password]")


@pytest.mark.parametrize("text", ['password = "{}"', "password: '{}'"])
def test_four_words_in_quotes_are_a_passphrase(text: str) -> None:
    assert redacted(text.format("granite amber marble copper")) == text.format("[REDACTED:password]")


@for_each("text", ["qa@lumio.example, pass: {} \u2014 not for load tests", "password: {}", "pw: {}."])
@for_each("value", ["R0bot.Dreams.Of.QA", "No.Fr33.Lunch", "my.d0g.has.fle4s"])
def test_words_with_dots_and_digits_for_letters_are_a_password(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format("[REDACTED:password]")


@for_each("value", ["Gr@nite-Peak-904", "P@ssage2019", "c@stle-77"])
def test_a_word_with_a_sign_for_a_letter_is_a_password_behind_an_address(value: str) -> None:
    text = f"- vCenter: administrator@vsphere.local with {value}\n"
    assert redacted(text) == text.replace(value, "[REDACTED:password]")


@for_each("account", ["ubuntu@cabin-904", "Jo@web-1", "admin@nas-12"])
def test_an_account_on_a_numbered_host_is_no_password(account: str) -> None:
    assert redacted(f"login on {account} works") == f"login on {account} works"


@for_each("value", ["espresso-forward", "gravelpond55", "correct-horse"])
@for_each("field", ["the field called voucher", "the voucher field", 'the box labelled "access code"'])
def test_what_is_typed_into_a_field_for_a_code_goes(value: str, field: str) -> None:
    text = f"At the portal type {value} in {field}. Changes monthly.\n"
    assert redacted(text) == text.replace(value, "[REDACTED:password]")


@for_each("value", ["text", "it", "my-voucher", "new-password", "your-email", "base64-encoded"])
def test_what_only_says_what_a_field_is_for_stays(value: str) -> None:
    assert redacted(f"type {value} in the field called voucher") == f"type {value} in the field called voucher"


@for_each("setting", ["psk", "wpa_psk", "password", "passphrase"])
def test_words_in_quotes_behind_a_setting_are_a_passphrase_with_small_words_too(setting: str) -> None:
    assert "boots" not in redacted(f'  {setting}="haybales and rubber boots"\n')


@for_each("value", ["your wifi password", "very secret passphrase", "see the wiki of the team", "ask in the office"])
def test_what_a_setting_says_of_its_value_stays(value: str) -> None:
    assert redacted(f'  psk="{value}"\n') == f'  psk="{value}"\n'


@pytest.mark.parametrize("value", ["P@ssw0rd12", "Passw0rd99", "changeme42", "changeme!1", "Passwort123"])
@pytest.mark.parametrize("text", ["DB_PASSWORD={}\n", "password: {}", "the password is {}.", 'password = "{}"'])
def test_a_weak_password_with_a_number_is_one(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format("[REDACTED:password]")


@for_each(
    "text",
    [
        "Das Passwort ist abgelaufen.",
        "Das Passwort ist gesperrt, falsch oder unbekannt.",
        "Das Passwort ist falsch",
        "Das Passwort ist unbekannt.",
        "Das Passwort ist hinterlegt.",
        "Das Passwort ist leer.",
        "La contraseña es incorrecta.",
        "La contraseña es caducada",
        "La password è scaduta.",
        "Het wachtwoord is verlopen.",
        "Het wachtwoord is onjuist",
        "Hasło to podstawa",
        "parola: gerekli",
        "пароль от сервера знает Иван",
        "The password is case-insensitive-by-design.",
        "password: lower-upper-digit",
        "password: request.form.login",
        "password: user-supplied-value",
        'password: "must contain eight characters"',
        "password: required|min:8|confirmed",
        "'password' => 'required|min:8|confirmed',",
        "password: ^[A-Z]{8}$",
        "tests pass: test_login_v2, test_logout_v3",
        "AROAQ4X7N2M9K3ZTPW AIDAQ4X7N2M9K3ZT",
        "id Q4X7N2M9K3ZTaPw next7Q4X7N",
        "id Q4X7N2M9K3ZT8PIN 482911",
        "DB_PASSWORD=changeme, password: changeme, password=password, password: example",
        "type y at the password prompt",
        "Password:\n- min8chars\n- upper1\n",
    ],
)
def test_what_is_said_about_passwords_in_other_languages_and_forms_is_left_alone(text: str) -> None:
    assert redacted(text) == text
