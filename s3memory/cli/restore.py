"""``s3memory restore``, ``redact-version``: what is done to the past."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm
from s3memory.cli.exit_codes import FAILED, OK, STORE
from s3memory.cli.options import (
    AtOption,
    DryRunOption,
    FileArgument,
    JsonOption,
    PathArgument,
    TenantOption,
    VersionOption,
)
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import moment_of, printable, shown_time, stored_memory, write_json
from s3memory.errors import ConfigurationError, NotFoundError

if TYPE_CHECKING:
    from s3memory.admin.versions.restoring import Restored


def restore(  # noqa: PLR0917 - options, in the order of the help
    path: PathArgument = "/memories",
    version: VersionOption = None,
    at: AtOption = None,
    dry_run: DryRunOption = False,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """Put older versions back, each as a new one.

    Nothing is rewritten and nothing deleted: files that were made since stay, and what is replaced stays an
    older version. What is put back passes today's redactor and limits. Give --version for one file, or --at for
    a file or for all below a directory. With --at every file is read, and what does not open is told.

    \b
    Examples:
      s3memory restore /memories/plan.md --version 3sL4kqtJlcpXroDT --tenant acme
      s3memory restore /memories/customers --at 2026-01-31T12:00:00Z --dry-run
      s3memory restore /memories/customers --at 2026-01-31T12:00:00Z

    \b
    Exit codes:
      0  all is as it was, or would be
      1  something was refused, or is not kept, or nothing was there then,
         or nothing is stored for the tenant
      2  a setting or an option is wrong
      3  the store is out of reach, refuses access, or holds what does not open
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.versions import restoring  # noqa: PLC0415 - botocore comes with it
    from s3memory.admin.versions.point_in_time import version_of  # noqa: PLC0415 - same
    from s3memory.paths import MemoryPath  # noqa: PLC0415 - same

    moment = moment_of(at)
    if (version is None) == (moment is None):
        raise ConfigurationError("give either --version or --at")
    n_by_outcome, n_unreadable = dict.fromkeys(restoring.Outcome, 0), 0
    with stored_memory(tenant, "restore", writes=not dry_run) as store, progress_bar() as watcher:
        memory_path = MemoryPath.parse(path)
        results: Iterable[Restored]
        if moment is None:
            listed = version_of(store, memory_path, version_id=version)
            results = [restoring.restore(store, memory_path, listed, dry_run=dry_run)]
        else:
            results = restoring.restore_tree(store, memory_path, moment, dry_run=dry_run, watcher=watcher)
        for one in results:
            n_by_outcome[one.outcome] += 1
            n_unreadable += one.is_unreadable
            _show(one, dry_run=dry_run, json_output=json_output)
        if moment is not None and not any(n_by_outcome.values()):
            raise NotFoundError(f"Nothing was at {memory_path} at {shown_time(moment)}, or no version of it is kept")
    counts = ", ".join(f"{count} {outcome}" for outcome, count in n_by_outcome.items())
    sys.stderr.write(f"{counts}{' (dry run: nothing was written)' if dry_run else ''}\n")
    raise typer.Exit(STORE if n_unreadable else FAILED if n_by_outcome[restoring.Outcome.REFUSED] else OK)


def redact_version(  # noqa: PLR0917 - options, in the order of the help
    path: FileArgument,
    version: Annotated[str, typer.Option("--version", help="Which version.", metavar="ID", show_default=False)],
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """Destroy the text of one older version.

    It can't be had back. That the version was there stays, sealed: when, what made it, and who, if that was
    noted. s3memory history shows it. Other versions with the same text are named, and stay. Never the current
    version: edit or delete the file first.

    \b
    Examples:
      s3memory redact-version /memories/a.md --version 3sL4kqtJlcpXroDT --dry-run
      s3memory redact-version /memories/a.md --version 3sL4kqtJlcpXroDT
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.versions import redacting  # noqa: PLC0415 - botocore comes with it
    from s3memory.paths import MemoryPath  # noqa: PLC0415 - same

    late: tuple[str, ...] = ()
    with stored_memory(tenant, "redact-version", writes=not dry_run) as store:
        redactable = redacting.find_redactable(store, MemoryPath.parse(path), version)
        for other in redactable.same_text:
            sys.stderr.write(f"s3memory: version {printable(other)} has the same text, and stays\n")
        if not dry_run:
            store.ensure_writable()
            confirm(
                f"This destroys the text of version {version} of {redactable.version.path}, for good.",
                tenant=store.tenant,
                count=1,
                yes=yes,
                expect_count=expect_count,
            )
            redacting.redact_version(store, redactable)
            late = redacting.same_text_since(store, redactable)
    for other in late:
        sys.stderr.write(f"s3memory: version {printable(other)} with the same text was stored meanwhile, and stays\n")
    if json_output:
        fields = {"path": str(redactable.version.path), "version_id": version, "modified": redactable.version.modified}
        write_json({"dry_run": dry_run, **fields, "same_text": [*redactable.same_text, *late]})
        raise typer.Exit(FAILED if late else OK)
    done = "would be redacted" if dry_run else "redacted"
    sys.stdout.write(
        f"{redactable.version.path}: version {version} of {shown_time(redactable.version.modified)} {done}\n"
    )
    raise typer.Exit(FAILED if late else OK)


def _show(one: Restored, *, dry_run: bool, json_output: bool) -> None:
    from s3memory.admin.versions.restoring import Outcome  # noqa: PLC0415 - loaded by now

    kinds = sorted({finding.kind for finding in one.findings})
    if json_output:
        write_json(
            {
                "path": str(one.path),
                "version_id": one.version_id,
                "outcome": one.outcome,
                "dry_run": dry_run,
                "redacted": kinds,
                "reason": one.reason or None,
                "was_unreadable": one.was_unreadable,
                "is_unreadable": one.is_unreadable,
            }
        )
        return
    if one.outcome is Outcome.SAME:
        return
    notes = ([f"redacted: {', '.join(kinds)}"] if kinds else []) + ([one.reason] if one.reason else [])
    if one.was_unreadable:
        notes.append("what is there now does not open" if dry_run else "what was there did not open")
    outcome = "would be restored" if dry_run and one.outcome is Outcome.RESTORED else one.outcome
    sys.stdout.write(f"{one.path}: {outcome}" + (f" ({'; '.join(notes)})" if notes else "") + "\n")
