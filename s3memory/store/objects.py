"""`TenantObjects`: what S3 has of one tenant, by folder and by path, in all versions. Sealed, as it is stored.

It alone knows, beside `Layout`, which object keys a tenant has. Operators reach it as `MemoryStore.objects`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from s3memory.errors import AccessDeniedError, IntegrityError
from s3memory.format.object_keys import FOLDERS, Folder, Layout
from s3memory.keys.open_key_ring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.s3.bucket import Bucket
from s3memory.s3.objects import NOTHING_NOTED, Deletion, ListedObject, Noted, StoredObject

if TYPE_CHECKING:
    from s3memory.s3.versions import ListedVersion, Upload


class TenantObjects:
    """The objects of one tenant. Each method raises `BackendError` where S3 did not answer or refused."""

    def __init__(self, bucket: Bucket, layout: Layout) -> None:
        self.bucket = bucket
        self.layout = layout

    @property
    def bucket_identity(self) -> tuple[str, str]:
        """The URL of the server, and the name of the bucket there."""
        return self.bucket.identity

    @property
    def requests_at_once(self) -> int:
        """How many requests of one job are worth sending side by side."""
        return self.bucket.requests_at_once

    @property
    def prefix(self) -> str:
        """What all object keys of the deployment begin with."""
        return self.layout.prefix

    @property
    def folders(self) -> tuple[str, ...]:
        """What the tenant's object keys begin with, its key ring's key first, in the order of `FOLDERS`."""
        return tuple(map(self.layout.folder, FOLDERS))

    def refusing_writes(self) -> TenantObjects:
        """Return the same objects through a client that sends no request that could change anything."""
        return TenantObjects(self.bucket.refusing_writes(), self.layout)

    def key_of(self, ring: OpenKeyRing, path: MemoryPath) -> str:
        """Return the object key of a file; raise `InvalidInputError` if it is too long, or has too many segments."""
        return self.layout.file(ring.names, path)

    def path_of(self, ring: OpenKeyRing, object_key: str) -> MemoryPath | None:
        """Return the path of a file by its object key, or ``None`` if the key is that of no file."""
        try:
            return self.layout.path(ring.names, object_key)
        except IntegrityError:
            return None

    def folder_of(self, object_key: str) -> Folder:
        """Return the folder that one of the tenant's objects is in."""
        return next(one for one in FOLDERS if object_key.startswith(self.layout.folder(one)))

    def get(
        self, object_key: str, *, version_id: str | None = None, first_bytes: int | None = None
    ) -> StoredObject | None:
        """Return an object, or a version of one, or ``None`` where there is none; see `Bucket.get`."""
        return self.bucket.get(object_key, version_id=version_id, first_bytes=first_bytes)

    def exists(self, object_key: str) -> bool:
        """Return whether there is such an object."""
        return self.bucket.head(object_key) is not None

    def replace(self, object_key: str, body: bytes, *, etag: str, noted: Noted = NOTHING_NOTED) -> str | None:
        """Replace the object that has this ETag. Return the new one, or ``None`` if it is another by now, or gone."""
        return self.bucket.put(object_key, body, over=etag, noted=noted)

    def delete(self, object_key: str, *, etag: str) -> Deletion:
        """Delete the object if it still has this ETag; see `ConditionalDeletes.one`."""
        return self.bucket.deletes.one(object_key, etag=etag)

    def is_any(self) -> bool:
        """Return whether the tenant has a file, a key ring or an unfinished change: three requests at most."""
        return self._is_any_in(Folder.MEMORIES) or self._has_key_ring() or self._is_any_in(Folder.INTENTS)

    def listed(self, *folders: Folder) -> Iterator[ListedObject]:
        """Yield what is in these folders, one after another; all but what the doctor tried out and could not remove."""
        for folder in folders:
            for page in self.bucket.list_pages(self.layout.folder(folder)):
                for listed in page.objects:
                    if not listed.object_key.startswith(self.layout.doctor_prefix):
                        yield listed

    def listed_files(self, ring: OpenKeyRing, path: MemoryPath) -> Iterator[tuple[MemoryPath, ListedObject]]:
        """Yield the files at and below a path, by their object keys. What is not a file is left out."""
        if not path.is_root:
            object_key = self.key_of(ring, path)
            first = self.bucket.first_listed(object_key)
            if first is not None and first.object_key == object_key:  # nothing that begins with it comes before it
                yield path, first
        for page in self.bucket.list_pages(self.layout.directory(ring.names, path)):
            for listed in page.objects:
                file_path = self.path_of(ring, listed.object_key)
                if file_path is not None:
                    yield file_path, listed

    def versions(self, *folders: Folder) -> Iterator[ListedVersion]:
        """Yield the versions and delete markers of everything in these folders, one after another."""
        return chain.from_iterable(map(self._versions_in, folders))

    def versions_of(self, object_key: str) -> Iterator[ListedVersion]:
        """Yield the versions and delete markers of one object, the newest first."""
        return self.bucket.versions.of(object_key)

    def versions_of_files(
        self, ring: OpenKeyRing, path: MemoryPath
    ) -> Iterator[tuple[MemoryPath, Iterator[ListedVersion]]]:
        """Yield the files at and below a path, each with its versions, the newest first. Others are left out."""
        prefix = self.layout.memories_prefix if path.is_root else self.key_of(ring, path)
        for object_key, versions in groupby(self.bucket.versions.below(prefix), key=attrgetter("object_key")):
            file_path = self.path_of(ring, object_key)
            if file_path is not None and (file_path == path or file_path.is_below(path)):
                yield file_path, versions

    def keep_versions(self) -> bool:
        """Whether a write keeps what it replaces, as an older version; see `ObjectVersions.are_kept`."""
        return self.bucket.versions.are_kept()

    def destroy(self, versions: Sequence[ListedVersion]) -> None:
        """Destroy versions for good; see `ObjectVersions.destroy`."""
        self.bucket.versions.destroy(versions)

    def try_to_destroy(
        self, versions: Sequence[ListedVersion], *, slowed: Callable[[], object] = lambda: None
    ) -> dict[ListedVersion, str]:
        """Destroy versions for good, and go on where S3 refuses one; see `ObjectVersions.try_to_destroy`."""
        return self.bucket.versions.try_to_destroy(versions, slowed=slowed)

    def uploads(self) -> Iterator[Upload]:
        """Yield the tenant's multipart uploads that nobody finished (``ListMultipartUploads``)."""
        for folder in FOLDERS:
            for upload in self.bucket.versions.uploads_below(self.layout.folder(folder)):
                if folder is not Folder.KEY_RINGS or upload.object_key == self.layout.key_ring:
                    yield upload

    def abort(self, upload: Upload) -> None:
        """Abort a multipart upload."""
        self.bucket.versions.abort(upload)

    def bulk_documents(self) -> Iterator[ListedVersion]:
        """Yield the versions of all manifests and reports of bulk jobs, whatever tenants they name."""
        return self.bucket.versions.below(self.layout.batch_prefix)

    def chunks(self, version: ListedVersion) -> Iterator[bytes]:
        """Yield a version piece by piece."""
        return self.bucket.versions.chunks(version.object_key, version.version_id)

    def _versions_in(self, folder: Folder) -> Iterator[ListedVersion]:
        if folder is Folder.KEY_RINGS:  # that of `a`, and not that of `ab`
            return self.bucket.versions.of(self.layout.key_ring)
        return self.bucket.versions.below(self.layout.folder(folder))

    def _is_any_in(self, folder: Folder) -> bool:
        return self.bucket.first_listed(self.layout.folder(folder)) is not None

    def _has_key_ring(self) -> bool:
        try:
            return self.exists(self.layout.key_ring)
        except AccessDeniedError:  # what S3 says of a missing object where the caller may not list it
            return False
