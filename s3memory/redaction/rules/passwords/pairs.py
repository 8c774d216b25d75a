"""Users and passwords written as a pair: "id/pw: bob/v", "the credentials are bob / v", "10.0.0.7 (bob/v)".

Only the password is replaced. It has no label of its own, so it has to look like a password.
"""

from __future__ import annotations

import re
from functools import partial

from s3memory.redaction.interface import PLACEHOLDER_PATTERN
from s3memory.redaction.rule import Location, Rule, ShapeRule
from s3memory.redaction.rules.reading.changed_passwords import numbered_word_at
from s3memory.redaction.rules.reading.judging import is_chosen, is_no_word, is_rare_slug, is_typical
from s3memory.redaction.rules.reading.likeness import Likeness, is_exclaimed, likeness
from s3memory.redaction.rules.reading.literals import Literal, literal_at, to_end_of_secret
from s3memory.redaction.rules.reading.name_tables import cased
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import (
    is_elsewhere,
    is_identifier,
    is_phrase,
    is_reference,
    is_strong,
    is_technical_term,
    looks_random,
)
from s3memory.redaction.text.word_lists import phrase_list
from s3memory.redaction.text.wording import is_gibberish

_USER = r"[\"'`*]{0,3}[A-Za-z][\w.@+-]{1,63}[\"'`*]{0,3}"
_SEPARATOR_OR_END = r"(?:[ \t]{0,2}(?:/{1,2}|:|\||,|[ ]and[ ])[ \t]{0,2}|[ ](?=\S{1,80}[ \t]{0,9}(?:\n|\Z)))"
_SEPARATOR = r"[ \t]{0,2}(?:/{1,2}|:|,|\||\(|[ ]and[ ]|[ ])[ \t]{0,2}"
_USER_AND_SEPARATOR = rf"(?P<user>{_USER})(?P<mark>{_SEPARATOR_OR_END})"
# After a label: ": bob / ", " 10.0.0.7, bob:".
_JOINED_PAIR = (
    r"s?(?:/[A-Za-z]{2,8})?[\"'`*)]{0,3}(?P<join>[ \t]{0,3}(?:[:=(-]|->|[ ](?:is|are)[ ]|[ ])[ \t]{0,3})"
    rf"(?:[0-9.]{{7,15}}[ ,/]{{1,3}})?(?P<user>{_USER})(?P<between>{_SEPARATOR})"
)
_THREE_LABELS = r"s?/[A-Za-z]{2,8}"  # "id/pw/port"
_ABOUT = r"(?:[ ](?:for|of|on|to|in|at)[ ][^\n:=|`]{1,40}?)?"
# The first label of a pair: "id/", "user: ", "login and ".
_USER_LABEL_BEFORE = (
    r"(?i)(?:\bid|(?-i:ID)|user(?:[ _]?name)?|login|account|acct|e-?mail|name|usr|admin"
    r"|\uacc4\uc815|\uc544\uc774\ub514)"  # Korean
    r"[\"'`*)]{0,2}[ ]?(?:[/|&+:,(]|and|(?-i:(?<=ID)[ ])|(?-i:(?<=id)[ ]))[ ]?[\"'`*(]{0,2}\Z"
)
# How a label of a user ends, apart from quotes and spaces: a prefilter, because few names follow one of these.
_ENDS_OF_USER_LABEL = (*"/|&+:,(", "and", "And", "AND", "ID", "id", "Id", "iD")
_MAX_BEFORE = 30
_CREDENTIALS = r"(?i:credentials?|creds|zugangsdaten|identifiants|credenciales|credenziali)"
_LOGIN = r"(?:(?<![A-Za-z0-9])|(?<=[a-z])(?=[A-Z]))(?i:log[ -]?ins?|log[ -]?ons?|sign[ -]?in|auth|accounts?)"
_IS = (
    r"(?:[ \t]{0,3}(?:[:=]|->|\u2192)|[ ](?:like|such as|(?:is|are|were|was)\b(?:[ ](?:now|still))?|had been):?)"
    r"[ \t]{0,3}"
)
# An IPv4 address from the last digit before its first dot on: the prefilter of the rule finds that place.
_ADDRESS = r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(?::[0-9]{1,5})?(?![0-9.])"
_AFTER_ADDRESS = r"(?:[ \t]{0,3}(?:\(|->|-->|,|:|[|-])[ \t]{0,3}|[ \t]{1,3})"
_USER_AND_SLASH = r"(?P<user>[A-Za-z][\w.-]{1,63})[ \t]{0,2}/{1,2}[ \t]{0,2}"
_USER_AND_LAST = r"(?P<other>[a-z][\w.-]{1,31})[ ](?=\S{8,40}[ \t]*(?:\r?\n|\Z))"
_DEVICE_ACCOUNT = (
    r"(?i:admin(?:istrator)?|root|user|guest|ubnt|pi|support|operator)[\"'`*]{0,2}(?:[ ]?/{1,2}[ ]?|,?[ ])"
)
# What a user and a password follow that no other word names: a user's label, or the service.
_USER_LABELS = phrase_list(
    "id user username usr acct usuario cuenta conta utilisateur compte benutzer konto utente gebruiker użytkownik "
    "kullan\u0131c\u0131 hesap akun pengguna tài_khoản логин учетная_запись "
    "계정 아이디 사용자 관리자 账号 帐号 账户 用户 用户名 アカウント ユーザー "
    "telnet ftp sftp ssh rdp vpn vnc smb web webui console db mysql postgres oracle mssql mongodb jenkins gitlab "
    "grafana nas router switch esxi idrac ilo root admin"
)
_LABEL_ANCHORS = tuple(
    form
    for label in (label + sign for label in _USER_LABELS for sign in (":", " :", "\uff1a", "=", " - "))
    for form in cased(label)
    if form == label or not form.isascii()
)
_LABELLED_USER = (
    r"(?<![\w.@/-])(?<![a-z] (?=id))(?:" + "|".join(_USER_LABELS) + r")[\"'`*)]{0,3}(?:[ ]?[:=\uff1a][ ]{0,2}|[ ]-[ ])"
    r"[\"'`*]{0,2}[a-z][\w.@+-]{1,40}[\"'`*]{0,2}(?:[ ]{0,2}[/|,\uff0f][ ]{0,2}|[ ](?=\S{6,40}[ \t]*(?:\r?\n|\Z)))"
)
_NEXT_SETTING = r"[*&<$]|[\"'`*]{0,2}[A-Za-z][\w.-]*[\"'`*]{0,2}[=:(]"
# One of several logins in brackets: "(bob/v, root/w)".
_IN_BRACKETS = (
    r"[(\[](?:[A-Za-z][\w.-]{1,31}[ ]?/[ ]?[^\s()\[\]/,;]{4,32}(?:[,;][ ]?|[ ](?:or|and)[ ])){PAIRS}"
    r"[A-Za-z][\w.-]{1,31}[ ]?/{1,2}[ ]?"
    r"(?P<secret>(?=[^\s()/]{0,31}[A-Z])(?=[^\s()/]{0,31}[a-z])(?=[^\s()/]{0,31}[0-9])[^\s()\[\]/.,:;<>-]{7,32})"
    r"(?=[)\]]|[,;][ ]?[A-Za-z][\w.-]{1,31}[ ]?/|[ ](?:or|and)[ ][A-Za-z][\w.-]{1,31}[ ]?/)"
)
_END_OF_LINE = r"[\"'`*.,;)]{0,3}[ \t]*(?:\r?\n|\Z)"
# "mode=fast", or the scope of a credential of AWS.
_CODE_OR_AWS_SCOPE = r"[\w-]{2,40}=[\w\[({\"']|[0-9]{8}/[a-z0-9-]{1,40}/[a-z0-9-]{1,40}/aws4_request"
_NOT_USERS = ("and", "or", "is", "are", "the", "for", "in", "on", "with", "to", "from", "via", "as", "not")
_MIN_LENGTH = 4
_SEVERAL_COLONS = 2
_MIN_TYPICAL = 6


