"""Candidates without a digit: plain words and phrases, as passwords of people's own choice often are.

Nearly all words of a text are plain. `Prefilter` rules most of them out, first by their sentence and then by what is
right next to them. Only the rest is scored.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator

from s3memory.redaction.interface import PLACEHOLDER_START
from s3memory.redaction.rules.reading.judging import COURTESIES, is_remark_word
from s3memory.redaction.rules.scoring.features import adjacent_feature_names
from s3memory.redaction.rules.scoring.forms import form_of_plain
from s3memory.redaction.rules.scoring.lexicon import has_kind, words_in
from s3memory.redaction.rules.scoring.models import Prefilter, SentenceScore, word_feature_endings
from s3memory.redaction.text.caching import WordCache
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.text.values import is_technical_term

_LETTER = r"[^\W\d_]"
_WORD = rf"{_LETTER}(?<![\w@$%\\].)(?:{_LETTER}|[_.+&'\u2019*/!-](?={_LETTER}))++(?![\w@\\(=]|://|:[\"'])!?"
_QUOTED = (
    r"\"([^\"\n]{3,48})\"|`([^`\n]{3,48})`|(?<!\w)'([^'\n]{3,48})'(?!\w)|\u201c([^\u201d\n]{3,48})\u201d"
    r"|\u201e([^\u201c\u201d\n]{3,48})[\u201c\u201d]|\u00ab[ ]?([^\u00bb\n]{3,48}?)[ ]?\u00bb"
    r"|\u300c([^\u300d\n]{2,48})\u300d"
    r"|\*\*([^*\n]{3,48})\*\*|\u2018([^\u2019\n]{3,48})\u2019|\u300e([^\u300f\n]{2,48})\u300f"
)
# What introduces a phrase: a sign, or a word such as "is" or "with".
_INTRODUCTION = (
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
_SIGN_OF_CODE = r"[{}<>\[\]=$\\/@]"
_MAX_PHRASE_CHARACTERS, _MAX_SPACES = 60, 7
_MIN_CHARACTERS, _MIN_CHARACTERS_BEYOND_ASCII, _MAX_CHARACTERS = 4, 2, 40
_VALUE_BEFORE, _VALUE_AFTER, _MIN_VALUE_CHARACTERS = r"[A-Za-z0-9+/=_-]++\Z", r"[A-Za-z0-9+/=_-]{1,64}", 10
_ROLE, _JOINT = "administ", r"[-_. ]"
_TITLE = r"\b[A-Z][a-z]+[ ](?:and|or|of|for|&|und|et|y)[ ][A-Z][a-z]+[ ]\Z"
_OPTION = "--"
_NOUN_OF_CODE_AFTER = (
    r"[\"'`][ ](?:argument|attribute|field|flag|function|header|keyword|method|module|option|package|param|property)"
)
_DEMANDS = ("must ", "may ", "should ", "cannot ", "please ", "enter ", "at least ", "at most ", "because ")
_UNFINISHED = r"[ ](?:the|which|whether)"  # what no phrase ends in
_NAME_IN_CODE = (
    r"(?:[A-Z][a-z]+){1,5}(?:Validator|Handler|Manager|Service|Provider|Exception|Error|Factory|Policy|Filter|Field|Form"
    r"|Middleware|Serializer|Controller|Backend|Helper|Interface|Request|Response)"
)
# Adverbs of Romance languages, and what is to be typed or asked, in scripts without spaces.
_REMARK = (
    r"[^\W\d_]{4,24}mente|.*(?:密[码碼]|口令|パスワード|비밀번호|[输輸]入|入力|입력|비워).*"
    r"|.*(?:多少|什[么麼]|留空|空欄|なし)"
)
_PROPERTY = r"un[a-z]{4,12}(?:able|ible)"
_POSSESSIVE = r"[0-9]['\u2019]s\b"  # "PostgreSQL 14's own"
_PLACEHOLDER = PLACEHOLDER_START.strip("[:")
_END_OF_SENTENCE = (
    r"[\n.!?;\u3002\uff01\uff1f\uff1b](?:(?<=\n)\n*|(?<=[\u3002\uff01\uff1f\uff1b])"
    rf"|(?<={_LETTER}{{2}}[.!?;])[.!?;]*[ \t]+)"
)
# Between the words of a spelled-out number: a comma or a short word such as "and".
_BETWEEN_DIGIT_WORDS = rf"[ ]?[,\u060c\u3001\u2013-]?[ ]?(?:{_LETTER}{{1,3}}[ ])?"
_MIN_DIGIT_WORDS = 3
_MAX_SENTENCE_CHARACTERS, _MAX_WORDS_OF_SENTENCE = 400, 40


_is_digit_word = WordCache[str, bool](lambda word: has_kind(word.lower(), "digit"))


def plain_candidates(subject: Subject, prefilter: Prefilter) -> Iterator[tuple[int, int]]:
    """Yield the spans of the words and phrases that are scored.

    Args:
        subject: The text.
        prefilter: Rules most of them out.
    """
    text = subject.text
    for first, last, context in Sentences(text, prefilter).scored():
        candidates = []
        if prefilter.has_words(context):
            candidates += _near_words(text, first, last, context, prefilter)
        if prefilter.has_phrases(context):
            candidates += [(*span, prefilter.phrase(text[slice(*span)])) for span in _phrases(text, first, last)]
        for start, end, score in candidates:
            if (
                prefilter.is_near(score, context)
                and prefilter.may_be(score, context, adjacent_features_of_plain(text, start, end))
                and not _is_part_of_value(text, start, end)
            ):
                yield start, end


def has_plain_form(word: str) -> bool:
    """Whether a word or phrase is one of those that `plain_candidates` yields."""
    return (" " in word and any(map(str.isalpha, word))) or compiled(_WORD).fullmatch(word) is not None


def is_excluded_plain(text: str, start: int, end: int) -> bool:
    """Whether a plain word or phrase is no password, by its own words and by what is right next to it.

    It is part of a title ("User Name and Password Disclosure"), an option ("--ask-password"), a name in code ('the
    "salt" argument', `LengthValidator`), a role ("Administrateur"), a rule or a courtesy ("must have a digit",
    "thanks"), a property ("unreachable"), what one is made of ("month&year"), or its last word says what it is
    ("supplied-value", "our secret passphrase").
    """
    word = text[start:end].lower()
    last = compiled(_JOINT).split(word)[-1]
    return (
        word.startswith(_ROLE)
        or word.startswith(_DEMANDS)
        or word in COURTESIES
        or is_technical_term(word)
        or compiled(_REMARK).fullmatch(word) is not None
        or compiled(_PROPERTY).fullmatch(word) is not None
        or compiled(_POSSESSIVE).search(word) is not None
        or compiled(rf".*{_UNFINISHED}").fullmatch(word) is not None
        or compiled(_NAME_IN_CODE).fullmatch(text, start, end) is not None
        or text.endswith(_OPTION, 0, start)
        or compiled(_NOUN_OF_CODE_AFTER).match(text, end) is not None
        or (last != word and (has_kind(last, "password") if " " in word else is_remark_word(last)))
        or compiled(_TITLE).search(text, max(0, start - _MAX_CHARACTERS), start) is not None
    )


def adjacent_features_of_plain(text: str, start: int, end: int) -> list[int]:
    """Return the feature numbers of what is right next to a word or phrase."""
    return form_of_plain(text[start:end]).in_context(adjacent_feature_names(text, start, end))


def _near_words(text: str, first: int, last: int, context: int, prefilter: Prefilter) -> list[tuple[int, int, int]]:
    """Return the spans of the words of a sentence, each with its score, if any of them is near the threshold."""
    words = compiled(_WORD).findall(text, first, last)
    scores = prefilter.words(words)
    if not scores or not prefilter.is_near(max(scores), context):  # nearly all sentences end here
        return []
    return [
        (*word.span(), score)
        for word, score in zip(compiled(_WORD).finditer(text, first, last), scores, strict=True)
        if _has_length_of_password(word[0])
    ]


def _has_length_of_password(word: str) -> bool:
    """Whether a word is neither too short nor too long for a password, and no placeholder."""
    least = _MIN_CHARACTERS if word.isascii() else _MIN_CHARACTERS_BEYOND_ASCII
    return least <= len(word) <= _MAX_CHARACTERS and not word.startswith(_PLACEHOLDER)


def _is_part_of_value(text: str, start: int, end: int) -> bool:
    """Whether a word is a part of a random value, such as a line of base64."""
    before = compiled(_VALUE_BEFORE).search(text, max(0, start - _MAX_CHARACTERS), start)
    behind = compiled(_VALUE_AFTER).match(text, end)
    rest = f"{before[0] if before else ''}{behind[0] if behind else ''}"
    return len(rest) >= _MIN_VALUE_CHARACTERS and any(map(str.isdigit, rest))


def _phrases(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of phrases: quoted, after a sign or verb up to the end of the clause, and spelled-out numbers."""
    yield from _spelled(text, first, last)
    for quoted in compiled(_QUOTED).finditer(text, first, last):
        start, end = quoted.span(quoted.lastindex or 0)
        if _is_phrase(text[start:end]):
            yield start, end
    for introduction in compiled(_INTRODUCTION).finditer(text, first, last):
        start = introduction.end()
        phrase = compiled(_PHRASE).match(text, start, min(last, start + _MAX_PHRASE_CHARACTERS) + 1)
        if phrase and len(phrase[0]) <= _MAX_PHRASE_CHARACTERS and PLACEHOLDER_START not in phrase[0]:
            yield phrase.span()


