"""Options that are off by default, under the policies that Terraform renders: tenants' keys, register, ids, holds."""

from __future__ import annotations

import pytest
from iam_account import RENDERED_ACCOUNT_ID, Account, rendered
from iam_deployments import record
from iam_policies import Decision, Grants, Policy, Principal, Request, Values, decide
from support.for_each import for_each

ALLOWED = Decision.ALLOWED
ACCOUNT = Account(rendered("fenced"))
TABLE = f"arn:aws:dynamodb:eu-central-1:{RENDERED_ACCOUNT_ID}:table/agent-memory-key-rings"
BULK_MAP = f"arn:aws:states:eu-central-1:{RENDERED_ACCOUNT_ID}:stateMachine:agent-memory-bulk-verify"
EXECUTION = BULK_MAP.replace(":stateMachine:", ":execution:")
CUSTOMER = "444455556666"
CUSTOMERS_KEY = f"arn:aws:kms:eu-central-1:{CUSTOMER}:key/11111111-1111-1111-1111-111111111111"
RING = "arn:aws:s3:::store/keyrings/acme"


def is_allowed(action: str, resource: str, principal: Principal, /, **context: Values) -> bool:
    named = {name.replace("__", ":"): value for name, value in context.items()}
    return ACCOUNT.decide(Request(action, resource, named), principal) is ALLOWED


# The register


@pytest.mark.parametrize("action", ["dynamodb:GetItem", "dynamodb:PutItem"])
def test_a_tenant_reaches_only_its_own_record(action: str) -> None:
    def reaches(tenant: str | None, *records: str) -> bool:
        context: dict[str, Values] = {"dynamodb__LeadingKeys": records} if records else {}
        return is_allowed(action, TABLE, ACCOUNT.tenant(tenant), **context)

    assert reaches("acme", "acme")
    assert not reaches("acme", "acm")
    assert not reaches("acme", "acme2")
    assert not reaches("acme", "acme", "globex")
    assert not reaches("acme")  # a request that names no record
    assert not reaches(None, "acme")


@pytest.mark.parametrize("action", ["DeleteItem", "UpdateItem", "Query", "Scan", "BatchWriteItem", "PartiQLUpdate"])
def test_a_tenant_can_do_nothing_else_with_the_register(action: str) -> None:
    assert not is_allowed(f"dynamodb:{action}", TABLE, ACCOUNT.tenant("acme"), dynamodb__LeadingKeys=("acme",))


def test_operators_can_write_and_delete_records_and_administrators_cannot() -> None:
    for action in ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"):
        assert is_allowed(action, TABLE, ACCOUNT.session("operators"), dynamodb__LeadingKeys=("acme",))
    administrator = ACCOUNT.session("administrators")
    for action in ("PutItem", "DeleteItem", "UpdateItem", "BatchWriteItem", "PartiQLInsert", "PartiQLDelete"):
        assert not is_allowed(f"dynamodb:{action}", TABLE, administrator, dynamodb__LeadingKeys=("acme",))
    assert is_allowed("dynamodb:GetItem", TABLE, administrator)


def test_the_functions_own_role_reaches_no_record() -> None:
    for role in ("agent-memory-function", "agent-memory-bulk"):
        assert not is_allowed("dynamodb:GetItem", TABLE, ACCOUNT.session(role), dynamodb__LeadingKeys=("acme",))


# A KMS key for each tenant, in the customer's own account


def context_of(tenant: str, alias: str | None = None) -> dict[str, Values]:
    context: dict[str, Values] = {
        "aws:ResourceAccount": CUSTOMER,
        "kms:EncryptionContext:s3memory:tenant": tenant,
        "kms:EncryptionContext:s3memory:purpose": "data-key",
        "kms:EncryptionContextKeys": ("s3memory:generation", "s3memory:purpose", "s3memory:tenant"),
    }
    return context if alias is None else {**context, "kms:RequestAlias": alias}


def unwraps(principal: Principal, context: dict[str, Values], *, identity: str, action: str = "kms:Decrypt") -> bool:
    """Whether a session can use acme's key: across accounts, both sides must allow it."""
    request = Request(action, CUSTOMERS_KEY, context)
    here = decide(request, principal, identity=[ACCOUNT.policies[identity]])
    there = decide(request, principal, resource=Policy(rendered("tenant_key")["kms_key"]), resource_grants=Grants.ALONE)
    return here is ALLOWED and there is ALLOWED


