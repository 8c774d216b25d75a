"""What a sentence says a value is, where that is no secret: "the object key for the archive is still v"."""

from __future__ import annotations

from s3memory.redaction.rules.reading.key_verbs import FOR, IS
from s3memory.redaction.rules.reading.names import OTHER_SCRIPTS
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.rules.reading.nouns import HARMLESS, KEY, SECRET, meaning, words_of
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_set

_LONGEST_CLAUSE, _LONGEST_JOIN = 90, 40
_CLAUSES = r"[.;:!?,][ ]|[|(\"\u3002\u3001\uff0c]"
# What says that the value is what was named: a sign, or a verb and perhaps when.
_JOIN = (
    rf"(?:[:=]|(?<![^\W\d_])(?:{IS}|reads|says)(?:[ ](?:still|now|currently|always|also|simply|just))?"
    r"|(?:happens|turns out|ends up)[ ](?:to be|being)|,[ ](?:namely|that is|i\.e\.))[ ]?[\"'`*]{0,3}\Z"
)
# What ends the name of a thing.
_BEHIND_A_NAME = FOR | word_set(
    "of they we i you he she it that which who whose from in on at by with used uses use was is are has had given sent "
    "issued made created shown de d du des del della dell di da do dos das von vom van der"
)

# Besides those that are harmless wherever they stand before a value.
_THINGS = word_set(
    "plate plates reference queue topic flag experiment channel dashboard sheet folder board group series product part "
    "model device table column field variant campaign segment"
)
_NUMBERED = word_set(
    "meter part case customer client tracking contract model order serial ticket invoice policy room flight batch item "
    "article catalogue catalog parcel shipment reference registration vehicle"
)
_NUMBERS = word_set("number numbers no nr")


def is_told_to_be_a_thing(text: str, start: int) -> bool:
    """Whether the clause before what starts at `start` names something harmless and says that this is it."""
    before = text[line_start(text, start, _LONGEST_CLAUSE) : start]
    join = compiled(_JOIN).search(before, max(0, len(before) - _LONGEST_JOIN))
    words = words_of(compiled(_CLAUSES).split(before[: join.start()])[-1]) if join else []
    name = next((place for place, word in enumerate(words) if place and word in _BEHIND_A_NAME), len(words)) - 1
    if name < 0 or compiled(OTHER_SCRIPTS).search(words[name]):  # some end as numbers do
        return False
    is_harmless = meaning(words, name) == HARMLESS
    is_numbered = words[name] in _NUMBERS and words[max(0, name - 1)] in _NUMBERED
    if not (is_harmless or is_numbered or words[name] in _THINGS):
        return False
    first = name + 1 if is_harmless else 0
    return all(meaning(words, place, is_beside=False) not in (SECRET, KEY) for place in range(first, len(words)))
