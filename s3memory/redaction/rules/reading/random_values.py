"""Which values are random, as generated keys are, and are no name, version, time, file or digest besides."""

from __future__ import annotations

from typing import NamedTuple

from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import judged
from s3memory.redaction.text.values import (
    CITATIONS,
    ID_OF_AWS,
    ID_OF_OKTA,
    POD,
    is_identifier,
    is_placeholder,
    is_slug,
    is_term,
    looks_random,
)
from s3memory.redaction.text.wording import is_gibberish

LEAST = 14
"""Without a format, what has fewer characters is random by chance too often."""

LEAST_BESIDE = 12
"""Beside a name so many are enough, of capital and small letters and digits, or where these are mixed."""

PUBLIC = r"pub-c-.*|pk_(?:live|test)_.*|pk\.eyJ.*|SCW[A-Z0-9]{17}|AAAA[BC]3NzaC1.*|AAAAE2VjZHNh.*"
"""What services hand out beside a secret, for everybody: PubNub, Stripe, Mapbox, Scaleway; public keys of SSH."""

_LONGEST_HEAD = 64
_HEAD = r"[A-Za-z0-9+/_.~-]*\Z"
_MORE_OF_A_VALUE = (".", "=", "~", "%")
_ALSO_IN_HEADS = (".", "~")  # beside what is in runs
_TAIL = r"(?:[A-Za-z0-9+/_=.~-]|%(?:2[BbFf]|3[Dd])){0,512}"
_ESCAPE = r"\\(?:[nrt]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})|%[0-9A-Fa-f]{2}"
_NAME_AND_SLASH = r"[A-Z]?[a-z]{2,32}/"
# The id of a bot, which is part of its token.
_NUMBER_BEFORE, _LONGEST_NUMBER = r"(?<![0-9A-Za-z:.])[0-9]{6,12}:\Z", 14
_UUID = r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_ID = (
    r"0x[0-9A-Fa-f]+|(?i:dpl|req|request|chatcmpl|run|msg|thread|evt|event|ch|cus|sub|prj|project|team|usr|user|org|acct"
    r"|gen|batch|file|asst|asset|job|task|build|session|sess)[_-].*"
)
_HEXADECIMAL = "0123456789abcdef"
_PADDED = r"(?:[A-Za-z0-9+/]{4}){5,}+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)"
_PIECES = r"[A-Za-z0-9+]+"
_AMID = r"[0-9][A-Za-z]+[0-9]+[A-Za-z]"
# As keys of programs are sold.
_GROUPS, _LEAST_OF_BOTH = "|".join(rf"[A-Z0-9]{{{n}}}(?:-[A-Z0-9]{{{n}}}){{3,7}}" for n in (4, 5, 6)), 3
_KEY_ID = r"0x[0-9A-F]{16}"  # of OpenPGP
_TIMES = r"[0-9]{8}[Tt_-]?[0-9]{4,6}(?:[0-9]{3,6})?[Zz]?|[0-9]{4}-[0-9]{2}-[0-9]{2}T.*"
_NUMBER = r"[0-9]{1,20}\.[0-9]{1,20}[eE][+-]?[0-9]{1,3}"
_COUNTING = ("abcdef", "012345", "123456", "example", "sample", "dummy", "foobar")
_MADE_UP = r"(.)\1{4}|test[-_]?(?:key|token|secret)"
_FILE = (
    r"(?i).*\.(?:[a-z]{1,4}|json|yaml|html|lock|toml|jpeg|webp|jsonl|ndjson"
    r"|parquet|sqlite|ipynb|safetensors|feather|arrow|woff2|mp[34])"
)
_DIGEST = r"(?i)(?:sha[0-9]{1,3}|md5|h1|blake[0-9a-z]{0,3}|sha-[0-9]{1,3})[-:=/]"
# Of files that lock what is installed, before a sum: "h1:", "sha256=", 'jose.tgz#', Hex's and CocoaPods' lists.
_SUM_BEFORE = (
    r"(?i)(?<![a-z0-9])(?:sha-?[0-9]{1,3}|md5|h1|blake[0-9a-z]{0,3})[:=/-]\Z|\.t?gz#\Z"
    # What md5sum and its like print with --tag: "SHA256 (notes.txt) = ".
    r"|(?<![a-z0-9])(?:(?:sha|rmd)-?[0-9]{1,3}|md5|sm3|blake[0-9a-z-]{1,6}) \([^()\n]{1,80}\) ?= ?\Z"
    # What Jasypt has encrypted is no secret either.
    r"|(?<![a-z0-9])ENC\([/+]{0,4}\Z"
    # Whom a provider of Auth0's knows: "auth0|" and a number.
    r"|(?<![a-z0-9|])auth0\|\Z"
    # The public key that mail is checked with: https://www.rfc-editor.org/rfc/rfc6376#section-3.6.1
    r"|\bv=DKIM1;[^\n]{0,40}\bp=\Z"
    r"|\{:hex, :\w{1,40}, \"[^\"\n]{1,30}\", \"\Z|\], \"hexpm\", \"\Z"
)
_LONGEST_BEFORE_A_SUM = 96
# What is pinned is a dependency, whatever that is named after.
_PINNED, _COMMIT = (
    r"(?i)(?<![a-z])pin(?:ned|ning|s)?[ ][^\n:=]{1,60}[ ](?:to|at)[ ](?:commit[ ])?[`\"']?\Z",
    r"[0-9a-f]{40}(?!\w)",
)
_FINGERPRINT = ("SHA256:", "MD5:")
_LIST_OF_SUMS, _ITEM_OF_SUMS, _LONGEST_LIST = "CHECKSUMS:\n", r"  \"?[\w/+.-]{1,80}\"?: \Z", 20_000
_LEAST_PIECE, _LEAST_OF_EACH = 6, 3
_IN_GROUPS = r"(?=.{12})[A-Za-z0-9]+(?:[._~:+=/-][A-Za-z0-9]+)+"
_MIXED = r"[a-z][A-Z]+[a-z]+[A-Z]|[a-z][A-Z]{2,}|[A-Z]{3,}[a-z]"
_NAME_WITH_NUMBER = r"[A-Za-z]?[a-z]*(?:[A-Z][a-z]+)*[0-9]{0,4}|[A-Z]+[0-9]{0,4}|[0-9]+[a-z]{0,4}"
_LEAST_IN_GROUPS = 7
_SMALL_GROUPS = r"[0-9a-z]{4}(?:-[0-9a-z]{4}){3,7}"


