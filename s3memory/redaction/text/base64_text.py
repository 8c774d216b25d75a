"""Decodes base64 where a rule expects it."""

from __future__ import annotations

from binascii import a2b_base64


def decoded(text: str) -> bytes:
    """Return the bytes that `text` encodes in base64, with or without padding; empty if it isn't base64."""
    try:
        return a2b_base64(text + "=" * (-len(text) % 4))
    except ValueError:
        return b""
