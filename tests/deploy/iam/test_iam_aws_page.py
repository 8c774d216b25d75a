"""The policies to paste from docs/aws.md: who may assume an agent's role, and what an organisation denies to whom."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from iam_account import RENDERED_ACCOUNT_ID, RING_TABLE, Account, rendered
from iam_policies import Decision, Grants, Policy, Principal, Request, Values, decide
from support.for_each import for_each
from support.repository import REPOSITORY

PAGE = (REPOSITORY / "docs" / "aws.md").read_text("utf-8")
BLOCKS = {
    name: json.loads(text)
    for name, text in re.findall(r"<!-- (?:trust|policy): ([a-z-]+) -->\n```json\n(.*?)```", PAGE, re.DOTALL)
}
ALLOWED = Decision.ALLOWED
AGENT = "agents"
OIDC = "oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLE"
PROVIDER = f"arn:aws:iam::{RENDERED_ACCOUNT_ID}:oidc-provider/{OIDC}"


def test_every_policy_of_the_page_is_tested() -> None:
    assert set(BLOCKS) == {"pod-identity", "irsa", "ecs", "roles-anywhere", "scp", "rcp", "endpoint"}
    assert PAGE.count("```json") == len(BLOCKS)


# Who assumes the agent's role: principal, action and context as AWS documents them, and one change that is refused.
WAYS: dict[str, tuple[Principal, str, dict[str, Values], dict[str, Values]]] = {
    "pod-identity": (
        Principal(service="pods.eks.amazonaws.com"),
        "sts:AssumeRole",
        {
            "aws:SourceAccount": RENDERED_ACCOUNT_ID,
            "aws:SourceArn": f"arn:aws:eks:eu-central-1:{RENDERED_ACCOUNT_ID}:cluster/agents",
        },
        {"aws:SourceArn": f"arn:aws:eks:eu-central-1:{RENDERED_ACCOUNT_ID}:cluster/others"},
    ),
    "irsa": (
        Principal(federated=PROVIDER),
        "sts:AssumeRoleWithWebIdentity",
        {f"{OIDC}:aud": "sts.amazonaws.com", f"{OIDC}:sub": "system:serviceaccount:agents:agent"},
        {f"{OIDC}:sub": "system:serviceaccount:default:agent"},
    ),
    "ecs": (
        Principal(service="ecs-tasks.amazonaws.com"),
        "sts:AssumeRole",
        {
            "aws:SourceAccount": RENDERED_ACCOUNT_ID,
            "aws:SourceArn": f"arn:aws:ecs:eu-central-1:{RENDERED_ACCOUNT_ID}:task/agents/0123",
        },
        {"aws:SourceAccount": "999999999999"},
    ),
    "roles-anywhere": (
        Principal(service="rolesanywhere.amazonaws.com"),
        "sts:AssumeRole",
        {
            "aws:PrincipalTag/x509Subject/CN": "agent.example.com",
            "aws:SourceArn": f"arn:aws:rolesanywhere:eu-central-1:{RENDERED_ACCOUNT_ID}:trust-anchor/"
            "00000000-0000-0000-0000-000000000000",
        },
        {"aws:PrincipalTag/x509Subject/CN": "other.example.com"},
    ),
}


def taken(way: str, principal: Principal, action: str, context: dict[str, Values]) -> bool:
    request = Request(action, f"arn:aws:iam::{RENDERED_ACCOUNT_ID}:role/{AGENT}", context)
    decision = decide(request, principal, resource=Policy(BLOCKS[way]), resource_grants=Grants.ALONE)
    return decision is ALLOWED


@pytest.mark.parametrize("way", WAYS)
def test_a_trust_policy_lets_only_its_service_assume_the_agents_role(way: str) -> None:
    principal, action, context, change = WAYS[way]
    assert taken(way, principal, action, context)
    assert not taken(way, principal, action, {**context, **change})
    assert not taken(way, principal, action, {})
    for other, (its_principal, its_action, its_context, _) in WAYS.items():
        assert taken(way, its_principal, its_action, its_context) is (other == way)
    account = Account(rendered("complete"))
    for role in ("administrators", "agent-memory-tenant"):
        assert not taken(way, account.session(role), "sts:AssumeRole", context)


def becomes(account: Account, context: dict[str, Values], *actions: str) -> bool:
    """Whether a session of the agent's role becomes the tenant: all actions that STS checks must be allowed."""
    given: dict[str, Values] = {"aws:RequestTag/tenant": "acme", "aws:TagKeys": ("tenant",), **context}
    agent = account.session(AGENT)
    asked = [("sts:AssumeRole", {**given, "sts:RoleSessionName": "acme@s3memory"}), ("sts:TagSession", given)]
    asked += [(action, given) for action in actions]
    return all(account.decide(Request(one, account.tenant_role_arn, its), agent) is ALLOWED for one, its in asked)


