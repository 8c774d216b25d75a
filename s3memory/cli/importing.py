"""``s3memory import``: files from an archive, a folder or a memory store into a tenant's memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm
from s3memory.cli.exit_codes import FAILED, OK
from s3memory.cli.options import DryRunOption, JsonOption, TenantOption, optional
from s3memory.cli.progress import progress_bar
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from s3memory.admin.transfer.import_sources import Source
    from s3memory.admin.transfer.importing import Import

IdentityOption = Annotated[Path | None, optional("--identity", "Decrypt with the age identities in this file.", "FILE")]

# Of each kind: where it is read, and whether from a folder and from a file.
_KINDS = {
    "claude-code": ("elsewhere.claude_code", "AutoMemory", True, False),
    "claude-md": ("elsewhere.claude_code", "ClaudeMdTree", True, False),
    "claude-export": ("elsewhere.claude_export", "ClaudeExport", True, True),
    "memory-store": ("memory_stores", "MemoryStoreExport", False, True),
    "basic-memory": ("elsewhere.basic_memory", "BasicMemory", True, False),
    "mcp-memory": ("elsewhere.mcp_memory", "KnowledgeGraph", False, True),
}

_SNIFFED_BYTES = 512
_TAR_MAGIC, _TAR_MAGIC_AT = b"ustar", 257


def import_(  # noqa: PLR0917 - options, in the order of the help
    source: Annotated[Path, typer.Argument(help="An archive, a folder, or another program's file.", metavar="SOURCE")],
    kind: Annotated[str | None, optional("--from", f"What SOURCE is of: {', '.join(_KINDS)}.", "KIND")] = None,
    tenant: TenantOption = None,
    existing: Annotated[
        str,
        typer.Option("--existing", help="Where another text is: refuse, skip or overwrite.", metavar="POLICY"),
    ] = "refuse",
    partial: Annotated[bool, typer.Option("--partial", help="Import what can be, though some files can't.")] = False,
    identity: IdentityOption = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    json_output: JsonOption = False,
) -> None:
    """Import files into a tenant's memory.

    They pass the redactor and the limits. They come from an archive of `s3memory export`, encrypted or not; a
    folder, such as that of the SDK's BetaLocalFilesystemMemoryTool; memories of a Managed Agents memory store
    as JSON; or, with --from, from another program: see docs/import.md. Everything is looked at first, and
    nothing is written if a file can't be taken. What is there already counts as done, so an interrupted import
    is run again. The count is that of files that are overwritten.

    \b
    Examples:
      s3memory import acme.tar.age --identity key.txt --tenant acme --dry-run
      s3memory import ./memory --tenant acme
      s3memory import --from claude-code ~/.claude/projects --tenant acme --dry-run
      s3memory import acme.jsonl --tenant acme --existing skip --json

    \b
    Exit codes:
      0  all files are in the memory, or skipped as asked
      1  a file can't be taken: without --partial nothing was changed;
         or the memory is read-only or archived
      2  a setting or an option is wrong, or the source can't be read
      3  the store is out of reach or refuses access: run it again
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.transfer.importing import Existing, Outcome, import_files, plan  # noqa: PLC0415 - botocore comes with it
    from s3memory.audit.recording import as_one_event  # noqa: PLC0415 - same
    from s3memory.config.settings import Settings  # noqa: PLC0415 - same
    from s3memory.store.memory_store import MemoryStore  # noqa: PLC0415 - same

    if existing not in set(Existing):
        raise ConfigurationError(f"--existing must be {', '.join(Existing)}")
    store = MemoryStore.from_settings(Settings.from_env(), tenant=tenant)
    # The redactor may make a text shorter; a character takes four bytes at most.
    max_bytes = 4 * store.limits.max_file_bytes
    files = _source_at(source, identity, max_bytes) if kind is None else _source_of(kind, source, max_bytes)
    with as_one_event(store, "import"):
        if not store.objects.is_any():
            sys.stderr.write(f"nothing is stored for {store.tenant}: the first file begins it\n")
        with progress_bar() as watcher:
            result = plan(store, files, existing=Existing(existing), watcher=watcher)
        is_refused = bool(result.count(Outcome.REFUSED)) and not partial
        if not (dry_run or is_refused):
            n_replaced = result.count(Outcome.REPLACED)
            what = f"{count_of(n_replaced, 'file')} of {store.tenant} will be overwritten."
            confirm(what, tenant=store.tenant, count=n_replaced, yes=yes, expect_count=expect_count)
            with progress_bar() as watcher:
                result = import_files(
                    store, files, existing=Existing(existing), partial_=partial, planned=result, watcher=watcher
                )
    if json_output:
        sys.stdout.write(json.dumps(_fields(result, dry_run=dry_run)) + "\n")
    else:
        _show(result, dry_run=dry_run)
    raise typer.Exit(FAILED if result.count(Outcome.REFUSED) else OK)


