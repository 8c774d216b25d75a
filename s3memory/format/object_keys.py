"""Where a tenant's objects are in the bucket: maps memory paths to object keys, and listings back to paths. No I/O."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from s3memory.errors import ConfigurationError, IntegrityError, InvalidInputError
from s3memory.format.envelope import nominal_size_bytes, plaintext_size_bytes
from s3memory.format.names import NameCodec
from s3memory.limits import MAX_OBJECT_KEY_BYTES, MAX_PATH_SEGMENTS
from s3memory.paths import MemoryPath, check_prefix, check_tenant
from s3memory.s3.objects import ListedObject, ListPage


class Folder(StrEnum):
    """The folders of a deployment that hold tenants' objects; ``keyrings/`` holds one object per tenant."""

    KEY_RINGS = "keyrings"
    INTENTS = "intents"
    REDACTIONS = "redactions"
    MEMORIES = "memories"

    def below(self, prefix: str) -> str:
        """Return the prefix of all tenants' object keys in this folder, in the deployment at `prefix`."""
        return f"{prefix}{self}/"


FOLDERS = tuple(Folder)
"""All folders, in the order in which an erasure destroys a tenant's objects."""


class ObjectPlace(NamedTuple):
    """The folder and the tenant that an object belongs to."""

    folder: Folder
    tenant: str


class ListedFile(NamedTuple):
    """A file in a listing, with its plaintext size; for damaged files, see `nominal_size_bytes`."""

    path: MemoryPath
    size_bytes: int
    listed: ListedObject


def path_too_long() -> InvalidInputError:
    """Return the error for a path that has too many names, or whose object key would be too long."""
    return InvalidInputError("Invalid path: it is too long to be stored. Use shorter or fewer names.")


class ListedPage(NamedTuple):
    """One page of a listing, decoded: its files, and its common prefixes as directories.

    Attributes:
        stray: how many objects, judging by their keys, are not memory files: they are counted, not shown.
        next_token: the token for the next page, if there is one.
        in_order: whether everything on later pages sorts after everything on this page.
    """

    files: tuple[ListedFile, ...]
    directories: tuple[MemoryPath, ...]
    stray: int
    next_token: str | None
    in_order: bool


_ROOT = MemoryPath()

EMPTY_PAGE = ListedPage((), (), 0, None, in_order=True)


class Layout:
    """The object keys of one tenant in the deployment at `prefix`, as specified in ``docs/format.md``.

    Raises:
        ConfigurationError: `prefix` or `tenant` is malformed.
    """

    def __init__(self, prefix: str, tenant: str) -> None:
        prefix, tenant = check_prefix(prefix), check_tenant(tenant)
        self.prefix = prefix
        self.tenant = tenant
        self.memories_prefix = self.folder(Folder.MEMORIES)
        self.intents_prefix = self.folder(Folder.INTENTS)
        # Test objects of `s3memory.admin.doctor`: agents are allowed to write here anyway.
        self.doctor_prefix = f"{self.intents_prefix}doctor/"
        self.key_ring = self.folder(Folder.KEY_RINGS)
        # Manifests and reports of bulk jobs, of all tenants.
        self.batch_prefix = f"{prefix}batch/"

    def folder(self, folder: Folder) -> str:
        """Return the prefix of the tenant's object keys in a folder; for its one key ring, the key itself."""
        return f"{folder.below(self.prefix)}{self.tenant}{'' if folder is Folder.KEY_RINGS else '/'}"

    def file(self, names: NameCodec, path: MemoryPath) -> str:
        """Return the object key of a file.

        Raises:
            InvalidInputError: it is longer than S3 allows, or has too many segments.
        """
        object_key = self.memories_prefix + names.encode(path)
        # A parsed path never has too many segments, but one that a rename makes may.
        if len(object_key.encode("utf-8")) > MAX_OBJECT_KEY_BYTES or len(path.segments) > MAX_PATH_SEGMENTS:
            raise path_too_long()
        return object_key

    def path(self, names: NameCodec, object_key: str) -> MemoryPath:
        """Return the path of a file.

        Raises:
            IntegrityError: this is not the object key of one of the tenant's files.
        """
        if not object_key.startswith(self.memories_prefix):
            raise IntegrityError("An object is not a memory file.")
        return names.decode(_ROOT, object_key.removeprefix(self.memories_prefix))

    def directory(self, names: NameCodec, path: MemoryPath) -> str:
        """Return the prefix of all object keys below a directory."""
        return self.memories_prefix if path.is_root else f"{self.file(names, path)}/"

    def decoded(self, names: NameCodec, path: MemoryPath, page: ListPage) -> ListedPage:
        """Decode a page that was listed below a directory into memory paths.

        Only the object key decides what is a file: one that was truncated in the bucket must not vanish from listings.
        """
        prefix = self.directory(names, path)
        files: list[ListedFile] = []
        directories: list[MemoryPath] = []
        stray = 0
        for listed in page.objects:
            try:
                file_path = names.decode(path, listed.object_key.removeprefix(prefix))
            except IntegrityError:
                stray += 1
            else:
                files.append(ListedFile(file_path, nominal_size_bytes(listed.size_bytes), listed))
        for common in page.prefixes:
            try:
                directories.append(names.decode(path, common.removeprefix(prefix).removesuffix("/")))
            except IntegrityError:
                stray += 1
        return ListedPage(tuple(files), tuple(directories), stray, page.next_token, names.keeps_order)


def place_of(prefix: str, object_key: str) -> ObjectPlace | None:
    """Return the place of an object in the deployment at `prefix`; ``None`` if this package makes no such key."""
    if not object_key.startswith(prefix):
        return None
    folder, _, remainder = object_key.removeprefix(prefix).partition("/")
    tenant, slash, rest = remainder.partition("/")
    has_rest = bool(slash and rest)
    if folder not in FOLDERS or has_rest is (folder == Folder.KEY_RINGS) or (folder == Folder.KEY_RINGS and slash):
        return None
    try:
        return ObjectPlace(Folder(folder), check_tenant(tenant))
    except ConfigurationError:
        return None


def text_size_bytes(sealed_bytes: int) -> int | None:
    """Return the size of a text from the size of its object in a listing; ``None`` if no file has this size."""
    try:
        return plaintext_size_bytes(sealed_bytes)
    except IntegrityError:
        return None
