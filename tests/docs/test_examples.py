"""The examples other than the Lambda function run unchanged, offline."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import agent
import chat
import over_bedrock
import pytest
from support.repository import REPOSITORY

from s3memory import LocalKeyWrapper
from s3memory.testing import Failure, ScriptedMessagesAPI, Step, Turn
from s3memory.testing.loopback import LoopbackServer, Response

EXAMPLES = REPOSITORY / "examples"
NOTE = "/memories/coffee.md"
REMEMBERED = [Turn("", [{"command": "create", "path": NOTE, "file_text": "black\n"}]), Turn("Noted.")]
RECALLED: list[Step] = [
    Turn("", [{"command": "view", "path": NOTE}]),
    lambda request: Turn("Black." if "black" in request.tool_results[0].text else "I don't know."),
]


# The terminal chat


def test_a_chat_remembers_an_earlier_one(
    settings: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for said, script in (("I take my coffee black.", REMEMBERED), ("How do I take it?", RECALLED)):
        with ScriptedMessagesAPI(script) as api:
            for name, value in api.environment.items():
                monkeypatch.setenv(name, value)
            typed = iter([said, "  "])
            monkeypatch.setattr("builtins.input", lambda _, typed=typed: next(typed, None) or _end())
            chat.main(["--tenant", "anna"])
    assert capsys.readouterr().out == "Noted.\n\nBlack.\n\n"


def _end() -> str:
    raise EOFError


def test_a_chat_continues_if_claude_did_not_answer(
    settings: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedMessagesAPI([Failure(400), *REMEMBERED]) as api:
        for name, value in api.environment.items():
            monkeypatch.setenv(name, value)
        typed = iter(["I take my coffee black.", "Go on."])
        monkeypatch.setattr("builtins.input", lambda _: next(typed, None) or _end())
        chat.main([])
    assert capsys.readouterr().out.splitlines()[:2] == [
        "(Claude did not answer: BadRequestError. Your message is kept: say go on.)",
        "Noted.",
    ]


def _interrupting(_: object) -> Turn:
    os.kill(os.getpid(), signal.SIGINT)
    return Turn("Too late.")


@pytest.mark.usefixtures("interruptible")
def test_a_chat_continues_if_its_wait_is_interrupted(
    settings: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedMessagesAPI([_interrupting, *REMEMBERED]) as api:
        for name, value in api.environment.items():
            monkeypatch.setenv(name, value)
        typed = iter(["I take my coffee black.", "Go on."])
        monkeypatch.setattr("builtins.input", lambda _: next(typed, None) or _end())
        chat.main([])
    assert capsys.readouterr().out.splitlines()[:2] == [
        "(Claude did not answer: KeyboardInterrupt. Your message is kept: say go on.)",
        "Noted.",
    ]


@pytest.mark.usefixtures("interruptible")
def test_the_core_example_ends_without_a_traceback_if_its_wait_is_interrupted(
    settings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedMessagesAPI([_interrupting]) as api:
        for name, value in api.environment.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            agent.main(["Hello"])
    assert ended.value.code == 130


@pytest.mark.long
def test_a_chat_needs_no_bucket() -> None:
    """In a separate process, which starts a local S3, without any setting: an empty one counts as unset."""
    program = [sys.executable, str(EXAMPLES / "terminal_chat" / "chat.py")]
    with ScriptedMessagesAPI([*REMEMBERED, *RECALLED]) as api:
        environment = {"PATH": os.defpath, "S3MEMORY_BUCKET": "", **api.environment}
        typed = "I take my coffee black.\nHow do I take it?\n"
        done = subprocess.run(program, input=typed, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == ("S3MEMORY_BUCKET is not set: the memory ends with this chat.\n> Noted.\n> Black.\n> \n")


@pytest.mark.parametrize(
    ("start", "named"),
    [
        (partial(chat.main, []), "ANTHROPIC_API_KEY"),
        (partial(agent.main, ["Hello"]), "ANTHROPIC_API_KEY"),
        (partial(agent.main, ["--bedrock", "Hello"]), "BEDROCK_MODEL_ID"),
    ],
    ids=["chat", "agent", "agent on Bedrock"],
)
def test_a_missing_api_key_is_reported_before_anything_starts(
    start: Callable[[], None],
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # where the SDK looks for a login
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "BEDROCK_MODEL_ID", "S3MEMORY_BUCKET"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit) as ended:
        start()
    assert ended.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert named in shown.err.splitlines()[-1]


# Without the SDK


def test_an_agent_over_plain_http(
    settings: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = {"command": "view", "path": "/memories/nothing.md"}
    for script in ([Turn("", [missing]), *REMEMBERED], RECALLED):
        with ScriptedMessagesAPI(script) as api:
            for name, value in api.environment.items():
                monkeypatch.setenv(name, value)
            agent.main(["--tenant", "anna", "What about my coffee?"])
    assert capsys.readouterr().out == "Noted.\nBlack.\n"


@pytest.fixture
def bedrock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[ScriptedMessagesAPI], list[Mapping[str, Any]]]]:
    """Bedrock's InvokeModel in front of a scripted Messages API. Its requests are recorded in a list."""
    servers: list[LoopbackServer] = []

    def serve(api: ScriptedMessagesAPI) -> list[Mapping[str, Any]]:
        asked: list[Mapping[str, Any]] = []

        def answer(path: str, headers: Mapping[str, str], payload: bytes) -> Response:
            body = json.loads(payload)
            asked.append({"path": path, "signed_for": headers["authorization"], **body})
            sent = {
                "anthropic-version": body.pop("anthropic_version"),
                "anthropic-beta": ",".join(body.pop("anthropic_beta")),
            }
            request = urllib.request.Request(  # noqa: S310 - a server of ours
                f"{api.base_url}/v1/messages",
                data=json.dumps({"model": "claude", **body}).encode(),
                headers={"x-api-key": "bedrock", **sent},
            )
            with urllib.request.urlopen(request) as reply:  # noqa: S310 - same
                return Response(200, "application/json", reply.read())

        server = LoopbackServer(answer)
        server.start()
        servers.append(server)
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
        return asked

    yield serve
    over_bedrock._client.cache_clear()
    for server in servers:
        server.stop()


