"""Passwords before their name: "use v as the password", "v is the password of the router"."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location
from s3memory.redaction.rules.reading.judging import is_no_word, is_remark_word
from s3memory.redaction.rules.reading.literals import literal_at
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere, is_phrase, is_reference
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_adjective, is_descriptive_word

# The words between a link and the name: "v is our new root password".
_DETERMINERS = word_set(
    "the a my your our their his her its new old current root admin default user database db master wifi temporary "
    "initial login sudo staging production vpn"
)
# What links the password to the name after it, in several languages.
_LINKS = ("as", "is", "was", "als", "comme", "como", "come")
_WORDS_BEFORE = _DETERMINERS | {*_LINKS}
# The same before a field of a form: "v at the password prompt".
_FORM_LINKS = (*_LINKS, "at", "into", "in")
_FORM_FIELD_AFTER = r"[ ](?:prompt|field|box|dialog|screen)"
_VERBS_OF_USE = ("use", "using", "with")
_VERBS = (*_VERBS_OF_USE, "enter", "type", "and", "set", "verwende", "try", "want", "choose", "picked", "chose")
# An object or an element up to its name: `"value": "v", "name": "`.
_VALUE_BEFORE = (
    r"(?P<quote>[\"']?)\bvalue(?P=quote)\s{0,3}[:=]\s{0,3}(?P<open>[\"'])(?P<secret>[^\"'\n<>]{4,128})(?P=open)"
    r"(?:,\s{0,40}|\s{1,40})[\"']?(?:key|name|id|label|field|designation)[\"']?\s{0,3}[:=]\s{0,3}[\"'][\w. -]{0,40}\Z"
)
# A comparison up to the name: `"v".equals(user.`, `'v' == $`, `assertEquals("v", user.get`.
_COMPARED_BEFORE = (
    r"(?:(?P<called>(?i:assert\w{0,16}|\w{0,8}equals?)\([ ]?(?:t,[ ])?))?"
    r"(?P<open>[\"'])(?P<secret>[^\"'\s]{4,128})(?P=open)"
    r"(?(called),|(?:\.[Ee]quals(?:IgnoreCase)?\(|[ ]?[=!]==?))[ ]?[\w.$>()\"' -]{0,40}\Z"
)
_MAX_COMPARISON = 200
_MAX_OBJECT = 400
_MAX_SENTENCE = 120
_MAX_WORDS = 3
_MIN_LENGTH = 5


def before_its_name(match: re.Match[str]) -> Location:
    """Return the span of a password before its name, which is `match`."""
    return _in_object(match) or _in_comparison(match) or _in_sentence(match)


def _in_comparison(match: re.Match[str]) -> Location:
    """Return the span of the value with which a password is compared: `"v".equals(password)`."""
    text, start = match.string, match.start()
    if text.startswith(("'", '"'), start - 1):  # the name of a field or of a parameter
        start -= 1
    begin = max(0, start - _MAX_COMPARISON)
    if text.find('"', begin, start) < 0 and text.find("'", begin, start) < 0:  # cheaper than the search
        return None
    value = compiled(_COMPARED_BEFORE).search(text, begin, start)
    if value is None or is_elsewhere(value["secret"]):
        return None
    return value.span("secret") if is_no_word(value["secret"]) else None


def _in_object(match: re.Match[str]) -> Location:
    """Return the span of the value in an object or an element before its name: `{"value": "v", "name": "password"}`.

    In an element of HTML, which may be a button, the value has to be mixed as passwords are.
    """
    text, start = match.string, match.start()
    if not text.startswith(('"', "'"), match.end()):
        return None
    value = compiled(_VALUE_BEFORE).search(text, max(0, start - _MAX_OBJECT), start)
    if value is None or is_elsewhere(value["secret"]):
        return None
    words = value["secret"].split()
    is_description = any(is_remark_word(word) or is_descriptive_word(word) for word in words)
    is_one = is_no_word(value["secret"]) or (value["quote"] != "" and not is_description)
    return value.span("secret") if is_one and len(words) <= _MAX_WORDS else None


def _in_sentence(match: re.Match[str]) -> Location:
    """Return the span of the value that a sentence links to the name after it: "use v as the root password"."""
    text, end = match.string, match.start()
    if text[end - 1 : end] != " " or compiled(r"[A-Za-z0-9_-]").match(text, match.end()):
        return None
    start = line_start(text, end, _MAX_SENTENCE)
    words = text[start:end].split()
    if not words or words[-1].lower() not in _WORDS_BEFORE:
        return None
    link = len(words) - 1
    while link > len(words) - _MAX_WORDS - 1 and link > 0 and words[link].lower() in _DETERMINERS:
        link -= 1
    links = _FORM_LINKS if compiled(_FORM_FIELD_AFTER).match(text, match.end()) else _LINKS
    if link < 1 or words[link].lower() not in links:
        return None
    value_start = text.rfind(words[link - 1], start, text.rfind(words[link], start, end))
    value = literal_at(text, value_start, is_setting=False)
    if value is None or len(value.text) < _MIN_LENGTH or value.span[1] > end:
        return None
    verb = words[link - 2].lower() if link > 1 else ""
    is_typical = is_no_word(value.text) or is_phrase(value.text) or value.text.isdigit()
    is_description = is_descriptive_word(value.text) or is_adjective(value.text)
    is_word = value.text.isalpha() and verb in _VERBS_OF_USE and value.text.islower() and not is_description
    is_one = is_typical or (value.is_quoted and verb in _VERBS) or is_word
    return value.span if is_one and not (is_elsewhere(value.text) or is_reference(value.text)) else None
