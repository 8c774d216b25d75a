"""``s3memory import``: import files from an export, a folder or a memory store into a tenant's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Annotated

import typer

from s3memory._arguments import naming_file
from s3memory.admin.transfer.age import HEADER, decrypting, identities_in
from s3memory.admin.transfer.import_sources import FolderSource, Source
from s3memory.admin.transfer.importing import WRITTEN, Existing, Import, ImportedFile, ImportOutcome, import_files, plan
from s3memory.admin.transfer.memory_stores import MemoryStoreExport
from s3memory.admin.transfer.tar_files import ExportSource
from s3memory.audit.recording import as_one_event
from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm, show_bucket
from s3memory.cli.ending import FAILED, NOTHING_CHANGED, OK, STORE, note_if_interrupted
from s3memory.cli.options import DryRunOption, JsonOption, TenantOption, argument, flag, optional
from s3memory.cli.output import emit, note
from s3memory.cli.progress import progress_bar
from s3memory.cli.stores import RUN_AGAIN, new_tenant_line, store_of
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError

# For each kind: the module and class that read it, and whether it can be a folder, and a file.
_KINDS = {
    "claude-code": ("other_programs.claude_code", "AutoMemory", True, False),
    "claude-md": ("other_programs.claude_code", "ClaudeMdTree", True, False),
    "claude-export": ("other_programs.claude_export", "ClaudeExport", True, True),
    "memory-store": ("memory_stores", "MemoryStoreExport", False, True),
    "basic-memory": ("other_programs.basic_memory", "BasicMemory", True, False),
    "mcp-memory": ("other_programs.mcp_memory", "KnowledgeGraph", False, True),
}

_NOT_BEGUN = "not-begun"

_SNIFFED_BYTES = 512
_TAR_MAGIC, _TAR_MAGIC_AT = b"ustar", 257


def import_(
    source_name: Annotated[str, argument("SOURCE", "An export, a folder, or another program's file.")],
    kind: Annotated[str | None, optional("--from", f"The program SOURCE is from: {', '.join(_KINDS)}.", "KIND")] = None,
    tenant: TenantOption = None,
    existing: Annotated[
        Existing,
        typer.Option(
            "--existing", help="If a file exists with a different text: refuse, skip or overwrite.", metavar="POLICY"
        ),
    ] = Existing.REFUSE,
    partial: Annotated[bool, flag("--partial", "Import the other files if some can't be imported.")] = False,
    identity: Annotated[
        Path | None, optional("--identity", "Decrypt with the age identities in this file.", "FILE")
    ] = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    json_output: JsonOption = False,
) -> None:
    """Import files into a tenant's memory.

    SOURCE is a file that `s3memory export` wrote, encrypted or not; a folder, such as that of the SDK's
    BetaLocalFilesystemMemoryTool; memories of a Managed Agents memory store as JSON; or, with --from, the data of
    another program: see docs/import.md. Files pass the redactor and the limits. All of them are checked first, and
    nothing is written if one can't be imported: the others are then `not-begun`. A file that exists already counts
    as done, so an interrupted import can be run again. --expect-count counts the files that are overwritten.

    Examples:
      s3memory import acme.tar.age --identity key.txt --tenant acme --dry-run
      s3memory import ./memory --tenant acme
      s3memory import --from claude-code ~/.claude/projects --dry-run
      s3memory import acme.jsonl --tenant acme --existing skip --json

    Exit codes:
      0  all files are in the memory, or were skipped as asked
      1  a file can't be imported: without --partial nothing was changed;
         or the source is damaged, or is not an export; or the memory is
         read-only or archived
      2  a setting or an option is wrong, or the source can't be read from the
         disk, or needs --identity
      3  the store can't be reached or refuses access, for one file or for all:
         run it again
    """
    source = Path(source_name)
    if not source_name:  # Path("") is the working directory
        raise ConfigurationError("SOURCE is empty: name a file or a folder")
    with naming_file(source):
        is_there = source.exists()
    if not is_there:
        raise ConfigurationError(f"{source} does not exist")
    if not (source.is_dir() or source.is_file()):  # reading a pipe may never end, and a source is read twice
        raise ConfigurationError(f"{source} is neither a file nor a folder")
    if kind is not None and identity is not None:
        raise ConfigurationError("--identity is for files that s3memory export encrypted: leave out --from")
    identities = None if identity is None else identities_in(identity)
    store = store_of(tenant)
    # The redactor may make a text shorter; a character takes four bytes at most.
    max_bytes = 4 * store.limits.max_file_bytes
    files = _source_at(source, identities, max_bytes) if kind is None else _source_of(kind, source, max_bytes)
    if existing is Existing.OVERWRITE:
        show_bucket(store)
    with as_one_event(store, "import"):
        with note_if_interrupted(NOTHING_CHANGED), progress_bar():
            if not store.objects.is_any():
                note(new_tenant_line(store))
            result = plan(store, files, existing=existing)
        is_refused = result.is_refused and not partial
        if not (dry_run or is_refused):
            n_replaced = result.count(ImportOutcome.REPLACED)
            what = f"This overwrites {count_of(n_replaced, 'file')} of {store.tenant}."
            confirm(what, tenant=store.tenant, count=n_replaced, yes=yes, expect_count=expect_count)
            with note_if_interrupted(RUN_AGAIN), progress_bar():
                result = import_files(store, files, existing=existing, partial_=partial, planned=result)
    counts = ", ".join(f"{result.count(outcome)} {outcome}" for outcome in ImportOutcome if result.count(outcome))
    done = "" if result.is_done else "dry run: "
    if is_refused:
        done = f"nothing {'would be' if dry_run else 'was'} changed; with --partial: "
    emit(
        _fields(result, dry_run=dry_run, is_begun=not is_refused),
        text=_lines(result, is_begun=not is_refused),
        notes=[f"{done}{counts or 'no files'}"],
        tenant=store.tenant,
        as_json=json_output,
        exit_code=STORE if result.count(ImportOutcome.MISSED) else FAILED if result.is_refused else OK,
    )


def _source_of(kind: str, path: Path, max_bytes: int) -> Source:
    if kind not in _KINDS:
        raise ConfigurationError(f"--from must be one of {', '.join(_KINDS)}")
    module, name, takes_folder, takes_file = _KINDS[kind]
    if not (takes_folder if path.is_dir() else takes_file):
        raise ConfigurationError(f"--from {kind} takes a {'file' if takes_file else 'folder'}: {path} is not one")
    made: Source = getattr(import_module(f"s3memory.admin.transfer.{module}"), name)(path, max_bytes)
    return made


def _source_at(path: Path, identities: list[str] | None, max_bytes: int) -> Source:
    if path.is_dir():
        return FolderSource(path, max_bytes)
    opened = partial(_opened, path)
    begins = _beginning(opened)
    if begins.startswith(HEADER):
        if identities is None:
            raise ConfigurationError(f"{path} is encrypted: name a file of age identities with --identity")
        opened = partial(_decrypted, path, identities)
        begins = _beginning(opened)
    if begins[_TAR_MAGIC_AT:].startswith(_TAR_MAGIC):
        return ExportSource(opened, max_bytes)
    return MemoryStoreExport(path, max_bytes, opened)


def _beginning(opened: Callable[[], AbstractContextManager[IO[bytes]]]) -> bytes:
    with opened() as stream:
        return stream.read(_SNIFFED_BYTES)


@contextmanager
def _decrypted(path: Path, identities: list[str]) -> Iterator[IO[bytes]]:
    with _opened(path) as ciphertext, decrypting(ciphertext, identities) as plaintext:
        yield plaintext


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with naming_file(path), path.open("rb") as stream:
        yield stream


def _outcome(file: ImportedFile, *, is_begun: bool) -> str:
    return file.outcome if is_begun or file.outcome not in WRITTEN else _NOT_BEGUN


def _fields(result: Import, *, dry_run: bool, is_begun: bool) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "is_done": result.is_done,
        "files": [
            {
                "path": file.path,
                "outcome": _outcome(file, is_begun=is_begun),
                "redacted": list(file.kinds),
                "reason": file.reason,
                "origin": file.origin,
            }
            for file in result.files
        ],
    }


def _lines(result: Import, *, is_begun: bool) -> Iterator[str]:
    for file in result.files:
        notes = [f"from {file.origin}"] if file.origin not in {None, file.path} else []
        notes += [file.reason] if file.reason else []
        notes += [f"redacted: {', '.join(file.kinds)}"] if file.kinds else []
        shown_notes = f" ({'; '.join(notes)})" if notes else ""
        yield f"{_outcome(file, is_begun=is_begun)}\t{file.path}{shown_notes}"
