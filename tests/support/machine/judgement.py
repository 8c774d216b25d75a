"""What may be stored, and what may have been reported, after a failure or when two commands met.

Pure rules over texts by path; `docs/semantics.md` states them in words.
"""

from __future__ import annotations

from collections.abc import Collection

from s3memory.paths import MemoryPath
from s3memory.store.intents import StoredIntent
from s3memory.testing.machine.model import State, ToolInput, reference
from s3memory.testing.reference import Report
from support.machine.drawn import paths_of
from support.machine.seen import Seen, is_unreadable

# Errors after which something may have changed. After any other error, nothing has.
ADMISSIONS = ("is not known", "was begun", "Nothing is lost", "The rest was deleted")
_MAY_STAY = "because another writer has changed it since"
_IS_TWIN = "A directory of that name is there as well"
_TAKEN = "was begun and is not finished, because another writer took"
# What a command says if the reference refuses it: it must not blame the call for its own trouble.
REFUSALS = (
    "already exists",
    "does not exist",
    "did not appear verbatim",
    "Multiple occurrences",
    "Invalid `",
    "Cannot ",
    "There can be nothing",
)


def reads_unreadable(call: ToolInput, files: State) -> bool:
    """Whether a command needs the text of a file that does not decrypt."""
    if call["command"] in {"create", "delete"}:
        return False
    path = paths_of(call)[0]
    if path in files:
        return is_unreadable(files[path])
    below = [text for file, text in files.items() if file.is_below(path)]
    return call["command"] == "rename" and not path.is_root and any(map(is_unreadable, below))


def is_twin(path: str, files: Collection[MemoryPath]) -> bool:
    """Whether both a file and a directory have this path."""
    at = MemoryPath.parse(path)
    return at in files and any(file.is_below(at) for file in files)


def has_twins(files: State) -> bool:
    """Whether any file and directory have the same path."""
    return any(above in files for path in files for above in path.ancestors())


def with_what_was_placed(start: State, call: ToolInput) -> State:
    """Return what is stored when a create or a rename has written its file and could not undo that."""
    if call["command"] not in {"create", "rename"}:
        return start
    *_, path = paths = paths_of(call)
    text = call["file_text"] if call["command"] == "create" else start.get(paths[0])
    return start if text is None or path in start else {**start, path: text}


def is_part_done(start: State, found: State, end: State, call: ToolInput) -> bool:
    """Whether the stored files are a command's start, its end, or something in between, with nothing lost."""
    if call["command"] not in {"delete", "rename"}:
        return found in (start, end)
    both = {**start, **end}
    if any(both.get(path) != text for path, text in found.items()):
        return False
    gone = [path for path in start if path not in found]
    if any(path in end for path in gone):
        return False
    if call["command"] == "delete":
        return True
    old, new = paths_of(call)
    return all(path.rebased(old, new) in found for path in gone)


def is_serial(sent: list[ToolInput], reports: list[Report], start: State, found: State) -> bool:
    """Whether some order of two commands explains their reports and what is stored."""
    for first, second in ((0, 1), (1, 0)):
        middle = reference(start, sent[first])
        end = reference(middle.files, sent[second])
        if (
            found == end.files
            and _is_true(sent[first], reports[first], start)
            and (
                _is_true(sent[second], reports[second], middle.files)
                or _finds_it_emptied(sent[second], reports[second], start, middle.files)
            )
        ):
            return True
    if _meets_what_is_refused(sent, reports, start, found) or _meets_what_is_refused(
        sent[::-1], reports[::-1], start, found
    ):
        return True
    ends = [start, *(reference(start, call).files for call in sent)]
    met = _is_within(*sent) or _has_taken_a_copy(sent, reports)
    if met or all(any(_is_about_directory(call, files) for files in ends) for call in sent):
        return _is_nothing_lost(sent, start, found)
    return not any(report.is_error for report in reports) and _are_twins_made(sent, start, found)


def _is_true(call: ToolInput, report: Report, files: State) -> bool:
    """Whether a command's report is true. Which of several reasons or paths a refusal names does not matter."""
    expected = reference(files, call)
    if not (expected.is_error and report.is_error):
        return report == Report(expected.text or "", is_error=expected.is_error) or _is_wide_view(call, files)
    reasons = [expected.text or ""]
    if call["command"] == "rename":  # what if there were no obstacle?
        new = paths_of(call)[1]
        free = {
            path: text for path, text in files.items() if not (path == new or path.is_below(new) or new.is_below(path))
        }
        reasons.append(reference(free, call).text or "")
    return any(refusal in report.text and refusal in reason for refusal in REFUSALS for reason in reasons)


