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
    keys,
    monitoring,
    one_time,
    pairs,
    passphrases,
    passwords,
    payments,
    secrets,
    seed_phrases,
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
    *pairs.RULES,
    *commands.RULES,
    *columns.RULES,
    *passphrases.RULES,
    *one_time.RULES,
    *seed_phrases.RULES,
    *cards.RULES,
    *accounts.RULES,
)

KINDS = frozenset(rule.kind for rule in RULES)
