"""Passwords are found as people of each language say them, and what only speaks of passwords is left alone in each."""

from __future__ import annotations

import pytest
from support.for_each import for_each

from s3memory.redaction import PatternRedactor
from s3memory.redaction.rules.reading.languages import LANGUAGES

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
gl o contrasinal do servidor é {}
lb Passwuert fir de Server ass {}
is lykilorðið er {}
af die wagwoord vir die bediener is {}
sq fjalëkalimi është {}
az yeni parol {}
ms kata laluan pelayan ialah {}
ka სერვერის პაროლი არის {}
hy սերվերի գաղտնաբառը {} է
kk сервердің құпиясөзі: {}
mn серверийн нууц үг: {}
my စကားဝှက်က {} ဖြစ်ပါတယ်
km ពាក្យសម្ងាត់គឺ{}
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


@for_each("remark", ["#comment", "# rotated", "#wifi #home", "(old)", "// rotated"])
def test_a_remark_behind_a_password_stays(remark: str) -> None:
    assert REDACTOR.redact(f"password: Marmelade_63 {remark}").text == f"password: {PASSWORD} {remark}"


@for_each(
    "text",
    [
        "password changed from {} to {}",
        "old pw {}, new one {}",
        "пароль сменили с {} на {}",
        "fjalëkalimi u ndryshua nga {} në {}",
        "slaptažodis pakeistas iš {} į {}",
        "new password {} instead of {}",
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


@pytest.mark.parametrize("value", ["kettle-lantern7", "Winter-2031!", "otter7-q", "maple-12"])
@pytest.mark.parametrize(
    "phrase",
    [
        "the password for the wifi is {}",
        "Das Passwort vom Admin lautet {}",
        "password of the server: {}",
        "every account has the password {}",
        "the password, by the way, is {}.",
    ],
)
def test_words_and_a_number_that_are_joined_go_behind_an_explicit_name(phrase: str, value: str) -> None:
    assert value.rstrip("!") not in PatternRedactor().redact(phrase.format(value)).text


@pytest.mark.parametrize(
    "text",
    [
        "the password is sha256-hashed",
        "the password is utf8-encoded",
        "the password of the server: OPS-4711",
        "the password is in file v2.1.0",
    ],
)
def test_what_only_looks_like_words_and_a_number_stays(text: str) -> None:
    assert PatternRedactor().redact(text).text == text


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("| # | box | PIN |\n|---|---|---|\n| 1 | web0 | 32678974 |\n| 2 | web1 | 4711 |\n", ["32678974", "4711"]),
        (
            "| No. | Rechner | Kennwort |\n|:--|:--|--:|\n| 1 | web0 | lampe-44x |\n| 2 | b | Kite88? |\n",
            ["lampe-44x", "Kite88?"],
        ),
    ],
)
def test_tables_whose_rows_are_numbered_lose_every_row(table: str, values: list[str]) -> None:
    redacted = PatternRedactor().redact(table).text
    assert not [value for value in values if value in redacted]


@pytest.mark.parametrize(
    "phrase",
    [
        "log in as kiosk with {}",
        "connexion avec kiosk et {}",
        "anmelden mit kiosk und {}",
        "inloggen als kiosk met {}",
        "вход под kiosk с {}",
        "用kiosk和{}登录",
        "use kiosk / {} to log in",
        "account kiosk ({})",
        "it logs in as `kiosk` using `{}`",
        "signed in as kiosk with {}",
        'share "Archiv", als kiosk/{} verbinden',
        "authenticates as kiosk with {}",
    ],
)
def test_the_second_of_a_pair_beside_a_word_for_logging_in_goes(phrase: str) -> None:
    redacted = PatternRedactor().redact(phrase.format("Mango77!")).text
    assert "Mango77" not in redacted
    assert "kiosk" in redacted


@pytest.mark.parametrize(
    "text",
    [
        "connect an `Http2Session` object to a socket",
        "log in as root/admin",
        "Sign in with GitHub and choose Python3",
        "the account is on port 5432 and host db14",
        "branch feature/login-2fa merged as 3f9c1a7b",
        "login works on branch feature/ember-kettle-49",
        "the login page broke between b54ce6f634 and 9735fdaa80",
    ],
)
def test_other_words_beside_logging_in_stay(text: str) -> None:
    assert PatternRedactor().redact(text).text == text


@pytest.mark.parametrize("text", ["password is required. password: Kite8811?", "密码错误。密码是Kite8811?"])
def test_a_fruitless_name_hides_no_later_one(text: str) -> None:
    assert "Kite8811" not in PatternRedactor().redact(text).text


