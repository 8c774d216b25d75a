"""The items of a directory view, computed from listings alone.

One request is enough for up to 1,000 objects below a directory, or for a larger tree if its first page fills the view.
Any other tree is walked level by level. Hidden subtrees and ``node_modules`` are not entered. Directories that do not
fit into the view are not listed, except for a few pages that make the sizes below the last level exact. So the cost
depends on what is shown, not on what is stored. A size that is not the complete sum ends in ``+``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from s3memory._parallel import each
from s3memory.contract.views import DirectoryItem, item_line
from s3memory.format.object_keys import ListedPage
from s3memory.paths import MemoryPath

SHOWN_LEVELS = 2

# How many directories are listed in parallel before checking whether the view is full.
_BATCH = 16
# How many pages one view may read only to make its sizes exact.
_COUNTING_PAGES = 16
# How many directories to probe for that sort before the last listed name although S3 lists them after it.
_OUT_OF_ORDER_PAGES = 16


class Pages(Protocol):
    """A source of listing pages: `StoredFiles`, or several memories mounted as one tree."""

    def list_page(self, path: MemoryPath, *, delimited: bool = False, token: str | None = None) -> ListedPage:
        """Return one page of what is below a directory: everything, or one level if `delimited`."""


class Listing(NamedTuple):
    """The items of a directory view in order, the directory itself first, and whether some were left out.

    The items are generated as they are read, and only once: a view reads no more than fit.
    """

    items: Iterator[DirectoryItem]
    cut: bool = False


@dataclass(slots=True)
class _Node:
    """A directory whose size is being added up."""

    path: MemoryPath
    size_bytes: int = 0
    at_least: bool = False
    files: dict[MemoryPath, int] = field(default_factory=dict)
    directories: dict[MemoryPath, _Node] = field(default_factory=dict)

    def add(self, path: MemoryPath, size_bytes: int) -> None:
        """Add a file that lies anywhere below this directory."""
        self.add_directory(MemoryPath(path.segments[:-1]), size_bytes).files[path] = size_bytes

    def add_directory(self, path: MemoryPath, size_bytes: int = 0) -> _Node:
        """Add a size to the directory at `path`, at or below this one, and to those between. Return its node."""
        node = self
        node.size_bytes += size_bytes
        for depth in range(len(self.path.segments) + 1, len(path.segments) + 1):
            directory = MemoryPath(path.segments[:depth])
            if directory not in node.directories:
                node.directories[directory] = _Node(directory)
            node = node.directories[directory]
            node.size_bytes += size_bytes
        return node


def list_directory(store: Pages, path: MemoryPath, page: ListedPage, *, max_chars: int) -> Listing | None:
    """Return the listing that a view of the directory shows, or ``None`` if nothing is below it and it is not the root.

    `page` is the first page of everything below it. Directories on that page are shown even if they are empty.
    Directories that would not fit into the view are not listed.

    Raises:
        BackendError, KeyRingError: as for `StoredFiles.list_page`.
    """
    if page.next_token is None:
        if not (page.files or page.directories or page.stray or path.is_root):
            return None
        return Listing(_items(_tree_of(path, page)))
    walk = _Walk(store, max_chars)
    return walk.of_one_page(path, page) or walk.listing(path)


def is_hidden(name: str) -> bool:
    """Whether views leave out a file or directory with this name."""
    return name.startswith(".") or name == "node_modules"


def _tree_of(path: MemoryPath, page: ListedPage) -> _Node:
    root = _Node(path)
    for file in page.files:
        root.add(file.path, file.size_bytes)
    for directory in page.directories:
        root.add_directory(directory)
    return root


def _items(node: _Node, *, level: int = 0) -> Iterator[DirectoryItem]:
    yield DirectoryItem(node.path, is_directory=True, size_bytes=node.size_bytes, at_least=node.at_least)
    if level == SHOWN_LEVELS:
        return
    # A file and a directory can have the same name only after a race; both are shown.
    below: list[tuple[MemoryPath, int | _Node]] = [*node.files.items(), *node.directories.items()]
    for path, found in sorted(below, key=lambda entry: entry[0].name):
        if is_hidden(path.name):
            continue
        if isinstance(found, _Node):
            yield from _items(found, level=level + 1)
        else:
            yield DirectoryItem(path, is_directory=False, size_bytes=found)


class _Walk:
    """One view of a tree that takes more than one page to list."""

    def __init__(self, store: Pages, max_chars: int) -> None:
        self._store = store
        self._max_chars = max_chars
        self._counting_pages = _COUNTING_PAGES

    def of_one_page(self, path: MemoryPath, page: ListedPage) -> Listing | None:
        """Return the view if the first page of everything below fills it, whatever comes later."""
        root = _tree_of(path, page)
        if not (page.in_order and self._is_full(root)):
            return None
        last = page.files[-1].path
        shown_depth = len(path.segments) + SHOWN_LEVELS
        nodes = [root]
        for depth in range(len(path.segments) + 1, len(last.segments)):
            nodes.append(nodes[-1].directories[MemoryPath(last.segments[:depth])])
        for node in nodes:
            node.at_least = True
            if len(node.path.segments) < shown_depth:
                self._add_out_of_order(root, node, last.segments[len(node.path.segments)])
        return Listing(_items(root), cut=True)

    def listing(self, path: MemoryPath) -> Listing:
        root = self._level(path)
        waiting = sorted(node.path for node in root.directories.values() if not is_hidden(node.path.name))
        root.at_least |= len(waiting) < len(root.directories)
        while waiting and not self._is_full(root, before=waiting[0]):
            batch, waiting = waiting[:_BATCH], waiting[_BATCH:]
            for node in each(self._level, batch):
                root.directories[node.path] = node
        for unlisted in waiting:
            root.directories[unlisted].at_least = True
        for node, size_bytes, at_least in each(self._counted, self._shown(root)):
            node.size_bytes, node.at_least = size_bytes, at_least
        self._sum_up(root)
        return Listing(_items(root), cut=bool(waiting))

    def _level(self, path: MemoryPath) -> _Node:
        """List one level: its files with their sizes, its directories as empty nodes."""
        node = _Node(path)
        token: str | None = None
        while True:
            page = self._store.list_page(path, delimited=True, token=token)
            for file in page.files:
                node.add(file.path, file.size_bytes)
            for directory in page.directories:
                node.directories[directory] = _Node(directory)
            token = page.next_token
            if token is None:
                return node
            if page.in_order and self._is_full(node):
                node.at_least = True
                last = max([file.path.name for file in page.files] + [f"{one.name}/" for one in page.directories])
                self._add_out_of_order(node, node, last.removesuffix("/"))
                return node

    def _add_out_of_order(self, root: _Node, node: _Node, last: str) -> None:
        """Add directories of `node` that S3 lists after `last`, the last listed name, but that sort before it.

        A directory's keys continue with ``/``, and other names may continue with a character that sorts before it:
        ``a-b`` is listed before ``a/``. So the names of these directories are prefixes of `last`.
        """
        names = [last[:end] for end in range(1, len(last)) if last[end] < "/"]
        for name in [name for name in names if not is_hidden(name)][:_OUT_OF_ORDER_PAGES]:
            path = node.path.child(name)
            directory = node.directories[path] = _Node(path)
            page = None if self._is_full(root, before=path) else self._store.list_page(path)
            if page is None or not page.files:
                del node.directories[path]
                continue
            for file in page.files:
                node.add(file.path, file.size_bytes)
            directory.at_least = page.next_token is not None

    def _shown(self, root: _Node) -> list[_Node]:
        """Return the directories of the last level that fit into the view: only their sizes are still unknown."""
        last = {node.path: node for parent in root.directories.values() for node in parent.directories.values()}
        room = self._max_chars
        shown = []
        for item in _items(root):
            room -= len(item_line(item)) + 1
            if item.path in last and item.is_directory:
                if room >= 0:
                    shown.append(last[item.path])
                else:
                    last[item.path].at_least = True
        return shown

    def _counted(self, node: _Node) -> tuple[_Node, int, bool]:
        size_bytes = 0
        token: str | None = None
        while True:
            page = self._store.list_page(node.path, token=token)
            size_bytes += sum(file.size_bytes for file in page.files)
            token = page.next_token
            if token is None:
                return node, size_bytes, False
            self._counting_pages -= 1  # threads may race for the last page: one too many does no harm
            if self._counting_pages < 0:
                return node, size_bytes, True

    def _sum_up(self, node: _Node) -> None:
        for child in node.directories.values():
            if is_hidden(child.path.name):
                node.at_least = True
                continue
            self._sum_up(child)
            node.size_bytes += child.size_bytes
            node.at_least |= child.at_least

    def _is_full(self, node: _Node, *, before: MemoryPath | None = None) -> bool:
        """Whether the known items of a directory fill the view: all of them, or those that come before `before`."""
        room = self._max_chars
        for item in _items(node):
            if item.path == before and item.is_directory:
                return False
            room -= len(item_line(item)) + 1
            if room < 0:
                return True
        return False
