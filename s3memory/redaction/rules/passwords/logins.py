"""Users and passwords near a word about logging in: "connexion avec jo et v", "jo / v to log in".

There is no label for the password, so the value has to look like one.
"""

from __future__ import annotations

import re
from functools import partial

from s3memory.redaction.rules.reading.access_words import LOGIN_STEMS, LOGIN_STEMS_BEYOND
from s3memory.redaction.rules.reading.candidates import is_last
from s3memory.redaction.rules.reading.changed_passwords import changed_pairs, numbered_word_at
from s3memory.redaction.rules.reading.judging import (
    Joint,
    are_plain_words,
    is_chosen,
    is_password,
    is_rare_slug,
    is_remark_word,
    is_typical,
)
from s3memory.redaction.rules.reading.letters import WORD
from s3memory.redaction.rules.reading.likeness import Likeness, has_name_of_things, is_exclaimed, likeness
from s3memory.redaction.rules.reading.name_tables import cased
from s3memory.redaction.rules.reading.near import NearRule, Places, line_around, line_start
from s3memory.redaction.rules.reading.stated_words import NOUNS_AFTER_PASSWORD, is_description
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import AWS_RESOURCE_ID, is_identifier, is_technical_term, looks_random
from s3memory.redaction.text.word_lists import phrase_list, word_set

