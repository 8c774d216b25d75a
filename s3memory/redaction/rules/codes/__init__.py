"""Codes that are used once, open a door or restore an account: one-time and recovery codes, PINs, seed phrases."""

from s3memory.redaction.rule import weighed_again
from s3memory.redaction.rules.codes import number_codes, one_time, recovery_codes, seed_phrases, sent_codes, wallets

RULES = (
    *weighed_again("number codes", number_codes.RULES),
    *weighed_again("one time", one_time.RULES),
    *weighed_again("recovery codes", recovery_codes.RULES),
    *seed_phrases.RULES,
    *weighed_again("sent codes", sent_codes.RULES),
    *wallets.RULES,
)
