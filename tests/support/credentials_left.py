"""Finds the AWS credentials that a process still holds: a SnapStart snapshot of it would hold them, too."""

from __future__ import annotations

import gc
import itertools

import boto3
import pytest
from botocore.credentials import Credentials, ReadOnlyCredentials

_numbers = itertools.count(1)


def use_own_credentials(monkeypatch: pytest.MonkeyPatch) -> str:
    """Start like a new process: without a default session, and with credentials in the environment that are new.

    Returns:
        The access key.
    """
    access_key = f"AKIA{next(_numbers):016}"
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", access_key)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    return access_key


def credentials_in_memory(access_key: str) -> list[str]:
    """Return the types of the objects that hold credentials with this access key. Collect garbage first."""
    held = [thing for thing in gc.get_objects() if isinstance(thing, (Credentials, ReadOnlyCredentials))]
    return [type(thing).__name__ for thing in held if _access_key(thing) == access_key]


def _access_key(held: Credentials | ReadOnlyCredentials) -> object:
    if isinstance(held, ReadOnlyCredentials):
        return held.access_key
    kept = vars(held)  # reading the attribute of renewable credentials would renew them
    return kept.get("access_key", kept.get("_access_key"))
