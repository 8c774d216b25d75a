"""``s3memory redact``: standard input to standard output, to see what would be redacted before it is trusted."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from s3memory.cli.exit_codes import FAILED, OK
from s3memory.cli.options import JsonOption, PersonalOption, PolicyOption
from s3memory.cli.redactors import redactor_of
from s3memory.errors import InvalidInputError, RedactionError

if TYPE_CHECKING:
    from s3memory.redaction import Finding, PatternRedactor


def redact(
    policy: PolicyOption = None,
    personal: PersonalOption = False,
    check: Annotated[bool, typer.Option("--check", help="Write no text; exit with 1 if something is found.")] = False,
    json_output: JsonOption = False,
) -> None:
    """Redact a text: standard input to standard output.

    It is redacted as a memory would be before it is stored, by the same settings. What was found is told on
    standard error, by kind and line. Nothing is sent anywhere, and no bucket or key is needed.

    With --json that is one line: findings, and refusal, which says why no text was written, or is null.

    \b
    Examples:
      s3memory redact < notes.md > clean.md
      s3memory redact --personal --policy card-number=block < notes.md
      s3memory redact --check < notes.md

    \b
    Exit codes:
      0  the text was written, or --check found nothing
      1  it was refused, or --check found something
      2  a setting or an option is wrong
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.config.settings import Settings  # noqa: PLC0415 - see the package's docstring

    redactor = redactor_of(Settings.from_env(), policy, with_personal=personal)
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInputError("Error: The input is no UTF-8") from None
    redacted, findings, refusal = _redacted(redactor, text)
    if not check:
        sys.stdout.buffer.write(redacted.encode("utf-8"))
        sys.stdout.flush()
    if json_output:
        _report_as_json(redactor, findings, refusal)
    else:
        _report(redactor, findings, refusal)
    raise typer.Exit(FAILED if refusal or (check and findings) else OK)


def _redacted(redactor: PatternRedactor, text: str) -> tuple[str, tuple[Finding, ...], str | None]:
    """Return `text` redacted, what was found in it, and why it was refused, if it was: then no text is returned."""
    try:
        redaction = redactor.redact(text)
    except RedactionError as error:
        refusal = error.detail
    else:
        return redaction.text, redaction.findings, None
    try:
        return "", redactor.findings(text), refusal
    except RedactionError:  # it can't be checked, so nothing is known of it
        return "", (), refusal


def _report(redactor: PatternRedactor, findings: tuple[Finding, ...], refusal: str | None) -> None:
    for finding in findings:
        note = " (kept)" if finding.is_kept else " (blocked)" if redactor.blocks(finding.kind) else ""
        sys.stderr.write(f"line {finding.line}: {finding.kind}{note}\n")
    if refusal:
        sys.stderr.write(f"s3memory: {refusal}\n")
        return
    n_kept = sum(finding.is_kept for finding in findings)
    sys.stderr.write(f"{len(findings) - n_kept} redacted{f', {n_kept} kept' if n_kept else ''}\n")


def _report_as_json(redactor: PatternRedactor, findings: tuple[Finding, ...], refusal: str | None) -> None:
    told = [
        {"line": one.line, "kind": one.kind, "is_kept": one.is_kept, "is_blocked": redactor.blocks(one.kind)}
        for one in findings
    ]
    sys.stderr.write(json.dumps({"refusal": refusal, "findings": told}) + "\n")
