"""Answers one message: runs the conversation with Claude, counts what it uses, and turns errors into refusals.

`handler` and `events` receive the messages and deliver the replies.
"""

from __future__ import annotations

import gc
import logging
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import api_key
import json_logs
import limits
from api_key import ApiKeyError
from caller import Refusal, Request
from claude import CLEARING, MAX_TURNS, Attempts, conversation, forget_client
from conversation import Conversation, is_change
from in_time import OutOfTimeError, within
from recorded_commands import RecordedCommands
from refusals import ANSWERED, refusal_for

from s3memory import S3MemoryTool, forget_clients, forget_keys
from s3memory.redaction import warm_up

RESERVE_SECONDS = 2.0
"""The part of Lambda's time kept for answering with an error: otherwise Lambda would end the call without an answer."""

AFTERWARDS_SECONDS = 0.7
"""The part of the reserve for each of the two steps after the answer is known. Neither is worth losing the answer."""

# Stop reasons that the caller's program may want to react to.
_NOTICES: Final = {
    "refusal": "refused",
    "max_tokens": "cut_short",
    "model_context_window_exceeded": "cut_short",
    "pause_turn": "unfinished",
    "tool_use": "unfinished",
}

_log = logging.getLogger("agent")


class AgentError(Exception):
    """The error that Lambda gets if this program is at fault. It has no cause: a traceback would quote its text."""


