"""An agent with a memory as an AWS Lambda function behind API Gateway: one message in, one reply out.

``{"message": "..."}`` is answered with ``{"reply": "...", "stop_reason": "end_turn"}``, or with an HTTP error and
``{"error": "..."}``. The agent keeps what it knows about a tenant in that tenant's memory, and nowhere else.
"""

from __future__ import annotations

from typing import Any

from answering import logged, respond
from caller import Refusal, is_http, json_response, request_of


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Answer one request. Lambda calls this."""

    def answer(fields: dict[str, Any]) -> dict[str, Any]:
        if not is_http(event):
            # A queue or a workflow would take an answer with an HTTP status for success.
            raise TypeError("this is not an event from API Gateway")
        return respond(request_of(event, isolated_tenant=getattr(context, "tenant_id", None)), context, fields)

    outcome = logged(answer)
    return outcome.response() if isinstance(outcome, Refusal) else json_response(200, outcome)
