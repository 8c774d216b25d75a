"""A session for each tenant: its own credentials, requested once, renewed in time, and no fallback."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from anthropic.lib.tools import ToolError
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError
from hypothesis import given
from hypothesis import strategies as st
from support.faults import ANSWER_LOST, FaultLayer

from s3memory import (
    KmsKeyWrapper,
    LocalKeyWrapper,
    MemoryCommands,
    MemoryStore,
    S3MemoryTool,
    TenantSessions,
    _forks,
    forget_keys,
)
from s3memory.aws import clients
from s3memory.aws.errors import RequestOutcome, TenantCredentialsError
from s3memory.aws.retry import RetryPolicy, has_time_for
from s3memory.aws.tenant_credentials import CredentialSource
from s3memory.aws.tenant_sessions import role_session_name
from s3memory.errors import AccessDeniedError, BackendError, ConfigurationError, OutcomeUnknownError, UnavailableError
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import check_tenant

ROLE_ARN = "arn:aws:iam::123456789012:role/agent-memory-tenant"
OTHER_ROLE_ARN = "arn:aws:iam::123456789012:role/other-tenant"
FILE = "/memories/a"
NONE = "none"  # none of the thousands of buckets that other tests have created
HOUR = timedelta(hours=1)


class FakeSts:
    """An STS that returns different credentials to each caller, with the lifetime and errors that a test wants."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.lifetimes: list[timedelta] = []
        self.failure: Exception | None = None

    def assume_role(self, **request: Any) -> dict[str, Any]:
        self.requests.append(request)
        if self.failure is not None:
            raise self.failure
        lifetime = self.lifetimes.pop(0) if self.lifetimes else HOUR
        number = len(self.requests)
        return {
            "Credentials": {
                "AccessKeyId": f"ASIA{number:012}",
                "SecretAccessKey": "secret",
                "SessionToken": "token",
                "Expiration": datetime.now(UTC) + lifetime,
            }
        }


def refusal(code: str = "AccessDenied", status: int = 403) -> ClientError:
    message = (
        f"User: arn:aws:sts::123456789012:assumed-role/f/f is not authorized to perform sts:TagSession on {ROLE_ARN}"
    )
    response: Any = {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "AssumeRole")


@pytest.fixture
def sts() -> FakeSts:
    return FakeSts()


@pytest.fixture
def make_sessions(sts: FakeSts) -> Callable[..., TenantSessions]:
    def make(role_arn: str = ROLE_ARN, **more: Any) -> TenantSessions:
        arguments: dict[str, Any] = {"sts_client": sts, **more}
        return TenantSessions(role_arn, **arguments)

    return make


@pytest.fixture
def sessions(make_sessions: Callable[..., TenantSessions]) -> TenantSessions:
    return make_sessions()


@pytest.fixture
def make_commands(bucket: str, key_wrapper: LocalKeyWrapper, sessions: TenantSessions) -> Callable[..., MemoryCommands]:
    def make(**more: Any) -> MemoryCommands:
        arguments = {"key_wrapper": key_wrapper, "tenant": "acme", "tenant_sessions": sessions, **more}
        return MemoryCommands(MemoryStore(bucket=bucket, **arguments))

    return make


def kms_key() -> str:
    return boto3.client("kms").create_key()["KeyMetadata"]["KeyId"]


class Signatures:
    """The access keys that sign a client's requests."""

    def __init__(self, *watched: Any) -> None:
        self._watched = watched
        self.access_keys: list[str] = []

    def __enter__(self) -> list[str]:
        for client in self._watched:
            client.meta.events.register_first("before-send", self._note)
        return self.access_keys

    def __exit__(self, *_: object) -> None:
        for client in self._watched:
            client.meta.events.unregister("before-send", self._note)

    def _note(self, request: Any, **_: object) -> None:
        authorization = request.headers["Authorization"]
        found = re.search(
            r"Credential=([^/]+)/", authorization if isinstance(authorization, str) else authorization.decode()
        )
        assert found is not None
        self.access_keys.append(found[1])


