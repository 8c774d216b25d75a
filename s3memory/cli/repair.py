"""``s3memory repair``: finish directory renames and deletes that a crash interrupted."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from s3memory.admin import discarding
from s3memory.admin.discarding import Unreadable
from s3memory.admin.long_jobs import Missed
from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm, show_bucket
from s3memory.cli.ending import FAILED, OK, STORE, exit_code_of
from s3memory.cli.options import JsonOption, TenantOption, flag
from s3memory.cli.output import counted, emit, note, one_line, row, warn
from s3memory.cli.progress import progress_bar
from s3memory.cli.stores import missed_lines, stored_memory
from s3memory.contract.views import count_of, shown_time
from s3memory.errors import ConfigurationError, IntegrityError, S3MemoryError
from s3memory.s3.objects import ListedObject
from s3memory.store import tree
from s3memory.store.tree import Repaired


def repair(
    tenant: TenantOption = None,
    dry_run: Annotated[bool, flag("--dry-run", "Only list what is unfinished.")] = False,
    discard_unreadable: Annotated[
        bool, flag("--discard-unreadable", "Instead, delete objects that no key opens.")
    ] = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    json_output: JsonOption = False,
) -> None:
    """Finish what a crash interrupted.

    Finishes renames and deletes of directories. If another process is still working on one, both work towards the
    same tree. One that can't be finished, or does not open, does not hold up the others. Each one that is finished is
    a line on stdout; each one that is not is a line on stderr, with the reason.

    With --discard-unreadable, it checks every file, intent and record instead, lists those that no key opens, not
    even one from an older version of the key ring, asks, and deletes them. If the bucket keeps versions, they stay as
    older ones. Objects that a key ring from a backup might open are reported, and stay.

    Examples:
      s3memory repair --tenant acme --dry-run
      s3memory repair --tenant acme
      s3memory repair --tenant acme --discard-unreadable

    Exit codes:
      0  nothing is unfinished any more, or a dry run listed everything
      1  one can't be finished, the memory is read-only or archived,
         or nothing is stored for the tenant; or the answer was no, or something
         was stored again meanwhile, and was left alone
      2  a setting or an option is wrong, or there is nobody to ask
      3  the store can't be reached, refuses access, or holds something that
         does not open
    """
    if discard_unreadable:
        _discard(tenant, dry_run=dry_run, yes=yes, expect_count=expect_count, json_output=json_output)
        return
    if yes or expect_count is not None:
        raise ConfigurationError("--yes and --expect-count are for --discard-unreadable")
    results: list[Repaired] = []

    def report(result: Repaired) -> None:
        results.append(result)
        if not json_output:
            _show(result)

    if dry_run:
        with stored_memory(tenant, "repair") as store:
            for stored in tree.pending(store, lambda object_key, error: report(Repaired(object_key, None, error))):
                report(Repaired(stored.object_key, stored.intent))
            _sum_up(results, dry_run=True, json_output=json_output)
            if any(one.intent is not None for one in results):
                store.key_ring.ensure_not_archived()  # without --dry-run, an archived tenant would be refused
    else:
        try:
            with stored_memory(tenant, "repair", writes=True) as store, progress_bar():
                tree.repair(store, report)
        except S3MemoryError:
            if all(one.failure is None for one in results):
                raise
        _sum_up(results, dry_run=False, json_output=json_output)
    raise typer.Exit(max((exit_code_of(one.failure) for one in results if one.failure is not None), default=OK))


def _discard(tenant: str | None, *, dry_run: bool, yes: bool, expect_count: int | None, json_output: bool) -> None:
    left: list[ListedObject] = []
    undeleted: list[Missed] = []
    with stored_memory(tenant, "repair", writes=not dry_run) as store:
        show_bucket(store)
        with progress_bar():
            found = discarding.find_unreadable(store)
        if not json_output:
            for one in found.junk:
                size = count_of(one.size_bytes, "byte")
                row({}, one_line(f"{one.object_key}: {size}, {shown_time(one.modified)}"), as_json=False)
            sys.stdout.flush()
        warn(*_what_stays(found))
        if found.junk:
            store.key_ring.ensure_not_archived()
        if not dry_run:
            store.ensure_writable()
            of_tenant = f"of {store.tenant} that"
            objects = counted(len(found.junk), f"object {of_tenant} does", f"objects {of_tenant} do")
            what = f"This deletes {objects} not open."
            confirm(what, tenant=store.tenant, count=len(found.junk), yes=yes, expect_count=expect_count)
            left, undeleted = discarding.discard(store, found.junk)
    warn(*(f"{one_line(one.object_key)} was stored again meanwhile, and was left alone" for one in left))
    missed = [*found.missed, *undeleted]
    warn(*missed_lines(missed))
    note(f"{len(found.junk) - len(left) - len(undeleted)} {'would be discarded' if dry_run else 'discarded'}")
    emit(
        {
            "dry_run": dry_run,
            "unreadable_objects": [one.object_key for one in found.junk],
            "without_key": [one.object_key for one in found.without_key],
            "key_rings_unopened": found.rings_unopened,
            "changed_meanwhile": [one.object_key for one in left],
            "missed": missed,
        },
        tenant=store.tenant,
        as_json=json_output,
        exit_code=STORE if missed else FAILED if left else OK,
    )


def _what_stays(found: Unreadable) -> Iterator[str]:
    for one in found.without_key:
        yield f"{one_line(one.object_key)} has no key here, and stays"
    if found.rings_unopened:
        rings = count_of(found.rings_unopened, "older version")
        yield (
            f"{rings} of the key ring can't be opened with the configured key, so the list may include good files. "
            'Add the earlier wrapping key ("new,old") and run this again before you delete anything'
        )


def _show(result: Repaired) -> None:
    if result.failure is None:
        row({}, str(result.intent), as_json=False)
        sys.stdout.flush()
        return
    what = result.object_key if result.intent is None else result.intent
    warn(f"{one_line(str(what))}: {result.failure}")


def _sum_up(results: Sequence[Repaired], *, dry_run: bool, json_output: bool) -> None:
    done = [one for one in results if one.failure is None]
    failed = [one for one in results if one.failure is not None]
    if not json_output:
        unfinished = f", {len(failed)} not" if failed and not dry_run else ""
        note(f"{len(done)} {'unfinished' if dry_run else 'finished'}{unfinished}")
        return
    unreadable = [one for one in failed if one.intent is None and isinstance(one.failure, IntegrityError)]
    fields = {
        "dry_run": dry_run,
        "operations": [_intent(one) for one in done],
        "failures": [{**_intent(one), "object_key": one.object_key, "reason": str(one.failure)} for one in failed],
        "unreadable_objects": [one.object_key for one in unreadable],
    }
    row(fields, "", as_json=True)


def _intent(result: Repaired) -> dict[str, Any]:
    return {name: getattr(result.intent, name, None) for name in ("operation", "path", "new_path")}
