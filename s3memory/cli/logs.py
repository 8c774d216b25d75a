"""Logs on standard error: audit events, if ``S3MEMORY_AUDIT`` asks for them, and what went wrong for an agent."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from s3memory.cli.ending import hint_for_code

_PACKAGE = "s3memory"


@contextmanager
def audit_log() -> Iterator[None]:
    """Write audit events as they are recorded, one JSON object per line, if auditing is on."""
    if os.environ.get("S3MEMORY_AUDIT", "off") in {"", "off"}:
        yield
        return
    from s3memory.audit import LOGGER  # not loaded without auditing
    from s3memory.audit.emf import printed_on

    logger, handler = logging.getLogger(LOGGER), logging.StreamHandler(sys.stderr)
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        with printed_on(sys.stderr):
            yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class _Formatter(logging.Formatter):
    """Adds which setting to check, as the command line does to its own errors."""

    def format(self, record: logging.LogRecord) -> str:
        hint = hint_for_code(getattr(record, "code", None))
        return super().format(record) + (f". {hint}" if hint else "")


@contextmanager
def package_log() -> Iterator[None]:
    """Show this package's warnings and errors, for commands whose output a model reads. They hold no tenant's data."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    handler.setFormatter(_Formatter("s3memory: %(message)s"))
    handler.addFilter(lambda record: record.name == _PACKAGE)  # audit events have a handler of their own
    logging.getLogger(_PACKAGE).addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger(_PACKAGE).removeHandler(handler)
