"""The six commands over `Files`, one request after another: what the peers share, so that their storage is compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from peers import PREFIX, ROOT

DEPTH = 2
"""How many levels a view of a directory shows."""


class PeerError(Exception):
    """A command that is refused, as the model would be told."""


class Files(Protocol):
    """Where a peer keeps files, by object key."""

    def read(self, key: str) -> str | None:
        """Return a file's text, or ``None`` where there is none."""
        ...

    def write(self, key: str, text: str) -> None:
        """Store a file's text, in place of what is there."""
        ...

    def write_new(self, key: str, text: str) -> bool:
        """Store a new file. Return whether there was none."""
        ...

    def entries(self, prefix: str, levels: int) -> Iterator[tuple[str, int]]:
        """Yield names below a directory, so many levels deep, directories with a slash; and sizes in bytes."""
        ...

    def delete(self, key: str) -> bool:
        """Delete a file or a directory. Return whether there was one."""
        ...

    def rename(self, old_key: str, new_key: str) -> bool:
        """Move a file or a directory. Return whether there was one."""
        ...

    def exists(self, key: str) -> bool:
        """Whether there is a file."""
        ...


class PeerTool:
    """The six commands, as the documentation of the memory tool describes them."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def call(self, tool_input: dict[str, Any]) -> str:
        """Carry out a command.

        Raises:
            PeerError: it is refused.
        """
        arguments = dict(tool_input)
        answer: str = getattr(self, f"_{arguments.pop('command')}")(**arguments)
        return answer

    def _view(self, path: str) -> str:
        text = None if path == ROOT else self._files.read(_key(path))
        if text is not None:
            numbered = (f"{number:6}\t{line}" for number, line in enumerate(text.split("\n"), 1))
            return f"Here's the content of {path} with line numbers:\n" + "\n".join(numbered)
        entries = sorted(self._files.entries(_key(path).rstrip("/") + "/", DEPTH))
        if not entries and path != ROOT:
            raise PeerError(f"The path {path} does not exist. Please provide a valid path.")
        total = sum(size for name, size in entries if not name.endswith("/"))
        shown = [(size, f"{path}/{name}") for name, size in entries if not _is_hidden(name)]
        lines = "\n".join(f"{size / 1024:.1f}K\t{name}" for size, name in [(total, path), *shown])
        return f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:\n{lines}"

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


def _key(path: str) -> str:
    return PREFIX + path[len(ROOT) :].lstrip("/")


def _is_hidden(name: str) -> bool:
    return any(segment.startswith(".") or segment == "node_modules" for segment in name.split("/"))
