"""Deletes of many objects in one request: which keys it can hold, and what its per-key errors mean.

``DeleteObjects`` returns 200 even if it did not delete everything. Some per-key errors are transient, and no transport
resends those keys: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from s3memory.aws.errors import CONFLICT_CODES, LATER_CODES, TIMEOUT_CODES, known_code

TRANSIENT_CODES = LATER_CODES | TIMEOUT_CODES | CONFLICT_CODES | {"InternalError"}
"""Per-key errors that a retry may not meet. Any other is final."""

# Characters that XML 1.0 can't carry, and white space other than a blank, which an XML parser may normalize.
_UNFIT = re.compile("[\x00-\x1f\ufffe\uffff]")


def fits_a_batch(object_key: str) -> bool:
    """Whether the body of ``DeleteObjects`` can carry a key. Only ``DeleteObject`` can delete the others."""
    return _UNFIT.search(object_key) is None


def code_of(failed: Mapping[str, Any]) -> str:
    """Return the code of a per-key error, safe to log: ``unknown`` if it does not look like one of AWS's."""
    return known_code(failed.get("Code", "unknown"))