def test_a_session_without_tags_becomes_a_tenant_and_one_with_inherited_tags_does_not() -> None:
    account = Account(rendered("complete"))
    assert becomes(account, {})  # IRSA, ECS, Pod Identity without session tags
    inherited = ("tenant", "eks-cluster-name", "kubernetes-namespace", "kubernetes-pod-name")
    assert not becomes(account, {"aws:TagKeys": inherited})


def test_a_source_identity_is_passed_on_only_if_the_module_knows_about_it() -> None:
    assert not becomes(Account(rendered("complete")), {}, "sts:SetSourceIdentity")
    assert becomes(Account(rendered("strict")), {}, "sts:SetSourceIdentity")


def denied(name: str, action: str, resource: str, context: dict[str, Values], *, principal: Principal) -> bool:
    anything = Policy({"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]})
    decision = decide(Request(action, resource, context), principal, identity=[anything, Policy(identity_of(name))])
    return decision is Decision.EXPLICITLY_DENIED


def identity_of(name: str) -> dict[str, Any]:
    """Return an organisation's policy without its principal, which is everybody."""
    document: dict[str, Any] = BLOCKS[name]
    statements = [{key: value for key, value in one.items() if key != "Principal"} for one in document["Statement"]]
    return {**document, "Statement": statements}


BUCKET = "arn:aws:s3:::agent-memory-111122223333-eu-central-1"
RING_TABLE_ARN = f"arn:aws:dynamodb:eu-central-1:{RENDERED_ACCOUNT_ID}:table/{RING_TABLE}"
TENANT_ROLE = f"arn:aws:iam::{RENDERED_ACCOUNT_ID}:role/agent-memory-tenant"
FUNCTION_ROLE = TENANT_ROLE.replace("tenant", "function")
BULK_ROLE = TENANT_ROLE.replace("tenant", "bulk")
FUNCTIONS = f"arn:aws:lambda:eu-central-1:{RENDERED_ACCOUNT_ID}:function:"


@for_each(
    ("action", "resource"),
    [
        ("s3:PutBucketPolicy", BUCKET),
        ("s3:DeleteBucket", BUCKET),
        ("s3:PutEncryptionConfiguration", BUCKET),  # with a key that tenants cannot use
        ("s3:PutBucketObjectLockConfiguration", BUCKET),  # a default retention: nothing can be erased any more
        ("s3:PutBucketPublicAccessBlock", BUCKET),
        ("s3:PutBucketOwnershipControls", BUCKET),
        ("kms:PutKeyPolicy", "arn:aws:kms:eu-central-1:111122223333:key/k"),
        ("kms:ScheduleKeyDeletion", "arn:aws:kms:eu-central-1:111122223333:key/k"),
        ("dynamodb:DeleteTable", RING_TABLE_ARN),
        ("dynamodb:DeleteResourcePolicy", RING_TABLE_ARN),
        ("iam:UpdateAssumeRolePolicy", TENANT_ROLE),
        ("iam:PutRolePolicy", TENANT_ROLE),
        ("iam:DetachRolePolicy", TENANT_ROLE),
        ("iam:PutRolePermissionsBoundary", FUNCTION_ROLE),
        ("iam:DeleteRolePermissionsBoundary", FUNCTION_ROLE),
        ("iam:PassRole", FUNCTION_ROLE),
        ("iam:PassRole", BULK_ROLE),
        ("lambda:UpdateFunctionCode", f"{FUNCTIONS}agent-memory-agent"),
        ("lambda:UpdateFunctionConfiguration", f"{FUNCTIONS}agent-memory-bulk-verify"),
        ("lambda:InvokeFunction", f"{FUNCTIONS}agent-memory-agent"),
        ("lambda:InvokeFunction", f"{FUNCTIONS}agent-memory-agent:live"),
        ("lambda:AddPermission", f"{FUNCTIONS}agent-memory-agent"),
        ("lambda:CreateFunctionUrlConfig", f"{FUNCTIONS}agent-memory-agent"),
        ("apigateway:POST", "arn:aws:apigateway:eu-central-1::/restapis/a1b2c3/authorizers"),
        ("apigateway:PATCH", "arn:aws:apigateway:eu-central-1::/restapis/a1b2c3/resources/r/methods/POST"),
        ("cloudtrail:StopLogging", f"arn:aws:cloudtrail:eu-central-1:{RENDERED_ACCOUNT_ID}:trail/agent-memory-data"),
        ("events:DisableRule", f"arn:aws:events:eu-central-1:{RENDERED_ACCOUNT_ID}:rule/agent-memory-key-ring-changes"),
        ("cloudwatch:DeleteAlarms", f"arn:aws:cloudwatch:eu-central-1:{RENDERED_ACCOUNT_ID}:alarm:agent-memory-errors"),
        ("s3:DeleteObjectVersion", f"arn:aws:s3:::agent-memory-audit-{RENDERED_ACCOUNT_ID}-eu-central-1/AWSLogs/1"),
        ("kms:DeleteImportedKeyMaterial", "arn:aws:kms:eu-central-1:111122223333:key/k"),
        ("kms:UpdateAlias", f"arn:aws:kms:eu-central-1:{RENDERED_ACCOUNT_ID}:alias/memory-acme"),
        ("kms:CreateAlias", f"arn:aws:kms:eu-central-1:{RENDERED_ACCOUNT_ID}:alias/memory-acme"),
    ],
)
def test_only_the_pipeline_can_change_what_protects_the_memory(action: str, resource: str) -> None:
    account = Account(rendered("complete"))
    assert denied("scp", action, resource, {}, principal=account.session("administrators"))
    assert not denied("scp", action, resource, {}, principal=account.session("memory-pipeline"))


def test_the_policies_for_an_organisation_do_not_restrict_operators() -> None:
    account = Account(rendered("complete"))
    passing = account.role("agent-memory-batch")
    assert not denied("scp", "iam:PassRole", passing, {}, principal=account.session("operators"))
    for role in ("agent-memory-batch", "agent-memory-bulk-map"):
        invoked = f"{FUNCTIONS}agent-memory-bulk-verify"
        assert not denied("scp", "lambda:InvokeFunction", invoked, {}, principal=account.session(role))


def test_the_policies_for_an_organisation_let_operators_erase() -> None:
    operator = Account(rendered("complete")).session("operators")
    for action in ("s3:DeleteObject", "s3:DeleteObjectVersion"):
        assert not denied("scp", action, f"{BUCKET}/memories/acme/x", {}, principal=operator)


def test_the_policies_for_an_organisation_stay_within_awss_size_limit() -> None:
    for name in ("scp", "rcp"):
        assert len(json.dumps(BLOCKS[name], separators=(",", ":"))) <= 5_120


def test_nobody_outside_the_organisation_reaches_bucket_key_or_role() -> None:
    account = Account(rendered("complete"))
    agent = account.session(AGENT)
    for action, resource in (("s3:GetObject", f"{BUCKET}/x"), ("kms:Decrypt", "k"), ("sts:AssumeRole", TENANT_ROLE)):
        assert denied("rcp", action, resource, {"aws:PrincipalOrgID": "o-other"}, principal=agent)
        assert denied("rcp", action, resource, {}, principal=agent)
        assert not denied("rcp", action, resource, {"aws:PrincipalOrgID": "o-exampleorgid"}, principal=agent)
    trail = Principal(service="cloudtrail.amazonaws.com")
    assert not denied("rcp", "s3:PutObject", f"{BUCKET}/x", {}, principal=trail)


def test_an_endpoint_reaches_only_the_memorys_bucket() -> None:
    agent = Account(rendered("complete")).session(AGENT)
    own: dict[str, Values] = {"aws:ResourceAccount": RENDERED_ACCOUNT_ID}
    policy = Policy(identity_of("endpoint"))
    assert decide(Request("s3:GetObject", f"{BUCKET}/x", own), agent, identity=[policy]) is ALLOWED
    for resource, context in (("arn:aws:s3:::other/x", own), (f"{BUCKET}/x", {"aws:ResourceAccount": "999999999999"})):
        assert decide(Request("s3:GetObject", resource, context), agent, identity=[policy]) is not ALLOWED