def _meets_what_is_refused(sent: list[ToolInput], reports: list[Report], start: State, found: State) -> bool:
    """Whether the second command met a file that the first had written despite an obstacle.

    The file is visible until it is removed again. If the second command changed it, it stays, and the first says so.
    """
    placed = with_what_was_placed(start, sent[0])
    changed = reference(placed, sent[1])
    if not reports[0].is_error:
        return False
    if sent[1]["command"] == "delete" and _IS_TWIN in reports[1].text:
        return found == start and is_twin(sent[1]["path"], placed)  # the file is gone, the directory is not
    if not _is_true(sent[1], reports[1], placed):
        return False
    if _MAY_STAY in reports[0].text:
        return found == changed.files
    return found == start and changed.files == placed and _is_true(sent[0], reports[0], start)


def _finds_it_emptied(call: ToolInput, report: Report, start: State, files: State) -> bool:
    """Whether a directory delete reports success although another command removed its last file in the meantime."""
    was_there, is_there = (_is_about_directory(call, there) for there in (start, files))
    return call["command"] == "delete" and was_there and not is_there and not report.is_error


def _is_wide_view(call: ToolInput, files: State) -> bool:
    """Whether a command shows a directory, which may be in the middle of a rename or delete."""
    return call["command"] == "view" and paths_of(call)[0] not in files


def _is_about_directory(call: ToolInput, files: State) -> bool:
    path = paths_of(call)[0]
    return call["command"] in {"delete", "rename"} and any(file.is_below(path) for file in files)


def _is_within(one: ToolInput, other: ToolInput) -> bool:
    """Whether one moves something within the other's directory, or into the way of its destination."""
    for inner, outer in ((one, other), (other, one)):
        if inner["command"] == "rename" and outer["command"] in {"delete", "rename"}:
            old, new = paths_of(inner)
            directory, *destination = paths_of(outer)
            if old.is_below(directory) and any(
                new == place or new.is_below(place) or (place.is_below(new) and place in destination)
                for place in (directory, *destination)
            ):
                return True
    return False


def _has_taken_a_copy(sent: list[ToolInput], reports: list[Report]) -> bool:
    """Whether one removed what a directory rename had copied by then, and the rename says so."""
    return any(
        outer["command"] == "rename"
        and _TAKEN in report.text
        and inner["command"] in {"delete", "rename"}
        and paths_of(inner)[0].is_below(paths_of(outer)[1])
        for outer, report, inner in ((sent[0], reports[0], sent[1]), (sent[1], reports[1], sent[0]))
    )


def _is_nothing_lost(sent: list[ToolInput], start: State, found: State) -> bool:
    """Whether each file is where one of the commands left it, with its text; gone only if one of them deletes it."""
    expected: set[MemoryPath] = set()
    for path, text in start.items():
        places = {path}
        for call in [*sent, *sent]:
            if call["command"] == "rename":
                old, new = paths_of(call)
                places |= {place.rebased(old, new) for place in places if place == old or place.is_below(old)}
        expected |= places
        is_deleted = any(
            place == paths_of(call)[0] or place.is_below(paths_of(call)[0])
            for call in sent
            if call["command"] == "delete"
            for place in places
        )
        if not is_deleted and not any(found.get(place) == text for place in places):
            return False
    return set(found) <= expected and set(found.values()) <= set(start.values())


def _are_twins_made(sent: list[ToolInput], start: State, found: State) -> bool:
    """Whether both commands were done, and only a file and a directory with one path rule out a serial order."""
    expected = dict(start)
    for call in sent:
        end = reference(start, call).files
        expected = {path: text for path, text in expected.items() if path in end or path not in start}
        expected |= {path: text for path, text in end.items() if start.get(path) != text}
    return found == expected and has_twins(found)


def is_blocked(stored: StoredIntent, seen: Seen) -> bool:
    """Whether an obstacle, or a file that does not decrypt, keeps an intent from being carried out."""
    intent = stored.intent
    for path, version in seen.versions.items():
        if not any(f'"{etag}"' in stored.etags for etag in version.etags) or not path.is_below(intent.path):
            continue
        moved = path.rebased(intent.path, intent.new_path)
        if any(above in seen.versions for above in moved.ancestors()):
            return True
        target = seen.versions.get(moved)
        if is_unreadable(version.text) or (target is not None and target.text != version.text):
            return True
        if target is not None and not target.copied_from & version.etags:
            return True
    return False
