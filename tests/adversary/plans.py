"""Plans: who does what, whose turn it is, and what goes wrong. A plan contains all the randomness of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

from adversary.faults import FAULTS, Fault
from adversary.history import ROOT, Call
from adversary.model import FORBIDDEN
from s3memory.format.names import NAME_MODES

T = TypeVar("T")
OPERATIONS = (
    *("repair", "rotate", "reseal", "export", "verify", "scan", "expire", "restore", "import", "archive", "unarchive"),
    "erase",
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault, and the requests of a client that it hits.

    Attributes:
        client: the client's number.
        fault: what happens.
        at: the number of the first request that it hits, from 0.
        times: how many requests it hits, including retries.
        of_writes: whether only requests that may change something count.
    """

    client: int
    fault: Fault
    at: int
    times: int
    of_writes: bool

    def __str__(self) -> str:
        what = "write" if self.of_writes else "request"
        return f"client {self.client}, {what} {self.at} to {self.at + self.times - 1}: {self.fault}"


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose requests are carried out next.

    Attributes:
        who: a client, or a request in flight, as far as there is one.
        which: the number of one of its parallel requests.
        count: the number of its requests.
    """

    who: int
    which: int
    count: int


@dataclass(frozen=True, slots=True)
class Member:
    """A client.

    Attributes:
        calls: its commands, one after another.
        overwrites: whether its creates replace files.
        is_strict: whether its redactor refuses texts that contain `FORBIDDEN`.
        is_cold: whether it must fetch the key ring first.
    """

    calls: tuple[Call, ...]
    overwrites: bool = False
    is_strict: bool = False
    is_cold: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A history before it is run.

    Attributes:
        files: the initial files: names, each with a different text; if empty, nothing is stored, not even a key ring.
        name_mode: how names are stored.
        members: the clients.
        turns: who is next; after them, one client after another.
        troubles: what goes wrong.
        by_repair: whether a repair finishes started work before the same commands are sent again.
        same_etag: whether the same bytes have the same ETag.
    """

    files: tuple[str, ...]
    name_mode: str
    members: tuple[Member, ...]
    turns: tuple[Turn, ...]
    troubles: tuple[Trouble, ...]
    by_repair: bool
    same_etag: bool

    def __str__(self) -> str:
        lines = [f"{self.name_mode} names, {'the same' if self.same_etag else 'another'} ETag for the same bytes"]
        lines += [f"client {number}: {member}" for number, member in enumerate(self.members)]
        return "\n".join([*lines, *map(str, self.troubles)])


class Chance(Protocol):
    """The source of choices: a random number generator, or hypothesis."""

    def choice(self, options: Sequence[T], /) -> T:
        """Return one of them. The first ones are the simplest."""
        ...


# Texts are made different when a plan is run: a text identifies its writer.
_CREATE_TEXTS = ("new\none\n", f"{FORBIDDEN}\none\n")
_INSERT_TEXTS = ("more", FORBIDDEN)
_FILES = ("x", "y", "d/a", "d/b", "e/a")
_DIRECTORIES = ("d", "d", "d", "e", "g", "w/e")
_STORED = (("x", "d/a", "d/b"), ("x", "d/a", "d/b"), ("x", "d/a", "d/s/a", "e/a"), ("x", "y"), ("d/a",), ())
_COMMANDS = (
    *(
        "create",
        "create",
        "create",
        "insert",
        "insert",
        "str_replace",
        "delete",
        "delete",
        "rename",
        "rename",
        "rename",
    ),
    *("rename directory", "rename directory", "delete directory", "delete directory", "view", "clear", "operate"),
)
_FEW = (True, False, False, False)


def plan(chance: Chance, faults: Sequence[Fault] = FAULTS) -> Plan:
    """Draw a plan with faults of the given kinds."""
    names = chance.choice(_STORED)
    # Few paths per plan, most of them existing files, so that clients meet.
    stored = [f"{ROOT}/{name}" for name in names]
    files = [chance.choice(stored or [f"{ROOT}/x"]), chance.choice(stored + [f"{ROOT}/{name}" for name in _FILES])]
    free = [f"{ROOT}/{chance.choice(_FILES)}" for _ in range(2)]
    directories = [f"{ROOT}/{chance.choice(_DIRECTORIES)}" for _ in range(2)]
    members = tuple(
        Member(
            calls=tuple(_call(chance, files, files + free, directories) for _ in range(chance.choice((1, 1, 1, 2, 3)))),
            overwrites=chance.choice(_FEW[::-1]),
            is_strict=chance.choice(_FEW[::-1]),
            is_cold=chance.choice(_FEW[::-1]),
        )
        for _ in range(chance.choice((1, 2, 2, 3, 3)))
    )
    return Plan(
        files=names,
        name_mode=chance.choice(NAME_MODES),
        members=members,
        turns=tuple(
            Turn(chance.choice(range(5)), chance.choice(range(3)), chance.choice((1, 1, 2, 3, 4, 6)))
            for _ in range(chance.choice((0, 2, 4, 6, 9, 12, 16)))
        ),
        troubles=tuple(_trouble(chance, faults, len(members)) for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 3)))),
        by_repair=chance.choice((False, True)),
        same_etag=chance.choice((True, True, False)),
    )