def _spelled(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of numbers that are spelled out, such as "nineteen oh six"."""
    start = end = n_words = 0
    words = compiled(rf"{_LETTER}+")
    are_digits = _is_digit_word.of_all(words.findall(text, first, last))
    if sum(are_digits) < _MIN_DIGIT_WORDS:  # nearly all sentences end here
        return
    for word, is_digit in zip(words.finditer(text, first, last), are_digits, strict=True):
        if is_digit:
            if not (n_words and compiled(_BETWEEN_DIGIT_WORDS).fullmatch(text, end, word.start())):
                if n_words >= _MIN_DIGIT_WORDS:
                    yield start, end
                start, n_words = word.start(), 0
            end, n_words = word.end(), n_words + 1
    if n_words >= _MIN_DIGIT_WORDS:
        yield start, end


def _is_phrase(text: str) -> bool:
    """Whether a quotation is two words or more, and no code."""
    return (
        1 <= text.count(" ") <= _MAX_SPACES
        and text.strip() == text
        and PLACEHOLDER_START not in text
        and compiled(_SIGN_OF_CODE).search(text) is None
        and compiled(_LETTER).search(text) is not None
    )


class Sentences:
    """The sentences and lines of a text, with what their words add to the scores of candidates in and near them.

    Args:
        text: The text.
        prefilter: Scores the words.
    """

    def __init__(self, text: str, prefilter: Prefilter) -> None:
        self._text, self._prefilter = text, prefilter
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._tops: list[int] = []
        at = top = 0
        for gap in compiled(_END_OF_SENTENCE).finditer(text):
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

    def scored(self) -> Iterator[tuple[int, int, int]]:
        """Yield the span of each sentence that is not too long, and the score of the context of its words."""
        scores = [self._prefilter.sentence(self._words(number)) for number in range(len(self._starts))]
        for number, (start, end) in enumerate(zip(self._starts, self._ends, strict=True)):
            if end - start <= _MAX_SENTENCE_CHARACTERS:
                here, above, top = self._context_of(number)
                yield start, end, scores[here].here + (0 if above is None else scores[above].above) + scores[top].top

    def context_feature_names_at(self, start: int) -> Iterator[str]:
        """Yield the feature names of the context of a candidate that starts at `start`."""
        for place, number in zip(SentenceScore._fields, self._context_of(bisect(self._starts, start) - 1), strict=True):
            if number is not None:
                for word in self._words(number):
                    yield from (f"{place}{ending}" for ending in word_feature_endings(word))

    def _context_of(self, number: int) -> tuple[int, int | None, int]:
        """Return the numbers of a sentence, of the one before it in its block, and of the first in its block."""
        top = self._tops[number]
        return number, number - 1 if number > top else None, top

    def _words(self, number: int) -> list[str]:
        """Return the distinct words of a sentence."""
        start, end = self._starts[number], self._ends[number]
        return [*{*words_in(self._text, start, min(end, start + _MAX_SENTENCE_CHARACTERS))[:_MAX_WORDS_OF_SENTENCE]}]
