"""Reads values that come before their label: "hunter2 is the wifi password", "use 4827 as the PIN", "hunter2; root pw".

Between the two there is a link ("is", "as", a sign, a comma or "that's") and perhaps a few words that qualify the label
("the wifi"). After the label, the clause ends or says whose it is: any other word would make it another thing, such as
a password hash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import dropwhile

from s3memory.redaction.interface import PLACEHOLDER_START
from s3memory.redaction.rules.passwords.spoken.vocabulary import is_latin
from s3memory.redaction.rules.passwords.spoken.vocabulary import words_of as words_of_name
from s3memory.redaction.rules.reading.candidates import is_network, is_of_a_user, is_thing
from s3memory.redaction.rules.reading.harmless_codes import is_harmless_code, last_code_name
from s3memory.redaction.rules.reading.harmless_forms import is_harmless_form
from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.rules.reading.linking_words import AS, FOR, SPACED
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.reading.random_values import is_random, is_uuid
from s3memory.redaction.rules.reading.stated_words import is_description
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.rules.scoring.lexicon import has_kind
from s3memory.redaction.searching.settings_view import NamedValues
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.tables import Cell
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_plain

_REACH, _MAX_WORDS, _MAX_QUALIFIERS, _MIN_LENGTH = 90, 5, 2, 4
_IS = word_set(
    "is are was were remains stays became becomes ist sind war est était es era é são è jest było er är var on oli это "
    "был была є це"
) | {verb for verb in SPACED if not is_latin(verb)}
_IS_CALLED = word_set("heißt heisst heißen lautet lauten heter hedder lyder luidt")
# Words for "as", without those that are spelled like an article, "with" or "how" in another language.
_AS = frozenset(AS.split("|")) - word_set("sem com jak kuin")
_NO_NAMES = word_set("standard standards")  # a name for a default password in other languages
_WAYS = word_set("by without through via into")  # "made by code"
# As in "RS256 is the algorithm for the token".
_THINGS = word_set("algorithm method format type size length limit encoding reason rule policy service server user")
_INFINITIVE = "to"  # "is changed to pass"
_PLURAL_ARTICLE = "as"  # of Portuguese
_SIGNS = frozenset(("<-", "\u2190", "<--", "<=", "//", "#", "--", "-", "\u2013", "\u2014"))
_BE, _MIN_WORDS_BEFORE_FOR = frozenset(("be", "been")), 2
# What may be between a value and the link: a pronoun, or another verb, as in "hunter2, which is", "hunter2 works as".
_MODALS = word_set("will should must has have had would could may might can to")
_PRONOUNS_AND_VERBS = _MODALS | word_set(
    "that this it which still now again also works das dies es ce cela eso esto isso isto questo dit dat"
)
# Verbs and pronouns before "as": "hunter2 was set as", "hunter2 is what we use as".
_BEFORE_AS = word_set("set got chosen picked selected used serves serve do does given kept what we they you i use")
# "hunter2 when it asks for", "hunter2 if asked for".
_ASKED, _WHEN = word_set("ask asks asked prompts prompted wants"), word_set("when if whenever where once")
_WHENEVER = _WHEN | {"it", "they", "you", "are"}
# Pronouns for the value after a comma: "hunter2, that's its password", "hunter2, das ist das Passwort".
_THAT, _THAT_IS = word_set("that this das dies ce eso esto isso isto dit dat which"), word_set("that's thats c'est")
_ASKS = word_set("qual quel quelle cual cuál welches welcher jaki jakie какой какая hvilken vilket")
_ONE_OF_MANY, _ENGLISH = word_set("a an one among most common example"), frozenset(("is", "are", "was", "were", "as"))
_USES = word_set(
    "use used uses using set sets setting pick picked choose chose chosen enter entered type typed put keep kept gave "
    "give given want wanted take took taken assigned try tried have has had with"
)
_ID = r"[0-9a-fA-F-]{16,}"
# "gitleaks flags build.py as a password"
_MISTAKES = word_set(
    "flag flagged flags treat treated treats report reported reports mark marked marks mistook mistakes"
)
_WORD = r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*"
_PREFIX = r"\(?(?:[^\W\d_]|-)+"
_QUOTED = (
    r"([\"'`*])[^\"'`*\n]{4,40}\1[,;]?\Z|[\u201c\u201e\u00ab][^\u201c\u201d\u00bb\n]{4,40}[\u201c\u201d\u00bb][,;]?\Z"
)
_OPENING, _CLOSING = "\"'`*_([{<\u201c\u201e\u00ab", "\"'`*_)]}>.,;:\u201c\u201d\u00bb"
_FILLERS = word_set("apparently btw so ok okay yes no well sure now currently remember think")
_CLAUSE_SIGNS, _SENTENCE_ENDS = (",", ";"), frozenset(".:?!")
_BULLETS = " \t>*+#-\u2022"
_CLAUSE_STARTS = frozenset(".,;:!?-\u2013\u2014>(*|#")
# What may follow a label: the end of its clause, or words such as "for the router" in <word> and <rest>. No ":" or "="
# may follow in the clause: the label would be that of the next value.
_AFTER_LABEL = (
    r"(?:s|\uc785\ub2c8\ub2e4|\uc774\ub2e4|\uc774\uc5d0\uc694|\uc608\uc694)?[\"'`*)\]\u201d\u00bb]{0,3}"
    r"(?![^\n.,;]{0,40}[:=])(?:[.,;!?](?!\w)|[ \t]*(?:\r?\n|\Z|[(|\u2013\u2014]|--?[ ])"
    r"|[ ](?P<word>[^\W\d_]+)(?P<rest>['\u2019 ][^\W\d_]+(?:[ ][^\W\d_]+){0,2})?)"
)
_OWNER_WORDS = FOR | {place.rstrip("'") for language in LANGUAGES.values() for place in language.places.split()}
_WORDS_AFTER_LABEL = (
    _OWNER_WORDS
    | {""}
    | word_set(
        "until till since when that which and but too if because so everywhere here there again now once today "
        "yesterday tomorrow"
    )
)


def read_labels_after(text: str, names: Iterable[tuple[int, str]], values: NamedValues) -> None:
    """Add the values whose label is after them to `values`.

    Args:
        text: The text.
        names: The names of secrets in the text: where each starts, and the name.
        values: Where each value is added, with its label.
    """
    seen: set[Cell] = set()
    found = sorted((at, name) for at, name in names if name.lower() not in _NO_NAMES)
    ends = {at + len(name): at for at, name in found}
    for at, name in reversed(found):  # in "password code", the last name has both words
        first = at if text[at : at + len(name)].isascii() else ends.get(at - 1, at)  # "mật khẩu" is one name
        named = _named_value(text, first, at + len(name))
        if named is not None and named[1] not in seen:
            seen.add(named[1])
            values.add(*named, values.new_column(is_of_words=True))
            values.end_part()


def _named_value(text: str, start: int, end: int) -> tuple[str, Cell] | None:
    """Return the label from `start` to `end`, with its qualifiers, and the span of the value before it."""
    words = [*compiled(r"\S+").finditer(text, line_start(text, start, _REACH), start)]
    if words and words[-1].end() == start:  # "WLAN-Passwort", "(password"
        start = words.pop().start()
        if not compiled(_PREFIX).fullmatch(text, start, end):
            return None
    link = _Link(text[start:end])
    while words and link.take(words):
        words.pop()
    is_listed = link.is_in_brackets and text.startswith(",", end)
    if not words or link.is_broken or link.is_one_of_many or is_listed or link.qualifiers[:1] == [_INFINITIVE]:
        return None
    # In other languages than English, a noun after the label doesn't make it another thing: it would be one word with
    # the label, or before it.
    is_strict = link.is_label_english or link.words not in (_IS, _AS)
    beyond = dropwhile(lambda word: word not in ("for", "with"), link.qualifiers)
    if link.words is _IS and link.is_label_english and not _THINGS.isdisjoint(beyond):
        return None  # "RS256 is the algorithm for the token"
    if link.words is _SIGNS and words[-1][0].istitle() and text[end : end + 3].strip() in _SIGNS:
        return None  # "Miro - password - hunter2"
    name = _name(text, start, end, link.qualifiers, is_strict=is_strict)
    cell = _cell_at(text, words, link) if name else None
    return (name, cell) if cell else None


class _Link:
    """The words between a value and the label after it, which `take` reads backwards from the label.

    Attributes:
        words: What links them: `_IS`, `_AS` or `_SIGNS`; `None` if there is none, as after a comma.
        qualifiers: The words that qualify the label, such as "wifi", the last one first.
        is_broken: There is a word that rules out that the label is that of the value.
        is_in_brackets: The words and the label are in brackets.
        is_repeated: A pronoun such as "that" repeats the value after a comma.
        is_asked_for: The words say when the value is asked for.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._meant = words_of_name(name.lstrip("("))
        self._is_link_english = False
        self.is_in_brackets = name[0] == "("
        self.words = _SIGNS if self.is_in_brackets else None
        self.qualifiers: list[str] = []
        self.is_broken = False
        self.is_repeated = False
        self.is_asked_for = False

    def take(self, words: list[re.Match[str]]) -> bool:
        """Read the last of `words`. Return whether it is part of the link; if not, it may be the value."""
        word = words[-1][0]
        lowered = word.lower()
        if link := self._link_of(lowered, words):
            self.words = link
            self._is_link_english |= lowered in _ENGLISH
        elif self.words:
            is_over = word[-1] in _CLAUSE_SIGNS and self.is_repeated and lowered.strip(",;") not in _PRONOUNS_AND_VERBS
            self.is_repeated |= lowered in _THAT
            is_verb = (lowered in _WHENEVER and self.is_asked_for) or (lowered in _BEFORE_AS and self.words is _AS)
            return not is_over and (lowered.strip(",;") in _PRONOUNS_AND_VERBS or is_verb)
        elif word[-1] in _CLAUSE_SIGNS or (self.is_without_is and any(map(str.isdigit, word))):
            return False
        else:
            is_way = lowered in _WAYS and self._meant.is_english
            self.is_broken = (
                is_way or len(self.qualifiers) >= _MAX_WORDS or not compiled(_WORD).fullmatch(word.lstrip("("))
            )
            self.qualifiers.append(lowered.lstrip("("))
            self.is_repeated = lowered in _THAT_IS
            if word[0] == "(":
                self.words, self.is_in_brackets = _SIGNS, True
        return not self.is_broken

    @property
    def is_without_is(self) -> bool:
        """Whether there is no link, and the label is in a language that may do without a word for "is"."""
        return not self._meant.is_english and not self.words

    @property
    def is_label_english(self) -> bool:
        """Whether the label is in English, or in no known language."""
        return self._meant.is_english

    @property
    def is_one_of_many(self) -> bool:
        """Whether the words say that the value is one of many: "is a weak password"."""
        return not _ONE_OF_MANY.isdisjoint(self.qualifiers) and (self.words is _SIGNS or self._is_link_english)

    @staticmethod
    def _is_before_a_number(words: list[re.Match[str]]) -> bool:
        """Whether the word before the last of `words` has a digit."""
        return any(any(map(str.isdigit, word[0])) for word in words[-2:-1])

    def _link_of(self, word: str, words: list[re.Match[str]]) -> frozenset[str] | None:
        """Return which link `word` is, the last of `words`, or `None` if it is none."""
        before = [one[0].lower() for one in words[-3:-1]]
        if word in _ASKED and not self.words and _WHENEVER.issuperset(before[-1:]) and not _WHEN.isdisjoint(before):
            self.is_asked_for = True
            return _AS
        if word in _IS_CALLED:  # "hunter2 heißt das Passwort", and not "Hund heißt Kennwort"
            return _IS if self.qualifiers and self._is_before_a_number(words) else None
        is_article = word == _PLURAL_ARTICLE and self._name[-1] in "sS"
        is_used_for = word in FOR and (
            words[-3][0].lower() in _USES
            if len(words) > _MIN_WORDS_BEFORE_FOR
            else len(words) == _MIN_WORDS_BEFORE_FOR and is_random(words[0][0])
        )
        if is_used_for or (word in _AS and not is_article):
            return _AS
        is_verb = word in _IS or (word in _BE and words[-2:-1] != [] and words[-2][0].lower() in _MODALS)
        if not (is_verb or self._meant.is_english):
            is_verb = compiled(self._meant.verb).fullmatch(word) is not None
        return _IS if is_verb else _SIGNS if word in _SIGNS else None


