"""Passwords in sentences, found by a small grammar with the words of `reading.languages` (one row per language).

A sentence is read from the name on: a phrase that says whose password it is or what it is for, then a sign, a verb or
nothing, and then the value. Of the values before a name, those in scripts without spaces and plain English words are
found here, and all others by `searching.labels_after_values`. Everything is bounded: the number of steps, and the
window that is read.
"""

from __future__ import annotations

import re

from s3memory.redaction.rules.passwords.access import candidates_near
from s3memory.redaction.rules.passwords.spoken.forward_reader import CLOSERS, MAX_ADJACENT, WINDOW, ForwardReader
from s3memory.redaction.rules.passwords.spoken.values import is_password_at, token_at
from s3memory.redaction.rules.passwords.spoken.vocabulary import (
    ANCHORS,
    Vocabulary,
    is_latin,
    name_pattern,
    words_of,
)
from s3memory.redaction.rules.reading.changed_passwords import changed_pairs, changed_phrases
from s3memory.redaction.rules.reading.harmless_codes import is_harmless_code_name
from s3memory.redaction.rules.reading.judging import Joint, is_remark_word, is_typical
from s3memory.redaction.rules.reading.likeness import Likeness
from s3memory.redaction.rules.reading.names import is_test_result
from s3memory.redaction.rules.reading.near import Found, NearRule, Places, line_start
from s3memory.redaction.rules.reading.nouns import names_public_key
from s3memory.redaction.rules.reading.reference_numbers import is_counted
from s3memory.redaction.rules.reading.stated_words import NOUNS_AFTER_PASSWORD, stated_after, stated_before
from s3memory.redaction.rules.reading.table_cells import next_cell_is_unrelated
from s3memory.redaction.text.compiling import compiled, occurs

_CODE_BEFORE = r"(?:[\w)\]][.:]|\$\(|[$@/\\<#&{+]|->|(?:\A|[\s\"'`(\[=,])--?)\Z"
_CODE_AFTER = r"&\w{1,40}=|[_(\[{@#/\\+]|[ ]?\}|[.:][\w(]|-[A-Za-z]|[\"']?[ ]?\]"
_OPTION_BEFORE, _MAX_OPTION = r"[ ]--?[a-z][a-z-]{0,20}=\Z", 24  # "vault kv get -field=password"
_ADDRESS_BEFORE = r"://[^\s)\]>|]{0,120}\Z"
# "password policy", "password-checking": a sentence about passwords.
_TOPIC_AFTER = r"[ -](?:check(?:ing|ers?|s)|crack\w+|hash\w*|polic\w+|strength)\b"
# Endings of names in the Greek, Cyrillic, Armenian and Georgian scripts.
_INFLECTION = r"[\u0370-\u058f\u10a0-\u10ff]{0,4}"
# "pass it on", "pass into the function"
_PASS_ON = (
    r"(?i)pass[ ](?:into|through|along|down|around|back|over|them|it|as|an?|the|this|that|these|its|your|their|all|any|in[ ](?:both|an?|the|all|any)"
    r"|to[ ](?:the|an?)[ ][a-z]+[ ](?:to|for|as|in|when|if))\b"
)
_FORGOT_BEFORE, _MAX_FORGOT = r"(?:ลืม|忘[记記了])\Z", 4
_WITH_BEFORE = r"(?i)(?<![\w'\u2019])(?:with|has|have|had|gets|got|mit|con|com|avec|med|met|z|s|cu|\u0441|\u0437)[ ](?:the |dem |la |le |a |il |het )?\Z"
_OLD_OR_NEW = r"(?i)(?:(?<!\w)(?:old|new|current|previous|former|first|temp(?:orary)?|initial|default)|['\u2019]s)[ ]\Z"
_REDACTED_AFTER = r"[^\n.;]{0,16}\[REDACTED:"  # the name's value was found already
_PAIR = r"(?P<user>[\"'`]?[\w.@+-]{2,40}[\"'`]?)(?P<mark>[ ]?[/|:,\uff0f\uff0c\u3001][ ]?|[ ]{1,3})"
# From the last letter of "pass" or "pw" on: "pass for the till".
_S_FOR = r"[sSwW][ ](?:for|of)[ ]"
# After an ambiguous name, these show that it means a password: "la clave del wifi".
_ACCOUNT_AFTER = (
    r"(?i)(?:[ ][^\W\d_]{1,12}){0,2}[ -](?:l['’])?(?:wi-?fi|wlan|vpn|server|serveur|servidor|router|account|akun|konto|cuenta"
    r"|conta\b|cont(?:ul(?:ui)?)?\b|compte|e?-?mail|correo|admin|\u0633\u0631\u0648\u0631|\u0648\u0627\u06cc|\u062d\u0633\u0627\u0628)"
)
# Quotes and brackets around a value before a name.
_DELIMITERS, _MAX_BEFORE = "([\"'`*_\u201e\u201c\u00ab\u201d\u00bb", 70
_PIECE_OF_CODE = r"\w[\"'`]\)[.,;]|\w=\"\w"  # the end of a string, an attribute of HTML


