"""Finds an old and a new password in one sentence: "changed from kale11 to kale12", "not kale11 but kale12".

In all languages alike, the text between the two is short, and their line has a verb of changing or a word for old or
new, or one of them is denied or replaced. Both are letters and a number, as people choose passwords that they must
change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from s3memory.redaction.rules.reading.candidates import OTHER_LABELS, words_with_digits
from s3memory.redaction.rules.reading.harmless_forms import is_harmless_form
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.rules.reading.likeness import Likeness, has_name_of_things, is_product, likeness, names_things
from s3memory.redaction.rules.reading.near import line_around
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.word_lists import word_set

# Some languages append a case ending: "kale12'den", "kale12-ről".
_WORD_AND_NUMBER = (
    r"(?P<word>(?P<stem>[^\W\d_]{4,20})[-_.@#!]?[0-9]{1,6}[^\W\d_]{0,2}[!?*]{0,2})"
    r"(?:['\u2019][^\W\d_]{1,5}|-[^\W\d_]{2,4})?"
)
_MAX_WORDS, _MAX_WORDS_WITH_NEW = 2, 4
_BETWEEN = r"[^\n0-9/(){}\[\]=+&|@]{1,32}"
_AND = word_set("and und et y e en og och ja ve i \u0456 \u05d5 \u0648 or oder ou o oppure nor")
_OTHER_LABEL = rf"(?i)\b(?:{OTHER_LABELS}|accounts?|benutzer|usuario|utilisateur)[ :]{{1,2}}\Z"
# In "password unchanged, the host moved from ...", the clause is about the host.
_ANOTHER_CLAUSE = r"[,;.!?]+[ ](?:[^\s,;:]{1,20}[ :]{1,2}){3,}"
CHANGE = (
    r"(?i)(?<![^\W\d_])(?:chang|swap|replac|switch|rotat|reset|updat|cambi|canvi|muda|mudé|mudou|troca|alter|änder"
    r"|wechsel|ersetz|ersatt|wijzig|verander|vervang|byt(?!es?\b)|zmien|zmian|změn|zmen|vyměn|vymen|promij|promen|spremen"
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
"""A pattern of verbs for changing, in many languages."""
# As in "not kale11 but kale12".
_DENIED = (
    r"(?<![^\W\d_])(?:not|nicht|pas|est plus|no|non|não|niet|ikke|icke|inte|ei|eikä|nie|ne|nu|nem|nevīs|nevis|mitte"
    r"|bukan|tidak|không phải|не|нет|ні|όχι|δεν|ليست?|لا|לא|değil|نه|नहीं|নয়)"
    r"(?![^\W\d_])|不是|并非|並非|ではなく|じゃなく|아니|ไม่ใช่"
)
# "Instead of", where it stands after the old password.
_INSTEAD = r"(?<![^\W\d_])(?:yerine|helyett|sijaan|sijasta|asemel)(?![^\W\d_])|代わり|かわり|대신"
# From the later password to its name behind, where no other clause is between them: "men kale12, der er adgangskoden".
_SAME_CLAUSE = (
    r"(?!.*\b(?:has|have|holds?|asks?|needs|wants|where|there|hat|dort|wo|où|tiene|donde|там|где|gdzie|ma)\b)"
    r"(?:[^.,;:!?\n]{0,48}|[,\uff0c\u3001][^\x00-\u024f]{0,12}"
    r"|,[ ](?:(?:which|that|it|this|der|das|dies|die|som|det|que|eso|isso|che|dit|dat|kt\w{2,3}|to|ez|что|это|це|то)"
    r"(?:['\u2019]s)?|c['\u2019]est)[ ](?:[^\s.,;]{1,16}[ ]){0,3})"
)
# Words and a number, as people also choose them: "from blue heron 11 to blue heron 12".
_PHRASE = r"[\"'`*\u201c\u201e\u00ab]{0,3}(?P<%s>(?:[^\W\d_]{3,16}[ -]){2,4}[0-9]{1,4})[\"'`*\u201c\u201d\u00bb]{0,3}"
FROM = r"(?i:(?<![^\W\d_])(?:from|de|von|vom|van|da|dal|fra|från|z|ze|od|din|\u0441|из|от|з|від)[ ])"
"""A pattern of the word before what changed: "from 4827 to 1993"."""
TO = r"(?i:[ ](?:to|à|a|al|auf|zu|naar|til|till|na|para|la|в|на|до)[ ])"
"""A pattern of the word after it."""
_CHANGED_PHRASES = rf"[^.,;:\n]{{0,48}}?{FROM}{_PHRASE % 'old'}{TO}{_PHRASE % 'new'}(?![\w-]|[.,:/][0-9])"
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
"""Words for old and new, before and now."""
_NEW_WITHOUT_SPACES = r"现在|現在|以前|之前|原来|新|旧|舊|今|지금|이전|ตอนนี้|ก่อน"


class NumberedWord(NamedTuple):
    """A word of letters and a number, its span, and its letters in lower case."""

    start: int
    end: int
    stem: str


def _numbered_words(text: str, begin: int, stop: int) -> Iterator[NumberedWord]:
    """Yield the words between `begin` and `stop` that are letters and a number, and may be passwords."""
    for _, first, last in words_with_digits(text, begin, stop):
        if (word := numbered_word_at(text, first, last)) is not None:
            yield word


@cached_until_forgotten
def numbered_word_at(text: str, first: int, last: int) -> NumberedWord | None:
    """Return the word between `first` and `last` without its case ending, or `None` if it can't be a password."""
    parts = compiled(_WORD_AND_NUMBER).fullmatch(text, first, last)
    if parts is None or not _may_be_password(parts["word"], parts["stem"].lower()):
        return None
    return NumberedWord(first, first + len(parts["word"]), parts["stem"].lower())


