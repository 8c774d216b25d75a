"""`StoredFiles`: reads, examines and lists a tenant's files by path. It writes nothing but touches.

A touch stores a viewed file again unchanged, so that its S3 timestamp says when it was last used.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from s3memory._parallel import Beside, is_one_of_many, pages, together
from s3memory.errors import BackendError, IntegrityError
from s3memory.format.object_keys import EMPTY_PAGE, ListedFile, ListedPage
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.keys.tenant_keys import TenantKeys
from s3memory.paths import MemoryPath, check_path
from s3memory.redaction import Finding
from s3memory.s3.objects import ObjectInfo, StoredObject
from s3memory.store.objects import TenantObjects
from s3memory.store.sealing import TextSealer

_log = logging.getLogger("s3memory")


class MemoryFile(NamedTuple):
    """A file as it was read: its text, the `ObjectInfo` of its version, and the key ring that opened it."""

    path: MemoryPath
    text: str
    info: ObjectInfo
    ring: OpenKeyRing


class WrittenFile(NamedTuple):
    """A file as it was written: the stored text, the redactor's findings, and its ETag."""

    path: MemoryPath
    text: str
    findings: tuple[Finding, ...]
    etag: str


class StoredFiles:
    """The files of one tenant, as they are stored now.

    Each method raises `BackendError` if S3 or the key wrapper could not be reached, `KeyRingError` if the key ring does
    not open, and `InvalidInputError` if a path is not a `MemoryPath`.

    Args:
        objects: the tenant's objects in S3.
        key_ring: the key ring, which names the files.
        texts: opens the files.
        touch_after_seconds: as for `MemoryStore`; ``None`` if the store is read-only.
    """

    def __init__(
        self, objects: TenantObjects, key_ring: TenantKeys, texts: TextSealer, *, touch_after_seconds: float | None
    ) -> None:
        self._objects = objects
        self._key_ring = key_ring
        self._texts = texts
        self._touch_after_seconds = touch_after_seconds

    def read(self, path: MemoryPath, *, version_id: str | None = None, touch: bool = False) -> MemoryFile | None:
        """Return a file, or ``None`` if there is none (a directory is not a file).

        Args:
            path: the file.
            version_id: the version to read, which needs ``s3:GetObjectVersion``; the current one if left out.
            touch: this read counts as a use: touch the file if that is due.

        Raises:
            IntegrityError: the stored object does not open.
        """
        check_path(path)
        ring = None if path.is_root else self._key_ring.existing()
        if ring is None:
            return None
        object_key = self._objects.key_of(ring, path)
        stored = self._objects.get(object_key, version_id=version_id)
        if stored is None:
            return None
        file = MemoryFile(path, self._texts.open(ring, path, stored.body), stored.info, ring)
        if touch and self._touch_after_seconds is not None and not ring.ring.archived:
            _touch_if_due(self._objects, object_key, stored, after_seconds=self._touch_after_seconds)
        return file

    def look_up(self, path: MemoryPath, *, is_likely_directory: bool) -> MemoryFile | ListedPage:
        """Return the file at `path`, touching it if that is due, or else the first page of what is below it.

        Args:
            path: a file or directory.
            is_likely_directory: list what is below the path while the file is read, instead of afterwards.

        Raises:
            As `read` and, if there is no file, as `list_page`.
        """
        check_path(path)
        list_below = partial(self.list_page, path)
        if not is_likely_directory or path.is_root:
            file = self.read(path, touch=True)
            return list_below() if file is None else file
        if self._key_ring.existing() is None:  # loaded here, so that the parallel requests don't both load it
            return EMPTY_PAGE
        with Beside(list_below) as listing:
            file = self.read(path, touch=True)
        return listing.results[0]() if file is None else file

    def info(self, path: MemoryPath) -> ObjectInfo | None:
        """Return a file's `ObjectInfo` without reading its text, or ``None`` if there is no file."""
        check_path(path)
        ring = self._key_ring.existing()
        return None if ring is None or path.is_root else self._objects.head(self._objects.key_of(ring, path))

    def has_directory(self, path: MemoryPath) -> bool:
        """Whether anything is stored below `path`. The root always exists."""
        check_path(path)
        if path.is_root:
            return True
        prefix = self._prefix_of(path)
        return prefix is not None and self._objects.first_listed(prefix) is not None

    def list_page(self, path: MemoryPath, *, delimited: bool = False, token: str | None = None) -> ListedPage:
        """Return one page of what is below a directory: everything, or one level if `delimited`."""
        check_path(path)
        list_prefix = partial(self._objects.list_page, delimited=delimited, token=token)
        layout = self._objects.layout
        if path.is_root and self._key_ring.cached() is None and not is_one_of_many():
            # The root's prefix is known without the key ring. Any other contains names, which the ring may encrypt.
            ring, page = together(self._key_ring.existing, lambda: list_prefix(layout.memories_prefix))
            return EMPTY_PAGE if ring is None else layout.decoded(ring.names, path, page)
        ring = self._key_ring.existing()
        if ring is None:
            return EMPTY_PAGE
        return layout.decoded(ring.names, path, list_prefix(layout.directory(ring.names, path)))

    def pages_below(self, path: MemoryPath, *, delimited: bool = False) -> Iterator[ListedPage]:
        """Yield the pages of everything below a directory, however deep, or of one level if `delimited`."""
        return pages(lambda token: self.list_page(path, delimited=delimited, token=token))

    def below(self, path: MemoryPath) -> list[ListedFile]:
        """Return all files below a directory, however deep.

        Raises:
            IntegrityError: something else is stored among them.
        """
        files: list[ListedFile] = []
        for page in self.pages_below(path):
            if page.stray:
                raise IntegrityError(f"Something below {path} is not a memory file. This needs an operator.")
            files += page.files
        return files

    def etags_below(self, path: MemoryPath) -> dict[str, str]:
        """Return the ETags of everything stored below a directory by object key, even of objects that aren't files."""
        check_path(path)
        prefix = self._prefix_of(path)
        listing = () if prefix is None else self._objects.list_pages(prefix)
        return {listed.object_key: listed.etag for page in listing for listed in page.objects}

    def _prefix_of(self, path: MemoryPath) -> str | None:
        """Return the prefix of the object keys below a directory; ``None`` if the tenant has no key ring."""
        ring = self._key_ring.existing()
        return None if ring is None else self._objects.layout.directory(ring.names, path)


def _touch_if_due(objects: TenantObjects, object_key: str, stored: StoredObject, *, after_seconds: float) -> None:
    """Store an object again as it was read, if it was last written or touched more than `after_seconds` ago.

    A concurrent write is never overwritten, and no view fails because of a touch.
    """
    if (datetime.now(UTC) - stored.info.modified).total_seconds() <= after_seconds:
        return
    try:
        objects.put(object_key, stored.body, over=stored.info.etag, noted=stored.info.noted_again)
    except BackendError as error:
        _log.warning("a file that was viewed could not be touched: %s", type(error).__name__)
