"""Words for access, such as locks, accounts, logging in and typing a password, and where a text has them.

English words are listed as wholes, by kind. Other languages are listed as stems.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import phrase_list, phrase_set, word_list

if TYPE_CHECKING:
    from s3memory.redaction.text.subject import Subject

# Spaces separate the words; an underscore is a space within one. Unlike the other kinds, locks open with a number too.
_LOCKS = (
    "keypad safe padlock arms armed disarms disarmed alarm lockbox locker door doors gate garage lock locks locked "
    "unlock unlocks unlocked combo combination luks bitlocker bitlockered keychain keyring keystore keypass ssid "
    "vpn wifi wi-fi wlan sudo wpa wpa2 wpa3 guest_network open opens opened decrypt decrypts decrypted encrypt "
    "encrypts encrypted zip zipped unzip unzipped protected archive elevator"
)
_ACCESS = (
    "credential credentials creds get_in get_past gets_in gets_past gets_you got_in got_into get_into join_with "
    "joins_with joined_with key_in keyed_in keys_in reset_it_to reset_them_to reset_hers_to reset_his_to access "
    "admin administrator root account portal ssh su rdp bios dsrm mailbox jump_host idrac ipmi ilo snmp "
    "community_string storepass prompt prompts prompted preshared accept accepts caps_lock sticky_note"
)
# The same kind, also with "to" attached: "loginto".
_LOGGING_IN = (
    "sign_in sign-in signed_in signed-in login logon log-in log-on log_in log_on loggedin loggedon logged-in "
    "logged-on logged_in logged_on"
)
# Services and devices that may ask for a password, in singular and plural.
_ASKING = (
    "router rcon switch nas cam camera printer tablet phone laptop vnc ftp sftp smtp imap pop3 viewer teamviewer "
    "anydesk keepass vault master enable supervisor superuser user psk app mail netflix spotify disney "
    "attended panel stick drive backup console dashboard postgres mysql redis mongo elastic kibana grafana jenkins "
    "kiosk till steam discord hulu hbo paramount canva plex jellyfin synology qnap pi-hole proxmox truenas unifi "
    "facebook instagram paypal ebay icloud gmail hotmail tiktok snapchat linkedin reddit twitch minecraft roblox xbox "
    "playstation nintendo duolingo audible dropbox nextcloud wordpress cpanel plesk webmail phpmyadmin"
)
_FALSE_POSITIVES = ("open source", "open-source", "zip code", "safe to ", "lock timeout", "locked by ")
# Introduces what opens something: "takes kettle47", "set to kettle47".
_INTRODUCING = (
    "opens unlocks disarms gets_ lets_ put_in puts_in putting_in punch_in takes then i.e namely same_one in_with "
    "switched_to switched_back_to changed_to changed_back_to set_to set_back_to reset_to reset_back_to"
)
# Kinds of words that show that a value opens something. The more a value looks like a password, the more kinds count.
LOCK, ANY = ("lock",), ("lock", "access", "asking")
ENTERING, OTHER_LOCK = ("entering",), ("other lock",)
EVERY = (*ANY, *ENTERING, *OTHER_LOCK, "bringing in")
_CHUNK, _MAX_WORD_LENGTH = 512, 24

# Stems of words for logging in and for accounts.
LOGIN_STEMS = (
    "log_in logs_in logged_in logging_in login log_on logs_on logged_on logon sign_in signs_in signed_in signin "
    "authenticat account creds credential get_in gets_in got_in get_into gets_into gets_you_in get_you_in "
    "lets_you_in anmeld einlogg verbind zugang konto connexion connect compte "
    "identifiant iniciar_ses inicia_ses entra_con entrar_c acceso cuenta acced accesso acesso inlogg aanmeld "
    "logga_in logg_inn log_ind kirjaudu zaloguj logowanie prijav ulogi bejelentkez autentific conectare "
    "oturum masuk ingia_na kredencial zugriff pristup prisijung logi_sisse log_masuk teken_in prihlas prijavi "
    "ulazim ulazi_se entro_amb entro_con entro_com entro_cu intru_cu belépek loguję vchádzam vcházím "
    "kirjaudun"
)
LOGIN_STEMS_BEYOND = (
    "захожу заходим заходжу улазим влизам μπαίνω ঢুক घुस pieslēg přihl prihlás giriş "
    "đăng_nhập вход войти войд зайти логин увійти вхід влез учётк учетк συνδ σύνδεσ είσοδ "
    "μπεις μπαίν μπω 登录 登入 登陆 ログイン サインイン 로그인 접속 계정 الدخول ورود התחבר כניס लॉगिन लॉग_इन লগইন "
    "เข้าสู่ระบบ skráðu fiók belépés účet пријав аккаунт нэвтр кіру შედით մուտք لاگ_ان الحساب "
    "حساب חשבון உள்நுழை ဝင် ចូល खाता 账号 帳號 账户 アカウント บัญชี"
)
# Stems of words for typing a password and being let in.
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
# Stems of words for locks that open with a number.
_LOCK_STEMS = (
    "caja_fuerte coffre tresor kassaskåp kluis cassaforte cofre sejf trezor kasa kasan safe kombinasyon "
    "combinaison combinación combinazione kombination kombinacj kombinacij kombinace candado cadenas "
    "lucchetto vorhängeschloss zahlenschloss schlüsselbox schlüsselkasten schlüsseltresor sleutelkluis "
    "nyckelbox nøkkelboks schloss hangslot hänglås hengelås kłódka kilit gembok "
    "brankas széf számzár seiful kassakaap pengeskab pengeskap két_sắt slagboom schranke barrière"
)
_LOCK_STEMS_BEYOND = (
    "сейф замок замк домофон κλειδαρι χρηματοκιβ 保险柜 保险箱 密码锁 金庫 금고 자물쇠 خزنة قفل כספת מנעול "
    "گاوصندوق ตู้เซฟ तिजोरी ताला"
)


LOCKS = rf"(?!{'|'.join(_FALSE_POSITIVES)})(?:{'|'.join(sorted(phrase_list(_LOCKS), key=len, reverse=True))})"
"""A pattern, in lower case, of English words for locks."""

ACCESS_OR_LOCK = (
    rf"(?<![a-z])(?:{LOCKS}|{'|'.join(phrase_list(_ACCESS + ' ' + _LOGGING_IN))}|pass(?:word|phrase|code)?|pw)(?![a-z])"
)
"""A pattern, in lower case, of English words for locks, accounts and passwords."""

_ENGLISH = {
    **dict.fromkeys(word_list(_ASKING), "asking"),
    **dict.fromkeys(phrase_list(f"{_ACCESS} {_LOGGING_IN}"), "access"),
    **dict.fromkeys(phrase_list(_LOCKS), "lock"),
}
_ENDINGS = {**dict.fromkeys(word_list(_ASKING), r"(?:e?s)?"), **dict.fromkeys(phrase_list(_LOGGING_IN), r"(?:to)?")}
_LATIN = {
    **dict.fromkeys(phrase_list(f"{LOGIN_STEMS} {_TYPING_STEMS}"), "entering"),
    **dict.fromkeys(phrase_list(_LOCK_STEMS), "other lock"),
}
_NOT_LATIN = {
    **dict.fromkeys(phrase_list(f"{LOGIN_STEMS_BEYOND} {_TYPING_STEMS_BEYOND}"), "entering"),
    **dict.fromkeys(word_list(_LOCK_STEMS_BEYOND), "other lock"),
}
_INTRODUCTIONS = dict.fromkeys(phrase_list(_INTRODUCING), "bringing in")

WORDS = tuple(dict.fromkeys((*_ENGLISH, *_LATIN, *_NOT_LATIN, *_INTRODUCTIONS)))
"""All words and stems, for `Subject.held`."""


@cache
def typing() -> str:
    """Return a pattern, in lower case, of words for typing something in, in any language."""
    stems = (_TYPING_STEMS, _TYPING_STEMS_BEYOND)
    latin, beyond = ("|".join(map(re.escape, sorted(phrase_set(words)))) for words in stems)
    return rf"(?<![^\W\d_])(?:{latin})|{beyond}"


@cache
def safe() -> str:
    """Return a pattern, in lower case, of words for safes and locks that open with a number, in any language."""
    latin, beyond = ("|".join(map(re.escape, phrase_list(words))) for words in (_LOCK_STEMS, _LOCK_STEMS_BEYOND))
    return rf"(?<![^\W\d_])(?:{latin}|seif|sef|seyf|dial|combo|padlock|strongbox|vault)|{beyond}"


class Words:
    """The words for access that a text has, and where: each chunk of the text is searched once, when needed.

    Args:
        subject: The text.
    """

    __slots__ = ("_chunks", "_held", "_text")

    def __init__(self, subject: Subject) -> None:
        text = subject.text
        lowered = subject.folded if text.isascii() else text.lower()
        # Some letters become two in lower case, which would shift all that follows.
        self._text = lowered if len(lowered) == len(text) else text
        self._held = subject.held(WORDS)
        self._chunks: dict[int, list[tuple[int, int, str]]] = {}

    def any_within(self, start: int, end: int, kinds: tuple[str, ...]) -> bool:
        """Whether a word of one of `kinds` is between `start` and `end`."""
        for number in range(start // _CHUNK, end // _CHUNK + 1):
            if number not in self._chunks:
                begin = number * _CHUNK
                chunk = self._text[begin : begin + _CHUNK + _MAX_WORD_LENGTH]
                there = [word for word in self._held if word in chunk]
                self._chunks[number] = [span for word in there for span in self._spans_of(word, begin)]
            for first, last, kind in self._chunks[number]:
                if start <= first and last <= end and kind in kinds:
                    return True
        return False

    def _spans_of(self, word: str, begin: int) -> Iterator[tuple[int, int, str]]:
        """Yield the start, the end and the kind of each `word` that starts in the chunk at `begin`."""
        text, length = self._text, len(word)
        stop = begin + _CHUNK + length - 1
        start = text.find(word, begin, stop)
        while start >= 0:
            end = start + length
            is_within = start > 0 and text[start - 1].isalpha()
            if not is_within and (english := _ENGLISH.get(word)) and (last := self._end_of_whole(word, start)):
                yield start, last, english
            is_joined = text.startswith("-", max(0, start - 1), start) and not text.endswith("re-", 0, start)
            is_joined |= text.startswith(_FALSE_POSITIVES, start)
            if not is_within and not is_joined and (latin := _LATIN.get(word)):  # typing: not "of-type", but "re-type"
                yield start, end, latin
            if other := _NOT_LATIN.get(word) or (not is_within and _INTRODUCTIONS.get(word)):
                yield start, end, other
            start = text.find(word, end, stop)

    def _end_of_whole(self, word: str, start: int) -> int | None:
        """Return where the word at `start` ends, or `None` if it is part of a longer word or of a name in code."""
        text = self._text
        if text[max(0, start - 2) : start] == "::" or text.startswith(_FALSE_POSITIVES, start):
            return None
        end = compiled(rf"{_ENDINGS.get(word, '')}(?![a-z-])").match(text, start + len(word))
        return end and end.end()
