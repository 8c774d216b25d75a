"""An AWS account in which the module's policies are in force: IAM in front of moto, and every request recorded.

moto carries out every request. Here a request is first checked against the policies that Terraform rendered, as the
session that signed it; a refused one gets AWS's error response, and never reaches moto.
"""

from __future__ import annotations

import functools
import json
import os
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ClientError
from iam_policies import Decision, Grants, Policy, Principal, Request, decide
from iam_requests import access_key, condition_headers, derive, list_bucket, object_key, session_tags
from support.faults import Killed, RawBody, error_answer, make_harmless

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

RENDERED = Path(__file__).parent / "rendered"
RENDERED_BUCKET = "store"
RENDERED_ACCOUNT_ID = "111122223333"
RENDERED_KMS_KEY_ARN = f"arn:aws:kms:eu-central-1:{RENDERED_ACCOUNT_ID}:key/00000000-0000-0000-0000-000000000000"
OPERATOR_ACCESS_KEY = "operator"
FUNCTIONS_OF = {"agent-memory-function": "agent-memory-agent", "agent-memory-bulk": "agent-memory-bulk-verify"}
RING_TABLE = "agent-memory-key-rings"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to IAM about one request.

    Attributes:
        request: the action, resource and context.
        principal: who sent the request.
        decision: IAM's decision.
        is_implied: S3 itself asked, before it said that an object is missing.
    """

    request: Request
    principal: Principal
    decision: Decision
    is_implied: bool = False


def rendered(name: str) -> dict[str, Any]:
    """Return the policies that Terraform rendered for a set of variables, as documents by name."""
    policies: dict[str, Any] = json.loads((RENDERED / f"{name}.json").read_text("utf-8"))
    return policies


class Account:
    """The roles, bucket and key of a deployment, and IAM's decisions about requests.

    Args:
        documents: the policies, by the names of the module's outputs.
        bucket: the name of the bucket.
        account_id: the account's id.
        kms_key_arn: the key's ARN.
    """

    def __init__(
        self,
        documents: Mapping[str, Any],
        *,
        bucket: str = RENDERED_BUCKET,
        account_id: str = RENDERED_ACCOUNT_ID,
        kms_key_arn: str = RENDERED_KMS_KEY_ARN,
    ) -> None:
        text = json.dumps(documents)
        for old, new in (
            (RENDERED_KMS_KEY_ARN, kms_key_arn),
            (f"arn:aws:s3:::{RENDERED_BUCKET}", f"arn:aws:s3:::{bucket}"),
            (RENDERED_ACCOUNT_ID, account_id),
        ):
            text = text.replace(old, new)
        self.documents: dict[str, Any] = json.loads(text)
        self.policies = {name: Policy(document) for name, document in self.documents.items()}
        self.bucket = bucket
        self.kms_key_arn = kms_key_arn
        self._account_id = account_id
        self._roles = f"arn:aws:iam::{account_id}:role/"
        self._identity: dict[str, list[Policy]] = {
            self.role("agent-memory-tenant"): [self.policies["tenant_role"]],
            self.role("agent-memory-function"): [self.policies["function_role"]],
            self.role("agent-memory-batch"): [self.policies["batch_role"]],
            self.role("agent-memory-bulk"): [self.policies["bulk_role"]],
            self.role("agents"): [self.policies["assume_tenant"]],
            self.role("operators"): [self.policies["operator"]],
            self.role("administrators"): [Policy({"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]})],
        }

    def role(self, name: str) -> str:
        """Return a role's ARN."""
        return self._roles + name

    @property
    def tenant_role_arn(self) -> str:
        """The role that a session assumes to become a tenant."""
        return self.role("agent-memory-tenant")

    def session(self, role: str, *, name: str = "any", **tags: str) -> Principal:
        """Return a session of a role. A function's role gets the session that the function's code has."""
        arn = self.role(role)
        assumed = arn.replace(":iam:", ":sts:").replace(":role/", ":assumed-role/")
        function = FUNCTIONS_OF.get(role)
        functions = f"arn:aws:lambda:eu-central-1:{self._account_id}:function:"
        source_function_arn = f"{functions}{function}" if function else ""
        return Principal(
            role_arn=arn, session_arn=f"{assumed}/{name}", tags=tags, source_function_arn=source_function_arn
        )

    def tenant(self, tenant: str | None) -> Principal:
        """Return the session of a tenant; for ``None``, one without a tag."""
        return self.session("agent-memory-tenant", **({} if tenant is None else {"tenant": tenant}))

    def decide(self, request: Request, principal: Principal) -> Decision:
        """Decide a request by all policies that apply to it. A resource without an account belongs to this one."""
        context = {"aws:ResourceAccount": self._account_id, **request.context}
        request = replace(request, context=context)
        service = request.action.partition(":")[0]
        named, grants = {
            "s3": ("bucket", Grants.BESIDE_IDENTITY),
            "kms": ("kms_key", Grants.ALONE),
            "sts": ("tenant_role_trust", Grants.ALONE),
            "dynamodb": ("ring_table", Grants.BESIDE_IDENTITY),
            "iam": ("", Grants.BESIDE_IDENTITY),
            "states": ("", Grants.BESIDE_IDENTITY),
        }[service]
        resource = self.policies.get(named)
        if service == "sts" and request.resource != self.tenant_role_arn:
            resource = Policy({"Statement": []})  # another role, which trusts nobody here
        return decide(
            request,
            principal,
            identity=self._identity.get(principal.role_arn, []),
            resource=resource,
            resource_grants=grants,
        )


