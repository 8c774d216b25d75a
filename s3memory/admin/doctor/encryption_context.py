"""Does KMS hold a tenant's data keys to its encryption context: by the ciphertext, and by policy?"""

from __future__ import annotations

from dataclasses import dataclass

from s3memory.admin.doctor.checks import Verdict, answer_to, good, is_forbidden, unchecked, weaker, wrong
from s3memory.admin.doctor.deployment import Deployment
from s3memory.admin.doctor.isolation import made_up_tenant, reached
from s3memory.errors import AccessDeniedError, KeyRingError
from s3memory.format.key_ring import KeyRing
from s3memory.format.names import PLAIN
from s3memory.keys.open_key_ring import KeyWrapper

_NO_KMS = (
    "Data keys are wrapped by a local key. Anyone who has it can open every tenant's memory, nobody can revoke it, "
    "and no log says when it was used. For production, set S3MEMORY_KMS_KEY_ID."
)
_NO_DATA_KEY = "Make the tenant's key ring first: its first write does."


@dataclass(frozen=True, slots=True)
class _Wrap:
    wrapped: bytes
    context: dict[str, str]


def bound(deployment: Deployment) -> Verdict:
    """Whether a data key opens in its own encryption context alone."""
    wrap = _wrap(deployment)
    if wrap is None:
        return unchecked("this tenant has no data key to try it with", _NO_DATA_KEY)
    own, other = (
        _unwraps(deployment.key_wrapper, wrap.wrapped, {**wrap.context, "s3memory:generation": generation})
        for generation in (wrap.context["s3memory:generation"], "0")
    )
    if not own:
        follows = "The tenant's key ring does not open: the configured key is not the one that wrapped it."
        return wrong("a data key is not unwrapped in its own context", follows)
    if other:
        follows = "A key ring of one tenant can be passed off as another's. Do not wrap data keys with this."
        return wrong("a data key is unwrapped in another context than its own", follows)
    return good("a data key is unwrapped in its own context, and not in another")


def pinned(deployment: Deployment) -> Verdict:
    """Whether a policy refuses another tenant's encryption context."""
    if deployment.kms is None or deployment.kms_key_id is None:
        return weaker("no KMS key wraps data keys", _NO_KMS)
    wrap = _wrap(deployment)
    if wrap is None:
        return unchecked("this tenant has no data key to try it with", _NO_DATA_KEY)
    other = {**wrap.context, "s3memory:tenant": made_up_tenant(deployment.tenant)}
    decrypt, key_id = deployment.kms.decrypt, deployment.kms_key_id
    if is_forbidden(decrypt, CiphertextBlob=wrap.wrapped, KeyId=key_id, EncryptionContext=other):
        return good("a policy refuses to unwrap in another tenant's context")
    follows = (
        "Anyone with these credentials and another tenant's key ring can unwrap that tenant's data keys. Compare "
        "kms:EncryptionContext:s3memory:tenant with the session's tag, as terraform/ does."
    )
    return reached(deployment, "no policy refuses to unwrap in another tenant's context", follows)


def _wrap(deployment: Deployment) -> _Wrap | None:
    """Return a data key that was wrapped for this tenant: a new one, or where none may be made, that of its ring."""
    context = KeyRing(deployment.tenant, PLAIN, deployment.key_wrapper.name, ()).wrap_context(1)
    try:
        return _Wrap(deployment.key_wrapper.generate(context)[1], context)
    except AccessDeniedError:
        pass  # an operator makes key rings here
    key_ring = answer_to(deployment.s3.get_object, Bucket=deployment.bucket, Key=deployment.layout.key_ring)
    if key_ring.outcome is not None:
        return None
    try:
        ring = KeyRing.from_bytes(key_ring.fields["Body"].read(), tenant=deployment.tenant)
    except KeyRingError:
        return None
    return _Wrap(ring.newest.wrapped, ring.wrap_context(ring.newest.generation))


def _unwraps(wrapper: KeyWrapper, wrapped: bytes, context: dict[str, str]) -> bool:
    try:
        wrapper.unwrap(wrapped, context)
    except KeyRingError:
        return False
    return True
