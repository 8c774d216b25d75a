"""The Lambda handlers: each takes an event, works on its objects in parallel, and returns a response."""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any

from s3memory._parallel import stream
from s3memory.audit.recording import audited
from s3memory.bulk import work
from s3memory.bulk.events import Item, Job, answer, found_so_far, parsed
from s3memory.bulk.results import Code, OutOfTimeError, Result, result_of, wrong
from s3memory.bulk.work import Target, Work
from s3memory.config.settings import Settings
from s3memory.errors import BackendError, ConfigurationError
from s3memory.format.object_keys import place_of
from s3memory.redaction import PatternRedactor
from s3memory.s3.transport import Transport
from s3memory.store.memory_store import MemoryStore

_log = logging.getLogger("s3memory")

_MAX_STORES = 256
# No work on another object begins with less time left. A response that comes too late is lost for the whole event.
_LEAST_SECONDS = 2.0


class UnfinishedBatchError(BackendError):
    """Some objects of a Distributed Map's batch must be sent again: configure the state to retry this error.

    The text reports the results so far. After the last retry, it is the only report.
    """


class BulkHandler:
    """One kind of work, as a Lambda handler: ``handler(event, context)``.

    Args:
        make_work: returns the function for each object, given the settings.
        operation: its name in audit events. There is one event for each object.
        erases: whether it destroys all versions of objects. It then works only on the tenant that the job or
            ``S3MEMORY_TENANT`` names; the tenant in a manifest's row does not count, since every row has one.
        rereads_keys: read each tenant's key ring again in every invocation: a GET, and an unwrapping if it changed.
        settings: the settings; the environment's if left out, read when the first event comes.
        s3_client: a client to use instead of the process's shared one.
    """

    def __init__(
        self,
        make_work: Callable[[Settings], Work],
        *,
        operation: str,
        erases: bool = False,
        rereads_keys: bool = False,
        settings: Settings | None = None,
        s3_client: Transport | None = None,
    ) -> None:
        self._make_work = make_work
        self._operation = operation
        self._erases = erases
        self._rereads_keys = rereads_keys
        self._settings = settings
        self._s3_client = s3_client
        self._work: Work | None = None
        self._store_of: Callable[[Settings, str], MemoryStore] = lru_cache(maxsize=_MAX_STORES)(self._new_store)
        self._remaining_seconds: Callable[[], float] = lambda: math.inf

    def __call__(self, event: Mapping[str, Any], context: Any) -> dict[str, Any]:
        """Work on the objects of an event.

        Args:
            event: from S3 Batch Operations, schema 1.0 or 2.0, or from a Distributed Map: an item or a batch.
            context: Lambda's context, which tells how much time is left.

        Returns:
            For S3 Batch Operations, the response that it expects. For a Distributed Map
            ``{"counts": {text: count}, "failed": [...]}``, where each failure has the number of its item in the batch.

        Raises:
            InvalidInputError: the event is of neither engine.
            ConfigurationError: a setting is missing or malformed.
            UnfinishedBatchError: some items of a Distributed Map must be sent again. The text ends with JSON about
                permanent and temporary failures: ``{"counts": {text: count}, "items": {text: [number]}}``.
        """
        job = parsed(event)
        settings = self._settings = self._settings or Settings.from_env()
        work = self._work = self._work or self._make_work(settings)
        millis = getattr(context, "get_remaining_time_in_millis", lambda: math.inf)
        self._remaining_seconds = lambda: millis() / 1_000
        if self._rereads_keys:
            work = _with_fresh_keys(work, self._ensure_time)
        work = audited(self._operation, of=attrgetter("store"))(work)

        def do(item: Item) -> Result:
            return result_of(partial(self._worked_on, settings, work, job, item))

        results = [do(job.items[0])] if len(job.items) == 1 else _each(do, job.items)
        unfinished = sum(result.code is Code.TEMPORARY for result in results)
        if unfinished and not job.is_batch:
            error = UnfinishedBatchError(
                f"{unfinished} of {len(results)} objects are to be sent again. Found: {found_so_far(results)}"
            )
            _log.warning("bulk work left a batch unfinished: %s", error)
            raise error
        return answer(job, results)

    def _worked_on(self, settings: Settings, work: Work, job: Job, item: Item) -> Result:
        self._ensure_time()
        if not item.object_keys:
            return wrong("malformed-row")
        if item.bucket not in {None, settings.bucket}:
            return wrong("another-bucket")
        named = [tenant for tenant in (settings.get("TENANT"), job.tenant) if tenant is not None]
        if self._erases and not named:
            return wrong("tenant-not-named")
        expected = [*named, *([] if job.row_tenant is None else [job.row_tenant])]
        targets = []
        for object_key in item.object_keys:
            place = place_of(settings.get("PREFIX", ""), object_key)
            if place is not None:
                if any(tenant != place.tenant for tenant in expected):
                    return wrong("another-tenant")
                store = self._store_of(settings, place.tenant)
                targets.append(Target(store, place.folder, object_key, item.version_id))
        if not targets:
            return wrong("stray-object")
        if len(targets) > 1:
            targets = [one for one in targets if _is_there(one, in_any_version=self._erases)] or targets[:1]
        return wrong("ambiguous-key") if len(targets) > 1 else work(targets[0])

    def _ensure_time(self) -> None:
        if self._seconds_left() < _LEAST_SECONDS:
            raise OutOfTimeError("There is too little time left for one more object.")

    def _seconds_left(self) -> float:
        return self._remaining_seconds()  # looked up in each call, since stores outlive an invocation

    def _new_store(self, settings: Settings, tenant: str) -> MemoryStore:
        return MemoryStore.from_settings(
            settings, tenant=tenant, s3_client=self._s3_client, remaining_seconds=self._seconds_left
        )


