"""An agent with a memory as an AWS Lambda function behind API Gateway: one message in, one reply out.

``{"message": "..."}`` is answered with ``{"reply": "...", "stop_reason": "end_turn"}``, or with an HTTP error and
``{"error": "..."}``. What the agent knows of a tenant is in the tenant's memory, and nowhere else.
"""

from __future__ import annotations

import gc
import logging
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

import anthropic
import json_logs
from caller import Refusal, json_response, message_of, tenant_of
from claude import BusyError, conversation, forget_client, may_pass, retry_after_seconds
from in_time import OutOfTimeError, within

from s3memory import MemoryCommands, MemoryStore, S3MemoryError, S3MemoryTool, forget_clients, forget_keys
from s3memory.errors import AccessDeniedError, ConfigurationError, KeyRingError, UnavailableError
from s3memory.redaction import PatternRedactor

RESERVE_SECONDS = 2.0
"""What is kept of Lambda's time to answer with an error rather than be ended without one."""

_TRY_AGAIN_SECONDS = 5
_AT_MOST_SECONDS = 3600
_COMMANDS: Final = frozenset({"view", "create", "str_replace", "insert", "delete", "rename"})

_log = logging.getLogger("agent")


class AgentError(Exception):
    """What Lambda is told when this program is at fault. Without a cause: a traceback would quote what went wrong."""


class NotedCommands(MemoryCommands):
    """The memory commands, which also note what was asked for, how it ended, and how long it took.

    The model reads what went wrong and goes on, which is right for a missing file, and wrong for a store that can't be
    used: that is kept in `failure`, for the request to be answered with.
    """

    def __init__(self, store: MemoryStore, *, overwrite: bool = False) -> None:
        super().__init__(store, overwrite=overwrite)
        self.counts: Counter[str] = Counter()
        self.seconds = 0.0
        self.failure: S3MemoryError | None = None

    def call(self, tool_input: object) -> str:
        """Carry out a tool input."""
        command = tool_input.get("command") if isinstance(tool_input, Mapping) else None
        outcome, began = "ok", time.monotonic()
        try:
            return super().call(tool_input)
        except (UnavailableError, AccessDeniedError, KeyRingError, ConfigurationError) as error:
            self.failure = error
            outcome = type(error).__name__
            raise
        except Exception as error:
            outcome = type(error).__name__
            raise
        finally:
            known = command if command in _COMMANDS else "unknown"  # the model's word, which may be content
            self.counts[f"{known}:{outcome}"] += 1
            self.seconds += time.monotonic() - began


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Answer one request. This is what Lambda calls."""
    began = time.monotonic()
    fields: dict[str, Any] = {"cold": _is_cold()}
    level = logging.INFO
    try:
        response = _reply(event, context, fields)
    except Refusal as refusal:
        response = refusal.response()
        level = logging.WARNING if refusal.status >= 500 else logging.INFO  # noqa: PLR2004 - HTTP's server errors
        fields |= {"error": refusal.code, "error_type": type(refusal.__cause__ or refusal).__name__}
    except Exception as error:  # noqa: BLE001 - Lambda logs the text and the traceback of whatever leaves here
        level, response = logging.ERROR, None
        fields |= {"error": "internal", "error_type": type(error).__name__}
    fields |= {"status": response["statusCode"] if response else 500, "seconds": round(time.monotonic() - began, 3)}
    _log.log(level, "request", extra={"fields": fields})
    if response is None:
        # API Gateway answers with 500, and Lambda counts an error, which is what alarms look at.
        raise AgentError("internal error; the log has a line for this request")
    return response


def _reply(event: Any, context: Any, fields: dict[str, Any]) -> dict[str, Any]:
    tenant = tenant_of(event, isolated_tenant=getattr(context, "tenant_id", None))
    fields["tenant"] = tenant
    message = message_of(event)

    def remaining_seconds() -> float:
        return float(context.get_remaining_time_in_millis()) / 1000 - RESERVE_SECONDS

    try:
        commands = NotedCommands.from_env(tenant=tenant, remaining_seconds=remaining_seconds)
        try:
            last, usage = within(remaining_seconds(), lambda: _converse(message, commands, remaining_seconds))
        finally:
            fields |= {"memory": dict(commands.counts), "memory_seconds": round(commands.seconds, 3)}
    except (S3MemoryError, anthropic.APIError, OutOfTimeError, BusyError) as error:
        if isinstance(error, (anthropic.AuthenticationError, OutOfTimeError)):
            # So that the next request reads the key again; so that nothing waits for an answer that comes too late.
            forget_client()
        refusal = refusal_for(error, remaining_seconds())
        if refusal is None:
            raise
        raise refusal from error
    fields |= {"stop_reason": last.stop_reason, **usage}
    reply = "".join(block.text for block in last.content if block.type == "text")
    return json_response(200, {"reply": reply, "stop_reason": last.stop_reason})


def _converse(
    message: str, commands: NotedCommands, remaining_seconds: Callable[[], float]
) -> tuple[Any, dict[str, int]]:
    """Return Claude's last message, and what the conversation used."""
    usage = Counter(turns=0, input_tokens=0, output_tokens=0, cleared_tool_uses=0)
    last = None
    runner = conversation(message, S3MemoryTool.from_commands(commands), remaining_seconds=remaining_seconds)
    for last in runner:
        if last.stop_reason == "tool_use":
            # The runner would do this by itself, and then ask Claude, also when nothing can be remembered.
            runner.generate_tool_call_response()
        if commands.failure is not None:
            raise commands.failure
        edits = last.context_management.applied_edits if last.context_management else []
        usage.update(
            turns=1,
            input_tokens=last.usage.input_tokens,
            output_tokens=last.usage.output_tokens,
            cleared_tool_uses=sum(edit.cleared_tool_uses for edit in edits if edit.type == "clear_tool_uses_20250919"),
        )
    return last, dict(usage)


