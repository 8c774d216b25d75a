"""The screen of ``s3memory browse``. It keeps nothing: no log, no screenshots, no traceback that quotes a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import ClassVar, TypeVar

from s3memory._extras import extra
from s3memory.admin.versions.history import FileVersion, History, history
from s3memory.admin.versions.point_in_time import Compared, compare
from s3memory.cli.browser.reading import MAX_VERSIONS, Found, found, listing, marked_text
from s3memory.cli.browser.shown import diff_lines, match_row, name_of, text_lines, version_row
from s3memory.cli.output import counted, printable
from s3memory.errors import S3MemoryError
from s3memory.format.object_keys import ListedFile, ListedPage
from s3memory.paths import ROOT, MemoryPath
from s3memory.store.matching import MatchedLine
from s3memory.store.memory_store import MemoryStore

with extra("browse", "s3memory browse"):
    from rich.text import Text
    from textual.app import App, ComposeResult
    from textual.binding import Binding, BindingType
    from textual.containers import Horizontal, Vertical
    from textual.events import Resize
    from textual.widgets import DataTable, Footer, Header, Input, RichLog, Static, TabbedContent, TabPane, Tree
    from textual.widgets.tree import TreeNode
    from textual.worker import get_current_worker

T = TypeVar("T")
Node = MemoryPath | ListedFile | str
"""The data of a tree node: a directory, a file, or the token of its directory's next page."""

_TEXT, _HISTORY, _DIFF, _FOUND = "text", "history", "diff", "found"
_FAILED = "s3memory: the browser failed unexpectedly"


