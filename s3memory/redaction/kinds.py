"""The closed list of kinds: what may stand in a placeholder, beside the kinds of your own detectors.

What has the form of a placeholder and names another kind is not a placeholder, but a text like any other: somebody who
may write anything could put a secret there.
"""

from __future__ import annotations

from s3memory.redaction.text.word_lists import word_set

# What stands beside a secret in so many words tells less than the secret's own format: in `password = "..."` with
# a provider's token inside, the token names the finding. From the least to the most specific; all others are above.
GENERAL_KINDS = ("secret", "session-cookie", "password", "authorization", "url-password", "api-key")
SPECIFIC = len(GENERAL_KINDS)
"""The specificity of a kind with a format of its own: see `specificity`."""

PERSONAL_KINDS = frozenset({"email", "ip-address", "national-id", "phone"})
"""Personal data that agents' notes may be about: looked for only where a policy names the kind."""

# What `s3memory.redaction.adapters` calls the types that Amazon Comprehend, Amazon Bedrock Guardrails and Presidio
# document. A type of your own, or one that a service learns later, is declared by a detector's `known_kinds`.
SERVICE_KINDS = word_set("""
    address age aws-access-key aws-secret-key bank-account bank-routing ca-health-number ca-social-insurance-number
    card-cvv card-expiry crypto date-time driver-id email in-aadhaar in-nrega in-permanent-account-number
    in-voter-number international-bank-account-number ip-address iban license-plate location mac-address medical-license
    name nrp passport password phone pin sensitive ssn swift-code uk-national-health-service-number
    uk-national-insurance-number uk-unique-taxpayer-reference-number uk-nhs url us-driver-license
    us-individual-tax-identification-number us-itin username vehicle-identification-number
""")


def specificity(kind: str) -> int:
    """Return how much `kind` tells about what is found: of two kinds that match the same, the higher one names it."""
    return GENERAL_KINDS.index(kind) if kind in GENERAL_KINDS else SPECIFIC
