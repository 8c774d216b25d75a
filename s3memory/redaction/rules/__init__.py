"""The built-in rules: a package for each family, and two modules for numbers with check digits."""

from s3memory.redaction.rules import accounts, cards, codes, passwords, providers, scoring, secrets

RULES = (
    *providers.RULES,
    *secrets.RULES,
    *passwords.RULES,
    *codes.RULES,
    *cards.RULES,
    *accounts.RULES,
    *scoring.RULES,
)

KINDS = frozenset(rule.kind for rule in RULES)
