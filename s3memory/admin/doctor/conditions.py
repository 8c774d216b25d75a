"""Checks that the server honours conditions. Compare-and-swap relies on those of PUT, and there is no substitute."""

from __future__ import annotations

import uuid

from s3memory._parallel import each
from s3memory.admin.doctor.checks import Answer, Verdict, answer_to, good, result_of, weaker, wrong
from s3memory.admin.doctor.deployment import Deployment
from s3memory.admin.doctor.probes import BODY, Probes
from s3memory.aws.errors import RequestOutcome
from s3memory.aws.retry import RetryPolicy
from s3memory.contract.views import count_of
from s3memory.s3.bucket import Bucket
from s3memory.s3.capabilities import ANY
from s3memory.s3.etags import is_weak

_RACERS = 8
_OF_KMS = "KMS."  # S3's prefix for the codes of KMS
_REFUSED = frozenset({RequestOutcome.PRECONDITION_FAILED, RequestOutcome.CONFLICT, RequestOutcome.MISSING})
_LOST_UPDATES = (
    "Two agents that write at once overwrite each other, and both report success. Do not keep memory on this server."
)
_NOTHING_IS_STORED = (
    "The bucket encrypts with a KMS key that S3 can't use, so no memory can be written. Enable that key, or set "
    "another one for the bucket's default encryption."
)
_TWO_KEY_RINGS = (
    "Two processes that write for a new tenant make two key rings. What was sealed under the overwritten one never "
    "opens again. Do not keep memory on this server."
)


def create_condition(probes: Probes) -> Verdict:
    """Check that ``If-None-Match: *`` on PUT protects an existing object."""
    object_key = probes.new_key()
    first = probes.put(object_key, IfNoneMatch="*")
    if first.outcome is not None:
        follows = _NOTHING_IS_STORED if first.code.startswith(_OF_KMS) else _LOST_UPDATES
        return wrong(f"a PUT with If-None-Match of a new object: {first.said}", follows)
    second = probes.put(object_key, b"second", IfNoneMatch="*")
    if second.outcome is RequestOutcome.PRECONDITION_FAILED:
        return good("a PUT with If-None-Match over an object is refused")
    return wrong(f"a PUT with If-None-Match over an object: {second.said}", _TWO_KEY_RINGS)


def edit_condition(probes: Probes) -> Verdict:
    """Check that ``If-Match`` on PUT replaces only an object with this ETag."""
    object_key, etag = probes.made()
    if is_weak(probes.get(object_key).fields.get("ETag", "")):
        found = "a GET is answered with a weak ETag (W/), which no If-Match accepts"
        follows = "No file can be edited or deleted through the proxy that does this: let it pass answers on unchanged."
        return wrong(found, follows)
    seen = {
        "with another ETag": probes.put(object_key, b"other", IfMatch=_other_etag()),
        "of a missing object": probes.put(probes.new_key(), b"missing", IfMatch=etag),
    }
    carried_out = [which for which, answer in seen.items() if answer.outcome is None]
    if carried_out:
        return wrong(f"a PUT with If-Match is carried out {' and '.join(carried_out)}", _LOST_UPDATES)
    odd = {answer.code for answer in seen.values() if answer.outcome not in _REFUSED}
    right = probes.put(object_key, b"edited", IfMatch=etag)
    if right.outcome is not None or odd:
        found = f"a PUT with If-Match and the right ETag: {right.said}; others: {', '.join(sorted(odd)) or 'refused'}"
        return wrong(found, "No file can be edited on this server.")
    return good("a PUT with If-Match replaces what has that ETag, and nothing else")


def races(probes: Probes) -> Verdict:
    """Check that exactly one of several simultaneous writers wins."""
    new_key = probes.new_key()
    creations = each(lambda one: probes.put(new_key, str(one).encode(), result_of, IfNoneMatch="*"), range(_RACERS))
    old_key, etag = probes.made()
    edits = each(lambda one: probes.put(old_key, str(one).encode(), result_of, IfMatch=etag), range(_RACERS))
    winners = [sum(answer.outcome is None for answer in answers) for answers in (creations, edits)]
    found = f"of {_RACERS} writers at once, {winners[0]} created one object and {winners[1]} edited one"
    if max(winners) > 1:
        return wrong(found, _LOST_UPDATES)
    odd = {answer.code for answer in (*creations, *edits) if answer.outcome not in {None, *_REFUSED}}
    if odd or min(winners) < 1:
        found += f"; others met {', '.join(sorted(odd)) or 'a refusal each'}"
        follows = "Concurrent writers get errors about unknown outcomes more often than on S3."
        return weaker(found, follows)
    return good(f"of {_RACERS} writers at once, one won, in a create and in an edit")


