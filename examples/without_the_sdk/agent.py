"""An agent with a memory and without Anthropic's SDK: its own tool loop, and a choice of two ways to reach Claude.

``python agent.py --tenant anna "I take my coffee black."`` calls the Messages API over plain HTTP. With ``--bedrock``,
it calls Claude on Amazon Bedrock through boto3. The ``S3MEMORY_*`` variables configure the memory.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import over_http

from s3memory import MemoryCommands, S3MemoryError

MAX_TURNS = 20
TOOL = {"type": "memory_20250818", "name": "memory"}

Send = Callable[[dict[str, Any]], dict[str, Any]]
"""Sends the body of a Messages API request, to which it adds the model, and returns Claude's message."""


def answer(prompt: str, commands: MemoryCommands, send: Send) -> str:
    """Send a prompt to Claude, carry out its tool calls, and return its final text.

    Args:
        prompt: the user's text.
        commands: the tenant's memory.
        send: sends each request to Claude.

    Raises:
        ConnectionError: Claude did not answer, or refused.
        RuntimeError: Claude called tools in every one of `MAX_TURNS` turns, or stopped before the end.
    """
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    for _ in range(MAX_TURNS):
        message = send({"max_tokens": 4096, "messages": messages, "tools": [TOOL]})
        if message["stop_reason"] in {"end_turn", "stop_sequence"}:
            return "".join(block["text"] for block in message["content"] if block["type"] == "text")
        if message["stop_reason"] != "tool_use":  # cut short, or refused
            raise RuntimeError(f"Claude stopped before the end: {message['stop_reason']}")
        results = [tool_result(block, commands) for block in message["content"] if block["type"] == "tool_use"]
        messages += [{"role": "assistant", "content": message["content"]}, {"role": "user", "content": results}]
    raise RuntimeError(f"Claude was not done after {MAX_TURNS} turns")


def tool_result(call: dict[str, Any], commands: MemoryCommands) -> dict[str, Any]:
    """Carry out one tool call and return its result. A failed call's result is an error that Claude reads."""
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": call["id"]}
    if call["name"] != TOOL["name"]:
        return {**result, "content": "Error: There is no such tool.", "is_error": True}
    try:
        return {**result, "content": commands.call(call["input"])}
    except S3MemoryError as error:  # any other exception is a bug, which Claude can't help with
        return {**result, "content": error.for_model, "is_error": True}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the answer to one prompt."""
    parser = argparse.ArgumentParser()
    parser.add_argument("prompt")
    parser.add_argument("--tenant", default="me", help="whose memory it is (default: me)")
    parser.add_argument("--bedrock", action="store_true", help="ask Claude on Amazon Bedrock")
    chosen = parser.parse_args(arguments)
    send = over_http.send
    needed = "BEDROCK_MODEL_ID" if chosen.bedrock else "ANTHROPIC_API_KEY"
    if not os.environ.get(needed):
        parser.error(f"{needed} is not set")
    if chosen.bedrock:
        import over_bedrock  # noqa: PLC0415 - imports boto3, which only Bedrock needs

        send = over_bedrock.send
    try:
        print(answer(chosen.prompt, MemoryCommands.from_env(tenant=chosen.tenant), send))
    except (ConnectionError, RuntimeError, S3MemoryError) as error:
        sys.exit(f"{parser.prog}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
