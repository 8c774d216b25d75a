"""Keys and tokens in other languages than English: what is theirs is redacted, what everybody may know is not."""

from __future__ import annotations

import pytest

from s3memory.redaction import PatternRedactor

SECRET, HEXADECIMAL, UUID = (
    "kS8dj2LaP0sQ99dkLLs2nmW8",
    "7d15265c6999e6ccc4824b4de437056f",
    "4a6e028a-40ef-4415-a2f9-a5cc97f16e12",
)


@pytest.mark.parametrize(
    "text",
    [
        "clé d'accès {}",
        "Geheimschlüssel ist {}",
        "Lizenzschlüssel: {}",
        "la llave secreta es {}",
        "chave de licença: {}",
        "chiave di accesso = {}",
        "licentiesleutel is {}",
        "åtkomstnyckel är {}",
        "hemmelighed: {}",
        "API-avain on {}",
        "klucz licencyjny to {}",
        "prístupový kľúč je {}",
        "licenckulcs ez: {}",
        "a könyvelő tokenje mostantól {}",
        "cheia de acces este {}",
        "erişim belirteci: {}",
        "διακριτικό πρόσβασης είναι {}",
        "токен доступа стал {}",
        "מפתח סודי: {}",
        "توکن دسترسی: {}",
        "गुप्त कुंजी {} है",
        "คีย์ลับคือ{}",
        "khóa bí mật là {}",
        "AppSecret是{}",
        "client secretは{}です",
        "client secret는 {}",
    ],
)
def test_a_key_is_called_one_in_many_languages(text: str) -> None:
    assert SECRET not in PatternRedactor().redact(text.format(SECRET)).text
    assert HEXADECIMAL not in PatternRedactor().redact(text.format(HEXADECIMAL)).text


@pytest.mark.parametrize(
    "text",
    [
        "{} je tajný kľúč platobnej brány.",
        "{} — tym sekretem klienta łączy się kalendarz.",
        "`{}` (klucz wdrożeniowy repozytorium)",
        "{} gebruikt de runner als deploy key",
        "{} a naptár kliens titka",
        "{}がサイトのデプロイキー",
    ],
)
def test_a_key_may_stand_before_its_name(text: str) -> None:
    assert SECRET not in PatternRedactor().redact(text.format(SECRET)).text


@pytest.mark.parametrize(
    "text",
    [
        "öffentlicher Schlüssel: {}",
        "clé publique : {}",
        "clave pública: {}",
        "chiave pubblica è {}",
        "klucz publiczny: {}",
        "julkinen avain on {}",
        "открытый ключ: {}",
        "公開鍵: {}",
        "公钥是{}",
        "공개 키: {}",
        "المفتاح العام: {}",
    ],
)
@pytest.mark.parametrize("value", [SECRET, HEXADECIMAL, UUID], ids=["mixed", "hexadecimal", "uuid"])
def test_a_public_key_is_for_everybody(text: str, value: str) -> None:
    assert PatternRedactor().redact(text.format(value)).text == text.format(value)


@pytest.mark.parametrize(
    "text",
    [
        "Fingerabdruck des Schlüssels: {}",
        "empreinte de la clé : {}",
        "identificativo della chiave: {}",
        "identificador de la clave: {}",
        "otisk klíče: {}",
        "отпечаток ключа: {}",
        "密钥ID是{}",
        "キーのフィンガープリントは{}",
        "कुंजी आईडी: {}",
        "fingerprint of the key: {}",
        "hash of the token: {}",
        "numéro de commande {}, la clé suit",
        "Aanvraag {} werd geweigerd omdat de sleutel ontbrak.",
        "リクエスト{}はトークンがなくて拒否された。",
    ],
)
def test_what_is_told_of_a_key_is_no_key(text: str) -> None:
    for value in (SECRET, HEXADECIMAL, UUID):
        assert PatternRedactor().redact(text.format(value)).text == text.format(value)


def test_a_key_of_groups_is_random() -> None:
    text = "## Licentiesleutel tekenprogramma\nFU0AK-6FZ2J-LE2LE-CO0IT-UY92C"
    assert "FU0AK" not in PatternRedactor().redact(text).text
