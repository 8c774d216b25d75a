"""moto as a server of S3, KMS and STS on loopback, for agents that run in other processes.

It runs in its own process, not on a thread: each server has its own state (moto's is global to a process), the test and
the server do not share an interpreter lock, and the patches of `mock_aws` in the test do not affect it. It needs the
extra ``local``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, Final, Self

from s3memory._extras import LIBRARIES_OF_MOTO_SERVER, ensure_installed

if TYPE_CHECKING:
    import boto3
    from mypy_boto3_kms.client import KMSClient
    from mypy_boto3_s3.client import S3Client

REGION: Final = "eu-central-1"
REQUESTS_PATH = "/_requests"
"""The path of the server's record of requests. No bucket's name begins with an underscore."""

_CREDENTIAL = "testing"
_ANSWER_SECONDS = 10.0
_STDERR_TAIL_BYTES = 2_000


@dataclass(frozen=True, slots=True)
class ServedRequest:
    """A request that the server has answered.

    Attributes:
        service: ``s3``, ``kms`` or ``sts``.
        operation: AWS's name of the operation, such as ``PutObject``, ``Decrypt`` or ``AssumeRole``.
        path: the path of its URL: for S3, ``/bucket/object-key``.
        status: the HTTP status of the response.
    """

    service: str
    operation: str
    path: str
    status: int


class MotoServer:
    """A context manager that runs moto on a free port of 127.0.0.1.

    The server is ready once the context is entered. It stops when the context is left, and also when this process ends
    in any other way. It shares nothing with other servers or with `moto.mock_aws`.

    Example:
        ```python
        with MotoServer() as server:
            server.make_bucket("memory")
            server.make_kms_key("alias/memory")
            settings = {"S3MEMORY_BUCKET": "memory", "S3MEMORY_KMS_KEY_ID": "alias/memory"}
            subprocess.run([...], env=os.environ | server.environment | settings, check=True)
            assert [request.operation for request in server.requests if request.service == "kms"] == ["GenerateDataKey"]
        ```

    Args:
        start_timeout_seconds: how long to wait for the server. Importing moto takes most of the time.
        is_awaited: whether entering the context waits for the server. If not, its address is known at once, requests
            wait for the server, and `wait` raises if it did not start.
    """

    def __init__(self, *, start_timeout_seconds: float = 60.0, is_awaited: bool = True) -> None:
        self._start_timeout_seconds = start_timeout_seconds
        self._is_awaited = is_awaited
        self._answers = False
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None
        self._port: int | None = None
        self._has_kms_key = False
        self._clients: dict[str, Any] = {}
        self._cleanup = ExitStack()

    def __enter__(self) -> Self:
        """Start the server.

        Raises:
            MissingExtraError: moto's server is not installed.
            RuntimeError: it did not start in time; or this server is running already.
        """
        if self._port is not None:
            raise RuntimeError("this MotoServer is running already; make another one")
        ensure_installed("MotoServer", LIBRARIES_OF_MOTO_SERVER)
        with ExitStack() as cleanup:
            cleanup.callback(self._forget)
            self._port = self._start(cleanup)
            if self._is_awaited:
                self.wait()
            self._cleanup = cleanup.pop_all()
        return self

    def wait(self) -> None:
        """Wait until the server answers. If it already does, return at once.

        Raises:
            RuntimeError: it did not start in time; or its context is not entered.
        """
        if not self._answers:
            # This import takes a third of a second, and costs nothing while the server imports moto.
            import boto3  # noqa: F401

            self._read_port()
            self._answers = True

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    @property
    def endpoint_url(self) -> str:
        """The address of the server, for S3, KMS and the other services of moto."""
        if self._port is None:
            raise RuntimeError("a MotoServer has an address only while its context is entered")
        return f"http://127.0.0.1:{self._port}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that direct s3memory and boto3 in another process to this server.

        They hold made-up credentials, a region, and the address for S3, KMS and STS, in boto3's variables and in
        s3memory's. s3memory refuses an address of KMS without a key, so its variable for KMS is included only after
        `make_kms_key` was called. They name neither a bucket nor a key. If you add them to an environment with
        ``AWS_PROFILE``, remove that variable: boto3 would look for the profile.
        """
        # Other boto3 clients must stay on this machine too: without these, they would send the credentials to AWS.
        endpoints = {f"AWS_ENDPOINT_URL_{service}": self.endpoint_url for service in ("S3", "KMS", "STS")}
        endpoints["S3MEMORY_ENDPOINT_URL"] = self.endpoint_url
        if self._has_kms_key:
            endpoints["S3MEMORY_KMS_ENDPOINT_URL"] = self.endpoint_url
        return {
            "AWS_ACCESS_KEY_ID": _CREDENTIAL,
            "AWS_SECRET_ACCESS_KEY": _CREDENTIAL,
            "AWS_SESSION_TOKEN": _CREDENTIAL,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
            **endpoints,
        }

    @property
    def requests(self) -> list[ServedRequest]:
        """All requests that were answered since the start, in the order of the responses."""
        # The default opener would use proxies from the environment.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.endpoint_url + REQUESTS_PATH, timeout=_ANSWER_SECONDS) as answer:
            return [ServedRequest(**fields) for fields in json.load(answer)]

    @property
    def s3_client(self) -> S3Client:
        """A boto3 client of this server's S3."""
        client: S3Client = self._client("s3")
        return client

    @property
    def kms_client(self) -> KMSClient:
        """A boto3 client of this server's KMS."""
        client: KMSClient = self._client("kms")
        return client

    def make_bucket(self, name: str, *, versioned: bool = True) -> None:
        """Make a bucket."""
        self.s3_client.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
        if versioned:
            self.s3_client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})

    def make_kms_key(self, alias: str) -> str:
        """Make a symmetric KMS key with an alias (``alias/...``). Return the key's ARN."""
        key = self.kms_client.create_key()["KeyMetadata"]
        self.kms_client.create_alias(AliasName=alias, TargetKeyId=key["KeyId"])
        self._has_kms_key = True
        return key["Arn"]

    def _start(self, cleanup: ExitStack) -> int:
        self._stderr = stderr = cleanup.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - `cleanup` closes it
        self._process = process = cleanup.enter_context(
            subprocess.Popen(
                [sys.executable, "-P", "-m", "s3memory.testing.moto_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                # moto makes boto3 sessions too, which one of the user's profiles could break.
                env={name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "MOTO_"))},
                # Ctrl-C in a terminal goes to all its processes, but the server has to outlive those that need it.
                start_new_session=True,
            )
        )
        cleanup.callback(process.kill)
        cleanup.callback(self._close_clients)
        # The server writes its port when it listens, which is before it imports moto, and again when it answers. So
        # nothing is polled, and no other process can take the port.
        return self._read_port()

    def _read_port(self) -> int:
        """Read the server's port from its output. Raise `RuntimeError` if the server does not write it in time."""
        process, stderr = self._process, self._stderr
        if process is None or stderr is None:
            raise RuntimeError("wait() of a MotoServer works only while its context is entered")
        timeout = threading.Timer(self._start_timeout_seconds, process.kill)
        timeout.start()
        try:
            line = process.stdout.readline() if process.stdout is not None else b""
        finally:
            timeout.cancel()
            timeout.join()
        if not line.strip().isdigit():
            stderr.seek(max(0, stderr.seek(0, 2) - _STDERR_TAIL_BYTES))
            output = stderr.read().decode("utf-8", "replace").strip()
            raise RuntimeError(f"moto did not start within {self._start_timeout_seconds:g} s\n{output}".strip())
        return int(line)

    def _forget(self) -> None:
        self._port = self._process = self._stderr = None
        self._answers = self._has_kms_key = False

    @cached_property
    def _session(self) -> boto3.Session:
        import boto3
        import botocore.session

        # The user's profile and configuration files are ignored.
        no_file = (None, None, os.devnull, None)
        variables = {"profile": (None, None, None, None), "config_file": no_file, "credentials_file": no_file}
        core = botocore.session.Session(session_vars=variables)
        return boto3.Session(_CREDENTIAL, _CREDENTIAL, _CREDENTIAL, REGION, botocore_session=core)

    def _client(self, service: str) -> Any:
        from botocore.config import Config

        if service not in self._clients:
            self._clients[service] = self._session.client(
                service,  # type: ignore[call-overload]  # either of two, and Any to our callers' annotations
                endpoint_url=self.endpoint_url,
                config=Config(proxies={}, s3={"addressing_style": "path"}),
            )
        return self._clients[service]

    def _close_clients(self) -> None:
        for client in self._clients.values():
            client.close()
        self._clients.clear()