class RandomValue(NamedTuple):
    """A random value: where it stands, and how much it takes to call it a secret."""

    text: str
    start: int
    end: int
    is_uuid: bool
    is_hexadecimal: bool


def goes_on(text: str, start: int, end: int) -> bool:
    """Whether the run from `start` to `end` may be part of a longer value."""
    return text[start - 1 : start] in _ALSO_IN_HEADS or text[end : end + 1] in _MORE_OF_A_VALUE


def is_sum_at(text: str, start: int) -> bool:
    """Whether what starts at `start` is a sum: of what is installed, or of a public key, as OpenSSH writes it.

    So is a commit that something is pinned to, and the number of an account.
    """
    before = text[max(0, start - _LONGEST_BEFORE_A_SUM) : start]
    if text.startswith(_FINGERPRINT, start) or compiled(_SUM_BEFORE).search(before):
        return True
    if compiled(_COMMIT).match(text, start) and compiled(_PINNED).search(before):
        return True
    if compiled(_ITEM_OF_SUMS).search(before) is None:
        return False
    head = text.rfind(_LIST_OF_SUMS, max(0, start - _LONGEST_LIST), start)
    return head >= 0 and "\n\n" not in text[head:start]


def random_value_at(text: str, start: int, end: int) -> RandomValue | None:
    """Return the value that the run from `start` to `end` is part of, if it is random."""
    if text[start - 1 : start] in _ALSO_IN_HEADS:
        head = compiled(_HEAD).search(text, max(0, start - _LONGEST_HEAD), start)
        start = head.start() if head else start
    tail = compiled(_TAIL).match(text, end)
    end = tail.end() if tail else end
    # The run can start inside an escape. An address says where something is, a call what is done.
    if escape := compiled(_ESCAPE).match(text, max(0, start - 1)):
        start = min(escape.end(), end)
    if text[start - 1 : start] in ("@", "$") or text[end : end + 1] in ("@", "("):
        return None
    whole = text[start:end]
    if whole.startswith("/") and not compiled(_PADDED).fullmatch(whole):  # of a path, its longest part
        part = max(whole.split("/"), key=len)
        start, whole = start + whole.find(part), part
    elif name := compiled(_NAME_AND_SLASH).match(whole):
        start, whole = start + name.end(), whole[name.end() :]
    if number := compiled(_NUMBER_BEFORE).search(text, max(0, start - _LONGEST_NUMBER), start):
        whole, start = number[0] + whole, number.start()
    value = whole.rstrip(".-_~%").lstrip(".-_~" if compiled(_PADDED).fullmatch(whole) else ".-_~+=")
    start += whole.find(value) if value else 0
    least = LEAST_BESIDE if _is_of_three_kinds(value) or _is_of_letters_and_digits(value) else LEAST
    if len(value) < least or not is_random(value) or is_sum_at(text, start):
        return None
    is_hexadecimal = not value.strip("0123456789abcdefABCDEF-")
    return RandomValue(value, start, start + len(value), is_uuid(value), is_hexadecimal)


