"""``s3memory mcp`` on standard input and output: as the official client runs it, and as pipes that carry anything."""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_servers import MCP, call_message, environment_of, lines_of, opening
from support.cli_runs import Run
from support.unique import unique
from support.wire_server import Received, WireServer, error_answer

from s3memory import MemoryCommands
from s3memory.adapters.mcp import memory_server
from s3memory.adapters.mcp.stdio import serve_stdio
from s3memory.testing import MotoServer

pytestmark = pytest.mark.long

VIEW_ROOT = call_message("memory_view", {"path": "/memories"}, identity=2)


@pytest.fixture
def environment(moto_server: MotoServer) -> dict[str, str]:
    """The environment of a process whose memory is empty."""
    name = unique("stdio")
    moto_server.make_bucket(name)
    return environment_of(moto_server, name)


def answers(done: subprocess.CompletedProcess[bytes]) -> dict[Any, dict[str, Any]]:
    """Return the messages of a server by their ids; fails where a line is anything else."""
    parsed = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(message["jsonrpc"] == "2.0" for message in parsed)
    return {message["id"]: message for message in parsed}


@contextmanager
def running(environment: dict[str, str], **streams: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server on streams of one's own."""
    with subprocess.Popen([*MCP, "--tenant", "acme"], env=environment, **streams) as process:  # noqa: S603 - our program
        try:
            yield process
        finally:
            process.kill()


def text_of(message: dict[str, Any]) -> tuple[str, bool]:
    result = message["result"]
    return result["content"][0]["text"], result["isError"]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_official_client_works_with_it(environment: dict[str, str], mode: str) -> None:
    server = StdioServerParameters(command=MCP[0], args=[*MCP[1:], "--tenant", "acme"], env=environment)
    async with Client(stdio_client(server), mode=mode) as client:
        made = await client.call_tool("memory_create", {"path": "/memories/a.md", "file_text": "Grüße 🙂\n"})
        shown = await client.call_tool("memory_view", {"path": "/memories/a.md"})
        missing = await client.call_tool("memory_view", {"path": "/memories/b.md"})
        assert client.server_info is not None
        assert client.server_info.name == "s3memory"
    assert "File created successfully" in str(made.content)
    assert "Grüße 🙂" in str(shown.content)
    assert (missing.is_error, "does not exist" in str(missing.content)) == (True, True)


def test_all_that_was_asked_is_answered_when_the_input_ends_at_once(environment: dict[str, str]) -> None:
    asked = [
        call_message("memory_create", {"path": f"/memories/{number}", "file_text": "x"}, identity=number)
        for number in range(20)
    ]
    done = lines_of(environment, [*opening(), *asked], "--tenant", "acme")
    assert done.returncode == 0
    assert [text_of(answers(done)[number]) for number in range(20)] == [
        (f"File created successfully at: /memories/{number}", False) for number in range(20)
    ]


def test_other_memories_are_mounted_where_the_settings_say_so(environment: dict[str, str]) -> None:
    shared = {"path": "/memories/plan.md", "file_text": "Ship the plan.\n"}
    lines_of(environment, [*opening(), call_message("memory_create", shared)], "--tenant", "team")
    asked = [
        call_message("memory_view", {"path": "/memories/team/plan.md"}, identity=1),
        call_message("memory_search", {"query": "ship"}, identity=2),
        call_message("memory_create", {"path": "/memories/team/new.md", "file_text": "x"}, identity=3),
        call_message("memory_create", {"path": "/memories/own.md", "file_text": "x"}, identity=4),
    ]
    mounted = environment | {"S3MEMORY_MOUNTS": "/memories/team=team:ro"}
    found = answers(lines_of(mounted, [*opening(), *asked], "--tenant", "acme"))
    assert "Ship the plan." in text_of(found[1])[0]
    assert "/memories/team/plan.md:1: Ship the plan." in text_of(found[2])[0]
    assert text_of(found[3]) == ("Error: The memory at /memories/team is read-only. Nothing was changed.", True)
    assert text_of(found[4]) == ("File created successfully at: /memories/own.md", False)


def test_standard_output_holds_messages_alone_and_audit_events_go_to_standard_error(
    environment: dict[str, str],
) -> None:
    done = lines_of(environment | {"S3MEMORY_AUDIT": "paths"}, [*opening(), VIEW_ROOT], "--tenant", "acme")
    assert answers(done).keys() == {"opening", 2}
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(event["operation"], event["paths"]) for event in events] == [("view", ["/memories"])]


