"""Audit events on standard error, for commands that were asked for them by ``S3MEMORY_AUDIT``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def audit_log() -> Iterator[None]:
    """Write audit events as they come, one JSON object a line, where any are made."""
    if os.environ.get("S3MEMORY_AUDIT", "off") in {"", "off"}:
        yield
        return
    import logging  # not loaded where nobody audits

    from s3memory.audit import LOGGER
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
