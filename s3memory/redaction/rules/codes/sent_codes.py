"""Codes as they are sent or read out: with what they are for, how long they are valid, or who sent them."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule, ShapeRule, if_near
from s3memory.redaction.rules.reading.access_words import LOCKS
from s3memory.redaction.rules.reading.harmless_codes import is_harmless_code, last_code_name
from s3memory.redaction.rules.reading.near import line_around, line_start
from s3memory.redaction.text.compiling import compiled

_CONTEXT, _LONG_CONTEXT = 60, 90
# How a code arrived, or what it was sent for: "482913 came by SMS", "482 913 to trust the new laptop".
_ARRIVED = (
    r"[\"'`*)]{0,3}[ ](?:(?i:came|arrived)(?:[ ]in)?[ ](?i:by|via|per|over|through)[ ](?:(?i:an?|the)[ ])?"
    r"(?i:call|phone|sms|texts?|e?-?mail|whatsapp|signal)\b|(?i:to[ ](?:trust|verify|confirm|approve|authori[sz]e)\b))"
)
# As in "they texted me 482913".
_SENDING_VERB_BEFORE = r"(?i)(?:\b(?:sent|texted|messaged|gave|read|shows?|showed)(?:[ ](?:me|us|him|her|over|out|you))?|[:\u2013\u2014-])[ ][\"'`*]{0,3}\Z"
# A number, followed by how long it is valid or by how it arrived: "482913, valid for 10 minutes".
_SENT_CODE = (
    r"(?P<secret>[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})(?=[^\n]{0,60}(?:(?i:\b(?:"
    r"valid|vale|válid|gültig|gilt|geldig|valido|scade|ważn|gäller|gælder|voimassa|geçerli|expir|minut|mins?\b|seconds"
    r"|(?:never|do not|don'?t) share|one[- ]time))|действ|діє|минут|хвил|صالح|ينتهي|دقيق|תקף|有效|有効|유효|[分분])"
    rf"|{_ARRIVED})"
)
# The name of a code up to the number: "your code for the bank is ".
_CODE_NAME_BEFORE = (
    r"(?:(?i:code|c[oó]digo|codice|k[oó]d|koodi)|[Кк]од|验证码|驗證碼|コード|코드|번호|رمز|كود|קוד)"
    r"[^\W\d_]{0,12}(?:[ ][^\W\d_]{1,12}){0,4}[ ]?(?:[:\uff1aは는은是]|\b(?:is|was|ist|es|é|è|est)(?=[ ]))?[ ]?\Z"
)
_LOGIN_BY_CODE = (
    r"(?i)\b(?:sms|text(?:ed|s)?|otp|2fa|mfa|one[ -]time|verif\w{1,12}|log(?:ging)?[ -]?in|sign(?:ing)?[ -]?in|einmal\w{0,8}"
    r"|engång\w{0,8}|engangs\w{0,8}|eenmalig\w{0,3}|jednor\w{0,8}|kertakäyt\w{0,8}|monouso|un solo uso|usage unique"
    r"|vérif\w{1,12}|bestätig\w{1,10}|tek kullan\w{1,10}|однораз\w{1,8})\b"
)
_CODE_NAME = r"(?i)code|código|codice|k[oó]d|\botp\b|\btan\b|код"
_SET_TO_BEFORE = r"(?i)(?:[:=]|\b(?:to|is|code|combo|combination|takes|dial|press|enter))[ ]\Z"


def _locate_sent_code(match: re.Match[str]) -> Location:
    begin, start, end = max(0, match.start() - _LONG_CONTEXT), match.start("secret"), match.end("secret")
    named = compiled(_CODE_NAME_BEFORE).search(match.string, begin, start)
    name = last_code_name(match.string[begin:start]) if named else None
    if name is not None and is_harmless_code(name.string, name):
        return None
    is_code = named or (
        compiled(_ARRIVED).match(match.string, end)
        and compiled(_SENDING_VERB_BEFORE).search(match.string, begin, start)
    )
    return match.span("secret") if is_code else None


def _steam_code(match: re.Match[str]) -> Location:
    begin, stop = line_around(match.string, match.start(), match.end(), _CONTEXT)
    is_revocation = compiled(r"R[0-9]{5}").fullmatch(match["secret"]) is not None
    is_named_code = is_revocation and match["code"] is not None
    is_one = is_named_code or match[0][:1] in "sS" or (is_revocation and "steam" in match.string[begin:stop].lower())
    return match.span("secret") if is_one else None


def _digit_pairs(match: re.Match[str]) -> Location:
    begin, stop = line_around(match.string, match.start(), match.end(), _LONG_CONTEXT)
    line = match.string[begin:stop]
    is_sent = compiled(_LOGIN_BY_CODE).search(line) and compiled(_CODE_NAME).search(line)
    return match.span("secret") if is_sent and not compiled(r"(?i)\bsort[ -]?code").search(line) else None


def _lock_digits(match: re.Match[str]) -> Location:
    before = match.string[line_start(match.string, match.start(), _LONG_CONTEXT) : match.start()]
    is_led = compiled(_SET_TO_BEFORE).search(before)
    is_lock = compiled(rf"(?i)\b{LOCKS}\b").search(before)
    return match.span("secret") if is_led and is_lock else None


_KINDS_OF_CODES = ("our", "erification", "ogin", "ecurity", "onfirmation")  # without a capital
_RFC_4226 = "https://www.rfc-editor.org/rfc/rfc4226"

RULES = (
    # Codes that Steam sends, and the one that removes its authenticator from an account.
    Rule(
        kind="recovery-code",
        anchors=("steam guard", "revocation"),
        fold=True,
        pattern=(
            r"(?i:steam guard|revocation(?P<code>[ _-]?code)?)[^\n.]{0,24}?[ :=\"'`]"
            r"(?P<secret>R[0-9]{5}|(?=[0-9A-Z]{0,4}[A-Z])[0-9B-DF-HJ-KM-NP-RT-VWXY]{5})(?![\w-])"
        ),
        locate=_steam_code,
        source="https://help.steampowered.com/en/faqs/view/06B0-26E6-2CF8-254C",
        samples=(
            "Steam Guard just sent «R7KQT»",
            "Steam Guard revocation: «R47210».",
            '"revocation_code": "«R47210»"',
            "steam: the revocation is «R47210»",
        ),
        near=("Steam Guard is off for all", "the revocation of R47210", "revocation code R7KQT", "revocation: R4721"),
    ),
    # Setup codes of HomeKit and Matter.
    ShapeRule(
        kind="recovery-code",
        shape=rb"0(?<![0a_./#-]0)(?:00-00-000|000-000-0000)(?![0a_-])",
        pattern=r"(?P<secret>[0-9-]{10,13})",
        locate=if_near(r"(?i)home ?kit|\bmatter\b|pairing|accessory", _CONTEXT, _CONTEXT),
        source="https://developer.apple.com/apple-home/",
        samples=("the blinds in HomeKit: «614-20-873»", "Matter code of the plug «3497-011-2332»"),
        near=("call 614-20-873 for the blinds", "order 3497-011-2332"),
    ),
    # Six digits in pairs, as they are read out.
    ShapeRule(
        kind="recovery-code",
        shape=rb"0(?<![0a_.,/#+-]0)(?<!0[ -]0)0[ -]00[ -]00(?![ .,/-]?0|[a_])",
        pattern=r"(?P<secret>[0-9]{2}([ -])[0-9]{2}\2[0-9]{2})",
        locate=_digit_pairs,
        source=_RFC_4226,
        samples=("they sent a code by SMS, it was «48 19 03»", "login code «48-19-03»"),
        near=("sort code 20 45 77 for the login", "the code is in rows 48 19 03", "login on 12-05-24 failed"),
    ),
    # The digits of a lock, one by one.
    ShapeRule(
        kind="password",
        shape=rb"0(?<![0a_.,/#-]0)(?: 0){3,5}(?![ .,]?0|[a_-])",
        pattern=r"(?P<secret>[0-9](?: [0-9]){3,5})",
        locate=_lock_digits,
        source="https://cwe.mitre.org/data/definitions/256.html",
        samples=("the lockbox by the meter, set the wheels to «7 0 2 5»",),
        near=("the rows are 7 0 2 5", "the lock was tried 7 0 2 5 times"),
    ),
    # Codes with letters or hyphens: "G-482913", "your code is AB-48291".
    Rule(
        kind="recovery-code",
        anchors=("G-", "FB-", *(f"{what} code" for what in _KINDS_OF_CODES)),
        pattern=(
            r"(?:(?P<named>(?i:(?:(?<=y)our|erification|ogin|ecurity|onfirmation)[ ]code(?P<is>[ ]is)?)"
            r"(?(is):?|(?::|(?=[ ][(\"'])))\s{0,2}[(\"'`*\[]{0,3})|(?<![\w-]))(?P<secret>(?(named)"
            r"(?:[A-Z]{1,2}-?[0-9]{4,8}|(?!(?:19|20)[0-9]{2}-)[0-9]{2,4}(?:-[0-9]{1,4}){1,3})|(?:G-[0-9]{6}|FB-[0-9]{5,8})))"
            r"(?![\w-]|[./]\w)"
        ),
        locate=if_near(r"(?i)google|code|verif|sms|sign.?in", _CONTEXT, _CONTEXT),
        source="https://support.google.com/accounts/answer/1085463",
        samples=(
            *("Google sent «G-482913»", "your code is:«G-482913»", "Facebook: «FB-48291» is your code"),
            *("your code is «AB-48291»", "Verification code: «M-48291»", "your code is («54-234-3»)"),
        ),
        near=(
            *("class G-482913 of the catalogue", "your code is C99 and C11", "your code is 2024-05-01"),
            *("your code E4011 fails", "security code: ISO-27001"),
        ),
    ),
    Rule(
        kind="recovery-code",
        anchors=tuple(
            f"is {whose} {what}" for whose in ("the", "your", "my") for what in ("code", "pin", "otp", "passcode")
        ),
        scan=True,
        fold=True,
        pattern=(
            r"(?i:(?<![\w.#-])(?P<secret>[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})[\"'`*]{0,3}[ ]is[ ](?:the|your|my)[ ]"
            r"(?:code|pin|otp|passcode)(?=[.,;:!?)]|[ ]*(?:\n|\Z)|[ ](?:for|to|from|i|we|you)[ ]))"
        ),
        source=_RFC_4226,
        samples=("the bank says «775924» is the code",),
        near=("1252 is the code page", "4711 is the code of the country", "room 4711 is your room"),
    ),
    # A number that comes with how long it is valid, or how it arrived.
    ShapeRule(
        kind="recovery-code",
        shape=rb"0(?<![0a_./#-]0)(?:0{3,7}|00[ -]000)(?![0a_-])",
        pattern=_SENT_CODE,
        locate=_locate_sent_code,
        source=_RFC_4226,
        samples=(
            "your code is «482913», valid for 10 minutes",
            "o código do banco: «482 913», vale 2 min",
            "код из банка «482913», действует 5 минут",
            "コードは«482913»です。5分間有効",
            "Apple sent «482 913» to trust the new laptop",
            "WhatsApp: «482-913» came by call",
        ),
        near=(
            "they sent 114 000 parts",
            "sent 482913 to the plant",
            "order 482913 came by mail",
            "the exit code is 1370 after 20 runs",
            "the code is 471147",
            "код ошибки 482913",
            "コードは482913です。",
        ),
    ),
)
