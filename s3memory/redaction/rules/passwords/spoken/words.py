"""The words that passwords are spoken of with: patterns made of the rows of `languages`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple
from unicodedata import normalize

from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.rules.reading.letters import UNSPACED
from s3memory.redaction.rules.reading.name_tables import cased
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import judged
from s3memory.redaction.text.word_lists import word_list, word_set

# What may be other things as well: only a mixed value, or several words, can be told behind them.
_VAGUE = word_set("pass keypass lösen losen loesen ww pin pin_code contra parola clave cle passe combination sandi رمز")
_NO_LETTER_BEFORE, _NO_LETTER_BEHIND = r"(?<![A-Za-z0-9_\u00c0-\u024f])", r"(?![A-Za-z0-9_\u00c0-\u024f])"
_LEAST_ANCHOR = 4
_BETWEEN_WORDS, _MOST_WORDS_OF_A_NAME = r"[ _-]+", 4
_INFLECTION = r"[a-z\u00df-\u024f]{0,5}"
_PARTICLE = "[\u306f\u3092\u662f\u4e3a\u70ba\ub294\uc740]"
_WORD_END = r"(?![\w])"
_AS = word_list(
    "as als comme como come com som jako jak kaip kā mint ca kao kot sem olarak sebagai làm si как як като као ως"
)
_PAIR_BEFORE = r"[\"'`*]{0,2}[ ]?(?:[/|&+,\u3001\uff0f:-]|and|und|et|y|e|en|och|og|i|ja|\u0438|\u548c|\u3068|\uc640)[ ]?[\"'`*]{0,2}\Z"
SPACE = r"[ \t\u00a0]{0,4}"
SIGN = (
    r"(?:[-=]{1,3}>|<[-=]{1,3}|[:=]{1,2}(?!//)|[\uff1a\uff1d\u2192\u27a1\u21d2\u055d\u0589\u17d6]|>{1,2}(?=[ ])"
    r"|[-\u2013\u2014](?=[ ])|\|(?=[ ])|\t)"
)
_BASE_LETTERS = str.maketrans(
    {"đ": "d", "ł": "l", "ø": "o", "ß": "ss", "æ": "ae", "ə": "e", "ı": "i", "þ": "th", "ð": "d"}
)
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "æ": "ae"})
_DASHES = frozenset(["<-", "←", "–", "—", "=", "-"])


class Words(NamedTuple):
    """What a name means, as patterns of the words of the languages that it is of.

    Attributes:
        verb: What says which one it is.
        plain: A word that is neither that nor begins a place, with a space behind it.
        unspaced_verb: The same behind a few letters of a script that writes no spaces.
        place: What begins a phrase of whose it is or where it is for.
        pair: What the first half of a pair ends in.
        joint: What stands between the names of a pair and the pair.
        glued: A value and what links it to the name behind it, without spaces.
        links: The words that link them where there are spaces.
        is_english: It is English, where a noun behind the name makes it another thing.
        is_explicit: It means nothing else.
        is_beyond: It is in letters beyond Latin.
    """

    verb: str
    plain: str
    unspaced_verb: str
    place: str
    pair: str
    joint: str
    glued: str | None
    links: frozenset[str]
    is_english: bool
    is_explicit: bool
    is_beyond: bool


def _bare(name: str) -> str:
    return name.strip("*").replace("-", "_")


def _spelled(word: str) -> str:
    return re.escape(word.strip("*").replace("_", " ")).replace(r"\ ", "[ _-]")


def _choice(words: Iterable[str]) -> str:
    return "|".join(sorted({_spelled(word) for word in words}, key=len, reverse=True))


def is_unspaced(text: str) -> bool:
    """Whether a letter of a script that writes no spaces is in `text`. Most texts are spared the pattern for them."""
    return not text.isascii() and compiled(f"[{UNSPACED}]").search(text) is not None


def is_latin(word: str) -> bool:
    """Whether `word` is in Latin letters."""
    letter = next(filter(str.isalpha, word), "\uffff")
    return letter < "\u0370" or "\u1e00" <= letter < "\u1f00"


def _as_typed(word: str) -> tuple[str, ...]:
    """Return a word in Latin letters as it is typed where its accents are at hand, and where they are not."""
    if word.isascii() or not is_latin(word):
        return (word,)
    bare = "".join(filter(str.isascii, normalize("NFKD", word.translate(_BASE_LETTERS))))
    spelled = word.translate(_SPELLED_OUT)
    return (word, bare, spelled) if spelled.isascii() else (word, bare)


def _codes_by_name() -> dict[str, frozenset[str]]:
    codes: dict[str, set[str]] = {}
    for code, language in LANGUAGES.items():
        for name in language.names.split():
            for typed in _as_typed(_bare(name)):
                codes.setdefault(typed, set()).add(code)
    return {name: frozenset(found) for name, found in codes.items()}


_CODES = _codes_by_name()
_NAMES = {typed for language in LANGUAGES.values() for name in language.names.split() for typed in _as_typed(name)}


def _starts(name: str) -> tuple[str, ...]:
    """Return how a name begins in `Subject.folded`: a short word only with what follows it."""
    first, _, rest = _bare(name).encode("ascii", "replace").decode("ascii").partition("_")
    if not rest or len(first) >= _LEAST_ANCHOR:
        return (first,)
    return tuple(first + joint + rest[:2] for joint in " _-")


@cache
def name_pattern(anchor: str) -> str:
    """Return a pattern of the names that begin with an anchor: most texts have few of the anchors."""
    if not anchor.isascii():
        return re.escape(anchor)
    latin = [name for name in _NAMES if is_latin(name) and any(one.startswith(anchor) for one in _starts(name))]
    whole = [name for name in latin if not name.startswith("*") and not name.endswith("*")]
    begun = [name for name in latin if not name.startswith("*") and name.endswith("*")]
    ends = [name for name in latin if name.startswith("*")]
    kinds = [f"{_NO_LETTER_BEFORE}(?:{_choice(whole)})"] * bool(whole)
    kinds += [f"{_NO_LETTER_BEFORE}(?:{_choice(begun)}){_INFLECTION}"] * bool(begun)
    kinds += [f"(?:{_choice(ends)}){_INFLECTION}"] * bool(ends)
    return rf"(?i:(?:{'|'.join(kinds)}){_NO_LETTER_BEHIND})"


def _anchors() -> tuple[str, ...]:
    found = {start for name in _NAMES if is_latin(name) for start in _starts(name)}
    kept: list[str] = []
    for one in sorted(found):
        if not (kept and one.startswith(kept[-1])):
            kept.append(one)
    beyond = [name.strip("*").replace("_", " ") for name in _NAMES if not is_latin(name)]
    return (*kept, *dict.fromkeys(form for name in sorted(beyond) for form in cased(name)))


ANCHORS = _anchors()
"""How the names in Latin letters begin in `Subject.folded`, and all others."""


def has_name(text: str) -> bool:
    """Whether one of the names stands in a short `text`, in the form that its language's row has it in."""
    words = compiled(_BETWEEN_WORDS).split(text.lower())
    lengths = range(1, _MOST_WORDS_OF_A_NAME + 1)
    return any("_".join(words[start : start + n]) in _CODES for n in lengths for start in range(len(words) + 1 - n))