def _is_unmistakable(text: str) -> bool:
    """Whether `text` could hardly be anything but a password."""
    return len(text) >= _MIN_TYPICAL and is_no_word(text) and not text.isdigit()


def _looks_generated(text: str) -> bool:
    """Whether `text` mixes characters as a generated password does, and is no name of something: no label tells."""
    if not text.isascii() or compiled(_NEXT_SETTING).match(text):
        return False
    is_named = is_identifier(text) or is_technical_term(text) or is_reference(text)
    return is_typical(text) and not is_named and any(map(str.islower, text)) and any(not c.isalpha() for c in text)


def _value_after(match: re.Match[str]) -> Literal | None:
    """Return the value right after a match, unless it is too short or elsewhere."""
    value = literal_at(match.string, match.end(), is_setting=False)
    return None if value is None or len(value.text) < _MIN_LENGTH or is_elsewhere(value.text) else value


def _pair(match: re.Match[str]) -> Location:
    """Locate the password after a user and a separator, if it looks like one for that separator."""
    value = _value_after(match)
    if value is None:
        return None
    is_url = match["mark"] == ":" and value.text.startswith("//")
    if is_url or match.string.startswith(":`", value.span[0] - 2):  # a role of reStructuredText
        return None
    if not value.is_quoted and (
        is_reference(value.text) or compiled(_CODE_OR_AWS_SCOPE).match(match.string, value.span[0])
    ):
        return None
    if match["mark"].strip() == "," and match[0].partition(":")[0].endswith("accounts"):
        return None  # a list of accounts: "accounts: bob, ann"
    text, separator = value.text, match["mark"].strip()
    if match["mark"] == " ":
        is_password = _is_unmistakable(text)
    else:
        is_password = (is_no_word(text) and text.count(":") < _SEVERAL_COLONS) or is_rare_slug(text, is_english=True)
    is_marked = separator in ("/", "//", ":", "|")
    is_password = is_password or is_phrase(text) or (is_marked and (text.isdigit() or is_gibberish(text)))
    is_whole_chosen = is_chosen(text) or is_exclaimed(match.string[slice(*value.span)], min_words=1)
    is_password = is_password or (separator in ("/", "//") and is_whole_chosen)
    return to_end_of_secret(match.string, value.span) if is_password else None


