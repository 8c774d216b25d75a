"""Reads what follows the name of a password, word by word, up to the value."""

from __future__ import annotations

import re
from functools import cached_property

from s3memory.redaction.interface import PLACEHOLDER_PATTERN
from s3memory.redaction.rules.passwords.spoken.clause import in_clause
from s3memory.redaction.rules.passwords.spoken.values import ENDS, TOKEN, values_at
from s3memory.redaction.rules.passwords.spoken.vocabulary import SIGN, SPACE, Vocabulary
from s3memory.redaction.rules.reading.code_fragments import is_yaml_alias
from s3memory.redaction.rules.reading.judging import Joint
from s3memory.redaction.rules.reading.letters import UNSPACED
from s3memory.redaction.rules.reading.likeness import Likeness, likeness
from s3memory.redaction.rules.reading.near import Found
from s3memory.redaction.rules.reading.stated_words import CHANGED, NOUNS_AFTER_PASSWORD, stated_by_verb
from s3memory.redaction.text.compiling import compiled, occurs

WINDOW = 120
"""How many characters after a name are read."""
CLOSERS = r"[\"'`*_\u201d\u00bb\u300d\u300f\uff09)\]]{0,3}"
"""Quotes and brackets that may close after a name."""

_GROUP_LENGTH = 4  # a word of four letters may be the first group of a password: "lvcz afym druf qhxs"
_MAX_STEPS = 12
_MAX_WORDS, _MAX_WORDS_BEFORE_PHRASE = 7, 5
# "(the new one)" or "(v)", which is read as a clause.
_REMARK = r"[(\[\uff08][^()\[\]\n\uff08\uff09]{1,40}[)\]\uff09]"
# A word in ASCII ends before a letter of a script that writes no spaces.
_TOKEN = rf"[!-~]{{1,128}}+(?=[{UNSPACED}])|{TOKEN}"
_CODE_AFTER_SIGN = r"[\w$%&;{\[(<\\-]"
# "Settings → Profile" says where to change the password, and "if the user is root" when there is one.
_MENU_BEFORE, _ITEM_OF_A_MENU = r"(?:\A|\W)[A-Z][^\W\d_]{2,20}[*_]{0,2}[ ]?\Z", r"[ ]?[*_]{0,2}[A-Z][a-z]{2,20}(?!\w)"
_CONDITION = r"(?i)\b(?:if|when|unless|whether)[ ](?:the[ ])?[a-z]{3,20}[ ]\Z"
# Verbs in "pass the key on" and "pin it to 2.4", but not in "pass for the till" and "the PIN".
_MAYBE_A_VERB = r"(?:pass|Pass|pin|Pin)(?![ ]for|[ ]of)"
_TO = r"(?i)to|into|for|from|von|vom|de|da|di|van|fr\u00e5n|fra|z|od|\u0441|\u0437|auf|zu|en|a|\u00e0|para|in|su|naar|till|til|na|do|ke|la|\u043d\u0430|\u0434\u043e"
_ARTICLE = r"(?i)\b(?:on|in|as|at|with|for|of|from|by|into|is|was|has|have|not)[ ]a\Z"  # "a" is English here, and not the Romance "to"
# An aside before a colon: ", as I said: v".
_ASIDE = r",[ ][^\W\d_]+(?:[ ][^\W\d_]{1,12}){0,6}(?=[:\uff1a][ ])"
_PARENTHESIS = (
    r"(?i),[ ](?:by the way|btw|of course|as (?:always|usual|before|agreed|discussed)|fyi|for (?:now|reference)|again|i think"
    r"|it seems|apparently),"
)
_UNSPACED_RUN = rf"[{UNSPACED}]{{1,14}}"
# The word right after one of these says what the password is for: "the password of nas2".
_OWNER_PREPOSITION = (
    r"(?i)[ ](?:of|for|on|at|von|vom|f\u00fcr|de|del|pour|da|di|van|voor|till|til|do|od|k|ke|za"
    r"|\u0432\u0456\u0434|\u043e\u0442|\u0434\u043b\u044f|\u0434\u043e|\u0437\u0430|\u043a)[ ][\"'`*]{0,2}\Z"
)
_ENDS_A_NAME = r"[\"'`*]{0,2}[ ]?(?:[:=]|[\u2013\u2014-][ ])"
_MAX_PREPOSITION = 8
MAX_ADJACENT = 40
"""How far a word from a name may be and still belong to it, if nothing else links the two."""