def test_a_server_that_does_not_answer_is_named_on_standard_error_alone(environment: dict[str, str]) -> None:
    is_told = threading.Event()

    def refuse_once_told(_: Received) -> bytes:
        assert is_told.wait(60)
        return error_answer(403, "AccessDenied")

    with (
        WireServer(refuse_once_told) as silent,
        subprocess.Popen(  # noqa: S603 - this interpreter and our program
            [*MCP, "--tenant", "acme"],
            env=environment | {"S3MEMORY_ENDPOINT_URL": silent.url},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.writelines(json.dumps(message).encode() + b"\n" for message in [*opening(), VIEW_ROOT])
        process.stdin.flush()
        assert process.stderr.readline().decode() == f"s3memory: No answer from {silent.url} yet.\n"
        is_told.set()
        out, _ = process.communicate(timeout=60)
    found = answers(subprocess.CompletedProcess(MCP, process.returncode, out, b""))
    assert found.keys() == {"opening", 2}
    assert text_of(found[2])[1]


def test_what_other_code_prints_does_not_reach_the_client(environment: dict[str, str]) -> None:
    program = (
        "import os, sys\nfrom s3memory import MemoryCommands\nfrom s3memory.cli import main\n"
        "view = MemoryCommands.call\n"
        "def call(*arguments):\n    print('printed')\n    os.system('echo from a child')\n    return view(*arguments)\n"
        "MemoryCommands.call = call\nmain(['mcp', '--tenant', 'acme'])"
    )
    done = subprocess.run(  # noqa: S603 - this interpreter and the lines above
        [sys.executable, "-c", program],
        env=environment,
        input=b"".join(json.dumps(message).encode() + b"\n" for message in [*opening(), VIEW_ROOT]),
        capture_output=True,
        check=True,
    )
    assert answers(done).keys() == {"opening", 2}
    assert sorted(done.stderr.splitlines()) == [b"from a child", b"printed"]


def test_lines_that_are_no_messages_are_answered_and_change_nothing(environment: dict[str, str]) -> None:
    raw = b'{"jsonrpc": "2.0"\n\n[]\n7\n\xff\xfe\n{"id": 5, "jsonrpc": "2.0"}\n' + b"[" * 100_000 + b"\n"
    raw += b'{"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}\n{"jsonrpc": "2.0", "id": null, "method": "x"}\n'
    raw += json.dumps(call_message("memory_view", {"path": "/memories"}, identity="last")).encode()  # no newline
    done = lines_of(environment, opening(), "--tenant", "acme", raw=raw)
    parsed = [json.loads(line) for line in done.stdout.splitlines()]
    errors = [message["error"]["code"] for message in parsed if "error" in message]
    assert sorted(errors) == sorted([-32700, -32600, -32600, -32700, -32600, -32700, -32600, -32600])
    assert {message["id"] for message in parsed} == {"opening", None, 5, "last"}
    assert done.returncode == 0
    assert done.stderr == b""


# One over what a text of 100 bytes, twice, and what is around it, may take up.
TOO_MANY_BYTES = 2 * 6 * 100 + 65_536 + 1


# How a line begins, how it ends, and by which id it can be answered.
LONG_LINES: list[tuple[bytes, bytes, object]] = [
    (b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"id": 7, "a": "', b'"}}', 5),
    (b'{"method": "tools/call", "params": {"id": 7, "a": "', b'"}, "jsonrpc": "2.0", "id": "five"}', "five"),
    (b'{"params": {"id": 7, "a": "', b'"}, "id": 6, "jsonrpc": "2.0", "method": "tools/call"} ', 6),
    (b'{"params": {"a": "', b'", "id": 7}}', None),
    (b'{"params": {"a": "', b'"}, "id": 007}', None),
    (b'{"params": {"a": "', b'"}, "id": "\x01\xff"}', None),
    (b'[{"jsonrpc": "2.0", "id": 5, "method": "ping"}, "', b'"]', None),
    (b"", b"", None),
]


def test_a_line_that_is_too_long_is_answered_by_its_id_and_the_next_one_is_read(environment: dict[str, str]) -> None:
    raw = b""
    for front, behind, _ in LONG_LINES:
        too_long = front + b"x" * (TOO_MANY_BYTES - len(front) - len(behind)) + behind
        raw += too_long + b"\n" + too_long.replace(b"x", b"", 1) + b"\n"  # one byte less is read
    last = json.dumps(call_message("memory_view", {"path": "/memories"}, identity="last")).encode()
    limited = environment | {"S3MEMORY_MAX_FILE_BYTES": "100"}
    done = lines_of(limited, opening(), "--tenant", "acme", raw=raw + last)
    parsed = [json.loads(line) for line in done.stdout.splitlines()]
    refusal = {"code": -32600, "message": "Request body too large"}
    assert [one["id"] for one in parsed if one.get("error") == refusal] == [identity for _, _, identity in LONG_LINES]
    assert "last" in [one["id"] for one in parsed]


@pytest.mark.skipif(sys.platform != "linux", reason="it reads the process's peak of memory as Linux tells it")
def test_a_line_that_is_too_long_is_not_held_in_memory(environment: dict[str, str]) -> None:
    def peak_kb(pid: int) -> int:
        lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))

    with running(environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(opening()[0]).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        before = peak_kb(process.pid)
        for _ in range(200):
            process.stdin.write(b"x" * 1_000_000)
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["error"]["message"] == "Request body too large"
        assert peak_kb(process.pid) - before < 20_000


def test_the_messages_of_a_batch_are_answered_each_by_its_id(environment: dict[str, str]) -> None:
    batch = [
        call_message("memory_create", {"path": "/memories/batch", "file_text": "tea"}, identity=1),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
        call_message("memory_view", {"path": "/memories/batch"}, identity=2),
        {"jsonrpc": "2.0", "id": 3, "method": "ping"},
        7,
    ]
    found = answers(lines_of(environment, [*opening("2025-03-26"), batch], "--tenant", "acme"))
    assert found.keys() == {"opening", 1, 2, 3, None}
    assert found["opening"]["result"]["protocolVersion"] == "2025-03-26"
    assert text_of(found[2]) == ("Here's the content of /memories/batch with line numbers:\n     1\ttea", False)
    assert found[None]["error"]["message"] == "Invalid request"


def test_a_lone_surrogate_gets_the_contracts_error(environment: dict[str, str]) -> None:
    sent = [
        call_message("memory_create", {"path": "/memories/s", "file_text": "a\ud800b"}, identity=1),
        call_message("memory_view", {"path": "/memories/\udfff"}, identity=2),
        call_message("memory_view", {"path": "/memories", "\ud800": 1}, identity=3),
        call_message("memory_view", {"path": "/memories"}, identity=4),
    ]
    found = answers(lines_of(environment, [*opening(), *sent], "--tenant", "acme"))
    holds = "Error: Invalid `{}` parameter: it holds a lone surrogate, which is not a character"
    assert text_of(found[1]) == (holds.format("file_text"), True)
    assert text_of(found[2]) == (holds.format("path"), True)
    assert "error" in found[3] or found[3]["result"]["isError"]
    assert text_of(found[4])[0].endswith("0B\t/memories")


def test_an_integer_of_any_length_is_answered_by_the_requests_id(environment: dict[str, str]) -> None:
    """Python reads none of more than 4,300 digits."""
    message = json.dumps(call_message("memory_insert", {"path": "/memories/a", "insert_text": "x"}, identity=7))
    raw = message.replace('"path"', f'"insert_line": {"9" * 5_000}, "path"').encode() + b"\n"
    found = answers(lines_of(environment, opening(), "--tenant", "acme", raw=raw))
    assert text_of(found[7]) == ("Error: Invalid `insert_line` parameter: it must be an integer", True)


def test_a_call_that_its_client_gives_up_gets_no_answer_and_does_not_keep_the_server(
    environment: dict[str, str],
) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    made = call_message("memory_create", {"path": "/memories/a", "file_text": "x"}, identity=1)
    done = lines_of(environment, [*opening(), made, cancelled, VIEW_ROOT], "--tenant", "acme")
    assert done.returncode == 0
    assert answers(done).keys() >= {"opening", 2}


@pytest.mark.parametrize(("asked", "given_up"), [(1, "1"), ("1", 1), (1, " 01"), (1, ["1"]), (1, None)])
def test_an_id_that_a_client_gives_up_in_other_words_does_not_keep_the_server(
    environment: dict[str, str], asked: int | str, given_up: object
) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": given_up}}
    made = call_message("memory_create", {"path": "/memories/a", "file_text": "x"}, identity=asked)
    done = lines_of(environment, [*opening(), made, cancelled, VIEW_ROOT], "--tenant", "acme")
    assert done.returncode == 0
    assert answers(done).keys() >= {"opening", 2}


def test_two_requests_of_one_id_are_both_answered(environment: dict[str, str]) -> None:
    made = call_message("memory_create", {"path": "/memories/a", "file_text": "x"}, identity=1)
    done = lines_of(environment, [*opening(), made, made], "--tenant", "acme")
    texts = [text_of(message) for message in map(json.loads, done.stdout.splitlines()) if message["id"] == 1]
    assert texts == [
        ("File created successfully at: /memories/a", False),
        ("Error: File /memories/a already exists", True),
    ]


@pytest.mark.parametrize("identity", [1, "1", " 1"])
def test_the_answer_to_what_is_no_message_settles_no_request_of_its_id(
    environment: dict[str, str], identity: int | str
) -> None:
    made = call_message("memory_create", {"path": "/memories/a", "file_text": "x"}, identity=1)
    done = lines_of(environment, [*opening(), made | {"id": identity, "params": 5}, made], "--tenant", "acme")
    sent = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["error"]["message"] for one in sent if "error" in one] == ["Invalid request"]
    assert [text_of(one)[0] for one in sent if one["id"] == 1 and "result" in one] == [
        "File created successfully at: /memories/a"
    ]


