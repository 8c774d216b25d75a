"""The events that engines send, and what they want back. Pure.

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
        object_keys: its key; two if the engine's encoding leaves open which is meant; none for a malformed row.
        version_id: which version of it, or ``None``.
        bucket: the bucket's name, or ``None`` where the event does not say.
    """

    object_keys: tuple[str, ...]
    version_id: str | None = None
    bucket: str | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """What an engine wants to be done.

    Attributes:
        tenant: the only tenant whose objects the job is about, if it names one.
        is_batch: whether S3 Batch Operations asks.
        event: as it came.
        row_tenant: the same, if a row of the manifest names one. Whoever made the manifest says so, not the job.
    """

    items: tuple[Item, ...]
    tenant: str | None
    is_batch: bool
    event: Mapping[str, Any] = field(repr=False)
    row_tenant: str | None = None


def parsed(event: Any) -> Job:
    """Return the job that an event is.

    Raises:
        InvalidInputError: it is of neither engine, or of a schema that is not known here.
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
    """Return what goes back to the engine, one result an item in their order."""
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
        # A task without a result was not worked on, and all work here can be sent again.
        "treatMissingKeysAs": str(Code.TEMPORARY),
        "invocationId": job.event["invocationId"],
        "results": [
            {"taskId": task["taskId"], "resultCode": str(result.code), "resultString": result.text}
            for task, result in zip(job.event["tasks"], results, strict=True)
        ],
    }


# Step Functions keeps 32,768 characters of an error, in which Lambda puts the text, escaped, and a stack trace.
_MAX_FOUND_CHARS = 12_000


def found_so_far(results: Sequence[Result]) -> str:
    """Return what a batch's error says about its objects, as JSON: permanent failures first, and as much as fits.

    It holds only numbers of items and fixed words, like the reports in which it ends up.
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
    _ = [task["taskId"] for task in event["tasks"]], event["invocationId"]  # the answer needs them
    arguments = event.get("job", {}).get("userArguments") or {}
    return Job(items, arguments.get("tenant"), is_batch=True, event=event)


def _of_distributed_map(event: Mapping[str, Any]) -> Job:
    # The row of a manifest of batches has its items and tenant in itself, and its bucket once.
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
    """Return the item of each row. A malformed row among others becomes an item too: the others are worked on."""
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
    """Return the object key that a task names: two if a ``+`` may stand for itself or for a space.

    There is no doubt if everything but letters, digits and ``-._~/`` is encoded, as by `batch_line`.
    """
    return tuple(dict.fromkeys((unquote(encoded, errors="strict"), unquote_plus(encoded, errors="strict"))))


def _keys(item: Mapping[str, Any]) -> tuple[str, ...]:
    # A manifest that is made of an inventory keeps the encoded key if decoding leaves open which key is meant.
    if "EncodedKey" in item:
        return decoded(item["EncodedKey"])
    if not isinstance(item["Key"], str):
        raise TypeError
    return (item["Key"],)
