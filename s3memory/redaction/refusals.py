"""Why a text is not stored, in words that are all this package's: a model may read them, whatever the text is."""

from __future__ import annotations

from s3memory.errors import RedactionError
from s3memory.redaction.model import KIND_PATTERN
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


# Words of an adapter, and in brackets the code of an error, as in "did not answer (ThrottlingException)".
_SERVICE = r"[A-Za-z]{1,20}(?: [A-Za-z]{1,20}){0,3}"
_SERVICE_REASON = r"[a-z]{1,15}(?: [a-z]{1,15}){0,15}(?: \([A-Za-z0-9_.-]{0,64}\))?"


class ServiceRefusalError(UncheckedTextError):
    """A text was not checked by a service that has to, so it is not stored.

    Args:
        service: Who was asked.
        reason: What went wrong, in small letters of this package's, and at most the code of an error in brackets.
            If either has another form, the error says only that the text could not be checked.
    """

    def __init__(self, service: str, reason: str) -> None:
        super().__init__()
        self.service, self.service_reason = service, reason
        if _is_like(_SERVICE, service) and _is_like(_SERVICE_REASON, reason):
            told = f"could not be checked for sensitive content: {service} {reason}"
            self.args = (f"The text {told}. Nothing was changed.",)


class BlockedTextError(RedactionError):
    """A text holds something of a kind that must not be written, not even redacted.

    Args:
        kind: What it holds. What is not a kind is reported as ``sensitive``.
        line: The 1-based line of the text where it stands, if that is known.

    Attributes:
        kind: What it holds.
        line: As above.
    """

    def __init__(self, kind: str, line: int | None = None) -> None:
        self.kind = kind if type(kind) is str and KIND_PATTERN.fullmatch(kind) else "sensitive"
        self.line = line if type(line) is int else None
        where = "" if self.line is None else f" in line {self.line}"
        super().__init__(
            f"The text holds something that looks like sensitive content ({self.kind}){where}, and such a text "
            "is not stored. Nothing was changed. Leave it out."
        )


def made_anew(error: BaseException) -> UncheckedTextError | BlockedTextError:
    """Return an error in this package's words for what a detector or redactor raised.

    That one may carry the text, in its words, its cause or its traceback: of its own kinds of errors, this package
    takes what has the form of a kind, a number or a reason, and of all others nothing.
    """
    if isinstance(error, BlockedTextError):
        return BlockedTextError(getattr(error, "kind", ""), getattr(error, "line", None))
    if isinstance(error, ServiceRefusalError):
        return ServiceRefusalError(getattr(error, "service", ""), getattr(error, "service_reason", ""))
    return UncheckedTextError(getattr(error, "reason", "") if isinstance(error, UncheckedTextError) else "failed")


def _is_like(pattern: str, value: object) -> bool:
    return type(value) is str and compiled(pattern).fullmatch(value) is not None
