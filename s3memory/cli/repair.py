"""``s3memory repair``: directory renames and deletes that a crash left unfinished."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from s3memory.cli.options import JsonOption, TenantOption
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import reading_store, writing_store

if TYPE_CHECKING:
    from s3memory.intents import Intent


def repair(
    tenant: TenantOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what is unfinished.")] = False,
    json_output: JsonOption = False,
) -> None:
    """Finish what a crash interrupted.

    That is: renames and deletes of directories. One that is still under way elsewhere is helped along: both
    end in the same tree.

    \b
    Examples:
      s3memory repair --tenant acme --dry-run
      s3memory repair --tenant acme
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory import tree  # noqa: PLC0415 - boto3 comes with it

    store = reading_store(tenant) if dry_run else writing_store(tenant)
    if dry_run:
        intents = [stored.intent for stored in tree.pending(store)]
    else:
        with progress_bar() as watcher:
            intents = tree.repair(store, watcher)
    if json_output:
        sys.stdout.write(json.dumps({"dry_run": dry_run, "operations": [_fields(intent) for intent in intents]}) + "\n")
    else:
        for intent in intents:
            sys.stdout.write(f"{intent}\n")
        sys.stderr.write(f"{len(intents)} {'unfinished' if dry_run else 'finished'}\n")
    if intents and dry_run:
        store.keys.ensure_not_archived()  # then it would be refused


def _fields(intent: Intent) -> dict[str, str]:
    return {"operation": intent.operation, "path": str(intent.path), "new_path": str(intent.new_path)}
