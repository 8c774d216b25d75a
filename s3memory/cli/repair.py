"""``s3memory repair``: directory renames and deletes that a crash left unfinished."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from s3memory.cli.exit_codes import OK, exit_code_of
from s3memory.cli.options import JsonOption, TenantOption
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import printable, stored_memory, write_json
from s3memory.errors import IntegrityError, S3MemoryError

if TYPE_CHECKING:
    from s3memory.tree import Repaired


def repair(
    tenant: TenantOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what is unfinished.")] = False,
    json_output: JsonOption = False,
) -> None:
    """Finish what a crash interrupted.

    That is: renames and deletes of directories. One that is still under way elsewhere is helped along: both
    end in the same tree. One that can't be finished, or does not open, does not keep the others from it: each
    that is finished is a line on standard output, each that is not, with the reason, one on standard error.

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
    from s3memory import tree  # noqa: PLC0415 - botocore comes with it

    results: list[tree.Repaired] = []

    def told(result: tree.Repaired) -> None:
        results.append(result)
        if not json_output:
            _show(result)

    if dry_run:
        with stored_memory(tenant, "repair") as store:
            for stored in tree.pending(store, lambda object_key, error: told(tree.Repaired(object_key, None, error))):
                told(tree.Repaired(stored.object_key, stored.intent))
            _sum_up(results, dry_run=True, json_output=json_output)
            if any(one.intent is not None for one in results):
                store.keys.ensure_not_archived()  # then it would be refused
    else:
        try:
            with stored_memory(tenant, "repair", writes=True) as store, progress_bar() as watcher:
                tree.repair(store, watcher, told)
        except S3MemoryError:
            if all(one.failure is None for one in results):
                raise
        _sum_up(results, dry_run=False, json_output=json_output)
    raise typer.Exit(max((exit_code_of(one.failure) for one in results if one.failure is not None), default=OK))


def _show(result: Repaired) -> None:
    if result.failure is None:
        sys.stdout.write(f"{result.intent}\n")
        sys.stdout.flush()
        return
    what = printable(result.object_key) if result.intent is None else result.intent
    sys.stderr.write(f"s3memory: {what}: {_reason(result.failure)}\n")


def _sum_up(results: Sequence[Repaired], *, dry_run: bool, json_output: bool) -> None:
    done = [one for one in results if one.failure is None]
    failed = [one for one in results if one.failure is not None]
    if json_output:
        unreadable = [one for one in failed if one.intent is None and isinstance(one.failure, IntegrityError)]
        write_json(
            {
                "dry_run": dry_run,
                "operations": [_fields(one) for one in done],
                "failures": [
                    {**_fields(one), "object_key": one.object_key, "reason": _reason(one.failure)} for one in failed
                ],
                "unreadable_objects": [one.object_key for one in unreadable],
            }
        )
        return
    note = f", {len(failed)} not" if failed and not dry_run else ""
    sys.stderr.write(f"{len(done)} {'unfinished' if dry_run else 'finished'}{note}\n")


def _reason(failure: S3MemoryError | None) -> str:
    return str(failure).removeprefix("Error: ")


def _fields(result: Repaired) -> dict[str, Any]:
    intent = result.intent
    if intent is None:
        return dict.fromkeys(("operation", "path", "new_path"))
    return {"operation": intent.operation, "path": str(intent.path), "new_path": str(intent.new_path)}
