"""The Lambda example: who calls, what is answered, what goes wrong and how that is told, and what is logged."""

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
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import ModuleType, SimpleNamespace
from typing import Any

import anthropic
import boto3
import caller
import claude
import httpx2
import pytest
from caller import Refusal, message_of, tenant_of
from in_time import OutOfTimeError, within
from json_logs import JsonLines
from support.credentials_left import credentials_in_memory, use_own_credentials
from support.faults import FaultLayer, refused
from support.lambda_exercise import HANDLER_SOURCE, PROBE, event_of, exercise, local_environment
from support.lambda_runtime import InitError, LambdaFunction

from s3memory import LocalKeyWrapper, MemoryStore, forget_clients, forget_keys
from s3memory.config.settings import Settings
from s3memory.testing import (
    Failure,
    MotoServer,
    ScriptedMessagesAPI,
    Step,
    Turn,
    messages_wire,
)

NOTE = "/memories/a-telling-name.md"
TELLING = "a telling text"
CREATE = {"command": "create", "path": NOTE, "file_text": TELLING}
VIEW = {"command": "view", "path": "/memories"}

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="awslambdaric is for Linux")


# Under the runtime interface client, in a process of its own


@pytest.fixture(scope="module")
def aws() -> Iterator[MotoServer]:
    with MotoServer() as server:
        server.make_kms_key("alias/agent-memory")
        yield server


def settings(server: MotoServer, name: str, **more: str) -> dict[str, str]:
    server.make_bucket(name)
    return {"S3MEMORY_BUCKET": name, "S3MEMORY_KMS_KEY_ID": "alias/agent-memory", **more}


