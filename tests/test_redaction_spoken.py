"""Passwords are found as people of each language say them, and what only speaks of passwords is left alone in each."""

from __future__ import annotations

from for_each import for_each

from s3memory.redaction import PatternRedactor
from s3memory.redaction.rules.languages import LANGUAGES

REDACTOR = PatternRedactor()
PASSWORD = "[REDACTED:password]"

# One native phrasing, or more, of each language.
PHRASES = """
en the password of the old server: {}
de das Kennwort für den Server lautet {}
fr le mot de passe du serveur est {}
es la contraseña del servidor es {}
pt a senha do servidor é {}
it la password del server è {}
nl het wachtwoord van de server is {}
sv lösenordet till servern är {}
no passordet til serveren er {}
da adgangskoden til serveren er {}
fi palvelimen salasana on {}
pl hasło do serwera to {}
cs heslo k serveru je {}
sk heslo do servera je {}
hu a szerver jelszava {}
ro parola serverului este {}
hr lozinka za server je {}
sl geslo za strežnik je {}
lt serverio slaptažodis yra {}
lv servera parole ir {}
et serveri parool on {}
tr sunucu şifresi: {}
id kata sandi server adalah {}
vi mật khẩu của server là {}
ca la contrasenya del servidor és {}
sw nenosiri la seva ni {}
ru пароль от сервера — {}
uk пароль від сервера: {}
bg паролата за сървъра е {}
sr лозинка за сервер је {}
el ο κωδικός του server είναι {}
ar كلمة المرور للخادم هي {}
he הסיסמה של השרת היא {}
fa رمز عبور سرور: {}
ur سرور کا پاس ورڈ: {}
hi सर्वर का पासवर्ड {} है
bn সার্ভারের পাসওয়ার্ড হলো {}
ta கடவுச்சொல்: {}
th รหัสผ่านของเซิร์ฟเวอร์คือ {}
zh 服务器的密码是{}
ja サーバーのパスワードは{}です
ko 서버 비밀번호는 {}입니다
""".strip().splitlines()

# What Django and others say in these languages about passwords.
TALK = [
    "Das Passwort wurde gesetzt. Du kannst dich jetzt anmelden.",
    "Le mot de passe est trop court.",
    "Su contraseña ha sido cambiada.",
    "La password è stata impostata.",
    "Het wachtwoord is ingesteld. U kunt nu verdergaan.",
    "Ditt gamle passord er galt.",
    "Heslo bylo změněno.",
    "Twoje hasło zostało zmienione.",
    "Lykilorðið var endurstillt. Þú getur núna skráð þig inn.",
    "Parola a fost schimbată.",
    "Ваш пароль был сохранен. Теперь вы можете войти.",
    "Паролата е променена.",
    "密码已经改变。",
    "パスワードが変更されました。",
    "비밀번호가 변경되었습니다.",
    "תוקף הסיסמה פג",
    "كلمة المرور مطلوبة",
]


@for_each("value", ["Harbor!4711x", "aB3xY9kQ2m", "48291377", "amber-copper-willow-frost"])
@for_each("phrase", PHRASES)
def test_a_password_goes_in_each_language(phrase: str, value: str) -> None:
    text = phrase.partition(" ")[2]
    assert REDACTOR.redact(text.format(value)).text == text.format(PASSWORD)


def test_the_languages_of_the_phrases_have_a_row() -> None:
    assert {phrase.partition(" ")[0] for phrase in PHRASES} <= LANGUAGES.keys()


@for_each("text", TALK)
def test_what_is_said_about_passwords_is_left_alone_in_each_language(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "password changed from {} to {}",
        "old pw {}, new one {}",
        "пароль сменили с {} на {}",
        "パスワードを{}から{}に変更",
        "Passwort: {} -> {}",
        "Passwords:\n- shed: {}\n- gate: {}\n",
        "contraseñas:\n- casa: {}\n- taller: {}\n",
        "| Rechner | Kennwort |\n|---|---|\n| web1 | {} |\n| web2 | {} |\n",
        "user,password,host\nbob,{},web1\nann,{},web2\n",
        "host;utilisateur;mot de passe\nweb1;bob;{}\nweb2;ann;{}\n",
        "INSERT INTO users (name, password) VALUES ('bob', '{}'), ('ann', '{}');",
    ],
)
def test_all_of_several_passwords_go(text: str) -> None:
    assert REDACTOR.redact(text.format("Harbor!4711x", "hunter22")).text == text.format(PASSWORD, PASSWORD)


@for_each(
    "text",
    [
        "Passwords:\n- at least 12 characters\n- length: 12\n- rotation: yearly\n",
        "| parameter | password |\n|---|---|\n| type | string |\n| required | yes |\n",
        "username, password, host\nare all required, but, optional",
        "names = [\n    'password',\n    'filecopy',\n]\n",
        "def connect(user, password=None, secure=None, choices=choices): pass\n\nresponse = tasks[1].result()\n",
        "the password for the host db14 is in the vault",
        "You can pass `field=None` to check",
    ],
)
def test_lists_tables_and_code_that_name_passwords_are_left_alone(text: str) -> None:
    assert REDACTOR.redact(text).text == text
