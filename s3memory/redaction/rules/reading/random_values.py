"""Recognizes values that are random, as generated keys are, and not a name, a version, a time, a file or a digest."""

from __future__ import annotations

from typing import NamedTuple

from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import (
    AWS_RESOURCE_ID,
    CITATIONS,
    OKTA_ID,
    POD,
    is_identifier,
    is_placeholder,
    is_slug,
    is_technical_term,
    looks_random,
)
from s3memory.redaction.text.wording import is_gibberish

LEAST = 14
"""The minimum length of a value without a known format: shorter ones look random by chance too often."""

MIN_LENGTH_NEXT_TO_NAME = 12
"""The minimum length next to a name, for capital and small letters with digits, or digits amid letters."""

PUBLIC = (
    r"pub-c-.*|pk_(?:live|test)_.*|pk\.eyJ.*|SCW[A-Z0-9]{17}|AAAA[BC]3NzaC1.*|AAAAE2VjZHNh.*"
    r"|MI(?:[GI][A-Za-z0-9+/]{1,5}?)?(?:ANBgkqhkiG9w0BAQEFAAO|MA0GCSqGSIb3DQEBAQUAA4).*|MFkwEwYHKoZIzj0CAQYI.*|MCowBQYDK2V[uw]AyEA.*"
)
"""Public values that come with a secret: of PubNub, Stripe, Mapbox and Scaleway, and public keys.

The keys are those of SSH, and DER with the identifiers of RSA, P-256 and Curve25519 (RFC 5280).
"""