_NOT_A_LOGIN = r"(?!signing|connector|connectiv|accountab|accounting)"
_USER = r"[\"'`*\u201c\u00ab]{0,3}(?P<user>[A-Za-z][\w.@+-]{1,39})(?<!\.)[\"'`*\u201d\u00bb]{0,3}"
_AND = (
    "and|with|using|plus|ir|un|ar|su|in|z|me|dhe|sem|asemel|v\u0259|\u0441\u0430|und|mit|et|avec|y|e|con|com|en|met|och|med|og|ja|i|a|s|z|se|es|si|cu|ve|ile|dan|dengan|va|v\u00e0|na|kwa|\u0438|\u0441|\u0442\u0430|\u0437"
    "|\u03ba\u03b1\u03b9|\u03bc\u03b5|\u0648|\u05d5|\u05e2\u05dd|\u0914\u0930|এবং|\u0e41\u0e25\u0e30|password|pw|pass"
)
_NO_USER = rf"(?i){_AND}|version|v|port|on|at|in|to|by|is"
_BETWEEN = rf"(?:[ ]?[/|][ ]?|[ ]\([ ]?|,[ ](?:(?:{_AND})[ ])?|[ ](?:(?:{_AND})[ ]){{1,2}}|[ ]?[\u548c\u3068\u53ca\uc640\uacfc\uff0f\u3001][ ]?|[ ]?->[ ]?)"
_VALUE = (
    r"(?:[\"`\u201c\u00ab*]{1,3}(?P<quoted>[^\"`\u201c\u201d\u00ab\u00bb*\n]{4,64}?)[\"`\u201d\u00bb*]|'(?P<single>[^'\n]{4,64})'"
    r"|(?P<value>[!-~\u00c0-\u024f]{4,64}+))"
)
_PAIR = rf"(?<![A-Za-z0-9_/.@-]){_USER}{_BETWEEN}{_VALUE}"
_MAX_CONTEXT = 90
# A typical account of a server, or a mail address. One or two words of any language may link it to its password.
_ACCOUNT = r"[\w.+-]{1,40}@[\w.-]{3,60}|(?i:root|admin|administrator|deploy|guest|postgres|ubuntu|pi|svc|[a-z]+[-_.][a-z0-9]+|[a-z]{3,}[0-9]{1,2})"
_ANY_WORDS_BETWEEN = r"[ ](?:[^\W\d_]{1,12}[ -]{1,2}){1,2}|[ ]?[:\uff1a][ ]?"
_ACCOUNT_PAIR = rf"(?<![A-Za-z0-9_/.@-])[\"'`*\u201c\u00ab]{{0,3}}(?P<user>{_ACCOUNT})[\"'`*\u201d\u00bb]{{0,3}}(?:{_BETWEEN}|{_ANY_WORDS_BETWEEN}){_VALUE}"
_ACCOUNT_ANCHORS = ("root", "admin", "deploy", "svc", "guest", "backup", "postgres", "ubuntu")
_LINKED_ACCOUNT = rf"(?<![A-Za-z0-9_/.@:-])(?<!\w\()(?i:(?:{'|'.join(_ACCOUNT_ANCHORS)})[\w.-]{{0,20}}|sa(?=[ ]?/))"
_ACCOUNT_LINK = rf"[\"'`*]{{0,3}}(?:[ ]?/{{1,2}}[ ]?|[ ]?[|+][ ]?|:(?!//)|[ ]|[ ]?\([ ]?|[ ](?:[^\W\d_]{{2,10}}[ ]){{0,3}}(?:with|using|and|has|uses|mit|avec|con|com|met|med|\u0441)[ ]){_VALUE}"
# The part of an address after its mailbox or user ("@10.0.0.44", "@example.org"), or a name in LDAP ("cn=svc,dc=acme").
_ADDRESS = r"@(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.@-])|[\w-]{1,40}(?:\.[\w-]{2,20}){1,3}(?![\w@-]))|(?<![\w/])cn=[\w.-]{1,40}(?:,[a-zA-Z]{1,3}=[\w.-]{1,40}){1,6}"
_MARKS = ("(", ":", "-", "\u2013", "+")
_MAX_MAILBOX, _MAX_ADDRESS_LINE = 42, 64
_MAILBOX = r"(?<![\w/:.@+-])[\w.+-]{1,40}\Z"
_ADDRESS_LINK = rf"[\"'`*]{{0,3}}(?P<link>[ ]?/{{1,2}}[ ]?|[ ]?[|+,:][ ]|[ ](?:\([ ]?|[-\u2013][ ])?|[ ](?:[^\W\d_]{{1,10}}[ ]){{0,2}}(?:{_AND})[ ]){_VALUE}"
# A mailbox alone on its line, and the password alone on the next line.
_ADDRESS_LINE = r"(?m:^)[ \t>*\u2022+-]{0,6}(?i:(?:e-?mail|mail|login|user(?:name)?|account)[ ]?:[ ]?)?[\w.+-]{1,40}\Z"
_LINE_BELOW = r"[ \t]*\r?\n[ \t>*\u2022+-]{0,6}(?P<value>[!-~]{6,40})[ \t]*(?=\r?\n|\Z)"
# What follows the account of a device: "/ calvin".
_PAIR_OF_WORDS = (
    r"[\"'`]?[ ]?/[ ]?[\"'`]?(?P<value>[a-z]{4,16}(?:-[a-z]{2,16}){0,4})"
    r"(?=[\"'`]?(?:[ ]{0,2}(?:\n|\Z|[\u2013\u2014(,;]|-[ ])|\.(?:\s|\Z)))"
)
# "nas: admin / v" at the end of a line.
_LABEL = r"[ \t>*\u2022+-]{0,6}[^\n:/|]{2,40}:[ ][\"'`]?"
_PAIR_AFTER_LABEL = r"[\"'`]?[ ]/[ ][\"'`]?(?P<value>[!-.0-~]{4,40})(?=[\"'`]?[ \t]*(?:\r?\n|\Z|\())"
_DEVICES = (
    r"(?i)\b(?:ipmi|idrac|ilo|bmc|imm|router|switch(?:es)?|nas|cam(?:era)?s?|nvr|dvr|printer|modem|gateway|firewall|pdu|ups"
    r"|access[ ]point|factory[ ](?:default|setting)s?|default[ ](?:login|creds|credentials))\b"
)
# "login: jo / v", "login do panelu: jo / v".
_PAIR_AFTER_SIGN = (
    rf"[a-z]{{0,3}}[\"'`*)]{{0,3}}(?P<about>(?:[ ]{WORD}){{0,4}})[ ]?[:\uff1a][ ]{{0,2}}{_USER}[ ]?/{{1,2}}[ ]?"
    r"[\"'`*]{0,2}(?P<value>[!-~\u00c0-\u024f]{5,40}?)(?=[\"'`*]{0,2}[.,;)]?(?:[ \t]*(?:\r?\n|\Z)|[ ][(\u2013\u2014-]))"
)
_USER_AND_VALUE = rf"[:\uff1a]?[ ]{_USER}[ ](?:{_AND})[ ]{_VALUE}"
_USER_NOUNS = (
    *("usuario", "utilisateur", "utente", "utilizator", "utilizador", "usuari", "benutzer", "gebruiker", "bruker"),
    *("brugeren", "korisnik", "pengguna"),
)
_KNOWN_ACCOUNTS = frozenset(("root", "admin", "administrator", "guest", "user", "support", "operator", "demo", "kiosk"))
_MIN_LENGTH = 5
_MIN_DIGITS = 6
# After a word that is a label: ": Gravel-5111x", "/ [REDACTED:".
_BEFORE_VALUE = r"[\"'`*)]{0,3}(?:[ ]?[:=/|][ ]?[\"'`*]{0,3}\[REDACTED:|:[ ](?=\S{0,40}[0-9]))"
_DIGEST = r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,40}"
_CODE = r".*(?:&\w+=|[(){}<>;=\\\"'`]|://|\.\.).*|[a-z]\w*\.[A-Z][a-z]+(?:[A-Z]\w*)?"
_ENDS = ".,;:)]*_?\u3002"
_ARGUMENT = r"[a-z_]\w*=[\[({\"']"
_MAX_PAIRS = 8
# What stands before a slash in Kubernetes ("pod/name"), in branches ("feature/name") and in paths.
_OBJECTS = word_set(
    "pod pods deployment job node service secret configmap namespace feature feat fix bugfix hotfix release chore origin "
    "web src app apps api docs lib test tests bin usr var home tmp opt"
)
# "the admin account on nas2": the word after this says where the account is.
_PREPOSITION = r"(?i)[ ](?:on|at|of|in|from|for|auf|bei|von|sur|en|de|su|op)[ ][\"'`*]{0,2}\Z"