@pytest.mark.parametrize(
    "value", ["ember-saddle-nectar", "amber bishop cobalt", "471 147 220", "tb.vdw8.31", "9f31c0aa7be2"]
)
@pytest.mark.parametrize(
    "phrase",
    ['the password is "{}"', "das Kennwort lautet jetzt '{}'", 'geslo spremenjeno v "{}"', 'лозинка промењена на "{}"'],
)
def test_what_stands_in_quotes_behind_an_explicit_name_goes_whatever_it_is_made_of(phrase: str, value: str) -> None:
    assert value not in REDACTOR.redact(phrase.format(value)).text


@pytest.mark.parametrize(
    "phrase", ["{} <- password of the NAS", "{} (password of the router)", "type {} when it asks for the password"]
)
def test_a_value_is_read_back_from_its_name_over_signs_and_words(phrase: str) -> None:
    assert "sun_flower_88" not in REDACTOR.redact(phrase.format("sun_flower_88")).text


@for_each("verb", ("is", "was set to", "has been reset to"))
@for_each("end", ("\n", " \n", "\r\n", "\n> "))
def test_a_password_goes_whose_sentence_goes_on_in_the_next_line(verb: str, end: str) -> None:
    text = f"the root password {verb}{end}Ribbon8732! for now"
    assert REDACTOR.redact(text).text == text.replace("Ribbon8732!", "[REDACTED:password]")


@for_each("said", ("required for all", "12 characters long", "never stored", "PostgreSQL 14's own"))
def test_what_is_said_of_a_password_in_the_next_line_stays(said: str) -> None:
    assert REDACTOR.redact(f"the root password is\n{said}").text == f"the root password is\n{said}"


@for_each(
    "text",
    (
        "changed the password from {0} to {1} yesterday",
        "The password was the name of her dog, {0}",
        "he wrote the password, {0}, on the underside of the keyboard",
        "all users got the same password, namely {0}",
        "kid logs on, password {0}",
        "nobody touched the VPN password, it's still {0}",
        "say the password, which this month is {0}",
        "asked for the passphrase, type the word {0} and press return",
        "the passphrase of Jo's key? A: {0}",
        "we use {0} as the password for the test database",
    ),
)
def test_a_word_goes_where_a_sentence_tells_that_it_is_the_password(text: str) -> None:
    for first, second in (("dragon", "pumpkin"), ("tiger", "banana")):
        redacted = REDACTOR.redact(text.format(first, second)).text
        assert first not in redacted
        assert second not in redacted


@for_each(
    "text",
    (
        "the password is simple",
        "the passphrase was changed, it's now longer",
        "username, password, hostname, port",
        "the password, however, expired on Monday",
        "all users have the same password, namely none",
        "changed the password from weak to strong",
        "log on, password required",
        "set the password to expire, please",
    ),
)
def test_a_word_that_says_something_about_the_password_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    (
        "За да влезеш, напиши {}",
        "Щоб увійти, набери {}",
        "Si sale la pantalla, que ponga {} y listo",
        "Bij de beamer moet je {} intikken",
        "När datorn låser sig skriver man {} så går det",
        "Ha belépést kér, írd be, hogy {}",
        "trzeba wpisać {} w sekretariacie",
        "我输入{}就进去了",
        "端末は{}で開きます",
        "הסיסמה של הראוטר שונתה ל-{}",
        "김 대리 PC는 {} 입력하면 로그인돼요",
    ),
)
def test_a_password_goes_that_somebody_types_in_any_language(text: str) -> None:
    for value in ("Harbor_Velvet7", "kettle-Harbor42", "GravelHarbor.907"):
        assert value not in REDACTOR.redact(text.format(value)).text


@for_each(
    "form",
    [
        "ID：jo\u3000{}は「Harbor!4711x」",
        "user jo, {}: Harbor!4711x",
        "login jo {} (Harbor!4711x)",
        "account jo and {} Harbor!4711x",
        "user: jo\n{}: Harbor!4711x",
    ],
)
def test_a_password_goes_behind_its_name_in_any_language_beside_a_user(form: str) -> None:
    names = [word.strip("*").replace("_", " ") for row in LANGUAGES.values() for word in row.names.split()]
    texts = [form.format(name) for name in names if name != "пін-код"]  # which is a number
    assert not [text for text in texts if "Harbor" in REDACTOR.redact(text).text]


@for_each(
    "phrase",
    [
        "router 192.168.1.1: admin {}",
        "login do panelu: ania / {}",
        "张伟的登录：zhangwei / {}",
        "管理画面はadmin、{}で入れます",
    ],
)
def test_a_word_and_a_number_goes_beside_a_user_where_somebody_logs_in(phrase: str) -> None:
    for word in ("tanuki88", "sycamore77"):
        assert word not in REDACTOR.redact(phrase.format(word)).text, phrase