@on_linux
@pytest.mark.parametrize(
    "more", [{}, {"S3MEMORY_PREFIX": "prod/", "S3MEMORY_NAME_MODE": "encrypted"}], ids=["", "more"]
)
def test_two_tenants_are_served_by_one_warm_process_and_the_bucket_holds_only_ciphertext(
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


@on_linux
def test_a_setting_that_is_wrong_fails_the_init_phase_and_is_named(aws: MotoServer) -> None:
    function = deployed(aws, {"S3MEMORY_BUCKETT": "agent-memory"})
    with pytest.raises(InitError, match="S3MEMORY_BUCKETT is not a setting") as caught, function:
        pass
    assert caught.value.error.error_type == "ConfigurationError"
    assert "init/error" in function.asked


@on_linux
def test_a_fault_of_ours_is_reported_to_lambda_without_a_word_of_what_went_wrong(aws: MotoServer) -> None:
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


@on_linux
def test_a_snapshot_holds_no_client_and_the_first_request_after_it_makes_them_anew(aws: MotoServer) -> None:
    with (
        ScriptedMessagesAPI([Turn("", [VIEW]), Turn("Hello."), Turn("Hello.")]) as api,
        deployed(aws, {**settings(aws, "snapshot"), **api.environment}, snap_start=True) as function,
    ):
        first, second = function.invoke(event_of("acme", "Hello")), function.invoke(event_of("acme", "Hello"))
    assert sorted(first.response["clients_at_init"]) == sorted(first.response["clients"]) != []
    assert first.response["response"]["statusCode"] == 200
    assert second.response["clients"] == []


# In this process, over moto


@pytest.fixture(scope="module")
def agent(_aws: None) -> Iterator[ModuleType]:
    """The handler's module, imported as Lambda would with the settings of `environment`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S3MEMORY_BUCKET", "agent-memory")
        patch.setenv("S3MEMORY_LOCAL_KEY", LocalKeyWrapper.generate_key_text())
        patch.setattr(logging.getLogger(), "handlers", [])  # whose format it sets
        yield importlib.import_module("handler")
    sys.modules.pop("handler")


@pytest.fixture(autouse=True)
def _environment(bucket: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("S3MEMORY_BUCKET", bucket)
    monkeypatch.setenv("S3MEMORY_LOCAL_KEY", LocalKeyWrapper.generate_key_text())
    yield
    for thread in [thread for thread in threading.enumerate() if thread.name == "agent"]:
        thread.join(5)  # one that was left behind could make a client for the next test
    forget_keys()
    claude.forget_client()


Ask = Callable[..., tuple[dict[str, Any], ScriptedMessagesAPI]]


@pytest.fixture
def ask(agent: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask the handler while Claude follows a script. Return its response, and the API with what it was asked."""

    def ask(*script: Step, left_seconds: float = 60.0, event: Any = None) -> tuple[dict[str, Any], ScriptedMessagesAPI]:
        with ScriptedMessagesAPI(script) as api:
            for name, value in api.environment.items():
                monkeypatch.setenv(name, value)
            claude.forget_client()
            context = SimpleNamespace(get_remaining_time_in_millis=lambda: left_seconds * 1000)
            try:
                response = agent.handler(event or event_of("acme", TELLING), context)
            finally:
                claude.forget_client()
        return response, api

    return ask


def error_of(response: dict[str, Any]) -> tuple[int, str, str | None]:
    return response["statusCode"], json.loads(response["body"])["error"], response["headers"].get("retry-after")


def test_a_message_is_answered_with_what_claude_said_last(ask: Ask) -> None:
    response, api = ask(Turn("I note it.", [CREATE]), Turn("Noted."))
    assert response["statusCode"] == 200
    assert json.loads(response["body"]) == {"reply": "Noted.", "stop_reason": "end_turn"}
    assert response["headers"]["cache-control"] == "no-store"
    assert [result.is_error for result in api.tool_results] == [False]


def test_claude_is_asked_with_the_memory_tool_and_context_editing(ask: Ask) -> None:
    _, api = ask(Turn("Hello."))
    body = api.requests[0].body
    assert body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert [edit["type"] for edit in body["context_management"]["edits"]] == ["clear_tool_uses_20250919"]
    assert "context-management-2025-06-27" in api.requests[0].betas


def http_api(**authorizer: Any) -> dict[str, Any]:
    """Return what an HTTP API sends in its own format, as far as it is looked at."""
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
    """Return what a REST API sends, as far as it is looked at."""
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
    """Return what a function URL with IAM sends, as far as it is looked at."""
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
        rest_api({"principalId": "x", "tenant": "acme", "claims": '{"tenant": "other"}'}),  # a string of its own
        rest_api({"claims": {"tenant": "acme"}, "scopes": None}, version="1.0"),
        rest_api({"principalId": "x", "tenant": "acme"}, version="1.0"),
    ],
    ids=["HTTP JWT", "HTTP Lambda", "REST Cognito", "REST Lambda", "REST Lambda, claims", "1.0 JWT", "1.0 Lambda"],
)
def test_the_tenant_is_the_authorizers(event: dict[str, Any]) -> None:
    assert tenant_of(event) == "acme"
    assert tenant_of(event, isolated_tenant="acme") == "acme"
    with pytest.raises(Refusal, match="wrong_tenant"):
        tenant_of(event, isolated_tenant="globex")


@pytest.mark.parametrize(
    "event",
    [
        # The authorizer of this kind names no tenant, and what lies where another kind would is not looked at.
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
        # IAM knows who signed, and no tenant.
        function_url(),
        function_url(tenant="globex"),
        http_api(iam={"userId": "AIDA"}, tenant="globex"),
    ],
)
def test_no_kind_of_authorizer_is_taken_for_another(event: dict[str, Any]) -> None:
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
def test_who_is_no_tenant_is_refused(event: Any, status: int) -> None:
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
        message_of({"body": body})
    assert caught.value.status == status


def test_a_body_may_come_in_base64() -> None:
    assert message_of({"body": "eyJtZXNzYWdlIjogIsO8In0=", "isBase64Encoded": True}) == "ü"
    with pytest.raises(Refusal, match="bad_request"):
        message_of({"body": "eyJtZXNzYWdlIjogIsO8In0", "isBase64Encoded": True})


def test_a_refused_request_asks_nobody(ask: Ask) -> None:
    for event, status in ((event_of(None, "Hello"), 401), (event_of("a/b", "Hello"), 403), (event_of("a", ""), 400)):
        response, api = ask(event=event)
        assert response["statusCode"] == status
        assert api.requests == []


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_busy_claude_is_tried_again_and_then_told(ask: Ask, status: int) -> None:
    assert ask(Failure(status), Turn("Hello."))[0]["statusCode"] == 200
    response, api = ask(*[Failure(status)] * 3)
    assert error_of(response) == (503, "model_busy", "5")
    assert len(api.requests) == 3


