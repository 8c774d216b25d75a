"""The one way from a redactor to the store: whatever a redactor does wrong, nothing is written.

No text, and nothing of what a failing redactor said, gets into an error or a log: it may quote what it looked at.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from urllib.parse import unquote

from s3memory.errors import RedactionError
from s3memory.redaction.model import KIND_PATTERN, Finding, Redaction, Redactor

_log = logging.getLogger("s3memory")


def redact_text(redactor: Redactor | None, text: str) -> Redaction:
    """Return `text` as it may be stored; without a redactor, as it is.

    Raises:
        RedactionError: the redactor refused, raised, or returned what is no `Redaction`.
    """
    if redactor is None:
        return Redaction(text)
    try:
        redaction = redactor.redact(text)
    except RedactionError:
        raise
    except Exception as error:  # noqa: BLE001 - a hook of the user's: whatever it raises, the write is refused
        _log.warning("the redactor failed, so a write was refused: %s", type(error).__name__)
        redaction = None
    if redaction is None or not _is_well_formed(redaction):
        raise RedactionError(
            "Error: The text could not be checked for sensitive content, so it was refused. Nothing was changed."
        )
    return redaction


def refuse_sensitive_path(redactor: Redactor | None, segments: Iterable[str]) -> None:
    """Refuse a path in which the redactor finds anything, in a segment as it is or percent-decoded.

    Raises:
        RedactionError: it found something, or failed. The text names the kind, not the path.
    """
    looks = {look for segment in segments for look in (segment, unquote(segment))}
    for look in sorted(looks):
        findings = redact_text(redactor, look).findings
        if findings:
            raise RedactionError(
                f"Error: The path holds something that looks like sensitive content ({findings[0].kind}), "
                "so it was refused. Nothing was changed. Use another name."
            )


def _is_well_formed(redaction: object) -> bool:
    if not isinstance(redaction, Redaction):
        return False
    # Nothing but a type checker has seen to it that the fields are what they are declared as.
    text: object = redaction.text
    findings: object = redaction.findings
    return isinstance(text, str) and isinstance(findings, tuple) and all(map(_is_finding, findings))


def _is_finding(finding: object) -> bool:
    if not isinstance(finding, Finding):
        return False
    kind: object = finding.kind
    line: object = finding.line
    return isinstance(kind, str) and KIND_PATTERN.fullmatch(kind) is not None and isinstance(line, int)
