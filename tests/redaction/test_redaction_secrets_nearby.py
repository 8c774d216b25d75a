"""What stands on the line of a password or a code and looks like one goes with it; names of users and things stay."""

from __future__ import annotations

from support.for_each import for_each
from support.redaction_samples import secrets_of, without_marks

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()


@for_each(
    "text",
    [
        "the password went from «mustard-lantern-ginger» to «Harbor!4711x» last night",
        "Lena's Spotify went from «sunnyrocket» to «Harbor!4711x»",
        "the password is «Harbor!4711x» instead of «sunnyrocket»",
        "swapped the password «Harbor!4711x» for «Ribbon2098»",
        "Wachtwoord van de mailbox is «Harbor!4711x». Het oude, «Bakfiets98», doet het niet meer.",
        "password del portale cambiata da «pepper974» a «Harbor!4711x»",
        "đổi mật khẩu quản trị từ «candle2012» sang «Harbor!4711x»",
        "סיסמה למסד הנתונים שונתה מ-«comet2087» ל-«Harbor!4711x»",
        "gate code «4711», garage «3052»",
        "the gate code is «4711» for the cleaner, we use «3052»",
        "le code du portail était «4711», maintenant «3052»",
        "conference: access code «47113», host «3052#»",
        "conference: access code «4711392#», host «3052#»",
        "alarm panel: master «7306», the password for duress is «7309»",
        "alarm panel: master «7306», duress «7307», installer unknown",
        "El PIN de la tarjeta es el «9295» y la alarma de casa se quita con «822491».",
    ],
)
def test_what_is_told_of_in_the_same_breath_goes(text: str) -> None:
    redacted = REDACTOR.redact(without_marks(text)).text
    assert not [secret for secret in secrets_of(text) if secret in redacted]


@for_each(
    "text",
    [
        # The one is found by itself, and the other goes with it.
        "đổi mật khẩu từ «tramhuong1» sang «Harbor!4711x»",
        "cambiamos la del router, antes «casa1234», ahora «Harbor!4711x»",
        "password server diganti dari «Melati01» jadi «Harbor!4711x»",
        "from «Summer2023» to «Harbor!4711x» (VPN)",
        "a jelszót «tavasz12»-ről «nyar22»-re cseréltem",
        # Neither of them is, but for the other.
        "密码从«chunfen1»改成«xiazhi2»了",
        "am schimbat parola serverului din «Toamna1» în «Iarna2»",
        "שינינו את הסיסמה מ-«zait11» ל-«zait12»",
        "Şifre değişti, eskisi «Bahar.2023» yenisi «Bahar.2024»",
        "the NAS password: was «walnut7», now «walnut8»",
        "Zugang zum Testserver geändert von «Herbst2023» auf «Winter2024».",
    ],
)
def test_a_word_with_a_number_that_was_replaced_goes_with_what_replaced_it(text: str) -> None:
    redacted = REDACTOR.redact(without_marks(text)).text
    assert not [secret for secret in secrets_of(text) if secret in redacted]


@for_each(
    "text",
    [
        "the passwords file moved from app1 to app2",
        "wachtwoordbeleid gewijzigd van versie12 naar versie13",
        "die Passwort-Seite wechselt von Seite12 auf Seite14",
        "changed passwords for host alpha7 and host bravo8",
        "senha igual, mudou o plano de basico1 para premium2",
        "password reset ticket changed from SUP1234 to SUP1250",
    ],
)
def test_things_one_of_which_replaced_the_other_stay(text: str) -> None:
    assert not REDACTOR.redact(text).findings


@for_each(
    "text",
    [
        "user anna1987, password «Harbor!4711x» on web-prod-03",
        "password «Harbor!4711x» for anna1987",
        "User mo.lind2 / «Harbor!4711x» / role admin2",
        "account svc_report2 has password «Harbor!4711x»",
        "usuari admin2, contrasenya «Harbor!4711x»",
        "Xbox gamertag CptNoodle_122, password «Harbor!4711x»",
        'wifi "Kita-Sonne2" password «Harbor!4711x»',
        "The Keynote2024 deck is locked with «Harbor!4711x»",
        "Admin pw «Harbor!4711x», firmware v2.3.1, model TL-WR841N, serial 7EWKHK4NR4",
        "admin login MacBookPro2019: «Harbor!4711x»",
        '{"user": "kiosk2024", "password": "«Harbor!4711x»", "host": "db-prod-03"}',
        "DB_USER=report2024 DB_PASSWORD=«Harbor!4711x» DB_NAME=Orders2024 ./run.sh",
        'login("report2024", "«Harbor!4711x»", "Orders2024")',
        "card ending 8832 has PIN «4711»",
        "gate code «4711» since March 2024, house number 1204",
        "safe combination «4711», serial no 99213 on the back",
        "door code «4711», meeting room 3052, call ext. 5512",
    ],
)
def test_nothing_else_on_the_line_goes(text: str) -> None:
    (secret,) = secrets_of(text)
    before, behind = without_marks(text).split(secret)
    redacted = REDACTOR.redact(without_marks(text)).text
    assert redacted.startswith(f"{before}[REDACTED:")
    assert redacted.endswith(f"]{behind}")
    assert secret not in redacted


@for_each("text", ["pw changed from default to Harbor!4711x", "the password, namely Harbor!4711x"])
def test_a_value_with_a_sign_inside_goes_as_a_whole(text: str) -> None:
    redacted = REDACTOR.redact(text).text
    assert "Harbor" not in redacted
    assert "4711x" not in redacted


@for_each("head", ["Passwords:", "Old codes of the alarm:", "PINs of the lockers:"])
@for_each("bullet", ["", "- ", "1. "])
@for_each("values", [["1184", "2250", "3371", "4482", "5593", "6604"], ["ab-12", "cd-34", "ef-56", "gh-78"]])
def test_of_values_alone_on_their_lines_all_go_or_none(head: str, bullet: str, values: list[str]) -> None:
    redacted = REDACTOR.redact("\n".join((head, "", *(bullet + value for value in values), ""))).text
    assert sum(value in redacted for value in values) in (0, len(values))


def test_what_is_written_otherwise_ends_a_list() -> None:
    text = "Passwords:\n\n1184\n2250\n3371\n\nport 8080\n9090\n"
    assert REDACTOR.redact(text).text.endswith("\nport 8080\n9090\n")


def test_what_is_near_a_password_goes_whose_label_is_behind_it() -> None:
    redacted = REDACTOR.redact("Nie Elma-11x, tylko Elma-12x to hasło do NAS.").text
    assert redacted == "Nie [REDACTED:password], tylko [REDACTED:password] to hasło do NAS."
