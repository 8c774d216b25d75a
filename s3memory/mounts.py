"""`MountedCommands`: several memories mounted as one tree, each with its own store, keys and credentials.

Each store uses the paths of its own memory. Only the texts for the model show paths of the tree: see `shown_below`.
Files are never rewritten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from s3memory._parallel import each
from s3memory.audit.recording import as_one_event
from s3memory.commands import MemoryCommands
from s3memory.contract import messages
from s3memory.contract.inputs import CREATE, DELETE, INSERT, RENAME, SEARCH, STR_REPLACE, VIEW, parse_call
from s3memory.errors import ConfigurationError, InvalidInputError, S3MemoryError
from s3memory.format.object_keys import ListedPage
from s3memory.paths import ROOT, MemoryPath, shown_below
from s3memory.store.listing import Listing, is_hidden, list_directory
from s3memory.store.memory_store import MemoryStore

if TYPE_CHECKING:
    from s3memory.store.searching import Search

_ROOT = MemoryPath()


class _Place(NamedTuple):
    """A path of the tree: the memory that it belongs to, and the path within that memory."""

    memory: _Mounted
    path: MemoryPath

    @property
    def shown(self) -> MemoryPath:
        """The path in the tree."""
        return self.path.rebased(_ROOT, self.memory.mount)

    def carry_out(self, command: str, *arguments: object) -> str:
        """Run a command on the path. The texts that it returns show paths of the tree."""
        with shown_below(self.memory.mount):
            text: str = getattr(self.memory, command)(str(self.path), *arguments)
        return text


class _Tree:
    """The stores by their mount points."""

    def __init__(self, stores: Mapping[MemoryPath, MemoryStore]) -> None:
        self.stores = stores

    def mount_of(self, path: MemoryPath) -> MemoryPath:
        """Return the longest mount point at or above a path."""
        return next(above for above in (path, *reversed(path.ancestors()), _ROOT) if above in self.stores)

    def below(self, path: MemoryPath) -> list[MemoryPath]:
        """Return the mount points strictly below a path."""
        return sorted(mount for mount in self.stores if mount.is_below(path))

    def list_page(self, path: MemoryPath, *, delimited: bool = False, token: str | None = None) -> ListedPage:
        """Return one page of the entries below a directory of the tree, across memories."""
        below = self.below(path)
        if delimited:
            page = self._part(path, delimited=True, token=token)
            depth = len(path.segments) + 1
            mounts = {MemoryPath(mount.segments[:depth]) for mount in below} if token is None else set()
            # Mount points are on the first page, wherever they sort.
            in_order = page.in_order and not mounts
            return page._replace(directories=(*{*page.directories, *mounts},), in_order=in_order)
        if not below:
            return self._part(path, token=token)
        # The token of each part that is not fully listed yet, by its number.
        parts = [path, *below]
        tokens: dict[int, str | None] = dict.fromkeys(range(len(parts)))
        if token is not None:
            tokens = {int(number): further for number, further in json.loads(token).items()}
        pages = each(lambda number: self._part(parts[number], token=tokens[number]), tokens)
        further = {number: page.next_token for number, page in zip(tokens, pages, strict=True) if page.next_token}
        return ListedPage(
            tuple(file for page in pages for file in page.files),
            tuple(below) if token is None else (),
            sum(page.stray for page in pages),
            json.dumps(further) if further else None,
            in_order=False,
        )

    def _part(self, path: MemoryPath, *, delimited: bool = False, token: str | None) -> ListedPage:
        """Return a page of one memory, without the entries that another memory's mount point hides."""
        mount = self.mount_of(path)
        with shown_below(mount):
            page = self.stores[mount].files.list_page(path.rebased(mount, _ROOT), delimited=delimited, token=token)
        files = (file._replace(path=file.path.rebased(_ROOT, mount)) for file in page.files)
        directories = (directory.rebased(_ROOT, mount) for directory in page.directories)
        return page._replace(
            files=tuple(file for file in files if self.mount_of(file.path) == mount),
            directories=tuple(directory for directory in directories if self.mount_of(directory) == mount),
        )


