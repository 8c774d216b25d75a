"""The names of passwords and the words of sentences about them, as patterns made from the rows of `languages`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple
from unicodedata import normalize

from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.rules.reading.letters import UNSPACED, is_unspaced
from s3memory.redaction.rules.reading.linking_words import AS_WORDS
from s3memory.redaction.rules.reading.name_tables import cased
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_set

# Names that may mean other things as well: after them, only a mixed value or several words count as a password.
_AMBIGUOUS_NAMES = word_set(
    "pass keypass lösen losen loesen ww pin pin_code contra parola clave cle passe combination sandi رمز"
)
_NO_LETTER_BEFORE, _NO_LETTER_AFTER = r"(?<![A-Za-z0-9_\u00c0-\u024f])", r"(?![A-Za-z0-9_\u00c0-\u024f])"
_MIN_ANCHOR = 4
_BETWEEN_WORDS, _MAX_NAME_WORDS = r"[ _-]+", 4
_INFLECTION = r"[a-z\u00df-\u024f]{0,5}"
# Particles after a name, for "is": of Japanese, Chinese and Korean.
_PARTICLE = "[\u306f\u3092\u662f\u4e3a\u70ba\ub294\uc740]"
_WORD_END = r"(?![\w])"
_PAIR_BEFORE = r"[\"'`*]{0,2}[ ]?(?:[/|&+,\u3001\uff0f:-]|and|und|et|y|e|en|och|og|i|ja|\u0438|\u548c|\u3068|\uc640)[ ]?[\"'`*]{0,2}\Z"
SPACE = r"[ \t\u00a0]{0,4}"
SIGN = (
    r"(?:[-=]{1,3}>|<[-=]{1,3}|[:=]{1,2}(?!//)|[\uff1a\uff1d\u2192\u27a1\u21d2\u055d\u0589\u17d6]|>{1,2}(?=[ ])"
    r"|[-\u2013\u2014](?=[ ])|\|(?=[ ])|\t)"
)
_BASE_LETTERS = str.maketrans(
    {"đ": "d", "ł": "l", "ø": "o", "ß": "ss", "æ": "ae", "ə": "e", "ı": "i", "þ": "th", "ð": "d"}
)
_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "æ": "ae"})
_DASHES = frozenset(["<-", "←", "–", "—", "=", "-"])


class Vocabulary(NamedTuple):
    """The words around a name of a password, in the languages that have this name, mostly as patterns.

    Attributes:
        verb: A verb before the value: "is", "lautet".
        plain: A word that is neither a verb nor a preposition, and the space before it; a space follows.
        unspaced_verb: A verb after a few letters of a script that writes no spaces.
        preposition: A word that begins a phrase such as "of the router" or "for the till".
        pair: The end of a pair's first label: "user/".
        joint: What stands between the labels of a pair and the pair itself: "user/password: bob/v".
        glued: A value and the word that links it to the name after it, without spaces.
        links: The words that link a value and the name after it where there are spaces.
        is_english: The name is English, where a noun after it changes its meaning: "password manager".
        is_explicit: The name means nothing but a password.
        is_beyond: The name is in a script other than Latin.
    """

    verb: str
    plain: str
    unspaced_verb: str
    preposition: str
    pair: str
    joint: str
    glued: str | None
    links: frozenset[str]
    is_english: bool
    is_explicit: bool
    is_beyond: bool


def _bare(name: str) -> str:
    """Return a name of a row without "*", which stands for more letters, and with "_" for "-"."""
    return name.strip("*").replace("-", "_")


def _as_pattern(word: str) -> str:
    """Return a pattern of a word as the rows of `languages` have it, where "_" is a space, "_" or "-"."""
    return re.escape(word.strip("*").replace("_", " ")).replace(r"\ ", "[ _-]")


def _choice(words: Iterable[str]) -> str:
    return "|".join(sorted({_as_pattern(word) for word in words}, key=len, reverse=True))


def is_latin(word: str) -> bool:
    """Whether `word` is in Latin letters."""
    letter = next(filter(str.isalpha, word), "\uffff")
    return letter < "\u0370" or "\u1e00" <= letter < "\u1f00"


def _as_typed(word: str) -> tuple[str, ...]:
    """Return how a word in Latin letters is typed, with its accents or without: "lösen", "losen", "loesen"."""
    if word.isascii() or not is_latin(word):
        return (word,)
    bare = "".join(filter(str.isascii, normalize("NFKD", word.translate(_BASE_LETTERS))))
    spelled = word.translate(_DIGRAPHS)
    return (word, bare, spelled) if spelled.isascii() else (word, bare)


def _languages_by_name() -> dict[str, frozenset[str]]:
    codes: dict[str, set[str]] = {}
    for code, language in LANGUAGES.items():
        for name in language.names.split():
            for typed in _as_typed(_bare(name)):
                codes.setdefault(typed, set()).add(code)
    return {name: frozenset(found) for name, found in codes.items()}


_LANGUAGES_BY_NAME = _languages_by_name()
_NAMES = {typed for language in LANGUAGES.values() for name in language.names.split() for typed in _as_typed(name)}


def _anchors_of(name: str) -> tuple[str, ...]:
    """Return how a name begins in `Subject.folded`: its first word, and if that is short, two more letters."""
    first, _, rest = _bare(name).encode("ascii", "replace").decode("ascii").partition("_")
    if not rest or len(first) >= _MIN_ANCHOR:
        return (first,)
    return tuple(first + joint + rest[:2] for joint in " _-")


@cache
def name_pattern(anchor: str) -> str:
    """Return a pattern of the names that begin with an anchor, because most texts have few of the anchors."""
    if not anchor.isascii():
        return re.escape(anchor)
    latin = [name for name in _NAMES if is_latin(name) and any(one.startswith(anchor) for one in _anchors_of(name))]
    whole = [name for name in latin if not name.startswith("*") and not name.endswith("*")]
    prefixes = [name for name in latin if not name.startswith("*") and name.endswith("*")]
    suffixes = [name for name in latin if name.startswith("*")]
    kinds = [f"{_NO_LETTER_BEFORE}(?:{_choice(whole)})"] * bool(whole)
    kinds += [f"{_NO_LETTER_BEFORE}(?:{_choice(prefixes)}){_INFLECTION}"] * bool(prefixes)
    kinds += [f"(?:{_choice(suffixes)}){_INFLECTION}"] * bool(suffixes)
    return rf"(?i:(?:{'|'.join(kinds)}){_NO_LETTER_AFTER})"


def _anchors() -> tuple[str, ...]:
    """Return anchors for all names, without those that begin with another anchor."""
    found = {start for name in _NAMES if is_latin(name) for start in _anchors_of(name)}
    kept: list[str] = []
    for one in sorted(found):
        if not (kept and one.startswith(kept[-1])):
            kept.append(one)
    beyond = [name.strip("*").replace("_", " ") for name in _NAMES if not is_latin(name)]
    return (*kept, *dict.fromkeys(form for name in sorted(beyond) for form in cased(name)))


ANCHORS = _anchors()
"""The beginnings of the names in Latin letters, as they stand in `Subject.folded`, and all other names in full."""


def has_password_name(text: str) -> bool:
    """Whether a short `text` has one of the names in it, as its language's row spells it."""
    words = compiled(_BETWEEN_WORDS).split(text.lower())
    lengths = range(1, _MAX_NAME_WORDS + 1)
    return any(
        "_".join(words[start : start + n]) in _LANGUAGES_BY_NAME for n in lengths for start in range(len(words) + 1 - n)
    )


