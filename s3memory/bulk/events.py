"""The events that engines send, and the responses that they expect. No I/O.

S3 Batch Operations: schemas 1.0 and 2.0,
https://docs.aws.amazon.com/AmazonS3/latest/userguide/batch-ops-invoke-lambda.html. Step Functions: the items of a
Distributed Map, one or a batch of them, with the keys that its readers give,
https://docs.aws.amazon.com/step-functions/latest/dg/input-output-itembatcher.html.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, unquote_plus

from s3memory.bulk.results import Code, Result
from s3memory.errors import InvalidInputError

SCHEMAS = ("1.0", "2.0")


@dataclass(frozen=True, slots=True)
class Item:
    """One object to work on.

    Attributes:
        object_keys: its key; two keys if the engine's encoding is ambiguous; none for a malformed row.
        version_id: the version to work on, or ``None``.
        bucket: the bucket's name, or ``None`` if the event does not name it.
    """

    object_keys: tuple[str, ...]
    version_id: str | None = None
    bucket: str | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """The work that an engine requests with one event.

    Attributes:
        items: the objects to work on.
        tenant: the only tenant whose objects the job may touch, if the job names one.
        is_batch: whether the engine is S3 Batch Operations.
        event: the original event.
        row_tenant: the tenant that a row of the manifest names, if any. The manifest's author chose it, not the job.
    """

    items: tuple[Item, ...]
    tenant: str | None
    is_batch: bool
    event: Mapping[str, Any] = field(repr=False)
    row_tenant: str | None = None


def parsed(event: Any) -> Job:
    """Return the job in an event.

    Raises:
        InvalidInputError: the event is of neither engine, or its schema is unknown.
    """
    try:
        if "invocationSchemaVersion" in event:
            return _of_batch_operations(event)
        return _of_distributed_map(event)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InvalidInputError(
            "The event is neither of S3 Batch Operations nor of a Distributed Map over objects."
        ) from None


def answer(job: Job, results: Sequence[Result]) -> dict[str, Any]:
    """Return the response to the engine, given one result for each item, in their order."""
    if not job.is_batch:
        return {
            "counts": dict(Counter(result.text for result in results)),
            "failed": [
                {"item": number, "resultCode": str(result.code), "resultString": result.text}
                for number, result in enumerate(results)
                if result.code is not Code.SUCCEEDED
            ],
        }
    return {
        "invocationSchemaVersion": job.event["invocationSchemaVersion"],
        # A task without a result was not worked on, and all work here can be repeated.
        "treatMissingKeysAs": str(Code.TEMPORARY),
        "invocationId": job.event["invocationId"],
        "results": [
            {"taskId": task["taskId"], "resultCode": str(result.code), "resultString": result.text}
            for task, result in zip(job.event["tasks"], results, strict=True)
        ],
    }


# Step Functions keeps 32,768 characters of an error, into which Lambda puts the escaped text and a stack trace.
_MAX_FOUND_CHARS = 12_000


def found_so_far(results: Sequence[Result]) -> str:
    """Return the JSON for a batch's error about its objects: permanent failures first, and as many as fit.

    It contains only numbers of items and fixed words, as the reports that will show it require.
    """
    counts = Counter(result.text for result in results)
    failed = [(number, result) for number, result in enumerate(results) if result.code is not Code.SUCCEEDED]
    failed.sort(key=lambda one: one[1].code is Code.TEMPORARY)
    limit = len(results)
    while True:
        items: dict[str, list[int]] = {}
        for number, result in failed[:limit]:
            items.setdefault(result.text, []).append(number)
        text = json.dumps({"counts": dict(counts.most_common(limit)), "items": items})
        if len(text) <= _MAX_FOUND_CHARS:
            return text
        limit //= 2


def _of_batch_operations(event: Mapping[str, Any]) -> Job:
    if event["invocationSchemaVersion"] not in SCHEMAS:
        raise InvalidInputError(f"Invocation schemas {' and '.join(SCHEMAS)} are known, and no other.")
    items = _items(event["tasks"], _of_task)
    _ = [task["taskId"] for task in event["tasks"]], event["invocationId"]  # the response needs them
    arguments = event.get("job", {}).get("userArguments") or {}
    return Job(items, arguments.get("tenant"), is_batch=True, event=event)


def _of_distributed_map(event: Mapping[str, Any]) -> Job:
    # A row of a manifest of batches holds its items and tenant, and its bucket only once.
    items = _items(
        event.get("Items", [event]),
        lambda item: Item(_keys(item), item.get("VersionId") or None, item.get("Bucket", event.get("Bucket"))),
    )
    tenant = (event.get("BatchInput") or {}).get("tenant")
    return Job(items, tenant, is_batch=False, event=event, row_tenant=event.get("tenant"))


def _of_task(task: Mapping[str, Any]) -> Item:
    return Item(
        object_keys=decoded(task["s3Key"]),
        version_id=task.get("s3VersionId") or None,
        bucket=task.get("s3Bucket") or task["s3BucketArn"].rpartition(":")[2],
    )


_MALFORMED = Item(())


def _items(rows: Sequence[Any], item_of: Callable[[Any], Item]) -> tuple[Item, ...]:
    """Return the item of each row. A malformed row becomes an item, too, so that the others are still worked on."""
    items: list[Item] = []
    for row in rows:
        try:
            items.append(item_of(row))
        except (AttributeError, KeyError, TypeError, ValueError):
            items.append(_MALFORMED)
    if items and all(item is _MALFORMED for item in items):
        raise ValueError("no row names an object")
    return tuple(items)


def decoded(encoded: str) -> tuple[str, ...]:
    """Return the object key in a task: two keys if it has a ``+``, which may stand for itself or for a space.

    The key is unambiguous if everything but letters, digits and ``-._~/`` is encoded, as by `batch_line`.
    """
    return tuple(dict.fromkeys((unquote(encoded, errors="strict"), unquote_plus(encoded, errors="strict"))))


def _keys(item: Mapping[str, Any]) -> tuple[str, ...]:
    # A manifest made from an inventory keeps the encoded key if decoding it is ambiguous.
    if "EncodedKey" in item:
        return decoded(item["EncodedKey"])
    if not isinstance(item["Key"], str):
        raise TypeError
    return (item["Key"],)
