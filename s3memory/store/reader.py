"""`MemoryReader`: what is stored, from canonical paths to texts and listings. It writes nothing but a touch."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from s3memory._parallel import beside, is_one_of_many, together
from s3memory.errors import IntegrityError
from s3memory.format.object_keys import EMPTY_PAGE, Layout, ListedFile, ListedPage
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.keys.tenant_keys import TenantKeys
from s3memory.paths import MemoryPath
from s3memory.s3.bucket import Bucket
from s3memory.s3.objects import ObjectInfo
from s3memory.store.last_used import touch_if_due
from s3memory.store.sealing import TextSealer


class MemoryFile(NamedTuple):
    """A file as it was read: its text, the version that it was, and the key ring that opened it."""

    path: MemoryPath
    text: str
    info: ObjectInfo
    ring: OpenKeyRing


class MemoryReader:
    """The files of one tenant, to be read.

    Attributes:
        bucket: where they are.
        layout: their object keys.
        keys: the tenant's key ring.
        texts: what opens them.
        read_only: whether this memory refuses every write.
        touch_after_seconds: as for `MemoryStore`.
    """

    bucket: Bucket
    layout: Layout
    keys: TenantKeys
    texts: TextSealer
    read_only: bool
    touch_after_seconds: float | None

    def read(self, path: MemoryPath, *, touch: bool = False) -> MemoryFile | None:
        """Return a file, or ``None`` where there is none (a directory is none).

        Args:
            path: the file.
            touch: it is used, not only looked at: see `touch_after_seconds` of `MemoryStore`.

        Raises:
            IntegrityError: what is stored there does not open.
            BackendError: S3 or the key wrapper could not be reached.
        """
        if path.is_root:
            return None
        ring = self.keys.existing()
        if ring is None:
            return None
        object_key = self.layout.file(ring.names, path)
        stored = self.bucket.get(object_key)
        if stored is None:
            return None
        file = MemoryFile(path, self.texts.open(ring, path, stored.body), stored.info, ring)
        if touch and not (self.read_only or ring.ring.archived) and self.touch_after_seconds is not None:
            touch_if_due(self.bucket, object_key, stored, after_seconds=self.touch_after_seconds)
        return file

    def look_up(self, path: MemoryPath, *, is_likely_directory: bool) -> MemoryFile | ListedPage:
        """Return the file at `path`, which is touched, or the first page of what is below it where there is none.

        Args:
            path: a file or directory.
            is_likely_directory: list what is below beside looking for the file, in place of afterwards.

        Raises:
            As `read` and, where there is no file, as `list_page`.
        """
        read, list_below = partial(self.read, path, touch=True), partial(self.list_page, path)
        if is_likely_directory and not path.is_root:
            if self.keys.existing() is None:  # not to be looked for by both
                return EMPTY_PAGE
            file, listed_beside = beside(read, list_below)
            return listed_beside() if file is None else file
        file = read()
        return list_below() if file is None else file

    def info(self, path: MemoryPath) -> ObjectInfo | None:
        """Return a file's ETag without its text, or ``None`` where there is no file."""
        ring = self.keys.existing()
        return None if ring is None or path.is_root else self.bucket.head(self.layout.file(ring.names, path))

    def has_directory(self, path: MemoryPath) -> bool:
        """Whether anything is stored below `path`. The root always exists."""
        if path.is_root:
            return True
        ring = self.keys.existing()
        return ring is not None and bool(
            self.bucket.list_page(self.layout.directory(ring.names, path), max_keys=1).objects
        )

    def list_page(self, path: MemoryPath, *, delimited: bool = False, token: str | None = None) -> ListedPage:
        """Return one page of what is below a directory: everything, or one level where `delimited`."""
        list_prefix = partial(self.bucket.list_page, delimited=delimited, token=token)
        if path.is_root and self.keys.cached() is None and not is_one_of_many():
            # The root's prefix is known before the key ring is. Any other holds names, which the ring may encrypt.
            ring, page = together(self.keys.existing, lambda: list_prefix(self.layout.memories_prefix))
            return EMPTY_PAGE if ring is None else self.layout.decoded(ring.names, path, page)
        ring = self.keys.existing()
        if ring is None:
            return EMPTY_PAGE
        return self.layout.decoded(ring.names, path, list_prefix(self.layout.directory(ring.names, path)))

    def etags_below(self, path: MemoryPath) -> dict[str, str]:
        """Return the ETags of everything that is stored below a directory, by object key: files, and what is none."""
        ring = self.keys.existing()
        if ring is None:
            return {}
        pages = self.bucket.list_pages(self.layout.directory(ring.names, path))
        return {listed.object_key: listed.etag for page in pages for listed in page.objects}

    def etag_at(self, path: MemoryPath) -> dict[str, str]:
        """Return the ETag of the file at `path` by its object key, or nothing where there is no file."""
        ring, info = self.keys.existing(), self.info(path)
        return {} if ring is None or info is None else {self.layout.file(ring.names, path): info.etag}

    def pages_below(self, path: MemoryPath) -> Iterator[ListedPage]:
        """Yield the pages of all that is below a directory, however deep."""
        token: str | None = None
        while True:
            page = self.list_page(path, token=token)
            yield page
            token = page.next_token
            if token is None:
                return

    def files_below(self, path: MemoryPath) -> list[ListedFile]:
        """Return all files below a directory, however deep.

        Raises:
            IntegrityError: something else is stored among them.
        """
        files: list[ListedFile] = []
        for page in self.pages_below(path):
            if page.stray:
                raise IntegrityError(f"Error: Something below {path} is no memory file. This needs an operator.")
            files += page.files
        return files

    def obstacle(self, path: MemoryPath) -> MemoryPath | None:
        """Return what keeps a file from being made at `path`: a file above it, or itself where it is a directory."""
        ancestors = path.ancestors()
        is_directory, *infos = together(
            lambda: self.has_directory(path), *(partial(self.info, ancestor) for ancestor in ancestors)
        )
        for ancestor, info in zip(ancestors, infos, strict=True):
            if info is not None:
                return ancestor
        return path if is_directory else None
