"""What commands on a tenant's memory share: its store, times, and lines about what a walk left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from s3memory.admin.tenants import ensure_stored
from s3memory.admin.walks import Missed
from s3memory.audit.recording import as_one_event
from s3memory.cli.ending import NOTHING_CHANGED, if_interrupted, until_unread
from s3memory.cli.output import counted, one_line
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError
from s3memory.store.memory_store import MemoryStore

MOVED_ON = "agents moved or deleted files during every pass, so one may have been missed: run it again"
RUN_AGAIN = "What is done stays done: run it again to go on."

_DATE_IN_UTC = re.compile(r"\A(\d{4}-\d{2}-\d{2})Z\Z", re.ASCII)


def store_of(tenant: str | None) -> MemoryStore:
    """Return the configured store of a tenant, or of that of the settings."""
    with if_interrupted(NOTHING_CHANGED):
        return MemoryStore.from_settings(Settings.from_env(), tenant=tenant)


@contextmanager
def stored_memory(tenant: str | None, operation: str, *paths: str, writes: bool = False) -> Iterator[MemoryStore]:
    """Give the configured store of a tenant with data. What is done with it is one audit event.

    Raises:
        NotFoundError: nothing is stored for the tenant: its name may have a typing error in it.
    """
    store = store_of(tenant)
    event = as_one_event(store, operation, *paths)
    with if_interrupted(RUN_AGAIN if writes else NOTHING_CHANGED), event if writes else until_unread(event):
        ensure_stored(store)
        yield store if writes else store.refusing_writes()


def moment_of(at: str | None) -> datetime | None:
    """Return the time of ``--at``, in UTC. A date with a Z behind it is its first moment in UTC.

    Raises:
        ConfigurationError: it is not a time, UTC has no such year, or it has no time zone: an hour more or less would
            give another tree.
    """
    if at is None:
        return None
    try:
        moment = datetime.fromisoformat(_DATE_IN_UTC.sub(r"\1T00:00:00Z", at))
    except ValueError:
        raise ConfigurationError("--at takes a time, such as 2026-01-31T12:00:00Z, or a date: 2026-01-31Z") from None
    if moment.tzinfo is None:
        raise ConfigurationError("--at needs a time zone: put a Z behind it for UTC, or +01:00 behind a time")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ConfigurationError("--at takes a time that in UTC is in a year from 1 to 9999") from None


def new_tenant(store: MemoryStore) -> str:
    """Return a line about a tenant without data, of a command that makes it: its name may have a typing error in it."""
    return f'No data for tenant "{store.tenant}" yet: its memory begins with the first file.'


def missed_lines(missed: Iterable[Missed]) -> list[str]:
    """Return a line for each object that a walk had to leave out."""
    return [one_line(f"{one.name}: {one.why}") for one in missed]


def strays(number: int, *, named_by: str = "s3memory verify") -> list[str]:
    """Return a line, for `warn`, on how many objects are not memory files, and what names them, if there are any."""
    if not number:
        return []
    what = counted(number, "object is not a memory file", "objects are not memory files")
    return [f"{what}: run `{named_by}` to see {'it' if number == 1 else 'them'}"]
