"""The stdio transport: a JSON-RPC message a line.

The SDK's own transport does not fit. It drops a line that is not a message without an answer, so that the client waits
for ever. And it cancels what is under way when its input ends, so that a finished write is not confirmed. Here, every
request that was read is answered before the server ends.
"""

from __future__ import annotations

import asyncio
import io
import math
import os
import select
import signal
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from typing import TYPE_CHECKING, Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from anyio.to_thread import run_sync
from mcp.server import Server
from mcp.shared.dispatcher import as_request_id, coerce_request_id
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, RequestId

from s3memory._lines import LongLine, next_line
from s3memory.adapters.mcp.messages import as_json, batch_of, parsed, too_large
from s3memory.limits import Limits, max_input_bytes

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# How many lines are read before the first of them is looked at.
_LINES_AHEAD = 64

_CANCELLED = "notifications/cancelled"


@contextmanager
def standard_streams() -> Iterator[tuple[FileIO, FileIO]]:
    """Keep standard input and output for messages. Whatever else is printed goes to standard error."""
    wire_in, wire_out = FileIO(os.dup(0), "rb"), FileIO(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield wire_in, wire_out
    finally:
        os.dup2(wire_in.fileno(), 0)
        os.dup2(wire_out.fileno(), 1)


async def serve_stdio(server: Server[Any], lines_in: FileIO, lines_out: FileIO, limits: Limits | None = None) -> None:
    """Serve one client until its input ends and all that it asked is answered, or it reads no more.

    Both streams may be non-blocking.

    Args:
        server: what carries out the requests.
        lines_in: what the client writes.
        lines_out: what it reads.
        limits: the memory's, which the length of a line follows.
    """
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_cancel_if_interrupted, tasks.cancel_scope)
        await _Wire(lines_in, lines_out, max_bytes=max_input_bytes(limits or Limits())).serve(server)
        tasks.cancel_scope.cancel()


async def _cancel_if_interrupted(scope: anyio.CancelScope) -> None:
    """End reliably by Ctrl-C. asyncio makes one cancellation of it, which another library can take for its own."""
    # Not on Windows, and on no thread but the first.
    with suppress(RuntimeError), anyio.open_signal_receiver(signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return


class _Input(io.RawIOBase):
    """What a client writes. Reads wait for it. If the client is lost, it ends."""

    def __init__(self, stream: FileIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        try:
            while (n_read := self._stream.readinto(buffer)) is None:
                _wait_for(self._stream, select.POLLIN)
        except OSError:
            return 0
        return n_read


class _Lines:
    """What a client writes, line by line, read on a thread that keeps no process from ending."""

    def __init__(self, stream: FileIO, *, max_bytes: int) -> None:
        self._lines, self._max_bytes = io.BufferedReader(_Input(stream)), max_bytes
        self._room = threading.Semaphore(_LINES_AHEAD)
        self._loop = asyncio.get_running_loop()
        self._send, self._receive = anyio.create_memory_object_stream[bytes | LongLine](math.inf)
        threading.Thread(target=self._read, name="s3memory-mcp-stdin", daemon=True).start()

    def _read(self) -> None:
        with suppress(RuntimeError):  # the loop is gone, and with it the reader of a line
            while True:
                line = next_line(self._lines, max_bytes=self._max_bytes)
                self._room.acquire()
                self._loop.call_soon_threadsafe(self._put, line)
                if not line:
                    return

    def _put(self, line: bytes | LongLine) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            if line:
                self._send.send_nowait(line)
            else:
                self._send.close()

    async def __aiter__(self) -> AsyncIterator[bytes | LongLine]:
        with self._send, self._receive:
            async for line in self._receive:
                self._room.release()
                yield line


class _Wire:
    def __init__(self, lines_in: FileIO, lines_out: FileIO, *, max_bytes: int) -> None:
        self._lines_in, self._lines_out, self._max_bytes = lines_in, lines_out, max_bytes
        # By their ids as the SDK compares them: to it, "7" is the 7 of a request that a client gives up.
        self._unanswered: Counter[RequestId] = Counter()
        self._changed = anyio.Event()

    async def serve(self, server: Server[Any]) -> None:
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception]()
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, to_server, to_client.clone())
            tasks.start_soon(self._write, from_server, tasks.cancel_scope)
            await server.run(from_client, to_client, server.create_initialization_options())

    async def _read(
        self, to_server: MemoryObjectSendStream[SessionMessage | Exception], answers: MemoryObjectSendStream[Any]
    ) -> None:
        async with to_server, answers:
            async for line in _Lines(self._lines_in, max_bytes=self._max_bytes):
                for message in _messages(line):
                    if isinstance(message, SessionMessage):
                        self._expect(getattr(message.message, "id", None))  # or it would settle a request of that id
                        await answers.send(message)
                        continue
                    if isinstance(message, JSONRPCRequest):
                        self._expect(message.id)
                    elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
                        self._settle(as_request_id((message.params or {}).get("requestId")))  # it gets no answer
                    await to_server.send(SessionMessage(message))
            while self._unanswered:
                self._changed = anyio.Event()
                await self._changed.wait()

    async def _write(
        self, from_server: MemoryObjectReceiveStream[SessionMessage], whole_server: anyio.CancelScope
    ) -> None:
        async with from_server:
            async for sent in from_server:
                line = as_json(sent.message).encode(errors="backslashreplace") + b"\n"  # as JSON escapes surrogates
                try:
                    await run_sync(self._put, line)
                except OSError:  # the client reads no more
                    whole_server.cancel()
                    return
                if isinstance(sent.message, JSONRPCResponse | JSONRPCError):
                    self._settle(sent.message.id)

    def _expect(self, identity: RequestId | None) -> None:
        """Wait for the answer to one more message of that id."""
        if identity is not None:
            self._unanswered[coerce_request_id(identity)] += 1

    def _settle(self, identity: RequestId | None) -> None:
        """Wait no longer for the answer to one request of that id."""
        if identity is not None:
            self._unanswered -= Counter([coerce_request_id(identity)])  # keeps no count that is not positive
            self._changed.set()

    def _put(self, line: bytes) -> None:
        left = memoryview(line)
        while left:
            n_written = self._lines_out.write(left)
            if n_written is None:
                _wait_for(self._lines_out, select.POLLOUT)
            else:
                left = left[n_written:]


def _messages(line: bytes | LongLine) -> Iterator[JSONRPCMessage | SessionMessage]:
    """Yield the messages of a line, as `parsed`. Each of a batch is answered by itself: a client knows it by its id."""
    if isinstance(line, LongLine):
        yield too_large(line)
    elif line.strip():
        yield from map(parsed, batch_of(line) or [line])


def _wait_for(stream: FileIO, event: int) -> None:
    """Wait for a stream that does not block, since somebody who shares it has made it so."""
    waiting = select.poll()
    waiting.register(stream, event)
    waiting.poll()
