"""Sends a signed GET with each library, with as little code as possible: the minimum cost of a transport that uses it.

Each library is imported where it is used, so that a process only loads its own. All take the address, the region and
the credentials from the environment, and keep their connections.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

Get = Callable[[str], bytes]
"""Fetches the object at a path, ``/bucket/key``. Threads share it."""

CONNECTIONS = 128
PATH = "/bench/memories/acme/notes.md"


def address() -> str:
    """Return the server's address."""
    return os.environ["AWS_ENDPOINT_URL_S3"]


def boto3() -> Get:
    """boto3 with clients for S3 and KMS, which a memory needs."""
    _without_awscrt()
    import boto3

    boto3.client("kms")
    return _of_botocore(boto3.client)


def botocore() -> Get:
    """A session of botocore with clients for S3 and KMS."""
    _without_awscrt()
    from botocore.session import get_session

    make = get_session().create_client
    make("kms")
    return _of_botocore(make)


def _without_awscrt() -> None:
    # If awscrt is installed, botocore imports it, which costs as much as all its other imports.
    import sys

    sys.modules["awscrt"] = None  # type: ignore[assignment]


def _of_botocore(make: Any) -> Get:
    from botocore.config import Config

    client = make("s3", config=Config(max_pool_connections=CONNECTIONS, s3={"addressing_style": "path"}))

    def get(path: str) -> bytes:
        _, bucket, key = path.split("/", 2)
        body: bytes = client.get_object(Bucket=bucket, Key=key)["Body"].read()
        return body

    return get


def signing() -> Callable[[Any], Any]:
    """Return a function that signs requests with awscrt, AWS's own library, and the environment's credentials."""
    from awscrt import auth

    provider = auth.AwsCredentialsProvider.new_environment()

    def sign(request: Any) -> Any:
        config = auth.AwsSigningConfig(
            algorithm=auth.AwsSigningAlgorithm.V4,
            signature_type=auth.AwsSignatureType.HTTP_REQUEST_HEADERS,
            credentials_provider=provider,
            region=os.environ["AWS_DEFAULT_REGION"],
            service="s3",
            use_double_uri_encode=False,
            should_normalize_uri_path=False,
            signed_body_value=auth.AwsSignedBodyValue.EMPTY_SHA256,
            signed_body_header_type=auth.AwsSignedBodyHeaderType.X_AMZ_CONTENT_SHA_256,
        )
        return auth.aws_sign_request(request, config).result()

    return sign


def http_client() -> Get:
    """Python's http.client, signed by awscrt."""
    import http.client

    from awscrt.http import HttpHeaders, HttpRequest

    url, sign = urlsplit(address()), signing()
    host = str(url.hostname)
    idle: queue.LifoQueue[http.client.HTTPConnection] = queue.LifoQueue()

    def get(path: str) -> bytes:
        request = sign(HttpRequest("GET", path, HttpHeaders([("host", url.netloc)])))
        try:
            connection = idle.get_nowait()
        except queue.Empty:
            connection = http.client.HTTPConnection(host, url.port)
        connection.request("GET", path, headers=dict(request.headers))
        answer = connection.getresponse()
        body = answer.read()
        idle.put(connection)
        return body

    return get


def urllib3() -> Get:
    """urllib3, which botocore depends on, signed by awscrt."""
    import urllib3
    from awscrt.http import HttpHeaders, HttpRequest

    url, sign = urlsplit(address()), signing()
    pool = urllib3.PoolManager(maxsize=CONNECTIONS)

    def get(path: str) -> bytes:
        request = sign(HttpRequest("GET", path, HttpHeaders([("host", url.netloc)])))
        return pool.request("GET", address() + path, headers=dict(request.headers), retries=False).data

    return get


def httpx() -> Get:
    """httpx, signed by awscrt."""
    import httpx
    from awscrt.http import HttpHeaders, HttpRequest

    url, sign = urlsplit(address()), signing()
    client = httpx.Client(
        limits=httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
    )

    def get(path: str) -> bytes:
        request = sign(HttpRequest("GET", path, HttpHeaders([("host", url.netloc)])))
        body: bytes = client.get(address() + path, headers=dict(request.headers)).content
        return body

    return get


