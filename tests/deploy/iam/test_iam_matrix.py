"""Who may send which request, as a matrix: the library's requests for one tenant, from everybody else, and altered.

The requests are recorded ones; the policies are those that Terraform rendered, all that apply together.
"""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from iam_account import Account, rendered
from iam_deployments import DEPLOYMENTS, TENANT, Recorded, record
from iam_policies import Decision, Grants, Policy, Principal, Request, Values, decide
from support.for_each import for_each

from s3memory.aws.tenant_sessions import role_session_name

ALLOWED = Decision.ALLOWED
OTHER_TENANTS = {
    "another tenant": "globex",
    "a tenant whose name begins this one's": TENANT[:-1],
    "a tenant whose name begins with this one's": f"{TENANT}2",
    "the same with a dot": f"{TENANT}.eu",
    "the same with a hyphen": f"{TENANT}-",
    "the same in capitals": TENANT.upper(),
    "an empty tag": "",
    "a wildcard": "*",
    "a pattern": f"{TENANT[:-1]}?",
    "a variable": "${aws:PrincipalTag/tenant}",
}
OTHER_ROLES = ("agent-memory-function", "agent-memory-bulk", "agents", "agent-memory-batch", "nobody")
OTHER_CONTEXTS: dict[str, dict[str, str | None]] = {
    "of another tenant": {"s3memory:tenant": "globex"},
    "of a tenant whose name begins with this one's": {"s3memory:tenant": f"{TENANT}2"},
    "without a tenant": {"s3memory:tenant": None},
    "for another purpose": {"s3memory:purpose": "backup"},
    "without a purpose": {"s3memory:purpose": None},
    "with a key more": {"more": "x"},
    "none at all": dict.fromkeys(["s3memory:tenant", "s3memory:purpose", "s3memory:generation", "s3memory:name-mode"]),
}


@pytest.fixture(params=DEPLOYMENTS)
def recorded(request: pytest.FixtureRequest) -> Recorded:
    return record(request.param)


@functools.cache
def templates() -> list[Request]:
    """Return one recorded request of each kind, for laws that hold for any tenant."""
    kinds = {}
    for request in record("plain names").requests:
        folder = request.resource.partition(":::")[2].split("/")[1:2]
        prefix = str(request.context.get("s3:prefix", "")).partition("/")[0]
        kinds[request.action, *folder, prefix, *sorted(request.context)] = request
    return list(kinds.values())


def renamed(request: Request, tenant: str) -> Request:
    """Return the same request for another tenant's resources."""
    context: dict[str, Values] = {}
    for key, value in request.context.items():
        is_prefix = key == "s3:prefix"
        context[key] = str(value).replace(f"/{TENANT}", f"/{tenant}") if is_prefix else value
    if "kms:EncryptionContext:s3memory:tenant" in context:
        context["kms:EncryptionContext:s3memory:tenant"] = tenant
    if "dynamodb:LeadingKeys" in context:
        context["dynamodb:LeadingKeys"] = (tenant,)
    return Request(request.action, request.resource.replace(f"/{TENANT}", f"/{tenant}"), context)


def without(request: Request, *keys: str) -> Request:
    return replace(request, context={key: value for key, value in request.context.items() if key not in keys})


def having(request: Request, **more: Any) -> Request:
    return replace(
        request, context={**request.context, **{key.replace("_", ":", 1): value for key, value in more.items()}}
    )


