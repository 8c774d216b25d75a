"""The example's handler, which also reports whether its process has imported botocore, or anything installed here."""

from __future__ import annotations

import sys
from typing import Any

import handler as bare


def _is_installed(module: Any) -> bool:
    return "-packages" in (getattr(module, "__file__", None) or "")


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Answer as the handler does, and add the report."""
    return {
        "response": bare.handler(event, context),
        "has_botocore": "botocore" in sys.modules,
        "installed": [name for name, module in list(sys.modules.items()) if _is_installed(module)],
    }
