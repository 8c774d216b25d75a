"""Words that look like a password are redacted where the words around them are about getting in, and stay elsewhere."""

from __future__ import annotations

import pytest
from support.for_each import for_each

from s3memory.redaction import PatternRedactor
from s3memory.redaction.rules.reading.likeness import Likeness, likeness

REDACTOR = PatternRedactor()


@pytest.mark.parametrize(
    "text",
    [
        "the build server unlocks with {}",
        "with {} you get past the login screen of the admin portal",
        "{} gets you into the NAS",
        "enter {} at the LUKS prompt",
        "Just tried {} on the router and it worked",
        "the Synology takes admin with {}",
        "Jenkins: admin:{}",
        "root {}",
        "editor@example.org / {}",
        "cn=reader,dc=example,dc=org / {}",
        "the community string is {}",
    ],
)
@pytest.mark.parametrize("value", ["velvet-walnut-59", "VelvetWalnut76", "m4rbl3_Harvest", "walnut2254", "WALNvel350$"])
def test_a_made_up_word_goes_where_it_lets_somebody_in(text: str, value: str) -> None:
    redacted = REDACTOR.redact(text.format(value)).text
    assert value not in redacted
    assert redacted == text.format("[REDACTED:password]")


@pytest.mark.parametrize(
    "text",
    [
        "the alarm gets disarmed with «8882».",
        "safe combination «75-93-88»",
        "«6774» unlocks it, said the note on the tablet",
        "unlock the vault with «mango-walnut-marble-saffron»",
    ],
)
def test_a_lock_opens_with_a_number_or_with_joined_words(text: str) -> None:
    secret = text[text.index("«") + 1 : text.index("»")]
    assert secret not in REDACTOR.redact(text.replace("«", "").replace("»", "")).text


@pytest.mark.parametrize(
    "text",
    [
        "unlock the mutex with pthread_mutex_unlock at line 4412",
        "SSID is Acme-Guest-5G",
        "Zip code 94107, area code 415.",
        "open http://127.0.0.1:3000 in the browser",
        "the safe was bought in 2019.",
        "log in to web-prod-03",
        "the archive is in release-2024",
        "member.protected = json_b64decode(protected_segment)",
        '"AWS::CloudWatch::Alarm": "f21841a2fca2ebc7",',
        "the primitive root of ``2*p**e``.",
        "A check-before-call followed by an update-after-call is not safe",
    ],
)
def test_names_of_things_stay_beside_a_lock_or_an_account(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@pytest.mark.parametrize("word", ["MarbleFern25!", "harbour-by-ferry-47", "Th3.B1g.Gr3y.B0x", "Kanelb0lle_4ever"])
def test_what_people_make_up_is_a_rare_word(word: str) -> None:
    assert likeness(word) >= Likeness.RARE


@pytest.mark.parametrize("name", ["server2012", "node-alpha-12", "feature-login-42", "PowerShell50", "backup_server1"])
def test_what_names_a_thing_and_its_number_is_no_rare_word(name: str) -> None:
    assert likeness(name) < Likeness.RARE


@pytest.mark.parametrize(
    "text",
    [
        "An example template file for encrypt1.c",
        "If the user or password part of your login credentials contain any of these",
        "const key1 = scryptSync('password', 'salt', 64);",
        "a dynamic library identified by 'name'.",
        "closeness : float",
        "password: (bool, optional): Hide typed text.",
        "password: SecretBytes",
        "the user didn't pass them. Auto-derived values are resolved",
        "grant_type=password&username=foo&scope=hello+world&password=bar"[:35],
        "const auth = new URL(`tcp://${headers[':authority']}`);",
        'auth_str = f", auth={auth!r}" if auth else ""',
        "auth_token=auth_token, credentials=credentials, config=config, profile=profile",
        "--sentinel-fuse NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
        "'urn:ietf:params:oauth:jwk-thumbprint:sha-256:DCdRGGDKvhAJgmVlCp6tosc2T9ELtd30S_15vn8bhrI'",
        'to first install ``setuptools<45`` to "pin Setuptools" to a compatible version',
        "make 'Unexpected token' errors recoverable\n* [`d5b32246fb`] backport the fix",
        "gateway code for bootstrapping.\n\n:copyright: 2004-2015",
        '"AWS::Backup::BackupKey": "37c2673eb8818672",',
    ],
)
def test_documentation_and_code_about_passwords_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("G-740238 is your verification code", "740238"),
        ("2fa: 887319", "887319"),
        ("Bank sent mTAN 094172", "094172"),
        ("duress code 1459", "1459"),
        ("license key 5CYPE-DZCJV-UGRTR-QO3OB-I3IYL", "5CYPE-DZCJV-UGRTR-QO3OB-I3IYL"),
        ("dsn https://4b6597ac185209c47ab782511f1f321e@sentry.example.org/7", "4b6597ac185209c47ab782511f1f321e"),
        ("JSESSIONID 50D039836A327B5E025B8CBFC0D1FE54 copied", "50D039836A327B5E025B8CBFC0D1FE54"),
        ("xfreerdp /u:ops /p:HARVmar8558$ /v:db1", "HARVmar8558$"),
        ("smbclient //nas/x -U jo%b4dg3r_Juniper", "b4dg3r_Juniper"),
        ("magic link https://login.example.org/m/d62237b515a3b03f290d3de4a797790b", "d62237b515a3b03f290d3de4a797790b"),
        (
            "https://api.example.org/v1/items?key=332619a2-2021-4290-82bf-5ce5c247d02a",
            "332619a2-2021-4290-82bf-5ce5c247d02a",
        ),
        ("Acme credential rotated, new one e71be82c05cde81ec99f2492446a860e", "e71be82c05cde81ec99f2492446a860e"),
    ],
)
def test_codes_keys_and_links_go_by_what_is_said_of_them(text: str, secret: str) -> None:
    assert secret not in REDACTOR.redact(text).text


