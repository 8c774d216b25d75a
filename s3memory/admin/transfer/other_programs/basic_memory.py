"""Notes of basic-memory: a folder of Markdown files with front matter, which hold all of its data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from s3memory.admin.transfer.import_sources import PathSource, SourceFile, entries_below, read_file
from s3memory.admin.transfer.other_programs.mending import mended_path

_SUFFIX = ".md"


class BasicMemory(PathSource):
    """The folder of a basic-memory project.

    Notes stay byte for byte as they are: front matter, observations and ``[[links]]`` are text that an agent can read.
    """

    def files(self) -> Iterator[SourceFile]:
        """Yield all notes, and the other files as left out. Hidden folders are not entered, and links not followed."""
        for file in entries_below(self.path, enters=lambda folder: not folder.name.startswith(".")):
            origin = file.relative_to(self.path).as_posix()
            name = mended_path(origin)
            if file.name.startswith(".") or file.suffix.lower() != _SUFFIX:
                yield SourceFile(origin, problem="is not a note", is_left_out=True)
            else:
                taken = read_file(file, name, self.max_bytes)
                yield taken if name == origin else replace(taken, origin=origin)
