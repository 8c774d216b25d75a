"""Deletes of many objects in one request: what fits into one, and what the errors mean that come back by key.

``DeleteObjects`` answers 200 also where it did not delete everything. Some of its errors by key pass, and no transport
sends those keys again: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from s3memory.aws.errors import CONFLICT_CODES, LATER_CODES, TIMEOUT_CODES, known_code

TRANSIENT_CODES = LATER_CODES | TIMEOUT_CODES | CONFLICT_CODES | {"InternalError"}
"""Errors by key that another try may not meet. Any other is S3's last word."""

# What XML 1.0 can't carry; and white space but the blank, which an XML parser may put right.
_UNFIT = re.compile("[\x00-\x1f\ufffe\uffff]")


def fits_a_batch(object_key: str) -> bool:
    """Whether a key can be in the body of ``DeleteObjects``. One that can't is taken by ``DeleteObject`` alone."""
    return _UNFIT.search(object_key) is None


def code_of(failed: Mapping[str, Any]) -> str:
    """Return the code of an error by key, safe to log: ``unknown`` where it looks like none of AWS's."""
    return known_code(failed.get("Code", "unknown"))
