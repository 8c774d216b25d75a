"""What commands that work on a tenant's stored memory have in common: its store, times, and how texts are written."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from s3memory.store.memory_store import MemoryStore

_DATE_IN_UTC = re.compile(r"\A(\d{4}-\d{2}-\d{2})Z\Z", re.ASCII)


@contextmanager
def stored_memory(tenant: str | None, operation: str, *, writes: bool = False) -> Iterator[MemoryStore]:
    """Give the configured store of a tenant of whom something is stored. What is done with it is one audit event.

    Args:
        tenant: whose; `None` for that of the settings.
        operation: the command, as its event calls it.
        writes: whether the store sends writes.

    Raises:
        ConfigurationError: a setting is missing or malformed.
        NotFoundError: nothing is stored for the tenant: its name may have a typing error in it.
        BackendError: S3 did not answer or refused.
    """
    from s3memory.admin.tenants import ensure_stored  # noqa: PLC0415 - botocore comes with it
    from s3memory.audit.recording import as_one_event  # noqa: PLC0415 - same
    from s3memory.config.settings import Settings  # noqa: PLC0415 - same
    from s3memory.store.memory_store import MemoryStore  # noqa: PLC0415 - same

    store = MemoryStore.from_settings(Settings.from_env(), tenant=tenant)
    with as_one_event(store, operation) if writes else until_unread(as_one_event(store, operation)):
        ensure_stored(store)
        yield store if writes else store.refusing_writes()


@contextmanager
def until_unread(event: AbstractContextManager[object]) -> Iterator[None]:
    """Have an event made of what only reads, in which it is no failure that nobody reads the output to its end.

    Of what changes something it is one: it ends before all is done.
    """
    unread = None
    with event:
        try:
            yield
        except BrokenPipeError as error:
            unread = error
    if unread is not None:
        raise unread


def moment_of(at: str | None) -> datetime | None:
    """Return the time of ``--at``. A date with a Z behind it is its first moment in UTC.

    Raises:
        ConfigurationError: it is none, or has no time zone: an hour's difference would be another tree.
    """
    if at is None:
        return None
    try:
        moment = datetime.fromisoformat(_DATE_IN_UTC.sub(r"\1T00:00:00Z", at))
    except ValueError:
        raise ConfigurationError("--at must be a time such as 2026-01-31T12:00:00Z, or a date: 2026-01-31Z") from None
    if moment.tzinfo is None:
        raise ConfigurationError("--at needs a time zone: put a Z behind it for UTC, or +01:00 behind a time")
    return moment


def shown_time(moment: datetime) -> str:
    """Return a time as all commands show it: UTC, to the second."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def write_json(fields: dict[str, Any]) -> None:
    """Write one line of JSON. Times are written as `shown_time` does."""
    sys.stdout.write(json.dumps(fields, default=_to_json) + "\n")


def write_text(text: str) -> None:
    """Write a stored text: byte for byte, but to a terminal without what could take that over."""
    if sys.stdout.isatty():
        text = printable(text)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def printable(text: str) -> str:
    r"""Return a text with its control and format characters escaped, but for ``\n`` and ``\t``.

    What an agent was talked into storing would otherwise move an operator's cursor, or rename the window.
    """
    return "".join(
        char if char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Zl", "Zp"} else _escaped(char)
        for char in text
    )


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _to_json(value: object) -> str:
    return shown_time(value) if isinstance(value, datetime) else str(value)
