"""Passwords of plain words go where the place says what they are, and words stay where it says something else."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
MARK = "[REDACTED:password]"


def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


@for_each("value", ["river-maple", "river.maple", "river_maple", "RiverMaple", "rfEsVF", "copper kettle 53"])
@for_each("text", ["nas password: {}", "Kennwort: {}", "mdp : {}", "password: {}\nport 22"])
def test_joined_words_go_behind_a_name_and_a_sign(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format(MARK)


@for_each(
    "text",
    [
        "The password for the nas is {}.",
        "changed the wifi password to {} today",
        "Das Passwort fürs NAS ist {}.",
        "Le mot de passe du wifi est {}.",
        "La password del wifi è {}.",
        "Hasło do wifi to {}.",
        "router pw {}",
    ],
)
def test_joined_words_go_in_sentences_of_all_languages(text: str) -> None:
    for value in ("river-maple", "RiverMaple"):
        assert redacted(text.format(value)) == text.format(MARK)


@for_each(
    "text",
    [
        "username=kodi\npassword={}\ndomain=WORKGROUP\n",
        "spring.datasource.username=app\nspring.datasource.password={}\nserver.port=8080\n",
        "Server=db;Database=shop;User Id=app;Password={};Encrypt=False",
        "//nas/share /mnt cifs username=jo,password={},uid=1000 0 0",
        "name,url,username,password\nMail,https://m.example,jo,{}\n",
        "password: |\n  {}\n",
        "nas: admin / {}\n",
    ],
)
def test_a_value_of_words_goes_where_a_file_or_a_list_has_its_password(text: str) -> None:
    value = "river-maple" if "cifs" in text or "|" in text else "RiverMaple"
    assert redacted(text.format(value)) == text.format(MARK)


@for_each(
    "text",
    [
        "user=form.user\npassword=form.password\nnext=3\n",
        "a=1\npassword=optional\nb=2\n",
        "first=1\n" + "x" * 200 + "\npassword=settings.password\n",
        "password: minimum length 12\n",
        "password: see page 53\n",
        "Password: Room 12\n",
        "roles: admin / editor\n",
        "permissions: admin / read-only\n",
        "zigbee: admin / v2.0\n",
        "psk=ext:lighthouse_psk\n",
        'password: "{{ app_password | password_hash }}"\n',
        "OCR-nummer 7744 1209 3381, Lösenordet ligger i kuvertet",
    ],
)
def test_words_stay_that_say_something_else(text: str) -> None:
    assert redacted(text) == text


@for_each(
    "text",
    [
        "Clé API Acme : {}",
        "A chave de API do Acme: {}",
        "API-nyckeln för Acme är {}",
        "Az Acme API-kulcsa {}",
        "Kunci API Acme adalah {}",
        "service,api_key\nacme,{}\n",
        "Linode tok: {}",
    ],
)
def test_a_key_goes_by_what_other_languages_and_columns_call_it(text: str) -> None:
    assert redacted(text.format("q7RtZ2mKx9WvB4nLp8Rd5Yc3")) == text.format("[REDACTED:secret]")


@for_each("text", ["password: {}", "The password is {}.", "pw is {}", "passphrase: {}"])
def test_the_phrase_that_all_have_read_of_goes(text: str) -> None:
    assert redacted(text.format("correct horse battery staple")) == text.format(MARK)


@for_each("word", ["copperpipe", "creeperpoop", "Marmalade", '"zabbix"', "**sunflower**"])
@for_each(
    "text",
    [
        "They've kept {} as the password since 2011.",
        "Ethan picked {} as admin password, nobody can talk him out of it.",
        "Admin still had the default {} as password.",
        "she chose {} as her passphrase",
    ],
)
def test_a_word_goes_that_somebody_has_as_the_password(text: str, word: str) -> None:
    assert redacted(text.format(word)) == text.format(word.replace(word.strip('"*'), MARK))


@for_each(
    "text",
    [
        "use it as the password",
        "the app takes email as login and phone as password",
        "people put anything as the password",
        "he left nothing as the password",
        "enter numbers as the PIN",
        "we use SSO as the password",
    ],
)
def test_a_word_stays_that_only_says_what_is_one(text: str) -> None:
    assert redacted(text) == text
