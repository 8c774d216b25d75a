"""``s3memory history``, ``diff``: what became of a file."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from s3memory.cli.exit_codes import FAILED, OK, STORE
from s3memory.cli.options import AtOption, FileArgument, JsonOption, TenantOption
from s3memory.cli.reading import moment_of, printable, shown_time, stored_memory, write_json, write_text
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from s3memory.admin.versions.history import FileVersion


def history(
    path: FileArgument,
    follow: Annotated[bool, typer.Option("--follow", help="Go on with the files that it was moved from.")] = False,
    newest: Annotated[
        int | None,
        typer.Option("--newest", "-n", help="So many versions at most.", metavar="N", min=1, show_default=False),
    ] = None,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """Tell what became of a file, the newest first.

    Time, version, size, what made it, who (where programs give an actor), and the beginning of the text's hash.
    As far back as the bucket keeps versions.

    \b
    Examples:
      s3memory history /memories/plan.md --tenant acme
      s3memory history /memories/plan.md --follow --json

    \b
    Exit codes:
      0  all versions open, or were redacted
      1  there is no such file and no version of it is kept,
         it is a directory, or nothing is stored for the tenant
      2  a setting or an option is wrong
      3  the store is out of reach, refuses access, or holds what does not open:
         a version, or the record of a redacted one, of whatever file
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.versions.history import history as history_of  # noqa: PLC0415 - botocore comes with it
    from s3memory.paths import MemoryPath  # noqa: PLC0415 - same

    with stored_memory(tenant, "history") as store:
        memory_path = MemoryPath.parse(path)
        found = history_of(store, memory_path, follow=follow, newest=newest)
    for version in found.versions:
        if json_output:
            write_json(_fields(version))
        else:
            sys.stdout.write(_line(version, shown_path=version.path != memory_path) + "\n")
    for object_key in found.unreadable_records:
        if json_output:
            write_json({"problem": "record-does-not-open", "object_key": object_key})
        else:
            sys.stderr.write(f"s3memory: {printable(object_key)} is no record of a redacted version that opens\n")
    is_wrong = any(one.problem is not None or one.has_bad_actor for one in found.versions)
    raise typer.Exit(STORE if is_wrong or found.unreadable_records else OK)


def diff(
    path: FileArgument,
    from_version: Annotated[
        str | None,
        typer.Option("--from", help="The older version. Default: the one before.", metavar="ID", show_default=False),
    ] = None,
    to_version: Annotated[
        str | None,
        typer.Option("--to", help="The newer version. Default: the current one.", metavar="ID", show_default=False),
    ] = None,
    at: AtOption = None,
    tenant: TenantOption = None,
) -> None:
    """Compare two versions of a file.

    Without options: the current one with the one before. With --at: the current one with that of then.

    \b
    Examples:
      s3memory diff /memories/plan.md --tenant acme
      s3memory diff /memories/plan.md --at 2026-01-31T12:00:00Z

    \b
    Exit codes:
      0  they are the same
      1  they differ, one is not there, or nothing is stored for the tenant
      2  a setting or an option is wrong
      3  the store is out of reach, refuses access, or holds what does not open
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.versions.comparing import compare  # noqa: PLC0415 - botocore comes with it
    from s3memory.paths import MemoryPath  # noqa: PLC0415 - same

    moment = moment_of(at)
    if from_version is not None and moment is not None:
        raise ConfigurationError("give either --from or --at")
    with stored_memory(tenant, "diff") as store:
        memory_path = MemoryPath.parse(path)
        compared = compare(store, memory_path, older=from_version, newer=to_version, moment=moment)
    lines = compared.unified(
        names=(
            printable(f"{memory_path}@{compared.older.version_id}"),
            printable(f"{memory_path}@{compared.newer.version_id}"),
        ),
        times=(shown_time(compared.older.modified), shown_time(compared.newer.modified)),
    )
    write_text("".join(f"{line}\n" for line in lines))
    raise typer.Exit(FAILED if lines else OK)


def _line(version: FileVersion, *, shown_path: bool) -> str:
    size = "-" if version.size_bytes is None else str(version.size_bytes)
    sha = "-" * 12 if version.sha256 is None else version.sha256[:12]
    notes: list[str] = []
    if version.is_latest:
        notes.append("latest")
    if version.moved_from is not None:
        source = version.moved_from
        doubt = "" if source.is_same_text else ", which says something else"
        notes.append(f"from {source.path} version {source.version_id}{doubt}")
    if version.same_text_as is not None:
        notes.append(f"same text as {version.same_text_as}")
    if version.problem is not None:
        notes.append(version.problem)
    if version.has_bad_actor:
        notes.append("an actor label that does not open")
    if version.redaction is not None:
        by = f" by {version.redaction.redacted_by}" if version.redaction.redacted_by else ""
        notes.append(f"redacted {shown_time(version.redaction.redacted_at)}{by}")
    actor = version.actor or "-"
    line = f"{shown_time(version.modified)}  {version.version_id}  {size:>7}  {version.operation:<10}  {sha}  {actor}"
    line += f"  {version.path}" if shown_path else ""
    return printable(line + (f"  ({'; '.join(notes)})" if notes else ""))


def _fields(version: FileVersion) -> dict[str, Any]:
    fields = asdict(version) | {"path": str(version.path)}
    if version.moved_from is not None:
        fields["moved_from"] = asdict(version.moved_from) | {"path": str(version.moved_from.path)}
    if version.redaction is not None:
        fields["redaction"] = {
            "redacted_at": version.redaction.redacted_at,
            "redacted_by": version.redaction.redacted_by,
        }
    return fields