@for_each(
    "text",
    [
        "router 192.168.1.1: admin console2 unreachable",
        "10.0.0.5: root disk80 full",
        "login: v1 / v2",
        "login flow: step1 / step22",
        "登录页面：vue3 / element2",
        "ログイン: iPhone15 / Pixel8",
        "logins per day: mon12 / tue14",
        "usuario marta y grupo ventas12",
    ],
)
def test_things_beside_a_user_or_a_login_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    ("phrase", "word"),
    [
        ("sandi akun Budi {}", "rendang!pedas"),
        ("رمز عبور علی {} است", "setareh55"),
        ("รหัสไวไฟคือ {}", "mamuang55"),
        ("sandi wifi kantor {}", "durian44"),
        ("parola contului lui Andrei {}", "castravete7"),
    ],
)
def test_a_name_that_may_mean_other_things_is_a_password_of_what_somebody_gets_into(phrase: str, word: str) -> None:
    assert word not in REDACTOR.redact(phrase.format(word)).text


@for_each(
    "text",
    [
        "sandi akun wajib diisi",
        "clave primaria id55",
        "la clave del servidor es larga",
        "parola de la server este greșită",
        "pass rate85 percent",
        "รหัสพนักงาน emp12345",
    ],
)
def test_what_else_such_a_name_means_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "パスワードは1Passwordに保存してください。",
        "パスワードはBitwardenに保存してください。",
        "パスワードはKeePassXC2に保存",
        "비밀번호는 1Password에 있음",
        "비밀번호는 Bitwarden2에서 확인",
        "รหัสผ่านเก็บไว้ใน Bitwarden2",
        "密码存在Vault2020中",
        "パスワードはSafe2020に保管",
        "das Passwort steht in Keepass2",
        "password: Bitwarden2",
    ],
)
def test_where_a_password_is_kept_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


def test_what_a_password_was_changed_to_goes_before_the_particle_of_a_place() -> None:
    assert REDACTOR.redact("パスワードはSafe2020に変更").text == f"パスワードは{PASSWORD}に変更"


@for_each(
    "text",
    [
        "username is jdoe42, she sets the password herself",
        "Datov\u00e1 schr\u00e1nka ID x7kq2ma, heslo zn\u00e1 jen jednatel.",
        "\u516c\u7528\u5e33\u865f nurse_st5 \u7684\u5bc6\u78bc\u7531\u8b77\u7406\u9577\u4fdd\u7ba1",
        "\ub124\uc774\ubc84 id\ub294 sea_kim55, \ube44\ubc88\uc740 \ubaa8\ub984",
        "le compte utilisateur est dupont_m3, il choisit son mot de passe",
        "gebruiker is kdevries4, wachtwoord kiest hij zelf",
    ],
)
def test_a_user_stays_before_a_password_that_is_not_told(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "said {} is the password",
        "the idea {} is the password",
        "bread {}, that is its password",
        "use login {} as the password",
    ],
)
def test_a_password_before_its_name_goes_behind_words_that_end_like_a_user(text: str) -> None:
    assert REDACTOR.redact(text.format("Kettle!47x")).text == text.format(PASSWORD)


def test_a_user_is_a_whole_word() -> None:
    assert REDACTOR.redact("said Kettle7-x is the password").text == f"said {PASSWORD} is the password"


@for_each(
    "text",
    [
        "rotated the NAS password from {phrase}3 to {phrase}4 on 3 May",
        "Пароль от NAS сменили с {phrase}3 на {phrase}4.",
        "E-posta şifresini {word}1 yerine {word}2 yaptım.",
        "เปลี่ยนรหัสอีเมลจาก {word}1 เป็น {word}2 แล้ว",
        "Нет, не {word}1, а {word}2 — вот пароль от ноутбука.",
        "Det er ikke {word}1 lenger, men {word}2 som er passord på PC-en.",
        "It's not {word}1 but {word}2 that is the laptop password.",
        "{word}1 değil, {word}2 dizüstü bilgisayarın şifresi.",
        "{word}1ではなく{word}2がノートPCのパスワードです。",
    ],
)
def test_the_old_password_goes_as_well_where_another_one_replaced_it(text: str) -> None:
    redacted = REDACTOR.redact(text.format(phrase="blue heron ", word="Lofoten")).text
    assert redacted == text.replace("{word}1", PASSWORD).replace("{word}2", PASSWORD).replace(
        "{phrase}3", PASSWORD
    ).replace("{phrase}4", PASSWORD)


@for_each(
    "text",
    [
        "not Tuesday but Wednesday, the password reset happens",
        "from 2 to 3 people know the wifi password",
        "The password server moved from meeting room 3 to meeting room 4.",
        "The cabin is not Lofoten3 but Lofoten4, and the password is in the house.",
        "Salon2 yerine Salon3 kullanılacak, wifi şifresi ise hep aynı.",
    ],
)
def test_what_was_replaced_and_is_no_password_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text
