"""``s3memory repair``: directory renames and deletes that a crash left unfinished."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from s3memory.cli.exit_codes import OK, STORE
from s3memory.cli.options import JsonOption, TenantOption
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import printable, stored_memory, write_json

if TYPE_CHECKING:
    from s3memory.errors import IntegrityError
    from s3memory.intents import Intent


def repair(
    tenant: TenantOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what is unfinished.")] = False,
    json_output: JsonOption = False,
) -> None:
    """Finish what a crash interrupted.

    That is: renames and deletes of directories. One that is still under way elsewhere is helped along: both
    end in the same tree. One that can't be finished, or does not open, does not keep the others from it.

    \b
    Examples:
      s3memory repair --tenant acme --dry-run
      s3memory repair --tenant acme

    \b
    Exit codes:
      0  nothing is unfinished any more, or a dry run has listed what is
      1  one can't be finished, the memory is read-only or archived,
         or nothing is stored for the tenant
      2  a setting is wrong
      3  the store is out of reach, refuses access, or holds what does not open
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory import tree  # noqa: PLC0415 - boto3 comes with it

    unreadable: dict[str, IntegrityError] = {}
    with stored_memory(tenant, "repair", writes=not dry_run) as store, progress_bar() as watcher:
        if dry_run:
            intents = [stored.intent for stored in tree.pending(store, unreadable.__setitem__)]
        else:
            intents = tree.repair(store, watcher)
    if json_output:
        operations = [_fields(intent) for intent in intents]
        write_json({"dry_run": dry_run, "operations": operations, "unreadable_objects": list(unreadable)})
    else:
        for intent in intents:
            sys.stdout.write(f"{intent}\n")
        for object_key, error in unreadable.items():
            sys.stderr.write(f"s3memory: {printable(object_key)}: {str(error).removeprefix('Error: ')}\n")
        sys.stderr.write(f"{len(intents)} {'unfinished' if dry_run else 'finished'}\n")
    if intents and dry_run:
        store.keys.ensure_not_archived()  # then it would be refused
    raise typer.Exit(STORE if unreadable else OK)


def _fields(intent: Intent) -> dict[str, str]:
    return {"operation": intent.operation, "path": str(intent.path), "new_path": str(intent.new_path)}