class TestEveryRequestOfATenant:
    def test_is_allowed_to_the_tenant(self, recorded: Recorded) -> None:
        account = recorded.account
        assert len(recorded.requests) > 100
        assert {account.decide(request, account.tenant(TENANT)) for request in recorded.requests} == {ALLOWED}

    @pytest.mark.parametrize("tenant", OTHER_TENANTS.values(), ids=OTHER_TENANTS)
    def test_is_refused_to_other_tenants(self, recorded: Recorded, tenant: str) -> None:
        account = recorded.account
        assert ALLOWED not in {account.decide(request, account.tenant(tenant)) for request in recorded.requests}

    def test_is_refused_without_a_tag(self, recorded: Recorded) -> None:
        account = recorded.account
        decisions = {account.decide(request, account.tenant(None)) for request in recorded.requests}
        assert decisions == {Decision.EXPLICITLY_DENIED}

    @for_each("role", OTHER_ROLES)
    def test_is_refused_to_other_roles_whatever_their_tag(self, recorded: Recorded, role: str) -> None:
        account = recorded.account
        for principal in (account.session(role), account.session(role, tenant=TENANT)):
            assert ALLOWED not in {account.decide(request, principal) for request in recorded.requests}

    def test_is_refused_to_administrators_except_for_reading_ciphertext_and_fingerprints(
        self, recorded: Recorded
    ) -> None:
        account = recorded.account
        administrators = account.session("administrators", tenant=TENANT)
        reached = {one.action for one in recorded.requests if account.decide(one, administrators) is ALLOWED}
        reading = {"s3:GetObject", "s3:ListBucket", "dynamodb:GetItem"}
        assert reached == reading & {one.action for one in recorded.requests}

    def test_is_refused_without_tls(self, recorded: Recorded) -> None:
        account = recorded.account
        for weaker in ({"aws_SecureTransport": "false"}, {"s3_TlsVersion": "1.1"}):
            for request in recorded.requests:
                if request.action.startswith("s3:"):
                    decision = account.decide(having(request, **weaker), account.tenant(TENANT))
                    assert decision is Decision.EXPLICITLY_DENIED


TENANTS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True).filter(lambda name: ".." not in name)


@st.composite
def two_tenants(draw: st.DrawFn) -> tuple[str, str]:
    """Two names, often with one as the beginning of the other."""
    first = draw(TENANTS)
    others = st.one_of(
        TENANTS,
        st.builds(lambda more: (first + more)[:64], TENANTS),
        st.integers(1, len(first)).map(lambda length: first[:length]),
        st.just(first.swapcase()),
    )
    return first, draw(others)


class TestAnyTwoTenants:
    @settings(max_examples=40)
    @given(two_tenants())
    def test_a_session_reaches_only_its_own_tenants_resources(self, tenants: tuple[str, str]) -> None:
        own, other = tenants
        account = record("plain names").account
        for request in templates():
            assert account.decide(renamed(request, own), account.tenant(own)) is ALLOWED
            is_allowed = account.decide(renamed(request, other), account.tenant(own)) is ALLOWED
            assert is_allowed is (own == other), (request, own, other)

    def test_there_is_a_template_of_every_kind(self) -> None:
        assert len(templates()) >= 14


class TestTheKmsKey:
    @pytest.mark.parametrize("change", OTHER_CONTEXTS.values(), ids=OTHER_CONTEXTS)
    def test_is_refused_with_another_context(self, recorded: Recorded, change: dict[str, str | None]) -> None:
        account = recorded.account
        asked = [request for request in recorded.requests if request.action.startswith("kms:")]
        assert asked
        for request in asked:
            prefix = "kms:EncryptionContext:"
            given_context = {
                key.removeprefix(prefix): value for key, value in request.context.items() if key.startswith(prefix)
            }
            changed = {key: value for key, value in {**given_context, **change}.items() if value is not None}
            context: dict[str, Values] = {prefix + key: value for key, value in changed.items()}
            if changed:
                context["kms:EncryptionContextKeys"] = tuple(sorted(changed))
            assert account.decide(replace(request, context=context), account.tenant(TENANT)) is not ALLOWED

    @for_each(
        "action",
        [
            "kms:Encrypt",
            "kms:ReEncryptFrom",
            "kms:ReEncryptTo",
            "kms:CreateGrant",
            "kms:DescribeKey",
            "kms:PutKeyPolicy",
        ],
    )
    def test_can_be_used_for_nothing_else(self, recorded: Recorded, action: str) -> None:
        account = recorded.account
        decrypt = next(request for request in recorded.requests if request.action == "kms:Decrypt")
        assert account.decide(replace(decrypt, action=action), account.tenant(TENANT)) is not ALLOWED


