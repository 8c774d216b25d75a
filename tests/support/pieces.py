"""Explains what several clients do at once by a serial order of the pieces of their commands.

A rename of a file is a copy followed by the deletion of the old file. A file that is written despite an obstacle may
be visible for a moment, until it is removed again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from s3memory.testing.reference import ReferenceMemory, Report
from support.interleaving import Call, State, new_path_of, path_of, state, true_reports, written_path
from support.scheduler import Run

Act = Callable[["Acts"], bool]


class Acts:
    """What is stored, and the pieces of commands that change it. Each returns whether it can happen now."""

    def __init__(self, files: State, copies: dict[int, str]) -> None:
        self.memory = ReferenceMemory(dict(files))
        # What each client's rename has copied.
        self.copies = dict(copies)

    @property
    def files(self) -> State:
        return self.memory.files

    def whole(self, call: Call, report: Report) -> bool:
        """The whole command."""
        return report in true_reports(self.memory, call)

    def copied(self, client: int, call: Call) -> bool:
        """The first half of a rename; another rename of the same file may have started with it."""
        old, new = path_of(call), new_path_of(call)
        if old not in self.files or self.files.get(new, self.files[old]) != self.files[old]:
            return False
        self.files[new] = self.copies[client] = self.files[old]
        return True

    def moved(self, client: int, call: Call) -> bool:
        """The second half: the old file goes, and if it was changed in the meantime, the change moves along."""
        old, new = path_of(call), new_path_of(call)
        if old not in self.files:
            return False
        if self.files[old] != self.copies[client]:
            if self.files.get(new) != self.copies[client]:
                return False
            self.files[new] = self.files[old]
        del self.files[old]
        return True

    def placed(self, client: int, call: Call) -> bool:
        """A new file is written while obstacles are being checked for."""
        path = written_path(call)
        text = call.get("file_text", self.files.get(path_of(call)))
        if text is None or path in self.files:
            return False
        self.files[path] = self.copies[client] = text
        return True

    def taken_back(self, client: int, call: Call) -> bool:
        """It is removed again, unless somebody else has removed or moved it."""
        if self.files.get(written_path(call)) == self.copies[client]:
            del self.files[written_path(call)]
        return True

    def deleted_at(self, call: Call) -> bool:
        """If a file and a directory have the same name, the file goes."""
        return self.files.pop(path_of(call), None) is not None

    def undone(self, client: int, call: Call) -> bool:
        """The second half if the old file is gone: the copy goes as well."""
        old, new = path_of(call), new_path_of(call)
        return old not in self.files and self.files.pop(new, None) == self.copies[client]


def pieces(client: int, call: Call, report: Report) -> list[list[Act]]:
    """Return what a command may have been, given its report: one act, several, or only the first of several."""
    whole: Act = lambda acts: acts.whole(call, report)  # noqa: E731 - acts, like those below
    copied: Act = lambda acts: acts.copied(client, call)  # noqa: E731
    placed: Act = lambda acts: acts.placed(client, call)  # noqa: E731
    if not report.is_error:
        done: dict[str, list[Act]] = {
            "create": [placed],  # the obstacle was gone when it looked
            "rename": [copied, lambda acts: acts.moved(client, call)],
        }
        return [[whole], *([done[call["command"]]] if call["command"] in done else [])]
    if "was deleted. A directory of that name" in report.text:
        return [[lambda acts: acts.deleted_at(call)]]
    if call["command"] not in {"create", "rename"}:
        return [[whole]]
    if "was stored before it was known" in report.text:
        return [[placed]]
    taken_back = [placed, lambda acts: acts.taken_back(client, call), whole]
    if call["command"] == "create":
        return [[whole], taken_back]
    # A copy that others have handled in the meantime is left where it is, and the report is an error.
    left = [[copied], [copied, lambda acts: acts.undone(client, call)]]
    return [*left, []] if report.text.startswith("Error: Other writers changed") else [[whole], taken_back, *left]


def is_explained_in_pieces(run: Run, files: State, calls: list[Call]) -> bool:
    found = state(run.server)
    choices = [pieces(client, call, run.results[client]) for client, call in enumerate(calls)]
    return any(_leads_to(found, Acts(files, {}), list(chosen)) for chosen in itertools.product(*choices))


def _leads_to(found: State, acts: Acts, left: list[list[Act]]) -> bool:
    """Whether some order of the remaining acts is possible and ends in what was found."""
    if not any(left):
        return acts.files == found
    for client, (first, *rest) in ((client, own) for client, own in enumerate(left) if own):
        after = Acts(acts.files, acts.copies)
        if first(after) and _leads_to(found, after, [*left[:client], rest, *left[client + 1 :]]):
            return True
    return False
