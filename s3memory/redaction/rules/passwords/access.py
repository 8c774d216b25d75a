"""Passwords without a label: "the safe opens with ...", "guest wifi ...", "sudo asks for ...".

The rule starts at values and not at words, because few words look like passwords, but words about access are common.
The more a value looks like a password, the less context it needs: a word about access on its line, and a word or sign
that introduces it.
"""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.interface import PLACEHOLDER_START, Span, after_last_placeholder
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading import nouns
from s3memory.redaction.rules.reading.access_words import ANY, ENTERING, EVERY, LOCK, LOCKS, OTHER_LOCK, WORDS, Words
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
from s3memory.redaction.rules.reading.changed_passwords import NOW_AND_BEFORE
from s3memory.redaction.rules.reading.code_fragments import is_of_code
from s3memory.redaction.rules.reading.harmless_statements import is_stated_to_be_harmless
from s3memory.redaction.rules.reading.likeness import Likeness, is_spelled_with_digits, likeness
from s3memory.redaction.rules.reading.near import Places, line_around, line_start
from s3memory.redaction.rules.reading.reference_numbers import is_building_number, is_counted
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.text.values import looks_random
from s3memory.redaction.text.word_lists import word_set

_MAX_CONTEXT = 110
# In `Subject.signs` (letters read "a", digits "0"): a digit, three words joined by "-", or two joined by "*", "!", "&".
_CANDIDATE_SIGNS = rb"[0*!&-](?:(?<=0)|(?<=a-)a{3,16}-a|(?<=a[*!&])a{3})[^ \t\r\n]*+"
# "balaton!Zoli7", "Gravel*58": twenty million characters of documentation and code have no word like these.
_UNMISTAKABLE = (
    r"(?=.*[0-9])(?!(?i:fritz)!)(?:[^\W\d_]{3,14}[0-9]{0,4}[!*&]){1,3}[^\W\d_]{2,14}[0-9]{1,4}[!?]?"
    r"|[A-Z][a-z]{5,14}[!*][0-9]{1,4}"
)
_UNMISTAKABLE_SIGNS = frozenset("!*&")
# More than a word and a number ("Gravel58"), because things have such names too, and no option of a command.
_COMPOUND = r"(?!-)(?![A-Za-z][a-z]*-?[0-9]+\Z)"
_QUESTION_END = r"[?\uff1f][\"'`*)]{0,2}[ ]{0,2}\Z"
# "Nest_Cam_2", "useEffect2": one thing of several, or a name in code.
_NUMBERED_NAME = (
    r".*[-_.][0-9]|(?:use|get|set|fetch|parse|handle|is|has|on|to|from|make|create|update|delete|load|save|read|write"
    r"|render|init|build|run|start|stop|add|remove|find|list|check|test|send|log)[A-Z].*"
)
# "s3memory-worker", "oauth2-proxy": joined words, one of which has a number inside.
_WITH_INNER_NUMBER = r"(?:[a-z]+[-_])*(?P<part>[a-z]+[0-9]{1,2}[a-z]+)(?:[-_][a-z]+)*"
# Between a name and a word that says whose password it is: "the password of nas2".
_OWNER_BETWEEN = (
    r"[\"'`*]{0,2}[ ](?:of|for|on|in|at|from)[ ](?:(?:the|our|my|his|her|their)[ ])?(?:[a-z]+[ ])?[\"'`*]{0,2}"
)
_MAX_GAP, _MAX_FROM_LOCK = 2, 48
# "sum=9f3a", but no generated password with a "=" inside, such as "dZ9Q=CdK6V!n".
_ASSIGNMENT = r"[\"'`(\[{]?(?!(?=\w*[A-Z])\w*[0-9][A-Za-z](?![a-z])\w*=[^=].)[a-z]\w*[=][\w\"']"
_TIME, _AT = r"(?:[01][0-9]|2[0-3])[0-5][0-9]", r"(?i)\b(?:by|at)[ ]\Z"
_DATE = r"(?:0?[1-9]|[12][0-9]|3[01])[-/](?:0?[1-9]|1[0-2])[-/][0-9]{2}"
_ON = r"(?i)(?<![^\W\d_])(?:on|since|until|am|seit|le|el|il|em|op|den|dne|от|\u0441)[ ]\Z"
_MIN_LENGTH, _MAX_LENGTH = 4, 64
# The last word before a value, if it introduces the value: "with v", "takes v", "key v".
_INTRODUCTIONS = word_set(
    "with using by via takes wants needs without for accepts supply enter type try say is are was key code phrase "
    "secret on then to be combo number combination use now sequence pin word just it's keep value pick picking i.e "
    "namely asks got has tried plus give gave it uses psk pw pwd lock so currently temp temporary w/ yes actually "
    "still"
)
# "try v", before a word about access: "use v to unlock the door".
_USE_BEFORE = r"(?i)(?<!\S)(?:with|using|use|try|tried|enter|type)\s{0,110}(?<=[ ])\Z"
_LAST_SPACED_LETTER = "\u058f"  # scripts after it write no spaces, or attach prepositions to words
_ARROWS = ("\u2192", ">", "=")
_SIGNS = (":", "=", "/", "//", "-", "--", "\u2013", "\u2014", "->", "\u2192", "|")
# After a value: "v works", "v (the old one)".
_VERB_OR_BRACKET_AFTER = (
    r"[\"'`*)\u201d\u00bb\u2019]{0,3}[ ](?:is|was|gets|lets|opens|unlocks|does|works|will|should|for|as|to|on|again)\b"
    r"|[\"'`*]{0,3}[ ]?\("
)
_ENTER_BEFORE = r"(?i)\b(?:enter|key[ ]in|punch[ ]in)[ ][\"'`*]{0,3}\Z"
_QUANTITY = (
    r"(?i)(?:count|size|length|timeout|limit|(?<!sup)port|iterations|interval|level|version|bits"
    r"|days|hours|minutes|seconds|max|(?<!ad)min)[\"']?[ \t]{0,4}[:=][ \t]{0,4}\Z"
)
# After a value: "v opens it", "v. That gets you in".
_OPENS_AFTER = (
    r"[\"'`*\u201d\u00bb\u2019]{0,3}(?:[.;,]?[ ](?:[Tt]hat|it))?[ ](?:still[ ]|now[ ])?"
    r"(?:opens|unlocks|disarms|arms(?=[.,;!]|[ ]*(?:\n|\Z)|[ ](?:it|the)\b)"
    r"|(?:gets|lets)[ ](?:you|me|us|him|her|them|anyone)[ ](?:in|past))"
)
# After a value: "v is what you type at power-on", "v - that's what we enter".
_IS_TYPED_AFTER = (
    r"[\"'`*\u201d]{0,3}(?:[:,;]|[ ](?:--?|[\u2013\u2014]))?[ ](?:(?:it|that|this)(?:['\u2019]s|[ ]is)|is|was)[ ]what"
    r"[ ](?:you|we|they|i|he|she)(?:['\u2019]ll|[ ](?:have|need)[ ]to|[ ]must)?[ ](?:type|enter|punch|key|put[ ]in)"
)
# "cold-Oatmeal": two joined words, which are a candidate only before such a clause.
_CAMEL = r"(?<![\w-])(?P<word>[a-z]{3,12}-[A-Z][a-z]{3,12})(?!\w)"
_HUMP_AFTER_HYPHEN = r"-[A-Z][a-z]{3}"
_THE_WORD_BEFORE = r"(?i)\bthe[ ](?:[a-z]{2,10}[ ])?(?:word|phrase)[ ][\"'`*\u201c\u00ab]{0,3}\Z"
_COMBINATION = (  # "4827", "36-9-51", but no year and no power of two
    r"[*]?(?!(?:(?:19|20)[0-9]{2}|1024|4096|8192|16384|32768|6553[56])\Z)[0-9]{4,5}[#*]?"
    r"|[0-9]{1,2}(?:[-/][0-9]{1,2}){2,3}"
)
_END_OF_LINE = r"[\"'`*#).!\u201d\u00bb\u2019]{0,3}[ \t]*(?:\r?\n|\Z)"
_END_OF_CLAUSE = r"[\"'`*)\u201d\u00bb\u2019]{0,3}(?:[.,;!]?[ \t]*(?:\r?\n|\Z)|[.;!][ ])"
_OPENING_DELIMITERS = " \t\"'`*_([<\u201c\u201e\u00ab\u2018"
_MAX_LOCK = 24
_MAX_NAME, _MAX_NAME_WORDS = 48, 4
# After a value that is the object of a verb: "unlock v with the blue key".
_MEANS_AFTER = r"[\"'`*]{0,2}[ ](?:with|using|by|via|and)\b"
_TYPING_VERB = r"put(?:s|ting)?[ ]in|typ(?:e|es|ed|ing)(?:[ ]in)?|enter(?:s|ed|ing)?"
_TYPED_BEFORE = rf"(?i)\b(?:{_TYPING_VERB}|key(?:s|ed)?[ ]in)[ ][\"'`*\u201c]{{0,3}}\Z"
_TYPED_OR_TAKEN_BEFORE = (
    rf"(?i)\b(?:{_TYPING_VERB}|takes|accepts|wants|then|i[.]e[.],?|namely|same one[^\n]{{0,32}}|in[ ]with"
    r"|(?:switched|changed|set|reset)[ ](?:back[ ])?to)[ ][\"'`*\u201c]{0,3}\Z"
)
_TYPED_WORD = rf"{_COMPOUND}.*|[A-Za-z]{{6,16}}[0-9]{{2}}"
_MIN_TYPED, _MAX_FROM_VERB = 8, 16
# Before a value: "safe: v", "wifi - v".
_LOCK_BEFORE = rf"(?i)(?<![A-Za-z])(?<!::)(?:{LOCKS})[^\w\n]{{1,6}}\Z"


