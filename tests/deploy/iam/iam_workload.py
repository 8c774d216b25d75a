"""Every AWS request that the library makes for one tenant, at least once."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import pytest
from iam_account import Guard
from support.faults import Killed

from s3memory import MemoryCommands, MemoryStore, cli, forget_keys
from s3memory.config.settings import Settings
from s3memory.errors import S3MemoryError
from s3memory.paths import ROOT, MemoryPath
from s3memory.store import tree

CALLS: list[dict[str, Any]] = [
    {"command": "view", "path": ROOT},
    {"command": "create", "path": f"{ROOT}/a", "file_text": "one\n"},
    {"command": "create", "path": f"{ROOT}/d/b", "file_text": "two\n"},
    {"command": "create", "path": f"{ROOT}/d/s/c", "file_text": "three\n"},
    {"command": "view", "path": ROOT},
    {"command": "view", "path": f"{ROOT}/a"},
    {"command": "view", "path": f"{ROOT}/d"},
    {"command": "str_replace", "path": f"{ROOT}/a", "old_str": "one", "new_str": "uno"},
    {"command": "insert", "path": f"{ROOT}/a", "insert_line": 1, "insert_text": "more"},
    {"command": "rename", "old_path": f"{ROOT}/a", "new_path": f"{ROOT}/e/f/a"},
    {"command": "rename", "old_path": f"{ROOT}/d", "new_path": f"{ROOT}/g"},
    {"command": "view", "path": f"{ROOT}/g/s/c"},
    {"command": "delete", "path": f"{ROOT}/e/f/a"},
]
REFUSED: list[dict[str, Any]] = [
    {"command": "create", "path": f"{ROOT}/g/b", "file_text": "again\n"},
    {"command": "create", "path": f"{ROOT}/g/b/below", "file_text": "below a file\n"},
    {"command": "create", "path": f"{ROOT}/g", "file_text": "a directory\n"},
    {"command": "view", "path": f"{ROOT}/nowhere"},
    {"command": "str_replace", "path": f"{ROOT}/nowhere", "old_str": "a", "new_str": "b"},
    {"command": "insert", "path": f"{ROOT}/nowhere", "insert_line": 0, "insert_text": "b"},
    {"command": "rename", "old_path": f"{ROOT}/nowhere", "new_path": f"{ROOT}/x"},
    {"command": "rename", "old_path": f"{ROOT}/g/b", "new_path": f"{ROOT}/g/s/c"},
    {"command": "rename", "old_path": f"{ROOT}/g/s", "new_path": f"{ROOT}/g/b"},
    {"command": "delete", "path": f"{ROOT}/nowhere"},
]
RENAME = {"command": "rename", "old_path": f"{ROOT}/g", "new_path": f"{ROOT}/h"}
RENAME_BACK = {"command": "rename", "old_path": f"{ROOT}/h", "new_path": f"{ROOT}/g"}
DELETE = {"command": "delete", "path": f"{ROOT}/g"}


def run(environ: Mapping[str, str], guard: Guard, *, rotate: Callable[[MemoryStore], None]) -> None:
    """Run every command in every form, including after a crash and after a rotation.

    Args:
        environ: the settings.
        guard: stands in front of the server, and interrupts commands.
        rotate: stores a key ring with one more generation, as an operator does.
    """
    commands = MemoryCommands.from_env(environ=environ)
    store = MemoryStore.from_settings(Settings.from_env(environ))
    _calls(commands)
    _crashes(commands, store, guard)
    forget_keys()  # as in a new process
    commands.create(f"{ROOT}/before", "sealed under generation 1")
    rotate(store)
    forget_keys()
    commands.create(f"{ROOT}/after", "sealed under generation 2")
    commands.view(f"{ROOT}/before")
    MemoryCommands.from_env(environ={**environ, "S3MEMORY_OVERWRITE": "true"}).create(f"{ROOT}/after", "over")
    store.files.list_page(MemoryPath(), delimited=True)  # as a view of more than a thousand files does
    commands.clear()
    _command_line(environ)


def _calls(commands: MemoryCommands) -> None:
    for call in CALLS:
        commands.call(call)
    for call in REFUSED:
        with pytest.raises(S3MemoryError):
            commands.call(call)


def _crashes(commands: MemoryCommands, store: MemoryStore, guard: Guard) -> None:
    """A directory's rename and delete, interrupted at each kind of request, then resumed and repaired."""
    for operation in ("PutObject", "DeleteObject"):
        for taken_up_by_repair in (False, True):
            guard.break_off(operation, nth=2)
            with pytest.raises(Killed):
                commands.call(RENAME)
            if taken_up_by_repair:
                assert [stored.intent.operation for stored in tree.pending(store)] == ["rename"]
                tree.repair(store)
            else:
                commands.call(RENAME)
            commands.call(RENAME_BACK)
    for taken_up_by_repair in (False, True):
        commands.call({"command": "create", "path": f"{ROOT}/g/again/{taken_up_by_repair}", "file_text": ""})
        guard.break_off("DeleteObjects", nth=1)
        with pytest.raises(Killed):
            commands.call(DELETE)
        if taken_up_by_repair:
            tree.repair(store)
        else:
            commands.call(DELETE)


def _command_line(environ: Mapping[str, str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("S3MEMORY_")]:
            patch.delenv(name)
        for name, value in environ.items():
            patch.setenv(name, value)
        for arguments in (
            ["call", '{"command": "view", "path": "/memories"}'],
            ["repair", "--dry-run"],
            ["repair"],
            ["keygen"],
            ["settings", "--json"],
        ):
            with pytest.raises(SystemExit) as ended, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                cli.main(arguments)
            assert ended.value.code == 0, arguments
