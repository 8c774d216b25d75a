"""The throughput of one process compared with bare boto3: many views at once, and work on all files of a tenant.

Bare boto3 requests the same objects on as many threads, but opens, seals and checks nothing: it is the minimum for
these requests.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

import bare_moves
from latencies import BY_OPERATION
from ledger import BUCKET, KMS_KEY, ROOT
from spread import Spread
from wire import WireServer

from s3memory import AsyncS3MemoryTool, KmsKeyWrapper, MemoryCommands, MemoryStore
from s3memory.admin.erasure.erasing import erase
from s3memory.admin.keys.resealing import reseal
from s3memory.admin.keys.rotation import rotate
from s3memory.admin.transfer.exporting import export
from s3memory.admin.verify import verify
from s3memory.s3 import capabilities

VIEWS: Final = 500
AT_ONCE: Final = (32, 128)
VIEW_ROUNDS: Final = 7
FILES: Final = 1_500
BULK_SECONDS: Final = 0.02
"""The latency of each request during work on all files."""
BULK_ROUNDS: Final = 3
BARE: Final = "bare boto3"
THREADS: Final = "threads"
ASYNC: Final = "AsyncS3MemoryTool"
_GETS: Final = "a GET of each"
_GETS_AND_PUTS: Final = "a GET and a PUT of each"
_DELETES: Final = "DeleteObjects of 1,000 keys"
_LEAST: Final = {
    "export": _GETS,
    "search": _GETS,
    "verify": _GETS,
    "reseal": _GETS_AND_PUTS,
    "erase": _DELETES,
}
_AIM_VIEWS: Final = 0.9
_AIM_BULK: Final = 1.2
_TEXT: Final = "A line of what an agent remembers about its work.\n" * 20
_WARMING_UP: Final = -1

_VIEWS_TEXT: Final = f"""\
One process views one file of 1 kB, {VIEWS} times a round. Bare boto3 GETs it with as many threads. They take turns on
one server. A ratio is views a second divided by GETs a second. The aim is {_AIM_VIEWS}; for the asynchronous tool, it
is the ratio that threads reach."""
_BULK_TEXT: Final = f"""\
Work on all {FILES:,} files of a tenant, 1 kB each, at {BULK_SECONDS * 1000:.0f} ms a request. Bare boto3 makes the
minimum of requests for the same work, {bare_moves.THREADS} at a time. A ratio is s3memory's time divided by that of
bare boto3. The aim is {_AIM_BULK}. An erasure deletes 250 keys at a time, and lists versions and unfinished uploads
until a listing shows none. So it takes longer than DeleteObjects alone, on purpose."""

Times = dict[str, list[float]]
"""Wall times in seconds of each round, by the work done."""


def views(server: WireServer) -> dict[str, Times]:
    """Time parallel views of one file by threads and by the asynchronous tool, and GETs by bare boto3, by latencies."""
    tenant, path = "at-once", f"{ROOT}/notes.md"
    commands = MemoryCommands(_store(tenant))
    commands.create(path, _TEXT)
    tool = AsyncS3MemoryTool(bucket=BUCKET, tenant=tenant, key_wrapper=_wrapper())
    view = {"command": "view", "path": path}
    clients = {n_at_once: bare_moves.client(n_at_once) for n_at_once in AT_ONCE}

    def get(n_at_once: int) -> None:
        clients[n_at_once].get_object(Bucket=BUCKET, Key=f"memories/{tenant}/notes.md")["Body"].read()

    def in_threads(call: Callable[[int], object], n_at_once: int) -> None:
        with ThreadPoolExecutor(n_at_once) as pool:
            list(pool.map(lambda _: call(n_at_once), range(VIEWS)))

    async def in_tasks(n_at_once: int) -> None:
        left = iter(range(VIEWS))

        async def view_while_any_is_left() -> None:
            for _ in left:
                await tool.call(view)

        await asyncio.gather(*(view_while_any_is_left() for _ in range(n_at_once)))

    ways: dict[str, Callable[[int], object]] = {
        BARE: partial(in_threads, get),
        THREADS: partial(in_threads, lambda _: commands.call(view)),
        ASYNC: lambda n_at_once: asyncio.run(in_tasks(n_at_once)),
    }
    order = [(f"{way}, {n_at_once}", partial(ways[way], n_at_once)) for n_at_once in AT_ONCE for way in ways]
    taken: dict[str, Times] = {}
    for name, seconds in (("none", 0.0), (BY_OPERATION.name, BY_OPERATION.seconds)):
        server.delay(seconds)
        times = taken.setdefault(name, {})
        for number in range(_WARMING_UP, VIEW_ROUNDS):
            for what, call in order[number % len(order) :] + order[: number % len(order)]:
                took = _seconds(call)
                if number != _WARMING_UP:
                    times.setdefault(what, []).append(took)
    return taken


def bulk(server: WireServer) -> tuple[Times, dict[str, dict[str, int]]]:
    """Time work on all files of a tenant, and the minimum for it by bare boto3. Return the times and the requests."""
    bare, times, requests = bare_moves.client(), Times(), dict[str, dict[str, int]]()

    def get(key: str) -> bytes:
        body: bytes = bare.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return body

    def get_and_put(key: str) -> None:
        bare.put_object(Bucket=BUCKET, Key=key, Body=get(key))

    def each(call: Callable[[str], object], prefix: str) -> None:
        with ThreadPoolExecutor(bare_moves.THREADS) as pool:
            list(pool.map(call, bare_moves.keys(bare, BUCKET, prefix)))

    def delete_all(prefix: str) -> None:
        keys = [{"Key": key} for key in bare_moves.keys(bare, BUCKET, prefix)]
        for start in range(0, len(keys), 1_000):
            bare.delete_objects(Bucket=BUCKET, Delete={"Objects": keys[start : start + 1_000], "Quiet": True})

    for number in range(_WARMING_UP, BULK_ROUNDS):
        server.delay(0)
        store, prefix = _store(f"bulk-{number}"), f"bare/{number}/"
        commands = MemoryCommands(store)
        names = [f"d{name % 10}/{name}.md" for name in range(FILES)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda name: commands.create(f"{ROOT}/{name}", _TEXT), names))  # noqa: B023 - of this round
        server.fill(BUCKET, [prefix + name for name in names], size_bytes=len(_TEXT))
        server.delay(BULK_SECONDS)
        steps: dict[str, Callable[[], object]] = {
            _GETS: partial(each, get, prefix),
            "export": partial(export, store, lambda _: True),
            "search": partial(commands.search, "no such text"),
            "verify": partial(verify, store, lambda _: None),
            "rotate": partial(rotate, store),
            _GETS_AND_PUTS: partial(each, get_and_put, prefix),
            "reseal": partial(reseal, store),
            _DELETES: partial(delete_all, prefix),
            "erase": partial(erase, store),
        }
        for what, call in steps.items():
            server.take_record()
            took = _seconds(call)
            requests[what] = dict(sorted(Counter(exchange.operation for exchange in server.take_record()).items()))
            if number != _WARMING_UP:
                times.setdefault(what, []).append(took)
    return times, requests


def text(measured: dict[str, Any]) -> Iterator[str]:
    """Yield the paragraphs and tables of the report's section."""
    yield _VIEWS_TEXT
    yield "\n".join(_view_rows(measured["views"]))
    yield _BULK_TEXT
    yield "\n".join(_bulk_rows(measured["bulk"], measured["requests"]))


