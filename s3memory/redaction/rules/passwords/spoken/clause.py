"""Passwords in the clause after their name: "if it asks for the password, v works", "the password? v"."""

from __future__ import annotations

from s3memory.redaction.rules.passwords.spoken.values import QUOTES, values_at
from s3memory.redaction.rules.passwords.spoken.vocabulary import Vocabulary
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
from s3memory.redaction.rules.reading.stated_words import is_description, stated_by_verb
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_set

_END_OF_SENTENCE = r"[\"'`*]{0,3}(?:,[ ](?:on|for|in|at|to)\b|[.!]?[ \t]{0,3}(?:\r?\n|\Z|\())"
_ANSWER_VERBS = word_set("type enter answer reply say try")
_TYPING_VERBS = word_set(
    "type want need answer takes reply supply put 'll then enter use try say give with keep wants tapez saisir "
    "escribe digita"
)
# The words before a value: "type ", "then it's ", "answer with ".
_CLAUSE = (
    r"[ ]{0,2}\n?[ \t>]{0,4}(?:[-\u2013>][ ]|[A-Z]:[ ])?"
    r"(?:(?:one|two|three|all|single)[ -][a-z]{4,10}[,:]?[ ])?"
    r"(?P<first>(?:[^\W\d_]{1,14}(?:['\u2019][a-z]{1,3})?[ ]){0,5}(?:(?P<last>[^\W\d_]{1,14})(?:['\u2019][a-z]{1,4})?[ ])|)"
)
# An argument ("mode=fast") or the name of a product ("1Password").
_NOT_A_VALUE = r"[\w.-]{1,40}[=(\[{:]|(?i:[\w.-]{0,40}pass(?:word|wd|phrase|code))"
_NETWORK_BEFORE = r"(?i)(?:réseau|network|netz(?:werk)?|ssid|red|rete|rede|user(?:name)?|benutzer|compte|account)[ ]\Z"


def in_clause(
    text: str, position: int, vocabulary: Vocabulary, *, is_adjacent: bool, is_apposition: bool = False
) -> Found:
    """Return the spans of the values in the next clause: "when it asks for the password, type v", "the password (v)".

    Args:
        text: The text.
        position: Where the clause begins.
        vocabulary: The words of the name's languages.
        is_adjacent: The clause stands right after the name, or in brackets.
        is_apposition: The clause stands between commas: "the password, v, for the till".
    """
    lead = compiled(_CLAUSE).match(text, position)
    if lead is None or compiled(_NETWORK_BEFORE).search(lead["first"]):
        return []
    quoted = text[lead.end() : lead.end() + 1] in QUOTES
    first, last = lead["first"], (lead["last"] or "").lower()
    is_reply = not first and text[position - 1] in "?\uff1f"
    verbs = first.lower().split()
    has_typing_verb, has_answer_verb = not _TYPING_VERBS.isdisjoint(verbs), not _ANSWER_VERBS.isdisjoint(verbs)
    is_introduced = (
        last in vocabulary.links or has_typing_verb or (not first and (is_adjacent or text[position - 1] in "?;"))
    )
    found: Found = []
    for span in values_at(text, lead.end(), Joint.VERB, vocabulary):
        value = text[slice(*span)]
        if compiled(_NOT_A_VALUE).match(value):
            return found
        is_rare = is_candidate(value) or is_long_number(value) or is_rare_slug(value, is_english=vocabulary.is_english)
        is_last = compiled(_END_OF_SENTENCE).match(text, span[1]) is not None
        is_noun = ((has_answer_verb or is_reply) and not is_description(value)) or (
            is_apposition and not first and is_plain_noun(value)
        )
        is_noun = is_noun and is_last and value.isalpha()
        if is_typical(value) or is_leaked(value) or is_noun or (is_introduced and (quoted or is_rare)):
            found.append(span)
    allow_plain = (
        vocabulary.is_english
        and vocabulary.is_explicit
        and (has_answer_verb or is_reply)
        and text[lead.end() - 1] == " "
    )
    return stated_by_verb(text, lead.end() - 1) if allow_plain and not found else found
