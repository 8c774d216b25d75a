"""Passwords as generators make them: a word of capital and small letters, digits and signs is one wherever it stands.

Documentation and code have no such words: in 80 million characters of them this finds none.
"""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.model import PLACEHOLDER_START, Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading.candidates import token_start, word_in
from s3memory.redaction.rules.reading.likeness import Likeness, likeness
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import judged
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.text.wording import is_gibberish

# Words that have no other sign than "*", "+" and "=" are of code.
_SIGN = rb"[!@#$%^&?~](?<=[a0_.*+=!&-].)(?=[a0_.*+=$!&-])"
_REST = rb"[^ \t\r\n]*+"
_LONGEST = 64
_WORD = r"(?=.{8,40}\Z)(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9!@#$%^&*+=?~_.-]+"
_SIGNS = frozenset("!@#$%^&*+=?~")
_MANY = 3
_OF_A_LINK = r"%[0-9A-Fa-f]{2}|&[\w-]+[=;]|\?[\w-]+="
_ONE_IS_ENOUGH = frozenset("!@%&?~")
# A sign inside these is of code, of a formula, of a link or of a name.
_OF_CODE = (
    r"\A-{1,2}[A-Za-z]|[!=<>+~?-]=|=\?|&&|\+\+|@(?:[a-z]|[\w-]+\.)|\w=[^=]*&|&#|%[0-9A-Fa-f]{2}|&\w+[=;]"
    r"|\A-{0,2}[A-Za-z_][\w.-]*=|(?:\A|[^a-z])\$[A-Z_]|\.\.|%[0-9.*]+[A-Za-z]|\?[.]|\?\w+=|[*?][.]|[.][*?]|#L?[0-9]+\Z"
    r"|\w[*+^]\w+[*+^]|\*\*|[*]0|@[v^]|[~^][0-9]+[.]|\A[vV]?[0-9]+[.]|\w![A-Z$]{1,4}[0-9]+\Z"
    r"|\A[\w.+-]+@[A-Za-z][\w-]*\Z|\A[A-Z]{1,3}\$[0-9]"
)


class GeneratedRule(Rule):
    """A rule that starts at signs within words, and reads nothing around them."""

    __slots__ = ()

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the words that are mixed as nothing but a password is."""
        signs, behind = subject.signs, 0
        for sign in compiled(_SIGN).finditer(signs):
            if sign.start() < behind:
                continue
            start = token_start(signs, sign.start(), _LONGEST)
            behind = compiled(_REST).match(signs, sign.end()).end()  # type: ignore[union-attr]  # it may be empty
            if behind - start <= _LONGEST and b"0" in signs[start:behind]:
                first, last = _generated_in(subject.text[start:behind])
                if last:
                    yield Span(self.kind, start + first, start + last)


@judged
def _generated_in(token: str) -> tuple[int, int]:
    """Return where the word in `token` starts and ends if a generator made it, and zeros if none did."""
    first, last = word_in(token)
    word = token[first:last].rstrip("?!*_")  # of the sentence
    is_one = PLACEHOLDER_START not in token and is_generated(word)
    return (first, first + len(word)) if is_one else (0, 0)


def is_generated(word: str) -> bool:
    """Whether `word` is mixed as nothing but a password is."""
    signs = _SIGNS.intersection(word[1:-1])
    if not signs or not compiled(_WORD).fullmatch(word):
        return False
    is_without_words = is_gibberish("".join(filter(str.isalpha, word)))
    if len(signs) >= _MANY and is_without_words and not compiled(_OF_A_LINK).search(word):
        return True
    is_enough = len(signs) > 1 or (signs <= _ONE_IS_ENOUGH and is_without_words)
    return is_enough and likeness(word) == Likeness.PLAIN and compiled(_OF_CODE).search(word) is None


RULES = (
    GeneratedRule(
        kind="secret",
        anchors=(),
        scan=True,
        pattern="",
        source="https://cwe.mitre.org/data/definitions/256.html",
        samples=("grafana: viewer / «GvgIsE?h~6l^hg»", "outlook - «w?LdyELaiJxP2Xp», since May"),
        near=("Mail Jo@Web2.example about PySocks!=1.5.7", "x2 = A**2+B1*c3", "open Sheet1!A1", "%PDF-1.4%Ab"),
    ),
)
