"""Checks the bucket's settings: versions, encryption, lifecycle, public access. They are only read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from s3memory.admin.doctor.checks import Verdict, answer_to, good, weaker, wrong
from s3memory.admin.doctor.deployment import Deployment
from s3memory.aws.errors import RequestOutcome
from s3memory.format.object_keys import Folder

_BLOCKS = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
_ENDS = ("Expiration", "NoncurrentVersionExpiration")
_ARCHIVES = {"GLACIER", "DEEP_ARCHIVE"}
_MOVES = ("Transitions", "NoncurrentVersionTransitions", "Transition", "NoncurrentVersionTransition")


def versioning(deployment: Deployment) -> Verdict:
    """Check that the bucket keeps older versions."""
    answer = deployment.operator_s3.get_bucket_versioning(Bucket=deployment.bucket)
    if answer.get("Status") == "Enabled":
        return good("the bucket keeps older versions")
    follows = (
        "What an agent deletes or overwrites is gone at once: no history, no restoring, no way back from a mistake."
    )
    return weaker(f"versioning is {answer.get('Status', 'off').lower()}", follows)


def encryption(deployment: Deployment) -> Verdict:
    """Check that the bucket encrypts by default."""
    setting = _setting(deployment.operator_s3.get_bucket_encryption, deployment)
    # Ceph answers with an empty setting if there are no rules.
    rules = setting["ServerSideEncryptionConfiguration"].get("Rules", []) if setting else []
    kinds = [rule.get("ApplyServerSideEncryptionByDefault", {}).get("SSEAlgorithm") for rule in rules]
    if any(
        str(kind).startswith("aws:kms") and not rule.get("BucketKeyEnabled")
        for kind, rule in zip(kinds, rules, strict=True)
    ):
        follows = (
            "S3 asks KMS about every object: that uses up the account's quota of requests, and CloudTrail shows object "
            "keys, in which plain file names are. Use SSE-S3 (AES256), or switch the bucket key on."
        )
        return weaker("the bucket encrypts with KMS (SSE-KMS), without a bucket key", follows)
    if any(kinds):
        return good(f"the bucket encrypts by default ({', '.join(filter(None, kinds))})")
    follows = "Texts are sealed anyway. Everything else on the server's disks, such as names, is not encrypted."
    return weaker("the bucket has no default encryption", follows)


def lifecycle(deployment: Deployment) -> Verdict:
    """Check that lifecycle rules leave key rings alone and do not archive files."""
    rules = _setting(deployment.operator_s3.get_bucket_lifecycle_configuration, deployment).get("Rules", [])
    key_rings, memories = (folder.below(deployment.prefix) for folder in (Folder.KEY_RINGS, Folder.MEMORIES))
    reached = reaching(rules, key_rings, only=lambda rule: not _is_for_tags(rule))
    if reached:
        follows = "It deletes or moves key rings. Without its key ring, a tenant's memory is noise. Remove the rule."
        return wrong(f"a lifecycle rule reaches key rings: {', '.join(reached)}", follows)
    reached = reaching(rules, key_rings, only=_is_for_tags)
    if reached:
        follows = (
            "s3memory sets no tags, but a scanner, a backup or a batch job may. A key ring with this tag is deleted or "
            "moved, and without it, a tenant's memory is noise. Give the rule a prefix that leaves key rings out."
        )
        return weaker(f"a lifecycle rule reaches key rings that have a tag: {', '.join(reached)}", follows)
    archived = reaching(rules, memories, only=_archives)
    if archived:
        follows = (
            "S3 does not return an archived file or version until someone restores it: agents get an error, or history "
            "does. Remove the rule."
        )
        return weaker(f"a lifecycle rule archives memories: {', '.join(archived)}", follows)
    reached = reaching(rules, memories)
    what = f"those that reach memories are {', '.join(reached)}" if reached else "none reaches memories"
    return good(f"no lifecycle rule reaches key rings; {what}")


def erasure(deployment: Deployment) -> Verdict:
    """Check that an erasure can destroy all versions, and that no replication copies key rings."""
    kept: dict[str, str] = {}
    if deployment.operator_s3.get_bucket_versioning(Bucket=deployment.bucket).get("MFADelete") == "Enabled":
        kept["MFA delete is on"] = (
            "S3 destroys a version only for the root user with an MFA device: s3memory erase and redact are refused. "
            "Switch MFA delete off."
        )
    locks = _setting(deployment.operator_s3.get_object_lock_configuration, deployment, is_everywhere=False)
    retention = locks.get("ObjectLockConfiguration", {}).get("Rule", {}).get("DefaultRetention")
    if retention:
        length = ", ".join(f"{retention[unit]} {unit.lower()}" for unit in ("Days", "Years") if retention.get(unit))
        kept[f"Object Lock retains whatever is stored ({retention.get('Mode')}, {length})"] = (
            "Until it ends, nobody can erase or redact it. Remove the default retention: legal holds can keep what "
            "has to be kept."
        )
    copying = _setting(deployment.operator_s3.get_bucket_replication, deployment, is_everywhere=False)
    key_rings = Folder.KEY_RINGS.below(deployment.prefix)
    rules = _in_force(copying.get("ReplicationConfiguration", {}).get("Rules", []))
    copied = [name for name, rule in rules if _begins_alike(_prefix_of(rule), key_rings)]
    if copied:
        kept[f"replication copies key rings: {', '.join(copied)}"] = (
            "An erased tenant's key ring is still in the other bucket, and opens what was copied there. Leave key "
            "rings out of the rule, or erase the tenant there as well."
        )
    if kept:
        return weaker("; ".join(kept), " ".join(kept.values()))
    return good("nothing keeps what is erased: no default retention, no MFA delete, no replication of key rings")


def reaching(
    rules: Iterable[Mapping[str, Any]], prefix: str, *, only: Callable[[Mapping[str, Any]], bool] = bool
) -> list[str]:
    """Return the ids of the enabled rules that delete or move objects whose keys begin with `prefix`, or may do so.

    Rules for tagged objects count, although s3memory sets no tags, and so do rules for objects of some size.
    """
    return [
        name
        for name, rule in _in_force(rules)
        if _does_something(rule) and _begins_alike(_prefix_of(rule), prefix) and only(rule)
    ]


def _in_force(rules: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, rule in enumerate(rules, start=1):
        if rule.get("Status") == "Enabled":
            yield str(rule.get("ID", f"number {number}")), rule


def _does_something(rule: Mapping[str, Any]) -> bool:
    # Removing the delete marker of an object without versions destroys no data.
    ends = [field for name in _ENDS for field in rule.get(name, {})]
    return any(rule.get(name) for name in _MOVES) or any(field != "ExpiredObjectDeleteMarker" for field in ends)


def _archives(rule: Mapping[str, Any]) -> bool:
    moves = (move for name in _MOVES for move in _listed(rule.get(name, [])))
    return any(move.get("StorageClass") in _ARCHIVES for move in moves)


def _prefix_of(rule: Mapping[str, Any]) -> str:
    rule_filter = rule.get("Filter") or {}
    both = rule_filter.get("And") or {}
    return str(rule.get("Prefix") or rule_filter.get("Prefix") or both.get("Prefix") or "")


def _is_for_tags(rule: Mapping[str, Any]) -> bool:
    rule_filter = rule.get("Filter") or {}
    return bool(rule_filter.get("Tag") or (rule_filter.get("And") or {}).get("Tags"))


def _begins_alike(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def public_access(deployment: Deployment) -> Verdict:
    """Check that the bucket can't be made public."""
    setting = _setting(deployment.operator_s3.get_public_access_block, deployment)
    blocks = setting.get("PublicAccessBlockConfiguration", {})
    missing = [block for block in _BLOCKS if not blocks.get(block)]
    if not missing:
        return good("the bucket blocks public access in all four ways")
    follows = (
        "One mistake in a policy or ACL exposes object keys and sealed bytes to everyone. The account's own block may "
        "still prevent that: it is not checked here."
    )
    return weaker(f"the bucket does not set {', '.join(missing)}", follows)


