"""Commands that are killed at one of their S3 requests, and the program that runs and kills them.

The program reads points, one JSON object per line, and answers each with an outcome, in the same order. It has imported
everything but created no client, thread or socket, and it forks: the child carries out the command like a process that
has just started, and sends itself SIGKILL. Requests are numbered in the order in which they start, on whatever thread.
Those that started before the fatal one have been answered when the process dies, and none starts after it.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import boto3

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore, _parallel
from s3memory.aws import clients
from s3memory.errors import S3MemoryError
from s3memory.format.names import PLAIN
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.s3.objects import Deletion
from s3memory.store import directories, intents, tree
from s3memory.store.intents import Intent
from s3memory.testing.reference import Report
from support.fast_transport import transport_of_tests
from support.memory_s3 import InMemoryS3

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

ROOT = "/memories"
TENANT = "acme"
WRAPPER = LocalKeyWrapper(bytes(range(32)))
BEFORE, AFTER, IN_FLIGHT = "before", "after", "in flight"
NEVER = 0

# A child that hangs is killed by this alarm, not by the kill under test.
_STUCK_SECONDS = 60

FILES = {
    f"{ROOT}/d/a": "one\ntwo\n",
    f"{ROOT}/d/s/b": "bee\n",
    f"{ROOT}/d/s/c": "sea\n",
    f"{ROOT}/bystander": "untouched\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One command in one form, or several at the same time.

    Attributes:
        call: the tool input.
        beside: tool inputs that are carried out at the same time, each in its own thread.
        least_requests: the minimum number of S3 requests in a process that has not seen the tenant yet.
        files: texts by path, stored beforehand.
        is_repair: a crash has left the command half done, and the process that repairs it is killed.
    """

    call: dict[str, Any]
    least_requests: int
    beside: tuple[dict[str, Any], ...] = ()
    files: dict[str, str] = field(default_factory=lambda: FILES)
    is_repair: bool = False

    @property
    def calls(self) -> list[dict[str, Any]]:
        """All tool inputs."""
        return [self.call, *self.beside]

    @property
    def intent(self) -> Intent | None:
        """The intent that the command announces, if it renames or deletes a directory."""
        if self.call["command"] not in {"rename", "delete"}:
            return None
        old, new = (MemoryPath.parse(self.call.get(name, self.call.get("path"))) for name in ("old_path", "new_path"))
        return None if str(old) in self.files else Intent(self.call["command"], old, new)


RENAME_DIRECTORY = {"command": "rename", "old_path": f"{ROOT}/d", "new_path": f"{ROOT}/w/e"}
DELETE_DIRECTORY = {"command": "delete", "path": f"{ROOT}/d"}

FORMS = {
    "view the root": Form(call={"command": "view", "path": ROOT}, least_requests=2),
    "view a directory": Form(call={"command": "view", "path": f"{ROOT}/d"}, least_requests=3),
    "view a file": Form(call={"command": "view", "path": f"{ROOT}/d/a"}, least_requests=2),
    "create the first file": Form(
        call={"command": "create", "path": f"{ROOT}/new/file", "file_text": "new\n"}, least_requests=6, files={}
    ),
    "create a file": Form(
        call={"command": "create", "path": f"{ROOT}/new/deep/er", "file_text": "new\n"}, least_requests=5
    ),
    "str_replace": Form(
        call={"command": "str_replace", "path": f"{ROOT}/d/a", "old_str": "one", "new_str": "uno"}, least_requests=3
    ),
    "insert": Form(
        call={"command": "insert", "path": f"{ROOT}/d/a", "insert_line": 1, "insert_text": "more"}, least_requests=3
    ),
    "delete a file": Form(call={"command": "delete", "path": f"{ROOT}/d/a"}, least_requests=3),
    "delete a directory": Form(call=DELETE_DIRECTORY, least_requests=6),
    "rename a file": Form(
        call={"command": "rename", "old_path": f"{ROOT}/d/a", "new_path": f"{ROOT}/new/deep/er"}, least_requests=7
    ),
    "rename a directory": Form(call=RENAME_DIRECTORY, least_requests=18),
    "repair a delete": Form(call=DELETE_DIRECTORY, least_requests=6, is_repair=True),
    "repair a rename": Form(call=RENAME_DIRECTORY, least_requests=17, is_repair=True),
}


def replace_text(path: str, old: str, new: str) -> dict[str, Any]:
    return {"command": "str_replace", "path": f"{ROOT}/{path}", "old_str": old, "new_str": new}


def create_file(path: str) -> dict[str, Any]:
    return {"command": "create", "path": f"{ROOT}/{path}", "file_text": f"{path}\n"}


MANY_FILES = {f"{ROOT}/many/{number:02}": f"{number}\n" for number in range(12)}
DELETABLE = {f"{ROOT}/g/{name}": f"{name}\n" for name in ("a", "b", "c")}
LOOSE = {f"{ROOT}/{name}": "one\ntwo\nthree\n" for name in ("edited", "moved", "deleted")}
RENAME_MANY = {"command": "rename", "old_path": f"{ROOT}/many", "new_path": f"{ROOT}/w/most"}
DELETE_SOME = {"command": "delete", "path": f"{ROOT}/g"}

