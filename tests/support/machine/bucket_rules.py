"""What operators and attackers do to the bucket between two commands."""

from __future__ import annotations

from enum import Enum, auto

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from s3memory.format.cobblestone import CHUNK_BYTES
from s3memory.format.envelope import nominal_size_bytes, sealed_generation, sealed_size_bytes
from s3memory.paths import MemoryPath
from s3memory.s3.objects import COPIED_FROM
from s3memory.testing.machine.calls import CLIENT_NUMBERS
from s3memory.testing.machine.model import ToolInput, require
from support.machine.drawn import AIMS, CALLS, PICKS, WRITES, picked
from support.machine.expected import ExpectingMachine
from support.machine.seen import unreadable


class Garbage(Enum):
    """What an attacker writes in place of a file."""

    NOISE = auto()
    """Bytes of a possible length."""
    SHORT = auto()
    """Bytes of a length that no sealed file has: no view leaves the file out because of it."""
    FOREIGN = auto()
    """Anything under a key that no file has, below an actual or possible file."""
    FLIPPED = auto()
    """The file itself, with one bit flipped."""
    SWAPPED = auto()
    """Another file, or an intent at the same path that announces nothing."""


class BucketRules(ExpectingMachine):
    """A change to one object affects only that file, and no command takes garbage for text."""

    @precondition(lambda self: self.backend.has_ring)
    @rule(client=CLIENT_NUMBERS, call=WRITES, aim=AIMS)
    def write_after_rotation(self, *, client: int, call: ToolInput, aim: int | None) -> None:
        """An operator adds a data key, and a client that has since read the ring writes."""
        self.steps["write after rotation"] += 1
        self.backend.rotate()
        self.clients[client].cache.clear()
        before = self.seen.versions.values()
        self.command(client, self.aimed(call, aim))
        known = {version.etag for version in before}
        written = [version for version in self.seen.versions.values() if version.etag not in known]
        newest = self.backend.ring().newest.generation
        require(
            all(sealed_generation(version.body) == newest for version in written),
            "what is written is sealed under the newest data key",
            written=written,
            newest=newest,
        )
        self.events["written after a rotation"] += bool(written)

    @rule(client=CLIENT_NUMBERS, reader=st.booleans())
    def forget_keys(self, *, client: int, reader: bool) -> None:
        """One client's cached keys are dropped, and sometimes the reader's."""
        self.steps["forget keys"] += 1
        self.clients[client].cache.clear()
        if reader:
            self.backend.forget()
        self.nothing_changed("dropping keys")

    @precondition(lambda self: self.seen.versions or self.seen.stray)
    @rule(pick=PICKS)
    def remove(self, pick: int) -> None:
        """Somebody deletes an object."""
        self.steps["remove"] += 1
        expected = dict(self.files)
        paths, stray = sorted(self.seen.versions), sorted(self.seen.stray)
        number = pick % (len(paths) + len(stray))
        if number < len(paths):
            self.backend.remove(paths[number])
            del expected[paths[number]]
        else:
            self.backend.remove_object(stray[number - len(paths)])
        self.changed_to(expected, "removing an object")

    @precondition(lambda self: self.backend.versions)
    @rule(pick=PICKS)
    def restore(self, pick: int) -> None:
        """Somebody restores an older version of an object."""
        self.steps["restore"] += 1
        version = picked(self.backend.versions[-16:], pick)
        self.backend.put(version.path, version.body, version.metadata)
        self.changed_to({**self.files, version.path: version.text}, "restoring a version")

    @precondition(lambda self: self.backend.versions and len(self.files) > 1)
    @rule(client=CLIENT_NUMBERS, pick=PICKS, source_pick=PICKS)
    def forge(self, *, client: int, pick: int, source_pick: int) -> None:
        """Somebody restores an older version as another file's copy. That file's rename to there must ignore it."""
        self.steps["forge"] += 1
        version = picked(self.backend.versions[-16:], pick)
        source = picked(sorted(self.files), source_pick)
        copied_from = {COPIED_FROM: self.seen.versions[source].etag.strip('"')}
        self.backend.put(version.path, version.body, copied_from)
        self.changed_to({**self.files, version.path: version.text}, "forging a copy")
        self.command(client, {"command": "rename", "old_path": str(source), "new_path": str(version.path)})

    @precondition(lambda self: self.backend.has_ring)
    @rule(call=CALLS, garbage=st.sampled_from(Garbage), pick=PICKS)
    def tamper(self, call: ToolInput, garbage: Garbage, pick: int) -> None:
        """Somebody writes bytes in place of an actual or possible file."""
        self.steps["tamper"] += 1
        path = MemoryPath.parse(call.get("path", call.get("new_path")))
        if path.is_root:
            return
        body = b"n" * 100
        if garbage is Garbage.FOREIGN:
            self.backend.put_foreign(path, body)
            self.changed_to(dict(self.files), "putting something foreign")
            return
        if garbage is Garbage.SHORT:
            body = b"n" * (sealed_size_bytes(CHUNK_BYTES) - 1)
        elif garbage is Garbage.FLIPPED and path in self.seen.versions:
            body = self.seen.versions[path].body
            body = body[:-1] + bytes([body[-1] ^ 1])
        elif garbage is Garbage.SWAPPED and self.seen.versions:
            body = picked(list(self.seen.versions.values()), pick).body
        expected = dict(self.files)
        size_bytes = nominal_size_bytes(len(body))
        if not size_bytes:
            return  # the text that stands for such a file would be the same as an empty text
        expected[path] = self.backend.text_of(path, body) or unreadable(size_bytes)
        self.backend.put(path, body)
        self.changed_to(expected, "tampering")
