"""The stdio transport: one JSON-RPC message per line.

The SDK's own transport does not answer a line that is not a message, so the client waits forever. It also cancels
running requests when its input ends, so a finished write is not confirmed. Here, every request that was read is
answered before the server ends.
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

# How many lines are read ahead of those being processed.
_LINES_AHEAD = 64

_CANCELLED = "notifications/cancelled"


@contextmanager
def standard_streams() -> Iterator[tuple[FileIO, FileIO]]:
    """Reserve standard input and output for messages. Anything else that is printed goes to standard error."""
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
    """Serve one client until its input has ended and every request is answered, or until it stops reading.

    Both streams may be non-blocking.

    Args:
        server: the server that runs the requests.
        lines_in: the lines that the client writes.
        lines_out: the lines that it reads.
        limits: the memory's limits, which determine the maximum length of a line.
    """
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_cancel_if_interrupted, tasks.cancel_scope)
        await _Wire(lines_in, lines_out, max_bytes=max_input_bytes(limits or Limits())).serve(server)
        tasks.cancel_scope.cancel()


async def _cancel_if_interrupted(scope: anyio.CancelScope) -> None:
    """Make Ctrl-C reliable: asyncio turns it into a single cancellation, which a library can mistake for its own."""
    # Works neither on Windows nor on other threads than the main one.
    with suppress(RuntimeError), anyio.open_signal_receiver(signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return


class _Input(io.RawIOBase):
    """The client's output as a blocking stream. It ends if the connection to the client is lost."""

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
    """The lines that a client writes, read on a daemon thread, which does not keep the process from exiting."""

    def __init__(self, stream: FileIO, *, max_bytes: int) -> None:
        self._lines, self._max_bytes = io.BufferedReader(_Input(stream)), max_bytes
        self._room = threading.Semaphore(_LINES_AHEAD)
        self._loop = asyncio.get_running_loop()
        self._send, self._receive = anyio.create_memory_object_stream[bytes | LongLine](math.inf)
        threading.Thread(target=self._read, name="s3memory-mcp-stdin", daemon=True).start()

    def _read(self) -> None:
        with suppress(RuntimeError):  # the loop is closed, so nobody reads the lines
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
    """Connects a server to the streams of one client, and keeps track of unanswered requests."""

    def __init__(self, lines_in: FileIO, lines_out: FileIO, *, max_bytes: int) -> None:
        self._lines_in, self._lines_out, self._max_bytes = lines_in, lines_out, max_bytes
        # By ids as the SDK compares them: a cancellation of "7" also means request 7.
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
                        self._expect(getattr(message.message, "id", None))  # else it would settle another request
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
                except OSError:  # the client has stopped reading
                    whole_server.cancel()
                    return
                if isinstance(sent.message, JSONRPCResponse | JSONRPCError):
                    self._settle(sent.message.id)

    def _expect(self, identity: RequestId | None) -> None:
        """Count one more message with this id as unanswered."""
        if identity is not None:
            self._unanswered[coerce_request_id(identity)] += 1

    def _settle(self, identity: RequestId | None) -> None:
        """Count one message with this id as answered."""
        if identity is not None:
            self._unanswered -= Counter([coerce_request_id(identity)])  # this drops counts that are not positive
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
    """Yield the messages of a line, as `parsed` returns them. Each of a batch is answered separately, by its id."""
    if isinstance(line, LongLine):
        yield too_large(line)
    elif line.strip():
        yield from map(parsed, batch_of(line) or [line])


def _wait_for(stream: FileIO, event: int) -> None:
    """Wait for a non-blocking stream: another process that shares it may have made it non-blocking."""
    waiting = select.poll()
    waiting.register(stream, event)
    waiting.poll()
