"""``s3memory history``, ``diff``: the versions of a file, and their differences."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from s3memory.admin.versions.history import FileVersion
from s3memory.admin.versions.history import history as history_of
from s3memory.admin.versions.point_in_time import compare
from s3memory.cli.ending import FAILED, OK, STORE
from s3memory.cli.options import AtOption, FileArgument, JsonOption, TenantOption, flag, optional
from s3memory.cli.output import fields_of, one_line, printable, row, warn, wrapped, write_text
from s3memory.cli.stores import parse_time, stored_memory
from s3memory.contract.views import shown_time
from s3memory.errors import ConfigurationError
from s3memory.paths import MemoryPath

_WIDTH = 80
_ID_WIDTH = 32
"""The width of S3's version IDs. Other servers, such as moto, may have longer ones; the column then grows."""


def history(
    path: FileArgument,
    follow: Annotated[bool, flag("--follow", "Continue with the files that it was moved from.")] = False,
    newest: Annotated[
        int | None,
        typer.Option("--newest", "-n", help="Show at most this many versions.", metavar="N", min=1, show_default=False),
    ] = None,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """List the versions of a file, newest first.

    Shows each version's time, ID, size and the change that made it; below that, the beginning of its text's SHA-256
    hash, who made it (if the program names an actor), and notes. Goes back as far as the bucket keeps versions.

    Examples:
      s3memory history /memories/plan.md --tenant acme
      s3memory history /memories/plan.md --follow --json

    Exit codes:
      0  all versions open, or were redacted
      1  the file does not exist and no version of it is kept,
         it is a directory, or nothing is stored for the tenant
      2  a setting or an option is wrong
      3  the store can't be reached, refuses access, or holds something that does
         not open: a version, or the record of a redacted one, of any file
    """
    with stored_memory(tenant, "history", path) as store:
        memory_path = MemoryPath.parse(path)
        found = history_of(store, memory_path, follow=follow, newest=newest)
    id_width = max([_ID_WIDTH, *(len(version.version_id) for version in found.versions)])
    if found.versions and not json_output:
        write_text(f"{'TIME':<20}  {'VERSION':<{id_width}}  {'BYTES':>8}  CHANGE\n")
    for version in found.versions:
        text = _shown(version, with_path=version.path != memory_path, id_width=id_width)
        row(_fields(version), text, as_json=json_output)
    for object_key in found.unreadable_tombstones:
        if json_output:
            row({"problem": "record-does-not-open", "object_key": object_key}, "", as_json=True)
        else:
            warn(f"{one_line(object_key)} does not open as the record of a redacted version")
    is_wrong = any(one.problem is not None or one.has_bad_actor for one in found.versions)
    raise typer.Exit(STORE if is_wrong or found.unreadable_tombstones else OK)


def diff(
    path: FileArgument,
    from_version: Annotated[str | None, optional("--from", "The older version. Default: the one before.", "ID")] = None,
    to_version: Annotated[str | None, optional("--to", "The newer version. Default: the current one.", "ID")] = None,
    at: AtOption = None,
    tenant: TenantOption = None,
) -> None:
    """Compare two versions of a file.

    Without options, compares the current version with the previous one. With --at, compares it with the version
    of that time.

    Examples:
      s3memory diff /memories/plan.md --tenant acme
      s3memory diff /memories/plan.md --at 2026-01-31T12:00:00Z

    Exit codes:
      0  they are the same
      1  they differ, one does not exist, or nothing is stored for the tenant
    """
    moment = parse_time(at)
    if from_version is not None and moment is not None:
        raise ConfigurationError("give either --from or --at")
    with stored_memory(tenant, "diff", path) as store:
        memory_path = MemoryPath.parse(path)
        compared = compare(store, memory_path, older=from_version, newer=to_version, moment=moment)
    versions = compared.older, compared.newer
    older_name, newer_name = (printable(f"{memory_path}@{version.version_id}") for version in versions)
    older_time, newer_time = (shown_time(version.modified) for version in versions)
    lines = compared.unified(names=(older_name, newer_name), times=(older_time, newer_time))
    write_text("".join(f"{line}\n" for line in lines))
    raise typer.Exit(FAILED if lines else OK)


def _shown(version: FileVersion, *, with_path: bool, id_width: int) -> str:
    size = "-" if version.size_bytes is None else str(version.size_bytes)
    notes = [str(version.path)] if with_path else []
    notes += ["latest"] if version.is_latest else []
    notes += [] if version.sha256 is None else [f"sha256 {version.sha256[:12]}"]
    notes += [] if version.actor is None else [f"by {version.actor}"]
    if version.moved_from is not None:
        source = version.moved_from
        doubt = "" if source.is_same_text else ", which has a different text"
        notes.append(f"from {source.path} version {source.version_id}{doubt}")
    notes += [] if version.same_text_as is None else [f"same text as {version.same_text_as}"]
    notes += [] if version.problem is None else [version.problem]
    notes += [] if version.code is None else [version.code]
    notes += ["an actor label that does not open"] if version.has_bad_actor else []
    if version.redaction is not None:
        by = f" by {version.redaction.redacted_by}" if version.redaction.redacted_by else ""
        notes.append(f"redacted {shown_time(version.redaction.redacted_at)}{by}")
    first = f"{shown_time(version.modified)}  {version.version_id:<{id_width}}  {size:>8}  {version.operation}"
    indent = " " * 4
    more = wrapped(printable("; ".join(notes)), _WIDTH, first=indent, indent=indent)
    return printable(f"{first}\n{more}" if notes else first)


def _fields(version: FileVersion) -> dict[str, Any]:
    tombstone = version.redaction
    if tombstone is None:
        return fields_of(version)
    redaction = {"redacted_at": tombstone.redacted_at, "redacted_by": tombstone.redacted_by}
    return {**fields_of(version), "redaction": redaction}
