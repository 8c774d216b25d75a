"""Calls Claude over plain HTTP, with only the standard library.

Unlike the SDK, it does not retry when Claude is busy.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

TIMEOUT_SECONDS = 300.0


def send(body: dict[str, Any]) -> dict[str, Any]:
    """Send a request with ``ANTHROPIC_API_KEY``, and return Claude's message.

    It goes to ``ANTHROPIC_BASE_URL``, or to Anthropic if that is not set.

    Raises:
        ConnectionError: Claude did not answer, refused the request, or answered something other than JSON; or the key
            can't be sent.
    """
    key = os.environ["ANTHROPIC_API_KEY"].strip()  # it may come from a file with Windows line endings
    if not key.isprintable():  # the standard library's error would quote the key
        raise ConnectionError("ANTHROPIC_API_KEY holds a character that no header can carry")
    base_url = os.environ.get("ANTHROPIC_BASE_URL") or "https://api.anthropic.com"
    data = json.dumps({"model": os.environ.get("ANTHROPIC_MODEL") or "claude-sonnet-5-5", **body}).encode()
    headers = {
        "content-type": "application/json",
        "x-api-key": key,
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "context-management-2025-06-27",  # the memory tool needs this beta
    }
    try:
        # The base URL comes from the environment, whose owner may choose the scheme.
        return _answer_to(urllib.request.Request(f"{base_url}/v1/messages", data, headers))  # noqa: S310 - see above
    except (OSError, HTTPException, ValueError) as error:  # urllib's errors are OSErrors
        raise ConnectionError(f"no answer from Claude at {base_url}: {error}") from error


def _answer_to(request: urllib.request.Request) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 - same
            message: dict[str, Any] = json.load(response)
    except urllib.error.HTTPError as refusal:  # the body says what is wrong with the request
        raise ValueError(f"{refusal}: {refusal.read(1_000).decode(errors='replace')}") from refusal
    return message
