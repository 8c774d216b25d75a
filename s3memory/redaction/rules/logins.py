"""Users and passwords beside a word for logging in: "connexion avec jo et ...", "jo / ... to log in".

No name of a password is there, so the value has to be one by its looks.
"""

from __future__ import annotations

import re

from s3memory.redaction.compiling import compiled
from s3memory.redaction.rules.judging import Joint, is_numbered_slug, is_password, is_said
from s3memory.redaction.rules.near import NearRule, Places
from s3memory.redaction.values import is_identifier

# Stems of what logging in is called. Those of two letters or in scripts without spaces are whole words.
_STEMS = (
    *(
        "log in",
        "login",
        "log on",
        "logon",
        "sign in",
        "signin",
        "account",
        "creds",
        "credential",
        "get in with",
        "anmeld",
        "einlogg",
    ),
    *(
        "zugang",
        "konto",
        "connexion",
        "connect",
        "compte",
        "identifiant",
        "iniciar ses",
        "inicia ses",
        "entra con",
        "entrar c",
        "acceso",
    ),
    *(
        "cuenta",
        "acced",
        "accesso",
        "acesso",
        "inlogg",
        "aanmeld",
        "logga in",
        "logg inn",
        "log ind",
        "kirjaudu",
        "zaloguj",
        "logowanie",
    ),
    *("prijav", "ulogi", "bejelentkez", "autentific", "conectare", "oturum", "masuk", "ingia na"),
)
_STEMS_BEYOND = (
    *(
        "p\u0159ihl",
        "prihl\u00e1s",
        "giri\u015f",
        "\u0111\u0103ng nh\u1eadp",
        "\u0432\u0445\u043e\u0434",
        "\u0432\u043e\u0439\u0442\u0438",
        "\u0432\u043e\u0439\u0434",
        "\u0437\u0430\u0439\u0442\u0438",
    ),
    *(
        "\u043b\u043e\u0433\u0438\u043d",
        "\u0443\u0432\u0456\u0439\u0442\u0438",
        "\u0432\u0445\u0456\u0434",
        "\u0432\u043b\u0435\u0437",
        "\u0443\u0447\u0451\u0442\u043a",
        "\u0443\u0447\u0435\u0442\u043a",
        "\u03c3\u03c5\u03bd\u03b4",
        "\u03c3\u03cd\u03bd\u03b4\u03b5\u03c3",
        "\u03b5\u03af\u03c3\u03bf\u03b4",
    ),
    *(
        "\u767b\u5f55",
        "\u767b\u5165",
        "\u767b\u9646",
        "\u30ed\u30b0\u30a4\u30f3",
        "\u30b5\u30a4\u30f3\u30a4\u30f3",
        "\ub85c\uadf8\uc778",
        "\uc811\uc18d",
        "\uacc4\uc815",
        "\u0627\u0644\u062f\u062e\u0648\u0644",
        "\u0648\u0631\u0648\u062f",
    ),
    *(
        "\u05d4\u05ea\u05d7\u05d1\u05e8",
        "\u05db\u05e0\u05d9\u05e1",
        "\u0932\u0949\u0917\u093f\u0928",
        "\u0932\u0949\u0917 \u0907\u0928",
        "\u09b2\u0997\u0987\u09a8",
        "\u0e40\u0e02\u0e49\u0e32\u0e2a\u0e39\u0e48\u0e23\u0e30\u0e1a\u0e1a",
    ),
)
_USER = r"[\"'`*\u201c\u00ab]{0,3}(?P<user>[A-Za-z][\w.@+-]{1,39})[\"'`*\u201d\u00bb]{0,3}"
_AND = (
    "and|with|using|und|mit|et|avec|y|e|con|com|en|met|och|med|og|ja|i|a|s|z|se|es|si|cu|ve|ile|dan|dengan|va|v\u00e0|na|kwa|\u0438|\u0441|\u0442\u0430|\u0437"
    "|\u03ba\u03b1\u03b9|\u03bc\u03b5|\u0648|\u05d5|\u05e2\u05dd|\u0914\u0930|\u098f\u09ac\u0982|\u0e41\u0e25\u0e30|password|pw|pass"
)
_BETWEEN = rf"(?:[ ]?[/|][ ]?|[ ]?\([ ]?|,[ ](?:(?:{_AND})[ ])?|[ ](?:(?:{_AND})[ ]){{1,2}}|[ ]?[\u548c\u3068\u53ca\uc640\uacfc\uff0f\u3001][ ]?|[ ]?->[ ]?)"
_VALUE = r"[\"'`*\u201c\u00ab]{0,3}(?P<value>[^\s\"'`|\u201c\u201d\u00ab\u00bb\u3000-\u303f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{4,64}+)"
_PAIR = rf"(?<![A-Za-z0-9_/.@-]){_USER}{_BETWEEN}{_VALUE}"
_WINDOW = 90
_LEAST = 5
_CODE = r".*(?:[(){}<>;=\\]|://|\.\.).*"
_ENDS = ".,;:)]*_?\u3002"
_MOST_PAIRS = 8