def refusal_for(error: Exception, remaining_seconds: float) -> Refusal | None:
    """Return how the caller is told, without a word of what is inside; ``None`` if this program is at fault."""
    if remaining_seconds <= 0:
        return Refusal(504, "timeout")
    if isinstance(error, anthropic.APIStatusError):
        busy = may_pass(error.status_code, error.response.headers)
        return Refusal(503, "model_busy", retry_after_seconds=_pause_seconds(error)) if busy else None
    for kinds, status, code in _REFUSALS:
        if isinstance(error, kinds):
            # Nothing but an operator helps with the last.
            return Refusal(status, code, retry_after_seconds=None if code == "memory_locked" else _pause_seconds(error))
    return None


_REFUSALS: Final[tuple[tuple[tuple[type[Exception], ...], int, str], ...]] = (
    ((OutOfTimeError,), 504, "timeout"),
    ((BusyError,), 503, "model_busy"),
    ((anthropic.APIConnectionError,), 503, "model_unavailable"),
    ((UnavailableError,), 503, "memory_unavailable"),
    ((AccessDeniedError, KeyRingError), 503, "memory_locked"),  # a policy, or a key that is disabled or gone
)


def _pause_seconds(error: Exception) -> int:
    asked = 0.0
    if isinstance(error, BusyError):
        asked = error.retry_after_seconds
    elif isinstance(error, anthropic.APIStatusError):
        asked = retry_after_seconds(error.response.headers)
    if not math.isfinite(asked):
        asked = _AT_MOST_SECONDS
    return math.ceil(min(max(asked, _TRY_AGAIN_SECONDS), _AT_MOST_SECONDS))


def _forget() -> None:
    forget_keys()
    forget_clients()
    forget_client()
    gc.collect()  # clients and their credentials are cycles, which would otherwise still be there


def _is_cold() -> bool:
    global _invoked
    was, _invoked = _invoked, True
    return not was


# Lambda's INIT phase: what is set wrong fails here, before any request, and imports and clients are made once. No
# request is made to anybody, and no key is read.
_invoked = False
json_logs.set_up()
MemoryCommands.from_env(tenant="init")
PatternRedactor()  # loads the rules of redaction, which the first write would wait for otherwise

try:
    from snapshot_restore_py import register_after_restore, register_before_snapshot
except ImportError:  # Python 3.11's runtime has no SnapStart
    pass
else:
    # A snapshot is stored, and is where many processes begin: none of them may hold keys, credentials or connections,
    # and their pauses between tries are not to be the same.
    register_before_snapshot(_forget)
    register_after_restore(random.seed)
