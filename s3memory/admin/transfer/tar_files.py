"""Reads and writes exports as streams: tar files of plain texts, with a manifest of their hashes at the end.

``docs/operations.md`` specifies the format. Any tar program opens it. This module reads only what it writes, so it
refuses links, devices, other folders and compression.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, Self

from s3memory.admin.transfer.import_sources import MAX_FILES, SourceFile, damaged, with_hash
from s3memory.contract.views import shown_time
from s3memory.errors import S3MemoryError
from s3memory.limits import MAX_TEXT_BYTES
from s3memory.paths import ROOT, shown
from s3memory.store.files import MemoryFile

FORMAT = "s3memory/export/1"

_FOLDER = ROOT.removeprefix("/") + "/"
_MANIFEST = "manifest.json"
# Headers with long file names are read as a whole. They hold memory paths, which are short.
_MAX_EXTENSION_BYTES = 16 * 1024
_EXTENSIONS = frozenset({tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK})
# Such headers apply to all files after them, or come in chains of any length.
_UNBOUNDED = frozenset({tarfile.XGLTYPE, tarfile.GNUTYPE_SPARSE})
# A manifest is read as a whole too: up to this size, for files that did not open, and this much for each file.
_MAX_MANIFEST_BYTES = 16 * 1024 * 1024
_MAX_ENTRY_BYTES = 4 * 1024


class _Header(tarfile.TarInfo):
    """A header that refuses sizes that no memory needs: `tarfile` would read whatever it announces, however large."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type in _UNBOUNDED or (header.type in _EXTENSIONS and header.size > _MAX_EXTENSION_BYTES):
            raise damaged("it has a header that no memory needs")
        return header

    def _proc_gnusparse_10(self, *_: object) -> None:
        """Refuse a sparse file: its map may be of any length."""
        raise damaged("it holds something other than files")


class ExportWriter:
    """Writes an export.

    Args:
        stream: receives the export; it need not be seekable.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._tar = tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT)  # noqa: SIM115 - see `finish`
        self._files: list[dict[str, object]] = []

    def add(self, file: MemoryFile) -> bool:
        """Add a file. Return true: a tar file can hold every memory file."""
        data = file.text.encode("utf-8")
        name = str(file.path).removeprefix("/")
        self._add(name, data, file.info.modified)
        self._files.append(
            {
                "path": str(file.path),
                "sha256": hashlib.sha256(data).hexdigest(),
                "size_bytes": len(data),
                "modified": shown_time(file.info.modified),
            }
        )
        return True

    def finish(self, fields: Mapping[str, object], now: datetime) -> None:
        """Add the manifest, with these additional fields, and end the export. The stream stays open."""
        manifest = {"format": FORMAT, **fields, "exported": shown_time(now), "files": self._files}
        self._add(_MANIFEST, json.dumps(manifest, indent=1).encode("ascii"), now)
        self._tar.close()

    def abandon(self) -> None:
        """Stop writing. Otherwise, `tarfile`'s destructor would write to the stream, which may be closed by then."""
        with suppress(OSError):
            self._tar.fileobj.close()  # tarfile's own wrapper; the stream stays open

    def _add(self, name: str, data: bytes, modified: datetime) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mtime, member.mode = len(data), int(modified.timestamp()), 0o600
        self._tar.addfile(member, io.BytesIO(data))


@dataclass(frozen=True, slots=True)
class ExportSource:
    """An export as a source of an import.

    Attributes:
        opened: opens the export from its beginning.
        max_bytes: larger memory files are refused.
    """

    opened: Callable[[], AbstractContextManager[IO[bytes]]]
    max_bytes: int
    _hashes: dict[str, object] = field(default_factory=dict, init=False, repr=False)

    def files(self) -> Iterator[SourceFile]:
        """Yield all files. The first call reads the export to its end and checks it before."""
        if not self._hashes:
            self._hashes.update(self._checked())
        for file in self._members():
            if not isinstance(file, bytes):
                yield with_hash(file, self._hashes.get(file.name))

    def _checked(self) -> dict[str, object]:
        """Return the hashes of the manifest, after checking that it names exactly the files of the export."""
        names: set[str] = set()
        manifest: bytes | None = None
        for file in self._members():
            if isinstance(file, bytes):
                manifest = file
            elif manifest is not None or file.name in names:
                raise damaged("it has a file twice, or one after the manifest")
            else:
                names.add(file.name)
        hashes = _hashes_of(manifest)
        if hashes.keys() != names:
            raise damaged("the manifest names other files")
        return hashes

    def _members(self) -> Iterator[SourceFile | bytes]:
        """Yield the files, and the manifest as bytes."""
        try:
            # Not r|*, which would decompress: a small source could then become arbitrarily large.
            with self.opened() as stream, tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as tar:
                for count, member in enumerate(tar):
                    if count > MAX_FILES:
                        raise damaged("it has too many files")
                    yield self._member(tar, member, count)
        except (tarfile.TarError, EOFError, UnicodeError, ValueError, OverflowError, RecursionError) as error:
            if isinstance(error, S3MemoryError):
                raise
            raise damaged("it is not an export, or is cut off") from None

    def _member(self, tar: tarfile.TarFile, member: tarfile.TarInfo, n_files: int) -> SourceFile | bytes:
        if not member.isreg() or member.issparse():
            raise damaged(f"it holds something other than files: {shown(member.name)}")
        if member.name == _MANIFEST:
            return self._read(tar, member, _MAX_MANIFEST_BYTES + n_files * _MAX_ENTRY_BYTES)
        if not member.name.startswith(_FOLDER):
            raise damaged(f"it holds a file that is not a memory: {shown(member.name)}")
        name = member.name.removeprefix(_FOLDER)
        if member.size > 2 * MAX_TEXT_BYTES:  # the next file would be looked for beyond the end
            raise damaged(f"it has a file that is larger than any memory: {shown(member.name)}")
        if member.size > self.max_bytes:
            return SourceFile(name, problem="is too large")
        return SourceFile(name, self._read(tar, member, self.max_bytes))

    @staticmethod
    def _read(tar: tarfile.TarFile, member: tarfile.TarInfo, max_bytes: int) -> bytes:
        stream = tar.extractfile(member) if member.size <= max_bytes else None
        data = b"" if stream is None else stream.read(max_bytes)
        if len(data) != member.size:
            raise damaged("it is cut off, or its manifest is too large")
        return data


def _hashes_of(manifest: bytes | None) -> dict[str, object]:
    try:
        fields: Any = json.loads(manifest or b"")
        if fields["format"] != FORMAT:
            raise damaged("its format is unknown")
        return {str(file["path"]).removeprefix(f"{ROOT}/"): file["sha256"] for file in fields["files"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged("it has no manifest") from None
