"""What the fixtures of `s3memory.testing.pytest_plugin` do. It needs the extra ``local``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Final
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.httpsession import URLLib3Session
from moto import mock_aws

from s3memory.aws.clients import forget_clients
from s3memory.commands import MemoryCommands
from s3memory.config.settings import Settings
from s3memory.config.variables import PREFIX
from s3memory.keys.key_cache import forget_keys
from s3memory.keys.wrappers.local import LocalKeyWrapper
from s3memory.paths import MemoryPath
from s3memory.store.memory_store import MemoryStore
from s3memory.testing.moto_corrections import correct

REGION: Final = "eu-central-1"

# Of all partitions that have regions for everybody. Servers like S3 have other names, and are the tests' own affair.
_OF_AWS: Final = (".amazonaws.com", ".amazonaws.com.cn", ".amazonaws.eu", ".api.aws")

_bucket_numbers = count(1)


@contextmanager
def aws() -> Iterator[None]:
    """Have moto answer for AWS in this process, with made-up credentials."""
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
        patch.setattr(URLLib3Session, "send", _never_to_aws(URLLib3Session.send))
        forget_clients()
        with mock_aws():
            yield
        forget_clients()


def _never_to_aws(send: Callable[..., Any]) -> Callable[..., Any]:
    """Have a test fail that would reach AWS: moto knows no client that was made before moto was imported."""

    def checked(session: URLLib3Session, request: Any) -> Any:
        host = urlsplit(request.url).hostname or ""
        if host.endswith(_OF_AWS):
            pytest.fail(
                f"a request to {host}: its client was made before s3memory's fixtures, which know nothing of it. Make "
                "clients where they are used, or import moto before what makes them.",
                pytrace=False,
            )
        return send(session, request)

    return checked


@contextmanager
def new_bucket(patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Make a bucket, and have the settings of this process name it, and nothing else but a local key."""
    name = f"s3memory-test-{next(_bucket_numbers)}"
    client = boto3.client("s3", REGION)
    client.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
    client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    for variable in [variable for variable in os.environ if variable.startswith(PREFIX)]:
        patch.delenv(variable)
    patch.setenv(f"{PREFIX}BUCKET", name)
    patch.setenv(f"{PREFIX}LOCAL_KEY", LocalKeyWrapper.generate_key_text())
    forget_keys()
    yield name
    forget_keys()


def commands_in(bucket: str, tenant: str, *, overwrite: bool, **more: Any) -> MemoryCommands:
    """Return the commands over a tenant's memory in a bucket, under the local key that the settings name."""
    arguments: dict[str, Any] = {"key_wrapper": Settings.from_env().key_wrapper(), **more}
    return MemoryCommands(MemoryStore(bucket=bucket, tenant=tenant, **arguments), overwrite=overwrite)


def contents_of(store: MemoryStore) -> dict[str, str]:
    """Return the texts of all files by their paths."""
    files = (store.read(listed.path) for listed in store.files_below(MemoryPath()))
    return {str(file.path): file.text for file in files if file is not None}