@pytest.mark.parametrize("action", ["kms:Decrypt", "kms:GenerateDataKey"])
def test_a_tenant_uses_its_own_key_by_its_alias_and_in_its_own_context(action: str) -> None:
    own = context_of("acme", "alias/memory-acme")
    acme, globex = ACCOUNT.tenant("acme"), ACCOUNT.tenant("globex")
    assert unwraps(acme, own, identity="tenant_role", action=action)
    for principal, context in (
        (acme, context_of("acme")),  # by its id: it could be any key of that account
        (acme, context_of("acme", "alias/memory-globex")),
        (acme, context_of("globex", "alias/memory-acme")),
        (globex, own),
        (globex, context_of("globex", "alias/memory-globex")),  # an alias that was moved to acme's key
        (ACCOUNT.tenant(None), own),
        (acme, {**own, "aws:ResourceAccount": "999999999999"}),
        (acme, {**own, "kms:EncryptionContextKeys": ("s3memory:purpose", "s3memory:tenant", "other")}),
    ):
        assert not unwraps(principal, context, identity="tenant_role", action=action), context


@pytest.mark.parametrize("action", ["kms:Encrypt", "kms:ReEncryptFrom", "kms:CreateGrant", "kms:DescribeKey"])
def test_a_tenant_can_do_nothing_else_with_its_key(action: str) -> None:
    own = context_of("acme", "alias/memory-acme")
    assert not unwraps(ACCOUNT.tenant("acme"), own, identity="tenant_role", action=action)


def test_operators_use_a_tenants_key_only_for_this_tenant() -> None:
    operator = ACCOUNT.session("operators")
    own = context_of("acme", "alias/memory-acme")
    for action in ("kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"):
        assert unwraps(operator, own, identity="operator", action=action)
        assert not unwraps(operator, context_of("globex", "alias/memory-acme"), identity="operator", action=action)
        assert not unwraps(operator, context_of("acme", "alias/other"), identity="operator", action=action)


