"""Claude's side: one client for the process, a deadline for every try, and the conversation with its tool calls."""

from __future__ import annotations

import email.utils
import functools
import os
import time
from collections.abc import Callable
from typing import Any

import boto3
import httpx2
from anthropic import Anthropic, APIResponse, Middleware
from anthropic.types.beta import BetaContextManagementConfigParam
from botocore.config import Config
from in_time import OutOfTimeError

MODEL = os.environ.get("ANTHROPIC_MODEL", "claude-sonnet-5-5")
MAX_TOKENS = 4_096
MAX_TURNS = 20
SYSTEM = "You are the assistant of one customer. Keep what will matter in later conversations in your memory."

# In a long conversation, old tool results leave the context. Views of the memory may leave too, since Claude can look
# again. With tools of your own whose results matter less than those, add "exclude_tools": ["memory"].
CONTEXT_MANAGEMENT_BETA = "context-management-2025-06-27"
CONTEXT_MANAGEMENT: BetaContextManagementConfigParam = {
    "edits": [
        {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": 50_000},
            "keep": {"type": "tool_uses", "value": 5},
            "clear_at_least": {"type": "input_tokens", "value": 10_000},
        }
    ]
}

_CONNECT_SECONDS = 5.0
# What the SDK tries again, beside what the answer itself says: a timeout, a conflict, too many requests.
_PASSING = frozenset({408, 409, 429})
_SERVER_ERRORS = 500


class BusyError(Exception):
    """Claude asks to be left alone for longer than there is time.

    Attributes:
        retry_after_seconds: how long it asked for.
    """

    def __init__(self, retry_after_seconds: float) -> None:
        super().__init__()
        self.retry_after_seconds = retry_after_seconds


class Deadline(Middleware):
    """Gives each try of a request the time that is left, and lets the SDK not sleep past the end of it.

    Args:
        remaining_seconds: how much time the invocation has left for work.
    """

    def __init__(self, remaining_seconds: Callable[[], float]) -> None:
        self._remaining_seconds = remaining_seconds

    def handle(self, request: Any, call_next: Callable[[Any], APIResponse[Any]]) -> APIResponse[Any]:
        """Make one try."""
        remaining = self._remaining_seconds()
        if remaining <= 0:
            raise OutOfTimeError
        timeout = httpx2.Timeout(remaining, connect=min(_CONNECT_SECONDS, remaining))
        response = call_next(request.copy(timeout=timeout))
        if may_pass(response.status_code, response.headers):
            pause = retry_after_seconds(response.headers)
            if pause >= self._remaining_seconds():
                response.close()
                raise BusyError(pause)
        return response


def may_pass(status: int, headers: httpx2.Headers) -> bool:
    """Whether an answer is one that the SDK would try again, given tries."""
    return status in _PASSING or status >= _SERVER_ERRORS or headers.get("x-should-retry") == "true"


def retry_after_seconds(headers: httpx2.Headers) -> float:
    """Return how long Claude asks to wait, as the SDK understands it; nought if it does not say."""
    for name, a_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return max(0.0, float(headers.get(name, "")) / a_second)  # nought for what is no number (NaN)
        except ValueError:
            continue
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    try:
        return 0.0 if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())
    except (ValueError, OverflowError):
        return 0.0


@functools.cache
def client() -> Anthropic:
    """Return the process's client. Its connections outlive the invocation.

    The API key is ``ANTHROPIC_API_KEY``, or the secret in Secrets Manager that ``AGENT_API_KEY_SECRET_ID`` names: one
    ``GetSecretValue`` for each cold start. The function's role needs ``secretsmanager:GetSecretValue`` on it.
    """
    secret_id = os.environ.get("AGENT_API_KEY_SECRET_ID")
    if not secret_id:
        return Anthropic()
    quick = Config(connect_timeout=1, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})
    secrets = boto3.client("secretsmanager", region_name=os.environ.get("AWS_REGION"), config=quick)
    try:
        return Anthropic(api_key=secrets.get_secret_value(SecretId=secret_id)["SecretString"])
    finally:
        secrets.close()


def forget_client() -> None:
    """Drop the client with its key and connections: before a snapshot, and when the key is refused (it was rotated)."""
    if client.cache_info().currsize:
        client().close()
    client.cache_clear()


def conversation(message: str, memory: Any, *, remaining_seconds: Callable[[], float]) -> Any:
    """Return the SDK's tool runner over a message. It makes no request before it is iterated."""
    return (
        client()
        .with_middleware(Deadline(remaining_seconds))
        .beta.messages.tool_runner(
            model=MODEL,
            max_tokens=MAX_TOKENS,
            max_iterations=MAX_TURNS,
            system=SYSTEM,
            messages=[{"role": "user", "content": message}],
            tools=[memory],
            betas=[CONTEXT_MANAGEMENT_BETA],
            context_management=CONTEXT_MANAGEMENT,
        )
    )
