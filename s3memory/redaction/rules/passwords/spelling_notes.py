"""Plain words with a note on how to type them, which only passwords have: "it's marzipan, all lowercase"."""

from __future__ import annotations

import re

from s3memory.redaction.rules.reading.access_words import ACCESS_OR_LOCK
from s3memory.redaction.rules.reading.near import NearRule, Places, line_start
from s3memory.redaction.rules.reading.stated_words import is_description
from s3memory.redaction.text.compiling import compiled

_MAX_BEFORE = 110
_ANCHORS = (
    *("lowercase", "lower case", "lower-case", "uppercase", "upper case", "upper-case", "small letters", "all caps"),
    *("no caps", "no space", "one word", "with the spaces", "alles klein", "tout en minuscules", "todo en min"),
    *("sans majuscule", "sin may\u00fascula", "senza maiuscole", "tudo minusc", "ohne gro\u00dfbuchstaben"),
    *("tutto minuscolo", "tudo em min"),
)
# What stands before "lowercase": "it's marzipan, all ".
_INTRODUCED_WORD = (
    r"(?:['\u2019]s|types?|tape[sz]?|tippe?|escribe|digita|is|was|be|to|with|then|:|->|\u2192|=|w/|mit|lautet|est|avec|es|con"
    r"|è|é|eh|com|met|to jest|z)[ ](?P<open>[\"'`\u201c\u201e\u00ab]?)"
    r"(?P<word>[A-Za-z]{3,20}[0-9]{0,4}(?:\.[a-z]{2,12}){0,3}"
    r"|(?:[a-z]+[ ]){2,5}[a-z]{2,20})[\"'`\u201d\u00bb]?"
    r"(?:[,.]|[ ]?[(\u2013\u2014-])?[ ]?(?:(?:all|in)[ ]){0,2}\Z"
)
# "at least one lowercase letter" states a requirement.
_REQUIREMENT = r"\b(?:at least|at most|letters?|characters?|digits?|(?:upper|lower)case)\b"
_OTHER_ACCESS_WORDS = (
    r"internet|broadband|network|mot de passe|senha|contrase|clave|wachtwoord|passwort|kennwort|connecter|anmeld"
    r"|einlogg|acceder|entrar"
)


def _word_before(match: re.Match[str], _limit: int) -> Places:
    """Yield the span of the word before a note on its spelling, on a line about access."""
    text, start = match.string, match.start()
    begin = line_start(text, start, _MAX_BEFORE)
    found = compiled(_INTRODUCED_WORD).search(text, begin, start)
    line = text[begin:start].lower()
    if found is None or not (compiled(ACCESS_OR_LOCK).search(line) or compiled(_OTHER_ACCESS_WORDS).search(line)):
        return
    words = found["word"].split()
    if words[1:] and compiled(_REQUIREMENT).search(found["word"]):
        return
    if found["open"] or len([word for word in words if not is_description(word)]) >= min(2, len(words)):
        yield found.span("word")


def _pattern(anchor: str) -> str:
    return f"(?i:{re.escape(anchor)})"


RULES = (
    NearRule(
        kind="password",
        anchors=_ANCHORS,
        pattern=_pattern,
        around=_word_before,
        source="https://cwe.mitre.org/data/definitions/256.html",
        samples=("log in as admin, it's «marzipan» all lowercase.", "the safe opens with «teapot», one word"),
        near=(
            "the portal is written all lowercase",
            "log in as admin, names are all lowercase",
            "its password is to have at least one uppercase letter, lowercase letters and digits",
        ),
    ),
)