def test_a_pause_for_which_there_is_no_time_is_not_waited_for(ask: Ask) -> None:
    response, api = ask(Failure(529, retry_after_ms=60_500), left_seconds=30)
    assert error_of(response) == (503, "model_busy", "61")
    assert len(api.requests) == 1


def test_an_api_that_is_not_there_is_told(agent: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    claude.client().max_retries = 0
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: 30_000)
    assert error_of(agent.handler(event_of("acme", "Hello"), context)) == (503, "model_unavailable", "5")


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
                    request.read(int(length))  # what is left unread would reset the connection
                    self.requests += 1
                    for piece in self._pieces:
                        connection.sendall(piece.encode())
                        if self._over.wait(0.02):
                            break


def status(line: str, *headers: str) -> str:
    return "\r\n".join([f"HTTP/1.1 {line}", "content-length: 2", "connection: close", *headers, "", "{}"])


TIMEOUT = (504, "timeout", None)


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
def test_whatever_claude_does_the_caller_is_told_before_lambda_ends_the_function(
    agent: ModuleType, monkeypatch: pytest.MonkeyPatch, pieces: list[str], told: tuple[int, str, str | None]
) -> None:
    left_seconds = 0.4 if told == TIMEOUT else 6
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    with RudeApi(*pieces, again=500 * (told == TIMEOUT)) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        end = time.monotonic() + left_seconds + agent.RESERVE_SECONDS
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: (end - time.monotonic()) * 1000)
        response = agent.handler(event_of("acme", "Hello"), context)
        assert time.monotonic() < end
        for thread in [thread for thread in threading.enumerate() if thread.name == "agent"]:
            thread.join(5)
            assert not thread.is_alive()  # it was left behind, and has ended since its connection was closed
    assert error_of(response) == told


@pytest.mark.parametrize("line", ["408 Timeout", "409 Conflict", "400 Bad Request\r\nx-should-retry: true"])
def test_what_passes_is_tried_again_and_is_no_fault_of_ours(
    agent: ModuleType, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    api = RudeApi(status(line, "retry-after-ms: 1"))
    with api as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 60_000)
        assert error_of(agent.handler(event_of("acme", "Hello"), context)) == (503, "model_busy", "5")
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
def test_a_pause_is_understood_as_the_sdk_does(headers: dict[str, str], seconds: float) -> None:
    assert claude.retry_after_seconds(httpx2.Headers(headers)) == seconds
    told = anthropic.Anthropic(api_key="offline")._parse_retry_after_header(httpx2.Headers(headers))
    assert seconds in {0, told}


def test_a_pause_until_a_date_is_the_time_until_then() -> None:
    date = email.utils.formatdate(time.time() + 9, usegmt=True)
    assert 0 < claude.retry_after_seconds(httpx2.Headers({"retry-after": date})) <= 9


def test_what_takes_too_long_is_left_behind_and_what_it_raises_in_time_is_raised() -> None:
    over = threading.Event()
    began = time.monotonic()
    with pytest.raises(OutOfTimeError):
        within(0.05, lambda: over.wait(30))
    assert time.monotonic() - began < 10
    over.set()
    assert within(30, lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        within(30, lambda: 1 // 0)


def test_a_request_for_which_there_is_no_time_is_not_even_tried(
    ask: Ask, agent: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="agent")
    response, api = ask(left_seconds=agent.RESERVE_SECONDS)
    assert error_of(response) == (504, "timeout", None)
    assert api.requests == []
    (record,) = [record for record in caplog.records if record.name == "agent"]
    assert json.loads(JsonLines().format(record))["error_type"] == "OutOfTimeError"


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_claude_refuses_is_a_fault_of_ours_and_has_no_cause(ask: Ask, agent: ModuleType, status: int) -> None:
    with pytest.raises(agent.AgentError) as caught:
        ask(Failure(status))
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def s3_of_the_agent() -> Any:
    return MemoryStore.from_settings(Settings.from_env(), tenant="acme").objects.bucket._client


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (refused(503, "SlowDown"), (503, "memory_unavailable", "5")),
        (refused(403, "AccessDenied"), (503, "memory_locked", None)),
    ],
)
def test_a_store_that_can_not_be_used_ends_the_conversation(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, fault: Any, told: tuple[int, str, str | None]
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)  # botocore's pauses
    with FaultLayer(s3_of_the_agent()) as faults:
        faults.hit("ListObjectsV2", fault, times=9)
        response, api = ask(Turn("", [VIEW]))
    assert error_of(response) == told
    assert len(api.requests) == 1


