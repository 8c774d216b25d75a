"""The Lambda example: callers, answers, failures and how they are reported, and the log."""

from __future__ import annotations

import email.utils
import http.client
import importlib
import json
import logging
import socket
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import ModuleType, SimpleNamespace
from typing import Any, Self

import anthropic
import api_key
import boto3
import caller
import claude
import httpx2
import json_logs
import limits
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from caller import Refusal, request_of, tenant_of
from in_time import OutOfTimeError, within
from json_logs import JsonLines
from support.credentials_left import credentials_in_memory, use_own_credentials
from support.faults import FaultLayer, refused
from support.lambda_exercise import HANDLER_SOURCE, PROBE, event_of, exercise, local_environment
from support.lambda_runtime import InitError, LambdaFunction

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore, forget_clients, forget_keys
from s3memory.config.settings import Settings
from s3memory.paths import MemoryPath
from s3memory.testing import (
    Failure,
    MotoServer,
    ScriptedMessagesAPI,
    Step,
    Turn,
    messages_wire,
)

pytestmark = pytest.mark.usefixtures("agent")

NOTE = "/memories/a-telling-name.md"
TELLING = "a telling text"
CREATE = {"command": "create", "path": NOTE, "file_text": TELLING}
VIEW = {"command": "view", "path": "/memories"}

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="awslambdaric is for Linux")


# Under the runtime interface client, in a separate process


@pytest.fixture(scope="module")
def aws() -> Iterator[MotoServer]:
    with MotoServer() as server:
        server.make_kms_key("alias/agent-memory")
        yield server


def settings(server: MotoServer, name: str, **more: str) -> dict[str, str]:
    server.make_bucket(name)
    return {"S3MEMORY_BUCKET": name, "S3MEMORY_KMS_KEY_ID": "alias/agent-memory", **more}


@pytest.mark.long
@on_linux
@pytest.mark.parametrize(
    "more", [{}, {"S3MEMORY_PREFIX": "prod/", "S3MEMORY_NAME_MODE": "encrypted"}], ids=["", "more"]
)
def test_one_warm_process_serves_two_tenants_and_the_bucket_contains_only_ciphertext(
    aws: MotoServer, more: dict[str, str]
) -> None:
    exercise(settings(aws, f"exercise-{len(more)}", **more), aws.endpoint_url)


def deployed(aws: MotoServer, environment: dict[str, str], **more: Any) -> LambdaFunction:
    return LambdaFunction(
        "counted_handler.handler",
        search_path=[PROBE, HANDLER_SOURCE],
        environment={**local_environment(aws.endpoint_url), **environment},
        **more,
    )


@pytest.mark.long
@on_linux
@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("S3MEMORY_BUCKETT", "agent-memory", "S3MEMORY_BUCKETT is not a setting"),
        ("S3MEMORY_MOUNTS", "/memories/team=team", "S3MEMORY_MOUNTS is set"),  # it is an agent with one memory
    ],
)
def test_a_wrong_setting_fails_the_init_phase_and_is_named(
    aws: MotoServer, setting: str, value: str, said: str
) -> None:
    right = {"S3MEMORY_BUCKET": "agent-memory", "S3MEMORY_KMS_KEY_ID": "alias/agent-memory"}
    function = deployed(aws, {**right, setting: value})
    with pytest.raises(InitError, match=said) as caught, function:
        pass
    assert caught.value.error.error_type == "ConfigurationError"
    assert "init/error" in function.asked


@pytest.mark.long
@on_linux
def test_an_internal_error_is_reported_to_lambda_without_its_message(aws: MotoServer) -> None:
    script: list[Step] = [Turn("", [CREATE]), Failure(400), Turn("Hello.")]
    with (
        ScriptedMessagesAPI(script) as api,
        deployed(aws, {**settings(aws, "fault"), **api.environment}) as function,
    ):
        failed, after = function.invoke(event_of("acme", TELLING)), function.invoke(event_of("acme", "Hello"))
    assert failed.error is not None
    assert failed.error.error_type == "AgentError"
    assert failed.error.message == "internal error; the log has a line for this request"
    line = next(line for line in failed.log_lines if line.get("message") == "request")
    assert (line["status"], line["level"], line["error_type"]) == (500, "ERROR", "BadRequestError")
    assert line["request_id"] == failed.request_id
    assert line["memory"] == {"create:ok": 1}
    assert "telling" not in failed.log
    assert after.response["response"]["statusCode"] == 200


@pytest.mark.long
@on_linux
def test_a_snapshot_contains_no_client_and_the_first_request_after_it_creates_them(aws: MotoServer) -> None:
    with (
        ScriptedMessagesAPI([Turn("", [VIEW]), Turn("Hello."), Turn("Hello.")]) as api,
        deployed(aws, {**settings(aws, "snapshot"), **api.environment}, snap_start=True) as function,
    ):
        first, second = function.invoke(event_of("acme", "Hello")), function.invoke(event_of("acme", "Hello"))
    assert sorted(first.response["clients_at_init"]) == sorted(first.response["clients"]) != []
    assert first.response["response"]["statusCode"] == 200
    assert second.response["clients"] == []


# In this process, over moto


def handle(event: Any, context: Any) -> dict[str, Any]:
    """Call the entry for API Gateway."""
    answer: dict[str, Any] = importlib.import_module("handler").handler(event, context)
    return answer