def awscrt_http() -> Get:
    """Awscrt alone, with its signing and its HTTP client, whose threads call back into Python."""
    from awscrt import http, io

    url, sign = urlsplit(address()), signing()
    host = str(url.hostname)
    bootstrap = io.ClientBootstrap.get_or_create_static_default()
    sockets = io.SocketOptions()
    idle: queue.LifoQueue[Any] = queue.LifoQueue()

    def get(path: str) -> bytes:
        request = sign(http.HttpRequest("GET", path, http.HttpHeaders([("host", url.netloc)])))
        try:
            connection = idle.get_nowait()
        except queue.Empty:
            connection = http.HttpClientConnection.new(host, int(url.port or 80), bootstrap, sockets).result()
        parts: list[bytes] = []
        stream = connection.request(request, lambda **_: None, lambda chunk, **_: parts.append(bytes(chunk)))
        stream.activate()
        stream.completion_future.result()
        idle.put(connection)
        return b"".join(parts)

    return get


def awscrt_s3() -> Get:
    """Awscrt's S3 client: pool, signing, retries and HTTP in C, with buffers for large objects."""
    from awscrt import auth, http, s3

    url = urlsplit(address())
    client = s3.S3Client(
        region=os.environ["AWS_DEFAULT_REGION"],
        credential_provider=auth.AwsCredentialsProvider.new_environment(),
        tls_mode=s3.S3RequestTlsMode.DISABLED,
    )

    def get(path: str) -> bytes:
        parts: list[bytes] = []
        request = http.HttpRequest("GET", path, http.HttpHeaders([("host", url.netloc)]))
        client.make_request(
            type=s3.S3RequestType.DEFAULT,
            operation_name="GetObject",
            request=request,
            on_body=lambda chunk, **_: parts.append(bytes(chunk)),
        ).finished_future.result()
        return b"".join(parts)

    return get


def pycurl() -> Get:
    """libcurl, which signs by itself."""
    return _of_curl(signs=True)


def pycurl_awscrt() -> Get:
    """libcurl, signed by awscrt."""
    return _of_curl(signs=False)


def _of_curl(*, signs: bool) -> Get:
    from io import BytesIO

    import pycurl

    netloc = urlsplit(address()).netloc
    sign: Any = None
    if not signs:
        from awscrt.http import HttpHeaders, HttpRequest

        sign = signing()
    thread = threading.local()

    def get(path: str) -> bytes:
        handle = getattr(thread, "handle", None)
        if handle is None:
            handle = thread.handle = pycurl.Curl()
            handle.setopt(pycurl.NOSIGNAL, 1)
            if signs:
                handle.setopt(pycurl.AWS_SIGV4, f"aws:amz:{os.environ['AWS_DEFAULT_REGION']}:s3")
                handle.setopt(
                    pycurl.USERPWD, f"{os.environ['AWS_ACCESS_KEY_ID']}:{os.environ['AWS_SECRET_ACCESS_KEY']}"
                )
        if sign is not None:
            request = sign(HttpRequest("GET", path, HttpHeaders([("host", netloc)])))
            handle.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in request.headers])
        body = BytesIO()
        handle.setopt(pycurl.URL, address() + path)
        handle.setopt(pycurl.WRITEDATA, body)
        handle.perform()
        return body.getvalue()

    return get


def obstore() -> Get:
    """Rust's object_store. Its delete takes no condition, and it has neither KMS nor STS."""
    from obstore.store import S3Store

    store = S3Store(
        "bench",
        endpoint=address(),
        client_options={"allow_http": True},
        virtual_hosted_style_request=False,
    )

    def get(path: str) -> bytes:
        return bytes(store.get(path.split("/", 2)[2]).bytes())

    return get


CLIENTS: dict[str, Callable[[], Get]] = {
    "boto3": boto3,
    "botocore": botocore,
    "http.client, awscrt signs": http_client,
    "urllib3, awscrt signs": urllib3,
    "httpx, awscrt signs": httpx,
    "awscrt.http": awscrt_http,
    "awscrt.s3": awscrt_s3,
    "pycurl, libcurl signs": pycurl,
    "pycurl, awscrt signs": pycurl_awscrt,
    "obstore": obstore,
}
"""The libraries by their names in the tables."""
