"""The six commands over `Files`, one request after another. The peers share them, so that only storage is compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from peers import PREFIX, ROOT

DEPTH = 2
"""How many levels a view of a directory shows."""
MAX_VIEW_CHARS = 16_000
"""The tool documentation's limit for a view, at which s3memory cuts too."""
_NOTICE = "[The rest is cut.]"


class PeerError(Exception):
    """A command was refused. The text is what the model would read."""


class Files(Protocol):
    """A peer's storage of files, by object key."""

    def read(self, key: str) -> str | None:
        """Return a file's text; ``None`` if there is no file."""
        ...

    def write(self, key: str, text: str) -> None:
        """Store or replace a file's text."""
        ...

    def write_new(self, key: str, text: str) -> bool:
        """Store a new file. Return ``False`` if there is a file already."""
        ...

    def entries(self, prefix: str, levels: int) -> Iterator[tuple[str, int]]:
        """Yield the names and sizes in bytes of a directory's entries, `levels` deep. Directories end with a slash."""
        ...

    def delete(self, key: str) -> bool:
        """Delete a file or a directory. Return whether it existed."""
        ...

    def rename(self, old_key: str, new_key: str) -> bool:
        """Move a file or a directory. Return whether it existed."""
        ...

    def exists(self, key: str) -> bool:
        """Whether a file exists."""
        ...


class PeerTool:
    """The six commands as in the memory tool's documentation."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def call(self, tool_input: dict[str, Any]) -> str:
        """Carry out a command.

        Raises:
            PeerError: the command was refused.
        """
        arguments = dict(tool_input)
        answer: str = getattr(self, f"_{arguments.pop('command')}")(**arguments)
        return answer

    def _view(self, path: str) -> str:
        text = None if path == ROOT else self._files.read(_key(path))
        if text is not None:
            numbered = (f"{number:6}\t{line}" for number, line in enumerate(text.split("\n"), 1))
            return _cut(f"Here's the content of {path} with line numbers:", numbered)
        return self._view_directory(path)

    def _view_directory(self, path: str) -> str:
        shown: dict[str, str] = {}
        total_bytes, chars = 0, 0
        # Stop as soon as the view is full: further requests to S3 would be wasted.
        for name, size in self._files.entries(_key(path).rstrip("/") + "/", DEPTH):
            total_bytes += 0 if name.endswith("/") else size
            if _is_hidden(name):
                continue
            shown[name] = f"{size / 1024:.1f}K\t{path}/{name}"
            chars += len(shown[name]) + 1
            if chars > MAX_VIEW_CHARS:
                break
        if not total_bytes and not shown and path != ROOT:
            raise PeerError(f"The path {path} does not exist. Please provide a valid path.")
        top = f"{total_bytes / 1024:.1f}K\t{path}"
        head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:\n{top}"
        return _cut(head, (shown[name] for name in sorted(shown)))

    def _create(self, path: str, file_text: str) -> str:
        if not self._files.write_new(_key(path), file_text):
            raise PeerError(f"Error: File {path} already exists")
        return f"File created successfully at: {path}"

    def _str_replace(self, path: str, old_str: str, new_str: str) -> str:
        text = self._existing(path)
        if text.count(old_str) != 1:
            raise PeerError(f"No replacement was performed, old_str `{old_str}` is not there exactly once in {path}.")
        self._files.write(_key(path), text.replace(old_str, new_str))
        return "The memory file has been edited."

    def _insert(self, path: str, insert_line: int, insert_text: str) -> str:
        lines = self._existing(path).split("\n")
        if not 0 <= insert_line <= len(lines):
            raise PeerError(f"Error: Invalid `insert_line` parameter: {insert_line}.")
        lines.insert(insert_line, insert_text.rstrip("\n"))
        self._files.write(_key(path), "\n".join(lines))
        return f"The file {path} has been edited."

    def _delete(self, path: str) -> str:
        if not self._files.delete(_key(path)):
            raise PeerError(f"Error: The path {path} does not exist")
        return f"Successfully deleted {path}"

    def _rename(self, old_path: str, new_path: str) -> str:
        if self._files.exists(_key(new_path)):
            raise PeerError(f"Error: The destination {new_path} already exists")
        if not self._files.rename(_key(old_path), _key(new_path)):
            raise PeerError(f"Error: The path {old_path} does not exist")
        return f"Successfully renamed {old_path} to {new_path}"

    def _existing(self, path: str) -> str:
        text = self._files.read(_key(path))
        if text is None:
            raise PeerError(f"Error: The path {path} does not exist")
        return text


def _cut(head: str, lines: Iterable[str]) -> str:
    """Return as many lines as a view may have. Add a notice if there were more."""
    kept, chars = [head], len(head) + len(_NOTICE) + 1
    for line in lines:
        chars += len(line) + 1
        if chars > MAX_VIEW_CHARS:
            kept.append(_NOTICE)
            break
        kept.append(line)
    return "\n".join(kept)


def _key(path: str) -> str:
    return PREFIX + path[len(ROOT) :].lstrip("/")


def _is_hidden(name: str) -> bool:
    return any(segment.startswith(".") or segment == "node_modules" for segment in name.split("/"))
