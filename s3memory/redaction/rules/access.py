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
from s3memory.redaction.rules.judging import is_chosen, is_long_number, is_other, is_said
from s3memory.redaction.rules.near import NearRule, Places
from s3memory.redaction.values import is_identifier, looks_random


class Likeness(IntEnum):
    """How much a word looks like a password, whatever is around it."""

    NONE = 0
    CHOSEN = 1
    RARE = 2
    MADE = 3
    PLAIN = 4


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
# Words and a number, written together or joined, as people make passwords and seldom name things.
_RARE = (
    r"[a-z]{4,12}[0-9]{3,5}|(?:[A-Z][a-z]{3,12}){2}[0-9]{2,4}|[A-Z]{3,8}[a-z]{3,8}[0-9]{2,5}"
    r"|(?:[A-Za-z][a-z]{3,12}[-_.]){2,4}[0-9]{1,4}|[0-9]{1,4}[-_.](?:[a-z]{4,12}[-_.]?){2,3}"
    r"|(?=.*[0-9])(?:[a-z]*(?:[a-z][013457])+[a-z]+|[A-Za-z][a-z]{3,12})(?:[-_](?:[a-z]*(?:[a-z][013457])+[a-z]+|[A-Za-z][a-z]{3,12}))+"
)
# What hosts, branches, files, products and versions are named after: their numbers are no part of a password.
_OF_THINGS = (
    r"(?i)(?:.*(?:server|service|host|node|admin|user|team|test|build|release|version|branch|feature|issue|ticket|sprint|model"
    r"|image|report|invoice|order|backup|snapshot|printer|switch|router|camera|laptop|phone|book|pad|shell|press|tooth|wire"
    r"|script|base|data|cloud|linux|windows))"
    r"|prod|stag(?:e|ing)|devel|live|beta|alpha|main|master|primary|secondary|replica|shard|worker|queue|topic|batch|task"
    r"|story|epic|phase|step|part|page|line|item|room|floor|desk|building|terminal|flight|gate|group|level|unit|type|series"
    r"|patch|file|note|draft|final|update|plan|photo|video|track|disk|drive|volume|port|rack|pixel|galaxy|north|south|east"
    r"|west|central|android|claude|gemini|llama|gpt|mistral|sonnet|opus|haiku|turbo|mini|chat|instruct|code|error|section"
    r"|table|figure|chapter|lesson|week|month|year|quarter|uint|float|decimal|complex|double|utf|latin|mpeg|core|ryzen|xeon"
)
_LEAST_RANDOM, _MOST_RANDOM, _LEAST_CHOSEN = 8, 18, 10
_WORDS = r"[A-Z]?[a-z]+"
_STRIPPED = "\"'`.,;:()[]{}<>|\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019"


def _is_of_things(word: str) -> bool:
    return compiled(_OF_THINGS).fullmatch(word) is not None or is_said(word)


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
    if compiled(_RARE).fullmatch(core) and not any(map(_is_of_things, compiled(_WORDS).findall(core))):
        return Likeness.RARE
    is_mixed = any(map(str.isupper, core)) and any(map(str.islower, core)) and core.isalnum()
    if is_mixed and _LEAST_RANDOM <= len(core) <= _MOST_RANDOM and looks_random(core) and not is_identifier(core):
        return Likeness.MADE
    return Likeness.CHOSEN if len(core) >= _LEAST_CHOSEN and is_chosen(core) else Likeness.NONE


