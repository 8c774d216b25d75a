"""A chat in the terminal with a memory that outlives it.

The ``S3MEMORY_*`` and ``ANTHROPIC_*`` variables set the bucket, the keys and the API. Without ``S3MEMORY_BUCKET``, the
memory is on a local server and ends with the chat.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import anthropic

from s3memory import LocalKeyWrapper, S3MemoryError, S3MemoryTool
from s3memory.testing import MotoServer


def main(arguments: Sequence[str] | None = None) -> None:
    """Chat until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--tenant", default="me", help="whose memory it is (default: me)")
    parser.add_argument("--model", default="claude-sonnet-5-5")
    chosen = parser.parse_args(arguments)
    claude = anthropic.Anthropic()
    if not (claude.api_key or claude.auth_token or claude.credentials):
        parser.error("there are no credentials for Claude: set ANTHROPIC_API_KEY")
    with claude, memory_environment() as environ:
        try:
            memory = S3MemoryTool.from_env(tenant=chosen.tenant, environ=environ)
        except S3MemoryError as error:
            parser.error(str(error))
        conversation = claude.beta.messages.thread(
            model=chosen.model,
            max_tokens=4096,
            tools=[memory],
            betas=["context-management-2025-06-27"],
            context_management={"edits": [{"type": "clear_tool_uses_20250919"}]},
            unsupported_request_behavior="continue_unthreaded",
        )
        for line in lines():
            conversation.append({"role": "user", "content": line})
            try:
                answer = conversation.tool_runner().until_done()
            except (anthropic.APIError, KeyboardInterrupt) as error:
                print(f"(Claude did not answer: {type(error).__name__}. Your message is kept: say go on.)")
            else:
                print("".join(block.text for block in answer.content if block.type == "text"))


def lines() -> Iterator[str]:
    """Yield the lines that the user types, until the input ends."""
    while True:
        try:
            line = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return
        if line:
            yield line


@contextmanager
def memory_environment() -> Iterator[Mapping[str, str]]:
    """Yield the environment's settings, or those of a new local server if the environment names no bucket."""
    if os.environ.get("S3MEMORY_BUCKET"):
        yield os.environ
        return
    print("S3MEMORY_BUCKET is not set: the memory ends with this chat.")
    with MotoServer() as server:
        server.make_bucket("memory")
        os.environ |= {name: value for name, value in server.environment.items() if name.startswith("AWS_")}
        yield server.environment | {
            "S3MEMORY_BUCKET": "memory",
            "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text(),
        }


if __name__ == "__main__":
    main()
