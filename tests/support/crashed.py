"""The test's side of processes that are killed: request them, and read what they left, object by object."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from s3memory import MemoryStore
from s3memory.paths import MemoryPath
from s3memory.store import tree
from s3memory.store.intents import Intent
from s3memory.testing import MotoServer
from s3memory.testing.reference import Report
from support import crashing
from support.crashing import Outcome, Point, prepared, store_of
from support.memory_s3 import InMemoryS3

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

Texts = dict[MemoryPath, str]


class Crasher:
    """A connection over two pipes to the program that runs commands and kills them."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, *points: Point) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{json.dumps(asdict(point))}\n" for point in points))
        self._process.stdin.flush()

    def answer(self, point: Point) -> Outcome:
        """Return the outcome of a point. Skip those that a failed test requested and never read."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer["point"] == asdict(point):
                reports = answer["outcome"].pop("reports")
                by_number = {int(number): Report(**report) for number, report in reports.items()}
                return Outcome(reports=by_number, **answer["outcome"])
        raise AssertionError(f"no answer to {point}")


@contextmanager
def running(environment: dict[str, str]) -> Iterator[Crasher]:
    """Run the program in an environment that points it at a server."""
    with subprocess.Popen(  # noqa: S603 - this interpreter and our program
        [sys.executable, "-m", crashing.__name__],
        env=os.environ | environment | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        yield Crasher(process)


def set_up(points: list[Point], server: MotoServer) -> None:
    """Store what the command finds at each point, as directly on the server as possible."""
    connection = http.client.HTTPConnection(server.endpoint_url.removeprefix("http://"))
    try:
        for point in points:
            for one in prepared(point.form, point.name_mode):
                headers = {f"x-amz-meta-{name}": value for name, value in one.metadata.items()}
                connection.request("PUT", f"/{point.bucket}/{point.prefix}{one.object_key}", one.body, headers)
                answer = connection.getresponse()
                answer.read()
                assert answer.status == HTTPStatus.OK
    finally:
        connection.close()


class Leftovers:
    """What the processes of one form left on the server. Known bodies are not fetched again."""

    def __init__(self, s3: S3Client) -> None:
        self._s3 = s3
        self._known: dict[str, dict[str, Any]] = {}

    def listed(self, point: Point) -> frozenset[tuple[str, str]]:
        """Return object keys without the point's prefix, and ETags: equal for two points whose leftovers are equal."""
        answer = self._s3.list_objects_v2(Bucket=point.bucket, Prefix=point.prefix)
        return frozenset((item["Key"].removeprefix(point.prefix), item["ETag"]) for item in answer.get("Contents", []))

    def copied(self, point: Point) -> InMemoryS3:
        left = InMemoryS3()
        for object_key, etag in self.listed(point):
            if etag not in self._known:  # every body that is written has its own salt
                answer = self._s3.get_object(Bucket=point.bucket, Key=point.prefix + object_key)
                self._known[etag] = {"Body": answer["Body"].read(), "Metadata": answer["Metadata"]}
            copy = left.client().put_object(Bucket=point.bucket, Key=point.prefix + object_key, **self._known[etag])
            assert copy["ETag"] == etag
        return left


def started_on(left: InMemoryS3, point: Point) -> MemoryStore:
    """Return a new process's store over its own copy of the leftovers."""
    client: Any = left.copy().client()
    return store_of(point, client)


def pending(store: MemoryStore) -> list[Intent]:
    return [stored.intent for stored in tree.pending(store)]
