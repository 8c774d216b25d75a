"""Rules for passwords: after and before their labels, in pairs, in commands, in sentences and without any label."""

from s3memory.redaction.rule import reviewed
from s3memory.redaction.rules.passwords import (
    access,
    app_passwords,
    calls,
    commands,
    devices,
    form_fields,
    generated,
    logins,
    multilingual_passphrases,
    named,
    options,
    pairs,
    passphrases,
    programs,
    security_answers,
    spelling_notes,
    spoken,
    wifi,
)

RULES = (
    *reviewed("access", access.RULES),
    *app_passwords.RULES,
    *calls.RULES,
    *commands.RULES,
    *devices.RULES,
    *reviewed("generated", generated.RULES),
    *reviewed("logins", logins.RULES),
    *reviewed("named password", named.RULES),
    *options.RULES,
    *pairs.RULES,
    *reviewed("passphrases", passphrases.RULES),
    *programs.RULES,
    *reviewed("security answers", security_answers.RULES),
    *spelling_notes.RULES,
    *reviewed("spoken", spoken.RULES),
    *form_fields.RULES,
    *wifi.RULES,
    *multilingual_passphrases.RULES,
)
