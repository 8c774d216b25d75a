"""The implementation of the fixtures of `s3memory.testing.pytest_plugin`. It needs the extra ``local``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any, Final
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.httpsession import URLLib3Session
from moto import mock_aws

from s3memory.aws.addresses import is_of_aws
from s3memory.aws.clients import forget_clients
from s3memory.aws.fast.http import Curl
from s3memory.commands import MemoryCommands
from s3memory.config.settings import Settings
from s3memory.config.variables import PREFIX
from s3memory.keys.key_cache import forget_keys
from s3memory.keys.wrappers.local import LocalKeyWrapper
from s3memory.limits import MAX_TEXT_BYTES, Limits
from s3memory.paths import MemoryPath
from s3memory.store.memory_store import MemoryStore
from s3memory.testing.moto_corrections import correct
from s3memory.testing.moto_server import REGION

_WIDEST: Final = Limits(max_file_bytes=MAX_TEXT_BYTES)

_bucket_numbers = count(1)


@contextmanager
def away_from_aws() -> Iterator[None]:
    """Keep all requests of this process from AWS. Its environment has made-up credentials, which moto accepts."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "testing")
        for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
            patch.setenv(name, os.devnull)
        patch.setenv("AWS_DEFAULT_REGION", REGION)
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        correct(patch.setattr)
        patch.setattr(URLLib3Session, "send", _never_to_aws(URLLib3Session.send, _NOT_MOCKED))
        patch.setattr(Curl, "__call__", _never_to_aws(Curl.__call__, _FAST))
        forget_clients()
        yield
        forget_clients()


_NOT_MOCKED: Final = (
    "its client was made before s3memory's fixtures, so they could not mock it, or is used outside of them. Make "
    "clients where they are used, or import moto before the module that makes them."
)
_FAST: Final = 'moto does not mock libcurl. Tests of transport="fast" need a server: see MotoServer.'


def _never_to_aws(send: Callable[..., Any], why: str) -> Callable[..., Any]:
    """Return a wrapper of `send` that fails the test if a request would reach AWS, because moto does not mock it."""

    def checked(sender: object, request: Any) -> Any:
        host = urlsplit(request.url).hostname or ""
        if is_of_aws(host):  # S3-like servers are allowed
            pytest.fail(f"a request to {host}: {why}", pytrace=False)
        return send(sender, request)

    return checked


@cache
def _client() -> Any:
    """Return the client that makes buckets. It is cached: making a client takes longer than most tests."""
    return boto3.session.Session().client("s3", REGION)


@contextmanager
def new_bucket(patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Make a bucket, and set the ``S3MEMORY_*`` variables of this process to it and a local key, and no others.

    moto is active only inside this context. Otherwise, users' own fixtures in later tests would find its state.
    """
    name = f"s3memory-test-{next(_bucket_numbers)}"
    with mock_aws():
        _client().create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
        _client().put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        for variable in [variable for variable in os.environ if variable.startswith(PREFIX)]:
            patch.delenv(variable)
        patch.setenv(f"{PREFIX}BUCKET", name)
        patch.setenv(f"{PREFIX}LOCAL_KEY", LocalKeyWrapper.generate_key_text())
        forget_keys()
        yield name
        forget_keys()


def commands_in(bucket: str, tenant: str, *, overwrite: bool, **more: Any) -> MemoryCommands:
    """Return the commands for a tenant's memory in a bucket. The settings determine its prefix and key."""
    settings = Settings.from_env()
    arguments: dict[str, Any] = {"key_wrapper": settings.key_wrapper(), "prefix": settings.get("PREFIX", ""), **more}
    return MemoryCommands(MemoryStore(bucket=bucket, tenant=tenant, **arguments), overwrite=overwrite)


def contents_of(bucket: str, tenant: str, **more: Any) -> dict[str, str]:
    """Return the texts of all files of a tenant by their paths, however large they are."""
    store = commands_in(bucket, tenant, overwrite=False, **{"limits": _WIDEST, **more}).store
    files = (store.read(listed.path) for listed in store.files.below(MemoryPath()))
    return {str(file.path): file.text for file in files if file is not None}
