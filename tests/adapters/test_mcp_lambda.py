"""``s3memory.adapters.mcp.lambda_handler``: the events of a function URL, API Gateway and a load balancer."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_servers import AUDIENCE, CLAIM, JSON, Issuer, call_message
from support.lambda_runtime import LambdaFunction
from support.unique import unique

from s3memory.adapters.mcp import lambda_handler, on_lambda
from s3memory.errors import ConfigurationError
from s3memory.testing import MotoServer

DOMAIN = "abc.lambda-url.eu-central-1.on.aws"
VIEW = call_message("memory_view", {"path": "/memories"})


class Context:
    """What Lambda tells of an invocation.

    Attributes:
        left_seconds: how much time it has left.
    """

    def __init__(self, left_seconds: float = 30.0) -> None:
        self.left_seconds = left_seconds

    def get_remaining_time_in_millis(self) -> int:
        return int(self.left_seconds * 1_000)


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    """An issuer of tokens."""
    with Issuer() as running:
        yield running


@pytest.fixture(autouse=True)
def settings(bucket: str, issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The settings of the function, in this process's environment."""
    values = {
        "S3MEMORY_BUCKET": bucket,
        "S3MEMORY_LOCAL_KEY": base64.b64encode(bytes(range(32))).decode(),
        "S3MEMORY_MCP_ISSUER": issuer.url,
        "S3MEMORY_MCP_AUDIENCE": AUDIENCE,
        "S3MEMORY_MCP_JWKS_URL": f"{issuer.url}/jwks",
        "S3MEMORY_MCP_TENANT_CLAIM": CLAIM,
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    on_lambda._kept.cache_clear()
    yield values
    on_lambda._kept.cache_clear()


def event(
    message: Any = None,
    *,
    token: str | None = None,
    method: str = "POST",
    path: str = "/mcp",
    stage: str = "$default",
    encoded: bool = False,
) -> dict[str, Any]:
    """Return what a function URL, or an HTTP API, hands to a function. A stage's name is in its path."""
    body = "" if message is None else json.dumps(message)
    headers = {"content-type": JSON, "accept": f"{JSON}, text/event-stream", "host": DOMAIN}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "",
        "headers": headers | ({} if token is None else {"authorization": f"Bearer {token}"}),
        "requestContext": {
            "domainName": DOMAIN,
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": ""},
            "stage": stage,
        },
        "body": base64.b64encode(body.encode()).decode() if encoded else body,
        "isBase64Encoded": encoded,
    }


def text_of(answer: dict[str, Any]) -> str:
    assert answer["statusCode"] == 200, answer
    text: str = json.loads(answer["body"])["result"]["content"][0]["text"]
    return text


def test_one_process_answers_many_invocations_for_the_tenants_of_their_tokens(issuer: Issuer) -> None:
    made = call_message("memory_create", {"path": "/memories/a", "file_text": "x"})
    assert text_of(lambda_handler(event(made, token=issuer.token("acme")), Context())).startswith("File created")
    for encoded in (False, True):
        shown = text_of(lambda_handler(event(VIEW, token=issuer.token("acme"), encoded=encoded), Context()))
        assert shown.endswith("1B\t/memories/a")
    assert text_of(lambda_handler(event(VIEW, token=issuer.token("other")), Context())).endswith("0B\t/memories")


def test_the_keys_of_the_issuer_outlive_an_invocation(issuer: Issuer) -> None:
    asked = issuer.asked
    for _ in range(3):
        text_of(lambda_handler(event(VIEW, token=issuer.token()), Context()))
    assert issuer.asked == asked + 1


def test_without_a_token_the_functions_own_domain_says_where_to_get_one(issuer: Issuer) -> None:
    refused = lambda_handler(event(VIEW), Context())
    metadata = f"https://{DOMAIN}/.well-known/oauth-protected-resource/mcp"
    assert (refused["statusCode"], f'"{metadata}"' in refused["headers"]["www-authenticate"]) == (401, True)
    path = "/.well-known/oauth-protected-resource/mcp"
    told = json.loads(lambda_handler(event(method="GET", path=path), Context())["body"])
    assert (told["resource"], told["authorization_servers"]) == (f"https://{DOMAIN}/mcp", [issuer.url])


