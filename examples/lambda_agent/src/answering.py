"""One message in, one reply out: the conversation with Claude, what it does to the memory, and what goes wrong.

`handler` and `events` say where messages come from and what becomes of replies.
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
from claude import CLEARING, MAX_TURNS, Tries, conversation, forget_client
from conversation import Conversation, is_change
from in_time import OutOfTimeError, within
from noted_commands import NotedCommands
from refusals import ANSWERED, refusal_for

from s3memory import S3MemoryTool, forget_clients, forget_keys
from s3memory.redaction import warm_up

RESERVE_SECONDS = 2.0
"""What is kept of Lambda's time to answer with an error rather than be ended without one."""

AFTERWARDS_SECONDS = 0.7
"""What each of two things may take of it that are done when the answer is known. They are worth no lost answer."""

# What a caller's program may want to know of a reply beside its text.
_NOTICES: Final = {
    "refusal": "refused",
    "max_tokens": "cut_short",
    "model_context_window_exceeded": "cut_short",
    "pause_turn": "unfinished",
    "tool_use": "unfinished",
}

_log = logging.getLogger("agent")


class AgentError(Exception):
    """What Lambda is told when this program is at fault. Without a cause: a traceback would quote what went wrong."""


def respond(request: Request, context: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """Answer one message.

    Args:
        request: the message.
        context: Lambda's.
        fields: what is to be logged of it is put in here, whatever happens.

    Returns:
        ``reply``, ``stop_reason``, and ``notice`` where the reply is not all that it could be.

    Raises:
        Refusal: how the caller is to be told that there is no reply.
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
            forget_client()  # so that nothing waits for an answer that comes too late
        elif not isinstance(error, Refusal):
            afterwards(exchange.give_back)
        if refusal is None:
            raise
        raise refusal from error
    finally:
        fields |= exchange.fields()
        afterwards(lambda: limits.spend(request.tenant, exchange.usage))


class Exchange:
    """A message on its way to its reply.

    Attributes:
        usage: turns and tokens so far, also of one that fails.
    """

    def __init__(self, request: Request, remaining_seconds: Callable[[], float]) -> None:
        self.usage: Counter[str] = Counter()
        self._request = request
        self._remaining_seconds = remaining_seconds
        self._commands: NotedCommands | None = None
        self._tries = Tries(remaining_seconds)
        self._kept: Conversation | None = None

    def run(self) -> dict[str, Any]:
        """Return the answer."""
        request, remaining_seconds = self._request, self._remaining_seconds
        self._commands = NotedCommands.from_env(
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

    def _converse(self, messages: list[Any], commands: NotedCommands) -> Any:
        """Return Claude's last message."""
        own = next(index for index in reversed(range(len(messages))) if isinstance(messages[index]["content"], str))
        steps = messages[own + 1 :]
        last = None
        runner = conversation(messages, S3MemoryTool.from_commands(commands), self._tries, turns=MAX_TURNS)
        for last in runner:
            self._count(last)
            steps.append({"role": "assistant", "content": [block.to_dict() for block in last.content]})
            if last.stop_reason != "tool_use":
                continue
            is_noted = self._kept is not None and any(is_change(block) for block in last.content)
            if is_noted and self._kept:
                self._kept.note(steps)
            # The runner would do this by itself, and then ask Claude, also when nothing can be remembered.
            steps.append(runner.generate_tool_call_response())
            if commands.failure is not None:
                raise commands.failure
            if is_noted and self._kept:
                self._kept.note(steps)
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

    def give_back(self) -> None:
        """Let the message be sent again at once. Only for one that has ended."""
        if self._kept is not None:
            self._kept.release()

    def fields(self) -> dict[str, Any]:
        """Return what is logged of it: what was asked of Claude and of the memory. No content."""
        commands = self._commands
        return {
            "turns": 0,
            **self.usage,
            "model_request_ids": list(self._tries.request_ids),
            "memory": {} if commands is None else dict(commands.counts),
            "memory_seconds": 0.0 if commands is None else round(commands.seconds, 3),
        }


def logged(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any] | Refusal:
    """Return what `answer` returns, or the refusal that it raises, with one line in the log.

    Args:
        answer: is given the mapping of what is logged beside status, time and error.

    Raises:
        AgentError: this program is at fault. Lambda logs the text and the traceback of whatever leaves a handler.
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
        # API Gateway answers with 500, and Lambda counts an error, which is what alarms look at.
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
    gc.collect()  # clients and their credentials are cycles, which would otherwise still be there


def _is_cold() -> bool:
    global _invoked
    was, _invoked = _invoked, True
    return not was


# Lambda's INIT phase: what is set wrong fails here, before any request, and imports and clients are made once. No
# request is made to anybody, and no key is read.
_invoked = False
json_logs.set_up()
NotedCommands.from_env(tenant="init")
warm_up()  # loads and compiles the rules of redaction, which the first write would wait for otherwise

try:
    from snapshot_restore_py import register_after_restore, register_before_snapshot
except ImportError:  # Python 3.11's runtime has no SnapStart
    pass
else:
    # A snapshot is stored, and is where many processes begin: none of them may hold keys, credentials or connections,
    # and their pauses between tries are not to be the same.
    register_before_snapshot(forget)
    register_after_restore(random.seed)
