"""The doctor looks at the register of key rings: is it there, does it honour conditions, and whom does it let in?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from conftest import TENANT
from support.unique import unique

from s3memory import LocalKeyWrapper
from s3memory.admin.doctor import CHECKS, Check, Deployment, Status, examine
from s3memory.admin.doctor.connection import transport
from s3memory.admin.doctor.deployment import RegisterTable
from s3memory.config.settings import Settings
from s3memory.keys.dynamodb_register import DynamoDBRingRegister
from s3memory.keys.ring_register import RingRecord

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

GOOD, WEAKER, WRONG, UNCHECKED = Status.GOOD, Status.WEAKER, Status.WRONG, Status.UNCHECKED
OURS = tuple(name for name in CHECKS if name.startswith("register-"))
RECORD = RingRecord(3, 2, bytes(16), frozenset())


@pytest.fixture
def dynamodb(_aws: None) -> Any:
    """A client of moto's DynamoDB."""
    return boto3.client("dynamodb")


MakeTable = Callable[..., str]


@pytest.fixture
def make_table(dynamodb: Any) -> MakeTable:
    def make(*, key: str = "tenant", type_: str = "S", sort_key: str | None = None) -> str:
        keys = [(key, type_, "HASH"), *([(sort_key, "S", "RANGE")] if sort_key else [])]
        name = unique("rings")
        dynamodb.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": name, "KeyType": kind} for name, _, kind in keys],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": of} for name, of, _ in keys],
        )
        return name

    return make


@pytest.fixture
def examined(bucket: str, s3: S3Client, key_wrapper: LocalKeyWrapper, dynamodb: Any) -> Callable[..., dict[str, Check]]:
    def examine_it(table: str, *, agents: Any = None, operators: Any = None, **more: Any) -> dict[str, Check]:
        register = RegisterTable(name=table, agents=agents or dynamodb, operators=operators or dynamodb)
        deployment = Deployment(
            bucket=bucket, tenant=TENANT, s3=s3, operator_s3=s3, key_wrapper=key_wrapper, register=register, **more
        )
        checks = examine(deployment)
        assert tuple(check.name for check in checks) == CHECKS
        assert all(check.found and bool(check.follows) is (check.status is not GOOD) for check in checks)
        assert table not in str(checks)
        return {check.name: check for check in checks}

    return examine_it


def statuses(checks: dict[str, Check]) -> list[Status]:
    return [checks[name].status for name in OURS]


def items(dynamodb: Any, table: str) -> list[Any]:
    found: list[Any] = dynamodb.scan(TableName=table)["Items"]
    return found


class Client:
    """DynamoDB's client with other answers to some requests."""

    def __init__(self, client: Any, **answers: Callable[..., Any]) -> None:
        self._client = client
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        return self._answers.get(name) or getattr(self._client, name)


def refusing(code: str, status: int = 400) -> Callable[..., Any]:
    def refuse(**_: Any) -> Any:
        answer: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
        raise ClientError(answer, "any")

    return refuse


def silent(**_: Any) -> Any:
    raise EndpointConnectionError(endpoint_url="https://dynamodb.test")


def limited_to_own_record(dynamodb: Any) -> Client:
    """A tenant's session, as dynamodb:LeadingKeys limits it."""

    def only_own(name: str) -> Callable[..., Any]:
        def request(**sent: Any) -> Any:
            if (sent.get("Key") or sent["Item"])["tenant"]["S"] != TENANT:
                return refusing("AccessDeniedException")()
            return getattr(dynamodb, name)(**sent)

        return request

    return Client(dynamodb, get_item=only_own("get_item"), put_item=only_own("put_item"))


def test_without_a_register_there_is_nothing_to_look_at(
    bucket: str, s3: S3Client, key_wrapper: LocalKeyWrapper
) -> None:
    checks = examine(Deployment(bucket=bucket, tenant=TENANT, s3=s3, operator_s3=s3, key_wrapper=key_wrapper))
    assert tuple(check.name for check in checks) == tuple(name for name in CHECKS if name not in OURS)


def test_a_table_as_terraform_makes_it_is_good_in_a_tenants_session(
    examined: Any, make_table: MakeTable, dynamodb: Any
) -> None:
    table = make_table()
    dynamodb.update_table(TableName=table, DeletionProtectionEnabled=True)
    recovery = {"PointInTimeRecoveryEnabled": True}
    dynamodb.update_continuous_backups(TableName=table, PointInTimeRecoverySpecification=recovery)
    assert statuses(examined(table, agents=limited_to_own_record(dynamodb), has_tenant_sessions=True)) == [GOOD] * 4
    assert items(dynamodb, table) == []


