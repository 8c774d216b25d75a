"""Checks that S3's policies and KMS isolate tenants, so that isolation does not depend on the program alone.

Nothing of another tenant is read. KMS binds a data key to its encryption context by the ciphertext, and policies can
restrict the contexts that credentials may use.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from s3memory.admin.doctor.checks import (
    OUTAGE,
    Verdict,
    answer_to,
    good,
    is_forbidden,
    is_forbidding,
    unchecked,
    weaker,
    wrong,
)
from s3memory.admin.doctor.deployment import Deployment
from s3memory.aws.errors import NO_CODE, aws_errors, outcome_of, to_backend_error
from s3memory.errors import BackendError, KeyRingError
from s3memory.format.key_ring import KeyRing
from s3memory.format.names import PLAIN
from s3memory.format.object_keys import Folder, Layout, place_of
from s3memory.keys.open_key_ring import KeyWrapper
from s3memory.keys.wrappers.kms import NO_SUCH_KEY_CODE

if TYPE_CHECKING:
    from mypy_boto3_kms.client import KMSClient

_ONLY_THE_PROGRAM = (
    "Only the program keeps tenants apart. If it mixes them up, it reaches another tenant's memory. Give each tenant "
    "its own credentials: S3MEMORY_TENANT_ROLE_ARN, docs/deploy.md, 'IAM and tenant isolation'."
)
_POLICY_IS_WRONG = "The tenant's credentials are not limited to the tenant. Fix the tenant role's policy."
_NO_KMS = (
    "Data keys are wrapped by a local key. Anyone who has it can open every tenant's memory, nobody can revoke it, "
    "and no log says when it was used. For production, set S3MEMORY_KMS_KEY_ID."
)
_NO_DATA_KEY = "Make the tenant's key ring first: its first write does."
_SEE_BOUND = "See context-bound."
# Codes of KMS for problems of the key itself, and not of these credentials.
_KEY_PROBLEMS = {
    NO_SUCH_KEY_CODE: "KMS has no such key in this account and region",
    "DisabledException": "the KMS key is disabled",
    "KMSInvalidStateException": "the KMS key is to be deleted, or is not ready",
}
_MAKE_THE_KEY = (
    "The first key of S3MEMORY_KMS_KEY_ID wraps new data keys. Until it exists, the tenant's key ring can't be made or "
    "rotated: the first write of a new tenant fails. Create the key, or correct the setting. Where the setting holds "
    "{tenant}, each tenant needs a key with such an alias."
)
_FIX_THE_KEY = (
    "Commands that need it fail: those of a new tenant, or all. S3MEMORY_KMS_KEY_ID has to name symmetric keys that "
    "are enabled: enable the key, cancel its deletion, or correct the setting."
)


def made_up_tenant(tenant: str) -> str:
    """Return a name for another tenant that begins with this one's, up to 40 characters: a bad policy allows those."""
    return f"{tenant[:40]}-{uuid.uuid4().hex[:16]}"


def listing(deployment: Deployment, other: str | None) -> Verdict:
    """Check that another tenant's files can't be listed."""
    for tenant in filter(None, (made_up_tenant(deployment.tenant), other)):
        prefix = Layout(deployment.prefix, tenant).memories_prefix
        if not is_forbidden(deployment.s3.list_objects_v2, Bucket=deployment.bucket, Prefix=prefix, MaxKeys=1):
            return not_isolated(deployment, "another tenant's files can be listed")
    return good("listing another tenant's files is refused")


def objects(deployment: Deployment, other: str | None) -> Verdict:
    """Check that another tenant's key ring and files can't be fetched. Only their heads are requested."""
    made_up = Layout(deployment.prefix, made_up_tenant(deployment.tenant)).key_ring
    if not is_forbidden(deployment.s3.head_object, Bucket=deployment.bucket, Key=made_up):
        return not_isolated(deployment, "S3 says whether another tenant's key ring is there")
    if other is None:
        follows = "S3 refuses a missing object in the same way. Name a tenant that has a memory: --other."
        return unchecked("no other tenant is known whose key ring could be requested", follows)
    layout = Layout(deployment.prefix, other)
    if not is_forbidden(deployment.s3.head_object, Bucket=deployment.bucket, Key=layout.key_ring):
        return not_isolated(deployment, "another tenant's key ring can be fetched")
    files = _listed(deployment, layout.memories_prefix, MaxKeys=1)
    if not files:
        return good("fetching another tenant's key ring is refused")
    if not is_forbidden(deployment.s3.head_object, Bucket=deployment.bucket, Key=files[0]):
        return not_isolated(deployment, "another tenant's files can be fetched")
    return good("fetching another tenant's key ring and files is refused")


def another_tenant(deployment: Deployment, named: str | None = None) -> str | None:
    """Return the name of another tenant with a key ring, or ``None`` if none is found.

    Args:
        deployment: its bucket is listed with the operator's credentials.
        named: look for this tenant only. It is also returned if these credentials may not list the bucket.
    """
    listed = _listed(deployment, Folder.KEY_RINGS.below(deployment.prefix) + (named or ""))
    if listed is None:
        return named
    places = [place_of(deployment.prefix, object_key) for object_key in listed]
    others = [place.tenant for place in places if place is not None and place.tenant != deployment.tenant]
    return next((one for one in others if named in {None, one}), None)


def _listed(deployment: Deployment, prefix: str, **more: Any) -> list[str] | None:
    """Return the first object keys below a prefix; ``None`` if the operator's credentials may not list them."""
    try:
        answer = deployment.operator_s3.list_objects_v2(Bucket=deployment.bucket, Prefix=prefix, **more)
    except aws_errors() as error:
        if outcome_of(error) in OUTAGE:
            raise
        return None
    return [item["Key"] for item in answer.get("Contents", [])]


