"""``s3memory scan``: what stored memories hold that today's rules would redact."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from s3memory.cli.exit_codes import FAILED, OK, STORE
from s3memory.cli.options import JsonOption, PersonalOption, PolicyOption, TenantOption
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import printable, stored_memory
from s3memory.cli.redactors import redactor_of
from s3memory.cli.strays import MOVED_ON, tell_of_strays
from s3memory.contract.views import count_of

if TYPE_CHECKING:
    from s3memory.admin.scanning import Scan, StoredFinding
    from s3memory.redaction import PatternRedactor


def scan(  # noqa: PLR0917 - options, in the order of the help
    tenant: TenantOption = None,
    fix: Annotated[bool, typer.Option("--fix", help="Redact what is found in current files.")] = False,
    versions: Annotated[bool, typer.Option("--versions", help="Look at older versions, too.")] = False,
    policy: PolicyOption = None,
    personal: PersonalOption = False,
    json_output: JsonOption = False,
) -> None:
    """Find what is stored and would be redacted today.

    Texts are redacted when they are written, by the rules of that day. This looks at them again, and tells
    path, line and kind, never a value, and whether the policy blocks it. With --fix, current files are redacted,
    each by compare and swap; what was there stays in older versions where the bucket keeps them, and in paths,
    which --fix leaves alone.

    \b
    Examples:
      s3memory scan --tenant acme
      s3memory scan --tenant acme --versions --json
      s3memory scan --tenant acme --fix

    \b
    Exit codes:
      0  nothing is left that would be redacted
      1  something is, or nothing is stored for the tenant, or agents moved files
         at every pass, so that one may not have been looked at
      2  a setting or an option is wrong
      3  the store is out of reach, refuses access, or holds what does not open
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.scanning import scan as scan_store  # noqa: PLC0415 - botocore comes with it
    from s3memory.config.settings import Settings  # noqa: PLC0415 - same

    redactor = redactor_of(Settings.from_env(), policy, with_personal=personal)
    with stored_memory(tenant, "scan", writes=fix) as store, progress_bar() as watcher:
        result = scan_store(store, redactor, with_versions=versions, fix=fix, watcher=watcher)
    if json_output:
        sys.stdout.write(json.dumps(_fields(result, redactor)) + "\n")
    else:
        _show(result, redactor)
    if any(finding.is_fixed for finding in result.findings):
        sys.stderr.write(
            "Older versions, where the bucket keeps them, still hold what was redacted: change the secret, and see "
            "s3memory redact-version.\n"
        )
    left = [finding for finding in result.findings if not (finding.is_kept or finding.is_fixed)]
    if not result.is_settled:
        sys.stderr.write(f"s3memory: {MOVED_ON}\n")
    is_done = result.is_settled and not left
    raise typer.Exit(STORE if result.unreadable or result.stray else OK if is_done else FAILED)


def _show(result: Scan, redactor: PatternRedactor) -> None:
    for finding in result.findings:
        sys.stdout.write(f"{_line(finding, is_blocked=redactor.blocks(finding.kind))}\n")
    for path in result.unreadable:
        sys.stderr.write(f"s3memory: {path} does not open or could not be checked\n")
    tell_of_strays(result.stray)
    n_fixed = sum(finding.is_fixed for finding in result.findings)
    looked_at = count_of(result.files, "file") + (
        f", {count_of(result.versions, 'older version')}" if result.versions else ""
    )
    sys.stderr.write(f"{looked_at}: {len(result.findings)} found{f', {n_fixed} fixed' if n_fixed else ''}\n")


def _line(finding: StoredFinding, *, is_blocked: bool) -> str:
    where = finding.path if finding.line is None else f"{finding.path}:{finding.line}"
    notes = ["in the path"] if finding.line is None else []
    if finding.modified is not None:
        notes.append(f"version {finding.version_id} of {finding.modified:%Y-%m-%dT%H:%M:%SZ}")
    notes += ["kept"] if finding.is_kept else []
    notes += ["blocked"] if is_blocked else []
    notes += ["fixed"] if finding.is_fixed else []
    return printable(f"{where}: {finding.kind}" + (f" ({', '.join(notes)})" if notes else ""))


def _fields(result: Scan, redactor: PatternRedactor) -> dict[str, Any]:
    from s3memory.redaction.version import rules_version  # noqa: PLC0415 - see the package's docstring

    return {
        "rules_version": rules_version(),
        "files": result.files,
        "versions": result.versions,
        "unreadable": list(result.unreadable),
        "stray": result.stray,
        "is_settled": result.is_settled,
        "findings": [
            {
                "path": finding.path,
                "line": finding.line,
                "kind": finding.kind,
                "is_kept": finding.is_kept,
                "is_blocked": redactor.blocks(finding.kind),
                "is_fixed": finding.is_fixed,
                "version_id": finding.version_id,
                "modified": None if finding.modified is None else finding.modified.isoformat(),
            }
            for finding in result.findings
        ],
    }
