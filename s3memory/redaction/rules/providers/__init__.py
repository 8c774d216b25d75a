"""Tokens with a format of their own: a table for each kind of provider."""

from s3memory.redaction.rules.providers import ai, clouds, development, monitoring, other_providers, payments, services

RULES = (
    *ai.RULES,
    *clouds.RULES,
    *development.RULES,
    *monitoring.RULES,
    *payments.RULES,
    *services.RULES,
    *other_providers.RULES,
)
