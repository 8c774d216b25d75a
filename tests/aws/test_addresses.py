"""Which hosts are AWS's. Commands report whose account they are about to change, and other servers are probed first."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.loaders import Loader

from s3memory.aws.addresses import is_of_aws, without_password

PARTITIONS: dict[str, dict[str, Any]] = {
    partition["id"]: partition["outputs"] for partition in Loader().load_data("partitions")["partitions"]
}


@pytest.mark.parametrize("partition", [name for name in PARTITIONS if not name.startswith("aws-iso")])
def test_every_public_partition_is_aws(partition: str) -> None:
    for suffix in ("dnsSuffix", "dualStackDnsSuffix"):
        assert is_of_aws(f"s3.region.{PARTITIONS[partition][suffix]}")


@pytest.mark.parametrize(
    "host", [None, "", "127.0.0.1", "s3.example.com", "amazonaws.com.example.com", "notamazonaws.com"]
)
def test_no_other_server_is_aws(host: str | None) -> None:
    assert not is_of_aws(host)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://anna:hunter2@s3.example.com:9000/path", "https://s3.example.com:9000/path"),
        ("http://anna@[::1]:9000", "http://[::1]:9000"),
        ("https://anna:hunter@2@s3.example.com/", "https://s3.example.com/"),
        ("https://s3.example.com", "https://s3.example.com"),
        ("memory", "memory"),
    ],
)
def test_a_url_is_shown_without_user_name_and_password(url: str, shown: str) -> None:
    assert without_password(url) == shown
