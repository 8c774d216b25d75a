"""Values that stand before their names, read as settings: "v is the wifi password", "use v as the PIN", "v; root pass".

Between the two is what links them: "is", "as", a sign, a comma or "that's", and a few words that say which. Behind the
name its clause ends, or goes on with whose it is: any other word makes another thing of it, such as a password hash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import dropwhile

from s3memory.redaction.model import PLACEHOLDER_START
from s3memory.redaction.rules.passwords.spoken.words import is_latin
from s3memory.redaction.rules.passwords.spoken.words import words_of as words_of_name
from s3memory.redaction.rules.reading.candidates import is_network, is_of_a_user, is_thing
from s3memory.redaction.rules.reading.code_names import is_of_another_sort, last_name_of_a_code
from s3memory.redaction.rules.reading.key_verbs import AS, FOR, SPACED
from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.reading.other_forms import is_other
from s3memory.redaction.rules.reading.random_values import is_random, is_uuid
from s3memory.redaction.rules.reading.told_words import says_something
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.rules.scoring.lexicon import has_kind
from s3memory.redaction.searching.named_values import NamedValues
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.tables import Cell
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_plain

_REACH, _MOST_WORDS, _MOST_WORDS_OF_A_NAME, _LEAST = 90, 5, 2, 4
_IS = word_set(
    "is are was were remains stays became becomes ist sind war est était es era é são è jest było er är var on oli это "
    "был была є це"
) | {verb for verb in SPACED if not is_latin(verb)}
_IS_CALLED = word_set("heißt heisst heißen lautet lauten heter hedder lyder luidt")
# Those that only say "as": of others an article, "with" or "how" is written alike in another language.
_AS = frozenset(AS.split("|")) - word_set("sem com jak kuin")
_NO_NAMES = word_set("standard standards")  # which in other languages is what a password is by default
_WAYS = word_set("by without through via into")  # "made by code"
_OF_ANOTHER = word_set("algorithm method format type size length limit encoding reason rule policy service server user")
_OF_A_VERB = "to"  # "is changed to pass"
_ARTICLE_OF_SEVERAL = "as"  # of Portuguese
_SIGNS = frozenset(("<-", "\u2190", "<--", "<=", "//", "#", "--", "-", "\u2013", "\u2014"))
_BE, _LEAST_BEFORE_FOR = frozenset(("be", "been")), 2
# What stands for the value between it and "is", or goes with a verb: "v, which is", "v works as".
_MODALS = word_set("will should must has have had would could may might can to")
_AGAIN = _MODALS | word_set(
    "that this it which still now again also works das dies es ce cela eso esto isso isto questo dit dat"
)
# Of a value that is told by a verb of its own: "v was set as", "v is what we use as".
_DONE = word_set("set got chosen picked selected used serves serve do does given kept what we they you i use")
# "v when it asks for", "v if asked for".
_ASKED, _WHEN = word_set("ask asks asked prompts prompted wants"), word_set("when if whenever where once")
_WHENEVER = _WHEN | {"it", "they", "you", "are"}
# What repeats a value behind a comma: "v, that's its password", "v, das ist das Passwort".
_THAT, _THAT_IS = word_set("that this das dies ce eso esto isso isto dit dat which"), word_set("that's thats c'est")
_ASKS = word_set("qual quel quelle cual cuál welches welcher jaki jakie какой какая hvilken vilket")
_OF_MANY, _IN_ENGLISH = word_set("a an one among most common example"), frozenset(("is", "are", "was", "were", "as"))
_USES = word_set(
    "use used uses using set sets setting pick picked choose chose chosen enter entered type typed put keep kept gave "
    "give given want wanted take took taken assigned try tried have has had with"
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
_BEGINNING = word_set("apparently btw so ok okay yes no well sure now currently remember think")
_PARTS, _NO_ENDS = (",", ";"), frozenset(".:?!")
_BULLETS = " \t>*+#-\u2022"
_BEGINS_A_CLAUSE = frozenset(".,;:!?-\u2013\u2014>(*|#")
_BEHIND = (
    r"(?:s|\uc785\ub2c8\ub2e4|\uc774\ub2e4|\uc774\uc5d0\uc694|\uc608\uc694)?[\"'`*)\]\u201d\u00bb]{0,3}"
    r"(?![^\n.,;]{0,40}[:=])(?:[.,;!?](?!\w)|[ \t]*(?:\r?\n|\Z|[(|\u2013\u2014]|--?[ ])"
    r"|[ ](?P<word>[^\W\d_]+)(?P<rest>['\u2019 ][^\W\d_]+(?:[ ][^\W\d_]+){0,2})?)"
)
_WHOSE = FOR | {place.rstrip("'") for language in LANGUAGES.values() for place in language.places.split()}
_GOES_ON = (
    _WHOSE
    | {""}
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
    found = sorted((at, name) for at, name in names if name.lower() not in _NO_NAMES)
    ends = {at + len(name): at for at, name in found}
    for at, name in reversed(found):  # of two words that name it, both are in the name that ends last
        first = at if text[at : at + len(name)].isascii() else ends.get(at - 1, at)  # "mật khẩu"
        told = _told(text, first, at + len(name))
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
    links = _Links(text[start:end])
    while words and links.take(words):
        words.pop()
    is_listed = links.are_in_brackets and text.startswith(",", end)
    if not words or links.are_broken or links.are_of_many or is_listed or links.which[:1] == [_OF_A_VERB]:
        return None
    # In other languages than English, another thing is one word with it, or stands before it.
    is_strict = links.are_in_english or links.sort not in (_IS, _AS)
    beyond = dropwhile(lambda word: word not in ("for", "with"), links.which)
    if links.sort is _IS and links.are_in_english and not _OF_ANOTHER.isdisjoint(beyond):
        return None  # "RS256 is the algorithm for the token"
    name = _name(text, start, end, links.which, is_strict=is_strict)
    cell = _cell_at(text, words, links) if name else None
    return (name, cell) if cell else None


class _Links:
    """What stands between a value and the name behind it, read back from the name.

    Attributes:
        sort: The sort of what stands right behind the value: "is", "as", a sign, or nothing where a comma ends it.
        which: The words that say which one it is, the last one first.
        are_broken: Something else stands there.
        are_in_brackets: They and the name are in brackets.
        is_repeated: A word such as "that" repeats the value behind a comma.
        is_asked_for: They say when the value is asked for.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._meant = words_of_name(name.lstrip("("))
        self._is_english = False
        self.are_in_brackets = name[0] == "("
        self.sort = _SIGNS if self.are_in_brackets else None
        self.which: list[str] = []
        self.are_broken = False
        self.is_repeated = False
        self.is_asked_for = False

    def take(self, words: list[re.Match[str]]) -> bool:
        """Read the last of `words`. Return whether the value may be before it."""
        word = words[-1][0]
        lowered = word.lower()
        if sort := self._sort_of(lowered, words):
            self.sort = sort
            self._is_english |= lowered in _IN_ENGLISH
        elif self.sort:
            is_over = word[-1] in _PARTS and self.is_repeated and lowered.strip(",;") not in _AGAIN
            self.is_repeated |= lowered in _THAT
            is_verb = (lowered in _WHENEVER and self.is_asked_for) or (lowered in _DONE and self.sort is _AS)
            return not is_over and (lowered.strip(",;") in _AGAIN or is_verb)
        elif word[-1] in _PARTS or (self.is_without_is and any(map(str.isdigit, word))):
            return False
        else:
            is_way = lowered in _WAYS and self._meant.is_english
            self.are_broken = (
                is_way or len(self.which) >= _MOST_WORDS or not compiled(_WORD).fullmatch(word.lstrip("("))
            )
            self.which.append(lowered.lstrip("("))
            self.is_repeated = lowered in _THAT_IS
            if word[0] == "(":
                self.sort, self.are_in_brackets = _SIGNS, True
        return not self.are_broken

    @property
    def is_without_is(self) -> bool:
        """Whether the name is of a language that may do without a word for "is", or an ending says it."""
        return not self._meant.is_english and not self.sort

    @property
    def are_in_english(self) -> bool:
        """Whether the name is of English, or of no language that is known."""
        return self._meant.is_english

    @property
    def are_of_many(self) -> bool:
        """Whether they say that it is one of many: "is a weak password"."""
        return not _OF_MANY.isdisjoint(self.which) and (self.sort is _SIGNS or self._is_english)

    @staticmethod
    def _is_before_a_number(words: list[re.Match[str]]) -> bool:
        """Whether a digit is in the word before the last of `words`."""
        return any(any(map(str.isdigit, word[0])) for word in words[-2:-1])

    def _sort_of(self, word: str, words: list[re.Match[str]]) -> frozenset[str] | None:
        before = [one[0].lower() for one in words[-3:-1]]
        if word in _ASKED and not self.sort and _WHENEVER.issuperset(before[-1:]) and not _WHEN.isdisjoint(before):
            self.is_asked_for = True
            return _AS
        if word in _IS_CALLED:  # "v heißt das Passwort", and not "Hund heißt Kennwort"
            return _IS if self.which and self._is_before_a_number(words) else None
        is_article = word == _ARTICLE_OF_SEVERAL and self._name[-1] in "sS"
        is_used_for = word in FOR and (
            words[-3][0].lower() in _USES
            if len(words) > _LEAST_BEFORE_FOR
            else len(words) == _LEAST_BEFORE_FOR and is_random(words[0][0])
        )
        if is_used_for or (word in _AS and not is_article):
            return _AS
        is_verb = word in _IS or (word in _BE and words[-2:-1] != [] and words[-2][0].lower() in _MODALS)
        if not (is_verb or self._meant.is_english):
            is_verb = compiled(self._meant.verb).fullmatch(word) is not None
        return _IS if is_verb else _SIGNS if word in _SIGNS else None