def _call(  # noqa: PLR0911 - one for each command
    chance: Chance, files: Sequence[str], places: Sequence[str], directories: Sequence[str]
) -> Call:
    command = chance.choice(_COMMANDS)
    file, directory = chance.choice(files), chance.choice(directories)
    match command:
        case "create":
            return {"command": command, "path": chance.choice(places), "file_text": chance.choice(_CREATE_TEXTS)}
        case "insert":
            return {"command": command, "path": file, "insert_line": 0, "insert_text": chance.choice(_INSERT_TEXTS)}
        case "str_replace":
            return {"command": command, "path": file, "old_str": "one", "new_str": "one"}
        case "delete":
            return {"command": command, "path": file}
        case "rename":
            return {"command": command, "old_path": file, "new_path": chance.choice(places)}
        case "rename directory":
            return {"command": "rename", "old_path": directory, "new_path": chance.choice(directories)}
        case "delete directory":
            return {"command": "delete", "path": directory}
        case "view":
            return {"command": command, "path": chance.choice((file, directory, ROOT))}
        case "operate":
            return _operation(chance, places)
        case _:
            return {"command": command}


def _operation(chance: Chance, places: Sequence[str]) -> Call:
    name = chance.choice(OPERATIONS)
    if name == "import":
        return {"command": name, "files": dict.fromkeys((chance.choice(places), chance.choice(places)), "given")}
    return {"command": name}


def _trouble(chance: Chance, faults: Sequence[Fault], n_clients: int) -> Trouble:
    return Trouble(
        client=chance.choice(range(n_clients)),
        fault=chance.choice(faults),
        at=chance.choice((0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 7)),
        times=chance.choice((1, 1, 1, 2, 3, 6)),
        of_writes=chance.choice((True, True, True, False)),
    )


class _Drawing:
    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def choice(self, options: Sequence[T], /) -> T:
        return self._draw(st.sampled_from(options))


@st.composite
def plans(draw: st.DrawFn, faults: Sequence[Fault] = FAULTS) -> Plan:
    """Return plans with faults of the given kinds, which hypothesis draws and shrinks."""
    return plan(_Drawing(draw), faults)


def smaller(plan: Plan) -> Iterator[Plan]:
    """Yield plans with one thing less."""
    for name in ("members", "troubles", "turns", "files"):
        parts: Any = getattr(plan, name)
        for number in range(len(parts)) if len(parts) > (name == "members") else ():
            yield _with(plan, name, parts[:number] + parts[number + 1 :])
        for number, part in enumerate(parts):
            for simpler in _simpler(part):
                yield _with(plan, name, (*parts[:number], simpler, *parts[number + 1 :]))
    for other in (replace(plan, name_mode=NAME_MODES[0]), replace(plan, same_etag=True)):
        if other != plan:
            yield other


def _with(plan: Plan, name: str, parts: Any) -> Plan:
    return replace(plan, **{name: parts})


def _simpler(part: object) -> Iterator[object]:
    found: list[object] = []
    match part:
        case Member():
            calls = part.calls
            found += [replace(part, overwrites=False), replace(part, is_strict=False), replace(part, is_cold=False)]
            found += [replace(part, calls=calls[:at] + calls[at + 1 :]) for at in range(len(calls)) if len(calls) > 1]
        case Trouble():
            found += [replace(part, times=1), replace(part, of_writes=True)]
        case Turn():
            found += [replace(part, count=1), replace(part, which=0)]
    yield from (one for one in found if one != part)


def smallest(plan: Plan, fails: Callable[[Plan], bool]) -> Plan:
    """Return a plan that still fails, and from which nothing can be removed."""
    for other in smaller(plan):
        if fails(other):
            return smallest(other, fails)
    return plan
