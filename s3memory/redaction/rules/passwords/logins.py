"""Users and passwords beside a word for logging in: "connexion avec jo et ...", "jo / ... to log in".

No name of a password is there, so the value has to be one by its looks.
"""

from __future__ import annotations

import re
from functools import partial

from s3memory.redaction.rules.reading.candidates import is_last
from s3memory.redaction.rules.reading.changes import changed_pairs, word_and_number
from s3memory.redaction.rules.reading.getting_in import LOGIN_STEMS, LOGIN_STEMS_BEYOND
from s3memory.redaction.rules.reading.judging import (
    Joint,
    are_plain_words,
    is_chosen,
    is_password,
    is_rare_slug,
    is_said,
    is_typical,
)
from s3memory.redaction.rules.reading.letters import WORD
from s3memory.redaction.rules.reading.likeness import Likeness, is_name_of_things, likeness
from s3memory.redaction.rules.reading.name_tables import cased
from s3memory.redaction.rules.reading.near import NearRule, Places, line_around, line_start
from s3memory.redaction.rules.reading.told_words import NOUNS_BEHIND, says_something
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import ID_OF_AWS, is_identifier, is_term, looks_random
from s3memory.redaction.text.word_lists import phrase_list, word_set

_NO_LOGIN = r"(?!signing|connector|connectiv|accountab|accounting)"
_USER = r"[\"'`*\u201c\u00ab]{0,3}(?P<user>[A-Za-z][\w.@+-]{1,39})(?<!\.)[\"'`*\u201d\u00bb]{0,3}"
_AND = (
    "and|with|using|plus|ir|un|ar|su|in|z|me|dhe|sem|asemel|v\u0259|\u0441\u0430|und|mit|et|avec|y|e|con|com|en|met|och|med|og|ja|i|a|s|z|se|es|si|cu|ve|ile|dan|dengan|va|v\u00e0|na|kwa|\u0438|\u0441|\u0442\u0430|\u0437"
    "|\u03ba\u03b1\u03b9|\u03bc\u03b5|\u0648|\u05d5|\u05e2\u05dd|\u0914\u0930|এবং|\u0e41\u0e25\u0e30|password|pw|pass"
)
_BETWEEN = rf"(?:[ ]?[/|][ ]?|[ ]\([ ]?|,[ ](?:(?:{_AND})[ ])?|[ ](?:(?:{_AND})[ ]){{1,2}}|[ ]?[\u548c\u3068\u53ca\uc640\uacfc\uff0f\u3001][ ]?|[ ]?->[ ]?)"
_VALUE = (
    r"(?:[\"`\u201c\u00ab*]{1,3}(?P<quoted>[^\"`\u201c\u201d\u00ab\u00bb*\n]{4,64}?)[\"`\u201d\u00bb*]|'(?P<single>[^'\n]{4,64})'"
    r"|(?P<value>[!-~\u00c0-\u024f]{4,64}+))"
)
_PAIR = rf"(?<![A-Za-z0-9_/.@-]){_USER}{_BETWEEN}{_VALUE}"
_WINDOW = 90
# An account as there are on servers, or a mail address, beside which a word of any language links it to its password.
_ACCOUNT = r"[\w.+-]{1,40}@[\w.-]{3,60}|(?i:root|admin|administrator|deploy|guest|postgres|ubuntu|pi|svc|[a-z]+[-_.][a-z0-9]+|[a-z]{3,}[0-9]{1,2})"
_ANY = r"[ ](?:[^\W\d_]{1,12}[ -]{1,2}){1,2}|[ ]?[:\uff1a][ ]?"
_BESIDE_ACCOUNT = rf"(?<![A-Za-z0-9_/.@-])[\"'`*\u201c\u00ab]{{0,3}}(?P<user>{_ACCOUNT})[\"'`*\u201d\u00bb]{{0,3}}(?:{_BETWEEN}|{_ANY}){_VALUE}"
_ACCOUNTS = ("root", "admin", "deploy", "svc", "guest", "backup", "postgres", "ubuntu")
_LINKED_ACCOUNT = rf"(?<![A-Za-z0-9_/.@:-])(?<!\w\()(?i:(?:{'|'.join(_ACCOUNTS)})[\w.-]{{0,20}}|sa(?=[ ]?/))"
_LINK = rf"[\"'`*]{{0,3}}(?:[ ]?/{{1,2}}[ ]?|[ ]?[|+][ ]?|:(?!//)|[ ]|[ ]?\([ ]?|[ ](?:[^\W\d_]{{2,10}}[ ]){{0,3}}(?:with|using|and|has|uses|mit|avec|con|com|met|med|\u0441)[ ]){_VALUE}"
# An address, of mail as well: what is apart from it by a sign or a word is no part of it.
_ADDRESS = r"@(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.@-])|[\w-]{1,40}(?:\.[\w-]{2,20}){1,3}(?![\w@-]))|(?<![\w/])cn=[\w.-]{1,40}(?:,[a-zA-Z]{1,3}=[\w.-]{1,40}){1,6}"
_LONGEST_MAILBOX, _LONGEST_LINE_OF_ADDRESS = 42, 64
_MAILBOX = r"(?<![\w/:.@+-])[\w.+-]{1,40}\Z"
_LINK_OF_ADDRESS = rf"[\"'`*]{{0,3}}(?P<link>[ ]?/{{1,2}}[ ]?|[ ]?[|+,:][ ]|[ ](?:\([ ]?)?|[ ](?:[^\W\d_]{{1,10}}[ ]){{0,2}}(?:{_AND})[ ]){_VALUE}"
# Alone on a line, and the password alone on the next one.
_LINE_OF_ADDRESS = (
    r"(?m:^)[ \t>*\u2022+-]{0,6}(?i:(?:e-?mail|mail|login|user(?:name)?|account)[ ]?:[ ]?)?[\w.+-]{1,40}\Z"
)
_LINE_BELOW = r"[ \t]*\r?\n[ \t>*\u2022+-]{0,6}(?P<value>[!-~]{6,40})[ \t]*(?=\r?\n|\Z)"
_PAIR_OF_WORDS = (
    r"[\"'`]?[ ]?/[ ]?[\"'`]?(?P<value>[a-z]{4,16}(?:-[a-z]{2,16}){0,4})"
    r"(?=[\"'`]?(?:[ ]{0,2}(?:\n|\Z|[\u2013\u2014(,;]|-[ ])|\.(?:\s|\Z)))"
)
# "nas: admin / v" at the end of a line.
_LABEL = r"[ \t>*\u2022+-]{0,6}[^\n:/|]{2,40}:[ ][\"'`]?"
_PAIR_AT_A_LABEL = r"[\"'`]?[ ]/[ ][\"'`]?(?P<value>[!-.0-~]{4,40})(?=[\"'`]?[ \t]*(?:\r?\n|\Z|\())"
_DEVICES = (
    r"(?i)\b(?:ipmi|idrac|ilo|bmc|imm|router|switch(?:es)?|nas|cam(?:era)?s?|nvr|dvr|printer|modem|gateway|firewall|pdu|ups"
    r"|access[ ]point|factory[ ](?:default|setting)s?|default[ ](?:login|creds|credentials))\b"
)
# "login: jo / v", "login do panelu: jo / v".
_BEHIND_A_SIGN = (
    rf"[a-z]{{0,3}}[\"'`*)]{{0,3}}(?P<about>(?:[ ]{WORD}){{0,4}})[ ]?[:\uff1a][ ]{{0,2}}{_USER}[ ]?/{{1,2}}[ ]?"
    r"[\"'`*]{0,2}(?P<value>[!-~\u00c0-\u024f]{5,40}?)(?=[\"'`*]{0,2}[.,;)]?(?:[ \t]*(?:\r?\n|\Z)|[ ][(\u2013\u2014-]))"
)
_OF_A_USER = rf"[:\uff1a]?[ ]{_USER}[ ](?:{_AND})[ ]{_VALUE}"
_USERS = (
    *("usuario", "utilisateur", "utente", "utilizator", "utilizador", "usuari", "benutzer", "gebruiker", "bruker"),
    *("brugeren", "korisnik", "pengguna"),
)
_KNOWN_ACCOUNTS = frozenset(("root", "admin", "administrator", "guest", "user", "support", "operator", "demo", "kiosk"))
_LEAST = 5
_LEAST_DIGITS = 6
_BEFORE_ONE = r"[\"'`*)]{0,3}(?:[ ]?[:=/|][ ]?[\"'`*]{0,3}\[REDACTED:|:[ ](?=\S{0,40}[0-9]))"
_DIGEST = r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,40}"
_CODE = r".*(?:&\w+=|[(){}<>;=\\\"'`]|://|\.\.).*|[a-z]\w*\.[A-Z][a-z]+(?:[A-Z]\w*)?"
_ENDS = ".,;:)]*_?\u3002"
_ARGUMENT = r"[a-z_]\w*=[\[({\"']"
_MOST_PAIRS = 8
# Of Kubernetes, whose tools write "pod/name", of branches and of paths.
_OBJECTS = word_set(
    "pod pods deployment job node service secret configmap namespace feature feat fix bugfix hotfix release chore origin "
    "web src app apps api docs lib test tests bin usr var home tmp opt"
)
# "the admin account on ..." says where it is.
_PLACE_BEFORE = r"(?i)[ ](?:on|at|of|in|from|for|auf|bei|von|sur|en|de|su|op)[ ][\"'`*]{0,2}\Z"


