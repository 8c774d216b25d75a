"""Timestamps are parsed with botocore's results, and faster by the clients of this package's sessions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.utils import parse_timestamp as of_botocore
from hypothesis import given
from hypothesis import strategies as st
from support.for_each import for_each

from s3memory.aws.clients import PROCESS, forget_clients
from s3memory.aws.timestamps import parse_timestamp

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

MOMENTS = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(MOMENTS)
def test_s3s_formats_are_parsed_to_the_same_times_as_by_botocore(moment: datetime) -> None:
    for text in (f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z", f"{moment:%a, %d %b %Y %H:%M:%S} GMT"):
        parsed = parse_timestamp(text)
        assert parsed == of_botocore(text)
        assert parsed.utcoffset() == of_botocore(text).utcoffset()


@for_each(
    "value",
    [
        1_700_000_000,
        1_700_000_000.25,
        "1700000000",
        "2026-02-03T04:05:06Z",
        "2026-02-03T04:05:06.123456789Z",
        "2026-02-03T04:05:06+02:00",
        "2026-02-03 04:05:06 GMT",
        "20260203T040506Z",
        "Tue, 03 Feb 2026 04:05:06 +0000",
        "Tuesday, 03-Feb-26 04:05:06 GMT",
        "Tue, 03 Feb 70 04:05:06 GMT",
        "Tue, 03 Feb 0099 04:05:06 GMT",
        "Tue, 03 Feb 2026 04:0 5:06 GMT",
        "2026-02-03T04:056Z",
    ],
)
def test_any_other_format_is_parsed_as_botocore_parses_it(value: Any) -> None:
    assert parse_timestamp(value) == of_botocore(value)


@pytest.mark.parametrize("value", ["2026-02-03T04:05:06", "2026-02-03T04:05:06.000", "Tue, 03 Feb 2026 04:05:06"])
def test_a_timestamp_without_a_zone_is_in_utc(value: str) -> None:
    assert parse_timestamp(value) == datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)


@for_each(
    "value",
    [
        "",
        "Z",
        "GMT",
        "yesterday",
        "2026-02-30T00:00:00Z",
        "2026-02-03904:05:06Z",
        "2026-W05-2T00:00:00Z",
        "Tue, 03 Foo 2026 04:05:06 GMT",
        "Tu9, 03 Feb 2026 04:05:06 GMT",
        "Tue, 03 Feb 2026 04:05:06 +0200 GMT",
        "1e300",
        "9" * 40,
        f"12:{'9' * 40} GMT",
    ],
)
def test_an_invalid_timestamp_is_an_error(value: str) -> None:
    with pytest.raises(ValueError, match="Invalid timestamp"):
        parse_timestamp(value)


@pytest.fixture
def listed(s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[datetime]:
    """When an object was stored, according to another session's client; the process has no clients of its own yet."""
    s3.put_object(Bucket=bucket, Key="a", Body=b"")
    forget_clients()
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    yield s3.list_objects_v2(Bucket=bucket)["Contents"][0]["LastModified"]
    forget_clients()


def test_clients_of_this_packages_sessions_use_the_fast_parser(listed: datetime, bucket: str) -> None:
    client = PROCESS.s3_client()
    for modified in (
        client.list_objects_v2(Bucket=bucket)["Contents"][0]["LastModified"],
        client.head_object(Bucket=bucket, Key="a")["LastModified"],
    ):
        assert modified == listed
        assert modified.tzinfo is UTC  # botocore's own parser uses dateutil's


def test_a_session_of_the_program_is_not_changed(
    listed: datetime, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", boto3.Session())
    modified = PROCESS.s3_client().list_objects_v2(Bucket=bucket)["Contents"][0]["LastModified"]
    assert modified == listed
    assert modified.tzinfo is not UTC
