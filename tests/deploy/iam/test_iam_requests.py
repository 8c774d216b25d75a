"""Every request that the library makes is allowed to its tenant, and nothing is granted that no request needs."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from iam_account import RENDERED, Asked
from iam_deployments import DEPLOYMENTS, TENANT, Recorded, record
from iam_policies import Decision, Policy, Principal, Request
from support.repository import REPOSITORY

from s3memory import KmsKeyWrapper, MemoryStore, TenantSessions

OPERATIONS = (REPOSITORY / "docs" / "deploy.md").read_text("utf-8")

NEEDS = {
    ("s3:GetObject", "memories"),
    ("s3:GetObject", "intents"),
    ("s3:GetObject", "keyrings"),
    ("s3:PutObject if-match", "memories"),
    ("s3:PutObject if-match", "intents"),
    ("s3:PutObject if-none-match", "memories"),
    ("s3:PutObject if-none-match", "intents"),
    ("s3:PutObject if-none-match", "keyrings"),
    ("s3:DeleteObject if-match", "memories"),
    ("s3:DeleteObject if-match", "intents"),
    ("s3:ListBucket", "memories"),
    ("s3:ListBucket", "intents"),
    ("kms:Decrypt", "key"),
    ("kms:GenerateDataKey", "key"),
    ("dynamodb:GetItem", "table"),
    ("dynamodb:PutItem", "table"),
}
IN_THE_REGISTER = {("dynamodb:GetItem", "table"), ("dynamodb:PutItem", "table")}
MAKING_KEY_RINGS = {("s3:PutObject if-none-match", "keyrings"), ("kms:GenerateDataKey", "key")}

# Permissions that the library never uses, by policy, Sid and a part of the permission.
REASONS = {
    ("function_role", "WriteLogs", ""): "the Lambda service writes what the function prints",
    ("bulk_role", "WriteLogs", ""): "the Lambda service writes what the functions print",
    ("bulk_role", "BecomeOneTenant", "team-*"): "the tenants that this deployment may have",
    ("function_role_trust", "LambdaOnly", ""): "the Lambda service takes the function's role",
    ("batch_role", "", ""): "S3 Batch Operations, by itself",
    ("batch_role_trust", "", ""): "S3 Batch Operations takes its role",
    ("audit_bucket", "", ""): "CloudTrail, by itself",
    ("kms_key", "AccountAdministers", ""): "people and Terraform administer the key; none of it uses the key",
    ("kms_key", "OperatorsUseDataKeys", "kms:Encrypt"): "operators move key rings to another wrapping key",
    ("operator", "DataKeys", "kms:Encrypt"): "operators move key rings to another wrapping key",
    ("operator", "EveryTenantsObjects", "s3:DeleteObject"): "operators erase tenants",
    ("operator", "EveryTenantsObjects", "Version"): "operators restore and erase versions",
    ("operator", "EveryTenantsObjects", "intents"): "operators erase tenants",
    ("operator", "EveryTenantsObjects", "redactions"): "operators redact versions, and read the records",
    ("operator", "EveryTenantsObjects", "s3:AbortMultipartUpload"): "operators erase tenants",
    ("operator", "ManifestsAndReports", ""): "operators put manifests there, and erase what names a tenant's objects",
    ("operator", "BeginJobs", ""): "operators start bulk work",
    ("operator", "FollowJobs", ""): "operators look how far bulk work is, hurry it, and stop it",
    ("operator", "GiveJobsTheirRole", ""): "operators start bulk work",
    ("operator", "BeginMaps", ""): "operators start bulk work",
    ("operator", "FollowMaps", ""): "operators look how far bulk work is, and stop it",
    ("bulk_map_role", "", ""): "Step Functions, by itself",
    ("bulk_map_role_trust", "", ""): "Step Functions takes its role",
    ("release_role", "", ""): "CodeDeploy, by itself",
    ("release_role_trust", "", ""): "CodeDeploy takes its role",
    ("operator", "ReadWhatTheDoctorReads", ""): "operators examine the deployment: test_iam_operator_commands",
    ("operator", "ReadWhatTheDoctorReadsOfTheRegister", ""): "as above",
    ("operator", "RingRecords", ""): "operators rotate, erase, forget records, and examine: test_iam_operator_commands",
    ("authorizer_role", "WriteLogs", ""): "the Lambda service writes what the function prints",
    (
        "tenant_role_trust",
        "OneTenantAtATime",
        "/tenant}",
    ): "a tenant of 64 characters leaves no room",
    ("operator", "List", "s3:ListBucketMultipartUploads"): "operators erase tenants",
    ("operator", "List", "s3:ListBucketVersions"): "operators restore and erase versions",
    ("tenant_role_trust", "OneTenantAtATime", "team-*"): "the tenants that this deployment may have",
    (
        "tenant_role_trust",
        "OneTenantAtATime",
        "sts:SetSourceIdentity",
    ): "sessions of IAM Roles Anywhere: test_iam_aws_page",
    ("bulk_role", "BecomeOneTenant", "sts:SetSourceIdentity"): "sessions of IAM Roles Anywhere: test_iam_aws_page",
    ("function_role", "BecomeOneTenant", "sts:SetSourceIdentity"): "sessions of IAM Roles Anywhere: test_iam_aws_page",
    ("assume_tenant", "BecomeOneTenant", "sts:SetSourceIdentity"): "sessions of IAM Roles Anywhere: test_iam_aws_page",
    ("function_role", "BecomeOneTenant", "team-*"): "the tenants that this deployment may have",
    ("assume_tenant", "BecomeOneTenant", "team-*"): "the tenants that this deployment may have",
}


@pytest.fixture(params=DEPLOYMENTS)
def recorded(request: pytest.FixtureRequest) -> Recorded:
    return record(request.param)


def folder_of(request: Request) -> str:
    """Return which of the three folders a request is about, or what else."""
    where = str(request.context.get("s3:prefix", request.resource.partition(":::")[2]))
    found = re.search(rf"(memories|intents|keyrings)/{TENANT}(/|$)", where)
    return found[1] if found else request.resource.rpartition(":")[2].partition("/")[0]


def need_of(asked: Asked) -> tuple[str, str]:
    """Return a short text for what a request needs."""
    headers = [key.removeprefix("s3:") for key in asked.request.context if key.startswith("s3:if-")]
    return " ".join([asked.request.action, *headers]), folder_of(asked.request)


class TestAllowed:
    def test_every_request_made_for_a_tenant_is_allowed_to_it(self, recorded: Recorded) -> None:
        refused = [asked for asked in recorded.by_tenant if asked.decision is not Decision.ALLOWED]
        assert {(need_of(asked), asked.is_implied) for asked in refused} <= {(("s3:ListBucket", "keyrings"), True)}

    def test_the_workload_needs_what_a_tenant_needs_and_nothing_else(self, recorded: Recorded) -> None:
        needed = {need_of(asked) for asked in recorded.by_tenant if asked.decision is Decision.ALLOWED}
        # If an operator creates key rings, there is no register either.
        assert needed == NEEDS - (MAKING_KEY_RINGS | IN_THE_REGISTER if recorded.by_operator else set())
        assert {asked.principal.tags["tenant"] for asked in recorded.by_tenant} == {TENANT}

    def test_s3_answers_403_for_a_missing_key_ring_and_the_library_treats_it_as_missing(self) -> None:
        recorded = record("plain names")
        asked = [asked for asked in recorded.by_tenant if need_of(asked)[1] == "keyrings"]
        assert (need_of(asked[0])[0], need_of(asked[1])[0]) == ("s3:GetObject", "s3:ListBucket")
        assert asked[1].decision is Decision.IMPLICITLY_DENIED
        assert asked[1].request.context["s3:prefix"] == f"keyrings/{TENANT}"
        assert "s3:PutObject if-none-match" in [need_of(one)[0] for one in asked]

    def test_s3_answers_404_for_every_other_missing_object(self, recorded: Recorded) -> None:
        implied = [asked for asked in recorded.by_tenant if asked.is_implied and need_of(asked)[1] != "keyrings"]
        assert {need_of(asked)[1] for asked in implied} == {"memories", "intents"}
        assert {asked.decision for asked in implied} == {Decision.ALLOWED}

    def test_the_functions_role_becomes_the_tenant_once_and_does_nothing_else(self, recorded: Recorded) -> None:
        asked: list[tuple[object, ...]] = [
            (one.request.action, one.decision, one.request.context["aws:RequestTag/tenant"])
            for one in recorded.by_function
        ]
        assert asked == [
            ("sts:AssumeRole", Decision.ALLOWED, TENANT),
            ("sts:TagSession", Decision.ALLOWED, TENANT),
        ]

    def test_an_operator_creates_the_key_ring_if_a_tenant_may_not(self) -> None:
        recorded = record("an operator makes key rings")
        assert {asked.decision for asked in recorded.by_operator} == {Decision.ALLOWED}
        assert {need_of(asked) for asked in recorded.by_operator} >= MAKING_KEY_RINGS


def reduced(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield every policy with one permission removed: the ``Sid``, the permission, and the document."""
    for number, statement in enumerate(document["Statement"]):
        if statement["Effect"] != "Allow":
            continue
        places: list[tuple[str, ...]] = [("Action",), ("Resource",)] if "Resource" in statement else [("Action",)]
        places += [
            ("Condition", operator, key)
            for operator, keys in statement.get("Condition", {}).items()
            for key in keys
            if "Not" not in operator
        ]
        for place in places:
            granted = statement
            for name in place:
                granted = granted[name]
            values: list[str] = granted if isinstance(granted, list) else [granted]
            for value in values:
                smaller = copy.deepcopy(document)
                parent = smaller["Statement"][number]
                for name in place[:-1]:
                    parent = parent[name]
                parent[place[-1]] = [other for other in values if other != value]
                yield statement["Sid"], value, smaller