@pytest.mark.parametrize("resource", [None, f"https://{DOMAIN}/prod/mcp"])
def test_a_stage_with_a_name_has_the_endpoint_and_the_metadata_below_it(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch, resource: str | None
) -> None:
    if resource is not None:
        monkeypatch.setenv("S3MEMORY_MCP_RESOURCE_URL", resource)
    answer = lambda_handler(event(VIEW, token=issuer.token(), path="/prod/mcp", stage="prod"), Context())
    assert text_of(answer).endswith("0B\t/memories")
    refused = lambda_handler(event(VIEW, path="/prod/mcp", stage="prod"), Context())
    path = "/prod/.well-known/oauth-protected-resource/mcp"
    assert f'"https://{DOMAIN}{path}"' in refused["headers"]["www-authenticate"]
    told = json.loads(lambda_handler(event(method="GET", path=path, stage="prod"), Context())["body"])
    assert told["resource"] == f"https://{DOMAIN}/prod/mcp"


@pytest.mark.parametrize("stage", ["prod", "mcp", "m"])
def test_a_domain_that_is_mapped_to_a_stage_may_leave_its_name_out(issuer: Issuer, stage: str) -> None:
    answer = lambda_handler(event(VIEW, token=issuer.token(), stage=stage), Context())
    assert text_of(answer).endswith("0B\t/memories")


def test_only_the_name_of_the_stage_is_taken_off_a_path(issuer: Issuer) -> None:
    for path in ("/production/mcp", "/test/mcp", "/prod/prod/mcp"):
        asked = event(VIEW, token=issuer.token(), path=path, stage="prod")
        assert lambda_handler(asked, Context())["statusCode"] == 404


def test_no_setting_stands_in_for_a_token(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3MEMORY_TENANT", "acme")
    without = issuer.token(None)
    for token in (None, without):
        assert lambda_handler(event(VIEW, token=token), Context())["statusCode"] == 401


def test_a_domain_of_ones_own_is_named_where_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3MEMORY_MCP_RESOURCE_URL", "https://memory.example/mcp")
    refused = lambda_handler(event(VIEW), Context())
    assert "https://memory.example/.well-known/" in refused["headers"]["www-authenticate"]


def test_what_there_is_no_time_for_is_not_begun(issuer: Issuer) -> None:
    made = call_message("memory_create", {"path": "/memories/late", "file_text": "x"})
    text = text_of(lambda_handler(event(made, token=issuer.token("late")), Context(0.5)))
    assert text == "Error: There was no time left for this. Nothing was changed. Send it again."
    assert "late" not in text_of(lambda_handler(event(VIEW, token=issuer.token("late")), Context()))


@pytest.mark.parametrize("name", ["S3MEMORY_MCP_ISSUER", "S3MEMORY_MCP_AUDIENCE", "S3MEMORY_BUCKET"])
def test_a_setting_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name)
    with pytest.raises(ConfigurationError, match=name):
        lambda_handler(event(VIEW), Context())


def test_without_any_setting_about_tokens_it_serves_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("S3MEMORY_MCP_")]:
        monkeypatch.delenv(name)
    with pytest.raises(ConfigurationError, match="every request needs a token"):
        lambda_handler(event(VIEW), Context())


def test_it_leaves_no_loop_behind(issuer: Issuer) -> None:
    lambda_handler(event(VIEW, token=issuer.token()), Context())
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()


@pytest.mark.long
def test_lambdas_own_runtime_runs_it(issuer: Issuer, settings: dict[str, str], tmp_path: Path) -> None:
    with MotoServer() as moto:
        name = unique("lambda")
        moto.make_bucket(name)
        environment = {**settings, **moto.environment, "S3MEMORY_BUCKET": name}
        with LambdaFunction(
            "s3memory.adapters.mcp.lambda_handler", search_path=[tmp_path], environment=environment
        ) as function:
            answers = [function.invoke(event(VIEW, token=issuer.token())).response for _ in range(2)]
    assert [text_of(answer).rpartition("\n")[2] for answer in answers] == ["0B\t/memories"] * 2