@pytest.fixture(autouse=True)
def _environment(bucket: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("S3MEMORY_BUCKET", bucket)
    monkeypatch.setenv("S3MEMORY_LOCAL_KEY", LocalKeyWrapper.generate_key_text())
    yield
    for thread in [thread for thread in threading.enumerate() if thread.name == "agent"]:
        thread.join(5)  # a leftover thread could create a client for the next test
    forget_keys()
    claude.forget_client()
    api_key.forget()


Ask = Callable[..., tuple[dict[str, Any], ScriptedMessagesAPI]]


@pytest.fixture
def ask(agent: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask the handler while Claude follows a script. Return its response, and the API with the requests it got."""

    def ask(*script: Step, left_seconds: float = 60.0, event: Any = None) -> tuple[dict[str, Any], ScriptedMessagesAPI]:
        with ScriptedMessagesAPI(script) as api:
            for name, value in api.environment.items():
                monkeypatch.setenv(name, value)
            claude.forget_client()
            api_key.forget()
            context = SimpleNamespace(get_remaining_time_in_millis=lambda: left_seconds * 1000)
            try:
                response = handle(event_of("acme", TELLING) if event is None else event, context)
            finally:
                claude.forget_client()
        return response, api

    return ask


def error_of(response: dict[str, Any]) -> tuple[int, str, str | None]:
    return response["statusCode"], json.loads(response["body"])["error"], response["headers"].get("retry-after")


def test_a_message_is_answered_with_claudes_last_text(ask: Ask) -> None:
    response, api = ask(Turn("I note it.", [CREATE]), Turn("Noted."))
    assert response["statusCode"] == 200
    assert json.loads(response["body"]) == {"reply": "Noted.", "stop_reason": "end_turn"}
    assert response["headers"]["cache-control"] == "no-store"
    assert [result.is_error for result in api.tool_results] == [False]


def test_claude_gets_the_memory_tool_and_context_editing(ask: Ask) -> None:
    _, api = ask(Turn("Hello."))
    body = api.requests[0].body
    assert body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert [edit["type"] for edit in body["context_management"]["edits"]] == ["clear_tool_uses_20250919"]
    assert "context-management-2025-06-27" in api.requests[0].betas


def http_api(**authorizer: Any) -> dict[str, Any]:
    """Return an event of an HTTP API in its own format, with the fields that are read."""
    return {
        "version": "2.0",
        "routeKey": "POST /",
        "headers": {"tenant": "intruder"},
        "queryStringParameters": {"tenant": "intruder"},
        "requestContext": {
            "apiId": "a1",
            "http": {"method": "POST", "path": "/"},
            "stage": "$default",
            "authorizer": authorizer,
        },
        "body": '{"message": "Hello", "tenant": "intruder"}',
    }


def rest_api(authorizer: Any, **more: Any) -> dict[str, Any]:
    """Return an event of a REST API, with the fields that are read."""
    return {
        "resource": "/",
        "httpMethod": "POST",
        "headers": {"tenant": "intruder"},
        "requestContext": {
            "apiId": "a1",
            "resourcePath": "/",
            "httpMethod": "POST",
            "stage": "prod",
            "identity": {"sourceIp": "192.0.2.1"},
            "authorizer": authorizer,
        },
        "body": '{"message": "Hello", "tenant": "intruder"}',
        **more,
    }


def function_url(**iam: Any) -> dict[str, Any]:
    """Return an event of a function URL with IAM, with the fields that are read."""
    event = http_api(
        iam={"accessKey": "AKIA", "accountId": "123456789012", "userArn": "arn:x", "userId": "AIDA", **iam}
    )
    event["requestContext"]["domainName"] = "a1.lambda-url.eu-central-1.on.aws"
    return event


COGNITO = {"sub": "s", "token_use": "id", "cognito:username": "anna"}


@pytest.mark.parametrize(
    "event",
    [
        http_api(jwt={"claims": {"sub": "s", "tenant": "acme"}, "scopes": None}),
        http_api(**{"lambda": {"tenant": "acme"}}),
        rest_api({"claims": {**COGNITO, "tenant": "acme"}}),
        rest_api({"principalId": "x", "tenant": "acme", "integrationLatency": 5}),
        rest_api(
            {"principalId": "x", "tenant": "acme", "claims": '{"tenant": "other"}'}
        ),  # a string from the authorizer itself
        rest_api({"claims": {"tenant": "acme"}, "scopes": None}, version="1.0"),
        rest_api({"principalId": "x", "tenant": "acme"}, version="1.0"),
    ],
    ids=["HTTP JWT", "HTTP Lambda", "REST Cognito", "REST Lambda", "REST Lambda, claims", "1.0 JWT", "1.0 Lambda"],
)
def test_the_tenant_comes_from_the_authorizer(event: dict[str, Any]) -> None:
    assert tenant_of(event) == "acme"
    assert tenant_of(event, isolated_tenant="acme") == "acme"
    with pytest.raises(Refusal, match="wrong_tenant"):
        tenant_of(event, isolated_tenant="globex")


@pytest.mark.parametrize(
    "event",
    [
        # The authorizer of this kind names no tenant, and the fields of other kinds are not read.
        http_api(jwt={"claims": {}}, tenant="globex"),
        http_api(jwt={"claims": None, "scopes": None}, tenant="globex"),
        http_api(jwt={"claims": {"sub": "s"}}, claims={"tenant": "globex"}),
        http_api(jwt={"claims": {"lambda": {"tenant": "globex"}}}),
        http_api(jwt={"tenant": "globex"}),
        http_api(jwt={"claims": {"sub": "s"}}, **{"lambda": {"tenant": "globex"}}),
        http_api(**{"lambda": {}}, tenant="globex"),
        http_api(**{"lambda": None}, claims={"tenant": "globex"}),
        http_api(tenant="globex"),
        http_api(claims={"tenant": "globex"}),
        rest_api({"claims": {}, "tenant": "globex"}),
        rest_api({"claims": None, "scopes": None, "tenant": "globex"}, version="1.0"),
        rest_api({"claims": COGNITO, "tenant": "globex"}),
        rest_api({"principalId": "x", "jwt": {"claims": {"tenant": "globex"}}}),
        rest_api({"jwt": {"claims": {}}, "tenant": "globex"}),
        rest_api({"principalId": "x", "lambda": {"tenant": "globex"}}),
        rest_api({"principalId": "x", "tenant": "globex"}, version="3.0"),
        # IAM identifies the signer, but no tenant.
        function_url(),
        function_url(tenant="globex"),
        http_api(iam={"userId": "AIDA"}, tenant="globex"),
    ],
)
def test_no_kind_of_authorizer_is_mistaken_for_another(event: dict[str, Any]) -> None:
    with pytest.raises(Refusal, match="no_tenant") as caught:
        tenant_of(event)
    assert caught.value.status == 403


@pytest.mark.parametrize(
    ("event", "status"),
    [
        (None, 401),
        ({}, 401),
        ({"requestContext": None}, 401),
        ({**http_api(), "tenant": "acme"}, 401),
        (rest_api(None), 401),
        (rest_api("acme"), 401),
        (rest_api(["acme"]), 401),
        *(
            (http_api(**{"lambda": {"tenant": tenant}}), 403)
            for tenant in ("", "a/b", "../b", "a..b", None, 7, True, ["acme"], "[acme]", "a" * 65, "acme\n", "\u00e1")
        ),
    ],
)
def test_an_invalid_tenant_is_refused(event: Any, status: int) -> None:
    with pytest.raises(Refusal) as caught:
        tenant_of(event)
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (None, 400),
        ("", 400),
        ("[]", 400),
        ("null", 400),
        ('"message"', 400),
        ('{"message": ""}', 400),
        ('{"message": " "}', 400),
        ('{"message": 5}', 400),
        ('{"message": "\\ud800"}', 400),
        ("[" * 100_000, 400),
        (7, 400),
        (json.dumps({"message": "x" * (caller.MAX_MESSAGE_CHARS + 1)}), 413),
    ],
)
def test_a_body_without_a_message_is_refused(body: Any, status: int) -> None:
    with pytest.raises(Refusal) as caught:
        request_of({**event_of("acme", ""), "body": body})
    assert caught.value.status == status


def test_a_body_may_be_encoded_in_base64() -> None:
    encoded = {**event_of("acme", ""), "body": "eyJtZXNzYWdlIjogIsO8In0=", "isBase64Encoded": True}
    assert request_of(encoded).message == "ü"
    with pytest.raises(Refusal, match="bad_request"):
        request_of({**encoded, "body": "eyJtZXNzYWdlIjogIsO8In0"})


def test_a_refused_request_does_not_reach_claude(ask: Ask) -> None:
    for event, status in ((event_of(None, "Hello"), 401), (event_of("a/b", "Hello"), 403), (event_of("a", ""), 400)):
        response, api = ask(event=event)
        assert response["statusCode"] == status
        assert api.requests == []


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_busy_claude_is_retried_and_then_reported(ask: Ask, status: int) -> None:
    assert ask(Failure(status), Turn("Hello."))[0]["statusCode"] == 200
    response, api = ask(*[Failure(status)] * 3)
    assert error_of(response) == (503, "model_busy", "5")
    assert len(api.requests) == 3


def test_a_pause_that_exceeds_the_remaining_time_is_not_waited_for(ask: Ask) -> None:
    response, api = ask(Failure(529, retry_after_ms=60_500), left_seconds=30)
    assert error_of(response) == (503, "model_busy", "61")
    assert len(api.requests) == 1


def test_an_unreachable_api_is_reported(agent: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    claude.client().max_retries = 0
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: 30_000)
    assert error_of(handle(event_of("acme", "Hello"), context)) == (503, "model_unavailable", "5")


class RudeApi:
    """A Messages API that answers with these pieces, the first of which begins with the status line."""

    def __init__(self, *pieces: str, again: int = 0) -> None:
        self.requests = 0
        self._pieces = [*pieces[:-1], *[pieces[-1]] * (again + 1)]
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection, suppress(OSError), connection.makefile("rb") as request:
                    request.readline()
                    length = http.client.parse_headers(request)["content-length"]
                    request.read(int(length))  # unread data would reset the connection
                    self.requests += 1
                    for piece in self._pieces:
                        connection.sendall(piece.encode())
                        if self._over.wait(0.02):
                            break


def status(line: str, *headers: str) -> str:
    return "\r\n".join([f"HTTP/1.1 {line}", "content-length: 2", "connection: close", *headers, "", "{}"])


TIMEOUT = (504, "timeout", "5")


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        (["HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", " "], TIMEOUT),
        (["HTTP/1.1 200 OK\r\n", "x-drip: x\r\n"], TIMEOUT),
        ([status("429 Busy", "retry-after: 8")], (503, "model_busy", "8")),
        ([status("429 Busy", "retry-after: Fri, 31 Dec 9999 23:59:59 GMT")], (503, "model_busy", "3600")),
        ([status("429 Busy", "retry-after: inf")], (503, "model_busy", "3600")),
        ([status("408 Timeout", "retry-after: 8")], (503, "model_busy", "8")),
        ([status("409 Conflict", "retry-after: 8")], (503, "model_busy", "8")),
        ([status("400 Bad Request", "retry-after: 8", "x-should-retry: true")], (503, "model_busy", "8")),
        ([status("529 Overloaded", "retry-after: 8", "x-should-retry: false")], (503, "model_busy", "8")),
    ],
    ids=["body drips", "head drips", "429", "date", "inf", "408", "409", "said so", "said not to"],
)
def test_whatever_claude_does_the_caller_gets_an_answer_before_lambda_ends_the_function(
    agent: ModuleType, monkeypatch: pytest.MonkeyPatch, pieces: list[str], told: tuple[int, str, str | None]
) -> None:
    left_seconds = 0.4 if told == TIMEOUT else 6
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    with RudeApi(*pieces, again=500 * (told == TIMEOUT)) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        end = time.monotonic() + left_seconds + agent.RESERVE_SECONDS
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: (end - time.monotonic()) * 1000)
        response = handle(event_of("acme", "Hello"), context)
        assert time.monotonic() < end
        for thread in [thread for thread in threading.enumerate() if thread.name == "agent"]:
            thread.join(5)
            assert not thread.is_alive()  # it was abandoned, and has ended since its connection was closed
    assert error_of(response) == told


@pytest.mark.parametrize("line", ["408 Timeout", "409 Conflict", "400 Bad Request\r\nx-should-retry: true"])
def test_temporary_failures_are_retried_and_are_not_internal_errors(
    agent: ModuleType, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    api = RudeApi(status(line, "retry-after-ms: 1"))
    with api as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 60_000)
        assert error_of(handle(event_of("acme", "Hello"), context)) == (503, "model_busy", "5")
    assert api.requests == 3


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "7", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "7", "retry-after-ms": "soon"}, 7),
        ({"retry-after": "soon"}, 0),
        ({"retry-after": "nan"}, 0),
        ({"retry-after": "-1"}, 0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "Wed, 99 Oct 2015 99:28:00 GMT"}, 0),
    ],
)
def test_a_pause_is_parsed_as_the_sdk_parses_it(headers: dict[str, str], seconds: float) -> None:
    assert claude.retry_after_seconds(httpx2.Headers(headers)) == seconds
    told = anthropic.Anthropic(api_key="offline")._parse_retry_after_header(httpx2.Headers(headers))
    assert seconds in {0, told}


def test_a_pause_until_a_date_is_the_time_until_then() -> None:
    date = email.utils.formatdate(time.time() + 9, usegmt=True)
    assert 0 < claude.retry_after_seconds(httpx2.Headers({"retry-after": date})) <= 9


def test_a_call_that_takes_too_long_is_abandoned_and_its_exceptions_in_time_are_raised() -> None:
    over = threading.Event()
    began = time.monotonic()
    with pytest.raises(OutOfTimeError):
        within(0.05, lambda: over.wait(30))
    assert time.monotonic() - began < 10
    over.set()
    assert within(30, lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        within(30, lambda: 1 // 0)


def test_a_request_without_enough_time_is_not_even_attempted(
    ask: Ask, agent: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="agent")
    response, api = ask(left_seconds=agent.RESERVE_SECONDS)
    assert error_of(response) == TIMEOUT
    assert api.requests == []
    (record,) = [record for record in caplog.records if record.name == "agent"]
    assert json.loads(JsonLines().format(record))["error_type"] == "OutOfTimeError"


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_by_claude_is_an_internal_error_without_a_cause(ask: Ask, agent: ModuleType, status: int) -> None:
    with pytest.raises(agent.AgentError) as caught:
        ask(Failure(status))
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def s3_of_the_agent() -> Any:
    return MemoryStore.from_settings(Settings.from_env(), tenant="acme").objects._client


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (refused(503, "SlowDown"), (503, "memory_unavailable", "5")),
        (refused(403, "AccessDenied"), (503, "memory_locked", None)),
    ],
)
def test_an_unusable_store_ends_the_conversation(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, fault: Any, told: tuple[int, str, str | None]
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)  # botocore's pauses
    with FaultLayer(s3_of_the_agent()) as faults:
        faults.hit("ListObjectsV2", fault, times=9)
        response, api = ask(Turn("", [VIEW]))
    assert error_of(response) == told
    assert len(api.requests) == 1


def test_an_unusable_key_ends_the_conversation(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("S3MEMORY_LOCAL_KEY")
    monkeypatch.setenv("S3MEMORY_KMS_KEY_ID", "alias/not-there")
    assert error_of(ask(Turn("", [CREATE]))[0]) == (503, "memory_locked", None)


def test_errors_that_the_model_can_correct_are_left_to_it(ask: Ask) -> None:
    missing = {"command": "view", "path": "/memories/nothing.md"}
    response, api = ask(Turn("", [missing, {"command": TELLING}]), Turn("There is none."))
    assert response["statusCode"] == 200
    assert [result.is_error for result in api.tool_results] == [True, True]


def test_a_truncated_tool_call_is_not_carried_out(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, s3: Any, bucket: str
) -> None:
    whole = messages_wire.reply
    cut_short = {"stop_reason": "max_tokens"}
    monkeypatch.setattr(messages_wire, "reply", lambda *given, **more: {**whole(*given, **more), **cut_short})
    response, _ = ask(Turn("I note", [CREATE]))
    assert json.loads(response["body"]) == {
        "reply": "I note", "stop_reason": "max_tokens", "notice": "cut_short",
    }  # fmt: skip
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


def test_the_log_says_what_was_done_and_contains_no_content(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="agent")
    ask(Turn("", [CREATE, {"command": TELLING}]), Turn(TELLING))
    record = next(record for record in caplog.records if record.name == "agent")
    line = json.loads(JsonLines().format(record))
    assert line["tenant"] == "acme"
    assert (line["status"], line["turns"], line["stop_reason"]) == (200, 2, "end_turn")
    assert line["memory"] == {"create:ok": 1, "unknown:InvalidInputError": 1}
    assert line["output_tokens"] > 0
    assert "telling" not in json.dumps(line)


def test_a_librarys_warning_is_logged_without_its_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [caplog.handler])
    monkeypatch.setattr(caplog.handler, "formatter", caplog.handler.formatter)  # restored for other tests
    level = logging.getLogger("agent").level
    logging.captureWarnings(capture=False)  # as another test may have left it
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            json_logs.set_up()
            warnings.warn(f"unexpected value {TELLING}", UserWarning, stacklevel=1)
    finally:
        logging.captureWarnings(capture=False)
        logging.getLogger("agent").setLevel(level)
    (record,) = (record for record in caplog.records if record.name == "py.warnings")
    line = JsonLines().format(record)
    assert json.loads(line)["level"] == "WARNING"
    assert TELLING not in line


def test_only_the_logger_of_other_libraries_messages_is_logged() -> None:
    raised = (RuntimeError, RuntimeError(TELLING), None)
    lines = [
        json.loads(JsonLines().format(logging.LogRecord(name, logging.ERROR, "x.py", 7, TELLING, None, raised)))
        for name in ("botocore.auth", "s3memory")
    ]
    assert lines[0] | {"time": ""} == {
        "time": "", "level": "ERROR", "logger": "botocore.auth", "at": "x:7", "error_type": "RuntimeError",
    }  # fmt: skip
    assert lines[1]["message"] == TELLING  # what the program itself logs is up to it


@pytest.mark.usefixtures("few_to_collect")
def test_nothing_is_kept_for_a_snapshot(agent: ModuleType, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_clients()
    access_key = use_own_credentials(monkeypatch)
    boto3.Session().client("secretsmanager").create_secret(Name="of-a-snapshot", SecretString="offline")
    monkeypatch.setenv("AGENT_API_KEY_SECRET_ID", "of-a-snapshot")
    ask(Turn("", [CREATE]), Turn("Noted."))
    before = id(s3_of_the_agent())
    assert credentials_in_memory(access_key)
    agent.forget()
    assert claude.client.cache_info().currsize == 0
    assert credentials_in_memory(access_key) == []
    assert boto3.DEFAULT_SESSION is None
    assert id(s3_of_the_agent()) != before
    forget_clients()


# Repeated messages, and conversations


def sent(message: str, *, key: str | None = None, actor: Any = None, **body: str) -> dict[str, Any]:
    event = event_of("acme", message, **body)
    if actor is not None:
        event["requestContext"]["authorizer"]["jwt"]["claims"]["sub"] = actor
    return event if key is None else {**event, "headers": {"Idempotency-Key": key}}


def body_of(response: dict[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(response["body"])
    return body


def memory() -> MemoryStore:
    return MemoryStore.from_settings(Settings.from_env(), tenant="acme")


def lines_of(store: MemoryStore, path: str = NOTE) -> list[str]:
    file = store.read(MemoryPath.parse(path))
    return [] if file is None else file.text.splitlines()


INSERT = {"command": "insert", "path": NOTE, "insert_line": 0, "insert_text": "a line\n"}


def test_a_repeated_message_gets_its_first_answer_without_asking_claude(ask: Ask) -> None:
    first, _ = ask(Turn("", [CREATE]), Turn("Noted."), event=sent("Note it", key="m1"))
    again, api = ask(event=sent("Note it", key="m1"))
    assert body_of(first) == body_of(again) == {"reply": "Noted.", "stop_reason": "end_turn"}
    assert api.requests == []


def test_an_id_of_another_message_is_refused(ask: Ask) -> None:
    ask(Turn("Noted."), event=sent("Note it", key="m1"))
    response, api = ask(event=sent("Something else", key="m1"))
    assert error_of(response) == (422, "message_id_reused", None)
    assert api.requests == []


def test_a_message_that_failed_after_a_change_continues_without_repeating_the_change(ask: Ask) -> None:
    ask(Turn("", [{**CREATE, "file_text": ""}]), Turn("Made."))
    failed, _ = ask(Turn("", [INSERT]), *[Failure(529)] * 3, event=sent("Note it", key="m1"))
    assert error_of(failed) == (503, "model_busy", "5")
    assert lines_of(memory()) == ["a line"]

    def goes_on(request: Any) -> Turn:
        # Without the result, Claude would insert the line again.
        return Turn("Noted.") if request.tool_results else Turn("", [INSERT])

    again, _ = ask(goes_on, event=sent("Note it", key="m1"))
    assert body_of(again)["reply"] == "Noted."
    assert lines_of(memory()) == ["a line"]


def test_ids_of_tool_calls_are_not_redacted_in_kept_conversations(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those from a gateway to Amazon Bedrock look like secrets; the API refuses a placeholder in place of one."""
    whole, ids = messages_wire.reply, ["toolu_bdrk_01QmXvR7LpTz9KcWnYd4HsJ6", "toolu_bdrk_01FgB3xNw8VqEr5ZtUa2MkPy"]
    monkeypatch.setattr(
        messages_wire, "reply", lambda *given, **more: whole(*given, **{**more, "tool_use_ids": iter(ids)})
    )
    changes = [CREATE, {**CREATE, "path": "/memories/tea.md"}]
    ask(Turn("", changes), *[Failure(529)] * 3, event=sent("Note it", key="m1"))
    _, api = ask(Turn("Noted."), event=sent("Note it", key="m1"))
    _, calls, results = api.requests[0].body["messages"]
    assert [block["id"] for block in calls["content"]] == ids
    assert [block["tool_use_id"] for block in results["content"]] == ids


def test_a_repeated_message_without_an_id_counts_as_another_one(ask: Ask) -> None:
    ask(Turn("", [{**CREATE, "file_text": ""}]), Turn("Made."))
    for _ in range(2):
        ask(Turn("", [INSERT]), Turn("Noted."), event=sent("Note it"))
    assert lines_of(memory()) == ["a line", "a line"]


class CutOff(BaseException):
    """The process ends."""


def test_after_an_interrupted_change_claude_is_told_to_check(
    ask: Ask, agent: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(Turn("", [{**CREATE, "file_text": ""}]), Turn("Made."))
    with monkeypatch.context() as patch:

        def cut_off(commands: Any, tool_input: Any) -> str:
            MemoryCommands.call(commands, tool_input)
            raise CutOff

        patch.setattr(agent.RecordedCommands, "call", cut_off)
        with pytest.raises(CutOff):
            ask(Turn("", [INSERT]), event=sent("Note it", key="m1"), left_seconds=6)

    held, _ = ask(event=sent("Note it", key="m1"))
    status, code, pause = error_of(held)
    assert (status, code) == (409, "in_progress")
    assert 1 <= int(pause or 0) <= 7

    passed = time.time() + 9
    monkeypatch.setattr("time.time", lambda: passed)
    told: list[str] = []

    def looks(request: Any) -> Turn:
        told.extend(result.text for result in request.tool_results)
        return Turn("", [VIEW])

    again, _ = ask(looks, Turn("It is there."), event=sent("Note it", key="m1"))
    assert body_of(again)["reply"] == "It is there."
    assert "not known whether a change was made" in told[0]
    assert lines_of(memory()) == ["a line"]


def test_a_message_that_arrives_twice_at_once_is_carried_out_once(ask: Ask) -> None:
    second: list[tuple[int, str, str | None]] = []

    def meanwhile(_: Any) -> Turn:
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 60_000)
        second.append(error_of(handle(sent("Note it", key="m1"), context)))
        return Turn("Noted.")

    response, api = ask(meanwhile, event=sent("Note it", key="m1"))
    assert body_of(response)["reply"] == "Noted."
    assert second[0][:2] == (409, "in_progress")
    assert len(api.requests) == 1


def test_an_answer_is_forgotten_after_a_day(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(Turn("Noted."), event=sent("Note it", key="m1"))
    later = time.time() + 86_401
    monkeypatch.setattr("time.time", lambda: later)
    response, _ = ask(Turn("Noted anew."), event=sent("Note it", key="m1"))
    assert body_of(response)["reply"] == "Noted anew."


def test_a_conversation_continues_and_belongs_only_to_its_actor(ask: Ask) -> None:
    ask(Turn("Hello Anna."), event=sent("I'm Anna", conversation_id="c1", actor="anna"))
    _, api = ask(Turn("Anna."), event=sent("Who am I?", conversation_id="c1", actor="anna"))
    assert [(said["role"], said["content"]) for said in api.requests[0].body["messages"]] == [
        ("user", "I'm Anna"), ("assistant", "Hello Anna."), ("user", "Who am I?"),
    ]  # fmt: skip
    for other in ({"conversation_id": "c1", "actor": "bo"}, {"conversation_id": "c2", "actor": "anna"}, {}):
        _, api = ask(Turn("I don't know."), event=sent("Who am I?", **other))
        assert len(api.requests[0].body["messages"]) == 1


def test_an_empty_reply_does_not_stop_a_conversation(ask: Ask) -> None:
    first, _ = ask(Turn(" \n"), event=sent("Hello", conversation_id="c1"))
    assert body_of(first)["notice"] == "empty"
    second, api = ask(Turn("Hello."), event=sent("Are you there?", conversation_id="c1"))
    assert body_of(second)["reply"] == "Hello."
    assert [said["content"] for said in api.requests[0].body["messages"]] == ["Are you there?"]


UNLABELLED = ["x" * 129, "x" * 130, "anna\n", "bo\n", "", 7, ["anna"], '["anna"]', None]
"""Claims most of which cannot be a label. No two are the same caller."""


def test_callers_whose_claim_cannot_be_a_label_share_no_conversation_and_no_answer(ask: Ask) -> None:
    for more in ({"conversation_id": "c1"}, {"key": "m1"}):
        for number, claim in enumerate(UNLABELLED):
            response, api = ask(Turn(f"Reply {number}."), event=sent("Hello", actor=claim, **more))
            assert body_of(response)["reply"] == f"Reply {number}."
            assert len(api.requests[0].body["messages"]) == 1
    for number, claim in enumerate(UNLABELLED):
        assert body_of(ask(event=sent("Hello", actor=claim, key="m1"))[0])["reply"] == f"Reply {number}."


@pytest.mark.parametrize(
    ("actor", "names"),
    [
        ("anna", ["7dd7b12c5d1b3ba2e94fe6819b543f16", "cca2d9fc8164a78873bd28fb6f06af28"]),
        (None, ["42552d6afd418a928d2858ddda0e564e", "5de6f09635a2dc7a97ae69d3401fa4dd"]),
    ],
)
def test_conversations_with_an_earlier_version_are_found(
    ask: Ask, s3: Any, bucket: str, actor: str | None, names: list[str]
) -> None:
    ask(Turn("Noted."), event=sent("Note it", actor=actor, conversation_id="c1"))
    ask(Turn("Noted."), event=sent("Note it", actor=actor, key="m1"))
    kept = s3.list_objects_v2(Bucket=bucket, Prefix="memories/acme/.agent/")["Contents"]
    assert [listed["Key"] for listed in kept] == [f"memories/acme/.agent/{name}.json" for name in names]


def test_a_conversation_is_sealed_and_redacted_and_claude_can_neither_see_nor_change_it(
    ask: Ask, s3: Any, bucket: str
) -> None:
    secret = "AKIAIOSFODNN7EXAMPLQ"
    ask(Turn("Noted."), event=sent(f'I said "{TELLING}". The key is {secret}', conversation_id="c1"))
    (listed,) = s3.list_objects_v2(Bucket=bucket, Prefix="memories/acme/")["Contents"]
    assert TELLING.encode() not in s3.get_object(Bucket=bucket, Key=listed["Key"])["Body"].read()
    path = listed["Key"].replace("memories/acme", "/memories")
    file = memory().read(MemoryPath.parse(path))
    assert file is not None
    assert TELLING in file.text
    assert secret not in file.text
    calls = [
        VIEW,
        {"command": "view", "path": "/memories/.agent"},
        {"command": "view", "path": path},
        {"command": "delete", "path": "/memories/x/..//.agent"},
        {"command": "rename", "old_path": "/memories/.agent", "new_path": "/memories/mine"},
        {"command": "create", "path": "/memories/.agent/x", "file_text": ""},
    ]
    _, api = ask(Turn("", calls), Turn("Nothing."), event=sent("What is there?"))
    assert [result.is_error for result in api.tool_results] == [False, True, True, True, True, True]
    assert ".agent" not in api.tool_results[0].text
    assert memory().read(MemoryPath.parse(path)) == file


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("S3MEMORY_MAX_TENANT_FILES", "1", (507, "memory_full", None)),
        ("S3MEMORY_READ_ONLY", "true", (403, "memory_read_only", None)),
    ],
)
def test_a_conversation_that_cannot_be_kept_is_reported_and_a_single_message_is_answered(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, setting: str, value: str, told: tuple[int, str, None]
) -> None:
    ask(Turn("", [CREATE]), Turn("Noted."))
    monkeypatch.setenv(setting, value)
    assert error_of(ask(event=sent("Hello", conversation_id="c1"))[0]) == told
    assert ask(Turn("Hello."), event=sent("Hello"))[0]["statusCode"] == 200


def test_the_beginning_of_a_long_conversation_is_left_out(ask: Ask) -> None:
    for number in range(4):
        ask(Turn("x" * 15_000), event=sent(f"{number}", conversation_id="c1"))
    _, api = ask(Turn("Yes."), event=sent("last", conversation_id="c1"))
    assert [said["content"] for said in api.requests[0].body["messages"] if said["role"] == "user"] == [
        "2",
        "3",
        "last",
    ]


# Temporary faults, and unusual replies


def test_a_failing_memory_is_not_used_again_in_the_same_turn(ask: Ask) -> None:
    def asked(calls: int) -> int:
        with FaultLayer(s3_of_the_agent()) as faults:
            faults.hit("ListObjectsV2", refused(403, "AccessDenied"), times=99)
            response, _ = ask(Turn("", [VIEW] * calls))
            assert error_of(response) == (503, "memory_locked", None)
            return len(faults.requests)

    assert asked(5) == asked(1) > 0


def logged(caplog: pytest.LogCaptureFixture, message: str = "request") -> dict[str, Any]:
    record = [record for record in caplog.records if record.name == "agent" and record.message == message][-1]
    line: dict[str, Any] = json.loads(JsonLines().format(record))
    return line


def test_a_failed_request_logs_its_turns_tokens_and_request_ids(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="agent")
    ask(Turn("", [CREATE]), *[Failure(529)] * 3)
    line = logged(caplog)
    assert (line["status"], line["turns"]) == (503, 1)
    assert line["input_tokens"] > 0
    assert {"cache_read_tokens", "cache_write_tokens"} <= line.keys()
    assert line["model_request_ids"] == ["req_0001", "req_0002", "req_0003", "req_0004"]
    assert line["memory"] == {"create:ok": 1}


@pytest.mark.parametrize(
    "given",
    [
        {"command": ["view"]}, {"command": {"view": 1}}, {"command": None}, {},
        {"command": "view", "path": ["/memories"]},
        {"command": "view", "path": {"a": 1}}, {"command": 5, "path": 5}, {"command": "create", "path": None},
    ],
)  # fmt: skip
def test_a_hostile_tool_call_is_left_to_the_model_to_correct(
    ask: Ask, caplog: pytest.LogCaptureFixture, given: dict[str, Any]
) -> None:
    caplog.set_level(logging.INFO)
    response, api = ask(Turn("", [given]), Turn("Never mind."))
    assert response["statusCode"] == 200
    assert [result.is_error for result in api.tool_results] == [True]
    assert "internal error" not in api.tool_results[0].text + caplog.text


@pytest.mark.parametrize("version", [[], {}, 2, True, "3.0"])
def test_an_invalid_event_version_is_not_an_internal_error(ask: Ask, version: Any) -> None:
    response, api = ask(event=rest_api({"principalId": "x", "tenant": "acme"}, version=version))
    assert error_of(response) == (403, "no_tenant", None)
    assert api.requests == []


@pytest.mark.parametrize(
    ("reason", "text", "notice"),
    [
        ("refusal", "I can't help with that.", "refused"),
        ("refusal", "", "refused"),
        ("model_context_window_exceeded", "And so", "cut_short"),
        ("max_tokens", "And so", "cut_short"),
        ("end_turn", "", "empty"),
        ("end_turn", " \n", "empty"),
        ("end_turn", "Hello.", None),
    ],
)
def test_a_reply_that_is_incomplete_says_so(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, reason: str, text: str, notice: str | None
) -> None:
    whole = messages_wire.reply
    monkeypatch.setattr(messages_wire, "reply", lambda *given, **more: whole(*given, **more) | {"stop_reason": reason})
    response, _ = ask(Turn(text))
    body = body_of(response)
    assert (body["stop_reason"], body.get("notice")) == (reason, notice)


def test_a_paused_turn_is_continued(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, reasons = messages_wire.reply, iter(["pause_turn", "end_turn"])
    monkeypatch.setattr(
        messages_wire, "reply", lambda *given, **more: whole(*given, **more) | {"stop_reason": next(reasons)}
    )
    for check in ("check_conversation", "_check_messages"):  # these do not support paused turns
        monkeypatch.setattr(messages_wire, check, lambda _: None)
    response, _ = ask(Turn("Wait"), Turn("Done."))
    assert body_of(response) == {"reply": "Done.", "stop_reason": "end_turn"}


@pytest.mark.parametrize(
    "body", ["", "<html>502</html>", "null", '{"type": "error"}', "[]"], ids=["empty", "HTML", "null", "error", "list"]
)
def test_a_response_that_is_not_a_message_is_retried_once_and_then_reported(
    monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: {len(body)}\r\n\r\n"
    api = RudeApi(head + body)
    with api as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 30_000)
        assert error_of(handle(event_of("acme", "Hello"), context)) == (503, "model_unavailable", "5")
    assert api.requests == 2


WHOLE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [{"type": "text", "text": "Hello."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


@pytest.mark.parametrize(
    "change",
    [
        {"content": None},
        {"content": {"a": 1}},
        {"content": [None]},
        {"content": [{"type": None}]},
        {"content": [{"type": "text"}]},
        {"content": [{"type": "text", "text": 7}]},
        {"usage": None},
        {"usage": {}},
        {"usage": {"input_tokens": "1", "output_tokens": 1}},
        {"stop_reason": None},
        {"stop_reason": ["end_turn"]},
        {"stop_reason": "tool_use"},
        {"stop_reason": "\udfff"},
        {"role": None},
        {"content": [{"type": "text", "text": "\ud800"}]},
        {"content": [{"type": "tool_use", "name": "memory", "input": {}}]},
        {"content": [{"type": "tool_use", "id": "t", "name": "memory", "input": None}]},
        {"usage": {"input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": [1]}},
        {"context_management": [1]},
        {"context_management": {}},
        {"context_management": {"applied_edits": None}},
        {"context_management": {"applied_edits": [{"type": "clear_tool_uses_20250919"}]}},
    ],
    ids=repr,
)
def test_a_message_without_a_required_field_is_reported_like_a_missing_one(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    assert status_and_attempts(monkeypatch, json.dumps(WHOLE)) == (200, 1)
    assert status_and_attempts(monkeypatch, json.dumps({**WHOLE, **change})) == (503, 2)


@pytest.mark.parametrize("status", ["204 No Content", "206 Partial Content", "302 Found", "304 Not Modified"])
def test_a_success_or_redirect_without_a_message_is_reported_like_a_missing_one(
    monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    assert status_and_attempts(monkeypatch, "", status=status) == (503, 2)


def test_a_response_that_is_nested_too_deeply_is_reported_like_a_missing_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    assert status_and_attempts(monkeypatch, "[" * 100_000) == (503, 2)


def status_and_attempts(monkeypatch: pytest.MonkeyPatch, body: str, *, status: str = "200 OK") -> tuple[int, int]:
    """Return the status of the answer, and how often Claude was asked, if it always answers like this."""
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n"
    claude.forget_client()
    api_key.forget()
    api = RudeApi(f"{head}content-length: {len(body)}\r\n\r\n{body}")
    with api as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 30_000)
        response = handle(event_of("acme", "Hello"), context)
    return response["statusCode"], api.requests


# The key


@pytest.fixture
def secret(agent: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Store a text in the secret."""
    assert agent is not None
    secrets = boto3.client("secretsmanager")
    monkeypatch.setenv("AGENT_API_KEY_SECRET_ID", "api-key")

    def put(text: str) -> None:
        with suppress(secrets.exceptions.ResourceExistsException):
            secrets.create_secret(Name="api-key", SecretString="x")
        secrets.put_secret_value(SecretId="api-key", SecretString=text)

    return put


@pytest.mark.parametrize(
    "text",
    ["sk-1", "sk-1\n", " sk-1\r\n", '{"api_key": "sk-1"}', '{"anything": " sk-1\\n"}\n', '{"a": "x", "ours": "sk-1"}'],
)
def test_a_key_is_found_in_every_form_in_which_people_store_it(
    secret: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    if "ours" in text:
        monkeypatch.setenv("AGENT_API_KEY_FIELD", "ours")
    secret(text)
    assert claude.client().api_key == "sk-1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (" ", "empty"),
        ("sk 1", "spaces"),
        ("sk\n1", "spaces"),
        ("sk-\u00e9", "header"),
        ("{sk-1", "begins like JSON"),
        ('{"a": "sk-1", "b": "sk-2"}', "AGENT_API_KEY_FIELD"),
        ('{"a": 5}', "no text"),
        ("{}", "AGENT_API_KEY_FIELD"),
    ],
)
def test_an_invalid_key_is_refused_and_the_log_says_why(  # noqa: PLR0917 - fixtures and cases
    secret: Callable[[str], None], ask: Ask, agent: ModuleType, caplog: pytest.LogCaptureFixture, text: str, told: str
) -> None:
    caplog.set_level(logging.INFO, logger="agent")
    secret(text)
    with pytest.raises(agent.AgentError):
        ask()
    line = logged(caplog)
    assert line["error_type"] == "ApiKeyError"
    assert told in line["reason"]
    assert "sk" not in line["reason"]


def test_a_rotated_key_costs_one_retry_and_no_request(secret: Callable[[str], None], ask: Ask) -> None:
    secret("first")
    used: list[str] = []

    def refuses(_: Any) -> Failure:
        used.append(claude.client().api_key or "")
        secret("second")
        return Failure(401)

    def takes(_: Any) -> Turn:
        used.append(claude.client().api_key or "")
        return Turn("Noted.")

    response, api = ask(Turn("", [CREATE]), refuses, takes)
    assert body_of(response)["reply"] == "Noted."
    assert used == ["first", "second"]
    assert [result.is_error for result in api.tool_results] == [False]


def test_a_key_that_is_still_refused_is_read_again_once(
    secret: Callable[[str], None], ask: Ask, agent: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret("first")
    read: list[str] = []
    whole = api_key._secret

    def counted(secret_id: str) -> str:
        read.append(secret_id)
        return whole(secret_id)

    monkeypatch.setattr(api_key, "_secret", counted)
    with pytest.raises(agent.AgentError):
        ask(Failure(401))
    assert len(read) == 2


def test_a_timeout_does_not_read_the_secret_again(
    secret: Callable[[str], None], ask: Ask, agent: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret("first")
    assert api_key.current() == "first"
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: agent.RESERVE_SECONDS * 1000)
    assert error_of(handle(event_of("acme", "Hello"), context)) == TIMEOUT
    secret("second")
    assert api_key.current() == "first"


@pytest.mark.parametrize(
    ("code", "status", "told"),
    [
        ("ThrottlingException", 400, (503, "model_unavailable", "5")),
        ("InternalServiceError", 500, (503, "model_unavailable", "5")),
        ("AccessDeniedException", 400, None),
        ("ResourceNotFoundException", 400, None),
    ],
)
def test_an_unavailable_secret_is_temporary_and_a_denied_one_is_not(  # noqa: PLR0917 - as above
    secret: Callable[[str], None], ask: Ask, agent: ModuleType, monkeypatch: pytest.MonkeyPatch, code: str, status: int,
    told: Any,
) -> None:  # fmt: skip
    secret("first")

    def refuse(*_: Any, **__: Any) -> Any:
        answer = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
        raise ClientError(answer, "GetSecretValue")  # type: ignore[arg-type]  # as far as it is looked at

    client = SimpleNamespace(get_secret_value=refuse, close=lambda: None)
    monkeypatch.setattr(boto3, "client", lambda *_, **__: client)
    if told is None:
        with pytest.raises(agent.AgentError):
            ask()
    else:
        assert error_of(ask()[0]) == told


# Other event sources


@pytest.mark.parametrize(
    "event",
    [
        None, [], {}, "x",
        {"Records": [{"eventSource": "aws:sqs", "messageId": "1", "body": "{}"}]},
        {"detail-type": "x", "detail": {}, "id": "1"},
        {"tenant": "acme", "message": "Hello"},
    ],
)  # fmt: skip
def test_an_event_that_is_not_from_api_gateway_is_an_error_of_the_function(
    ask: Ask, agent: ModuleType, event: Any
) -> None:
    with pytest.raises(agent.AgentError):
        ask(event=event if event is not None else [])


def entry(name: str, event: Any, *script: Step, monkeypatch: pytest.MonkeyPatch, left_seconds: float = 60.0) -> Any:
    with ScriptedMessagesAPI(script) as api:
        for variable, value in api.environment.items():
            monkeypatch.setenv(variable, value)
        claude.forget_client()
        api_key.forget()
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: left_seconds * 1000)
        return getattr(importlib.import_module("events"), name)(event, context)


def batch(*bodies: str, queue: str = "agent") -> dict[str, Any]:
    arn = f"arn:aws:sqs:eu-central-1:123456789012:{queue}"
    records = [
        {"eventSource": "aws:sqs", "eventSourceARN": arn, "messageId": f"m{number}", "body": body}
        for number, body in enumerate(bodies)
    ]
    return {"Records": records}


HELLO = json.dumps({"tenant": "acme", "message": "Hello"})


def test_only_failed_messages_of_a_batch_are_delivered_again_and_answered_ones_are_not_repeated(
    agent: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert agent is not None
    bad = [json.dumps({"tenant": "a/b", "message": "x"}), "{", "[]", json.dumps({"tenant": "acme"})]
    event = batch(HELLO, *bad, HELLO)
    answered = entry("sqs", event, Turn("Hi."), *[Failure(529)] * 3, monkeypatch=monkeypatch)
    assert [item["itemIdentifier"] for item in answered["batchItemFailures"]] == ["m1", "m2", "m3", "m4", "m5"]
    again = entry("sqs", {"Records": [event["Records"][0], event["Records"][5]]}, Turn("Hi."), monkeypatch=monkeypatch)
    assert again == {"batchItemFailures": []}


def test_a_fifo_queue_keeps_its_order(agent: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert agent is not None
    answered = entry("sqs", batch("{", HELLO, queue="agent.fifo"), monkeypatch=monkeypatch)
    assert [item["itemIdentifier"] for item in answered["batchItemFailures"]] == ["m0", "m1"]


def test_the_first_message_of_a_batch_is_started_and_the_log_counts_those_without_time(
    agent: ModuleType, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert agent is not None
    event = batch(HELLO, HELLO, HELLO)
    answered = entry("sqs", event, Turn("Hi."), monkeypatch=monkeypatch, left_seconds=10)
    assert [item["itemIdentifier"] for item in answered["batchItemFailures"]] == ["m1", "m2"]
    line = logged(caplog, "messages were not begun")
    assert (line["level"], line["messages"], line["not_begun"]) == ("WARNING", 3, 2)


def test_a_batch_that_was_completely_started_has_no_line_in_the_log(
    agent: ModuleType, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert agent is not None
    assert entry("sqs", batch(HELLO), Turn("Hi."), monkeypatch=monkeypatch) == {"batchItemFailures": []}
    assert "messages were not begun" not in caplog.messages


def test_a_bus_and_a_workflow_get_the_answer_or_an_error_that_says_whether_to_retry(
    agent: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    detail = json.loads(HELLO)
    event = {"detail-type": "question", "id": "e1", "detail": detail}
    assert entry("eventbridge", event, Turn("Hi."), monkeypatch=monkeypatch)["reply"] == "Hi."
    assert entry("step_functions", detail, Turn("Hi."), monkeypatch=monkeypatch)["reply"] == "Hi."
    events = importlib.import_module("events")
    with pytest.raises(events.TryAgainError, match="model_busy") as busy:
        entry("step_functions", detail, *[Failure(529)] * 3, monkeypatch=monkeypatch)
    assert busy.value.__cause__ is None
    with pytest.raises(events.RefusedInputError, match="no_tenant"):
        entry("step_functions", {**detail, "tenant": "a/b"}, monkeypatch=monkeypatch)
    for name, wrong in (("sqs", detail), ("sqs", {"Records": [{}]}), ("eventbridge", detail), ("eventbridge", [])):
        with pytest.raises(agent.AgentError):
            entry(name, wrong, monkeypatch=monkeypatch)


# Limits per tenant


@pytest.fixture
def table(agent: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The table of limits: three messages per minute, and few tokens per day."""
    assert agent is not None
    dynamodb = boto3.client("dynamodb")
    dynamodb.create_table(
        TableName="limits",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    monkeypatch.setattr(limits, "TABLE", "limits")
    monkeypatch.setattr(limits, "MESSAGES_A_MINUTE", 3)
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now)
    yield dynamodb
    dynamodb.delete_table(TableName="limits")
    limits.forget_client()


def test_each_tenant_has_its_own_limit_of_messages_per_minute(ask: Ask, table: Any) -> None:
    assert [ask(Turn("Hi."))[0]["statusCode"] for _ in range(3)] == [200, 200, 200]
    status, code, pause = error_of(ask()[0])
    assert (status, code) == (429, "too_many_messages")
    assert 1 <= int(pause or 0) <= 60
    assert ask(Turn("Hi."), event=event_of("globex", "Hello"))[0]["statusCode"] == 200
    for item in table.scan(TableName="limits")["Items"]:
        assert int(item["expires_at"]["N"]) > time.time()


def test_a_tenant_has_a_limit_of_tokens_per_day_and_failed_requests_count(
    ask: Ask, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert table is not None
    monkeypatch.setattr(limits, "TOKENS_A_DAY", 50)
    ask(Turn("", [CREATE]), *[Failure(529)] * 3)
    status, code, pause = error_of(ask()[0])
    assert (status, code) == (429, "tokens_used_up")
    assert 1 <= int(pause or 0) <= 86_400


def test_unavailable_limits_keep_nobody_from_an_answer(
    ask: Ask, agent: ModuleType, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert agent is not None
    monkeypatch.setattr(limits, "TABLE", "not-there")
    assert ask(Turn("Hi."))[0]["statusCode"] == 200
    assert "the table of limits could not be used" in caplog.text
    limits.forget_client()


class Hanging:
    """A service that does not respond until the test is over."""

    def __init__(self, client: Any = None, *, operations: tuple[str, ...] = ()) -> None:
        self._client = client
        self._operations = operations
        self._over = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name) if self._client and name not in self._operations else self._hang

    def _hang(self, **_: Any) -> Any:
        self._over.wait(20)
        raise EndpointConnectionError(endpoint_url="https://service.test")


def ending_in(seconds: float) -> tuple[float, SimpleNamespace]:
    """Return the time when Lambda would end the function, and its context."""
    end = time.monotonic() + seconds
    return end, SimpleNamespace(get_remaining_time_in_millis=lambda: (end - time.monotonic()) * 1000)


@pytest.mark.parametrize("operation", ["get_item", "update_item"])
def test_limits_that_hang_do_not_prevent_the_answer(
    agent: ModuleType, table: Any, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    with ScriptedMessagesAPI([]) as api, Hanging(table, operations=(operation,)) as hanging:
        for name, value in api.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(boto3, "client", lambda *_, **__: hanging)
        end, context = ending_in(agent.RESERVE_SECONDS + 0.3)
        response = handle(event_of("acme", "Hello"), context)
        assert time.monotonic() < end
    assert error_of(response) == TIMEOUT


@pytest.mark.long
def test_tokens_of_a_message_are_counted_in_time_or_not_at_all(
    agent: ModuleType, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert table is not None
    with ScriptedMessagesAPI([Turn("Hello.")]) as api, Hanging() as hanging:
        for name, value in api.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(limits, "_add", lambda *_, below=None: None if below else hanging.update_item())
        end, context = ending_in(agent.RESERVE_SECONDS + 2)
        response = handle(event_of("acme", "Hello"), context)
        assert time.monotonic() < end
    assert response["statusCode"] == 200


@pytest.mark.long
def test_a_store_that_hangs_when_a_message_is_returned_does_not_prevent_the_answer(
    agent: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedMessagesAPI([Failure(529)] * 9, strict=False) as api, Hanging() as hanging:
        for name, value in api.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(agent.Conversation, "release", lambda _: hanging.put_object())
        end, context = ending_in(agent.RESERVE_SECONDS + 2)
        response = handle(sent("Hello", conversation_id="c1"), context)
        assert time.monotonic() < end
    assert error_of(response)[:2] == (503, "model_busy")


def test_a_kept_message_costs_the_requests_that_the_readme_says(ask: Ask) -> None:
    ask(Turn("", [CREATE]), Turn("Noted."))

    def asked(*script: Step, **given: Any) -> Counter[str]:
        with FaultLayer(s3_of_the_agent()) as faults:
            ask(*script, event=sent("Hello", **given))
            return Counter(faults.requests)

    assert asked(Turn("Hi.")) == {}
    first = {"GetObject": 2, "HeadObject": 1, "ListObjectsV2": 1, "PutObject": 2}
    assert asked(Turn("Hi."), key="m1") == first
    assert asked(Turn("Hi."), conversation_id="c1") == first
    assert asked(Turn("Hi."), conversation_id="c1") == {"GetObject": 1, "PutObject": 2}
    changing = asked(Turn("", [INSERT]), Turn("Done."), conversation_id="c1")
    alone = asked(Turn("", [INSERT]), Turn("Done."))
    assert changing - alone == {"GetObject": 1, "PutObject": 4}
    assert asked(key="m1") == {"GetObject": 1}
