"""Reads on from behind the name of a password, word by word, up to what it is told to be."""

from __future__ import annotations

import re
from functools import cached_property

from s3memory.redaction.model import PLACEHOLDER_PATTERN
from s3memory.redaction.rules.passwords.spoken.clause import in_clause
from s3memory.redaction.rules.passwords.spoken.values import ENDS, TOKEN, values_at
from s3memory.redaction.rules.passwords.spoken.words import SIGN, SPACE, Words
from s3memory.redaction.rules.reading.in_code import is_alias
from s3memory.redaction.rules.reading.judging import Joint
from s3memory.redaction.rules.reading.letters import UNSPACED
from s3memory.redaction.rules.reading.likeness import Likeness, likeness
from s3memory.redaction.rules.reading.near import Found
from s3memory.redaction.rules.reading.told_words import CHANGED, NOUNS_BEHIND, told_by_a_verb
from s3memory.redaction.text.compiling import compiled

WINDOW = 120
"""So many characters behind a name are read."""
CLOSERS = r"[\"'`*_\u201d\u00bb\u300d\u300f\uff09)\]]{0,3}"
"""What may close what a name stands in."""

_CHARACTERS_OF_A_GROUP = 4
_MOST_STEPS = 12
_MOST_WORDS, _MOST_BARE_WORDS = 7, 5
_REMARK = r"[(\[\uff08][^()\[\]\n\uff08\uff09]{1,40}[)\]\uff09]"
# Letters of a script that writes no spaces are no part of a word in ASCII.
_TOKEN = rf"[!-~]{{1,128}}+(?=[{UNSPACED}])|{TOKEN}"
_GLUED = r"[\w$%&{\[(<\\-]"
# As in "pass the key on" and "pin it to 2.4", but not in "pass for the till" and "the PIN".
_VERB_AS_WELL = r"(?:pass|Pass|pin|Pin)(?![ ]for|[ ]of)"
_TO = r"(?i)to|into|for|from|von|vom|de|da|di|van|fr\u00e5n|fra|z|od|\u0441|\u0437|auf|zu|en|a|\u00e0|para|in|su|naar|till|til|na|do|ke|la|\u043d\u0430|\u0434\u043e"
_ARTICLE = r"(?i)\b(?:on|in|as|at|with|for|of|from|by|into|is|was|has|have|not)[ ]a\Z"  # of English, and no "to"
_ASIDE = r",[ ][^\W\d_]+(?:[ ][^\W\d_]{1,12}){0,6}(?=[:\uff1a][ ])"
_PARENTHESIS = (
    r"(?i),[ ](?:by the way|btw|of course|as (?:always|usual|before|agreed|discussed)|fyi|for (?:now|reference)|again|i think"
    r"|it seems|apparently),"
)
_BEYOND_RUN = rf"[{UNSPACED}]{{1,14}}"
# Right behind one of these is what the password is of, whatever it looks like.
_OF_A_THING = r"(?i)[ ](?:of|for|on|at|von|vom|f\u00fcr|de|del|pour|da|di|van|voor|till|til)[ ][\"'`*]{0,2}\Z"
_LONGEST_PLACE = 8
APART = 40
"""What is as far from a name has nothing to do with it, if nothing else says so."""


