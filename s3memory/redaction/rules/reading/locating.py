"""Where in a match the secret stands, for rules whose pattern leaves little open."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location
from s3memory.redaction.text.values import is_placeholder, is_strong


def unless_placeholder(match: re.Match[str]) -> Location:
    """Locate the secret: the group of that name, unless that stands for a secret that is elsewhere."""
    return None if is_placeholder(match["secret"]) else match.span("secret")


def if_strong(match: re.Match[str]) -> Location:
    """Locate the same, where it looks as passwords do and no word."""
    return unless_placeholder(match) if is_strong(match["secret"]) else None