def _near_login(match: re.Match[str], _limit: int) -> Places:
    """Find the password of a user near a word about logging in."""
    text, start, end = match.string, match.start(), match.end()
    begin, stop = line_around(text, start, end, _MAX_CONTEXT)
    if match[0].lower() in _USER_NOUNS:
        yield from _linked_value(compiled(_USER_AND_VALUE).match(text, end))
        return
    if (pair := compiled(_PAIR_AFTER_SIGN).match(text, end)) and _is_password_of_pair(pair):
        yield pair.span("value")
        return
    yield from _pairs(text, begin, stop, (start, end), compiled(_PAIR))
    yield from _pairs(text, begin, stop, (start, end), compiled(_ACCOUNT_PAIR))
    yield from changed_pairs(text, (start, end), _MAX_CONTEXT, Likeness.RARE)


def _is_password_of_pair(pair: re.Match[str]) -> bool:
    """Whether the value of a pair looks chosen by people, such as a word and a number, and its user does not."""
    about = pair["about"].split()
    if (about and about[-1].lower() in NOUNS_AFTER_PASSWORD) or _is_no_user(pair["user"]):
        return False
    is_chosen_word = numbered_word_at(pair.string, *pair.span("value")) is not None or is_chosen(pair["value"])
    is_chosen_word = is_chosen_word or is_exclaimed(pair["value"])
    return is_chosen_word and not numbered_word_at(pair.string, *pair.span("user"))


def _after_account(match: re.Match[str], _limit: int) -> Places:
    """Find the value that a sign or words link to an account, if it could hardly be anything but its password."""
    text, end = match.string, match.end()
    # A value without a digit could be a plain word.
    if any(map(str.isdigit, text[end : end + _MAX_CONTEXT])):
        yield from _linked_value(compiled(_ACCOUNT_LINK).match(text, end))