def delete_condition(probes: Probes) -> Verdict:
    """Check that ``If-Match`` on DELETE deletes only an object with this ETag."""
    object_key, etag = probes.made()
    refused = probes.delete(object_key, IfMatch=_other_etag())
    is_there = probes.head(object_key).outcome is None
    if refused.outcome is None or not is_there or refused.outcome is RequestOutcome.NOT_SUPPORTED:
        now = "still there" if is_there else "gone"
        found = f"a DELETE with If-Match and another ETag: {refused.said}, and the object is {now}"
        follows = (
            "s3memory compares the ETag just before it deletes. An edit in between is lost with the file: "
            "see docs/semantics.md, 'Servers without conditional delete'."
        )
        return weaker(found, follows)
    deleted = probes.delete(object_key, IfMatch=etag)
    if refused.outcome is not RequestOutcome.PRECONDITION_FAILED or deleted.outcome is not None:
        found = f"a DELETE with If-Match: another ETag: {refused.said}; the right one: {deleted.said}"
        return wrong(found, "No file can be deleted or renamed on this server.")
    return good("a DELETE with If-Match deletes what has that ETag, and nothing else")


def delete_any_condition(probes: Probes) -> Verdict:
    """Check that ``If-Match: *`` on DELETE deletes an existing object, whatever its ETag."""
    object_key, _ = probes.made()
    there = probes.delete(object_key, IfMatch=ANY)
    missing = probes.delete(probes.new_key(), IfMatch=ANY)
    if there.outcome is None and missing.outcome is RequestOutcome.MISSING:
        return good("a DELETE with If-Match: * deletes whatever is there")
    found = f"a DELETE with If-Match: * of an object: {there.said}; of a missing one: {missing.said}"
    return weaker(found, "s3memory looks for each file before it deletes it: two more requests.")


def batch_delete_condition(deployment: Deployment, probes: Probes) -> Verdict:
    """Check that DeleteObjects compares ETags, and find out how it reports a missing object."""
    object_key, _ = probes.made()
    delete = {"Objects": [{"Key": object_key, "ETag": _other_etag()}], "Quiet": True}
    answer: Answer = answer_to(deployment.s3.delete_objects, Bucket=deployment.bucket, Delete=delete)
    if answer.outcome is None and probes.head(object_key).outcome is None:
        retry = RetryPolicy(max_tries=1)
        reports = Bucket(deployment.s3, deployment.bucket, retry=retry).deletes.reports_missing_by_key(
            beside=object_key
        )
        missing = "reports one that is missing" if reports else "counts one that is missing as deleted"
        return good(f"a DeleteObjects leaves an object with another ETag alone, and {missing}")
    follows = "An edit made just before a directory is deleted is lost with it."
    if answer.outcome is not None:
        follows = "No directory can be deleted on this server."
    return weaker(f"a DeleteObjects with another ETag: {answer.said}", follows)


def reads_follow_writes(deployment: Deployment, probes: Probes) -> Verdict:
    """Check that an object can be read and listed as soon as it is stored."""
    object_key, _ = probes.made()
    seen = deployment.s3.get_object(Bucket=deployment.bucket, Key=object_key)["Body"].read()
    listed = deployment.s3.list_objects_v2(Bucket=deployment.bucket, Prefix=object_key)
    is_listed = [item["Key"] for item in listed.get("Contents", [])] == [object_key]
    if seen == BODY and is_listed:
        return good("an object can be read and listed as soon as it is stored")
    found = f"an object just stored is {'' if is_listed else 'not '}listed, and read as {count_of(len(seen), 'byte')}"
    return wrong(found, "Views are out of date, and renaming or deleting a directory misses files.")


def _other_etag() -> str:
    return f'"{uuid.uuid4().hex}"'
