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
