"""Recognizes clauses that state that a value is something harmless: "the object key for the archive is still ...".

A remark after the value may state it as well: "code 2231 (not secret, on the lid)".
"""

from __future__ import annotations

from s3memory.redaction.rules.reading.linking_words import FOR, IS
from s3memory.redaction.rules.reading.names import OTHER_SCRIPTS
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.rules.reading.nouns import HARMLESS, KEY, SECRET, meaning, words_of
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_set

_MAX_CLAUSE_LENGTH, _MAX_JOIN_LENGTH = 90, 40
_CLAUSE_BORDER = r"[.;:!?,][ ]|[|(\"\u3002\u3001\uff0c]"
# A sign or a verb, perhaps with an adverb, that links the value to what was named: "is still".
_JOIN = (
    rf"(?:[:=]|(?<![^\W\d_])(?:{IS}|reads|says)(?:[ ](?:still|now|currently|always|also|simply|just))?"
    r"|(?:happens|turns out|ends up)[ ](?:to be|being)|,[ ](?:namely|that is|i\.e\.))[ ]?[\"'`*]{0,3}\Z"
)
_SIGNS_OF_JOINS = frozenset(":=.")  # what a join ends in, if not in a letter
# These words end the name of a thing: "the object key for ...".
_AFTER_A_NAME = FOR | word_set(
    "of they we i you he she it that which who whose from in on at by with used uses use was is are has had given sent "
    "so issued made created shown de d du des del della dell di da do dos das von vom van der"
)

# Further names of harmless things, besides those that `meaning` knows.
_THINGS = word_set(
    "plate plates reference queue topic flag experiment channel dashboard sheet folder board group series product part "
    "model device table column field variant campaign segment run sweep checkpoint"
)
_NUMBERED_THINGS = word_set(
    "meter part case customer client tracking contract model order serial ticket invoice policy room flight batch item "
    "article catalogue catalog parcel shipment reference registration vehicle"
)
_NUMBERS = word_set("number numbers no nr")
# A remark after a value: "(not secret, on the lid)".
_REMARK = (
    r"(?i)[\"'`*]{0,3}[ ]?(?:[(,;\uff08]|[\u2013\u2014-][ ])[ ]?(?:[^\W\d_]{1,4}['\u2019]?(?:s|est|[ ]est)?[ ]){0,2}"
    r"(?:(?:not?|no es|não é|non è|nicht|niet|inte|ikke|pas|nu e(?:ste)?|не|není|nie jest)[ ](?:an?[ ]|un[ao]?[ ])?"
    r"(?:se[cg]ret[oa]?|segred[oa]|geheim|hemm?eligt?|hemligt?|секрет\w{0,3}|тайна|таємниця|tajn\w)|gizli değil"
    r"|(?:kein|geen)[ ]geheim(?:nis)?|ingen[ ]hemm?elighe[dt]|to nie tajemnica|nem titk\w{1,2}|ei salai\w{2,3}"
    r"|秘密(?:では|じゃ)ない|不是(?:秘密|机密)|비밀[ ]?아님)(?=[ ]*(?:[.,;:)!\n\uff09\u3002\u3001-]|\Z))"
)


def is_open_number(text: str, start: int, end: int) -> bool:
    """Whether a remark after a number states that it is no secret. Of a password in letters, no remark can say so."""
    return text[start:end].isdigit() and compiled(_REMARK).match(text, end) is not None


def is_stated_to_be_harmless(text: str, start: int) -> bool:
    """Whether the clause before the value at `start` states that the value is something harmless."""
    before = text[line_start(text, start, _MAX_CLAUSE_LENGTH) : start]
    end = before.rstrip(" \"'`*")[-1:]
    may_join = end.isalpha() or end in _SIGNS_OF_JOINS  # cheaper than the search
    join = compiled(_JOIN).search(before, max(0, len(before) - _MAX_JOIN_LENGTH)) if may_join else None
    words = words_of(compiled(_CLAUSE_BORDER).split(before[: join.start()])[-1]) if join else []
    name = next((index for index, word in enumerate(words) if index and word in _AFTER_A_NAME), len(words)) - 1
    if name < 0 or compiled(OTHER_SCRIPTS).search(words[name]):  # some end as numbers do
        return False
    is_harmless = meaning(words, name) == HARMLESS
    is_numbered = words[name] in _NUMBERS and words[max(0, name - 1)] in _NUMBERED_THINGS
    if not (is_harmless or is_numbered or words[name] in _THINGS):
        return False
    first = name + 1 if is_harmless else 0
    return all(meaning(words, index, is_beside=False) not in (SECRET, KEY) for index in range(first, len(words)))
