"""`MirroredFolder`: a tenant's memory as a folder of plain files, for programs that only work with files.

Three versions of each file are compared by content: the pulled one, the folder's and the stored one. Every push is a
compare and swap on the pulled version. If both sides changed, the store wins, and the folder's version is kept next to
it and stored as well. Changes to the folder during a pull or push are left for the next one. Plaintext is on disk until
the folder is removed.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from operator import attrgetter
from pathlib import Path
from typing import Self

from s3memory.adapters.mirror.plain_folder import PlainFolder
from s3memory.adapters.mirror.pulling import Pull
from s3memory.adapters.mirror.pushing import Push
from s3memory.adapters.mirror.removing import Removal
from s3memory.adapters.mirror.state import MirroredState
from s3memory.adapters.mirror.syncing import SyncReport
from s3memory.audit.recording import audited
from s3memory.errors import ConfigurationError
from s3memory.store.memory_store import MemoryStore


class MirroredFolder:
    """A tenant's memory in a folder.

    The folder is created if it does not exist, accessible to its owner only. It is locked during a pull, push or
    removal, and while the context is entered, so that no other mirror uses it.

    Args:
        store: the tenant's files.
        directory: the folder. Files that are already in it count as changed since the last pull: they are stored, and
            if the store redacts them, they are redacted in the folder, too.
        push_wiped: if the folder has lost all pulled texts, delete them in the store. Otherwise, the next pull brings
            them back.

    Raises:
        ConfigurationError: `store` is not a `MemoryStore`. All methods raise it if the folder is not a directory, is a
            symbolic link, is or contains the home or the working directory, or is used by another mirror.
    """

    def __init__(self, store: MemoryStore, directory: str | os.PathLike[str], *, push_wiped: bool = False) -> None:
        if not isinstance(store, MemoryStore):
            raise ConfigurationError("MirroredFolder takes a MemoryStore, such as the `store` of MemoryCommands")
        self.store = store
        try:
            self.directory = Path(directory).absolute()  # the working directory may change later
        except OSError as error:
            raise ConfigurationError(f"the folder can't be created: {error.strerror}") from None
        self.push_wiped = push_wiped
        self._folder = PlainFolder(self.directory, max_bytes=store.limits.max_file_bytes)
        self._state = MirroredState(store.tenant)
        self._is_new = False

    def __enter__(self) -> Self:
        if not self._folder.is_locked:
            self._is_new = self._folder.open()
            self._state = MirroredState(self.store.tenant, is_ours=self._is_new)
            try:
                self._state.load(self._folder.note)
            except BaseException:
                self._folder.close()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.close()

    @audited("pull", of=attrgetter("store"))
    def pull(self) -> SyncReport:
        """Update the folder from the store. Changes to the folder since the last pull or push are kept.

        Raises:
            ConfigurationError: none of the previously pulled files is stored any more: it may be another memory.
            KeyRingError: the key ring does not open. BackendError: S3 or the key wrapper could not be reached.
        """
        with self._locked():
            return Pull(self.store, self._folder, self._state, self.push_wiped).run()

    @audited("push", of=attrgetter("store"))
    def push(self) -> SyncReport:
        """Store the changes to the folder since it was pulled.

        Files that can't be stored, or were not because of an outage, are in `SyncReport.left` and stay in the folder.
        """
        with self._locked():
            return Push(self.store, self._folder, self._state, self.push_wiped).run()

    def remove_if_untouched(self) -> SyncReport:
        """Remove the folder if this mirror created it and never pushed from it, so that nothing in it can be new."""
        return self.remove() if self._is_new else SyncReport()

    def remove(self) -> SyncReport:
        """Remove the folder if a mirror created it and all files in it are stored, including those since the last push.

        A file is removed only if it still has the stored content, so files that are saved meanwhile stay.

        Returns:
            A report whose `SyncReport.left` has the files that are not stored or could not be removed. If there are
            any, the folder stays, and a later `remove` tries again.
        """
        if not self.directory.exists():
            return SyncReport()
        with self._locked():
            return Removal(self.store, self._folder, self._state, self.push_wiped).run()

    def _locked(self) -> AbstractContextManager[object]:
        """Lock the folder for one operation, unless the context has already locked it."""
        return nullcontext() if self._folder.is_locked else self