def respond(request: Request, context: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """Answer one message.

    Args:
        request: the message.
        context: Lambda's context object.
        fields: receives the fields to log, even if this fails.

    Returns:
        ``reply``, ``stop_reason``, and ``notice`` if the reply is incomplete.

    Raises:
        Refusal: there is no reply; this is the answer for the caller.
        Exception: this program is at fault.
    """
    fields["tenant"] = request.tenant

    def remaining_seconds() -> float:
        return float(context.get_remaining_time_in_millis()) / 1000 - RESERVE_SECONDS

    def afterwards(work: Callable[[], None]) -> None:
        with suppress(OutOfTimeError):
            within(max(remaining_seconds(), AFTERWARDS_SECONDS), work)

    def run() -> dict[str, Any]:
        limits.admit(request.tenant)
        return exchange.run()

    exchange = Exchange(request, remaining_seconds)
    try:
        return within(remaining_seconds(), run)
    except Exception as error:
        refusal = refusal_for(error, remaining_seconds()) if isinstance(error, ANSWERED) else None
        if isinstance(error, OutOfTimeError):
            forget_client()  # so that nothing waits for a response that comes too late
        elif not isinstance(error, Refusal):
            afterwards(exchange.release)
        if refusal is None:
            raise
        raise refusal from error
    finally:
        fields |= exchange.fields()
        afterwards(lambda: limits.spend(request.tenant, exchange.usage))


class Exchange:
    """The processing of one message, from the request to the reply.

    Attributes:
        usage: turns and tokens used so far, even if the message fails later.
    """

    def __init__(self, request: Request, remaining_seconds: Callable[[], float]) -> None:
        self.usage: Counter[str] = Counter()
        self._request = request
        self._remaining_seconds = remaining_seconds
        self._commands: RecordedCommands | None = None
        self._attempts = Attempts(remaining_seconds)
        self._kept: Conversation | None = None

    def run(self) -> dict[str, Any]:
        """Have Claude answer the message, and return the answer."""
        request, remaining_seconds = self._request, self._remaining_seconds
        self._commands = RecordedCommands.from_env(
            tenant=request.tenant, actor=request.actor, remaining_seconds=remaining_seconds
        )
        messages: list[Any] = [{"role": "user", "content": request.message}]
        if request.conversation_id or request.message_id:
            lease_seconds = remaining_seconds() + RESERVE_SECONDS
            kept = Conversation.begin(request, remaining_seconds=remaining_seconds, lease_seconds=lease_seconds)
            if kept.answer is not None:
                return kept.answer
            self._kept, messages = kept, kept.messages
        last = self._converse(messages, self._commands)
        reply = "".join(block.text for block in last.content if block.type == "text")
        notice = _NOTICES.get(last.stop_reason) or (None if reply.strip() else "empty")
        answer = {"reply": reply, "stop_reason": last.stop_reason, **({"notice": notice} if notice else {})}
        if self._kept is not None:
            self._kept.finish(answer)
            self._kept = None
        return answer

    def _converse(self, messages: list[Any], commands: RecordedCommands) -> Any:
        """Run Claude's turns and tool calls, and return Claude's last message."""
        own = next(index for index in reversed(range(len(messages))) if isinstance(messages[index]["content"], str))
        steps = messages[own + 1 :]
        last = None
        runner = conversation(messages, S3MemoryTool.from_commands(commands), self._attempts, turns=MAX_TURNS)
        for last in runner:
            self._count(last)
            steps.append({"role": "assistant", "content": [block.to_dict() for block in last.content]})
            if last.stop_reason != "tool_use":
                continue
            kept = self._kept if any(is_change(block) for block in last.content) else None
            if kept is not None:
                kept.record_steps(steps)
            # The runner would make the calls by itself, but would then ask Claude again even if the memory is down.
            steps.append(runner.generate_tool_call_response())
            if commands.failure is not None:
                raise commands.failure
            if kept is not None:
                kept.record_steps(steps)
        return last

    def _count(self, message: Any) -> None:
        edits = message.context_management.applied_edits if message.context_management else []
        self.usage.update(
            turns=1,
            input_tokens=message.usage.input_tokens,
            output_tokens=message.usage.output_tokens,
            cache_read_tokens=message.usage.cache_read_input_tokens or 0,
            cache_write_tokens=message.usage.cache_creation_input_tokens or 0,
            cleared_tool_uses=sum(edit.cleared_tool_uses for edit in edits if edit.type == CLEARING),
        )

    def release(self) -> None:
        """End the message's lease, so that it can be sent again at once. Call this only once `run` has ended."""
        if self._kept is not None:
            self._kept.release()

    def fields(self) -> dict[str, Any]:
        """Return the fields to log: the use of Claude and of the memory, without content."""
        commands = self._commands
        return {
            "turns": 0,
            **self.usage,
            "model_request_ids": list(self._attempts.request_ids),
            "memory": {} if commands is None else dict(commands.counts),
            "memory_seconds": 0.0 if commands is None else round(commands.seconds, 3),
        }


def logged(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any] | Refusal:
    """Return what `answer` returns, or the refusal that it raises, and log one line.

    Args:
        answer: answers the message. It gets a mapping and adds the fields to log besides status, time and error.

    Raises:
        AgentError: this program is at fault. Lambda logs the text and traceback of any exception that leaves a handler,
            so other exceptions become this one.
    """
    began = time.monotonic()
    fields: dict[str, Any] = {"cold": _is_cold()}
    level, status = logging.INFO, 200
    outcome: dict[str, Any] | Refusal | None = None
    try:
        outcome = answered = answer(fields)
        fields |= {name: answered[name] for name in ("stop_reason", "notice") if name in answered}
    except Refusal as refusal:
        outcome, status = refusal, refusal.status
        level = logging.WARNING if status >= 500 else logging.INFO  # noqa: PLR2004 - HTTP's server errors
        fields |= {"error": refusal.code, "error_type": type(refusal.__cause__ or refusal).__name__}
    except Exception as error:  # noqa: BLE001 - see above
        level, status = logging.ERROR, 500
        fields |= {"error": "internal", "error_type": type(error).__name__}
        if isinstance(error, ApiKeyError):
            fields["reason"] = str(error)
    _log.log(level, "request", extra={"fields": {**fields, "status": status, "seconds": _since(began)}})
    if outcome is None:
        # API Gateway answers with 500, and Lambda counts an error, which alarms watch.
        raise AgentError("internal error; the log has a line for this request")
    return outcome


def _since(began: float) -> float:
    return round(time.monotonic() - began, 3)


def forget() -> None:
    """Drop all keys, credentials and connections."""
    forget_keys()
    forget_clients()
    forget_client()
    api_key.forget()
    limits.forget_client()
    gc.collect()  # clients and their credentials form reference cycles, which would otherwise stay in memory


def _is_cold() -> bool:
    global _invoked
    was, _invoked = _invoked, True
    return not was


# Lambda's INIT phase: a wrong setting fails here, before any message, and imports and clients are ready for all
# messages. Nothing is sent over the network, and no key is read.
_invoked = False
json_logs.set_up()
RecordedCommands.from_env(tenant="init")
warm_up()  # loads and compiles the rules of redaction; otherwise the first write would wait for that

try:
    from snapshot_restore_py import register_after_restore, register_before_snapshot
except ImportError:  # Python 3.11's runtime has no SnapStart
    pass
else:
    # A snapshot is stored, and many processes start from it: it must hold no keys, credentials or connections. The
    # processes also need different random numbers, so that they don't all retry at the same moment.
    register_before_snapshot(forget)
    register_after_restore(random.seed)
