"""Reads chats and transcripts: who says what on a line, and what is said next.

A speaker is named at the start of the line ("anna: hi", "<anna> hi", "> hi") or, with a time, on the line above it. In
dialogues of prose, a dash or a quote begins what the next one says.
"""

from __future__ import annotations

from typing import NamedTuple

from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Lines

_MAX_LINE = 400
_TIME = r"[\[(]?[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?(?:[ ]?[apAP][mM])?[\])]?"  # "[10:42]", "9.15 pm"
_WHO = r"[^\W\d_][\w.'@-]{0,24}(?:[ ][\w.'@-]{1,16})?"
# As in "anna: hi", "10:42 anna: hi", "- <anna> hi"; no space is needed after a wide colon.
_SPEAKER = (
    rf"[ \t>]{{0,8}}(?:[-*+\u2022][ ])?(?:{_TIME}[ ,-]{{1,3}})?"
    rf"[*_]{{0,2}}(?:(?:<(?P<nick>{_WHO})>|(?P<who>{_WHO})[*_]{{0,2}}[ ]?:)[*_]{{0,2}}[ ]"
    rf"|(?P<wide>{_WHO})[*_]{{0,2}}[ ]?\uff1a[*_]{{0,2}})[ \u3000]{{0,2}}(?=\S)"
)
_SPEAKER_SIGN = r"[ \t]{0,8}(?P<who>>{1,2}|<{1,2})[ ]{1,2}(?=\S)"  # ">> sent", "<< received"
# A dash of a dialogue, or a quote around all that is said.
_TURN = (
    r"[ \t>]{0,8}(?P<who>[\u2014\u2015]{1,2}|[\u2012\u2013-](?=[ \u00a0])"
    r"|[\"\u201c-\u201e\u00ab\u300c\u300e](?=[^\"\u201c-\u201e\u00ab\u00bb\u300c-\u300f]{1,400}"
    r"[\"\u201c\u201d\u00bb\u300d\u300f][.\u3002]?[ \t\r]*\Z))[ \u00a0\u202f]{0,2}(?=\S)"
)
# As in a line that is only "**anna** 10:42".
_SPEAKER_ABOVE = rf"[ \t>]{{0,8}}[*_#]{{0,3}}[ ]?(?P<who>{_WHO})[*_]{{0,2}},?[ \t]{{1,4}}{_TIME}[ \t\r]*"
# What somebody says who has yet to answer: "hang on", "let me look...".
_PAUSE = (
    r"(?i)(?:(?:ok(?:ay)?|sure|yes|yeah|right|um+|uh+|hm+|well|sorry|thanks|please|one|an?|just"
    r"|give me|let me|i['\u2019]ll|i'm|have to|need to|hang on|hold on|wait|sec(?:ond)?|mom(?:ent)?o?|min(?:ute)?"
    r"|look(?:ing)?|check(?:ing)?|find|see|think|get|it|up|einen?|un|une|uno|attends|attendez|momentito|espera"
    r"|aspetta)[ ,.!\u2026-]*){1,7}"
)
_MAX_PAUSES = 2
_MARGIN_AND_BULLET = r"[ \t>]{0,8}(?:[-*+\u2022][ ]{1,3})?"


class Utterance(NamedTuple):
    """What is said on one line.

    Attributes:
        who: The speaker; empty if the line names none.
        start: Where the words start in the text, after the speaker or a bullet.
        end: Where they end.
    """

    who: str
    start: int
    end: int


def utterance_at(lines: Lines, number: int) -> Utterance:
    """Return what is said on the line with that number, and by whom."""
    line = lines[number]
    above = compiled(_SPEAKER_ABOVE).fullmatch(lines[number - 1].text) if number else None
    patterns = (_SPEAKER, _SPEAKER_SIGN, _TURN)
    speaker = above or next(filter(None, (compiled(pattern).match(line.text) for pattern in patterns)), None)
    who = speaker[speaker.lastgroup or 0] if speaker else ""
    margin = compiled(_MARGIN_AND_BULLET).match(line.text) if above or speaker is None else speaker
    return Utterance(who, line.start + (margin.end() if margin else 0), line.start + len(line.text))


def answer_to(lines: Lines, number: int) -> Utterance | None:
    """Return what is said next after a line, other than that the answer will take a moment.

    `None` if nothing is said, or if that line is too long for an answer.
    """
    for _ in range(_MAX_PAUSES + 1):
        number = lines.next_nonblank(number + 1)
        if number < len(lines) and compiled(_SPEAKER_ABOVE).fullmatch(lines[number].text):
            number = lines.next_nonblank(number + 1)
        if number >= len(lines) or len(lines[number].text) > _MAX_LINE:
            return None
        answer = utterance_at(lines, number)
        if not compiled(_PAUSE).fullmatch(lines.text, answer.start, answer.end):
            return answer
    return None
