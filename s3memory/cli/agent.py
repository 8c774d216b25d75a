"""An agent with a memory, as on AWS Lambda: each process handles one event, and keeps nothing for the next one.

The event is one line of JSON on standard input, ``{"tenant": "acme", "prompt": "..."}``; each message of the
conversation is written to standard output as a line of JSON. The store is set up by ``S3MEMORY_*`` variables, the API
by the SDK's ``ANTHROPIC_*`` variables.
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
    """Answer a prompt. Yield the messages of the conversation: those of Claude, and the results of its tool calls."""
    memory = S3MemoryTool.from_env(tenant=event["tenant"])
    runner = client.beta.messages.tool_runner(
        model=os.environ.get("ANTHROPIC_MODEL", DEFAULT_MODEL),
        max_tokens=1024,
        messages=[{"role": "user", "content": event["prompt"]}],
        tools=[memory],
    )
    for message in runner:
        yield {"role": message.role, "content": [block.to_dict() for block in message.content]}
        # The runner sends these results to Claude by itself; this call only returns them.
        results = runner.generate_tool_call_response()
        if results is not None:
            yield dict(results)


if __name__ == "__main__":
    with Anthropic() as initialised:  # before the event arrives, as when Lambda initialises a function
        for sent in invoke(initialised, json.loads(sys.stdin.readline())):
            sys.stdout.write(json.dumps(sent) + "\n")
            sys.stdout.flush()
