"""The words and phrases without a digit that are weighed: what people choose when nobody makes them choose better.

Nearly all words of a text are of this sort. Each is first asked about alone, then together with its sentence and with
what is beside it: see `Prefilter`. Only what is left is weighed.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator

from s3memory.redaction.model import PLACEHOLDER_START
from s3memory.redaction.rules.reading.judging import is_said
from s3memory.redaction.rules.weighing.features import names_beside
from s3memory.redaction.rules.weighing.forms import form_of_plain
from s3memory.redaction.rules.weighing.lexicon import PREFIX, kinds_of, with_pairs, words_in
from s3memory.redaction.rules.weighing.weights import PLACES, Prefilter, names_said
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject

_LETTER = r"[^\W\d_]"
_WORD = rf"(?<![\w@$%\\]){_LETTER}(?:{_LETTER}|[_.+&'\u2019*/!-](?={_LETTER}))++(?![\w@\\(=]|://|:[\"'])!?"
_QUOTED = (
    r"\"([^\"\n]{3,48})\"|`([^`\n]{3,48})`|(?<!\w)'([^'\n]{3,48})'(?!\w)|\u201c([^\u201d\n]{3,48})\u201d"
    r"|\u201e([^\u201c\u201d\n]{3,48})[\u201c\u201d]|\u00ab[ ]?([^\u00bb\n]{3,48}?)[ ]?\u00bb"
    r"|\u300c([^\u300d\n]{2,48})\u300d"
    r"|\*\*([^*\n]{3,48})\*\*|\u2018([^\u2019\n]{3,48})\u2019|\u300e([^\u300f\n]{2,48})\u300f"
)
# What a phrase stands behind: a sign, or a word that says "is" or "with".
_BEGINS = (
    r"(?:[:=>|\u2192\uff1a\t/,;(]|--?|[\u2013\u2014]|(?<!\w)(?:is|was|now|became|ist|war|est|\u00e9tait|es|era"
    r"|\u00e8|\u00e9|er|\u00e4r|var|on|oli|jest|na|je|byl|van|volt|este|olan|adalah|jadi|l\u00e0|\u044d\u0442\u043e"
    r"|\u043d\u0430|\u0454|\u03b5\u03af\u03bd\u03b1\u03b9|\u05d4\u05d9\u05d0|\u05d4\u05d5\u05d0|\u0647\u064a|\u0647\u0648"
    rf"|\u0939\u0948|types?|typed|says?|with|using|reads))[ \t]+(?={_LETTER})"
)
_PHRASE = (
    rf"{_LETTER}[\w'\u2019-]*+[!?]?(?:,?[ ][\w'\u2019-]++){{1,7}}[!?]?"
    r"(?=[ \t]*(?:[.,;:()|\"\u2014\u2013\n<]|\Z)|\s[-/])"
)
_NO_PHRASE = r"[{}<>\[\]=$\\/@]"
_LONGEST_PHRASE, _MOST_SPACES = 60, 7
_SHORTEST, _SHORTEST_ELSEWHERE, _LONGEST = 4, 2, 40
_VALUE_BEFORE, _VALUE_BEHIND, _LEAST_OF_A_VALUE = r"[A-Za-z0-9+/=_-]++\Z", r"[A-Za-z0-9+/=_-]{1,64}", 10
_ADMINISTRATOR, _JOINT = "administ", r"[-_.]"
_TITLE = r"\b[A-Z][a-z]+[ ](?:and|or|of|for|&|und|et|y)[ ][A-Z][a-z]+[ ]\Z"
_OPTION = "--"
_NAMED = (
    r"[\"'`][ ](?:argument|attribute|field|flag|function|header|keyword|method|module|option|package|param|property)"
)
_PLACEHOLDER = PLACEHOLDER_START.strip("[:")
_ENDS = rf"\n+|(?<={_LETTER}{{2}})[.!?;]+[ \t]+|[\u3002\uff01\uff1f\uff1b]"
_LONGEST_SENTENCE, _MOST_WORDS = 400, 40


def plain_words(subject: Subject, prefilter: Prefilter) -> Iterator[tuple[int, int]]:
    """Yield where the words and phrases start and end that are weighed.

    Args:
        subject: The text.
        prefilter: Says which may be passwords.
    """
    text = subject.text
    sentences = Sentences(text, prefilter)
    words = [(word[0], word.start()) for word in compiled(_WORD).finditer(text)]
    may_be = prefilter.words({word for word in {word for word, _ in words} if _is_asked_about(word)})
    weighed = [(start, start + len(word), may_be[word]) for word, start in words if word in may_be]
    weighed += [(start, end, prefilter.phrase(text[start:end])) for start, end in _phrases(text, sentences)]
    for start, end, weight in weighed:
        around = sentences.around(start, end)
        if (
            around is not None
            and prefilter.is_near(weight, around)
            and prefilter.may_be(weight, around, features_beside_plain(text, start, end))
            and not _is_of_a_value(text, start, end)
        ):
            yield start, end


def has_plain_form(word: str) -> bool:
    """Whether a word or phrase is one of those that `plain_words` yields."""
    return (" " in word and any(map(str.isalpha, word))) or compiled(_WORD).fullmatch(word) is not None


def says_something_else(text: str, start: int, end: int) -> bool:
    """Whether a plain word is of a title, an option, a thing of code, an administrator, or ends in what it is.

    "User Name and Password Disclosure"; "--ask-password"; 'the "salt" argument'; "Administrateur"; "supplied-value".
    """
    word = text[start:end].lower()
    last = compiled(_JOINT).split(word)[-1]
    return (
        word.startswith(_ADMINISTRATOR)
        or text.endswith(_OPTION, 0, start)
        or compiled(_NAMED).match(text, end) is not None
        or (last != word and " " not in word and is_said(last))
        or compiled(_TITLE).search(text, max(0, start - _LONGEST), start) is not None
    )


def features_beside_plain(text: str, start: int, end: int) -> list[int]:
    """Return the numbers of the features of what is right beside a word or phrase."""
    return form_of_plain(text[start:end]).surrounded_by(names_beside(text, start, end))


def _is_asked_about(word: str) -> bool:
    """Whether a word is as long as a password may be, and no placeholder."""
    least = _SHORTEST if word.isascii() else _SHORTEST_ELSEWHERE
    return least <= len(word) <= _LONGEST and not word.startswith(_PLACEHOLDER)


def _is_of_a_value(text: str, start: int, end: int) -> bool:
    """Whether a word is a piece of a random value, such as a line of base64."""
    before = compiled(_VALUE_BEFORE).search(text, max(0, start - _LONGEST), start)
    behind = compiled(_VALUE_BEHIND).match(text, end)
    rest = f"{before[0] if before else ''}{behind[0] if behind else ''}"
    return len(rest) >= _LEAST_OF_A_VALUE and any(map(str.isdigit, rest))


def _phrases(text: str, sentences: Sentences) -> Iterator[tuple[int, int]]:
    """Yield where phrases start and end: in quotes, and from a sign on to the end of what is said."""
    for first, last in sentences.with_phrases():
        for quoted in compiled(_QUOTED).finditer(text, first, last):
            start, end = quoted.span(quoted.lastindex or 0)
            if _is_phrase(text[start:end]):
                yield start, end
        for sign in compiled(_BEGINS).finditer(text, first, last):
            phrase = compiled(_PHRASE).match(text, sign.end(), min(last, sign.end() + _LONGEST_PHRASE) + 1)
            if phrase and len(phrase[0]) <= _LONGEST_PHRASE and PLACEHOLDER_START not in phrase[0]:
                yield phrase.span()


def _is_phrase(text: str) -> bool:
    """Whether what is in quotes is words."""
    return (
        1 <= text.count(" ") <= _MOST_SPACES
        and text.strip() == text
        and PLACEHOLDER_START not in text
        and compiled(_NO_PHRASE).search(text) is None
        and compiled(_LETTER).search(text) is not None
    )


class Sentences:
    """The sentences and lines of a text, and what the words of each and of those before it come to.

    Args:
        text: The text.
        prefilter: What they are asked about with.
    """

    def __init__(self, text: str, prefilter: Prefilter) -> None:
        self._text, self._prefilter = text, prefilter
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._tops: list[int] = []
        self._weights: dict[int, int] = {}
        self._said: dict[int, tuple[int, ...]] = {}
        at = top = 0
        for gap in compiled(_ENDS).finditer(text):
            if gap.start() > at:
                self._add(at, gap.start(), top)
            at = gap.end()
            if gap[0].count("\n") > 1:
                top = len(self._starts)
        self._add(at, len(text), top)

    def _add(self, start: int, end: int, top: int) -> None:
        self._starts.append(start)
        self._ends.append(end)
        self._tops.append(top)

    def around(self, start: int, end: int) -> int | None:
        """Return what is told around what stands there; none if that is in two sentences, or in one too long."""
        number = bisect(self._starts, start) - 1
        if end > self._ends[number] or self._ends[number] - self._starts[number] > _LONGEST_SENTENCE:
            return None
        return self._weight_of(number)

    def with_phrases(self) -> Iterator[tuple[int, int]]:
        """Yield where sentences start and end that may have a phrase to be weighed."""
        for number, (start, end) in enumerate(zip(self._starts, self._ends, strict=True)):
            if end - start <= _LONGEST_SENTENCE and self._prefilter.are_phrases(self._weight_of(number)):
                yield start, end

    def names_at(self, start: int) -> Iterator[str]:
        """Yield the names of what is told around what starts there."""
        for place, number in enumerate(self._told_by(bisect(self._starts, start) - 1)):
            if number is not None:
                words, kinds = self._words(number)
                yield from names_said(PLACES[place], words)
                yield from names_said(f"kind {PLACES[place]}", kinds)

    def _told_by(self, number: int) -> tuple[int, int | None, int]:
        """Return a sentence, the one before it in its block, and the first of its block."""
        top = self._tops[number]
        return number, number - 1 if number > top else None, top

    def _weight_of(self, number: int) -> int:
        if number not in self._weights:
            told_by = enumerate(self._told_by(number))
            self._weights[number] = sum(self._said_by(other)[place] for place, other in told_by if other is not None)
        return self._weights[number]

    def _said_by(self, number: int) -> tuple[int, ...]:
        """Return what the words of a sentence come to where each of `PLACES` is theirs."""
        if number not in self._said:
            words, kinds = self._words(number)
            self._said[number] = self._prefilter.said(words, kinds)
        return self._said[number]

    def _words(self, number: int) -> tuple[set[str], set[str]]:
        start, end = self._starts[number], self._ends[number]
        words = words_in(self._text[start : min(end, start + _LONGEST_SENTENCE)].lower())[:_MOST_WORDS]
        starts = {word[:PREFIX] for word in words}
        return with_pairs(starts), kinds_of(starts)
