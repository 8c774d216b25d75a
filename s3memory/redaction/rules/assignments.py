"""Passwords and secrets that are named: in code, settings, tables, command lines and sentences.

A name says that a secret may follow, not that one does: "password is required", `password: str` and
`password = os.environ["DB"]` name one as well. So the name and what joins it to its value are a pattern, and the
value is judged: the looser the join, the more it has to look like a secret. The name stays, the value goes.
"""

from __future__ import annotations

import re

from s3memory.redaction.compiling import compiled
from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.literals import Literal, literal_at, to_its_end
from s3memory.redaction.values import (
    is_locator,
    is_placeholder,
    is_reference,
    is_slug,
    is_strong,
    is_term,
    looks_random,
)

# What people choose: "pass" and "pw" only as words of their own or at a hump, as in `dbPass`.
# The name of a product ends in "1Password".
_CHOSEN = (
    r"(?:(?<!1)pass(?:word|wd|phrase|code|wort)|(?:(?<![A-Za-z])|(?<=[a-z])(?=(?-i:P)))pass"
    r"|(?<![A-Za-z])pw|pwd|identified by)"
)
# "key" names a secret only behind one of these; each is a look-behind, which has to have a fixed length.
_KEY = "|".join(
    f"(?<={word}{joint})"
    for word in (
        *("api", "access", "private", "secret", "signing", "encryption", "decryption", "master", "account"),
        *("auth", "service", "shared", "storage", "license", "ingest", "admin", "webhook", "session", "hmac"),
    )
    for joint in ("", "[ _-]")
)
_GENERATED = rf"secret(?:[ _-]?(?:access[ _-]?)?key)?|token|(?<![A-Za-z])_?auth|(?:{_KEY})key"

# Names go on with a number or an environment at most: `password_hash` and `token_url` are something else.
_NAME_END = (
    r"(?:[_-]?[0-9]{1,2})?(?:[_-](?:prod|production|dev|staging|test|live|old|new|value|plain|plaintext))?"
    r"(?![A-Za-z0-9_-])"
)
_TYPE = r"(?:Optional\[)?(?:&?(?:'static )?str(?:ing)?|bytes|SecretStr|char ?\*)\]?(?: \| None)?\??"
_VERB = r"(?:is|was)(?: now| currently)?(?: set to)?|(?:re)?set to|changed to"
_ABOUT = r"(?: \([^()\n]{1,40}\)|[ ](?:for|of|on|to|in|at|from)[ ][^\n:=|.]{1,60}?)?"
_JOIN = (
    r"(?:\\?[\"'`]|\*{1,2}|\]|\)){0,3}"
    rf"(?:[ \t]{{0,20}}(?::[ \t]{{0,3}}{_TYPE}[ \t]{{0,3}})?(?P<sign>=>|:=|={{1,3}}|:{{1,2}}|->)(?:\*\*)?[ \t]{{0,20}}"
    r"|[ \t]{0,20}(?P<cell>\|)[ \t]{0,20}"
    r"|(?P<tag>>)"
    r"|,?\s{0,40}\\?[\"']?(?P<item>value\\?[\"']?[ \t]{0,3}[:=][ \t]{0,3})"
    rf"|{_ABOUT}[ ]{{1,2}}(?P<verb>{_VERB}):?[ ]{{1,2}}"
    rf"|{_ABOUT}(?P<note>:)(?:\*\*)?[ ]{{1,2}}"
    r"|(?P<gap>[ \t]{1,3}(?:(?:to|as)[ ]{1,2})?))"
)

_CHANGED = r"(?i)(?:chang|updat|rotat|switch|set)\w{0,5}(?: \w{1,12}){0,3} \Z"
_OPTION = r"(?<![\w-])--?[\w-]{0,40}\Z"
# Tokens that are passed back and forth, and those of language models.
_HARMLESS = (
    r"(?i)(?:next|previous|page|continuation|continue|cancel(?:l?ation)?|sync|resume|start|end|stop|special|pad|mask|"
    r"eos|bos|unk|idempotency|client|request|change|update|action|starting|unit|product|csrf|xsrf|lock|fencing|design|"
    r"scroll|cursor|marker)[ _-]?\Z"
)
# Four words or more, joined: a passphrase as password managers make them.
_PHRASE = r"[A-Za-z]{2,}([-_.])[A-Za-z]{2,}(?:\1[A-Za-z]{2,}){2,}[0-9!]{0,4}"
_PLAIN = r"[\w!@#$%^&*+?~.][\w!@#$%^&*+?~.-]+"
_END_OF_PART = r"[;&]|[ \t]*(?:\n|\Z)|[ \t]+[\w-]{1,40}="
# Joins that leave no doubt that a value follows, and names that sentences use otherwise.
_NAMED = ("sign", "item", "tag", "option")
_WORDS_AS_WELL = ("pass", "identified by")
_LEAST_PASSWORD = 4
_LEAST_IN_PROSE = 6
_LEAST_SECRET = 8
_LEAST_SECRET_IN_PROSE = 12


def _join(match: re.Match[str]) -> str:
    """Return what joins name and value: a sign, cell, tag, item, verb, note or gap, or an option's gap."""
    joins = ("sign", "cell", "tag", "item", "verb", "note", "gap")
    join = next(name for name in joins if match[name])
    before = match.string[max(0, match.start() - 42) : match.start()]
    if join == "gap" and compiled(_OPTION).search(before):
        return "option"
    return "verb" if join == "gap" and "to" in match["gap"] and compiled(_CHANGED).search(before) else join


