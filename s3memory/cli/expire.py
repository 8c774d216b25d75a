"""``s3memory expire``: delete files that nobody has used for a while."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from s3memory.admin import expiry
from s3memory.admin.long_jobs import Missed
from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm, show_bucket
from s3memory.cli.ending import OK, STORE
from s3memory.cli.options import JsonOption, TenantOption, flag
from s3memory.cli.output import emit
from s3memory.cli.progress import progress_bar
from s3memory.cli.stores import missed_lines, stored_memory, stray_lines
from s3memory.contract.views import count_of, shown_time
from s3memory.errors import ConfigurationError

_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


def expire(
    older_than: Annotated[
        str, typer.Option("--older-than", help="Not used for this long: 90d, 12h or 30m.", metavar="TIME")
    ],
    tenant: TenantOption = None,
    dry_run: Annotated[bool, flag("--dry-run", "Only list them.")] = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    json_output: JsonOption = False,
) -> None:
    """Delete files that nobody has used for a while.

    Writing and `s3memory reseal` count as use, and so does viewing if S3MEMORY_TOUCH_AFTER_DAYS is set. Each file is
    checked again right before it is deleted; one that was used meanwhile stays. In a bucket with versioning, older
    versions stay too. Objects that are not memory files are counted and left alone.

    Examples:
      s3memory expire --tenant acme --older-than 90d --dry-run
      s3memory expire --tenant acme --older-than 90d --yes --expect-count 12

    Exit codes:
      0  success
      1  the count differs, the memory is read-only or archived,
         or nothing is stored for the tenant
      2  a setting or an option is wrong
      3  the store can't be reached, refuses access, or holds an object that is
         not a memory file
    """
    before = datetime.now(UTC) - _duration(older_than)
    with stored_memory(tenant, "expire", writes=not dry_run) as store:
        show_bucket(store)
        store.key_ring.ensure_not_archived()
        unused = expiry.unused_files(store, before=before)
        files, missed = unused.files, list[Missed]()
        if not dry_run:
            what = f"This deletes {count_of(len(files), 'file')} of {store.tenant}."
            confirm(what, tenant=store.tenant, count=len(files), yes=yes, expect_count=expect_count)
            with progress_bar():
                files, missed = expiry.expire(store, files, before=before)
    listed = [
        {"path": str(file.path), "modified": file.listed.modified, "size_bytes": file.size_bytes} for file in files
    ]
    emit(
        {"dry_run": dry_run, "files": listed, "missed": missed, "stray": unused.stray},
        text=[f"{shown_time(file.listed.modified)} {file.size_bytes:>9} {file.path}" for file in files],
        notes=[f"{len(files)} {'unused' if dry_run else 'deleted'}"],
        warnings=[*stray_lines(unused.stray), *missed_lines(missed)],
        tenant=store.tenant,
        as_json=json_output,
        exit_code=STORE if unused.stray or missed else OK,
    )


def _duration(text: str) -> timedelta:
    parsed = re.fullmatch(r"([0-9]{1,5})([dhm])", text)
    if parsed is None:
        raise ConfigurationError("--older-than takes a number of days, hours or minutes, such as 90d, 12h or 30m")
    return timedelta(**{_UNITS[parsed[2]]: int(parsed[1])})
