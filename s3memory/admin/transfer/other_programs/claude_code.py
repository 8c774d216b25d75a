"""Memories of Claude Code: its auto memory, and the ``CLAUDE.md`` files that people write for it.

The layout is that of Claude Code 2.1: ``~/.claude/projects/PROJECT/memory/MEMORY.md`` and files next to it;
``CLAUDE.md``, ``CLAUDE.local.md``, ``.claude/CLAUDE.md`` and ``.claude/rules/**/*.md`` in a project or in ``~``.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from s3memory._arguments import naming_file
from s3memory.admin.transfer.import_sources import PathSource, SourceFile, entries_below, read_file
from s3memory.admin.transfer.other_programs.mending import mended_path
from s3memory.errors import InvalidInputError

MAX_HOPS = 5
"""The depth to which Claude Code follows imports."""

_INDEX = "MEMORY.md"
_MEMORY, _PROJECTS, _SETTINGS = "memory", "projects", ".claude"
_WRITTEN = frozenset({"CLAUDE.md", "CLAUDE.local.md"})

# Claude Code ignores imports in code.
_CODE = re.compile(r"^(?P<fence>```|~~~).*?(?:^(?P=fence)|\Z)|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r"(?:^|(?<=\s))@([^\s`]{1,1024})")


class AutoMemory(PathSource):
    """Folders of Claude Code's auto memory.

    The path can be a project's memory folder, which becomes ``/memories``. Or it is ``~/.claude`` or its ``projects``:
    then each project's memory becomes ``/memories/PROJECT``.
    """

    def files(self) -> Iterator[SourceFile]:
        """Yield all files of the memories. Hidden files are left out, and links are not followed."""
        for folder, prefix in self._folders():
            if folder.is_symlink():
                yield _named(self.path, folder, SourceFile(prefix.rstrip("/"), problem="is a link"))
                continue
            for file in entries_below(folder, enters=_is_shown):
                name = prefix + file.relative_to(folder).as_posix()
                if _is_shown(file):
                    yield _named(self.path, file, read_file(file, mended_path(name), self.max_bytes))
                else:
                    yield _named(self.path, file, SourceFile(name, problem="is hidden", is_left_out=True))

    def _folders(self) -> list[tuple[Path, str]]:
        with naming_file(self.path):
            if (self.path / _INDEX).is_file() or self.path.name == _MEMORY:
                return [(self.path, "")]
            if (self.path / _MEMORY).is_dir():
                return [(self.path / _MEMORY, "")]
            below = self.path / _PROJECTS if (self.path / _PROJECTS).is_dir() else self.path
        with naming_file(below):
            projects = sorted(project for project in below.iterdir() if not project.is_symlink())
            folders = [(project / _MEMORY, f"{project.name}/") for project in projects if (project / _MEMORY).is_dir()]
        if not folders:
            raise InvalidInputError(
                "There is no Claude Code memory in this folder: name ~/.claude/projects, or the folder memory of a "
                "project in it. Nothing was imported."
            )
        return folders


class ClaudeMdTree(PathSource):
    """The ``CLAUDE.md`` files of a folder, and the files in it that they import.

    The folder is the top of a project, or ``~/.claude``. Texts stay as they are: an ``@import`` is neither resolved nor
    rewritten. The imported file is included if it is in the folder, and otherwise reported as left out.
    """

    def files(self) -> Iterator[SourceFile]:
        """Yield all files, and then those that they import. Links are not followed."""
        root = Path(os.path.abspath(self.path))  # noqa: PTH100 - resolve() would follow links
        files = entries_below(root, enters=lambda folder: _may_hold(root, folder))
        # Breadth first, so that a file is reached by the fewest imports, and its own imports are followed.
        waiting = deque((file, MAX_HOPS) for file in files if _is_written(root, file))
        seen: set[Path] = set()
        while waiting:
            file, hops = waiting.popleft()
            if file in seen:
                continue
            seen.add(file)
            relative = file.relative_to(root)
            name = "/".join(part.removeprefix(".") or part if part == _SETTINGS else part for part in relative.parts)
            taken = read_file(file, mended_path(name), self.max_bytes)
            yield _named(root, file, taken)
            for target in _imports_of(taken) if hops else ():
                # Unlike pathlib's, this expanduser does not raise for an unknown user name after the tilde.
                imported = Path(os.path.normpath(file.parent / os.path.expanduser(target)))  # noqa: PTH111
                if imported in seen or not os.path.lexists(imported):  # an email address or a handle is not an import
                    continue
                if (where := _place_beyond(root, imported)) is not None:
                    seen.add(imported)
                    problem = f"is imported by {relative.as_posix()} and lies {where}"
                    yield SourceFile(imported.name, problem=problem, origin=target, is_left_out=True)
                elif not imported.is_dir():
                    waiting.append((imported, hops - 1))


def _place_beyond(root: Path, imported: Path) -> str | None:
    """Say where a file lies that is not read, because it is outside of the folder or behind a link in it."""
    if root not in imported.parents:
        return "outside of the folder"
    is_linked = any(parent.is_symlink() for parent in imported.parents if root in parent.parents)
    return "behind a link" if is_linked else None


def _imports_of(file: SourceFile) -> list[str]:
    text = _CODE.sub(" ", file.data.decode("utf-8", "ignore"))
    return [found.rstrip(".,;:)") for found in _IMPORT.findall(text) if "\0" not in found]


def _may_hold(root: Path, folder: Path) -> bool:
    parts = folder.relative_to(root).parts
    if _SETTINGS in parts or root.name == _SETTINGS:
        below = parts[parts.index(_SETTINGS) + 1 :] if _SETTINGS in parts else parts
        return not below or below[0] == "rules"
    return _is_shown(folder) and folder.name != "node_modules"


def _is_written(root: Path, file: Path) -> bool:
    parts = file.relative_to(root.parent if root.name == _SETTINGS else root).parts
    if _SETTINGS in parts and parts[parts.index(_SETTINGS) + 1] == "rules":
        return file.suffix == ".md"
    return file.name in _WRITTEN


def _is_shown(path: Path) -> bool:
    return not path.name.startswith(".")


def _named(root: Path, file: Path, taken: SourceFile) -> SourceFile:
    origin = file.relative_to(root).as_posix()
    return replace(taken, origin=origin if origin != taken.name else None)