def test_the_record_of_the_tenant_stays_as_it_is(examined: Any, make_table: MakeTable, dynamodb: Any) -> None:
    table = make_table()
    register = DynamoDBRingRegister(table, dynamodb_client=dynamodb)
    assert register.write(TENANT, RECORD._replace(revision=1))
    before = items(dynamodb, table)
    examined(table)
    assert items(dynamodb, table) == before


def test_what_an_interrupted_run_left_is_no_fault_and_goes(examined: Any, make_table: MakeTable, dynamodb: Any) -> None:
    table = make_table()
    left = DynamoDBRingRegister(table, dynamodb_client=dynamodb)
    assert left.write(f"/doctor/{TENANT}", RECORD._replace(revision=1))
    assert statuses(examined(table))[:2] == [GOOD, GOOD]
    assert items(dynamodb, table) == []


def test_one_set_of_credentials_for_all_tenants_is_weaker_and_a_tenants_that_reaches_others_is_wrong(
    examined: Any, make_table: MakeTable
) -> None:
    table = make_table()
    assert examined(table)["register-access"].status is WEAKER
    assert examined(table, has_tenant_sessions=True)["register-access"].status is WRONG


@pytest.mark.parametrize("request_", ["get_item", "put_item"])
def test_a_session_that_may_do_one_of_both_with_others_records_is_wrong(
    examined: Any, make_table: MakeTable, dynamodb: Any, request_: str
) -> None:
    agents = limited_to_own_record(dynamodb)
    agents._answers.pop(request_)
    assert examined(make_table(), agents=agents, has_tenant_sessions=True)["register-access"].status is WRONG


def test_a_register_that_does_not_answer_about_others_is_not_checked(
    examined: Any, make_table: MakeTable, dynamodb: Any
) -> None:
    def throttled(**sent: Any) -> Any:
        own = sent["Key"]["tenant"]["S"] == TENANT
        return dynamodb.get_item(**sent) if own else refusing("ThrottlingException")()

    agents = Client(limited_to_own_record(dynamodb), get_item=throttled)
    assert examined(make_table(), agents=agents)["register-access"].status is UNCHECKED


@pytest.mark.parametrize("request_", ["get_item", "put_item"])
@pytest.mark.parametrize("answer", [refusing("AccessDeniedException"), refusing("ThrottlingException"), silent])
def test_agents_that_can_not_use_their_own_record_are_wrong(
    examined: Any, make_table: MakeTable, dynamodb: Any, request_: str, answer: Callable[..., Any]
) -> None:
    check = examined(make_table(), agents=Client(dynamodb, **{request_: answer}))["register-access"]
    assert check.status is WRONG
    assert check.found.startswith({"get_item": "agents can't read", "put_item": "agents can't write"}[request_])


def test_what_is_no_record_is_wrong(examined: Any, make_table: MakeTable, dynamodb: Any) -> None:
    table = make_table()
    dynamodb.put_item(TableName=table, Item={"tenant": {"S": TENANT}, "newest": {"S": "two"}})
    assert examined(table)["register-access"].status is WRONG


def test_a_table_that_is_not_there_is_wrong_wherever_it_is_needed(examined: Any) -> None:
    checks = examined(unique("nowhere"))
    assert statuses(checks) == [WRONG, WRONG, WRONG, UNCHECKED]
    assert all("ResourceNotFoundException" in checks[name].found for name in OURS)


@pytest.mark.parametrize("other", [{"key": "id"}, {"type_": "N"}, {"sort_key": "generation"}])
def test_a_table_with_another_key_is_wrong(examined: Any, make_table: MakeTable, other: dict[str, str]) -> None:
    checks = examined(make_table(**other))
    assert statuses(checks)[:3] == [WRONG] * 3
    assert "partition key `tenant`" in checks["register-table"].follows
    assert "partition key `tenant`" in checks["register-condition"].follows


def test_a_table_that_is_not_ready_is_wrong(examined: Any, make_table: MakeTable, dynamodb: Any) -> None:
    def creating(**sent: Any) -> Any:
        return {"Table": {**dynamodb.describe_table(**sent)["Table"], "TableStatus": "CREATING"}}

    check = examined(make_table(), operators=Client(dynamodb, describe_table=creating))["register-table"]
    assert (check.status, check.found) == (WRONG, "the register's table is creating")


