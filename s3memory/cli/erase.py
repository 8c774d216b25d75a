"""``s3memory erase`` and ``s3memory receipt``: destroy all data of a tenant, and check the receipt for it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from s3memory._arguments import naming_file
from s3memory.admin.erasure import erasing, receipts
from s3memory.admin.erasure.erasing import Erasure, Tally
from s3memory.audit.recording import as_one_event
from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm, show_bucket
from s3memory.cli.ending import FAILED, NOTHING_CHANGED, OK, STORE, note_if_interrupted
from s3memory.cli.options import DryRunOption, JsonOption, argument, optional
from s3memory.cli.output import emit, note, one_line, refuse_dash, warn
from s3memory.cli.progress import progress_bar
from s3memory.cli.stores import store_of
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError
from s3memory.format.object_keys import Folder
from s3memory.store.memory_store import MemoryStore

_LABELS: dict[str, str] = {
    Folder.KEY_RINGS: "key ring",
    Folder.INTENTS: "intents",
    Folder.REDACTIONS: "records of redacted versions",
    Folder.MEMORIES: "files",
}
"""The content of each folder, in the words of the help. JSON and the receipt use the folders' own names."""

_UNLISTED = "S3 refuses to list or abort unfinished multipart uploads: some may be left"


def erase(
    tenant: Annotated[
        str | None, optional("--tenant", "The tenant. Required: S3MEMORY_TENANT is ignored.", "NAME")
    ] = None,
    receipt_file: Annotated[Path | None, optional("--receipt", "Write the receipt to a new file.", "FILE")] = None,
    sign_with: Annotated[
        Path | None, optional("--sign-with", "Sign it with this Ed25519 private key (PEM).", "FILE")
    ] = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    json_output: JsonOption = False,
) -> None:
    """Destroy all data of a tenant, for good.

    Stop the tenant's agents before you run it. All versions of the key ring are destroyed first: without it, nothing
    opens. Then all versions and delete markers of intents, records and files are destroyed, unfinished multipart
    uploads are aborted, and the bucket is listed again. --expect-count counts all of these. Manifests and reports of
    bulk jobs that name the tenant's objects are reported, but stay. If interrupted, run it again. If nothing is
    stored, it does not ask, and destroys nothing. The receipt goes to stdout, unless you pass --receipt without
    --json.

    Examples:
      s3memory erase --tenant acme --dry-run
      s3memory erase --tenant acme --receipt acme.json
      s3memory erase --tenant acme --receipt acme.json --sign-with privacy.pem
      s3memory erase --tenant acme --yes --expect-count 12 > acme.json

    Exit codes:
      0  nothing is left, or nothing was stored
      1  the answer was no, there was none, the count differs, or something was
         stored meanwhile for a tenant without data: nothing was changed. Or
         the receipt could not be written to its file or to stdout: it is on
         stdout, or else on stderr
      2  a setting or an option is wrong, or there is nobody to ask
      3  something is left: the store can't be reached, refuses access, or has
         to keep it (Object Lock); or the register was not updated
    """
    if tenant is None:
        raise ConfigurationError("name the tenant: s3memory erase --tenant NAME")
    store = store_of(tenant)
    private_key = None if sign_with is None else _read(sign_with)
    if private_key is not None:
        receipts.load_private_key(private_key)
    erasure: Erasure | None = None
    out: Path | None = None
    show_bucket(store)
    with as_one_event(store, "erase"):
        with note_if_interrupted(NOTHING_CHANGED):
            found = erasing.survey(store.refusing_writes())
            n_uploads = erasing.count_uploads(store.refusing_writes())
        count = sum(tally.count for tally in found.values()) + (n_uploads or 0)
        if not count and n_uploads is not None:
            note(f'No data for tenant "{store.tenant}": it was erased before, or never had any.')
        if not dry_run:
            store.ensure_writable()
            what = (
                f'This destroys all data of tenant "{store.tenant}" for good, the key ring first: {count} versions, '
                "delete markers and unfinished uploads in all."
            )
            confirm(what, tenant=store.tenant, count=count, yes=yes, expect_count=expect_count)
            out = None if receipt_file is None else _new_file(receipt_file)
            left = "Destroyed data stays destroyed, and there is no receipt yet: run it again."
            with note_if_interrupted(left), progress_bar():
                erasure = erasing.erase(store) if count else erasing.erase_nothing(store)
    if erasure is None:
        _emit_survey(found, n_uploads, count, tenant=store.tenant, json_output=json_output)
    _emit_receipt(store, erasure, private_key, out, json_output=json_output)