class ForwardReader:
    """Reads what follows a name, up to a value or to where no value can follow, in a bounded number of steps.

    Args:
        text: The text.
        end: Where the name ends.
        limit: Where the next name begins.
        vocabulary: The words of the name's languages.
        follows_with: A word such as "with" stands before the name: "login with password v".
    """

    def __init__(self, text: str, end: int, limit: int, vocabulary: Vocabulary, *, follows_with: bool) -> None:
        self._text, self._end, self._limit = text, end, limit
        self._vocabulary, self._follows_with = vocabulary, follows_with
        self._position = compiled(CLOSERS).match(text, end).end()  # type: ignore[union-attr]  # it may be empty
        if aside := compiled(_PARENTHESIS).match(text, self._position):
            self._position = aside.end()
        # How many words were read, and how many of them before the phrase that says whose password it is, or for what.
        self._n_words = self._n_before_phrase = 0
        self._is_in_phrase = False

    def values(self) -> Found:
        """Return the spans of the values, if there are any."""
        for _ in range(_MAX_STEPS):
            if (found := self._step()) is not None:
                return found
        return []

    def _step(self) -> Found | None:
        """Read a word, a sign or a remark. Return its values, an empty list if none can follow, or `None` to go on."""
        text = self._text
        # Most words are neither a value nor introduce one.
        if (plain := self._plain_word()) is not None:
            return None if self._skip_word(plain) else []
        self._position = compiled(SPACE).match(text, self._position).end()  # type: ignore[union-attr]
        is_redacted = not self._vocabulary.is_beyond and PLACEHOLDER_PATTERN.match(text, self._position) is not None
        if is_redacted or self._is_far(self._position):
            return []
        if sign := compiled(SIGN).match(text, self._position):
            return self._after_sign(sign)
        for pattern, read in (
            (self._vocabulary.verb, self._after_verb),
            (_REMARK, self._in_remark),
            (self._vocabulary.preposition, self._after_preposition),
        ):
            if match := compiled(pattern).match(text, self._position):
                return read(match) or None
        is_beyond = not text[self._position : self._position + 1].isascii()
        if is_beyond and (run := compiled(_UNSPACED_RUN).match(text, self._position)):
            return self._in_unspaced_run(run) or None
        return [] if self._is_verb else self._at_a_token()

    @cached_property
    def _is_verb(self) -> bool:
        """Whether the name may be a verb: "pass the key on"."""
        return compiled(_MAYBE_A_VERB).search(self._text, max(0, self._end - 4), self._end + 5) is not None

    @property
    def _is_distant(self) -> bool:
        """Whether words stand between an English name and the position."""
        return self._n_before_phrase > 0 and self._vocabulary.is_english

    def _is_far(self, position: int) -> bool:
        return position - self._end > WINDOW or position > self._limit

    def _plain_word(self) -> re.Match[str] | None:
        """Return the plain word at the position, unless it may be a value or the first group of one."""
        if not self._n_words and self._follows_with and not self._is_in_phrase:
            return None
        word = compiled(self._vocabulary.plain).match(self._text, self._position)
        return word if word and (self._n_words or len(word["word"]) != _GROUP_LENGTH) else None

    def _skip_word(self, word: re.Match[str]) -> bool:
        """Go on after a plain word. Return whether a value may still follow."""
        if self._is_far(word.start("word")) or self._is_verb or not self._count_word(word["word"]):
            return False
        self._position = word.end()
        return True

    def _count_word(self, word: str) -> bool:
        """Count a word. Return whether there are not too many, and no compound with the name: "password manager"."""
        self._n_words, self._n_before_phrase = self._n_words + 1, self._n_before_phrase + (not self._is_in_phrase)
        is_compound = self._is_distant and word.lower() in NOUNS_AFTER_PASSWORD
        return not (is_compound or self._n_before_phrase > _MAX_WORDS_BEFORE_PHRASE or self._n_words > _MAX_WORDS)

    def _after_sign(self, sign: re.Match[str]) -> Found:
        text, vocabulary, is_distant = self._text, self._vocabulary, self._is_distant
        is_setting = (
            not vocabulary.is_beyond and sign[0][-1] in ":=" and compiled(_CODE_AFTER_SIGN).match(text, sign.end())
        )
        if is_setting or is_yaml_alias(text, sign.end() - 1):
            return []
        is_arrow = self._n_words > 0 and sign[0].endswith((">", "\u2192"))
        is_menu = is_arrow and compiled(_MENU_BEFORE).search(text, self._end, sign.start())
        if is_menu and compiled(_ITEM_OF_A_MENU).match(text, sign.end()):
            return []
        return self._values(sign.end(), Joint.GAP if is_distant else Joint.SIGN, allow_plain=is_distant)

    def _after_verb(self, verb: re.Match[str]) -> Found:
        self._is_in_phrase, self._position = True, verb.end()
        is_distant = self._is_distant
        allow_plain = is_distant and not occurs(_CONDITION, self._text, self._end, verb.start())
        return self._values(verb.end(), Joint.GAP if is_distant else Joint.VERB, allow_plain=allow_plain)

    def _in_remark(self, remark: re.Match[str]) -> Found:
        start, self._position = self._position, remark.end()
        if not self._vocabulary.is_explicit:
            return []
        return in_clause(self._text, start + 1, self._vocabulary, is_adjacent=True)

    def _after_preposition(self, preposition: re.Match[str]) -> Found:
        """Begin a phrase such as "for the till". After a verb of change, "to" introduces the value: "changed to v"."""
        text = self._text
        self._is_in_phrase, self._position = True, preposition.end()
        word, end = preposition[0], preposition.end()
        is_to = compiled(_TO).fullmatch(word) and not occurs(_ARTICLE, text, self._end, end)
        if not is_to or not occurs(CHANGED, text, max(0, self._end - WINDOW // 2), end):
            return []
        return self._values(end, Joint.VERB, allow_plain=word.lower() in ("to", "into"))

    def _in_unspaced_run(self, run: re.Match[str]) -> Found:
        """Read on after letters of a script without spaces, which may have a verb among them."""
        verb = compiled(self._vocabulary.unspaced_verb).match(self._text, self._position)
        self._is_in_phrase, self._position = True, run.end()
        return list(values_at(self._text, verb.end(), Joint.VERB, self._vocabulary)) if verb else []

    def _at_a_token(self) -> Found | None:
        """Read a token: it is a value, or a word after which the sentence or a new clause goes on."""
        text, position, vocabulary = self._text, self._position, self._vocabulary
        is_first = self._follows_with and not self._is_in_phrase
        joint = Joint.NEAR if self._n_words else Joint.VERB if is_first else Joint.GAP
        found = list(values_at(text, position, joint, vocabulary))
        if found and occurs(_OWNER_PREPOSITION, text, max(self._end, position - _MAX_PREPOSITION), position):
            found = [
                span
                for span in found
                if likeness(text[slice(*span)]) >= Likeness.PLAIN and not compiled(_ENDS_A_NAME).match(text, span[1])
            ]
        token = compiled(_TOKEN).match(text, position)
        if found or token is None:
            return found
        word = token[0].strip(ENDS + "\"'`(")
        goes_on = self._count_word(word)
        if not goes_on or token[0][-1] in ".;!?\u3002\u06d4":
            is_compound = self._is_distant and word.lower() in NOUNS_AFTER_PASSWORD
            is_asked = token[0][-1] in "?;" and vocabulary.is_explicit and not is_compound
            return in_clause(text, token.end(), vocabulary, is_adjacent=False) if is_asked else []
        # A sign at the end of a token is read in the next step.
        self._position = token.end() - (len(token[0]) - len(token[0].rstrip(":=,")))
        return self._after_comma() if text.startswith(",", self._position) else None

    def _after_comma(self) -> Found | None:
        """Skip an aside, or else read the clause after the comma."""
        text, vocabulary = self._text, self._vocabulary
        if aside := compiled(_ASIDE).match(text, self._position):
            self._n_before_phrase, self._position = self._n_before_phrase + 1, aside.end()
            return None
        if not vocabulary.is_explicit:
            return []
        before = text[max(0, self._end - MAX_ADJACENT) : self._end]
        is_apposition = text.startswith(", ", self._end) and "," not in before
        return in_clause(
            text, self._position + 1, vocabulary, is_adjacent=self._n_before_phrase == 0, is_apposition=is_apposition
        )

    def _values(self, position: int, joint: Joint, *, allow_plain: bool) -> Found:
        """Return the spans of the values at `position`, or with `allow_plain`, of a plain word in their place."""
        found = list(values_at(self._text, position, joint, self._vocabulary))
        return found or (stated_by_verb(self._text, position) if allow_plain and self._vocabulary.is_explicit else [])
