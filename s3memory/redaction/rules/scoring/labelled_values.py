"""Labels of secrets, and the values after them as candidates, whatever these look like.

Only their context can tell that "brine.lantern.oxbow" or "K4RT 99QX 7ZLM" is a secret. A label is a word of the
lexicon, a compound that ends in one (German "Ger\u00e4teschl\u00fcssel"), or a name for passwords in `LANGUAGES`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from s3memory.redaction.interface import PLACEHOLDER_START
from s3memory.redaction.rules.reading import nouns
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.rules.reading.letters import UNSPACED
from s3memory.redaction.rules.reading.near import is_in_placeholder
from s3memory.redaction.rules.reading.random_values import has_form_of_identifier, is_random
from s3memory.redaction.rules.scoring.lexicon import has_kind, split_runs
from s3memory.redaction.rules.scoring.separators import EMOJI, label_line_start, separators_after
from s3memory.redaction.text.caching import WordCache
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject, runs_of
from s3memory.redaction.text.values import is_placeholder
from s3memory.redaction.text.word_lists import word_set

_KINDS, _PASSWORDS = ("password", "token", "pin"), ("password", "pin")
_NO_LABELS = word_set(
    "number numbers digit digits numeric numerals session sessions cookie cookies up keyword keywords passes "
    "license licenses licence licences"
)
_MIN_LABEL_CHARACTERS, _SHORT_LABELS = 3, ("pw", "pk", "kw")
_MAX_RUN = 40
_RUN = rf"[^\W\d_]{{2,{_MAX_RUN}}}"
# English names are in the lexicon, and shorter ones are often other words. A joiner ends a run of letters.
_MIN_NAME_CHARACTERS, _JOINER = 4, "\u200c"
_NAMES_OF_PASSWORDS = frozenset(
    name.rpartition(_JOINER)[2]
    for code, language in LANGUAGES.items()
    for name in language.names.lower().replace("*", "").split()
    if code != "en" and "_" not in name and (len(name) >= _MIN_NAME_CHARACTERS or not name.isascii())
)
_LETTERS = bytes(code if code < 128 and chr(code).isalpha() else ord(" ") for code in range(256))  # noqa: PLR2004
_OPENING, _MAX_LABEL_CHARACTERS = "\"'`\u201c\u201e\u00ab\u300c\u300e([{<*", 80
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
_ENDS_OF_WORDS = r"\s\u3000-\u3002\u300c-\u300f\uff01\uff08\uff09\uff0c\uff1b\uff1f\u060c\u061b\u06d4\u0964"
_LINK = r"\[([^\[\]\n]{4,64})\]\([^()\s]{1,300}\)"
_VALUE = rf"[^{_ENDS_OF_WORDS}]{{1,64}}+(?![^{_ENDS_OF_WORDS}])"
_GROUPS = r"(?:[ ][A-Z0-9]{2,8}){1,11}(?![\w-])|(?:[ ][a-z0-9]{2,8}){1,11}(?![\w-])"
_ENDS = (
    r".;:()|\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
    r"\"\u2014\u2013\n<\u3001\u3002\uff08\uff09\uff0c\uff1b\u060c\u061b\u06d4\u0964"
)
_END_OF_A_CLAUSE = rf"[\"'`\u201d\u00bb*_)\]]{{0,3}}(?:[ \t]*(?:[,{_ENDS}]|\Z)|[ ]-)"
_CLAUSE = rf"[\w'\u2019-]+(?:,?[ ][\w'\u2019-]+){{1,8}}[!?]?(?=[ \t]*(?:[{_ENDS}]|\Z)|[ ]-)"
_BEGINNING_OF_A_CLAUSE = rf"[\w'\u2019-]+(?:[ ][\w'\u2019-]+){{1,6}}[!?]?(?=[ \t]*(?:[,{_ENDS}]|\Z)|[ ]-)"
_GOES_ON = rf"[ ][{UNSPACED}]{{4}}"
_UP_TO_A_NUMBER = r"(?:[^\W\d_][\w'\u2019-]*[ ]){1,5}?(?:[0-9]{1,4}|[\w'\u2019-]+!)(?=[ ])"
# What may follow a value without a space: an ending of the sentence, an emoji, or more text after a comma or bracket.
_AFTER_VALUE = (
    r"(?:です(?:よ|ね)?|でした|だよ|입니다|이에요|예요|이야|ครับ|ค่ะ|นะคะ|哦|啦|了)\Z"
    rf"|(?:{EMOJI})+\Z|[,;:(](?<=[{UNSPACED}].)(?=[{UNSPACED}])"
)
_SIGN_OF_CODE = r"[<>(){};]|=(?!=?\Z)|\A[,:&?]|[,:]\Z|\*{3}|\.{3}|\u2022{3}|\u2026|(.)\1{4}"  # or a mask
_CHARACTERS_BEFORE = 24
_VERB_PASS, _VERB_CHARACTERS = (
    r"\b(?:to|we|you|not|can|may|must|off,?|and)[ ]pass(?![:=\w]|[ ]\S+[ ]as[ ])",
    8,
)  # the verb
_IN_A_LINK = r"://|[?&]|\barn:|\baws[a-z-]*:[a-z0-9-]+:"
_MAX_CLAUSE_CHARACTERS, _MAX_QUOTE_CHARACTERS = 64, 130
_STRIPPED_BEFORE, _STRIPPED_AFTER = "([{<*`\"'", ".,;:)]}>*`\"'|\uff1a\u201d\u00bb\u0589\u104b\u17d4"
_BRACKETS, _INSIDE = ("(", "\uff08"), r"[^()\uff08\uff09\n]{2,64}(?=[)\uff09])"
_MIN_VALUE_CHARACTERS, _MIN_VALUE_CHARACTERS_BEYOND_ASCII = 4, 2


class Label(NamedTuple):
    """A label of a secret.

    Attributes:
        start: Where it starts.
        kind: The kind of secret: "password", "token" or "pin".
    """

    start: int
    kind: str


def labelled_values(subject: Subject) -> Iterator[tuple[int, int]]:
    """Yield the spans that may be the value of a label: the first word after it, a quotation, a clause."""
    text = subject.text
    seen: set[int] = set()
    for at, name in label_positions(subject):
        end = at + len(name)
        for join in separators_after(text, at, end) if not _is_no_label(text, at, end) else ():
            if join.end() not in seen:
                seen.add(join.end())
                is_below = "\n" in join[0]
                for first, last in _values_at(text, join.end()):
                    # A plain word at the start of the next line begins a sentence, unless nothing follows it.
                    is_begun = is_below and text[first:last].replace("-", "").isalpha()
                    if not is_begun or compiled(_END_OF_A_CLAUSE).match(text, last):
                        yield first, last


def label_positions(subject: Subject) -> list[tuple[int, str]]:
    """Return where labels of secrets start in a text, and the labels."""
    return subject.once(_label_positions)


def label_before(text: str, start: int) -> Label | None:
    """Return the label right before a value that starts at `start`, on its line or the one above."""
    begin = max(label_line_start(text, start), start - _MAX_LABEL_CHARACTERS)
    for run in reversed([*compiled(_RUN).finditer(text, begin, start)]):
        for name in _labels[run[0]]:
            at = run.start() + run[0].lower().rfind(name.lower())
            ends = (join.end() for join in separators_after(text, at, at + len(name)))
            is_before = any(end <= start and not text[end:start].strip(_OPENING) for end in ends)
            if is_before and not (is_in_placeholder(text, at) or nouns.is_public_at(text, at, at + len(name))):
                return Label(at, next((kind for kind in _KINDS if _has_kind(name.lower(), kind)), "token"))
    return None


def has_label(text: str) -> bool:
    """Whether a short `text` contains the label of a secret."""
    return any(map(_labels.__getitem__, compiled(_RUN).findall(text)))


def end_of_groups(text: str, start: int, end: int) -> int:
    """Return the end of a value in groups: groups of equal length go on after its first one ("K4RT 99QX 7ZLM")."""
    length = end - start
    groups = compiled(_GROUPS).match(text, end)
    if groups is None or any(len(group) != length for group in groups[0].split()):
        return end
    return groups.end() if any(map(str.isdigit, groups[0])) else end


def _label_positions(subject: Subject) -> list[tuple[int, str]]:
    text, positions = subject.text, []
    for name in _labels_in(subject):
        haystack = subject.folded if name.isascii() else text
        at = haystack.find(name)
        while at >= 0:
            if _is_whole_word(text, at, at + len(name), name):
                positions.append((at, name))
            at = haystack.find(name, at + len(name))
    return positions


def _is_whole_word(text: str, start: int, end: int, name: str) -> bool:
    """Whether a label is a whole word, or one in `camelCase`. In scripts that join words it need not be."""
    is_begun = text[start].isupper() or not text[start - 1 : start].isalpha()
    return not name.isascii() or (is_begun and not text[end : end + 1].islower())


def _is_no_label(text: str, start: int, end: int) -> bool:
    """Whether a label is a parameter of a link, a verb, or part of a harmless one: "partition key", "max_tokens"."""
    if compiled(_IN_A_LINK).search(text[max(0, start - _MAX_LABEL_CHARACTERS) : start + 1].rsplit(maxsplit=1)[-1]):
        return True
    if any(_has_kind(text[start:end].lower(), kind) for kind in _PASSWORDS):
        verb = compiled(_VERB_PASS).search(text, max(0, start - _VERB_CHARACTERS), end + _MAX_LABEL_CHARACTERS)
        return verb is not None and verb.end() == end
    words = nouns.words_of(text[max(0, start - _CHARACTERS_BEFORE) : end])
    return words[-1:] == ["tokens"] or (bool(words) and nouns.meaning(words, len(words) - 1) == nouns.HARMLESS)


def _labels_in(subject: Subject) -> set[str]:
    """Return the labels in a text, those in ASCII in lower case."""
    runs = {*"\n".join(subject.words).encode("ascii").translate(_LETTERS).decode("ascii").split()}
    if not subject.text.isascii():  # of words in ASCII, only those with a run that is cut may add to them
        words = [word for word in set(subject.text.split()) if not word.isascii() or len(word) > _MAX_RUN]
        runs.update(compiled(_RUN).findall("\n".join(words)))
    return {name for names in _labels.of_all([*runs]) for name in names}


def _labels_of_run(run: str) -> tuple[str, ...]:
    """Return the labels in a run of letters. In scripts that join words, a run may have several."""
    if not run.isascii() and run.lower() == run.upper():
        return (run,) if _is_label(run) else (*_names_of_passwords_in(run), *filter(_is_label, split_runs([run])))
    words = nouns.words_of(run)
    if words and not words[-1].isascii() and words[-1].lower() == words[-1].upper():  # two scripts
        return tuple(name for word in words for name in _labels_of_run(word))
    if not words or not _is_label(words[-1]):
        return ()
    return (words[-1] if words[-1].isascii() else run,)


def _names_of_passwords_in(run: str) -> list[str]:
    """Return the names for passwords, of the rows of `LANGUAGES`, in a run of letters."""
    return [name for name in _NAMES_OF_PASSWORDS if name in run]


def _is_label(word: str) -> bool:
    if word in _NO_LABELS or (word.isascii() and len(word) < _MIN_LABEL_CHARACTERS and word not in _SHORT_LABELS):
        return False
    return any(_has_kind(word, kind) for kind in _KINDS) or nouns.meaning([word], 0) in (nouns.SECRET, nouns.KEY)


def _has_kind(name: str, kind: str) -> bool:
    return has_kind(name, kind) or (kind == "password" and name in _NAMES_OF_PASSWORDS)


_labels = WordCache[str, "tuple[str, ...]"](_labels_of_run)


def _values_at(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the spans that may be the value at `start`, or after a quote there."""
    if link := compiled(_LINK).match(text, start):
        yield link.span(1)
        return
    if closing := _QUOTES.get(text[start : start + 1]):
        end = min(
            (at for quote in closing if (at := text.find(quote, start + 1, start + _MAX_QUOTE_CHARACTERS)) >= 0),
            default=-1,
        )
        if end >= 0 and "\n" not in text[start + 1 : end] and _is_candidate(text[start + 1 : end]):
            yield start + 1, end
        return
    if text[start - 1] in _BRACKETS and (inside := compiled(_INSIDE).match(text, start)):
        quoted = inside[0].strip("\"'`*")
        if _is_candidate(quoted):
            first = start + inside[0].find(quoted)
            yield first, first + len(quoted)
    value = compiled(_VALUE).match(text, start)
    if value is None or PLACEHOLDER_START in value[0]:
        return
    whole = value[0].partition("</")[0]
    word = whole.lstrip(_STRIPPED_BEFORE)
    first = start + len(whole) - len(word)
    word = word.rstrip(_STRIPPED_AFTER)
    if _is_candidate(word):
        yield first, first + len(word)
    if not word.isascii() and (more := compiled(_AFTER_VALUE).search(word)) and _is_candidate(word[: more.start()]):
        yield first, first + more.start()
    yield from _clauses_at(text, first, first + len(word))