_MAX_HEAD_LENGTH = 64
# What may extend a run: "head.run", "run%2Ftail".
_HEAD = r"[A-Za-z0-9+/_.~-]*\Z"
_ALSO_IN_TAILS = (".", "=", "~", "%")
_ALSO_IN_HEADS = (".", "~")  # besides the characters of a run
_TAIL = r"(?:[A-Za-z0-9+/_=.~-]|%(?:2[BbFf]|3[Dd])){0,512}"
_ESCAPE = r"\\(?:[nrt]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})|%[0-9A-Fa-f]{2}"
_NAME_AND_SLASH = r"[A-Z]?[a-z]{2,32}/"
# The identifier of a bot, which is the first part of its token: "123456789:".
_BOT_ID, _MAX_BOT_ID_LENGTH = r"(?<![0-9A-Za-z:.])[0-9]{6,12}:\Z", 14
_UUID = r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
# Prefixes of identifiers: "req_8f3k", "chatcmpl-9x".
_ID = (
    r"0x[0-9A-Fa-f]+|(?i:dpl|req|request|chatcmpl|run|msg|thread|evt|event|ch|cus|sub|prj|project|team|usr|user|org|acct"
    r"|gen|batch|file|asst|asset|job|task|build|session|sess)[_-].*"
)
_HEXADECIMAL = "0123456789abcdef"
_PADDED_BASE64 = r"(?:[A-Za-z0-9+/]{4}){5,}+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)"
_PIECE = r"[A-Za-z0-9+]+"
_DIGITS_AMID_LETTERS = r"[0-9][A-Za-z]+[0-9]+[A-Za-z]"
# Product keys: "K7QX2-9M4TB-VH3R8-2WQ6N".
_PRODUCT_KEY, _MIN_MIXED = "|".join(rf"[A-Z0-9]{{{n}}}(?:-[A-Z0-9]{{{n}}}){{3,7}}" for n in (4, 5, 6)), 3
_KEY_ID = r"0x[0-9A-F]{16}"  # of OpenPGP
_TIMESTAMP = r"[0-9]{8}[Tt_-]?[0-9]{4,6}(?:[0-9]{3,6})?[Zz]?|[0-9]{4}-[0-9]{2}-[0-9]{2}T.*"
_FLOAT = r"[0-9]{1,20}\.[0-9]{1,20}[eE][+-]?[0-9]{1,3}"
_MADE_UP_PARTS = ("abcdef", "012345", "123456", "example", "sample", "dummy", "foobar")
# Fernet's tokens start with "gAAAAAB", which is their version and the time.
_MADE_UP = r"(?<!\Ag)(.)\1{4}|test[-_]?(?:key|token|secret)"
_FILE = (
    r"(?i).*\.(?:[a-z]{1,4}|json|yaml|html|lock|toml|jpeg|webp|jsonl|ndjson"
    r"|parquet|sqlite|ipynb|safetensors|feather|arrow|woff2|mp[34])"
)
_DIGEST = r"(?i)(?:sha[0-9]{1,3}|md5|h1|blake[0-9a-z]{0,3}|sha-[0-9]{1,3})[-:=/]"
# What stands before a checksum in lock files: "h1:", "sha256=", "jose.tgz#", and in the lists of Hex.
_SUM_BEFORE = (
    r"(?i)(?<![a-z0-9])(?:sha-?[0-9]{1,3}|md5|h1|blake[0-9a-z]{0,3})[:=/-]\Z|\.t?gz#\Z"
    # The output of md5sum and the like with --tag: "SHA256 (notes.txt) = ".
    r"|(?<![a-z0-9])(?:(?:sha|rmd)-?[0-9]{1,3}|md5|sm3|blake[0-9a-z-]{1,6}) \([^()\n]{1,80}\) ?= ?\Z"
    # A value that Jasypt has encrypted is no secret either: "ENC(...)".
    r"|(?<![a-z0-9])ENC\([/+]{0,4}\Z"
    # The identifier of a user in Auth0: "auth0|" and a number.
    r"|(?<![a-z0-9|])auth0\|\Z"
    # The public key that verifies mail: https://www.rfc-editor.org/rfc/rfc6376#section-3.6.1
    r"|\bv=DKIM1;[^\n]{0,40}\bp=\Z"
    r"|\{:hex, :\w{1,40}, \"[^\"\n]{1,30}\", \"\Z|\], \"hexpm\", \"\Z"
)
_MAX_LENGTH_BEFORE_SUM = 96
# What is pinned to a commit is a dependency, whatever its name.
_PINNED, _COMMIT = (
    r"(?i)(?<![a-z])pin(?:ned|ning|s)?[ ][^\n:=]{1,60}[ ](?:to|at)[ ](?:commit[ ])?[`\"']?\Z",
    r"[0-9a-f]{40}(?!\w)",
)
_FINGERPRINT = ("SHA256:", "MD5:")
_LIST_OF_SUMS, _ITEM_OF_SUMS, _MAX_LIST_LENGTH = "CHECKSUMS:\n", r"  \"?[\w/+.-]{1,80}\"?: \Z", 20_000
_MIN_PIECE_LENGTH, _MIN_OF_EACH = 6, 3
# Groups joined by signs, which may be words or random: "eb.prod.Xk71Tqm0wZ".
_GROUPED = r"(?=.{12})[A-Za-z0-9]+(?:[._~:+=/-][A-Za-z0-9]+)+"
# Capital and small letters in an order that names in code do not have: "xKqW", "xKQ", "KQWx".
_MIXED_CASES = r"[a-z][A-Z]+[a-z]+[A-Z]|[a-z][A-Z]{2,}|[A-Z]{3,}[a-z]"
# A group that is a name, perhaps with a number: "prodServer12", "EU1", "12px".
_NAME_WITH_NUMBER = r"[A-Za-z]?[a-z]*(?:[A-Z][a-z]+)*[0-9]{0,4}|[A-Z]+[0-9]{0,4}|[0-9]+[a-z]{0,4}"
_MIN_LENGTH_OF_GROUPS = 7
_GROUPS_OF_FOUR = r"[0-9a-z]{4}(?:-[0-9a-z]{4}){3,7}"


class RandomValue(NamedTuple):
    """A random value, its span, and whether it is a UUID or hexadecimal: these need more context to be a secret."""

    text: str
    start: int
    end: int
    is_uuid: bool
    is_hexadecimal: bool