def _is_of_three_kinds(value: str) -> bool:
    return any(map(str.isupper, value)) and any(map(str.islower, value)) and sum(map(str.isdigit, value)) > 1


def _is_of_letters_and_digits(value: str) -> bool:
    """Whether `value` is digits amid letters of one case, and not the beginning of a sum."""
    is_mixed = value.isalnum() and compiled(_AMID).search(value) is not None
    return is_mixed and value.strip(_HEXADECIMAL) != ""


def is_uuid(value: str) -> bool:
    """Whether `value` is a UUID."""
    return compiled(_UUID).fullmatch(value) is not None


def has_form_of_an_id(value: str) -> bool:
    """Whether `value` has the form of an id: it says what it is of."""
    return compiled(_ID).fullmatch(value) is not None


@judged
def is_random(value: str, *, least: int = 8) -> bool:
    """Whether `value`, of `least` characters or more, is random and nothing else that looks like it."""
    if not looks_random(value, least=least) and not _is_of_one_case(value) and not _is_of_groups(value):
        return False
    if is_uuid(value) or _is_of_groups(value):  # one in ten has no part that is mixed
        return not _is_made_up(value)
    pieces = compiled(_PIECES).findall(value)
    longest = max(pieces, key=len)
    joined = "".join(pieces)
    are_words = not is_gibberish(joined)
    # Words, numbers and words with a number, joined, are a name; what has a random part is none.
    if longest is not value and not any(map(_is_mixed, pieces)) and are_words:
        return False
    is_path = value.count("/") + value.count(".") >= 2 and len(longest) < LEAST  # noqa: PLR2004 - a path or a host
    if is_path and (are_words or not looks_random(joined)):
        return False
    if _is_made_up(value) or any(
        compiled(named).fullmatch(value)
        for named in (POD, ID_OF_AWS, ID_OF_OKTA, _TIMES, _NUMBER, _FILE, _KEY_ID, PUBLIC, *CITATIONS.values())
    ):
        return False
    is_name = is_identifier(value) or is_slug(value) or is_term(value)
    return not (is_name or compiled(_DIGEST).match(value) or is_placeholder(value))


@judged
def is_random_in_groups(value: str) -> bool:
    """Whether some groups of `value` between dots, hyphens and the like are random: "eb.prod.Xk71Tqm0wZ"."""
    if compiled(_IN_GROUPS).fullmatch(value) is None or _is_made_up(value) or is_placeholder(value):
        return False
    if any(compiled(named).fullmatch(value) for named in (POD, _TIMES, _FILE, PUBLIC)) or has_form_of_an_id(value):
        return False
    if compiled(_DIGEST).match(value) or is_uuid(value):
        return False
    if compiled(_SMALL_GROUPS).fullmatch(value):
        return sum(map(_has_both, value.split("-"))) > 1
    groups = [one for one in compiled(_PIECES).findall(value) if not compiled(_NAME_WITH_NUMBER).fullmatch(one)]
    is_of_no_words = any(map(str.isdigit, value)) or (
        sum(map(_goes_up_and_down, groups)) > 1 and is_gibberish("".join(groups))
    )
    return sum(map(len, groups)) >= _LEAST_IN_GROUPS and is_of_no_words


def _goes_up_and_down(group: str) -> bool:
    """Whether capital and small letters of a group follow one another as they do in no name of code."""
    return compiled(_MIXED).search(group) is not None


def _is_of_one_case(value: str) -> bool:
    """Whether `value` is letters of one case and digits, and no words: few neighbours differ in kind, as in base32."""
    if not value.isalnum() or value.isalpha() or not (value.isupper() or value.islower()):
        return False
    n_digits = sum(map(str.isdigit, value))
    is_hexadecimal = not value.lower().strip(_HEXADECIMAL) and _LEAST_OF_EACH <= n_digits <= len(value) - _LEAST_OF_EACH
    return is_hexadecimal or is_gibberish(value)


def _is_made_up(value: str) -> bool:
    folded = value.lower()
    return any(map(folded.__contains__, _COUNTING)) or compiled(_MADE_UP).search(folded) is not None


def _is_of_groups(value: str) -> bool:
    return compiled(_GROUPS).fullmatch(value) is not None and sum(map(_has_both, value.split("-"))) >= _LEAST_OF_BOTH


def _has_both(piece: str) -> bool:
    return not piece.isalpha() and not piece.isdigit()


def _is_mixed(piece: str) -> bool:
    return len(piece) >= _LEAST_PIECE and _has_both(piece) and looks_random(piece, least=_LEAST_PIECE)
