"""``s3memory redact``: standard input to standard output, to see what would be redacted before it is trusted."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from s3memory.cli.exit_codes import FAILED, OK
from s3memory.cli.options import JsonOption, PersonalOption, PolicyOption
from s3memory.cli.redactors import redactor_of
from s3memory.errors import InvalidInputError

if TYPE_CHECKING:
    from s3memory.redaction import Redaction


def redact(
    policy: PolicyOption = None,
    personal: PersonalOption = False,
    check: Annotated[bool, typer.Option("--check", help="Write no text; exit with 1 if something is found.")] = False,
    json_output: JsonOption = False,
) -> None:
    """Redact a text: standard input to standard output.

    It is redacted as a memory would be before it is stored, by the same settings. What was found is told on
    standard error, by kind and line. Nothing is sent anywhere, and no bucket or key is needed.

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
    from s3memory.settings import Settings  # noqa: PLC0415 - see the package's docstring

    redactor = redactor_of(Settings.from_env(), policy, with_personal=personal)
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInputError("Error: The input is no UTF-8") from None
    redaction = redactor.redact(text)
    if not check:
        sys.stdout.buffer.write(redaction.text.encode("utf-8"))
        sys.stdout.flush()
    _report(redaction, json_output=json_output)
    raise typer.Exit(FAILED if check and redaction.findings else OK)


def _report(redaction: Redaction, *, json_output: bool) -> None:
    if json_output:
        findings = [
            {"line": finding.line, "kind": finding.kind, "is_kept": finding.is_kept} for finding in redaction.findings
        ]
        sys.stderr.write(json.dumps({"findings": findings}) + "\n")
        return
    for finding in redaction.findings:
        sys.stderr.write(f"line {finding.line}: {finding.kind}{' (kept)' if finding.is_kept else ''}\n")
    n_kept = sum(finding.is_kept for finding in redaction.findings)
    sys.stderr.write(f"{len(redaction.findings) - n_kept} redacted{f', {n_kept} kept' if n_kept else ''}\n")
