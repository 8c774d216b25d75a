"""``s3memory erase`` and ``s3memory receipt``: everything of a tenant, destroyed, and the receipt for it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm, where
from s3memory.cli.exit_codes import OK, STORE
from s3memory.cli.options import DryRunOption, JsonOption, optional
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import printable
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from s3memory.admin.erasure.erasing import Erasure, Tally

ReceiptOption = Annotated[Path | None, optional("--receipt", "Write the receipt into a new file.", "FILE")]
SignWithOption = Annotated[Path | None, optional("--sign-with", "Sign it with this Ed25519 private key (PEM).", "FILE")]
PublicKeyOption = Annotated[Path | None, optional("--public-key", "Who must have signed it: Ed25519, PEM.", "FILE")]


def erase(  # noqa: PLR0917 - options, in the order of the help
    tenant: Annotated[str, typer.Argument(help="Whose memory. S3MEMORY_TENANT is not looked at.", metavar="TENANT")],
    receipt_file: ReceiptOption = None,
    sign_with: SignWithOption = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    json_output: JsonOption = False,
) -> None:
    """Destroy everything of a tenant, for good.

    That is: the key ring in all versions, without which nothing opens; then all versions and delete markers of
    its intents, records and files; then unfinished multipart uploads are aborted. Then the bucket is listed again.
    The count is that of versions, delete markers and unfinished uploads together. Manifests and reports of bulk jobs
    that name the tenant's objects are named, and stay. Stop the tenant's agents before. Interrupted, it is run
    again. Where nothing is stored, it does not ask, and destroys nothing. With --json, or without --receipt, the
    receipt goes to standard output.

    \b
    Examples:
      s3memory erase acme --dry-run
      s3memory erase acme --receipt acme.json
      s3memory erase acme --receipt acme.json --sign-with privacy.pem --yes --expect-count 12

    \b
    Exit codes:
      0  nothing is left, also where nothing was
      1  the answer was no, there was none, the count differs, or a tenant of whom
         nothing was stored has begun meanwhile: nothing was changed
      2  a setting or an option is wrong, or there is nobody to ask
      3  something is left: the store is out of reach, refuses access,
         or has to keep it (Object Lock)
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.erasure import erasing, receipts  # noqa: PLC0415 - botocore comes with it
    from s3memory.audit.recording import as_one_event  # noqa: PLC0415 - same
    from s3memory.config.settings import Settings  # noqa: PLC0415 - same
    from s3memory.store.memory_store import MemoryStore  # noqa: PLC0415 - same

    store = MemoryStore.from_settings(Settings.from_env(), tenant=tenant)
    private_key = _key_to_sign_with(sign_with)
    with as_one_event(store, "erase"):
        found = erasing.survey(store.refusing_writes())
        n_uploads = erasing.count_uploads(store.refusing_writes())
        count = sum(tally.count for tally in found.values()) + n_uploads
        if not count:
            sys.stderr.write(f"nothing is stored for {tenant}: it was erased before, or never was\n")
        if dry_run:
            _show(found, n_uploads, count, tenant=tenant, json_output=json_output)
            return
        store.ensure_writable()
        what = (
            f"{count} versions, delete markers and unfinished uploads of {tenant} are about to be destroyed, "
            f"its key ring first ({where(store)})."
        )
        confirm(what, tenant=tenant, count=count, yes=yes, expect_count=expect_count)
        out = None if receipt_file is None else _new_file(receipt_file)
        with progress_bar() as watcher:
            erasure = erasing.erase(store, watcher=watcher) if count else erasing.erase_nothing(store)
    written = receipts.receipt_of(store, erasure)
    if private_key is not None:
        written = receipts.signed(written, private_key)
    document = receipts.canonical(written).decode("ascii") + "\n"
    if out is not None:
        out.write_text(document, "ascii")
    if json_output or out is None:
        sys.stdout.write(document)
    n_destroyed = sum(tally.count for tally in erasure.destroyed.values()) + erasure.uploads_aborted
    sys.stderr.write(f"{n_destroyed} destroyed, {erasure.left} left\n")
    proof = "not signed (--sign-with): the word of whoever has it" if private_key is None else "signed"
    sys.stderr.write(f"the receipt is {proof}\n")
    _tell_what_stays(erasure)
    for code, times in erasure.refusals.items():
        held = ": a retention rule or a legal hold keeps it, or versions may not be deleted" * (code == "AccessDenied")
        sys.stderr.write(f"s3memory: S3 refused to destroy {times} ({printable(code)}{held})\n")
    is_anything_left = erasure.left or erasure.uploads_unlisted
    raise typer.Exit(STORE if is_anything_left else OK)


