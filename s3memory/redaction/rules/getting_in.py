"""Words about getting in: locks, accounts, and typing a password, and where they stand in a text.

English has whole words, in kinds that differ in what they say. Other languages have the beginnings of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from s3memory.redaction.compiling import compiled

# Locks open with a number as well. What is in the last list asks for a password at times.
LOCKS = (
    r"(?:keypad|safe|padlock|(?:dis)?arm(?:s|ed)|alarm|lockbox|locker|doors?|gate|garage|(?:un)?lock(?:s|ed)?|combo"
    r"|combination|luks|bitlocker(?:ed)?|keychain|key(?:ring|store|pass)|ssid|vpn|wi-?fi|sudo|wpa[23]?|guest network"
    r"|open(?:s|ed)?(?![ -]source)|(?:de|en)crypt(?:s|ed)?|(?:un)?zip(?:ped)?(?! code)|protected|archive|elevator)"
)
_ACCESS = (
    r"(?:log(?:ged)?[ -]?(?:in|on)(?:to)?|sign(?:ed)?[ -]in(?:to)?|credentials?|creds|get (?:in|past)"
    r"|gets (?:in|past|you)|got in(?:to)?|get into|join(?:s|ed)? with|key(?:ed|s)? in|reset (?:it|them|hers|his) to"
    r"|access|admin(?:istrator)?|root|account|portal|ssh|su|rdp|bios|mailbox|jump host"
    r"|idrac|ipmi|ilo|snmp|community string|storepass|prompt(?:s|ed)?|preshared|accepts?|caps lock|sticky note)"
)
_ASKING = (
    r"(?:router|rcon|switch|nas|cam(?:era)?|printer|tablet|phone|laptop|vnc|s?ftp|smtp|imap|pop3|viewer|teamviewer|anydesk"
    r"|keepass|vault|master|enable|supervisor|superuser|user|psk|wlan|app|mail|netflix|spotify|disney|attended|panel"
    r"|stick|drive|backup|console|dashboard|postgres|mysql|redis|mongo|elastic|kibana|grafana|jenkins|kiosk|till)"
)
_IN_ENGLISH = rf"(?<![a-z])(?<!::)(?:(?P<lock>{LOCKS})|(?P<access>{_ACCESS})|(?P<asking>{_ASKING}(?:e?s)?))(?![a-z-])"
# The kinds of words that tell of a value that it opens something, by what it looks like.
LOCK, ANY = ("lock",), ("lock", "access", "asking")
_STRETCH = 256
_LONGEST_WORD = 24

# Stems for logging in and accounts, separated by spaces. An underscore is a space within a stem.
LOGIN_STEMS = (
    "log_in login log_on logon sign_in signin account creds credential get_in gets_in got_in get_into "
    "gets_into gets_you_in get_you_in lets_you_in anmeld einlogg zugang konto connexion connect compte "
    "identifiant iniciar_ses inicia_ses entra_con entrar_c acceso cuenta acced accesso acesso inlogg aanmeld "
    "logga_in logg_inn log_ind kirjaudu zaloguj logowanie prijav ulogi bejelentkez autentific conectare "
    "oturum masuk ingia_na kredencial zugriff pristup prisijung logi_sisse log_masuk teken_in prihlas prijavi"
)
LOGIN_STEMS_BEYOND = (
    "pieslēg přihl prihlás giriş đăng_nhập вход войти войд зайти логин увійти вхід влез учётк учетк συνδ "
    "σύνδεσ είσοδ μπεις μπαίν μπω 登录 登入 登陆 ログイン サインイン 로그인 접속 계정 الدخول ورود התחבר כניס लॉगिन "
    "लॉग_इन লগইন เข้าสู่ระบบ skráðu fiók belépés účet пријав аккаунт нэвтр кіру შედით մուտք لاگ_ان الحساب حساب חשבון "
    "உள்நுழை ဝင် ចូល खाता 账号 帳號 账户 アカウント บัญชี"
)
# Stems for what people do with a password: they type it in, and are let in.
_TYPING_STEMS = (
    "back_in supply supplies type types typing typed enter enters keyed log_back let_in lets_in asks asked "
    "wants unlock opens screen_lock eingeb eintipp eintrag tippt tippe gibst_du gib entsperr kommt_er "
    "kommt_sie komme_ich reinkomm einlass saisi tape tapez taper rentr ouvre entrer débloqu pon ponga pone "
    "escrib teclea tecle digit introduc introduz entra entras abre desbloque inserisc inser scriv sblocc apre "
    "intik typ vul_in invoer ontgrendel open_je kom_je skriv skriver tast taste taster knappa logget låser "
    "släpp wpis wpisz wpisać wstuk odblok zadej zadat zadaj napiš naťuk odemkn upiš unesi ukuca otključ írd "
    "beír pötyög kód introdu tasteaz deschid intri yaz girin girersen tuşla aç kirjoita syötä näppäil avaa "
    "avautuu ketik isi isikan masukkan buka gõ nhập vào andika weka ingiza įves suvesk ieraksti ievad sisesta "
    "marca marque digite brug bruk trüki vnesi vtipkaj shkruaj wifi wi-fi wlan"
)
_TYPING_STEMS_BEYOND = (
    "введ вводи набер набир напиш впиши пиши вбей вбива откро пуска зайд впуст наберіт набери напишіт введіт "
    "впусти въвед напиши влез влез отвар укуцај упиши πληκτρολ γράψ βάλ ξεκλειδ 输 輸入 敲 键入 填 打开 入力 "
    "打 入れ 開け 開き 入る 입력 치 열 اكتب أدخل ادخل اضغط يفتح הקלד תקליד הזן תזין נפתח باز_کرد وارد بزن "
    "تایپ टाइप डाल लिख खोल টাইপ লিখ দাও พิมพ์ ใส่ กรอก ปลดล็อก вписва оруул терің շեք მიაწერ აკრიფ باز_می"
)
# Stems for locks that open with a number.
_LOCK_STEMS = (
    "caja_fuerte coffre tresor kassaskåp kluis cassaforte cofre sejf trezor kasa kasan safe kombinasyon "
    "combinaison combinación combinazione kombination kombinacj kombinacij kombinace candado cadenas "
    "lucchetto vorhängeschloss zahlenschloss schlüsselbox schlüsselkasten schlüsseltresor sleutelkluis "
    "nyckelbox nøkkelboks schloss hangslot hänglås hengelås kłódka kilit gembok slagboom schranke barrière"
)
_LOCK_STEMS_BEYOND = (
    "сейф замок замк домофон κλειδαρι χρηματοκιβ 保险柜 保险箱 密码锁 金庫 금고 자물쇠 خزنة قفل כספת מנעול तिजोरी ताला"
)
_LATIN, _BEYOND = f"{LOGIN_STEMS} {_TYPING_STEMS}", f"{LOGIN_STEMS_BEYOND} {_TYPING_STEMS_BEYOND}"


def spelled(stems: str) -> tuple[str, ...]:
    """Return stems that are apart by spaces, each with the spaces within it."""
    return tuple(stem.replace("_", " ") for stem in stems.split())


def in_english() -> str:
    """Return a pattern, in small letters, of English words about getting in, in groups named by their kinds."""
    return _IN_ENGLISH


def in_other_languages() -> str:
    """Return a pattern, in small letters, of words that say in any language that something is typed or opens."""
    return _pattern(_LATIN, _BEYOND)


def typing() -> str:
    """Return a pattern, in small letters, of words that say in any language that something is typed."""
    return _pattern(_TYPING_STEMS, _TYPING_STEMS_BEYOND)


def is_about_a_lock(text: str, begin: int, end: int) -> bool:
    """Whether a word from `begin` to `end` names a lock that opens with a number, in another language than English."""
    return compiled(_pattern(_LOCK_STEMS, _LOCK_STEMS_BEYOND)).search(text[begin:end].lower()) is not None


class Words:
    """Where words about getting in stand in a text: each stretch of it is searched once, when it is asked for.

    Args:
        text: The text, or the text in lower case.
        pattern: What matches the words, in groups named by their kinds.
    """

    __slots__ = ("_pattern", "_stretches", "_text")

    def __init__(self, text: str, pattern: str) -> None:
        self._text = text
        self._pattern = pattern
        self._stretches: dict[int, list[tuple[int, int, str | None]]] = {}

    def any_within(self, start: int, end: int, kinds: tuple[str | None, ...] = (None,)) -> bool:
        """Whether a word of one of `kinds` stands from `start` to `end`."""
        return any(start <= first and last <= end and kind in kinds for first, last, kind in self._near(start, end))

    def _near(self, start: int, end: int) -> Iterator[tuple[int, int, str | None]]:
        for number in range(start // _STRETCH, end // _STRETCH + 1):
            if number not in self._stretches:
                self._stretches[number] = [*self._in_stretch(number * _STRETCH)]
            yield from self._stretches[number]

    def _in_stretch(self, start: int) -> Iterator[tuple[int, int, str | None]]:
        end = start + _STRETCH
        for word in compiled(self._pattern).finditer(self._text, start, end + _LONGEST_WORD):
            if word.start() < end:
                yield *word.span(), word.lastgroup


@cache
def _pattern(stems: str, stems_beyond: str) -> str:
    latin, beyond = ("|".join(map(re.escape, sorted(set(spelled(words))))) for words in (stems, stems_beyond))
    return rf"(?<![^\W\d_])(?:{latin})|{beyond}"