def allows(document: dict[str, Any], request: Request, principal: Principal) -> bool:
    return any(match.effect == "Allow" for match in Policy(document).matches(request, principal))


def granted(recorded: Recorded) -> Iterator[tuple[str, str, str, bool]]:
    """Yield what each policy grants, and whether it would refuse some request without that."""
    account = recorded.account
    agents = [
        (asked.request, account.session(role))
        for asked in recorded.by_function
        for role in ("agents", "agent-memory-bulk")
    ]
    everyone = [
        (asked.request, asked.principal)
        for asked in (*recorded.by_tenant, *recorded.by_function, *recorded.by_operator)
    ]
    for name, document in account.documents.items():
        if name.startswith("endpoint_"):
            continue  # grants nothing: test_iam_fences checks what passes
        role = {
            "tenant_role": "agent-memory-tenant",
            "function_role": "agent-memory-function",
            "bulk_role": "agent-memory-bulk",
            "assume_tenant": "agents",
            "operator": "operators",
            "batch_role": "agent-memory-batch",
        }.get(name)
        requests = [pair for pair in [*everyone, *agents] if role is None or pair[1].role_arn == account.role(role)]
        allowed = list({repr(pair): pair for pair in requests if allows(document, *pair)}.values())
        for sid, value, smaller in reduced(document):
            is_needed = not all(allows(smaller, *pair) for pair in allowed)
            same = value.replace(account.bucket, "store").replace("/prod/", "/").replace(account.kms_key_arn, "the key")
            yield name, sid, same, is_needed


