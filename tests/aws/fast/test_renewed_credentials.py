"""A tenant's credentials on the second transport: requested once from STS, renewed in time, kept while valid."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fast_clients import sts_at
from support.wire_server import WireServer, answer, error_answer

from s3memory import TenantSessions
from s3memory.aws.errors import AnswerError, RequestError, RequestOutcome, TenantCredentialsError
from s3memory.aws.fast.renewed_credentials import RenewedKeys
from s3memory.aws.tenant_credentials import CredentialSource
from s3memory.errors import ConfigurationError


class Sts:
    """Returns numbered credentials with a given lifetime, or an error."""

    def __init__(self, minutes: float = 60.0) -> None:
        self.minutes = minutes
        self.error: Exception | None = None
        self.asked = 0
        self.held: threading.Event | None = None

    def assume_role(self, **_: Any) -> Any:
        self.asked += 1
        if self.held is not None:
            self.held.wait(20)
        if self.error is not None:
            raise self.error
        return {
            "Credentials": {
                "AccessKeyId": f"ASIA{self.asked}",
                "SecretAccessKey": "s",
                "SessionToken": "t",
                "Expiration": datetime.now(UTC) + timedelta(minutes=self.minutes),
            }
        }


def keys_of(sts: Any) -> RenewedKeys:
    return RenewedKeys(CredentialSource(sts, {}))


DENIED = AnswerError(status=403, code="AccessDenied")


def test_credentials_are_requested_when_first_needed_and_not_again_while_they_are_valid() -> None:
    sts = Sts()
    keys = keys_of(sts)
    assert sts.asked == 0
    assert {keys().access_key for _ in range(5)} == {"ASIA1"}
    assert "ASIA" not in repr(keys())


@pytest.mark.parametrize("minutes", [14, 9])
def test_credentials_are_renewed_before_they_expire(minutes: float) -> None:
    sts = Sts(minutes)
    keys = keys_of(sts)
    keys()
    sts.minutes = 60
    assert (keys().access_key, keys().access_key) == ("ASIA2", "ASIA2")


def test_the_old_credentials_are_used_while_sts_returns_no_new_ones() -> None:
    sts = Sts(5)
    keys = keys_of(sts)
    keys()
    sts.error = DENIED
    assert {keys().access_key for _ in range(3)} == {"ASIA1"}
    assert sts.asked == 2  # and is not asked again for a while


def test_without_old_credentials_the_request_that_needs_them_is_not_sent() -> None:
    sts = Sts()
    sts.error = DENIED
    with pytest.raises(TenantCredentialsError, match="AssumeRole: AccessDenied") as caught:
        keys_of(sts)()
    assert caught.value.outcome is RequestOutcome.DENIED


def test_threads_share_one_request() -> None:
    sts = Sts()
    keys = keys_of(sts)
    threads = [threading.Thread(target=keys) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sts.asked == 1


def test_no_thread_waits_for_a_renewal_while_there_is_time() -> None:
    sts = Sts(14)
    keys = keys_of(sts)
    keys()
    sts.held = threading.Event()
    renewing = threading.Thread(target=keys)
    renewing.start()
    while sts.asked < 2:  # until the renewal has started
        pass
    assert keys().access_key == "ASIA1"
    sts.held.set()
    renewing.join()


def test_a_forked_child_does_not_wait_for_a_thread_of_its_parent() -> None:
    keys = keys_of(Sts())
    keys._lock.acquire()
    keys.reset_after_fork()
    assert keys().access_key == "ASIA1"


ANSWER = b"""<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>ASIAX</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>
<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"""
LONG_CODES = b'<?xml version="1.0" encoding="Shift_JIS"?><html/>'
REFUSAL = b"""<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>
<Code>AccessDenied</Code><Message>arn:aws:iam::1:role/x</Message></Error></ErrorResponse>"""


def test_a_response_from_sts_is_read_and_its_text_is_not_kept() -> None:
    with WireServer(lambda _: answer(200, ANSWER)) as server:
        given = sts_at(server.url).assume_role(RoleArn="r", RoleSessionName="n", Tags=[{"Key": "k", "Value": "ä&="}])
        assert given["Credentials"]["AccessKeyId"] == "ASIAX"
        assert given["Credentials"]["Expiration"] == datetime(2099, 1, 1, tzinfo=UTC)
        assert b"Tags.member.1.Value=%C3%A4%26%3D" in server.received[0].body
        server.reply = lambda _: answer(403, REFUSAL)
        with pytest.raises(AnswerError) as caught:
            sts_at(server.url).assume_role(RoleArn="r", RoleSessionName="n")
        assert (str(caught.value), caught.value.outcome) == ("AccessDenied", RequestOutcome.DENIED)
        server.reply = lambda _: answer(403, LONG_CODES)
        with pytest.raises(AnswerError, match="403"):
            sts_at(server.url).assume_role(RoleArn="r", RoleSessionName="n")
        endless = ANSWER.replace(b"2099-01-01T00:00:00Z", b"1e300")
        for unreadable in (b"", b"<a", b"<AssumeRoleResponse/>", LONG_CODES, endless, ANSWER.replace(b"ASIAX", b"")):
            server.reply = lambda _, unreadable=unreadable: answer(200, unreadable)  # type: ignore[misc]
            with pytest.raises(RequestError, match="ResponseParserError"):
                sts_at(server.url).assume_role(RoleArn="r", RoleSessionName="n")
        server.reply = lambda _: error_answer(500, "InternalFailure")
        with pytest.raises(AnswerError, match="InternalFailure"):
            sts_at(server.url).assume_role(RoleArn="r", RoleSessionName="n")


def test_sessions_of_different_transports_are_not_equal() -> None:
    role = "arn:aws:iam::123456789012:role/tenant"
    ours, theirs = (TenantSessions(role, transport=transport).for_tenant("acme") for transport in ("fast", "boto3"))
    assert ours != theirs
    with pytest.raises(ConfigurationError, match="transport must be"):
        TenantSessions(role, transport="slow")
