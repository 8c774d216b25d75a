"""Personal data that agents' notes may be about: a module for each kind, loaded only where a policy names it."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module

from s3memory.redaction.kinds import PERSONAL_KINDS
from s3memory.redaction.rule import Rule

_MODULES = {
    "email": "emails",
    "ip-address": "addresses",
    "national-id": "national_ids",
    "phone": "phones",
}


def personal_rules(kinds: Collection[str] = PERSONAL_KINDS) -> tuple[Rule, ...]:
    """Return the rules of those of `kinds` that are personal data."""
    modules = (import_module(f"{__name__}.{_MODULES[kind]}") for kind in sorted(PERSONAL_KINDS.intersection(kinds)))
    return tuple(rule for module in modules for rule in module.RULES)
