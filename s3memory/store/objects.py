"""`TenantObjects`: the bucket and one tenant's objects in it, by folder and by path, sealed as they are stored.

Only this module and `Layout` know a tenant's object keys. Operators reach it as `MemoryStore.objects`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from s3memory.errors import AccessDeniedError, IntegrityError
from s3memory.format.object_keys import FOLDERS, Folder, Layout
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.s3.bucket import Bucket
from s3memory.s3.objects import ListedObject

if TYPE_CHECKING:
    from s3memory.aws.retry import RetryPolicy
    from s3memory.s3.transport import Transport
    from s3memory.s3.versions import ListedVersion, Upload


class TenantObjects(Bucket):
    """A bucket that knows which objects in it are one tenant's.

    Args:
        layout: names the tenant's objects.
        client, name, retry, owner, max_object_bytes: as for `Bucket`.
    """

    def __init__(
        self,
        client: Transport,
        name: str,
        layout: Layout,
        *,
        retry: RetryPolicy,
        owner: str | None,
        max_object_bytes: int,
    ) -> None:
        super().__init__(client, name, retry=retry, owner=owner, max_object_bytes=max_object_bytes)
        self.layout = layout

    @property
    def prefix(self) -> str:
        """The prefix of all object keys of the deployment."""
        return self.layout.prefix

    @property
    def folders(self) -> tuple[str, ...]:
        """The prefixes of the tenant's object keys in the order of `FOLDERS`; the first is its key ring's key."""
        return tuple(map(self.layout.folder, FOLDERS))

    def key_of(self, ring: OpenKeyRing, path: MemoryPath) -> str:
        """Return the object key of a file; raise `InvalidInputError` if it is too long, or has too many segments."""
        return self.layout.file(ring.names, path)

    def path_of(self, ring: OpenKeyRing, object_key: str) -> MemoryPath | None:
        """Return the path of a file by its object key, or ``None`` if the key does not belong to a file."""
        try:
            return self.layout.path(ring.names, object_key)
        except IntegrityError:
            return None

    def folder_of(self, object_key: str) -> Folder:
        """Return the folder that one of the tenant's objects is in."""
        return next(one for one in FOLDERS if object_key.startswith(self.layout.folder(one)))

    def is_any(self) -> bool:
        """Return whether the tenant has a file, a key ring or an unfinished change: three requests at most."""
        return self._is_any_in(Folder.MEMORIES) or self._has_key_ring() or self._is_any_in(Folder.INTENTS)

    def listed(self, *folders: Folder) -> Iterator[ListedObject]:
        """Yield the tenant's objects folder by folder, without test objects that the doctor could not remove."""
        for folder in folders:
            for page in self.list_pages(self.layout.folder(folder)):
                for listed in page.objects:
                    if not listed.object_key.startswith(self.layout.doctor_prefix):
                        yield listed

    def listed_files(self, ring: OpenKeyRing, path: MemoryPath) -> Iterator[tuple[MemoryPath, ListedObject]]:
        """Yield the files at and below a path, in the order of their object keys. Other objects are left out."""
        if not path.is_root:
            object_key = self.key_of(ring, path)
            first = self.first_listed(object_key)
            if first is not None and first.object_key == object_key:  # no longer key with this prefix sorts before it
                yield path, first
        for page in self.list_pages(self.layout.directory(ring.names, path)):
            for listed in page.objects:
                file_path = self.path_of(ring, listed.object_key)
                if file_path is not None:
                    yield file_path, listed

    def versions_in(self, *folders: Folder) -> Iterator[ListedVersion]:
        """Yield the versions and delete markers of everything in these folders, folder by folder."""
        return chain.from_iterable(map(self._versions_in, folders))

    def versions_of_files(
        self, ring: OpenKeyRing, path: MemoryPath
    ) -> Iterator[tuple[MemoryPath, Iterator[ListedVersion]]]:
        """Yield the files at and below a path, each with its versions, newest first. Other objects are left out."""
        prefix = self.layout.memories_prefix if path.is_root else self.key_of(ring, path)
        for object_key, versions in groupby(self.versions.below(prefix), key=attrgetter("object_key")):
            file_path = self.path_of(ring, object_key)
            if file_path is not None and (file_path == path or file_path.is_below(path)):
                yield file_path, versions

    def uploads(self) -> Iterator[Upload]:
        """Yield the tenant's unfinished multipart uploads (``ListMultipartUploads``)."""
        for folder in FOLDERS:
            for upload in self.versions.uploads_below(self.layout.folder(folder)):
                if folder is not Folder.KEY_RINGS or upload.object_key == self.layout.key_ring:
                    yield upload

    def bulk_documents(self) -> Iterator[ListedVersion]:
        """Yield the versions of all manifests and reports of bulk jobs, of all tenants."""
        return self.versions.below(self.layout.batch_prefix)

    def _versions_in(self, folder: Folder) -> Iterator[ListedVersion]:
        if folder is Folder.KEY_RINGS:  # the ring of tenant `a`, but not that of `ab`
            return self.versions.of(self.layout.key_ring)
        return self.versions.below(self.layout.folder(folder))

    def _is_any_in(self, folder: Folder) -> bool:
        return self.first_listed(self.layout.folder(folder)) is not None

    def _has_key_ring(self) -> bool:
        try:
            return self.head(self.layout.key_ring) is not None
        except AccessDeniedError:  # S3's response for a missing object if the caller may not list it
            return False