def test_a_server_that_ignores_conditions_is_wrong(examined: Any, make_table: MakeTable, dynamodb: Any) -> None:
    def heedless(**sent: Any) -> Any:
        return dynamodb.put_item(TableName=sent["TableName"], Item=sent["Item"])

    table = make_table()
    checks = examined(table, operators=Client(dynamodb, put_item=heedless))
    assert checks["register-condition"].status is WRONG
    assert "condition does not hold" in checks["register-condition"].found
    assert items(dynamodb, table) == []


def test_a_server_that_reads_what_was_before_is_wrong(examined: Any, make_table: MakeTable, dynamodb: Any) -> None:
    stale = Client(dynamodb, get_item=lambda **_: {})
    assert examined(make_table(), operators=stale)["register-condition"].status is WRONG


def test_a_register_that_falls_silent_is_wrong_and_the_rest_is_examined_all_the_same(
    examined: Any, make_table: MakeTable, dynamodb: Any
) -> None:
    names = ("describe_table", "describe_continuous_backups", "get_item", "put_item", "delete_item")
    down = Client(dynamodb, **dict.fromkeys(names, silent))
    assert statuses(examined(make_table(), agents=down, operators=down)) == [WRONG, WRONG, WRONG, UNCHECKED]
    midway = Client(dynamodb, put_item=silent)
    assert examined(make_table(), operators=midway)["register-condition"].status is WRONG


@pytest.mark.parametrize("code", ["UnrecognizedClientException", "ExpiredTokenException"])
def test_a_register_that_does_not_know_these_credentials_ends_nothing(
    examined: Any, make_table: MakeTable, dynamodb: Any, code: str
) -> None:
    names = ("describe_table", "describe_continuous_backups", "get_item", "put_item", "delete_item")
    refused = Client(dynamodb, **dict.fromkeys(names, refusing(code)))
    checks = examined(make_table(), agents=refused, operators=refused)
    assert statuses(checks) == [UNCHECKED, UNCHECKED, WRONG, UNCHECKED]
    assert all(code in checks[name].found for name in OURS)
    midway = Client(dynamodb, get_item=refusing(code))
    assert examined(make_table(), operators=midway)["register-condition"].status is UNCHECKED


@pytest.mark.parametrize(
    ("request_", "unchecked"),
    [
        ("describe_table", {"register-table", "register-protection"}),
        ("describe_continuous_backups", {"register-protection"}),
        ("get_item", {"register-condition"}),
        ("put_item", {"register-condition"}),
        ("delete_item", {"register-condition"}),
    ],
)
def test_what_these_credentials_may_not_do_is_not_checked(
    examined: Any, make_table: MakeTable, dynamodb: Any, request_: str, unchecked: set[str]
) -> None:
    operators = Client(dynamodb, **{request_: refusing("AccessDeniedException")})
    checks = examined(make_table(), operators=operators)
    assert {name for name in OURS if checks[name].status is UNCHECKED} == unchecked


def test_what_protects_the_table_is_advice(examined: Any, make_table: MakeTable, dynamodb: Any) -> None:
    table = make_table()
    check = examined(table)["register-protection"]
    assert check.status is WEAKER
    assert check.found == "the register's table has no deletion protection and no point in time recovery"
    dynamodb.update_table(TableName=table, DeletionProtectionEnabled=True)
    assert examined(table)["register-protection"].found == "the register's table has no point in time recovery"


def test_the_settings_name_the_table(settings: None, monkeypatch: pytest.MonkeyPatch, make_table: MakeTable) -> None:
    assert Deployment.from_settings(Settings.from_env(), tenant=TENANT).register is None
    monkeypatch.setenv("S3MEMORY_KEY_RING_TABLE", make_table())
    checks = {check.name: check for check in examine(Deployment.from_settings(Settings.from_env(), tenant=TENANT))}
    assert statuses(checks) == [GOOD, GOOD, WEAKER, WEAKER]


def test_a_register_over_plain_http_is_weaker_though_s3_goes_over_tls(
    s3: S3Client, bucket: str, key_wrapper: LocalKeyWrapper
) -> None:
    plain = boto3.client("dynamodb", endpoint_url="http://dynamodb.example.com")
    register = RegisterTable(name="rings", agents=plain, operators=plain)
    deployment = Deployment(
        bucket=bucket, tenant=TENANT, s3=s3, operator_s3=s3, key_wrapper=key_wrapper, register=register
    )
    verdict = transport(deployment)
    assert (verdict.status, verdict.found) == (WEAKER, "requests to the register go over plain HTTP")