def pair_after(match: re.Match[str]) -> Location:
    """Return the span of the password if its name, in `match`, is the second label of a pair: "id/pw: bob/v".

    Because it has a label, the password may be a number or a plain word.
    """
    before = match.string[max(0, match.start() - _MAX_BEFORE) : match.start()]
    if not before.rstrip(" \"'`*").endswith(_ENDS_OF_USER_LABEL) or not compiled(_USER_LABEL_BEFORE).search(before):
        return None
    pair = compiled(_JOINED_PAIR).match(match.string, match.end())
    value = literal_at(match.string, pair.end(), is_setting=False) if pair else None
    if pair and value is None and (redacted := PLACEHOLDER_PATTERN.match(match.string, pair.end())):
        return redacted.span()  # the password was replaced already, and only the user is left
    if pair is None or value is None:
        return None
    if compiled(_THREE_LABELS).match(match.string, match.end()) and "/" in value.text:
        first = value.text.partition("/")[0]
        value = Literal(first, (value.span[0], value.span[0] + len(first)))
    if len(value.text) < _MIN_LENGTH or is_elsewhere(value.text):
        return None
    is_path = value.text.startswith("//") or ("/" in value.text and not looks_random(value.text))
    is_plain = pair["user"].strip("\"'`*").lower() in _NOT_USERS
    if is_path or is_plain or is_technical_term(value.text) or compiled(_CODE_OR_AWS_SCOPE).match(value.text):
        return None
    is_glued = pair["between"].strip() in ("/", "//", ":", "|") and pair["join"].strip() != ""
    is_password = is_strong(value.text.strip("*_")) if is_glued else _is_unmistakable(value.text.strip("*_"))
    is_password = is_password or is_phrase(value.text) or (is_glued and (value.text.isdigit() or value.text.isalpha()))
    return to_end_of_secret(match.string, value.span) if is_password else None