def _near_address(match: re.Match[str], _limit: int) -> Places:
    """Find the password after an address, or alone on the line below it."""
    text, start = match.string, match.start()
    if match[0][0] != "@" or compiled(_MAILBOX).search(text, max(0, start - _MAX_MAILBOX), start):
        yield from _linked_value(compiled(_ADDRESS_LINK).match(text, match.end()))
    below = compiled(_LINE_BELOW).match(text, match.end())
    if below and compiled(_ADDRESS_LINE).search(text, max(0, start - _MAX_ADDRESS_LINE), start):
        value = below["value"]
        is_chosen_with_a_sign = value[-1] in "!?*$#" and likeness(value) >= Likeness.CHOSEN
        if (likeness(value) >= Likeness.RARE or is_chosen_with_a_sign) and _is_password(value, is_quoted=False):
            yield below.span("value")


def _on_a_device(match: re.Match[str], _limit: int) -> Places:
    """Find the default password of a device, which may be a plain word: "root / calvin"."""
    text = match.string
    begin = line_start(text, match.start(), _MAX_CONTEXT)
    pair = compiled(_PAIR_AFTER_LABEL).match(text, match.end())
    if pair and compiled(_LABEL).fullmatch(text, begin, match.start()) and _is_more_than_a_word(pair["value"]):
        yield pair.span("value")
        return
    pair = compiled(_PAIR_OF_WORDS).match(text, match.end())
    if pair and compiled(_DEVICES).search(text, begin, pair.end() + _MAX_CONTEXT) and not is_description(pair["value"]):
        yield pair.span("value")


def _is_more_than_a_word(value: str) -> bool:
    """Whether this is more than a plain word, and not a role, a version or the name of a thing."""
    words = [word for word in compiled(r"[A-Z]?[a-z]+").findall(value) if len(word) > 1]
    is_word = value.isalpha() and len(words) < 2  # noqa: PLR2004 - "RiverMaple" is two
    is_named = is_technical_term(value) or has_name_of_things(value) or any(is_remark_word(word) for word in words)
    return not (is_word or is_named or any(map(is_description, words)))


def _value_in(found: re.Match[str]) -> tuple[str, int, bool]:
    """Return the value in a match, without the punctuation of its sentence, where it starts, and if it is quoted."""
    group = found.lastgroup or "value"
    is_quoted = group != "value"
    return found[group] if is_quoted else found[group].rstrip(_ENDS), found.start(group), is_quoted


def _linked_value(found: re.Match[str] | None) -> Places:
    """Yield the span of the value in a match, if it looks enough like a password for the sign before it."""
    if found is None:
        return
    value, start, is_quoted = _value_in(found)
    end = start + len(value)
    is_signed = "link" in found.re.groupindex and found["link"].strip() in ("/", "|", "//")
    least = Likeness.CHOSEN if is_signed and not value.isdigit() else Likeness.RARE
    is_likely = likeness(value) >= least and (is_quoted or is_last(found.string, end))
    is_likely = is_likely or (found[0][: start - found.start()] != " " and is_typical(value))
    is_paired = is_signed and likeness(value) and not compiled(_CODE).fullmatch(value)
    is_one = is_likely and (is_paired or _is_password(value, is_quoted=is_quoted))
    is_one = is_one or (is_signed and is_exclaimed(value, min_words=1))
    is_one = is_one or (found[0][: start - found.start()].strip() in _MARKS and is_exclaimed(value))
    if is_one and not _is_label(found.string, end):
        yield start, end


def _pairs(text: str, begin: int, stop: int, word: tuple[int, int], pattern: re.Pattern[str]) -> Places:
    """Yield the span of the password of the first pair between `begin` and `stop` that does not overlap `word`."""
    if not compiled(r"[0-9\"'`*\u201c\u00ab]").search(text, begin, stop):
        return
    position = begin
    for _ in range(_MAX_PAIRS):
        pair = pattern.search(text, position, stop)
        if pair is None:
            return
        value, start, is_quoted = _value_in(pair)
        end = start + len(value)
        spans = pair.span("user"), pair.span(pair.lastgroup or "value")
        is_apart = all(last <= word[0] or first >= word[1] for first, last in spans) and not _is_label(text, end)
        is_place = compiled(_PREPOSITION).search(text, pair.end("user"), start) is not None
        is_of_account = pair["user"].lower() in _KNOWN_ACCOUNTS and likeness(value) >= Likeness.CHOSEN
        is_value = _is_password(value, is_quoted=is_quoted) or (is_of_account and not has_name_of_things(value))
        if is_apart and not is_place and is_value and not _is_no_user(pair["user"]):
            yield start, end
            return
        position = pair.end("user")  # the first word may be no user: in "connexion avec jo et v", the pair is "jo et v"