def test_a_tenants_requests_to_s3_and_kms_are_signed_with_its_credentials_from_sts(
    make_commands: Callable[..., MemoryCommands], sessions: TenantSessions, sts: FakeSts
) -> None:
    acme = sessions.for_tenant("acme")
    commands = make_commands(key_wrapper=KmsKeyWrapper(kms_key()))
    with Signatures(acme.s3_client(), acme.kms_client()) as access_keys:
        commands.create(FILE, "x")
    assert set(access_keys) == {"ASIA000000000001"}
    assert len(access_keys) == 7  # the key ring looked for, created, opened and stored, then the file
    assert sts.requests == [
        {
            "RoleArn": ROLE_ARN,
            "RoleSessionName": "acme@s3memory",
            "Tags": [{"Key": "tenant", "Value": "acme"}],
            "DurationSeconds": 3600,
        }
    ]


def test_sts_accepts_the_request_and_its_credentials_are_used(
    bucket: str, key_wrapper: LocalKeyWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients.forget_clients()
    sessions = TenantSessions(
        ROLE_ARN, external_id="of-a-customer", session_policy={"Version": "2012-10-17", "Statement": []}
    )
    answers: list[Any] = []
    sts_client = clients.PROCESS.sts_client()
    sts_client.meta.events.register("after-call.sts.AssumeRole", lambda parsed, **_: answers.append(parsed))
    store = MemoryStore(bucket=bucket, tenant="acme", key_wrapper=key_wrapper, tenant_sessions=sessions)
    with Signatures(sessions.for_tenant("acme").s3_client()) as access_keys:
        MemoryCommands(store).create(FILE, "x")
    assert {answer["Credentials"]["AccessKeyId"] for answer in answers} == set(access_keys)
    assert answers[0]["AssumedRoleUser"]["Arn"].endswith(":assumed-role/agent-memory-tenant/acme@s3memory")
    assert len(answers) == 1


def test_creating_sessions_clients_and_stores_sends_no_request(
    make_commands: Callable[..., MemoryCommands], sts: FakeSts
) -> None:
    make_commands()
    assert sts.requests == []


@pytest.mark.parametrize(
    "tenant", ["", "a/b", "a b", "ä", "-a", ".", "a..b", "*", "${aws:userid}", "a" * 65, None, b"acme"]
)
def test_an_invalid_tenant_is_refused_before_anything_is_sent(
    sessions: TenantSessions, sts: FakeSts, tenant: Any
) -> None:
    with pytest.raises(ConfigurationError, match="tenant must be"):
        sessions.for_tenant(tenant)
    assert sts.requests == []


TENANTS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True).filter(lambda name: ".." not in name)


@given(TENANTS)
def test_a_session_is_named_after_its_tenant_in_allowed_characters(tenant: str) -> None:
    name = role_session_name(check_tenant(tenant))
    assert re.fullmatch(r"[\w+=,.@-]{2,64}", name, re.ASCII)
    assert name.partition("@")[0] == tenant


