"""Helpers of commands on a tenant's memory: its store, parsing times, and lines on objects that were left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from s3memory.admin.long_jobs import Missed
from s3memory.admin.tenants import ensure_has_data
from s3memory.audit.recording import as_one_event
from s3memory.cli.ending import NOTHING_CHANGED, note_if_interrupted, success_if_unread
from s3memory.cli.output import counted, one_line
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError
from s3memory.store.memory_store import MemoryStore

MOVED_ON = "agents moved or deleted files during every pass, so one may have been missed: run it again"
RUN_AGAIN = "Completed work is kept: run it again to continue."

_DATE_IN_UTC = re.compile(r"\A(\d{4}-\d{2}-\d{2})Z\Z", re.ASCII)


def store_of(tenant: str | None) -> MemoryStore:
    """Return the configured store of a tenant; without one, of the tenant in the settings."""
    with note_if_interrupted(NOTHING_CHANGED):
        return MemoryStore.from_settings(Settings.from_env(), tenant=tenant)


@contextmanager
def stored_memory(tenant: str | None, operation: str, *paths: str, writes: bool = False) -> Iterator[MemoryStore]:
    """Yield the configured store of a tenant with data. Everything done with it is one audit event.

    Raises:
        NotFoundError: nothing is stored for the tenant: its name may be misspelled.
    """
    store = store_of(tenant)
    event = as_one_event(store, operation, *paths)
    with note_if_interrupted(RUN_AGAIN if writes else NOTHING_CHANGED), event if writes else success_if_unread(event):
        ensure_has_data(store)
        yield store if writes else store.refusing_writes()


def parse_time(at: str | None) -> datetime | None:
    """Return the time of ``--at``, in UTC. A date followed by a Z is its first moment in UTC.

    Raises:
        ConfigurationError: it is not a time, its year in UTC is out of range, or it has no time zone, without which the
            tree could be that of another hour.
    """
    if at is None:
        return None
    try:
        moment = datetime.fromisoformat(_DATE_IN_UTC.sub(r"\1T00:00:00Z", at))
    except ValueError:
        raise ConfigurationError("--at takes a time, such as 2026-01-31T12:00:00Z, or a date: 2026-01-31Z") from None
    if moment.tzinfo is None:
        raise ConfigurationError("--at needs a time zone: append Z for UTC, or an offset such as +01:00 to a time")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ConfigurationError("--at takes a time whose year in UTC is between 1 and 9999") from None


def new_tenant_line(store: MemoryStore) -> str:
    """Return what a command that may create a tenant says if it has no data: its name may be misspelled."""
    return f'No data for tenant "{store.tenant}" yet: the first file creates its memory.'


def missed_lines(missed: Iterable[Missed]) -> list[str]:
    """Return a line for each object that was left out, with the reason."""
    return [one_line(f"{one.name}: {one.why}") for one in missed]


def stray_lines(number: int, *, named_by: str = "s3memory verify") -> list[str]:
    """Return a line for `warn` on how many objects are not memory files, and which command lists them; or no line."""
    if not number:
        return []
    what = counted(number, "object is not a memory file", "objects are not memory files")
    return [f"{what}: run `{named_by}` to see {'it' if number == 1 else 'them'}"]
