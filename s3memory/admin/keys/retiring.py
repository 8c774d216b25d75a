"""Retiring generations: removing data keys from the key ring that nothing is sealed under any more.

A process that read the key ring before the newest generation was added may still write under an older one. So nothing
is retired until the ring has been unchanged for the longest time that any process caches it. The reasons are in
``docs/decisions/0009-retiring-a-generation.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from s3memory.admin.keys.generations import GenerationUsage, usage
from s3memory.admin.keys.rotation import StoredKeyRing, newest_version, ring_of, stored_key_ring
from s3memory.audit.recording import audited
from s3memory.contract.views import count_of, shown_time
from s3memory.errors import (
    BackendError,
    ConfigurationError,
    ConflictError,
    KeyRingError,
    OutcomeUnknownError,
    RefusedError,
    UnfinishedError,
)
from s3memory.keys.key_cache import MAX_KEY_TTL_SECONDS
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.s3.versions import NULL_VERSION, ListedVersion
from s3memory.store.memory_store import MemoryStore
from s3memory.store.tree import pending

SETTLING_SECONDS = 1_800.0
"""How much longer than the cache to wait for a writer with an older key ring: 15 minutes for Lambda's longest function,
and 15 for clocks that differ, beyond which AWS refuses requests."""


@dataclass(frozen=True, slots=True)
class Retirement:
    """Which generations were retired, or would be, ascending, and what was counted before.

    Attributes:
        changes_tags: the oldest generation is among them, so tags of placeholders change.
    """

    generations: tuple[int, ...]
    usage: GenerationUsage
    changes_tags: bool


@audited("retire")
def retire(
    store: MemoryStore,
    generations: Collection[int] | None = None,
    *,
    max_cache_seconds: float = MAX_KEY_TTL_SECONDS,
    without_versions: bool = False,
    dry_run: bool = False,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Retirement:
    """Take generations out of the key ring that nothing needs any more, older versions included.

    If it is interrupted, run it again. It then looks for what was written under a generation meanwhile. If none of
    `generations` is in the ring any more, it looks for what needs a retired one: a run that ended after it had changed
    the ring did not do that.

    IAM actions: as for `rotate` and `usage`, and ``s3:GetBucketVersioning``.

    Args:
        store: whose.
        generations: which; all but the newest if left out.
        max_cache_seconds: for how long any process keeps an unwrapped ring: the longest ``key_ttl_seconds`` in use.
        without_versions: also where the bucket keeps no older version of the ring. What is written meanwhile under a
            generation is lost there, if the process ends before it has put that back.
        dry_run: only say which can be retired. Nothing is changed.
        now: the present time.

    Raises:
        RefusedError: something needs one of them, or might come to, or the bucket keeps no versions: the text tells all
            that is in the way. Nothing was changed.
        ConflictError: the ring was changed meanwhile, or a write under one of them came to light. It was put back.
        UnfinishedError: something needs one that was retired before: the text says what to put back. Or S3 did not tell
            whether there was such a write, or whether the generation was put back for one: the text says what is known.
        ConfigurationError: no cache can be of `max_cache_seconds`.
        NotFoundError, KeyRingError, BackendError: as for `rotate`.
    """
    if not 0 < max_cache_seconds <= MAX_KEY_TTL_SECONDS:
        raise ConfigurationError(f"max_cache_seconds must be above 0 and at most {MAX_KEY_TTL_SECONDS:.0f}")
    if not dry_run:
        store.ensure_writable()
    begun = now()
    before = stored_key_ring(store)
    ring = before.opened.ring
    older = {key.generation for key in ring.keys[:-1]}
    chosen = tuple(sorted(older if generations is None else set(generations)))
    if older.isdisjoint(chosen):
        _refuse_where_retired_is_needed(store, before)
    if not older.issuperset(chosen):
        raise RefusedError("Only older generations that the key ring has can be retired. Nothing was changed.")
    if not chosen:
        return Retirement((), GenerationUsage(), changes_tags=False)
    changes_tags = ring.oldest.generation in chosen
    # Looked at before the count: if the wait ended during it, what was written behind the count would be left out.
    newest = newest_version(store)
    too_early = _too_early(newest.modified, max_cache_seconds, begun)
    is_kept = without_versions or newest.version_id != NULL_VERSION or store.objects.versions.are_kept()
    # One that does not open can't be carried out, whatever its name was derived from.
    is_unfinished = changes_tags and any(True for _ in pending(store, lambda *_: None))
    counted = usage(store, opened=chosen, ring=before.opened)
    needed = _needed(*counted.of(chosen))
    # All obstacles are told at once: each may take a day to go away.
    obstacles = [too_early, _UNFINISHED if is_unfinished else "", needed, "" if is_kept else _UNKEPT]
    if any(obstacles):
        then = "Run it again when none of this holds." if any(obstacles[1:]) else "Run it again then."
        raise RefusedError(f"{' '.join(filter(None, obstacles))} Nothing was changed. {then}")
    if not dry_run:
        _take_out(store, before, chosen, begun)
    return Retirement(chosen, counted, changes_tags)


def _take_out(store: MemoryStore, before: StoredKeyRing, generations: tuple[int, ...], begun: datetime) -> None:
    """Take generations out of the ring; put them back if something was written under one while the count went on."""
    etag = store.key_ring.replace(before.opened.without(generations), etag=before.etag)
    if etag is None:
        raise ConflictError("The key ring was changed meanwhile. Nothing was retired. Run it again.")
    since = begun - timedelta(seconds=SETTLING_SECONDS)
    try:
        late = usage(store, since=since, opened=generations, ring=before.opened)
    except BackendError as error:
        raise _unsure(store, before, etag) from error
    if not any(late.of(generations)):
        return
    try:
        is_back = store.key_ring.replace(before.opened, etag=etag) is not None
    except BackendError as error:
        raise UnfinishedError(
            "Something was written under a generation that was retired, and the memory store did not tell "
            "whether the generation was put back. Run it again: if it was not, that says so, and what to put back."
        ) from error
    if not is_back:
        raise ConflictError(
            "Something was written under a generation that was retired, and the key ring was changed since. "
            "Put back the version of the key ring that names this generation."
        )
    raise ConflictError("Something was written under a generation meanwhile. It was put back. Reseal again.")


def _unsure(store: MemoryStore, before: StoredKeyRing, etag: str) -> UnfinishedError:
    """Put the ring back, as nobody knows whether its generations are needed. Return what to say of it."""
    try:
        if store.key_ring.replace(before.opened, etag=etag) is not None:
            return UnfinishedError(
                "The memory store did not tell whether something was written under a generation meanwhile. "
                "The generations were put back. Run it again later."
            )
    except OutcomeUnknownError:
        return UnfinishedError(
            "The memory store did not tell whether something was written under a generation meanwhile, nor "
            "whether the generations were put back. Run it again later: if they were not, it looks for that."
        )
    except BackendError:
        pass  # refused: they are retired
    return UnfinishedError(
        "The generations were retired, and the memory store did not tell whether something was written under "
        "one meanwhile. Run it again later: it looks for that."
    )


_UNKEPT = (
    "The bucket keeps no versions, so what is written meanwhile under a retired generation could be lost: enable "
    "versioning, or say --without-versions."
)
_UNFINISHED = "A directory operation is unfinished, and found by the oldest generation: run repair first."


def _needed(n_current: int, n_older: int) -> str:
    """Return what needs the generations, as sentences; nothing if nothing does."""
    if not (n_current or n_older):
        return ""
    files = " Reseal the files." if n_current else ""
    older = " Older versions go by the bucket's lifecycle rules." if n_older else ""
    return f"{_in_need(n_current, n_older)} a generation that you want to retire.{files}{older}"


def _in_need(n_current: int, n_older: int) -> str:
    """Return how many files and older versions need something: "1 file still needs"."""
    counts = ((n_current, "file"), (n_older, "older version"))
    needing = " and ".join(count_of(number, what) for number, what in counts if number)
    return f"{needing} still {'needs' if n_current + n_older == 1 else 'need'}"


def _refuse_where_retired_is_needed(store: MemoryStore, stored: StoredKeyRing) -> None:
    """Raise if anything that is stored needs a retired generation. Perhaps nobody has looked since it was retired.

    What needs one is opened with the older version of the ring that has it. If none has it, only the header is read.
    """
    ring = stored.opened.ring
    lacking = set(range(1, ring.newest.generation)) - {key.generation for key in ring.keys}
    if not lacking:
        return
    named = usage(store)
    for generation in sorted(lacking):
        if not any(named.of({generation})):
            continue
        version, opened = _version_with(store, generation, ring.newest.generation)
        counted = named if opened is None else usage(store, opened={generation}, ring=opened)
        n_current, n_older = counted.of({generation})
        if n_current or n_older:
            then = "No version of the key ring that can be put back has it."
            if version is not None:
                then = f"Put back version {version.version_id} of the key ring, and reseal the files."
            needing = _in_need(n_current, n_older)
            raise UnfinishedError(
                f"{needing} a generation that was retired before, without which nothing opens. {then}"
            )


def _version_with(store: MemoryStore, generation: int, newest: int) -> tuple[ListedVersion | None, OpenKeyRing | None]:
    """Return the last older version of the ring that has a generation which the ring lacks, and that version opened.

    A version with another newest generation is not one to put back.
    """
    for version in store.key_ring.versions():
        ring = ring_of(store, version) if version.is_older else None
        if ring is None or ring.newest.generation != newest:
            continue
        if any(key.generation == generation for key in ring.keys):
            try:
                return version, store.key_ring.unwrap(ring)
            except KeyRingError:  # under an earlier wrapping key
                return version, None
    return None, None


def settled_at(changed: datetime, max_cache_seconds: float) -> datetime:
    """Return until when a process may write under an earlier key ring, or the last time that there is (year 9999)."""
    last = datetime.max.replace(tzinfo=UTC)
    return changed + min(timedelta(seconds=max_cache_seconds + SETTLING_SECONDS), last - changed)


def _too_early(changed: datetime, max_cache_seconds: float, now: datetime) -> str:
    """Return until when a process may write under an older generation, as sentences; nothing if that is over."""
    settled = settled_at(changed, max_cache_seconds)
    if now >= settled:
        return ""
    told = f"The key ring was changed at {shown_time(changed)}. A process that read it before may write "
    told += f"under an older generation until {shown_time(settled)}: it may keep keys for "
    told += count_of(round(max_cache_seconds), "second")
    if max_cache_seconds < MAX_KEY_TTL_SECONDS:
        return f"{told}, and a call under way may take {SETTLING_SECONDS:.0f} more."
    return f"{told}. If your processes keep them for less, pass --max-cache-seconds."
