"""Audit events of commands on standard error, if ``S3MEMORY_AUDIT`` asks for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def audit_log() -> Iterator[None]:
    """Write audit events as they are recorded, one JSON object per line, if auditing is on."""
    if os.environ.get("S3MEMORY_AUDIT", "off") in {"", "off"}:
        yield
        return
    import logging  # not loaded without auditing

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
