"""Maps the services' names of types to kinds.

A name that is not in the table becomes a kind itself (``DRIVER_ID``: ``driver-id``), so that a type that a service adds
later is redacted, not missed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeGuard

from s3memory.errors import ConfigurationError
from s3memory.redaction.interface import KIND_PATTERN

COMMONPLACE_TYPES = frozenset({"DATE_TIME", "URL"})
"""Types that are left alone unless requested: notes are full of them, and by themselves they identify nobody."""

# The types whose names differ between the services or from the kinds of the built-in rules. Sources: Amazon Comprehend,
# https://docs.aws.amazon.com/comprehend/latest/dg/how-pii.html; Amazon Bedrock Guardrails,
# https://docs.aws.amazon.com/bedrock/latest/userguide/guardrails-sensitive-filters.html; Presidio,
# https://microsoft.github.io/presidio/supported_entities/.
_TYPES = {
    "bank-account": "BANK_ACCOUNT_NUMBER US_BANK_ACCOUNT_NUMBER US_BANK_NUMBER",
    "bank-routing": "BANK_ROUTING US_BANK_ROUTING_NUMBER",
    "card-cvv": "CREDIT_DEBIT_CVV CREDIT_DEBIT_CARD_CVV",
    "card-expiry": "CREDIT_DEBIT_EXPIRY CREDIT_DEBIT_CARD_EXPIRY",
    "card-number": "CREDIT_DEBIT_NUMBER CREDIT_DEBIT_CARD_NUMBER CREDIT_CARD",
    "email": "EMAIL_ADDRESS",
    "iban": "INTERNATIONAL_BANK_ACCOUNT_NUMBER IBAN_CODE",
    "name": "PERSON",
    "passport": "PASSPORT_NUMBER US_PASSPORT_NUMBER US_PASSPORT",
    "phone": "PHONE_NUMBER",
    "ssn": "US_SOCIAL_SECURITY_NUMBER US_SSN",
}
_KINDS = {entity_type: kind for kind, types in _TYPES.items() for entity_type in types.split()}
_NOT_IN_KIND = re.compile(r"[^a-z0-9]+", re.ASCII)
_MAX_TYPE_CHARACTERS = 64
_TYPE_PATTERN = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*", re.ASCII)


def checked_kinds(kinds: Mapping[str, str]) -> dict[str, str]:
    """Return a copy of your own kinds for types, or raise a `ConfigurationError` if one is not a valid kind."""
    for entity_type, kind in kinds.items():
        if type(kind) is not str or not KIND_PATTERN.fullmatch(kind):
            raise ConfigurationError(f"kinds[{entity_type!r}] must be lower-case ASCII words joined by single hyphens")
    return dict(kinds)


def is_type(value: object) -> TypeGuard[str]:
    """Whether `value` has the form of AWS's names of types, so that no part of a text gets into a placeholder."""
    return isinstance(value, str) and len(value) <= _MAX_TYPE_CHARACTERS and _TYPE_PATTERN.fullmatch(value) is not None


def kind_of(entity_type: str, kinds: Mapping[str, str]) -> str:
    """Return the kind for the name of a service's type, or of a pattern in a guardrail.

    It is your own kind (from `kinds`), the table's, or derived from the name; ``sensitive`` if the name contains no
    ASCII letter or digit.
    """
    known = kinds.get(entity_type) or _KINDS.get(entity_type)
    return known or _NOT_IN_KIND.sub("-", entity_type.lower()).strip("-") or "sensitive"