@pytest.fixture(scope="module")
def account() -> Account:
    """The deployment in which tenants create their key rings, with the names that Terraform gave it."""
    return Account(rendered("complete"))


TLS: dict[str, Values] = {"aws:SecureTransport": "true", "s3:TlsVersion": "1.3"}
IF_MATCH: dict[str, Values] = {"s3:if-match": '"etag"'}
IF_NONE_MATCH: dict[str, Values] = {"s3:if-none-match": "*"}


def of_object(action: str, key: str, condition: dict[str, Values] | None = None) -> Request:
    return Request(action, f"arn:aws:s3:::store/{key}", {**TLS, **(condition or {})})


def listing(prefix: str | None, bucket: str = "store") -> Request:
    return Request(
        "s3:ListBucket", f"arn:aws:s3:::{bucket}", {**TLS, **({} if prefix is None else {"s3:prefix": prefix})}
    )


class TestOtherTenantsResources:
    @for_each("tenant", ["globex", "acm", "acme2", "acme.eu", "ACME"])
    @for_each("folder", ["memories/{}/file", "intents/{}/id", "keyrings/{}"])
    @for_each(
        ("action", "condition"),
        [
            ("s3:GetObject", {}),
            ("s3:PutObject", IF_MATCH),
            ("s3:PutObject", IF_NONE_MATCH),
            ("s3:PutObject", {}),
            ("s3:DeleteObject", IF_MATCH),
            ("s3:DeleteObject", {}),
        ],
    )
    def test_are_inaccessible(
        self, account: Account, *, tenant: str, folder: str, action: str, condition: dict[str, Values]
    ) -> None:
        request = of_object(action, folder.format(tenant), condition)
        assert account.decide(request, account.tenant(TENANT)) is not ALLOWED

    @for_each(
        "prefix",
        [
            None, "", "memories", "memories/", "memories/acme", "memories/acme2/", "memories/globex/",
            "intents/", "intents/acme", "keyrings", "keyrings/", "keyrings/acme", "keyrings/acme2",
            "Memories/acme/", "/memories/acme/",
        ],
    )  # fmt: skip
    def test_cannot_be_listed(self, account: Account, prefix: str | None) -> None:
        assert account.decide(listing(prefix), account.tenant(TENANT)) is not ALLOWED
        assert account.decide(listing("memories/acme/"), account.tenant(TENANT)) is ALLOWED

    def test_another_bucket_is_inaccessible(self, account: Account) -> None:
        assert account.decide(listing("memories/acme/", "store2"), account.tenant(TENANT)) is not ALLOWED
        elsewhere = Request("s3:GetObject", "arn:aws:s3:::store2/memories/acme/file", TLS)
        assert account.decide(elsewhere, account.tenant(TENANT)) is not ALLOWED


class TestATenantsOwnKeyRing:
    RING = f"keyrings/{TENANT}"

    def test_can_be_read_and_created(self, account: Account) -> None:
        for request in (of_object("s3:GetObject", self.RING), of_object("s3:PutObject", self.RING, IF_NONE_MATCH)):
            assert account.decide(request, account.tenant(TENANT)) is ALLOWED

    @pytest.mark.parametrize(
        ("action", "condition"),
        [
            ("s3:PutObject", {}),
            ("s3:PutObject", IF_MATCH),
            ("s3:DeleteObject", {}),
            ("s3:DeleteObject", IF_MATCH),
            ("s3:DeleteObjectVersion", {}),
            ("s3:GetObjectVersion", {}),
        ],
    )
    def test_can_be_neither_replaced_nor_deleted(
        self, account: Account, action: str, condition: dict[str, Values]
    ) -> None:
        request = of_object(action, self.RING, condition)
        assert account.decide(request, account.tenant(TENANT)) is not ALLOWED

    def test_can_only_be_created_by_an_operator_if_tenants_may_not(self) -> None:
        strict = Account(rendered("strict"))
        request = of_object("s3:PutObject", f"prod/{self.RING}", IF_NONE_MATCH)
        assert strict.decide(request, strict.tenant(TENANT)) is not ALLOWED
        assert strict.decide(request, strict.session("operators")) is ALLOWED

    def test_can_only_be_replaced_and_deleted_by_operators_even_if_another_role_is_allowed_everything(
        self, account: Account
    ) -> None:
        for action, condition in (
            ("s3:PutObject", IF_MATCH),
            ("s3:DeleteObject", {}),
            ("s3:DeleteObjectVersion", {}),
        ):
            request = of_object(action, self.RING, condition)
            assert account.decide(request, account.session("operators")) is ALLOWED
            assert account.decide(request, account.session("administrators")) is Decision.EXPLICITLY_DENIED