class ReadingOn:
    """What stands behind a name, read up to a value or where there can't be one any more: so many steps at most.

    Args:
        text: The text.
        end: Where the name ends.
        limit: Where the next name begins.
        words: What the name means.
        is_with: A word such as "with" stands before it: "login with password v".
    """

    def __init__(self, text: str, end: int, limit: int, words: Words, *, is_with: bool) -> None:
        self._text, self._end, self._limit, self._words, self._is_with = text, end, limit, words, is_with
        self._position = compiled(CLOSERS).match(text, end).end()  # type: ignore[union-attr]  # it may be empty
        if aside := compiled(_PARENTHESIS).match(text, self._position):
            self._position = aside.end()
        # How many words were read, and how many of them before a phrase says whose it is or where it is for.
        self._count = self._bare = 0
        self._is_phrase = False

    def values(self) -> Found:
        """Return where the values are, if any is told."""
        for _ in range(_MOST_STEPS):
            if (found := self._step()) is not None:
                return found
        return []

    def _step(self) -> Found | None:
        """Read a word, a sign or a remark. Return what it tells, nothing if nothing can follow, or `None` to go on."""
        text = self._text
        # Most words are neither a value nor what leads to one.
        if (plain := self._plain_word()) is not None:
            return None if self._passes(plain) else []
        self._position = compiled(SPACE).match(text, self._position).end()  # type: ignore[union-attr]
        is_gone = not self._words.is_beyond and PLACEHOLDER_PATTERN.match(text, self._position) is not None
        if is_gone or self._is_far(self._position):
            return []
        if sign := compiled(SIGN).match(text, self._position):
            return self._behind_a_sign(sign)
        for pattern, read in (
            (self._words.verb, self._behind_a_verb),
            (_REMARK, self._in_a_remark),
            (self._words.place, self._behind_a_place),
        ):
            if match := compiled(pattern).match(text, self._position):
                return read(match) or None
        is_beyond = not text[self._position : self._position + 1].isascii()
        if is_beyond and (run := compiled(_BEYOND_RUN).match(text, self._position)):
            return self._in_a_run(run) or None
        return [] if self._is_verb else self._at_a_token()

    @cached_property
    def _is_verb(self) -> bool:
        """Whether the name is a verb, or may be: "pass the key on"."""
        return compiled(_VERB_AS_WELL).search(self._text, max(0, self._end - 4), self._end + 5) is not None

    @property
    def _is_apart(self) -> bool:
        return self._bare > 0 and self._words.is_english

    def _is_far(self, position: int) -> bool:
        return position - self._end > WINDOW or position > self._limit

    def _plain_word(self) -> re.Match[str] | None:
        if not self._count and self._is_with and not self._is_phrase:
            return None
        word = compiled(self._words.plain).match(self._text, self._position)
        return word if word and (self._count or len(word["word"]) != _CHARACTERS_OF_A_GROUP) else None

    def _passes(self, word: re.Match[str]) -> bool:
        """Go on behind a plain word. Return whether a value may still come."""
        if self._is_far(word.start("word")) or self._is_verb or not self._counts(word["word"]):
            return False
        self._position = word.end()
        return True

    def _counts(self, word: str) -> bool:
        """Count a word. Return whether there are not too many, and it makes no other thing of the name."""
        self._count, self._bare = self._count + 1, self._bare + (not self._is_phrase)
        is_compound = self._is_apart and word.lower() in NOUNS_BEHIND
        return not (is_compound or self._bare > _MOST_BARE_WORDS or self._count > _MOST_WORDS)

    def _behind_a_sign(self, sign: re.Match[str]) -> Found:
        text, words, is_apart = self._text, self._words, self._is_apart
        is_setting = not words.is_beyond and sign[0][-1] in ":=" and compiled(_GLUED).match(text, sign.end())
        if is_setting or is_alias(text, sign.end() - 1):
            return []
        return self._values(sign.end(), Joint.GAP if is_apart else Joint.SIGN, is_told=is_apart)

    def _behind_a_verb(self, verb: re.Match[str]) -> Found:
        self._is_phrase, self._position = True, verb.end()
        is_apart = self._is_apart
        return self._values(verb.end(), Joint.GAP if is_apart else Joint.VERB, is_told=is_apart)

    def _in_a_remark(self, remark: re.Match[str]) -> Found:
        start, self._position = self._position, remark.end()
        return in_clause(self._text, start + 1, self._words, is_aside=True) if self._words.is_explicit else []

    def _behind_a_place(self, place: re.Match[str]) -> Found:
        text = self._text
        self._is_phrase, self._position = True, place.end()
        is_to = compiled(_TO).fullmatch(place[0]) and not compiled(_ARTICLE).search(text, self._end, place.end())
        if not is_to or not compiled(CHANGED).search(text, max(0, self._end - WINDOW // 2), place.end()):
            return []
        return self._values(place.end(), Joint.VERB, is_told=place[0].lower() in ("to", "into"))

    def _in_a_run(self, run: re.Match[str]) -> Found:
        verb = compiled(self._words.unspaced_verb).match(self._text, self._position)
        self._is_phrase, self._position = True, run.end()
        return list(values_at(self._text, verb.end(), Joint.VERB, self._words)) if verb else []

    def _at_a_token(self) -> Found | None:
        text, position, words = self._text, self._position, self._words
        joint = Joint.NEAR if self._count else Joint.VERB if self._is_with and not self._is_phrase else Joint.GAP
        found = list(values_at(text, position, joint, words))
        if found and compiled(_OF_A_THING).search(text, max(self._end, position - _LONGEST_PLACE), position):
            found = [place for place in found if likeness(text[slice(*place)]) >= Likeness.PLAIN]
        token = compiled(_TOKEN).match(text, position)
        if found or token is None:
            return found
        word = token[0].strip(ENDS + "\"'`(")
        goes_on = self._counts(word)
        if not goes_on or token[0][-1] in ".;!?\u3002\u06d4":
            is_compound = self._is_apart and word.lower() in NOUNS_BEHIND
            is_asked = token[0][-1] in "?;" and words.is_explicit and not is_compound
            return in_clause(text, token.end(), words, is_aside=False) if is_asked else []
        # What stands before a sign belongs to the word that it is glued to.
        self._position = token.end() - (len(token[0]) - len(token[0].rstrip(":=,")))
        return self._behind_a_comma() if text.startswith(",", self._position) else None

    def _behind_a_comma(self) -> Found | None:
        text, words = self._text, self._words
        if aside := compiled(_ASIDE).match(text, self._position):
            self._bare, self._position = self._bare + 1, aside.end()
            return None
        if not words.is_explicit:
            return []
        before = text[max(0, self._end - APART) : self._end]
        is_apposition = text.startswith(", ", self._end) and "," not in before
        return in_clause(text, self._position + 1, words, is_aside=self._bare == 0, is_apposition=is_apposition)

    def _values(self, position: int, joint: Joint, *, is_told: bool) -> Found:
        """Return the values at `position`, or where none looks like one and `is_told`, the word that is told to be one."""
        found = list(values_at(self._text, position, joint, self._words))
        return found or (told_by_a_verb(self._text, position) if is_told and self._words.is_explicit else [])