def receipt(
    file: Annotated[Path, typer.Argument(help="The receipt.", metavar="FILE")],
    public_key: PublicKeyOption = None,
    json_output: JsonOption = False,
) -> None:
    """Check the receipt of an erasure, and show it.

    Without --public-key a signature shows only that the receipt was not altered since, and not who signed it:
    whoever made it chose the key that is in it. Without a signature it shows neither.

    \b
    Examples:
      s3memory receipt acme.json
      s3memory receipt acme.json --public-key privacy.pub

    \b
    Exit codes:
      0  it is a receipt, and its signature, if it has one, is right
      2  a file can't be read, or is no public key
      3  it is none, was altered, or is not signed by that key
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.erasure import receipts  # noqa: PLC0415 - see the package's docstring

    checked = receipts.checked(_read(file), None if public_key is None else _read(public_key))
    if "signature" not in checked:
        verdict, told = "not-signed", "not signed: anybody can have written or altered it"
    elif public_key is None:
        verdict, told = (
            "signed-by-key-in-it",
            "signed by the key that is in it; whose that is, only --public-key can tell",
        )
    else:
        verdict, told = "signed-by-public-key", f"signed by the key in {public_key}"
    # The verdict is no part of the receipt: a person finds it on standard error alone.
    shown = {**checked, "verdict": verdict} if json_output else checked
    sys.stdout.write(json.dumps(shown, indent=None if json_output else 2) + "\n")
    sys.stderr.write(f"{told}\n")


def _tell_what_stays(erasure: Erasure) -> None:
    if erasure.uploads_unlisted:
        sys.stderr.write("s3memory: S3 refuses to list or abort unfinished multipart uploads: some may be left\n")
    if erasure.naming is None:
        sys.stderr.write("s3memory: S3 refuses to list manifests and reports of bulk jobs: some may name the tenant\n")
        return
    for said, versions in (
        ("names the tenant's objects, and stays", erasure.naming.named_in),
        ("can't be read here: whether it names the tenant's objects is not known", erasure.naming.unread),
    ):
        for version in versions:
            which = printable(f"{version.object_key} version {version.version_id}")
            sys.stderr.write(f"s3memory: {which} {said}\n")


def _show(found: dict[str, Tally], n_uploads: int, count: int, *, tenant: str, json_output: bool) -> None:
    if json_output:
        fields: dict[str, Any] = {
            folder: {
                "versions": tally.versions,
                "delete_markers": tally.delete_markers,
                "stored_bytes": tally.stored_bytes,
            }
            for folder, tally in found.items()
        }
        told = {"dry_run": True, "tenant": tenant, "count": count, "found": fields, "uploads": n_uploads}
        sys.stdout.write(json.dumps(told) + "\n")
        return
    for folder, tally in found.items():
        versions = f"{count_of(tally.versions, 'version')} of {count_of(tally.stored_bytes, 'byte')}"
        sys.stdout.write(f"{folder}: {versions}, {count_of(tally.delete_markers, 'delete marker')}\n")
    if n_uploads:
        sys.stdout.write(f"{count_of(n_uploads, 'unfinished upload')}\n")
    sys.stderr.write(f"{count} would be destroyed\n")


def _key_to_sign_with(path: Path | None) -> bytes | None:
    from s3memory.admin.erasure import receipts  # noqa: PLC0415 - see the package's docstring

    if path is None:
        return None
    pem = _read(path)
    receipts.load_private_key(pem)
    return pem


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path} can't be read: {error.strerror}") from None


def _new_file(path: Path) -> Path:
    """Make the file now: that it can't be written must not come out once everything is destroyed."""
    try:
        # An empty one is of a run that was interrupted.
        path.open("r+" if path.exists() and not path.stat().st_size else "x").close()
    except OSError as error:
        raise ConfigurationError(f"{path} can't be made: {error.strerror}") from None
    return path