@cached_until_forgotten
def _may_be_password(word: str, stem: str) -> bool:
    """Whether `word` may be a password: it is no thing with a number, and no code in capitals."""
    is_thing = is_harmless_form(word) or is_product(word) or is_remark_word(stem)
    is_thing = is_thing or (stem.isascii() and has_name_of_things(word))
    return not (is_thing or stem.upper() == word[: len(stem)])


def without_case_ending(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the span of a word without its case ending: of "kale12" in "kale12'den"."""
    parts = compiled(_WORD_AND_NUMBER).fullmatch(text, first, last)
    return parts.span("word") if parts else (first, last)


def is_replaced(text: str, line: tuple[int, int], old: tuple[int, int], new: tuple[int, int]) -> bool:
    """Whether the context shows that the word at `new` replaced the word at `old`, or that it may."""
    between = text[old[1] : new[0]]
    is_thing = any(occurs(_OTHER_LABEL, text, line[0], start) for start, _ in (old, new))
    if is_thing or '":' in between or not compiled(_BETWEEN).fullmatch(between):  # each value of JSON has a label
        return False
    words = [*filter(None, (word.strip("\"'`*.,;:\u201c\u201d\u00bb\u00ab()-") for word in between.lower().split()))]
    is_new = not NOW_AND_BEFORE.isdisjoint(words) or (
        not between.isascii() and compiled(_NEW_WITHOUT_SPACES).search(between) is not None
    )
    if is_new and len(words) <= _MAX_WORDS_WITH_NEW:
        return True
    if len(words) <= _MAX_WORDS_WITH_NEW and _is_corrected(text[line[0] : old[0]].lower(), between.lower()):
        return True
    is_joined = len(words) <= _MAX_WORDS and _AND.isdisjoint(words) and between.strip() not in (",", ";", ".", "-", "")
    return is_joined and occurs(CHANGE, text, *line)


def _is_corrected(before: str, between: str) -> bool:
    """Whether one of two words is denied, or the other one is there instead: "not kale11 but kale12"."""
    if compiled(_DENIED).search(between) or compiled(_INSTEAD).search(between):
        return True
    is_denied = compiled(rf"(?:{_DENIED})(?:[ ][^\W\d_]{{1,9}})?[ ]?[\"'`*\u201e\u201c\u00ab]{{0,3}}\Z").search(before)
    return is_denied is not None and between.strip() not in (".", "-", "")


def _is_kind_of_thing(text: str, begin: int, stop: int, words: tuple[NumberedWord, ...]) -> bool:
    """Whether the line has one of `words` without its number as well: "the page moved from page12 to page14"."""
    on_line = set(compiled(r"[^\W_]+").findall(text[begin:stop].lower()))
    return any(word.stem in on_line for word in words)


def changed_phrases(text: str, position: int) -> list[tuple[int, int]]:
    """Return the spans of an old and a new password of words and a number, in the clause that goes on at `position`."""
    change = compiled(_CHANGED_PHRASES).match(text, position)
    words = compiled(r"[^\W\d_]+").findall(change["old"] + change["new"]) if change else []
    is_thing = any(names_things(word) or is_remark_word(word.lower()) for word in words)
    return [] if change is None or is_thing else [change.span("old"), change.span("new")]


def changed_pairs(text: str, name: tuple[int, int], reach: int, least: Likeness) -> Iterator[tuple[int, int]]:
    """Yield the spans of an old and a new password on the line of a name.

    Args:
        text: The text.
        name: The span of a password's name, or of a word for logging in.
        reach: How many characters around the name to search.
        least: How much one of the two has to look like a password.
    """
    begin, stop = line_around(text, *name, reach)
    last: NumberedWord | None = None
    for word in _numbered_words(text, begin, stop):
        if last is not None and is_replaced(text, (begin, stop), last[:2], word[:2]):
            pair = (last, word)
            is_apart = compiled(_ANOTHER_CLAUSE).search(text, name[1], last.start) is not None
            if word.end <= name[0] and not occurs(CHANGE, text, begin, stop):
                is_apart = compiled(_SAME_CLAUSE).fullmatch(text, word.end, name[0]) is None
            is_thing = is_apart or _is_kind_of_thing(text, begin, stop, pair)
            if not is_thing and max(likeness(text[one.start : one.end]) for one in pair) >= least:
                yield from (one[:2] for one in pair)
        last = word
