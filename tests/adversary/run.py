"""Runs many plans from seeds, and counts. A plan that nothing explains is minimised and printed."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from adversary.explanation import Contradiction, TooManyCasesError, contradiction
from adversary.faults import FAULTS, Fault
from adversary.network import Network
from adversary.plans import Plan, plan, smallest
from adversary.stage import Stage


@dataclass(frozen=True, slots=True)
class Found:
    """A history that nothing explains.

    Attributes:
        seed: the seed of the plan.
        plan: the plan, minimised.
        why: the contradiction.
        told: the history, request by request.
    """

    seed: int
    plan: Plan
    why: str
    told: str

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.why}\n{self.plan}\n{self.told}"


@dataclass(slots=True)
class Report:
    """The counts and findings."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    found: list[Found] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{count:>8}  {what}" for what, count in self.counts.items()]
        lines += [f"{count:>8}  {what}" for what, count in sorted(self.faults.items())]
        return "\n".join(lines)


def drawn(seed: int, faults: Sequence[Fault] = FAULTS) -> Plan:
    """Return the plan of a seed."""
    return plan(random.Random(seed), faults)  # noqa: S311 - a plan, no secret


def failure(one: Plan, network: Network | None = None) -> tuple[Stage, Contradiction | None]:
    """Run a plan. Return its stage, and the contradiction if not even a second attempt that took effect explains it."""
    stage = Stage(one, network)
    history = stage.run()
    wrong = contradiction(history)
    if wrong is not None and any(command.is_sent_again for command in history.commands):
        wrong = contradiction(history, second_tries=True)
        stage.is_twice = wrong is None
    return stage, wrong


def run(
    seeds: Iterable[int], *, faults: Sequence[Fault] = FAULTS, most_found: int = 10, network: Network | None = None
) -> Report:
    """Run the plans of some seeds, until enough have been found that nothing explains.

    Args:
        seeds: the seeds of the plans.
        faults: the possible faults.
        most_found: the number of findings after which to stop.
        network: carries the requests; they are handed over directly if left out.
    """
    report = Report()
    for seed in seeds:
        if len(report.found) >= most_found:
            break
        one = drawn(seed, faults)
        try:
            stage, wrong = failure(one, network)
        except TooManyCasesError:
            report.counts["histories too wide to be searched"] += 1
            continue
        _count(report, stage)
        if wrong is not None:
            report.counts["histories that no order explains"] += 1
            report.found.append(_found(seed, one, wrong))
    return report


def _count(report: Report, stage: Stage) -> None:
    report.counts["histories"] += 1
    report.counts["histories with a fault"] += bool(stage.faults)
    report.counts["commands"] += len(stage.history.commands)
    for command in stage.history.commands:
        report.counts[f"answered: {command.outcome.kind.value}"] += 1
    report.counts["explained by a second try alone"] += stage.is_twice
    report.counts["left that no repair ends"] += bool(stage.stuck)
    report.faults.update(stage.faults)


def _found(seed: int, one: Plan, wrong: Contradiction) -> Found:
    def fails_likewise(other: Plan) -> bool:
        try:
            found = failure(other)[1]
        except TooManyCasesError:
            return False
        return found is not None and _gist(found) == _gist(wrong)

    least = smallest(one, fails_likewise)
    stage, found = failure(least)
    return Found(seed, least, found.why if found else "it does not fail again", str(stage.history))


def _gist(wrong: Contradiction) -> str:
    return re.sub(r" of .*", "", wrong.why)