def _value(match: re.Match[str]) -> Literal | None:
    return literal_at(match.string, match.end(), is_setting=_is_setting(match))


def _location(match: re.Match[str], value: Literal) -> Location:
    """Return where a value is that looks like a secret, unless it is a placeholder or says where the secret is."""
    is_code = not value.is_quoted and not _is_setting(match) and is_reference(value.text)
    is_elsewhere = is_code or is_placeholder(value.text) or is_locator(value.text)
    return None if is_elsewhere else to_its_end(match.string, value.span)


def _is_setting(match: re.Match[str]) -> bool:
    """Whether this is a line of an env file or a shell: a name in capitals, and the value right behind "="."""
    return match["sign"] == "=" and match.string[match.end() - 1] == "=" and match["name"].isupper()


def _password(match: re.Match[str]) -> Location:
    join, value, name = _join(match), _value(match), match["name"].lower()
    if value is None or len(value.text) < _LEAST_PASSWORD or (join == "tag" and not value.is_tagged):
        return None
    if _is_statement(match, value):
        is_found = True
    elif name in _WORDS_AS_WELL and (join not in _NAMED or value.text.isdigit()):
        is_found = False
    elif value.is_quoted or join == "tag" or _is_setting(match):
        is_found = _is_quoted_password(value.text, join)
    elif join in _NAMED:
        is_found = _is_bare_password(value.text, join) or _is_lone_word(match, value)
    else:
        is_found = _is_password_in_prose(value, join)
    return _location(match, value) if is_found else None


def _is_statement(match: re.Match[str], value: Literal) -> bool:
    """Whether this is SQL, which has a password in quotes right behind its name."""
    is_named = match["name"].isupper() or match["name"].lower() == "identified by"
    return is_named and match["gap"] is not None and match.string[value.span[0] - 1] == "'"


def _is_quoted_password(text: str, join: str) -> bool:
    # A word may be a password. A sentence is what a form says beside its field, unless it looks like a passphrase.
    if join in ("cell", "gap"):
        is_long = len(text) >= _LEAST_IN_PROSE and " " not in text
        return is_long and (is_strong(text) or compiled(_PHRASE).fullmatch(text) is not None) and not is_term(text)
    return " " not in text or (join == "sign" and is_strong(text))


def _is_bare_password(text: str, join: str) -> bool:
    if is_term(text) or (join == "option" and text.startswith("-")):
        return False
    return is_strong(text) or text.isdigit() or compiled(_PHRASE).fullmatch(text) is not None


def _is_password_in_prose(value: Literal, join: str) -> bool:
    text, length = value.text, value.span[1] - value.span[0]
    if is_term(text) or not text.isascii():
        return False
    if text.isdigit():
        return join == "verb" or (join != "gap" and length >= _LEAST_IN_PROSE)
    if join == "gap" and not compiled(_PLAIN).fullmatch(text):
        return False
    is_phrase = join != "gap" and compiled(_PHRASE).fullmatch(text) is not None
    return is_phrase or (length >= _LEAST_IN_PROSE and is_strong(text) and not is_slug(text))


def _is_lone_word(match: re.Match[str], value: Literal) -> bool:
    """Whether a word is taken as it is: an option's, or in a connection string, a query or a list of settings."""
    is_glued = match["sign"] == "=" and match.string[match.end() - 1] == "="
    if not value.text.isalpha() or not (is_glued or match["name"].isupper()) or match["name"].lower() in _WORDS_AS_WELL:
        return False
    before = match.string[max(0, match.start() - 42) : match.start()]
    return (
        compiled(_END_OF_PART).match(match.string, value.span[1]) is not None
        or compiled(_OPTION).search(before) is not None
    )


def _secret(match: re.Match[str]) -> Location:
    join = _join(match)
    if join == "gap" or _is_part_of_a_name(match):
        return None
    value = _value(match)
    if value is None or is_term(value.text) or (join == "tag" and not value.is_tagged):
        return None
    is_found = looks_random(value.text, least=_LEAST_SECRET if join in _NAMED else _LEAST_SECRET_IN_PROSE)
    # What is called a secret and nothing else may have been made up by somebody.
    if match["name"].lower() == "secret" and join in _NAMED and (value.is_quoted or _is_setting(match)):
        is_long = len(value.text) >= _LEAST_SECRET and " " not in value.text
        is_found = is_found or (is_long and is_strong(value.text) and not is_slug(value.text))
    return _location(match, value) if is_found else None


def _is_part_of_a_name(match: re.Match[str]) -> bool:
    """Whether "secret:" or "token:" is inside a URN, or names a token that is no secret."""
    before = match.string[max(0, match.start() - 30) : match.start()]
    is_urn = before[-1:] in (":", "/") and match["sign"] == ":" and match.string[match.end() - 1] == ":"
    return is_urn or (match["name"].lower() == "token" and compiled(_HARMLESS).search(before) is not None)


RULES = (
    Rule(
        kind="password",
        anchors=("pass", "pw", "identified by"),
        fold=True,
        pattern=rf"(?i:(?P<name>{_CHOSEN}){_NAME_END}{_JOIN})",
        locate=_password,
        source="https://cwe.mitre.org/data/definitions/798.html",
    ),
    Rule(
        kind="secret",
        anchors=("secret", "token", "key", "auth"),
        fold=True,
        pattern=rf"(?i:(?P<name>{_GENERATED}){_NAME_END}{_JOIN})",
        locate=_secret,
        source="https://cwe.mitre.org/data/definitions/798.html",
    ),
)
