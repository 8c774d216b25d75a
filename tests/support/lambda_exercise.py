"""Runs the Lambda example's handler under the real runtime interface client, with a deployment's environment.

Claude is scripted. The caller provides the bucket, key and environment: from a moto server, or created by Terraform.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config

from s3memory.testing import ScriptedMessagesAPI, Step, Turn
from support.lambda_runtime import Invocation, LambdaFunction
from support.repository import REPOSITORY

HANDLER_SOURCE = REPOSITORY / "examples" / "lambda_agent" / "src"
PROBE = REPOSITORY / "tests" / "deploy" / "lambda_probe"
REGION = "eu-central-1"
SECRET_TEXT = "Anna takes her coffee black"
NOTE = "/memories/anna.md"

SCRIPT: list[Step] = [
    Turn("", [{"command": "create", "path": NOTE, "file_text": f"{SECRET_TEXT}\n"}]),
    Turn("Noted."),
    Turn("", [{"command": "view", "path": NOTE}]),
    lambda request: Turn("Black." if SECRET_TEXT in request.tool_results[0].text else "I don't know."),
    Turn("", [{"command": "view", "path": "/memories"}, {"command": "view", "path": NOTE}]),
    lambda request: Turn(
        "I don't know." if all(SECRET_TEXT not in result.text for result in request.tool_results) else "Black."
    ),
    Turn("", [{"command": "create", "path": "/memories/bo.md", "file_text": "Bo takes tea\n"}]),
    Turn("Noted."),
]


def event_of(tenant: str | None, message: str, /, **body: str) -> dict[str, Any]:
    """Return the event of an HTTP API with a JWT authorizer; without one if `tenant` is ``None``."""
    authorizer = {} if tenant is None else {"authorizer": {"jwt": {"claims": {"tenant": tenant}, "scopes": None}}}
    return {
        "version": "2.0",
        "requestContext": {"http": {"method": "POST", "path": "/"}, **authorizer},
        "body": json.dumps({"message": message, **body}),
        "isBase64Encoded": False,
    }


def local_environment(endpoint_url: str) -> dict[str, str]:
    """Return the variables that point a function's boto3 and s3memory at a server on this machine."""
    return {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_SESSION_TOKEN": "testing",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": endpoint_url,
        "S3MEMORY_ENDPOINT_URL": endpoint_url,
    }


def exercise(
    function_environment: Mapping[str, str],
    endpoint_url: str,
    *,
    package: Path | None = None,
) -> list[str]:
    """Invoke the handler for two tenants, inspect the bucket, and return the findings in a few lines.

    Args:
        function_environment: the function's variables as deployed, including ``S3MEMORY_BUCKET``.
        endpoint_url: a server of S3, KMS and STS, such as moto's, that has the bucket and the key.
        package: the unzipped deployment package, which then runs without any package of this environment;
            the example's source in this environment if left out.

    Raises:
        AssertionError: a check failed.
        InitError: the handler can't be imported.
    """
    with ExitStack() as stack:
        claude = stack.enter_context(ScriptedMessagesAPI(SCRIPT))
        function = stack.enter_context(
            LambdaFunction(
                "counted_handler.handler",
                search_path=[PROBE, package or HANDLER_SOURCE],
                environment={**local_environment(endpoint_url), **claude.environment, **function_environment},
                site_packages=package is None,
                timeout_seconds=60,
            )
        )
        first = _answered(function, event_of("acme", "I'm Anna. I take my coffee black."), "Noted.")
        warm = _answered(function, event_of("acme", "How do I take my coffee?"), "Black.")
        # The body can name a tenant; the handler must ignore it.
        other = _answered(function, event_of("globex", "How does Anna take it?", tenant="acme"), "I don't know.")
        _answered(function, event_of("globex", "I'm Bo. I take tea."), "Noted.")
        nobody = function.invoke(event_of(None, "Who am I?")).response["response"]
        log = function.log
    assert nobody["statusCode"] == 401, nobody
    assert first["clients_at_init"], "no client was made in the init phase"
    assert first["requests_at_init"] == [], first["requests_at_init"]
    assert package is None or first["installed"] == [], f"not of the package: {first['installed']}"
    keys = [request for request in first["requests"] if request.startswith("kms:")]
    assert keys == ["kms:GenerateDataKey", "kms:Decrypt"], keys
    assert warm["clients"] == [], warm["clients"]
    of_memory = [request for request in warm["requests"] if not request.startswith("dynamodb:")]  # limits, if any
    assert of_memory == ["s3:GetObject"], warm["requests"]
    assert "Anna" not in log, "the log holds content"
    assert NOTE not in log, "the log holds a path"
    assert function_environment["S3MEMORY_BUCKET"] not in log, "the log names the bucket"
    objects = _objects(endpoint_url, function_environment["S3MEMORY_BUCKET"])
    prefix = function_environment.get("S3MEMORY_PREFIX", "")
    for tenant in ("acme", "globex"):
        assert f"{prefix}keyrings/{tenant}" in objects, sorted(objects)
        assert len([key for key in objects if key.startswith(f"{prefix}memories/{tenant}/")]) == 1, sorted(objects)
    for key, body in objects.items():
        assert SECRET_TEXT.encode() not in body, f"{key} is readable"
        assert body.startswith(b"S3M1") == key.startswith(f"{prefix}memories/"), key
    return [
        f"init: {len(first['clients_at_init'])} clients made, no request",
        f"acme, cold: {', '.join(first['requests'])}; {len(first['clients'])} clients made",
        f"acme, warm: {', '.join(warm['requests'])}; no client made, no key unwrapped",
        f"globex, who sees nothing of it: {', '.join(other['requests'])}",
        "no authorizer: 401",
        f"in the bucket: {', '.join(sorted(objects))}; none readable",
    ]