@judged
def words_of(name: str) -> Words:
    """Return the words of the languages in which `name` is what a password is called."""
    bare = _bare(name.lower().replace(" ", "_"))
    length = next((size for size in range(len(bare), 1, -1) if bare[:size] in _CODES), 0)
    return _words(_CODES.get(bare[:length], frozenset(("en",))), bare[:length] not in _VAGUE)


@cache
def _words(codes: frozenset[str], is_explicit: bool) -> Words:  # noqa: FBT001 - a key of the cache
    rows = [LANGUAGES[code] for code in sorted(codes)]
    has_latin = any(is_latin(name) for row in rows for name in row.names.split())
    verbs = [
        typed
        for row in rows
        for word in row.verbs.split()
        for typed in _as_typed(word)
        if len(typed) > 1 or typed == word
    ]
    places = [typed for row in rows for word in row.places.split() for typed in _as_typed(word)]
    elided = [word.rstrip("'") for word in places if word.endswith("'")]
    unspaced = is_unspaced(verbs[0])
    verb = f"(?i:(?:{_choice(verbs)}){'' if unspaced else _WORD_END}|{_PARTICLE})"
    place = rf"(?i:(?:{_choice(places)})(?![\w-])|(?:{_choice(elided) or '(?!)'})['\u2019])"
    users = [word for row in rows for word in row.users.split()]
    link = rf"(?i:(?:{_choice([*verbs, *_AS])}){'' if unspaced else _WORD_END})"
    glued = rf"(?P<value>(?<![!-~])[!-~]{{4,64}}+)[ ]?(?:{link})[ ]?[{UNSPACED}A-Za-z ]{{0,12}}\Z"
    return Words(
        verb=verb,
        plain=rf"[ \t\u00a0]{{0,4}}+(?!{verb}|{place})(?P<word>[A-Z]?[a-z]{{1,40}}+)(?=[ ])",
        unspaced_verb=rf"[{UNSPACED}]{{0,14}}?{verb}",
        place=place,
        pair=f"(?i:{_choice(users)}){_PAIR_BEFORE}",
        joint=rf"{SPACE}(?:{SIGN}|{verb}|(?=[ ])){SPACE}",
        glued=glued if unspaced else None,
        links=_DASHES.union(*(word.split("_") for word in verbs), _AS),
        is_english="en" in codes,
        is_explicit=is_explicit,
        is_beyond=not has_latin,
    )