@for_each("name", ("agent auth", "bridge secret", "ops pass:", "Acme token", "admin credential ="))
def test_a_short_random_value_goes_right_behind_what_a_secret_is_called(name: str) -> None:
    assert REDACTOR.redact(f"{name} ZhvT7jU9Vy3").text.startswith(f"{name} [REDACTED:")


@for_each("name", ("agent", "public token", "token id", "auth of build"))
def test_a_short_random_value_stays_where_nothing_right_before_it_calls_it_a_secret(name: str) -> None:
    assert REDACTOR.redact(f"{name} ZhvT7jU9Vy3").text == f"{name} ZhvT7jU9Vy3"


@for_each("text", ("the safe opens with {}", "the keypad at the back door takes {}"))
def test_typographic_quotes_around_a_combination_change_nothing(text: str) -> None:
    assert "868287" not in REDACTOR.redact(text.format("\u201c868287\u201d")).text


@for_each(
    "text",
    ("the wifi at the office is {}", "the archive is encrypted with {}", 'the door of the lab is locked with "{}".'),
)
@for_each("word", ("Pumpernickel77", "Welc0meHome", "Tr4ilmix"))
def test_a_word_with_a_few_digits_opens_a_lock(text: str, word: str) -> None:
    assert REDACTOR.redact(text.format(word)).text == text.format("[REDACTED:password]")


@for_each("word", ("Windows11", "Room42", "Terminal12", "Log4Shell", "Base64Url"))
def test_a_product_or_a_place_with_a_number_opens_none(word: str) -> None:
    text = f"the archive is protected with {word}"
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "The computer at the medication cabinet takes {} for all of the nurses.",
        "use the same one as on the other tablets, i.e. {}, until the audit is over",
        "payroll is hrlead, then {}.",
        "Just put in {}, no spaces.",
        "IT reset it to {} and she has not picked a new one yet",
    ],
)
@for_each("word", ("nightowl_0300", "Vx9-tollgate-22", "saltyPenguin_41"))
def test_a_word_of_a_rare_look_goes_where_it_is_typed_or_taken(text: str, word: str) -> None:
    assert word not in REDACTOR.redact(text.format(word)).text


@for_each("text", ["the branch takes {}", "the file was renamed, then {} was built"])
def test_a_word_of_a_rare_look_stays_where_it_names_a_thing(text: str) -> None:
    assert "saltyPenguin_41" in REDACTOR.redact(text.format("saltyPenguin_41")).text


@for_each(
    "text",
    [
        "credentials like jo@example.org / {} used for access.",
        "the login credentials: jo@example.org / {} , along with a number",
        "login jo@example.org/{}, then",
        "the log has jo@example.org ({}) in it",
        "accessed with jo@example.org - {} last week",
        "login details: email jo@example.org, password {} .",
        "the address jo@example.org and plaintext password {} . Further",
        "credentials: jdoe / {}",
        "his password {} was leaked",
    ],
)
@for_each("word", ("AccessNow!", "HarbourView!", "CybPass!"))
def test_capitalized_words_with_a_sign_are_the_password_beside_a_user(text: str, word: str) -> None:
    assert REDACTOR.redact(text.format(word)).text == text.format("[REDACTED:password]")


@for_each(
    "text",
    [
        "jo@example.org: Thanks!",
        "jo@example.org / Thanks!",
        "ask jo@example.org about JavaScript!",
        "contact jo@example.org / Berlin",
        "jo@example.org - Sales Manager",
        "forgot your password? Click Here!",
        "credentials: jo@example.org, password to follow",
    ],
)
def test_what_is_said_beside_an_address_is_no_password(text: str) -> None:
    assert REDACTOR.redact(text).text == text
