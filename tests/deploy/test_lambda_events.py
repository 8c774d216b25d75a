"""Unexpected events for the Lambda example: each is answered, refused or reported, and callers are never mixed up.

Each is a real event of some service with one or two of its values replaced. Only Claude is left out: a tenant's message
gets as far as the conversation, where its caller is recorded. `LAMBDA_EVENTS` sets how many are drawn,
`LAMBDA_EVENTS_SEED` which.
"""

from __future__ import annotations

import copy
import importlib
import json
import os
import random
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

SEED = int(os.environ.get("LAMBDA_EVENTS_SEED", "19"))
EVENTS = int(os.environ.get("LAMBDA_EVENTS", "1500"))

BODY = json.dumps({"message": "Hello", "conversation_id": "c1", "tenant": "intruder"})
CLAIMS = {"tenant": "acme", "sub": "anna", "principalId": "anna"}
REST = {
    "resource": "/messages",
    "path": "/messages",
    "httpMethod": "POST",
    "headers": {"Idempotency-Key": "7d0c", "tenant": "intruder"},
    "multiValueHeaders": {"Idempotency-Key": ["7d0c"]},
    "queryStringParameters": {"tenant": "intruder"},
    "requestContext": {"apiId": "a1", "stage": "live", "identity": {"sourceIp": "192.0.2.1"}, "authorizer": CLAIMS},
    "body": BODY,
    "isBase64Encoded": False,
}
HTTP = {
    "version": "2.0",
    "routeKey": "POST /messages",
    "rawPath": "/messages",
    "headers": {"idempotency-key": "7d0c", "x-tenant": "intruder"},
    "requestContext": {"http": {"method": "POST"}, "authorizer": {"jwt": {"claims": CLAIMS, "scopes": None}}},
    "body": BODY,
    "isBase64Encoded": False,
}
ALB = {
    "requestContext": {"elb": {"targetGroupArn": "arn:aws:elasticloadbalancing:eu-central-1:1:targetgroup/a/1"}},
    "httpMethod": "POST",
    "path": "/",
    "headers": {"x-amzn-oidc-identity": "intruder", "tenant": "intruder"},
    "body": BODY,
    "isBase64Encoded": False,
}
URL = {**HTTP, "requestContext": {"http": {}, "authorizer": {"iam": {"accountId": "1", "userId": "intruder"}}}}
SOCKET = {"requestContext": {"routeKey": "$default", "connectionId": "c", "authorizer": CLAIMS}, "body": BODY}
SQS_BODY = json.dumps({"tenant": "acme", "message": "Hello", "actor": "anna"})
SQS = {
    "Records": [
        {"messageId": f"m{n}", "body": SQS_BODY, "eventSource": "aws:sqs", "eventSourceARN": f"arn:aws:sqs:r:1:{queue}"}
        for n, queue in enumerate(("agent", "agent.fifo", "agent.fifo"))
    ]
}
BUS = {"version": "0", "id": "e1", "detail-type": "message", "source": "us", "detail": json.loads(SQS_BODY)}
TASK = {**json.loads(SQS_BODY), "message_id": "t1", "conversation_id": "c1"}
OTHERS = {
    "Records": [{"eventSource": "aws:s3", "s3": {"object": {"key": "x"}}}],
}
STRANGE: list[Any] = [
    None, True, False, 0, -1, 1e400, 2**70, "", " ", "acme", "globex", "intruder", "a/b", "../acme", "acme\n", "\ud800",
    "\x00", "x" * 70, "x" * 40_000, "é" * 130, [], [None], ["acme"], {}, {"tenant": "globex"}, {"claims": None},
    {"claims": {"tenant": "acme"}}, {"jwt": {"claims": {"tenant": "acme"}}, "lambda": {"tenant": "globex"}}, "2.0",
    "1.0", "{", "null", "[]", "[" * 3000, '{"message": "\\ud800"}', '{"message": ["Hello"]}', '{"message": 1e999}',
    b"bytes", "eyJtZXNzYWdlIjogIkhlbGxvIn0=", {"message": "Hello"}, "true", 1.5,
    "9" * 5000, '{"message": ' + "9" * 5000 + "}",
]  # fmt: skip
HTTP_EVENTS = [REST, HTTP, ALB, URL, SOCKET]