class Pane(RichLog):
    """Lines that are wrapped again when the pane's width changes: `RichLog` itself wraps them only once."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, wrap=True, min_width=1, auto_scroll=False)
        self._texts: list[Text] = []
        self._wrapped_at = 0

    def show(self, lines: Iterable[Text]) -> None:
        """Replace the content with these lines, and scroll to the first."""
        self._texts = list(lines)
        self._wrap()
        self.scroll_home(animate=False)

    def on_resize(self, event: Resize) -> None:
        """Wrap the lines at the new width."""
        if event.size.width != self._wrapped_at:
            self._wrap()

    def _wrap(self) -> None:
        self._wrapped_at = self.size.width
        self.clear()
        for text in self._texts if self._wrapped_at else ():  # a pane that was never shown has no width yet
            self.write(text)


class Browser(App[None]):
    """A read-only, full-screen view of a memory."""

    ENABLE_COMMAND_PALETTE = False  # it saves screenshots
    CSS = """
    Tree { width: 38%; min-width: 24; border-right: solid $primary; }
    #place { height: 1; padding: 0 1; background: $panel; }
    #query { display: none; }
    #query.is-asked { display: block; }
    TabPane { padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", f"show('{_TEXT}')", "Text"),
        Binding("h", f"show('{_HISTORY}')", "History"),
        Binding("d", f"show('{_DIFF}')", "Diff"),
        Binding("slash", "search", "Search", key_display="/"),
        Binding("r", "reload", "Reload"),
        Binding("escape", "leave", "Tree"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, store: MemoryStore) -> None:
        super().__init__()
        self.features = frozenset()  # no devtools and no debug output, whatever the TEXTUAL variable says
        self.title = f"s3memory: {store.tenant}"
        self._store = store.refusing_writes()
        self._path: MemoryPath | None = None
        self._version: FileVersion | None = None
        self._versions: tuple[FileVersion, ...] = ()
        self._matches: tuple[MatchedLine, ...] = ()

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        yield Header(icon="")
        with Horizontal():
            yield Tree[Node](ROOT, data=MemoryPath())
            with Vertical():
                yield Static(id="place", markup=False)
                with TabbedContent(initial=_TEXT):
                    with TabPane("Text", id=_TEXT):
                        yield Pane("text-log")
                    with TabPane("History", id=_HISTORY):
                        yield DataTable[Text](id="versions", cursor_type="row")
                    with TabPane("Diff", id=_DIFF):
                        yield Pane("diff-log")
                    with TabPane("Search", id=_FOUND):
                        yield DataTable[Text](id="matches", cursor_type="row")
        yield Input(placeholder="Search all texts, then Enter", id="query")
        yield Footer()

    def on_mount(self) -> None:
        """Open the root."""
        self._table("versions").add_columns("Stored", "By", "Size", "Actor", "Notes")
        self._table("matches").add_columns("File", "Line", "Text")
        self._tree().root.expand()
        self._tree().focus()
        self._show_status("Choose a file. It is fetched and decrypted here, and nothing is written.")

    # The tree

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[Node]) -> None:
        """Load a directory when it is opened for the first time."""
        node = event.node
        if isinstance(node.data, MemoryPath) and not node.children:
            self._load(f"node-{node.id}", partial(listing, self._store, node.data), partial(self._list, node))

    def on_tree_node_selected(self, event: Tree.NodeSelected[Node]) -> None:
        """Show a file, or load the next page of a directory."""
        node, parent = event.node, event.node.parent
        if isinstance(node.data, ListedFile):
            self._open(node.data.path)
        elif isinstance(node.data, str) and parent is not None and isinstance(parent.data, MemoryPath):
            next_page = partial(listing, self._store, parent.data, node.data)
            self._load(f"node-{parent.id}", next_page, partial(self._list_more, parent, node))

    def _list_more(self, node: TreeNode[Node], more: TreeNode[Node], page: ListedPage) -> None:
        """Replace the "more" entry with the next page."""
        if more in node.children:
            more.remove()
            self._list(node, page)

    def _list(self, node: TreeNode[Node], page: ListedPage) -> None:
        entries: list[ListedFile | MemoryPath] = [*page.files, *page.directories]
        for entry in sorted(entries, key=_path_of):
            if isinstance(entry, ListedFile):
                node.add_leaf(name_of(entry.path.name, entry.size_bytes), entry)
            else:
                node.add(name_of(f"{entry.name}/"), entry)
        if page.next_token is not None:
            node.add_leaf(Text("... more", "italic"), page.next_token)
        if page.stray:
            what = counted(page.stray, "object here is not a memory file", "objects here are not memory files")
            self._show_status(f"{what}: see s3memory verify")
        elif not node.children:
            self._show_status("Nothing is stored here.")

    # A file

    def _open(self, path: MemoryPath, version: FileVersion | None = None, *, tab: str | None = None) -> None:
        self._path, self._version = path, version
        tabs = self.query_one(TabbedContent)
        wanted = tab or (_TEXT if tabs.active == _FOUND else tabs.active)
        if tabs.active == wanted:
            self._fill(wanted)
        else:
            tabs.active = wanted  # this fills it

    def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        """Fetch the content of a tab when it is opened."""
        self._fill(event.pane.id or "")

    def _fill(self, tab: str) -> None:
        path, version = self._path, self._version
        if path is None or tab == _FOUND:
            return
        version_id = None if version is None else version.version_id
        self._show_status(f"{path}" if version_id is None else f"{path}, version {version_id}")
        if tab == _TEXT:
            self._pane(_TEXT).show([])
            self._load("pane", partial(marked_text, self._store, path, version_id), self._show_text)
        elif tab == _DIFF:
            self._pane(_DIFF).show([])
            self._load("pane", partial(compare, self._store, path, newer=version_id), self._show_diff)
        else:
            self._table("versions").clear()
            self._load("pane", partial(history, self._store, path, newest=MAX_VERSIONS), self._show_history)

    def _show_text(self, read: tuple[str, list[tuple[int, int]]]) -> None:
        self._pane(_TEXT).show(text_lines(*read))
        if read[1]:
            self._show_status(f"{self._path} ({len(read[1])} redacted)")

    def _show_diff(self, compared: Compared) -> None:
        self._pane(_DIFF).show(diff_lines(compared))

    def _show_history(self, found: History) -> None:
        table = self._table("versions")
        self._versions = found.versions
        for version in found.versions:
            table.add_row(*version_row(version))
        table.focus()
        if found.unreadable_tombstones:
            n_unreadable = len(found.unreadable_tombstones)
            what = counted(n_unreadable, "record of a redacted version does", "records of redacted versions do")
            self._show_status(f"{what} not open")

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Compare a version with the one before it, or open the file of a match."""
        row = event.cursor_row
        if event.data_table.id == "matches":
            self._open(self._matches[row].path, tab=_TEXT)
        elif self._path is not None:
            is_oldest = row == len(self._versions) - 1
            self._open(self._path, self._versions[row], tab=_TEXT if is_oldest else _DIFF)

    # Searching

    def action_search(self) -> None:
        """Open the search field."""
        query = self.query_one("#query", Input)
        query.add_class("is-asked")
        query.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search all texts."""
        if event.value:
            self._table("matches").clear()
            self.query_one(TabbedContent).active = _FOUND
            self._show_status("Searching ...")
            # Without `is_wanted`, quitting would wait for the end of the search.
            self._load("pane", partial(found, self._store, event.value, is_wanted=_is_wanted), self._show_found)

    def _show_found(self, found: Found) -> None:
        table = self._table("matches")
        self._matches = found.lines
        for match in found.lines:
            table.add_row(*match_row(match))
        more = "; there are more" if found.is_cut else ""
        n_unreadable = len(found.unreadable)
        unreadable = f"; {counted(n_unreadable, 'file does', 'files do')} not open" if n_unreadable else ""
        self._show_status(f"{counted(len(found.lines), 'line matches', 'lines match')}{more}{unreadable}")
        table.focus()

    # Actions

    def action_show(self, tab: str) -> None:
        """Show a tab."""
        if self._path is None:
            self.query_one(TabbedContent).active = tab
        else:
            self._open(self._path, tab=tab)

    def action_reload(self) -> None:
        """List the tree again, and fetch the content of the open tab again."""
        root = self._tree().root
        root.remove_children()
        self._load(f"node-{root.id}", partial(listing, self._store, MemoryPath()), partial(self._list, root))
        self._fill(self.query_one(TabbedContent).active)

    def action_leave(self) -> None:
        """Go back to the tree."""
        query = self.query_one("#query", Input)
        query.remove_class("is-asked")
        query.value = ""
        self._tree().focus()

    # Helpers

    def _load(self, group: str, fetch: Callable[[], T], show: Callable[[T], None]) -> None:
        """Fetch in a thread, then show, unless a later load of the same group has replaced this one."""

        def run() -> None:
            worker = get_current_worker()
            try:
                done = partial(show, fetch())
            except S3MemoryError as error:
                done = partial(self._show_status, str(error))
            except Exception as error:  # noqa: BLE001 - its text may quote a stored text
                done = partial(self._show_status, f"unexpected {type(error).__name__}")
            if not worker.is_cancelled:
                self.call_from_thread(lambda: None if worker.is_cancelled else done())

        self.run_worker(run, thread=True, group=group, exclusive=True, exit_on_error=False)

    def _show_status(self, line: str) -> None:
        self.query_one("#place", Static).update(Text(printable(line)))

    def _pane(self, tab: str) -> Pane:
        return self.query_one(f"#{tab}-log", Pane)

    def _table(self, name: str) -> DataTable[Text]:
        return self.query_one(f"#{name}", DataTable)

    def _tree(self) -> Tree[Node]:
        return self.query_one(Tree)

    def panic(self, *_: object) -> None:
        """Exit without Textual's traceback. Typed keys that are not UTF-8 end up here, too."""
        self.exit(return_code=1, message=_FAILED)

    def _fatal_error(self) -> None:
        """Exit without Textual's traceback: it shows local variables, and so the texts."""
        self._exit_renderables.append(_FAILED)
        self._close_messages_no_wait()


def _path_of(entry: ListedFile | MemoryPath) -> MemoryPath:
    return entry.path if isinstance(entry, ListedFile) else entry


def _is_wanted() -> bool:
    """Whether the result of this thread is still wanted."""
    return not get_current_worker().is_cancelled
