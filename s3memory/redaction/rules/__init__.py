"""The built-in rules, a module for each family; their order does not matter."""

from s3memory.redaction.rules import (
    ai,
    assignments,
    cards,
    clouds,
    credentials,
    development,
    keys,
    passphrases,
    services,
)

RULES = (
    *clouds.RULES,
    *ai.RULES,
    *development.RULES,
    *services.RULES,
    *keys.RULES,
    *credentials.RULES,
    *assignments.RULES,
    *passphrases.RULES,
    *cards.RULES,
)

KINDS = frozenset(rule.kind for rule in RULES)
