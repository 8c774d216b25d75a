"""The words and phrases without a digit that are weighed: what people choose when nobody makes them choose better.

Nearly all words of a text are of this sort. Each is first asked about together with its sentence, then with what is
beside it: see `Prefilter`. Only what is left is weighed.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator

from s3memory.redaction.model import PLACEHOLDER_START
from s3memory.redaction.rules.reading.judging import COURTESIES, is_said
from s3memory.redaction.rules.scoring.features import adjacent_feature_names
from s3memory.redaction.rules.scoring.forms import form_of_plain
from s3memory.redaction.rules.scoring.lexicon import has_kind, words_in
from s3memory.redaction.rules.scoring.models import Prefilter, SentenceScore, word_feature_endings
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import KnownWords
from s3memory.redaction.text.subject import Subject

_LETTER = r"[^\W\d_]"
_WORD = rf"{_LETTER}(?<![\w@$%\\].)(?:{_LETTER}|[_.+&'\u2019*/!-](?={_LETTER}))++(?![\w@\\(=]|://|:[\"'])!?"
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
    r"|है|types?|typed|says?|with|using|reads|mit|con|avec|med|cu|amb|\u0441|\u0441\u043e|\u03bc\u03b5))"
    rf"[ \t]+(?={_LETTER})"
)
_PHRASE = (
    rf"{_LETTER}[\w'\u2019-]*+[!?]?(?:,?[ ][\w'\u2019-]++){{1,7}}[!?]?"
    r"(?=[ \t]*(?:[.,;:()|\"\u2014\u2013\n<]|\Z)|\s[-/])"
)
_NO_PHRASE = r"[{}<>\[\]=$\\/@]"
_LONGEST_PHRASE, _MOST_SPACES = 60, 7
_SHORTEST, _SHORTEST_ELSEWHERE, _LONGEST = 4, 2, 40
_VALUE_BEFORE, _VALUE_BEHIND, _LEAST_OF_A_VALUE = r"[A-Za-z0-9+/=_-]++\Z", r"[A-Za-z0-9+/=_-]{1,64}", 10
_ADMINISTRATOR, _JOINT = "administ", r"[-_. ]"
_TITLE = r"\b[A-Z][a-z]+[ ](?:and|or|of|for|&|und|et|y)[ ][A-Z][a-z]+[ ]\Z"
_OPTION = "--"
_NAMED = (
    r"[\"'`][ ](?:argument|attribute|field|flag|function|header|keyword|method|module|option|package|param|property)"
)
_DEMANDS = ("must ", "may ", "should ", "cannot ", "please ", "enter ", "at least ", "at most ", "because ")
_GOES_ON = r"[ ](?:the|which|whether)"  # what no phrase ends in
_NAME_IN_CODE = (
    r"(?:[A-Z][a-z]+){1,5}(?:Validator|Handler|Manager|Service|Provider|Exception|Error|Factory|Policy|Filter|Field|Form"
    r"|Middleware|Serializer|Controller|Backend|Helper|Interface|Request|Response)"
)
_SAID_OF_THINGS = r"un[a-z]{4,12}(?:able|ible)"
_OWN = r"[0-9]['\u2019]s\b"  # "PostgreSQL 14's own"
_PLACEHOLDER = PLACEHOLDER_START.strip("[:")
_ENDS = (
    r"[\n.!?;\u3002\uff01\uff1f\uff1b](?:(?<=\n)\n*|(?<=[\u3002\uff01\uff1f\uff1b])"
    rf"|(?<={_LETTER}{{2}}[.!?;])[.!?;]*[ \t]+)"
)
# Of numbers that are spelled out, also "oh", "and" or "mal".
_BETWEEN_DIGITS = rf"[ ]?[,\u060c\u3001\u2013-]?[ ]?(?:{_LETTER}{{1,3}}[ ])?"
_LEAST_DIGITS = 3
_LONGEST_SENTENCE, _MOST_WORDS = 400, 40


_are_digits = KnownWords[str, bool](lambda word: has_kind(word.lower(), "digit"))


def plain_candidates(subject: Subject, prefilter: Prefilter) -> Iterator[tuple[int, int]]:
    """Yield where the words and phrases start and end that are weighed.

    Args:
        subject: The text.
        prefilter: Says which may be passwords.
    """
    text = subject.text
    for first, last, around in Sentences(text, prefilter).weighed():
        asked = []
        if prefilter.has_words(around):
            asked += _near_words(text, first, last, around, prefilter)
        if prefilter.has_phrases(around):
            asked += [(start, end, prefilter.phrase(text[start:end])) for start, end in _phrases(text, first, last)]
        for start, end, weight in asked:
            if (
                prefilter.is_near(weight, around)
                and prefilter.may_be(weight, around, adjacent_features_of_plain(text, start, end))
                and not _is_of_a_value(text, start, end)
            ):
                yield start, end


def has_plain_form(word: str) -> bool:
    """Whether a word or phrase is one of those that `plain_candidates` yields."""
    return (" " in word and any(map(str.isalpha, word))) or compiled(_WORD).fullmatch(word) is not None


def is_excluded_plain(text: str, start: int, end: int) -> bool:
    """Whether a plain word is of a title, an option, a thing of code, somebody, a rule, or ends in what it is.

    "User Name and Password Disclosure"; "--ask-password"; 'the "salt" argument', `LengthValidator`; "Administrateur";
    "must have a digit", "thanks", "unreachable"; "supplied-value"; "our secret passphrase".
    """
    word = text[start:end].lower()
    last = compiled(_JOINT).split(word)[-1]
    return (
        word.startswith(_ADMINISTRATOR)
        or word.startswith(_DEMANDS)
        or word in COURTESIES
        or compiled(_SAID_OF_THINGS).fullmatch(word) is not None
        or compiled(_OWN).search(word) is not None
        or compiled(rf".*{_GOES_ON}").fullmatch(word) is not None
        or compiled(_NAME_IN_CODE).fullmatch(text, start, end) is not None
        or text.endswith(_OPTION, 0, start)
        or compiled(_NAMED).match(text, end) is not None
        or (last != word and (has_kind(last, "password") if " " in word else is_said(last)))
        or compiled(_TITLE).search(text, max(0, start - _LONGEST), start) is not None
    )


def adjacent_features_of_plain(text: str, start: int, end: int) -> list[int]:
    """Return the numbers of the features of what is right beside a word or phrase."""
    return form_of_plain(text[start:end]).in_context(adjacent_feature_names(text, start, end))


def _near_words(text: str, first: int, last: int, around: int, prefilter: Prefilter) -> list[tuple[int, int, int]]:
    """Return where the words of a sentence that are looked at start and end, and what each comes to."""
    words = compiled(_WORD).findall(text, first, last)
    weights = prefilter.words(words)
    if not weights or not prefilter.is_near(max(weights), around):  # of nearly all sentences
        return []
    return [
        (*word.span(), weight)
        for word, weight in zip(compiled(_WORD).finditer(text, first, last), weights, strict=True)
        if _is_asked_about(word[0])
    ]


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


def _phrases(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield where phrases start and end: in quotes, from a sign on to the end of what is said, and spelled numbers."""
    yield from _spelled(text, first, last)
    for quoted in compiled(_QUOTED).finditer(text, first, last):
        start, end = quoted.span(quoted.lastindex or 0)
        if _is_phrase(text[start:end]):
            yield start, end
    for sign in compiled(_BEGINS).finditer(text, first, last):
        phrase = compiled(_PHRASE).match(text, sign.end(), min(last, sign.end() + _LONGEST_PHRASE) + 1)
        if phrase and len(phrase[0]) <= _LONGEST_PHRASE and PLACEHOLDER_START not in phrase[0]:
            yield phrase.span()