class TestNothingMore:
    def test_every_permission_is_needed_or_has_a_written_reason(self) -> None:
        needed: dict[tuple[str, str, str], bool] = {}
        for deployment in DEPLOYMENTS:
            for name, sid, value, is_needed in granted(record(deployment)):
                needed[name, sid, value] = needed.get((name, sid, value), False) or is_needed
        reasons_used = set()
        for name, sid, value in [one for one, is_needed in needed.items() if not is_needed]:
            reasons = [
                (its_name, its_sid, part)
                for its_name, its_sid, part in REASONS
                if name == its_name and its_sid in {"", sid} and part in value
            ]
            assert reasons, f"who needs {value} of {sid} in {name}?"
            reasons_used.update(reasons)
        assert reasons_used == set(REASONS), "a reason is left of what was granted once"

    def test_the_bucket_policy_grants_nothing(self, recorded: Recorded) -> None:
        assert {statement["Effect"] for statement in recorded.account.documents["bucket"]["Statement"]} == {"Deny"}


def listed(text: str | None) -> set[str]:
    """Return the actions that a text lists."""
    return set(re.findall(r"`((?:s3|kms|sts|dynamodb):\w+)`", text or ""))


class TestDocumentation:
    ACTIONS = frozenset(action.partition(" ")[0] for action, _ in NEEDS)

    @pytest.mark.parametrize(
        ("documented", "expected"),
        [
            (MemoryStore, {action for action in ACTIONS if action.startswith("s3:")}),
            (KmsKeyWrapper, {action for action in ACTIONS if action.startswith("kms:")}),
            (TenantSessions, {"sts:AssumeRole", "sts:TagSession"}),
        ],
    )
    def test_a_class_lists_the_actions_that_its_requests_need(self, documented: type, expected: set[str]) -> None:
        assert listed(documented.__doc__) == expected

    def test_the_snippet_of_a_session_for_each_tenant_runs_and_makes_no_request(self) -> None:
        found = re.search(r"```python\n(from s3memory import KmsKeyWrapper.*?)```", OPERATIONS, re.DOTALL)
        assert found is not None
        names: dict[str, Any] = {}
        exec(compile(found[1], "deploy.md", "exec"), names)  # noqa: S102 - our own documentation
        assert repr(names["sessions"]) == "TenantSessions(<1 tenants>)"

    def test_the_operators_table_lists_each_action_with_the_folder_that_needs_it(self) -> None:
        section = OPERATIONS.partition("## IAM and tenant isolation")[2].partition("\n## ")[0]
        rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]
        told = {
            (action, folder)
            for actions, where, *_ in rows
            for action in listed(actions)
            for folder in ("memories", "intents", "keyrings", "key", "table", "role")
            if re.search(rf"\b{folder}\b", where)
        }
        needed = {(action.partition(" ")[0], folder) for action, folder in NEEDS}
        assert told == needed | {("sts:AssumeRole", "role"), ("sts:TagSession", "role")}


class TestRendered:
    def test_the_policies_were_rendered_from_the_current_module(self) -> None:
        """If a source has changed, render again: `make rendered-policies`; `make terraform-check` compares all."""
        sources: dict[str, str] = json.loads((RENDERED / "sources.json").read_text("utf-8"))
        there = {name: hashlib.sha256((REPOSITORY / "terraform" / name).read_bytes()).hexdigest() for name in sources}
        assert there == sources
        assert {"policies.tf", "locals.tf"} < set(sources)
