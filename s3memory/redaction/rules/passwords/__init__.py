"""Rules for passwords: after and before their labels, in pairs, in commands, in sentences and without any label."""

from s3memory.redaction.rule import weighed_again
from s3memory.redaction.rules.passwords import (
    access,
    app_passwords,
    calls,
    commands,
    devices,
    generated,
    logins,
    named,
    options,
    pairs,
    passphrases,
    programs,
    security_answers,
    spelt,
    spoken,
    typed_into,
    wifi,
    word_phrases,
)

RULES = (
    *weighed_again("access", access.RULES),
    *app_passwords.RULES,
    *calls.RULES,
    *commands.RULES,
    *devices.RULES,
    *weighed_again("generated", generated.RULES),
    *weighed_again("logins", logins.RULES),
    *weighed_again("named password", named.RULES),
    *options.RULES,
    *pairs.RULES,
    *weighed_again("passphrases", passphrases.RULES),
    *programs.RULES,
    *weighed_again("security answers", security_answers.RULES),
    *spelt.RULES,
    *weighed_again("spoken", spoken.RULES),
    *typed_into.RULES,
    *wifi.RULES,
    *word_phrases.RULES,
)
