"""Passwords in sentences: a small grammar, whose words are those of `languages`, one row a language.

A sentence is read from the name on: a phrase that says whose password it is or where it is for, a sign or a verb or
nothing, and the value. What stands before its name is read in `searching.names_behind`. All is bounded: so many steps,
in a window of so many characters.
"""

from __future__ import annotations

import re

from s3memory.redaction.rules.passwords.access import found_near
from s3memory.redaction.rules.passwords.spoken.before import before
from s3memory.redaction.rules.passwords.spoken.reading_on import APART, CLOSERS, WINDOW, ReadingOn
from s3memory.redaction.rules.passwords.spoken.values import is_one, token_at
from s3memory.redaction.rules.passwords.spoken.words import (
    ANCHORS,
    Words,
    is_latin,
    name_pattern,
    words_of,
)
from s3memory.redaction.rules.reading.cells import names_none_of_its_row
from s3memory.redaction.rules.reading.changes import changed_pairs
from s3memory.redaction.rules.reading.code_names import is_code_of_another_sort
from s3memory.redaction.rules.reading.counted import is_counted
from s3memory.redaction.rules.reading.judging import Joint, is_said, is_typical
from s3memory.redaction.rules.reading.likeness import Likeness
from s3memory.redaction.rules.reading.names import KEYS_AS_WELL
from s3memory.redaction.rules.reading.near import Found, NearRule, Places
from s3memory.redaction.rules.reading.nouns import is_for_everybody
from s3memory.redaction.rules.reading.told_words import NOUNS_BEHIND, told_behind
from s3memory.redaction.text.compiling import compiled

_CODE_BEFORE = r"(?:[\w)\]][.:]|\$\(|[$@/\\<#&{+]|->|(?:\A|[\s\"'`(\[=,])--?)\Z"
_CODE_BEHIND = r"&\w{1,40}=|[_(\[{@#/\\+]|[ ]?\}|[.:][\w(]|-[A-Za-z]|[\"']?[ ]?\]"
_OPTION_BEFORE, _LONGEST_OPTION = r"[ ]--?[a-z][a-z-]{0,20}=\Z", 24  # "vault kv get -field=password"
_ADDRESS_BEFORE = r"://[^\s)\]>|]{0,120}\Z"
_MADE_OF_ONE = r"[ -](?:check(?:ing|ers?|s)|crack\w+|hash\w*|polic\w+|strength)\b"
_INFLECTION_BEYOND = r"[\u0370-\u058f\u10a0-\u10ff]{0,4}"
_RESULT = (
    r"(?is).*\b(?:tests?|checks?|builds?|cases?|suites?|jobs?|lints?|all|must|will|should|to|can|they|runs?|ci)[ ]pass"
)
_LONGEST_RESULT = 16
_HANDS_ON = (
    r"(?i)pass[ ](?:into|through|along|down|around|back|over|them|it|as|an?|the|this|that|these|its|your|their|all|any|in[ ](?:both|an?|the|all|any)"
    r"|to[ ](?:the|an?)[ ][a-z]+[ ](?:to|for|as|in|when|if))\b"
)
_WITH_BEFORE = r"(?i)(?<![\w'\u2019])(?:with|has|have|had|gets|got|mit|con|com|avec|med|met|z|s|cu|\u0441|\u0437)[ ](?:the |dem |la |le |a |il |het )?\Z"
_OLD_OR_NEW = r"(?i)(?:(?<!\w)(?:old|new|current|previous|former|first|temp(?:orary)?|initial|default)|['\u2019]s)[ ]\Z"
_GONE = r"[^\n.;]{0,16}\[REDACTED:"  # what it names was found: it names nothing else
_PAIR = r"(?P<user>[\"'`]?[\w.@+-]{2,40}[\"'`]?)(?P<mark>[ ]?[/|:,\uff0f\uff0c\u3001][ ]?|[ ]{1,3})"
_OF_WHAT = r"[sSwW][ ](?:for|of)[ ]"
# What is called by a word that may mean other things as well, and is the password of one of these.
_OF_AN_ACCESS = (
    r"(?i)(?:[ ][^\W\d_]{1,12}){0,2}[ -](?:l['’])?(?:wi-?fi|wlan|vpn|server|serveur|servidor|router|account|akun|konto|cuenta"
    r"|conta\b|cont(?:ul(?:ui)?)?\b|compte|e?-?mail|correo|admin|\u0633\u0631\u0648\u0631|\u0648\u0627\u06cc|\u062d\u0633\u0627\u0628)"
)
_PIECE_OF_CODE = r"\w[\"'`]\)[.,;]|\w=\"\w"  # the end of a string, an attribute of HTML


