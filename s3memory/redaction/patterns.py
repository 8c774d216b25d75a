"""The built-in redactor: a table of formats, run by `re` over a text and its views, without any dependency."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from s3memory.errors import ConfigurationError
from s3memory.redaction.allowlist import Allowlist
from s3memory.redaction.budget import Budget
from s3memory.redaction.checks import are_words, is_positive
from s3memory.redaction.detector import Detector, is_detector, known_kinds_of
from s3memory.redaction.kinds import PERSONAL_KINDS, SPECIFIC, specificity
from s3memory.redaction.model import Finding, Redaction, Redactor
from s3memory.redaction.policy import (
    BLOCK,
    KNOWN_KINDS,
    OFF,
    TAG,
    TAG_KEY_BYTES,
    Treatment,
    check_known,
    checked_policy,
    cutting,
)
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import KINDS, RULES
from s3memory.redaction.rules.scoring import FINDING_FILTER
from s3memory.redaction.rules.scoring.scored_rules import ScoredRule
from s3memory.redaction.searching.checked import Checked
from s3memory.redaction.searching.dispatch import finders
from s3memory.redaction.searching.file_names import NamedFile
from s3memory.redaction.searching.rule_detector import RuleDetector
from s3memory.redaction.substitution import redact_with
from s3memory.redaction.text.judged import forget

if TYPE_CHECKING:
    from s3memory.redaction.custom import CustomRule

DEFAULT_BUDGET_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PatternRedactor:
    """Redacts what has the format of a credential, a private key, a password or the number of an account or card.

    It reads formats, not meaning: a password of words that no sentence calls one is not found. What is encoded
    (base64, hexadecimal, percent, escapes, entities, invisible and disguised characters) is found as well, up to twice
    over. It is immutable, safe to share between threads and cheap to make; a rule's pattern is compiled when a text
    first needs it. The time for a text is proportional to its length, whatever the text is.

    Attributes:
        kinds: The kinds to look for with the built-in rules; `None` for all of them but personal data.
        policy: What becomes of a kind: ``redact`` (unless said otherwise), ``tag`` (redact, and mark equal values
            alike: see `tag_key`), ``block`` (refuse the write), ``report`` (leave the text and tell of it) or ``off``.
            ``*`` stands for all kinds that it does not name. Naming a kind of personal data switches it on: ``email``,
            ``ip-address``, ``national-id``, ``phone``.
        allow: What is let through although it is found.
        rules: One's own, beside the built-in ones. They find what is encoded, too.
        detectors: One's own, beside the rules. Each is called once a text, with the text as it was written.
        then: One's own, after all of these, and only shown what they leave: those that send texts elsewhere.
        budget_seconds: How much processor time `rules` may take for one text; after that, the write is refused.
        tag_key: 32 bytes. Left out, tags are under a key of the tenant where a `MemoryStore` redacts, and elsewhere
            there are none.

    Raises:
        ConfigurationError: One of these is malformed; `kinds` or `policy` names a kind that nothing finds; `policy`
            names one that is not among `kinds`; or a kind is to be tagged that can be guessed.
    """

    kinds: Collection[str] | None = None
    policy: Mapping[str, str] = field(default_factory=dict)
    allow: Allowlist = field(default_factory=Allowlist)
    rules: Sequence[CustomRule] = ()
    detectors: Sequence[Detector] = ()
    then: Sequence[Detector] = ()
    budget_seconds: float = DEFAULT_BUDGET_SECONDS
    tag_key: bytes | None = None
    known_kinds: frozenset[str] = field(init=False)
    _finders: tuple[Rule, ...] = field(init=False, compare=False)
    _weighed: tuple[ScoredRule, ...] = field(init=False, compare=False)
    _checked: Checked = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if self.kinds is not None and not are_words(self.kinds):
            raise ConfigurationError("kinds is a collection of kinds, not a string or anything else")
        if not isinstance(self.policy, Mapping):
            raise ConfigurationError("policy is a mapping from kinds to modes")
        others = (*self.detectors, *self.then)
        if not all(map(is_detector, others)):
            raise ConfigurationError("every detector has a method find(text) that returns spans and is not async")
        if self.rules:
            _check_rules(self.rules)
        if not isinstance(self.allow, Allowlist):
            raise ConfigurationError("allow is an Allowlist")
        if not is_positive(self.budget_seconds):
            raise ConfigurationError("budget_seconds is a finite number above 0")
        tag_key: object = self.tag_key
        if tag_key is not None and not (isinstance(tag_key, bytes) and len(tag_key) == TAG_KEY_BYTES):
            raise ConfigurationError(f"tag_key is {TAG_KEY_BYTES} bytes")
        own = frozenset(rule.kind for rule in self.rules)
        declared = frozenset(kind for detector in others for kind in known_kinds_of(detector))
        asked = None if self.kinds is None else frozenset(self.kinds)
        for kind in sorted(asked or ()):
            check_known(kind, KINDS | PERSONAL_KINDS)
        policy = checked_policy(self.policy, kinds=asked, own_kinds=own | declared, is_open=bool(others))
        kinds = KINDS | (PERSONAL_KINDS & policy.keys()) if asked is None else asked
        looking = _rules_for(
            _looked_for(kinds, Treatment(policy), is_open=bool(self.rules or others)) if policy else kinds
        )
        weighed = tuple(rule for rule in looking if isinstance(rule, ScoredRule))
        _set(self, kinds=asked, policy=policy, known_kinds=KNOWN_KINDS | own | declared, _checked=Checked())
        _set(self, rules=tuple(self.rules), detectors=tuple(self.detectors), then=tuple(self.then))
        _set(self, _finders=finders(tuple(rule for rule in looking if rule not in weighed)), _weighed=weighed)

    def redact(self, text: str, /) -> Redaction:
        """Return `text` with a placeholder for everything found in it.

        Raises:
            BlockedTextError: Something is in it that the policy does not let be written.
            UncheckedTextError: One's own detector failed or returned something malformed, the budget is spent, or the
                text is encoded in too many ways. Nothing must be stored then.
            TypeError: `text` is not a string.
        """
        key = self.tag_key
        return self._redact(text, self.policy, None if key is None else lambda: key)

    def findings(self, text: str, /, *, path: str | None = None) -> tuple[Finding, ...]:
        """Return what would be found in `text`, by its lines, changing and refusing nothing.

        Args:
            text: The text.
            path: The memory path of the file that it is of, for the allow-list.

        Returns:
            What `redact` would tell of, or refuse. Those that it would leave as they are have ``is_kept``.

        Raises:
            TypeError, UncheckedTextError: As for `redact`.
        """
        if path is not None and self.allow.covers(path):
            return ()
        return self._redact(text, cutting(self.policy), None, path=path, by_original_lines=True).findings

    def blocks(self, kind: str) -> bool:
        """Whether a text with something of `kind` is refused."""
        return Treatment(self.policy).mode(kind) == BLOCK

    def never_refusing(self) -> PatternRedactor:
        """Return a redactor that redacts what this one refuses to write."""
        return replace(self, policy=cutting(self.policy))

    def knowing(self, kinds: frozenset[str]) -> PatternRedactor:
        """Return a redactor that leaves placeholders of these kinds alone, too: others redact before or after it."""
        made = copy(self)
        _set(made, known_kinds=self.known_kinds | kinds, _checked=Checked())
        return made

    def for_write(self, path: str | None, tag_key: Callable[[], bytes] | None, /) -> Redactor:
        """Return the redactor for one write: see `WriteRedactor`."""
        if tag_key is None or self.tag_key is not None or TAG not in self.policy.values():
            tag_key = None if self.tag_key is None else lambda key=self.tag_key: key
        return _ForOneWrite(self, path, tag_key)

    def _redact(
        self,
        text: str,
        policy: Mapping[str, str],
        tag_key: Callable[[], bytes] | None,
        *,
        path: str | None = None,
        by_original_lines: bool = False,
    ) -> Redaction:
        given: object = text
        if not isinstance(given, str):
            raise TypeError(f"a text is a str, not {type(given).__name__}")
        treatment = Treatment(policy, self.allow, self.known_kinds, tag_key)
        rules = RuleDetector(
            built_in=self._finders,
            weighed=self._weighed,
            own=self.rules,
            treatment=treatment,
            budget=Budget(self.budget_seconds),
            finding_filter=FINDING_FILTER,
            checked=self._checked,
            seen={},
        )
        named = () if path is None else (NamedFile(path, rules),)
        try:
            return redact_with(
                (rules, *named, *self.detectors),
                text,
                settle=(rules,),
                then=self.then,
                treatment=treatment,
                by_original_lines=by_original_lines,
            )
        finally:
            forget()

    def __repr__(self) -> str:
        arguments = [] if self.kinds is None else [f"kinds={sorted(self.kinds)}"]
        arguments += [f"{name}={getattr(self, name)}" for name in ("policy", "allow") if getattr(self, name)]
        for name in ("rules", "detectors", "then"):
            # By type name: a detector's own repr may hold what it looks for.
            if types := ", ".join(type(one).__name__ for one in getattr(self, name)):
                arguments.append(f"{name}=[{types}]")
        return f"PatternRedactor({', '.join(arguments)})"


class _ForOneWrite(NamedTuple):
    """A redactor for the text of one file, with the key for tags if there are any."""

    redactor: PatternRedactor
    path: str | None
    tag_key: Callable[[], bytes] | None

    def redact(self, text: str, /) -> Redaction:
        if self.path is not None and self.redactor.allow.covers(self.path):
            return Redaction(text)
        return self.redactor._redact(text, self.redactor.policy, self.tag_key, path=self.path)  # noqa: SLF001 - of this module


def _set(redactor: PatternRedactor, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(redactor, name, value)


def _check_rules(rules: Sequence[object]) -> None:
    from s3memory.redaction.custom import CustomRule  # most have no rules of their own

    if not all(isinstance(rule, CustomRule) for rule in rules):
        raise ConfigurationError("every rule is a CustomRule")


def _looked_for(kinds: frozenset[str], treatment: Treatment, *, is_open: bool) -> frozenset[str]:
    """Return those of `kinds` that are treated, or shield a value from one that is, or from your own (`is_open`)."""
    treated = frozenset(kind for kind in kinds if treatment.mode(kind) != OFF)
    least = min(map(specificity, treated), default=SPECIFIC if is_open else SPECIFIC + 1)
    return treated | {kind for kind in kinds if treatment.shields(kind) and specificity(kind) >= least}


def _rules_for(kinds: frozenset[str]) -> tuple[Rule, ...]:
    built_in = RULES if kinds >= KINDS else tuple(rule for rule in RULES if rule.kind in kinds)
    if not kinds & PERSONAL_KINDS:
        return built_in
    from s3memory.redaction.rules.personal import personal_rules  # most never need them

    return (*built_in, *personal_rules(kinds))