def exercise_on_libcurl(
    function_environment: Mapping[str, str], endpoint_url: str, *, package: Path | None = None
) -> list[str]:
    """Invoke the handler on libcurl, after the snapshot hooks, with its key in a secret and its limits in a table.

    Args:
        function_environment: as for `exercise`.
        endpoint_url: a server that also has Secrets Manager and DynamoDB.
        package: as for `exercise`.

    Raises:
        AssertionError: a check failed.
        InitError: the handler can't be imported.
    """
    names: Sequence[str] = ("aws_access_key_id", "aws_secret_access_key")
    session = boto3.Session(region_name=REGION, **dict.fromkeys(names, "testing"))  # type: ignore[arg-type]  # str
    quiet = Config(proxies={})
    session.client("secretsmanager", endpoint_url=endpoint_url, config=quiet).create_secret(
        Name="api-key", SecretString="offline"
    )
    dynamodb = session.client("dynamodb", endpoint_url=endpoint_url, config=quiet)
    dynamodb.create_table(
        TableName="limits",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    settings = {
        "S3MEMORY_TRANSPORT": "fast",
        "AGENT_API_KEY_SECRET_ID": "api-key",
        "AGENT_LIMITS_TABLE": "limits",
        "AGENT_MESSAGES_A_MINUTE": "2",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }
    with ExitStack() as stack:
        claude = stack.enter_context(ScriptedMessagesAPI(SCRIPT[:4]))
        of_claude = {name: value for name, value in claude.environment.items() if name != "ANTHROPIC_API_KEY"}
        function = stack.enter_context(
            LambdaFunction(
                "bare_handler.handler",
                search_path=[PROBE, package or HANDLER_SOURCE],
                environment={**local_environment(endpoint_url), **of_claude, **function_environment, **settings},
                site_packages=package is None,
                timeout_seconds=60,
                snap_start=True,
            )
        )
        first = _answered(function, event_of("acme", "I'm Anna. I take my coffee black."), "Noted.")
        _answered(function, event_of("acme", "How do I take my coffee?"), "Black.")
        refused = function.invoke(event_of("acme", "One too many")).response["response"]
    assert not first["has_botocore"], "botocore was imported"
    assert package is None or first["installed"] == [], f"not of the package: {first['installed']}"
    assert refused["statusCode"] == 429, refused
    used = {item["id"]["S"].partition("/")[0] for item in dynamodb.scan(TableName="limits")["Items"]}
    assert used == {"acme"}, used
    return ["on libcurl, after a snapshot: the key from a secret, limits from a table, and no botocore"]


def _answered(function: LambdaFunction, event: Mapping[str, Any], reply: str) -> dict[str, Any]:
    invocation = function.invoke(event)
    assert invocation.error is None, _told(invocation)
    answer: dict[str, Any] = invocation.response
    assert answer["response"]["statusCode"] == 200, _told(invocation)
    assert json.loads(answer["response"]["body"])["reply"] == reply, answer
    return answer


def _told(invocation: Invocation) -> str:
    return f"{invocation.error}\n{invocation.response}\n{invocation.log}"


def _objects(endpoint_url: str, bucket: str) -> dict[str, bytes]:
    names: Sequence[str] = ("aws_access_key_id", "aws_secret_access_key")
    session = boto3.Session(region_name=REGION, **dict.fromkeys(names, "testing"))  # type: ignore[arg-type]  # str
    s3 = session.client("s3", endpoint_url=endpoint_url, config=Config(proxies={}, s3={"addressing_style": "path"}))
    try:
        listed = s3.list_objects_v2(Bucket=bucket).get("Contents", [])
        return {item["Key"]: s3.get_object(Bucket=bucket, Key=item["Key"])["Body"].read() for item in listed}
    finally:
        s3.close()
