"""``s3memory reseal``: all files of a tenant, sealed anew under the newest data key."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import typer

from s3memory.cli.exit_codes import FAILED, OK, STORE
from s3memory.cli.options import DryRunOption, JsonOption, TenantOption
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import printable
from s3memory.cli.strays import MOVED_ON, tell_of_strays

if TYPE_CHECKING:
    from s3memory.admin.keys.resealing import Resealing

_CONTENDED = "was changed by other writers at every try"


def reseal(tenant: TenantOption = None, dry_run: DryRunOption = False, json_output: JsonOption = False) -> None:
    """Seal all files anew under the newest data key.

    Texts stay what they are. Agents need not stop: each file is replaced by compare and swap. Interrupted, it
    is run again, and passes by what is done. In a bucket with versioning what was there stays as an older version.
    What is sealed anew counts as used from then on, for `s3memory expire` as for the bucket's lifecycle rules.

    \b
    Examples:
      s3memory reseal --tenant acme --dry-run
      s3memory reseal --tenant acme

    \b
    Exit codes:
      0  all files are sealed under the newest key
      1  some were left to other writers or to `s3memory repair`: run it again;
         or the memory is read-only, or the tenant has no key ring
      2  a setting is wrong
      3  the store is out of reach, refuses access, or holds what does not open
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.keys import resealing  # noqa: PLC0415 - botocore comes with it
    from s3memory.config.settings import Settings  # noqa: PLC0415 - same
    from s3memory.store.memory_store import MemoryStore  # noqa: PLC0415 - same

    store = MemoryStore.from_settings(Settings.from_env(), tenant=tenant)
    with progress_bar() as watcher:
        result = resealing.reseal(store.refusing_writes() if dry_run else store, dry_run=dry_run, watcher=watcher)
    if json_output:
        sys.stdout.write(json.dumps({"dry_run": dry_run, **_resealing_fields(result)}) + "\n")
    else:
        _show_resealing(result, dry_run=dry_run)
    if not result.is_settled:
        sys.stderr.write(f"s3memory: {MOVED_ON}\n")
    is_wrong = result.unreadable or result.stray or result.unreadable_objects
    raise typer.Exit(STORE if is_wrong else OK if result.is_complete else FAILED)


def _resealing_fields(result: Resealing) -> dict[str, Any]:
    return {
        "generation": result.generation,
        "resealed": result.resealed,
        "already": result.already,
        "intents": result.intents,
        "records": result.records,
        "left": list(map(str, result.left)),
        "unreadable": list(map(str, result.unreadable)),
        "contended": list(map(str, result.contended)),
        "stray": result.stray,
        "unreadable_objects": result.unreadable_objects,
        "contended_objects": result.contended_objects,
        "is_settled": result.is_settled,
    }


def _show_resealing(result: Resealing, *, dry_run: bool) -> None:
    for paths, why in (
        (result.left, "belongs to an unfinished directory operation: run s3memory repair first"),
        (result.unreadable, "does not open"),
        (result.contended, _CONTENDED),
    ):
        for path in paths:
            sys.stderr.write(f"s3memory: {path} {why}\n")
    for object_keys, why in (
        (result.unreadable_objects, "is no intent or record that opens"),
        (result.contended_objects, _CONTENDED),
    ):
        for object_key in object_keys:
            sys.stderr.write(f"s3memory: {printable(object_key)} {why}\n")
    tell_of_strays(result.stray)
    sys.stderr.write(
        f"generation {result.generation}: {result.resealed} {'would be sealed anew' if dry_run else 'sealed anew'}, "
        f"{result.already} were sealed under it\n"
    )
