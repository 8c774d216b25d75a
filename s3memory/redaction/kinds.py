"""The closed list of kinds that a placeholder may name, in addition to the kinds of your own detectors.

Text in the form of a placeholder that names any other kind is searched like all text: anyone who can write to a memory
could put a secret there.
"""

from __future__ import annotations

from s3memory.redaction.text.word_lists import word_set

# Kinds that are recognized by a label. The value's own format is more specific: in `password = "ghp_..."`, the finding
# is named for the token. From the least to the most specific; all other kinds are more specific than these.
GENERAL_KINDS = ("secret", "session-cookie", "password", "authorization", "url-password", "api-key")
SPECIFIC = len(GENERAL_KINDS)
"""The specificity of a kind that is recognized by its own format: see `specificity`."""

PERSONAL_KINDS = frozenset({"email", "ip-address", "national-id", "phone"})
"""Personal data that an agent's notes may legitimately contain: looked for only if a policy names the kind."""

# The kinds that `s3memory.redaction.adapters` uses for the types that Amazon Comprehend, Amazon Bedrock Guardrails and
# Presidio document. Your own types, and those that a service adds later, are declared by a detector's `known_kinds`.
SERVICE_KINDS = word_set("""
    address age aws-access-key aws-secret-key bank-account bank-routing ca-health-number ca-social-insurance-number
    card-cvv card-expiry crypto date-time driver-id email in-aadhaar in-nrega in-permanent-account-number
    in-voter-number international-bank-account-number ip-address iban license-plate location mac-address medical-license
    name nrp passport password phone pin sensitive ssn swift-code uk-national-health-service-number
    uk-national-insurance-number uk-unique-taxpayer-reference-number uk-nhs url us-driver-license
    us-individual-tax-identification-number us-itin username vehicle-identification-number
""")


def specificity(kind: str) -> int:
    """Return how specific `kind` is: where findings overlap, the kind with the highest specificity names the result."""
    return GENERAL_KINDS.index(kind) if kind in GENERAL_KINDS else SPECIFIC
