"""Passwords that nothing names: "the safe opens with ...", "guest wifi ...", "sudo asks for ...".

Values come first, as everywhere where words are many: what is made as people make passwords is rare. The plainer it is
one, the less has to be said: that something is about getting in, and by what word the value is brought in.
"""

from __future__ import annotations

import re
from enum import IntEnum

from s3memory.redaction.compiling import compiled
from s3memory.redaction.judged import judged
from s3memory.redaction.model import PLACEHOLDER_START
from s3memory.redaction.rules.judging import is_chosen, is_long_number, is_other
from s3memory.redaction.rules.near import NearRule, Places
from s3memory.redaction.values import is_identifier, looks_random


class Likeness(IntEnum):
    """How much a word looks like a password, whatever is around it."""

    NONE = 0
    CHOSEN = 1
    MADE = 2
    PLAIN = 3


_ALPHABET = r"[A-Za-z0-9!@#$%^&*+=?~_.-]{6,40}"
_SIGN_INSIDE = r"(?=.{0,40}[0-9])(?=.{0,40}[A-Za-z].{0,40}[A-Za-z]).*[A-Za-z0-9][!@#$%^&*?~+=].*"
# An argument, a mail address, a reference, a price, an encoded character, a version, words that are joined by a plus.
_NO_SIGN = (
    r"[\w.-]+=.*|[\w.+-]+@(?:[a-z]|[\w-]+\.)[\w.-]*|[A-Za-z-]+#[0-9]+|[A-Z]{1,3}\$[0-9.,]+|.*%[0-9A-F]{2}.*|v?[0-9]+\..*"
    r"|[A-Za-z0-9.-]+(?:\+[A-Za-z0-9.-]*)+|.*(?:\$[A-Z_]|[*?]\.|\.[*?]|&[a-z]+=).*|[A-Za-z]+[0-9]{1,2}[!?*]+|.*\w\*\*\w.*"
)
_MADE = (
    r"[A-Z][a-z]{2,15}[0-9]{3,6}|[A-Z][a-z]{2,15}[-_.@#][0-9]{3,8}|(?:[A-Z][a-z]{2,12}){3,6}[0-9]{1,4}"
    r"|(?=.*[0-9].*[a-z].*[0-9])(?=(?:[0-9]*[a-z]){5})[a-z]+[013457][a-z013457]+(?:[_.-][0-9])?"
    r"|(?=.*[0-9])(?=.*[g-z])[a-z0-9]{4}(?:-[a-z0-9]{4}){2,4}"
)
_PRODUCT = (
    r"(?i)(?:excel|office|windows|win|word|ubuntu|debian|fedora|server|sharepoint|exchange|outlook|oracle|python|java|node"
    r"|iphone|android|visual|studio|sql|postgres|mysql|sprint|issue|ticket|room|rev|fy|summer|test|error|code|http|rfc)[-_.]?[0-9]+"
)
_LEAST_RANDOM, _MOST_RANDOM, _LEAST_CHOSEN = 8, 18, 10
_STRIPPED = "\"'`.,;:()[]{}<>|\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019"


@judged
def likeness(word: str) -> Likeness:
    """Return how much `word` looks like a password."""
    if word.isdigit():
        return Likeness.CHOSEN if is_long_number(word) else Likeness.NONE
    if word.upper() == word.lower() or not compiled(_ALPHABET).fullmatch(word) or compiled(_PRODUCT).fullmatch(word):
        return Likeness.NONE
    return _likeness_of_mixture(word) if any(map(str.isdigit, word)) else Likeness.NONE


def _likeness_of_mixture(word: str) -> Likeness:
    core = word.rstrip("!?*$#")
    if compiled(_SIGN_INSIDE).fullmatch(word) and not compiled(_NO_SIGN).fullmatch(word):
        return Likeness.PLAIN
    if is_other(core):
        return Likeness.NONE
    if compiled(_MADE).fullmatch(core):
        return Likeness.MADE if core == word else Likeness.PLAIN
    is_mixed = any(map(str.isupper, core)) and any(map(str.islower, core)) and core.isalnum()
    if is_mixed and _LEAST_RANDOM <= len(core) <= _MOST_RANDOM and looks_random(core) and not is_identifier(core):
        return Likeness.MADE
    return Likeness.CHOSEN if len(core) >= _LEAST_CHOSEN and is_chosen(core) else Likeness.NONE


_BEFORE, _BEHIND = 100, 110
_WITH_DIGIT = r"(?<!\S)(?=\S{0,48}[0-9])\S{6,64}(?!\S)"
# What brings a value in.
_INTRODUCES = frozenset(
    (
        *("with", "using", "by", "via", "takes", "wants", "needs", "without", "for", "accepts", "supply", "enter"),
        *("type", "try", "say", "is", "are", "was", "key", "code", "phrase", "secret", "on", "then", "to", "be"),
        *("combo", "number", "combination", "use", "now", "sequence", "pin", "word", "just", "it's", "keep", "value"),
        *("pick", "picking"),
    )
)
_SIGNS = (":", "=", "/", "//", "-", "--", "\u2013", "\u2014", "->", "\u2192", "|")
_END = r"[\"'`*#)]{0,3}(?:[.,;!?]|[ \t]*(?:\r?\n|\Z|\()|[ ](?:then|and|since|until|for|from|as|which|or)\b)"


