"""Sensitive text is filtered out before it is sealed: the `Redactor` protocol and the built-in `PatternRedactor`."""

from s3memory.redaction.detector import Detector
from s3memory.redaction.model import Finding, Redaction, Redactor, Span
from s3memory.redaction.patterns import PatternRedactor

__all__ = ["Detector", "Finding", "PatternRedactor", "Redaction", "Redactor", "Span"]
