"""The search for orders itself: leaving out equivalent orders loses no outcome."""

from __future__ import annotations

from typing import Any

import pytest
from support.interleaving import Call, create, delete, names, pending, rename, replace, server_with, state, view, work
from support.memory_s3 import InMemoryS3
from support.orders import Search, sampled_runs
from support.scheduler import Run

from s3memory.paths import MemoryPath

FILES = {MemoryPath(("x",)): "one", MemoryPath(("d", "a")): "one", MemoryPath(("d", "b")): "bee"}
SHORT = [
    [create("y"), create("y")],
    [replace("x"), replace("x")],
    [replace("x"), delete("x")],
    [create("y"), rename("x", "y")],
    [create("y"), create("y"), view("/y")],
]
LONG = [
    [rename("x", "y"), rename("x", "y")],
    [rename("d", "e"), replace("d/a")],
    [delete("d"), create("d/n")],
    [create("y"), rename("y", "z"), replace("y")],
]


pytestmark = pytest.mark.usefixtures("strands")


@pytest.fixture(scope="module")
def base() -> InMemoryS3:
    return server_with(FILES)


def outcome(run: Run) -> tuple[Any, ...]:
    return (run.results, tuple(sorted(state(run.server).items())), run.killed, pending(run.server))


def works(calls: list[Call]) -> list[Any]:
    return [work(call) for call in calls]


DISASTERS = {"": (False, False), "with a crash": (True, False), "with a crash and late requests": (True, True)}


@pytest.mark.parametrize("disaster", DISASTERS)
@pytest.mark.parametrize("calls", SHORT, ids=names)
def test_only_one_of_several_equivalent_orders_is_run_and_no_outcome_is_lost(
    base: InMemoryS3, calls: list[Call], disaster: str
) -> None:
    kills, late = DISASTERS[disaster]
    every = [outcome(run) for run in Search(base, works(calls), reduced=False, kills=kills, late=late).runs()]
    reduced = [outcome(run) for run in Search(base, works(calls), kills=kills, late=late).runs()]
    assert set(reduced) == set(every)
    assert len(set(every)) <= len(reduced) < len(every) or len(every) < 10


@pytest.mark.parametrize("disaster", DISASTERS)
@pytest.mark.parametrize("calls", LONG, ids=names)
def test_outcomes_of_sampled_orders_are_among_those_of_the_search(
    base: InMemoryS3, calls: list[Call], disaster: str
) -> None:
    kills, late = DISASTERS[disaster]
    drawn = {outcome(run) for run in sampled_runs(base, works(calls), seed="1", count=60, kills=kills, late=late)}
    assert drawn <= {outcome(run) for run in Search(base, works(calls), kills=kills, late=late).runs()}


def test_no_order_is_run_twice(base: InMemoryS3) -> None:
    runs = [run.choices for run in Search(base, works(LONG[0]), kills=True).runs()]
    assert len(set(runs)) == len(runs) > 30


def test_a_seed_draws_the_same_orders_again(base: InMemoryS3) -> None:
    drawn = [
        [run.choices for run in sampled_runs(base, works(LONG[0]), seed=seed, count=5)] for seed in ("1", "1", "2")
    ]
    assert drawn[0] == drawn[1] != drawn[2]
