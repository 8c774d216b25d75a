"""Files of translations name their texts after passwords: the texts stay, and passwords in such files go."""

from __future__ import annotations

import pytest
from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
TEXTS = {
    "forgot_password": [
        "Passwort vergessen?",
        "Nie pamiętasz hasła?",
        "パスワードをお忘れですか？",
        "Mot de passe oublié ?",
    ],
    "choose_password": ["Lag et nytt passord på minst 6 tegn.", "Kies een wachtwoord van minstens 6 tekens."],
    "createPassword": ["Придумайте пароль не короче 6 символов.", "Crie uma senha, no mínimo 6 caracteres."],
    "one_time_password": ["Engangskode:", "Kertakoodi:", "Κωδικός:"],
    "sendOneTimePassword": ["Send engangskode", "Wyślij kod jednorazowy", "发送一次性验证码"],
    "passwordStrength": ["Zu schwach: noch 2 Wörter", "Too weak: add 2 more words", "Quá yếu: thêm 2 từ"],
    "confirm_password": ["Lösenorden matchar inte", "Wachtwoorden komen niet overeen", "비밀번호가 일치하지 않습니다"],
}
FILES = {
    "JSON": '{{\n  "login": "Login",\n  "{name}": "{value}",\n  "cancel": "Cancel"\n}}\n',
    "YAML": 'en:\n  sessions:\n    {name}: "{value}"\n',
    "gettext": 'msgid "{name}"\nmsgstr "{value}"\n',
    "Android": '<resources>\n    <string name="{name}">{value}</string>\n</resources>\n',
    "iOS": '/* Login */\n"{name}" = "{value}";\n',
    "ARB": '{{\n  "@@locale": "xx",\n  "{name}": "{value}"\n}}\n',
    "PHP": "<?php\nreturn [\n    '{name}' => '{value}',\n];\n",
    "JavaScript": "export default {{\n  {name}: '{value}',\n}}\n",
    "XLIFF": '<trans-unit id="{name}">\n  <source>{value}</source>\n</trans-unit>\n',
}


@for_each("kind", FILES)
def test_texts_of_an_interface_stay_in_each_format(kind: str) -> None:
    for name, values in TEXTS.items():
        for value in values:
            text = FILES[kind].format(name=name, value=value)
            assert REDACTOR.redact(text).text == text


@for_each("kind", FILES)
@pytest.mark.parametrize("value", ["Harbor!4711x", "kT9#mw2xQ4"])
def test_a_password_in_such_a_file_goes(kind: str, value: str) -> None:
    for name in ("forgot_password", "choose_password", "createPassword", "db_password"):
        text = FILES[kind].format(name=name, value=value)
        if kind not in ("gettext", "XLIFF"):  # there the name is on another line, or in an attribute that names nothing
            assert value not in REDACTOR.redact(text).text


@for_each(
    ("text", "secret"),
    [
        ('"db_password": "correct horse battery staple"', "correct horse battery staple"),
        ('"new_password": "Kettle Harbour 47!"', "Kettle Harbour 47!"),
        ('"root_password": "tango 4 words river"', "tango 4 words river"),
        ('"password": "Das neue Passwort ist gravelpond"', "gravelpond"),
        ("contraseña=gravel.koivu, valid 30 days", "gravel.koivu"),
        ('GPG: `gpg --batch --passphrase "Nuthatch up the Elm" -d payroll.csv.gpg`', "Nuthatch up the Elm"),
        ('"admin_password": "sommer:"', "sommer:"),
    ],
)
def test_words_without_the_form_of_such_a_text_may_be_a_password(text: str, secret: str) -> None:
    assert secret not in REDACTOR.redact(text).text
