"""``s3memory restore``, ``redact-version``: put older versions back, or destroy one."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import Annotated

import typer

from s3memory.admin.versions import redacting, restoring
from s3memory.admin.versions.point_in_time import version_of
from s3memory.admin.versions.restoring import Restored, RestoreOutcome
from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm, show_bucket
from s3memory.cli.ending import FAILED, OK, STORE
from s3memory.cli.options import (
    AtOption,
    DryRunOption,
    FileArgument,
    JsonOption,
    PathArgument,
    TenantOption,
    VersionOption,
)
from s3memory.cli.output import IN_DRY_RUN, emit, note, row, warn
from s3memory.cli.progress import progress_bar
from s3memory.cli.stores import parse_time, stored_memory
from s3memory.contract.views import shown_time
from s3memory.errors import ConfigurationError, NotFoundError
from s3memory.paths import MemoryPath


def restore(
    path: PathArgument = "/memories",
    version: VersionOption = None,
    at: AtOption = None,
    dry_run: DryRunOption = False,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """Put older versions back, each as a new one.

    Nothing is deleted: files created since then stay, and a replaced text stays as an older version. Restored texts
    pass today's redactor and limits. Pass --version for one file, or --at for a file or everything below a
    directory. With --at, every file is read, and one that does not open is reported.

    Examples:
      s3memory restore /memories/plan.md --version 3sL4kqtJlcpXroDT --tenant acme
      s3memory restore /memories/customers --at 2026-01-31T12:00:00Z --dry-run
      s3memory restore /memories/customers --at 2026-01-31T12:00:00Z

    Exit codes:
      0  everything is, or would be, as it was
      1  something was refused, or is not kept, or nothing existed then,
         or nothing is stored for the tenant
      2  a setting or an option is wrong
      3  the store can't be reached, or a file was missed because S3 or KMS
         refused access or did not answer, or a version does not open
    """
    moment = parse_time(at)
    if (version is None) == (moment is None):
        raise ConfigurationError("give either --version or --at")
    n_by_outcome, n_unreadable = dict.fromkeys(RestoreOutcome, 0), 0
    with stored_memory(tenant, "restore", path, writes=not dry_run) as store, progress_bar():
        memory_path = MemoryPath.parse(path)

        def results() -> Generator[Restored, None, None]:
            if moment is None:
                listed = version_of(store, memory_path, version_id=version)
                yield restoring.restore(store, memory_path, listed, dry_run=dry_run)
            else:
                yield from restoring.restore_tree(store, memory_path, moment, dry_run=dry_run)

        # If the output is closed, this ends the generator at once, not when the garbage is collected.
        with closing(results()) as restored:
            for one in restored:
                n_by_outcome[one.outcome] += 1
                n_unreadable += one.is_unreadable
                _show(one, dry_run=dry_run, json_output=json_output)
        if moment is not None and not any(n_by_outcome.values()):
            raise NotFoundError(
                f"Nothing was stored at {memory_path} at {shown_time(moment)}, or no version of it is kept"
            )
    missed = n_by_outcome[RestoreOutcome.MISSED]
    always = RestoreOutcome.RESTORED, RestoreOutcome.SAME, RestoreOutcome.REFUSED
    counts = ", ".join(f"{count} {one}" for one, count in n_by_outcome.items() if count or one in always)
    note(f"{counts}{IN_DRY_RUN if dry_run else ''}")
    raise typer.Exit(STORE if n_unreadable or missed else FAILED if n_by_outcome[RestoreOutcome.REFUSED] else OK)


def redact_version(
    path: FileArgument,
    version: Annotated[str, typer.Option("--version", help="The version's ID.", metavar="ID", show_default=False)],
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """Destroy the text of one older version.

    The text can't be recovered. A sealed record of the version stays: when it was stored, which change made it, and
    who, if that was recorded. `s3memory history` shows it. Other versions with the same text are reported, and stay.
    The current version is refused: edit or delete the file first. If interrupted, run it again: for a version that
    was already redacted, it reports that other versions may have the same text.

    Examples:
      s3memory redact-version /memories/a.md --version 3sL4kqtJlcpXroDT --dry-run
      s3memory redact-version /memories/a.md --version 3sL4kqtJlcpXroDT
    """
    late: tuple[str, ...] = ()
    with stored_memory(tenant, "redact-version", path, writes=not dry_run) as store:
        show_bucket(store)
        redactable = redacting.find_redactable(store, MemoryPath.parse(path), version)
        old = redactable.version
        warn(*(f"version {other} has the same text, and stays" for other in redactable.same_text or ()))
        warn(
            *(
                f"version {other} does not open, so it is not known whether it has the same text"
                for other in redactable.unread
                if other != version
            )
        )
        if version in redactable.unread:
            warn(f"version {version} does not open, so it is not known which versions have the same text")
        if redactable.same_text is not None and not dry_run:
            store.ensure_writable()
            what = f"This destroys the text of version {version} of {old.path}, for good."
            confirm(what, tenant=store.tenant, count=1, yes=yes, expect_count=expect_count)
            redacting.redact_version(store, redactable)
            late = redacting.same_text_since(store, redactable)
    done = "would be redacted" if dry_run else "redacted"
    unknown = []
    if old.redaction is not None:
        done = f"was redacted at {shown_time(old.redaction.redacted_at)}"
        unknown = [
            (
                f"version {version} {done}. Its record does not say which other versions have the same text: "
                "check the file's history"
            )
        ]
    emit(
        {
            "dry_run": dry_run,
            "path": str(old.path),
            "version_id": version,
            "modified": old.modified,
            "same_text": None if redactable.same_text is None else [*redactable.same_text, *late],
            "unread": list(redactable.unread),
        },
        text=[f"{old.path}: version {version} of {shown_time(old.modified)} {done}"],
        warnings=[*unknown, *(f"version {other} with the same text was stored meanwhile, and stays" for other in late)],
        tenant=store.tenant,
        as_json=json_output,
        exit_code=FAILED if late else OK,
    )


def _show(one: Restored, *, dry_run: bool, json_output: bool) -> None:
    if one.outcome is RestoreOutcome.SAME and not json_output:
        return
    kinds = sorted({finding.kind for finding in one.findings})
    notes = ([f"redacted: {', '.join(kinds)}"] if kinds else []) + ([one.reason] if one.reason else [])
    if one.was_unreadable:
        notes.append("the current file does not open" if dry_run else "the file before did not open")
    outcome = "would be restored" if dry_run and one.outcome is RestoreOutcome.RESTORED else one.outcome
    fields = {
        "path": str(one.path),
        "version_id": one.version_id,
        "outcome": one.outcome,
        "dry_run": dry_run,
        "redacted": kinds,
        "reason": one.reason or None,
        "was_unreadable": one.was_unreadable,
        "is_unreadable": one.is_unreadable,
    }
    row(fields, f"{one.path}: {outcome}" + (f" ({'; '.join(notes)})" if notes else ""), as_json=json_output)
