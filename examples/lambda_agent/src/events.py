"""The same agent behind a queue, an event bus or a workflow, each with an entry of its own: each is told otherwise.

What comes in is ``{"tenant": "acme", "message": "...", "conversation_id": "...", "actor": "..."}``, the last two if
there are any. Nobody vouches for the tenant but whoever may send: let only programs of yours send to the queue and the
bus, and start the workflow. The reply is kept with the message for a day: send the same through the API, with the
message's id as ``Idempotency-Key``, to be given it, or have the workflow go on with it. Through the API it is found
only if ``actor`` is what the API's caller has as a claim, and the conversation's id is the same: replies are their
actor's alone.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from answering import RESERVE_SECONDS, AgentError, logged, respond
from caller import Refusal, Request, checked_id, checked_message, checked_tenant

ENOUGH_SECONDS = 20.0
"""With less time than this left, no further message of a batch is begun."""

_log = logging.getLogger("agent")


class TryAgainError(Exception):
    """The same message may be answered later. The text is the error's code."""


class RefusedInputError(Exception):
    """The same message would be refused again. The text is the error's code."""


def sqs(event: Any, context: Any) -> dict[str, Any]:
    """Answer the messages of a batch, and say which are to be delivered again.

    The event source mapping needs ``ReportBatchItemFailures``, and the queue a dead-letter queue. In a FIFO queue
    nothing is begun after the first failure, so that the order holds. The first message is begun whatever the time:
    otherwise a function with a short timeout would never answer any.

    Raises:
        AgentError: this is no batch of SQS's.
    """
    records = event.get("Records") if isinstance(event, Mapping) else None
    if not isinstance(records, list) or not all(_is_of_sqs(record) for record in records):
        raise AgentError("this is no event of SQS's")
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

    Lambda tries again twice, and then hands the event to the function's failure destination.

    Raises:
        TryAgainError, RefusedInputError: as for `step_functions`.
        AgentError: this is no event of EventBridge's, or this program is at fault.
    """
    if not isinstance(event, Mapping) or "detail-type" not in event or not isinstance(event.get("id"), str):
        raise AgentError("this is no event of EventBridge's")
    return _answered(event.get("detail"), event["id"], context)


def step_functions(event: Any, context: Any) -> dict[str, Any]:
    """Answer a task of a workflow, whose input is the message. A ``message_id`` in it makes a retry safe.

    Raises:
        TryAgainError: for ``Retry``: nothing is wrong with the message.
        RefusedInputError: for ``Catch``: the same message would be refused again.
        AgentError: this program is at fault.
    """
    return _answered(event, event.get("message_id") if isinstance(event, Mapping) else None, context)


def _is_of_sqs(record: object) -> bool:
    return (
        isinstance(record, Mapping)
        and record.get("eventSource") == "aws:sqs"
        and all(isinstance(record.get(name), str) for name in ("messageId", "eventSourceARN", "body"))
    )


def _is_answered(record: Mapping[str, Any], context: Any) -> bool:
    try:
        body = json.loads(record["body"])
    except (ValueError, RecursionError):
        body = None  # which is refused below, and logged
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
    passes = outcome.retry_after_seconds is not None
    # Without a cause: a traceback would quote what went wrong.
    raise (TryAgainError if passes else RefusedInputError)(outcome.code) from None
