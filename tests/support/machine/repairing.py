"""Repair, with and without failures."""

from __future__ import annotations

from hypothesis.stateful import precondition, rule

from s3memory.errors import S3MemoryError
from s3memory.paths import MemoryPath
from s3memory.store import tree
from s3memory.store.intents import DELETE, RENAME, Intent
from s3memory.testing.machine.calls import CLIENT_NUMBERS
from s3memory.testing.machine.model import require
from support.machine.expected import ExpectingMachine
from support.machine.judgement import is_blocked
from support.machine.seen import Seen
from support.machine.wire import TROUBLES, Crash, Trouble


class RepairRules(ExpectingMachine):
    """Repair puts each file where an intent wants it, loses nothing, invents nothing, and terminates."""

    @precondition(lambda self: self.seen.pending)
    @rule(client=CLIENT_NUMBERS)
    def repair(self, client: int) -> None:
        """An operator finishes what was left unfinished."""
        self.steps["repair"] += 1
        self._repair(client)

    @precondition(lambda self: self.seen.pending)
    @rule(client=CLIENT_NUMBERS, troubles=TROUBLES)
    def repair_in_trouble(self, client: int, troubles: list[Trouble]) -> None:
        """The same, while some of the requests fail."""
        self.steps["repair in trouble"] += 1
        self.clients[client].wire.trouble(troubles)
        self._repair(client)

    def _repair(self, client: int) -> None:
        wire = self.clients[client].wire
        before = self.seen
        failure: BaseException | None = None
        try:
            tree.repair(self.clients[client].store)
        except (S3MemoryError, Crash) as error:
            failure = error
            if isinstance(error, Crash):
                self.clients[client] = self.backend.client()
        is_hit = wire.is_hit
        wire.calm()
        self.files = self.read()
        self.events["repaired"] += bool(before.pending) and not self.seen.pending
        self._explain_repair(before, is_ended=failure is None)
        if failure is None:
            require(not self.seen.pending, "repair leaves no intent", left=self.seen.pending)
        elif not is_hit:
            require(
                any(is_blocked(stored, before) for stored in before.pending) or bool(before.stray),
                "repair ends",
                failure=repr(failure),
                before=before,
            )
            self.events["repair was blocked"] += 1

    def _explain_repair(self, before: Seen, *, is_ended: bool) -> None:
        """Fail unless each file is where its intent puts it, and all others are unchanged."""
        about = {
            path: [
                stored.intent
                for stored in before.pending
                if version.etag in stored.etags and _is_about(stored.intent, path)
            ]
            for path, version in before.versions.items()
        }
        places = {
            path: {path.rebased(intent.path, intent.new_path) for intent in intents if intent.operation == RENAME}
            for path, intents in about.items()
        }
        texts: dict[MemoryPath, set[str]] = {path: {text} for path, text in before.files.items()}
        for path, version in before.versions.items():
            for place in places[path]:
                texts.setdefault(place, set()).add(version.text)
        taken = set().union(*places.values())
        for path, version in before.versions.items():
            is_there = [place for place in (path, *places[path]) if self.files.get(place) == version.text]
            is_deleted = any(intent.operation == DELETE for intent in about[path])
            require(bool(is_there) or is_deleted, f"repair loses nothing, not {path}", before=before, after=self.files)
            # The destination of another file may hold one afterwards, with the same text if it was copied there before.
            if is_ended and about[path] and path not in taken:
                require(path not in self.files, f"repair moves or deletes {path}", before=before, after=self.files)
        for path, text in self.files.items():
            require(
                text in texts.get(path, set()),
                f"repair makes nothing up, not {path}",
                before=before,
                after=self.files,
            )


def _is_about(intent: Intent, path: MemoryPath) -> bool:
    return path.is_below(intent.path) or (intent.operation == DELETE and path == intent.path)
