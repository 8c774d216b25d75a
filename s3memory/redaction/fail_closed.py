"""The one way from a redactor to the store: whatever a redactor does wrong, nothing is written.

No text, and nothing of what a failing redactor said, gets into an error or a log: it may quote what it looked at. Only
errors whose words are this package's own are passed on, as new errors.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from itertools import pairwise
from urllib.parse import unquote

from s3memory.errors import RedactionError
from s3memory.redaction.checks import is_kind
from s3memory.redaction.model import PLACEHOLDER_START, Finding, Redaction, Redactor
from s3memory.redaction.refusals import BlockedTextError, UncheckedTextError, made_anew

_log = logging.getLogger("s3memory")

# No token that is recognized by its format alone is shorter.
_LEAST_HALVES = 16


def redact_text(redactor: Redactor | None, text: str) -> Redaction:
    """Return `text` as it may be stored; without a redactor, as it is.

    Raises:
        BlockedTextError: the redactor refused it for what is in it.
        UncheckedTextError: the redactor raised something else, or did not return a `Redaction`.
    """
    if redactor is None:
        return Redaction(text)
    redaction = _asked(redactor, text)
    if isinstance(redaction, RedactionError):
        raise redaction
    for finding in redaction.findings:
        if finding.is_kept:
            _log.info("a text that is stored has something of kind %s in line %d", finding.kind, finding.line)
    return redaction


def kinds_in_path(redactor: Redactor | None, path: str, segments: Iterable[str]) -> list[str]:
    """Return the kinds that the redactor finds in a path: in all of it, in a segment, or once they are decoded.

    A redactor that fails raises a `RedactionError`.
    """
    if redactor is None:
        return []
    from s3memory.redaction.decoding import decoded_texts  # not needed by who only reads
    from s3memory.redaction.kinds import GENERAL_KINDS

    segments = list(segments)
    # Names that are put together are words that nobody wrote, so nothing is a secret there for what it is called.
    kinds = [kind for half in _halves(segments) for kind in _kinds_in(redactor, half) if kind not in GENERAL_KINDS]
    for look in sorted({path, *decoded_texts(path), *segments, *map(unquote, segments)}):
        kinds += _kinds_in(redactor, look)
    return list(dict.fromkeys(kinds))


def _halves(segments: Iterable[str]) -> list[str]:
    """Return each two segments that follow one another, put together: a token may stand in both."""
    return [f"{first}{second}" for first, second in pairwise(segments) if len(first) + len(second) >= _LEAST_HALVES]


def _kinds_in(redactor: Redactor, look: str) -> list[str]:
    try:
        return [finding.kind for finding in redact_text(redactor, look).findings if not finding.is_kept]
    except BlockedTextError as error:
        return [error.kind]


def refuse_sensitive_path(redactor: Redactor | None, path: str, segments: Iterable[str]) -> None:
    """Refuse a path in which the redactor finds anything: see `kinds_in_path`.

    Raises:
        RedactionError: it found something, or failed. The text names the kind, not the path.
    """
    if kinds := kinds_in_path(redactor, path, segments):
        refusal = RedactionError(
            f"The path holds something that looks like sensitive content ({kinds[0]}), so it was refused. "
            "Nothing was changed. Use another name."
        )
        refusal.is_of_path = True
        raise refusal


def refuse_sensitive_paths(redactor: Redactor | None, paths: Sequence[tuple[str, tuple[str, ...]]]) -> None:
    """Refuse paths as `refuse_sensitive_path` does. Each comes with its segments, whose names were looked at before.

    Most have nothing: they are looked at together, and one by one only where something is found so, or that fails.
    """
    if redactor is None:
        return
    looks = {path for path, _ in paths} | {half for _, segments in paths for half in _halves(segments)}
    try:
        is_clean = not _kinds_in(redactor, "\n".join(sorted(looks)))
    except RedactionError:  # all at once may be too much for a budget or a service
        is_clean = False
    if not is_clean:
        for path, segments in paths:
            refuse_sensitive_path(redactor, path, segments)


def placeholders_of(redactor: Redactor, text: str) -> list[tuple[int, int]]:
    """Return where placeholders stand in `text` whose kinds are built in or the redactor's, in order."""
    if PLACEHOLDER_START not in text:
        return []
    from s3memory.redaction.detector import known_kinds_of  # the rules come with it
    from s3memory.redaction.merging import placeholders  # not needed by who only reads
    from s3memory.redaction.policy import KNOWN_KINDS  # the rules come with it

    return placeholders(text, KNOWN_KINDS | known_kinds_of(redactor))


def _asked(redactor: Redactor, text: str) -> Redaction | RedactionError:
    """Return what a redactor returns, or the error that stands for what it raised.

    That one is raised elsewhere: what a redactor raises may carry the text in its traceback, too.
    """
    try:
        redaction = redactor.redact(text)
    except (BlockedTextError, UncheckedTextError) as error:
        return made_anew(error)
    except Exception as error:  # noqa: BLE001 - a hook of the user's: whatever it raises, the write is refused
        _log.warning("the redactor failed, so a write was refused: %s", type(error).__name__)
        return UncheckedTextError()
    if not _is_well_formed(redaction):
        _log.warning("the redactor failed, so a write was refused: it returned %s", _called(redaction))
        return UncheckedTextError()
    return redaction


def _called(returned: object) -> str:
    """Return what to call something that is no well-formed `Redaction`: by its type alone."""
    is_ours = isinstance(returned, Redaction)
    return "a malformed Redaction" if is_ours else f"{type(returned).__name__}, not a Redaction"


def _is_well_formed(redaction: object) -> bool:
    if not isinstance(redaction, Redaction):
        return False
    # Nothing but a type checker has seen to it that the fields are what they are declared as.
    text, findings = (getattr(redaction, name) for name in ("text", "findings"))
    return isinstance(text, str) and isinstance(findings, tuple) and all(map(_is_finding, findings))


def _is_finding(finding: object) -> bool:
    if not isinstance(finding, Finding):
        return False
    kind, line, is_kept = (getattr(finding, name) for name in ("kind", "line", "is_kept"))
    return is_kind(kind) and isinstance(line, int) and isinstance(is_kept, bool)