def _beside_login(match: re.Match[str], _limit: int) -> Places:
    text, start, end = match.string, match.start(), match.end()
    begin, stop = line_around(text, start, end, _WINDOW)
    if match[0].lower() in _USERS:
        yield from _linked(compiled(_OF_A_USER).match(text, end))
        return
    if (pair := compiled(_BEHIND_A_SIGN).match(text, end)) and _is_second(pair):
        yield pair.span("value")
        return
    yield from _pairs(text, begin, stop, (start, end), compiled(_PAIR))
    yield from _pairs(text, begin, stop, (start, end), compiled(_BESIDE_ACCOUNT))
    yield from changed_pairs(text, (start, end), _WINDOW, Likeness.RARE)


def _is_second(pair: re.Match[str]) -> bool:
    """Whether the second of a pair is a word and a number as people choose them, and the first one is not made alike."""
    about = pair["about"].split()
    if (about and about[-1].lower() in NOUNS_BEHIND) or _is_word_of_a_form(pair["user"]):
        return False
    is_chosen_word = word_and_number(pair.string, *pair.span("value")) is not None or is_chosen(pair["value"])
    return is_chosen_word and not word_and_number(pair.string, *pair.span("user"))


def _beside_account(match: re.Match[str], _limit: int) -> Places:
    """Find what is linked to an account and could hardly be anything but its password."""
    text, end = match.string, match.end()
    # Without a digit it could be a word: see `likeness`.
    if any(map(str.isdigit, text[end : end + _WINDOW])):
        yield from _linked(compiled(_LINK).match(text, end))


