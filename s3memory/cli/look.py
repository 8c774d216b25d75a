"""``s3memory ls``, ``cat``, ``stat``, ``du``, ``grep``, ``tenants``: looking at what is stored, without a write."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from s3memory.cli.exit_codes import FAILED, OK, STORE
from s3memory.cli.options import AtOption, FileArgument, JsonOption, PathArgument, TenantOption, VersionOption
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import (
    moment_of,
    printable,
    shown_time,
    stored_memory,
    until_unread,
    write_json,
    write_text,
)
from s3memory.errors import ConfigurationError, NotFoundError

if TYPE_CHECKING:
    from s3memory.admin.listing_files import FileEntry, Usage
    from s3memory.paths import MemoryPath
    from s3memory.store.searching import Pattern, Searched

LongOption = Annotated[bool, typer.Option("--long", "-l", help="Sizes in bytes and times as well.")]
AnyPathArgument = Annotated[
    str, typer.Argument(metavar="PATH", help="The memory path of a file or directory.", show_default=False)
]
DepthOption = Annotated[int, typer.Option("--depth", help="How many levels to show by themselves.", metavar="N", min=0)]


def ls(  # noqa: PLR0917 - options, in the order of the help
    path: PathArgument = "/memories",
    long: LongOption = False,
    tree: Annotated[bool, typer.Option("--tree", help="Draw the tree.")] = False,
    at: AtOption = None,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """List files.

    All that are at and below a path, hidden ones too, one a line. Directories exist only as parts of paths.

    \b
    Examples:
      s3memory ls --tenant acme
      s3memory ls --tree /memories/customers
      s3memory ls --long --at 2026-01-31T12:00:00Z
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.listing_files import list_files  # noqa: PLC0415 - botocore comes with it
    from s3memory.paths import MemoryPath  # noqa: PLC0415 - same

    moment = moment_of(at)
    with stored_memory(tenant, "ls") as store:
        memory_path = MemoryPath.parse(path)
        entries = list_files(store, memory_path, moment=moment)
        if tree and not json_output:
            shown = sorted(entries, key=lambda entry: entry.path)
            lines = _tree(memory_path, shown, long=long)
            n_files = len(shown)
        else:
            n_files = 0
            lines = []
            for entry in entries:
                n_files += 1
                if json_output:
                    write_json(asdict(entry) | {"path": str(entry.path)})
                else:
                    sys.stdout.write((_long(entry) if long else str(entry.path)) + "\n")
        sys.stdout.writelines(f"{line}\n" for line in lines)
        if not (n_files or memory_path.is_root):
            raise NotFoundError(f"The path {memory_path} does not exist")


def cat(
    path: FileArgument,
    version: VersionOption = None,
    at: AtOption = None,
    tenant: TenantOption = None,
) -> None:
    """Write a file's text.

    Byte for byte; to a terminal, control characters are escaped.

    \b
    Examples:
      s3memory cat /memories/plan.md --tenant acme
      s3memory cat /memories/plan.md --at 2026-01-31T12:00:00Z
      s3memory cat /memories/plan.md --version 3sL4kqtJlcpXroDT
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.versions.point_in_time import read_text  # noqa: PLC0415 - botocore comes with it
    from s3memory.paths import MemoryPath  # noqa: PLC0415 - same

    moment = moment_of(at)
    if version is not None and moment is not None:
        raise ConfigurationError("give either --version or --at")
    with stored_memory(tenant, "cat") as store:
        text = read_text(store, MemoryPath.parse(path), version_id=version, moment=moment)
    write_text(text)


def stat(path: AnyPathArgument, tenant: TenantOption = None, json_output: JsonOption = False) -> None:
    """Tell what there is to know of a file or directory.

    Its text is not shown. The hash is that of the text. It is computed here and stored nowhere; of a short text it
    gives the text away.

    \b
    Examples:
      s3memory stat /memories/plan.md --tenant acme
      s3memory stat /memories/customers --json
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.listing_files import FileStatus, status  # noqa: PLC0415 - botocore comes with it
    from s3memory.paths import MemoryPath  # noqa: PLC0415 - same

    with stored_memory(tenant, "stat") as store:
        found = status(store, MemoryPath.parse(path))
    fields: dict[str, Any]
    if isinstance(found, FileStatus):
        fields = {"kind": "file", **asdict(found), "path": str(found.path)}
    else:
        fields = {
            "kind": "directory",
            "path": str(found.path),
            "files": found.files,
            "size_bytes": found.size_bytes,
            "newest": found.newest,
        }
    if json_output:
        write_json(fields)
        return
    for name, value in fields.items():
        if value is not None and value is not False:
            shown = shown_time(value) if isinstance(value, datetime) else printable(str(value))
            sys.stdout.write(f"{name:<14}{shown}\n")


