"""Passwords that nothing names: "the safe opens with ...", "guest wifi ...", "sudo asks for ...".

Values come first, as everywhere where words are many: what is made as people make passwords is rare. The plainer it is
one, the less has to be said: that something is about getting in, and by what word the value is brought in.
"""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.model import PLACEHOLDER_START, Span, behind_placeholders
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading import nouns
from s3memory.redaction.rules.reading.candidates import (
    STRIPPED,
    WITH_DIGIT,
    is_last,
    is_network,
    is_of_a_user,
    is_thing,
    token_start,
    word_in,
    words_with_digits,
)
from s3memory.redaction.rules.reading.changes import NOW_AND_BEFORE
from s3memory.redaction.rules.reading.counted import is_counted, is_gone_into
from s3memory.redaction.rules.reading.getting_in import ANY, ENTERING, EVERY, LOCK, LOCKS, OTHER_LOCK, WORDS, Words
from s3memory.redaction.rules.reading.in_code import is_of_code
from s3memory.redaction.rules.reading.likeness import Likeness, is_spelled_with_digits, likeness
from s3memory.redaction.rules.reading.near import Places, line_around
from s3memory.redaction.rules.reading.told_things import is_told_to_be_a_thing
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import judged
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.text.values import looks_random
from s3memory.redaction.text.word_lists import word_set