class AccessRule(Rule):
    """A rule that starts at words that look like a password, and reads the context on their line."""

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the words that give access, as their context shows."""
        text = subject.text
        verdicts: dict[str, tuple[Likeness, int, int]] = {}
        words = Words(subject)
        for start, end in _candidates(subject):
            token = text[start:end]
            verdict = verdicts.get(token)
            if verdict is None:
                begin, stop = line_around(text, start, end, _MAX_CONTEXT)
                # To judge a word takes longer than to see that no word near it is about access.
                is_near = words.any_within(begin, stop + _MAX_LOCK, EVERY)
                if not is_near and _UNMISTAKABLE_SIGNS.isdisjoint(token) and not _is_named(text[begin:start]):
                    continue
                verdict = verdicts[token] = _judge(token)
            level, first, last = verdict
            span = start + first, start + last
            if level and not _is_something_else(text, span) and _gives_access(text, span, level, words):
                yield Span(self.kind, *span)


@cached_until_forgotten
def _judge(token: str) -> tuple[Likeness, int, int]:
    """Return how much the word in a token looks like a password, and where the word starts and ends in the token."""
    first, last = word_in(token)
    word = token[first:last]
    if PLACEHOLDER_START in token or compiled(_ASSIGNMENT).match(token):
        return Likeness.NONE, 0, 0
    is_one = compiled(rf"{_COMBINATION}|{_CAMEL}").fullmatch(word) is not None
    return Likeness.CHOSEN if is_one else likeness(word), first, last


def _candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """Yield the spans of the tokens (what stands between spaces) that have a digit or joined words in them."""
    signs, text = subject.signs, subject.text
    if " what " in subject.folded and compiled(_HUMP_AFTER_HYPHEN).search(text):
        yield from (typed.span("word") for typed in compiled(_CAMEL + _IS_TYPED_AFTER).finditer(text))
    for found in compiled(_CANDIDATE_SIGNS).finditer(signs):
        start, end = token_start(signs, found.start(), _MAX_LENGTH), found.end()
        token = text[start:end]
        if not token.isascii() and max(token) > _LAST_SPACED_LETTER:
            if not token.isprintable() or "\ufffd" in token:
                continue  # binary data
            yield from (part.span() for part in compiled(WITH_DIGIT).finditer(text, start, end))
        elif _MIN_LENGTH <= end - start <= _MAX_LENGTH:
            yield start, end


def _gives_access(text: str, span: tuple[int, int], level: Likeness, words: Words) -> bool:
    """Whether the context shows that a word opens something.

    The less the word looks like a password, the plainer the context has to be.
    """
    start, end = span
    begin, stop = line_around(text, start, end, _MAX_CONTEXT)
    before, word = text[begin:start], text[start:end]
    if compiled(_OPENS_AFTER).match(text, end) or (
        _is_made_up(word, level) and _has_access_context(text, (begin, stop), span, words)
    ):
        return True
    is_number = level == Likeness.CHOSEN and compiled(_COMBINATION).fullmatch(word) is not None
    is_near_a_lock = is_number and words.any_within(max(begin, start - _MAX_FROM_LOCK), start, OTHER_LOCK)
    is_typed = len(word) >= _MIN_TYPED and not is_number and _is_typed(text, span, before, words)
    is_typed = is_typed or (level >= Likeness.RARE and _is_typed_or_taken(text, before, word, end))
    if is_typed or (is_near_a_lock and is_last(text, end)):
        return True
    is_rare = level >= Likeness.RARE or occurs(_THE_WORD_BEFORE, before)
    kinds = ANY if is_rare else LOCK
    is_named = level >= Likeness.MADE and word.isalnum() and looks_random(word) and _is_named(before)
    is_named = is_named or (is_rare and occurs(_ENTER_BEFORE, before))
    # Most values have no word about access around them, and need no closer look.
    is_far = not is_named and not words.any_within(begin, stop + _MAX_LOCK, kinds)
    if is_far or _is_quantity_or_network(before):
        return False
    if is_named and is_last(text, end):
        return True
    is_introduced = _introduces(before) or (
        is_rare and before.rstrip()[-1:] == "," and compiled(_END_OF_LINE).match(text, end) is not None
    )
    is_object = compiled(_MEANS_AFTER).match(text, end) is not None
    nearby = max(begin, start - _MAX_LOCK)
    is_introduced = is_introduced or (not is_object and compiled(_LOCK_BEFORE).search(text, nearby, start) is not None)
    is_signed = before.rstrip(_OPENING_DELIMITERS)[-1:] in _ARROWS
    reach = stop if is_signed and is_rare else start
    if is_introduced and (level > Likeness.MADE or is_last(text, end)) and words.any_within(begin, reach, kinds):
        return True
    is_used = occurs(_USE_BEFORE, before)
    is_used = is_used or (is_rare and compiled(_VERB_OR_BRACKET_AFTER).match(text, end) is not None)
    return is_used and words.any_within(end, stop, kinds)


def _is_something_else(text: str, span: tuple[int, int]) -> bool:
    """Whether a word is code, names somebody or something, or is a time or a count: "at 0930", "release v"."""
    start, end = span
    before = text[line_start(text, start, _MAX_NAME) : start]
    if is_of_code(text, start, end) or is_stated_to_be_harmless(text, start):
        return True
    words = nouns.words_of(before)
    is_harmless = bool(words) and nouns.meaning(words, len(words) - 1, is_beside=False) == nouns.HARMLESS
    is_time = compiled(_TIME).fullmatch(text, start, end) is not None and occurs(_AT, before)
    is_time = is_time or (compiled(_DATE).fullmatch(text, start, end) is not None and occurs(_ON, before))
    is_number = is_time or (
        compiled(r"[0-9/-]+").fullmatch(text, start, end) is not None
        and (is_counted(before) or is_building_number(text[end : end + _MAX_NAME]))
    )
    return is_harmless or is_number or is_of_a_user(text, before, end)


def _is_typed(text: str, span: tuple[int, int], before: str, words: Words) -> bool:
    """Whether a verb of typing is next to a word that is not the name of something: "type v", "v eintippen"."""
    start, end = span
    verb_before = compiled(_TYPED_BEFORE).search(before, max(0, len(before) - _MAX_LOCK))
    is_next_to_verb = compiled(_IS_TYPED_AFTER).match(text, end) is not None
    is_next_to_verb |= (verb_before is not None and is_last(text, end)) or (
        text[end : end + 1] == " " and words.any_within(end + 1, end + _MAX_FROM_VERB, ENTERING)
    )
    word = text[start:end]
    is_random = looks_random(word) and word.isalnum()
    is_made = not is_random and compiled(_TYPED_WORD).fullmatch(word) is not None
    return is_next_to_verb and is_made and not is_thing(before)


def _is_typed_or_taken(text: str, before: str, word: str, end: int) -> bool:
    """Whether a rare word is introduced as what somebody types ("namely v"), and not as the name of something."""
    verb_before = compiled(_TYPED_OR_TAKEN_BEFORE).search(before, max(0, len(before) - _MAX_NAME))
    is_typed = verb_before is not None and compiled(_COMPOUND).match(word) is not None
    return is_typed and is_last(text, end) and not is_thing(before)


def _is_made_up(word: str, level: Likeness) -> bool:
    """Whether a word is rare and looks made up by somebody, and not random or like the name of a thing."""
    if level < Likeness.RARE or (level == Likeness.MADE and word.isalnum() and looks_random(word)):
        return False
    if compiled(_NUMBERED_NAME).fullmatch(word):
        return False
    spelled = compiled(_WITH_INNER_NUMBER).fullmatch(word)
    return spelled is None or is_spelled_with_digits(spelled["part"])


def _has_access_context(text: str, line: tuple[int, int], span: tuple[int, int], words: Words) -> bool:
    """Whether anything on the line of a rare word is about access, or the word is unmistakable without that."""
    (begin, stop), (start, end) = line, span
    if not compiled(_COMPOUND).match(text, start, end) or _is_quantity_or_network(text[begin:start]):
        return False
    return compiled(_UNMISTAKABLE).fullmatch(text, start, end) is not None or any(
        words.any_within(*part, (*ANY, *ENTERING)) for part in ((begin, start), (end, stop))
    )


def _is_quantity_or_network(before: str) -> bool:
    """Whether the end of `before` names a quantity or a network: "timeout: ", "ssid "."""
    is_set = before.rstrip()[-1:] in (":", "=")
    is_counted = is_set and occurs(_QUANTITY, before, max(0, len(before) - _MAX_LOCK))
    return is_counted or is_network(before)


def _is_named(before: str) -> bool:
    """Whether the last word before a value names a secret, apart from a tail such as "is" or "value": "API key is "."""
    name = after_last_placeholder(before)[-_MAX_NAME:].split()[-_MAX_NAME_WORDS:]
    if any(map(str.isdigit, name[-1] if name else "")):  # another random value, whose letters may spell a word
        return False
    words = nouns.words_of(" ".join(name))
    while words and words[-1] in nouns.TAILS:
        words.pop()
    return bool(words) and nouns.meaning(words, len(words) - 1) == nouns.SECRET


def candidates_near(text: str, name: tuple[int, int], least: Likeness, least_introduced: Likeness) -> Places:
    """Yield the words near a name that look like a password: on its line, and after a question on the next line too.

    Args:
        text: The text.
        name: The span of the name.
        least: How much a word has to look like a password, wherever it stands.
        least_introduced: The same for a word after the name that a word or a sign introduces.
    """
    start, end = name
    begin, stop = line_around(text, start, end, _MAX_CONTEXT)
    if compiled(_QUESTION_END).search(text, max(end, stop - 4), stop) and text[stop : stop + 1] == "\n":
        _, stop = line_around(text, stop, stop + 1, _MAX_CONTEXT)  # the answer to a question is below it
    for opening, first, last in words_with_digits(text, begin, stop):
        word, is_after = text[first:last], opening >= end
        if not (is_after or last <= start) or not (level := likeness(word)):
            continue
        if is_network(text[begin:opening]):
            continue
        is_close = opening - end <= _MAX_GAP or _introduces(text[begin:opening])
        is_apposition = text[opening - 2 : opening] == ", " and compiled(_END_OF_CLAUSE).match(text, last) is not None
        is_introduced = is_after and (is_close or is_apposition) and (level > Likeness.MADE or is_last(text, last))
        is_owner = is_after and compiled(_OWNER_BETWEEN).fullmatch(text, end, first) is not None
        is_sure = level >= least and compiled(_COMPOUND).match(word) is not None
        is_one = is_sure or (is_introduced and level >= least_introduced)
        if is_one and not is_owner and text[last : last + 1] != "(":
            yield first, last


def _introduces(text: str) -> bool:
    """Whether the last word of `text` introduces a value: "takes", "key:", "->"."""
    before = text.rstrip(_OPENING_DELIMITERS).rsplit(None, 1)[-1:]
    if not before:
        return False
    last = before[0].strip(STRIPPED).lower().removesuffix("'s").removesuffix("\u2019s")
    return before[0] in _SIGNS or before[0][-1] in ":=" or last in _INTRODUCTIONS or last in NOW_AND_BEFORE


RULES = (
    AccessRule(
        kind="password",
        words=WORDS,
        scan=True,
        source="https://cwe.mitre.org/data/definitions/256.html",
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
            "A széf számkombinációja: «36-9-51»",
            "तिजोरी का नंबर «36-9-51» है।",
            "laptop (bios): «cold-Oatmeal» is what you type at power-on",
            "Thì gõ «SenHong_Hue4» vào máy",
        ),
        near=(
            "unlock the archive with 7-Zip 23.01",
            "encrypted with AES-256",
            "the safe opens with the blue key",
            "the alarm is at 0930",
            "the safe was delivered on 14-03-22",
            "check-in is what you type on the form",
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
