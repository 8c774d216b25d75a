"""Memories of Claude's data export (Settings, Privacy, Export data): the zip file, or its unpacked content.

The format is not documented. These files are known from exports of 2025 and 2026: ``memories.json``, a list with an
object for each account, or ``memories/ACCOUNT.json`` with one. Each object has ``conversations_memory``, a text;
``project_memories``, texts by the project's UUID; and ``memory_files``, of which those with a ``path`` and a
``content`` are imported. Names of projects come from ``projects.json`` or ``projects/UUID.json``. Conversations are not
memories, and are not imported.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from s3memory._arguments import naming_file
from s3memory.admin.transfer.import_sources import (
    PathSource,
    SourceFile,
    bounded_text,
    damaged,
    entries_below,
    read_bounded,
)
from s3memory.admin.transfer.other_programs.mending import mended, mended_path
from s3memory.errors import InvalidInputError
from s3memory.paths import shown

MAX_JSON_BYTES = 64 * 1024 * 1024
"""The limit for all JSON files together that are read from an export. Conversations are not read."""

_MAX_DIRECTORY_BYTES = 8 * 1024 * 1024
_ZIP = b"PK"
_ENCRYPTED = 0x1
_COMPRESSIONS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
# The errors that zipfile and zlib raise for a damaged file.
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, OSError, ValueError)
_MEMORIES = re.compile(r"(?:\A|/)memories(?:\.json|/[^/]+\.json)\Z")
_PROJECTS = re.compile(r"(?:\A|/)projects(?:\.json|/[^/]+\.json)\Z")


class ClaudeExport(PathSource):
    """A data export as files: the zip file, the folder that it was unpacked to, or ``memories.json``.

    ``conversations.md`` holds what Claude remembers of all conversations, ``projects/NAME.md`` of those of a project.
    If there are several accounts, each has a folder named after its UUID.
    """

    def files(self) -> Iterator[SourceFile]:
        """Yield all memories."""
        accounts: list[tuple[str, dict[str, Any]]] = []
        projects: dict[str, str] = {}
        for name, data in self._documents():
            for item in _items(name, data):
                if _PROJECTS.search(name):
                    if isinstance(item.get("uuid"), str) and isinstance(item.get("name"), str):
                        projects[item["uuid"]] = item["name"]
                else:
                    accounts.append((name, item))
        if not accounts:
            raise InvalidInputError("There are no memories in it: no memories.json. Nothing was imported.")
        for number, (name, item) in enumerate(accounts, 1):
            account = item.get("account_uuid")
            account = account if isinstance(account, str) and account else f"account-{number}"
            prefix = f"{mended(account)}/" if len(accounts) > 1 else ""
            for file in _memories(name, item, projects, self.max_bytes):
                yield replace(file, name=prefix + file.name)

    def _documents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the JSON files with memories and project names, by their paths in the export."""
        left = MAX_JSON_BYTES
        if self.path.is_dir():
            for file in entries_below(self.path):
                name = file.relative_to(self.path).as_posix()
                if _is_read(name):
                    data = read_bounded(file, left, follows_links=False)
                    left -= len(data)
                    yield name, data
            return
        with naming_file(self.path), self.path.open("rb") as stream:
            is_zip = stream.read(len(_ZIP)) == _ZIP
        if is_zip:
            yield from self._unzipped(left)
        else:
            yield self.path.name, read_bounded(self.path, left)

    def _unzipped(self, left: int) -> list[tuple[str, bytes]]:
        found = []
        try:
            with _Bounded(self.path.open("rb", buffering=0)) as stream, zipfile.ZipFile(stream) as archive:
                for member in archive.infolist():
                    if not _is_read(member.filename):
                        continue
                    if member.flag_bits & _ENCRYPTED or member.compress_type not in _COMPRESSIONS:
                        raise damaged(f"{shown(member.filename)} is encrypted, or compressed in an unusual way")
                    with archive.open(member) as opened:
                        data = opened.read(left + 1)  # the size in its header may be wrong
                    if len(data) > left:
                        raise damaged("its JSON files are too large")
                    left -= len(data)
                    found.append((shown(member.filename), data))
        except _ZIP_ERRORS as error:
            raise damaged(f"{self.path.name} is not a readable zip file ({type(error).__name__})") from None
        return found


class _Bounded(io.BufferedReader):
    """A file that limits each read to the largest accepted directory of a zip file."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(_MAX_DIRECTORY_BYTES if size is None or size < 0 else min(size, _MAX_DIRECTORY_BYTES))


def _is_read(name: str) -> bool:
    return bool(_MEMORIES.search(name) or _PROJECTS.search(name))


def _items(name: str, data: bytes) -> list[dict[str, Any]]:
    try:
        items = json.loads(data)
    except json.JSONDecodeError as error:
        raise damaged(f"{name} line {error.lineno} is not JSON") from None
    except (ValueError, RecursionError):
        raise damaged(f"{name} is not JSON") from None
    items = items if isinstance(items, list) else [items]
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            raise damaged(f"item {number} of {name} is not an object")
    return items


def _memories(name: str, item: dict[str, Any], projects: dict[str, str], max_bytes: int) -> Iterator[SourceFile]:
    known = {"conversations_memory", "project_memories", "memory_files"}
    if known.isdisjoint(item):
        raise damaged(f"{name} holds something other than memories")
    text = item.get("conversations_memory")
    if text is not None and text != "":
        yield _file("conversations.md", text, f"{name}: conversations_memory", max_bytes)
    by_project = item.get("project_memories") or {}
    if not isinstance(by_project, dict):
        raise damaged(f"project_memories of {name} is not an object")
    counts = Counter(projects.get(uuid, uuid) for uuid in by_project)
    for uuid, text in by_project.items():
        project = projects.get(uuid, uuid)
        unique = project if counts[project] == 1 else f"{project} {uuid[:8]}"
        yield _file(f"projects/{mended(f'{unique}.md')}", text, f"{name}: {project}", max_bytes)
    files = item.get("memory_files") or []
    if not isinstance(files, list):
        raise damaged(f"memory_files of {name} is not a list")
    for number, file in enumerate(files, 1):
        origin = f"{name}: memory_files, number {number}"
        path = file.get("path") if isinstance(file, dict) else None
        if isinstance(path, str) and isinstance(file.get("content"), str):
            yield _file(f"files/{mended_path(path.strip('/'))}", file["content"], origin, max_bytes)
        else:
            yield SourceFile(f"files/{number}", problem="has no path and content as texts", origin=origin)


def _file(name: str, text: object, origin: str, max_bytes: int) -> SourceFile:
    if not isinstance(text, str):
        return SourceFile(name, problem="is not text", origin=origin)
    return replace(bounded_text(name, text, max_bytes), origin=origin)
