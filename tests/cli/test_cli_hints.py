"""Who types a command is told which setting to look at, where the code of an error tells it. A model is not."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from ssl import CertificateError

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import (
    ClientError,
    EndpointConnectionError,
    EndpointResolutionError,
    HTTPClientError,
    NoCredentialsError,
    ProxyConnectionError,
    SSLError,
    SSOTokenLoadError,
    UnauthorizedSSOTokenError,
)
from support.cli_runs import Run
from support.for_each import for_each

from s3memory import LocalKeyWrapper, MemoryCommands
from s3memory.aws.errors import RequestError, RequestOutcome, TenantCredentialsError, to_backend_error, unreadable
from s3memory.cli.ending import hint_for
from s3memory.errors import NotFoundError
from s3memory.s3.attempts import outcome_unknown


def refusal(code: str) -> Exception:
    return ClientError({"Error": {"Code": code}}, "GetObject")


@pytest.fixture
def missing_bucket(monkeypatch: pytest.MonkeyPatch, bucket: str) -> str:
    """A setting with a typing error in it."""
    monkeypatch.setenv("S3MEMORY_BUCKET", f"{bucket}-1")
    monkeypatch.setenv("S3MEMORY_LOCAL_KEY", LocalKeyWrapper.generate_key_text())
    monkeypatch.setenv("S3MEMORY_TENANT", "acme")
    return f"{bucket}-1"


@pytest.mark.parametrize(
    "line", ["ls", "verify", "tenants", "repair", "erase --tenant acme --dry-run", "history /memories/a", "doctor"]
)
def test_a_bucket_that_is_not_there_leads_to_its_setting(run: Run, missing_bucket: str, line: str) -> None:
    ran = run(*line.split())
    assert ran.exit_code == 3
    assert "see S3MEMORY_BUCKET" in ran.err
    # What destroys says first where that would be.
    assert missing_bucket not in "".join(line for line in ran.err.splitlines() if line.startswith("s3memory:"))


@pytest.mark.parametrize("value", ["", "false"])
def test_an_archived_memory_does_not_lead_to_a_setting_that_is_not_in_force(
    run: Run, settings: None, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    MemoryCommands.from_env().create("/memories/a", "text")
    assert run("archive").exit_code == 0
    monkeypatch.setenv("S3MEMORY_READ_ONLY", value)
    ran = run("expire", "--older-than", "90d", "--dry-run")
    assert ran.err.endswith("s3memory: This memory is archived: it can be read, not changed. Nothing was changed.\n")


@pytest.mark.usefixtures("missing_bucket")
def test_the_program_that_runs_a_tool_call_reads_which_setting_to_check_and_the_model_does_not(run: Run) -> None:
    ran = run("call", json.dumps({"command": "view", "path": "/memories"}))
    assert ran.exit_code == 1
    assert "S3MEMORY" not in ran.out
    assert re.fullmatch(
        r"s3memory: a memory command failed: \w+ \(\w+\)\. There is no such .* see S3MEMORY_\w+.*\n", ran.err
    )


@pytest.mark.usefixtures("missing_bucket")
def test_an_error_that_is_for_the_model_alone_is_not_repeated(run: Run) -> None:
    ran = run("call", json.dumps({"command": "look", "path": "/memories"}))
    assert (ran.exit_code, ran.err) == (1, "")


def hint_of(cause: Exception) -> str:
    error = to_backend_error(cause)
    error.__cause__ = cause
    return hint_for(error)


def test_people_read_how_a_write_ended_of_which_nothing_is_known() -> None:
    assert hint_for(outcome_unknown(refusal("SlowDown"))) == " The last attempt ended with SlowDown."
    assert hint_for(outcome_unknown(None)) == ""


def without_credentials(code: str) -> Exception:
    return TenantCredentialsError(
        code=TenantCredentialsError.meaning_of(refusal(code))[0], outcome=RequestOutcome.DENIED
    )


@for_each(
    ("code", "named"),
    [
        ("NotFoundException", "S3MEMORY_KMS_KEY_ID"),
        ("ResourceNotFoundException", "S3MEMORY_KEY_RING_TABLE"),
        ("DisabledException", "S3MEMORY_KMS_KEY_ID"),
        ("KMSInvalidStateException", "S3MEMORY_KMS_KEY_ID"),
        ("NoSuchAccessPoint", "S3MEMORY_BUCKET"),
        ("ExpiredToken", "aws sso login"),
        ("ExpiredTokenException", "aws sso login"),
        ("RequestTimeTooSkewed", "clock"),
        ("SignatureDoesNotMatch", "clock"),
        ("InvalidSignatureException", "clock"),
        ("InvalidAccessKeyId", "AWS_ACCESS_KEY_ID"),
        ("InvalidClientTokenId", "AWS_REGION"),
        ("UnrecognizedClientException", "AWS_REGION"),
        ("AuthorizationHeaderMalformed", "AWS_REGION"),
        ("PermanentRedirect", "AWS_REGION"),
    ],
)
def test_each_code_leads_to_what_sets_it(code: str, named: str) -> None:
    assert named in hint_of(refusal(code))


@for_each(
    ("cause", "named"),
    [
        (NoCredentialsError(), "AWS_PROFILE"),
        (SSOTokenLoadError(error_msg="by the test"), "aws sso login"),
        (UnauthorizedSSOTokenError(), "aws sso login"),
        (RequestError(code="EndpointConnectionError", outcome=RequestOutcome.NOT_DONE), "AWS_REGION"),
        (RequestError(code="ConnectTimeoutError", outcome=RequestOutcome.NOT_DONE), "AWS_REGION"),
        (RequestError(code="FileNotFoundError", outcome=RequestOutcome.DENIED), "AWS_WEB_IDENTITY_TOKEN_FILE"),
        (RequestError(code="IsADirectoryError", outcome=RequestOutcome.DENIED), "AWS_WEB_IDENTITY_TOKEN_FILE"),
        (RequestError(code="PermissionError", outcome=RequestOutcome.DENIED), "AWS_WEB_IDENTITY_TOKEN_FILE"),
        (SSLError(endpoint_url="https://s3.eu-west-1.amazonaws.com", error=CertificateError()), "AWS_CA_BUNDLE"),
        (HTTPClientError(error=ValueError("of http://user:password@proxy")), "HTTPS_PROXY"),
        (ProxyConnectionError(proxy_url="http://user:password@proxy"), "HTTPS_PROXY"),
        (ProxyConnectionError(proxy_url="http://user:password@proxy"), "HTTP_PROXY for a server without TLS"),
        (
            EndpointResolutionError(msg="Custom endpoint `ftp://user:password@host` was not a valid URI"),
            "AWS_ENDPOINT_URL",
        ),
    ],
)
def test_so_does_what_never_reached_aws(cause: Exception, named: str) -> None:
    assert named in hint_of(cause)
    assert "password" not in hint_of(cause)


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("AccessDenied", "S3MEMORY_TENANT_ROLE_ARN"),
        ("ExpiredToken", "aws sso login"),
        ("SignatureDoesNotMatch", "clock"),
    ],
)
def test_a_refusal_of_stss_leads_to_what_asked_it(code: str, named: str) -> None:
    assert named in hint_of(without_credentials(code))


@pytest.mark.parametrize("code", ["EndpointConnectionError", "ConnectTimeoutError"])
def test_an_sts_that_can_not_be_reached_leads_to_the_network(code: str) -> None:
    cause = TenantCredentialsError(code=f"AssumeRole: {code}", outcome=RequestOutcome.NOT_DONE)
    assert "an STS endpoint" in hint_of(cause)


@pytest.mark.parametrize("service", ["S3", "KMS", "STS", "DYNAMODB"])
def test_an_address_without_an_answer_leads_to_what_sets_it(monkeypatch: pytest.MonkeyPatch, service: str) -> None:
    monkeypatch.setenv(f"AWS_ENDPOINT_URL_{service}", "http://127.0.0.1:9/")
    hint = hint_of(EndpointConnectionError(endpoint_url="http://127.0.0.1:9/"))
    assert hint == f" No answer from http://127.0.0.1:9: see AWS_ENDPOINT_URL_{service}."


def test_an_answer_that_is_none_of_s3s_leads_to_the_address() -> None:
    def hint(code: str, operation: str) -> str:
        cause = ClientError({"Error": {"Code": code}}, operation)
        error = to_backend_error(cause)
        error.__cause__ = cause
        return hint_for(error)

    assert "see S3MEMORY_ENDPOINT_URL" in hint("404", "GetObject")
    assert hint("400", "HeadObject") == hint("NoSuchUpload", "GetObject") == ""


@pytest.mark.parametrize("code", ["ResponseParserError", "EndpointConnectionError"])
def test_where_kms_may_be_meant_as_well_as_s3_both_addresses_are_named(code: str) -> None:
    hint = hint_of(RequestError(code=code, outcome=RequestOutcome.UNKNOWN))
    assert "S3MEMORY_ENDPOINT_URL" in hint
    assert "S3MEMORY_KMS_ENDPOINT_URL" in hint


def test_what_may_have_any_reason_leads_nowhere() -> None:
    for cause in (refusal("AccessDenied"), refusal("SlowDown")):
        error = to_backend_error(cause)
        error.__cause__ = cause
        assert hint_for(error) == ""
    assert hint_for(NotFoundError("nothing is stored")) == ""


@pytest.mark.parametrize(
    "cause", [refusal(""), refusal("404"), unreadable()], ids=["no code", "a status", "a web page"]
)
def test_an_answer_that_is_not_s3s_leads_to_the_address_and_to_proxies(cause: Exception) -> None:
    error = to_backend_error(cause)
    error.__cause__ = cause
    assert "S3MEMORY_ENDPOINT_URL" in hint_for(error)
    assert "any proxy" in hint_for(error)


@pytest.mark.skipif(sys.platform != "linux", reason="it counts the open files as Linux lists them")
def test_a_process_with_too_many_files_open_is_told_so_and_blames_no_server() -> None:
    import resource  # noqa: PLC0415 - which Windows lacks

    client = boto3.client("s3", endpoint_url="http://127.0.0.1:9", config=Config(retries={"total_max_attempts": 1}))

    def failure() -> Exception:
        with pytest.raises(EndpointConnectionError) as caught:
            client.get_object(Bucket="agent-memory", Key="a")
        return caught.value

    assert "No answer from http://127.0.0.1:9" in hint_of(failure())
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Path(os.devnull).open() as first_unused:
        limit = first_unused.fileno()
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, before[1]))
    try:
        cause = failure()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert str(to_backend_error(cause)) == (
        "The memory store is not available right now (EMFILE). Nothing was changed. Try again later."
    )
    assert hint_of(cause) == " This process has too many files and connections open: raise its limit (ulimit -n)."
