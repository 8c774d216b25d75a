"""`s3memory browse`: what is stored shows, escaped and with its redactions marked, and nothing is written anywhere."""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import MakeStore
from rich.text import Text
from support.cli_runs import Run
from support.faults import FaultLayer, other_writer_first, refused
from support.flavours import put_files
from support.recorder import Recorder
from support.repository import REPOSITORY
from support.stored import key_of
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, RichLog, Static, TabbedContent, Tree

from s3memory import LocalKeyWrapper, MemoryStore
from s3memory.audit import AuditEvent
from s3memory.cli.browser import app as app_module
from s3memory.cli.browser import reading as reading_module
from s3memory.cli.browser.app import Browser
from s3memory.cli.browser.reading import found, marked_text
from s3memory.cli.browser.shown import MAX_LINE_CHARS, MAX_LINES, REDACTED, text_lines
from s3memory.errors import ReadOnlyError, UnavailableError
from s3memory.paths import MemoryPath

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

pytestmark = pytest.mark.anyio
SECRET = "AKIA" + "QWERTYUIOPASDFGH"
TEXTS = {
    "plan.md": "one\nTea, green\n",
    "notes/[bold]hidden.md": f"[red]markup[/red]\naws_access_key_id = {SECRET}\n\x1b[31mcursor\u202e\n",
    "notes/deep/a.md": "green as well\n",
}


