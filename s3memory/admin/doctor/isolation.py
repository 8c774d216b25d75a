"""Is one tenant kept from another's memory by something else than the program? Nothing of another tenant is read."""

from __future__ import annotations

import uuid

from s3memory.admin.doctor.checks import Verdict, good, is_forbidden, unchecked, weaker, wrong
from s3memory.admin.doctor.deployment import Deployment
from s3memory.aws.errors import RequestOutcome, aws_errors, outcome_of
from s3memory.format.object_keys import Folder, Layout

_ONLY_THE_PROGRAM = (
    "Only the program keeps tenants apart. If it mixes them up, it reaches another tenant's memory. Give each tenant "
    "its own credentials: S3MEMORY_TENANT_ROLE_ARN, docs/deploy.md, 'IAM and tenant isolation'."
)
_POLICY_IS_WRONG = "The tenant's credentials are not limited to the tenant. Fix the tenant role's policy."


def made_up_tenant(tenant: str) -> str:
    """Return another tenant's name that begins with this one's, as far as there is room: whom a bad policy lets in."""
    return f"{tenant[:40]}-{uuid.uuid4().hex[:16]}"


def listing(deployment: Deployment, other: str | None) -> Verdict:
    """Whether another tenant's files can be listed."""
    for tenant in filter(None, (made_up_tenant(deployment.tenant), other)):
        prefix = Layout(deployment.prefix, tenant).memories_prefix
        if not is_forbidden(deployment.s3.list_objects_v2, Bucket=deployment.bucket, Prefix=prefix, MaxKeys=1):
            return reached(deployment, "another tenant's files can be listed")
    return good("listing another tenant's files is refused")


def objects(deployment: Deployment, other: str | None) -> Verdict:
    """Whether another tenant's key ring can be fetched. Only its head is asked for."""
    made_up = Layout(deployment.prefix, made_up_tenant(deployment.tenant)).key_ring
    if not is_forbidden(deployment.s3.head_object, Bucket=deployment.bucket, Key=made_up):
        return reached(deployment, "S3 says whether another tenant's key ring is there")
    if other is None:
        follows = "S3 refuses a missing object in the same way. Name a tenant that has a memory: --other."
        return unchecked("no other tenant is known whose key ring could be requested", follows)
    if not is_forbidden(
        deployment.s3.head_object, Bucket=deployment.bucket, Key=Layout(deployment.prefix, other).key_ring
    ):
        return reached(deployment, "another tenant's key ring can be fetched")
    return good("fetching another tenant's key ring is refused")


def another_tenant(deployment: Deployment) -> str | None:
    """Return the name of another tenant with a key ring, if the operator's credentials may list them."""
    folder = Folder.KEY_RINGS.below(deployment.prefix)
    try:
        answer = deployment.operator_s3.list_objects_v2(Bucket=deployment.bucket, Prefix=folder, MaxKeys=2)
    except aws_errors() as error:
        if outcome_of(error) in {RequestOutcome.UNKNOWN, RequestOutcome.NOT_DONE}:
            raise
        return None
    names = [item["Key"].removeprefix(folder) for item in answer.get("Contents", [])]
    return next((one for one in names if one != deployment.tenant), None)


def reached(deployment: Deployment, found: str, follows: str | None = None) -> Verdict:
    """Return what it means that another tenant's can be reached: a wrong policy, where one should prevent that."""
    if deployment.has_tenant_sessions:
        return wrong(found, follows or _POLICY_IS_WRONG)
    return weaker(found, follows or _ONLY_THE_PROGRAM)
