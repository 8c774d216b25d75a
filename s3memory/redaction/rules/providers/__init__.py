"""Tokens with a format of their own: a table for each kind of provider."""

from s3memory.redaction.rules.providers import ai, clouds, development, monitoring, payments, services, unknown

RULES = (
    *ai.RULES,
    *clouds.RULES,
    *development.RULES,
    *monitoring.RULES,
    *payments.RULES,
    *services.RULES,
    *unknown.RULES,
)
