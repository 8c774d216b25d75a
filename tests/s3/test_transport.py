"""The S3 requests of this package form a protocol: it makes no others, and both transports support them all."""

from __future__ import annotations

import ast
import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from support.repository import REPOSITORY

from s3memory.aws.retry import RetryPolicy
from s3memory.s3.bucket import Bucket
from s3memory.s3.objects import Deletion
from s3memory.s3.transport import Transport

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

REQUESTS = {name for name, member in vars(Transport).items() if inspect.isfunction(member) and not name.startswith("_")}
NO_REQUESTS = {"meta"}


def test_the_package_makes_exactly_the_requests_of_the_protocol() -> None:
    made: set[str] = set()
    for module in (REPOSITORY / "s3memory" / "s3").glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                if owner in {"client", "_client"} and not node.attr.startswith("_"):
                    made.add(node.attr)
    assert made - NO_REQUESTS == REQUESTS


def test_a_client_of_boto3_is_a_transport(s3: S3Client) -> None:
    transport: Transport = s3
    assert {name for name in REQUESTS if not callable(getattr(transport, name, None))} == set()
    assert transport.meta.endpoint_url


class OfTheProtocol:
    """A client that accepts the protocol's arguments, and no others."""

    def __init__(self, client: S3Client) -> None:
        self._client = client
        self.meta = client.meta

    def __getattr__(self, name: str) -> Any:
        signature = inspect.signature(partial(getattr(Transport, name), self))

        def asked(**arguments: Any) -> Any:
            signature.bind(**arguments)
            return getattr(self._client, name)(**arguments)

        return asked


def test_no_request_has_an_argument_outside_of_the_protocol(s3: S3Client, bucket: str) -> None:
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    client: Any = OfTheProtocol(s3)
    of_protocol = Bucket(client, bucket, retry=RetryPolicy(max_tries=1))
    etag = of_protocol.put("d/a", b"one")
    assert etag is not None
    etag = of_protocol.put("d/a", b"two", over=etag)
    assert etag is not None
    of_protocol.put("d/b", b"three")
    older = next(version for version in of_protocol.versions.below("d/a") if version.is_older)
    fetched = of_protocol.get("d/a", version_id=older.version_id, first_bytes=2)
    assert fetched is not None
    assert fetched.body == b"on"
    assert of_protocol.head("d/a") is not None
    page = of_protocol.list_page("", delimited=True)
    assert page.prefixes == ("d/",)
    assert [len(page.objects) for page in of_protocol.list_pages("d/")] == [2]
    assert of_protocol.list_page("d/", max_keys=1).next_token is not None
    assert of_protocol.first_listed("d/") is not None
    assert list(of_protocol.versions.uploads_below("d/")) == []
    assert b"".join(of_protocol.versions.chunks("d/a", older.version_id)) == b"one"
    assert of_protocol.deletes.one("d/a", etag=etag) is Deletion.DONE
    assert of_protocol.deletes.whatever("d/b") is Deletion.DONE
    of_protocol.versions.destroy([older])
