"""Two words of which one took the other's place: "from v to w", "was v, now w", in any language.

What stands between them is short, and a verb of changing, or a word for old or new, is on their line. The words are
letters and a number, as people make passwords that they have to change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from s3memory.redaction.rules.reading.candidates import words_with_digits
from s3memory.redaction.rules.reading.judging import is_said
from s3memory.redaction.rules.reading.likeness import Likeness, is_name_of_things, is_product, likeness
from s3memory.redaction.rules.reading.near import line_around
from s3memory.redaction.rules.reading.other_forms import is_other
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import judged
from s3memory.redaction.text.word_lists import word_set

# Some languages write a case behind the word: "kale12'den", "kale12-ről".
_WORD_AND_NUMBER = (
    r"(?P<word>(?P<stem>[^\W\d_]{4,20})[-_.@#!]?[0-9]{1,6}[^\W\d_]{0,2}[!?*]{0,2})"
    r"(?:['\u2019][^\W\d_]{1,5}|-[^\W\d_]{2,4})?"
)
_MOST_WORDS, _MOST_WORDS_OF_NEW = 2, 4
_BETWEEN = r"[^\n0-9/(){}\[\]=+&|@]{1,32}"
_AND = word_set("and und et y e en og och ja ve i \u0456 \u05d5 \u0648 or oder ou o oppure nor")
_THING_BEFORE = (
    r"(?i)\b(?:users?|user[ -]?names?|accounts?|nick(?:name)?s?|handles?|ssid|hosts?|networks?|branch(?:es)?|models?"
    r"|files?|tags?|version|release|build|ticket|product|serial|server|benutzer|usuario|utilisateur)[ :]{1,2}\Z"
)
# "password unchanged, the host moved from ..." tells of the host.
_OF_ANOTHER_CLAUSE = r"[,;.!?]+[ ](?:[^\s,;:]{1,20}[ :]{1,2}){3,}"
_CHANGED = (
    r"(?i)(?<![^\W\d_])(?:chang|swap|replac|switch|rotat|reset|updat|cambi|canvi|muda|mudé|mudou|troca|alter|änder"
    r"|wechsel|ersetz|ersatt|wijzig|verander|vervang|bytt|byt|zmien|zmian|změn|zmen|vyměn|vymen|promij|promen|spremen"
    r"|schimb|modific|cserél|változt|vaihd|vaihto|muut|muude|vahet|pakei|nomain|mainī|değiş|dəyiş"
    r"|ganti|ubah|tukar|đổi|thay|badili|palit|bina?go|ŝanĝ|ndrysh|aldat|athra"
    r"|смен|змін|промен|промењ"
    r"|αλλά|αλλα|άλλα)"
    r"|ge(?:ä|ae)nder|gewechsel|gewijzig|(?:ä|æ|e)ndr(?:a|e|at)|meba?dili|diganti|diubah|pinalit|zamien"
    r"|(?:из|по|за)мен|замін|ափոխ|փոխ|შეცვ"
    r"|غير|غيّ|تغییر|عوض|بدل|تبد"
    r"|שינ|שונ|החלפ|बदल|পরিবর্ত|বদল"
    r"|மாற்|మార్|ಬದಲ|เปลี่ยน|สลับ"
    r"|改|换|換|变更|變更|変更|変え|바꾸|바꿨|바뀌|변경|교체"
)
NOW_AND_BEFORE = word_set(
    "was now old new before previously formerly earlier vorher früher bisher alt alte altes neu neue neues "
    "jetzt nun antes ahora vieja viejo nueva nuevo anterior agora velha nova antiga avant maintenant désormais "
    "ancien ancienne nouveau nouvelle prima adesso ora vecchia nuova vroeger eerst oude oud nieuwe nieuw nu "
    "tidigare förut gamla nya ny før nå gammel nytt aiemmin ennen nyt vanha uusi enne nüüd uus stare nowe "
    "teraz było jest dříve teď staré nové predtým régi új most volt lett veche vechi nouă noua acum prije sada "
    "stara prej zdaj eski eskisi yeni yenisi önce şimdi lama baru dulu sekarang cũ mới trước giờ было был была "
    "стало стал теперь раньше старый новый старая новая було старий новий тепер стара нова "
    "\u0441\u0435\u0433\u0430 преди сада πριν τώρα παλιός νέος الآن قبل اکنون الان לפני עכשיו पहले अब আগে এখন"
)
"""Words that bring in what was before, and what is now."""
_NEW_UNSPACED = r"现在|現在|以前|之前|原来|新|旧|舊|今|지금|이전|ตอนนี้|ก่อน"


class Word(NamedTuple):
    """A word of letters and a number, and where it stands."""

    start: int
    end: int
    stem: str


def words_and_numbers(text: str, begin: int, stop: int) -> Iterator[Word]:
    """Yield from `begin` to `stop` what could be passwords whose letters stay when their number changes."""
    for _, first, last in words_with_digits(text, begin, stop):
        if (word := word_and_number(text, first, last)) is not None:
            yield word


@judged
def word_and_number(text: str, first: int, last: int) -> Word | None:
    """Return what stands from `first` to `last`, without what its sentence puts behind it, if it is such a word."""
    parts = compiled(_WORD_AND_NUMBER).fullmatch(text, first, last)
    if parts is None or not _may_be_one(parts["word"], parts["stem"].lower()):
        return None
    return Word(first, first + len(parts["word"]), parts["stem"].lower())


@judged
def _may_be_one(word: str, stem: str) -> bool:
    is_thing = is_other(word) or is_name_of_things(word) or is_product(word) or is_said(stem)
    return not (is_thing or stem.upper() == word[: len(stem)])


def without_case(text: str, first: int, last: int) -> tuple[int, int]:
    """Return where a word stands without the case that its sentence puts behind it."""
    parts = compiled(_WORD_AND_NUMBER).fullmatch(text, first, last)
    return parts.span("word") if parts else (first, last)


def is_replaced(text: str, line: tuple[int, int], old: tuple[int, int], new: tuple[int, int]) -> bool:
    """Whether the sentence says that what stands at `new` took the place of what stands at `old`, or that it may."""
    between = text[old[1] : new[0]]
    is_thing = any(compiled(_THING_BEFORE).search(text, line[0], start) for start, _ in (old, new))
    if is_thing or not compiled(_BETWEEN).fullmatch(between):
        return False
    words = [word.strip("\"'`*.,;:\u201c\u201d\u00bb\u00ab()-") for word in between.lower().split()]
    words = [word for word in words if word]
    is_new = not NOW_AND_BEFORE.isdisjoint(words) or (
        not between.isascii() and compiled(_NEW_UNSPACED).search(between) is not None
    )
    if is_new and len(words) <= _MOST_WORDS_OF_NEW:
        return True
    is_joined = len(words) <= _MOST_WORDS and _AND.isdisjoint(words) and between.strip() not in (",", ";", ".", "-", "")
    return is_joined and compiled(_CHANGED).search(text, *line) is not None


def _is_kind_of_thing(text: str, begin: int, stop: int, words: tuple[Word, ...]) -> bool:
    """Whether one of `words` without its number is on the line as well: "the page moved from page12 to page14"."""
    there = set(compiled(r"[^\W_]+").findall(text[begin:stop].lower()))
    return any(word.stem in there for word in words)


def changed_pairs(text: str, name: tuple[int, int], reach: int, least: Likeness) -> Iterator[tuple[int, int]]:
    """Yield two words on the line of a name of which one took the other's place and that are made alike.

    Args:
        text: The text.
        name: Where the name of a password, or a word for logging in, stands.
        reach: How far from it.
        least: How much one of the words has to look like a password.
    """
    begin, stop = line_around(text, *name, reach)
    last: Word | None = None
    for word in words_and_numbers(text, begin, stop):
        if last is not None and is_replaced(text, (begin, stop), last[:2], word[:2]):
            pair = (last, word)
            is_its = compiled(_OF_ANOTHER_CLAUSE).search(text, name[1], last.start) is None
            is_thing = _is_kind_of_thing(text, begin, stop, pair) or not is_its
            if not is_thing and max(likeness(text[one.start : one.end]) for one in pair) >= least:
                yield from (one[:2] for one in pair)
        last = word