def _each(do: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Return the result of each item, in the order of the items, though the work has another order."""
    order = order_of_work(len(items))
    results = dict(zip(order, stream(do, (items[number] for number in order)), strict=True))
    return [results[number] for number in range(len(items))]


def order_of_work(n_items: int) -> list[int]:
    """Return the numbers of a batch's items in the order of work: the first item, then the others in random order.

    A batch that ran out of time is sent again unchanged. With a fixed order, it might never get any further. The first
    item stays first: in a manifest for erasing a tenant, it is the key ring, which has to be destroyed first.
    """
    order = list(range(n_items))
    others = order[1:]
    random.shuffle(others)
    return order[:1] + others


def _with_fresh_keys(work: Work, ensure_time: Callable[[], None]) -> Work:
    """Return work for one invocation that rereads each tenant's key ring before the tenant's first object."""
    looks: dict[str, Future[object]] = {}

    def do(target: Target) -> Result:
        own = Future[object]()
        first = looks.setdefault(target.store.tenant, own)
        if first is own:
            try:
                own.set_result(target.store.key_ring.refreshed())
            except BaseException as error:  # noqa: BLE001 - raised below, for each object
                own.set_exception(error)
        # The other objects wait for the first one. If each made an attempt, they would wait one after the other.
        first.result()
        ensure_time()  # the wait may have used it up
        return work(target)

    return do


def _is_there(target: Target, *, in_any_version: bool) -> bool:
    if target.version_id is None and not in_any_version:
        return target.store.objects.head(target.object_key) is not None
    # For erasing, older versions and delete markers count, too. Only operators may list them.
    versions = target.store.objects.versions.of(target.object_key)
    return any(target.version_id in {None, one.version_id} for one in versions)


def _redactor(settings: Settings) -> PatternRedactor:
    redactor = settings.pattern_redactor()
    if redactor is None:
        raise ConfigurationError("S3MEMORY_REDACTION is off: there are no rules to scan by")
    return redactor.never_refusing()


verify = BulkHandler(lambda _: work.verify, operation="verify")
"""Check that each object can be opened at its own place."""

scan = BulkHandler(lambda settings: work.scan(_redactor(settings)), operation="scan")
"""Look in each file for text that the current rules would redact."""

reseal = BulkHandler(lambda _: work.reseal, operation="reseal", rereads_keys=True)
"""Seal each file and intent under the newest data key."""

erase = BulkHandler(lambda _: work.erase, operation="erase", erases=True)
"""Destroy all versions of each object that belongs to the tenant that the job or ``S3MEMORY_TENANT`` names.

If both name a tenant, the object must match both.
"""