@pytest.fixture
def answered(agent: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The callers whose messages got as far as the conversation."""
    requests: list[Any] = []

    class Noting:
        usage: dict[str, int] = {}  # noqa: RUF012 - never written to

        def __init__(self, request: Any, _: object) -> None:
            requests.append(request)

        def run(self) -> dict[str, Any]:
            return {"reply": "Hello.", "stop_reason": "end_turn"}

        def fields(self) -> dict[str, Any]:
            return {}

    monkeypatch.setattr(agent, "Exchange", Noting)
    return requests


CONTEXT = SimpleNamespace(get_remaining_time_in_millis=lambda: 60_000)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to each value in an event."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inside:
        yield from places(one, (*path, name))


def changed(event: Any, draw: random.Random, strange: list[Any]) -> Any:
    """Return an event in which one to three values are replaced or removed."""
    event = copy.deepcopy(event)
    for _ in range(draw.randint(1, 3)):
        way = draw.choice(list(places(event)))
        if not way:
            if draw.random() < 0.1:
                return draw.choice(strange)
            continue
        holder = event
        for name in way[:-1]:
            holder = holder[name]
        if draw.random() < 0.2:
            del holder[way[-1]]
        else:
            holder[way[-1]] = copy.deepcopy(draw.choice(strange))
    return event


def drawn(*events: Any, name: str) -> Iterator[Any]:
    draw = random.Random(f"{SEED} {name}")  # noqa: S311 - no secret
    for _ in range(EVENTS):
        yield changed(draw.choice(events), draw, STRANGE)


def vouched_for(event: Any) -> list[Any]:
    """Return every value in a place where an authorizer writes."""
    context = event.get("requestContext") if isinstance(event, dict) else None
    authorizer = context.get("authorizer") if isinstance(context, dict) else None
    found: list[Any] = []

    def look(value: Any) -> None:
        if isinstance(value, dict):
            for one in value.values():
                look(one)
        elif isinstance(value, str):
            found.append(value)

    look(authorizer)
    return found


def test_any_http_event_is_answered_for_an_authorized_caller_or_refused(agent: ModuleType, answered: list[Any]) -> None:
    handle: Callable[..., dict[str, Any]] = importlib.import_module("handler").handler
    for event in drawn(*HTTP_EVENTS, name="http"):
        answered.clear()
        try:
            response = handle(event, CONTEXT)
        except agent.AgentError:
            assert not isinstance(event, dict) or "requestContext" not in event, event
            continue
        body = json.loads(response["body"])
        assert response["statusCode"] in {200, 400, 401, 403, 413}, event
        assert (response["statusCode"] == 200) is bool(answered) is ("reply" in body), event
        assert {request.tenant for request in answered} <= set(vouched_for(event)), event
        response["body"].encode("utf-8")


def test_any_event_of_a_queue_a_bus_or_a_workflow_is_answered_or_an_error_of_the_function(
    agent: ModuleType, answered: list[Any]
) -> None:
    events = importlib.import_module("events")
    told = (agent.AgentError, events.TryAgainError, events.RefusedInputError)
    for name, right in (("sqs", SQS), ("eventbridge", BUS), ("step_functions", TASK)):
        for event in drawn(right, REST, OTHERS, BUS, SQS, TASK, name=name):
            answered.clear()
            try:
                result = getattr(events, name)(event, CONTEXT)
            except told:
                assert not answered, event
                continue
            if name == "sqs":
                failed = {item["itemIdentifier"] for item in result["batchItemFailures"]}
                assert len(answered) + len(failed) >= len({one["messageId"] for one in event["Records"]}), event
            else:
                assert result["reply"] == "Hello.", event
