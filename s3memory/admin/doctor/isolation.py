"""Is one tenant kept from another's memory by something else than the program: by S3's policies, and by KMS?

Nothing of another tenant is read. KMS holds data keys to their encryption context, by the ciphertext and by policy.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from s3memory.admin.doctor.checks import Verdict, answer_to, good, is_forbidden, is_forbidding, unchecked, weaker, wrong
from s3memory.admin.doctor.deployment import Deployment
from s3memory.aws.errors import NO_CODE, RequestOutcome, aws_errors, outcome_of, to_backend_error
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
# What KMS says where the matter is the key, and not these credentials.
_KEY_MATTERS = {
    NO_SUCH_KEY_CODE: "KMS has no such key in this account and region",
    "DisabledException": "the KMS key is disabled",
    "KMSInvalidStateException": "the KMS key is to be deleted, or is not ready",
}
_MAKE_THE_KEY = (
    "The first key of S3MEMORY_KMS_KEY_ID wraps new data keys. Until it exists, the tenant's key ring can't be made or "
    "rotated: the first write of a new tenant fails. Create the key, or correct the setting. Where the setting holds "
    "{tenant}, each tenant needs a key with such an alias."
)
_MEND_THE_KEY = (
    "Commands that need it fail: those of a new tenant, or all. S3MEMORY_KMS_KEY_ID has to name symmetric keys that "
    "are enabled: enable the key, cancel its deletion, or correct the setting."
)


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
    """Whether another tenant's key ring or a file of its can be fetched. Only their heads are asked for."""
    made_up = Layout(deployment.prefix, made_up_tenant(deployment.tenant)).key_ring
    if not is_forbidden(deployment.s3.head_object, Bucket=deployment.bucket, Key=made_up):
        return reached(deployment, "S3 says whether another tenant's key ring is there")
    if other is None:
        follows = "S3 refuses a missing object in the same way. Name a tenant that has a memory: --other."
        return unchecked("no other tenant is known whose key ring could be requested", follows)
    known = Layout(deployment.prefix, other).key_ring
    if not is_forbidden(deployment.s3.head_object, Bucket=deployment.bucket, Key=known):
        return reached(deployment, "another tenant's key ring can be fetched")
    memory = _file_of(deployment, other)
    if memory is None:
        return good("fetching another tenant's key ring is refused")
    if not is_forbidden(deployment.s3.head_object, Bucket=deployment.bucket, Key=memory):
        return reached(deployment, "another tenant's files can be fetched")
    return good("fetching another tenant's key ring and files is refused")


def another_tenant(deployment: Deployment, named: str | None = None) -> str | None:
    """Return the name of another tenant with a key ring, or ``None`` if the bucket shows none.

    Args:
        deployment: where to look, with the operator's credentials.
        named: the only one to look for, and what is returned where these credentials may not look.
    """
    beginning = Folder.KEY_RINGS.below(deployment.prefix) + (named or "")
    try:
        answer = deployment.operator_s3.list_objects_v2(Bucket=deployment.bucket, Prefix=beginning)
    except aws_errors() as error:
        if outcome_of(error) in {RequestOutcome.UNKNOWN, RequestOutcome.NOT_DONE}:
            raise
        return named
    places = [place_of(deployment.prefix, item["Key"]) for item in answer.get("Contents", [])]
    others = [place.tenant for place in places if place is not None and place.tenant != deployment.tenant]
    return next((one for one in others if named in {None, one}), None)


def _file_of(deployment: Deployment, tenant: str) -> str | None:
    """Return the object key of one of a tenant's files; ``None`` if it has none, or these credentials may not look."""
    prefix = Layout(deployment.prefix, tenant).memories_prefix
    try:
        answer = deployment.operator_s3.list_objects_v2(Bucket=deployment.bucket, Prefix=prefix, MaxKeys=1)
    except aws_errors() as error:
        if outcome_of(error) in {RequestOutcome.UNKNOWN, RequestOutcome.NOT_DONE}:
            raise
        return None
    return next((item["Key"] for item in answer.get("Contents", [])), None)


def reached(deployment: Deployment, found: str, follows: str | None = None) -> Verdict:
    """Return what it means that another tenant's can be reached: a wrong policy, where one should prevent that."""
    if deployment.has_tenant_sessions:
        return wrong(found, follows or _POLICY_IS_WRONG)
    return weaker(found, follows or _ONLY_THE_PROGRAM)


def bound(deployment: Deployment) -> Verdict:
    """Whether a data key opens in its own encryption context alone."""
    try:
        return _bound(deployment)
    except BackendError as error:
        matter = _key_matter(error)
        if matter is None:
            raise
        return wrong(matter, _MEND_THE_KEY)


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
    """Whether a policy refuses another tenant's encryption context."""
    if deployment.kms is None or deployment.kms_key_id is None:
        return weaker("no KMS key wraps data keys", _NO_KMS)
    of_wrapper_or_client: tuple[type[Exception], ...] = (BackendError, *aws_errors())
    try:
        return _pinned(deployment, deployment.kms, deployment.kms_key_id)
    except of_wrapper_or_client as error:
        matter = _key_matter(error if isinstance(error, BackendError) else to_backend_error(error))
        if matter is None:
            raise
    return unchecked(matter, _SEE_BOUND)


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
    return reached(deployment, "no policy refuses to unwrap in another tenant's context", follows)


def _wrap(deployment: Deployment) -> tuple[tuple[bytes, dict[str, str]] | None, str | None]:
    """Return a data key as it was wrapped for this tenant, and its context: a new one, or else that of its key ring.

    Beside it comes what there is to say where KMS has no key to make new ones with, and else `None`.
    """
    context = KeyRing(deployment.tenant, PLAIN, deployment.key_wrapper.name, ()).wrap_context(1)
    missing = None
    try:
        return (deployment.key_wrapper.generate(context)[1], context), None
    except BackendError as error:
        if error.code == NO_SUCH_KEY_CODE:
            missing = _key_matter(error)  # an older one may have wrapped those of the ring
        elif not is_forbidding(error):  # an operator makes key rings, where it is
            raise
    try:
        key_ring = answer_to(deployment.s3.get_object, Bucket=deployment.bucket, Key=deployment.layout.key_ring)
    except aws_errors():
        if missing is None:
            raise
        return None, missing  # S3 says 403 as well where there is none, to whoever may not list
    if key_ring.outcome is not None:
        return None, missing
    try:
        ring = KeyRing.from_bytes(key_ring.fields["Body"].read(), tenant=deployment.tenant)
    except KeyRingError:
        return None, missing
    return (ring.newest.wrapped, ring.wrap_context(ring.newest.generation)), missing


def _key_matter(error: BackendError) -> str | None:
    """Return what is the matter with the KMS key, if that is what the error says."""
    code = error.code
    if code is None or code == NO_CODE:  # of a key wrapper that is not KMS, say
        return None
    # KMS has looked at the request, and these credentials may make it: an ARN is malformed, say, or a key asymmetric.
    is_refused = type(error) is BackendError and not code.isdigit()
    matter = _KEY_MATTERS.get(code, "KMS does not take the key" if is_refused else None)
    return None if matter is None else f"{matter} ({code})"


def _unwraps(wrapper: KeyWrapper, wrapped: bytes, context: dict[str, str]) -> bool:
    try:
        wrapper.unwrap(wrapped, context)
    except KeyRingError:
        return False
    except BackendError as error:
        if error.code != NO_SUCH_KEY_CODE:
            raise
        return False  # no key that is there opens it, and one is not there
    return True
