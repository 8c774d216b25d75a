"""``s3memory repair``: directory renames and deletes that a crash left unfinished."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm, where
from s3memory.cli.exit_codes import FAILED, OK, exit_code_of
from s3memory.cli.options import JsonOption, TenantOption
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import printable, shown_time, stored_memory, write_json
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError, IntegrityError, S3MemoryError

if TYPE_CHECKING:
    from s3memory.admin.discarding import Unreadable
    from s3memory.s3.objects import ListedObject
    from s3memory.store.tree import Repaired


def repair(  # noqa: PLR0917 - options, in the order of the help
    tenant: TenantOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what is unfinished.")] = False,
    discard_unreadable: Annotated[
        bool, typer.Option("--discard-unreadable", help="In place of that, delete what opens under no key.")
    ] = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    json_output: JsonOption = False,
) -> None:
    """Finish what a crash interrupted.

    That is: renames and deletes of directories. One that is still under way elsewhere is helped along: both
    end in the same tree. One that can't be finished, or does not open, does not keep the others from it: each
    that is finished is a line on standard output, each that is not, with the reason, one on standard error.

    With --discard-unreadable it looks at every file, intent and record instead, lists those that open under no
    key, not even one of an older version of the key ring, asks, and deletes them. Where the bucket keeps versions,
    they stay older ones. What may open under a key ring of a backup is told, and stays.

    \b
    Examples:
      s3memory repair --tenant acme --dry-run
      s3memory repair --tenant acme
      s3memory repair --tenant acme --discard-unreadable

    \b
    Exit codes:
      0  nothing is unfinished any more, or a dry run has listed what is
      1  one can't be finished, the memory is read-only or archived,
         or nothing is stored for the tenant; or the answer was no, or something
         was stored anew meanwhile, and was left alone
      2  a setting or an option is wrong, or there is nobody to ask
      3  the store is out of reach, refuses access, or holds what does not open
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.store import tree  # noqa: PLC0415 - botocore comes with it

    if discard_unreadable:
        _discard(tenant, dry_run=dry_run, yes=yes, expect_count=expect_count, json_output=json_output)
        return
    if yes or expect_count is not None:
        raise ConfigurationError("--yes and --expect-count are for --discard-unreadable")
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
                store.ensure_not_archived()  # then it would be refused
    else:
        try:
            with stored_memory(tenant, "repair", writes=True) as store, progress_bar() as watcher:
                tree.repair(store, watcher, told)
        except S3MemoryError:
            if all(one.failure is None for one in results):
                raise
        _sum_up(results, dry_run=False, json_output=json_output)
    raise typer.Exit(max((exit_code_of(one.failure) for one in results if one.failure is not None), default=OK))


def _discard(tenant: str | None, *, dry_run: bool, yes: bool, expect_count: int | None, json_output: bool) -> None:
    from s3memory.admin import discarding  # noqa: PLC0415 - botocore comes with it

    left: list[ListedObject] = []
    with stored_memory(tenant, "repair", writes=not dry_run) as store:
        with progress_bar() as watcher:
            found = discarding.find_unreadable(store, watcher=watcher)
        _show_unreadable(found, json_output=json_output)
        if not dry_run:
            store.ensure_writable()
            what = f"{count_of(len(found.junk), 'object')} that does not open will be deleted ({where(store)})."
            confirm(what, tenant=store.tenant, count=len(found.junk), yes=yes, expect_count=expect_count)
            left = discarding.discard(store, found.junk)
    if json_output:
        write_json(
            {
                "dry_run": dry_run,
                "unreadable_objects": [one.object_key for one in found.junk],
                "without_key": [one.object_key for one in found.without_key],
                "key_rings_unopened": found.rings_unopened,
                "changed_meanwhile": [one.object_key for one in left],
            }
        )
    for one in left:
        sys.stderr.write(f"s3memory: {printable(one.object_key)} was stored anew meanwhile, and was left alone\n")
    done = "would be discarded" if dry_run else "discarded"
    sys.stderr.write(f"{len(found.junk) - len(left)} {done}\n")
    raise typer.Exit(FAILED if left else OK)


def _show_unreadable(found: Unreadable, *, json_output: bool) -> None:
    if not json_output:
        for one in found.junk:
            sys.stdout.write(
                f"{printable(one.object_key)}: {count_of(one.size_bytes, 'byte')}, {shown_time(one.modified)}\n"
            )
        sys.stdout.flush()
    for one in found.without_key:
        sys.stderr.write(f"s3memory: {printable(one.object_key)} has no key here, and stays\n")
    if found.rings_unopened:
        rings = count_of(found.rings_unopened, "older version")
        sys.stderr.write(f"s3memory: {rings} of the key ring can't be opened: what only they open is not known\n")


def _show(result: Repaired) -> None:
    if result.failure is None:
        sys.stdout.write(f"{result.intent}\n")
        sys.stdout.flush()
        return
    what = printable(result.object_key) if result.intent is None else result.intent
    sys.stderr.write(f"s3memory: {what}: {printable(_reason(result.failure))}\n")


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
    return "" if failure is None else failure.detail


def _fields(result: Repaired) -> dict[str, Any]:
    intent = result.intent
    if intent is None:
        return dict.fromkeys(("operation", "path", "new_path"))
    return {"operation": intent.operation, "path": str(intent.path), "new_path": str(intent.new_path)}