def _source_of(kind: str, path: Path, max_bytes: int) -> Source:
    if kind not in _KINDS:
        raise ConfigurationError(f"--from must be one of {', '.join(_KINDS)}")
    module, name, takes_folder, takes_file = _KINDS[kind]
    if not path.exists():
        raise ConfigurationError(f"{path} does not exist")
    if not (takes_folder if path.is_dir() else takes_file):
        raise ConfigurationError(f"--from {kind} takes a {'file' if takes_file else 'folder'}: {path} is none")
    made: Source = getattr(import_module(f"s3memory.admin.transfer.{module}"), name)(path, max_bytes)
    return made


def _source_at(path: Path, identity: Path | None, max_bytes: int) -> Source:
    from s3memory.admin.transfer.age import HEADER, decrypting, identities_in  # noqa: PLC0415 - see the package's docstring
    from s3memory.admin.transfer.import_sources import Folder  # noqa: PLC0415 - same
    from s3memory.admin.transfer.memory_stores import MemoryStoreExport  # noqa: PLC0415 - same
    from s3memory.admin.transfer.tar_files import Archive  # noqa: PLC0415 - same

    if path.is_dir():
        return Folder(path, max_bytes)
    with _opened(path) as stream:
        begins = stream.read(_SNIFFED_BYTES)
    if begins.startswith(HEADER):
        identities = [] if identity is None else identities_in(identity)

        @contextmanager
        def decrypted() -> Iterator[IO[bytes]]:
            with _opened(path) as ciphertext, decrypting(ciphertext, identities) as plaintext:
                yield plaintext

        return Archive(decrypted, max_bytes)
    if begins[_TAR_MAGIC_AT:].startswith(_TAR_MAGIC):
        return Archive(lambda: _opened(path), max_bytes)
    return MemoryStoreExport(path, max_bytes)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        stream = path.open("rb")
    except OSError as error:
        raise ConfigurationError(f"{path} can't be read: {error.strerror}") from None
    with stream:
        yield stream


def _fields(result: Import, *, dry_run: bool) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "is_done": result.is_done,
        "files": [
            {
                "path": file.path,
                "outcome": file.outcome,
                "redacted": list(file.kinds),
                "reason": file.reason,
                "origin": file.origin,
            }
            for file in result.files
        ],
    }


def _show(result: Import, *, dry_run: bool) -> None:
    from s3memory.admin.transfer.importing import Outcome  # noqa: PLC0415 - loaded by now

    for file in result.files:
        notes = [f"from {file.origin}"] if file.origin not in {None, file.path} else []
        notes += [file.reason] if file.reason else []
        notes += [f"redacted: {', '.join(file.kinds)}"] if file.kinds else []
        told = f" ({'; '.join(notes)})" if notes else ""
        sys.stdout.write(f"{file.outcome}\t{file.path}{told}\n")
    counts = ", ".join(f"{result.count(outcome)} {outcome}" for outcome in Outcome if result.count(outcome))
    done = "would be: " if dry_run else "" if result.is_done else "nothing was changed; would be: "
    sys.stderr.write(f"{done}{counts or 'no files'}\n")
