"""``s3memory manifest``: list the objects of a bulk job."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

from s3memory._arguments import naming_file
from s3memory.admin.tenants import ensure_has_data, tenants_of
from s3memory.audit.recording import as_one_event
from s3memory.bulk import Row, batch_line, batch_lines, erasure_rows, inventory_rows, map_line, rows
from s3memory.cli.ending import note_if_interrupted, success_if_unread
from s3memory.cli.options import flag, optional
from s3memory.cli.output import note
from s3memory.config.settings import Settings
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError
from s3memory.store.memory_store import MemoryStore

_AsLines = Callable[[Iterator[Row]], Iterable[str]]


class Engine(StrEnum):
    """The engine that reads the manifest."""

    BATCH = "batch"
    MAP = "map"


def manifest(
    tenant: Annotated[
        list[str] | None, optional("--tenant", "A tenant. Repeatable. Default: S3MEMORY_TENANT.", "NAME")
    ] = None,
    all_tenants: Annotated[bool, flag("--all", "List every tenant in the bucket.")] = False,
    versions: Annotated[bool, flag("--versions", "List every version of every file, with its ID.")] = False,
    erasing: Annotated[
        bool, flag("--erasing", "List every key with anything to erase, including deleted files.")
    ] = False,
    engine: Annotated[
        Engine, flag("--for", "batch: CSV for S3 Batch Operations. map: JSON Lines for Step Functions.")
    ] = Engine.BATCH,
    batch: Annotated[
        int | None, optional("--batch", "With --for map: batches of at most N objects, each of one tenant.", "N")
    ] = None,
    inventory: Annotated[
        str | None, optional("--inventory", "Read the objects from an S3 Inventory in CSV; - for stdin.", "FILE")
    ] = None,
) -> None:
    """List the objects of a bulk job, as its engine reads them.

    Prints one line per object: for S3 Batch Operations the bucket and the URL-encoded key, followed by the version
    ID with --versions; for a Distributed Map a JSON object. With --batch, a line is a batch of one tenant's objects,
    for one invocation. With --inventory, the bucket is not listed: sort the inventory first, so that each tenant's
    objects are next to each other. A manifest contains object keys, and file names unless those are encrypted: keep
    it in the memory's bucket, below batch/manifests/.

    Examples:
      s3memory manifest --tenant acme > acme.csv
      s3memory manifest --all --versions > all.csv
      s3memory manifest --tenant acme --erasing --for map > acme.jsonl
      s3memory manifest --all --for map --batch 500 > all.jsonl

    Exit codes:
      0  the manifest is complete
      1  nothing is stored for a tenant: the output so far is not a manifest
      2  a setting or an option is wrong
      3  the store can't be reached or refuses access: the output so far is not
         a manifest
    """
    tenants = list(dict.fromkeys(tenant or ()))
    if versions and erasing:
        raise ConfigurationError("give either --versions or --erasing, which covers all versions")
    if all_tenants and (tenants or erasing):
        raise ConfigurationError("--all can't be combined with --tenant, nor with --erasing, which needs a tenant")
    if inventory is not None and (tenants or all_tenants or versions or erasing):
        raise ConfigurationError(
            "--inventory covers the current files of all tenants, and can't be combined with --tenant, --all, "
            "--versions or --erasing"
        )
    if batch is not None and (engine is not Engine.MAP or batch < 1):
        raise ConfigurationError("--batch takes a positive number, and needs --for map")
    settings = Settings.from_env()
    bucket = settings.bucket
    if batch is not None:
        as_lines: _AsLines = partial(batch_lines, bucket, settings.get("PREFIX", ""), max_items=batch)
    elif engine is Engine.BATCH:
        as_lines = partial(map, partial(batch_line, bucket, with_versions=versions))
    else:
        as_lines = partial(map, partial(map_line, bucket))
    if inventory is not None:
        with note_if_interrupted("The output so far is not a manifest."), _opened(inventory) as lines:
            n_rows = _written(inventory_rows(lines, bucket=bucket), as_lines)
        note(count_of(n_rows, "object"))
        return
    n_rows = 0
    listed = (one.tenant for one in tenants_of(settings, with_versions=versions))
    with note_if_interrupted("The output so far is not a manifest."):
        for name in listed if all_tenants else tenants or [settings.tenant(None)]:
            store = MemoryStore.from_settings(settings, tenant=name).refusing_writes()
            with success_if_unread(as_one_event(store, "manifest")):
                n_listed = _written(erasure_rows(store) if erasing else rows(store, with_versions=versions), as_lines)
                if not (n_listed or all_tenants):
                    ensure_has_data(store)
                n_rows += n_listed
    note(count_of(n_rows, "object"))


def _written(found: Iterator[Row], as_lines: _AsLines) -> int:
    """Write rows in the engine's format. Return how many there were."""
    n_rows = 0

    def counted() -> Iterator[Row]:
        nonlocal n_rows
        for one in found:
            n_rows += 1
            yield one

    sys.stdout.writelines(f"{line}\n" for line in as_lines(counted()))
    return n_rows


def _opened(inventory: str) -> AbstractContextManager[Iterable[str]]:
    if inventory == "-":
        return nullcontext(sys.stdin)
    with naming_file(inventory):
        return Path(inventory).open(encoding="utf-8", newline="")