def _spoken(match: re.Match[str], limit: int) -> Places:
    text, end = match.string, match.end()
    for first, last in _told(match, limit):
        value, before = text[first:last], text[max(end, first - APART) : first]
        is_code = value.startswith(("$(", "{{")) or compiled(_PIECE_OF_CODE).search(value) is not None
        if not is_code and not (value[0].isdigit() and is_counted(before)):
            yield first, last


def _told(match: re.Match[str], limit: int) -> Found:
    text, start, end = match.string, match.start(), match.end()
    if not is_latin(match[0]):
        end = compiled(_INFLECTION_BEYOND).match(text, end).end()  # type: ignore[union-attr]  # it may be empty
    if _is_no_name(text, start, end, match[0]):
        return []
    words = words_of(match[0])
    is_of_what = match[0][:1] in "pP" and compiled(_OF_WHAT).match(text, end - 1)  # and so no pass of another kind
    if not words.is_explicit and (is_of_what or compiled(_OF_AN_ACCESS).match(text, end)):
        words = words._replace(is_explicit=True)
    is_with = compiled(_WITH_BEFORE).search(text, max(0, start - 12), start) is not None or (
        compiled(_OLD_OR_NEW).search(text, max(0, start - 12), start) is not None
        and compiled(r"[ ][\"'`*]{0,2}\S{0,30}[0-9]").match(text, end) is not None
    )
    if names_none_of_its_row(text, start, end):
        return []
    is_one = words.is_english and words.is_explicit and match[0][-1] not in "sS"
    found = told_behind(text, start, end) if is_one else []
    found = found or _pair(text, start, end, words) or ReadingOn(text, end, limit, words, is_with=is_with).values()
    if found or compiled(_MADE_OF_ONE).match(text, end) or compiled(_GONE).match(text, end):
        return found
    least, led = (Likeness.RARE, Likeness.CHOSEN) if words.is_explicit else (Likeness.PLAIN, Likeness.RARE)
    found = before(text, start, words) or list(found_near(text, (start, end), least, led))
    behind = compiled(words.plain).match(text, end)
    if found or (behind is not None and behind["word"].lower() in NOUNS_BEHIND):
        return found
    return list(changed_pairs(text, (start, end), WINDOW, Likeness.NONE))


def _is_no_name(text: str, start: int, end: int, name: str) -> bool:
    """Whether a name is part of code or of an address, or a verb: "tests pass", "pass it on"."""
    if is_latin(name):
        is_code = (
            compiled(_CODE_BEFORE).search(text, max(0, start - 3), start)
            or compiled(_CODE_BEHIND).match(text, end)
            or compiled(_OPTION_BEFORE).search(text, max(0, start - _LONGEST_OPTION), start)
        ) is not None
    else:
        is_code = text.startswith("_", end)
    if is_code or compiled(_ADDRESS_BEFORE).search(text, max(0, start - WINDOW), start):
        return True
    if is_code_of_another_sort(text, start, end) or (
        name.lower() in KEYS_AS_WELL and is_for_everybody(text, start, end)
    ):
        return True
    is_result = compiled(_RESULT).fullmatch(text, max(0, start - _LONGEST_RESULT), end) is not None
    return name[-4:].lower() == "pass" and (is_result or compiled(_HANDS_ON).match(text, end - 4) is not None)


def _pair(text: str, start: int, end: int, words: Words) -> Found:
    """Return where the second of a pair stands whose names are a pair, too: "usuario/clave: bob/..."."""
    if not compiled(words.pair).search(text, max(0, start - 30), start):
        return []
    position = compiled(CLOSERS).match(text, end).end()  # type: ignore[union-attr]
    joint = compiled(words.joint).match(text, position)
    pair = compiled(_PAIR).match(text, joint.end()) if joint else None
    token = token_at(text, pair.end()) if pair else None
    if pair is None or token is None:
        return []
    value = text[slice(*token)]
    is_marked = pair["mark"].strip() != ""
    is_value = is_typical(value) or (is_marked and is_one(text, token, Joint.SIGN, words, is_quoted=False))
    return [token] if is_value and not is_said(pair["user"].strip("\"'`")) else []


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"
RULES = (
    NearRule(
        kind="password",
        anchors=ANCHORS,
        pattern=name_pattern,
        around=_spoken,
        source=_SOURCE,
        samples=(
            "the password of the old server: «{password}»",
            "Passwort vom Admin «{password}»",
            "la clave del wifi es «{password}».",
            "WLAN-Passwort im Büro lautet «{password}».",
            "пароль от вайфая: «{password}»",
            "服务器的密码改成了«{password}»。",
            "كلمة المرور للخادم هي «{password}»",
        ),
        near=(
            "the password of the old server has expired",
            "the password for the host db14 is in the vault",
            "la clave del wifi es incorrecta",
            "mot de passe : obligatoire",
            "пароль от вайфая обязателен",
            "密码使用bcrypt加密。",
        ),
    ),
)
