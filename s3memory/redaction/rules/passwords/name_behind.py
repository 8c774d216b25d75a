"""Passwords that stand before their name: "use ... as the password", "... is the password of the router"."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location
from s3memory.redaction.rules.reading.judging import is_no_word, is_said
from s3memory.redaction.rules.reading.literals import literal_at
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_locator, is_phrase, is_placeholder, is_reference
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_adjective, is_predicate

# Between the password and its name: "as the root", "is our new", "for its".
_DETERMINERS = word_set(
    "the a my your our their his her its new old current root admin default user database db master wifi temporary "
    "initial login sudo staging production vpn"
)
_LINKS = ("as", "is", "was", "als", "comme", "como", "come")
_WORDS_BEFORE = _DETERMINERS | {*_LINKS}
# "at the password prompt"
_LINKS_OF_A_FORM = (*_LINKS, "at", "into", "in")
_FORM = r"[ ](?:prompt|field|box|dialog|screen)"
_VERBS = ("use", "using", "with", "enter", "type", "and", "set", "verwende", "try", "want", "choose", "picked", "chose")
_VALUE_BEFORE = (
    r"(?P<quote>[\"']?)\bvalue(?P=quote)\s{0,3}[:=]\s{0,3}(?P<open>[\"'])(?P<secret>[^\"'\n<>]{4,128})(?P=open)"
    r"(?:,\s{0,40}|\s{1,40})[\"']?(?:key|name|id|label|field|designation)[\"']?\s{0,3}[:=]\s{0,3}[\"'][\w. -]{0,40}\Z"
)
_LONGEST_OBJECT = 400
_WINDOW = 120
_MOST_WORDS = 3
_LEAST = 5


def before_its_name(match: re.Match[str]) -> Location:
    """Return where a password stands whose name, in `match`, comes behind it."""
    return _of_an_object(match) or _of_a_sentence(match)


def _of_an_object(match: re.Match[str]) -> Location:
    """Return the value of an object, or an element, that has its name behind it: `{"value": ..., "name": "password"}`.

    In an element, which may be a form's button, it has to be mixed as passwords are.
    """
    text, start = match.string, match.start()
    if not text.startswith(('"', "'"), match.end()):
        return None
    value = compiled(_VALUE_BEFORE).search(text, max(0, start - _LONGEST_OBJECT), start)
    if value is None or is_placeholder(value["secret"]) or is_locator(value["secret"]):
        return None
    words = value["secret"].split()
    are_said = any(is_said(word) or is_predicate(word) for word in words)
    is_one = is_no_word(value["secret"]) or (value["quote"] != "" and not are_said)
    return value.span("secret") if is_one and len(words) <= _MOST_WORDS else None


def _of_a_sentence(match: re.Match[str]) -> Location:
    text, end = match.string, match.start()
    if text[end - 1 : end] != " " or compiled(r"[A-Za-z0-9_-]").match(text, match.end()):
        return None
    start = line_start(text, end, _WINDOW)
    words = text[start:end].split()
    if not words or words[-1].lower() not in _WORDS_BEFORE:
        return None
    linked = len(words) - 1
    while linked > len(words) - _MOST_WORDS - 1 and linked > 0 and words[linked].lower() in _DETERMINERS:
        linked -= 1
    links = _LINKS_OF_A_FORM if compiled(_FORM).match(text, match.end()) else _LINKS
    if linked < 1 or words[linked].lower() not in links:
        return None
    place = text.rfind(words[linked - 1], start, text.rfind(words[linked], start, end))
    value = literal_at(text, place, is_setting=False)
    if value is None or len(value.text) < _LEAST or value.span[1] > end:
        return None
    verb = words[linked - 2].lower() if linked > 1 else ""
    is_typical = is_no_word(value.text) or is_phrase(value.text) or value.text.isdigit()
    is_said = is_predicate(value.text) or is_adjective(value.text)
    is_word = value.text.isalpha() and verb in _VERBS[:3] and value.text.islower() and not is_said
    is_elsewhere = is_placeholder(value.text) or is_locator(value.text) or is_reference(value.text)
    return value.span if (is_typical or (value.is_quoted and verb in _VERBS) or is_word) and not is_elsewhere else None
