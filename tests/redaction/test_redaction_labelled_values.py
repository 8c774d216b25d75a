"""Whatever stands behind a name of a secret and a sign is weighed: where it starts and ends, and that it goes."""

from __future__ import annotations

import pytest
from support.for_each import for_each

from s3memory.redaction import PatternRedactor
from s3memory.redaction.rules.scoring.labelled_values import labelled_values
from s3memory.redaction.text.subject import Subject

REDACTOR = PatternRedactor()


def proposed(text: str) -> set[str]:
    return {text[start:end] for start, end in labelled_values(Subject(text))}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("passphrase: brine.lantern.oxbow.tally", "brine.lantern.oxbow.tally"),
        ("the passphrase brine.lantern.oxbow.tally, by phone", "brine.lantern.oxbow.tally"),
        ("la parola d'ordine è cavatappi_d'oro", "cavatappi_d'oro"),
        ("雲端相簿連結已寄給大家,密碼:木棉花開四月天\n下次聚會", "木棉花開四月天"),
        ("パスワードは「さくらもち大好き」です", "さくらもち大好き"),
        ("PASSWORD\uff08봄날의고양이\uff09", "봄날의고양이"),
        ("пароль от сервера: синийчайник", "синийчайник"),
        ("Geräteschlüssel lautet K4RT.99QX.7ZLM.", "K4RT.99QX.7ZLM"),
        ("partner key is AB-6758-jhmptr-9645-hymdoy", "AB-6758-jhmptr-9645-hymdoy"),
        ("master password: the cat sat on 7 hot tin roofs\n", "the cat sat on 7 hot tin roofs"),
        ("password for the shed (new): kettle seven willow.", "kettle seven willow"),
        ("**device key:** `ueqk fhtz`", "ueqk fhtz"),
        ("apiKey = 'x1.y2.z3'", "x1.y2.z3"),
        ("| partner key | K4RT-99QX |", "K4RT-99QX"),
    ],
)
def test_what_stands_behind_a_name_and_a_sign_is_weighed_whatever_it_looks_like(text: str, value: str) -> None:
    assert value in proposed(text)


@pytest.mark.parametrize(
    "text",
    [
        "serial: K4RT.99QX.7ZLM",  # no name of a secret
        "spinning: brine.lantern",  # nor within a word
        "the password has expired",  # nothing joins them
        "password: [REDACTED:password]",
        "password: abc",  # shorter than a password
        'password: "an open quote',
        "Keywords: botocore,typing",
        "arn:aws:secretsmanager:eu-west-1:190510877944:secret:prod/db-29mGd1",
        "https://acme.example/badge.svg?token=4ZFc9dwKqY",
        "max_tokens = 4096",
        "partition key: tenant#26",
    ],
)
def test_nothing_else_is(text: str) -> None:
    assert proposed(text) == set()


@pytest.mark.parametrize(
    "value",
    [
        *("brine.lantern.oxbow.kettle", "marble_kettle_otter", "木棉花開四月天", "봄날의고양이", "синийчайник"),
        *("K4RT.99QX.7ZLM", "K4RTQX Q9QX7Z ZLM41A", "AB-6758-jhmptr-9645-hymdoy", "vjsixav.sowgwmv.kxhmdco"),
        "C215:726A:8AD9:5AEE",
    ],
)
def test_a_secret_that_is_called_one_goes_whatever_it_looks_like(value: str) -> None:
    text = f"- the label printer upstairs works again, two left\n- password: {value}\n- Sam is back on Thursday\n"
    assert value not in PatternRedactor().redact(text).text


@pytest.mark.parametrize("text", ["server token ..... {}", "the server token is {}", "server token: {}, since May"])
def test_groups_of_one_length_go_together(text: str) -> None:
    groups = "5L0LLN ADEK4F 6SRDUB 6FQ3F2"
    assert PatternRedactor().redact(text.format(groups)).text == text.format("[REDACTED:password]")
    assert "OK" in PatternRedactor().redact(text.format("5L0LLN OK")).text


@for_each(
    "text",
    [
        "feed key: ady.live.7ai6A3Npv9",
        '  "bearer": "kvc2.Y8mQ0rTz.Wx5LbNf7",\n  "languages": ["en", "cy"]',
        "the API-sleutel (since May): n81.dR52uC.Bu8x-Yo1Nyx",
        "the deploy token is 1cad-04fc-b371-a143",
        "he sent the client secret (hW2-zzKt90-eLQv) by mail",
    ],
)
def test_groups_of_random_characters_behind_a_name_go(text: str) -> None:
    redacted = REDACTOR.redact(text).text
    assert not any(part in redacted for part in ("7ai6A3", "Y8mQ0r", "dR52uC", "b371", "zzKt90"))