def _spoken(match: re.Match[str], limit: int) -> Places:
    """Yield the spans of the passwords near a name, without those that turn out to be code or a count."""
    text, end = match.string, match.end()
    for first, last in _password_spans(match, limit):
        value, before = text[first:last], text[max(end, first - MAX_ADJACENT) : first]
        is_code = value.startswith(("$(", "{{")) or compiled(_PIECE_OF_CODE).search(value) is not None
        is_forgotten = not any(map(str.isalpha, value)) and (
            compiled(_FORGOT_BEFORE).search(text, max(0, match.start() - _MAX_FORGOT), match.start()) is not None
        )
        if not (is_code or is_forgotten or (value[0].isdigit() and is_counted(before))):
            yield first, last


def _password_spans(match: re.Match[str], limit: int) -> Found:
    """Return the spans of the passwords after the name in `match`, or else before it."""
    text, start, end = match.string, match.start(), match.end()
    if not is_latin(match[0]):
        end = compiled(_INFLECTION).match(text, end).end()  # type: ignore[union-attr]  # it may be empty
    if _is_no_name(text, start, end, match[0]):
        return []
    vocabulary = words_of(match[0])
    has_purpose = match[0][:1] in "pP" and compiled(_S_FOR).match(text, end - 1)  # not a mountain pass
    if not vocabulary.is_explicit and (has_purpose or compiled(_ACCOUNT_AFTER).match(text, end)):
        vocabulary = vocabulary._replace(is_explicit=True)
    follows_with = occurs(_WITH_BEFORE, text, max(0, start - 12), start) or (
        occurs(_OLD_OR_NEW, text, max(0, start - 12), start)
        and compiled(r"[ ][\"'`*]{0,2}\S{0,30}[0-9]").match(text, end) is not None
    )
    if next_cell_is_unrelated(text, start, end):
        return []
    is_singular = vocabulary.is_english and vocabulary.is_explicit and match[0][-1] not in "sS"
    found = stated_after(text, start, end) if is_singular else []
    found = found or _pair(text, start, end, vocabulary)
    found = found or ForwardReader(text, end, limit, vocabulary, follows_with=follows_with).values()
    if found or compiled(_TOPIC_AFTER).match(text, end) or compiled(_REDACTED_AFTER).match(text, end):
        return found
    least = (Likeness.RARE, Likeness.CHOSEN) if vocabulary.is_explicit else (Likeness.PLAIN, Likeness.RARE)
    found = _values_before(text, start, vocabulary) or list(candidates_near(text, (start, end), *least))
    noun = compiled(vocabulary.plain).match(text, end)
    if found or (noun is not None and noun["word"].lower() in NOUNS_AFTER_PASSWORD):
        return found
    return changed_phrases(text, end) or list(changed_pairs(text, (start, end), WINDOW, Likeness.NONE))


def _is_no_name(text: str, start: int, end: int, name: str) -> bool:
    """Whether a name is code, part of an address, a public key, a code of another sort, or a verb: "pass it on"."""
    if is_latin(name):
        is_code = (
            compiled(_CODE_BEFORE).search(text, max(0, start - 3), start)
            or compiled(_CODE_AFTER).match(text, end)
            or compiled(_OPTION_BEFORE).search(text, max(0, start - _MAX_OPTION), start)
        ) is not None
    else:
        is_code = text.startswith("_", end)
    if is_code or compiled(_ADDRESS_BEFORE).search(text, max(0, start - WINDOW), start):
        return True
    if is_harmless_code_name(text, start, end) or names_public_key(text, start, end):
        return True
    return is_test_result(text, start, end) or (
        name[-4:].lower() == "pass" and compiled(_PASS_ON).match(text, end - 4) is not None
    )


def _pair(text: str, start: int, end: int, vocabulary: Vocabulary) -> Found:
    """Return the span of the second value of a pair whose labels are a pair too: "usuario/clave: bob/v"."""
    if not compiled(vocabulary.pair).search(text, max(0, start - 30), start):
        return []
    position = compiled(CLOSERS).match(text, end).end()  # type: ignore[union-attr]
    joint = compiled(vocabulary.joint).match(text, position)
    pair = compiled(_PAIR).match(text, joint.end()) if joint else None
    token = token_at(text, pair.end()) if pair else None
    if pair is None or token is None:
        return []
    value = text[slice(*token)]
    is_marked = pair["mark"].strip() != ""
    is_value = is_typical(value) or (is_marked and is_password_at(text, token, Joint.SIGN, vocabulary, is_quoted=False))
    return [token] if is_value and not is_remark_word(pair["user"].strip("\"'`")) else []


def _values_before(text: str, start: int, vocabulary: Vocabulary) -> Found:
    """Return the span of a value before the name at `start`: a plain English word, or a value joined to it by no space."""
    begin = line_start(text, start, _MAX_BEFORE)
    if vocabulary.is_english and vocabulary.is_explicit and (plain := stated_before(text, begin, start)):
        return plain
    glued = compiled(vocabulary.glued).search(text, begin, start) if vocabulary.glued else None
    if glued is None:
        return []
    value = glued["value"].strip(_DELIMITERS)
    first = glued.start("value") + glued["value"].find(value)
    span = first, first + len(value)
    is_one = value and is_password_at(text, span, Joint.VERB, vocabulary, is_quoted=False, is_ended=True)
    return [span] if is_one else []


RULES = (
    NearRule(
        kind="password",
        anchors=ANCHORS,
        pattern=name_pattern,
        around=_spoken,
        source="https://cwe.mitre.org/data/definitions/256.html",
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
            "the password server moved from meeting room 3 to meeting room 4",
            "the cabin is not kale11 but kale12, the password is in the house",
            "密码使用bcrypt加密。",
        ),
    ),
)