def _clauses_at(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of several words that may be the value at `start`, where the first word ends at `end`."""
    reach = start + _MAX_CLAUSE_CHARACTERS
    clause = compiled(_CLAUSE).match(text, start, reach + 1)
    is_in_other_script = text[start:end].isascii() and not text[end : end + 2].isascii()
    goes_on = is_in_other_script and compiled(_GOES_ON).match(text, end)  # the sentence goes on
    if clause and clause.end() <= reach and not goes_on:
        yield clause.span()
    if numbered := compiled(_UP_TO_A_NUMBER).match(text, start, reach):
        yield numbered.span()
    begun = compiled(_BEGINNING_OF_A_CLAUSE).match(text, start, reach + 1)
    if begun and not goes_on and (last := _end_before_remark(begun)) > end and not (clause and clause.end() == last):
        yield start, last


def _end_before_remark(words: re.Match[str]) -> int:
    """Return the end of a phrase before the first word of a remark on it: "lantern river from today"."""
    end = words.start()
    for word in compiled(r"[\w'\u2019-]+[!?]?").finditer(words.string, *words.span()):
        if end > words.start() and is_remark_word(word[0]):
            break
        end = word.end()
    return end


def _is_candidate(word: str) -> bool:
    """Whether `word` is long enough, and neither code, an id, a remark, nor left to the rules for random values."""
    if len(word) < (_MIN_VALUE_CHARACTERS if word.isascii() else _MIN_VALUE_CHARACTERS_BEYOND_ASCII) or compiled(
        _SIGN_OF_CODE
    ).search(word):
        return False
    is_run = any(map(str.isdigit, word)) and bool(runs_of(word)) and (word.isalnum() or is_random(word))
    return not (is_run or is_remark_word(word) or is_placeholder(word) or has_form_of_identifier(word))
