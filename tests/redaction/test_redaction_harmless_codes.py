"""Codes in many languages: those that open something are redacted, those of errors, mail and goods are not."""

from __future__ import annotations

import pytest

from s3memory.redaction import PatternRedactor


@pytest.mark.parametrize("value", ["482913", "482 913", "48291-77031"])
@pytest.mark.parametrize(
    "name",
    [
        "Sicherheitscode",
        "code de sécurité",
        "código de uso único",
        "codice monouso",
        "eenmalige code",
        "verifieringskod",
        "engångskod",
        "vahvistuskoodi",
        "kertakäyttökoodi",
        "kod weryfikacyjny",
        "jednorazový kód",
        "cod de verificare",
        "код підтвердження",
        "еднократен код",
        "קוד חד פעמי",
        "ワンタイムコード",
        "वन टाइम कोड",
        "mã dùng một lần",
        "kode sekali pakai",
        "รหัสใช้ครั้งเดียว",
    ],
)
def test_a_code_that_lets_somebody_in_is_called_one_in_many_languages(name: str, value: str) -> None:
    assert value not in PatternRedactor().redact(f"{name}: {value}").text


@pytest.mark.parametrize("value", ["482913", "482 913"])
@pytest.mark.parametrize(
    "name",
    [
        "codice sconto",
        "codice postale",
        "código de descuento",
        "code d'erreur",
        "kortingscode",
        "slevový kód",
        "kod rabatowy",
        "cod produs",
        "hata kodu",
        "indirim kodu",
        "κωδικός προϊόντος",
        "رمز المنتج",
        "오류 코드",
        "mã giảm giá",
        "kode diskon",
        "čiarový kód",
        "šifra kupca",
        "klaidos kodas",
        "codi postal",
        "пощенски код",
        "رمز العميل",
        "색상 코드",
        "客戶代碼",
        "รหัสสี",
    ],
)
def test_a_code_of_an_error_of_goods_or_of_a_discount_opens_nothing(name: str, value: str) -> None:
    for text in (f"{name}: {value}", f"- {name} {value}"):
        assert PatternRedactor().redact(text).text == text


@pytest.mark.parametrize(
    "name",
    [
        "m\u00fc\u015fteri \u015fifresi",
        "Projekt-PIN",
        "PIN banque",
        "\uc740\ud589 \ube44\ubc00\ubc88\ud638",
        "\u9280\u884c\u306e\u6697\u8a3c\u756a\u53f7",
        "\ubc14\uae65\ubb38 \ucf54\ub4dc",
        "\u0e23\u0e2b\u0e31\u0e2a\u0e2a\u0e35\u0e48\u0e2b\u0e25\u0e31\u0e01",
        "recorder code",
        "client pin",
        "supplier passcode",
        "devicePin",
        "sessionPasscode",
    ],
)
def test_what_codes_are_of_says_nothing_of_a_password_or_a_door(name: str) -> None:
    assert "482913" not in PatternRedactor().redact(f"{name}: 482913").text


@pytest.mark.parametrize("name", ["exit", "status", "source", "model", "event"])
def test_what_has_a_code_that_opens_nothing_may_have_a_pin_that_does(name: str) -> None:
    redact = PatternRedactor().redact
    assert "4471" not in redact(f"wall tablet in kiosk mode, {name} pin 4471").text
    assert "4471" in redact(f"wall tablet in kiosk mode, {name} code 4471").text
