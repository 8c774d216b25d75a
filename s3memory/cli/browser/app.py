"""The screen of ``s3memory browse``. It keeps nothing: no log, no screenshots, no traceback with what it showed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, TypeVar

from s3memory._extras import extra
from s3memory.admin.versions.comparing import Compared
from s3memory.admin.versions.history import FileVersion, History
from s3memory.cli.browser.pane import Pane
from s3memory.cli.browser.reading import Entry, FolderListing, Found, Reading
from s3memory.cli.browser.shown import diff_lines, match_row, name_of, text_lines, version_row
from s3memory.cli.output import printable
from s3memory.errors import S3MemoryError
from s3memory.paths import ROOT, MemoryPath
from s3memory.store.matching import MatchedLine

with extra("browse", "s3memory browse"):
    from rich.text import Text
    from textual.app import App, ComposeResult
    from textual.binding import Binding, BindingType
    from textual.containers import Horizontal, Vertical
    from textual.widgets import DataTable, Footer, Header, Input, Static, TabbedContent, TabPane, Tree
    from textual.widgets.tree import TreeNode
    from textual.worker import get_current_worker

T = TypeVar("T")

_TEXT, _HISTORY, _DIFF, _FOUND = "text", "history", "diff", "found"
_FAILED = "s3memory: the browser failed unexpectedly"


class Browser(App[None]):
    """Shows a memory, and changes nothing.

    Args:
        reading: what it shows.
    """

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

    def __init__(self, reading: Reading) -> None:
        super().__init__()
        self.features = frozenset()  # whatever TEXTUAL says: no devtools, no debug output
        self.title = f"s3memory: {reading.tenant}"
        self._reading = reading
        self._path: MemoryPath | None = None
        self._version: FileVersion | None = None
        self._versions: tuple[FileVersion, ...] = ()
        self._matches: tuple[MatchedLine, ...] = ()

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        yield Header(icon="")
        with Horizontal():
            yield Tree[Entry | str](ROOT, data=Entry(MemoryPath()))
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
        self._tell("Choose a file. It is fetched and decrypted here, and nothing is written.")

    # The tree

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[Entry | str]) -> None:
        """Load a directory when it is opened for the first time."""
        node = event.node
        if isinstance(node.data, Entry) and not node.data.is_file and not node.children:
            self._load(f"node-{node.id}", partial(self._reading.listing, node.data.path), partial(self._list, node))

    def on_tree_node_selected(self, event: Tree.NodeSelected[Entry | str]) -> None:
        """Show a file, or load the next page of a directory."""
        node, parent = event.node, event.node.parent
        if isinstance(node.data, Entry):
            if node.data.is_file:
                self._open(node.data.path)
        elif isinstance(node.data, str) and parent is not None and isinstance(parent.data, Entry):
            next_page = partial(self._reading.listing, parent.data.path, node.data)
            self._load(f"node-{parent.id}", next_page, partial(self._list_more, parent, node))

    def _list_more(self, node: TreeNode[Entry | str], more: TreeNode[Entry | str], listing: FolderListing) -> None:
        """Show the next page in place of the entry that it was asked for by."""
        if more in node.children:
            more.remove()
            self._list(node, listing)

    def _list(self, node: TreeNode[Entry | str], listing: FolderListing) -> None:
        for entry in listing.entries:
            if entry.is_file:
                node.add_leaf(name_of(entry.path.name, entry.size_bytes), entry)
            else:
                node.add(name_of(f"{entry.path.name}/"), entry)
        if listing.token is not None:
            node.add_leaf(Text("... more", "italic"), listing.token)
        if listing.n_stray:
            self._tell(f"{listing.n_stray} objects here are not memory files: see s3memory verify")
        elif not node.children:
            self._tell("Nothing is stored here.")

    # A file

    def _open(self, path: MemoryPath, version: FileVersion | None = None, *, tab: str | None = None) -> None:
        self._path, self._version = path, version
        tabs = self.query_one(TabbedContent)
        wanted = tab or (_TEXT if tabs.active == _FOUND else tabs.active)
        if tabs.active == wanted:
            self._fill(wanted)
        else:
            tabs.active = wanted  # which fills it

    def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        """Fetch what a tab shows when it is looked at."""
        self._fill(event.pane.id or "")

    def _fill(self, tab: str) -> None:
        path, version = self._path, self._version
        if path is None or tab == _FOUND:
            return
        version_id = None if version is None else version.version_id
        self._tell(f"{path}" if version_id is None else f"{path}, version {version_id}")
        if tab == _TEXT:
            self._pane(_TEXT).show([])
            self._load("pane", partial(self._reading.text, path, version_id), self._show_text)
        elif tab == _DIFF:
            self._pane(_DIFF).show([])
            self._load("pane", partial(self._reading.compared, path, version_id), self._show_diff)
        else:
            self._table("versions").clear()
            self._load("pane", partial(self._reading.history, path), self._show_history)

    def _show_text(self, read: tuple[str, list[tuple[int, int]]]) -> None:
        self._pane(_TEXT).show(text_lines(*read))
        if read[1]:
            self._tell(f"{self._path} ({len(read[1])} redacted)")

    def _show_diff(self, compared: Compared) -> None:
        self._pane(_DIFF).show(diff_lines(compared))

    def _show_history(self, found: History) -> None:
        table = self._table("versions")
        self._versions = found.versions
        for version in found.versions:
            table.add_row(*version_row(version))
        table.focus()
        if found.unreadable_tombstones:
            self._tell(f"{len(found.unreadable_tombstones)} records of redacted versions do not open")

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
        """Ask what to search for."""
        query = self.query_one("#query", Input)
        query.add_class("is-asked")
        query.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search all texts."""
        if event.value:
            self._table("matches").clear()
            self.query_one(TabbedContent).active = _FOUND
            self._tell("Searching ...")
            # Otherwise leaving would wait for the end of it.
            found = partial(self._reading.found, event.value, is_wanted=_is_wanted)
            self._load("pane", found, self._show_found)

    def _show_found(self, found: Found) -> None:
        table = self._table("matches")
        self._matches = found.lines
        for match in found.lines:
            table.add_row(*match_row(match))
        more = "; there are more" if found.is_cut else ""
        closed = f"; {len(found.unreadable)} files do not open" if found.unreadable else ""
        self._tell(f"{len(found.lines)} lines match{more}{closed}")
        table.focus()

    # Actions

    def action_show(self, tab: str) -> None:
        """Show a tab."""
        if self._path is None:
            self.query_one(TabbedContent).active = tab
        else:
            self._open(self._path, tab=tab)

    def action_reload(self) -> None:
        """Forget what was listed, and fetch what is shown again."""
        root = self._tree().root
        root.remove_children()
        self._load(f"node-{root.id}", partial(self._reading.listing, MemoryPath()), partial(self._list, root))
        self._fill(self.query_one(TabbedContent).active)

    def action_leave(self) -> None:
        """Go back to the tree."""
        query = self.query_one("#query", Input)
        query.remove_class("is-asked")
        query.value = ""
        self._tree().focus()

    # What they have in common

    def _load(self, group: str, fetch: Callable[[], T], show: Callable[[T], None]) -> None:
        """Fetch in a thread, then show, unless something else was asked for meanwhile."""

        def run() -> None:
            worker = get_current_worker()
            try:
                done = partial(show, fetch())
            except S3MemoryError as error:
                done = partial(self._tell, str(error))
            except Exception as error:  # noqa: BLE001 - its text may quote what was read
                done = partial(self._tell, f"unexpected {type(error).__name__}")
            if not worker.is_cancelled:
                self.call_from_thread(lambda: None if worker.is_cancelled else done())

        self.run_worker(run, thread=True, group=group, exclusive=True, exit_on_error=False)

    def _tell(self, line: str) -> None:
        self.query_one("#place", Static).update(Text(printable(line)))

    def _pane(self, tab: str) -> Pane:
        return self.query_one(f"#{tab}-log", Pane)

    def _table(self, name: str) -> DataTable[Text]:
        return self.query_one(f"#{name}", DataTable)

    def _tree(self) -> Tree[Entry | str]:
        return self.query_one(Tree)

    def panic(self, *_: object) -> None:
        """End without Textual's traceback, also where it does not count as a failure: keys that are not UTF-8."""
        self.exit(return_code=1, message=_FAILED)

    def _fatal_error(self) -> None:
        """End without Textual's traceback: it shows local variables, and so the texts."""
        self._exit_renderables.append(_FAILED)
        self._close_messages_no_wait()


def _is_wanted() -> bool:
    """Whether what this thread fetches is still to be shown."""
    return not get_current_worker().is_cancelled
