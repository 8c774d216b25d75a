"""boto3 credentials that are unusable when a request needs them: it is not sent, and the error says why."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import boto3
import pytest
from botocore import UNSIGNED
from botocore.config import Config
from support.wire_server import Close, Received, Reply, WireServer, answer

from s3memory import MemoryCommands, forget_clients
from s3memory.aws.client_hooks import adopt
from s3memory.aws.clients import BOTO3, FAST, PROCESS, clients_of_process
from s3memory.errors import AccessDeniedError, BackendError, ConfigurationError, UnavailableError

KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
CREATE = {"command": "create", "path": "/memories/a", "file_text": "one"}
ENDED = {
    "Version": 1,
    "AccessKeyId": "AKIAEXAMPLE",
    "SecretAccessKey": "s",
    "SessionToken": "t",
    "Expiration": "2020-01-01T00:00:00Z",
}


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    forget_clients()
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    yield
    forget_clients()


@pytest.fixture
def s3() -> Iterator[WireServer]:
    with WireServer(lambda _: answer(ETag='"x"')) as server:
        yield server


def refusal_of_a_write(s3: WireServer, transport: str = BOTO3) -> BackendError:
    """Write a file with the credentials of the environment. Return the error, which must say that nothing was sent."""
    environ = {
        "S3MEMORY_BUCKET": "agent-memory",
        "S3MEMORY_LOCAL_KEY": KEY,
        "S3MEMORY_ENDPOINT_URL": s3.url,
        "S3MEMORY_TRANSPORT": transport,
    }
    with pytest.raises(BackendError, match="Nothing was changed") as caught:
        MemoryCommands.from_env(tenant="acme", environ=environ).call(CREATE)
    assert s3.received == []
    return caught.value


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A web identity token, as EKS puts it into a pod, and nothing else."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "token"
    file.write_text("a-token", "utf-8")
    monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(file))
    monkeypatch.setenv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/agent")
    return file


def test_a_missing_token_is_a_refusal(s3: WireServer, token: Path) -> None:
    token.unlink()
    error = refusal_of_a_write(s3)
    assert (type(error), error.code) == (AccessDeniedError, "FileNotFoundError")


@pytest.mark.parametrize(
    ("reply", "kind", "code"),
    [
        (
            answer(403, b"<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>"),
            AccessDeniedError,
            "AccessDenied",
        ),
        (answer(404), UnavailableError, "ResponseParserError"),
        (answer(500), UnavailableError, "500"),
        (Close(), UnavailableError, "ConnectionClosedError"),
    ],
    ids=["denied", "404", "500", "no answer"],
)
@pytest.mark.usefixtures("token")
def test_a_response_from_sts_says_nothing_about_an_object_and_leaves_no_outcome_unknown(
    monkeypatch: pytest.MonkeyPatch, s3: WireServer, reply: Reply, kind: type[BackendError], code: str
) -> None:
    def refuse(_: Received) -> Reply:
        return reply

    with WireServer(refuse) as sts:
        monkeypatch.setenv("AWS_ENDPOINT_URL_STS", sts.url)
        error = refusal_of_a_write(s3)
    assert (type(error), error.code) == (kind, code)


@pytest.mark.parametrize("transport", [BOTO3, FAST])
def test_a_command_that_prints_no_credentials_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, transport: str
) -> None:
    """For example one that prints how to sign in, and succeeds."""
    (tmp_path / "config").write_text("[default]\ncredential_process = echo please sign in\n", "utf-8")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(ConfigurationError, match="credential_process printed no JSON"):
        clients_of_process(transport).s3_client().list_buckets()


GIVEN = {**ENDED, "Expiration": "2099-01-01T00:00:00Z"}


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[object], None]:
    """Have a command of the shared configuration return credentials; its output can be set."""
    printed = tmp_path / "printed.json"
    (tmp_path / "config").write_text(f"[default]\ncredential_process = cat {printed}\n", "utf-8")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")

    def give(told: object) -> None:
        printed.write_text(json.dumps(told), "utf-8")

    return give


@pytest.mark.parametrize("transport", [BOTO3, FAST])
@pytest.mark.parametrize(
    "told",
    [5, [], None, "x", {**GIVEN, "Expiration": 5}],
    ids=["a number", "a list", "null", "a text", "a time that is a number"],
)
def test_a_command_that_prints_other_json_is_reported_when_the_client_is_created(
    command: Callable[[object], None], transport: str, told: object
) -> None:
    command(told)
    with pytest.raises(ConfigurationError, match="credentials or settings are malformed"):
        clients_of_process(transport).s3_client()


@pytest.mark.parametrize("transport", [BOTO3, FAST])
@pytest.mark.parametrize("told", [b"{}", b"[]", b"5"])
def test_a_container_without_credentials_is_reported_when_the_client_is_created(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, transport: str, told: bytes
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    with WireServer(lambda _: answer(200, told)) as container:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{container.url}/role")
        with pytest.raises(ConfigurationError, match="credentials or settings are malformed"):
            clients_of_process(transport).s3_client()


@pytest.mark.parametrize("transport", [BOTO3, FAST])
@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({"Expiration": "2099-01-01T00:00:00"}, "TypeError"),  # botocore compares it with a time that has a zone
        ({"AccessKeyId": 5}, "MalformedCredentials"),
        ({"SessionToken": 5}, "MalformedCredentials"),
        ({"SecretAccessKey": ""}, "NoCredentialsError"),
    ],
)
def test_malformed_credentials_are_a_refusal(
    s3: WireServer,
    command: Callable[[object], None],
    transport: str,
    told: dict[str, object],
    code: str,
) -> None:
    command({**GIVEN, **told})
    error = refusal_of_a_write(s3, transport)
    assert (type(error), error.code) == (AccessDeniedError, code)


def test_credentials_that_are_already_expired_are_a_refusal(
    monkeypatch: pytest.MonkeyPatch, s3: WireServer, tmp_path: Path
) -> None:
    """From a command, or from any source on a machine whose clock is ahead."""
    (tmp_path / "given.json").write_text(json.dumps(ENDED), "utf-8")
    (tmp_path / "config").write_text(f"[default]\ncredential_process = cat {tmp_path}/given.json\n", "utf-8")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    error = refusal_of_a_write(s3)
    assert (type(error), error.code) == (AccessDeniedError, "ExpiredToken")


@pytest.mark.parametrize("name", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"])
def test_credentials_with_the_trailing_newline_of_a_file_are_a_refusal(
    monkeypatch: pytest.MonkeyPatch, s3: WireServer, name: str
) -> None:
    monkeypatch.setenv(name, "AKIAEXAMPLE\n")
    error = refusal_of_a_write(s3)
    assert (type(error), error.code) == (AccessDeniedError, "MalformedCredentials")


def test_a_client_that_does_not_sign_needs_no_credentials(s3: WireServer, token: Path) -> None:
    token.unlink()
    client = boto3.client(
        "s3", region_name="eu-central-1", endpoint_url=s3.url, config=Config(signature_version=UNSIGNED)
    )
    adopt(client)
    assert client.get_object(Bucket="agent-memory", Key="k")["ETag"] == '"x"'


def test_a_service_is_asked_for_credentials_once_per_request(
    monkeypatch: pytest.MonkeyPatch, s3: WireServer, tmp_path: Path
) -> None:
    """A command's credentials that expire soon are renewed for each request."""
    soon = (datetime.now(UTC) + timedelta(minutes=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    (tmp_path / "given.json").write_text(json.dumps({**ENDED, "Expiration": soon}), "utf-8")
    command = f"sh -c 'echo asked >> {tmp_path}/asked; cat {tmp_path}/given.json'"
    (tmp_path / "config").write_text(f"[default]\ncredential_process = {command}\n", "utf-8")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    client = PROCESS.s3_client(endpoint_url=s3.url)
    asked = tmp_path / "asked"
    before = len(asked.read_text().splitlines())
    for _ in range(3):
        client.put_object(Bucket="agent-memory", Key="k", Body=b"x")
    assert len(asked.read_text().splitlines()) == before + 3