def _is_label(text: str, end: int) -> bool:
    """Whether the word that ends at `end` is the label of another value, or of a redacted one: "harbor2019: v"."""
    return compiled(_BEFORE_VALUE).match(text, end) is not None


def _is_no_user(user: str) -> bool:
    """Whether the first word of a pair is no user: an abbreviation, a kind of object, a digest, a conjunction."""
    return (
        user.isupper()
        or user in _OBJECTS
        or any(compiled(one).fullmatch(user) for one in (_DIGEST, AWS_RESOURCE_ID))
        or compiled(_NO_USER).fullmatch(user) is not None
        or (is_remark_word(user) and user.lower() not in ("admin", "root", "user", "test", "guest", "host", "demo"))
    )


def _is_password(value: str, *, is_quoted: bool) -> bool:
    """Whether a value looks like a password although no label says that it is one."""
    if value.isdigit() or compiled(_ARGUMENT).match(value):
        return value.isdigit() and len(value) >= _MIN_DIGITS
    if is_chosen(value) or likeness(value) >= Likeness.RARE:
        return len(value) > _MIN_LENGTH and (is_quoted or compiled(_CODE).fullmatch(value) is None)
    is_code = is_identifier(value) or (compiled(_CODE).fullmatch(value) is not None and not looks_random(value))
    if len(value) < _MIN_LENGTH or "/" in value or is_code:
        return False
    if is_quoted and (are_plain_words(value) or is_rare_slug(value, is_english=False)):
        return True
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return not is_quoted and is_rare_slug(value, is_english=True)
    return is_password(value, Joint.GAP, is_quoted=is_quoted, is_last=True, is_explicit=False, is_foreign=False)


def _stem(anchor: str) -> str:
    return rf"(?<![A-Za-z_])(?i:{_NOT_A_LOGIN}{anchor}[a-z]{{0,10}})" if anchor.isascii() else anchor


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"

_login_rule = partial(NearRule, kind="password", source=_SOURCE)

RULES = (
    _login_rule(
        anchors=(
            *phrase_list(LOGIN_STEMS),
            *(*_USER_NOUNS, "入れます", "入れる", "入れた"),
            *(form for stem in phrase_list(LOGIN_STEMS_BEYOND) for form in cased(stem)),
        ),
        pattern=_stem,
        around=_near_login,
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
        around=_near_address,
        samples=(
            "jo@example.org / «{password}»",
            "credentials such as jo@example.org / «HarbourView!», which worked",
            "jo@example.org und «Gravel5111!»",
            "ssh jo@10.0.0.44 («gravel511»)",
            "Vimeo\njo@example.org\n«Gravel5111!»\n",
        ),
        near=(
            "jo@example.org / Berlin",
            "jo@example.org / Thanks!",
            "ssh jo@10.0.0.44 (kitchen)",
            "Jo Smith\njo@example.org\nacme-7.example.org\n",
            "jo@example.org, 2026-03-04",
            "git@example.org: acme/harbor",
        ),
    ),
    _login_rule(
        anchors=(*_ACCOUNT_ANCHORS, "sa /", "sa/"),
        pattern=_LINKED_ACCOUNT,
        around=_after_account,
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
        samples=("IPMI on rack B: root / «calvin» \u2014 never changed", "printer web UI admin / «staple». ip .31"),
        near=("IPMI on rack B: root / admin", "the router is at /user/settings", "root / calvin"),
    ),
)
