"""Which hosts are AWS's. Commands say whose account they are about to change, and other servers are tried first."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.loaders import Loader

from s3memory.aws.addresses import is_of_aws

PARTITIONS: dict[str, dict[str, Any]] = {
    partition["id"]: partition["outputs"] for partition in Loader().load_data("partitions")["partitions"]
}


@pytest.mark.parametrize("partition", [name for name in PARTITIONS if not name.startswith("aws-iso")])
def test_every_partition_with_regions_for_everybody_is_aws(partition: str) -> None:
    for suffix in ("dnsSuffix", "dualStackDnsSuffix"):
        assert is_of_aws(f"s3.region.{PARTITIONS[partition][suffix]}")


@pytest.mark.parametrize(
    "host", [None, "", "127.0.0.1", "s3.example.com", "amazonaws.com.example.com", "notamazonaws.com"]
)
def test_no_other_server_is(host: str | None) -> None:
    assert not is_of_aws(host)
