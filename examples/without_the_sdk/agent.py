"""An agent with a memory that does without Anthropic's SDK: the loop, the tool and one of two ways to Claude.

``python agent.py --tenant anna "I take my coffee black."`` talks to the Messages API over plain HTTP, and with
``--bedrock`` to Claude on Amazon Bedrock through boto3. The memory is what ``S3MEMORY_*`` variables say.
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
"""Sends the body of a Messages API request, without the model, and returns the message that comes back."""


def answer(prompt: str, commands: MemoryCommands, send: Send) -> str:
    """Ask Claude, carry out the tool calls it makes, and return what it says in the end.

    Args:
        prompt: what the user says.
        commands: the tenant's memory.
        send: the way to Claude.

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
    """Carry out one tool call. Return its result, which is an error for Claude to read if it fails."""
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": call["id"]}
    if call["name"] != TOOL["name"]:
        return {**result, "content": "Error: There is no such tool.", "is_error": True}
    try:
        return {**result, "content": commands.call(call["input"])}
    except S3MemoryError as error:  # any other exception is a fault, and none of Claude's
        return {**result, "content": error.for_model, "is_error": True}


def main(arguments: Sequence[str] | None = None) -> None:
    """Answer one prompt."""
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
        import over_bedrock  # noqa: PLC0415 - brings boto3, which the memory does without

        send = over_bedrock.send
    try:
        print(answer(chosen.prompt, MemoryCommands.from_env(tenant=chosen.tenant), send))
    except (ConnectionError, RuntimeError, S3MemoryError) as error:
        sys.exit(f"{parser.prog}: {error}")
    except KeyboardInterrupt:  # somebody has waited long enough
        sys.exit(130)


if __name__ == "__main__":
    main()
