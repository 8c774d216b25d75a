"""A tenant is stored that has a file, a key ring or an unfinished change; any other may be a typing error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conftest import TENANT, MakeStore
from support.faults import FaultLayer, refused

from s3memory.admin.tenants import ensure_has_data
from s3memory.errors import NotFoundError, UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client


@pytest.mark.parametrize(
    "object_key", [f"memories/{TENANT}/a", f"keyrings/{TENANT}", f"intents/{TENANT}/one"], ids=lambda key: key[:8]
)
def test_one_object_is_enough(make_store: MakeStore, s3: S3Client, bucket: str, object_key: str) -> None:
    s3.put_object(Bucket=bucket, Key=object_key, Body=b"x")
    ensure_has_data(make_store().refusing_writes())


def test_what_is_stored_for_a_tenant_whose_name_begins_alike_is_not_its_own(
    make_store: MakeStore, s3: S3Client, bucket: str
) -> None:
    for folder in ("memories", "intents"):
        s3.put_object(Bucket=bucket, Key=f"{folder}/{TENANT}2/a", Body=b"x")
    s3.put_object(Bucket=bucket, Key=f"keyrings/{TENANT}2", Body=b"x")
    with pytest.raises(NotFoundError, match=f'No data for tenant "{TENANT}"'):
        ensure_has_data(make_store())


def test_a_missing_key_ring_that_may_not_be_listed_is_missing(make_store: MakeStore, s3: S3Client) -> None:
    store = make_store()
    with FaultLayer(s3) as layer:
        layer.hit("HeadObject", refused(403, "403"))
        with pytest.raises(NotFoundError):
            ensure_has_data(store)


def test_a_server_that_is_out_of_reach_says_nothing_about_it(make_store: MakeStore, s3: S3Client) -> None:
    store = make_store()
    with FaultLayer(s3) as layer:
        layer.hit("HeadObject", refused(503, "SlowDown"), times=10)
        with pytest.raises(UnavailableError):
            ensure_has_data(store)
