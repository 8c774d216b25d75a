"""The scripted Messages API, driven by the SDK's own tool runner and by plain HTTP."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal

import anthropic
import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic, beta_tool, omit
from anthropic.tools import BetaAsyncLocalFilesystemMemoryTool, BetaLocalFilesystemMemoryTool
from support.for_each import for_each

from s3memory.testing import (
    Failure,
    RecordedRequest,
    ScriptedMessagesAPI,
    ScriptError,
    Step,
    ToolCall,
    ToolResult,
    Turn,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from anthropic import Omit
    from anthropic.types.beta import BetaMessage, BetaMessageParam

MODEL = "claude-sonnet-5-5"
PROMPT: list[BetaMessageParam] = [{"role": "user", "content": "Remember that I like tea."}]
MEMORY_TOOL = {"type": "memory_20250818", "name": "memory"}
CREATE = {"command": "create", "path": "/memories/likes.md", "file_text": "tea ☕\n"}
VIEW = {"command": "view", "path": "/memories/likes.md"}
RESULTS = ["toolu_0001", "toolu_0002"]
CREATED = "File created successfully at: /memories/likes.md"

either_thread = pytest.mark.parametrize("thread", [omit, False], ids=["threaded", "plain"])
either_stream = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def memory(tmp_path: Path) -> BetaLocalFilesystemMemoryTool:
    return BetaLocalFilesystemMemoryTool(base_path=str(tmp_path))


def client_of(api: ScriptedMessagesAPI) -> Anthropic:
    return Anthropic(
        api_key="offline", base_url=api.base_url, http_client=httpx2.Client(trust_env=False), max_retries=2
    )


def async_client_of(api: ScriptedMessagesAPI) -> AsyncAnthropic:
    return AsyncAnthropic(
        api_key="offline", base_url=api.base_url, http_client=httpx2.AsyncClient(trust_env=False), max_retries=2
    )


def run(
    api: ScriptedMessagesAPI,
    memory: BetaLocalFilesystemMemoryTool,
    *,
    stream: bool = False,
    thread: Literal[False] | Omit = omit,
) -> str:
    """Run an agent to the end of its loop and return its last words."""
    with client_of(api) as client:
        runner = client.beta.messages.tool_runner(
            model=MODEL, max_tokens=1024, messages=PROMPT, tools=[memory], stream=stream, thread=thread
        )
        return text_of(runner.until_done())


def text_of(message: BetaMessage) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def request_body(**changes: Any) -> dict[str, Any]:
    """Return the body of a first request that is in order but for `changes`; `None` takes a field out."""
    body = {"model": MODEL, "max_tokens": 64, "messages": PROMPT, "tools": [MEMORY_TOOL], **changes}
    return {name: value for name, value in body.items() if value is not None}


def continue_body(message_id: str, *tool_use_ids: str, **changes: Any) -> dict[str, Any]:
    """Return the body of a request that continues a thread with a result for each of `tool_use_ids`."""
    content = [{"type": "tool_result", "tool_use_id": each, "content": "done"} for each in tool_use_ids]
    messages = [{"role": "user", "content": content or "And then?"}]
    thread = {"type": "continue", "previous_message_id": message_id}
    return request_body(tools=None, messages=messages, thread=thread, **changes)


def post(
    api: ScriptedMessagesAPI,
    body: Mapping[str, Any] | bytes,
    path: str = "/v1/messages?beta=true",
    **headers: str | None,
) -> tuple[int, bytes]:
    """Send a request without the SDK, which would not send most of what is refused here."""
    sent = {
        "x-api-key": "offline",
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "message-threads-2026-08-12",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection = http.client.HTTPConnection(api.base_url.removeprefix("http://"), timeout=10)
    try:
        payload = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", path, payload, {name: value for name, value in sent.items() if value is not None})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def post_json(api: ScriptedMessagesAPI, body: Mapping[str, Any]) -> dict[str, Any]:
    status, payload = post(api, body)
    assert status == 200, payload
    message: dict[str, Any] = json.loads(payload)
    return message


class TestTheToolRunner:
    @either_thread
    @either_stream
    def test_runs_a_script_to_its_end(
        self, memory: BetaLocalFilesystemMemoryTool, tmp_path: Path, *, stream: bool, thread: Literal[False] | Omit
    ) -> None:
        script = [Turn("I write it down.", [CREATE]), Turn("", [VIEW]), Turn("Noted.")]
        with ScriptedMessagesAPI(script) as api:
            assert run(api, memory, stream=stream, thread=thread) == "Noted."
        assert (tmp_path / "memories" / "likes.md").read_text(encoding="utf-8") == "tea ☕\n"
        assert [result.tool_use_id for result in api.tool_results] == ["toolu_0001", "toolu_0002"]
        assert api.tool_results[0] == ToolResult("toolu_0001", CREATED, is_error=False)
        assert "tea ☕" in api.tool_results[1].text
        assert len(api.requests) == 3

    @pytest.mark.anyio
    @either_thread
    @either_stream
    async def test_runs_a_script_to_its_end_asynchronously(
        self, tmp_path: Path, *, stream: bool, thread: Literal[False] | Omit
    ) -> None:
        memory = BetaAsyncLocalFilesystemMemoryTool(base_path=str(tmp_path))
        with ScriptedMessagesAPI([Turn("I write it down.", [CREATE]), Turn("Noted.")]) as api:
            async with async_client_of(api) as client:
                runner = client.beta.messages.tool_runner(
                    model=MODEL, max_tokens=1024, messages=PROMPT, tools=[memory], stream=stream, thread=thread
                )
                assert text_of(await runner.until_done()) == "Noted."
        assert api.tool_results == [("toolu_0001", CREATED, False)]

    def test_sends_only_what_is_new_on_a_thread(self, memory: BetaLocalFilesystemMemoryTool) -> None:
        with ScriptedMessagesAPI([Turn("", [CREATE]), Turn("", [VIEW]), Turn("Noted.")]) as api:
            run(api, memory)
        first, second, third = api.requests
        assert first.body["thread"] == {"type": "create"}
        assert first.body["tools"] == [MEMORY_TOOL]
        assert "message-threads-2026-08-12" in first.betas
        assert second.body["thread"] == {"type": "continue", "previous_message_id": "msg_0001"}
        assert third.body["thread"] == {"type": "continue", "previous_message_id": "msg_0002"}
        for later in (second, third):
            assert "tools" not in later.body
            assert len(later.body["messages"]) == 1
        assert [message["role"] for message in third.conversation] == ["user", "assistant"] * 2 + ["user"]

    def test_sends_the_whole_history_without_a_thread(self, memory: BetaLocalFilesystemMemoryTool) -> None:
        with ScriptedMessagesAPI([Turn("", [CREATE]), Turn("", [VIEW]), Turn("Noted.")]) as api:
            run(api, memory, thread=False)
        assert [len(request.body["messages"]) for request in api.requests] == [1, 3, 5]
        assert all("thread" not in request.body and "tools" in request.body for request in api.requests)
        assert len(api.tool_results) == 2, "a result that is sent again with the history counts once"

    @pytest.mark.parametrize("status", [429, 500, 529])
    @either_stream
    def test_retries_a_failure_without_calling_a_tool_again(
        self, memory: BetaLocalFilesystemMemoryTool, *, status: int, stream: bool
    ) -> None:
        script: list[Step] = [Failure(status), Turn("", [CREATE]), Failure(status), Failure(status), Turn("Noted.")]
        with ScriptedMessagesAPI(script) as api:
            assert run(api, memory, stream=stream) == "Noted."
        assert len(api.requests) == 5
        assert [result.text for result in api.tool_results] == [CREATED]

    @pytest.mark.anyio
    async def test_retries_a_failure_asynchronously(self, tmp_path: Path) -> None:
        memory = BetaAsyncLocalFilesystemMemoryTool(base_path=str(tmp_path))
        with ScriptedMessagesAPI([Failure(529), Turn("", [CREATE]), Failure(429), Turn("Noted.")]) as api:
            async with async_client_of(api) as client:
                runner = client.beta.messages.tool_runner(model=MODEL, max_tokens=1024, messages=PROMPT, tools=[memory])
                assert text_of(await runner.until_done()) == "Noted."
        assert len(api.requests) == 4

    def test_gives_up_when_failures_outlast_its_retries(self, memory: BetaLocalFilesystemMemoryTool) -> None:
        with ScriptedMessagesAPI([Failure(529)] * 3) as api, pytest.raises(anthropic.OverloadedError) as caught:
            run(api, memory)
        assert caught.value.type == "overloaded_error"
        assert caught.value.request_id == "req_0003"

    def test_replays_the_conversation_when_the_thread_is_lost(self, memory: BetaLocalFilesystemMemoryTool) -> None:
        script: list[Step] = [
            Turn("", [CREATE]),
            Failure(404, error_code="thread_not_found"),
            Turn("", [VIEW]),
            Turn("Noted."),
        ]
        with ScriptedMessagesAPI(script) as api:
            assert run(api, memory) == "Noted."
        replayed, last = api.requests[2:]
        assert replayed.body["thread"] == {"type": "create"}
        assert replayed.body["tools"] == [MEMORY_TOOL]
        assert len(replayed.body["messages"]) == 3
        assert last.body["thread"]["previous_message_id"] == "msg_0002"
        assert [result.is_error for result in api.tool_results] == [False, False]

    @either_stream
    def test_answers_parallel_calls_in_one_message_and_in_order(
        self, memory: BetaLocalFilesystemMemoryTool, *, stream: bool
    ) -> None:
        other = {**CREATE, "path": "/memories/other.md"}
        with ScriptedMessagesAPI([Turn("Both.", [CREATE, other, VIEW]), Turn("Noted.")]) as api:
            run(api, memory, stream=stream)
        assert len(api.requests) == 2
        assert [result.tool_use_id for result in api.tool_results] == ["toolu_0001", "toolu_0002", "toolu_0003"]
        assert api.tool_results[1].text == "File created successfully at: /memories/other.md"

    def test_runs_tools_while_a_reply_still_streams(self, memory: BetaLocalFilesystemMemoryTool) -> None:
        with ScriptedMessagesAPI([Turn("", [CREATE, VIEW]), Turn("Noted.")]) as api, client_of(api) as client:
            runner = client.beta.messages.tool_runner(
                model=MODEL, max_tokens=64, messages=PROMPT, tools=[memory], stream=True, run_tools_eagerly=True
            )
            assert text_of(runner.until_done()) == "Noted."
        assert [result.is_error for result in api.tool_results] == [False, False]

    @either_thread
    def test_marks_the_result_of_a_tool_error(
        self, memory: BetaLocalFilesystemMemoryTool, *, thread: Literal[False] | Omit
    ) -> None:
        with ScriptedMessagesAPI([Turn("", [VIEW, CREATE]), Turn("Noted.")]) as api:
            run(api, memory, thread=thread)
        missing, created = api.tool_results
        assert missing.is_error
        assert "does not exist" in missing.text
        assert not created.is_error

    def test_refuses_a_tool_of_the_wrong_flavour_before_it_sends_anything(self, tmp_path: Path) -> None:
        tool: Any = BetaAsyncLocalFilesystemMemoryTool(base_path=str(tmp_path))
        with ScriptedMessagesAPI([]) as api, client_of(api) as client:
            with pytest.raises(TypeError, match="async tool"):
                client.beta.messages.tool_runner(model=MODEL, max_tokens=64, messages=PROMPT, tools=[tool])
            assert api.requests == []

    def test_runs_other_tools_beside_or_without_the_memory_tool(self) -> None:
        @beta_tool
        def shout(text: str) -> str:
            """Say it loudly."""
            return text.upper()

        script = [Turn("", [ToolCall({"text": "tea"}, name="shout")]), Turn("Done.")]
        with ScriptedMessagesAPI(script, require_memory_tool=False) as api, client_of(api) as client:
            client.beta.messages.tool_runner(model=MODEL, max_tokens=64, messages=PROMPT, tools=[shout]).until_done()
        assert [result.text for result in api.tool_results] == ["TEA"]

    def test_goes_round_a_proxy_that_the_environment_names(
        self, memory: BetaLocalFilesystemMemoryTool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")  # the discard port, where nothing listens
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        with ScriptedMessagesAPI([Turn("Noted.")]) as api:
            assert run(api, memory) == "Noted."

    @pytest.mark.long
    def test_reaches_the_api_from_another_process_by_environment_alone(self, tmp_path: Path) -> None:
        agent = (
            "import sys, anthropic; from anthropic.tools import BetaLocalFilesystemMemoryTool as Memory\n"
            "with anthropic.Anthropic() as client: print(client.beta.messages.tool_runner(\n"
            f"    model={MODEL!r}, max_tokens=64, messages={PROMPT!r}, tools=[Memory(base_path=sys.argv[1])],\n"
            ").until_done().content[0].text)"
        )
        with ScriptedMessagesAPI([Turn("", [CREATE]), Turn("Noted.")]) as api:
            environment = {**os.environ, "HTTP_PROXY": "http://127.0.0.1:9", **api.environment}
            command = [sys.executable, "-c", agent, str(tmp_path)]
            done = subprocess.run(  # noqa: S603 - this interpreter and the lines above
                command, env=environment, capture_output=True, text=True, check=False, timeout=60
            )
        assert (done.stdout, done.returncode) == ("Noted.\n", 0), done.stderr
        assert [result.text for result in api.tool_results] == [CREATED]


class TestAScript:
    def test_can_branch_on_a_tool_result(self, memory: BetaLocalFilesystemMemoryTool) -> None:
        def create_if_missing(request: RecordedRequest) -> Turn:
            (result,) = request.tool_results
            return Turn("", [CREATE]) if result.is_error else Turn("Nothing to do.")

        with ScriptedMessagesAPI([Turn("", [VIEW]), create_if_missing, Turn("Noted.")]) as api:
            assert run(api, memory) == "Noted."
        assert [result.is_error for result in api.tool_results] == [True, False]

    def test_that_has_run_out_refuses_the_next_request(self, memory: BetaLocalFilesystemMemoryTool) -> None:
        with (
            pytest.raises(anthropic.BadRequestError, match="the script has run out: it has 1 step, "),
            ScriptedMessagesAPI([Turn("", [CREATE])]) as api,
        ):
            run(api, memory)

    def test_that_has_run_out_fails_the_test_of_an_agent_that_swallows_the_refusal(
        self, memory: BetaLocalFilesystemMemoryTool
    ) -> None:
        with (
            pytest.raises(ScriptError, match="the script has run out"),
            ScriptedMessagesAPI([Turn("", [CREATE])]) as api,
            contextlib.suppress(anthropic.BadRequestError),
        ):
            run(api, memory)

    def test_that_is_left_unfinished_fails_the_test(self, memory: BetaLocalFilesystemMemoryTool) -> None:
        with (
            pytest.raises(ScriptError, match=r"1 of 2 steps .* never asked for; .*'Never said.'"),
            ScriptedMessagesAPI([Turn("Noted."), Turn("Never said.")]) as api,
        ):
            run(api, memory)

    def test_may_be_left_unfinished_on_request(self, memory: BetaLocalFilesystemMemoryTool) -> None:
        with ScriptedMessagesAPI([Turn("Noted."), Turn("Never said.")], strict=False) as api:
            run(api, memory)
        assert api.unserved_steps == [Turn("Never said.")]

    def test_that_is_left_unfinished_hides_no_other_exception(self) -> None:
        with pytest.raises(KeyError), ScriptedMessagesAPI([Turn("Never said.")]):
            raise KeyError

    def test_step_that_raises_reaches_the_client_and_the_author(self, memory: BetaLocalFilesystemMemoryTool) -> None:
        def disappointed(request: RecordedRequest) -> Turn:
            pytest.fail("no tool results yet")

        with pytest.raises(anthropic.BadRequestError, match="no tool results yet") as caught:  # noqa: SIM117
            with ScriptedMessagesAPI([disappointed]) as api:
                run(api, memory)
        assert "in disappointed" in caught.value.__notes__[0]
        assert len(api.requests) == 1, "no client retries it"

    def test_step_that_raises_is_not_lost_when_the_agent_swallows_the_error(self) -> None:
        def disappointed(request: RecordedRequest) -> Turn:
            raise LookupError("swallowed")

        with pytest.raises(ScriptError) as caught, ScriptedMessagesAPI([disappointed]) as api:
            assert post(api, request_body())[0] == 400
        assert isinstance(caught.value.__cause__, LookupError)

    def test_step_that_returns_something_else_is_a_fault(self) -> None:
        step: Any = lambda _request: None  # noqa: E731
        with pytest.raises(ScriptError) as caught, ScriptedMessagesAPI([step]) as api:
            assert b"not None" in post(api, request_body())[1]
        assert isinstance(caught.value.__cause__, TypeError)

    def test_cannot_call_a_tool_that_the_request_does_not_declare(self) -> None:
        with ScriptedMessagesAPI([Turn("", [ToolCall({}, name="bash")])]) as api:
            status, payload = post(api, request_body())
        assert status == 400
        assert b"the script calls the tool 'bash', which the request does not declare" in payload

    @pytest.mark.parametrize("calls", [{"command": "view", "path": "/memories"}, ["view"], "view"], ids=str)
    def test_calls_that_are_no_list_of_inputs_are_refused_with_what_they_have_to_be(self, calls: Any) -> None:
        with pytest.raises(TypeError, match="tool_calls must be a list of inputs"):
            Turn("I look first.", calls)

    def test_a_call_of_another_tool_is_not_taken_for_one_of_the_memory(self) -> None:
        with pytest.raises(TypeError, match="ToolCall"):
            Turn("I look first.", [{"name": "weather", "input": {"city": "Rome"}}])

    def test_is_checked_where_it_is_written(self) -> None:
        with pytest.raises(TypeError, match="not JSON serializable"):
            Turn("", [{"command": object()}])
        with pytest.raises(ValueError, match="from 400 to 599, not 200"):
            Failure(200)

    def test_is_shared_by_the_clients_of_one_instance(self, tmp_path: Path) -> None:
        def next_turn(request: RecordedRequest) -> Turn:
            return Turn(request.tool_results[0].text) if request.tool_results else Turn("", [CREATE])

        def agent(number: int) -> str:
            return run(api, BetaLocalFilesystemMemoryTool(base_path=str(tmp_path / str(number))))

        with ScriptedMessagesAPI([next_turn] * 16) as api, ThreadPoolExecutor(8) as pool:
            assert list(pool.map(agent, range(8))) == [CREATED] * 8
        assert len({result.tool_use_id for result in api.tool_results}) == 8

    def test_of_each_agent_is_its_own_with_an_instance_each(self, tmp_path: Path) -> None:
        both_arrived = threading.Barrier(2, timeout=10)

        def script(name: str) -> list[Step]:
            def meet(request: RecordedRequest) -> Turn:
                both_arrived.wait()
                return Turn("", [{**CREATE, "path": f"/memories/{name}.md"}])

            return [meet, Turn(f"{name} is done.")]

        memory = BetaLocalFilesystemMemoryTool(base_path=str(tmp_path))
        with ExitStack() as stack, ThreadPoolExecutor(2) as pool:
            apis = [stack.enter_context(ScriptedMessagesAPI(script(name))) for name in ("ann", "bob")]
            assert list(pool.map(lambda api: run(api, memory), apis)) == ["ann is done.", "bob is done."]


class TestAReply:
    def test_is_a_message_that_ends_on_its_tool_calls(self) -> None:
        with ScriptedMessagesAPI([Turn("I look.", [VIEW])]) as api:
            message = post_json(api, request_body())
        assert message["content"] == [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_0001", "name": "memory", "input": VIEW},
        ]
        assert (message["stop_reason"], message["model"], message["id"]) == ("tool_use", MODEL, "msg_0001")
        assert message["usage"].keys() == {"input_tokens", "output_tokens"}

    def test_without_tool_calls_ends_the_turn(self) -> None:
        with ScriptedMessagesAPI([Turn("Noted.")]) as api:
            assert post_json(api, request_body())["stop_reason"] == "end_turn"

    def test_comes_to_a_body_in_chunks_as_well(self) -> None:
        """As clients send one that they make while they send it."""
        payload = json.dumps(request_body()).encode()
        chunks = (payload[start : start + 20] for start in range(0, len(payload), 20))
        with ScriptedMessagesAPI([Turn("Hi."), Turn("Hi again.")]) as api, ExitStack() as closing:
            connection = http.client.HTTPConnection(api.base_url.removeprefix("http://"), timeout=10)
            closing.callback(connection.close)
            headers = {"x-api-key": "offline", "anthropic-version": "2023-06-01"}
            for body in (chunks, payload):  # on one connection
                connection.request("POST", "/v1/messages", body, headers, encode_chunked=True)
                response = connection.getresponse()
                assert (response.status, b"Hi" in response.read()) == (200, True)

    def test_streams_as_the_events_of_each_block(self) -> None:
        with ScriptedMessagesAPI([Turn("I write it.", [CREATE])]) as api:
            status, payload = post(api, request_body(stream=True))
        assert status == 200
        frames = [frame.split("\n") for frame in payload.decode().removesuffix("\n\n").split("\n\n")]
        events = [json.loads(data.removeprefix("data: ")) for _, data in frames]
        assert [name.removeprefix("event: ") for name, _ in frames] == [event["type"] for event in events]
        kinds = [event["type"].removeprefix("content_block_") for event in events]
        assert kinds == [
            *("message_start", "ping"),
            *("start", *["delta"] * 4, "stop"),
            *("start", *["delta"] * 5, "stop"),
            *("message_delta", "message_stop"),
        ]
        assert events[0]["message"]["content"] == []
        assert events[0]["message"]["stop_reason"] is None
        assert events[8]["content_block"]["input"] == {}
        deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
        assert "".join(delta.get("text", "") for delta in deltas) == "I write it."
        assert json.loads("".join(delta.get("partial_json", "") for delta in deltas)) == CREATE
        assert events[-2]["delta"]["stop_reason"] == "tool_use"

    def test_larger_than_a_buffer_arrives_whole(self, memory: BetaLocalFilesystemMemoryTool, tmp_path: Path) -> None:
        text = "é" * 300_000
        with ScriptedMessagesAPI([Turn("", [{**CREATE, "file_text": text}]), Turn("Noted.")]) as api:
            run(api, memory, stream=True)
        assert (tmp_path / "memories" / "likes.md").read_text(encoding="utf-8") == text


class TestTheAPIRefuses:
    @for_each(
        ("changes", "message"),
        [
            ({"model": None}, "model: Field required"),
            ({"max_tokens": None}, "max_tokens: Field required"),
            ({"max_tokens": "64"}, "max_tokens: Input should be a valid integer"),
            ({"max_tokens": True}, "max_tokens: Input should be a valid integer"),
            ({"messages": None}, "messages: Field required"),
            ({"messages": []}, "at least one message is required"),
            ({"messages": [{"role": "tool", "content": ""}]}, "messages.0: Input should have the role"),
            ({"messages": ["Hello"]}, "messages.0: Input should have the role"),
            ({"messages": [{"role": "user"}]}, "messages.0.content: Input should be"),
            ({"messages": [*PROMPT, {"role": "assistant", "content": "Hm"}]}, "must end with a user message"),
            ({"messages": [{"role": "user", "content": ""}]}, "text content blocks must be non-empty"),
            (
                {"messages": [*PROMPT, {"role": "assistant", "content": [{"type": "text", "text": " \n"}]}, *PROMPT]},
                "text content blocks must contain non-whitespace text",
            ),
            ({"tools": None}, "no tool of type memory_20250818"),
            ({"tools": MEMORY_TOOL}, "tools: Input should be a valid list"),
            ({"tools": [{**MEMORY_TOOL, "type": "custom"}]}, "no tool of type memory_20250818"),
            ({"thread": {"type": "resume"}}, "thread.type: Input should be 'create' or 'continue'"),
            ({"thread": {"type": "continue"}}, "thread.previous_message_id: Field required"),
        ],
    )
    def test_a_body_that_is_not_in_order(self, changes: dict[str, Any], message: str) -> None:
        with ScriptedMessagesAPI([]) as api:
            status, payload = post(api, request_body(**changes))
        body = json.loads(payload)
        assert (status, body["type"], body["error"]["type"]) == (400, "error", "invalid_request_error")
        assert message in body["error"]["message"]
        assert body["request_id"] == "req_0001"
        assert len(api.requests) == 1

    @pytest.mark.parametrize(
        ("payload", "message"),
        [(b"{", b"not valid JSON"), (b"[" * 100_000, b"not valid JSON"), (b"[]", b"not a JSON object")],
        ids=["cut", "deep", "list"],
    )
    def test_a_body_that_is_no_json_object(self, payload: bytes, message: bytes) -> None:
        with ScriptedMessagesAPI([]) as api:
            status, answer = post(api, payload)
        assert status == 400
        assert message in answer

    def test_a_request_without_credential_or_version_or_elsewhere(self) -> None:
        with ScriptedMessagesAPI([]) as api:
            assert post(api, request_body(), x_api_key=None)[0] == 401
            assert post(api, request_body(), anthropic_version=None)[0] == 400
            assert post(api, request_body(), path="/v1/complete")[0] == 404

    @pytest.mark.parametrize(
        ("field", "beta"),
        [("thread", b"message-threads-2026-08-12"), ("context_management", b"context-management-2025-06-27")],
    )
    def test_a_field_without_its_beta(self, field: str, beta: bytes) -> None:
        with ScriptedMessagesAPI([]) as api:
            status, payload = post(api, request_body(**{field: {"type": "create"}}), anthropic_beta=None)
        assert status == 400
        assert b"%s: Extra inputs" % field.encode() in payload
        assert beta in payload

    @pytest.mark.parametrize("thread", [None, {"type": "create"}], ids=["plain", "unknown"])
    def test_to_continue_a_reply_that_it_does_not_hold(self, thread: dict[str, str] | None) -> None:
        with ScriptedMessagesAPI([Turn("Noted.")]) as api:
            message_id = post_json(api, request_body(thread=thread))["id"] if thread is None else "msg_9999"
            status, payload = post(api, continue_body(message_id))
            error = json.loads(payload)["error"]
            assert (status, error["details"]["error_code"]) == (404, "thread_not_found")
            if thread is not None:
                post_json(api, request_body(thread=thread))

    def test_to_continue_a_reply_twice(self) -> None:
        with ScriptedMessagesAPI([Turn("One."), Failure(529), Turn("Two.")]) as api:
            message_id = post_json(api, request_body(thread={"type": "create"}))["id"]
            assert post(api, continue_body(message_id))[0] == 529
            assert post(api, continue_body(message_id))[0] == 200, "a failure leaves the reply to be continued"
            status, payload = post(api, continue_body(message_id))
        error = json.loads(payload)["error"]
        assert (status, error["details"]["error_code"]) == (400, "thread_already_continued")

    def test_to_continue_a_reply_that_is_being_continued(self) -> None:
        asked, go_on = threading.Event(), threading.Event()

        def wait(request: RecordedRequest) -> Turn:
            asked.set()
            assert go_on.wait(10)
            return Turn("Two.")

        with ScriptedMessagesAPI([Turn("One."), wait]) as api, ThreadPoolExecutor(1) as pool:
            body = continue_body(post_json(api, request_body(thread={"type": "create"}))["id"])
            first = pool.submit(post, api, body)
            assert asked.wait(10)
            status, payload = post(api, body)
            go_on.set()
            assert first.result()[0] == 200
        error = json.loads(payload)["error"]
        assert (status, error["details"]["error_code"]) == (400, "thread_continue_in_flight")

    @pytest.mark.parametrize("field", ["system", "tools"])
    def test_a_continue_with_what_the_thread_keeps(self, field: str) -> None:
        with ScriptedMessagesAPI([Turn("One.")]) as api:
            message_id = post_json(api, request_body(thread={"type": "create"}))["id"]
            status, payload = post(api, {**continue_body(message_id), field: []})
        assert status == 400
        assert f"{field}: not permitted on a continue".encode() in payload

    @pytest.mark.parametrize(
        ("answered", "message"),
        [
            (["toolu_0001"], "ids were found without `tool_result` blocks immediately after: toolu_0002"),
            ([], "ids were found without `tool_result` blocks immediately after: toolu_0001, toolu_0002"),
            (["toolu_0001", "toolu_0002", "toolu_0003"], "unexpected `tool_use_id` found in `tool_result` blocks"),
            (["toolu_0001", "toolu_0002", "toolu_0002"], "must have a single `tool_result`"),
        ],
        ids=["one missing", "all missing", "one too many", "one twice"],
    )
    def test_tool_results_that_do_not_answer_the_tool_uses(self, answered: list[str], message: str) -> None:
        with ScriptedMessagesAPI([Turn("", [VIEW, VIEW])]) as api:
            message_id = post_json(api, request_body(thread={"type": "create"}))["id"]
            status, payload = post(api, continue_body(message_id, *answered))
        assert status == 400
        assert message in json.loads(payload)["error"]["message"]
        assert api.tool_results == [], "what was refused did not come back"

    def test_tool_results_behind_a_text(self) -> None:
        text = {"type": "text", "text": "Here they are."}
        results = [{"type": "tool_result", "tool_use_id": each, "content": "done"} for each in RESULTS]
        for content in ([text, *results], [results[0], text, results[1]]):
            with ScriptedMessagesAPI([Turn("", [VIEW, VIEW])]) as api:
                message_id = post_json(api, request_body(thread={"type": "create"}))["id"]
                body = {**continue_body(message_id), "messages": [{"role": "user", "content": content}]}
                assert b"without `tool_result` blocks immediately after: toolu_000" in post(api, body)[1]

    def test_an_error_result_without_content(self) -> None:
        result = {"type": "tool_result", "tool_use_id": "toolu_0001", "content": [], "is_error": True}
        with ScriptedMessagesAPI([Turn("", [VIEW])]) as api:
            message_id = post_json(api, request_body(thread={"type": "create"}))["id"]
            body = {**continue_body(message_id), "messages": [{"role": "user", "content": [result]}]}
            assert b"content cannot be empty if `is_error` is true" in post(api, body)[1]

    def test_without_taking_a_step_of_the_script(self) -> None:
        with ScriptedMessagesAPI([Turn("Noted.")]) as api:
            post(api, request_body(model=None))
            assert api.unserved_steps == [Turn("Noted.")]
            assert post_json(api, request_body())["id"] == "msg_0001"


class TestAnInstance:
    def test_records_no_credential(self) -> None:
        with ScriptedMessagesAPI([Turn("Noted.")]) as api:
            post(api, request_body(), authorization="Bearer hush", cookie="hush", x_api_key="hush", x_other="kept")
        (request,) = api.requests
        assert "hush" not in str(dict(request.headers))
        assert request.headers["x-other"] == "kept"

    def test_takes_messages_of_one_role_in_a_row_for_one_turn(self) -> None:
        results = [{"type": "tool_result", "tool_use_id": each, "content": each} for each in RESULTS]
        with ScriptedMessagesAPI([Turn("I look.", [VIEW, VIEW]), Turn("Noted.")]) as api:
            calls = post_json(api, request_body())["content"]
            messages = [
                *PROMPT,
                {"role": "user", "content": "Go on."},
                *({"role": "assistant", "content": [block]} for block in calls),
                *({"role": "user", "content": [block]} for block in results),
                {"role": "user", "content": "And then?"},
            ]
            assert post_json(api, request_body(messages=messages))["stop_reason"] == "end_turn"
        assert [result.text for result in api.tool_results] == RESULTS

    def test_reads_a_result_of_text_of_blocks_and_of_nothing(self) -> None:
        contents: list[Any] = [
            "text",
            [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}],
            None,
        ]
        with ScriptedMessagesAPI([Turn("", [VIEW, VIEW, VIEW]), Turn("Noted.")]) as api:
            message_id = post_json(api, request_body(thread={"type": "create"}))["id"]
            results = [
                {"type": "tool_result", "tool_use_id": f"toolu_000{number}", "content": content}
                for number, content in enumerate(contents, start=1)
            ]
            post_json(api, {**continue_body(message_id), "messages": [{"role": "user", "content": results}]})
        assert [result.text for result in api.tool_results] == ["text", "ab", ""]

    def test_leaves_no_thread_and_no_socket_behind(self) -> None:
        before = set(threading.enumerate())
        with ScriptedMessagesAPI([]) as api:
            idle = http.client.HTTPConnection(api.base_url.removeprefix("http://"), timeout=10)
            idle.request("POST", "/v1/messages", b"{}")
            idle.getresponse().read()
            assert set(threading.enumerate()) > before
        assert set(threading.enumerate()) == before
        assert idle.sock is not None
        assert idle.sock.recv(1) == b"", "the server closed a connection that was kept alive"
        idle.close()
        with pytest.raises(ConnectionRefusedError):
            post(api, request_body())

    def test_outlives_a_client_that_hangs_up(self, capfd: pytest.CaptureFixture[str]) -> None:
        with ScriptedMessagesAPI([Turn("Noted.")]) as api:
            rude = http.client.HTTPConnection(api.base_url.removeprefix("http://"), timeout=10)
            rude.request("POST", "/v1/messages", b"{}")
            assert rude.sock is not None
            rude.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close with a reset
            rude.close()
            assert post_json(api, request_body())["content"] == [{"type": "text", "text": "Noted."}]
        assert capfd.readouterr() == ("", "")

    def test_has_an_address_only_once_it_is_entered(self) -> None:
        with pytest.raises(RuntimeError, match="once its context is entered"):
            _ = ScriptedMessagesAPI([]).base_url

    def test_plays_its_script_once(self) -> None:
        with ScriptedMessagesAPI([]) as api, pytest.raises(RuntimeError, match="make another one"):
            api.__enter__()
