"""``s3memory expire``: files that nobody has used for a time."""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm
from s3memory.cli.exit_codes import OK, STORE
from s3memory.cli.options import JsonOption, TenantOption
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import stored_memory
from s3memory.cli.strays import tell_of_strays
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from s3memory.admin.expiry import UnusedFile

_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


def expire(  # noqa: PLR0917 - options, in the order of the help
    older_than: Annotated[
        str, typer.Option("--older-than", help="Unused for so long: 90d, 12h or 30m.", metavar="TIME")
    ],
    tenant: TenantOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list them.")] = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    json_output: JsonOption = False,
) -> None:
    """Delete files that nobody has used for a time.

    Used is what was written, sealed anew by `s3memory reseal`, or viewed where S3MEMORY_TOUCH_AFTER_DAYS is set.
    Each is looked at again right before it is deleted; what was used meanwhile stays. In a bucket with
    versioning older versions stay too. Objects that are no memory files are counted and left alone.

    \b
    Examples:
      s3memory expire --tenant acme --older-than 90d --dry-run
      s3memory expire --tenant acme --older-than 90d --yes --expect-count 12

    \b
    Exit codes:
      0  all right
      1  the count is another, the memory is read-only or archived,
         or nothing is stored for the tenant
      2  a setting or an option is wrong
      3  the store is out of reach, refuses access,
         or holds what is no memory file
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin import expiry  # noqa: PLC0415 - botocore comes with it

    before = datetime.now(UTC) - _duration(older_than)
    with stored_memory(tenant, "expire", writes=not dry_run) as store:
        store.ensure_not_archived()
        unused = expiry.unused_files(store, before=before)
        files = unused.files
        if not dry_run:
            what = f"{count_of(len(files), 'file')} will be deleted."
            confirm(what, tenant=store.tenant, count=len(files), yes=yes, expect_count=expect_count)
            with progress_bar() as watcher:
                files = expiry.expire(store, files, before=before, watcher=watcher)
    if json_output:
        fields = {"dry_run": dry_run, "files": [_fields(file) for file in files], "stray": unused.stray}
        sys.stdout.write(json.dumps(fields) + "\n")
    else:
        for file in files:
            sys.stdout.write(f"{file.modified:%Y-%m-%dT%H:%M:%SZ} {file.size_bytes:>9} {file.path}\n")
        tell_of_strays(unused.stray)
        sys.stderr.write(f"{len(files)} {'unused' if dry_run else 'deleted'}\n")
    raise typer.Exit(STORE if unused.stray else OK)


def _duration(text: str) -> timedelta:
    parsed = re.fullmatch(r"([0-9]{1,5})([dhm])", text)
    if parsed is None:
        raise ConfigurationError("--older-than is a number of days, hours or minutes, such as 90d, 12h or 30m")
    return timedelta(**{_UNITS[parsed[2]]: int(parsed[1])})


def _fields(file: UnusedFile) -> dict[str, str | int]:
    return {"path": str(file.path), "modified": file.modified.isoformat(), "size_bytes": file.size_bytes}
