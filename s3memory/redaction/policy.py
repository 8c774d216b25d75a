"""A policy as somebody writes it: kinds and modes, checked before it is used."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from math import log2

from s3memory.errors import ConfigurationError
from s3memory.redaction.checks import is_kind
from s3memory.redaction.kinds import PERSONAL_KINDS, SERVICE_KINDS
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import KINDS, RULES
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.tokens import Run, Token
from s3memory.redaction.treatment import BLOCK, MODES, OTHERS, REDACT, TAG

_LEAST_BITS = 64
# Keys that a machine made, of which the rules do not tell the shape.
_MADE_BY_MACHINES = frozenset(
    {
        *("aws-secret-key", "azure-shared-access-key", "azure-storage-key", "facebook-token", "ghost-key"),
        *("mailgun-key", "private-key"),
    }
)


def checked_policy(
    policy: Mapping[str, str], *, kinds: frozenset[str] | None, own_kinds: frozenset[str], is_open: bool
) -> dict[str, str]:
    """Return a copy of `policy`.

    Args:
        policy: Kinds, and what becomes of each.
        kinds: What the built-in rules are to look for; `None` where nobody said.
        own_kinds: What your own rules and detectors find.
        is_open: Whether there are detectors, which may find other kinds than they say.

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
                f"{kind!r} can't be tagged: who can try values would learn from equal tags which one it was"
            )
        if mode == TAG and kind in not_only_built_in:
            raise ConfigurationError(
                f"{kind!r} can't be tagged: rules or detectors of one's own may find it, too, and nothing shows that "
                "what they find can't be guessed"
            )
    return dict(policy)


def check_known(kind: object, known: Collection[str]) -> None:
    """Refuse a kind that is not in `known`, with those that are most like it.

    Raises:
        ConfigurationError: It is not.
    """
    if kind in known:
        return
    import difflib  # noqa: PLC0415 - only for this

    close = difflib.get_close_matches(str(kind), sorted(known), n=3)
    hint = f"; did you mean {' or '.join(close)}?" if close else ";"
    raise ConfigurationError(f"nothing finds {kind!r}{hint} docs/redaction.md lists all kinds")


def cutting(policy: Mapping[str, str]) -> dict[str, str]:
    """Return `policy` with whatever it refuses taken out."""
    return {kind: REDACT if mode == BLOCK else mode for kind, mode in policy.items()}


@cache
def is_taggable(kind: str) -> bool:
    """Whether every value of `kind` was made by a machine, of 64 random bits or more, so that none can be guessed."""
    rules = [rule for rule in RULES if rule.kind == kind]
    return kind in _MADE_BY_MACHINES or (bool(rules) and min(map(_bits, rules)) >= _LEAST_BITS)


def _bits(rule: Rule) -> float:
    if not isinstance(rule, Token):
        return 0
    return sum(run.least * log2(_size(run.alphabet)) for run in rule.shape if isinstance(run, Run))


def _size(alphabet: str) -> int:
    return sum(1 for code in range(128) if compiled(f"[{alphabet}]").fullmatch(chr(code)))
