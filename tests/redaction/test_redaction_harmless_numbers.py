"""A number that says what it is lets nobody in, whatever it is beside."""

from __future__ import annotations

import pytest
from support.for_each import for_each

from s3memory.redaction import PatternRedactor
from s3memory.redaction.rules.reading.harmless_numbers import is_harmless_number

_REDACTOR = PatternRedactor()


@for_each(
    "text",
    [
        "T\u00fcr: 4827 EUR",
        "safe - 4,827 USD, paid",
        "Tresor = 4827 Euro",
        "alarm 4827 Tage",
        "drzwi: 4827 z\u0142",
        "\u5b88\u91d1\u5eab: 4827\u5186\u3067\u3059",
        "\uae08\uace0: 4827\uc6d0",
        "gate: EUR 4827",
        "garage door: \u00a34827",
        "\u0434\u043e\u043c\u043e\u0444\u043e\u043d: 4827 \u0440\u0443\u0431.",
        "\u0e1b\u0e23\u0e30\u0e15\u0e39: 4827 \u0e1a\u0e32\u0e17",
        "brana - 4827 mm",
        "d\u00f6rr: 4827 st",
        "alarm: 85 %",
        "larm: 4827 min",
        "the padlock is 11/11/26",
        "back gate, 2026-11-11",
        "safe - serviced 24.12.2026",
        "kasa: tel +44 20 7859 7511",
        "cassandra_entry_ttl = 86400",
    ],
)
def test_an_amount_a_measure_a_date_and_a_telephone_number_stay(text: str) -> None:
    assert _REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        '{"login": "etl", "password": "Fjord#Biscuit_603", "host": "dwh.int", "port": 5439}',
        "\u6d4b\u8bd5\u670d\u52a1\u5668\u767b\u5f55:\u7528\u6237 root,\u5bc6\u7801 Moli-hua#3307,\u7aef\u53e3 2222",
        "PIN 4711, port 8080",
    ],
)
def test_a_port_beside_a_password_or_a_code_stays(text: str) -> None:
    left = _REDACTOR.redact(text).text
    assert left.count("[REDACTED:") == 1
    assert any(port in left for port in ("5439", "2222", "8080"))


@for_each(
    "text",
    [
        "PIN: 4827 Tessa",
        "PIN: 4827 Dana",
        "the alarm is 4827 by the way",
        "larmkoden: 4827 min d\u00f6rr",
        "door code 4827, 30 days",
        "bike lock: 11-22-33",
        "if you call, the PIN is 4827",
        "PIN: 4827\u20ac",
        "the code is 4827 A",
        "\u9580\u306e\u6697\u8a3c\u756a\u53f7: 4827 \u65e5\u66dc\u65e5\u306b\u5909\u66f4",
    ],
)
def test_a_code_before_a_word_that_is_no_unit_goes(text: str) -> None:
    assert "4827" not in _REDACTOR.redact(text).text


@pytest.mark.parametrize("value", ["m4rm-7", "4827a", "12345678", "48-27"])
def test_only_a_number_is_measured(value: str) -> None:
    assert not is_harmless_number(f"{value} EUR", 0, len(value))


@for_each("value", ["24.12.1985", "24/12/1985", "12/24/85"])
def test_a_date_that_is_called_a_password_goes(value: str) -> None:
    assert value not in _REDACTOR.redact(f"password: {value}").text


@for_each(
    "text",
    [
        "Ship to: 14 MG Road, Bengaluru, PIN code 560025",
        "second address: PIN 110001 New Delhi",
        "- \u092a\u093f\u0928 \u0915\u094b\u0921 226010",
        "card terminal receipt, auth code 042918",
        "SIM of the trail camera: number +44 7700 900412",
        "ask Jo for the code, or ring the office 020 7946 0991",
        "the code is in the list\n-rw-r--r--  1 jo jo  918273 Nov  3 10:11 passwords.pdf",
        "[10:02] ana: they keep asking me for a code",
    ],
)
def test_a_postal_code_an_approval_a_telephone_number_a_size_and_a_time_stay(text: str) -> None:
    assert _REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "the gate, PIN code 560025",
        "\u090f\u091f\u0940\u090f\u092e \u0915\u093e \u092a\u093f\u0928 560025",
        "the auth code is 042918",
        "\u092e\u0947\u0930\u093e \u092a\u093f\u0928 482913 \u0939\u0948",
        "door PIN: 0482-913-4456",
    ],
)
def test_a_pin_or_a_code_without_an_address_or_a_payment_goes(text: str) -> None:
    assert _REDACTOR.redact(text).text != text


@pytest.mark.parametrize(
    "text",
    [
        "export const OTP_LENGTH = 6;\nexport const TOKEN_TTL = 3600;",
        "private static final int BACKUP_CODE_COUNT = 4096;",
        "let otpTimeout: number = 90000;",
        "#define PIN_LENGTH 4096",
        "access code count: 4471",
        "Key box: left of the door. Contact: Wim, 06-1100 2200",
        "lockbox on the left. Wim: 0171 2345678",
        "Caja de llaves junto a la puerta. Contacto: Ana, 612 345 678",
    ],
)
def test_an_amount_and_a_telephone_number_of_a_person_are_no_codes(text: str) -> None:
    assert PatternRedactor().redact(text).findings == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("the OTP is 482913, TTL 3600", "482913"),
        ("Backup codes of Anna: 0612 345 678, 0713 555 123", "0713 555 123"),
        ("Key box: 4471. Contact: Wim, 06-1100 2200", "4471"),
        ("Anna door code 06123456", "06123456"),
        ("the PIN for the company phone is 97674102", "97674102"),
    ],
)
def test_a_code_beside_an_amount_or_a_person_is_secret(text: str, code: str) -> None:
    assert code not in PatternRedactor().redact(text).text
