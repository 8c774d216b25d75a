"""What the demo has seen: plain values, no I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from s3memory.testing.messages_script import blocks, text_of
from s3memory.testing.moto_server import ServedRequest


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One memory command and its result."""

    tool_input: Mapping[str, Any]
    content: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Invocation:
    """One process of the agent: what was said, and what it asked of S3 and KMS, where the demo can know."""

    title: str
    tenant: str
    pid: int
    seconds: float
    messages: Sequence[Mapping[str, Any]]
    requests: Sequence[ServedRequest] = ()

    @property
    def tool_uses(self) -> list[ToolUse]:
        """The memory commands and their results, in order."""
        inputs = {block["id"]: block["input"] for block in self._blocks("tool_use")}
        return [
            ToolUse(inputs.get(block["tool_use_id"], {}), text_of(block.get("content")), bool(block.get("is_error")))
            for block in self._blocks("tool_result")
        ]

    @property
    def answer(self) -> str:
        """What Claude said last."""
        texts = [block["text"] for block in self._blocks("text")]
        return texts[-1] if texts else ""

    def _blocks(self, kind: str) -> Iterator[Mapping[str, Any]]:
        return chain.from_iterable(blocks(message, kind) for message in self.messages)


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """One version of one object in the bucket. Its bytes are not shown by `repr`."""

    object_key: str
    body: bytes = field(repr=False)
    is_current: bool = True


@dataclass(frozen=True, slots=True)
class Probe:
    """An attack on the bucket, and what a view said after it."""

    name: str
    content: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that was seen.

    Attributes:
        token: what was to be redacted.
        versions: what lay in the bucket at the end; ``None`` where the demo did not look.
        resource_names: names of the bucket and the KMS key, which no text for a model may hold.
        scripted: Claude was played by the story.
    """

    token: str
    invocations: Sequence[Invocation]
    versions: Sequence[StoredVersion] | None = None
    probes: Mapping[str, Probe] = field(default_factory=dict)
    resource_names: Sequence[str] = ()
    scripted: bool = True
