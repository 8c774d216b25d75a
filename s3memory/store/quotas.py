"""How much a tenant may store in total. If there is a quota, its files are counted before anything grows.

S3 keeps no totals, so a count costs one LIST for every 1,000 files. Nothing is locked. Writers that count at the same
moment each see the room that the others are about to use: together they can exceed the quota by what they write.
"""

from __future__ import annotations

from typing import NamedTuple

from s3memory.errors import LimitError
from s3memory.format.object_keys import Folder, text_size_bytes
from s3memory.limits import Limits
from s3memory.store.objects import TenantObjects


class TenantUsage(NamedTuple):
    """What a tenant has stored: the number of files, the bytes of their texts, and those of the file asked about."""

    files: int
    size_bytes: int
    file_bytes: int = 0


class Room:
    """The room left in a tenant's quotas, if it has any, for files that are planned one after another."""

    def __init__(self, quotas: Quotas, usage: TenantUsage | None) -> None:
        self._quotas = quotas
        self._usage = usage

    def take(self, *, files: int, size_bytes: int) -> bool:
        """Use up this much room; the size is negative if a text becomes shorter. Return whether there was room."""
        if self._usage is None:
            return True
        if self._quotas.refusal(self._usage, files=files, size_bytes=size_bytes) is not None:
            return False
        self._usage = TenantUsage(self._usage.files + files, self._usage.size_bytes + size_bytes)
        return True


class Quotas:
    """The quotas of one tenant: how much its limits let it store. Counting raises `BackendError` if S3 refuses."""

    def __init__(self, objects: TenantObjects, limits: Limits) -> None:
        self.objects = objects
        self.limits = limits

    @property
    def are_set(self) -> bool:
        """Whether the tenant has any quota."""
        return (self.limits.max_tenant_files, self.limits.max_tenant_bytes) != (None, None)

    def usage(self, object_key: str | None = None) -> TenantUsage:
        """Count what is stored, in total and in the file with this object key."""
        files = size_bytes = file_bytes = 0
        for listed in self.objects.listed(Folder.MEMORIES):
            text_bytes = text_size_bytes(listed.size_bytes)
            counted = listed.size_bytes if text_bytes is None else text_bytes  # not a memory file, but it takes room
            files += 1
            size_bytes += counted
            if listed.object_key == object_key:
                file_bytes = counted
        return TenantUsage(files, size_bytes, file_bytes)

    def room(self) -> Room:
        """Return the room that is left. This counts the files only if there is a quota."""
        return Room(self, self.usage() if self.are_set else None)

    def refusal(self, usage: TenantUsage, *, files: int = 0, size_bytes: int = 0) -> LimitError | None:
        """Return the error to raise if there is no room for this much more, or ``None`` if there is."""
        max_files, max_bytes = self.limits.max_tenant_files, self.limits.max_tenant_bytes
        if files and max_files is not None and usage.files + files > max_files:
            return LimitError(
                f"The memory is full: it holds {usage.files} files, and {max_files} is the limit. "
                "Nothing was changed. Delete files that are no longer needed, or add to one that is there."
            )
        if size_bytes > 0 and max_bytes is not None and usage.size_bytes + size_bytes > max_bytes:
            return LimitError(
                f"The memory is full: it holds {usage.size_bytes} bytes, this needs {size_bytes} more, and "
                f"{max_bytes} is the limit. Nothing was changed. Delete or shorten files that are no longer needed."
            )
        return None

    def ensure_room_for_growth(self, object_key: str, present: str | None, wanted: str) -> None:
        """Refuse a text that makes a file longer by more than there is room for.

        A text that is no longer than the `present` one costs no count. If that one is unknown (`None`), the count
        gives its size.

        Raises:
            LimitError: there is not enough room in the quota of bytes.
        """
        wanted_bytes = len(wanted.encode("utf-8"))
        if self.limits.max_tenant_bytes is None or (
            present is not None and wanted_bytes <= len(present.encode("utf-8"))
        ):
            return
        usage = self.usage(object_key)
        refusal = self.refusal(usage, size_bytes=wanted_bytes - usage.file_bytes)
        if refusal is not None:
            raise refusal