def test_a_key_that_can_not_be_used_ends_the_conversation(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("S3MEMORY_LOCAL_KEY")
    monkeypatch.setenv("S3MEMORY_KMS_KEY_ID", "alias/not-there")
    assert error_of(ask(Turn("", [CREATE]))[0]) == (503, "memory_locked", None)


def test_what_the_model_can_mend_is_left_to_it(ask: Ask) -> None:
    missing = {"command": "view", "path": "/memories/nothing.md"}
    response, api = ask(Turn("", [missing, {"command": TELLING}]), Turn("There is none."))
    assert response["statusCode"] == 200
    assert [result.is_error for result in api.tool_results] == [True, True]


def test_a_call_that_was_cut_short_is_not_carried_out(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, s3: Any, bucket: str
) -> None:
    whole = messages_wire.reply
    cut_short = {"stop_reason": "max_tokens"}
    monkeypatch.setattr(messages_wire, "reply", lambda *given, **more: {**whole(*given, **more), **cut_short})
    response, _ = ask(Turn("I note", [CREATE]))
    assert json.loads(response["body"]) == {"reply": "I note", "stop_reason": "max_tokens"}
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


def test_the_api_key_is_found_in_secrets_manager_and_read_again_once_it_is_refused(
    agent: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = boto3.client("secretsmanager")
    secrets.create_secret(Name="api-key", SecretString="first")
    monkeypatch.setenv("AGENT_API_KEY_SECRET_ID", "api-key")
    assert claude.client().api_key == "first"
    secrets.put_secret_value(SecretId="api-key", SecretString="second")
    assert claude.client().api_key == "first"
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: 9000)
    with ScriptedMessagesAPI([Failure(401)]) as api:
        claude.client().base_url = api.base_url
        with pytest.raises(agent.AgentError):
            agent.handler(event_of("acme", "x"), context)
    assert claude.client().api_key == "second"


def test_the_log_says_what_was_done_and_holds_no_content(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="agent")
    ask(Turn("", [CREATE, {"command": TELLING}]), Turn(TELLING))
    record = next(record for record in caplog.records if record.name == "agent")
    line = json.loads(JsonLines().format(record))
    assert line["tenant"] == "acme"
    assert (line["status"], line["turns"], line["stop_reason"]) == (200, 2, "end_turn")
    assert line["memory"] == {"create:ok": 1, "unknown:InvalidInputError": 1}
    assert line["output_tokens"] > 0
    assert "telling" not in json.dumps(line)


def test_of_other_libraries_only_who_spoke_is_logged() -> None:
    raised = (RuntimeError, RuntimeError(TELLING), None)
    lines = [
        json.loads(JsonLines().format(logging.LogRecord(name, logging.ERROR, "x.py", 7, TELLING, None, raised)))
        for name in ("botocore.auth", "s3memory")
    ]
    assert lines[0] | {"time": ""} == {
        "time": "", "level": "ERROR", "logger": "botocore.auth", "at": "x:7", "error_type": "RuntimeError",
    }  # fmt: skip
    assert lines[1]["message"] == TELLING  # what our own program says is its own business


def test_nothing_is_kept_for_a_snapshot(agent: ModuleType, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_clients()
    access_key = use_own_credentials(monkeypatch)
    boto3.Session().client("secretsmanager").create_secret(Name="of-a-snapshot", SecretString="offline")
    monkeypatch.setenv("AGENT_API_KEY_SECRET_ID", "of-a-snapshot")
    ask(Turn("", [CREATE]), Turn("Noted."))
    before = id(s3_of_the_agent())
    assert credentials_in_memory(access_key)
    agent._forget()
    assert claude.client.cache_info().currsize == 0
    assert credentials_in_memory(access_key) == []
    assert boto3.DEFAULT_SESSION is None
    assert id(s3_of_the_agent()) != before
    forget_clients()