def _beside_address(match: re.Match[str], _limit: int) -> Places:
    text, start = match.string, match.start()
    if match[0][0] != "@" or compiled(_MAILBOX).search(text, max(0, start - _LONGEST_MAILBOX), start):
        yield from _linked(compiled(_LINK_OF_ADDRESS).match(text, match.end()))
    below = compiled(_LINE_BELOW).match(text, match.end())
    if below and compiled(_LINE_OF_ADDRESS).search(text, max(0, start - _LONGEST_LINE_OF_ADDRESS), start):
        value = below["value"]
        is_chosen_with_a_sign = value[-1] in "!?*$#" and likeness(value) >= Likeness.CHOSEN
        if (likeness(value) >= Likeness.RARE or is_chosen_with_a_sign) and _is_one(value, is_quoted=False):
            yield below.span("value")


def _on_a_device(match: re.Match[str], _limit: int) -> Places:
    """Find the word beside an account of a device, as they are delivered with: "root / calvin"."""
    text = match.string
    begin = line_start(text, match.start(), _WINDOW)
    pair = compiled(_PAIR_AT_A_LABEL).match(text, match.end())
    if pair and compiled(_LABEL).fullmatch(text, begin, match.start()) and _is_more_than_a_word(pair["value"]):
        yield pair.span("value")
        return
    pair = compiled(_PAIR_OF_WORDS).match(text, match.end())
    if pair and compiled(_DEVICES).search(text, begin, pair.end() + _WINDOW) and not says_something(pair["value"]):
        yield pair.span("value")


