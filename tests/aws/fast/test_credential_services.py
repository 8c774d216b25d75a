"""Credentials that botocore requests from a service: web identity and single sign-on, with stand-ins on loopback."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from botocore.tokens import SSOTokenProvider
from support.wire_server import Close, Received, Reply, WireServer, answer

from s3memory import forget_clients
from s3memory.aws.errors import RequestError, RequestOutcome
from s3memory.aws.fast.clients import FastClients, Reach
from s3memory.aws.fast.surroundings import look_around

ROLE = "arn:aws:iam::123456789012:role/agent"
LATER = "2099-01-01T00:00:00Z"


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process without credentials in its environment."""
    forget_clients()
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)


def soon() -> str:
    return (datetime.now(UTC) + timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%SZ")


def given(operation: str, access_key: str, expiration: str) -> bytes:
    """Return STS's response with credentials."""
    body = f"""<{operation}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
        <{operation}Result>
          <AssumedRoleUser><Arn>{ROLE}</Arn><AssumedRoleId>x</AssumedRoleId></AssumedRoleUser>
          <Credentials><AccessKeyId>{access_key}</AccessKeyId><SecretAccessKey>s</SecretAccessKey>
            <SessionToken>t</SessionToken><Expiration>{expiration}</Expiration></Credentials>
        </{operation}Result></{operation}Response>"""
    return answer(200, body.encode())


def refused(status: int, code: str) -> bytes:
    body = f"<ErrorResponse><Error><Code>{code}</Code><Message>by the test</Message></Error></ErrorResponse>"
    return answer(status, body.encode())


def assert_a_write_is_not_sent(outcome: RequestOutcome, code: str) -> None:
    """Assert that the error is about credentials, and says that nothing was done."""
    with WireServer(lambda _: answer(ETag='"x"')) as s3:
        client = FastClients(Reach()).s3_client(endpoint_url=s3.url)
        with pytest.raises(RequestError, match=code) as caught:
            client.put_object(Bucket="agent-memory", Key="k", Body=b"x")
    assert caught.value.outcome is outcome
    assert s3.received == []


class TestWebIdentity:
    @pytest.fixture
    def token(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
        file = tmp_path / "token"
        file.write_text("first-token", "utf-8")
        monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(file))
        monkeypatch.setenv("AWS_ROLE_ARN", ROLE)
        return file

    def test_the_token_is_exchanged_and_again_before_the_credentials_expire(
        self, monkeypatch: pytest.MonkeyPatch, token: Path
    ) -> None:
        replies = [
            given("AssumeRoleWithWebIdentity", "AKIDFIRST", soon()),
            given("AssumeRoleWithWebIdentity", "AKIDSECOND", LATER),
        ]
        with WireServer(lambda _: replies[len(sts.received) - 1]) as sts:
            monkeypatch.setenv("AWS_ENDPOINT_URL_STS", sts.url)
            keys = look_around().keys
            assert keys().access_key == "AKIDFIRST"
            token.write_text("second-token", "utf-8")
            assert [keys().access_key for _ in range(3)] == ["AKIDSECOND"] * 3
        asked = [parse_qs(one.body.decode()) for one in sts.received]
        assert [(one["Action"], one["RoleArn"], one["WebIdentityToken"]) for one in asked] == [
            (["AssumeRoleWithWebIdentity"], [ROLE], ["first-token"]),
            (["AssumeRoleWithWebIdentity"], [ROLE], ["second-token"]),
        ]
        assert [one.header("authorization") for one in sts.received] == [None, None]

    @pytest.mark.usefixtures("token")
    def test_requests_are_signed_with_the_returned_credentials(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with (
            WireServer(lambda _: given("AssumeRoleWithWebIdentity", "AKIDFIRST", LATER)) as sts,
            WireServer(lambda _: answer(404)) as s3,
        ):
            monkeypatch.setenv("AWS_ENDPOINT_URL_STS", sts.url)
            client = FastClients(Reach()).s3_client(endpoint_url=s3.url)
            with pytest.raises(RequestError, match="404"):
                client.head_object(Bucket="agent-memory", Key="k")
        assert "Credential=AKIDFIRST/" in (s3.received[0].header("authorization") or "")
        assert s3.received[0].header("x-amz-security-token") == "t"

    @pytest.mark.usefixtures("token")
    @pytest.mark.parametrize(
        ("reply", "outcome", "code"),
        [
            (refused(403, "AccessDenied"), RequestOutcome.DENIED, "AccessDenied"),
            (refused(400, "ExpiredTokenException"), RequestOutcome.DENIED, "ExpiredTokenException"),
            (refused(404, "NoSuchKey"), RequestOutcome.FAILED, "NoSuchKey"),
            (refused(412, "PreconditionFailed"), RequestOutcome.FAILED, "PreconditionFailed"),
            (refused(500, "InternalError"), RequestOutcome.NOT_DONE, "InternalError"),
            (Close(), RequestOutcome.NOT_DONE, "ConnectionClosedError"),
        ],
        ids=["denied", "expired", "404", "412", "500", "no answer"],
    )
    def test_whatever_sts_answers_the_request_that_needed_credentials_was_not_sent(
        self, monkeypatch: pytest.MonkeyPatch, reply: Reply, outcome: RequestOutcome, code: str
    ) -> None:
        """A response from STS says nothing about an object, and no outcome is unknown."""
        with WireServer(lambda _: reply) as sts:
            monkeypatch.setenv("AWS_ENDPOINT_URL_STS", sts.url)
            assert_a_write_is_not_sent(outcome, code)

    def test_a_missing_token_file_is_reported(self, monkeypatch: pytest.MonkeyPatch, token: Path) -> None:
        token.unlink()
        monkeypatch.setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:9")
        assert_a_write_is_not_sent(RequestOutcome.DENIED, "FileNotFoundError")


class TestRoles:
    def test_of_a_profile_are_assumed_in_the_region_of_a_variable_that_boto3_ignores(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.delenv("AWS_DEFAULT_REGION")
        monkeypatch.setenv("AWS_REGION", "eu-west-1")
        (tmp_path / ".aws").mkdir()
        of_role = f"[default]\nrole_arn = {ROLE}\nsource_profile = source\n"
        of_source = "[profile source]\naws_access_key_id = AKIDSOURCE\naws_secret_access_key = s\n"
        (tmp_path / ".aws/config").write_text(of_role + of_source, "utf-8")
        with WireServer(lambda _: given("AssumeRole", "AKIDOFTHEROLE", LATER)) as sts:
            monkeypatch.setenv("AWS_ENDPOINT_URL_STS", sts.url)
            found = look_around()
            assert (found.region, found.keys().access_key) == ("eu-west-1", "AKIDOFTHEROLE")
        assert "/eu-west-1/sts/" in (sts.received[0].header("authorization") or "")


class TestSingleSignOn:
    @pytest.fixture
    def signed_in(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
        """A profile of IAM Identity Center, and a login as by ``aws sso login`` whose token is valid until then."""

        # botocore looks up the home directory once, when it is imported.
        monkeypatch.setattr(SSOTokenProvider, "_SSO_TOKEN_CACHE_DIR", str(tmp_path / ".aws/sso/cache"))

        def sign_in(until: str) -> None:
            (tmp_path / ".aws/sso/cache").mkdir(parents=True)
            lines = [
                "[default]",
                "sso_session = work",
                "sso_account_id = 123456789012",
                "sso_role_name = agent",
                "[sso-session work]",
                "sso_region = eu-central-1",
                "sso_start_url = https://work.awsapps.com/start",
            ]
            (tmp_path / ".aws/config").write_text("\n".join(lines), "utf-8")
            name = hashlib.sha1(b"work", usedforsecurity=False).hexdigest()
            token = {"accessToken": "of-the-login", "expiresAt": until, "region": "eu-central-1"}
            (tmp_path / f".aws/sso/cache/{name}.json").write_text(json.dumps(token), "utf-8")

        return sign_in

    @staticmethod
    def given(received: Received) -> bytes:
        assert received.header("x-amz-sso_bearer_token") == "of-the-login"
        milliseconds = 4_070_908_800_000  # in 2099
        credentials: dict[str, Any] = {"accessKeyId": "AKIDSSO", "secretAccessKey": "s", "sessionToken": "t"}
        return answer(200, json.dumps({"roleCredentials": {**credentials, "expiration": milliseconds}}).encode())

    def test_the_login_is_exchanged_for_credentials_of_the_role(
        self, monkeypatch: pytest.MonkeyPatch, signed_in: Callable[[str], None]
    ) -> None:
        signed_in(LATER)
        with WireServer(self.given) as sso:
            monkeypatch.setenv("AWS_ENDPOINT_URL_SSO", sso.url)
            keys = look_around().keys
            assert (keys().access_key, keys().token) == ("AKIDSSO", "t")
        (received,) = sso.received
        parts = urlsplit(received.target)
        assert parts.path == "/federation/credentials"
        assert parse_qs(parts.query) == {"account_id": ["123456789012"], "role_name": ["agent"]}

    def test_without_a_valid_login_nothing_is_sent(self, signed_in: Callable[[str], None]) -> None:
        signed_in("2020-01-01T00:00:00Z")
        assert_a_write_is_not_sent(RequestOutcome.DENIED, "TokenRetrievalError")

    def test_if_the_service_no_longer_knows_the_login_nothing_is_sent(
        self, monkeypatch: pytest.MonkeyPatch, signed_in: Callable[[str], None]
    ) -> None:
        signed_in(LATER)
        body = b'{"message": "Session token not found or invalid"}'
        with WireServer(lambda _: answer(401, body, x_amzn_errortype="UnauthorizedException")) as sso:
            monkeypatch.setenv("AWS_ENDPOINT_URL_SSO", sso.url)
            assert_a_write_is_not_sent(RequestOutcome.DENIED, "UnauthorizedSSOTokenError")
