"""Sensitive text is filtered out before it is sealed: the `Redactor` protocol and the built-in `PatternRedactor`."""

from s3memory.redaction.allowlist import Allowlist
from s3memory.redaction.chaining import Chain, chain
from s3memory.redaction.custom import CustomRule
from s3memory.redaction.detector import Detector
from s3memory.redaction.model import Finding, Redaction, Redactor, Span, WriteRedactor
from s3memory.redaction.patterns import PatternRedactor
from s3memory.redaction.refusals import BlockedTextError, UncheckedTextError

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
]