def _emit_receipt(
    store: MemoryStore, erasure: Erasure, private_key: bytes | None, out: Path | None, *, json_output: bool
) -> NoReturn:
    written = receipts.receipt_of(store, erasure)
    if private_key is not None:
        written = receipts.signed(written, private_key)
    document = receipts.canonical(written).decode("ascii")
    is_written = True
    if out is not None:
        try:
            out.write_text(f"{document}\n", "ascii")
        except OSError as error:  # it can't be created again: everything is destroyed
            is_written = False
            warn(f"{out} can't be written: {error.strerror}. The receipt is on standard output: save it.")
    if json_output or out is None or not is_written:
        is_written &= _is_printed(document)
    n_destroyed = sum(tally.count for tally in erasure.destroyed.values()) + erasure.uploads_aborted
    note(f"{n_destroyed} destroyed, {erasure.left} left")
    note(f"the receipt is {'not signed (--sign-with): it proves nothing' if private_key is None else 'signed'}")
    is_unfinished = erasure.left or erasure.uploads_unlisted or not erasure.is_recorded
    warn(*_warnings(erasure))
    raise typer.Exit(STORE if is_unfinished else OK if is_written else FAILED)


def _is_printed(document: str) -> bool:
    """Write a receipt to standard output, or else to standard error. Return whether the former worked."""
    try:
        sys.stdout.write(f"{document}\n")
        sys.stdout.flush()
    except OSError as error:
        warn(f"standard output can't be written: {error.strerror}. This is the receipt: save it.")
        note(document)
        return False
    return True


def receipt(
    file: Annotated[Path, argument("FILE", "The receipt.")],
    public_key: Annotated[
        Path | None, optional("--public-key", "The signer's Ed25519 public key (PEM).", "FILE")
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Check the receipt of an erasure, and show it.

    Without --public-key, a signature only shows that the receipt was not altered since it was signed, not who
    signed it: the signer chose the key in it. A receipt without a signature shows neither.

    Examples:
      s3memory receipt acme.json
      s3memory receipt acme.json --public-key privacy.pub

    Exit codes:
      0  it is a receipt, and its signature, if it has one, is valid
      2  a file can't be read, or is not a public key
      3  it is not a receipt, was altered, or is not signed by that key
    """
    checked = receipts.checked(_read(file), None if public_key is None else _read(public_key))
    if "signature" not in checked:
        verdict, text = "not-signed", "not signed: anyone may have written or altered it"
    elif public_key is None:
        verdict, text = "signed-by-key-in-it", "signed by the key in it; --public-key checks whose key that is"
    else:
        verdict, text = "signed-by-public-key", f"signed by the key in {public_key}"
    note(text)
    # The verdict is not part of the receipt, so without --json it goes to standard error alone.
    emit({**checked, "verdict": verdict}, text=json.dumps(checked, indent=2).splitlines(), as_json=json_output)


def _warnings(erasure: Erasure) -> Iterator[str]:
    if not erasure.is_recorded:
        yield "the register of key rings could not be updated: run it again"
    if erasure.uploads_unlisted:
        yield _UNLISTED
    if erasure.naming is None:
        yield "manifests and reports of bulk jobs could not be searched: some may name the tenant"
    else:
        for problem, versions in (
            ("names the tenant's objects, and stays", erasure.naming.named_in),
            ("can't be read here, and may name the tenant's objects", erasure.naming.unread),
        ):
            for version in versions:
                yield f"{one_line(version.object_key)} version {version.version_id} {problem}"
    for code, times in erasure.refusals.items():
        why = f"{code}: a retention rule or a legal hold keeps it, or versions may not be deleted"
        yield f"S3 refused to destroy {times} ({why if code == 'AccessDenied' else code})"


def _emit_survey(
    found: dict[str, Tally], n_uploads: int | None, count: int, *, tenant: str, json_output: bool
) -> NoReturn:
    lines = []
    for folder, tally in found.items():
        versions = f"{count_of(tally.versions, 'version')} of {count_of(tally.stored_bytes, 'byte')}"
        lines.append(f"{_LABELS[folder]}: {versions}, {count_of(tally.delete_markers, 'delete marker')}")
    if n_uploads:
        lines.append(count_of(n_uploads, "unfinished upload"))
    emit(
        {"dry_run": True, "tenant": tenant, "count": count, "found": found, "uploads": n_uploads},
        text=lines,
        notes=[f"{count} would be destroyed"],
        warnings=[_UNLISTED] if n_uploads is None else [],
        as_json=json_output,
    )


def _read(path: Path) -> bytes:
    with naming_file(path):
        return path.read_bytes()


def _new_file(path: Path) -> Path:
    """Create the file before anything is destroyed, in case it can't be written."""
    refuse_dash(path)
    with naming_file(path, done="created"):
        # An empty file is from an interrupted run.
        path.open("r+" if path.exists() and not path.stat().st_size else "x").close()
    return path
