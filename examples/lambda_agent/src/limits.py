"""Limits messages a minute and tokens a day for each tenant, counted in a DynamoDB table.

There are no limits unless ``AGENT_LIMITS_TABLE`` names a table with the string key ``id`` and the time to live
``expires_at``. The function's role needs ``dynamodb:GetItem`` and ``dynamodb:UpdateItem`` on it. If the table can't be
used, messages are answered without limits: a limit on cost is not worth an outage.
"""

from __future__ import annotations

import functools
import logging
import os
import time
from collections.abc import Mapping
from typing import Any

import aws
from caller import Refusal

from s3memory.aws.errors import aws_errors, error_code

TABLE = os.environ.get("AGENT_LIMITS_TABLE", "")
MESSAGES_A_MINUTE = int(os.environ.get("AGENT_MESSAGES_A_MINUTE", "60"))
TOKENS_A_DAY = int(os.environ.get("AGENT_TOKENS_A_DAY", "5000000"))

# What a token costs relative to an input token, from Claude's price list.
WEIGHTS = {"input_tokens": 1.0, "output_tokens": 5.0, "cache_read_tokens": 0.1, "cache_write_tokens": 1.25}

_MINUTE, _DAY = 60, 86_400
_log = logging.getLogger("agent")


def admit(tenant: str) -> None:
    """Count a message. Raises `Refusal`, 429, if the tenant has used up its share of messages or tokens."""
    if not TABLE:
        return
    now = int(time.time())
    try:
        if _used(tenant, _DAY, now) >= TOKENS_A_DAY:
            raise Refusal(429, "tokens_used_up", retry_after_seconds=_DAY - now % _DAY)
        _add(tenant, _MINUTE, now, 1, below=MESSAGES_A_MINUTE)
    except aws_errors() as error:
        if error_code(error) == "ConditionalCheckFailedException":
            raise Refusal(429, "too_many_messages", retry_after_seconds=_MINUTE - now % _MINUTE) from None
        _log_failure(error)


def spend(tenant: str, usage: Mapping[str, int]) -> None:
    """Count the tokens that a message used, weighted by price as `WEIGHTS` says."""
    tokens = round(sum(usage.get(name, 0) * weight for name, weight in WEIGHTS.items()))
    if not TABLE or not tokens:
        return
    try:
        _add(tenant, _DAY, int(time.time()), tokens)
    except aws_errors() as error:
        _log_failure(error)


def forget_client() -> None:
    """Close and drop the client, for a snapshot."""
    if _client.cache_info().currsize:
        aws.close(_client())
    _client.cache_clear()


def _id(tenant: str, period: int, now: int) -> dict[str, Any]:
    return {"id": {"S": f"{tenant}/{period}/{now // period}"}}


def _used(tenant: str, period: int, now: int) -> int:
    item = _client().get_item(TableName=TABLE, Key=_id(tenant, period, now)).get("Item")
    return int(item["used"]["N"]) if item else 0


def _add(tenant: str, period: int, now: int, amount: int, *, below: int | None = None) -> None:
    condition: dict[str, Any] = {}
    values = {":amount": {"N": str(amount)}, ":expires_at": {"N": str(now + 2 * period)}}
    if below is not None:
        condition = {"ConditionExpression": "attribute_not_exists(used) OR used < :below"}
        values[":below"] = {"N": str(below)}
    _client().update_item(
        TableName=TABLE,
        Key=_id(tenant, period, now),
        UpdateExpression="ADD used :amount SET expires_at = :expires_at",
        ExpressionAttributeValues=values,
        **condition,
    )


def _log_failure(error: Exception) -> None:
    _log.warning("the table of limits could not be used", extra={"fields": {"error_type": type(error).__name__}})


@functools.cache
def _client() -> Any:
    return aws.dynamodb_client()
