"""Functions that locate the secret in a match, for rules whose pattern leaves little to judge."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location
from s3memory.redaction.text.values import is_placeholder, is_strong


def unless_placeholder(match: re.Match[str]) -> Location:
    """Return the span of the group "secret", or `None` if it is a placeholder."""
    return None if is_placeholder(match["secret"]) else match.span("secret")


def if_strong(match: re.Match[str]) -> Location:
    """Return the same, if the secret mixes characters as passwords do; `None` for a plain word."""
    return unless_placeholder(match) if is_strong(match["secret"]) else None
