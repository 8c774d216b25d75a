"""Handlers for SQS, EventBridge and Step Functions. Each reports a failure in the way that its service expects.

A message is ``{"tenant": "acme", "message": "...", "conversation_id": "...", "actor": "..."}``; the last two are
optional. Nothing but the sender vouches for the tenant: let only your own programs send to the queue and the bus, and
start the workflow.

A workflow gets the reply as its task's output. For a day, the reply can also be fetched through the API: send the same
message with its id as ``Idempotency-Key``. Replies belong to their actor, so ``actor`` must equal the actor claim of
the API's caller, and the conversation's id must be the same.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from answering import RESERVE_SECONDS, AgentError, logged, respond
from caller import Refusal, Request, checked_id, checked_message, checked_tenant

ENOUGH_SECONDS = 20.0
"""With less time than this left, no further message of a batch is started."""

_log = logging.getLogger("agent")


class TryAgainError(Exception):
    """The message may be answered if it is sent again later. The text is the error's code."""


class RefusedInputError(Exception):
    """The message would be refused again. The text is the error's code."""


def sqs(event: Any, context: Any) -> dict[str, Any]:
    """Answer the messages of a batch, and report which ones SQS has to deliver again.

    The event source mapping needs ``ReportBatchItemFailures``, and the queue needs a dead-letter queue. In a batch of a
    FIFO queue, nothing is started after the first failure, which keeps the order. The first message is started however
    little time is left: otherwise a function with a short timeout would never answer any.

    Raises:
        AgentError: this is not a batch from SQS.
    """
    records = event.get("Records") if isinstance(event, Mapping) else None
    if not isinstance(records, list) or not all(_is_from_sqs(record) for record in records):
        raise AgentError("this is not an event from SQS")
    failed: list[str] = []
    not_begun = 0
    for number, record in enumerate(records):
        has_time = context.get_remaining_time_in_millis() / 1000 - RESERVE_SECONDS > ENOUGH_SECONDS
        in_order = not failed or not record["eventSourceARN"].endswith(".fifo")
        is_begun = in_order and (has_time or number == 0)
        not_begun += not is_begun
        if not is_begun or not _is_answered(record, context):
            failed.append(record["messageId"])
    if not_begun:
        _log.warning("messages were not begun", extra={"fields": {"messages": len(records), "not_begun": not_begun}})
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def eventbridge(event: Any, context: Any) -> dict[str, Any]:
    """Answer the message in an event's ``detail``.

    After an error, Lambda retries twice, and then sends the event to the function's failure destination.

    Raises:
        TryAgainError, RefusedInputError: as for `step_functions`.
        AgentError: this is not an event from EventBridge, or this program is at fault.
    """
    if not isinstance(event, Mapping) or "detail-type" not in event or not isinstance(event.get("id"), str):
        raise AgentError("this is not an event from EventBridge")
    return _answered(event.get("detail"), event["id"], context)


def step_functions(event: Any, context: Any) -> dict[str, Any]:
    """Answer the message that is a workflow task's input. A ``message_id`` in it makes retries safe.

    Raises:
        TryAgainError: for ``Retry``: the message may be answered later.
        RefusedInputError: for ``Catch``: the message would be refused again.
        AgentError: this program is at fault.
    """
    return _answered(event, event.get("message_id") if isinstance(event, Mapping) else None, context)


def _is_from_sqs(record: object) -> bool:
    return (
        isinstance(record, Mapping)
        and record.get("eventSource") == "aws:sqs"
        and all(isinstance(record.get(name), str) for name in ("messageId", "eventSourceARN", "body"))
    )


def _is_answered(record: Mapping[str, Any], context: Any) -> bool:
    try:
        body = json.loads(record["body"])
    except (ValueError, RecursionError):
        body = None  # refused below, and logged
    try:
        _answered(body, record["messageId"], context)
    except (TryAgainError, RefusedInputError, AgentError):
        return False
    return True


def _answered(given: object, message_id: object, context: Any) -> dict[str, Any]:
    def answer(fields: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(given, Mapping):
            raise Refusal(400, "bad_request")
        request = Request(
            tenant=checked_tenant(given.get("tenant")),
            message=checked_message(given.get("message")),
            identity=given.get("actor"),
            conversation_id=checked_id(given.get("conversation_id")),
            message_id=checked_id(message_id),
        )
        return respond(request, context, fields)

    outcome = logged(answer)
    if not isinstance(outcome, Refusal):
        return outcome
    is_temporary = outcome.retry_after_seconds is not None
    # Without a cause: a traceback would quote its text.
    raise (TryAgainError if is_temporary else RefusedInputError)(outcome.code) from None
