"""The built-in redactor: runs a table of rules over a text and its decoded views, using nothing but `re`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from s3memory.errors import ConfigurationError
from s3memory.redaction.allowlist import Allowlist
from s3memory.redaction.budget import Budget
from s3memory.redaction.checks import is_collection_of_strings, is_positive
from s3memory.redaction.detector import Detector, is_detector, known_kinds_of
from s3memory.redaction.interface import Finding, Redaction, Redactor
from s3memory.redaction.kinds import PERSONAL_KINDS, SPECIFIC, specificity
from s3memory.redaction.policy import (
    BLOCK,
    KNOWN_KINDS,
    OFF,
    TAG,
    TAG_KEY_BYTES,
    Treatment,
    check_known,
    checked_policy,
    redact_instead_of_block,
)
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import KINDS, RULES
from s3memory.redaction.rules.scoring import FINDING_FILTER
from s3memory.redaction.rules.scoring.scored_rules import ScoredRule
from s3memory.redaction.searching.checked_blocks import Checked
from s3memory.redaction.searching.file_names import FileNameDetector
from s3memory.redaction.searching.rule_detector import RuleDetector
from s3memory.redaction.searching.rule_selection import finders
from s3memory.redaction.searching.text_search import Rules
from s3memory.redaction.substitution import redact_with
from s3memory.redaction.text.caching import forget

if TYPE_CHECKING:
    from s3memory.redaction.custom import CustomRule

DEFAULT_BUDGET_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PatternRedactor:
    """Redacts credentials, private keys, passwords, and account and card numbers.

    It recognizes formats and labels, not meaning: a password made of words is missed if nothing in the text calls it
    one. Encoded secrets (base64, hexadecimal, percent, escapes, entities, invisible and disguised characters) are found
    as well, even if they are encoded twice. A redactor is immutable, safe to share between threads and cheap to create;
    a rule's pattern is compiled when a text first needs it. The time for a text is proportional to its length, whatever
    the text is.

    Attributes:
        kinds: The kinds that the built-in rules look for; `None` for all of them except personal data.
        policy: What happens to each kind: ``redact`` (the default), ``tag`` (redact, with the same tag for equal
            values: see `tag_key`), ``block`` (refuse the write), ``report`` (keep the text and report the finding) or
            ``off``. ``*`` stands for all kinds that the policy does not name. Naming a kind of personal data switches
            it on: ``email``, ``ip-address``, ``national-id``, ``phone``.
        allow: Findings to leave as they are.
        rules: Your own rules, in addition to the built-in ones. They also search decoded text.
        detectors: Your own detectors, in addition to the rules. Each is called once per text, with the original text.
        then: Detectors to call last, with only what all the others left: use it for those that send texts elsewhere.
        budget_seconds: How much processor time `rules` may take for one text; after that, the write is refused.
        tag_key: 32 bytes. By default, tags are made with a key of the tenant where a `MemoryStore` redacts, and
            elsewhere there are none.

    Raises:
        ConfigurationError: An argument is malformed; `kinds` or `policy` names a kind that nothing finds; `policy`
            names a kind that is not among `kinds`; or it tags a kind whose values can be guessed.
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
    _scored: tuple[ScoredRule, ...] = field(init=False, compare=False)
    _checked: Checked = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if self.kinds is not None and not is_collection_of_strings(self.kinds):
            raise ConfigurationError("kinds is a collection of kinds, not a string or anything else")
        if not isinstance(self.policy, Mapping):
            raise ConfigurationError("policy is a mapping from kinds to modes")
        detectors = (*self.detectors, *self.then)
        if not all(map(is_detector, detectors)):
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
        own_kinds = frozenset(rule.kind for rule in self.rules).union(*map(known_kinds_of, detectors))
        requested = None if self.kinds is None else frozenset(self.kinds)
        for kind in sorted(requested or ()):
            check_known(kind, KINDS | PERSONAL_KINDS)
        policy = checked_policy(self.policy, kinds=requested, own_kinds=own_kinds, has_detectors=bool(detectors))
        kinds = KINDS | (PERSONAL_KINDS & policy.keys()) if requested is None else requested
        if policy:
            kinds = _kinds_needed(kinds, Treatment(policy), has_own=bool(self.rules or detectors))
        built_in = _rules_for(kinds)
        scored = tuple(rule for rule in built_in if isinstance(rule, ScoredRule))
        _set(self, kinds=requested, policy=policy, known_kinds=KNOWN_KINDS | own_kinds, _checked=Checked())
        _set(self, rules=tuple(self.rules), detectors=tuple(self.detectors), then=tuple(self.then))
        _set(self, _finders=finders(tuple(rule for rule in built_in if rule not in scored)), _scored=scored)

    def redact(self, text: str, /) -> Redaction:
        """Return `text` with a placeholder for everything found in it.

        Raises:
            BlockedTextError: The text contains something of a kind that the policy blocks.
            UncheckedTextError: One of your own detectors failed or returned something malformed, the budget is spent,
                or the text is encoded in too many ways. Nothing may be stored then.
            TypeError: `text` is not a string.
        """
        return self._redact(text, self.policy, self._own_tag_key())

    def findings(self, text: str, /, *, path: str | None = None) -> tuple[Finding, ...]:
        """Return what would be found in `text`, with its line numbers, without changing or refusing anything.

        Args:
            text: The text.
            path: The memory path of the file that contains it, for the allow-list.

        Returns:
            What `redact` would redact, report or refuse. ``is_kept`` marks the findings that it would not redact.

        Raises:
            TypeError, UncheckedTextError: As for `redact`.
        """
        if path is not None and self.allow.covers(path):
            return ()
        policy = redact_instead_of_block(self.policy)
        return self._redact(text, policy, None, path=path, by_original_lines=True).findings

    def blocks(self, kind: str) -> bool:
        """Whether a text that contains something of `kind` is refused."""
        return Treatment(self.policy).mode(kind) == BLOCK

    def never_refusing(self) -> PatternRedactor:
        """Return a redactor that redacts what this one blocks."""
        return replace(self, policy=redact_instead_of_block(self.policy))

    def knowing(self, kinds: frozenset[str]) -> PatternRedactor:
        """Return a redactor that also leaves placeholders of `kinds` alone, which other redactors of a chain insert."""
        made = copy(self)
        _set(made, known_kinds=self.known_kinds | kinds, _checked=Checked())
        return made

    def for_write(self, path: str | None, tag_key: Callable[[], bytes] | None, /) -> Redactor:
        """Return the redactor for one write: see `WriteRedactor`."""
        if tag_key is None or self.tag_key is not None or TAG not in self.policy.values():
            tag_key = self._own_tag_key()
        return _WriteOfFile(self, path, tag_key)

    def _own_tag_key(self) -> Callable[[], bytes] | None:
        key = self.tag_key
        return None if key is None else lambda: key

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
        rules = Rules(
            built_in=self._finders,
            scored=self._scored,
            own=self.rules,
            treatment=treatment,
            budget=Budget(self.budget_seconds),
            finding_filter=FINDING_FILTER,
            seen={},
        )
        detector = RuleDetector(rules, self._checked)
        by_file_name = () if path is None else (FileNameDetector(path, detector),)
        try:
            return redact_with(
                (detector, *by_file_name, *self.detectors),
                text,
                settle=(detector, *by_file_name),
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
            # By type name: a detector's own repr may contain what it looks for.
            if types := ", ".join(type(one).__name__ for one in getattr(self, name)):
                arguments.append(f"{name}=[{types}]")
        return f"PatternRedactor({', '.join(arguments)})"


class _WriteOfFile(NamedTuple):
    """The redactor for one write: it knows the path of the file, and the key for tags if any are made."""

    redactor: PatternRedactor
    path: str | None
    tag_key: Callable[[], bytes] | None

    def redact(self, text: str, /) -> Redaction:
        if self.path is not None and self.redactor.allow.covers(self.path):
            return Redaction(text)
        return self.redactor._redact(text, self.redactor.policy, self.tag_key, path=self.path)  # noqa: SLF001 - same module


def _set(redactor: PatternRedactor, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(redactor, name, value)


def _check_rules(rules: Sequence[object]) -> None:
    from s3memory.redaction.custom import CustomRule  # most redactors have no custom rules

    if not all(isinstance(rule, CustomRule) for rule in rules):
        raise ConfigurationError("every rule is a CustomRule")


def _kinds_needed(kinds: frozenset[str], treatment: Treatment, *, has_own: bool) -> frozenset[str]:
    """Return those of `kinds` that must be looked for: not switched off, or shielding values from another kind.

    That kind is one of `kinds` that is no more specific, or (`has_own`) a kind of your own rules and detectors.
    """
    active = frozenset(kind for kind in kinds if treatment.mode(kind) != OFF)
    lowest = min(map(specificity, active), default=SPECIFIC if has_own else SPECIFIC + 1)
    return active | {kind for kind in kinds if treatment.shields(kind) and specificity(kind) >= lowest}


def _rules_for(kinds: frozenset[str]) -> tuple[Rule, ...]:
    built_in = RULES if kinds >= KINDS else tuple(rule for rule in RULES if rule.kind in kinds)
    if not kinds & PERSONAL_KINDS:
        return built_in
    from s3memory.redaction.rules.personal import personal_rules  # most redactors do not need them

    return (*built_in, *personal_rules(kinds))