_AROUND = 110
# As `Subject.signs` has them: a digit, or three words that are joined.
_MAY_BE_ONE = rb"[0*!&-](?:(?<=0)|(?<=a-)a{3,16}-a|(?<=a[*!&])a{3})[^ \t\r\n]*+"
# Words joined by what joins nothing else, in some twenty million characters of documentation and code.
_UNMISTAKABLE = (
    r"(?=.*[0-9])(?!(?i:fritz)!)(?:[^\W\d_]{3,14}[0-9]{0,4}[!*&]){1,3}[^\W\d_]{2,14}[0-9]{1,4}[!?]?"
    r"|[A-Z][a-z]{5,14}[!*][0-9]{1,4}"
)
_MARKS = frozenset("!*&")  # one of them is in what is one by itself
# More than a word and a number, which things are called as well, and not an option of a command.
_OF_PARTS = r"(?!-)(?![A-Za-z][a-z]*-?[0-9]+\Z)"
_GOES_ON = r"[?\uff1f][\"'`*)]{0,2}[ ]{0,2}\Z"
# "Nest_Cam_2", "useEffect2": one of several, or a name in code.
_NUMBERED_NAME = (
    r".*[-_.][0-9]|(?:use|get|set|fetch|parse|handle|is|has|on|to|from|make|create|update|delete|load|save|read|write"
    r"|render|init|build|run|start|stop|add|remove|find|list|check|test|send|log)[A-Z].*"
)
_WITH_ONE_NUMBER = r"(?:[a-z]+[-_])*(?P<part>[a-z]+[0-9]{1,2}[a-z]+)(?:[-_][a-z]+)*"
# "the password of ..." names whose it is.
_PLACE_BETWEEN = (
    r"[\"'`*]{0,2}[ ](?:of|for|on|in|at|from)[ ](?:(?:the|our|my|his|her|their)[ ])?(?:[a-z]+[ ])?[\"'`*]{0,2}"
)
_BESIDE, _NEAR_A_LOCK = 2, 48
_SETTING = r"[\"'`(\[{]?(?!(?=\w*[A-Z])\w*[0-9][A-Za-z](?![a-z])\w*=[^=].)[a-z]\w*[=][\w\"']"
_TIME, _BY = r"(?:[01][0-9]|2[0-3])[0-5][0-9]", r"(?i)\b(?:by|at)[ ]\Z"
_LEAST, _MOST = 4, 64
# What brings a value in.
_INTRODUCES = word_set(
    "with using by via takes wants needs without for accepts supply enter type try say is are was key code phrase "
    "secret on then to be combo number combination use now sequence pin word just it's keep value pick picking i.e "
    "namely asks got has tried plus give gave it uses psk pw pwd lock so currently temp temporary w/ yes actually "
    "still"
)
_BEFORE_ITS_USE = r"(?i)(?<!\S)(?:with|using|use|try|tried|enter|type)\s{0,110}(?<=[ ])\Z"
_LAST_SPACED = "\u058f"  # beyond it, scripts write no spaces, or a preposition in front
_ARROWS = ("\u2192", ">", "=")
_SIGNS = (":", "=", "/", "//", "-", "--", "\u2013", "\u2014", "->", "\u2192", "|")
_FOLLOWS = (
    r"[\"'`*)\u201d\u00bb\u2019]{0,3}[ ](?:is|was|gets|lets|opens|unlocks|does|works|will|should|for|as|to|on|again)\b"
    r"|[\"'`*]{0,3}[ ]?\("
)
_ENTERED = r"(?i)\b(?:enter|key[ ]in|punch[ ]in)[ ][\"'`*]{0,3}\Z"
_QUANTITY = (
    r"(?i)(?:count|size|length|timeout|limit|(?<!sup)port|iterations|interval|level|version|bits"
    r"|days|hours|minutes|seconds|max|(?<!ad)min)[\"']?[ \t]{0,4}[:=][ \t]{0,4}\Z"
)
_OPENS = (
    r"[\"'`*\u201d\u00bb\u2019]{0,3}(?:[.;,]?[ ](?:[Tt]hat|it))?[ ](?:still[ ]|now[ ])?"
    r"(?:opens|unlocks|disarms|arms(?=[.,;!]|[ ]*(?:\n|\Z)|[ ](?:it|the)\b)"
    r"|(?:gets|lets)[ ](?:you|me|us|him|her|them|anyone)[ ](?:in|past))"
)
_AS_A_WORD = r"(?i)\bthe[ ](?:[a-z]{2,10}[ ])?(?:word|phrase)[ ][\"'`*\u201c\u00ab]{0,3}\Z"
_COMBINATION = (  # no year, and no power of two
    r"[*]?(?!(?:(?:19|20)[0-9]{2}|1024|4096|8192|16384|32768|6553[56])\Z)[0-9]{4,5}[#*]?"
    r"|[0-9]{1,2}(?:[-/][0-9]{1,2}){2,3}"
)
_END_OF_LINE = r"[\"'`*#).!\u201d\u00bb\u2019]{0,3}[ \t]*(?:\r?\n|\Z)"
_END_OF_CLAUSE = r"[\"'`*)\u201d\u00bb\u2019]{0,3}(?:[.,;!]?[ \t]*(?:\r?\n|\Z)|[.;!][ ])"
_OPENERS = " \t\"'`*_([<\u201c\u201e\u00ab\u2018"
_LONGEST_LOCK = 24
_LONGEST_NAME, _MOST_WORDS_OF_A_NAME = 48, 4
_OF_A_VERB = r"[\"'`*]{0,2}[ ](?:with|using|by|via|and)\b"
_VERB = r"put(?:s|ting)?[ ]in|typ(?:e|es|ed|ing)(?:[ ]in)?|enter(?:s|ed|ing)?"
_TYPED = rf"(?i)\b(?:{_VERB}|key(?:s|ed)?[ ]in)[ ][\"'`*\u201c]{{0,3}}\Z"
_TYPED_OR_TAKEN = (
    rf"(?i)\b(?:{_VERB}|takes|accepts|wants|then|i[.]e[.],?|namely|same one[^\n]{{0,32}}|in[ ]with"
    r"|(?:switched|changed|set|reset)[ ](?:back[ ])?to)[ ][\"'`*\u201c]{0,3}\Z"
)
_TYPED_WORD = rf"{_OF_PARTS}.*|[A-Za-z]{{6,16}}[0-9]{{2}}"
_LEAST_TYPED, _BESIDE_A_VERB = 8, 16
_LOCK_BESIDE = rf"(?i)(?<![A-Za-z])(?<!::)(?:{LOCKS})[^\w\n]{{1,6}}\Z"


