"""The model's API key: from the environment or Secrets Manager, in whatever form people store it there."""

from __future__ import annotations

import functools
import json
import os

import aws

from s3memory.aws.errors import RequestOutcome, aws_errors, error_code, is_answer, outcome_of

_PASSING = frozenset({"InternalServiceError", "InternalServiceErrorException", "RequestTimeout", "ServiceUnavailable"})


class ApiKeyError(Exception):
    """There is no usable key, and only a person can change that. The text holds nothing of the secret."""


class ApiKeyUnavailableError(Exception):
    """Secrets Manager is throttled or out of reach: the same request may succeed later."""


@functools.cache
def current() -> str:
    """Return the key. The secret is read once a process.

    It is ``ANTHROPIC_API_KEY``, or the secret that ``AGENT_API_KEY_SECRET_ID`` names, for which the function's role
    needs ``secretsmanager:GetSecretValue``.

    Raises:
        ApiKeyError: there is none, or it is not one.
        ApiKeyUnavailableError: it could not be read now.
    """
    secret_id = os.environ.get("AGENT_API_KEY_SECRET_ID")
    return parsed(_secret(secret_id) if secret_id else os.environ.get("ANTHROPIC_API_KEY", ""))


def forget() -> None:
    """Have the next request read the key again: before a snapshot, and when Claude refused it."""
    current.cache_clear()


def parsed(text: str) -> str:
    """Return the key that a secret's text holds.

    Space and newlines around it are dropped, such as the newline that ``echo`` and editors add. The console's
    "key/value" secrets are JSON: the field is ``AGENT_API_KEY_FIELD``, or the only one.

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
        raise ApiKeyError("the secret begins like JSON and is none") from None
    name = os.environ.get("AGENT_API_KEY_FIELD") or (next(iter(fields)) if len(fields) == 1 else None)
    if name is None:
        raise ApiKeyError("the secret has several fields: name the key's in AGENT_API_KEY_FIELD")
    value = fields.get(name)
    if not isinstance(value, str):
        raise ApiKeyError("the secret has no text in the field of the key")
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
