"""Runs a plan: clients take turns at an in-memory S3, faults happen, and what is seen from outside is recorded."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from support import fault_plans
from support.machine.determinism import Keys

from adversary.faults import Acts, Died, Ending, Fault, answered, seen
from adversary.history import ROOT, Call, Command, Event, Files, History, Kind, Outcome
from adversary.http_s3 import Answer, HttpS3, Request
from adversary.jobs import BEGINNING, job
from adversary.line import Line
from adversary.model import FORBIDDEN, UNSETTLED
from adversary.network import Connected, Network
from adversary.plans import Member, Plan, Trouble, Turn
from adversary.turns import Crew, Strand, TurnLock, current, taking_turns
from s3memory import MemoryCommands, MemoryStore
from s3memory.errors import (
    IntegrityError,
    KeyRingError,
    LimitError,
    ReadOnlyError,
    RedactionError,
    RefusedError,
    S3MemoryError,
)
from s3memory.keys import open_key_ring
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.store import tree

TENANT, BUCKET = "acme", "memories"

_TIMEOUT_SECONDS = 5.0


class Clock(fault_plans.Clock):
    """A clock that also gives the server's date."""

    def date(self) -> datetime:
        return BEGINNING + timedelta(seconds=self.seconds)


class _Strict:
    """A redactor that fails on some texts."""

    def redact(self, text: str, /) -> Any:
        from s3memory.redaction import Redaction  # noqa: PLC0415

        if FORBIDDEN in text:
            raise ValueError
        return Redaction(text, ())


def store_on(line: Line, clock: Clock, keys: Keys, name_mode: str, *, is_strict: bool = False) -> MemoryStore:
    """Return a store with its own cache."""
    return MemoryStore(
        bucket=BUCKET,
        tenant=TENANT,
        key_wrapper=keys,
        redactor=_Strict() if is_strict else None,
        name_mode=name_mode,
        s3_client=line.client,
        key_cache=KeyCache(clock=clock.now, wall_clock=clock.now, new_lock=TurnLock),  # type: ignore[arg-type]
    )


@dataclass(eq=False)
class Actor:
    """A client on the stage."""

    number: int
    member: Member
    store: MemoryStore
    command: Command | None = None
    is_sent: bool = False
    is_dead: bool = False
    requests: int = 0
    writes: int = 0

    @property
    def name(self) -> str:
        return f"client {self.number}"


@dataclass(frozen=True, eq=False)
class UnderWay:
    """A request in flight that the server has yet to see, and whose client no longer waits."""

    actor: Actor
    request: Request


@functools.cache
def _lines() -> list[Line]:
    return []


def _line(number: int) -> Line:
    lines = _lines()
    while len(lines) <= number:
        lines.append(Line())
    return lines[number]


@functools.cache
def _base(names: tuple[str, ...], name_mode: str) -> tuple[HttpS3, Files]:
    server, clock = HttpS3(), Clock()
    line = _line(0)
    line.carry = lambda request, sent: seen(None, request, server.answer(request), streams=sent.stream_output)
    commands = MemoryCommands(store_on(line, clock, Keys(), name_mode))
    files = {f"{ROOT}/{name}": f"old {number}\none\n" for number, name in enumerate(names)}
    for path, text in files.items():
        commands.create(path, text)
    return server, frozenset(files.items())


