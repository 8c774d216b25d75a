"""Codes that are used once, open a door or restore an account: one-time and recovery codes, PINs, seed phrases."""

from s3memory.redaction.rule import reviewed
from s3memory.redaction.rules.codes import (
    combination_locks,
    license_keys,
    number_codes,
    otp_seeds,
    recovery_codes,
    seed_phrases,
    sent_codes,
    wallets,
)

RULES = (
    *reviewed("number codes", (*number_codes.RULES, *combination_locks.RULES)),
    *combination_locks.TURNS,
    *reviewed("one time", otp_seeds.RULES),
    *reviewed("recovery codes", (*recovery_codes.RULES, *license_keys.RULES)),
    *license_keys.LISTED_RULES,
    *seed_phrases.RULES,
    *reviewed("sent codes", sent_codes.RULES),
    *wallets.RULES,
)
