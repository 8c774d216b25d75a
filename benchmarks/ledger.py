"""Counts what each command costs: requests, sequential round trips, bytes and money, next to the design's budget.

The server counts, not the client. Round trips are the longest chain of requests that did not overlap in time while
every response was delayed. ``tests/docs/test_ledger.py`` pins requests and round trips.

Run it with ``make bench-ledger``.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from prices import Prices
from wire import Exchange, WireServer, longest_chain

from s3memory import KmsKeyWrapper, MemoryCommands, MemoryStore
from s3memory.aws.clients import PROCESS
from s3memory.aws.tenant_sessions import TenantSessions
from s3memory.keys.key_cache import KeyCache
from s3memory.s3 import capabilities

ROOT: Final = "/memories"
BUCKET: Final = "bench"
KMS_KEY: Final = "alias/benchmark"
FILES: Final = 4
"""Files in the directory that is renamed and deleted."""

# Much longer than a client needs to send parallel requests. The number of round trips does not depend on it.
DELAY_SECONDS: Final = 0.05
RUNS: Final = 5

# List prices of us-east-1 in US dollars for one request. DELETE and AssumeRole are free. DeleteObjects is priced as a
# POST, since the price list has no line for it.
_WRITE_OR_LIST_DOLLARS: Final = Prices().s3_put_post_list
_READ_DOLLARS: Final = Prices().s3_get_head
_KMS_DOLLARS: Final = Prices().kms_request
_DOLLARS: Final = {
    "PutObject": _WRITE_OR_LIST_DOLLARS,
    "ListObjectsV2": _WRITE_OR_LIST_DOLLARS,
    "CopyObject": _WRITE_OR_LIST_DOLLARS,
    "DeleteObjects": _WRITE_OR_LIST_DOLLARS,
    "GetObject": _READ_DOLLARS,
    "HeadObject": _READ_DOLLARS,
    "HeadBucket": _READ_DOLLARS,
    "DeleteObject": 0.0,
    "Decrypt": _KMS_DOLLARS,
    "Encrypt": _KMS_DOLLARS,
    "GenerateDataKey": _KMS_DOLLARS,
    "AssumeRole": 0.0,
}

TEXT: Final = "A line of what an agent remembers.\n" * 30
_TREE: Final = {
    "top.md": TEXT,
    **{f"d/{number}.md": TEXT for number in range(FILES)},
    "a/b/c/deep.md": TEXT,
    "a/b/c/e/other.md": TEXT,
    "README": TEXT,
    "v1.2/notes.md": TEXT,
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger, before it is measured.

    Attributes:
        form: the command and its object.
        call: the tool's input.
        budget_requests: the requests that the design allows (for a new tenant, ``docs/semantics.md``); ``None`` if it
            gives no number.
        budget_trips: the sequential round trips that it allows.
        more_objects: how many objects to store below ``/memories/big`` first.
        start: what the process has cached: ``warm``, ``cold``, ``tenant role`` (cold, with STS), ``new tenant``.
        why_more: why it takes more than its budget; empty if it does not.
    """

    form: str
    call: dict[str, Any]
    budget_requests: int | None
    budget_trips: int | None
    more_objects: int = 0
    start: str = "warm"
    why_more: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one call."""

    operations: Counter[str]
    round_trips: int
    received_bytes: int
    sent_bytes: int

    @property
    def dollars_a_thousand(self) -> float:
        """The list price of a thousand such calls."""
        return 1_000 * dollars(self.operations)


def dollars(operations: Counter[str]) -> float:
    """Return the list price of these requests."""
    return sum(_DOLLARS[operation] * count for operation, count in operations.items())


def _view(path: str) -> dict[str, Any]:
    return {"command": "view", "path": f"{ROOT}{path}"}


def _create(path: str) -> dict[str, Any]:
    return {"command": "create", "path": f"{ROOT}{path}", "file_text": TEXT}


def _delete(path: str) -> dict[str, Any]:
    return {"command": "delete", "path": f"{ROOT}{path}"}


def _rename(old: str, new: str) -> dict[str, Any]:
    return {"command": "rename", "old_path": f"{ROOT}{old}", "new_path": f"{ROOT}{new}"}


def _replace(path: str) -> dict[str, Any]:
    return {"command": "str_replace", "path": f"{ROOT}{path}", "old_str": TEXT, "new_str": "x"}


def _insert(path: str) -> dict[str, Any]:
    return {"command": "insert", "path": f"{ROOT}{path}", "insert_line": 0, "insert_text": "x"}


_DEEP: Final = "/a/b/c/deep.md"
ENTRIES: Final = (
    Entry("view a file", _view("/top.md"), 1, 1),
    Entry("view a file at depth 4", _view(_DEEP), 1, 1),
    Entry("view the root", _view(""), 1, 1),
    Entry(
        "view a file named without a dot",
        _view("/README"),
        1,
        1,
        why_more="such a name is most likely a directory's, so the directory is listed while the file is fetched",
    ),
    Entry("view a directory", _view("/d"), 2, 2),
    Entry("view a directory named with a dot", _view("/v1.2"), 2, 2),
    Entry("view a directory named with a dot, and a slash behind it", _view("/v1.2/"), 2, 2),
    Entry("view a directory at depth 3", _view("/a/b/c"), 2, 2),
    Entry("view a flat directory of 5,000 files", _view("/big"), None, None, more_objects=5_000),
    Entry("create at depth 1", _create("/new.md"), 2, 2),
    Entry("create at depth 4", _create("/a/b/c/new.md"), 5, 2),
    Entry("str_replace", _replace("/top.md"), 2, 2),
    Entry("str_replace at depth 4", _replace(_DEEP), 2, 2),
    Entry("insert", _insert("/top.md"), 2, 2),
    Entry("delete a file", _delete("/top.md"), 3, 2),
    Entry("delete a file at depth 4", _delete(_DEEP), 3, 2),
    Entry(f"delete a directory of {FILES} files", _delete("/d"), 5, None),
    Entry("rename a file to depth 1", _rename("/top.md", "/new.md"), 5, 3),
    Entry("rename a file to depth 4", _rename(_DEEP, "/a/b/c/new.md"), 8, 3),
    Entry(
        f"rename a directory of {FILES} files",
        _rename("/d", "/new"),
        1 + 2 * FILES + 1 + 2,
        None,
        why_more="the checks of a rename come first (GET, HEAD, LIST), the copies are listed before any deletion, and "
        "each original is deleted under its own condition, which is free, instead of by DeleteObjects",
    ),
    Entry("view a file", _view("/top.md"), 3, 3, start="cold"),
    Entry("view the root", _view(""), 3, 3, start="cold"),
    Entry("view a directory", _view("/d"), 4, 4, start="cold"),
    Entry("create at depth 1", _create("/new.md"), 4, 4, start="cold"),
    Entry("insert", _insert("/top.md"), 4, 4, start="cold"),
    Entry("view a file", _view("/top.md"), 4, 4, start="tenant role"),
    Entry(
        "view the root",
        _view(""),
        2,
        2,
        start="new tenant",
        why_more="the listing is sent in parallel with the key ring's request, and when there is no key ring, another "
        "listing verifies that the tenant has no files",
    ),
    Entry(
        "create at depth 1",
        _create("/new.md"),
        6,
        6,
        start="new tenant",
        why_more="a new data key is unwrapped once before its key ring is stored, to make sure that it can be opened",
    ),
)


class Ledger:
    """Measures entries, each with a new tenant.

    Args:
        server: the server that answers and counts.
        delay_seconds: how long each response of a measured call is delayed.
    """

    def __init__(self, server: WireServer, *, delay_seconds: float = DELAY_SECONDS) -> None:
        self._server = server
        self._delay_seconds = delay_seconds
        self._tenants = (f"tenant-{number}" for number in itertools.count())
        # Any server other than AWS is asked once whether it honours conditions on DELETE: not during a measured call.
        capabilities.record(server.url, BUCKET, honoured=True)

    def measure(self, entry: Entry) -> Cost:
        """Carry out an entry's call once, on a new tree, and return its cost.

        Raises:
            Exception: the command failed; every call of the ledger should succeed.
        """
        tenant = next(self._tenants)
        self._server.delay(0)
        commands = self._commands(tenant)
        if entry.start != "new tenant":
            for path, text in _TREE.items():
                commands.create(f"{ROOT}/{path}", text)
        if entry.more_objects:
            keys = [f"memories/{tenant}/big/{number:06}" for number in range(entry.more_objects)]
            self._server.fill(BUCKET, keys, size_bytes=100)
        if entry.start != "warm":
            commands = self._commands(tenant, with_role=entry.start == "tenant role")
        self._server.take_record()
        self._server.delay(self._delay_seconds)
        commands.call(entry.call)
        return cost_of(self._server.take_record())

    def least(self, entry: Entry, *, runs: int = RUNS, enough: Callable[[Cost], bool] = lambda _: False) -> Cost:
        """Measure an entry several times and return the run with the fewest round trips; see `longest_chain`.

        Args:
            entry: the entry to measure.
            runs: how often to measure it.
            enough: whether a cost is good enough to return at once.
        """
        best: Cost | None = None
        for _ in range(runs):
            cost = self.measure(entry)
            if enough(cost):
                return cost
            if best is None or cost.round_trips < best.round_trips:
                best = cost
        if best is None:
            raise ValueError("at least one run is needed")
        return best

    def _commands(self, tenant: str, *, with_role: bool = False) -> MemoryCommands:
        """Return the commands as in a new process: nothing of the tenant is cached."""
        url = self._server.url
        wrapper, s3 = KmsKeyWrapper(KMS_KEY, endpoint_url=url), PROCESS.s3_client(endpoint_url=url)
        if with_role:
            sts = PROCESS.client("sts", url)
            role = TenantSessions("arn:aws:iam::111122223333:role/tenant", sts_client=sts).for_tenant(tenant)
            wrapper, s3 = wrapper.with_clients(role), role.s3_client(endpoint_url=url)
        return MemoryCommands(
            MemoryStore(bucket=BUCKET, tenant=tenant, key_wrapper=wrapper, s3_client=s3, key_cache=KeyCache())
        )


def cost_of(exchanges: list[Exchange]) -> Cost:
    """Return the cost of these exchanges."""
    return Cost(
        operations=Counter(exchange.operation for exchange in exchanges),
        round_trips=longest_chain(exchanges),
        received_bytes=sum(exchange.received_bytes for exchange in exchanges),
        sent_bytes=sum(exchange.sent_bytes for exchange in exchanges),
    )


def table(server: WireServer) -> str:
    """Return the ledger as a table in Markdown."""
    ledger = Ledger(server)
    lines = [
        "| command | start | requests | count | budget | round trips | budget | kB sent | kB received | $ a thousand |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for entry in ENTRIES:
        cost = ledger.least(entry)
        shown = ", ".join(f"{count} {operation}" for operation, count in sorted(cost.operations.items()))
        lines.append(
            f"| {entry.form} | {entry.start} | {shown} | {cost.operations.total()} | {entry.budget_requests or ''} | "
            f"{cost.round_trips} | {entry.budget_trips or ''} | {cost.received_bytes / 1_000:.1f} | "
            f"{cost.sent_bytes / 1_000:.1f} | {cost.dollars_a_thousand:.4f} |"
        )
    lines += ["", *(f"Over budget: {entry.form}. Reason: {entry.why_more}." for entry in ENTRIES if entry.why_more)]
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    with WireServer(delay_seconds=DELAY_SECONDS) as server:
        os.environ |= server.environment
        print(table(server))


if __name__ == "__main__":
    main()
