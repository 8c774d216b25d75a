"""``s3memory mirror``: keep a memory in a folder of plain files while a command runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Self

import typer

from s3memory.adapters.mirror.mirrored_folder import MirroredFolder
from s3memory.adapters.mirror.syncing import SyncReport
from s3memory.cli.ending import ENDING_SIGNALS, FAILED, KILLED
from s3memory.cli.options import TenantOption, argument, flag
from s3memory.cli.output import note
from s3memory.cli.stores import new_tenant_line, store_of
from s3memory.config.settings import Settings
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError

_KEPT = frozenset({"AWS_REGION", "AWS_DEFAULT_REGION"})
_PR_SET_DUMPABLE = 4  # from <linux/prctl.h>
_CANNOT_RUN, _NOT_FOUND = 126, 127  # as in a shell


def mirror(
    directory: Annotated[Path, argument("DIR", "The folder. Files that are already in it are stored too.")],
    command: Annotated[list[str], argument("-- COMMAND...", "The command to run meanwhile.")],
    tenant: TenantOption = None,
    push_wiped: Annotated[
        bool, flag("--push-wiped", "Delete every stored file if COMMAND empties the folder.")
    ] = False,
    pass_credentials: Annotated[
        bool, flag("--pass-credentials", "Let COMMAND see S3MEMORY_* and AWS_* variables.")
    ] = False,
) -> None:
    """Keep a memory in a folder while a command runs.

    Pulls the memory into DIR, runs COMMAND, and stores its changes, encrypted and redacted. If somebody else changed
    the same file meanwhile, the stored version wins, and the other one is kept next to it. Afterwards the folder is
    removed, if the mirror created it and everything in it is stored: until then, its files are readable on this
    disk. Keys and AWS credentials are kept out of COMMAND's environment.

    Examples:
      s3memory mirror ~/memory --tenant acme -- claude --settings settings.json

    Exit codes: those of COMMAND if everything is stored, or it failed; otherwise
      1  something is out of sync: it is named, and the folder stays
      2  a setting is wrong or missing, or the folder can't be used
      3  the store can't be reached or refuses access: COMMAND was not run
      126, 127  COMMAND can't be run, or does not exist: nothing was stored
    """
    if Settings.from_env().get("MOUNTS"):  # files below a mount point would be stored where no agent sees them
        raise ConfigurationError(
            "S3MEMORY_MOUNTS is set, and a folder holds one memory. Unset it, and mirror each tenant to its own folder"
        )
    store = store_of(tenant)
    environ: Mapping[str, str] = os.environ
    if not pass_credentials:
        environ = without_credentials(os.environ)
        _hide_this_process()
    with MirroredFolder(store, directory, push_wiped=push_wiped) as folder, _Signals() as signals:
        code = _mirrored(folder, command, environ, signals)
    raise typer.Exit(code)


def without_credentials(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without s3memory's settings and keys, and without AWS's variables except the region."""
    return {
        name: value for name, value in environ.items() if name in _KEPT or not name.startswith(("AWS_", "S3MEMORY_"))
    }


def _hide_this_process() -> None:
    """Have Linux hide this process's environment and memory, which hold the keys, from the user's other processes.

    They stay hidden until this process ends: the command's own children may outlive the command.
    """
    if sys.platform != "linux":
        return
    try:
        import ctypes  # some builds of Python lack it

        failed = ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, *map(ctypes.c_ulong, (0, 0, 0, 0)))
    except (ImportError, OSError, AttributeError):
        failed = -1
    if failed:
        note("This system can't hide the mirror's own environment: the command could read the keys in it.")


class _Signals:
    """Handles signals: once the memory is pulled, they are passed on to the command, and they do not end the push."""

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._noted: list[int] = []

    def __enter__(self) -> Self:
        before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
        # The command inherits ignored signals, such as those that `nohup` ignores, so they are left alone.
        self._before = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def keep_for_command(self) -> None:
        """Keep signals for the command, which is about to start."""
        self._handle_with(self._pass_on)

    def pass_on_to(self, process: subprocess.Popen[bytes]) -> None:
        """Pass on to the command the signals that arrived while it started, and all later ones."""
        self._process = process
        for number in self._noted:
            process.send_signal(number)

    def only_note(self) -> None:
        """Answer signals with a note only: the content of the folder has to be stored."""
        self._handle_with(lambda *_: note("Storing the changes. One moment."))

    def _handle_with(self, handler: Callable[[int, FrameType | None], object]) -> None:
        for number in self._before:
            signal.signal(number, handler)

    def _pass_on(self, number: int, _frame: FrameType | None) -> None:
        if self._process is None:
            self._noted.append(number)
        elif not (number == signal.SIGINT and sys.stdin.isatty()):  # a terminal sends this one to the command itself
            self._process.send_signal(number)


def _mirrored(folder: MirroredFolder, command: list[str], environ: Mapping[str, str], signals: _Signals) -> int:
    try:
        pulled = folder.pull()
        is_new = folder.store.key_ring.existing() is None
        signals.keep_for_command()
    except BaseException:
        note(f"The memory was not pulled, and {command[0]} was not started.")
        _remove_untouched(folder)
        raise
    if is_new:
        note(new_tenant_line(folder.store))
    _print(pulled)
    if pulled.unstored:  # so that the user notices a folder that was named by mistake
        note(f"{count_of(len(pulled.unstored), 'file')} of {folder.directory} will be stored when `{command[0]}` ends.")
    try:
        process = subprocess.Popen(command, env=dict(environ))  # noqa: S603 - what the user typed
    except OSError as error:
        note(f"{command[0]} can't be run: {error.strerror}. Nothing in the folder was stored.")
        _remove_untouched(folder)
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_RUN
    signals.pass_on_to(process)
    code = process.wait()
    signals.only_note()
    pushed = folder.push()
    _print(pushed)
    code = code if code >= 0 else KILLED - code
    if pushed.is_complete and all(path in pulled.unfit for path, _ in pulled.left):
        removed = folder.remove()
        _print(removed)
        if removed.is_complete:
            return code
    if folder.directory.exists():
        note(f"Not everything is in sync. The files stay in {folder.directory}")
    elif pushed.deleted:
        note(f"{folder.directory} is gone. Files deleted in the store: {len(pushed.deleted)}.")
    else:
        note(f"{folder.directory} is gone. What was stored before is still stored.")
    return code or FAILED


def _remove_untouched(folder: MirroredFolder) -> None:
    report = folder.remove_if_untouched()
    _print(report)
    if not report.is_complete:
        note(f"The files stay in {folder.directory}")


def _print(report: SyncReport) -> None:
    for path, conflict_path in report.conflicts:
        note(f"{path} was changed on both sides. The stored version won; the other one is now {conflict_path}")
    for path in report.deleted:
        note(f"{path} was deleted in the store, because it was deleted in the folder.")
    for path in report.redacted:
        note(f"{path} was redacted before it was stored, and the folder now has the redacted text.")
    for path, reason in sorted(report.left):
        note(f"{path} is out of sync: {reason}")
