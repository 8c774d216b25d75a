"""Stores conversations, and messages that may be sent again: one sealed file for each.

The file is in the tenant's memory, in a directory that no view shows and that Claude can't open. So conversations are
sealed, rotated, exported, counted and erased with the memory.

A message with an id is carried out once. Each change that Claude asks for is recorded before it is made, and its result
afterwards. If processing ended halfway and the message is sent again, it continues from there: completed changes are
not repeated, and if a call was in progress, Claude is told to check whether it was carried out.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Self

from caller import Refusal, Request

from s3memory import MemoryPath, MemoryStore
from s3memory.config.settings import Settings
from s3memory.errors import AlreadyExistsError, RedactionError, S3MemoryError

DIRECTORY: Final = ".agent"
"""The directory of conversations, below ``/memories``. Views leave out names that begin with a dot."""

HISTORY_CHARS: Final = 40_000
"""How much of a conversation is kept and sent to Claude. The oldest exchanges are dropped first."""

EXPIRY_SECONDS: Final = int(os.environ.get("AGENT_CONVERSATION_DAYS", "30")) * 86_400
"""After this long without a message, a conversation starts over."""

ANSWER_SECONDS: Final = 86_400
"""For how long a message that is sent again gets the same answer again."""

MAX_ANSWERS: Final = 20
_IDS: Final = frozenset({"id", "tool_use_id"})
_MAX_FILE_BYTES: Final = 4 * 1024 * 1024
_MAX_RACES: Final = 5
_UNKNOWN: Final = (
    "Error: This call was broken off, and it is not known whether a change was made. View the file before trying again."
)


class Conversation:
    """One message of a conversation, from its lease until it is answered.

    Attributes:
        messages: the messages to send to Claude.
        answer: the earlier answer, if the message was answered before; ``None`` if it has to be answered now.
    """

    messages: list[Any]
    answer: dict[str, Any] | None = None

    def __init__(self, request: Request, remaining_seconds: Callable[[], float]) -> None:
        self._request = request
        self._id = request.message_id or str(uuid.uuid4())
        settings = Settings.from_env()
        # Texts are redacted one by one: in JSON as a whole, a redactor might remove a quotation mark with a secret.
        self._redactor = settings.redactor()
        unredacted = {name: value for name, value in os.environ.items() if not name.startswith("S3MEMORY_REDACTION")}
        unredacted |= {"S3MEMORY_REDACTION": "off", "S3MEMORY_MAX_FILE_BYTES": str(_MAX_FILE_BYTES)}
        self._store = MemoryStore.from_settings(
            Settings.from_env(unredacted),
            tenant=request.tenant,
            actor=request.actor,
            remaining_seconds=remaining_seconds,
        )
        # The name depends on the caller's identity, so nobody can continue another caller's conversation by its id.
        which = [request.conversation_id, None if request.conversation_id else self._id]
        whose = json.dumps([request.identity, *which], sort_keys=True)
        self._path = MemoryPath((DIRECTORY, f"{hashlib.sha256(whose.encode()).hexdigest()[:32]}.json"))
        self._record: dict[str, Any] = {}
        self._file: Any = None
        self._etag = ""

    @classmethod
    def begin(cls, request: Request, *, remaining_seconds: Callable[[], float], lease_seconds: float) -> Self:
        """Lease a message, so that only this process answers it, or find the answer that it got before.

        Args:
            request: the message, with its own id, a conversation's id, or both.
            remaining_seconds: returns how much time there is for work.
            lease_seconds: for how long no other process may answer it.

        Raises:
            Refusal: 409 while this message, or another one of the conversation, is being answered; 422 if the id was
                used for another message.
            S3MemoryError: the memory can't be used.
        """
        conversation = cls(request, remaining_seconds)
        for _ in range(_MAX_RACES):
            if conversation._lease(lease_seconds):
                return conversation
        raise Refusal(409, "in_progress", retry_after_seconds=1)

    def _lease(self, lease_seconds: float) -> bool:
        """Lease the message or find its answer in the stored record. Return ``False`` if another process was faster."""
        now = time.time()
        self._file, self._etag = self._store.read(self._path), ""
        record = {} if self._file is None else json.loads(self._file.text)
        if now - record.get("used_at", 0) > EXPIRY_SECONDS:
            record = {}
        digest = hashlib.sha256(self._request.message.encode()).hexdigest()
        answers = [answer for answer in record.get("answers", []) if now - answer["at"] < ANSWER_SECONDS]
        turn = record.get("turn")
        for known in [*answers, *([turn] if turn else [])]:
            if known["id"] == self._id and known["digest"] != digest:
                raise Refusal(422, "message_id_reused")
        self.answer = next((answer["answer"] for answer in answers if answer["id"] == self._id), None)
        if self.answer is not None:
            return True
        if turn and turn["lease_until"] > now:
            raise Refusal(409, "in_progress", retry_after_seconds=math.ceil(turn["lease_until"] - now))
        if not turn or turn["id"] != self._id:  # an unfinished turn of another message is given up
            turn = {"id": self._id, "digest": digest, "steps": []}
        turn["lease_until"] = now + lease_seconds
        self._record = {"history": record.get("history", []), "turn": turn, "answers": answers}
        if not self._store_record():
            return False
        said = {"role": "user", "content": self._request.message}
        self.messages = [*_messages_of(self._record["history"]), said, *_with_missing_results(turn["steps"])]
        return True

    def record_steps(self, steps: Sequence[Mapping[str, Any]]) -> None:
        """Store Claude's replies and tool results since the user's message. Call this before and after each change.

        Raises:
            Refusal: 409 if the lease expired and another process has the message now.
            S3MemoryError: the memory can't be used.
        """
        self._record["turn"]["steps"] = [
            {**step, "content": [self._redacted_block(block) for block in step["content"]]} for step in steps
        ]
        self._store_or_give_up()

    def finish(self, answer: Mapping[str, Any]) -> None:
        """Store the answer and end the turn. Raises what `record_steps` raises."""
        turn = self._record["turn"]
        if answer["reply"].strip():  # the API refuses a conversation that holds a blank text
            self._record["history"].append(self._redacted([self._request.message, answer["reply"]]))
        while sum(len(text) for pair in self._record["history"] for text in pair) > HISTORY_CHARS:
            self._record["history"].pop(0)
        kept = {"id": self._id, "digest": turn["digest"], "at": time.time(), "answer": self._redacted(answer)}
        self._record["answers"] = [*self._record["answers"], kept][-MAX_ANSWERS:]
        self._record["turn"] = None
        self._store_or_give_up()

    def release(self) -> None:
        """End the lease, so that the message can be sent again at once. If that can't be stored, the lease expires."""
        self._record["turn"]["lease_until"] = 0
        with suppress(S3MemoryError):
            self._store_record()

    def _store_or_give_up(self) -> None:
        if not self._store_record():
            raise Refusal(409, "in_progress", retry_after_seconds=1)

    def _store_record(self) -> bool:
        """Replace the record that was read or stored last. Return ``False`` if another process has changed it since."""
        text = json.dumps({**self._record, "used_at": time.time()})
        if self._file is None:
            try:
                self._store.create(self._path, text)
            except AlreadyExistsError:
                return False
            self._file = self._store.read(self._path)  # for its key ring, with which the next record is sealed
            return self._file is not None and self._file.text == text
        etag, ring, present = self._etag or self._file.info.etag, self._file.ring, self._file.text
        written = self._store.replace(self._path, text, etag=etag, read_with=ring, present=present)
        self._etag = written.etag if written else ""
        return written is not None

    def _redacted_block(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """Return a block with its texts redacted, but not its ids: the API needs them unchanged."""
        return {name: value if name in _IDS else self._redacted(value) for name, value in block.items()}

    def _redacted(self, value: Any) -> Any:
        """Return a JSON value with all texts in it redacted."""
        if isinstance(value, str):
            try:
                return value if self._redactor is None else self._redactor.redact(value).text
            except RedactionError:
                return "[REDACTED]"
        if isinstance(value, Mapping):
            return {name: self._redacted(one) for name, one in value.items()}
        return [self._redacted(one) for one in value] if isinstance(value, (list, tuple)) else value


def is_change(block: Any) -> bool:
    """Whether a block of Claude's message is a tool call that may change something."""
    return block.type == "tool_use" and not (isinstance(block.input, Mapping) and block.input.get("command") == "view")


def _messages_of(history: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [{"role": role, "content": text} for pair in history for role, text in zip(roles, pair, strict=True)]


def _with_missing_results(steps: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the steps. If the last calls have no results, add errors that say so: the API requires results."""
    if not steps or steps[-1]["role"] != "assistant":
        return list(steps)
    calls = [block for block in steps[-1]["content"] if block.get("type") == "tool_use"]
    results = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": _UNKNOWN, "is_error": True} for call in calls
    ]
    return [*steps, {"role": "user", "content": results}]
