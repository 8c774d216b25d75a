"""Passwords that nothing names: "the safe opens with ...", "guest wifi ...", "sudo asks for ...".

Values come first, as everywhere where words are many: what is made as people make passwords is rare. The plainer it is
one, the less has to be said: that something is about getting in, and by what word the value is brought in.
"""

from __future__ import annotations

import re

from s3memory.redaction.compiling import compiled
from s3memory.redaction.model import PLACEHOLDER_START
from s3memory.redaction.rules.likeness import Likeness, likeness
from s3memory.redaction.rules.near import NearRule, Places

_STRIPPED = "\"'`.,;:()[]{}<>|\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019"
_BEFORE, _BEHIND = 100, 110
_WITH_DIGIT = r"(?<!\S)(?=\S{0,48}[0-9])\S{4,64}(?!\S)"
# What brings a value in.
_INTRODUCES = frozenset(
    (
        *("with", "using", "by", "via", "takes", "wants", "needs", "without", "for", "accepts", "supply", "enter"),
        *("type", "try", "say", "is", "are", "was", "key", "code", "phrase", "secret", "on", "then", "to", "be"),
        *("combo", "number", "combination", "use", "now", "sequence", "pin", "word", "just", "it's", "keep", "value"),
        *("pick", "picking", "i.e", "namely", "accepts", "asks"),
    )
)
_BEFORE_ITS_USE = frozenset(("with", "using", "use", "try", "enter", "type"))
_FOLLOWS = r"[\"'`*)]{0,3}[ ](?:is|was|gets|lets|opens|unlocks|does|works|will|should|for|as|to)\b|[\"'`*]{0,3}[ ]?\("
_COMBINATION = r"(?!(?:19|20)[0-9]{2}\Z)[0-9]{4,5}|[0-9]{1,2}(?:[-/][0-9]{1,2}){2,3}"
_SIGNS = (":", "=", "/", "//", "-", "--", "\u2013", "\u2014", "->", "\u2192", "|")
_END = (
    r"[\"'`*#)]{0,3}(?:[.,;!?]|[ \t]*(?:\r?\n|\Z|[(|/<-])|[ ](?:then|and|since|until|for|from|as|which|or|now|today|btw|instead"
    r"|first|again|here|if|when|at|into|on|in|to|but|so|with|because|till)\b)"
)


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
    r"|got in|access|admin|root|account|portal|ssh|su|rdp|bios|mailbox|jump host|idrac|ipmi|ilo|snmp|community string|storepass|prompt(?:s|ed)?|preshared|accepts)(?![A-Za-z-])"
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
            *("idrac", "ipmi", "ilo", "snmp", "community string", "storepass", "prompt", "preshared", "accepts"),
        ),
        pattern=rf"(?i:{_ACCESS})",
        around=_beside_access,
        source=_SOURCE,
        samples=("the portal wants «Gravel5111!»", "- jo («Velvet38!05x») for the staging admin"),
        near=("the admin is on release Gravel5111", "log in with node18.19"),
    ),
)