def test_an_agent_on_bedrock(
    settings: None,
    bedrock: Callable[[ScriptedMessagesAPI], list[Mapping[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("BEDROCK_MODEL_ID", "eu.anthropic.claude-v1:0")
    with ScriptedMessagesAPI([*REMEMBERED, *RECALLED]) as api:
        asked = bedrock(api)
        for _ in range(2):
            agent.main(["--bedrock", "--tenant", "anna", "What about my coffee?"])
    assert capsys.readouterr().out == "Noted.\nBlack.\n"
    assert {request["path"] for request in asked} == {"/model/eu.anthropic.claude-v1%3A0/invoke"}
    assert all("/bedrock/aws4_request" in request["signed_for"] for request in asked)
    assert [result.is_error for result in api.tool_results] == [False, False]


def test_an_endless_agent_is_stopped() -> None:
    turn = {"stop_reason": "tool_use", "content": [{"type": "tool_use", "id": "1", "name": "other", "input": {}}]}
    sent: list[dict[str, Any]] = []

    def send(body: dict[str, Any]) -> dict[str, Any]:
        sent.append(body)
        return turn

    with pytest.raises(RuntimeError, match="not done after 20 turns"):
        agent.answer("Hello", None, send)  # type: ignore[arg-type]  # no command is called
    assert sent[1]["messages"][-1]["content"][0]["is_error"] is True


@pytest.mark.parametrize("reason", ["max_tokens", "refusal", "model_context_window_exceeded"])
def test_an_agent_reports_that_claude_stopped_before_the_end(reason: str) -> None:
    cut = {"stop_reason": reason, "content": [{"type": "text", "text": "I will note"}]}
    with pytest.raises(RuntimeError, match=reason):
        agent.answer("Hello", None, lambda _: cut)  # type: ignore[arg-type]  # no command is called


@pytest.fixture
def told_of(settings: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[Response], str]:
    """Return a function that returns the core example's final message if the API, at the URL API, sends `answer`."""

    def told_of(answer: Response) -> str:
        server = LoopbackServer(lambda *_: answer)
        server.start()
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
        with pytest.raises(SystemExit) as ended:
            agent.main(["Hello"])
        server.stop()
        return str(ended.value.code).replace(server.url, "API")

    return told_of


@pytest.mark.parametrize("body", [b"<html>502</html>", b'{"content": [', b""])
def test_the_core_example_ends_without_a_traceback_if_the_response_is_not_a_message(
    told_of: Callable[[Response], str], body: bytes
) -> None:
    assert "no answer from Claude at API" in told_of(Response(200, "text/html", body))


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("url", ["api.anthropic.com", "/claude", "http://"])
def test_the_core_example_ends_without_a_traceback_if_claudes_url_is_invalid(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    with pytest.raises(SystemExit, match="no answer from Claude at"):
        agent.main(["Hello"])


@pytest.mark.usefixtures("settings")
def test_empty_variables_of_claude_count_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def answer(request: urllib.request.Request, **_: object) -> io.BytesIO:
        assert isinstance(request.data, bytes)
        asked.append((request.full_url, json.loads(request.data)["model"]))
        return io.BytesIO(b'{"stop_reason": "end_turn", "content": []}')

    monkeypatch.setattr("urllib.request.urlopen", answer)
    for name, value in {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": "", "ANTHROPIC_MODEL": ""}.items():
        monkeypatch.setenv(name, value)
    agent.main(["Hello"])
    assert asked == [("https://api.anthropic.com/v1/messages", "claude-sonnet-5-5")]


def test_the_core_example_reports_claudes_errors_about_a_request(told_of: Callable[[Response], str]) -> None:
    error = b'{"type": "error", "error": {"type": "not_found_error", "message": "model: claude-nine"}}'
    told = told_of(Response(404, "application/json", error))
    assert "404" in told
    assert "model: claude-nine" in told


def test_the_core_example_ends_without_a_traceback_if_the_response_is_cut_off(
    settings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65_536):
                pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = threading.Thread(target=serve, args=[listener], daemon=True)
        serving.start()
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{listener.getsockname()[1]}")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
        with pytest.raises(SystemExit) as ended:
            agent.main(["Hello"])
        serving.join()
    assert "no answer from Claude" in str(ended.value.code)


@pytest.mark.parametrize(("arguments", "named"), [([], "no answer from Claude at {}"), (["--bedrock"], "on Bedrock")])
def test_the_core_example_ends_without_a_traceback_if_nothing_answers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], named: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    settings = {
        "S3MEMORY_BUCKET": "agent-memory",
        "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text(),
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "key",
        "BEDROCK_MODEL_ID": "model",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": address,
        "NO_PROXY": "127.0.0.1",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    over_bedrock._client.cache_clear()
    with pytest.raises(SystemExit) as ended:
        agent.main([*arguments, "Hello"])
    over_bedrock._client.cache_clear()
    assert named.format(address) in str(ended.value.code)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "secret", "told"),
    [([], "ANTHROPIC_API_KEY", "no header can carry"), (["--bedrock"], "AWS_SESSION_TOKEN", ": HTTPClientError")],
    ids=["http", "bedrock"],
)
def test_the_core_example_never_shows_a_secret_that_no_header_can_hold(
    settings: None, monkeypatch: pytest.MonkeyPatch, arguments: list[str], secret: str, told: str
) -> None:
    monkeypatch.setenv("BEDROCK_MODEL_ID", "model")
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "http://127.0.0.1:1")
    monkeypatch.setenv(secret, "hunter2\nBlue")
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)  # it keeps credentials
    over_bedrock._client.cache_clear()
    with pytest.raises(SystemExit) as ended:
        agent.main([*arguments, "Hello"])
    over_bedrock._client.cache_clear()
    assert told in str(ended.value.code)
    assert "hunter2" not in str(ended.value.code)


def test_an_api_key_from_a_file_with_windows_line_ends_is_sent_without_them(
    settings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: list[str] = []

    def answer(_path: str, headers: Mapping[str, str], _payload: object) -> Response:
        keys.append(headers["x-api-key"])
        return Response(200, "application/json", b'{"stop_reason": "end_turn", "content": []}')

    server = LoopbackServer(answer)
    server.start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key\r\n")
    agent.main(["Hello"])
    server.stop()
    assert keys == ["key"]


def test_the_core_examples_load_neither_the_sdk_nor_boto3_except_for_bedrock() -> None:
    program = "import sys; sys.modules |= {'anthropic': None, 'boto3': None}; import agent; print(agent.MAX_TURNS)"
    path = {"PYTHONPATH": str(EXAMPLES / "without_the_sdk"), "PATH": os.defpath}
    run = [sys.executable, "-c", program]
    done = subprocess.run(run, env=path, capture_output=True, text=True, check=True)  # noqa: S603 - our program
    assert done.stdout == "20\n"


def test_every_link_and_file_in_a_readme_exists() -> None:
    for readme in EXAMPLES.glob("*/README.md"):
        text = readme.read_text("utf-8")
        for target in re.findall(r"\]\((?!http)([^)#]+)", text):
            assert (readme.parent / target).exists(), (readme, target)
        for script in re.findall(r"python (examples/\S+\.py)", text):
            assert (EXAMPLES.parent / script).exists(), (readme, script)
        for source in re.findall(r"`((?:src|deploy)/\S*)`", text):
            assert (readme.parent / source).exists(), (readme, source)


def test_the_lambda_readme_lists_every_answer_and_setting() -> None:
    sources = "".join(path.read_text("utf-8") for path in (EXAMPLES / "lambda_agent" / "src").glob("*.py"))
    readme = (EXAMPLES / "lambda_agent" / "README.md").read_text("utf-8")
    answers = re.findall(r'Refusal\(\d+, "(\w+)"|\d{3}, "(\w+)"\)', sources)
    assert len(answers) > 8
    for code in {first or second for first, second in answers}:
        assert f"`{code}`" in readme, code
    for variable in re.findall(r'environ(?:\.get)?[\[(]"(\w+)"', sources):
        assert f"`{variable}`" in readme or variable == "AWS_REGION", variable
