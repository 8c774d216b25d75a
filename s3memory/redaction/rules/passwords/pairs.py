"""Users and passwords written as a pair: "id/pw: bob/...", "the credentials are bob / ...", "10.0.0.7 (bob/...)".

The user stays, the password goes. A pair has no name beside the password, so it has to look like one.
"""

from __future__ import annotations

import re
from functools import partial

from s3memory.redaction.model import PLACEHOLDER_PATTERN
from s3memory.redaction.rule import Location, Rule, SignRule
from s3memory.redaction.rules.reading.changes import word_and_number
from s3memory.redaction.rules.reading.judging import is_chosen, is_no_word, is_rare_slug
from s3memory.redaction.rules.reading.likeness import Likeness, likeness
from s3memory.redaction.rules.reading.literals import literal_at, to_its_end
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere, is_phrase, is_reference, is_strong, is_term, looks_random
from s3memory.redaction.text.wording import is_gibberish

_USER = r"[\"'`*]{0,3}[A-Za-z][\w.@+-]{1,63}[\"'`*]{0,3}"
_MARK = r"(?:[ \t]{0,2}(?:/{1,2}|:|\||,|[ ]and[ ])[ \t]{0,2}|[ ](?=\S{1,80}[ \t]{0,9}(?:\n|\Z)))"
_BETWEEN = r"[ \t]{0,2}(?:/{1,2}|:|,|\||\(|[ ]and[ ]|[ ])[ \t]{0,2}"
_MARKED_PAIR = rf"(?P<user>{_USER})(?P<mark>{_MARK})"
_PAIR = (
    r"s?(?:/[a-z]{2,8})?[\"'`*)]{0,3}(?P<join>[ \t]{0,3}(?:[:=(-]|->|[ ](?:is|are)[ ]|[ ])[ \t]{0,3})"
    rf"(?:[0-9.]{{7,15}}[ ,/]{{1,3}})?(?P<user>{_USER})(?P<between>{_BETWEEN})"
)
_ABOUT = r"(?:[ ](?:for|of|on|to|in|at)[ ][^\n:=|`]{1,40}?)?"
_NAMED = (
    r"(?i)(?:\bid|(?-i:ID)|user(?:[ _]?name)?|login|account|acct|e-?mail|name|usr|admin"
    r"|\uacc4\uc815|\uc544\uc774\ub514)"  # Korean
    r"[\"'`*)]{0,2}[ ]?(?:[/|&+:,(]|and|(?-i:(?<=ID)[ ])|(?-i:(?<=id)[ ]))[ ]?[\"'`*(]{0,2}\Z"
)
# What `_NAMED` ends in, but for quotes and spaces: most names have something else before them.
_ENDS_OF_FIRST = (*"/|&+:,(", "and", "And", "AND", "ID", "id", "Id", "iD")
_WINDOW = 30
_LIST = r"(?i:credentials?|creds|zugangsdaten|identifiants|credenciales|credenziali)"
_LOGIN = r"(?:(?<![A-Za-z0-9])|(?<=[a-z])(?=[A-Z]))(?i:log[ -]?ins?|log[ -]?ons?|sign[ -]?in|auth|accounts?)"
_IS = r"(?:[ \t]{0,3}(?:[:=]|->|\u2192)|[ ](?:(?:is|are|were|was)\b(?:[ ](?:now|still))?|had been):?)[ \t]{0,3}"
# From the last digit before its first dot.
_ADDRESS = r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(?::[0-9]{1,5})?(?![0-9.])"
_AFTER_ADDRESS = r"(?:[ \t]{0,3}(?:\(|->|-->|,|:|[|-])[ \t]{0,3}|[ \t]{1,3})"
_USER_AND_SLASH = r"(?P<user>[A-Za-z][\w.-]{1,63})[ \t]{0,2}/{1,2}[ \t]{0,2}"
_ACCOUNT = r"(?i:admin(?:istrator)?|root|user|guest|ubnt|pi|support|operator)[\"'`*]{0,2}(?:[ ]?/{1,2}[ ]?|,?[ ])"
_END_OF_LINE = r"[\"'`*.,;)]{0,3}[ \t]*(?:\r?\n|\Z)"
_ARGUMENT = r"[\w-]{2,40}=[\w\[({\"']|[0-9]{8}/[a-z0-9-]{1,40}/[a-z0-9-]{1,40}/aws4_request"
_NO_USERS = ("and", "or", "is", "are", "the", "for", "in", "on", "with", "to", "from", "via", "as", "not")
_LEAST = 4
_SEVERAL = 2
_LEAST_TYPICAL = 6


def _is_typical(text: str) -> bool:
    """Whether `text` could hardly be anything but a password."""
    return len(text) >= _LEAST_TYPICAL and is_no_word(text) and not is_elsewhere(text) and not text.isdigit()


