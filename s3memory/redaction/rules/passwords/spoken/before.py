"""Passwords before their name: "... is our new password", "use ... as the password"."""

from __future__ import annotations

import re

from s3memory.redaction.rules.passwords.spoken.clause import NO_ANSWER, TYPE
from s3memory.redaction.rules.passwords.spoken.values import ENDS, QUOTES, is_one
from s3memory.redaction.rules.passwords.spoken.words import Words, is_unspaced
from s3memory.redaction.rules.reading.judging import Joint
from s3memory.redaction.rules.reading.near import Found, line_start
from s3memory.redaction.rules.reading.told_words import told_before
from s3memory.redaction.text.compiling import compiled

_CALL_INSIDE = r"\w\("
_LONGEST_BEFORE = 70
_MOST_BEFORE, _LONGEST_USER = 7, 24
_NO_USER = r"[!#$%^&*+=?~]"
_PIECE = (
    r"[*_(]{0,3}[\"`\u201c\u201e\u00ab][^\"`\u201c\u201d\u00bb\n]{4,40}[\"`\u201c\u201d\u00bb][,.;:]?"
    r"|(?<!\w)'[^'\n]{4,40}'(?!\w)[,.;:]?|\S{1,64}"
)
_AGAIN = frozenset(["that", "which", "it", "this", "its", "when", "if", "where", "at", "in"])
# A user, or a name in code: two words at most.
_NAME_OF_TWO_WORDS = r"[^\W\d_]+(?:[-_.][^\W\d_]+)?"
_SETTING_OF_A_PATH = r"[A-Za-z]\w*=\S*/\S*"
_NUMBERED = r"(?:\b(?:RFC|ISO|PEP|CVE|PR|BIP|EIP|HTTP|TCP|UDP|IEEE|NIST|DIN|EN)|(?i:\b(?:commit|revision|changeset|event|issue|version|port|section|page|line|chapter|step|room|ticket)))[ #-]{1,2}\Z"
_NUMBER = r"[0-9]+|[0-9a-f]{7,64}"
_BRACKET = r"[\"'`*]{0,3}[ ]{0,2}[(\[\uff08](?:[^\W\d_]{1,12}[ ]){0,3}"


def before(text: str, start: int, words: Words) -> Found:
    """Return the values before the name at `start`, whose meaning is `words`, on its line."""
    begin = line_start(text, start, _LONGEST_BEFORE)
    if words.is_english and words.is_explicit and (told := told_before(text, begin, start)):
        return told
    if words.glued and (found := compiled(words.glued).search(text, begin, start)):
        return _whole_before(text, *found.span("value"), Joint.VERB, words)
    pieces = list(compiled(_PIECE).finditer(text, begin, start))[-_MOST_BEFORE:]
    links: list[str] = []
    for number in range(len(pieces) - 1, -1, -1):
        piece = pieces[number]
        if not piece[0].strip(ENDS).isalpha():
            links = links or [compiled(r"['\u2019]").split(one[0].strip(ENDS + "("))[0].lower() for one in pieces]
            if places := _one_before(pieces, links, number, start, words):
                return places
        if piece[0][-1] in ".!?:;|" or compiled(_CALL_INSIDE).search(piece[0]):
            break
    return []


def _one_before(pieces: list[re.Match[str]], links: list[str], number: int, start: int, words: Words) -> Found:
    """Read one of the pieces before the name at `start`, which are linked to it by those behind it."""
    piece, text = pieces[number], pieces[number].string
    is_linked = any(map(words.links.__contains__, links[number + 1 :])) or (number and links[number - 1] in TYPE)
    is_linked = is_linked or compiled(_BRACKET).fullmatch(text, piece.end(), start) is not None
    # "error 4711 means that the password ...": what a number is of, or does, stands right beside it.
    behind = links[number + 1] if number + 1 < len(links) else ""
    is_of_another = piece[0].isdigit() and behind != "" and (behind == "the" or behind not in words.links)
    is_number_of_another = is_of_another or (piece[0][-1] == "," and piece[0][:-1].isdigit())
    is_over = is_number_of_another or (piece[0][-1] in ".!?" and number < len(pieces) - 1)
    # A clause that only speaks of the value again: "..., that's its password", "... when it asks for the password".
    is_again = words.is_explicit and not _AGAIN.isdisjoint(links[number + 1 :])
    is_likely = is_linked or is_again or (not words.is_english and compiled(r".*[0-9\"`']").match(piece[0]) is not None)
    joint = Joint.VERB if is_linked else Joint.NEAR if is_again and words.is_english else Joint.GAP
    return _whole_before(text, *piece.span(), joint, words) if is_likely and not is_over else []


def _whole_before(text: str, start: int, end: int, joint: Joint, words: Words) -> Found:
    is_quoted = text[start].strip("*_(") in QUOTES or text[start:end].lstrip("*_(")[:1] in QUOTES
    value = text[start:end].strip(ENDS.replace("!", "") + "([\u201e\u201c\u00ab\u201d\u00bb")
    place = (text.find(value, start), text.find(value, start) + len(value))
    is_name = not is_quoted and (compiled(r"[a-z]+_[a-z]+").fullmatch(value) is not None or is_unspaced(value))
    is_numbered = (
        compiled(_NUMBER).fullmatch(value) is not None
        and compiled(_NUMBERED).search(text, max(0, start - 12), place[0]) is not None
    )
    is_value = (
        value
        and not (is_numbered or is_name or text.startswith("(", place[1]))
        and not _is_user(text, place, words)
        and not any(compiled(other).fullmatch(value) for other in (NO_ANSWER, _SETTING_OF_A_PATH))
        and (is_quoted or compiled(_NAME_OF_TWO_WORDS).fullmatch(value) is None)
        and is_one(text, place, joint, words, is_quoted=is_quoted, is_ended=True)
    )
    return [place] if is_value else []


def _is_user(text: str, place: tuple[int, int], words: Words) -> bool:
    """Whether a value is called a user, and has no sign that users' names do not have."""
    start, end = place
    is_called = compiled(words.user).search(text, max(0, start - _LONGEST_USER), start) is not None
    return is_called and compiled(_NO_USER).search(text, start, end) is None
