"""Whatever goes wrong, drawn from seeds: reports are true, nothing is lost, and started work can be finished.

Each plan is a few commands against moto through a botocore client with its retries, with faults at drawn requests (see
`fault_plans`). A failure prints its seed: ``FAULT_SEED=123 pytest tests/properties/test_fault_plans.py`` runs only that
plan, and ``FAULT_PLANS=2000`` runs 2000 plans.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config
from support.fault_plans import FILES, KINDS, Clock, FaultPlan, Step, rehearsed
from support.faults import Fault, FaultLayer, other_writer_first
from support.figures import FIGURES
from support.flavours import Refused, files_of, make_ring, put_file, through_call
from support.interleaving import own_line
from support.machine.determinism import Keys
from support.machine.judgement import ADMISSIONS, REFUSALS, is_part_done, is_serial

from s3memory import MemoryCommands, MemoryStore
from s3memory.aws.errors import RequestOutcome, outcome_of
from s3memory.errors import S3MemoryError
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.s3 import attempts
from s3memory.s3.deletes import ConditionalDeletes
from s3memory.s3.objects import Deletion
from s3memory.store import directories, moving, tree
from s3memory.testing.machine.model import CommandOutcome as Expected
from s3memory.testing.machine.model import State, ToolInput, reference
from s3memory.testing.reference import Report

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

TENANT = "acme"
# Reports that mention leftovers.
KINDS_OF_ERRORS = ("Nothing was changed", "is not known", "was begun", "Nothing is lost. View")


def seeds() -> list[int]:
    one = os.environ.get("FAULT_SEED")
    return [int(one)] if one is not None else list(range(int(os.environ.get("FAULT_PLANS", "24"))))


class Rehearsal:
    """One plan and its execution."""

    def __init__(self, plan: FaultPlan, s3: S3Client, bucket_name: str) -> None:
        self.plan = plan
        self.trace: list[str] = []
        self.counts: Counter[str] = Counter()
        self.clock = Clock()
        self.keys = Keys()
        self._bucket_name = bucket_name
        self._prefix = ""
        # Its own client, because botocore counts retries per client.
        config = Config(retries={"total_max_attempts": 3, "mode": "standard"})
        self._client: S3Client = boto3.client("s3", config=config)
        self._calm_client = s3
        self._cache = KeyCache(clock=self.clock.now)
        self._known: dict[str, tuple[str, str]] = {}
        self._is_clean = True

    def run(self) -> None:
        with rehearsed(self.keys, self.clock, self.plan.seed), FaultLayer(self._client) as layer:
            self._set_up({MemoryPath.parse(path): text for path, text in FILES.items()})
            for number, step in enumerate(self.plan.steps):
                if not self._is_clean:  # the files stay, without the history of how they got there
                    self._prefix = f"{number}/"
                    self._set_up(self.files)
                self._take(step.aimed(self.files), layer)

    def store(self, client: S3Client, cache: KeyCache, remaining_seconds: float | None = None) -> MemoryStore:
        end = self.clock.now() + (remaining_seconds or 0)
        return MemoryStore(
            bucket=self._bucket_name,
            tenant=TENANT,
            prefix=self._prefix,
            key_wrapper=self.keys,
            name_mode=self.plan.name_mode,
            redactor=None,
            s3_client=client,
            key_cache=cache,
            remaining_seconds=None if remaining_seconds is None else lambda: end - self.clock.now(),
        )

    def _set_up(self, files: State) -> None:
        self._calm = self.store(self._calm_client, KeyCache())
        self._known.clear()
        make_ring(self._calm, self.plan.name_mode)
        for path, text in sorted(files.items()):
            put_file(self._calm, str(path), text)
        self.files = self._read()
        assert self.files == files

    def _read(self) -> State:
        """Read every file, without faults; everything that is listed must decrypt."""
        return {MemoryPath.parse(path): text for path, text in files_of(self._calm, self._known).items()}

    def _pending(self) -> list[str]:
        return [str(stored.intent) for stored in tree.pending(self._calm)]

    def _take(self, step: Step, layer: FaultLayer) -> None:
        if step.is_cold:
            self._cache.clear()
        else:
            self.store(self._client, self._cache).key_ring.existing_or_new()
        before = self.files
        other_report: list[Report] = []

        def choose(number: int, operation: str) -> Fault | None:
            fault = step.fault(number, operation, self.clock)
            if step.other is None or number != step.other_at:
                return fault
            other = step.other

            def come_first() -> None:
                if fault is not None and fault.action is not None:
                    fault.action()
                other_report.append(self._send(other, self._calm))

            return other_writer_first(come_first) if fault is None else replace(fault, action=come_first)

        layer.follow(choose)
        report = self._send(step.call, self.store(self._client, self._cache, step.remaining_seconds))
        self._note(step, report, layer)
        layer.clear()
        self.files = self._read()
        self._is_clean = not other_report
        if step.other is not None and other_report:
            self._judge_two(step, report, other_report[0], before)
        else:
            self._judge(step.call, report, before)
            self._end(step, layer, before)

    def _send(self, call: ToolInput, store: MemoryStore) -> Report:
        answer = through_call(MemoryCommands(store), call)
        report = Report(answer.text, is_error=True) if isinstance(answer, Refused) else Report(answer)
        for secret in (self._bucket_name, f"memories/{TENANT}", "keyrings/", "intents/", "Traceback"):
            assert secret not in report.text
        return report

    def _note(self, step: Step, report: Report, layer: FaultLayer) -> None:
        hit = [trouble.kind for trouble in step.troubles if trouble.first <= len(layer.requests)]
        self.trace += [*layer.requests, f"{self.clock.now():.3f}", *hit, repr(report)]
        self.counts["requests"] += len(layer.requests)
        self.counts["commands"] += 1
        self.counts["commands in trouble"] += bool(hit)
        if report.is_error:
            self.counts.update({f"reports: {kind}": kind in report.text for kind in KINDS_OF_ERRORS})

    def _judge(self, call: ToolInput, report: Report, before: State) -> None:
        """Fail unless the report of a command without interference is true of what is stored."""
        outcome = reference(before, call)
        assert is_true(call, report, before, self.files, outcome), (report, before, self.files)
        if not report.is_error or "Nothing was changed" in report.text:
            assert self._pending() == [], report

    def _judge_two(self, step: Step, report: Report, other_report: Report, before: State) -> None:
        """The same with another writer's command in between: it came first, or last, or both are half done."""
        self.counts["commands overtaken"] += 1
        assert step.other is not None
        call, other, found = step.call, step.other, self.files
        if is_serial([call, other], [report, other_report], before, found):
            return
        first = reference(before, other)
        if first.explains(other_report, first.files) and is_true(
            call, report, first.files, found, reference(first.files, call)
        ):
            return
        for state in (before, reference(before, call).files):
            last = reference(state, other)
            if last.explains(other_report, found) and is_true(call, report, before, state, reference(before, call)):
                return
        assert report.is_error, (report, other_report, before, found)
        assert any(admission in report.text for admission in ADMISSIONS), (report, other_report, before, found)
        deletes = [one for one in (call, other) if one["command"] == "delete"]
        lost = {own_line(text) for text in before.values()} - {own_line(text) for text in found.values()}
        assert not lost or deletes, (report, other_report, before, found)

    def _end(self, step: Step, layer: FaultLayer, before: State) -> None:
        """Fail unless the step's unfinished, or possibly unfinished, work can be finished in the way that it says."""
        outcome = reference(before, step.call)
        unfinished = self._pending()
        is_half_done = self.files not in (before, outcome.files)
        if not unfinished and not is_half_done:
            return
        self.counts["commands left unfinished"] += 1
        if step.again == "repair" and unfinished:
            try:
                tree.repair(self.store(self._client, self._cache))
            except S3MemoryError as error:
                raise AssertionError(f"repair: {error}") from error
        else:
            if step.again == "in trouble":
                layer.follow(lambda number, operation: step.fault(number + 3, operation, self.clock))
                report = self._send(step.call, self.store(self._client, self._cache))
                self._note(step, report, layer)
                layer.clear()
            self._send(step.call, self.store(self._client, self._cache))
        self.files = self._read()
        assert self.files == outcome.files, (before, self.files)
        assert self._pending() == []


