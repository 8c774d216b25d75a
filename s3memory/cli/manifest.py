"""``s3memory manifest``: which objects a bulk job is about."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

from s3memory.admin.tenants import ensure_stored, list_tenants, shared_bucket
from s3memory.audit.recording import as_one_event
from s3memory.bulk import batch_line, erasure_rows, map_line, rows
from s3memory.cli.ending import if_interrupted
from s3memory.cli.options import argument, flag, optional
from s3memory.cli.output import note
from s3memory.cli.stores import until_unread
from s3memory.config.settings import Settings
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError
from s3memory.store.memory_store import MemoryStore


class Engine(StrEnum):
    """Who reads the manifest."""

    BATCH = "batch"
    MAP = "map"


def manifest(
    named: Annotated[list[str] | None, argument("TENANT...", "The tenants, like --tenant.")] = None,
    tenant: Annotated[
        list[str] | None, optional("--tenant", "A tenant. Repeatable. Default: S3MEMORY_TENANT.", "NAME")
    ] = None,
    all_tenants: Annotated[bool, flag("--all", "List every tenant in the bucket.")] = False,
    versions: Annotated[bool, flag("--versions", "List every version of every file, with its ID.")] = False,
    erasing: Annotated[
        bool, flag("--erasing", "List every key with anything to erase, such as deleted files.")
    ] = False,
    engine: Annotated[
        Engine, flag("--for", "batch: CSV for S3 Batch Operations. map: JSON Lines for Step Functions.")
    ] = Engine.BATCH,
) -> None:
    """List the objects of a bulk job, as its engine reads them.

    Prints one line per object: for S3 Batch Operations the bucket and the URL-encoded key, followed by the version
    ID with --versions; for a Distributed Map a JSON object. A manifest contains object keys, and file names
    unless those are encrypted: keep it where the memory is, below batch/manifests/.

    Examples:
      s3memory manifest --tenant acme > acme.csv
      s3memory manifest --all --versions > all.csv
      s3memory manifest --tenant acme --erasing --for map > acme.jsonl

    Exit codes:
      0  it lists everything
      1  nothing is stored for a tenant: the output so far is not a manifest
      2  a setting or an option is wrong
      3  the store can't be reached or refuses access: the output so far is not
         a manifest
    """
    tenants = [*(named or ()), *(tenant or ())]
    if versions and erasing:
        raise ConfigurationError("give either --versions or --erasing, which is about all versions")
    if all_tenants and (tenants or erasing):
        raise ConfigurationError("--all takes no tenant and no --erasing, which is about one tenant at a time")
    settings = Settings.from_env()
    bucket = settings.require("BUCKET")
    n_rows = 0
    listed = (one.tenant for one in list_tenants(shared_bucket(settings), settings.get("PREFIX", "")))
    with if_interrupted("The output so far is not a manifest."):
        for name in listed if all_tenants else tenants or [settings.tenant(None)]:
            store = MemoryStore.from_settings(settings, tenant=name).refusing_writes()
            n_before = n_rows
            with until_unread(as_one_event(store, "manifest")):
                for one in erasure_rows(store) if erasing else rows(store, with_versions=versions):
                    is_csv = engine is Engine.BATCH
                    line = batch_line(bucket, one, with_versions=versions) if is_csv else map_line(bucket, one)
                    sys.stdout.write(f"{line}\n")
                    n_rows += 1
                if n_rows == n_before and not all_tenants:
                    ensure_stored(store)
    note(count_of(n_rows, "object"))
