"""fsspec's s3fs, used as in its documentation, without encryption, in its own environment.

Its cache of listings is off: with it, a view would not show what another process has written since.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from s3fs import S3FileSystem

from peers.texts import PeerTool


class S3fsFiles:
    """Files through `S3FileSystem`."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket
        self._s3fs = S3FileSystem(use_listings_cache=False)

    def read(self, key: str) -> str | None:
        """Return a file's text; ``None`` if there is no file."""
        try:
            text: str = self._s3fs.cat_file(self._path(key)).decode()
        except FileNotFoundError:
            return None
        return text

    def write(self, key: str, text: str) -> None:
        """Store or replace a file's text."""
        self._s3fs.pipe_file(self._path(key), text.encode())

    def write_new(self, key: str, text: str) -> bool:
        """Store a new file. Return ``False`` if there is a file already."""
        try:
            self._s3fs.pipe_file(self._path(key), text.encode(), mode="create")
        except FileExistsError:
            return False
        return True

    def entries(self, prefix: str, levels: int) -> Iterator[tuple[str, int]]:
        """Yield the names and sizes in bytes of a directory's entries, `levels` deep. Directories end with a slash."""
        directory = self._path(prefix.rstrip("/"))
        found = self._s3fs.find(directory, maxdepth=levels, withdirs=True, detail=True)
        for path, info in found.items():
            if path != directory:
                name = path[len(directory) + 1 :]
                yield (name + "/", 0) if info["type"] == "directory" else (name, info["size"])

    def delete(self, key: str) -> bool:
        """Delete a file or a directory. Return whether it existed."""
        try:
            self._s3fs.rm(self._path(key), recursive=True)
        except FileNotFoundError:
            return False
        return True

    def rename(self, old_key: str, new_key: str) -> bool:
        """Move a file or a directory. Return whether it existed."""
        old, new = self._path(old_key), self._path(new_key)
        try:
            info = self._s3fs.info(old)
        except FileNotFoundError:
            return False
        if info["type"] == "directory":
            # Not mv(recursive=True): it would also copy the directory's own key, which is not an object, and fail.
            paths = self._s3fs.find(old)
            self._s3fs.copy(paths, [new + path[len(old) :] for path in paths], on_error="raise")
            self._s3fs.rm(paths)
        else:
            # Not mv: it would look for directories several times, with four more requests.
            self._s3fs.cp_file(old, new)
            self._s3fs.rm_file(old)
        return True

    def exists(self, key: str) -> bool:
        """Whether a file exists."""
        return bool(self._s3fs.exists(self._path(key)))

    def _path(self, key: str) -> str:
        return f"{self._bucket}/{key}"


def make() -> PeerTool:
    """Return the tool."""
    return PeerTool(S3fsFiles(os.environ["BENCH_BUCKET"]))