def not_isolated(deployment: Deployment, found: str, follows: str | None = None) -> Verdict:
    """Return the verdict if another tenant's data can be reached: wrong if the tenant has its own credentials."""
    if deployment.has_tenant_sessions:
        return wrong(found, follows or _POLICY_IS_WRONG)
    return weaker(found, follows or _ONLY_THE_PROGRAM)


def bound(deployment: Deployment) -> Verdict:
    """Check that a data key is unwrapped in its own encryption context only."""
    try:
        return _bound(deployment)
    except BackendError as error:
        problem = _key_problem(error)
        if problem is None:
            raise
        return wrong(problem, _FIX_THE_KEY)


def _bound(deployment: Deployment) -> Verdict:
    wrap, missing = _wrap(deployment)
    if wrap is None and missing is None:
        return unchecked("this tenant has no data key to try it with", _NO_DATA_KEY)
    if wrap is None:
        return wrong(str(missing), _MAKE_THE_KEY)
    wrapped, context = wrap
    own = _unwraps(deployment.key_wrapper, wrapped, context)
    other = _unwraps(deployment.key_wrapper, wrapped, {**context, "s3memory:generation": "0"})
    if not own:
        follows = "The tenant's key ring does not open: the configured key is not the one that wrapped it."
        reason = "" if missing is None else f": {missing}"
        return wrong(f"a data key is not unwrapped in its own context{reason}", follows)
    if other:
        follows = "A key ring of one tenant can be passed off as another's. Do not wrap data keys with this."
        return wrong("a data key is unwrapped in another context than its own", follows)
    if missing is not None:
        return weaker(f"an older key unwraps the tenant's data key, and {missing}", _MAKE_THE_KEY)
    return good("a data key is unwrapped in its own context, and not in another")


def pinned(deployment: Deployment) -> Verdict:
    """Check that a policy refuses another tenant's encryption context."""
    if deployment.kms is None or deployment.kms_key_id is None:
        return weaker("no KMS key wraps data keys", _NO_KMS)
    of_wrapper_or_client: tuple[type[Exception], ...] = (BackendError, *aws_errors())
    try:
        return _pinned(deployment, deployment.kms, deployment.kms_key_id)
    except of_wrapper_or_client as error:
        problem = _key_problem(error if isinstance(error, BackendError) else to_backend_error(error))
        if problem is None:
            raise
    return unchecked(problem, _SEE_BOUND)


def _pinned(deployment: Deployment, kms: KMSClient, key_id: str) -> Verdict:
    wrap, missing = _wrap(deployment)
    if missing is not None:
        return unchecked(missing, _SEE_BOUND)
    if wrap is None:
        return unchecked("this tenant has no data key to try it with", _NO_DATA_KEY)
    wrapped, context = wrap
    other = {**context, "s3memory:tenant": made_up_tenant(deployment.tenant)}
    if is_forbidden(kms.decrypt, CiphertextBlob=wrapped, KeyId=key_id, EncryptionContext=other):
        return good("a policy refuses to unwrap in another tenant's context")
    follows = (
        "Anyone with these credentials and another tenant's key ring can unwrap that tenant's data keys. Compare "
        "kms:EncryptionContext:s3memory:tenant with the session's tag, as terraform/ does."
    )
    return not_isolated(deployment, "no policy refuses to unwrap in another tenant's context", follows)


def _wrap(deployment: Deployment) -> tuple[tuple[bytes, dict[str, str]] | None, str | None]:
    """Return a wrapped data key of this tenant with its context, and the problem if KMS has no key to make new ones.

    The data key is a new one if these credentials can make one, and otherwise the newest of the tenant's key ring.
    """
    context = KeyRing(deployment.tenant, PLAIN, deployment.key_wrapper.name, ()).wrap_context(1)
    missing = None
    try:
        return (deployment.key_wrapper.generate(context)[1], context), None
    except BackendError as error:
        if error.code == NO_SUCH_KEY_CODE:
            missing = _key_problem(error)  # an older KMS key may have wrapped the data keys of the ring
        elif not is_forbidding(error):  # if it is, an operator makes the key rings
            raise
    try:
        key_ring = answer_to(deployment.s3.get_object, Bucket=deployment.bucket, Key=deployment.layout.key_ring)
    except aws_errors():
        if missing is None:
            raise
        return None, missing  # without permission to list, S3 answers 403 for a missing object as well
    if key_ring.outcome is not None:
        return None, missing
    try:
        ring = KeyRing.from_bytes(key_ring.fields["Body"].read(), tenant=deployment.tenant)
    except KeyRingError:
        return None, missing
    return (ring.newest.wrapped, ring.wrap_context(ring.newest.generation)), missing


def _key_problem(error: BackendError) -> str | None:
    """Return the problem of the KMS key that an error reports; `None` if it reports something else."""
    code = error.code
    if code is None or code == NO_CODE:  # the key wrapper is not KMS, for example
        return None
    # KMS has checked the request and the permissions: the ARN is malformed, for example, or the key is asymmetric.
    is_refused = type(error) is BackendError and not code.isdigit()
    problem = _KEY_PROBLEMS.get(code, "KMS does not accept the key" if is_refused else None)
    return None if problem is None else f"{problem} ({code})"


def _unwraps(wrapper: KeyWrapper, wrapped: bytes, context: dict[str, str]) -> bool:
    try:
        wrapper.unwrap(wrapped, context)
    except KeyRingError:
        return False
    except BackendError as error:
        if error.code != NO_SUCH_KEY_CODE:
            raise
        return False  # no existing key opens it, and one of the configured keys does not exist
    return True