def _strong_value(match: re.Match[str]) -> Location:
    value = _value_after(match)
    if value is None or not is_strong(value.text) or is_technical_term(value.text):
        return None
    return to_end_of_secret(match.string, value.span)


def _mixed_value(match: re.Match[str]) -> Location:
    """Return the span of the second value of a pair that could also be a path, only if it is mixed as passwords are."""
    value = _value_after(match)
    if value is None or "/" in value.text or not (_is_unmistakable(value.text) or is_phrase(value.text)):
        return None
    has_both_cases = any(map(str.isupper, value.text)) and any(map(str.islower, value.text))
    is_mixed = (
        has_both_cases or is_gibberish(value.text) or not value.text.isalnum() or " as " in match[0] or "(" in match[0]
    )
    return to_end_of_secret(match.string, value.span) if is_mixed else None


def _after_an_address(match: re.Match[str]) -> Location:
    """Return the span of a password after an address: after an account, also a word and a number that end the line."""
    value = _value_after(match) if match["account"] else None
    if (
        value
        and compiled(_END_OF_LINE).match(match.string, value.span[1])
        and (likeness(value.text) >= Likeness.CHOSEN or numbered_word_at(match.string, *value.span) is not None)
    ):
        return value.span
    if match["other"]:
        return _generated_value(match)
    return _mixed_value(match) if "/" in match[0] else None


def _random_in_brackets(match: re.Match[str]) -> Location:
    secret = match["secret"]
    return match.span("secret") if looks_random(secret, least=7) and not is_elsewhere(secret) else None


def _generated_value(match: re.Match[str]) -> Location:
    """Return the span of the value after a match, if it looks generated: the words before it don't say what it is."""
    value = _value_after(match)
    if value is None or value.is_quoted or not _looks_generated(match.string[slice(*value.span)]):
        return None
    return value.span


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"

_pair_rule = partial(Rule, kind="password", source=_SOURCE)

