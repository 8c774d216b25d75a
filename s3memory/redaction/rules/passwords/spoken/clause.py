"""Passwords in the clause behind their name: "if it asks for the password, ... does it", "the password? ..."."""

from __future__ import annotations

from s3memory.redaction.rules.passwords.spoken.values import QUOTES, values_at
from s3memory.redaction.rules.passwords.spoken.words import Words
from s3memory.redaction.rules.reading.judging import (
    Joint,
    is_candidate,
    is_leaked,
    is_long_number,
    is_plain_noun,
    is_rare_slug,
    is_typical,
)
from s3memory.redaction.rules.reading.near import Found
from s3memory.redaction.rules.reading.told_words import says_something, told_by_a_verb
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_set

_END_OF_SENTENCE = r"[\"'`*]{0,3}(?:,[ ](?:on|for|in|at|to)\b|[.!]?[ \t]{0,3}(?:\r?\n|\Z|\())"
_ANSWER = word_set("type enter answer reply say try")
TYPE = word_set(
    "type want need answer takes reply supply put 'll then enter use try say give with keep wants tapez saisir "
    "escribe digita"
)
_CLAUSE = (
    r"[ ]{0,2}\n?[ \t>]{0,4}(?:[-\u2013>][ ]|[A-Z]:[ ])?"
    r"(?:(?:one|two|three|all|single)[ -][a-z]{4,10}[,:]?[ ])?"
    r"(?P<first>(?:[^\W\d_]{1,14}(?:['\u2019][a-z]{1,3})?[ ]){0,5}(?:(?P<last>[^\W\d_]{1,14})(?:['\u2019][a-z]{1,4})?[ ])|)"
)
# An argument, or the name of a product.
NO_ANSWER = r"[\w.-]{1,40}[=(\[{:]|(?i:[\w.-]{0,40}pass(?:word|wd|phrase|code))"
_OF_A_NETWORK = r"(?i)(?:réseau|network|netz(?:werk)?|ssid|red|rete|rede|user(?:name)?|benutzer|compte|account)[ ]\Z"


def in_clause(text: str, position: int, words: Words, *, is_aside: bool, is_apposition: bool = False) -> Found:
    """Return the values of the next clause: "if it asks for the password, ... does it", "the password, ..., is".

    Args:
        text: The text.
        position: Where the clause begins.
        words: What the name means.
        is_aside: The clause stands right behind the name, or in brackets.
        is_apposition: It stands between commas.
    """
    lead = compiled(_CLAUSE).match(text, position)
    if lead is None or compiled(_OF_A_NETWORK).search(lead["first"]):
        return []
    quoted = text[lead.end() : lead.end() + 1] in QUOTES
    first, last = lead["first"], (lead["last"] or "").lower()
    is_reply = not first and text[position - 1] in "?\uff1f"
    verbs = first.lower().split()
    is_typed, is_answer = not TYPE.isdisjoint(verbs), not _ANSWER.isdisjoint(verbs)
    is_led = last in words.links or is_typed or (not first and (is_aside or text[position - 1] in "?;"))
    found: Found = []
    for place in values_at(text, lead.end(), Joint.VERB, words):
        value = text[slice(*place)]
        if compiled(NO_ANSWER).match(value):
            return found
        is_rare = is_candidate(value) or is_long_number(value) or is_rare_slug(value, is_english=words.is_english)
        is_last = compiled(_END_OF_SENTENCE).match(text, place[1]) is not None
        is_noun = ((is_answer or is_reply) and not says_something(value)) or (
            is_apposition and not first and is_plain_noun(value)
        )
        is_noun = is_noun and is_last and value.isalpha()
        if is_typical(value) or is_leaked(value) or is_noun or (is_led and (quoted or is_rare)):
            found.append(place)
    is_told = words.is_english and words.is_explicit and (is_answer or is_reply) and text[lead.end() - 1] == " "
    return told_by_a_verb(text, lead.end() - 1) if is_told and not found else found
