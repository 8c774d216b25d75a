"""The orders in which the requests of several clients can be carried out: all of them, or a sample from a seed.

Two orders that differ only in adjacent independent requests (about different objects, or two reads) have the same
outcome, so one stands for all of them. The search is stateless: a run follows recorded choices, then always takes the
first option. Wherever two of its requests raced, another run is started in which the later one comes first
(source sets; P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, Optimal Dynamic Partial Order Reduction, POPL 2014), and a
choice whose orders were run sleeps until a step that it depends on (sleep sets; P. Godefroid, 1996).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from support.memory_s3 import InMemoryS3
from support.scheduler import KILL, Choice, Execution, Run, Work

_READS = {"GetObject", "HeadObject", "ListObjectsV2"}
_KILLS_A_STEP = 0.06


@dataclass(slots=True)
class _Node:
    """A node in the tree of choices.

    Attributes:
        options: the possible next choices.
        asleep: the options that need not be tried here: their orders were run, or are run elsewhere.
        wanted: the options that must be tried here.
        taken: the option that is being tried.
    """

    options: list[Choice]
    asleep: set[Choice]
    wanted: list[Choice]
    taken: Choice

    def left(self) -> Choice | None:
        return next((choice for choice in self.wanted if choice not in self.asleep), None)


@dataclass(slots=True)
class Search:
    """Every order of some clients' requests.

    Attributes:
        base: what is stored beforehand.
        works: what the clients do.
        kills: whether to also kill one client at every point of each order.
        late: whether the requests that a killed client has sent are carried out, or not, at every later point as well.
        reduced: whether to run only one of several equivalent orders.
        abandoned: how many runs turned out, on the way, to be equivalent to an earlier one.
    """

    base: InMemoryS3
    works: list[Work]
    kills: bool = False
    late: bool = False
    reduced: bool = True
    abandoned: int = 0
    _nodes: list[_Node] = field(default_factory=list)

    def runs(self) -> Iterator[Run]:
        """Run them, one after another."""
        while True:
            execution = Execution(self.base, self.works, kills=self.kills, late=self.late)
            for node in self._nodes:
                execution.take(node.taken)
            is_new = self._ran_on(execution)
            if self.reduced:
                self._want_races_the_other_way_round(execution)
            if is_new:
                yield execution.ended()
            else:
                execution.abandon()
                self.abandoned += 1
            if not self._turned_back():
                return

    def _ran_on(self, execution: Execution) -> bool:
        """Take the first choice again and again. Return whether all clients finished: if not, it is a repetition."""
        while options := execution.options():
            last = self._nodes[-1] if self._nodes and self.reduced else None
            asleep = {choice for choice in last.asleep if not _depend(choice, last.taken)} if last else set()
            awake = [option for option in options if option not in asleep]
            if not awake:
                return False
            wanted = self._wanted_at_first(awake) if self.reduced else awake
            self._nodes.append(_Node(options, asleep, wanted, awake[0]))
            execution.take(awake[0])
        return True

    @staticmethod
    def _wanted_at_first(awake: list[Choice]) -> list[Choice]:
        """Return the choices that must be tried at a node, whatever races."""
        kills = [option for option in awake if option.operation == KILL]
        if not kills:
            return awake[:1]
        # A kill that did not happen is in no run, so it cannot race; nor can a request that a kill prevented.
        return [option for option in awake if option.client == awake[0].client or option in kills]

    def _turned_back(self) -> bool:
        """Go back to the last node that has something left to try. Return whether there is one."""
        while self._nodes:
            node = self._nodes[-1]
            node.asleep.add(node.taken)
            choice = node.left()
            if choice is not None:
                node.taken = choice
                return True
            self._nodes.pop()
        return False

    def _want_races_the_other_way_round(self, execution: Execution) -> None:
        befores: list[int] = []  # for each step, itself and all that precede it in every equivalent order
        for number, (choice, past) in enumerate(zip(execution.taken, execution.pasts, strict=True)):
            dependent = [other for other in range(number) if _depend(execution.taken[other], choice)]
            before = 1 << number
            for other in range(number):
                if past >> other & 1 or other in dependent:
                    before |= befores[other]
            befores.append(before)
            if choice.operation == KILL:
                continue
            for other in dependent:
                if not past >> other & 1 and not self._is_between(other, number, dependent, past, befores):
                    self._want(other, number, befores, execution.taken)

    @staticmethod
    def _is_between(one: int, other: int, dependent: list[int], past: int, befores: list[int]) -> bool:
        """Whether some step must come after one step and before the other."""
        return any(befores[step] >> one & 1 for step in range(one + 1, other) if past >> step & 1 or step in dependent)

    def _want(self, one: int, other: int, befores: list[int], taken: list[Choice]) -> None:
        """Have a step tried before one that raced with it: the step itself, or the steps that lead to it."""
        node = self._nodes[one]
        rest = [step for step in range(one + 1, other) if not befores[step] >> one & 1] + [other]
        firsts = [
            taken[step] for step in rest if not any(befores[step] >> earlier & 1 for earlier in rest if earlier < step)
        ]
        if not any(first in node.wanted or first in node.asleep for first in firsts):
            node.wanted.append(next(first for first in firsts if first in node.options))


def sampled_runs(
    base: InMemoryS3, works: list[Work], *, seed: str, count: int, kills: bool = False, late: bool = False
) -> Iterator[Run]:
    """Yield `count` orders drawn from a seed, the same ones for the same seed; with `kills`, most have one."""
    drawn = random.Random(seed)  # noqa: S311 - an order, no secret
    for _ in range(count):
        execution = Execution(base, works, kills=kills, late=late)
        while options := execution.options():
            killing = [option for option in options if option.operation == KILL]
            is_kill = killing and (len(killing) == len(options) or drawn.random() < _KILLS_A_STEP)
            execution.take(drawn.choice(killing if is_kill else options[: len(options) - len(killing)]))
        yield execution.ended()


def _depend(one: Choice, other: Choice) -> bool:
    """Whether it matters which of two comes first."""
    if KILL in {one.operation, other.operation}:
        return one.operation == other.operation or one.client == other.client
    if (one.client, one.strand) == (other.client, other.strand):
        return True
    if {one.operation, other.operation} <= _READS:
        return False
    return _covers(one, other.object_key) or _covers(other, one.object_key)


def _covers(choice: Choice, object_key: str) -> bool:
    """Whether a request is, or may be, about an object."""
    if choice.operation == "ListObjectsV2":
        return object_key.startswith(choice.object_key)
    # A request about several objects does not name them.
    return choice.operation == "DeleteObjects" or choice.object_key == object_key
