"""``s3memory scan``: find stored text that today's rules would redact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from s3memory.admin.scanning import Scan, StoredFinding
from s3memory.admin.scanning import scan as scan_store
from s3memory.cli.ending import FAILED, OK, STORE
from s3memory.cli.options import JsonOption, PersonalOption, PolicyOption, TenantOption, VersionsOption, flag
from s3memory.cli.output import emit, fields_of, one_line
from s3memory.cli.progress import progress_bar
from s3memory.cli.redact import redactor_of
from s3memory.cli.stores import MOVED_ON, missed_lines, stored_memory, stray_lines
from s3memory.config.settings import Settings
from s3memory.contract.views import count_of, shown_time
from s3memory.redaction import PatternRedactor
from s3memory.redaction.version import rules_version


def scan(
    tenant: TenantOption = None,
    fix: Annotated[bool, flag("--fix", "Redact what is found in current files.")] = False,
    versions: VersionsOption = False,
    policy: PolicyOption = None,
    personal: PersonalOption = False,
    json_output: JsonOption = False,
) -> None:
    """Find stored text that would be redacted today.

    Texts are redacted when they are written, by the rules of that day. This checks them again, and reports the path,
    line and kind of each finding, never its value, and whether the policy blocks it. With --fix, current files are
    redacted by compare and swap. The old texts stay in older versions if the bucket keeps them, and --fix does not
    change paths.

    Examples:
      s3memory scan --tenant acme
      s3memory scan --tenant acme --versions --json
      s3memory scan --tenant acme --fix

    Exit codes:
      0  no stored text would be redacted (any more)
      1  some text would be, or nothing is stored for the tenant, or agents moved
         files during every pass, so that one may have been missed
    """
    redactor = redactor_of(Settings.from_env(), policy, with_personal=personal)
    with stored_memory(tenant, "scan", writes=fix) as store, progress_bar():
        result = scan_store(store, redactor, with_versions=versions, fix=fix)
    left = [finding for finding in result.findings if not (finding.is_kept or finding.is_fixed)]
    is_done = result.is_settled and not left
    emit(
        _fields(result, redactor),
        text=(_line(finding, is_blocked=redactor.blocks(finding.kind)) for finding in result.findings),
        notes=[_counts(result)],
        warnings=_warnings(result),
        tenant=store.tenant,
        as_json=json_output,
        exit_code=STORE if result.unreadable or result.missed or result.stray else OK if is_done else FAILED,
    )


def _warnings(result: Scan) -> Iterator[str]:
    if any(finding.is_fixed for finding in result.findings):
        yield (
            "if the bucket keeps older versions, they still contain the redacted text: change the secret, and see "
            "s3memory redact-version"
        )
    for path in result.unreadable:
        yield f"{path} does not open or could not be checked"
    yield from stray_lines(result.stray)
    yield from missed_lines(result.missed)
    if not result.is_settled:
        yield MOVED_ON


def _counts(result: Scan) -> str:
    n_fixed = sum(finding.is_fixed for finding in result.findings)
    older = f", {count_of(result.versions, 'older version')}" if result.versions else ""
    fixed = f", {n_fixed} fixed" if n_fixed else ""
    return f"{count_of(result.files, 'file')}{older}, {len(result.findings)} found{fixed}"


def _line(finding: StoredFinding, *, is_blocked: bool) -> str:
    where = finding.path if finding.line is None else f"{finding.path}:{finding.line}"
    notes = ["in the path"] if finding.line is None else []
    if finding.modified is not None:
        notes.append(f"version {finding.version_id} of {shown_time(finding.modified)}")
    notes += ["kept"] if finding.is_kept else []
    notes += ["blocked"] if is_blocked else []
    notes += ["fixed"] if finding.is_fixed else []
    return one_line(f"{where}: {finding.kind}" + (f" ({', '.join(notes)})" if notes else ""))


def _fields(result: Scan, redactor: PatternRedactor) -> dict[str, Any]:
    return {
        "rules_version": rules_version(),
        **fields_of(result),
        "findings": [
            {
                "path": finding.path,
                "line": finding.line,
                "kind": finding.kind,
                "is_kept": finding.is_kept,
                "is_blocked": redactor.blocks(finding.kind),
                "is_fixed": finding.is_fixed,
                "version_id": finding.version_id,
                "modified": finding.modified,
            }
            for finding in result.findings
        ],
    }