def is_true(call: ToolInput, report: Report, before: State, found: State, outcome: Expected) -> bool:
    """Whether the report of a command in trouble is true of what is stored."""
    if outcome.explains(report, found):
        return True
    if not report.is_error or any(refusal in report.text for refusal in REFUSALS):
        return False
    if not any(admission in report.text for admission in ADMISSIONS):
        return found == before
    return is_part_done(before, found, outcome.files, call)


def rehearse(plan: FaultPlan, s3: S3Client, bucket_name: str) -> Rehearsal:
    rehearsal = Rehearsal(plan, s3, bucket_name)
    try:
        rehearsal.run()
    except AssertionError as error:
        replay = f"replay with: FAULT_SEED={plan.seed} pytest tests/properties/test_fault_plans.py"
        raise AssertionError("\n".join([str(error), replay, str(plan), *rehearsal.trace])) from error
    return rehearsal


def rehearse_all(plans: list[FaultPlan], s3: S3Client, bucket_name: str) -> list[Rehearsal]:
    rehearsals = []
    for plan in plans:
        name = f"{bucket_name}-{plan.seed}"
        s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        rehearsals.append(rehearse(plan, s3, name))
    return rehearsals


@pytest.mark.parametrize("seed", seeds())
def test_whatever_goes_wrong_reports_are_true_and_nothing_is_lost(other_s3: S3Client, bucket: str, seed: int) -> None:
    counts = Counter({"plans": 1}) + rehearse(FaultPlan.from_seed(seed), other_s3, bucket).counts
    FIGURES.update({f"fault plans: {what}": count for what, count in counts.items()})


