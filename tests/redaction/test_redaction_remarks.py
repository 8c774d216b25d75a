"""What a clause says about a password stays in the place of one, in any language, and words that are one go."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()


@for_each(
    "text",
    [
        "Кодовое слово в банке: клиент забыл.",
        "Кодовое слово: знает только Павел",
        "Пароль от роутера меняется каждый месяц",
        "Кодове слово: видають у канцелярії, клієнт забув",
        "La password del gestionale la conosce solo Paolo.",
        "Parola d'ordine: almeno otto caratteri",
        "Mot secret : arrivera par lettre",
        "Palabra secreta: se cambia cada mes",
        "Palabra de seguridad: la abuela no la recuerda",
        "Contraseña: pide en recepción",
        "Palavra secreta: chega numa carta",
        "Passwort: weiß nur die Marta",
        "Codewort: kommt mit dem nächsten Brief",
        "Portkod: byts den första varje månad",
        "Kodord: fråga på kontoret",
        "Adgangskode: kommer i næste brev",
        "Turvasana: lähetetään postissa",
        "Hasło: zmieniane co miesiąc",
        "Słowo kodowe: klient zapomniał",
        "Kódové slovo: zná jen Pavel",
        "Jelszó: minden hónapban cserélik",
        "Cuvânt de cod: clientul a uitat",
        "Кодова дума: никой не помни",
        "Gizli kelime: her ay değişiyor",
        "Codewort: mindestens 12 Zeichen",
        "Passwort: mind. 12 Zeichen",
        "Şifre: 8-16 karakter",
        "门禁密码: 至少12位",
        "パスワード: 12文字以上",
        "Кодовое слово: у Анны",
        "Codewort: wird noch festgelegt",
        "Kodord: hos Anna",
        "Пароль: уточняется",
    ],
)
def test_a_clause_about_a_password_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    ("text", "value"),
    [
        ("Кодовое слово в банке: рыжий кот", "рыжий кот"),
        ("Codewort: kalter hund", "kalter hund"),
        ("Passwort: Sonnenblume, kennt nur Paul", "Sonnenblume"),
        ("Passwort Sonnenblume-17 kennt nur Paul", "Sonnenblume-17"),
        ("Codewort: Como", "Como"),
        ("Кодовое слово: Незабудка", "Незабудка"),
        ("Password (Anna): Sunflower-17", "Sunflower-17"),
        ('Kodord: "vet bara Paul"', "vet bara Paul"),
        ("Wachtwoord: Fiets_88 elke maand anders", "Fiets_88"),
        ("Hasło do serwera to kapusta-z-grochem.", "kapusta-z-grochem"),
        ("Passphrase on the deploy SSH key: toast with marmalade", "toast with marmalade"),
    ],
)
def test_words_that_are_a_password_go_beside_such_a_clause(text: str, value: str) -> None:
    assert value not in REDACTOR.redact(text).text


@for_each(
    ("text", "value"),
    [
        ("pass phrase is moon in Spanish plus our number, so luna48", "luna48"),
        ("pw Name+Year, so Milo2019", "Milo2019"),
        ("Passwort ist der Hund plus Jahr, also Rex2019", "Rex2019"),
    ],
)
def test_what_a_password_is_made_of_stays_before_it(text: str, value: str) -> None:
    assert REDACTOR.redact(text).text == text.replace(value, "[REDACTED:password]")


@for_each(
    "text",
    [
        '"forgot_password" \u2192 "Passwort vergessen?"',
        "passphrase: lives in the safe",
        "passphrase = on the back of the router",
        "Password: (Anna)",
        "ลืมรหัสผ่าน ส่งลิงก์รีเซ็ตแล้ว เลขที่คำสั่งซื้อ 7714-2209",
        "wandb login\nBest run so far: lilac-sweep-41",
    ],
)
def test_texts_orders_and_runs_near_the_name_of_a_password_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each("text", ["пароль від Приват24: {}", "пароль от Сбер24: {}", "hasło do mBank24: {}"])
def test_what_a_password_is_for_stays_and_the_password_goes(text: str) -> None:
    assert REDACTOR.redact(text.format("Zirka_88")).text == text.format("[REDACTED:password]")


def test_a_sentence_behind_a_code_stays_in_a_script_without_spaces() -> None:
    said = "รหัสตู้เซฟคือ {} เจ้าของร้านเข้ามาทุกวันจันทร์"
    assert REDACTOR.redact(said.format("80642")).text == said.format("[REDACTED:password]")
