"""Unexpected responses from the model: the Lambda example takes each for an answer, or for none.

One to three values of a message from Claude are replaced, as in `test_lambda_events`. `LAMBDA_ANSWERS` sets how many
are drawn, `LAMBDA_EVENTS_SEED` which.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType, SimpleNamespace
from typing import Any

import api_key
import claude
import pytest
from test_lambda_events import BODY, CLAIMS, SEED, STRANGE, changed

from s3memory import LocalKeyWrapper, forget_keys

pytestmark = pytest.mark.long

ANSWERS = int(os.environ.get("LAMBDA_ANSWERS", "60"))
TEXT = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [{"type": "text", "text": "Hello."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
    "context_management": {"applied_edits": [{"type": claude.CLEARING, "cleared_tool_uses": 1}]},
}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": {"command": "view", "path": "/memories"}}
TOOL = {**TEXT, "content": [{"type": "text", "text": "I look."}, CALL], "stop_reason": "tool_use"}
WORDS: list[Any] = ["text", "tool_use", "end_turn", "\udfff", CALL, [CALL], [{"type": "text", "text": "\ud800"}]]
CONTEXT = SimpleNamespace(get_remaining_time_in_millis=lambda: 20_000)


@pytest.fixture
def answers(agent: ModuleType, bucket: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Claude's responses, one after another."""
    assert agent is not None
    given: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = json.dumps(given.pop(0) if given else TEXT).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    monkeypatch.setenv("S3MEMORY_BUCKET", bucket)
    monkeypatch.setenv("S3MEMORY_LOCAL_KEY", LocalKeyWrapper.generate_key_text())
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{server.server_port}")
        claude.forget_client()
        api_key.forget()
        yield given
        claude.forget_client()
        api_key.forget()
        forget_keys()
        server.shutdown()


@pytest.mark.filterwarnings("ignore::UserWarning")  # from the SDK, which accepts anything with a warning
def test_whatever_claude_answers_is_an_answer_or_none_and_not_an_internal_error(answers: list[Any]) -> None:
    handle = importlib.import_module("handler").handler
    draw = random.Random(f"{SEED} answers")  # noqa: S311 - no secret
    strange = [value for value in [*STRANGE, *WORDS] if not isinstance(value, bytes)]
    for number in range(ANSWERS):
        first, second = (changed(message, draw, strange) for message in (draw.choice([TEXT, TOOL, TOOL]), TEXT))
        answers[:] = [first, second] if draw.random() < 0.3 else [first]
        body = {**json.loads(BODY), "conversation_id": f"c{number}"} if number % 2 else {"message": "Hello"}
        event = {"requestContext": {"authorizer": CLAIMS}, "body": json.dumps(body)}
        response = handle(event, CONTEXT)
        assert response["statusCode"] in {200, 503, 504}, (first, second)
        response["body"].encode("utf-8")