def _pair(match: re.Match[str]) -> Location:
    value = literal_at(match.string, match.end(), is_setting=False)
    if value is None or len(value.text) < _LEAST or is_elsewhere(value.text):
        return None
    is_url = match["mark"] == ":" and value.text.startswith("//")
    if is_url or match.string.startswith(":`", value.span[0] - 2):  # a role of reStructuredText
        return None
    if not value.is_quoted and (is_reference(value.text) or compiled(_ARGUMENT).match(value.text)):
        return None
    if match["mark"].strip() == "," and match[0].partition(":")[0].endswith("accounts"):
        return None  # several, by their names
    text = value.text
    is_password = _is_typical(text) if match["mark"] == " " else is_no_word(text) and text.count(":") < _SEVERAL
    is_marked = match["mark"].strip() in ("/", "//", ":", "|")
    is_password = is_password or is_phrase(text) or (is_marked and (text.isdigit() or is_gibberish(text)))
    is_password = is_password or (match["mark"] != " " and is_rare_slug(text, is_english=True))
    is_password = is_password or (match["mark"].strip() in ("/", "//") and is_chosen(text))
    return to_its_end(match.string, value.span) if is_password else None


def pair_behind(match: re.Match[str]) -> Location:
    """Return where the password stands if its name, in `match`, is the second of a pair: "id/pw: bob/...".

    What is named a password may be a number or a word that is none of the name's.
    """
    before = match.string[max(0, match.start() - _WINDOW) : match.start()]
    if not before.rstrip(" \"'`*").endswith(_ENDS_OF_FIRST) or not compiled(_NAMED).search(before):
        return None
    pair = compiled(_PAIR).match(match.string, match.end())
    value = literal_at(match.string, pair.end(), is_setting=False) if pair else None
    if pair and value is None and (gone := PLACEHOLDER_PATTERN.match(match.string, pair.end())):
        return gone.span()  # where it was: what is left of the pair is the user
    if pair is None or value is None or len(value.text) < _LEAST or is_elsewhere(value.text):
        return None
    is_path = value.text.startswith("//") or ("/" in value.text and not looks_random(value.text))
    is_plain = pair["user"].strip("\"'`*").lower() in _NO_USERS
    if is_path or is_plain or is_term(value.text) or compiled(_ARGUMENT).match(value.text):
        return None
    is_glued = pair["between"].strip() in ("/", "//", ":", "|") and pair["join"].strip() != ""
    is_password = is_strong(value.text.strip("*_")) if is_glued else _is_typical(value.text.strip("*_"))
    is_password = is_password or is_phrase(value.text) or (is_glued and (value.text.isdigit() or value.text.isalpha()))
    return to_its_end(match.string, value.span) if is_password else None


def _second(match: re.Match[str]) -> Location:
    value = literal_at(match.string, match.end(), is_setting=False)
    if value is None or len(value.text) < _LEAST or is_elsewhere(value.text) or is_term(value.text):
        return None
    return to_its_end(match.string, value.span) if is_strong(value.text) else None


def _mixed_pair(match: re.Match[str]) -> Location:
    """Return the second part behind an address, where it may as well be a path: only what is mixed as passwords are."""
    value = literal_at(match.string, match.end(), is_setting=False)
    if value is None or "/" in value.text or not (_is_typical(value.text) or is_phrase(value.text)):
        return None
    has_both = any(map(str.isupper, value.text)) and any(map(str.islower, value.text))
    is_mixed = has_both or is_gibberish(value.text) or not value.text.isalnum() or " as " in match[0] or "(" in match[0]
    return to_its_end(match.string, value.span) if is_mixed else None


def _behind_an_address(match: re.Match[str]) -> Location:
    """Return the second of a pair behind an address; behind an account, a word and a number too that ends its line."""
    value = literal_at(match.string, match.end(), is_setting=False) if match["account"] else None
    if (
        value
        and compiled(_END_OF_LINE).match(match.string, value.span[1])
        and (likeness(value.text) >= Likeness.CHOSEN or word_and_number(match.string, *value.span) is not None)
    ):
        return value.span
    return _mixed_pair(match) if "/" in match[0] else None


def _managers(match: re.Match[str]) -> Location:
    value = literal_at(match.string, match.end(), is_setting=False)
    return value.span if value is not None and likeness(value.text) >= Likeness.RARE else None


def _bracketed_pair(match: re.Match[str]) -> Location:
    secret = match["secret"]
    return match.span("secret") if looks_random(secret, least=7) and not is_elsewhere(secret) else None


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"

_pair_rule = partial(Rule, kind="password", source=_SOURCE)