class TestATenantsOwnFiles:
    FILE = f"memories/{TENANT}/file"

    @pytest.mark.parametrize("action", ["s3:PutObject", "s3:DeleteObject"])
    @pytest.mark.parametrize("folder", ["memories", "intents"])
    def test_can_only_be_written_and_deleted_conditionally(self, account: Account, action: str, folder: str) -> None:
        for role in (account.tenant(TENANT), account.session("operators")):
            request = of_object(action, f"{folder}/{TENANT}/x")
            assert account.decide(request, role) is Decision.EXPLICITLY_DENIED
            assert account.decide(having(request, **{"s3_if-match": '"etag"'}), role) is ALLOWED

    @pytest.mark.parametrize("object_key", [FILE, f"keyrings/{TENANT}"])
    @pytest.mark.parametrize("condition", [IF_MATCH, IF_NONE_MATCH], ids=["edited", "deleted"])
    def test_can_be_restored_by_an_operator_as_docs_operations_says(
        self, account: Account, object_key: str, condition: dict[str, Values]
    ) -> None:
        listing = Request("s3:ListBucketVersions", "arn:aws:s3:::store", {**TLS, "s3:prefix": object_key})
        for request in (
            listing,
            of_object("s3:GetObjectVersion", object_key),
            of_object("s3:PutObject", object_key, condition),
        ):
            assert account.decide(request, account.session("operators")) is ALLOWED
            assert account.decide(request, account.session("nobody")) is not ALLOWED

    def test_can_be_redacted_by_an_operator_who_alone_reads_and_writes_the_record(self, account: Account) -> None:
        record = f"redactions/{TENANT}/{'0' * 32}"
        for request in (
            of_object("s3:PutObject", record, IF_NONE_MATCH),
            of_object("s3:GetObject", record),
            of_object("s3:DeleteObjectVersion", self.FILE),
        ):
            assert account.decide(request, account.session("operators")) is ALLOWED
            for role in (account.tenant(TENANT), account.session("nobody"), account.session("administrators")):
                is_read = request.action == "s3:GetObject" and role == account.session("administrators")
                assert is_read or account.decide(request, role) is not ALLOWED
        unconditional = of_object("s3:PutObject", record)
        assert account.decide(unconditional, account.session("operators")) is Decision.EXPLICITLY_DENIED

    @pytest.mark.parametrize("action", ["s3:ReplicateObject", "s3:ReplicateDelete"])
    def test_can_be_replicated_by_a_named_role_that_can_do_nothing_else(self, action: str) -> None:
        strict = Account(rendered("strict"))
        replication, administrator = strict.session("replication"), strict.session("administrators")
        everything = [Policy({"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]})]
        bucket = strict.policies["bucket"]

        def may(principal: Principal, request: Request) -> bool:
            return decide(request, principal, identity=everything, resource=bucket) is ALLOWED

        assert may(replication, of_object(action, f"prod/{self.FILE}"))
        assert not may(administrator, of_object(action, f"prod/{self.FILE}"))
        for write, condition in (
            ("s3:PutObject", IF_MATCH),
            ("s3:PutObject", IF_NONE_MATCH),
            ("s3:DeleteObject", IF_MATCH),
            ("s3:DeleteObjectVersion", {}),
        ):
            assert not may(replication, of_object(write, f"prod/{self.FILE}", condition))

    @for_each(
        "action",
        [
            "s3:GetObjectVersion", "s3:DeleteObjectVersion", "s3:ListBucketVersions", "s3:GetObjectAcl",
            "s3:PutObjectAcl", "s3:PutObjectTagging", "s3:GetObjectAttributes", "s3:RestoreObject",
            "s3:PutBucketPolicy", "s3:GetBucketPolicy", "s3:PutLifecycleConfiguration", "s3:DeleteBucket",
            "s3:ListAllMyBuckets", "s3:BypassGovernanceRetention",
        ],
    )  # fmt: skip
    def test_are_everything_that_a_tenant_can_access_in_the_bucket(self, account: Account, action: str) -> None:
        context: dict[str, Values] = {**TLS, **IF_MATCH, "s3:prefix": f"memories/{TENANT}/"}
        for resource in ("arn:aws:s3:::store", f"arn:aws:s3:::store/{self.FILE}", "*"):
            assert account.decide(Request(action, resource, context), account.tenant(TENANT)) is not ALLOWED


def becoming(account: Account, tags: dict[str, str], *, action: str = "sts:TagSession", role: str = "") -> Request:
    context: dict[str, Values] = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    if tags:
        context["aws:TagKeys"] = tuple(sorted(tags))
    return Request(
        action,
        role or account.tenant_role_arn,
        {**context, "sts:RoleSessionName": role_session_name(tags.get("tenant", "acme"))},
    )


def layers(account: Account, request: Request, principal: Principal) -> list[bool]:
    """Return the decisions of the caller's own policy alone, and of the trust policy alone."""
    own = account.policies["assume_tenant"]
    trust = account.policies["tenant_role_trust"]
    return [
        decide(request, principal, identity=[own]) is ALLOWED,
        decide(request, principal, resource=trust, resource_grants=Grants.ALONE) is ALLOWED,
    ]


class TestBecomingATenant:
    """A tag ``acme/g`` would reach files below ``/memories/g``, so no session may have it."""

    CALLERS = ("agent-memory-function", "agent-memory-bulk", "agents")
    ACTIONS = ("sts:AssumeRole", "sts:TagSession")

    @settings(max_examples=40)
    @given(tenant=TENANTS)
    def test_every_valid_tenant_can_be_assumed(self, tenant: str) -> None:
        account = Account(rendered("complete"))
        for caller in self.CALLERS:
            for action in self.ACTIONS:
                request = becoming(account, {"tenant": tenant}, action=action)
                assert account.decide(request, account.session(caller)) is ALLOWED

    @for_each(
        "tags",
        [
            {},
            {"tenant": ""},
            {"tenant": "acme/g"},
            {"tenant": "acme "},
            {"tenant": "a..b"},
            {"tenant": ".acme"},
            {"tenant": "-acme"},
            {"tenant": "_acme"},
            {"tenant": "a:b"},
            {"tenant": "a=b"},
            {"tenant": "a+b"},
            {"tenant": "a@b"},
            {"Tenant": "acme"},
            {"project": "acme"},
            {"tenant": "acme", "project": "x"},
        ],
        ids=repr,
    )
    @for_each("action", ACTIONS)
    def test_other_tags_are_refused_by_the_callers_policy_and_independently_by_the_trust_policy(
        self, account: Account, tags: dict[str, str], action: str
    ) -> None:
        request = becoming(account, tags, action=action)
        for caller in self.CALLERS:
            assert account.decide(request, account.session(caller)) is not ALLOWED
            assert layers(account, request, account.session(caller)) == [False, False]
        fine = becoming(account, {"tenant": TENANT}, action=action)
        assert layers(account, fine, account.session("agents")) == [True, True]

    @pytest.mark.parametrize(
        ("tenant", "expected"),
        [("acme", True), ("team-red", True), ("acme2", False), ("acm", False), ("team", False), ("globex", False)],
    )
    def test_a_deployment_may_list_its_tenants(self, tenant: str, *, expected: bool) -> None:
        strict = Account(rendered("strict"))
        request = becoming(strict, {"tenant": tenant})
        assert (strict.decide(request, strict.session("agent-memory-function")) is ALLOWED) is expected
        assert layers(strict, request, strict.session("agents")) == [expected, expected]

    @pytest.mark.parametrize(
        "caller", ["agent-memory-tenant", "agent-memory-batch", "operators", "administrators", "nobody"]
    )
    def test_nobody_else_can_become_a_tenant(self, account: Account, caller: str) -> None:
        for action in self.ACTIONS:
            request = becoming(account, {"tenant": TENANT}, action=action)
            assert account.decide(request, account.session(caller, tenant=TENANT)) is not ALLOWED

    @pytest.mark.parametrize("role", ["operators", "agent-memory-function", "administrators"])
    def test_an_agent_cannot_assume_another_role(self, account: Account, role: str) -> None:
        own = account.policies["assume_tenant"]
        for action in self.ACTIONS:
            request = becoming(account, {"tenant": TENANT}, action=action, role=account.role(role))
            assert decide(request, account.session("agents"), identity=[own]) is not ALLOWED

    @pytest.mark.parametrize("caller", ["agent-memory-function", "agent-memory-bulk"])
    def test_a_role_of_functions_becomes_a_tenant_only_from_these_functions(
        self, account: Account, caller: str
    ) -> None:
        session = account.session(caller)
        request = becoming(account, {"tenant": TENANT}, action="sts:AssumeRole")
        assert account.decide(request, session) is ALLOWED
        version = replace(session, source_function_arn=f"{session.source_function_arn}:7")
        assert account.decide(request, version) is ALLOWED
        for other in ("", f"{session.source_function_arn}-2", session.source_function_arn.replace("memory", "other")):
            elsewhere = replace(session, source_function_arn=other)
            assert account.decide(request, elsewhere) is Decision.EXPLICITLY_DENIED

    def test_only_the_lambda_service_assumes_the_functions_role(self, account: Account) -> None:
        trust = account.policies["function_role_trust"]
        request = Request("sts:AssumeRole", account.role("agent-memory-function"))
        for principal, expected in (
            (Principal(service="lambda.amazonaws.com"), True),
            (Principal(service="ec2.amazonaws.com"), False),
            (account.session("administrators"), False),
        ):
            decision = decide(request, principal, resource=trust, resource_grants=Grants.ALONE)
            assert (decision is ALLOWED) is expected


class TestTheMatrixCanFail:
    """Typical holes in such policies: a cell above finds each of them."""

    @pytest.mark.parametrize(
        ("policy", "old", "new"),
        [
            ("tenant_role", "memories/${aws:PrincipalTag/tenant}/*", "memories/${aws:PrincipalTag/tenant}*"),
            ("tenant_role", "keyrings/${aws:PrincipalTag/tenant}", "keyrings/${aws:PrincipalTag/tenant}*"),
            ("tenant_role", "memories/${aws:PrincipalTag/tenant}/*", "memories/*"),
            ("kms_key", "${aws:PrincipalTag/tenant}", "*"),
        ],
    )
    def test_a_wider_policy_lets_another_tenant_in(self, policy: str, old: str, new: str) -> None:
        documents = rendered("complete")
        text = json.dumps(documents[policy])
        assert old in text
        wider = json.loads(text.replace(old, new).replace('"StringEquals": {"kms:', '"StringLike": {"kms:'))
        account = Account({**documents, policy: wider}, bucket=record("plain names").account.bucket)
        asked = [
            replace(request, resource=account.kms_key_arn) if request.action.startswith("kms:") else request
            for request in templates()
        ]
        assert ALLOWED in {
            account.decide(renamed(request, other), account.tenant(TENANT))
            for request in asked
            for other in ("acme2", "globex")
        }