@for_each(
    "text",
    [
        "signing key: notes/SigningKey2024",
        "API key: api2.eu-west-1.example.com",
        "token: v2.14.3-beta2",
        "the key is on db1.prod2.internal",
        "the deploy key's fingerprint is SHA256:cO+d9UBIBBG2MZzjnCRFas4oTQ",
    ],
)
def test_names_with_numbers_behind_a_name_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@pytest.mark.parametrize(
    "above", ["Wifi password:", "The new wifi password is", "**Wifi password:**", "mot de passe :"]
)
@pytest.mark.parametrize(
    "between", ["\n", "\r\n", "\n\n", "\n> ", "\n  ", "\n- ", "\n**", "\n\n```\n", "\n\U0001f511 "]
)
def test_a_phrase_is_weighed_on_the_line_below_its_name(above: str, between: str) -> None:
    assert "chai samosa 42" in proposed(f"{above}{between}chai samosa 42\n\nThe guest network is off.")


@for_each(
    "text",
    (
        "Password:\nuser: jo\n",
        "| name | password |\n|---|---|\n| jo | [REDACTED:password] |",
        "passwords:\n- apple pie\n- berry jam\n",
        "the root password is\nPostgreSQL 14's own",
        "password:\n    The password of the user.\n",
        "Where we keep passwords:\n1Password and the safe\n",
        "Security > Password:\nTwo-factor authentication",
        "Password: \nSorry, try again.\n",
        "Serials off the laptops, for the certificate:\nT4DQZQ-6JKU4\nEDJHMF-4JU5L\nHKRZS8-HAQ5C\nDisks shredded.",
        "\u5bc6\u7801:\n\u8bf7\u8054\u7cfb\u7ba1\u7406\u5458",
    ),
)
def test_what_is_below_a_name_and_no_password_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    (
        "Wifi password:\n```\n{}\n```\nThe guest network is off.",
        "Wifi password:\n{}\n\nThe guest network is off at night.",
        "## Wifi password\n{}\n",
        "### Wifi password\n\n{}\n\n### Printer\n\nIt is upstairs.",
        "**Wifi password**\n{}\n",
        "Wifi password:\n```text\n{}\n```\n",
        "Wifi password:\n  value: {}\n",
        "- Wifi password\n  - {}\n- Printer\n  - upstairs\n",
        "<b>Wifi password</b>: <code>{}</code>",
        "Wifi password\t{}",
        "Jo set the wifi password to {} today.",
        "Q: what is the wifi password?\nA: {}",
        "jo: wifi password?\nann: {}",
        "The wifi password is [{}](https://example.org/where), ask Jo for the rest",
        "Password \U0001f511 {} \U0001f511",
        "password: \U0001f511 {}\U0001f512",
        "\u5bc6\u7801\uff1a\U0001f511{}\U0001f511",
    ),
)
def test_a_phrase_goes_however_it_is_laid_out_behind_its_name(text: str) -> None:
    assert REDACTOR.redact(text.format("chai samosa barish")).text == text.format("[REDACTED:password]")


@for_each(
    "said",
    (
        "kept in 1Password",
        "eight digits, no letters",
        "rotated every 90 days",
        "managed by Okta",
        "ticket OPS-4821",
        "Settings > Security",
        "click the link in the mail",
        "nobody has it written down",
        "at least 12 characters",
        "pending",
    ),
)
def test_what_is_said_of_a_password_in_place_of_telling_it_stays(said: str) -> None:
    before = "The printer is upstairs, and the copier as well, since the office moved to the second floor."
    for form in (
        "Wifi password: {}",
        "## Wifi password\n\n{}\n",
        "The wifi password is now {}.",
        "wifi password = '{}'",
    ):
        text = f"{before}\n\n{form.format(said)}\n"
        assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    (
        "## Password\n\nReset it in the portal.\n",
        "Q: how do I reset the wifi password?\nA: green button forest",
        "**Password**\nThe one of the router.\n",
        "- Password\n- Printer\n",
        "## Passwords\n\n- at least twelve signs\n- none that was used before\n",
        "IT: key ID begins with?\nMe: C66065AF\nIT: we'll read it to the user by phone",
        "dorota\tadministrator\t2021-03-14\nhaslo\tsubscriber\t2025-12-09\nwp user reset-password dorota",
        "We changed the password to comply with the policy.",
    ),
)
def test_headings_questions_and_items_of_something_else_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text