class Stage:
    """One history while it runs.

    Attributes:
        history: what is seen from outside.
        faults: how often each fault happened.
        stuck: what a repair could not finish after all clients had ended.
        is_twice: whether only a second attempt that was also carried out can explain it.

    Args:
        plan: the plan to run.
        network: carries the requests; if left out, they are handed directly to the server, and faults are raised.
    """

    def __init__(self, plan: Plan, network: Network | None = None) -> None:
        self._network = network
        base, files = _base(plan.files, plan.name_mode)
        self.plan = plan
        self.clock = Clock()
        self.keys = Keys()
        self.keys._made = 1_000
        self.clock.pass_by(3_600)
        self.server = base.copy(now=self.clock.date, same_bytes_same_etag=plan.same_etag)
        self.history = History(files)
        self.faults: Counter[str] = Counter()
        self.stuck: list[str] = []
        self.is_twice = False
        self._crew = Crew()
        self._under_way: list[UnderWay] = []
        self._carried_out: set[bytes] = set()
        self._texts = 0
        self._keeper = store_on(_line(0), self.clock, self.keys, plan.name_mode)
        _line(0).carry = lambda request, sent: seen(
            None, request, self.server.answer(request), streams=sent.stream_output
        )
        self._actors = [self._actor(number, member) for number, member in enumerate(plan.members)]

    def run(self) -> History:
        """Run the plan, then finish what was started, and read what is stored."""
        with (
            taking_turns(self.clock.pass_by),
            patch.object(open_key_ring, "os", SimpleNamespace(urandom=self.keys.random)),
        ):
            self._perform()
            self._look()
            if not self._is_erased:
                self._end()
                self._look()
        return self.history

    def _actor(self, number: int, member: Member) -> Actor:
        line = _line(number + 1)
        line.carry = self._wait_and_send
        actor = Actor(
            number, member, store_on(line, self.clock, self.keys, self.plan.name_mode, is_strict=member.is_strict)
        )
        ring = None if member.is_cold else self._keeper.key_ring.existing()
        if ring is not None:
            actor.store.key_ring.cache.put(actor.store.key_ring._identity, ring)
        return actor

    # Called in strands.

    def _live(self, actor: Actor) -> None:
        commands = MemoryCommands(actor.store, overwrite=actor.member.overwrites)
        for call in actor.member.calls:
            actor.command, actor.is_sent = Command(actor.name, self._own(call, actor)), False
            try:
                outcome = carried(commands, actor.store, actor.command.call)
            except Died:
                return
            self._answered(actor, outcome)

    def _own(self, call: Call, actor: Actor) -> Call:
        """Return a call with texts that identify its writer."""
        self._texts += 1
        if call["command"] == "import":
            return {**call, "files": {path: f"{text}{self._texts}\none\n" for path, text in call["files"].items()}}
        own = {"create": "file_text", "insert": "insert_text", "str_replace": "new_str"}.get(call["command"])
        call = dict(call) if own is None else {**call, own: call[own].rstrip("\n") + str(self._texts)}
        if call["command"] == "create":
            call["file_text"] += "\n"
        if call["command"] == "create" and actor.member.overwrites:
            call["overwrite"] = True
        return call

    def _wait_and_send(self, request: Request, sent: AWSPreparedRequest) -> AWSResponse:
        strand = current()
        actor: Actor = strand.owner
        if actor.is_dead:
            raise Died
        strand.send(request)
        if actor.is_dead:
            raise Died
        fault: Fault | None = strand.told
        if self._network is not None and (fault is None or fault.ending is not Ending.DIES):
            return self._network.exchange(fault, sent, Connected(self._act, partial(self._keep_late, actor)))
        if fault is not None and fault.acts is Acts.LATE:
            self._keep_late(actor, request)
        return seen(fault, request, answered(fault, request, self._act), streams=sent.stream_output)

    def _act(self, request: Request) -> Answer:
        answer = self.server.answer(request)
        self._note(f"    the server answers {answer.status}")
        if request.operation == "PutObject" and answer.status < HTTPStatus.MULTIPLE_CHOICES:
            # S3 may carry out an attempt that arrives after another one of the same request, even if its file was
            # removed in between: `docs/semantics.md` says so.
            self._carried_out.add(request.body)
            self._under_way = [one for one in self._under_way if one.request.body != request.body]
        return answer

    def _keep_late(self, actor: Actor, request: Request) -> None:
        if request.operation != "PutObject" or request.body not in self._carried_out:
            self._under_way.append(UnderWay(actor, request))

    # Handing out the turns.

    def _perform(self) -> None:
        strands = {actor: self._crew.begin(actor, partial(self._live, actor)) for actor in self._actors}
        turns = [turn for turn in self.plan.turns for _ in range(turn.count)]
        for turn in turns:
            if not self._take(turn):
                break
        while self._take(Turn(0, 0, 1)):
            pass
        for strand in strands.values():
            if (error := strand.future.exception()) is not None:
                raise error
        while self._under_way:
            self._arrive(self._under_way.pop(0))

    def _take(self, turn: Turn) -> bool:
        waiting = self._crew.waiting()
        if not waiting:
            return False
        owners: set[Actor] = {strand.owner for strand in waiting}
        choices: list[Actor | None] = [
            *sorted(owners, key=lambda actor: actor.number),
            *([None] if self._under_way else []),
        ]
        owner = choices[turn.who % len(choices)]
        if owner is None:
            self._arrive(self._under_way.pop(turn.which % len(self._under_way)))
        else:
            own = [strand for strand in waiting if strand.owner is owner]
            self._carry_out(owner, own[turn.which % len(own)])
        return True

    def _carry_out(self, actor: Actor, strand: Strand) -> None:
        request = strand.request
        if request is None or actor.command is None:
            raise AssertionError("a strand is taken that waits to send a request of a command")
        self._sent(actor)
        fault = self._fault(actor, request)
        self._note(f"  {actor.name} {shown(request)}{f': {fault}' if fault else ''}")
        if fault is not None:
            self.faults[str(fault)] += 1
            if fault.ending in {Ending.TIMEOUT, Ending.STALLED}:
                self.clock.pass_by(_TIMEOUT_SECONDS)
        if fault is not None and _stores_twice(actor.command, request, fault):
            actor.command.is_sent_again = True
        strand.told = fault
        if fault is not None and fault.ending is Ending.DIES:
            self._dies(actor, request, fault)
        self._crew.take(strand)
        while actor.is_dead and (others := [one for one in self._crew.waiting() if one.owner is actor]):
            self._crew.take(others[0])

    def _dies(self, actor: Actor, request: Request, fault: Fault) -> None:
        """Kill a client's process when it sends a request; its other sent requests may arrive late."""
        if fault.acts is Acts.NOW:
            self._act(request)
        actor.is_dead = True
        if fault.acts is Acts.LATE:
            sent = [one.request for one in self._crew.waiting() if one.owner is actor and one.request is not None]
            self._under_way += [UnderWay(actor, one) for one in sent]
        if actor.command is not None:
            self.history.events.append(Event(actor.command, is_answer=True))
            self._note(f"{actor.command} dies")

    def _arrive(self, under_way: UnderWay) -> None:
        self._note(f"  late: {under_way.actor.name} {shown(under_way.request)}")
        self._act(under_way.request)

    def _fault(self, actor: Actor, request: Request) -> Fault | None:
        hit = next((one.fault for one in self.plan.troubles if self._hits(one, actor, request)), None)
        actor.requests += 1
        actor.writes += request.is_write
        return hit

    def _hits(self, trouble: Trouble, actor: Actor, request: Request) -> bool:
        if trouble.client % len(self.plan.members) != actor.number or (trouble.of_writes and not request.is_write):
            return False
        number = actor.writes if trouble.of_writes else actor.requests
        return trouble.at <= number < trouble.at + trouble.times

    def _sent(self, actor: Actor) -> None:
        if not actor.is_sent and actor.command is not None:
            actor.is_sent = True
            self.history.events.append(Event(actor.command))
            self._note(f"{actor.command}")

    def _answered(self, actor: Actor, outcome: Outcome) -> None:
        if actor.command is None or actor.is_dead:
            return
        self._sent(actor)
        actor.command.outcome = outcome
        event = Event(actor.command, is_answer=True)
        self.history.events.append(event)
        self._note(str(event))

    # After the plan.

    def _end(self) -> None:
        """Finish what was started, as an operator and a model would, without faults."""
        begun = [one for one in self.history.commands if one.outcome.kind in UNSETTLED]
        again = [one.call for one in begun if one.name in {"rename", "delete", "clear"}]
        repair: Call = {"command": "repair"}
        self._keeper.key_ring.forget()
        if self._keeper.key_ring.existing() is not None:
            self._keep({"command": "unarchive"})
        for call in [repair, *again, repair] if self.plan.by_repair else [*again, repair]:
            self._keep(call)
        self.stuck = [str(stored.intent) for stored in tree.pending(self._keeper)]

    def _keep(self, call: Call) -> None:
        command = Command("keeper", call)
        self.history.events.append(Event(command))
        command.outcome = carried(MemoryCommands(self._keeper), self._keeper, call)
        event = Event(command, is_answer=True)
        self.history.events.append(event)
        self._note(str(event))

    def _look(self) -> None:
        event = Event(None, files=self._files())
        self.history.events.append(event)
        self._note(str(event))

    def _files(self) -> Files:
        """Read all files at once, independently of the clients."""
        store = self._keeper
        try:
            ring = store.key_ring.reloaded()
        except KeyRingError:
            if not self._is_erased:
                raise
            ring = None
        if ring is None:
            return frozenset()
        found = []
        for object_key in self.server.versions:
            version = self.server.present(object_key)
            if (
                version is None
                or version.body is None
                or not object_key.startswith(store.objects.layout.memories_prefix)
            ):
                continue
            try:
                path = ring.names.decode(MemoryPath(), object_key.removeprefix(store.objects.layout.memories_prefix))
                found.append((str(path), store.texts.open(ring, path, version.body)))
            except IntegrityError:
                if (
                    not self._is_erased
                ):  # a client that writes with the key of an erased tenant writes files that nobody can open
                    raise
        return frozenset(found)

    @property
    def _is_erased(self) -> bool:
        return any(command.name == "erase" for command in self.history.commands)

    def _note(self, line: str) -> None:
        self.history.notes.append(line.rstrip())