RULES = (
    _pair_rule(
        anchors=("credential", "creds", "zugangsdaten", "identifiant", "credenciales", "credenziali"),
        fold=True,
        pattern=rf"{_LIST}{_ABOUT}{_IS}{_MARKED_PAIR}",
        locate=_pair,
        samples=("credentials: bob / «{password}»",),
        near=("credentials: see the vault", "credentials: bob / <password>"),
    ),
    _pair_rule(
        anchors=("login", "log-in", "log in", "logon", "sign in", "sign-in", "auth", "account"),
        fold=True,
        pattern=rf"{_LOGIN}{_ABOUT}{_IS}{_MARKED_PAIR}",
        locate=_pair,
        samples=("login: bob / «{password}»",),
        near=("login: bob / admin", "login: see https://example.org/login", 'AUTH="mongodb://db1:27017/shop"'),
    ),
    # Of a user and a password, the first letters.
    _pair_rule(
        anchors=("u:", "u=", "U:", "U="),
        pattern=r"(?<!\w)[uU][:=][ ]?[^\s,;/]{1,64}[ ,;/]{1,3}[pP][:=][ ]?(?=[^\s\\])",
        locate=_second,
        samples=("the backup box, u: bob p: «{password}»",),
        near=("u: bob p: <password>", "u: 4 p: 80"),
    ),
    _pair_rule(
        anchors=('"u"', '"usr"', '"user"', '"login"', '"username"'),
        pattern=(
            r"\"\w{1,8}\"[ ]?:[ ]?\"[^\"\n]{1,64}\",\s{0,20}\"(?:p|pw|pwd|pass|secret|s|k|key)\"[ ]?:[ ]?"
            r"(?=\"[^\"\s]{4,128}\")"
        ),
        locate=_second,
        samples=('{"u": "bob", "p": "«{password}»"}',),
        near=('{"u": "bob", "p": "<password>"}', '{"user": "bob", "k": "name"}'),
    ),
    # "Log in as bob with ...", "sign in with bob/...".
    _pair_rule(
        anchors=("log in", "log on", "login", "sign in", "connect", "authenticate"),
        fold=True,
        pattern=(
            r"(?i:log|sign|connect|authenticate)[ ]?(?:in|on)?(?:[ ][^\n.:]{1,40}?)?[ ](?:as|with|using)[ ]"
            rf"(?P<user>{_USER})(?:[ ]?/[ ]?|[ ](?:with|and|using)[ ](?:(?i:the[ ])?(?i:password|pw|pwd)[ ])?)"
        ),
        locate=_mixed_pair,
        samples=("log in as bob with «{mixed 12}»",),
        near=("log in as bob with your badge", "log in as root/admin"),
    ),
    SignRule(
        kind="password",
        shape=rb"0\.0{1,3}\.0{1,3}\.0",
        pattern=rf"{_ADDRESS}{_AFTER_ADDRESS}(?:(?P<account>{_ACCOUNT})(?=\S{{0,30}}[0-9])|{_USER_AND_SLASH})",
        locate=_behind_an_address,
        source=_SOURCE,
        samples=("10.1.2.3 (bob/«{mixed 12}»)", "router 192.168.1.1: admin «Gravel5111!»"),
        near=("10.1.2.3 (eth0/up)", "10.1.2.3 - /var/lib", "10.0.0.2: admin console2 is up"),
    ),
    # "(bob/...)": brackets hold paths and types as well, but none that is mixed like this.
    _pair_rule(
        anchors=("(",),
        pattern=(
            r"\([A-Za-z][\w.-]{1,31}[ ]?/{1,2}[ ]?"
            r"(?P<secret>(?=[^\s()/]{0,31}[A-Z])(?=[^\s()/]{0,31}[a-z])(?=[^\s()/]{0,31}[0-9])[^\s()/.,:<>-]{7,32})\)"
        ),
        locate=_bracketed_pair,
        samples=("the printer (bob/«{mixed 12}»)",),
        near=("the script (bin/run2.sh)", "(and/or)"),
    ),
    # Whoever manages a thing, and what nothing else looks like.
    _pair_rule(
        anchors=("admin", "root", "administrator"),
        fold=True,
        pattern=r"(?i)(?<![\w/.-])(?:admin|administrator|root)[\"'`*]{0,2}[ ](?:/|and)[ ]",
        locate=_managers,
        samples=("for next time, admin / «Gravel_5111!» works",),
        near=("for admin / operators", "root and Gravel", "admin / v2-console", "root / home"),
    ),
    _pair_rule(
        anchors=("ssh ", "sftp ", "scp ", "telnet ", "rdp "),
        pattern=rf"[a-z]{{3,6}}[ ][^\s@]{{1,64}}@[\w.-]{{1,128}}[ ,]{{0,3}}\(?{_USER_AND_SLASH}",
        locate=_mixed_pair,
        samples=("ssh bob@db1 (root/«{mixed 12}»)",),
        near=("ssh bob@db1 /usr/bin/uptime",),
    ),
)