def test_the_account_of_a_key_administers_it_and_cannot_grant_its_use() -> None:
    policy = Policy(rendered("tenant_key")["kms_key"])
    anything = Policy({"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]})
    administrator = Principal(role_arn=f"arn:aws:iam::{RENDERED_ACCOUNT_ID}:role/administrators")

    def may(action: str) -> bool:
        request = Request(action, CUSTOMERS_KEY, context_of("acme"))
        decision = decide(request, administrator, identity=[anything], resource=policy, resource_grants=Grants.ALONE)
        return decision is ALLOWED

    assert may("kms:DisableKey")
    assert may("kms:PutKeyPolicy")
    for action in ("kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey", "kms:CreateGrant", "kms:ScheduleKeyDeletion"):
        assert not may(action), action
    # An apply without the tenant destroys the alias before the key: nothing of the tenant would open meanwhile.
    assert not may("kms:DeleteAlias")


def test_a_deployment_without_a_shared_key_names_none() -> None:
    for name in ("tenant_role", "operator"):
        used = [one["Resource"] for one in ACCOUNT.documents[name]["Statement"] if "kms:Decrypt" in one["Action"]]
        assert used == [f"arn:aws:kms:eu-central-1:{CUSTOMER}:key/*"]


# The external id


def test_nobody_becomes_a_tenant_without_the_external_id() -> None:
    given: dict[str, Values] = {"aws__RequestTag/tenant": "acme", "aws__TagKeys": ("tenant",)}
    named: dict[str, Values] = {**given, "sts__RoleSessionName": "acme@s3memory"}
    for role in ("agent-memory-function", "agent-memory-bulk", "agents"):
        agent = ACCOUNT.session(role)
        assume = ("sts:AssumeRole", ACCOUNT.tenant_role_arn, agent)
        assert is_allowed(*assume, **named, sts__ExternalId="memory-7f3a")
        assert not is_allowed(*assume, **named, sts__ExternalId="memory-7f3b")
        assert not is_allowed(*assume, **named)
        assert is_allowed("sts:TagSession", ACCOUNT.tenant_role_arn, agent, **given)


# Holds on key rings


@pytest.mark.parametrize("action", ["s3:PutObjectLegalHold", "s3:PutObjectRetention"])
def test_operators_can_place_legal_holds_on_key_rings_and_nobody_else_can_hold_anything(action: str) -> None:
    over_tls: dict[str, Values] = {"aws__SecureTransport": "true", "s3__TlsVersion": "1.3"}
    can_be_lifted = action == "s3:PutObjectLegalHold"
    assert is_allowed(action, RING, ACCOUNT.session("operators"), **over_tls) is can_be_lifted
    assert not is_allowed(action, "arn:aws:s3:::store/memories/acme/a", ACCOUNT.session("operators"), **over_tls)
    for principal in (ACCOUNT.tenant("acme"), ACCOUNT.session("administrators")):
        for resource in (RING, "arn:aws:s3:::store/memories/acme/a"):
            assert not is_allowed(action, resource, principal, **over_tls)


def test_nobody_can_hold_anything_in_a_bucket_whose_object_lock_is_managed_elsewhere() -> None:
    without_holds = Account(rendered("complete"))
    over_tls: dict[str, Values] = {"aws:SecureTransport": "true", "s3:TlsVersion": "1.3"}
    for role in ("operators", "administrators"):
        for action in ("s3:PutObjectLegalHold", "s3:PutObjectRetention"):
            request = Request(action, "arn:aws:s3:::store/memories/acme/a", over_tls)
            assert without_holds.decide(request, without_holds.session(role)) is not ALLOWED


def test_nobody_can_reencrypt_an_object_in_place_under_another_key() -> None:
    over_tls: dict[str, Values] = {"aws__SecureTransport": "true", "s3__TlsVersion": "1.3"}
    sessions = [ACCOUNT.tenant("acme"), ACCOUNT.session("operators"), ACCOUNT.session("administrators")]
    for principal in sessions:
        for key in ("memories/acme/a", "intents/acme/1", "keyrings/acme", "redactions/acme/a"):
            assert not is_allowed("s3:UpdateObjectEncryption", f"arn:aws:s3:::store/{key}", principal, **over_tls)


# Maps over batches


def test_a_map_starts_its_own_batches_and_cannot_read_memory() -> None:
    map_role = Policy(ACCOUNT.documents["bulk_map_role"])

    def may(action: str, resource: str) -> bool:
        principal = ACCOUNT.session("agent-memory-bulk-map")
        return decide(Request(action, resource), principal, identity=[map_role]) is ALLOWED

    assert may("states:StartExecution", BULK_MAP)
    assert may("s3:GetObject", "arn:aws:s3:::store/batch/manifests/all.jsonl")
    assert may("s3:PutObject", "arn:aws:s3:::store/batch/reports/verify/x/SUCCEEDED_0.json")
    for resource in ("memories/acme/a", "keyrings/acme", "intents/acme/1"):
        assert not may("s3:GetObject", f"arn:aws:s3:::store/{resource}")
    for batches in (f"{EXECUTION}:run-1", f"{EXECUTION}/EachBatch:batch-1"):
        for action in ("DescribeExecution", "StopExecution", "RedriveExecution"):
            assert may(f"states:{action}", batches)
            assert not may(f"states:{action}", batches.replace("verify", "verify-else"))
    assert not may("states:StartExecution", BULK_MAP.replace("verify", "other"))
    assert not may("lambda:InvokeFunction", f"arn:aws:lambda:eu-central-1:{RENDERED_ACCOUNT_ID}:function:other")


def test_step_functions_assumes_the_maps_role_only_for_this_account() -> None:
    trust = Policy(ACCOUNT.documents["bulk_map_role_trust"])
    service = Principal(service="states.amazonaws.com")
    own: dict[str, Values] = {"aws:SourceAccount": RENDERED_ACCOUNT_ID, "aws:SourceArn": BULK_MAP}

    def takes(context: dict[str, Values]) -> bool:
        request = Request("sts:AssumeRole", ACCOUNT.role("agent-memory-bulk-map"), context)
        return decide(request, service, resource=trust, resource_grants=Grants.ALONE) is ALLOWED

    assert takes(own)
    assert not takes({**own, "aws:SourceAccount": "999999999999"})
    assert not takes({**own, "aws:SourceArn": BULK_MAP.replace("agent-memory", "other")})
    assert not takes({})


@pytest.mark.parametrize(
    ("role", "service"), [("batch", "batchoperations.s3.amazonaws.com"), ("release", "codedeploy.amazonaws.com")]
)
def test_a_service_that_names_no_account_assumes_its_role_and_one_that_names_another_does_not(
    role: str, service: str
) -> None:
    """AWS documents these keys for some services only, and a condition on a missing key would refuse every job."""
    trust = Policy(ACCOUNT.documents[f"{role}_role_trust"])

    def takes(context: dict[str, Values], *, by: str = service) -> bool:
        request = Request("sts:AssumeRole", ACCOUNT.role(f"agent-memory-{role}"), context)
        return decide(request, Principal(service=by), resource=trust, resource_grants=Grants.ALONE) is ALLOWED

    assert takes({})
    assert takes({"aws:SourceAccount": RENDERED_ACCOUNT_ID})
    assert not takes({"aws:SourceAccount": "999999999999"})
    assert not takes({}, by="lambda.amazonaws.com")


def test_a_job_of_another_account_cannot_assume_the_role_of_jobs() -> None:
    trust = Policy(ACCOUNT.documents["batch_role_trust"])
    for account_id in (RENDERED_ACCOUNT_ID, "999999999999"):
        job: dict[str, Values] = {"aws:SourceArn": f"arn:aws:s3:eu-central-1:{account_id}:job/1"}
        request = Request("sts:AssumeRole", ACCOUNT.role("agent-memory-batch"), job)
        service = Principal(service="batchoperations.s3.amazonaws.com")
        decision = decide(request, service, resource=trust, resource_grants=Grants.ALONE)
        assert (decision is ALLOWED) is (account_id == RENDERED_ACCOUNT_ID)


def test_operators_can_start_and_follow_maps() -> None:
    operator = ACCOUNT.session("operators")
    map_run = BULK_MAP.replace(":stateMachine:", ":mapRun:") + "/EachBatch:0"
    assert is_allowed("states:StartExecution", BULK_MAP, operator)
    for action, resource in (
        ("DescribeExecution", f"{EXECUTION}:run-1"),
        ("StopExecution", f"{EXECUTION}/EachBatch:batch-1"),
        ("ListMapRuns", f"{EXECUTION}:run-1"),
        ("DescribeMapRun", map_run),
    ):
        assert is_allowed(f"states:{action}", resource, operator)
        # Of another deployment whose name starts with this one's.
        assert not is_allowed(f"states:{action}", resource.replace("bulk-verify", "bulk-verify-2"), operator)
    assert not is_allowed("states:StartExecution", BULK_MAP.replace("agent-memory", "other"), operator)


# Endpoints


def passes(service: str, request: Request) -> bool:
    """Whether an endpoint's policy, which names no principal, lets a request pass."""
    context = {"aws:ResourceAccount": RENDERED_ACCOUNT_ID, **request.context}
    document = ACCOUNT.documents[f"endpoint_{service}"]
    assert all(statement["Principal"] == "*" for statement in document["Statement"])
    bare = [{key: value for key, value in one.items() if key != "Principal"} for one in document["Statement"]]
    anyone = ACCOUNT.session("agents")
    policy = Policy({**document, "Statement": bare})
    return decide(Request(request.action, request.resource, context), anyone, identity=[policy]) is ALLOWED


def test_every_request_of_the_library_passes_the_endpoints() -> None:
    recorded = record("plain names")
    seen = set()
    for request in (*recorded.requests, *(asked.request for asked in recorded.by_function)):
        service = request.action.partition(":")[0]
        resource = request.resource.replace(recorded.account.bucket, "store").replace(
            "123456789012", RENDERED_ACCOUNT_ID
        )
        assert passes(service, Request(request.action, resource, request.context)), request
        seen.add(service)
    assert seen == {"s3", "kms", "sts", "dynamodb"}


@for_each(
    ("action", "resource"),
    [
        ("sts:AssumeRoleWithWebIdentity", "arn:aws:iam::111122223333:role/agents"),
        ("sts:AssumeRoleWithWebIdentity", "arn:aws:iam::111122223333:role/operators"),
        ("sts:GetCallerIdentity", "*"),
        ("dynamodb:DescribeTable", TABLE),
        ("dynamodb:DescribeContinuousBackups", TABLE),
        ("dynamodb:DeleteItem", TABLE),
        ("kms:Encrypt", CUSTOMERS_KEY),
        ("s3:GetBucketPolicy", "arn:aws:s3:::store"),
        (
            "secretsmanager:GetSecretValue",
            f"arn:aws:secretsmanager:eu-central-1:{RENDERED_ACCOUNT_ID}:secret:agent/api-key",
        ),
    ],
)
def test_requests_of_agents_in_eks_the_function_and_operators_pass_the_endpoints_too(
    action: str, resource: str
) -> None:
    assert passes(action.partition(":")[0], Request(action, resource))


@for_each(
    ("action", "resource", "account"),
    [
        ("s3:PutObject", "arn:aws:s3:::somebody-elses/memories/acme/a", "999999999999"),
        ("s3:GetObject", "arn:aws:s3:::store/memories/acme/a", "999999999999"),
        ("kms:Decrypt", "arn:aws:kms:eu-central-1:999999999999:key/1", "999999999999"),
        ("kms:CreateGrant", CUSTOMERS_KEY, CUSTOMER),
        ("sts:AssumeRole", f"arn:aws:iam::{RENDERED_ACCOUNT_ID}:role/administrators", RENDERED_ACCOUNT_ID),
        ("sts:AssumeRoleWithWebIdentity", f"arn:aws:iam::{RENDERED_ACCOUNT_ID}:role/other", RENDERED_ACCOUNT_ID),
        ("dynamodb:GetItem", f"{TABLE}-2", RENDERED_ACCOUNT_ID),
        ("dynamodb:UpdateItem", TABLE, RENDERED_ACCOUNT_ID),
        ("secretsmanager:GetSecretValue", "arn:aws:secretsmanager:eu-central-1:999999999999:secret:x", "999999999999"),
    ],
)
def test_nothing_else_passes_the_endpoints(action: str, resource: str, account: str) -> None:
    request = Request(action, resource, {"aws:ResourceAccount": account})
    assert not passes(action.partition(":")[0], request)