class _Mounted(MemoryCommands):
    """The commands of one memory, by its own paths. Views and searches continue into the memories mounted below."""

    def __init__(self, commands: MemoryCommands, mount: MemoryPath, tree: _Tree) -> None:
        super().__init__(commands.store, overwrite=commands.overwrite)
        self.mount = mount
        self._tree = tree

    def _listed(self, path: MemoryPath, page: ListedPage) -> Listing | None:
        at = path.rebased(_ROOT, self.mount)
        if not self._tree.below(at):
            return super()._listed(path, page)
        with shown_below(_ROOT):
            whole = self._tree.list_page(at)
            listing = list_directory(self._tree, at, whole, max_chars=self.store.limits.max_view_chars)
        if listing is None:
            return None
        # The view adds the mount point again, as it does to all paths.
        items = (item._replace(path=item.path.rebased(self.mount, _ROOT)) for item in listing.items)
        return listing._replace(items=items)

    def _searched(self, search: Search, path: MemoryPath) -> bool:
        at = path.rebased(_ROOT, self.mount)
        is_there = search.run(self.store, path, is_elsewhere=partial(self._is_elsewhere, self.mount))
        below = self._tree.below(at)
        for mount in below:
            if any(map(is_hidden, mount.segments[len(at.segments) :])):
                search.leave_out(mount)
                continue
            store = self._tree.stores[mount]
            with shown_below(mount), as_one_event(store, SEARCH, _ROOT):
                search.run(store, _ROOT, is_elsewhere=partial(self._is_elsewhere, mount))
        return is_there or bool(below)

    def _is_elsewhere(self, mount: MemoryPath, path: MemoryPath) -> bool:
        return self._tree.mount_of(path.rebased(_ROOT, mount)) != mount