@pytest.fixture(autouse=True)
def _nothing_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each key would wait until what it moves has arrived."""
    monkeypatch.setattr("textual.constants.TEXTUAL_ANIMATIONS", "none")


@pytest.fixture
def filled(store: MemoryStore) -> MemoryStore:
    for name, text in TEXTS.items():
        store.create(MemoryPath.parse(f"/memories/{name}"), text)
    store.edit(MemoryPath(("plan.md",)), lambda text: text.replace("one", "two"))
    return store


async def settled(pilot: Pilot[None]) -> None:
    """Wait for everything that was asked for, and for what its answers ask for."""
    await pilot.pause()
    while pilot.app.workers:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


def labels(browser: Browser) -> list[str]:
    shown: list[str] = []

    def add(node: Any, depth: int) -> None:
        shown.append("  " * depth + str(node.label))
        for child in node.children if node.is_expanded else ():
            add(child, depth + 1)

    add(browser.query_one(Tree).root, 0)
    return shown


def lines(browser: Browser, pane: str) -> str:
    return "\n".join(strip.text.rstrip() for strip in browser.query_one(f"#{pane}-log", RichLog).lines)


def rows(browser: Browser, table: str) -> list[list[str]]:
    shown = browser.query_one(f"#{table}", DataTable)
    return [[str(cell) for cell in shown.get_row_at(row)] for row in range(shown.row_count)]


def told(browser: Browser) -> str:
    return str(browser.query_one("#place", Static).render())


async def go_to(pilot: Pilot[None], *names: str) -> None:
    """Open a path in the tree by keys."""
    tree = pilot.app.query_one(Tree)
    tree.focus()
    for name in names:
        node = next(
            node
            for node in tree._tree_nodes.values()
            if str(node.label).startswith(name) and node.parent is not None and node.line >= 0
        )
        tree.move_cursor(node)
        await pilot.press("enter")
        await settled(pilot)


async def test_directories_are_listed_as_they_are_opened(filled: MemoryStore) -> None:
    recorder = Recorder(with_paths=True)
    filled.auditor = recorder
    browser = Browser(filled)
    async with browser.run_test() as pilot:
        await settled(pilot)
        assert labels(browser) == ["/memories", "  notes/", "  plan.md  15B"]
        assert recorder.operations() == ["ls"]
        await go_to(pilot, "notes/")
        assert labels(browser)[2:] == ["    [bold]hidden.md  79B", "    deep/", "  plan.md  15B"]
        assert recorder.operations() == ["ls", "ls"]
        assert recorder.last.paths == ("/memories/notes",)
        await go_to(pilot, "plan.md")
        await pilot.press("h")
        await settled(pilot)
        assert recorder.operations() == ["ls", "ls", "cat", "history"]
        assert recorder.last.paths == ("/memories/plan.md",)


async def test_what_is_new_shows_after_a_reload(filled: MemoryStore) -> None:
    browser = Browser(filled)
    async with browser.run_test() as pilot:
        await settled(pilot)
        await pilot.press("h", "d", "t")  # of no file yet
        filled.create(MemoryPath(("new.md",)), "x")
        await pilot.press("r")
        await settled(pilot)
        assert labels(browser)[1:] == ["  new.md  1B", "  notes/", "  plan.md  15B"]
        await pilot.press("q")
    assert browser.return_code == 0


async def test_what_is_asked_for_again_just_before_it_shows_is_shown_once(
    filled: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(filled)
    async with browser.run_test() as pilot:
        await settled(pilot)
        call, reloads = browser.call_from_thread, iter([browser.action_reload])

        def call_behind_a_reload(show: Callable[[], None]) -> None:
            def reload_and_show() -> None:
                for reload in reloads:  # once
                    reload()
                show()

            call(reload_and_show)

        monkeypatch.setattr(browser, "call_from_thread", call_behind_a_reload)
        await pilot.press("r")
        await settled(pilot)
        assert labels(browser)[1:] == ["  notes/", "  plan.md  15B"]


async def test_a_text_is_shown_escaped_and_redactions_are_marked(filled: MemoryStore) -> None:
    browser = Browser(filled)
    async with browser.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await go_to(pilot, "notes/", "[bold]hidden")
        shown = lines(browser, "text")
        assert "[red]markup[/red]" in shown
        assert "[REDACTED:aws-access-key]" in shown
        assert "\\x1b[31mcursor\\u202e" in shown
        assert "(1 redacted)" in told(browser)
        strip = next(strip for strip in browser.query_one("#text-log", RichLog).lines if "REDACTED" in strip.text)
        marked = [segment.text for segment in strip if segment.style and segment.style.bgcolor]
        assert "[REDACTED:aws-access-key]" in marked


async def test_long_lines_wrap_on_a_narrow_screen(store: MemoryStore) -> None:
    store.create(MemoryPath(("a",)), "word " * 40 + "end")
    browser = Browser(store)
    async with browser.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await go_to(pilot, "a")
        assert lines(browser, "text").endswith("end")
        log = browser.query_one("#text-log", RichLog)
        assert max(strip.cell_length for strip in log.lines) <= log.size.width
        await pilot.resize_terminal(200, 20)
        await settled(pilot)
        assert len(log.lines) < 5


async def test_history_and_what_changed_are_a_key_away(filled: MemoryStore) -> None:
    browser = Browser(filled)
    async with browser.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await go_to(pilot, "plan.md")
        await pilot.press("d")
        await settled(pilot)
        assert "-one" in lines(browser, "diff")
        assert "+two" in lines(browser, "diff")
        await pilot.press("h")
        await settled(pilot)
        assert [row[1] for row in rows(browser, "versions")] == ["edited", "created"]
        await pilot.press("down", "enter")  # the oldest has nothing before it: its text
        await settled(pilot)
        assert browser.query_one(TabbedContent).active == "text"
        assert "one" in lines(browser, "text")
        await pilot.press("t")
        await settled(pilot)
        assert "two" in lines(browser, "text")


async def test_a_version_that_s3_does_not_give_shows_the_code(filled: MemoryStore, faults: FaultLayer) -> None:
    faults.hit_object("GetObject", key_of(filled, "plan.md"), refused(403, "InvalidObjectState"))
    browser = Browser(filled)
    async with browser.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await go_to(pilot, "plan.md")
        await pilot.press("h")
        await settled(pilot)
        assert [row[-1] for row in rows(browser, "versions")] == [
            "latest, not-looked-at, InvalidObjectState",
            "not-looked-at, InvalidObjectState",
        ]


async def test_the_mouse_opens_and_chooses(filled: MemoryStore) -> None:
    browser = Browser(filled)
    async with browser.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.click(Tree, offset=(6, 2))
        await settled(pilot)
        assert "Tea, green" in lines(browser, "text")
        await pilot.click("#--content-tab-history")
        await settled(pilot)
        assert len(rows(browser, "versions")) == 2


async def test_one_line_that_matches_is_counted_in_the_singular(filled: MemoryStore) -> None:
    browser = Browser(filled)
    async with browser.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"well", "enter")
        await settled(pilot)
        assert told(browser) == "1 line matches"


async def test_a_search_finds_in_all_texts_and_opens_what_it_found(filled: MemoryStore) -> None:
    browser = Browser(filled)
    async with browser.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"GREEN", "enter")
        await settled(pilot)
        assert rows(browser, "matches") == [
            ["/memories/notes/deep/a.md", "1", "green as well"],
            ["/memories/plan.md", "2", "Tea, green"],
        ]
        assert told(browser) == "2 lines match"
        await pilot.press("down", "enter")
        await settled(pilot)
        assert "Tea, green" in lines(browser, "text")
        await pilot.press("slash", "escape")
        assert browser.query_one("#query", Input).value == ""


async def test_a_search_says_that_there_is_more_and_what_does_not_open(
    filled: MemoryStore, s3: S3Client, bucket: str, faults: FaultLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_module, "MAX_MATCHES", 1)
    s3.put_object(Bucket=bucket, Key="memories/acme/broken", Body=b"x" * 100)
    filled.create(MemoryPath(("archived",)), "green")
    faults.hit_object("GetObject", key_of(filled, "archived"), refused(403, "InvalidObjectState"))
    shown = found(filled, "green")
    assert (len(shown.lines), shown.is_cut) == (1, True)
    assert shown.unreadable == (MemoryPath(("archived",)), MemoryPath(("broken",)))


async def test_a_search_ends_when_the_browser_is_left(store: MemoryStore, faults: FaultLayer) -> None:
    n_files = 200
    put_files(store, {f"/memories/{number:03}.md": "tea" for number in range(n_files)})
    left, ended = threading.Event(), threading.Event()

    class Auditor(Recorder):
        def audit(self, event: AuditEvent, /) -> None:
            if event.operation == "grep":
                ended.set()

    store.auditor = Auditor()
    browser = Browser(store)
    faults.hit("GetObject", other_writer_first(partial(left.wait, 60)))
    async with browser.run_test() as pilot:
        await settled(pilot)
        await pilot.press("slash", "x", "enter", "escape", "q")
    left.set()
    assert ended.wait(60)
    assert 0 < faults.requests.count("GetObject") < n_files


async def test_large_directories_come_in_pages(filled: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    list_page = filled.objects.list_page
    browser = Browser(filled)
    monkeypatch.setattr(
        browser._store.objects, "list_page", lambda prefix, **more: list_page(prefix, **{**more, "max_keys": 1})
    )
    async with browser.run_test() as pilot:
        await settled(pilot)
        assert labels(browser)[1:] == ["  notes/", "  ... more"]
        await go_to(pilot, "... more")
        assert [label.split("  ")[1] for label in labels(browser)[1:]] == ["notes/", "plan.md"]


async def test_a_page_that_does_not_come_can_be_asked_for_again(
    filled: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    list_page, n_failures = filled.objects.list_page, iter([None, UnavailableError("It is away."), None])

    def failing(prefix: str, **more: Any) -> Any:
        if (failure := next(n_failures)) is not None:
            raise failure
        return list_page(prefix, **{**more, "max_keys": 1})

    browser = Browser(filled)
    monkeypatch.setattr(browser._store.objects, "list_page", failing)
    async with browser.run_test() as pilot:
        await settled(pilot)
        await go_to(pilot, "... more")
        assert "It is away" in told(browser)
        assert labels(browser)[1:] == ["  notes/", "  ... more"]
        await pilot.press("enter")
        await settled(pilot)
        assert [label.split("  ")[1] for label in labels(browser)[1:]] == ["notes/", "plan.md"]


async def test_what_does_not_open_is_told(filled: MemoryStore, s3: S3Client, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="memories/acme/plan.md", Body=b"x" * 100)
    browser = Browser(filled)
    async with browser.run_test(size=(160, 40)) as pilot:
        await settled(pilot)
        await go_to(pilot, "plan.md")
        assert "does not open" in told(browser)
        assert bucket not in told(browser)


async def test_nothing_can_be_written(filled: MemoryStore, s3: S3Client, bucket: str) -> None:
    browser = Browser(filled)
    with pytest.raises(ReadOnlyError):
        browser._store.create(MemoryPath(("new",)), "x")
    with pytest.raises(ReadOnlyError):
        browser._store.objects._client.put_object(Bucket=bucket, Key="any", Body=b"")


async def test_no_text_reaches_disk_or_log(
    filled: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TEXTUAL", "devtools,debug")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    opened: list[Any] = []
    armed = [True]
    sys.addaudithook(lambda event, arguments: opened.append(arguments) if armed and event == "open" else None)
    caplog.set_level(logging.DEBUG)
    browser = Browser(filled)
    async with browser.run_test() as pilot:
        await settled(pilot)
        await go_to(pilot, "plan.md")
        await pilot.press("ctrl+p", "d", "h", "ctrl+s")
        await settled(pilot)
    armed.clear()
    written = [
        arguments for arguments in opened if isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
    ]
    assert [arguments for arguments in written if arguments[0] != os.devnull] == []
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - no pathlib in async functions
    assert "Tea" not in caplog.text
    assert browser.features == frozenset()


async def test_a_failure_shows_no_text(filled: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(store: MemoryStore, path: MemoryPath, version_id: str | None = None) -> Any:
        raise LookupError(marked_text(store, path, version_id)[0])

    monkeypatch.setattr(app_module, "marked_text", failing)
    browser = Browser(filled)
    async with browser.run_test() as pilot:
        await settled(pilot)
        await go_to(pilot, "plan.md")
        assert told(browser) == "unexpected LookupError"


async def test_a_crash_shows_no_text(filled: MemoryStore, capsys: pytest.CaptureFixture[str]) -> None:
    browser = Browser(filled)

    def crash() -> None:
        text = marked_text(filled, MemoryPath(("plan.md",)))
        raise LookupError(len(text))

    async def crashed() -> None:
        async with browser.run_test() as pilot:
            await settled(pilot)
            browser.call_next(crash)
            await pilot.pause()

    with pytest.raises(LookupError):
        await crashed()
    browser._print_error_renderables()
    captured = capsys.readouterr()
    assert "the browser failed unexpectedly" in captured.err
    assert "Tea" not in captured.out + captured.err


async def test_what_textual_gives_up_on_is_a_failure_of_one_line(
    filled: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    browser = Browser(filled)
    async with browser.run_test() as pilot:
        await settled(pilot)
        browser.panic("Traceback")  # as its driver does, of a key that is not UTF-8
        await pilot.pause()
    assert browser.return_code == 1
    browser._print_error_renderables()
    captured = capsys.readouterr()
    assert "the browser failed unexpectedly" in captured.err
    assert "Traceback" not in captured.out + captured.err


def test_long_texts_and_lines_are_cut_and_it_is_told() -> None:
    shown = list(text_lines("x\n" * (MAX_LINES + 4) + "y", []))
    assert len(shown) == MAX_LINES + 1
    assert "5 more lines" in shown[-1].plain
    assert shown[-2].plain.endswith("x")
    (line,) = text_lines("x" * (MAX_LINE_CHARS + 7), [])
    assert line.plain.endswith("(7 more characters)")


def test_what_is_redacted_over_several_lines_is_marked_on_each() -> None:
    shown = list(text_lines("ab\ncd\nef", [(1, 4)]))
    assert [[str(line)[span.start : span.end] for span in line.spans if span.style == REDACTED] for line in shown] == [
        ["b"],
        ["c"],
        [],
    ]
    assert isinstance(shown[0], Text)


@pytest.mark.usefixtures("settings")
class TestCommandLine:
    def test_without_the_extra_one_line_says_what_to_install(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "textual", None)
        ran = run("browse", "--tenant", "acme")
        assert ran.exit_code == 2
        assert (
            "needs textual, not installed here. Install with: pip install '.[browse]', in a clone of s3memory"
            in ran.err
        )

    def test_without_a_terminal_other_commands_are_named(self, run: Run) -> None:
        ran = run("browse", "--tenant", "acme")
        assert (ran.exit_code, "needs a terminal" in ran.err) == (2, True)

    @pytest.fixture
    def on_terminal(self, monkeypatch: pytest.MonkeyPatch, run: Run) -> Callable[..., Any]:
        def running(*arguments: str) -> Any:
            monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True, raising=False)
            return run(*arguments, terminal=True)

        return running

    def test_an_unknown_tenant_is_told_before_the_screen_is_taken(self, on_terminal: Callable[..., Any]) -> None:
        ran = on_terminal("browse", "--tenant", "nobody")
        assert ran.exit_code == 1
        assert "nobody" in ran.err

    @pytest.mark.parametrize(("code", "expected", "kind"), [(0, 0, "paths"), (1, 1, "paths"), (0, 0, "emf")])
    def test_it_runs_and_writes_audit_events_when_the_screen_is_free_again(
        self,
        on_terminal: Callable[..., Any],
        make_store: MakeStore,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        *,
        code: int,
        expected: int,
        kind: str,
    ) -> None:
        wrapper = LocalKeyWrapper.from_text(os.environ["S3MEMORY_LOCAL_KEY"])
        make_store(key_wrapper=wrapper).create(MemoryPath(("a",)), "x")
        monkeypatch.setenv("S3MEMORY_AUDIT", kind)
        during: list[str] = []

        def ran_app(browser: Browser) -> None:
            capsys.readouterr()
            marked_text(browser._store, MemoryPath(("a",)))
            during.append(capsys.readouterr().err)
            browser._return_code = code

        monkeypatch.setattr(Browser, "run", ran_app)
        ran = on_terminal("browse", "--tenant", "acme")
        assert ran.exit_code == expected
        assert during == [""]
        assert '"cat"' in ran.err


def test_the_page_is_short_and_names_every_key() -> None:
    page = (REPOSITORY / "docs" / "browse.md").read_text("utf-8")
    assert len(page.splitlines()) <= 80
    assert page.splitlines()[4] == "```console"
    for binding in Browser.BINDINGS:
        assert isinstance(binding, Binding)
        shown = {"slash": "/", "escape": "Esc"}.get(binding.key, binding.key)
        assert re.search(rf"^\| `?{re.escape(shown)}`? \|", page, re.MULTILINE), binding