def tls_only(deployment: Deployment) -> Verdict:
    """Check that the bucket's policy refuses requests without TLS."""
    setting = _setting(deployment.operator_s3.get_bucket_policy, deployment)
    statements = json.loads(setting["Policy"]).get("Statement", []) if setting else []
    refused = [resource.rpartition(":")[2] for one in _listed(statements) for resource in _refused_over_plain_http(one)]
    # A list of objects, which holds their keys, is a request to the bucket itself.
    needed = (deployment.bucket, f"{deployment.bucket}/any-object")
    if all(any(fnmatchcase(name, pattern) for pattern in refused) for name in needed):
        return good("the bucket's policy refuses requests without TLS")
    follows = "A misconfigured client sends object keys, sizes and signatures in clear, and nothing stops it."
    return weaker("the bucket's policy does not refuse requests without TLS", follows)


def _setting(request: Callable[..., Any], deployment: Deployment, *, is_everywhere: bool = True) -> Mapping[str, Any]:
    """Return a setting of the bucket, empty if it is not set. Raise any other refusal of the server.

    Unless every server has the setting (`is_everywhere`), one that does not support the request counts as not set.
    """
    answer = answer_to(request, Bucket=deployment.bucket)
    is_missing = answer.code.startswith("NoSuch") or answer.code.endswith("NotFoundError")
    if not is_everywhere and answer.outcome is RequestOutcome.NOT_SUPPORTED:
        is_missing = True
    if not (answer.outcome is None or is_missing or answer.outcome is RequestOutcome.MISSING):
        request(Bucket=deployment.bucket)  # raises the error again, for `run_check`
    fields: Mapping[str, Any] = answer.fields
    return fields


def _refused_over_plain_http(statement: Mapping[str, Any]) -> list[str]:
    """Return the resources of a statement that denies everybody all requests without TLS, and of others none."""
    tests = {
        (operator, key): value
        for operator, keys in statement.get("Condition", {}).items()
        for key, value in keys.items()
    }
    refuses = (
        statement.get("Effect") == "Deny"
        and statement.get("Principal") in ("*", {"AWS": "*"})
        and bool({"*", "s3:*"} & set(_listed(statement.get("Action", []))))
        and len(tests) == 1
        and str(tests.get(("Bool", "aws:SecureTransport"), "")).lower() in {"false", "['false']"}
    )
    return [str(resource) for resource in _listed(statement.get("Resource", []))] if refuses else []


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
