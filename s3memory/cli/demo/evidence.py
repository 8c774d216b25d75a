"""The evidence that the demo collects, its claims, and whether the evidence supports them: plain values, no I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from s3memory.cli.demo import story
from s3memory.testing.messages_script import blocks, text_of
from s3memory.testing.moto_server import ServedRequest

FLIPPED = "flipped"
COPIED = "copied"
RESTORED = "restored"

_FACT = "Tuesday"
_COMMANDS = ["view", "create", "str_replace", "insert", "rename"]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One memory command and its result."""

    tool_input: Mapping[str, Any]
    content: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Invocation:
    """One process of the agent: its messages, and its requests to S3 and KMS if the demo can see them."""

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
    """One version of one object in the bucket. `repr` does not show its bytes."""

    object_key: str
    body: bytes = field(repr=False)
    is_current: bool = True


@dataclass(frozen=True, slots=True)
class Probe:
    """An attack on the bucket, and the result of a view after it."""

    name: str
    content: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that the demo observed.

    Attributes:
        token: the token that should be redacted.
        versions: what was in the bucket at the end; ``None`` if the demo did not look.
        resource_names: names of the bucket and the KMS key, which no text for a model may contain.
        scripted: whether the story played Claude.
    """

    token: str
    invocations: Sequence[Invocation]
    versions: Sequence[StoredVersion] | None = None
    probes: Mapping[str, Probe] = field(default_factory=dict)
    resource_names: Sequence[str] = ()
    scripted: bool = True


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, and whether it held."""

    claim: str
    held: bool


def conclude(evidence: Evidence) -> list[Claim]:
    """Return every claim that the evidence can support or refute."""
    checks = [*_about_memory(evidence), *_about_tenants(evidence)]
    if evidence.versions is not None:
        checks += _about_the_servers(evidence, evidence.versions)
    if evidence.scripted:
        checks += _about_probes(evidence)
    return checks


def _about_memory(evidence: Evidence) -> Iterator[Claim]:
    first, second, _ = evidence.invocations
    if evidence.scripted:
        done = [use.tool_input.get("command") for use in first.tool_uses if not use.is_error]
        yield Claim("The first process viewed, created, edited, inserted and renamed", done == _COMMANDS)
    yield Claim("The second process recalled what the first one stored", _FACT in second.answer)
    leaked = any(evidence.token in use.content for one in evidence.invocations for use in one.tool_uses)
    # The real Claude may leave the token out by itself.
    redacted = any("[REDACTED:" in use.content for use in second.tool_uses) or not evidence.scripted
    yield Claim("The token was redacted before it was stored", redacted and not leaked)


def _about_tenants(evidence: Evidence) -> Iterator[Claim]:
    uses = evidence.invocations[2].tool_uses
    held = not any(_FACT in use.content for use in uses)
    if evidence.scripted:
        # It views its memory, finds nothing, and tries two ways to reach acme's note.
        held = held and [use.is_error for use in uses[:3]] == [False, True, True]
        held = held and story.KEPT not in uses[0].content
    yield Claim("Tenant globex saw nothing of acme's memory, and found no way to it", held)


def _about_the_servers(evidence: Evidence, versions: Sequence[StoredVersion]) -> Iterator[Claim]:
    readable = [text.encode() for text in (*story.READABLE, _FACT, evidence.token)]
    sealed = [version for version in versions if "memories/" in version.object_key]
    held = bool(sealed) and not any(text in version.body for version in versions for text in readable)
    yield Claim(f"No word of it is readable in any of the {len(versions)} stored object versions", held)
    names = [version.object_key for version in sealed if version.object_key.startswith("memories/globex/")]
    if names or evidence.scripted:
        hidden = bool(names) and not any(story.KEPT.rpartition("/")[2] in name for name in names)
        yield Claim("The file names of globex are encrypted", hidden)
    unwraps = [sum(one.operation == "Decrypt" for one in invocation.requests) for invocation in evidence.invocations]
    held = all(count == 1 for count in unwraps)  # a new data key is unwrapped before it is stored
    yield Claim("Each process unwrapped one data key, however many files it touched", held)


def _about_probes(evidence: Evidence) -> Iterator[Claim]:
    missing = Probe("", "", is_error=False)
    flipped, copied, restored = (evidence.probes.get(name, missing) for name in (FLIPPED, COPIED, RESTORED))
    yield Claim("A file with one flipped bit was refused", flipped.is_error and _FACT not in flipped.content)
    yield Claim("A file copied to another name was refused", copied.is_error and _FACT not in copied.content)
    leaked = any(name in probe.content for name in evidence.resource_names for probe in evidence.probes.values())
    yield Claim("No error named the bucket, an object key or an ARN", bool(evidence.resource_names) and not leaked)
    yield Claim("After it was put back, the file opened again", not restored.is_error and _FACT in restored.content)