def _view_rows(taken: dict[str, Times]) -> Iterator[str]:
    yield "| latencies | at once | GETs a second | views a second, threads | ratio | views a second, async | ratio |"
    yield "|---" * 7 + "|"
    for latencies, times in taken.items():
        for n_at_once in AT_ONCE:
            bare, threads, tasks = (times[f"{way}, {n_at_once}"] for way in (BARE, THREADS, ASYNC))
            cells = [latencies, str(n_at_once), _a_second(bare)]
            for one in (threads, tasks):
                cells += [_a_second(one), str(Spread.of(bare, one))]
            yield f"| {' | '.join(cells)} |"


def _bulk_rows(times: Times, requests: dict[str, dict[str, int]]) -> Iterator[str]:
    yield "| | s | requests | bare boto3 | s | ratio |"
    yield "|---" * 6 + "|"
    for what, least in _LEAST.items():
        counts = ", ".join(f"{count:,} {operation}" for operation, count in requests[what].items())
        seconds = (f"{sorted(times[one])[len(times[one]) // 2]:.2f}" for one in (what, least))
        ratio = Spread.of(times[what], times[least])
        yield f"| {what} | {next(seconds)} | {counts} | {least} | {next(seconds)} | {ratio} |"


def _a_second(seconds: list[float]) -> str:
    return f"{VIEWS / sorted(seconds)[len(seconds) // 2]:,.0f}"


def _wrapper() -> KmsKeyWrapper:
    return KmsKeyWrapper(KMS_KEY, endpoint_url=os.environ["AWS_ENDPOINT_URL"])


def _store(tenant: str) -> MemoryStore:
    capabilities.record(os.environ["AWS_ENDPOINT_URL"], BUCKET, honoured=True)
    return MemoryStore(bucket=BUCKET, tenant=tenant, key_wrapper=_wrapper())


def _seconds(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return round(time.perf_counter() - begin, 4)