def _spelled(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield where numbers that are spelled out start and end: "nineteen oh six"."""
    start = end = n_words = 0
    words = compiled(rf"{_LETTER}+")
    are_digits = _are_digits.of_all(words.findall(text, first, last))
    if sum(are_digits) < _LEAST_DIGITS:  # of nearly all sentences
        return
    for word, is_digit in zip(words.finditer(text, first, last), are_digits, strict=True):
        if is_digit:
            if not (n_words and compiled(_BETWEEN_DIGITS).fullmatch(text, end, word.start())):
                if n_words >= _LEAST_DIGITS:
                    yield start, end
                start, n_words = word.start(), 0
            end, n_words = word.end(), n_words + 1
    if n_words >= _LEAST_DIGITS:
        yield start, end


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

    def weighed(self) -> Iterator[tuple[int, int, int]]:
        """Yield where each sentence that is not too long starts and ends, and what is told around its words."""
        said = [self._prefilter.said(self._words(number)) for number in range(len(self._starts))]
        for number, (start, end) in enumerate(zip(self._starts, self._ends, strict=True)):
            if end - start <= _LONGEST_SENTENCE:
                here, above, top = self._told_by(number)
                yield start, end, said[here].here + (0 if above is None else said[above].above) + said[top].top

    def context_feature_names_at(self, start: int) -> Iterator[str]:
        """Yield the names of what is told around what starts there."""
        for place, number in zip(SentenceScore._fields, self._told_by(bisect(self._starts, start) - 1), strict=True):
            if number is not None:
                for word in self._words(number):
                    yield from (f"{place}{ending}" for ending in word_feature_endings(word))

    def _told_by(self, number: int) -> tuple[int, int | None, int]:
        """Return a sentence, the one before it in its block, and the first of its block: see `Said`."""
        top = self._tops[number]
        return number, number - 1 if number > top else None, top

    def _words(self, number: int) -> list[str]:
        """Return the words of a sentence, each once."""
        start, end = self._starts[number], self._ends[number]
        return [*{*words_in(self._text, start, min(end, start + _LONGEST_SENTENCE))[:_MOST_WORDS]}]
