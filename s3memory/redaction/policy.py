"""A policy, checked before it is used, and what becomes of what is found: taken out, tagged, refused, reported."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from math import log2
from types import MappingProxyType
from typing import NamedTuple

from s3memory.errors import ConfigurationError
from s3memory.redaction.allowlist import Allowlist
from s3memory.redaction.checks import is_kind
from s3memory.redaction.kinds import PERSONAL_KINDS, SERVICE_KINDS
from s3memory.redaction.model import placeholder
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import KINDS, RULES
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.tokens import Run, Token

REDACT = "redact"
TAG = "tag"
BLOCK = "block"
REPORT = "report"
OFF = "off"
MODES = (REDACT, TAG, BLOCK, REPORT, OFF)
OTHERS = "*"
"""In a policy, all kinds that it does not name."""

TAG_KEY_BYTES = 32

KNOWN_KINDS = KINDS | PERSONAL_KINDS | SERVICE_KINDS
"""The kinds of which placeholders are known without a detector that says so."""

_SHIELDING_NOTHING = PERSONAL_KINDS | (SERVICE_KINDS - KINDS)

_LEAST_BITS = 64
# Keys that a machine made, of which the rules do not tell the shape.
_MADE_BY_MACHINES = (
    *("aws-secret-key", "azure-shared-access-key", "azure-storage-key", "facebook-token", "ghost-key"),
    *("mailgun-key", "private-key"),
)


def checked_policy(
    policy: Mapping[str, str], *, kinds: frozenset[str] | None, own_kinds: frozenset[str], is_open: bool
) -> dict[str, str]:
    """Return a copy of `policy`.

    Built-in rules are to look for `kinds` (`None`: nobody said); your own rules and detectors find `own_kinds`. Where
    it `is_open`, there are detectors, which may find other kinds than they say.

    Raises:
        ConfigurationError: A mode is unknown, nothing finds or looks for a kind, or one is to be tagged whose
            values could be guessed: see `is_taggable`. Values of your own rules and detectors could.
    """
    known = KINDS | PERSONAL_KINDS | own_kinds
    looked_for = known if kinds is None else kinds | own_kinds
    not_only_built_in = own_kinds | (SERVICE_KINDS if is_open else frozenset())
    for kind, mode in policy.items():
        if mode not in MODES:
            raise ConfigurationError(f"the mode of {kind!r} must be one of {', '.join(MODES)}")
        if kind not in looked_for | {OTHERS} and not (is_open and is_kind(kind)):
            check_known(kind, known)
            raise ConfigurationError(f"{kind!r} is in the policy and not among kinds, so nothing would look for it")
        if mode == TAG and not is_taggable(kind):
            raise ConfigurationError(
                f"{kind!r} can't be tagged: anyone who can try values would learn from equal tags which one it was"
            )
        if mode == TAG and kind in not_only_built_in:
            raise ConfigurationError(
                f"{kind!r} can't be tagged: your own rules or detectors may find it, too, and nothing shows that "
                "what they find can't be guessed"
            )
    return dict(policy)


def check_known(kind: object, known: Collection[str]) -> None:
    """Raise a `ConfigurationError` for a kind that is not in `known`, with those that are most like it."""
    if kind in known:
        return
    import difflib

    close = difflib.get_close_matches(str(kind), sorted(known), n=3)
    hint = f"; did you mean {' or '.join(close)}?" if close else ";"
    raise ConfigurationError(f"nothing finds {kind!r}{hint} docs/redaction.md lists all kinds")


def cutting(policy: Mapping[str, str]) -> dict[str, str]:
    """Return `policy` with whatever it refuses taken out."""
    return {kind: REDACT if mode == BLOCK else mode for kind, mode in policy.items()}


@cache
def is_taggable(kind: str) -> bool:
    """Whether every value of `kind` was made by a machine, of 64 random bits or more, so that none can be guessed."""
    bits = [_bits(rule) for rule in RULES if rule.kind == kind]
    return kind in _MADE_BY_MACHINES or min(bits, default=0) >= _LEAST_BITS


def _bits(rule: Rule) -> float:
    if not isinstance(rule, Token):
        return 0
    ascii_characters = "".join(map(chr, range(128)))
    sizes = ((part.least, part.alphabet) for part in rule.shape if isinstance(part, Run))
    return sum(least * log2(len(compiled(f"[{alphabet}]").findall(ascii_characters))) for least, alphabet in sizes)


class Treatment(NamedTuple):
    """The rules of one redaction: modes, what is let through, which placeholders are left alone, the key of tags."""

    policy: Mapping[str, str] = MappingProxyType({})
    allow: Allowlist = Allowlist()
    known_kinds: frozenset[str] = KNOWN_KINDS
    tag_key: Callable[[], bytes] | None = None

    def mode(self, kind: str) -> str:
        """Return what becomes of `kind`."""
        return self.policy.get(kind) or self.policy.get(OTHERS, REDACT)

    def shields(self, kind: str, *modes: str) -> bool:
        """Whether what is of `kind` stays, and is left alone by what is treated in one of `modes`.

        Personal data never shields: an address that may stay can be somebody's password.
        """
        if kind in _SHIELDING_NOTHING:
            return False
        mode = self.mode(kind)
        return mode == OFF or (mode == REPORT and REPORT not in modes)

    def mark(self, kind: str, value: str) -> str:
        """Return the placeholder for `value`; a tenant's key of tags that can't be had is a `BackendError`."""
        if self.mode(kind) != TAG or self.tag_key is None:
            return placeholder(kind)
        return placeholder(kind, tag_of(self.tag_key(), kind, value))


def tag_of(key: bytes, kind: str, value: str) -> str:
    """Return 8 hexadecimal digits that are the same for the same value, and tell nothing else without the 32-byte key.

    They are the first 32 bits of HMAC-SHA-256 over the kind, a zero byte and the value in UTF-8. Nobody can try values
    without the key, but who may write and read memories can: so only what can't be guessed is tagged.
    """
    import hmac  # loads OpenSSL, which a text without tags does not need

    if len(key) != TAG_KEY_BYTES:
        raise ConfigurationError(f"a key for tags is {TAG_KEY_BYTES} bytes")
    message = b"%s\0%s" % (kind.encode("ascii"), value.encode("utf-8", "surrogatepass"))
    return hmac.digest(key, message, "sha256")[:4].hex()
