"""The errors for a text that is not stored. Their messages never quote the text, so that a model may read them."""

from __future__ import annotations

from s3memory.errors import RedactionError
from s3memory.redaction.interface import KIND_PATTERN
from s3memory.redaction.text.compiling import compiled

_REASONS = {
    "failed": "could not be checked for sensitive content",
    "encoded": "is encoded in too many ways to be checked for sensitive content",
    "unsettled": "could not be checked for sensitive content: redacting it uncovers more each time",
    "slow": "could not be checked for sensitive content in the time that there is for it",
}


class UncheckedTextError(RedactionError):
    """A text could not be checked, so it is not stored.

    Args:
        reason: ``failed``, ``encoded``, ``unsettled`` or ``slow``; anything else counts as ``failed``.
    """

    def __init__(self, reason: str = "failed") -> None:
        self.reason = reason if type(reason) is str and reason in _REASONS else "failed"
        super().__init__(f"The text {_REASONS[self.reason]}. Nothing was changed.")


# The name of a service, and a reason with an optional error code, as in "did not answer (ThrottlingException)".
_SERVICE = r"[A-Za-z]{1,20}(?: [A-Za-z]{1,20}){0,3}"
_SERVICE_REASON = r"[a-z]{1,15}(?: [a-z]{1,15}){0,15}(?: \([A-Za-z0-9_.-]{0,64}\))?"


class ServiceRefusalError(UncheckedTextError):
    """A service that must check a text did not, so the text is not stored.

    Args:
        service: The name of the service.
        reason: What went wrong, in lower-case words of this package, with at most an error code in brackets. If
            either has another form, the message says only that the text could not be checked.
    """

    def __init__(self, service: str, reason: str) -> None:
        super().__init__()
        self.service, self.service_reason = service, reason
        if _is_like(_SERVICE, service) and _is_like(_SERVICE_REASON, reason):
            self.args = (f"The text {_REASONS['failed']}: {service} {reason}. Nothing was changed.",)


class BlockedTextError(RedactionError):
    """A text contains something of a kind that the policy blocks: the text is not stored, not even redacted.

    Args:
        kind: The kind of what it contains. Anything that is not a valid kind is reported as ``sensitive``.
        line: The 1-based line of the text that contains it, if known.

    Attributes:
        kind: The kind, or ``sensitive``.
        line: The line, if known.
    """

    def __init__(self, kind: str, line: int | None = None) -> None:
        self.kind = kind if type(kind) is str and KIND_PATTERN.fullmatch(kind) else "sensitive"
        self.line = line if type(line) is int else None
        where = "" if self.line is None else f" in line {self.line}"
        super().__init__(
            f"The text holds something that looks like sensitive content ({self.kind}){where}, and such a text "
            "is not stored. Nothing was changed. Leave it out."
        )


def sanitized_error(error: BaseException) -> UncheckedTextError | BlockedTextError:
    """Return a new error to raise in place of what a detector or redactor raised, which may contain the text.

    The text could be in that error's message, cause or traceback. From this package's own errors, only a well-formed
    kind, line or reason is copied; from all others, nothing.
    """
    if isinstance(error, BlockedTextError):
        return BlockedTextError(getattr(error, "kind", ""), getattr(error, "line", None))
    if isinstance(error, ServiceRefusalError):
        return ServiceRefusalError(getattr(error, "service", ""), getattr(error, "service_reason", ""))
    return UncheckedTextError(getattr(error, "reason", "") if isinstance(error, UncheckedTextError) else "failed")


def _is_like(pattern: str, value: object) -> bool:
    return type(value) is str and compiled(pattern).fullmatch(value) is not None
