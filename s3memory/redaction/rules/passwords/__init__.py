"""Passwords that somebody chose: behind, before and below their names, in pairs, in commands, in sentences."""

from s3memory.redaction.rules.passwords import (
    access,
    app_passwords,
    below,
    calls,
    commands,
    devices,
    generated,
    logins,
    named,
    pairs,
    passphrases,
    security_answers,
    spelt,
    spoken,
    typed_into,
    wifi,
)

RULES = (
    *access.RULES,
    *app_passwords.RULES,
    *below.RULES,
    *calls.RULES,
    *commands.RULES,
    *devices.RULES,
    *generated.RULES,
    *logins.RULES,
    *named.RULES,
    *pairs.RULES,
    *passphrases.RULES,
    *security_answers.RULES,
    *spelt.RULES,
    *spoken.RULES,
    *typed_into.RULES,
    *wifi.RULES,
)
