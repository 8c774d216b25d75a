"""Calls redactors for the store, and fails closed: whatever a redactor does wrong, nothing is written.

Errors and logs contain neither the text nor the message of a failing redactor, which may quote the text. Only errors of
this package are passed on, as new errors in its own words.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from itertools import pairwise
from urllib.parse import unquote

from s3memory.errors import RedactionError
from s3memory.redaction.checks import is_kind
from s3memory.redaction.interface import PLACEHOLDER_START, Finding, Redaction, Redactor
from s3memory.redaction.refusals import BlockedTextError, UncheckedTextError, sanitized_error

_log = logging.getLogger("s3memory")

# The minimum length of a token that is recognized by its format alone.
_MIN_TOKEN_CHARACTERS = 16


def redact_text(redactor: Redactor | None, text: str) -> Redaction:
    """Return `text` as it may be stored; without a redactor, unchanged.

    Raises:
        BlockedTextError: The redactor refused the text because of its content.
        UncheckedTextError: The redactor raised something else, or did not return a `Redaction`.
    """
    if redactor is None:
        return Redaction(text)
    redaction = _redaction_or_error(redactor, text)
    if isinstance(redaction, RedactionError):
        raise redaction
    for finding in redaction.findings:
        if finding.is_kept:
            _log.info("a text that is stored has something of kind %s in line %d", finding.kind, finding.line)
    return redaction


def kinds_in_path(redactor: Redactor | None, path: str, segments: Iterable[str]) -> list[str]:
    """Return the kinds that the redactor finds in a path: in the whole path or one segment, as written or decoded.

    Raises:
        RedactionError: The redactor failed.
    """
    if redactor is None:
        return []
    from s3memory.redaction.decoding import decoded_texts  # a process that only reads does not need it
    from s3memory.redaction.kinds import GENERAL_KINDS

    segments = list(segments)
    # Nobody wrote the joined segments as one text, so a label in one says nothing about a value in the other.
    kinds = [kind for pair in _joined(segments) for kind in _kinds_in(redactor, pair) if kind not in GENERAL_KINDS]
    # A path that was sent with the "//" of a URL has one slash by now.
    for text in sorted({path, path.replace(":/", "://"), *decoded_texts(path), *segments, *map(unquote, segments)}):
        kinds += _kinds_in(redactor, text)
    return list(dict.fromkeys(kinds))


def _joined(segments: Iterable[str]) -> list[str]:
    """Return each pair of consecutive segments, joined: a token may be split over the two."""
    pairs = (f"{first}{second}" for first, second in pairwise(segments))
    return [pair for pair in pairs if len(pair) >= _MIN_TOKEN_CHARACTERS]


def _kinds_in(redactor: Redactor, text: str) -> list[str]:
    try:
        return [finding.kind for finding in redact_text(redactor, text).findings if not finding.is_kept]
    except BlockedTextError as error:
        return [error.kind]


def refuse_sensitive_path(redactor: Redactor | None, path: str, segments: Iterable[str]) -> None:
    """Refuse a path in which the redactor finds anything: see `kinds_in_path`.

    Raises:
        RedactionError: It found something, or failed. The message names the kind, not the path.
    """
    try:
        kinds = kinds_in_path(redactor, path, segments)
    except RedactionError as failure:
        failure.is_of_path = True
        raise
    if kinds:
        refusal = RedactionError(
            f"The path holds something that looks like sensitive content ({kinds[0]}), so it was refused. "
            "Nothing was changed. Use another name."
        )
        refusal.is_of_path = True
        raise refusal


def refuse_sensitive_paths(redactor: Redactor | None, paths: Sequence[tuple[str, tuple[str, ...]]]) -> None:
    """Refuse paths as `refuse_sensitive_path` does. Each comes with its segments, which were checked before.

    Most paths are clean, so all are checked as one text first, and one by one only if that finds something or fails.
    In one text, each is context for the others, so a name that only a model takes for a secret may pass.
    """
    if redactor is None:
        return
    texts = {path for path, _ in paths} | {pair for _, segments in paths for pair in _joined(segments)}
    try:
        is_clean = not _kinds_in(redactor, "\n".join(sorted(texts)))
    except RedactionError:  # all of them may be too much for a budget or a service
        is_clean = False
    if not is_clean:
        for path, segments in paths:
            refuse_sensitive_path(redactor, path, segments)


def placeholders_of(redactor: Redactor, text: str) -> list[tuple[int, int]]:
    """Return the start and end of each placeholder in `text` of a built-in kind or one of the redactor's, in order."""
    if PLACEHOLDER_START not in text:
        return []
    # Imported here because all rules are loaded with them, which a process that only reads does not need.
    from s3memory.redaction.detector import known_kinds_of
    from s3memory.redaction.merging import placeholders
    from s3memory.redaction.policy import KNOWN_KINDS

    return placeholders(text, KNOWN_KINDS | known_kinds_of(redactor))


def _redaction_or_error(redactor: Redactor, text: str) -> Redaction | RedactionError:
    """Return what a redactor returns, or the error that replaces whatever it raised.

    The caller raises that error: here, it would carry the redactor's error as its context, and with it the text.
    """
    try:
        redaction = redactor.redact(text)
    except (BlockedTextError, UncheckedTextError) as error:
        return sanitized_error(error)
    except Exception as error:  # noqa: BLE001 - third-party code: whatever it raises, the write is refused
        _log.warning("the redactor failed, so a write was refused: %s", type(error).__name__)
        return UncheckedTextError()
    if not _is_well_formed(redaction):
        _log.warning("the redactor failed, so a write was refused: it returned %s", _type_of(redaction))
        return UncheckedTextError()
    return redaction


def _type_of(returned: object) -> str:
    """Describe something that is not a well-formed `Redaction`, by its type alone."""
    is_ours = isinstance(returned, Redaction)
    return "a malformed Redaction" if is_ours else f"{type(returned).__name__}, not a Redaction"


def _is_well_formed(redaction: object) -> bool:
    if not isinstance(redaction, Redaction):
        return False
    # At run time, nothing has checked the types of the fields.
    text, findings = (getattr(redaction, name) for name in ("text", "findings"))
    return isinstance(text, str) and isinstance(findings, tuple) and all(map(_is_finding, findings))


def _is_finding(finding: object) -> bool:
    if not isinstance(finding, Finding):
        return False
    kind, line, is_kept = (getattr(finding, name) for name in ("kind", "line", "is_kept"))
    return is_kind(kind) and isinstance(line, int) and isinstance(is_kept, bool)
