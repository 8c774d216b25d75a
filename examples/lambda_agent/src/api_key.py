"""Reads Claude's API key from the environment or Secrets Manager, in any of the forms in which people store it."""

from __future__ import annotations

import functools
import json
import os

import aws

from s3memory.aws.errors import RequestOutcome, aws_errors, error_code, is_answer, outcome_of

_PASSING = frozenset({"InternalServiceError", "InternalServiceErrorException", "RequestTimeout", "ServiceUnavailable"})


class ApiKeyError(Exception):
    """There is no usable key, and only a person can change that. The text holds no part of the secret."""


class ApiKeyUnavailableError(Exception):
    """Secrets Manager throttles or can't be reached: the same request may succeed later."""


@functools.cache
def current() -> str:
    """Return the key. The secret is read once per process.

    It is the secret that ``AGENT_API_KEY_SECRET_ID`` names, or else ``ANTHROPIC_API_KEY``. The function's role needs
    ``secretsmanager:GetSecretValue`` on the secret.

    Raises:
        ApiKeyError: there is no key, or it is malformed.
        ApiKeyUnavailableError: it could not be read now.
    """
    secret_id = os.environ.get("AGENT_API_KEY_SECRET_ID")
    return parsed(_secret(secret_id) if secret_id else os.environ.get("ANTHROPIC_API_KEY", ""))


def forget() -> None:
    """Have the next call of `current` read the key again: for a snapshot, or after Claude refused the key."""
    current.cache_clear()


def parsed(text: str) -> str:
    """Return the key that a secret's text holds.

    Spaces and newlines around it are stripped, such as the newline that ``echo`` and editors add. The console's
    "key/value" secrets are JSON: the key is in the field that ``AGENT_API_KEY_FIELD`` names, or in the only field.

    Raises:
        ApiKeyError: it holds no key.
    """
    text = text.strip()
    if text.startswith("{"):
        text = _field(text).strip()
    if not text:
        raise ApiKeyError("the API key is empty")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ApiKeyError("the API key holds spaces or characters that no HTTP header can carry")
    return text


def _field(text: str) -> str:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise ApiKeyError("the secret begins like JSON but is not valid JSON") from None
    name = os.environ.get("AGENT_API_KEY_FIELD") or (next(iter(fields)) if len(fields) == 1 else None)
    if name is None:
        raise ApiKeyError("the secret does not have exactly one field: name the key's field in AGENT_API_KEY_FIELD")
    value = fields.get(name)
    if not isinstance(value, str):
        raise ApiKeyError("the secret holds no text in the key's field")
    return value


def _secret(secret_id: str) -> str:
    secrets = aws.secrets_client()
    try:
        answer = secrets.get_secret_value(SecretId=secret_id)
    except aws_errors() as error:
        code = error_code(error)
        if is_answer(error):
            if "Throttl" in code or code in _PASSING or code.isdigit():
                raise ApiKeyUnavailableError from None
            raise ApiKeyError(f"Secrets Manager refused to give the API key: {code}") from None
        if outcome_of(error) in {RequestOutcome.NOT_DONE, RequestOutcome.UNKNOWN}:
            raise ApiKeyUnavailableError from None
        raise
    finally:
        aws.close(secrets)
    text = answer.get("SecretString")
    if not isinstance(text, str):
        raise ApiKeyError("the secret is binary, not text")
    return text