def test_a_seed_replays_the_same_requests_faults_and_reports(other_s3: S3Client, bucket: str) -> None:
    plans = [FaultPlan.from_seed(seed) for seed in range(4)]
    first, second = (rehearse_all(plans, other_s3, f"{bucket}-{time}") for time in ("once", "again"))
    assert [one.trace for one in first] == [one.trace for one in second]
    assert len({tuple(one.trace) for one in first}) == len(first)


def test_every_kind_of_fault_is_drawn() -> None:
    drawn = {
        trouble.kind for seed in range(40) for step in FaultPlan.from_seed(seed).steps for trouble in step.troubles
    }
    assert drawn == set(KINDS)


def _unwatched(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(attempts, "_on_needs_retry", lambda **_: None)


def _deleted_without_condition(patch: pytest.MonkeyPatch) -> None:
    delete = ConditionalDeletes.one

    def delete_whatever_is_there(self: ConditionalDeletes, object_key: str, *, etag: str) -> Deletion:
        info = self._head(object_key)
        return delete(self, object_key, etag=etag if info is None else info.etag)

    patch.setattr(ConditionalDeletes, "one", delete_whatever_is_there)


def _conflict_read_as_exists(patch: pytest.MonkeyPatch) -> None:
    def read(error: Exception) -> RequestOutcome:
        outcome = outcome_of(error)
        return RequestOutcome.PRECONDITION_FAILED if outcome is RequestOutcome.CONFLICT else outcome

    patch.setattr("s3memory.s3.attempts.outcome_of", read)


def _unfinished_without_a_word(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(moving, "begun", lambda _: nullcontext())
    patch.setattr(directories, "begun", lambda _: nullcontext())


@pytest.mark.parametrize(
    ("mistake", "kinds"),
    [
        (_unwatched, KINDS),
        (_deleted_without_condition, KINDS),
        (_conflict_read_as_exists, ["409"]),
        (_unfinished_without_a_word, KINDS),
    ],
    ids=lambda value: value.__name__.strip("_").replace("_", " ") if callable(value) else "",
)
def test_a_mistake_is_found_by_some_seed_and_the_failure_says_how_to_replay_it(
    other_s3: S3Client,
    bucket: str,
    monkeypatch: pytest.MonkeyPatch,
    mistake: Callable[[pytest.MonkeyPatch], None],
    kinds: list[str],
) -> None:
    mistake(monkeypatch)
    plans = [FaultPlan.from_seed(seed, kinds=kinds) for seed in range(60)]
    with pytest.raises(AssertionError, match=r"FAULT_SEED=\d+ pytest tests/properties/test_fault_plans.py"):
        rehearse_all(plans, other_s3, bucket)
