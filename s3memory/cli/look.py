"""``s3memory ls``, ``cat``, ``stat``, ``du``, ``grep``, ``tenants``: show what is stored. None of them writes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import typer

from s3memory.admin.listing_files import FileEntry, FileStatus, list_files, status, usage
from s3memory.admin.long_jobs import Missed
from s3memory.admin.search import expression, search
from s3memory.admin.tenants import tenants_of
from s3memory.admin.versions.point_in_time import read_text
from s3memory.audit.recording import Running, recorded
from s3memory.cli.ending import FAILED, OK, STORE, success_if_unread
from s3memory.cli.options import (
    AtOption,
    FileArgument,
    JsonOption,
    PathArgument,
    TenantOption,
    VersionOption,
    VersionsOption,
    argument,
    flag,
)
from s3memory.cli.output import counted, emit, fields_of, note, printable, row, warn, write_text
from s3memory.cli.progress import progress_bar
from s3memory.cli.stores import missed_lines, parse_time, stored_memory
from s3memory.config.settings import Settings
from s3memory.contract import messages
from s3memory.contract.views import shown_time
from s3memory.errors import ConfigurationError
from s3memory.paths import MemoryPath, is_unicode_text
from s3memory.store.matching import Pattern, Searched, fixed_text


def ls(
    path: PathArgument = "/memories",
    long: Annotated[bool, flag("--long", "-l", "Show sizes in bytes and times.")] = False,
    tree: Annotated[bool, flag("--tree", "Draw the tree.")] = False,
    at: AtOption = None,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """List files.

    Lists every file at and below a path, one per line, including hidden ones. Directories exist only as parts of
    paths.

    Examples:
      s3memory ls --tenant acme
      s3memory ls --tree /memories/customers
      s3memory ls --long --at 2026-01-31T12:00:00Z
    """
    moment = parse_time(at)
    with stored_memory(tenant, "ls", path) as store:
        memory_path = MemoryPath.parse(path)
        entries = list_files(store, memory_path, moment=moment)
        n_files = 0
        if tree and not json_output:
            listed = sorted(entries, key=lambda entry: entry.path)
            n_files = len(listed)
            if listed or memory_path.is_root:
                write_text("".join(f"{line}\n" for line in _tree(memory_path, listed, long=long)))
        else:
            for entry in entries:
                n_files += 1
                size = "-" if entry.size_bytes is None else entry.size_bytes
                text = f"{size:>10}  {shown_time(entry.modified)}  {entry.path}" if long else str(entry.path)
                row(entry, text, as_json=json_output)
        if n_files == 0 and not memory_path.is_root:
            raise messages.not_found(memory_path)
        if n_files == 0 and moment is not None:
            note(f"No file of {store.tenant} was stored at {shown_time(moment)}, or no version from then is kept.")


def cat(path: FileArgument, version: VersionOption = None, at: AtOption = None, tenant: TenantOption = None) -> None:
    """Print a file's text.

    The output is the stored text, byte for byte. On a terminal, control characters are escaped.

    Examples:
      s3memory cat /memories/plan.md --tenant acme
      s3memory cat /memories/plan.md --at 2026-01-31T12:00:00Z
      s3memory cat /memories/plan.md --version 3sL4kqtJlcpXroDT
    """
    moment = parse_time(at)
    if version is not None and moment is not None:
        raise ConfigurationError("give either --version or --at")
    with stored_memory(tenant, "cat", path) as store:
        text = read_text(store, MemoryPath.parse(path), version_id=version, moment=moment)
    write_text(text)


def stat(
    path: Annotated[str, argument("PATH", "The memory path of a file or directory.")],
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """Show the details of a file or directory.

    The text is not shown, only its SHA-256 hash, which is computed here and not stored. The hash of a short text can
    give the text away.

    Examples:
      s3memory stat /memories/plan.md --tenant acme
      s3memory stat /memories/customers --json
    """
    with stored_memory(tenant, "stat", path) as store:
        found = status(store, MemoryPath.parse(path))
    is_file = isinstance(found, FileStatus)
    fields = {"kind": "file" if is_file else "directory", **fields_of(found)}
    fields = fields if is_file else _without_versions(fields)
    lines = [
        f"{name:<14}{shown_time(value) if isinstance(value, datetime) else printable(str(value))}"
        for name, value in fields.items()
        if value is not None and value is not False
    ]
    emit(fields, text=lines, as_json=json_output)


def du(
    path: PathArgument = "/memories",
    depth: Annotated[
        int, typer.Option("--depth", help="How many levels of directories to list.", metavar="N", min=0)
    ] = 1,
    versions: VersionsOption = False,
    at: AtOption = None,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """Count files and bytes by directory.

    Counts the bytes of the texts. S3 charges for 80 bytes more per file or version, and 16 more per 16 KiB.

    Examples:
      s3memory du --tenant acme
      s3memory du /memories/customers --depth 2 --versions --json
    """
    moment = parse_time(at)
    with stored_memory(tenant, "du", path) as store:
        counted = usage(store, MemoryPath.parse(path), depth=depth, with_versions=versions, moment=moment)
    for one in counted:
        fields = one if versions else _without_versions(fields_of(one))
        older = f"{one.versions:>8} older {one.versions_bytes:>12} B" if versions else ""
        files = f"{one.files:>8} {'file ' if one.files == 1 else 'files'}"
        row(fields, f"{files} {one.size_bytes:>12} B{older}  {one.path}", as_json=json_output)


def grep(
    pattern: Annotated[str, argument("TEXT", "The text to find, taken literally.")],
    path: PathArgument = "/memories",
    regex: Annotated[bool, flag("--regex", "-E", "TEXT is a Python regular expression.")] = False,
    ignore_case: Annotated[bool, flag("--ignore-case", "-i", "Ignore case.")] = False,
    files: Annotated[bool, flag("--files", "-l", "Print only the paths of files that match.")] = False,
    at: AtOption = None,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    r"""Search the decrypted texts, line by line.

    Every file is fetched and opened: there is no index. A text also matches if an accent in it is a character of its
    own in the file, or the other way round. A regular expression sees the files as they are, and may take up to 2
    seconds per file.

    Examples:
      s3memory grep refund --tenant acme
      s3memory grep --regex '^- \[ \]' /memories/tasks
      s3memory grep --files --ignore-case anna --at 2026-01-31T12:00:00Z

    Exit codes:
      0  something matched
      1  nothing matched, the path does not exist, nothing is stored for the
         tenant, or the expression took too long for a file, which ended the
         search
    """
    if "\n" in pattern:
        raise ConfigurationError("TEXT must be one line, since lines are searched")
    if not is_unicode_text(pattern):
        raise ConfigurationError("TEXT is not in the encoding of this terminal, so it would match nothing")
    matching: Pattern = (expression if regex else fixed_text)(pattern, ignore_case=ignore_case)
    moment = parse_time(at)
    n_matched = n_unreadable = 0
    with stored_memory(tenant, "grep", path) as store, progress_bar():
        for one in search(store, MemoryPath.parse(path), matching, moment=moment):
            n_matched += bool(one.lines)
            n_unreadable += one.is_unreadable or one.code is not None
            _show_search(one, files=files, json_output=json_output)
    raise typer.Exit(STORE if n_unreadable else OK if n_matched else FAILED)


def tenants(
    versions: Annotated[
        bool, flag("--versions", "Also list tenants that have only older versions and delete markers.")
    ] = False,
    json_output: JsonOption = False,
) -> None:
    """List the tenants in the bucket.

    Lists every tenant that has a current object below S3MEMORY_PREFIX, using the process's own credentials. The files
    of a tenant without a key ring can't be opened. With --versions, it also lists tenants that have only older
    versions, delete markers or records of redacted versions, such as after an interrupted erasure.

    Examples:
      s3memory tenants
      s3memory tenants --versions
      s3memory tenants --json
    """
    settings = Settings.from_env()
    n_tenants, strays = 0, list[str]()
    with success_if_unread(recorded(settings.auditor(), Running("tenants"), tenant=None)):
        for one in tenants_of(settings, with_versions=versions, stray=strays.append):
            n_tenants += 1
            lacks = ["no key ring"] if not one.has_key_ring else ["no memories"] if not one.has_memories else []
            notes = lacks + (["changes under way"] if one.has_intents else [])
            if not (one.has_key_ring or one.has_memories or one.has_intents):
                notes = ["nothing current"]
            row(one, one.tenant + (f"\t({', '.join(notes)})" if notes else ""), as_json=json_output)
    if not n_tenants:
        prefix = printable(settings.get("PREFIX", "") or "(none)")
        note(f"No tenant has data in bucket {settings.bucket} below prefix {prefix}: see S3MEMORY_PREFIX.")
    if strays:
        what = counted(len(strays), "object or folder belongs", "objects or folders belong")
        warn(f"{what} to no tenant: see s3memory verify --all")


def _tree(path: MemoryPath, entries: list[FileEntry], *, long: bool) -> list[str]:
    """Return the lines of a tree of files in the order of their paths."""
    by_parent: dict[MemoryPath, dict[MemoryPath, FileEntry | None]] = {}
    for entry in entries:
        segments = entry.path.segments
        for length in range(len(path.segments) + 1, len(segments) + 1):
            child = MemoryPath(segments[:length])
            children = by_parent.setdefault(MemoryPath(segments[: length - 1]), {})
            children[child] = entry if length == len(segments) else children.get(child)
    lines = [str(path)]

    def draw(parent: MemoryPath, indent: str) -> None:
        children = by_parent.get(parent, {})
        for number, (child, entry) in enumerate(children.items(), 1):
            is_last = number == len(children)
            name = child.name + ("/" if child in by_parent else "")
            note = f"  ({entry.size_bytes} B, {shown_time(entry.modified)})" if long and entry is not None else ""
            lines.append(f"{indent}{'└── ' if is_last else '├── '}{name}{note}")
            draw(child, indent + ("    " if is_last else "│   "))

    draw(path, "")
    return lines


def _without_versions(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in {"versions", "versions_bytes"}}


def _show_search(one: Searched, *, files: bool, json_output: bool) -> None:
    if one.is_unreadable:
        warn(f"{one.path} does not open")
    if one.code is not None:
        warn(*missed_lines([Missed(str(one.path), one.code)]))
    if files and one.lines:
        row({"path": one.path}, str(one.path), as_json=json_output)
        return
    for match in one.lines:
        if json_output:
            row({"path": match.path, "line": match.line, "text": match.text}, "", as_json=True)
        else:
            write_text(f"{match.path}:{match.line}:{match.text}\n")