def goes_on(text: str, start: int, end: int) -> bool:
    """Whether the characters next to the run from `start` to `end` may make it part of a longer value."""
    return text[start - 1 : start] in _ALSO_IN_HEADS or text[end : end + 1] in _ALSO_IN_TAILS


def is_checksum_at(text: str, start: int) -> bool:
    """Whether the text at `start` is a checksum, such as one of a lock file or the fingerprint of an SSH key.

    A commit that a dependency is pinned to counts as well, and so do the others that `_SUM_BEFORE` lists.
    """
    before = text[max(0, start - _MAX_LENGTH_BEFORE_SUM) : start]
    if text.startswith(_FINGERPRINT, start) or compiled(_SUM_BEFORE).search(before):
        return True
    if compiled(_COMMIT).match(text, start) and compiled(_PINNED).search(before):
        return True
    if compiled(_ITEM_OF_SUMS).search(before) is None:
        return False
    head = text.rfind(_LIST_OF_SUMS, max(0, start - _MAX_LIST_LENGTH), start)
    return head >= 0 and "\n\n" not in text[head:start]


def random_value_at(text: str, start: int, end: int) -> RandomValue | None:
    """Return the value that the run from `start` to `end` is part of, if it is random."""
    if text[start - 1 : start] in _ALSO_IN_HEADS:
        head = compiled(_HEAD).search(text, max(0, start - _MAX_HEAD_LENGTH), start)
        start = head.start() if head else start
    tail = compiled(_TAIL).match(text, end)
    end = tail.end() if tail else end
    # The run can start inside an escape sequence. Next to "@" it is part of an address, before "(" a call.
    if escape := compiled(_ESCAPE).match(text, max(0, start - 1)):
        start = min(escape.end(), end)
    if text[start - 1 : start] in ("@", "$") or text[end : end + 1] in ("@", "("):
        return None
    whole = text[start:end]
    if whole.startswith("/") and not compiled(_PADDED_BASE64).fullmatch(whole):  # a path: take its longest part
        part = max(whole.split("/"), key=len)
        start, whole = start + whole.find(part), part
    elif name := compiled(_NAME_AND_SLASH).match(whole):
        start, whole = start + name.end(), whole[name.end() :]
    if number := compiled(_BOT_ID).search(text, max(0, start - _MAX_BOT_ID_LENGTH), start):
        whole, start = number[0] + whole, number.start()
    value = whole.rstrip(".-_~%").lstrip(".-_~" if compiled(_PADDED_BASE64).fullmatch(whole) else ".-_~+=")
    start += whole.find(value) if value else 0
    least = MIN_LENGTH_NEXT_TO_NAME if _has_both_cases_and_digits(value) or _has_digits_amid_letters(value) else LEAST
    if len(value) < least or not is_random(value) or is_checksum_at(text, start):
        return None
    is_hexadecimal = not value.strip("0123456789abcdefABCDEF-")
    return RandomValue(value, start, start + len(value), is_uuid(value), is_hexadecimal)


def _has_both_cases_and_digits(value: str) -> bool:
    """Whether `value` has capital letters, small letters and two digits or more."""
    return any(map(str.isupper, value)) and any(map(str.islower, value)) and sum(map(str.isdigit, value)) > 1


def _has_digits_amid_letters(value: str) -> bool:
    """Whether `value` has digits amid its letters, and is not the hexadecimal beginning of a checksum."""
    is_mixed = value.isalnum() and compiled(_DIGITS_AMID_LETTERS).search(value) is not None
    return is_mixed and value.strip(_HEXADECIMAL) != ""


def is_uuid(value: str) -> bool:
    """Whether `value` is a UUID."""
    return compiled(_UUID).fullmatch(value) is not None


def has_form_of_identifier(value: str) -> bool:
    """Whether `value` has the form of an identifier, with a prefix for its kind: "req_8f3k"."""
    return compiled(_ID).fullmatch(value) is not None


