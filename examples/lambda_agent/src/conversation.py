"""A conversation that is kept, and messages that may be sent again: one sealed file beside the memory for each.

It lies in the tenant's memory, in a directory that no view shows and that Claude may not touch, so whatever seals,
rotates, exports, counts or erases the memory does so with conversations.

A message with an id is carried out once. Each change that Claude asks for is noted before it is made, and its outcome
after. If the message ended halfway and is sent again, it goes on from there: what was done is not done again, and of a
call that was under way Claude is told that it has to look.
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
"""Where conversations are, below ``/memories``. Views leave out what begins with a dot."""

HISTORY_CHARS: Final = 40_000
"""How much of a conversation is sent to Claude and kept. The oldest exchanges go first."""

EXPIRY_SECONDS: Final = int(os.environ.get("AGENT_CONVERSATION_DAYS", "30")) * 86_400
"""After how long without a message a conversation begins anew."""

ANSWER_SECONDS: Final = 86_400
"""For how long a message that is sent again gets the answer that it got."""

MAX_ANSWERS: Final = 20
_IDS: Final = frozenset({"id", "tool_use_id"})
_MAX_FILE_BYTES: Final = 4 * 1024 * 1024
_RACES: Final = 5
_UNKNOWN: Final = (
    "Error: This call was broken off, and it is not known whether a change was made. View the file before trying again."
)


class Conversation:
    """One message of a conversation, from when it is taken on until it is answered.

    Attributes:
        messages: what Claude is to be sent.
        answer: what was answered when the message was sent before; ``None`` if it is to be answered now.
    """

    messages: list[Any]
    answer: dict[str, Any] | None = None

    def __init__(self, request: Request, remaining_seconds: Callable[[], float]) -> None:
        self._request = request
        self._id = request.message_id or str(uuid.uuid4())
        settings = Settings.from_env()
        # Texts are redacted one by one: a redactor that sees JSON as a whole might take a quote away with a secret.
        self._redactor = settings.redactor()
        unredacted = {name: value for name, value in os.environ.items() if not name.startswith("S3MEMORY_REDACTION")}
        unredacted |= {"S3MEMORY_REDACTION": "off", "S3MEMORY_MAX_FILE_BYTES": str(_MAX_FILE_BYTES)}
        self._store = MemoryStore.from_settings(
            Settings.from_env(unredacted),
            tenant=request.tenant,
            actor=request.actor,
            remaining_seconds=remaining_seconds,
        )
        # Who says it is in the name: nobody goes on with a conversation of somebody else's, whose id they may guess.
        which = [request.conversation_id, None if request.conversation_id else self._id]
        whose = json.dumps([request.identity, *which], sort_keys=True)
        self._path = MemoryPath((DIRECTORY, f"{hashlib.sha256(whose.encode()).hexdigest()[:32]}.json"))
        self._record: dict[str, Any] = {}
        self._file: Any = None
        self._etag = ""

    @classmethod
    def begin(cls, request: Request, *, remaining_seconds: Callable[[], float], lease_seconds: float) -> Self:
        """Take a message on.

        Args:
            request: the message, with an id of its own, a conversation's, or both.
            remaining_seconds: how much time there is for work.
            lease_seconds: for how long nobody else may take it on.

        Raises:
            Refusal: 409 while another message of the conversation, or the same, is being answered; 422 if the id was
                another message's.
            S3MemoryError: the memory can't be used.
        """
        conversation = cls(request, remaining_seconds)
        for _ in range(_RACES):
            if conversation._take(lease_seconds):
                return conversation
        raise Refusal(409, "in_progress", retry_after_seconds=1)

    def _take(self, lease_seconds: float) -> bool:
        """Take the message on as things are stored now. Return whether nobody was faster."""
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
        if not turn or turn["id"] != self._id:  # what another message left undone is given up
            turn = {"id": self._id, "digest": digest, "steps": []}
        turn["lease_until"] = now + lease_seconds
        self._record = {"history": record.get("history", []), "turn": turn, "answers": answers}
        if not self._store_record():
            return False
        said = {"role": "user", "content": self._request.message}
        self.messages = [*_exchanged(self._record["history"]), said, *_settled(turn["steps"])]
        return True

    def note(self, steps: Sequence[Mapping[str, Any]]) -> None:
        """Note what Claude has said and was told since the user's message, before anything is done about it.

        Raises:
            Refusal: 409 if somebody else has taken the message on, since its time was up here.
            S3MemoryError: the memory can't be used.
        """
        self._record["turn"]["steps"] = [
            {**step, "content": [self._kept_block(block) for block in step["content"]]} for step in steps
        ]
        self._store_or_give_up()

    def finish(self, answer: Mapping[str, Any]) -> None:
        """Keep the answer. Raises as `note`."""
        turn = self._record["turn"]
        if answer["reply"].strip():  # the API refuses a conversation with a blank text in it
            self._record["history"].append(self._kept([self._request.message, answer["reply"]]))
        while sum(len(text) for pair in self._record["history"] for text in pair) > HISTORY_CHARS:
            self._record["history"].pop(0)
        kept = {"id": self._id, "digest": turn["digest"], "at": time.time(), "answer": self._kept(answer)}
        self._record["answers"] = [*self._record["answers"], kept][-MAX_ANSWERS:]
        self._record["turn"] = None
        self._store_or_give_up()

    def release(self) -> None:
        """Let the message be sent again at once. If that can't be stored, it can be when the lease is over."""
        self._record["turn"]["lease_until"] = 0
        with suppress(S3MemoryError):
            self._store_record()

    def _store_or_give_up(self) -> None:
        if not self._store_record():
            raise Refusal(409, "in_progress", retry_after_seconds=1)

    def _store_record(self) -> bool:
        """Store the record over the one that was read or stored last. Return whether that was still there."""
        text = json.dumps({**self._record, "used_at": time.time()})
        if self._file is None:
            try:
                self._store.create(self._path, text)
            except AlreadyExistsError:
                return False
            self._file = self._store.read(self._path)  # for its key ring, with which the next is sealed
            return self._file is not None and self._file.text == text
        etag, ring, present = self._etag or self._file.info.etag, self._file.ring, self._file.text
        written = self._store.replace(self._path, text, etag=etag, read_with=ring, present=present)
        self._etag = written.etag if written else ""
        return written is not None

    def _kept_block(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """Return a block as it may be stored. Its ids are the API's, which knows no other."""
        return {name: value if name in _IDS else self._kept(value) for name, value in block.items()}

    def _kept(self, value: Any) -> Any:
        """Return a value as it may be stored: redacted."""
        if isinstance(value, str):
            try:
                return value if self._redactor is None else self._redactor.redact(value).text
            except RedactionError:
                return "[REDACTED]"
        if isinstance(value, Mapping):
            return {name: self._kept(one) for name, one in value.items()}
        return [self._kept(one) for one in value] if isinstance(value, (list, tuple)) else value


def is_change(block: Any) -> bool:
    """Whether a block of Claude's is a call that may change something."""
    return block.type == "tool_use" and not (isinstance(block.input, Mapping) and block.input.get("command") == "view")


def _exchanged(history: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [{"role": role, "content": text} for pair in history for role, text in zip(roles, pair, strict=True)]


def _settled(steps: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the steps, with an answer to each call that has none."""
    if not steps or steps[-1]["role"] != "assistant":
        return list(steps)
    calls = [block for block in steps[-1]["content"] if block.get("type") == "tool_use"]
    results = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": _UNKNOWN, "is_error": True} for call in calls
    ]
    return [*steps, {"role": "user", "content": results}]
