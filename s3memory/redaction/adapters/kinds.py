"""What services call what they find, and what it is called here.

A name that is not in the table becomes a kind by itself (``DRIVER_ID``: ``driver-id``), so that a type which a
service learns later is redacted, not missed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeGuard

from s3memory.errors import ConfigurationError
from s3memory.redaction.model import KIND_PATTERN

COMMONPLACE_TYPES = frozenset({"DATE_TIME", "URL"})
"""Left alone unless asked for: notes are full of them, and by themselves they name nobody."""

# Where the services' names differ from one another, or from the built-in rules' kinds: of Amazon Comprehend, by
# https://docs.aws.amazon.com/comprehend/latest/dg/how-pii.html; of Amazon Bedrock Guardrails, by
# https://docs.aws.amazon.com/bedrock/latest/userguide/guardrails-sensitive-filters.html; and of Presidio, by
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
_NO_WORD = re.compile(r"[^a-z0-9]+", re.ASCII)
_MAX_TYPE_CHARACTERS = 64
_TYPE_PATTERN = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*", re.ASCII)


def checked_kinds(kinds: Mapping[str, str]) -> dict[str, str]:
    """Return a copy of your own names for types, or raise a `ConfigurationError` if one is no kind."""
    for entity_type, kind in kinds.items():
        if type(kind) is not str or not KIND_PATTERN.fullmatch(kind):
            raise ConfigurationError(f"kinds[{entity_type!r}] must be lower-case ASCII words joined by single hyphens")
    return dict(kinds)


def is_type(value: object) -> TypeGuard[str]:
    """Whether `value` has the form of AWS's names of types: no stretch of a text gets into a placeholder as one."""
    return isinstance(value, str) and len(value) <= _MAX_TYPE_CHARACTERS and _TYPE_PATTERN.fullmatch(value) is not None


def kind_of(entity_type: str, kinds: Mapping[str, str]) -> str:
    """Return the kind for a service's name of a type, or of an operator's pattern.

    That is your own (of `kinds`), the table's, or made of the name; ``sensitive`` if no ASCII letter or digit is in it.
    """
    known = kinds.get(entity_type) or _KINDS.get(entity_type)
    return known or _NO_WORD.sub("-", entity_type.lower()).strip("-") or "sensitive"
