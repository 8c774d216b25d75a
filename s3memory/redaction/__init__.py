"""Filters sensitive text out before it is sealed: the `Redactor` protocol and the built-in `PatternRedactor`.

Each name is loaded when it is first used, so that a process that only reads does not wait for the rules.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from s3memory.redaction.allowlist import Allowlist
    from s3memory.redaction.chaining import Chain, chain
    from s3memory.redaction.custom import CustomRule
    from s3memory.redaction.detector import Detector
    from s3memory.redaction.interface import Finding, Redaction, Redactor, Span, WriteRedactor
    from s3memory.redaction.patterns import PatternRedactor
    from s3memory.redaction.refusals import BlockedTextError, UncheckedTextError
    from s3memory.redaction.warming import warm_up

_MODULES = {
    "Allowlist": "allowlist",
    "BlockedTextError": "refusals",
    "Chain": "chaining",
    "CustomRule": "custom",
    "Detector": "detector",
    "Finding": "interface",
    "PatternRedactor": "patterns",
    "Redaction": "interface",
    "Redactor": "interface",
    "Span": "interface",
    "UncheckedTextError": "refusals",
    "WriteRedactor": "interface",
    "chain": "chaining",
    "warm_up": "warming",
}

__all__ = [
    "Allowlist",
    "BlockedTextError",
    "Chain",
    "CustomRule",
    "Detector",
    "Finding",
    "PatternRedactor",
    "Redaction",
    "Redactor",
    "Span",
    "UncheckedTextError",
    "WriteRedactor",
    "chain",
    "warm_up",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
