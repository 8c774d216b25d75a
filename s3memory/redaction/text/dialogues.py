"""Who says what after whom, in chats and transcripts: lines that begin with a speaker, or stand below one."""

from __future__ import annotations

from typing import NamedTuple

from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.lines import Lines

_LONGEST_LINE = 400
_TIME = r"[\[(]?[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?(?:[ ]?[apAP][mM])?[\])]?"
_WHO = r"[^\W\d_][\w.'@-]{0,24}(?:[ ][\w.'@-]{1,16})?"
_SPEAKER = (
    rf"[ \t>]{{0,8}}(?:[-*+\u2022][ ])?(?:{_TIME}[ ,-]{{1,3}})?"
    rf"[*_]{{0,2}}(?:<(?P<nick>{_WHO})>|(?P<who>{_WHO})[*_]{{0,2}}[:\uff1a])[*_]{{0,2}}[ ]{{1,2}}(?=\S)"
)
_SIGN_OF_A_SPEAKER = r"[ \t]{0,8}(?P<who>>{1,2}|<{1,2})[ ]{1,2}(?=\S)"  # as in what is sent and received
_SPEAKER_ABOVE = rf"[ \t>]{{0,8}}[*_#]{{0,3}}[ ]?(?P<who>{_WHO})[*_]{{0,2}},?[ \t]{{1,4}}{_TIME}[ \t\r]*"
_BEGINNING = r"[ \t>]{0,8}(?:[-*+\u2022][ ]{1,3})?"


class Utterance(NamedTuple):
    """What somebody says, or else a line that stands by itself, by nobody: where in the text, and by whom."""

    who: str
    start: int
    end: int


def utterance_at(lines: Lines, number: int) -> Utterance:
    """Return what is said on a line."""
    line = lines[number]
    above = compiled(_SPEAKER_ABOVE).fullmatch(lines[number - 1].text) if number else None
    speaker = above or compiled(_SPEAKER).match(line.text) or compiled(_SIGN_OF_A_SPEAKER).match(line.text)
    who = speaker[speaker.lastgroup or 0] if speaker else ""
    beginning = compiled(_BEGINNING).match(line.text) if above or speaker is None else speaker
    return Utterance(who, line.start + (beginning.end() if beginning else 0), line.start + len(line.text))


def answer_to(lines: Lines, number: int) -> Utterance | None:
    """Return what is said next after a line, if anything is."""
    below = lines.next_written(number + 1)
    if below < len(lines) and compiled(_SPEAKER_ABOVE).fullmatch(lines[below].text):
        below = lines.next_written(below + 1)
    return utterance_at(lines, below) if below < len(lines) and len(lines[below].text) <= _LONGEST_LINE else None
