"""Judging a value that stands where a secret would: is it one, or a placeholder, a reference, or a word?

Only what has no format of its own comes here: values beside "password" and the like. Each question errs towards
its safe side: a value is a placeholder only if it plainly looks like one.
"""

from __future__ import annotations

import re
from math import log2

# How often a random value changes between letters and digits and from lower to upper case: base 36 at 0.4 of its
# characters, base 62 and hexadecimal at 0.45; identifiers, versions and dates stay below 0.17.
_LEAST_MIXING = 0.2
_LEAST_ENTROPY = 2.75
_SYMBOLS = frozenset("!@#$%^&*+=?~")

_MASK = re.compile(r"[*xX.\u2022\u2026_#?-]+")
_BRACKETED = re.compile(r"<.*>?|\{.*|\[.*\]?|\(.*|\$[{(].*|%[({].*|.*\{\{.*|.*\$\{[A-Za-z_].*|ENC[\[(].*")
_VARIABLE = re.compile(r"\$(?:env:)?[A-Za-z_][A-Za-z_]*[0-9]?|%[A-Za-z_]+%|@[A-Za-z_]+|:[a-z_]+|![A-Za-z]+|[*&][a-z_]+")
_MADE_UP = re.compile(
    r"x{4}|your[-_ ]?|example|place[-_]?holder|change[-_ ]?me|redacted|dummy|insert[-_ ]|replace[-_ ]|my[-_]?(?:super[-_]?)?"
    r"(?:secret|password|token|api[-_]?key|key)\b|\.\.\.|\u2026",
    re.IGNORECASE,
)
_LOCATOR = re.compile(r"[a-z][a-z0-9+.-]{1,20}://.*|arn:.*|(?:/|~/|\./|\.\./|[A-Za-z]:\\).*|(?:env|file|vault|sops|ssm):.*")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}")
_DATE = re.compile(r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:[T ].*)?|[0-9]{1,2}[/.:-][0-9]{1,2}(?:[/.:-][0-9]{1,4})?")

# Names of algorithms, encodings and quantities have a digit as well: "AES-256", "UTF-8", "12-character", "1st".
_TERM = re.compile(
    r"(?:sha|md|aes|rsa|utf|base|rfc|iso|hs|rs|es|ps|ecdsa|oauth|saml|x|pkcs|pbkdf|argon|bcrypt|scrypt|tls|ssl|http|ipv|ed|"
    r"python|java|web|v|s|ec|k|p|windows|int|varchar|char|step|phase|page|line|item|note|user|host|node|team|q|day|week)"
    r"[-_ ]?[0-9]{1,5}(?:i|d|id|s|k[0-9])?(?:[-_./:(].*)?"
    r"|[0-9]{1,5}(?:[-_]?(?:st|nd|rd|th|x|h|s|m|d|min|ms|kb|mb|gb|k|bits?|bytes?|char(?:acter)?s?|digits?|letters?|words?|"
    r"days?|hours?|minutes?|months?|years?|times?|factor|step|fold))(?:[-_].*)?",
    re.IGNORECASE,
)

# An identifier, a call or a subscript: the value is elsewhere.
_REFERENCE = re.compile(
    r"[A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)+[(\[;]?"
    r"|[A-Za-z_$][A-Za-z_$.:]*[(\[].*|[A-Za-z_$][\w$.:>-]*[(\[].*[)\]];?"
)
_SLUG = re.compile(r"[A-Za-z]+[0-9]{0,4}(?:[-_./:][A-Za-z]*[0-9]{0,4})+")
_WORDS = frozenset(
    """
    password passwd passphrase passcode pass pwd pw secret token key apikey value string str text input hidden none null
    nil true false undefined empty blank required optional default unknown unset set test foo bar foobar baz changeit
    todo tbd yes no here sensitive masked encrypted protected bearer basic username user admin:password bytes any
    secretstr object number integer boolean char varchar invalid incorrect wrong missing prompt stdin env
    """.split()
)


def entropy(value: str) -> float:
    """Return Shannon's entropy of the characters of `value`, in bits a character."""
    length = len(value)
    return -sum(n / length * log2(n / length) for n in map(value.count, set(value)))


def is_placeholder(value: str) -> bool:
    """Whether `value` plainly stands for a secret that is elsewhere, or for none."""
    core = value.strip(" \t.,;:!?'\"`*_()[]")
    return (
        not core
        or core.lower() in _WORDS
        or _MASK.fullmatch(value) is not None
        or any(pattern.fullmatch(value) for pattern in (_BRACKETED, _VARIABLE, _LOCATOR))
        or _MADE_UP.search(value) is not None
    )


def is_reference(value: str) -> bool:
    """Whether an unquoted `value` is code or a name rather than a literal."""
    return _REFERENCE.fullmatch(value) is not None


def is_term(value: str) -> bool:
    """Whether `value` is a date, an address, an algorithm or a quantity, as sentences about secrets have them."""
    return any(pattern.fullmatch(value) for pattern in (_TERM, _DATE, _MAIL))


def is_slug(value: str) -> bool:
    """Whether `value` is words joined by hyphens, dots or the like, with a number at most behind each."""
    return _SLUG.fullmatch(value) is not None


def is_strong(value: str) -> bool:
    """Whether `value` mixes kinds of characters as passwords do and words do not."""
    has_letter = any(map(str.isalpha, value))
    has_other = any(character.isdigit() or character in _SYMBOLS for character in value)
    return (has_letter and has_other) or looks_random(value)


def looks_random(value: str, *, least: int = 8) -> bool:
    """Whether `value`, of `least` characters or more, is mixed as generated keys are and names are not."""
    if len(value) < least or any(map(str.isspace, value)) or entropy(value) < _LEAST_ENTROPY:
        return False
    changes = sum(
        (left.isdigit() and right.isalpha())
        or (left.isalpha() and right.isdigit())
        or (left.islower() and right.isupper())
        for left, right in zip(value, value[1:], strict=False)
    )
    return changes >= _LEAST_MIXING * len(value)