def _name(text: str, start: int, end: int, qualifiers: list[str], *, is_strict: bool) -> str:
    """Return the label from `start` to `end` with its qualifiers, or nothing if it isn't the label of a secret."""
    after = compiled(_AFTER_LABEL).match(text, end)
    word = (after["word"] or "") if after else ""
    if after is None or (word.lower() not in _WORDS_AFTER_LABEL and is_strict and is_latin(word)):
        return ""
    before = [*dropwhile(FOR.__contains__, reversed(qualifiers[:_MAX_QUALIFIERS]))]
    name = " ".join((*before, text[start:end].lstrip("(\"'`*")))
    words = words_of(name)
    is_number = meaning(words, len(words) - 1) == HARMLESS if words else True
    if is_number and not (words and has_kind(words[-1], "password")):  # "비밀번호" is a number, by its last half
        return ""
    code = last_code_name(name)
    if code is None:
        return name
    # What a code is for may be named after it: "the code for the garage".
    name += f" {after['word']}{after['rest'] or ''}" if (after["word"] or "").lower() in _OWNER_WORDS else ""
    return "" if is_harmless_code(name, code) else name


def _cell_at(text: str, words: list[re.Match[str]], link: _Link) -> Cell | None:
    """Return the span of the value, if it may be a secret: the last of `words`, or the quotation that ends with it."""
    begin, (first, last) = words[0].start(), words[-1].span()
    if quoted := compiled(_QUOTED).search(text, begin, last):
        first = quoted.start()
    value = text[first:last].strip()
    cell = value.lstrip(_OPENING).rstrip(_CLOSING)
    first += value.find(cell)
    before = text[begin:first].rstrip(_OPENING + " ")
    is_in_code = not quoted and any(value.count(end) > value.count(start) for start, end in ("()", "[]", "{}"))
    is_ended = not _SENTENCE_ENDS.isdisjoint(value[len(value.rstrip(_CLOSING + "?!")) :])
    is_by_word = link.words in (_IS, _AS)
    if is_in_code or is_ended or not _may_be_one(cell, is_stated=is_by_word or link.is_without_is):
        return None
    # After "is" or "as" has linked them, the value may even have the form of something else, such as a version.
    if not (is_by_word and not link.is_asked_for) and not cell.isdigit() and is_harmless_form(cell):
        return None
    is_bare = not quoted and (is_plain(cell) or cell.isdigit())
    if link.words is None:
        is_item = (value[-1] == ";" or link.is_without_is) and not any(map(str.isalnum, before))
        has_owner = len(link.qualifiers) <= _MAX_QUALIFIERS and not _OWNER_WORDS.isdisjoint(link.qualifiers[-1:])
        is_linked = is_item or link.is_repeated or (not is_bare and has_owner)
    else:
        is_whole = not (link.words is _SIGNS and " " in cell)
        is_linked = is_whole and (value[-1] not in _CLAUSE_SIGNS or link.is_repeated)
    # "My surname is the password": a plain word inside a clause describes the password, and isn't it.
    verb = before.split()[-1].lower() if link.words is _AS and before else ""
    is_begun = (
        not before
        or before[-1] in _CLAUSE_STARTS
        or (verb == before.lower().lstrip(_BULLETS) and not link.is_asked_for)
    )
    is_stated = (
        is_linked
        and (is_begun or before.split()[-1].lower() in _FILLERS or verb in _USES or not is_bare)
        and verb not in _MISTAKES
    )
    is_labelled = is_by_word and before.endswith(":")  # "server 3: hunter2 is the password"
    is_another = (
        (is_thing(before) and not is_labelled) or is_network(before) or is_of_a_user(text, before, first + len(cell))
    )
    return (first, first + len(cell)) if is_stated and not is_another else None


def _may_be_one(cell: str, *, is_stated: bool) -> bool:
    """Whether a value may be a secret: it doesn't name or describe one, and isn't an identifier.

    Args:
        cell: The value.
        is_stated: The sentence states that it is a secret: an identifier may be one then, but a UUID may not.
    """
    if len(cell) < _MIN_LENGTH or PLACEHOLDER_START in cell or cell.lower() in _ASKS:
        return False
    if compiled(_ID).fullmatch(cell) and (not is_stated or is_uuid(cell)):
        return False
    return not (has_label(cell) or any(map(is_description, cell.split())))