def _is_more_than_a_word(value: str) -> bool:
    """Whether this is no plain word, and neither a role, a version nor what things are called."""
    words = [word for word in compiled(r"[A-Z]?[a-z]+").findall(value) if len(word) > 1]
    is_word = value.isalpha() and len(words) < 2  # noqa: PLR2004 - "RiverMaple" is two
    is_named = is_term(value) or is_name_of_things(value) or any(is_said(word) for word in words)
    return not (is_word or is_named or any(map(says_something, words)))


def _linked(found: re.Match[str] | None) -> Places:
    if found is None:
        return
    group = found.lastgroup or "value"
    is_quoted = group != "value"
    value = found[group] if is_quoted else found[group].rstrip(_ENDS)
    end = found.start(group) + len(value)
    is_signed = found["link"].strip() in ("/", "|", "//") if "link" in found.re.groupindex else False
    least = Likeness.CHOSEN if is_signed and not value.isdigit() else Likeness.RARE
    is_likely = likeness(value) >= least and (is_quoted or is_last(found.string, end))
    is_likely = is_likely or (found[0][: found.start(group) - found.start()] != " " and is_typical(value))
    is_told = is_signed and likeness(value) and not compiled(_CODE).fullmatch(value)
    if is_likely and (is_told or _is_one(value, is_quoted=is_quoted)) and not _is_before_one(found.string, end):
        yield found.start(group), end


def _pairs(text: str, begin: int, stop: int, word: tuple[int, int], pattern: re.Pattern[str]) -> Places:
    """Yield the password of the first pair between `begin` and `stop`, beside `word`."""
    if not compiled(r"[0-9\"'`*\u201c\u00ab]").search(text, begin, stop):
        return
    position = begin
    for _ in range(_MOST_PAIRS):
        pair = pattern.search(text, position, stop)
        if pair is None:
            return
        group = pair.lastgroup or "value"
        is_quoted = group != "value"
        value = pair[group] if is_quoted else pair[group].rstrip(_ENDS)
        is_apart = all(pair.end(part) <= word[0] or pair.start(part) >= word[1] for part in ("user", group))
        is_place = compiled(_PLACE_BEFORE).search(text, pair.end("user"), pair.start(group)) is not None
        is_apart = is_apart and not _is_before_one(text, pair.start(group) + len(value))
        is_of_account = pair["user"].lower() in _KNOWN_ACCOUNTS and likeness(value) >= Likeness.CHOSEN
        is_value = _is_one(value, is_quoted=is_quoted) or (is_of_account and not is_name_of_things(value))
        if is_apart and not is_place and is_value and not _is_word_of_a_form(pair["user"]):
            yield pair.start(group), pair.start(group) + len(value)
            return
        position = pair.end("user")  # what links two words may be the user's own name: "connexion avec jo et ..."


def _is_before_one(text: str, end: int) -> bool:
    """Whether what ends at `end` is called another value, or one that was redacted: "harbor2019: Gravel-5111x"."""
    return compiled(_BEFORE_ONE).match(text, end) is not None


