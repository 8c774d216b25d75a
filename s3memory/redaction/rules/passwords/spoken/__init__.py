"""Passwords in sentences, found by a small grammar with the words of `reading.languages`."""

from s3memory.redaction.rules.passwords.spoken.sentences import RULES

__all__ = ["RULES"]