def _beside_login(match: re.Match[str], _limit: int) -> Places:
    text, start, end = match.string, match.start(), match.end()
    begin = max(text.rfind("\n", max(0, start - _WINDOW), start) + 1, start - _WINDOW, 0)
    stop = text.find("\n", end, end + _WINDOW)
    stop = stop if stop >= 0 else min(len(text), end + _WINDOW)
    line = text[begin:stop]
    # Nothing but a number, a capital or a sign tells a password from a word here.
    if not compiled(r"[0-9]").search(line) or not compiled(r"[ /|,(\u548c\u3068\uc640\uacfc]").search(line):
        return
    position = begin
    for _ in range(_MOST_PAIRS):
        pair = compiled(_PAIR).search(text, position, stop)
        if pair is None:
            return
        value = pair["value"].rstrip(_ENDS)
        is_apart = pair.end("user") <= start or pair.start("user") >= end
        if is_apart and _is_one(value) and not _is_word_of_a_form(pair["user"]):
            yield pair.start("value"), pair.start("value") + len(value)
            return
        position = pair.end("user")  # what links two words may be the user's own name: "connexion avec jo et ..."


def _is_word_of_a_form(user: str) -> bool:
    return (
        user.isupper()
        or compiled(rf"(?i)(?:{_AND}|version|v|port|on|at|in|to|by|is)").fullmatch(user) is not None
        or (is_said(user) and user.lower() not in ("admin", "root", "user", "test", "guest", "host", "demo"))
    )


def _is_one(value: str) -> bool:
    if len(value) < _LEAST or compiled(_CODE).fullmatch(value) or "/" in value or is_identifier(value):
        return False
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    return (is_numbered_slug(value) and len(value) > _LEAST) or is_password(
        value, Joint.GAP, is_quoted=False, is_last=True, is_explicit=False, is_foreign=False
    )


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"

RULES = (
    NearRule(
        kind="password",
        anchors=_STEMS,
        pattern=rf"(?<![A-Za-z_])(?i:(?:{'|'.join(sorted(_STEMS, key=len, reverse=True))})[a-z]{{0,10}})",
        around=_beside_login,
        source=_SOURCE,
        samples=("connexion avec jo et «{mixed 12}»", "the till: jo / «{mixed 12}» to log in"),
        near=("connect with jo and ask for port 5432", "log in as jo with your badge"),
    ),
    NearRule(
        kind="password",
        pattern="|".join(sorted({form for stem in _STEMS_BEYOND for form in (stem, stem.capitalize())})),
        around=_beside_login,
        source=_SOURCE,
        samples=("вход под jo \u0441 «{mixed 12}»", "用jo和«{mixed 12}»登录"),
        near=("вход под jo \u0441 ключом", "用jo登录"),
    ),
)
