"""What is used once, opens a door or restores an access: one-time and recovery codes, seed phrases, numbers."""

from s3memory.redaction.rules.codes import number_codes, one_time, recovery_codes, seed_phrases, sent_codes, wallets

RULES = (
    *number_codes.RULES,
    *one_time.RULES,
    *recovery_codes.RULES,
    *seed_phrases.RULES,
    *sent_codes.RULES,
    *wallets.RULES,
)
