"""Which folders a bucket's lifecycle rules reach. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_ENDS = ("Expiration", "NoncurrentVersionExpiration")
_MOVES = ("Transitions", "NoncurrentVersionTransitions", "Transition", "NoncurrentVersionTransition")


def reaching(rules: Iterable[Mapping[str, Any]], prefix: str) -> list[str]:
    """Return the ids of the rules in force that delete or move objects whose keys begin with `prefix`, or could.

    A rule for tagged objects alone reaches none of ours, which have no tags. One for large or small ones may.
    """
    return [
        str(rule.get("ID", f"number {number}"))
        for number, rule in enumerate(rules, start=1)
        if rule.get("Status") == "Enabled" and _does_something(rule) and _begins_alike(_prefix_of(rule), prefix)
    ]


def _does_something(rule: Mapping[str, Any]) -> bool:
    if any(rule.get(name) for name in _MOVES):
        return not _is_for_tags(rule)
    # To remove what is left of an object that is gone already takes nothing away.
    ends = [field for name in _ENDS for field in rule.get(name, {})]
    return not _is_for_tags(rule) and any(field != "ExpiredObjectDeleteMarker" for field in ends)


def _prefix_of(rule: Mapping[str, Any]) -> str:
    rule_filter = rule.get("Filter") or {}
    both = rule_filter.get("And") or {}
    return str(rule.get("Prefix") or rule_filter.get("Prefix") or both.get("Prefix") or "")


def _is_for_tags(rule: Mapping[str, Any]) -> bool:
    rule_filter = rule.get("Filter") or {}
    return bool(rule_filter.get("Tag") or (rule_filter.get("And") or {}).get("Tags"))


def _begins_alike(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)
