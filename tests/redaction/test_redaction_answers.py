"""An answer to a question that names a secret is read as if it stood behind the name."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
TALKS = (
    "user: what's the {}?\nassistant: It's {}\n",
    "Q: What is the {}?\nA: {}\n",
    "[10:02] Ana: {} for the router?\n[10:03] Bo: {}\n",
    "**Ana:** {}?\n\n**Bo:** yes, {}.\n",
    "<ana> do you have the {}?\n<bo> {}\n",
    "Ana: send me the {} please\nBo: {}\nAna: thanks",
    "Human: I forgot the {}.\nAI: You told me it was {}.\n",
    "Ana 10:02\nwhat was the {} again\n\nBo 10:04\n{}\n",
    "- Ana asked for the {}\n- it is {}\n",
    "> what was the {} again?\n< {}\n> thx\n",
)


@for_each("talk", TALKS)
@for_each("name", ["wifi password", "access token", "PIN", "door code", "client secret"])
def test_what_somebody_answers_goes(talk: str, name: str) -> None:
    values = ["4821", "739104"] if name in ("PIN", "door code") else ["9paTwnAdrwEzKxB0", "W1cWGDHLrNk4n0anxL"]
    for value in values:
        assert value not in REDACTOR.redact(talk.format(name, value)).text


@for_each("speakers", [("Ana: ", "Bo: "), ("> ", "< ")])
@for_each(
    "question",
    [
        "what's the code for the bike shed?",
        "wie war der Code fürs Tor?",
        "which code opens the side door?",
        "and the till pin?",
    ],
)
def test_the_code_of_what_a_question_names_behind_it_goes(question: str, speakers: tuple[str, str]) -> None:
    asked, told = speakers
    assert "4827" not in REDACTOR.redact(f"{asked}{question}\n{told}4827\n").text


@for_each(
    "talk",
    [
        "Ana: how long is the recovery code?\nBo: 12 or OPS-4711",
        "Ana: who knows the admin password?\nBo: ext. 4711",
        "Ana: what's the password policy?\nBo: 14+",
        "Ana: do you have the door code?\nBo: in room B2.14",
        "Ana: what was the ticket for the password reset?\nBo: OPS-4711",
        "Ana: where is the API key?\nBo: docs/auth2.md",
        "Ana: do you have the wifi password?\nAna: see 2025-03-04",
        "> which error code was it?\n< 4827",
        "> what code is on the box?\n< 4827",
        "> do you have the wifi password?\n> see 2025-03-04",
        "label: Forgot password?\nid: pwd-input-1",
        "question: What is the PIN?\nurl: q12-4",
    ],
)
def test_what_answers_something_else_stays(talk: str) -> None:
    assert REDACTOR.redact(talk).findings == ()


@for_each(
    "talk",
    [
        "agent: And the password?\nuser: hang on\nuser: Larkspur99",
        "ana: which password are you using?\nbo: let me look...\nbo: it's Larkspur99, as always.",
        "Agent : \u00ab Quel mot de passe utilisez-vous ? \u00bb\nCliente : \u00ab Larkspur99, comme toujours. \u00bb",
    ],
)
def test_an_answer_after_a_pause_or_before_a_remark_goes(talk: str) -> None:
    assert "Larkspur99" not in REDACTOR.redact(talk).text


def test_what_stands_below_a_heading_that_is_underlined_goes() -> None:
    assert "Trellis!88" not in REDACTOR.redact("wifi password\n=============\nTrellis!88\n").text


@for_each("talk", ["— {}\n— {}", "– {}\n– {}", "- {}\n- {}", '"{}"\n"{}"', "Kai: {}\nMo: {}"])
@for_each(
    ("question", "answer", "remark"),
    [
        ("รหัสไวไฟอะไร", "khaoniao9", " ตัวเล็กหมด"),
        ("Какой пароль от ноута?", "qazMorkov", ", маленькими."),
        ("Wi-Fiのパスは？", "ramen-ya9", "だよ"),
        ("C'est quoi la clé du wifi ?", "grenouille verte 6", ", tout attaché."),
        ("شو كلمة سر الواي فاي؟", "baytuna99", "، كله صغير."),
        ("رمز وای‌فای چیه؟", "noghre88", ""),
        ("Password wifi apa?", "sate ayam", ", huruf kecil."),
        ("Jaké je heslo na wifi?", "ježek v kleci", ", s mezerami."),
        ("WiFi密码多少？", "春暖花开", "，全小写。"),
        ("Pass wifi là gì vậy?", "khongchodau1", ""),
        ("Welches Passwort hat das NAS?", "drei graue Igel", ", kleingeschrieben."),
    ],
)
def test_an_answer_in_a_dialogue_of_any_language_goes(talk: str, question: str, answer: str, remark: str) -> None:
    redacted = REDACTOR.redact(talk.format(question, answer + remark)).text
    assert answer not in redacted
    assert redacted.startswith(talk.format(question, "").rstrip('"'))


@for_each("talk", ["— {}\n— {}", "- {}\n- {}", '"{}"\n"{}"', "[20:14] Kai: {}\n[20:15] Mo: {}"])
@for_each(
    ("question", "answer"),
    [
        ("What's the wifi password?", "I don't know, ask Anna."),
        ("What's the wifi password?", "Green card, top drawer"),
        ("Koja je lozinka za wifi?", "Na frižideru."),
        ("Какой пароль от ноута?", "Не знаю, спроси у Ани."),
        ("Какой пароль от ноута?", "Какой именно?"),
        ("Jaké je heslo na wifi?", "Nevím, zeptej se Anny."),
        ("¿Cuál es la contraseña del wifi?", "La misma de antes."),
        ("Was ist das WLAN-Passwort?", "Ist abgelaufen."),
        ("Was ist das WLAN-Passwort?", "Im Tresor."),
        ("รหัสไวไฟอะไร", "ไม่รู้"),
        ("WiFi密码多少？", "路由器底"),
        ("密码是什么格式？", "大写加数字8位"),
        ("Gdje je lozinka?", "U sefu."),
        ("Kdo zná heslo?", "Anna."),
        ("Wie lang ist das Passwort?", "zwölf Zeichen"),
    ],
)
def test_an_answer_that_tells_no_value_stays(talk: str, question: str, answer: str) -> None:
    assert REDACTOR.redact(talk.format(question, answer)).findings == ()


@for_each(
    "talk",
    [
        "user: I moved the safe combination\nassistant: what is it now?\nuser: {left 22, right 9, left 41}",
        "user: wir haben das WLAN-Passwort geändert\nassistant: wie lautet es jetzt?\nuser: {Kessel77blau}",
        "User: it says enter the code we sent you\nUser: {664 019}\nAssistant: Done.",
    ],
)
def test_an_answer_goes_that_is_asked_for_as_it_or_in_a_prompt(talk: str) -> None:
    value = talk[talk.index("{") + 1 : talk.index("}")]
    assert value not in REDACTOR.redact(talk.replace("{", "").replace("}", "")).text


@for_each(
    "talk",
    [
        "user: I changed the router password\nassistant: which one?\nuser: the one on rack2b",
        "user: the password policy changed\nassistant: what is it now?\nuser: min12chars",
        "User: please enter the coupon code we sent you\nUser: 664 019",
        "- rotate the wifi password?\n- upgrade node2b",
        "- the safe has a combination lock, agent will send the number\n- letterbox key: one, second one costs 25",
    ],
)
def test_what_is_no_answer_to_what_was_named_before_stays(talk: str) -> None:
    assert REDACTOR.redact(talk).findings == ()


@for_each("talk", ["– {}\n– {}", "Eva: {}\nLeo: {}", "田中：{}\n佐藤：{}"])
@for_each(
    ("question", "answer", "values"),
    [
        ("Aké je heslo na školskú wifi?", "kuddelmuddelhof, bez dĺžňov", "kuddelmuddelhof"),
        ("C'est quoi le mot de passe du wifi ?", "borovalampa7, sans accents", "borovalampa7"),
        ("会議室のパスワードって何でしたっけ？", "borovalampa7です。先月変わりました。", "borovalampa7"),
        ("Care e parola site-ului?", "borovalampa7", "borovalampa7"),
        ("Και το PIN για την τηλεόραση;", "0909", "0909"),
        ("და ტელევიზორის პინ კოდი?", "5108 და გასაღების ღილაკი", "5108"),
        ("电视的PIN码呢？", "5108再按钥匙键", "5108"),
        ("And what's the door code?", "1709 from Monday, 4412 until Sunday", "1709 4412"),
        ("Und wie ist der Türcode?", "4471 vorne und 8820 hinten", "4471 8820"),
        ("Hva var passordet til Spond?", "byttet fra fotball10 til skiskyting11 i går", "fotball10 skiskyting11"),
        ("Jaké je heslo na web?", "včera změněno z kotlik10 na kotlik11", "kotlik10 kotlik11"),
    ],
)
def test_each_value_of_an_answer_goes(talk: str, question: str, answer: str, values: str) -> None:
    redacted = REDACTOR.redact(talk.format(question, answer)).text
    assert [value for value in values.split() if value in redacted] == []


@for_each("question", ["till vad?", "to what?", "auf was?", "на какой?"])
def test_a_code_goes_that_is_asked_for_as_what_it_was_changed_to(question: str) -> None:
    talk = f"Elsa: portkoden är ändrad igen\nNils: {question}\nElsa: 1709 från måndag, 4412 gäller till söndag"
    assert not {"1709", "4412"} & {*REDACTOR.redact(talk).text.replace(",", "").split()}


@for_each(
    "talk",
    [
        "Anna: wie komm ich ins Büro-WLAN?\nJonas: über das Gästenetz",
        "dana: token count?\nmarco: 8192 in, 1024 out",
        "Sara: combien de tokens ?\nPaul: 8192 en entrée, 1024 en sortie",
        "Nurse: the code for the procedure?\nClerk: 43239, upper GI endoscopy",
        "Nurse: et le code pour l'intervention ?\nClerk: 43239, endoscopie",
        "Eva: stop code?\nLeo: 57203",
        "Eva: what's the door code?\nLeo: since 2019, I think",
        "Eva: what's the door code?\nLeo: see wiki page 4711",
        "Eva: the wifi password changed\nLeo: to what?\nEva: docs/auth2.md",
        "Eva: what's the wifi password?\nLeo: we moved from node12 to node14",
        "- rotate the wifi password?\n- upgrade node2b",
        "Take the bus at the school. Stop code 57203.",
    ],
)
def test_a_question_about_something_else_and_its_answer_stay(talk: str) -> None:
    assert REDACTOR.redact(talk).findings == ()


@for_each(
    ("prompt", "words"),
    [
        ("Введите пароль архива:", "тёплый чайник"),
        ("Passwort eingeben:", "warmer kessel"),
        ("Saisissez le mot de passe :", "bouilloire chaude"),
        ("Zadejte heslo archivu:", "teplá konvice"),
        ("Arşiv parolasını girin:", "sıcak çaydanlık"),
    ],
)
def test_words_go_that_were_typed_after_a_prompt(prompt: str, words: str) -> None:
    assert words not in REDACTOR.redact(f"$ ./backup.sh\n{prompt} {words}\n").text


@for_each(
    "text",
    [
        "Введите пароль: не менее восьми символов",
        "Passwort eingeben: wird nicht angezeigt",
        "Saisissez le mot de passe : au moins huit caractères",
        "Enter password: access denied",
        "Enter the WiFi password: ask the front desk",
        "Scan the key card: green light",
        "push secret: build and deploy",
    ],
)
def test_hints_and_errors_after_a_prompt_stay(text: str) -> None:
    assert REDACTOR.redact(text).findings == ()
