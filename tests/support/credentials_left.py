"""Which AWS credentials a process still holds: what a SnapStart snapshot of it would hold, too."""

from __future__ import annotations

import gc
import itertools

import boto3
import pytest
from botocore.credentials import Credentials, ReadOnlyCredentials

_numbers = itertools.count(1)


def use_own_credentials(monkeypatch: pytest.MonkeyPatch) -> str:
    """Begin like a new process: no default session, and credentials in the environment that no other test has.

    Returns:
        The access key.
    """
    access_key = f"AKIA{next(_numbers):016}"
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", access_key)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    return access_key


def credentials_in_memory(access_key: str) -> list[str]:
    """Return the types of the objects that hold the credentials with this access key; a caller collects garbage."""
    held = [thing for thing in gc.get_objects() if isinstance(thing, (Credentials, ReadOnlyCredentials))]
    return [type(thing).__name__ for thing in held if _access_key(thing) == access_key]


def _access_key(held: Credentials | ReadOnlyCredentials) -> object:
    if isinstance(held, ReadOnlyCredentials):
        return held.access_key
    kept = vars(held)  # the attribute of credentials that renew themselves would renew them
    return kept.get("access_key", kept.get("_access_key"))
