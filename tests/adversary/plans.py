"""What is drawn: who does what, whose turn it is, and what goes wrong. A plan is all that chance has to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from adversary.faults import FAULTS, Fault
from adversary.history import ROOT, Call
from s3memory.names import NAME_MODES

_FILES = ("x", "y", "d/a", "d/b", "e/a")
_DIRECTORIES = ("d", "e", "g", "w/e")
OPERATIONS = ("repair", "rotate", "reseal", "export", "verify", "scan")


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault, and which requests of a client it hits.

    Attributes:
        client: its number.
        fault: what happens.
        at: the number of the first of its requests that is hit, from 0.
        times: how many are hit, those included that are sent again.
        of_writes: whether only what could change something counts.
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
        who: a client, or what is under way, as far as there is one.
        which: which of its requests that are sent side by side.
        count: how many of its requests.
    """

    who: int
    which: int
    count: int


@dataclass(frozen=True, slots=True)
class Member:
    """A client.

    Attributes:
        calls: its commands, one after another.
        overwrites: whether its creates replace.
        is_strict: whether its redactor refuses texts that say ``forbidden``.
        is_cold: whether it has to fetch the key ring first.
    """

    calls: tuple[Call, ...]
    overwrites: bool = False
    is_strict: bool = False
    is_cold: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A history, before it is run.

    Attributes:
        files: what is stored before: names, each with a text of its own; nothing at all if empty, not even a key ring.
        name_mode: how names are stored.
        members: the clients.
        turns: who is next; when they are used up, one client after another.
        troubles: what goes wrong.
        by_repair: whether what was begun is ended by a repair, before the same commands are sent again.
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


def _path(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from([f"{ROOT}/{name}" for name in names])


_TEXTS = st.integers(0, 99)
_file, _directory = _path(_FILES), _path(_DIRECTORIES)


def _call(command: str, **parameters: st.SearchStrategy[Any]) -> st.SearchStrategy[Call]:
    return st.fixed_dictionaries({"command": st.just(command), **parameters})


# Texts are made different when a plan is run: a text tells who wrote it.
_SINGLE = (
    _call("create", path=_file, file_text=st.sampled_from(["new\none\n", "new\none\n", "forbidden\none\n"])),
    _call("insert", path=_file, insert_line=st.just(0), insert_text=st.sampled_from(["more", "more", "forbidden"])),
    _call("str_replace", path=_file, old_str=st.just("one"), new_str=st.just("one")),
    _call("delete", path=_file),
    _call("rename", old_path=_file, new_path=_file),
)
_WHOLE = (
    _call("rename", old_path=_directory, new_path=_directory),
    _call("delete", path=_directory),
)
_VIEW = _call("view", path=st.one_of(_file, _directory, st.just(ROOT)))
_OPERATION = st.sampled_from(OPERATIONS).map(lambda name: {"command": name})
CALLS = st.one_of(*_SINGLE, *_SINGLE, *_WHOLE, *_WHOLE, _VIEW, _OPERATION, st.just({"command": "clear"}))

_members = st.builds(
    Member,
    calls=st.lists(CALLS, min_size=1, max_size=3).map(tuple),
    overwrites=st.booleans(),
    is_strict=st.integers(0, 3).map(lambda number: number == 3),  # noqa: PLR2004 - one of four
    is_cold=st.integers(0, 4).map(lambda number: number == 4),  # noqa: PLR2004 - one of five
)
_turns = st.builds(Turn, who=st.integers(0, 4), which=st.integers(0, 2), count=st.integers(1, 6))


def troubles(faults: tuple[Fault, ...] = FAULTS) -> st.SearchStrategy[Trouble]:
    """Return faults of some kinds, at any requests."""
    return st.builds(
        Trouble,
        client=st.integers(0, 2),
        fault=st.sampled_from(faults),
        at=st.integers(0, 7),
        times=st.sampled_from([1, 1, 1, 2, 3, 6]),
        of_writes=st.sampled_from([True, True, True, False]),
    )


def plans(faults: tuple[Fault, ...] = FAULTS, *, least_troubles: int = 1) -> st.SearchStrategy[Plan]:
    """Return plans with faults of some kinds."""
    return st.builds(
        Plan,
        files=st.sampled_from([("x", "d/a", "d/b"), ("x", "d/a", "d/b"), ("x", "d/a", "d/s/a", "e/a"), ("x", "y"), ()]),
        name_mode=st.sampled_from(NAME_MODES),
        members=st.lists(_members, min_size=1, max_size=3).map(tuple),
        turns=st.lists(_turns, max_size=12).map(tuple),
        troubles=st.lists(troubles(faults), min_size=least_troubles, max_size=3).map(tuple),
        by_repair=st.booleans(),
        same_etag=st.sampled_from([True, True, False]),
    )