@functools.cache
def _dynamodb() -> Any:
    return boto3.client("dynamodb")


def make_ring_table() -> None:
    """Create the register's table again, as the module does: a table serves one deployment."""
    dynamodb = _dynamodb()
    if RING_TABLE in dynamodb.list_tables()["TableNames"]:
        dynamodb.update_table(TableName=RING_TABLE, DeletionProtectionEnabled=False)
        dynamodb.delete_table(TableName=RING_TABLE)
    dynamodb.create_table(
        TableName=RING_TABLE,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "tenant", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "tenant", "AttributeType": "S"}],
        DeletionProtectionEnabled=True,
    )
    recovery: Any = {"PointInTimeRecoveryEnabled": True}
    dynamodb.update_continuous_backups(TableName=RING_TABLE, PointInTimeRecoverySpecification=recovery)


class Guard:
    """Stands between the clients that it watches and moto.

    Args:
        account: the account whose policies are in force.
        s3: an unwatched client, to check whether an object exists.
    """

    def __init__(self, account: Account, s3: S3Client) -> None:
        self.account = account
        self.asked: list[Asked] = []
        self.s3 = s3
        self._assuming = threading.local()
        self._counts: Counter[str] = Counter()
        self._broken_off: dict[str, int] = {}
        self._lock = threading.Lock()
        self._watched: list[Any] = []
        self._ambient = os.environ["AWS_ACCESS_KEY_ID"]
        self._principals = {
            self._ambient: account.session("agent-memory-function"),
            OPERATOR_ACCESS_KEY: account.session("operators"),
        }

    def watch(self, *clients: Any) -> None:
        """Let IAM decide the requests of these clients from now on."""
        for client in clients:
            client.meta.events.register_first("before-send", self._before_send)
            client.meta.events.register("after-call.sts.AssumeRole", self._assumed)
            self._watched.append(client)

    def leave(self) -> None:
        """Let all their requests pass again."""
        for client in self._watched:
            client.meta.events.unregister("before-send", self._before_send)
            client.meta.events.unregister("after-call.sts.AssumeRole", self._assumed)

    def be(self, role: str) -> None:
        """Treat the ambient credentials as a session of another role than the function's."""
        self._principals[self._ambient] = self.account.session(role)

    def break_off(self, operation: str, *, nth: int) -> None:
        """End the process, as it seems, before the `nth` request of an operation from now on is sent."""
        self._counts[operation] = 0
        self._broken_off[operation] = nth

    def _before_send(self, request: AWSPreparedRequest, event_name: str, **_: Any) -> AWSResponse | None:
        service, operation = event_name.split(".")[1:]
        with self._lock:
            self._counts[operation] += 1
            is_broken_off = self._counts[operation] == self._broken_off.get(operation)
        principal = self._principals[access_key(request)]
        decided = [self._decided(one, principal) for one in derive(service, request, bucket=self.account.bucket)]
        if service == "s3":
            decided += [self._decided(one, principal, is_implied=True) for one in self._implied(request)]
        if service == "sts":
            self._assuming.tags = session_tags(request)
        self.asked += decided
        if is_broken_off:
            raise Killed
        if all(one.decision is Decision.ALLOWED for one in decided):
            return None
        return _refusal(service, request)

    def _decided(self, request: Request, principal: Principal, *, is_implied: bool = False) -> Asked:
        return Asked(request, principal, self.account.decide(request, principal), is_implied)

    def _implied(self, request: AWSPreparedRequest) -> Iterator[Request]:
        key = object_key(request, bucket=self.account.bucket)
        if not key or not (request.method in {"GET", "HEAD"} or "s3:if-match" in condition_headers(request)):
            return
        try:
            self.s3.head_object(Bucket=self.account.bucket, Key=key)
        except ClientError:
            transport = derive("s3", request, bucket=self.account.bucket)[0].context
            kept = {name: value for name, value in transport.items() if not name.startswith("s3:if-")}
            yield list_bucket(self.account.bucket, kept, prefix=key)

    def _assumed(self, parsed: dict[str, Any], **_: object) -> None:
        if "Credentials" in parsed:
            self._principals[parsed["Credentials"]["AccessKeyId"]] = self.account.session(
                parsed["AssumedRoleUser"]["Arn"].split("/")[1],
                name=parsed["AssumedRoleUser"]["Arn"].split("/")[2],
                **self._assuming.tags,
            )


def _refusal(service: str, request: AWSPreparedRequest) -> AWSResponse:
    if service == "s3":
        answer = error_answer(request, 403, "AccessDenied")
        make_harmless(request)
        return answer
    # Neither service keeps anything from a request, so moto may carry it out.
    if service in {"kms", "dynamodb"}:
        body = json.dumps({"__type": "AccessDeniedException", "message": "by the guard"}).encode()
        headers, status = {"content-type": "application/x-amz-json-1.1"}, 400
    else:
        body = b"<ErrorResponse><Error><Code>AccessDenied</Code></Error><RequestId>r</RequestId></ErrorResponse>"
        headers, status = {"content-type": "text/xml"}, 403
    return AWSResponse(request.url, status, HTTPHeaders.from_dict(headers), RawBody(body))
