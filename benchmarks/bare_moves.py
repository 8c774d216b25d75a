"""Moves many objects through a client at minimum cost: a parallel GET and PUT of each by bare boto3."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import boto3
from botocore.config import Config

THREADS: Final = 32  # as many as s3memory uses


def client(threads: int = THREADS) -> Any:
    """Return a client with a connection for each thread."""
    return boto3.client("s3", config=Config(max_pool_connections=threads))


def seconds_to_copy(s3: Any, bucket: str, old: str, new: str) -> float:
    """Fetch everything below `old` and store it below `new`. Return the wall time in seconds, listing excluded."""
    found = list(keys(s3, bucket, old))

    def copy(key: str) -> None:
        body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        s3.put_object(Bucket=bucket, Key=new + key.removeprefix(old), Body=body, IfNoneMatch="*")

    begin = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(copy, found))
    return time.perf_counter() - begin


def keys(s3: Any, bucket: str, prefix: str) -> Iterator[str]:
    """Yield the keys of all objects that begin with a prefix."""
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        yield from (item["Key"] for item in page.get("Contents", []))


if __name__ == "__main__":
    print(seconds_to_copy(client(), os.environ["BENCH_BUCKET"], sys.argv[1], sys.argv[2]))
