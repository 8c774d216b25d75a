"""What stands behind a name of a secret and a sign or "is", whatever it looks like.

Only its surroundings can tell that "brine.lantern.oxbow" or "K4RT 99QX 7ZLM" is a secret: it is weighed. Names are the
words of the lexicon, and what compounds such as "Ger\u00e4teschl\u00fcssel" end in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from s3memory.redaction.model import PLACEHOLDER_START
from s3memory.redaction.rules.reading import nouns
from s3memory.redaction.rules.reading.judging import is_said
from s3memory.redaction.rules.reading.near import is_in_placeholder
from s3memory.redaction.rules.reading.random_values import has_form_of_an_id, is_random
from s3memory.redaction.rules.weighing.lexicon import PREFIX, has_kind
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import KnownWords
from s3memory.redaction.text.subject import Subject, runs_of
from s3memory.redaction.text.values import is_placeholder
from s3memory.redaction.text.word_lists import word_set

_KINDS = ("password", "token", "pin")
_NO_NAMES = word_set("number numbers digit digits numeric numerals session sessions cookie cookies up keyword keywords")
_LEAST_OF_A_NAME, _SHORT_NAMES = 3, ("pw", "pk", "kw")
_RUN = r"[^\W\d_]{2,40}"
_LETTERS = bytes(code if code < 128 and chr(code).isalpha() else ord(" ") for code in range(256))  # noqa: PLR2004
_LETTER = r"[^\W\d_]"
# Between a name and its sign: what the name is of, or in brackets which one.
_OF = rf"(?:[_-]?[0-9]{{1,2}})?(?:[ _-]{_LETTER}[\w.'-]{{0,20}}){{0,3}}?(?:[ ]?\([^()\n]{{1,30}}\))?"
_CLOSERS = r"[\"'`*\])\u201d\u00bb]{0,3}(?:</[a-z]{1,6}>)?"
_SIGN = (
    r"[ \t]{0,3}(?:::?=?|=>?|\u2192|->|\uff1a|\uff1d|\.{3,40}|\u2026+)(?![=/~])|\uff08|[ ]\((?=[^()\n]{2,80}\))"
    r"|[ \t]{1,12}[|\u2014\u2013-](?=[ ])"
    r"|[ ]?(?:\u306f|\u662f|\u4e3a|\u70ba|\ub294|\uc740)"
    r"|[ ](?:is|was|now|ist|war|lautet|hei\u00dft|est|\u00e9tait|es|era|\u00e8|\u00e9|er|\u00e4r|var|on|oli|jest|je|byl"
    r"|van|volt|este|olan|adalah|l\u00e0|\u044d\u0442\u043e|\u0454|\u03b5\u03af\u03bd\u03b1\u03b9|\u05d4\u05d9\u05d0|\u05d4\u05d5\u05d0|\u0647\u064a"
    r"|\u0647\u0648|\u0939\u0948|lyder|kuuluu|nyt|nu|n\u00e5|jetzt|maintenant|ahora|agora|adesso|teraz|te\u010f|acum"
    r"|art\u0131k|\u0442\u0435\u043f\u0435\u0440\u044c?)"
    r"(?:[ ](?:now|nu|n\u00e5|nyt|jetzt|maintenant|ora|teraz|te\u010f|acum"
    r"|\u03c4\u03ce\u03c1\u03b1|\u05e2\u05db\u05e9\u05d9\u05d5))?:?(?=[ ])"
)
_GAP = r"(?=[ ]{1,3}\S*(?:[0-9]|[a-z][._][a-z]))"  # right behind a name, what no sentence goes on with
_JOIN = rf"(?:{_OF}{_CLOSERS}(?:{_SIGN})|{_CLOSERS}{_GAP})[ \t\u3000]{{0,20}}(?:[*_]{{1,2}}[ \t]{{0,3}})?"
_OPENING, _LONGEST_NAME = "\"'`\u201c\u201e\u00ab\u300c\u300e([{<*", 80
_REST_OF_A_NAME = r"[^\W\d_A-Za-z]{0,6}?"  # a name of a script that joins words is known by two of its letters
_QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u00ab": "\u00bb",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
}
_VALUE = (
    r"[^\s\u3000-\u3002\u300c-\u300f\uff01\uff08\uff09\uff0c\uff1b\uff1f]{2,64}+"
    r"(?![^\s\u3000-\u3002\u300c-\u300f\uff01\uff08\uff09\uff0c\uff1b\uff1f])"
)
_GROUPS = r"(?:[ ][A-Z0-9]{2,8}){1,11}(?![\w-])|(?:[ ][a-z0-9]{2,8}){1,11}(?![\w-])"
_CLAUSE = r"[\w'\u2019-]+(?:,?[ ][\w'\u2019-]+){1,8}[!?]?(?=[ \t]*(?:[.;:()|\"\u2014\u2013\n<]|\Z)|[ ]-)"
_BEGINNING_OF_A_CLAUSE = r"[\w'\u2019-]+(?:[ ][\w'\u2019-]+){1,6}[!?]?(?=[ \t]*(?:[.,;:()|\"\u2014\u2013\n<]|\Z)|[ ]-)"
_OF_CODE = r"[<>(){};]|=(?!=?\Z)|\A[,:&?]|[,:]\Z|\*{3}|\.{3}|\u2022{3}|\u2026|(.)\1{4}"  # or a mask
_BEFORE = 24
_IN_A_LINK = r"://|[?&]|\barn:|\baws[a-z-]*:[a-z0-9-]+:"
_LONGEST_CLAUSE, _LONGEST_QUOTE = 64, 130
_STRIPPED_BEFORE, _STRIPPED_BEHIND = "([{<*`\"'", ".,;:)]}>*`\"'|"
_SHORTEST, _SHORTEST_ELSEWHERE = 4, 2


def values_behind_names(subject: Subject) -> Iterator[tuple[int, int]]:
    """Yield where what stands behind names of secrets starts and ends: the first word, a quote, a clause."""
    text = subject.text
    seen: set[int] = set()
    for at, name in places_of_names(subject):
        end = at + len(name)
        if (
            not _is_of_something_else(text, at, end)
            and (join := compiled(_JOIN if name.isascii() else _REST_OF_A_NAME + _JOIN).match(text, end))
            and join.end() not in seen
        ):
            seen.add(join.end())
            yield from _values_at(text, join.end())


def places_of_names(subject: Subject) -> list[tuple[int, str]]:
    """Return where names of secrets start in a text, and which."""
    return subject.once(_places_of_names)


def called(text: str, start: int) -> str:
    """Return what kind of a secret the name says that stands before what starts at `start`, or nothing."""
    begin = max(text.rfind("\n", 0, start) + 1, start - _LONGEST_NAME)
    for run in reversed([*compiled(_RUN).finditer(text, begin, start)]):
        for name in _names[run[0]]:
            at = run.start() + run[0].lower().rfind(name.lower())
            join = compiled(_JOIN if name.isascii() else _REST_OF_A_NAME + _JOIN).match(text, at + len(name))
            is_before = join is not None and join.end() <= start and not text[join.end() : start].strip(_OPENING)
            if is_before and not (is_in_placeholder(text, at) or nouns.is_for_everybody(text, at, at + len(name))):
                return next((kind for kind in _KINDS if has_kind(name.lower()[:PREFIX], kind)), "token")
    return ""


def is_named(text: str) -> bool:
    """Whether a short `text` has the name of a secret in it."""
    return any(map(_names.__getitem__, compiled(_RUN).findall(text)))


def end_of_groups(text: str, start: int, end: int) -> int:
    """Return where the groups of capitals or small letters and digits end that go on with one of their length."""
    length = end - start
    groups = compiled(_GROUPS).match(text, end)
    if groups is None or any(len(group) != length for group in groups[0].split()):
        return end
    return groups.end() if any(map(str.isdigit, groups[0])) else end


def _places_of_names(subject: Subject) -> list[tuple[int, str]]:
    text, places = subject.text, []
    for name in _names_in(subject):
        haystack = subject.folded if name.isascii() else text
        at = haystack.find(name)
        while at >= 0:
            if _is_word(text, at, at + len(name), name):
                places.append((at, name))
            at = haystack.find(name, at + len(name))
    return places


def _is_word(text: str, start: int, end: int, name: str) -> bool:
    """Whether a name is a word of its own, or one in `camelCase`; of a script that joins words, it need not be."""
    is_begun = text[start].isupper() or not text[start - 1 : start].isalpha()
    return not name.isascii() or (is_begun and not text[end : end + 1].islower())


def _is_of_something_else(text: str, start: int, end: int) -> bool:
    """Whether a name is a parameter of a link, or one of something harmless: "partition key", "max_tokens"."""
    if compiled(_IN_A_LINK).search(text[max(0, start - _LONGEST_NAME) : start + 1].rsplit(maxsplit=1)[-1]):
        return True
    words = nouns.words_of(text[max(0, start - _BEFORE) : end])
    return words[-1:] == ["tokens"] or (bool(words) and nouns.meaning(words, len(words) - 1) == nouns.HARMLESS)


def _names_in(subject: Subject) -> set[str]:
    """Return the names of secrets in a text, as they are looked up: those in ASCII in small letters."""
    runs = {*"\n".join(subject.words).encode("ascii").translate(_LETTERS).decode("ascii").split()}
    if not subject.text.isascii():
        runs.update(compiled(_RUN).findall(subject.text))
    return {name for names in _names.of_all([*runs]) for name in names}


def _names_of(run: str) -> tuple[str, ...]:
    """Return the names of secrets in a run of letters: in scripts that join words, those pairs of letters."""
    if not run.isascii() and run.lower() == run.upper():
        if _is_name(run):
            return (run,)
        pairs = (run[place : place + 2] for place in range(len(run) - 1))
        return tuple(pair for pair in pairs if _is_name(pair))
    words = nouns.words_of(run)
    if not words or not _is_name(words[-1]):
        return ()
    return (words[-1] if words[-1].isascii() else run,)


def _is_name(word: str) -> bool:
    if word in _NO_NAMES or (word.isascii() and len(word) < _LEAST_OF_A_NAME and word not in _SHORT_NAMES):
        return False
    return any(has_kind(word, kind) for kind in _KINDS) or nouns.meaning([word], 0) in (nouns.SECRET, nouns.KEY)


_names = KnownWords[str, "tuple[str, ...]"](_names_of)


def _values_at(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield what may be the value that starts at `start`, or behind a quote there."""
    if closing := _QUOTES.get(text[start : start + 1]):
        end = min(
            (at for quote in closing if (at := text.find(quote, start + 1, start + _LONGEST_QUOTE)) >= 0), default=-1
        )
        if end >= 0 and "\n" not in text[start + 1 : end] and _is_weighed(text[start + 1 : end]):
            yield start + 1, end
        return
    value = compiled(_VALUE).match(text, start)
    if value is None or PLACEHOLDER_START in value[0]:
        return
    word = value[0].lstrip(_STRIPPED_BEFORE)
    first = value.end() - len(word)
    word = word.rstrip(_STRIPPED_BEHIND)
    if _is_weighed(word):
        yield first, first + len(word)
    clause = compiled(_CLAUSE).match(text, first, first + _LONGEST_CLAUSE + 1)
    if clause and len(clause[0]) <= _LONGEST_CLAUSE:
        yield clause.span()
    begun = compiled(_BEGINNING_OF_A_CLAUSE).match(text, first, first + _LONGEST_CLAUSE + 1)
    if begun and (end := _end_before_what_is_said(begun)) > first + len(word) and not (clause and clause.end() == end):
        yield first, end


def _end_before_what_is_said(words: re.Match[str]) -> int:
    """Return where the words end in front of one that says something of them: "lantern river from today"."""
    end = words.start()
    for word in compiled(r"[\w'\u2019-]+[!?]?").finditer(words.string, *words.span()):
        if end > words.start() and is_said(word[0]):
            break
        end = word.end()
    return end


def _is_weighed(word: str) -> bool:
    """Whether `word` is long enough, stands for itself, and is neither of code, an id, nor judged by its randomness."""
    if len(word) < (_SHORTEST if word.isascii() else _SHORTEST_ELSEWHERE) or compiled(_OF_CODE).search(word):
        return False
    is_run = any(map(str.isdigit, word)) and bool(runs_of(word)) and (word.isalnum() or is_random(word))
    return not (is_run or is_said(word) or is_placeholder(word) or has_form_of_an_id(word))
