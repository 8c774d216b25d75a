"""``s3memory reseal``: re-encrypt all files of a tenant under the newest data key."""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.admin.keys import resealing
from s3memory.admin.keys.resealing import Resealing
from s3memory.cli.ending import FAILED, NOTHING_CHANGED, OK, STORE, note_if_interrupted
from s3memory.cli.options import DryRunOption, JsonOption, TenantOption
from s3memory.cli.output import emit, fields_of, one_line
from s3memory.cli.progress import progress_bar
from s3memory.cli.stores import MOVED_ON, RUN_AGAIN, missed_lines, store_of, stray_lines

_CONTENDED = "was changed by other writers during every attempt"


def reseal(tenant: TenantOption = None, dry_run: DryRunOption = False, json_output: JsonOption = False) -> None:
    """Re-encrypt all files under the newest data key.

    Texts stay the same, and agents need not stop: each file is replaced by compare and swap. If interrupted,
    run it again: it skips finished files. In a bucket with versioning, the older versions stay.
    A resealed file counts as used, for `s3memory expire` and for the bucket's lifecycle rules.

    Examples:
      s3memory reseal --tenant acme --dry-run
      s3memory reseal --tenant acme

    Exit codes:
      0  all files are sealed under the key that was the newest when it began
      1  some were left to other writers or to `s3memory repair`: run it again;
         or the memory is read-only, or the tenant has no key ring
    """
    store = store_of(tenant)
    with note_if_interrupted(NOTHING_CHANGED if dry_run else RUN_AGAIN), progress_bar():
        result = resealing.reseal(store.refusing_writes() if dry_run else store, dry_run=dry_run)
    is_wrong = result.unreadable or result.missed or result.stray or result.unreadable_objects
    emit(
        {"dry_run": dry_run, **fields_of(result)},
        notes=[_counts(result, dry_run=dry_run)],
        warnings=[*_left(result), *missed_lines(result.missed), *([] if result.is_settled else [MOVED_ON])],
        tenant=store.tenant,
        as_json=json_output,
        exit_code=STORE if is_wrong else OK if result.is_complete else FAILED,
    )


def _left(result: Resealing) -> Iterator[str]:
    for names, why in (
        (result.left, "belongs to an unfinished directory operation: run s3memory repair first"),
        (result.unreadable, "does not open"),
        (result.contended, _CONTENDED),
        (result.unreadable_objects, "does not open as an intent or record"),
        (result.contended_objects, _CONTENDED),
    ):
        for name in names:
            yield f"{one_line(str(name))} {why}"
    yield from stray_lines(result.stray)


def _counts(result: Resealing, *, dry_run: bool) -> str:
    return (
        f"generation {result.generation}: {result.resealed} {'would be resealed' if dry_run else 'resealed'}, "
        f"{result.already} already up to date"
    )
