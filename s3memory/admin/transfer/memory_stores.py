"""Reads and writes memories of Anthropic's Managed Agents memory stores, as JSON objects of their API.

A memory store has no file format of its own. The input is what ``client.beta.memory_stores.memories.list(...,
view="full")`` returns: one object per line, an array, or a page with ``data``. The output is one object per line with
the parameters of ``memories.create``: ``path`` and ``content``. The shapes are those of the SDK's types
(``anthropic.types.beta.memory_stores``, 2.11); nothing here was tested with the service.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count
from typing import IO, Any

from s3memory._arguments import naming_file
from s3memory.admin.transfer.import_sources import (
    MAX_FILES,
    PathSource,
    SourceFile,
    bounded_text,
    damaged,
    refuse_packed,
    with_hash,
)
from s3memory.errors import ConfigurationError
from s3memory.limits import MAX_TEXT_BYTES
from s3memory.paths import ROOT
from s3memory.store.files import MemoryFile

MAX_CONTENT_BYTES = 102_400
"""The largest memory that a memory store accepts."""

MAX_PATH_BYTES = 1_024
"""The longest path that it accepts."""

_MAX_LINE_BYTES = 8 * MAX_TEXT_BYTES


def write_memory(stream: IO[bytes], file: MemoryFile) -> bool:
    """Write a file as a line, and return true. If no memory store would accept it, write nothing and return false."""
    path = str(file.path).removeprefix(ROOT)
    if len(path.encode("utf-8")) > MAX_PATH_BYTES or len(file.text.encode("utf-8")) > MAX_CONTENT_BYTES:
        return False
    stream.write(json.dumps({"path": path, "content": file.text}).encode("ascii") + b"\n")
    return True


@dataclass(frozen=True)
class MemoryStoreExport(PathSource):
    """A file with the memories of a memory store, as a source of an import.

    Attributes:
        opened: opens the source from its beginning; by default, the file at `path`.
    """

    opened: Callable[[], AbstractContextManager[IO[bytes]]] | None = None

    def files(self) -> Iterator[SourceFile]:
        """Yield all memories."""
        try:
            with naming_file(self.path), self.path.open("rb") if self.opened is None else self.opened() as stream:
                for number, item in enumerate(_items(stream), 1):
                    if number > MAX_FILES:
                        raise damaged("it has too many memories")
                    yield self._file(item, number)
        except ConfigurationError:  # the file can't be opened
            raise
        except (ValueError, RecursionError):
            raise damaged("it is neither an export nor valid JSON. For text files, name their folder") from None

    def _file(self, item: Any, number: int) -> SourceFile:
        if not isinstance(item, dict) or not isinstance(item.get("path"), str) or not item["path"].startswith("/"):
            raise damaged(
                f"item {number} of {self.path.name} is not a memory. If another program wrote the file, say which "
                "with --from"
            )
        name, content = item["path"].removeprefix("/"), item.get("content")
        if not isinstance(content, str):
            return SourceFile(name, problem='has no content: list the memories with view="full" and without depth')
        file = bounded_text(name, content, self.max_bytes)
        sha256 = item.get("content_sha256")
        return file if sha256 is None else with_hash(file, sha256)


def _items(stream: IO[bytes]) -> Iterator[Any]:
    first = stream.readline(_MAX_LINE_BYTES)
    refuse_packed(first)
    try:
        item = json.loads(first)
    except ValueError:  # then the JSON spans several lines
        item = json.loads(first + stream.read(_MAX_LINE_BYTES))
    if isinstance(item, list):
        yield from item
    elif isinstance(item, dict) and isinstance(item.get("data"), list):
        yield from item["data"]
    else:
        yield item
    for number in count(2):
        line = stream.readline(_MAX_LINE_BYTES)
        if not line:
            return
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                raise damaged(f"line {number} is not JSON") from None
