"""Generated passwords: words of upper and lower case, digits and signs, which are passwords in any context.

Documentation and code have no such words: in 80 million characters of them, this rule finds none.
"""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.interface import PLACEHOLDER_START, Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading.candidates import token_start, word_in
from s3memory.redaction.rules.reading.likeness import Likeness, likeness
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.text.wording import is_gibberish

# A sign between other characters. Words with no sign but "*", "+" and "=" are code.
_SIGN_INSIDE = rb"[!@#$%^&?~](?<=[a0_.*+=!&-].)(?=[a0_.*+=$!&-])"
_REST_OF_TOKEN = rb"[^ \t\r\n]*+"
_MAX_LENGTH = 64
_MIXED_WORD = r"(?=.{8,40}\Z)(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9!@#$%^&*+=?~_.-]+"
_SIGNS = frozenset("!@#$%^&*+=?~")
_MANY_SIGNS = 3
_LINK_PART = r"%[0-9A-Fa-f]{2}|&[\w-]+[=;]|\?[\w-]+="
# One of these is enough in a word of random letters.
_RARE_SIGNS = frozenset("!@%&?~")
# Words like these have signs because they are code, formulas, links or names: "a!=b", "x**2", "&id=", "jo@web".
_CODE_OR_LINK = (
    r"\A-{1,2}[A-Za-z]|[!=<>+~?-]=|=\?|&&|\+\+|@(?:[a-z]|[\w-]+\.)|\w=[^=]*&|&#|%[0-9A-Fa-f]{2}|&\w+[=;]"
    r"|\A-{0,2}[A-Za-z_][\w.-]*=|(?:\A|[^a-z])\$[A-Z_]|\.\.|%[0-9.*]+[A-Za-z]|\?[.]|\?\w+=|[*?][.]|[.][*?]|#L?[0-9]+\Z"
    r"|\w[*+^]\w+[*+^]|\*\*|[*]0|@[v^]|[~^][0-9]+[.]|\A[vV]?[0-9]+[.]|\w![A-Z$]{1,4}[0-9]+\Z"
    r"|\A[\w.+-]+@[A-Za-z][\w-]*\Z|\A[A-Z]{1,3}\$[0-9]"
)


class GeneratedRule(Rule):
    """A rule that starts at signs inside words, and reads no context."""

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the words that are mixed as only generated passwords are."""
        signs, end = subject.signs, 0
        for sign in compiled(_SIGN_INSIDE).finditer(signs):
            if sign.start() < end:
                continue
            start = token_start(signs, sign.start(), _MAX_LENGTH)
            end = compiled(_REST_OF_TOKEN).match(signs, sign.end()).end()  # type: ignore[union-attr]  # it may be empty
            if end - start <= _MAX_LENGTH and b"0" in signs[start:end]:
                first, last = _generated_in(subject.text[start:end])
                if last:
                    yield Span(self.kind, start + first, start + last)


@cached_until_forgotten
def _generated_in(token: str) -> tuple[int, int]:
    """Return where the word in `token` starts and ends if it is a generated password, or else zeros."""
    first, last = word_in(token)
    word = token[first:last].rstrip("?!*_")  # punctuation of the sentence
    is_one = PLACEHOLDER_START not in token and is_generated(word)
    return (first, first + len(word)) if is_one else (0, 0)


def is_generated(word: str) -> bool:
    """Whether `word` is mixed as only generated passwords are."""
    signs = _SIGNS.intersection(word[1:-1])
    if not signs or not compiled(_MIXED_WORD).fullmatch(word):
        return False
    is_without_words = is_gibberish("".join(filter(str.isalpha, word)))
    if len(signs) >= _MANY_SIGNS and is_without_words and not compiled(_LINK_PART).search(word):
        return True
    is_enough = len(signs) > 1 or (signs <= _RARE_SIGNS and is_without_words)
    return is_enough and likeness(word) == Likeness.PLAIN and compiled(_CODE_OR_LINK).search(word) is None


RULES = (
    GeneratedRule(
        kind="secret",
        scan=True,
        source="https://cwe.mitre.org/data/definitions/256.html",
        samples=("grafana: viewer / «GvgIsE?h~6l^hg»", "outlook - «w?LdyELaiJxP2Xp», since May"),
        near=("Mail Jo@Web2.example about PySocks!=1.5.7", "x2 = A**2+B1*c3", "open Sheet1!A1", "%PDF-1.4%Ab"),
    ),
)
