"""Values that stand before their names, read as settings: "v is the wifi password", "use v as the PIN", "v; root pass".

Between the two is what links them: "is", "as", a sign, a comma or "that's", and a few words that say which. Behind the
name its clause ends, or goes on with whose it is: any other word makes another thing of it, such as a password hash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import dropwhile

from s3memory.redaction.model import PLACEHOLDER_START
from s3memory.redaction.rules.reading.candidates import is_network, is_of_a_user, is_thing
from s3memory.redaction.rules.reading.code_names import is_of_another_sort, last_name_of_a_code
from s3memory.redaction.rules.reading.key_verbs import AS, FOR
from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.reading.other_forms import is_other
from s3memory.redaction.rules.reading.told_words import says_something
from s3memory.redaction.rules.weighing.behind_names import is_named
from s3memory.redaction.searching.named_values import NamedValues
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.tables import Cell
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_plain

_REACH, _MOST_WORDS, _MOST_WORDS_OF_A_NAME, _LEAST = 90, 5, 2, 4
_IS = word_set("is are was were ist sind war est était es era é são è jest było er är var on oli это был была є це")
# Those that only say "as": of others an article, "with" or "how" is written alike in another language.
_AS = frozenset(AS.split("|")) - word_set("sem com jak ca kuin")
_ARTICLE_OF_SEVERAL = "as"  # of Portuguese
_SIGNS = frozenset(("<-", "\u2190", "<--", "<=", "//", "#", "--", "-", "\u2013", "\u2014"))
_LINKS = _IS | _AS | _SIGNS
# What stands for the value between it and "is", or goes with a verb: "v, which is", "v works as".
_AGAIN = word_set("that this it which still now also works das dies es ce cela eso esto isso isto questo dit dat")
_ASKS = word_set("qual quel quelle cual cuál welches welcher jaki jakie какой какая hvilken vilket")
_OF_MANY, _IN_ENGLISH = word_set("a an one among most common example"), frozenset(("is", "are", "was", "were", "as"))
_USES = word_set(
    "use used uses using set sets setting pick picked choose chose chosen enter entered type typed put keep kept gave "
    "give given want wanted take took taken assigned try tried have has had"
)
_ID = r"[0-9a-fA-F-]{16,}"
_TAKES_FOR = word_set(
    "flag flagged flags treat treated treats report reported reports mark marked marks mistook mistakes"
)
_WORD = r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*"
_PREFIX = r"\(?(?:[^\W\d_]|-)+"
_QUOTED = (
    r"([\"'`*])[^\"'`*\n]{4,40}\1[,;]?\Z|[\u201c\u201e\u00ab][^\u201c\u201d\u00bb\n]{4,40}[\u201c\u201d\u00bb][,;]?\Z"
)
_OPENING, _CLOSING = "\"'`*_([{<\u201c\u201e\u00ab", "\"'`*_)]}>.,;:\u201c\u201d\u00bb"
_PARTS, _NO_ENDS = (",", ";"), frozenset(".:?!")
_BULLETS = " \t>*+#-\u2022"
_BEGINS_A_CLAUSE = frozenset(".,;:!?-\u2013\u2014>(*|#")
_BEHIND = (
    r"s?[\"'`*)\]\u201d\u00bb]{0,3}(?![^\n.,;]{0,40}[:=])(?:[.,;!?](?!\w)|[ \t]*(?:\r?\n|\Z|[(|\u2013\u2014]|--?[ ])"
    r"|[ ](?P<word>[^\W\d_]+)(?P<rest>['\u2019 ][^\W\d_]+(?:[ ][^\W\d_]+){0,2})?)"
)
_WHOSE = (
    FOR
    | {place.rstrip("'") for language in LANGUAGES.values() for place in language.places.split()}
    | word_set(
        "until till since when that which and but too if because so everywhere here there again now once today "
        "yesterday tomorrow"
    )
)


def read_names_behind(text: str, names: Iterable[tuple[int, str]], values: NamedValues) -> None:
    """Read what is told to be a secret by a name that stands behind it.

    Args:
        text: The text.
        names: Where names of secrets start, and which.
        values: What is read.
    """
    seen: set[Cell] = set()
    for at, name in sorted(names):
        told = _told(text, at, at + len(name))
        if told is not None and told[1] not in seen:
            seen.add(told[1])
            values.add(*told, values.new_column(is_of_words=True))
            values.end_part()


def _told(text: str, start: int, end: int) -> tuple[str, Cell] | None:
    """Return the name that stands from `start` to `end`, with what says which, and where its value stands."""
    words = [*compiled(r"\S+").finditer(text, line_start(text, start, _REACH), start)]
    if words and words[-1].end() == start:  # "WLAN-Passwort", "(password"
        start = words.pop().start()
        if not compiled(_PREFIX).fullmatch(text, start, end):
            return None
    which: list[str] = []
    links: set[str] = set()
    link = _SIGNS if text[start] == "(" else None
    while words:
        word = words[-1][0]
        lowered = word.lower()
        if lowered in _LINKS and not (lowered == _ARTICLE_OF_SEVERAL and text[end - 1] in "sS"):
            links.add(lowered)
            link = _AS if lowered in _AS else _IS if lowered in _IS else _SIGNS
        elif link and lowered in _AGAIN:
            pass
        elif link or word[-1] in _PARTS:
            break
        elif compiled(_WORD).fullmatch(word.lstrip("(")) and len(which) < _MOST_WORDS:
            which.append(lowered.lstrip("("))
            link = _SIGNS if word[0] == "(" else None
        else:
            return None
        words.pop()
    is_of_many = not _OF_MANY.isdisjoint(which) and (link is _SIGNS or not _IN_ENGLISH.isdisjoint(links))
    if not words or is_of_many or not (name := _name(text, start, end, which)):
        return None
    cell = _cell_at(text, words, link, which)
    return (name, cell) if cell else None


def _name(text: str, start: int, end: int, which: list[str]) -> str:
    """Return what stands from `start` to `end` with words that say which, or nothing if it is the name of no secret."""
    behind = compiled(_BEHIND).match(text, end)
    if behind is None or (behind["word"] and behind["word"].lower() not in _WHOSE):
        return ""
    before = [*dropwhile(_WHOSE.__contains__, reversed(which[:_MOST_WORDS_OF_A_NAME]))]
    name = " ".join((*before, text[start:end].lstrip("(\"'`*")))
    words = words_of(name)
    if not words or meaning(words, len(words) - 1) == HARMLESS:
        return ""
    code = last_name_of_a_code(name)
    if code is None:
        return name
    # What a code is of, stands behind it as well.
    name += f" {behind['word']}{behind['rest'] or ''}" if behind["word"] else ""
    return "" if is_of_another_sort(name, code) else name


def _cell_at(text: str, words: list[re.Match[str]], link: frozenset[str] | None, which: list[str]) -> Cell | None:
    """Return where the value stands that the last of `words` is, or the quote that it ends, if it may be one."""
    begin, (first, last) = words[0].start(), words[-1].span()
    if quoted := compiled(_QUOTED).search(text, begin, last):
        first = quoted.start()
    value = text[first:last].strip()
    cell = value.lstrip(_OPENING).rstrip(_CLOSING)
    first += value.find(cell)
    before = text[begin:first].rstrip(_OPENING + " ")
    is_in_code = not quoted and any(value.count(end) > value.count(start) for start, end in ("()", "[]", "{}"))
    is_ended = not _NO_ENDS.isdisjoint(value[len(value.rstrip(_CLOSING + "?!")) :])
    if is_in_code or is_ended or not _may_be_one(cell):
        return None
    is_bare = not quoted and (is_plain(cell) or cell.isdigit())
    if link is None:
        is_item = value[-1] == ";" and not any(map(str.isalnum, before))
        is_linked = is_item or (
            not is_bare and len(which) <= _MOST_WORDS_OF_A_NAME and not _WHOSE.isdisjoint(which[-1:])
        )
    else:
        is_linked = value[-1] not in _PARTS and not (link is _SIGNS and " " in cell)
    # "My surname is the password": a word that goes on with a clause says what the password is, and not which.
    verb = before.split()[-1].lower() if link is _AS and before else ""
    is_begun = not before or before[-1] in _BEGINS_A_CLAUSE or verb == before.lower().lstrip(_BULLETS)
    is_told = is_linked and (is_begun or verb in _USES or not is_bare) and verb not in _TAKES_FOR
    is_another = is_thing(before) or is_network(before) or is_of_a_user(text, before, first + len(cell))
    return (first, first + len(cell)) if is_told and not is_another else None


def _may_be_one(cell: str) -> bool:
    """Whether a word may be a secret, as what is said of one, asked for, named or referred to is not."""
    if len(cell) < _LEAST or PLACEHOLDER_START in cell or cell.lower() in _ASKS or compiled(_ID).fullmatch(cell):
        return False
    return not (is_named(cell) or any(map(says_something, cell.split()))) and (cell.isdigit() or not is_other(cell))