def test_what_a_client_answers_unasked_is_dropped(environment: dict[str, str]) -> None:
    unasked = [
        {"jsonrpc": "2.0", "id": 2, "error": {"code": 1, "message": "unasked"}},
        {"jsonrpc": "2.0", "id": 2, "result": {}},
    ]
    done = lines_of(environment, [*opening(), VIEW_ROOT, *unasked], "--tenant", "acme")
    assert len(done.stdout.splitlines()) == len(answers(done)) == 2
    assert text_of(answers(done)[2])[0].endswith("0B\t/memories")


@pytest.mark.parametrize("identity", [1, "\ud800"])
def test_a_lone_surrogate_anywhere_does_not_end_the_server(environment: dict[str, str], identity: int | str) -> None:
    unknown = {"jsonrpc": "2.0", "id": identity, "method": "\ud800"}
    done = lines_of(environment, [*opening(), unknown, VIEW_ROOT], "--tenant", "acme")
    assert (done.returncode, done.stderr) == (0, b"")
    assert answers(done)[identity]["error"]["code"] == -32601
    assert text_of(answers(done)[2])[0].endswith("0B\t/memories")


def test_the_tenant_comes_from_the_option_or_the_environment(environment: dict[str, str]) -> None:
    made = call_message("memory_create", {"path": "/memories/mine", "file_text": "x"}, identity=1)
    lines_of(environment, [*opening(), made], "--tenant", "acme")
    shown = answers(lines_of(environment | {"S3MEMORY_TENANT": "acme"}, [*opening(), VIEW_ROOT]))
    other = answers(lines_of(environment | {"S3MEMORY_TENANT": "acme"}, [*opening(), VIEW_ROOT], "--tenant", "other"))
    assert "mine" in text_of(shown[2])[0]
    assert "mine" not in text_of(other[2])[0]