def du(  # noqa: PLR0917 - options, in the order of the help
    path: PathArgument = "/memories",
    depth: DepthOption = 1,
    versions: Annotated[bool, typer.Option("--versions", help="Count older versions as well.")] = False,
    at: AtOption = None,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """Count files and bytes by directory.

    Bytes are those of the texts. What S3 charges for is 80 bytes more for each file or version, and 16 for each
    16 KiB.

    \b
    Examples:
      s3memory du --tenant acme
      s3memory du /memories/customers --depth 2 --versions --json
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.listing_files import usage  # noqa: PLC0415 - botocore comes with it
    from s3memory.paths import MemoryPath  # noqa: PLC0415 - same

    moment = moment_of(at)
    with stored_memory(tenant, "du") as store:
        counted = usage(store, MemoryPath.parse(path), depth=depth, with_versions=versions, moment=moment)
    for one in counted:
        if json_output:
            left_out = set() if versions else {"versions", "versions_bytes"}
            fields = asdict(one) | {"path": str(one.path)}
            write_json({name: value for name, value in fields.items() if name not in left_out})
        else:
            sys.stdout.write(_usage_line(one, with_versions=versions) + "\n")


def grep(  # noqa: PLR0917 - options, in the order of the help
    pattern: Annotated[str, typer.Argument(metavar="TEXT", help="What to look for, as it stands.", show_default=False)],
    path: PathArgument = "/memories",
    regex: Annotated[bool, typer.Option("--regex", "-E", help="TEXT is a regular expression of Python's.")] = False,
    ignore_case: Annotated[bool, typer.Option("--ignore-case", "-i", help="Case makes no difference.")] = False,
    files: Annotated[bool, typer.Option("--files", "-l", help="Only the paths of files that match.")] = False,
    at: AtOption = None,
    tenant: TenantOption = None,
    json_output: JsonOption = False,
) -> None:
    """Search the decrypted texts, line by line.

    Every file is fetched and opened: nothing is indexed. An expression may take 2 seconds for a file.

    \b
    Examples:
      s3memory grep refund --tenant acme
      s3memory grep --regex '^- \\[ \\]' /memories/tasks
      s3memory grep --files --ignore-case anna --at 2026-01-31T12:00:00Z

    \b
    Exit codes:
      0  something matched
      1  nothing did, the path does not exist, or nothing is stored for the tenant
      2  a setting, an option or the expression is wrong
      3  the store is out of reach, refuses access, or holds what does not open
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.search import expression, search  # noqa: PLC0415 - botocore comes with it
    from s3memory.paths import MemoryPath  # noqa: PLC0415 - same
    from s3memory.store.searching import fixed_text  # noqa: PLC0415 - same

    matching: Pattern = (expression if regex else fixed_text)(pattern, ignore_case=ignore_case)
    moment = moment_of(at)
    n_matched = n_unreadable = 0
    with stored_memory(tenant, "grep") as store, progress_bar() as watcher:
        for one in search(store, MemoryPath.parse(path), matching, moment=moment, watcher=watcher):
            n_matched += bool(one.lines)
            n_unreadable += one.is_unreadable
            _show_search(one, files=files, json_output=json_output)
    raise typer.Exit(STORE if n_unreadable else OK if n_matched else FAILED)


def tenants(json_output: JsonOption = False) -> None:
    """List the tenants of the bucket.

    Everybody of whom something is stored below S3MEMORY_PREFIX, with the process's own credentials. A tenant
    without a key ring has nothing that opens.

    \b
    Examples:
      s3memory tenants
      s3memory tenants --json
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.tenants import list_tenants, shared_bucket  # noqa: PLC0415 - botocore comes with it
    from s3memory.audit.recording import recorded  # noqa: PLC0415 - same
    from s3memory.config.settings import Settings  # noqa: PLC0415 - same

    settings = Settings.from_env()
    strays: list[str] = []
    with until_unread(recorded(settings.auditor(), "tenants", tenant=None)):
        for one in list_tenants(shared_bucket(settings), settings.get("PREFIX", ""), stray=strays.append):
            if json_output:
                write_json(asdict(one))
                continue
            lacks = ["no key ring"] if not one.has_key_ring else ["no memories"] if not one.has_memories else []
            notes = lacks + (["changes under way"] if one.has_intents else [])
            sys.stdout.write(one.tenant + (f"\t({', '.join(notes)})" if notes else "") + "\n")
    if strays:
        sys.stderr.write(f"s3memory: {len(strays)} objects or folders are no tenant's: see s3memory verify --all\n")


def _long(entry: FileEntry) -> str:
    size = "-" if entry.size_bytes is None else entry.size_bytes
    return f"{size:>10}  {shown_time(entry.modified)}  {entry.path}"


def _tree(path: MemoryPath, entries: list[FileEntry], *, long: bool) -> list[str]:
    """Return the lines of a tree of files in the order of their paths."""
    by_parent: dict[MemoryPath, dict[MemoryPath, FileEntry | None]] = {}
    for entry in entries:
        segments = entry.path.segments
        for length in range(len(path.segments) + 1, len(segments) + 1):
            child = type(path)(segments[:length])
            children = by_parent.setdefault(type(path)(segments[: length - 1]), {})
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


def _usage_line(one: Usage, *, with_versions: bool) -> str:
    older = f"{one.versions:>8} older {one.versions_bytes:>12} B" if with_versions else ""
    return f"{one.files:>8} files {one.size_bytes:>12} B{older}  {one.path}"


def _show_search(one: Searched, *, files: bool, json_output: bool) -> None:
    if one.is_unreadable:
        sys.stderr.write(f"s3memory: {one.path} does not open\n")
    if files and one.lines and not json_output:
        sys.stdout.write(f"{one.path}\n")
        return
    for match in one.lines:
        if json_output:
            write_json({"path": str(match.path), "line": match.line, "text": match.text})
        else:
            write_text(f"{match.path}:{match.line}:{match.text}\n")