# What an agent sends at once: only edits may be about the same file.
TOGETHER = {
    "a turn of many calls": Form(
        call=RENAME_DIRECTORY,
        beside=(
            DELETE_SOME,
            replace_text("edited", "one", "uno"),
            {"command": "rename", "old_path": f"{ROOT}/moved", "new_path": f"{ROOT}/p/q"},
            {"command": "delete", "path": f"{ROOT}/deleted"},
            create_file("new/file"),
            {"command": "view", "path": f"{ROOT}/bystander"},
        ),
        least_requests=36,
        files=FILES | DELETABLE | LOOSE,
    ),
    "three directories": Form(
        call=RENAME_MANY,
        beside=(RENAME_DIRECTORY, DELETE_SOME),
        least_requests=64,
        files=FILES | MANY_FILES | DELETABLE,
    ),
    "a directory and an edit": Form(
        call=RENAME_MANY, beside=(replace_text("edited", "one", "uno"),), least_requests=42, files=MANY_FILES | LOOSE
    ),
    "edits of one file": Form(
        call=replace_text("edited", "one", "uno"),
        beside=(
            replace_text("edited", "two", "due"),
            replace_text("edited", "three", "tre"),
            {"command": "insert", "path": f"{ROOT}/edited", "insert_line": 0, "insert_text": "zero"},
        ),
        least_requests=9,
        files=LOOSE,
    ),
    "a new tenant": Form(
        call=create_file("a"),
        beside=(create_file("b"), create_file("c/d"), create_file("c/e")),
        least_requests=12,
        files={},
    ),
}
ALL_FORMS = FORMS | TOGETHER


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Where a process is killed.

    Attributes:
        form: which of `ALL_FORMS`.
        name_mode: the tenant's, ``plain`` or ``encrypted``.
        bucket: where the memory is.
        prefix: of everything that is stored, so that each point has its own memory.
        request: the number of the fatal request, from 1; `NEVER` to let the process live.
        moment: `BEFORE` the request is sent; `AFTER` the server has carried it out; or `IN_FLIGHT` with other requests,
            none of which has been answered.
    """

    form: str
    name_mode: str
    bucket: str
    prefix: str
    request: int = NEVER
    moment: str = AFTER

    def __str__(self) -> str:
        where = f"killed {self.moment} request {self.request}" if self.request else "not killed"
        return f"{self.form}, {self.name_mode} names, {where}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a point.

    Attributes:
        exit_code: of the process; minus the signal's number if it was killed.
        requests: the requests that started, in order, including the fatal one.
        reports: what each command reported, by its number, if it lived long enough.
        unanswered: the number of requests in flight when the process was killed.
    """

    exit_code: int
    requests: list[str]
    reports: dict[int, Report]
    unanswered: int

    @property
    def report(self) -> Report | None:
        """The first command's report."""
        return self.reports.get(0)


@dataclass(frozen=True, slots=True)
class Prepared:
    """An object that exists before the command: the same at every point of a form, except for the prefix."""

    object_key: str
    body: bytes
    metadata: dict[str, str]


def store_of(point: Point, client: S3Client) -> MemoryStore:
    """Return the tenant's store as a new process has it, with nothing cached."""
    return MemoryStore(
        bucket=point.bucket,
        tenant=TENANT,
        prefix=point.prefix,
        key_wrapper=WRAPPER,
        name_mode=point.name_mode,
        s3_client=client,
        key_cache=KeyCache(),
    )


def carried_out(call: dict[str, Any], store: MemoryStore) -> Report:
    """Carry out a tool input and return its report, whether it succeeds or fails."""
    try:
        return Report(MemoryCommands(store).call(call))
    except S3MemoryError as error:
        return Report(error.for_model, is_error=True)


def repaired(store: MemoryStore) -> Report:
    """Finish what was interrupted, and report what that was."""
    return Report(", ".join(map(str, tree.repair(store))))


@functools.cache
def prepared(name: str, name_mode: str) -> tuple[Prepared, ...]:
    """Return what a form's command finds: the key ring, the files, and what the interrupted command left behind."""
    form = ALL_FORMS[name]
    if not form.files:
        return ()
    client: Any = InMemoryS3().client()
    point = Point(form=name, name_mode=name_mode, bucket="bucket", prefix="")
    store = store_of(point, client)
    for path, text in form.files.items():
        store.create(MemoryPath.parse(path), text)
    if form.is_repair and form.intent is not None:
        leave_half_done(form.intent, store)
    object_keys = [item["Key"] for item in client.list_objects_v2(Bucket=point.bucket)["Contents"]]
    answers = [(key, client.get_object(Bucket=point.bucket, Key=key)) for key in object_keys]
    return tuple(Prepared(key, answer["Body"].read(), answer["Metadata"]) for key, answer in answers)