def found_near(text: str, name: tuple[int, int], least: Likeness, led: Likeness, *, is_lock: bool = False) -> Places:
    """Yield the words on the line of a name, near it, that look like a password.

    Args:
        text: The text.
        name: Where the name stands.
        least: How much they have to look like one, wherever they stand.
        led: How much where a word or a sign brings them in, behind the name.
        is_lock: The name itself brings in what is right behind it.
    """
    start, end = name
    begin = max(text.rfind("\n", max(0, start - _BEFORE), start) + 1, start - _BEFORE, 0)
    stop = text.find("\n", end, end + _BEHIND)
    stop = stop if stop >= 0 else min(len(text), end + _BEHIND)
    for token in compiled(_WITH_DIGIT).finditer(text, begin, stop):
        word = _bare(token[0])
        is_apart = token.end() <= start or token.start() >= end
        if is_apart and PLACEHOLDER_START not in token[0] and (found := likeness(word)):
            first = token.start() + token[0].find(word)
            last = first + len(word)
            is_beside = is_lock and text[end:first].strip(_STRIPPED + " ") == ""
            is_led = token.start() >= end and (is_beside or _leads(text[begin : token.start()]))
            is_led = is_led and (found > Likeness.MADE or _is_last(text, last))
            if found >= least or (is_led and found >= led):
                yield first, last


def _bare(word: str) -> str:
    bare = word.strip(_STRIPPED)
    return bare.strip("*_").strip(_STRIPPED) if bare[:1] in ("*", "_") else bare


def _is_last(text: str, position: int) -> bool:
    """Whether what ends at `position` is no count of what follows."""
    return compiled(_END).match(text, position) is not None


def _leads(text: str) -> bool:
    """Whether the last word of `text` brings in what follows."""
    before = text.rsplit(None, 1)[-1]
    return before in _SIGNS or before[-1:] in (":", "=") or before.strip(_STRIPPED).lower() in _INTRODUCES


# What is about getting in, by whether what follows may be a number.
_LOCKS = (
    r"(?<![A-Za-z])(?<!::)(?:keypad|safe|padlock|alarm|lockbox|locker|doors?|gate|garage|lock(?:s|ed)?|unlock(?:s|ed)?|ssid"
    r"|vpn|wi-?fi|sudo|wpa[23]?|guest network|open(?:s|ed)?|(?:de|en)crypt(?:s|ed)?|(?:un)?zip(?:ped)?|protected"
    r"|archive)(?![A-Za-z-])"
)
_ACCESS = (
    r"(?<![A-Za-z])(?:log(?:ged)?[ -]?(?:in|on)|sign[ -]in|credentials?|creds|get (?:in|past)|gets (?:in|past|you)"
    r"|got in|access|admin|root|account|portal|ssh|su|rdp|bios|mailbox|jump host)(?![A-Za-z-])"
)


def _beside_a_lock(match: re.Match[str], _limit: int) -> Places:
    yield from found_near(match.string, match.span(), Likeness.PLAIN, Likeness.CHOSEN, is_lock=True)


def _beside_access(match: re.Match[str], _limit: int) -> Places:
    yield from found_near(match.string, match.span(), Likeness.PLAIN, Likeness.MADE)


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"

RULES = (
    NearRule(
        kind="password",
        anchors=(
            *("keypad", "safe", "padlock", "alarm", "lockbox", "locker", "door", "gate", "garage", "lock", "unlock"),
            *("ssid", "vpn", "wifi", "wi-fi", "sudo", "wpa", "guest network", "open", "crypt", "encrypt", "decrypt"),
            *("zip", "unzip", "protected", "archive"),
        ),
        pattern=rf"(?i:{_LOCKS})",
        around=_beside_a_lock,
        source=_SOURCE,
        samples=(
            "unlock the old archive with «{mixed 12}».",
            "the keypad at the back door takes «482916»",
            "guest wifi «Gravel5111!»",
        ),
        near=(
            "unlock the archive with 7-Zip 23.01",
            "encrypted with AES-256",
            "the safe opens with the blue key",
            "the alarm is at 0930",
            "the file opens with Excel2019",
        ),
    ),
    NearRule(
        kind="password",
        anchors=(
            *("log in", "log-in", "login", "log on", "logon", "logged in", "sign in", "sign-in", "credential", "creds"),
            *("get in", "gets in", "got in", "get past", "gets past", "gets you", "access", "admin", "root", "account"),
            *("portal", "ssh", "su ", "rdp", "bios", "mailbox", "jump host"),
        ),
        pattern=rf"(?i:{_ACCESS})",
        around=_beside_access,
        source=_SOURCE,
        samples=("the portal wants «Gravel5111!»", "- jo («Velvet38!05x») for the staging admin"),
        near=("the admin is on release Gravel5111", "log in with node18.19"),
    ),
)
