"""``s3memory redact``: redact standard input to standard output, to try the redactor before relying on it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

import typer

from s3memory.cli.ending import FAILED, OK
from s3memory.cli.options import JsonOption, PersonalOption, PolicyOption, flag
from s3memory.cli.output import explain_input, note, warn
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError, InvalidInputError, RedactionError
from s3memory.redaction import Finding, PatternRedactor
from s3memory.redaction.configuration import parsed_policy
from s3memory.redaction.kinds import PERSONAL_KINDS
from s3memory.redaction.policy import REDACT


def redact(
    policy: PolicyOption = None,
    personal: PersonalOption = False,
    check: Annotated[bool, flag("--check", "Print no text; exit with 1 if something is found.")] = False,
    json_output: JsonOption = False,
) -> None:
    """Redact a text: standard input to standard output.

    Redacts it as a memory is redacted before it is stored, with the same settings. Placeholders have no tags, since
    those need a tenant's key. S3MEMORY_REDACTION=off is ignored. Findings are reported on stderr, by kind and line.
    Nothing is sent anywhere, and you need no bucket or key.

    With --json, the report is one line: findings, and refusal, the reason why no text was printed, or null.

    Examples:
      s3memory redact < notes.md > clean.md
      s3memory redact --personal --policy card-number=block < notes.md
      s3memory redact --check < notes.md

    Exit codes:
      0  the text was printed, or --check found nothing
      1  it was refused, or --check found something
      2  a setting or an option is wrong
    """
    redactor = redactor_of(Settings.from_env(), policy, with_personal=personal)
    explain_input("Type a text.")
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInputError("The input is not UTF-8") from None
    redacted, findings, refusal = _redacted(redactor, text)
    if not check:
        sys.stdout.buffer.write(redacted.encode("utf-8"))
        sys.stdout.flush()
    if json_output:
        note(json.dumps({"refusal": refusal, "findings": [_fields(redactor, one) for one in findings]}))
    else:
        _report(redactor, findings, refusal)
    raise typer.Exit(FAILED if refusal or (check and findings) else OK)


def redactor_of(settings: Settings, policy: Sequence[str] | None, *, with_personal: bool) -> PatternRedactor:
    """Return the redactor of the settings, with the changes of the command line.

    If the settings switch redaction off, it is the default redactor: the user wants to know what it would find.

    Raises:
        ConfigurationError: a setting or an option is malformed.
    """
    redactor = settings.pattern_redactor() or PatternRedactor()
    if with_personal and redactor.kinds is not None and (absent := PERSONAL_KINDS.difference(redactor.kinds)):
        raise ConfigurationError(
            f"--personal contradicts S3MEMORY_REDACTION_FILE, whose kinds do not include {', '.join(sorted(absent))}"
        )
    with _errors_begin_with("--policy is malformed"):
        given = parsed_policy(",".join(policy)) if policy else {}
    if with_personal:
        personal = dict.fromkeys(PERSONAL_KINDS.difference(given), REDACT)
        with _errors_begin_with("--personal can't be used"):
            redactor = replace(redactor, policy={**personal, **redactor.policy})
    with _errors_begin_with("--policy is malformed"):
        return replace(redactor, policy={**redactor.policy, **given})


@contextmanager
def _errors_begin_with(problem: str) -> Iterator[None]:
    """Put a problem, which names the option, before the text of configuration errors."""
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(f"{problem}: {error}") from None


def _redacted(redactor: PatternRedactor, text: str) -> tuple[str, tuple[Finding, ...], str | None]:
    """Return the redacted text and the findings; if it is refused, an empty text, the findings and the reason."""
    try:
        redaction = redactor.redact(text)
    except RedactionError as error:
        refusal = str(error)
    else:
        return redaction.text, redaction.findings, None
    try:
        return "", redactor.findings(text), refusal
    except RedactionError:  # the text can't be checked, so there are no findings
        return "", (), refusal


def _report(redactor: PatternRedactor, findings: tuple[Finding, ...], refusal: str | None) -> None:
    for finding in findings:
        mark = " (kept)" if finding.is_kept else " (blocked)" if redactor.blocks(finding.kind) else ""
        note(f"line {finding.line}: {finding.kind}{mark}")
    if refusal:
        warn(refusal)
        return
    n_kept = sum(finding.is_kept for finding in findings)
    note(f"{len(findings) - n_kept} redacted{f', {n_kept} kept' if n_kept else ''}")


def _fields(redactor: PatternRedactor, one: Finding) -> dict[str, object]:
    blocked = redactor.blocks(one.kind)
    return {"line": one.line, "kind": one.kind, "is_kept": one.is_kept, "is_blocked": blocked}
