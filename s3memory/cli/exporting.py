"""``s3memory export``: a tenant's texts in one file, plain or encrypted."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from s3memory.cli.exit_codes import FAILED, OK, STORE
from s3memory.cli.options import DryRunOption, JsonOption, TenantOption, optional
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import stored_memory
from s3memory.cli.strays import MOVED_ON, tell_of_strays
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from s3memory.admin.transfer.exporting import Export
    from s3memory.progress import Watcher
    from s3memory.store.memory_store import MemoryStore


class Format(StrEnum):
    """What an export is written as."""

    ARCHIVE = "archive"
    MEMORY_STORE = "memory-store"


def export(  # noqa: PLR0917 - options, in the order of the help
    file: Annotated[Path, typer.Argument(help="A new file.", metavar="FILE")],
    tenant: TenantOption = None,
    form: Annotated[
        Format,
        typer.Option("--format", help="A tar with a manifest, or JSON lines for a Managed Agents memory store."),
    ] = Format.ARCHIVE,
    recipient: Annotated[
        list[str] | None,
        optional(
            "--recipient",
            "Encrypt it with age, for this recipient (age1..., ssh-...). May be given more than once.",
            "KEY",
        ),
    ] = None,
    dry_run: DryRunOption = False,
    json_output: JsonOption = False,
) -> None:
    """Write a tenant's files into one file.

    Texts stand in it as they are, no longer under the tenant's keys: whoever reads the file reads the memory,
    unless it is encrypted for a recipient. It holds the current texts
    and when they were stored, not the older versions. It is no snapshot: agents may write meanwhile.

    \b
    Examples:
      s3memory export acme.tar.age --tenant acme --recipient age1...
      s3memory export acme.tar --tenant acme
      s3memory export acme.jsonl --tenant acme --format memory-store

    \b
    Exit codes:
      0  everything is in it
      1  nothing is stored for the tenant, and no file was made
      2  a setting or an option is wrong, or the file can't be made
      3  something does not open or can't be held, and is left out;
         or the store is out of reach
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    with stored_memory(tenant, "export") as store, progress_bar() as watcher:
        if dry_run:
            with Path(os.devnull).open("wb") as nowhere:
                result = _exported(store, form, nowhere, watcher)
        else:
            with _new_file(file) as out, _maybe_encrypted(out, recipient) as plaintext:
                result = _exported(store, form, plaintext, watcher)
    if json_output:
        fields = {
            "dry_run": dry_run,
            "files": result.files,
            "text_bytes": result.text_bytes,
            "unreadable": list(map(str, result.unreadable)),
            "refused": list(map(str, result.refused)),
            "stray": result.stray,
        }
        sys.stdout.write(json.dumps(fields) + "\n")
    else:
        _show(result)
    if not result.is_settled:
        sys.stderr.write(f"s3memory: {MOVED_ON}\n")
    raise typer.Exit(STORE if not result.is_complete else OK if result.is_settled else FAILED)


def _exported(store: MemoryStore, form: Format, out: IO[bytes], watcher: Watcher) -> Export:
    from s3memory.admin.transfer import exporting  # noqa: PLC0415 - see the package's docstring
    from s3memory.admin.transfer.memory_stores import write_memory  # noqa: PLC0415 - same
    from s3memory.admin.transfer.tar_files import ArchiveWriter  # noqa: PLC0415 - same
    from s3memory.store.files import MemoryFile  # noqa: PLC0415 - same

    if form is Format.MEMORY_STORE:
        return exporting.export(store, lambda one: write_memory(out, one), watcher=watcher)
    archive = ArchiveWriter(out)

    def add(one: MemoryFile) -> bool:
        archive.add(one)
        return True

    result = exporting.export(store, add, watcher=watcher)
    left_out = {"unreadable": list(map(str, result.unreadable)), "stray": result.stray}
    archive.finish({"tenant": store.tenant, **left_out}, datetime.now(UTC))
    return result


@contextmanager
def _maybe_encrypted(out: IO[bytes], recipients: list[str] | None) -> Iterator[IO[bytes]]:
    if not recipients:
        yield out
        return
    from s3memory.admin.transfer.age import encrypting  # noqa: PLC0415 - of an extra

    with encrypting(out, recipients) as plaintext:
        yield plaintext


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """Make a file that only its owner may read. It has its name only once it is whole."""
    try:
        if path.exists():
            raise ConfigurationError(f"{path} is there already")
        # A name of its own: nobody can have put a link or another file of that name there.
        descriptor, part_name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".part", dir=path.parent)
        part = Path(part_name)
        try:
            with os.fdopen(descriptor, "wb") as out:
                yield out
            os.link(part, path)  # fails where somebody was faster; replacing would not
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigurationError(f"{path} can't be written: {error.strerror}") from None


def _show(result: Export) -> None:
    for path in result.unreadable:
        sys.stderr.write(f"s3memory: {path} does not open, and is not in it\n")
    for path in result.refused:
        sys.stderr.write(f"s3memory: {path} is too large for a memory store, or its path is, and is not in it\n")
    tell_of_strays(result.stray)
    sys.stderr.write(f"{count_of(result.files, 'file')}, {count_of(result.text_bytes, 'byte')}\n")