@pytest.mark.parametrize(
    "change",
    [
        {"role_arn": ""},
        {"duration_seconds": 1799},  # botocore would renew them at every request
        {"duration_seconds": 43201},
        {"max_tenants": 0},
        {"session_policy": {"Statement": object()}},
        {"session_policy": '{"Version": "2012-10-17", "Statement": []}'},
        {"session_policy": {"Statement": "x" * 2048}},
    ],
)
def test_a_malformed_argument_is_refused(make_sessions: Callable[..., TenantSessions], change: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        make_sessions(**change)


def test_a_client_together_with_tenant_sessions_is_refused(
    make_commands: Callable[..., MemoryCommands], s3: Any
) -> None:
    with pytest.raises(ConfigurationError, match="s3_client or tenant_sessions"):
        make_commands(s3_client=s3)
    with pytest.raises(ConfigurationError, match="kms_client or tenant_sessions"):
        make_commands(key_wrapper=KmsKeyWrapper("alias/k", kms_client=boto3.client("kms")))


class TestOneRequestToStsForManyUses:
    def test_threads_of_one_tenant_share_one_request_to_sts(self, sessions: TenantSessions, sts: FakeSts) -> None:
        together = threading.Barrier(8)
        access_keys: list[str] = []

        def use() -> None:
            together.wait()
            session = sessions.for_tenant("acme")
            with Signatures(session.s3_client()) as signed:
                session.s3_client().list_buckets(Prefix=NONE)
            access_keys.extend(signed)

        threads = [threading.Thread(target=use) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(sts.requests) == 1
        assert set(access_keys) == {"ASIA000000000001"}

    def test_each_tenant_has_its_own_credentials(self, sessions: TenantSessions, sts: FakeSts) -> None:
        for tenant in ("acme", "globex", "acme"):
            sessions.for_tenant(tenant).s3_client().list_buckets(Prefix=NONE)
        assert [request["Tags"][0]["Value"] for request in sts.requests] == ["acme", "globex"]

    def test_the_least_recently_used_tenant_is_evicted(
        self, make_sessions: Callable[..., TenantSessions], sts: FakeSts
    ) -> None:
        sessions = make_sessions(max_tenants=2)
        for tenant in ("a", "b", "a", "c", "a", "b"):
            sessions.for_tenant(tenant).s3_client().list_buckets(Prefix=NONE)
        assert [request["Tags"][0]["Value"] for request in sts.requests] == ["a", "b", "c", "b"]
        assert repr(sessions) == "TenantSessions(<2 tenants>)"

    def test_a_tenants_key_ring_stays_unwrapped_when_its_clients_are_evicted(
        self, bucket: str, make_sessions: Callable[..., TenantSessions]
    ) -> None:
        sessions = make_sessions(max_tenants=1)
        wrapper, cache = KmsKeyWrapper(kms_key()), KeyCache()
        store: dict[str, Any] = {"bucket": bucket, "key_wrapper": wrapper, "key_cache": cache}
        for tenant in ("acme", "globex"):
            MemoryCommands(MemoryStore(tenant=tenant, tenant_sessions=sessions, **store)).create(FILE, tenant)
        again = MemoryCommands(MemoryStore(tenant="acme", tenant_sessions=sessions, **store))
        with FaultLayer(sessions.for_tenant("acme").kms_client()) as recorded:
            assert again.view(FILE).endswith("\tacme")
        assert recorded.requests == []
        assert repr(cache) == "KeyCache(<2 rings>)"

    def test_keys_unwrapped_for_one_tenant_or_role_are_not_used_for_another(
        self, make_sessions: Callable[..., TenantSessions]
    ) -> None:
        wrapper = KmsKeyWrapper("alias/k")
        sessions, others = make_sessions(), make_sessions(OTHER_ROLE_ARN)
        acme = wrapper.with_clients(sessions.for_tenant("acme"))
        assert acme == wrapper.with_clients(sessions.for_tenant("acme"))
        assert acme == wrapper.with_clients(make_sessions().for_tenant("acme"))
        unequal = {acme, wrapper, wrapper.with_clients(sessions.for_tenant("globex"))}
        unequal.add(wrapper.with_clients(others.for_tenant("acme")))
        assert len(unequal) == 4

    def test_sessions_share_the_loaded_service_models(self, sessions: TenantSessions) -> None:
        made_by: list[Any] = [vars(sessions._clients_of(tenant).source)["_make"] for tenant in ("acme", "globex")]
        one, other = (client_of.args[0] for client_of in made_by)
        assert one is not other
        default: Any = boto3.DEFAULT_SESSION
        assert one.get_component("data_loader") is default._session.get_component("data_loader")

    def test_a_boto3_session_of_the_tenant_does_not_change_shared_objects(self, sessions: TenantSessions) -> None:
        sessions.for_tenant("acme").s3_client()
        default: Any = boto3.DEFAULT_SESSION
        shared = default._session.get_component("data_loader")
        before = list(shared.search_paths)
        session = sessions.for_tenant("acme").boto3_session()
        credentials: Any = session.get_credentials()
        assert credentials.access_key == "ASIA000000000001"
        assert session.region_name == "eu-central-1"
        assert "TableNames" in session.client("dynamodb").list_tables()
        assert shared.search_paths == before


class TestRenewal:
    def test_credentials_are_renewed_before_they_expire(self, sessions: TenantSessions, sts: FakeSts) -> None:
        sts.lifetimes = [timedelta(minutes=14), HOUR]
        s3 = sessions.for_tenant("acme").s3_client()
        with Signatures(s3) as access_keys:
            for _ in range(3):
                s3.list_buckets(Prefix=NONE)
        assert access_keys == ["ASIA000000000001", "ASIA000000000002", "ASIA000000000002"]

    def test_if_a_renewal_fails_the_tenants_own_credentials_are_used_while_they_are_valid(
        self, sessions: TenantSessions, sts: FakeSts
    ) -> None:
        sts.lifetimes = [timedelta(minutes=14)]
        s3 = sessions.for_tenant("acme").s3_client()
        with Signatures(s3) as access_keys:
            s3.list_buckets(Prefix=NONE)
            sts.failure = refusal()
            s3.list_buckets(Prefix=NONE)
        assert access_keys == ["ASIA000000000001"] * 2
        assert len(sts.requests) == 2

    def test_no_other_credentials_are_used_when_they_have_expired_and_cannot_be_renewed(
        self, make_commands: Callable[..., MemoryCommands], sessions: TenantSessions, sts: FakeSts
    ) -> None:
        assert boto3.DEFAULT_SESSION is None or boto3.Session().get_credentials() is not None  # there are others
        commands = make_commands()
        sts.lifetimes = [timedelta(seconds=1)] * 5
        commands.create(FILE, "x")
        sts.failure = refusal()
        with Signatures(sessions.for_tenant("acme").s3_client()) as access_keys, pytest.raises(AccessDeniedError):
            commands.view(FILE)
        assert access_keys == []

    def test_a_failure_is_remembered_for_a_second_for_all_who_waited(self, sts: FakeSts) -> None:
        now = [100.0]
        source = CredentialSource(sts, {}, clock=lambda: now[0])  # type: ignore[arg-type]  # a fake
        sts.failure = refusal()
        credentials = source.credentials()
        for _ in range(5):
            with pytest.raises(TenantCredentialsError):
                credentials.get_frozen_credentials()
        assert len(sts.requests) == 1
        sts.failure = None
        now[0] += 1.0
        assert credentials.get_frozen_credentials().access_key == "ASIA000000000002"

    def test_a_failure_for_lack_of_time_is_not_passed_to_callers_with_more_time(self, sts: FakeSts) -> None:
        source = CredentialSource(sts, {}, clock=lambda: 100.0)  # type: ignore[arg-type]  # a fake
        sts.failure = ReadTimeoutError(endpoint_url="sts")
        with RetryPolicy(max_tries=1, remaining_seconds=lambda: 0.5).in_time():
            assert not has_time_for(1.0), "a repeat that the transport leaves out"
            with pytest.raises(TenantCredentialsError):
                source.fetched()
        sts.failure = None
        assert source.fetched()["access_key"] == "ASIA000000000002"

    @pytest.mark.parametrize("minutes", [14, 5], ids=["renewed early", "where botocore takes no failure"])
    def test_a_failed_renewal_is_not_retried_for_half_a_minute_while_the_old_credentials_are_valid(
        self, sts: FakeSts, caplog: pytest.LogCaptureFixture, minutes: int
    ) -> None:
        now = [100.0]
        source = CredentialSource(sts, {}, clock=lambda: now[0])  # type: ignore[arg-type]  # a fake
        sts.lifetimes = [timedelta(minutes=minutes)]
        credentials = source.credentials()
        assert credentials.get_frozen_credentials().access_key == "ASIA000000000001"
        sts.failure = ReadTimeoutError(endpoint_url="sts")
        for _ in range(29):
            assert credentials.get_frozen_credentials().access_key == "ASIA000000000001"
            now[0] += 1
        assert len(sts.requests) == 2
        assert caplog.messages == [
            "credentials of a tenant were not renewed (AssumeRole: ReadTimeoutError); the old ones are still valid"
        ]
        now[0] += 1
        sts.failure = None
        assert credentials.get_frozen_credentials().access_key == "ASIA000000000003"

    def test_credentials_are_renewed_in_one_short_attempt_and_first_requested_in_the_usual_ones(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[tuple[float, int]] = []
        lifetimes = [timedelta(minutes=14), HOUR]

        def answer(sts_client: Any, **_: Any) -> dict[str, Any]:
            config = sts_client.meta.config
            asked.append((config.read_timeout, config.retries["total_max_attempts"]))
            given = {"AccessKeyId": "ASIA", "SecretAccessKey": "s", "SessionToken": "t"}
            return {"Credentials": {**given, "Expiration": datetime.now(UTC) + lifetimes.pop(0)}}

        monkeypatch.setattr(clients.PROCESS.sts_client().__class__, "assume_role", answer)
        monkeypatch.setattr(clients.PROCESS.sts_client(hasty=True).__class__, "assume_role", answer)
        s3 = TenantSessions(ROLE_ARN).for_tenant("acme").s3_client()
        for _ in range(3):
            s3.list_buckets(Prefix=NONE)
        assert asked == [(clients.READ_TIMEOUT_SECONDS, clients.MAX_ATTEMPTS), (2.0, 1)]

    def test_credentials_that_are_already_expired_are_refused(
        self, make_commands: Callable[..., MemoryCommands], sts: FakeSts
    ) -> None:
        sts.lifetimes = [timedelta(seconds=-1)]
        with pytest.raises(AccessDeniedError, match="RequestTimeTooSkewed"):
            make_commands().view(FILE)


class TestRefusals:
    @pytest.mark.parametrize(
        "case",
        [
            (refusal(), AccessDeniedError, "AssumeRole: AccessDenied"),
            (refusal("ExpiredTokenException"), AccessDeniedError, "AssumeRole: ExpiredTokenException"),
            (refusal("Throttling", 400), UnavailableError, "AssumeRole: Throttling"),
            (refusal("InternalFailure", 500), UnavailableError, "AssumeRole: InternalFailure"),
            (EndpointConnectionError(endpoint_url="sts"), UnavailableError, "AssumeRole: EndpointConnectionError"),
            (ReadTimeoutError(endpoint_url="sts"), UnavailableError, "AssumeRole: ReadTimeoutError"),
        ],
    )
    def test_a_refusal_by_sts_is_an_error_of_the_command_that_names_no_resource(
        self,
        make_commands: Callable[..., MemoryCommands],
        sts: FakeSts,
        caplog: pytest.LogCaptureFixture,
        case: tuple[Exception, type[Exception], str],
    ) -> None:
        caplog.set_level(logging.INFO)
        sts.failure, expected, told = case
        commands = make_commands()
        calls: list[Callable[[], str]] = [
            lambda: commands.view(FILE),
            lambda: commands.create(FILE, "x"),
            lambda: commands.delete(FILE),
        ]
        for refused in calls:
            with pytest.raises(expected, match=re.escape(f"({told})")) as caught:
                refused()
            assert "Nothing was changed" in str(caught.value)
        assert "Refreshing temporary credentials failed" in caplog.text  # botocore's message, with a traceback
        assert "arn:" not in caplog.text
        assert "agent-memory" not in caplog.text

    def test_a_response_from_sts_that_means_missing_elsewhere_is_not_a_missing_file(
        self, make_commands: Callable[..., MemoryCommands], sts: FakeSts
    ) -> None:
        sts.failure = refusal("NoSuchKey", 404)
        with pytest.raises(BackendError, match="could not do this"):
            make_commands().view(FILE)

    def test_a_write_without_a_response_stays_unknown_if_its_second_attempt_gets_no_credentials(
        self,
        make_commands: Callable[..., MemoryCommands],
        sessions: TenantSessions,
        sts: FakeSts,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
        commands = make_commands()
        commands.create(FILE, "x")
        sts.lifetimes = [timedelta(seconds=59)] * 9
        sessions.forget()
        commands = make_commands()

        def fail_from_now_on() -> None:
            sts.failure = refusal()

        lost = replace(ANSWER_LOST, action=fail_from_now_on)
        with FaultLayer(sessions.for_tenant("acme").s3_client()) as faults:
            faults.hit("PutObject", lost)
            with pytest.raises(OutcomeUnknownError):
                commands.str_replace(FILE, "x", "y")
            assert faults.requests.count("PutObject") == 1

    def test_the_model_reads_no_arn(self, bucket: str, key_wrapper: LocalKeyWrapper, sts: FakeSts) -> None:
        sts.failure = refusal()
        sessions = TenantSessions(ROLE_ARN, sts_client=sts)  # type: ignore[arg-type]  # a fake
        tool = S3MemoryTool(bucket=bucket, tenant="acme", key_wrapper=key_wrapper, tenant_sessions=sessions)
        with pytest.raises(ToolError, match="AssumeRole: AccessDenied") as caught:
            tool.call({"command": "view", "path": "/memories"})
        assert "arn:" not in repr(caught.value)
        assert caught.value.__cause__ is None

    def test_every_reason_means_that_the_request_was_not_sent(self) -> None:
        reasons = [refusal(code, status) for code, status in [("412", 412), ("PreconditionFailed", 412), ("x", 500)]]
        outcomes = {TenantCredentialsError.meaning_of(reason)[1] for reason in reasons}
        assert outcomes <= {RequestOutcome.DENIED, RequestOutcome.NOT_DONE, RequestOutcome.FAILED}


class TestFromTheEnvironment:
    @pytest.fixture
    def environ(self, bucket: str) -> dict[str, str]:
        return {
            "S3MEMORY_BUCKET": bucket,
            "S3MEMORY_KMS_KEY_ID": kms_key(),
            "S3MEMORY_TENANT_ROLE_ARN": ROLE_ARN,
        }

    @pytest.fixture
    def assumed(self) -> Iterator[list[str]]:
        clients.forget_clients()
        tenants: list[str] = []

        def note(params: dict[str, Any], **_: object) -> None:
            tenants.append(params["body"]["Tags.member.1.Value"])

        clients.PROCESS.sts_client().meta.events.register("before-call.sts.AssumeRole", note)
        yield tenants
        clients.forget_clients()

    def test_each_tenants_tools_use_the_tenants_role_and_share_its_credentials(
        self, environ: dict[str, str], assumed: list[str]
    ) -> None:
        for tenant in ("acme", "globex", "acme"):
            S3MemoryTool.from_env(environ=environ, tenant=tenant).call({"command": "view", "path": "/memories"})
            MemoryCommands.from_env(environ=environ | {"S3MEMORY_TENANT": tenant}).view("/memories")
        assert assumed == ["acme", "globex"]

    def test_each_tenant_has_its_own_kms_key_if_the_variable_contains_a_placeholder(
        self, environ: dict[str, str], assumed: list[str]
    ) -> None:
        kms = boto3.client("kms")
        for tenant in ("acme", "globex"):
            kms.create_alias(AliasName=f"alias/memory-{tenant}", TargetKeyId=kms_key())
        environ["S3MEMORY_KMS_KEY_ID"] = "alias/memory-{tenant}"
        for tenant in ("acme", "globex"):
            commands = MemoryCommands.from_env(environ=environ, tenant=tenant)
            commands.create("/memories/a", "x")
        assert assumed == ["acme", "globex"]
        forget_keys()
        # The owner removes a key: its tenant's memory stops, and no other's. (moto decrypts with disabled keys.)
        kms.delete_alias(AliasName="alias/memory-acme")
        with pytest.raises(BackendError):
            MemoryCommands.from_env(environ=environ, tenant="acme").view("/memories/a")
        assert "x" in MemoryCommands.from_env(environ=environ, tenant="globex").view("/memories/a")
        kms.delete_alias(AliasName="alias/memory-globex")  # moto's keys are shared by this process

    @pytest.mark.usefixtures("assumed")
    def test_keys_of_tenants_can_be_configured_before_each_tenant_has_its_own(self, environ: dict[str, str]) -> None:
        shared = environ["S3MEMORY_KMS_KEY_ID"]
        MemoryCommands.from_env(environ=environ, tenant="initech").create("/memories/a", "x")
        forget_keys()
        environ["S3MEMORY_KMS_KEY_ID"] = f"alias/own-{{tenant}},{shared}"
        old = MemoryCommands.from_env(environ=environ, tenant="initech")
        assert "x" in old.view("/memories/a")
        old.create("/memories/b", "y")
        with pytest.raises(BackendError, match="NotFoundException"):  # a new ring is not created under the shared key
            MemoryCommands.from_env(environ=environ, tenant="umbrella").create("/memories/a", "x")

    def test_without_the_variable_the_processs_own_credentials_are_used(
        self, environ: dict[str, str], assumed: list[str]
    ) -> None:
        del environ["S3MEMORY_TENANT_ROLE_ARN"]
        S3MemoryTool.from_env(environ=environ, tenant="acme").call({"command": "view", "path": "/memories"})
        assert assumed == []

    def test_an_s3_client_together_with_the_variable_is_refused(self, environ: dict[str, str], s3: Any) -> None:
        with pytest.raises(ConfigurationError, match="S3MEMORY_TENANT_ROLE_ARN"):
            S3MemoryTool.from_env(environ=environ, tenant="acme", s3_client=s3)

    @pytest.mark.parametrize(
        "arn", ["agent-memory-tenant", "arn:aws:iam::1:role/x", "arn:aws:iam::123456789012:user/x"]
    )
    def test_an_invalid_role_arn_is_refused(self, environ: dict[str, str], arn: str) -> None:
        with pytest.raises(ConfigurationError, match="S3MEMORY_TENANT_ROLE_ARN is malformed") as caught:
            S3MemoryTool.from_env(environ=environ | {"S3MEMORY_TENANT_ROLE_ARN": arn}, tenant="acme")
        assert arn not in str(caught.value)


@pytest.mark.parametrize("forget", [clients.forget_clients, _forks._reset_all, None])
def test_credentials_are_forgotten_on_request_and_in_a_forked_child(
    sessions: TenantSessions, sts: FakeSts, forget: Callable[[], None] | None
) -> None:
    session = sessions.for_tenant("acme")
    session.s3_client().list_buckets(Prefix=NONE)
    (forget or sessions.forget)()
    assert repr(sessions) == "TenantSessions(<0 tenants>)"
    session.s3_client().list_buckets(Prefix=NONE)
    assert len(sts.requests) == 2


def test_a_missing_region_is_a_wrong_setting(sessions: TenantSessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", SimpleNamespace(region_name=None))
    with pytest.raises(ConfigurationError, match="no KMS client can be made: set AWS_REGION"):
        sessions.for_tenant("acme").kms_client()


def test_a_region_given_to_the_sessions_is_the_clients_region(make_sessions: Callable[..., TenantSessions]) -> None:
    assert make_sessions().for_tenant("acme").s3_client().meta.region_name == "eu-central-1"
    elsewhere = make_sessions(region_name="eu-west-1").for_tenant("acme")
    assert elsewhere.kms_client().meta.region_name == "eu-west-1"


def test_no_repr_shows_the_role_or_the_credentials(sessions: TenantSessions) -> None:
    session = sessions.for_tenant("acme")
    session.s3_client()
    assert repr(session) == "TenantSession(tenant='acme')"
    assert repr(sessions) == "TenantSessions(<1 tenants>)"
