"""``s3memory manifest``: which objects a bulk job is about."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from s3memory.cli.reading import until_unread
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from s3memory.config.settings import Settings


class Engine(StrEnum):
    """Who reads the manifest."""

    BATCH = "batch"
    MAP = "map"


def manifest(
    tenants: Annotated[
        list[str] | None,
        typer.Argument(metavar="TENANT...", help="Whose memory. Default: S3MEMORY_TENANT.", show_default=False),
    ] = None,
    all_tenants: Annotated[bool, typer.Option("--all", help="All tenants of the bucket.")] = False,
    versions: Annotated[bool, typer.Option("--versions", help="Each version of each file, with its id.")] = False,
    erasing: Annotated[
        bool,
        typer.Option("--erasing", help="Every key with anything to erase: key ring, deleted files and all."),
    ] = False,
    engine: Annotated[
        Engine, typer.Option("--for", help="batch: CSV for S3 Batch Operations. map: JSON Lines for Step Functions.")
    ] = Engine.BATCH,
) -> None:
    """List the objects of a bulk job, as its engine reads them.

    One line an object, to standard output: for S3 Batch Operations bucket and URL-encoded key, with --versions
    the version id behind them; for a Distributed Map a JSON object. Object keys are in it, and so, unless names are
    encrypted, the names of files: keep it where the memory is, below batch/manifests/.

    \b
    Examples:
      s3memory manifest acme > acme.csv
      s3memory manifest --all --versions > all.csv
      s3memory manifest acme --erasing --for map > acme.jsonl

    \b
    Exit codes:
      0  it lists everything
      1  nothing is stored for a tenant: what is written until then is no manifest
      2  a setting or an option is wrong
      3  the store is out of reach or refuses access:
         what is written until then is no manifest
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.tenants import ensure_stored  # noqa: PLC0415 - botocore comes with it
    from s3memory.audit.recording import as_one_event  # noqa: PLC0415 - same
    from s3memory.bulk import batch_line, erasure_rows, map_line, rows  # noqa: PLC0415 - same
    from s3memory.config.settings import Settings  # noqa: PLC0415 - same
    from s3memory.store.memory_store import MemoryStore  # noqa: PLC0415 - same

    if versions and erasing:
        raise ConfigurationError("give either --versions or --erasing: an erasure is of all versions")
    if all_tenants and (tenants or erasing):
        raise ConfigurationError("--all goes with no tenant and not with --erasing, which is of one tenant at a time")
    settings = Settings.from_env()
    bucket = settings.require("BUCKET")
    n_rows = 0
    for name in _all_tenants(settings) if all_tenants else tenants or [settings.tenant(None)]:
        store = MemoryStore.from_settings(settings, tenant=name).refusing_writes()
        n_before = n_rows
        with until_unread(as_one_event(store, "manifest")):
            for row in erasure_rows(store) if erasing else rows(store, with_versions=versions):
                is_csv = engine is Engine.BATCH
                line = batch_line(bucket, row, with_versions=versions) if is_csv else map_line(bucket, row)
                sys.stdout.write(f"{line}\n")
                n_rows += 1
            if n_rows == n_before and not all_tenants:
                ensure_stored(store)
    sys.stderr.write(f"{count_of(n_rows, 'object')}\n")


def _all_tenants(settings: Settings) -> Iterable[str]:
    from s3memory.admin.tenants import list_tenants, shared_bucket  # noqa: PLC0415 - botocore comes with it

    return (listed.tenant for listed in list_tenants(shared_bucket(settings), settings.get("PREFIX", "")))