def _name(text: str, start: int, end: int, which: list[str], *, is_strict: bool) -> str:
    """Return what stands from `start` to `end` with words that say which, or nothing if it is the name of no secret."""
    behind = compiled(_BEHIND).match(text, end)
    word = (behind["word"] or "") if behind else ""
    if behind is None or (word.lower() not in _GOES_ON and is_strict and is_latin(word)):
        return ""
    before = [*dropwhile(FOR.__contains__, reversed(which[:_MOST_WORDS_OF_A_NAME]))]
    name = " ".join((*before, text[start:end].lstrip("(\"'`*")))
    words = words_of(name)
    is_number = meaning(words, len(words) - 1) == HARMLESS if words else True
    if is_number and not (words and has_kind(words[-1], "password")):  # "비밀번호" is a number, by its last half
        return ""
    code = last_name_of_a_code(name)
    if code is None:
        return name
    # What a code is of, stands behind it as well.
    name += f" {behind['word']}{behind['rest'] or ''}" if (behind["word"] or "").lower() in _WHOSE else ""
    return "" if is_of_another_sort(name, code) else name


def _cell_at(text: str, words: list[re.Match[str]], links: _Links) -> Cell | None:
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
    if is_in_code or is_ended or not _may_be_one(cell, is_told=links.sort in (_IS, _AS) or links.is_without_is):
        return None
    # A verb says so of whatever looks like another thing.
    is_said = links.sort in (_IS, _AS) and not links.is_asked_for
    if not (is_said or cell.isdigit()) and is_other(cell):
        return None
    is_bare = not quoted and (is_plain(cell) or cell.isdigit())
    if links.sort is None:
        is_item = (value[-1] == ";" or links.is_without_is) and not any(map(str.isalnum, before))
        is_linked = (
            is_item
            or links.is_repeated
            or (not is_bare and len(links.which) <= _MOST_WORDS_OF_A_NAME and not _WHOSE.isdisjoint(links.which[-1:]))
        )
    else:
        is_linked = (value[-1] not in _PARTS or links.is_repeated) and not (links.sort is _SIGNS and " " in cell)
    # "My surname is the password": a word that goes on with a clause says what the password is, and not which.
    verb = before.split()[-1].lower() if links.sort is _AS and before else ""
    is_begun = (
        not before
        or before[-1] in _BEGINS_A_CLAUSE
        or (verb == before.lower().lstrip(_BULLETS) and not links.is_asked_for)
    )
    is_told = (
        is_linked
        and (is_begun or before.split()[-1].lower() in _BEGINNING or verb in _USES or not is_bare)
        and verb not in _TAKES_FOR
    )
    is_labelled = links.sort in (_IS, _AS) and before.endswith(":")  # "server 3: v is the password"
    is_another = (
        (is_thing(before) and not is_labelled) or is_network(before) or is_of_a_user(text, before, first + len(cell))
    )
    return (first, first + len(cell)) if is_told and not is_another else None


def _may_be_one(cell: str, *, is_told: bool) -> bool:
    """Whether a word may be a secret, as what is said of one, asked for, named or referred to is not.

    An id may be one where a verb says so.
    """
    if len(cell) < _LEAST or PLACEHOLDER_START in cell or cell.lower() in _ASKS:
        return False
    if compiled(_ID).fullmatch(cell) and (not is_told or is_uuid(cell)):
        return False
    return not (has_label(cell) or any(map(says_something, cell.split())))