RULES = (
    _pair_rule(
        anchors=("credential", "creds", "zugangsdaten", "identifiant", "credenciales", "credenziali"),
        fold=True,
        pattern=rf"{_CREDENTIALS}{_ABOUT}{_IS}{_USER_AND_SEPARATOR}",
        locate=_pair,
        samples=("credentials: bob / «{password}»", "credentials like bob / «HarbourView!» in a log"),
        near=("credentials: see the vault", "credentials: bob / <password>"),
    ),
    _pair_rule(
        anchors=("login", "log-in", "log in", "logon", "sign in", "sign-in", "auth", "account"),
        fold=True,
        pattern=rf"{_LOGIN}{_ABOUT}{_IS}{_USER_AND_SEPARATOR}",
        locate=_pair,
        samples=("login: bob / «{password}»",),
        near=("login: bob / admin", "login: see https://example.org/login", 'AUTH="mongodb://db1:27017/shop"'),
    ),
    _pair_rule(
        anchors=('"u"', '"usr"', '"user"', '"login"', '"username"'),
        pattern=(
            r"\"\w{1,8}\"[ ]?:[ ]?\"[^\"\n]{1,64}\",\s{0,20}\"(?:p|pw|pwd|pass|secret|s|k|key)\"[ ]?:[ ]?"
            r"(?=\"[^\"\s]{4,128}\")"
        ),
        locate=_strong_value,
        samples=('{"u": "bob", "p": "«{password}»"}',),
        near=('{"u": "bob", "p": "<password>"}', '{"user": "bob", "k": "name"}'),
    ),
    # "Log in as bob with v", "sign in with bob/v".
    _pair_rule(
        anchors=("log in", "log on", "login", "sign in", "connect", "authenticate"),
        fold=True,
        pattern=(
            r"(?i:log|sign|connect|authenticate)[ ]?(?:in|on)?(?:[ ][^\n.:]{1,40}?)?[ ](?:as|with|using)[ ]"
            rf"(?P<user>{_USER})(?:[ ]?/[ ]?|[ ](?:with|and|using)[ ](?:(?i:the[ ])?(?i:password|pw|pwd)[ ])?)"
        ),
        locate=_mixed_value,
        samples=("log in as bob with «{mixed 12}»",),
        near=("log in as bob with your badge", "log in as root/admin"),
    ),
    ShapeRule(
        kind="password",
        shape=rb"0\.0{1,3}\.0{1,3}\.0",
        pattern=rf"{_ADDRESS}{_AFTER_ADDRESS}(?:(?P<account>{_DEVICE_ACCOUNT})(?=\S{{0,30}}[0-9])|{_USER_AND_SLASH}|{_USER_AND_LAST})",
        locate=_after_an_address,
        source=_SOURCE,
        samples=("10.1.2.3 (bob/«{mixed 12}»)", "router 192.168.1.1: admin «Gravel5111!»"),
        near=("10.1.2.3 (eth0/up)", "10.1.2.3 - /var/lib", "10.0.0.2: admin console2 is up"),
    ),
    # "(bob/v)": brackets hold paths and types as well, but none of them is mixed like a password.
    *(
        _pair_rule(
            anchors=("(", "["),
            pattern=_IN_BRACKETS.replace("PAIRS", str(pairs)),
            locate=_random_in_brackets,
            samples=(f"the printer ({'jo/gravel, ' * pairs}bob/«{{mixed 12}}»)",),
            near=("the script (bin/run2.sh)", "(and/or)", "[foo/Bar2, foo/Baz3]"),
        )
        for pairs in range(2)
    ),
    # "ID:bob/v", "telnet: bob/v".
    _pair_rule(
        anchors=_LABEL_ANCHORS,
        fold=True,
        pattern=f"(?i:{_LABELLED_USER})",
        locate=_generated_value,
        samples=(
            "ID:bob/«{mixed 12}»",
            "telnet: j.smith/«{mixed 12}»",
            "계정:bob,«{mixed 12}»",
            "User - bob | «{mixed 12}»",
        ),
        near=("ID:group/Item5Name", "web: src/App2Router", "Ticket ID: ops/Ab12Cd34", "user: group/Admins2"),
    ),
    # "access token (bob)v", "the secret)v".
    Rule(
        kind="secret",
        anchors=("token", "key", "secret"),
        fold=True,
        pattern=r"(?i)(?:token|key|secret)(?:[ ]?\([^()\n=]{1,40})?\)(?=[A-Za-z0-9])",
        locate=_generated_value,
        source=_SOURCE,
        samples=("access token (bob)«<alnum:24>»", "secret)«<alnum:24>»"),
        near=("access token (JWT)RS256", "sign(key, secret)Base64", "hash(secret)[0:8]"),
    ),
    # "ID-bob/PASS-v".
    _pair_rule(
        anchors=("id-", "user-"),
        fold=True,
        pattern=r"(?i)(?<![\w-])(?:id|user)-[\w.@+-]{1,40}[ ]?[/, ][ ]?(?:pass(?:word|wd)?|pwd?)-(?=\S)",
        locate=_strong_value,
        samples=("ID-bob/PASS-«{mixed 12}»",),
        near=("id-token/pass-through", "ID-bob/PASS-"),
    ),
    _pair_rule(
        anchors=("ssh ", "sftp ", "scp ", "telnet ", "rdp "),
        pattern=rf"[a-z]{{3,6}}[ ][^\s@]{{1,64}}@[\w.-]{{1,128}}[ ,]{{0,3}}\(?{_USER_AND_SLASH}",
        locate=_mixed_value,
        samples=("ssh bob@db1 (root/«{mixed 12}»)",),
        near=("ssh bob@db1 /usr/bin/uptime",),
    ),
)