@cached_until_forgotten
def words_of(name: str) -> Vocabulary:
    """Return the vocabulary of the languages in which `name` means a password."""
    bare = _bare(name.lower().replace(" ", "_"))
    length = next((size for size in range(len(bare), 1, -1) if bare[:size] in _LANGUAGES_BY_NAME), 0)
    return _vocabulary(_LANGUAGES_BY_NAME.get(bare[:length], frozenset(("en",))), bare[:length] not in _AMBIGUOUS_NAMES)


@cache
def _vocabulary(codes: frozenset[str], is_explicit: bool) -> Vocabulary:  # noqa: FBT001 - a key of the cache
    rows = [LANGUAGES[code] for code in sorted(codes)]
    has_latin = any(is_latin(name) for row in rows for name in row.names.split())
    words = [(word, typed) for row in rows for word in row.verbs.split() for typed in _as_typed(word)]
    verbs = [typed for word, typed in words if len(typed) > 1 or typed == word]
    prepositions = [typed for row in rows for word in row.places.split() for typed in _as_typed(word)]
    elided = [word.rstrip("'") for word in prepositions if word.endswith("'")]
    unspaced = is_unspaced(verbs[0])
    verb = f"(?i:(?:{_choice(verbs)}){'' if unspaced else _WORD_END}|{_PARTICLE})"
    preposition = rf"(?i:(?:{_choice(prepositions)})(?![\w-])|(?:{_choice(elided) or '(?!)'})['\u2019])"
    users = [word for row in rows for word in row.users.split()]
    link = rf"(?i:(?:{_choice([*verbs, *AS_WORDS])}){'' if unspaced else _WORD_END})"
    glued = rf"(?P<value>(?<![!-~])[!-~]{{4,64}}+)[ ]?(?:{link})[ ]?[{UNSPACED}A-Za-z ]{{0,12}}\Z"
    return Vocabulary(
        verb=verb,
        plain=rf"[ \t\u00a0]{{0,4}}+(?!{verb}|{preposition})(?P<word>[A-Z]?[a-z]{{1,40}}+)(?=[ ])",
        unspaced_verb=rf"[{UNSPACED}]{{0,14}}?{verb}",
        preposition=preposition,
        pair=f"(?i:{_choice(users)}){_PAIR_BEFORE}",
        joint=rf"{SPACE}(?:{SIGN}|{verb}|(?=[ ])){SPACE}",
        glued=glued if unspaced else None,
        links=_DASHES.union(*(word.split("_") for word in verbs), AS_WORDS),
        is_english="en" in codes,
        is_explicit=is_explicit,
        is_beyond=not has_latin,
    )