_BEFORE, _BEHIND = 100, 110
_WITH_DIGIT = r"(?<!\S)(?=\S{0,48}[0-9])\S{4,64}(?!\S)"
# What brings a value in.
_INTRODUCES = frozenset(
    (
        *("with", "using", "by", "via", "takes", "wants", "needs", "without", "for", "accepts", "supply", "enter"),
        *("type", "try", "say", "is", "are", "was", "key", "code", "phrase", "secret", "on", "then", "to", "be"),
        *("combo", "number", "combination", "use", "now", "sequence", "pin", "word", "just", "it's", "keep", "value"),
        *("pick", "picking"),
    )
)
_BEFORE_ITS_USE = frozenset(("with", "using", "use", "try", "enter", "type"))
_FOLLOWS = r"[\"'`*)]{0,3}[ ](?:is|was|gets|lets|opens|unlocks|does|works|will|should|for|as|to)\b|[\"'`*]{0,3}[ ]?\("
_COMBINATION = r"(?!(?:19|20)[0-9]{2}\Z)[0-9]{4,5}|[0-9]{1,2}(?:[-/][0-9]{1,2}){2,3}"
_SIGNS = (":", "=", "/", "//", "-", "--", "\u2013", "\u2014", "->", "\u2192", "|")
_END = r"[\"'`*#)]{0,3}(?:[.,;!?]|[ \t]*(?:\r?\n|\Z|[(|/<-])|[ ](?:then|and|since|until|for|from|as|which|or)\b)"


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
        if not is_apart or PLACEHOLDER_START in token[0]:
            continue
        found = Likeness.CHOSEN if is_lock and _is_combination(word) else likeness(word)
        first = token.start() + token[0].find(word)
        last = first + len(word)
        if token.start() >= end:
            is_beside = is_lock and text[end:first].strip(_STRIPPED + " ") == ""
            is_led = is_beside or _leads(text[begin : token.start()])
            is_led = is_led and (found > Likeness.MADE or is_last(text, last))
        else:
            is_led = found >= Likeness.RARE and (
                compiled(_FOLLOWS).match(text, last) is not None or _brings_in(text[begin : token.start()])
            )
        if found and (found >= least or (is_led and found >= led)):
            yield first, last


def _is_combination(word: str) -> bool:
    """Whether `word` is a short number as locks have them, and no year."""
    return compiled(_COMBINATION).fullmatch(word) is not None


def _brings_in(text: str) -> bool:
    """Whether the last word of `text` brings in what is used for what is said behind it."""
    return text[-1:] == " " and text.split()[-1:] != [] and text.split()[-1].lower() in _BEFORE_ITS_USE


def _bare(word: str) -> str:
    bare = word.strip(_STRIPPED)
    return bare.strip("*_").strip(_STRIPPED) if bare[:1] in ("*", "_") else bare


def is_last(text: str, position: int) -> bool:
    """Whether what ends at `position` is no count of what follows."""
    return compiled(_END).match(text, position) is not None


def _leads(text: str) -> bool:
    """Whether the last word of `text` brings in what follows."""
    before = text.rsplit(None, 1)[-1]
    return before in _SIGNS or before[-1:] in (":", "=") or before.strip(_STRIPPED).lower() in _INTRODUCES


# What is about getting in, by whether what follows may be a number.
_LOCKS = (
    r"(?<![A-Za-z])(?<!::)(?:keypad|safe|padlock|(?:dis)?arm(?:s|ed)|alarm|lockbox|locker|doors?|gate|garage|lock(?:s|ed)?|combo|combination|luks|bitlocker|keychain|key(?:ring|store|pass)|unlock(?:s|ed)?|ssid"
    r"|vpn|wi-?fi|sudo|wpa[23]?|guest network|open(?:s|ed)?|(?:de|en)crypt(?:s|ed)?|(?:un)?zip(?:ped)?|protected"
    r"|archive)(?![A-Za-z-])"
)
_ACCESS = (
    r"(?<![A-Za-z])(?:log(?:ged)?[ -]?(?:in|on)|sign[ -]in|credentials?|creds|get (?:in|past)|gets (?:in|past|you)"
    r"|got in|access|admin|root|account|portal|ssh|su|rdp|bios|mailbox|jump host|idrac|ipmi|ilo|snmp|community string|storepass|prompt(?:s|ed)?|preshared)(?![A-Za-z-])"
)


def _beside_a_lock(match: re.Match[str], _limit: int) -> Places:
    yield from found_near(match.string, match.span(), Likeness.PLAIN, Likeness.CHOSEN, is_lock=True)


def _beside_access(match: re.Match[str], _limit: int) -> Places:
    yield from found_near(match.string, match.span(), Likeness.PLAIN, Likeness.RARE)


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"

RULES = (
    NearRule(
        kind="password",
        anchors=(
            *("keypad", "safe", "padlock", "arms", "armed", "alarm", "combo", "combination", "luks", "bitlocker", "keychain"),
            *("keyring", "keystore", "keypass"),
            *("lockbox", "locker", "door", "gate", "garage", "lock", "unlock"),
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
            *("idrac", "ipmi", "ilo", "snmp", "community string", "storepass", "prompt", "preshared"),
        ),
        pattern=rf"(?i:{_ACCESS})",
        around=_beside_access,
        source=_SOURCE,
        samples=("the portal wants «Gravel5111!»", "- jo («Velvet38!05x») for the staging admin"),
        near=("the admin is on release Gravel5111", "log in with node18.19"),
    ),
)
