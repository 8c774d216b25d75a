"""An agent with a memory, as a function on AWS Lambda would run it: one event, one process, nothing kept in between.

The event is one line of JSON on standard input, ``{"tenant": "acme", "prompt": "..."}``; each message of the
conversation is one on standard output. Bucket, key and the rest are ``S3MEMORY_*`` variables; the API is the SDK's
``ANTHROPIC_*``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from anthropic import Anthropic

from s3memory import S3MemoryTool

DEFAULT_MODEL = "claude-sonnet-5-5"


def invoke(client: Anthropic, event: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """Answer a prompt. Yield the messages of the conversation: Claude's, and the results of its tool calls."""
    memory = S3MemoryTool.from_env(tenant=event["tenant"])
    runner = client.beta.messages.tool_runner(
        model=os.environ.get("ANTHROPIC_MODEL", DEFAULT_MODEL),
        max_tokens=1024,
        messages=[{"role": "user", "content": event["prompt"]}],
        tools=[memory],
    )
    for message in runner:
        yield {"role": message.role, "content": [block.to_dict() for block in message.content]}
        # The runner hands these results to Claude by itself; asking for them only shows them.
        results = runner.generate_tool_call_response()
        if results is not None:
            yield dict(results)


if __name__ == "__main__":
    with Anthropic() as initialised:  # before the event comes, as where Lambda initialises a function
        for spoken in invoke(initialised, json.loads(sys.stdin.readline())):
            sys.stdout.write(json.dumps(spoken) + "\n")
            sys.stdout.flush()
