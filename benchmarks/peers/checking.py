"""Checks that a peer carries out the six commands correctly: the same script for all, judged by what views show."""

from __future__ import annotations

import re
from typing import Any

from peers import ROOT
from peers.process import LOCAL, PeerProcess
from peers.texts import MAX_VIEW_CHARS

_FILE = f"{ROOT}/check/notes/a.md"
_LONG_LINE = "A line of a file that is longer than a view may be.\n"
_LONG = _LONG_LINE * 1_000
_LINE = re.compile(r"^ *\d+\t(.*)$", re.MULTILINE)


def _view(path: str) -> dict[str, Any]:
    return {"command": "view", "path": path}


def check(process: PeerProcess) -> None:
    """Run the script with a peer.

    Raises:
        AssertionError: a command's result was wrong.
    """

    def call(command: str, **arguments: object) -> tuple[str, bool]:
        text, is_error, _ = process.run([{"command": command, **arguments}], may_fail=True).results[0][0]
        return text, is_error

    def lines(path: str) -> list[str]:
        text, is_error = call("view", path=path)
        _require(not is_error, process, f"view of {path}: {text}")
        return _LINE.findall(text)

    def names(path: str) -> set[str]:
        text, is_error = call("view", path=path)
        _require(not is_error, process, f"view of {path}: {text}")
        return {line.split("\t")[1].rstrip("/") for line in text.splitlines()[1:]}

    def does(command: str, **arguments: object) -> None:
        text, is_error = call(command, **arguments)
        _require(not is_error, process, f"{command}: {text}")

    def refuses(command: str, **arguments: object) -> None:
        text, is_error = call(command, **arguments)
        _require(is_error, process, f"{command} should have been refused: {text}")

    if process.peer.name != LOCAL:  # the SDK's views have no limit
        does("create", path=f"{ROOT}/long.md", file_text=_LONG)
        text, _ = call("view", path=f"{ROOT}/long.md")
        _require(MAX_VIEW_CHARS - len(_LONG_LINE) * 2 < len(text) <= MAX_VIEW_CHARS, process, "cut a long view")
        does("delete", path=f"{ROOT}/long.md")
    does("create", path=_FILE, file_text="one\ntwo\nthree")
    refuses("create", path=_FILE, file_text="other")
    _require(lines(_FILE) == ["one", "two", "three"], process, "create, view")
    does("str_replace", path=_FILE, old_str="two", new_str="2")
    does("insert", path=_FILE, insert_line=1, insert_text="one and a half")
    _require(lines(_FILE)[:4] == ["one", "one and a half", "2", "three"], process, "str_replace, insert")
    refuses("str_replace", path=_FILE, old_str="not there", new_str="x")
    does("create", path=f"{ROOT}/check/b.md", file_text="b")
    expected = {f"{ROOT}/check", f"{ROOT}/check/b.md", f"{ROOT}/check/notes", _FILE}
    _require(names(f"{ROOT}/check") == expected, process, "view of a directory")
    does("rename", old_path=_FILE, new_path=f"{ROOT}/check/notes/c.md")
    refuses("view", path=_FILE)
    refuses("rename", old_path=_FILE, new_path=f"{ROOT}/check/d.md")
    refuses("rename", old_path=f"{ROOT}/check/b.md", new_path=f"{ROOT}/check/notes/c.md")
    does("rename", old_path=f"{ROOT}/check", new_path=f"{ROOT}/moved")
    _require(lines(f"{ROOT}/moved/notes/c.md")[:2] == ["one", "one and a half"], process, "rename of a directory")
    does("delete", path=f"{ROOT}/moved/b.md")
    refuses("view", path=f"{ROOT}/moved/b.md")
    does("delete", path=f"{ROOT}/moved")
    refuses("view", path=f"{ROOT}/moved/notes/c.md")
    refuses("delete", path=f"{ROOT}/moved")


def _require(is_so: bool, process: PeerProcess, what: str) -> None:  # noqa: FBT001 - a condition
    if not is_so:
        raise AssertionError(f"{process.peer.title} failed the check: {what}")