def carried(commands: MemoryCommands, store: MemoryStore, call: Call) -> Outcome:
    """Carry out a command or a job. Return what its client learns."""
    try:
        return Outcome(Kind.DONE, _called(commands, store, call))
    except S3MemoryError as error:
        is_by_text = isinstance(error, (RedactionError, LimitError, ReadOnlyError))
        return Outcome(_kind(error), error.for_model, type(error).__name__, is_by_text)
    except Exception as error:  # noqa: BLE001 - what is no error of ours is what is looked for
        return Outcome(Kind.WRONG, repr(error), type(error).__name__)


def _stores_twice(command: Command, request: Request, fault: Fault) -> bool:
    """Whether a fault may make a command store its new file once more, if that is removed in between."""
    if job(command.name) is not None and not request.is_write:
        return fault.code != "AccessDenied"  # a denied client does not try again
    return fault.acts is not Acts.NEVER and bool(request.headers.get("If-None-Match"))


def _called(commands: MemoryCommands, store: MemoryStore, call: Call) -> str:
    run = job(call["command"])
    if run is not None:
        return run(store, call)
    if call["command"] == "clear":
        return commands.clear()
    return commands.call({name: value for name, value in call.items() if name != "overwrite"})


def _kind(error: S3MemoryError) -> Kind:
    text = str(error)
    if "not known whether" in text:
        return Kind.UNKNOWN
    if any(word in text for word in ("was begun", "What was done stays", "Nothing is lost", "The rest was")):
        return Kind.BEGUN
    if isinstance(error, RefusedError):
        return Kind.REFUSED
    if "Nothing was changed" in text or "was not deleted" in text:
        return Kind.UNCHANGED
    return Kind.WRONG


def shown(request: Request) -> str:
    """Return a short text for a request."""
    conditions = [f"{name} {value}" for name, value in request.headers.items() if name in {"If-Match", "If-None-Match"}]
    where = request.object_key or request.query.get("prefix", "")
    if request.operation == "DeleteObjects":
        where = " ".join(entry["Key"].rpartition("acme")[2] for entry in HttpS3.entries(request))
    return " ".join([request.operation, where, *(text.replace('"', "")[:24] for text in conditions)])