@pytest.mark.parametrize("how", ["option", "setting"])
def test_a_memory_that_is_read_only_offers_no_tool_that_writes(environment: dict[str, str], how: str) -> None:
    options, settings = (["--read-only"], {}) if how == "option" else ([], {"S3MEMORY_READ_ONLY": "true"})
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        call_message("memory_create", {"path": "/memories/a", "file_text": "x"}, identity=2),
    ]
    found = answers(lines_of(environment | settings, [*opening(), *sent], "--tenant", "acme", *options))
    assert {tool["name"] for tool in found[1]["result"]["tools"]} == {"memory_view", "memory_search"}
    assert text_of(found[2]) == ("Error: This memory is read-only. Nothing was changed.", True)


def test_two_servers_that_race_on_one_file_lose_nothing(environment: dict[str, str]) -> None:
    made = call_message("memory_create", {"path": "/memories/log", "file_text": "begin\n"}, identity=1)
    lines_of(environment, [*opening(), made], "--tenant", "acme")
    n_lines = 15
    found: dict[str, dict[Any, dict[str, Any]]] = {}

    def write(name: str) -> None:
        inserts = [
            call_message(
                "memory_insert",
                {"path": "/memories/log", "insert_line": 1, "insert_text": f"{name} {number}\n"},
                identity=number,
            )
            for number in range(n_lines)
        ]
        found[name] = answers(lines_of(environment, [*opening(), *inserts], "--tenant", "acme"))

    writers = [threading.Thread(target=write, args=(name,)) for name in ("one", "two")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    view = call_message("memory_view", {"path": "/memories/log"}, identity=1)
    text = text_of(answers(lines_of(environment, [*opening(), view], "--tenant", "acme"))[1])[0]
    reported = {f"{name} {n}" for name in found for n in range(n_lines) if not found[name][n]["result"]["isError"]}
    assert len(reported) > n_lines  # both got through
    assert {line.partition("\t")[2] for line in text.splitlines()[1:]} == {"begin", ""} | reported
    for name in found:  # what was not done was not reported as done, and said so
        for n in range(n_lines):
            text, is_error = text_of(found[name][n])
            assert not is_error or "Nothing was changed" in text


def test_a_person_at_a_terminal_is_told_who_starts_it(environment: dict[str, str]) -> None:
    ours, theirs = os.openpty()
    try:
        os.write(ours, b"\x04")  # Ctrl-D
        done = subprocess.run(  # noqa: S603 - this interpreter and our program
            [*MCP, "--tenant", "acme"], env=environment, stdin=theirs, capture_output=True, check=False, timeout=60
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"An MCP client, such as Claude Code, starts this command" in done.stderr


def test_it_ends_by_a_signal_without_a_traceback(environment: dict[str, str]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with running(environment, **pipes) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdin.write(json.dumps(opening()[0]).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == "opening"
            process.send_signal(number)
            assert process.wait(timeout=30) in {0, -number}
            assert b"Traceback" not in process.stderr.read()


def test_it_serves_on_any_thread(commands: MemoryCommands) -> None:
    (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()

    def serve() -> None:
        with FileIO(theirs_in, "rb") as lines_in, FileIO(theirs_out, "wb") as lines_out:
            anyio.run(serve_stdio, memory_server(commands), lines_in, lines_out)

    serving = threading.Thread(target=serve)
    serving.start()
    with os.fdopen(ours_out, "wb") as asking:
        asking.writelines(json.dumps(message).encode() + b"\n" for message in [*opening(), VIEW_ROOT])
    with os.fdopen(ours_in, "rb") as lines:
        assert [json.loads(line)["id"] for line in lines] == ["opening", 2]
    serving.join()


def test_a_client_that_reads_no_more_ends_it(environment: dict[str, str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with running(environment, stdin=subprocess.PIPE, stdout=write_end, stderr=subprocess.PIPE) as process:
        os.close(write_end)
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(json.dumps(opening()[0]).encode() + b"\n")
        process.stdin.flush()  # and left open
        assert process.wait(timeout=30) == 0
        assert b"Traceback" not in process.stderr.read()


def test_a_client_that_is_lost_ends_it_without_a_traceback(environment: dict[str, str]) -> None:
    """As where its process is killed and had not read everything: its socket is not at an end then, but reset."""
    ours, theirs = socket.socketpair()
    with running(environment, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE) as process:
        theirs.close()
        ours.sendall(json.dumps(opening()[0]).encode() + b"\n")
        select.select([ours], [], [])  # the answer is there, and is not read
        ours.close()
        assert process.wait(timeout=30) == 0
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()


def test_input_that_does_not_block_is_waited_for(environment: dict[str, str]) -> None:
    """As where a parent that shares it has set O_NONBLOCK."""
    ours, theirs = socket.socketpair()
    os.set_blocking(theirs.fileno(), False)
    with ours, running(environment, stdin=theirs, stdout=subprocess.PIPE) as process:
        theirs.close()
        assert process.stdout is not None
        for message in (opening()[0], VIEW_ROOT):
            line = json.dumps(message).encode() + b"\n"
            ours.sendall(line[:9])
            ours.sendall(line[9:])
            assert json.loads(process.stdout.readline())["id"] == message["id"]
        ours.shutdown(socket.SHUT_WR)
        assert process.wait(timeout=30) == 0


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="a pipe is made small on Linux alone")
def test_a_client_that_reads_slowly_gets_all_where_the_stream_does_not_block(environment: dict[str, str]) -> None:
    """As where a parent that shares it has set O_NONBLOCK. Every answer is longer than what the pipe holds."""
    MemoryCommands.from_env(tenant="acme", environ=environment).create("/memories/a.md", ("x" * 79 + "\n") * 190)
    asked = [call_message("memory_view", {"path": "/memories/a.md"}, identity=number) for number in range(12)]
    read_end, write_end = os.pipe()
    fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4_096)
    os.set_blocking(write_end, False)
    with (
        os.fdopen(read_end, "rb") as lines,
        running(environment, stdin=subprocess.PIPE, stdout=write_end) as process,
    ):
        os.close(write_end)
        assert process.stdin is not None
        process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in [*opening(), *asked]))
        process.stdin.close()
        got = {json.loads(line)["id"] for line in lines}
    assert (got, process.returncode) == ({"opening", *range(12)}, 0)


@pytest.mark.parametrize(
    ("options", "settings", "said"),
    [
        ([], {}, "S3MEMORY_TENANT"),
        (["--tenant", "a/b"], {}, "tenant must be"),
        (["--tenant", "acme"], {"S3MEMORY_BUCKET": ""}, "S3MEMORY_BUCKET is not set"),
        (["--tenant", "acme"], {"S3MEMORY_BUKET": "x"}, "did you mean S3MEMORY_BUCKET"),
        (["--tenant", "acme", "--issuer", "https://issuer.example"], {}, "--http"),
        (["--tenant", "acme", "--resource-url", "https://memory.example/mcp"], {}, "--http"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_served(  # noqa: PLR0917 - three of them are fixtures
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    options: list[str],
    settings: dict[str, str],
    said: str,
) -> None:
    for name, value in (environment | settings).items():
        monkeypatch.setenv(name, value)
    ran = run("mcp", *options)
    assert (ran.exit_code, ran.out) == (2, "")
    assert said in ran.err


def test_without_the_extra_one_line_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    ran = run("mcp", "--tenant", "acme")
    assert ran.exit_code == 2
    assert re.fullmatch(r"s3memory: .*pip install '\.\[mcp\]', in a clone of s3memory\n", ran.err)


def test_no_other_command_waits_for_its_libraries(environment: dict[str, str]) -> None:
    program = (
        "import sys\nfrom s3memory.cli import main\n"
        "try: main(['call', '--tenant', 'acme', '{\"command\": \"view\", \"path\": \"/memories\"}'])\n"
        "finally: sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run(  # noqa: S603 - this interpreter and the lines above
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert loaded & {"mcp", "jwt", "starlette", "uvicorn", "anyio", "s3memory.adapters"} == set()