class AccessRule(Rule):
    """A rule that starts at words that look like a password, and reads what is around them on their line."""

    __slots__ = ()

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the words that are said to let somebody in."""
        text = subject.text
        known: dict[str, tuple[Likeness, int, int]] = {}
        words = Words(subject)
        for start, end in _tokens(subject):
            token = text[start:end]
            told = known.get(token)
            if told is None:
                begin, stop = line_around(text, start, end, _AROUND)
                # To judge a word takes longer than to see that nothing near it speaks of getting in.
                is_near = words.any_within(begin, stop + _LONGEST_LOCK, EVERY)
                if not is_near and _MARKS.isdisjoint(token) and not _is_named(text[begin:start]):
                    continue
                told = known[token] = _judged(token)
            found, first, last = told
            place = start + first, start + last
            if found and not _is_something_else(text, place) and _lets_in(text, place, found, words):
                yield Span(self.kind, *place)


@judged
def _judged(token: str) -> tuple[Likeness, int, int]:
    """Return how much the word in a token looks like a password, and from where to where it is one."""
    first, last = word_in(token)
    word = token[first:last]
    if PLACEHOLDER_START in token or compiled(_SETTING).match(token):
        return Likeness.NONE, 0, 0
    is_number = compiled(_COMBINATION).fullmatch(word) is not None
    return Likeness.CHOSEN if is_number else likeness(word), first, last


def _tokens(subject: Subject) -> Iterator[tuple[int, int]]:
    """Yield where what stands between spaces, and has a digit in it or three joined words, begins and ends."""
    signs, text = subject.signs, subject.text
    for found in compiled(_MAY_BE_ONE).finditer(signs):
        start, end = token_start(signs, found.start(), _MOST), found.end()
        token = text[start:end]
        if not token.isascii() and max(token) > _LAST_SPACED:
            if not token.isprintable() or "\ufffd" in token:
                continue  # of something binary
            yield from (part.span() for part in compiled(WITH_DIGIT).finditer(text, start, end))
        elif _LEAST <= end - start <= _MOST:
            yield start, end


def _lets_in(text: str, place: tuple[int, int], found: Likeness, words: Words) -> bool:
    """Whether what is around a word says that it opens something, plainly enough for what it looks like."""
    start, end = place
    begin, stop = line_around(text, start, end, _AROUND)
    before, word = text[begin:start], text[start:end]
    if compiled(_OPENS).match(text, end) or (_is_chosen(word, found) and _is_let_in(text, (begin, stop), place, words)):
        return True
    is_number = found == Likeness.CHOSEN and compiled(_COMBINATION).fullmatch(word) is not None
    is_near_a_lock = is_number and words.any_within(max(begin, start - _NEAR_A_LOCK), start, OTHER_LOCK)
    is_typed = len(word) >= _LEAST_TYPED and not is_number and _is_typed(text, place, before, words)
    is_brought_in = is_typed or (found >= Likeness.RARE and _is_brought_in(text, before, word, end))
    if is_brought_in or (is_near_a_lock and is_last(text, end)):
        return True
    is_rare = found >= Likeness.RARE or compiled(_AS_A_WORD).search(before) is not None
    kinds = ANY if is_rare else LOCK
    is_named = found >= Likeness.MADE and word.isalnum() and looks_random(word) and _is_named(before)
    is_named = is_named or (is_rare and compiled(_ENTERED).search(before) is not None)
    # Most values have nothing about getting in around them: they are not looked at any further.
    is_far = not is_named and not words.any_within(begin, stop + _LONGEST_LOCK, kinds)
    if is_far or _is_quantity_or_network(before):
        return False
    if is_named and is_last(text, end):
        return True
    is_led = _leads(before) or (
        is_rare and before.rstrip()[-1:] == "," and compiled(_END_OF_LINE).match(text, end) is not None
    )
    is_object = compiled(_OF_A_VERB).match(text, end) is not None  # "unlock ... with the blue key"
    beside = max(begin, start - _LONGEST_LOCK)
    is_led = is_led or (not is_object and compiled(_LOCK_BESIDE).search(text, beside, start) is not None)
    is_signed = before.rstrip(_OPENERS)[-1:] in _ARROWS
    reach = stop if is_signed and is_rare else start
    if is_led and (found > Likeness.MADE or is_last(text, end)) and words.any_within(begin, reach, kinds):
        return True
    is_used = compiled(_BEFORE_ITS_USE).search(before) is not None
    is_used = is_used or (is_rare and compiled(_FOLLOWS).match(text, end) is not None)
    return is_used and words.any_within(end, stop, kinds)


def _is_something_else(text: str, place: tuple[int, int]) -> bool:
    """Whether a word is somebody's or something's, or a number of something that is numbered."""
    start, end = place
    before = text[max(0, start - _LONGEST_NAME) : start].rpartition("\n")[2]
    if is_of_code(text, start, end) or is_told_to_be_a_thing(text, start):
        return True
    words = nouns.words_of(before)
    is_harmless = bool(words) and nouns.meaning(words, len(words) - 1, is_beside=False) == nouns.HARMLESS
    is_time = compiled(_TIME).fullmatch(text, start, end) is not None and compiled(_BY).search(before) is not None
    is_number = is_time or (
        text[start:end].isdigit() and (is_counted(before) or is_gone_into(text[end : end + _LONGEST_NAME]))
    )
    return is_harmless or is_number or is_of_a_user(text, before, end)


def _is_typed(text: str, place: tuple[int, int], before: str, words: Words) -> bool:
    """Whether a verb of typing is right beside a word, which is no name of something."""
    start, end = place
    is_behind = compiled(_TYPED).search(before, max(0, len(before) - _LONGEST_LOCK)) is not None and is_last(text, end)
    is_beside = is_behind or (text[end : end + 1] == " " and words.any_within(end + 1, end + _BESIDE_A_VERB, ENTERING))
    word = text[start:end]
    is_drawn = looks_random(word) and word.isalnum()
    is_made = not is_drawn and compiled(_TYPED_WORD).fullmatch(word) is not None
    return is_beside and is_made and not is_thing(before)


def _is_brought_in(text: str, before: str, word: str, end: int) -> bool:
    """Whether a word of a rare look is brought in as what somebody types, and not as the name of something."""
    is_led = compiled(_TYPED_OR_TAKEN).search(before, max(0, len(before) - _LONGEST_NAME)) is not None
    return is_led and compiled(_OF_PARTS).match(word) is not None and is_last(text, end) and not is_thing(before)


def _is_chosen(word: str, found: Likeness) -> bool:
    """Whether a word looks as rare as one that somebody made up, and not as one that was drawn."""
    if found < Likeness.RARE or (found == Likeness.MADE and word.isalnum() and looks_random(word)):
        return False
    # "s3memory-worker", "oauth2-proxy": a number within a name is a letter of it only if that makes a word.
    if compiled(_NUMBERED_NAME).fullmatch(word):
        return False
    spelled = compiled(_WITH_ONE_NUMBER).fullmatch(word)
    return spelled is None or is_spelled_with_digits(spelled["part"])


def _is_let_in(text: str, line: tuple[int, int], place: tuple[int, int], words: Words) -> bool:
    """Whether anything around a word of a rare look is about getting in, or it could be nothing else anyway."""
    (begin, stop), (start, end) = line, place
    if not compiled(_OF_PARTS).match(text, start, end) or _is_quantity_or_network(text[begin:start]):
        return False
    return compiled(_UNMISTAKABLE).fullmatch(text, start, end) is not None or any(
        words.any_within(*part, (*ANY, *ENTERING)) for part in ((begin, start), (end, stop))
    )


def _is_quantity_or_network(before: str) -> bool:
    """Whether the end of `before` names what is counted, or a network: "timeout: ", "ssid "."""
    is_set = before.rstrip()[-1:] in (":", "=")
    is_counted = is_set and compiled(_QUANTITY).search(before, max(0, len(before) - _LONGEST_LOCK)) is not None
    return is_counted or is_network(before)


def _is_named(before: str) -> bool:
    """Whether the last word before a value, but for a verb, is what a secret is called."""
    said = behind_placeholders(before)
    name = said[-_LONGEST_NAME:].split()[-_MOST_WORDS_OF_A_NAME:]
    if any(map(str.isdigit, name[-1] if name else "")):  # another random value, whatever its letters spell
        return False
    words = nouns.words_of(" ".join(name))
    while words and words[-1] in nouns.TAILS:
        words.pop()
    return bool(words) and nouns.meaning(words, len(words) - 1) == nouns.SECRET


def found_near(text: str, name: tuple[int, int], least: Likeness, led: Likeness) -> Places:
    """Yield the words near a name that look like a password: on its line, and behind a question on the next line.

    Args:
        text: The text.
        name: Where the name stands.
        least: How much they have to look like one, wherever they stand.
        led: How much where a word or a sign brings them in, behind the name.
    """
    start, end = name
    begin, stop = line_around(text, start, end, _AROUND)
    if compiled(_GOES_ON).search(text, max(end, stop - 4), stop) and text[stop : stop + 1] == "\n":
        _, stop = line_around(text, stop, stop + 1, _AROUND)  # a question, and the answer below
    for opening, first, last in words_with_digits(text, begin, stop):
        word, is_behind = text[first:last], opening >= end
        if not (is_behind or last <= start) or not (found := likeness(word)):
            continue
        if is_network(text[begin:opening]):
            continue
        is_beside = opening - end <= _BESIDE or _leads(text[begin:opening])
        is_apposition = text[opening - 2 : opening] == ", " and compiled(_END_OF_CLAUSE).match(text, last) is not None
        is_led = is_behind and (is_beside or is_apposition) and (found > Likeness.MADE or is_last(text, last))
        is_place = is_behind and compiled(_PLACE_BETWEEN).fullmatch(text, end, first) is not None
        is_sure = found >= least and compiled(_OF_PARTS).match(word) is not None
        if not is_place and text[last : last + 1] != "(" and (is_sure or (is_led and found >= led)):
            yield first, last


def _leads(text: str) -> bool:
    """Whether the last word of `text` brings in what follows."""
    before = text.rstrip(_OPENERS).rsplit(None, 1)[-1:]
    if not before:
        return False
    last = before[0].strip(STRIPPED).lower().removesuffix("'s").removesuffix("\u2019s")
    return before[0] in _SIGNS or before[0][-1] in ":=" or last in _INTRODUCES or last in NOW_AND_BEFORE


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"

RULES = (
    AccessRule(
        kind="password",
        anchors=(),
        words=WORDS,
        scan=True,
        pattern="",
        source=_SOURCE,
        samples=(
            "unlock the old archive with «{mixed 12}».",
            "the keypad at the back door takes «482916»",
            "guest wifi «Gravel5111!»",
            "the portal wants «Gravel5111!»",
            "- jo («Velvet38!05x») for the staging admin",
            "«velvet-gravel-58» gets you into the build server",
            "«balaton!Zoli7» came up in the meeting",
            "local admin: «Velvet!38gravel»",
            "the portal wants «dZ9Q=CdK6V!n»",
            "«4827» arms, 1993 is for guests",
            "die Kombination vom Tresor ist «36-9-51»",
            "Thì gõ «SenHong_Hue4» vào máy",
        ),
        near=(
            "unlock the archive with 7-Zip 23.01",
            "encrypted with AES-256",
            "the safe opens with the blue key",
            "the alarm is at 0930",
            "the portal wants sha256Sum=9f!3a",
            "alarm went off at 0312, reset by 0330",
            "the file opens with Excel2019",
            "the admin is on release Gravel5111",
            "log in with node18.19",
            "SenHong_Hue4 is on the list",
            "el pedido es 36-9-51",
        ),
    ),
)