@cached_until_forgotten
def is_random(value: str, *, least: int = 8) -> bool:
    """Whether `value`, of `least` characters or more, is random and not something harmless that looks random."""
    if not looks_random(value, least=least) and not _is_random_of_one_case(value) and not _is_product_key(value):
        return False
    if is_uuid(value) or _is_product_key(value):  # one in ten has no mixed piece
        return not _is_made_up(value)
    pieces = compiled(_PIECE).findall(value)
    longest = max(pieces, key=len)
    joined = "".join(pieces)
    are_words = not is_gibberish(joined)
    # Joined words and numbers are a name, unless one of the pieces is random.
    if longest is not value and not any(map(_is_random_piece, pieces)) and are_words:
        return False
    is_path = value.count("/") + value.count(".") >= 2 and len(longest) < LEAST  # noqa: PLR2004 - a path or a host
    if is_path and (are_words or not looks_random(joined)):
        return False
    if _is_made_up(value) or any(
        compiled(form).fullmatch(value)
        for form in (POD, AWS_RESOURCE_ID, OKTA_ID, _TIMESTAMP, _FLOAT, _FILE, _KEY_ID, PUBLIC, *CITATIONS.values())
    ):
        return False
    is_name = is_identifier(value) or is_slug(value) or is_technical_term(value)
    return not (is_name or compiled(_DIGEST).match(value) or is_placeholder(value))


@cached_until_forgotten
def is_random_in_groups(value: str) -> bool:
    """Whether `value` has random groups between dots, hyphens and the like: "eb.prod.Xk71Tqm0wZ"."""
    if compiled(_GROUPED).fullmatch(value) is None or _is_made_up(value) or is_placeholder(value):
        return False
    if any(compiled(form).fullmatch(value) for form in (POD, _TIMESTAMP, _FILE, PUBLIC)) or has_form_of_identifier(
        value
    ):
        return False
    if compiled(_DIGEST).match(value) or is_uuid(value):
        return False
    if compiled(_GROUPS_OF_FOUR).fullmatch(value):
        return sum(map(_has_both, value.split("-"))) > 1
    groups = [one for one in compiled(_PIECE).findall(value) if not compiled(_NAME_WITH_NUMBER).fullmatch(one)]
    has_no_words = any(map(str.isdigit, value)) or (
        sum(map(_has_mixed_cases, groups)) > 1 and is_gibberish("".join(groups))
    )
    return sum(map(len, groups)) >= _MIN_LENGTH_OF_GROUPS and has_no_words


def _has_mixed_cases(group: str) -> bool:
    """Whether `group` mixes capital and small letters as no name in code does: "xKQw"."""
    return compiled(_MIXED_CASES).search(group) is not None


def _is_random_of_one_case(value: str) -> bool:
    """Whether `value` is random letters of one case with digits, as in base32 or hexadecimal."""
    if not value.isalnum() or value.isalpha() or not (value.isupper() or value.islower()):
        return False
    n_digits = sum(map(str.isdigit, value))
    is_hexadecimal = not value.lower().strip(_HEXADECIMAL) and _MIN_OF_EACH <= n_digits <= len(value) - _MIN_OF_EACH
    return is_hexadecimal or is_gibberish(value)


def _is_made_up(value: str) -> bool:
    """Whether `value` is an example that somebody made up: "abcdef1234567890"."""
    folded = value.lower()
    return any(map(folded.__contains__, _MADE_UP_PARTS)) or compiled(_MADE_UP).search(folded) is not None


def _is_product_key(value: str) -> bool:
    """Whether `value` is a product key: "K7QX2-9M4TB-VH3R8-2WQ6N"."""
    return compiled(_PRODUCT_KEY).fullmatch(value) is not None and sum(map(_has_both, value.split("-"))) >= _MIN_MIXED


def _has_both(piece: str) -> bool:
    """Whether `piece` is neither only letters nor only digits."""
    return not piece.isalpha() and not piece.isdigit()


def _is_random_piece(piece: str) -> bool:
    """Whether `piece` is long enough to look random, and does."""
    return len(piece) >= _MIN_PIECE_LENGTH and _has_both(piece) and looks_random(piece, least=_MIN_PIECE_LENGTH)