def _is_word_of_a_form(user: str) -> bool:
    return (
        user.isupper()
        or user in _OBJECTS
        or any(compiled(one).fullmatch(user) for one in (_DIGEST, ID_OF_AWS))
        or compiled(rf"(?i)(?:{_AND}|version|v|port|on|at|in|to|by|is)").fullmatch(user) is not None
        or (is_said(user) and user.lower() not in ("admin", "root", "user", "test", "guest", "host", "demo"))
    )


def _is_one(value: str, *, is_quoted: bool) -> bool:
    if value.isdigit() or compiled(_ARGUMENT).match(value):
        return value.isdigit() and len(value) >= _LEAST_DIGITS
    if is_chosen(value) or likeness(value) >= Likeness.RARE:
        return len(value) > _LEAST and (is_quoted or compiled(_CODE).fullmatch(value) is None)
    is_code = is_identifier(value) or (compiled(_CODE).fullmatch(value) is not None and not looks_random(value))
    if len(value) < _LEAST or "/" in value or is_code:
        return False
    if is_quoted and (are_plain_words(value) or is_rare_slug(value, is_english=False)):
        return True
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return not is_quoted and is_rare_slug(value, is_english=True)
    return is_password(value, Joint.GAP, is_quoted=is_quoted, is_last=True, is_explicit=False, is_foreign=False)


def _stem(anchor: str) -> str:
    return rf"(?<![A-Za-z_])(?i:{_NO_LOGIN}{anchor}[a-z]{{0,10}})" if anchor.isascii() else anchor


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"

_login_rule = partial(NearRule, kind="password", source=_SOURCE)

RULES = (
    _login_rule(
        anchors=(
            *phrase_list(LOGIN_STEMS),
            *(*_USERS, "入れます", "入れる", "入れた"),
            *(form for stem in phrase_list(LOGIN_STEMS_BEYOND) for form in cased(stem)),
        ),
        pattern=_stem,
        around=_beside_login,
        samples=(
            "connexion avec jo et «{password}»",
            "the till: jo / «{password}» to log in",
            "вход под jo \u0441 «{password}»",
            "用jo和«{password}»登录",
            "pon usuario marta y «Gravel5111!»",
        ),
        near=(
            "connect with jo and ask for port 5432",
            "log in as jo with your badge",
            "вход под jo \u0441 ключом",
            "用jo登录",
            "Benutzer frank und Benutzer anna12",
        ),
    ),
    _login_rule(
        anchors=("@", "cn="),
        pattern=_ADDRESS,
        around=_beside_address,
        samples=(
            "jo@example.org / «{password}»",
            "jo@example.org und «Gravel5111!»",
            "ssh jo@10.0.0.44 («gravel511»)",
            "Vimeo\njo@example.org\n«Gravel5111!»\n",
        ),
        near=(
            "jo@example.org / Berlin",
            "ssh jo@10.0.0.44 (kitchen)",
            "Jo Smith\njo@example.org\nacme-7.example.org\n",
            "jo@example.org, 2026-03-04",
            "git@example.org: acme/harbor",
        ),
    ),
    _login_rule(
        anchors=(*_ACCOUNTS, "sa /", "sa/"),
        pattern=_LINKED_ACCOUNT,
        around=_beside_account,
        samples=("root on the till has «{password}»", "svc-print / «{password}»"),
        near=("root on the till has a new disk", "admin / Berlin2"),
    ),
    _login_rule(
        anchors=tuple(
            f"{name}{gap}/" for name in ("root", "admin", "administrator", "ubnt", "user") for gap in ("", " ")
        ),
        pattern=r"(?<![\w/.-])(?i:root|admin(?:istrator)?|ubnt|user)",
        around=_on_a_device,
        source="https://cwe.mitre.org/data/definitions/1392.html",
        samples=("IPMI on rack B: root / «calvin» \u2014 never changed",),
        near=("IPMI on rack B: root / admin", "the router is at /user/settings", "root / calvin"),
    ),
)
