"""Checks a policy, which maps kinds to modes, and applies it: what happens to a finding of each kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from math import log2
from types import MappingProxyType
from typing import NamedTuple

from s3memory.errors import ConfigurationError
from s3memory.redaction.allowlist import Allowlist
from s3memory.redaction.checks import is_kind
from s3memory.redaction.interface import placeholder
from s3memory.redaction.kinds import PERSONAL_KINDS, SERVICE_KINDS
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
"""The key in a policy for all kinds that it does not name."""

TAG_KEY_BYTES = 32

KNOWN_KINDS = KINDS | PERSONAL_KINDS | SERVICE_KINDS
"""The kinds whose placeholders are recognized without a detector that declares them."""

_NEVER_SHIELDING = PERSONAL_KINDS | (SERVICE_KINDS - KINDS)

_MIN_TAGGABLE_BITS = 64
# Machine-generated keys whose length and alphabet the rules do not define.
_GENERATED_KINDS = (
    *("aws-secret-key", "azure-shared-access-key", "azure-storage-key", "facebook-token", "ghost-key"),
    *("mailgun-key", "private-key"),
)


def checked_policy(
    policy: Mapping[str, str], *, kinds: frozenset[str] | None, own_kinds: frozenset[str], has_detectors: bool
) -> dict[str, str]:
    """Return a copy of `policy` after checking it.

    Args:
        policy: The mode for each kind, or for ``*``.
        kinds: The kinds that the built-in rules are to look for; `None` for the default.
        own_kinds: The kinds that your own rules and detectors declare.
        has_detectors: Whether there are detectors of your own, which may also find kinds that they do not declare.

    Raises:
        ConfigurationError: A mode is unknown, nothing finds or looks for a kind, or a kind is to be tagged whose
            values might be guessed: see `is_taggable`. That holds for everything your own rules and detectors find.
    """
    known = KINDS | PERSONAL_KINDS | own_kinds
    looked_for = known if kinds is None else kinds | own_kinds
    not_only_built_in = own_kinds | (SERVICE_KINDS if has_detectors else frozenset())
    for kind, mode in policy.items():
        if mode not in MODES:
            raise ConfigurationError(f"the mode of {kind!r} must be one of {', '.join(MODES)}")
        if kind not in looked_for | {OTHERS} and not (has_detectors and is_kind(kind)):
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
    """Raise a `ConfigurationError` that suggests similar kinds if `kind` is not in `known`."""
    if kind in known:
        return
    import difflib

    close = difflib.get_close_matches(str(kind), sorted(known), n=3)
    hint = f"; did you mean {' or '.join(close)}?" if close else ";"
    raise ConfigurationError(f"nothing finds {kind!r}{hint} docs/redaction.md lists all kinds")


def redact_instead_of_block(policy: Mapping[str, str]) -> dict[str, str]:
    """Return a copy of `policy` that redacts the kinds which `policy` blocks."""
    return {kind: REDACT if mode == BLOCK else mode for kind, mode in policy.items()}


@cache
def is_taggable(kind: str) -> bool:
    """Whether every value of `kind` is machine-generated from 64 random bits or more, so that none can be guessed."""
    bits = [_random_bits(rule) for rule in RULES if rule.kind == kind]
    return kind in _GENERATED_KINDS or min(bits, default=0) >= _MIN_TAGGABLE_BITS


def _random_bits(rule: Rule) -> float:
    """Return the random bits in the shortest token that `rule` finds; none for a rule that is no `Token`."""
    if not isinstance(rule, Token):
        return 0
    ascii_characters = "".join(map(chr, range(128)))
    runs = (part for part in rule.shape if isinstance(part, Run))
    return sum(run.least * log2(len(compiled(f"[{run.alphabet}]").findall(ascii_characters))) for run in runs)


class Treatment(NamedTuple):
    """How one redaction treats its findings: by policy and allow-list, known placeholders and the key for tags."""

    policy: Mapping[str, str] = MappingProxyType({})
    allow: Allowlist = Allowlist()
    known_kinds: frozenset[str] = KNOWN_KINDS
    tag_key: Callable[[], bytes] | None = None

    def mode(self, kind: str) -> str:
        """Return the mode for `kind`."""
        return self.policy.get(kind) or self.policy.get(OTHERS, REDACT)

    def shields(self, kind: str, *modes: str) -> bool:
        """Whether a finding of `kind` stays in the text, and other findings with one of `modes` must not touch it.

        Personal data never shields: an address that may stay can also be somebody's password.
        """
        if kind in _NEVER_SHIELDING:
            return False
        mode = self.mode(kind)
        return mode == OFF or (mode == REPORT and REPORT not in modes)

    def mark(self, kind: str, value: str) -> str:
        """Return the placeholder for `value`. Raises `BackendError` if the tenant's key for tags is unavailable."""
        if self.mode(kind) != TAG or self.tag_key is None:
            return placeholder(kind)
        return placeholder(kind, tag_of(self.tag_key(), kind, value))


def tag_of(key: bytes, kind: str, value: str) -> str:
    """Return 8 hexadecimal digits that are equal for equal values, and reveal nothing else without the 32-byte key.

    They are the first 32 bits of HMAC-SHA-256 over the kind, a zero byte and the value in UTF-8. Without the key nobody
    can try out values, except anyone who can write and read memories: so only values that can't be guessed are tagged.
    """
    import hmac  # loads OpenSSL, which a text without tags does not need

    if len(key) != TAG_KEY_BYTES:
        raise ConfigurationError(f"a key for tags is {TAG_KEY_BYTES} bytes")
    message = b"%s\0%s" % (kind.encode("ascii"), value.encode("utf-8", "surrogatepass"))
    return hmac.digest(key, message, "sha256")[:4].hex()
