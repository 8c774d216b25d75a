"""`ReferenceMemory`: the six commands over a dictionary, as the definition of correct behaviour.

It has no S3, encryption or concurrency, and defines what each command reports and what is stored after it. Property
tests and schedulers compare every other implementation with it. It shares only the parsing of paths and the layout of
lines with the rest of the package; these have their own tests.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from s3memory.contract.views import DirectoryItem, directory_view, file_view, snippet
from s3memory.errors import RefusedError
from s3memory.paths import MemoryPath

_VIEW_CHARS = 16_000


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a command, as the model sees it."""

    text: str
    is_error: bool = False


class _Refused(RefusedError):  # noqa: N818 - an expected outcome, not a failure
    pass


@dataclass(slots=True)
class ReferenceMemory:
    """A tenant's memory.

    Attributes:
        files: the text of each file by its path.
    """

    files: dict[MemoryPath, str] = field(default_factory=dict)

    def call(self, tool_input: dict[str, Any]) -> Report:
        """Carry out a well-formed tool input."""
        parameters = dict(tool_input)
        command = parameters.pop("command")
        try:
            return Report(getattr(self, f"_{command}")(**parameters))
        except _Refused as refused:
            return Report(refused.for_model, is_error=True)

    def copy(self) -> ReferenceMemory:
        """Return another memory with the same files."""
        return ReferenceMemory(dict(self.files))

    def below(self, path: MemoryPath) -> list[MemoryPath]:
        """Return the files in a directory, however deep."""
        return [file for file in self.files if file.is_below(path)]

    def _view(self, path: str) -> str:
        at = MemoryPath.parse(path)
        if at in self.files:
            text = self.files[at]
            return file_view(at, text, first=1, last=text.count("\n") + 1, max_chars=_VIEW_CHARS)
        if not self.below(at) and not at.is_root:
            raise _Refused(f"The path {at} does not exist. Please provide a valid path.", is_bare=True)
        return directory_view(self._items(at, level=0), more=False, max_chars=_VIEW_CHARS)

    def _items(self, path: MemoryPath, *, level: int) -> list[DirectoryItem]:
        below = self.below(path)
        size = sum(len(self.files[file].encode()) for file in below)
        items = [DirectoryItem(path, is_directory=True, size_bytes=size)]
        depth = len(path.segments)
        for name in sorted({file.segments[depth] for file in below}) if level < 2 else []:  # noqa: PLR2004 - two levels
            child = path.child(name)
            if name.startswith(".") or name == "node_modules":
                continue
            if child in self.files:
                size = len(self.files[child].encode())
                items.append(DirectoryItem(child, is_directory=False, size_bytes=size))
            if self.below(child):
                items += self._items(child, level=level + 1)
        return items

    def _create(self, path: str, file_text: str) -> str:
        at = MemoryPath.parse(path)
        self._refuse_below_a_file(at)
        if at in self.files or self.below(at):
            raise _Refused(f"File {at} already exists")
        self.files[at] = file_text
        return f"File created successfully at: {at}"

    def _str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        at = MemoryPath.parse(path)
        if at not in self.files:
            raise _Refused(f"The path {at} does not exist. Please provide a valid path.")
        text = self.files[at]
        pieces = text.split(old_str)
        if len(pieces) == 1:
            raise _Refused(
                f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {at}.", is_bare=True
            )
        if len(pieces) > 2:  # noqa: PLR2004 - one occurrence splits a text in two
            lines = [old_str.join(pieces[:count]).count("\n") + 1 for count in range(1, len(pieces))]
            raise _Refused(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: "
                f"{', '.join(map(str, lines))}. Please ensure it is unique",
                is_bare=True,
            )
        self.files[at] = new_str.join(pieces)
        shown = snippet(self.files[at], changed_line=pieces[0].count("\n") + 1, max_chars=_VIEW_CHARS)
        return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"

    def _insert(self, path: str, insert_line: int, insert_text: str) -> str:
        at = MemoryPath.parse(path)
        if at not in self.files:
            raise _Refused(f"The path {at} does not exist")
        lines = self.files[at].split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= insert_line <= len(lines):
            raise _Refused(
                f"Invalid `insert_line` parameter: {insert_line}. "
                f"It should be within the range of lines of the file: [0, {len(lines)}]"
            )
        lines.insert(insert_line, insert_text.removesuffix("\n"))
        self.files[at] = "".join(f"{line}\n" for line in lines)
        return f"The file {at} has been edited."

    def _delete(self, path: str) -> str:
        at = MemoryPath.parse(path)
        gone = [*self.below(at), *([at] if at in self.files else [])]
        if at.is_root:
            raise _Refused("Cannot delete the /memories directory itself", is_bare=True)
        if not gone:
            raise _Refused(f"The path {at} does not exist")
        for file in gone:
            del self.files[file]
        return f"Successfully deleted {at}"

    def _rename(self, old_path: str, new_path: str) -> str:
        old, new = MemoryPath.parse(old_path), MemoryPath.parse(new_path)
        if old.is_root:
            raise _Refused("Cannot rename the /memories directory itself", is_bare=True)
        if new.is_below(old):
            raise _Refused(f"Cannot move {old} into itself: {new} is below it")
        self._refuse_below_a_file(new)
        if new.is_root or new in self.files or self.below(new):
            raise _Refused(f"The destination {new} already exists")
        moving = [*self.below(old), *([old] if old in self.files else [])]
        if not moving:
            raise _Refused(f"The path {old} does not exist")
        for file in moving:
            self.files[file.rebased(old, new)] = self.files.pop(file)
        return f"Successfully renamed {old} to {new}"

    def _refuse_below_a_file(self, path: MemoryPath) -> None:
        for above in path.ancestors():
            if above in self.files:
                raise _Refused(f"There can be nothing at {path}, because {above} is a file, not a directory")
