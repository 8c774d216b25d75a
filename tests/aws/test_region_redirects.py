"""Redirects on boto3's clients: those to a bucket's region are followed, and any other is an error of the request."""

from __future__ import annotations

from typing import Any

import pytest
from support.wire_server import Received, Reply, WireServer, answer

from s3memory import MemoryCommands
from s3memory.aws.clients import PROCESS
from s3memory.errors import BackendError

KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
pytestmark = pytest.mark.usefixtures("no_clients_of_other_tests")


@pytest.mark.parametrize("status", [301, 302, 307])
def test_an_endpoint_that_redirects_everything_is_reported_as_an_error(status: int) -> None:
    """A view requests the key ring and the listing; each may ask once for the bucket's region."""
    redirect = answer(status, b"<html>moved</html>", Location="https://s3.example.com/")
    with WireServer(lambda _: redirect) as server:
        environ = {"S3MEMORY_BUCKET": "b-b", "S3MEMORY_LOCAL_KEY": KEY, "S3MEMORY_ENDPOINT_URL": server.url}
        commands = MemoryCommands.from_env(tenant="acme", environ=environ)
        with pytest.raises(BackendError, match="could not do this") as caught:
            commands.view("/memories")
    assert type(caught.value) is BackendError
    assert sorted(one.method for one in server.received) == ["GET", "GET", "HEAD", "HEAD"]


@pytest.mark.parametrize("names_region", ["by the first answer", "by the answer to HeadBucket"])
def test_a_bucket_in_another_region_is_found_if_a_response_names_it(names_region: str) -> None:
    def elsewhere(received: Received) -> Reply:
        is_asked_there = "/eu-west-1/s3/" in (received.header("authorization") or "")
        if is_asked_there and received.method == "GET":
            return answer(200, b"sealed", ETag='"x"')
        if received.method == "HEAD" or names_region == "by the first answer":
            return answer(200 if is_asked_there else 301, x_amz_bucket_region="eu-west-1")
        return answer(301)

    with WireServer(elsewhere) as server:
        s3: Any = PROCESS.s3_client(endpoint_url=server.url)
        assert s3.get_object(Bucket="b-b", Key="k")["Body"].read() == b"sealed"
        s3.get_object(Bucket="b-b", Key="k")
    asked = {"by the first answer": [], "by the answer to HeadBucket": ["HEAD", "HEAD"]}[names_region]
    assert [one.method for one in server.received] == ["GET", *asked, "GET", "GET"]
