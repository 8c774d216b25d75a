"""``s3memory export``: write a tenant's texts to one file, plain or encrypted."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import IO, Annotated

from s3memory._arguments import naming_file
from s3memory.admin.transfer import exporting
from s3memory.admin.transfer.age import encrypting
from s3memory.admin.transfer.exporting import Export
from s3memory.admin.transfer.memory_stores import write_memory
from s3memory.admin.transfer.tar_files import ExportWriter
from s3memory.cli.ending import OK, STORE, note_if_interrupted
from s3memory.cli.options import DryRunOption, JsonOption, TenantOption, argument, flag, optional
from s3memory.cli.output import IN_DRY_RUN, emit, fields_of, refuse_dash
from s3memory.cli.progress import progress_bar
from s3memory.cli.stores import MOVED_ON, missed_lines, stored_memory, stray_lines
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError
from s3memory.store.memory_store import MemoryStore

_MOVED_ON = f"{MOVED_ON}, with another FILE"


class Format(StrEnum):
    """The formats of an export."""

    TAR = "tar"
    MEMORY_STORE = "memory-store"


def export(
    file: Annotated[Path, argument("FILE", "The file to create.")],
    tenant: TenantOption = None,
    form: Annotated[
        Format, flag("--format", "A tar with a manifest, or JSON lines for a Managed Agents memory store.")
    ] = Format.TAR,
    recipient: Annotated[
        list[str] | None,
        optional("--recipient", "Encrypt with age for this recipient (age1..., ssh-...). Repeatable.", "KEY"),
    ] = None,
    dry_run: DryRunOption = False,
    json_output: JsonOption = False,
) -> None:
    """Write a tenant's files to one file.

    The exported texts are not encrypted under the tenant's keys: anyone who can read the file can read the memory,
    unless you encrypt it for a recipient. The file contains the current texts and their times, but no older versions.
    It is not a snapshot, since agents may write meanwhile.

    Examples:
      s3memory export acme.tar.age --tenant acme --recipient age1...
      s3memory export acme.tar --tenant acme
      s3memory export acme.jsonl --tenant acme --format memory-store

    Exit codes:
      0  the file is complete
      1  nothing is stored for the tenant, and no file was created; or the outcome
         can't be written to stdout: it is on stderr
      2  a setting or an option is wrong, or the file can't be created
      3  the file was created, but may lack files that do not open, do not fit,
         were refused by S3, or were moved by agents during every pass, or
         objects that are not memory files; or the store can't be reached, and
         no file was created
    """
    with stored_memory(tenant, "export") as store, note_if_interrupted("No file was created."), progress_bar():
        new_file = Path(os.devnull).open("wb") if dry_run else _new_file(file)  # noqa: SIM115 - entered below
        with new_file as out, encrypting(out, recipient) if recipient else nullcontext(out) as plaintext:
            result = _exported(store, form, plaintext)
    counts = f"{count_of(result.files, 'file')}, {count_of(result.text_bytes, 'byte')}"
    emit(
        {"dry_run": dry_run, **fields_of(result)},
        notes=[f"{counts}, in {file}{IN_DRY_RUN if dry_run else ''}"],
        warnings=[*_left_out(result), *missed_lines(result.missed), *([] if result.is_settled else [_MOVED_ON])],
        tenant=store.tenant,
        as_json=json_output,
        exit_code=OK if result.is_complete else STORE,
    )


def _exported(store: MemoryStore, form: Format, out: IO[bytes]) -> Export:
    if form is Format.MEMORY_STORE:
        return exporting.export(store, partial(write_memory, out))
    tar = ExportWriter(out)
    try:
        result = exporting.export(store, tar.add)
        left_out = {
            "unreadable": list(map(str, result.unreadable)),
            "missed": list(map(fields_of, result.missed)),
            "stray": result.stray,
            "is_settled": result.is_settled,
        }
        tar.finish({"tenant": store.tenant, **left_out}, datetime.now(UTC))
    except BaseException:
        tar.abandon()
        raise
    return result


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """Create a file that only its owner may read. It gets its name only once it is complete."""
    refuse_dash(path)
    with naming_file(path, done="written"):
        if path.exists():
            raise ConfigurationError(f"{path} already exists: choose another name, or remove it")
        # Under a random name, where nobody can have put a link or another file.
        descriptor, part_name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".part", dir=path.parent)
        part = Path(part_name)
        try:
            with os.fdopen(descriptor, "wb") as out:
                yield out
            _give_name(part, path)
        finally:
            part.unlink(missing_ok=True)


def _give_name(part: Path, path: Path) -> None:
    """Give a complete file its name. This fails if the name was taken meanwhile; a plain replace would overwrite it."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # vfat, exFAT and many FUSE and SMB mounts have no hard links, and their errors differ
        path.open("xb").close()
        part.replace(path)


def _left_out(result: Export) -> Iterator[str]:
    for path in result.unreadable:
        yield f"{path} does not open, and was left out"
    for path in result.refused:
        yield f"{path} is too large for a memory store, or its path is too long, and was left out"
    yield from stray_lines(result.stray)
