"""Retires generations: removes data keys that nothing is sealed under any more from the key ring.

A process that cached the key ring before the newest generation was added may still write under an older one. So nothing
is retired until the ring has been unchanged for as long as any process may cache it. The reasons are in
``docs/decisions/0009-retiring-a-generation.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from s3memory.admin.keys.generations import GenerationUsage, usage
from s3memory.admin.keys.rotation import StoredKeyRing, newest_version, ring_of, stored_key_ring
from s3memory.admin.long_jobs import Missed, Patience
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
"""How long to wait, after all caches have expired, for a writer with an older key ring: 15 minutes for Lambda's longest
function, and 15 for the clock skew that AWS tolerates."""


@dataclass(frozen=True, slots=True)
class Retirement:
    """The generations that were retired, or would be.

    Attributes:
        generations: their numbers, ascending.
        usage: what was sealed under each generation before.
        changes_tags: the oldest generation is among them, so the tags of placeholders change.
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
    """Remove generations that nothing needs any more, not even an older version, from the key ring.

    After the ring is changed, objects that were written under one of the generations meanwhile are looked for. If a run
    is interrupted, run it again: if none of `generations` is in the ring any more, it looks for objects that need a
    retired one.

    IAM actions: as for `rotate` and `usage`, and ``s3:GetBucketVersioning``.

    Args:
        store: the tenant's memory.
        generations: the generations to retire; all but the newest by default.
        max_cache_seconds: how long any process caches an unwrapped ring: the longest ``key_ttl_seconds`` in use.
        without_versions: retire even if the bucket keeps no older version of the ring. If this process then ends before
            it has put a generation back, what was written under it meanwhile is lost.
        dry_run: only report which can be retired. Nothing is changed.
        now: returns the present time.

    Raises:
        RefusedError: something needs one of them, or may still be written under one, or can't be read, or the bucket
            keeps no versions. The text names all obstacles. Nothing was changed.
        ConflictError: the ring was changed meanwhile; or something was written under one of the generations. They were
            put back, unless the text says otherwise.
        UnfinishedError: something needs a generation that was retired before: the text says what to put back. Or it is
            unknown whether there was a write meanwhile, or whether the generation was put back: the text says which.
        ConfigurationError: `max_cache_seconds` is out of range.
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
        _refuse_if_retired_is_needed(store, before)
    if not older.issuperset(chosen):
        raise RefusedError("Only older generations that the key ring has can be retired. Nothing was changed.")
    if not chosen:
        return Retirement((), GenerationUsage(), changes_tags=False)
    changes_tags = ring.oldest.generation in chosen
    # The wait must be over before the count begins: a process could still write objects that the count has passed.
    newest = newest_version(store)
    too_early = _too_early(newest.modified, max_cache_seconds, begun)
    is_kept = without_versions or newest.version_id != NULL_VERSION or store.objects.versions.are_kept()
    # Intents that do not open don't count: they can't be carried out, whatever their names were derived from.
    is_unfinished = changes_tags and any(True for _ in pending(store, lambda *_: None))
    counted = usage(store, opened=chosen, ring=before.opened, patience=Patience(store))
    needed, unread = _needed(*counted.of(chosen)), _unread(counted.missed)
    # All obstacles are reported at once: each may take a day to go away.
    obstacles = [too_early, _UNFINISHED if is_unfinished else "", needed, unread, "" if is_kept else _UNKEPT]
    if any(obstacles):
        then = "Run it again once none of this is in the way." if any(obstacles[1:]) else "Run it again then."
        raise RefusedError(f"{' '.join(filter(None, obstacles))} Nothing was changed. {then}")
    if not dry_run:
        _remove(store, before, chosen, begun)
    return Retirement(chosen, counted, changes_tags)


def _remove(store: MemoryStore, before: StoredKeyRing, generations: tuple[int, ...], begun: datetime) -> None:
    """Remove generations from the ring. Put them back if something was written under one since the count began."""
    etag = store.key_ring.replace(before.opened.without(generations), etag=before.etag)
    if etag is None:
        raise ConflictError("The key ring was changed meanwhile. Nothing was retired. Run it again.")
    since = begun - timedelta(seconds=SETTLING_SECONDS)
    try:
        late = usage(store, since=since, opened=generations, ring=before.opened)
    except BackendError as error:
        raise _put_back_unchecked(store, before, etag) from error
    if not any(late.of(generations)):
        return
    try:
        is_back = store.key_ring.replace(before.opened, etag=etag) is not None
    except BackendError as error:
        raise UnfinishedError(
            "Something was written under a generation that was retired, and it is not known whether the generation "
            "was put back. Run it again: if it was not, the error says so, and what to put back."
        ) from error
    if not is_back:
        raise ConflictError(
            "Something was written under a generation that was retired, and the key ring was changed since. "
            "Put back the version of the key ring that names this generation."
        )
    raise ConflictError("Something was written under a generation meanwhile. It was put back. Reseal again.")


def _put_back_unchecked(store: MemoryStore, before: StoredKeyRing, etag: str) -> UnfinishedError:
    """Put the ring back, since it is unknown whether its generations are needed. Return the error to raise."""
    try:
        if store.key_ring.replace(before.opened, etag=etag) is not None:
            return UnfinishedError(
                "The memory store did not say whether something was written under a generation meanwhile. "
                "The generations were put back. Run it again later."
            )
    except OutcomeUnknownError:
        return UnfinishedError(
            "The memory store did not say whether something was written under a generation meanwhile, nor "
            "whether the generations were put back. Run it again later: if they were not, it checks that."
        )
    except BackendError:
        pass  # refused: they are retired
    return UnfinishedError(
        "The generations were retired, and the memory store did not say whether something was written under "
        "one meanwhile. Run it again later: it checks that."
    )


_UNKEPT = (
    "The bucket keeps no versions, so what is written meanwhile under a retired generation could be lost: enable "
    "versioning, or pass --without-versions."
)
_UNFINISHED = "A directory operation is unfinished, and the oldest generation is needed to find it: run repair first."


def _unread(missed: list[Missed]) -> str:
    """Return the obstacle that S3 did not return some objects, or an empty text."""
    if not missed:
        return ""
    codes = ", ".join(sorted({one.code for one in missed}))
    return (
        f"{count_of(len(missed), 'version')} of files can't be read ({codes}) and may need a generation that you want "
        "to retire: `s3memory keys show --count` names them."
    )


def _needed(n_current: int, n_older: int) -> str:
    """Return what still needs the generations, as sentences; an empty text if nothing does."""
    if not (n_current or n_older):
        return ""
    files = " Reseal the files." if n_current else ""
    older = " Older versions expire by the bucket's lifecycle rules." if n_older else ""
    return f"{_in_need(n_current, n_older)} a generation that you want to retire.{files}{older}"


def _in_need(n_current: int, n_older: int) -> str:
    """Return a subject and a verb such as "1 file still needs"."""
    counts = ((n_current, "file"), (n_older, "older version"))
    needing = " and ".join(count_of(number, what) for number, what in counts if number)
    return f"{needing} still {'needs' if n_current + n_older == 1 else 'need'}"


def _refuse_if_retired_is_needed(store: MemoryStore, stored: StoredKeyRing) -> None:
    """Raise if any stored object needs a retired generation: the run that retired it may not have checked.

    Such an object is opened with the older version of the ring that has the generation. If there is none, the object's
    header has to do.
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
    """Return the newest older version of the ring that has the given generation, and that version opened.

    Only versions with the same newest generation count: others must not be put back. The second value is `None` if the
    version does not open.
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
    """Return the time until which a process may write under an earlier key ring; the year 9999 at the latest."""
    last = datetime.max.replace(tzinfo=UTC)
    return changed + min(timedelta(seconds=max_cache_seconds + SETTLING_SECONDS), last - changed)


def _too_early(changed: datetime, max_cache_seconds: float, now: datetime) -> str:
    """Return until when a process may write under an older generation, as sentences; an empty text if none may."""
    settled = settled_at(changed, max_cache_seconds)
    if now >= settled:
        return ""
    text = f"The key ring was changed at {shown_time(changed)}. A process that read it before may write "
    text += f"under an older generation until {shown_time(settled)}: it may keep keys for "
    text += count_of(round(max_cache_seconds), "second")
    if max_cache_seconds < MAX_KEY_TTL_SECONDS:
        return f"{text}, and a call under way may take {SETTLING_SECONDS:.0f} more."
    return f"{text}. If your processes keep them for less, pass --max-cache-seconds."
