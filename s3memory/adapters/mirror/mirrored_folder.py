"""`MirroredFolder`: a tenant's memory as a folder of plain files, for programs that know nothing but files.

Three versions of each file are compared by content: the pulled one, the folder's and the stored one. Every push is a
compare and swap on the pulled version. If both sides changed, the store wins, and the folder's version is kept beside
it and stored as well. What is saved in the folder meanwhile is left for the next pull or push. Plaintext is on disk
until the folder is removed.
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

    The folder is created if it does not exist, for its owner alone. It is locked while it is pulled, pushed or removed,
    and as long as the context is entered, so that no other mirror uses it.

    Args:
        store: the tenant's files.
        directory: the folder. What is in it already counts as changed since the last pull: it is stored, and what is
            redacted in it is redacted in the folder too.
        push_wiped: if the folder has none of the pulled texts any more, delete them in the store. Otherwise, the next
            pull brings them back.

    Raises:
        ConfigurationError: `store` is not a `MemoryStore`. Of all methods: the folder is not a directory, is a symbolic
            link, is or contains the home or the working directory, or another mirror uses it.
    """

    def __init__(self, store: MemoryStore, directory: str | os.PathLike[str], *, push_wiped: bool = False) -> None:
        if not isinstance(store, MemoryStore):
            raise ConfigurationError("MirroredFolder takes a MemoryStore, such as the `store` of MemoryCommands")
        self.store = store
        try:
            self.directory = Path(directory).absolute()  # whatever becomes of the working directory
        except OSError as error:
            raise ConfigurationError(f"the folder can't be made: {error.strerror}") from None
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
        """Bring the folder up to what is stored. What was changed in it since the last pull or push stays.

        Raises:
            ConfigurationError: none of the files that were pulled before is stored any more: it may be another memory.
            KeyRingError: the key ring does not open. BackendError: S3 or the key wrapper could not be reached.
        """
        with self._locked():
            return Pull(self.store, self._folder, self._state, self.push_wiped).run()

    @audited("push", of=attrgetter("store"))
    def push(self) -> SyncReport:
        """Store what was changed in the folder since it was pulled.

        What can't be stored, and what an outage prevented, is in `SyncReport.left` and stays in the folder.
        """
        with self._locked():
            return Push(self.store, self._folder, self._state, self.push_wiped).run()

    def remove_if_untouched(self) -> SyncReport:
        """Remove a folder that was made by this mirror and has never been pushed from: it holds nothing of its own."""
        return self.remove() if self._is_new else SyncReport()

    def remove(self) -> SyncReport:
        """Remove the folder if a mirror made it and all of it is stored: the last push did not see what came later.

        A file is removed only while it holds what was stored, so what is saved meanwhile stays.

        Returns:
            What is in the folder and not stored, or could not be removed, in `SyncReport.left`. With that, the folder
            stays, and a later `remove` tries again.
        """
        if not self.directory.exists():
            return SyncReport()
        with self._locked():
            return Removal(self.store, self._folder, self._state, self.push_wiped).run()

    def _locked(self) -> AbstractContextManager[object]:
        """Lock the folder, unless it is for longer already."""
        return nullcontext() if self._folder.is_locked else self