class MountedCommands(MemoryCommands):
    """The memory tool's commands over several memories in one tree, such as an agent's own and its team's.

    A path belongs to the memory with the longest mount point at or above it. Mount points and the directories above
    them can't be replaced, deleted or renamed, and nothing can be renamed from one memory into another. While a memory
    is mounted, another memory's files at or below its mount point are out of reach.

    Args:
        mounts: the memories by mount point; one must be at ``/memories``. Each keeps its store's credentials, keys,
            redactor, limits, auditor and label; a read-only store is mounted read-only.

    Raises:
        ConfigurationError: nothing is mounted at ``/memories``, a mount point is malformed or used twice, a value is
            not a memory, or one tenant's memory is mounted twice.
    """

    def __init__(self, mounts: Mapping[str, MemoryCommands | MemoryStore]) -> None:
        memories: dict[MemoryPath, MemoryCommands] = {}
        for path, memory in mounts.items():
            try:
                mount = MemoryPath.parse(path)
            except InvalidInputError as error:
                raise ConfigurationError(f"a mount point is malformed: {error}") from None
            if mount in memories:
                raise ConfigurationError(f"{mount} is mounted twice")
            if isinstance(memory, MountedCommands) or not isinstance(memory, MemoryCommands | MemoryStore):
                raise ConfigurationError(f"the memory at {mount} must be the MemoryCommands of a single store")
            memories[mount] = memory if isinstance(memory, MemoryCommands) else MemoryCommands(memory)
        if _ROOT not in memories:
            raise ConfigurationError(f"a memory has to be mounted at {ROOT}")
        stores = {mount: memory.store for mount, memory in memories.items()}
        _refuse_duplicates(stores)
        super().__init__(stores[_ROOT], overwrite=memories[_ROOT].overwrite)
        self._tree = _Tree(stores)
        self._memories = {mount: _Mounted(memory, mount, self._tree) for mount, memory in memories.items()}

    def call(self, tool_input: object) -> str:
        """Run a tool input as a model sent it: ``{"command": "view", "path": "/memories/team"}``."""
        try:
            call = parse_call(tool_input)
            self.store.retry.ensure_time()
        except S3MemoryError:
            return super().call(tool_input)  # which refuses it as well, and audits the refusal
        text: str = getattr(self, call.command)(**call.parameters)
        return text

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Return a file, or the contents of a directory with the memories mounted in it; see `MemoryCommands.view`."""
        return self._place(VIEW, path).carry_out(VIEW, view_range)

    def create(self, path: str, file_text: str) -> str:
        """Store a new file; see `MemoryCommands.create`."""
        place = self._writable(CREATE, path)
        if self._tree.below(place.shown):
            self._refuse(place.memory, CREATE, messages.file_exists(place.shown), place.path)
        return place.carry_out(CREATE, file_text)

    def str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        """Replace the one occurrence of a text in a file; see `MemoryCommands.str_replace`."""
        return self._writable(STR_REPLACE, path).carry_out(STR_REPLACE, old_str, new_str)

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Insert text after a line of a file; see `MemoryCommands.insert`."""
        return self._writable(INSERT, path).carry_out(INSERT, insert_line, insert_text)

    def delete(self, path: str) -> str:
        """Delete a file, or a directory in which nothing is mounted."""
        self._refuse_mount_point(DELETE, self._place(DELETE, path))
        return self._writable(DELETE, path).carry_out(DELETE)

    def rename(self, old_path: str, new_path: str) -> str:
        """Move a file, or a directory in which nothing is mounted, within one memory."""
        old = self._place(RENAME, old_path, parameter="old_path")
        new = self._place(RENAME, new_path, parameter="new_path")
        self._refuse_mount_point(RENAME, old)
        memory, shown = old.memory, new.shown
        if new.path.is_root or self._tree.below(shown):
            self._refuse(new.memory, RENAME, messages.destination_exists(shown), new.path)
        if new.memory is not memory:
            self._refuse(
                memory,
                RENAME,
                InvalidInputError(
                    f"Cannot rename to {shown}: {memory.mount} and {new.memory.mount} are different memories. "
                    "Create the file there, then delete this one."
                ),
                old.path,
            )
        self._writable(RENAME, old_path, parameter="old_path")
        return old.carry_out(RENAME, str(new.path))

    def search(self, query: str, path: str = ROOT) -> str:
        """Return the lines that contain a text, here and in memories mounted below; see `MemoryCommands.search`."""
        memory, at = self._place(SEARCH, path)
        with shown_below(memory.mount):
            return memory.search(query, str(at))

    def clear(self) -> str:
        """Delete all files within reach of the tenant at ``/memories``. The files of other tenants stay."""
        self._writable("clear", ROOT)
        # This memory is mounted at the root, so its own paths are the tree's paths.
        return self._cleared(is_kept=lambda path: self._tree.mount_of(path) != _ROOT)

    def _place(self, operation: str, path: str, *, parameter: str = "path") -> _Place:
        try:
            parsed = MemoryPath.parse(path, parameter=parameter)
        except InvalidInputError as error:
            self._refuse(self._memories[_ROOT], operation, error, path)
        mount = self._tree.mount_of(parsed)
        return _Place(self._memories[mount], parsed.rebased(mount, _ROOT))

    def _writable(self, operation: str, path: str, *, parameter: str = "path") -> _Place:
        place = self._place(operation, path, parameter=parameter)
        if place.memory.store.read_only:
            self._refuse(place.memory, operation, messages.read_only(f"The memory at {place.memory.mount}"), place.path)
        return place

    def _refuse_mount_point(self, operation: str, place: _Place) -> None:
        shown = place.shown
        if place.path.is_root:
            self._refuse(place.memory, operation, messages.must_stay(operation, shown), place.path)
        if below := self._tree.below(shown):
            why = f"another memory is mounted in it, at {below[0]}"
            error = InvalidInputError(f"Cannot {operation} {shown}: {why}", is_bare=True)
            self._refuse(place.memory, operation, error, place.path)

    def _refuse(self, memory: MemoryCommands, operation: str, error: S3MemoryError, path: object) -> NoReturn:
        with as_one_event(memory.store, operation, path):
            raise error


def _refuse_duplicates(stores: Mapping[MemoryPath, MemoryStore]) -> None:
    """Refuse a tree with the same memory at two paths: copying a file would do nothing; deleting one deletes both."""
    mount_of: dict[tuple[object, ...], MemoryPath] = {}
    for mount, store in sorted(stores.items()):
        first = mount_of.setdefault((*store.objects.identity, *store.objects.folders), mount)
        if first != mount:
            raise ConfigurationError(f"the same tenant's memory is at {first} and at {mount}: it can be mounted once")
