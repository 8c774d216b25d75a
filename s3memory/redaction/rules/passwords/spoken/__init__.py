"""Passwords in sentences: a small grammar, whose words are those of `reading.languages`."""

from s3memory.redaction.rules.passwords.spoken.sentences import RULES

__all__ = ["RULES"]
