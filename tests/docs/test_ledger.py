"""The counts of the benchmarks' ledger: requests and sequential round trips of each command, over HTTP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from ledger import ENTRIES, Entry, Ledger, dollars
from support.for_each import for_each
from wire import Exchange, WireServer, longest_chain

GET, HEAD, LIST, PUT, DELETE = "GetObject", "HeadObject", "ListObjectsV2", "PutObject", "DeleteObject"

# Requests and sequential round trips, by form and start.
PINNED: dict[tuple[str, str], tuple[dict[str, int], int]] = {
    ("view a file", "warm"): ({GET: 1}, 1),
    ("view a file at depth 4", "warm"): ({GET: 1}, 1),
    ("view the root", "warm"): ({LIST: 1}, 1),
    ("view a file named without a dot", "warm"): ({GET: 1, LIST: 1}, 1),
    ("view a directory", "warm"): ({GET: 1, LIST: 1}, 1),
    ("view a directory named with a dot", "warm"): ({GET: 1, LIST: 1}, 2),
    ("view a directory named with a dot, and a slash behind it", "warm"): ({GET: 1, LIST: 1}, 1),
    ("view a directory at depth 3", "warm"): ({GET: 1, LIST: 1}, 1),
    ("view a flat directory of 5,000 files", "warm"): ({GET: 1, LIST: 1}, 1),
    ("create at depth 1", "warm"): ({LIST: 1, PUT: 1}, 1),
    ("create at depth 4", "warm"): ({HEAD: 3, LIST: 1, PUT: 1}, 1),
    ("str_replace", "warm"): ({GET: 1, PUT: 1}, 2),
    ("str_replace at depth 4", "warm"): ({GET: 1, PUT: 1}, 2),
    ("insert", "warm"): ({GET: 1, PUT: 1}, 2),
    ("delete a file", "warm"): ({DELETE: 1}, 1),
    ("delete a file at depth 4", "warm"): ({DELETE: 1}, 1),
    ("delete a directory of 4 files", "warm"): ({LIST: 1, PUT: 1, "DeleteObjects": 1, DELETE: 2}, 4),
    ("rename a file to depth 1", "warm"): ({GET: 1, LIST: 1, PUT: 1, DELETE: 1}, 3),
    ("rename a file to depth 4", "warm"): ({GET: 1, HEAD: 3, LIST: 1, PUT: 1, DELETE: 1}, 3),
    ("rename a directory of 4 files", "warm"): ({GET: 5, HEAD: 1, LIST: 3, PUT: 5, DELETE: 5}, 8),
    ("view a file", "cold"): ({GET: 2, "Decrypt": 1}, 3),
    ("view the root", "cold"): ({GET: 1, LIST: 1, "Decrypt": 1}, 2),
    ("view a directory", "cold"): ({GET: 2, LIST: 1, "Decrypt": 1}, 3),
    ("create at depth 1", "cold"): ({GET: 1, LIST: 1, PUT: 1, "Decrypt": 1}, 3),
    ("insert", "cold"): ({GET: 2, PUT: 1, "Decrypt": 1}, 4),
    ("view a file", "tenant role"): ({GET: 2, "Decrypt": 1, "AssumeRole": 1}, 4),
    ("view the root", "new tenant"): ({GET: 1, LIST: 2}, 2),
    ("create at depth 1", "new tenant"): ({GET: 1, LIST: 2, PUT: 2, "GenerateDataKey": 1, "Decrypt": 1}, 6),
}


@pytest.fixture(scope="module")
def ledger() -> Iterator[Ledger]:
    with WireServer(delay_seconds=0) as server:
        yield Ledger(server, delay_seconds=0.03)


def named(entry: Entry) -> str:
    return f"{entry.form}, {entry.start}"


def test_the_ledger_has_exactly_the_pinned_entries() -> None:
    assert [(entry.form, entry.start) for entry in ENTRIES] == list(PINNED)


@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_a_command_costs_the_pinned_number_of_requests(ledger: Ledger, entry: Entry) -> None:
    operations, round_trips = PINNED[entry.form, entry.start]
    pinned = (Counter(operations), round_trips)
    # On a busy machine, parallel requests may be omitted, or sent later.
    cost = ledger.least(entry, enough=lambda cost: (cost.operations, cost.round_trips) == pinned)
    assert cost.operations == Counter(operations)
    assert cost.round_trips == round_trips
    assert cost.dollars_a_thousand == pytest.approx(1_000 * dollars(Counter(operations)))


@for_each("entry", ENTRIES, ids=named)
def test_a_command_above_its_budget_has_a_reason(entry: Entry) -> None:
    operations, round_trips = PINNED[entry.form, entry.start]
    is_over = (entry.budget_requests is not None and sum(operations.values()) > entry.budget_requests) or (
        entry.budget_trips is not None and round_trips > entry.budget_trips
    )
    assert is_over == bool(entry.why_more)


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], 0),
        ([(0, 1)], 1),
        ([(0, 1), (0.5, 1.5)], 1),  # in parallel
        ([(0, 1), (1, 2)], 2),  # the second waited for the first
        ([(0, 1), (0, 5), (1, 2), (2, 3)], 3),  # a slow one in parallel with a chain of three
        ([(0, 2), (1, 3), (2.5, 4)], 2),
    ],
)
def test_the_longest_chain_consists_of_requests_that_do_not_overlap(
    spans: list[tuple[float, float]], expected: int
) -> None:
    exchanges = [Exchange("s3", GET, 200, begin, end, 0, 0) for begin, end in spans]
    assert longest_chain(exchanges) == longest_chain(exchanges[::-1]) == expected
