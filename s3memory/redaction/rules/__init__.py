"""The built-in rules, a module for each family; their order does not matter."""

from s3memory.redaction.rules import (
    accounts,
    ai,
    cards,
    clouds,
    columns,
    commands,
    cookies,
    credentials,
    development,
    devices,
    keys,
    monitoring,
    neighbours,
    pairs,
    passphrases,
    passwords,
    payments,
    secrets,
    services,
    unknown,
)

RULES = (
    *clouds.RULES,
    *ai.RULES,
    *development.RULES,
    *services.RULES,
    *payments.RULES,
    *monitoring.RULES,
    *unknown.RULES,
    *keys.RULES,
    *credentials.RULES,
    *cookies.RULES,
    *passwords.RULES,
    *secrets.RULES,
    *neighbours.RULES,
    *pairs.RULES,
    *commands.RULES,
    *devices.RULES,
    *columns.RULES,
    *passphrases.RULES,
    *cards.RULES,
    *accounts.RULES,
)

KINDS = frozenset(rule.kind for rule in RULES)