def leave_half_done(intent: Intent, store: MemoryStore) -> None:
    """Store an intent: for a rename with one file already copied, for a delete with one file already gone."""
    files = store.files.below(intent.path)
    intents.record(store, intent, [file.listed.etag for file in files])
    first = store.read(files[0].path)
    assert first is not None
    if intent.operation == intents.RENAME:
        assert store.copy(first, first.path.rebased(intent.path, intent.new_path)) is not None
    else:
        store.delete(first.path, etag=first.info.etag)


class Killer:
    """Hooks of a botocore client that number its requests, report each one, and kill the process at one of them."""

    def __init__(self, point: Point, told: Callable[[str], object]) -> None:
        self._point = point
        self._told = told
        self._changed = threading.Condition()
        self._set_out = 0
        self._under_way = 0
        self._is_closed = False
        self._of_thread = threading.local()

    def watch(self, client: S3Client) -> None:
        client.meta.events.register_first("before-send.s3", self._before)
        client.meta.events.register_first("response-received.s3", self._after)

    def _before(self, event_name: str, **_: object) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._is_closed)
            self._set_out += 1
            self._told(event_name.rpartition(".")[2])
            self._of_thread.number = self._set_out
            if self._point.moment == IN_FLIGHT:
                if self._under_way and self._set_out >= self._point.request > NEVER:
                    self._told(json.dumps({"unanswered": self._under_way}))
                    os.kill(os.getpid(), signal.SIGKILL)
            else:
                self._is_closed = self._set_out == self._point.request
                if self._is_closed and self._point.moment == BEFORE:
                    self._die()
            self._under_way += 1

    def _after(self, **_: object) -> None:
        with self._changed:
            self._under_way -= 1
            self._changed.notify_all()
            if self._of_thread.number == self._point.request and self._point.moment == AFTER:
                self._die()

    def _die(self) -> None:
        self._changed.wait_for(lambda: self._under_way == 0)
        os.kill(os.getpid(), signal.SIGKILL)


def last_first(call: Callable[[Any], Any], items: list[Any], **more: Any) -> list[Any]:
    """Like `parallel.each`, but the calls begin in reverse order."""
    return _parallel.each(call, items[::-1], **more)[::-1]


def run_child(point: Point, told: Callable[[str], object]) -> None:
    """Carry out the point's command, and die."""
    signal.alarm(_STUCK_SECONDS)
    client = clients.PROCESS.s3_client(endpoint_url=os.environ["S3MEMORY_ENDPOINT_URL"])
    store = store_of(point, client)
    form = ALL_FORMS[point.form]
    if not form.beside and form.call["command"] in {"rename", "delete"}:
        # What a process learns once about a server that is not S3 is not part of the command.
        assert store.objects.deletes.one(f"{point.prefix}nothing", etag='"none"') is Deletion.MISSING
    Killer(point, told).watch(client)
    if form.is_repair:
        tell_report(told, 0, repaired(store))
    elif form.beside:
        with ThreadPoolExecutor(len(form.calls)) as threads:
            list(threads.map(lambda n: tell_report(told, n, carried_out(form.calls[n], store)), range(len(form.calls))))
    else:
        # The server cannot tell "after request k" from "before request k + 1", unless another request is number k.
        with patch.object(directories, "each", last_first if point.moment == AFTER else _parallel.each):
            tell_report(told, 0, carried_out(form.call, store))


def tell_report(told: Callable[[str], object], number: int, report: Report) -> None:
    """Report a command's result, at the time when its caller learns it."""
    told(json.dumps({"call": number, "report": asdict(report)}))


def outcome_of(point: Point) -> Outcome:
    """Fork a child for a point and wait for it to end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            run_child(point, lambda line: os.write(writing, f"{line}\n".encode()))
        except BaseException:  # noqa: BLE001 - nothing may return into the parent's code
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as lines:  # noqa: PTH123 - a descriptor
        told = lines.read().splitlines()
    _, status = os.waitpid(child, 0)
    notes = [json.loads(line) for line in told if line.startswith("{")]
    return Outcome(
        exit_code=os.waitstatus_to_exitcode(status),
        requests=[line for line in told if not line.startswith("{")],
        reports={note["call"]: Report(**note["report"]) for note in notes if "call" in note},
        unanswered=next((note["unanswered"] for note in notes if "unanswered" in note), 0),
    )


def main() -> None:
    """Answer points with outcomes until there are no more."""
    # Loads botocore's models, which is most of the work of creating a client, and connects to nothing.
    boto3.client("s3", endpoint_url=os.environ["S3MEMORY_ENDPOINT_URL"])
    prepared("create a file", PLAIN)  # loads the redaction rules, as any process does that writes
    gc.collect()
    gc.disable()  # no child lives long enough to need it
    with transport_of_tests():
        for line in sys.stdin:
            point = json.loads(line)
            outcome = outcome_of(Point(**point))
            sys.stdout.write(f"{json.dumps({'point': point, 'outcome': asdict(outcome)})}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
