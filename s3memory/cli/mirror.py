"""``s3memory mirror``: a memory as a folder of plain files while a command runs."""

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
from s3memory.cli.stores import new_tenant, store_of
from s3memory.config.settings import Settings
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError

_KEPT = frozenset({"AWS_REGION", "AWS_DEFAULT_REGION"})
_PR_SET_DUMPABLE = 4  # of <linux/prctl.h>
_CANNOT_RUN, _NOT_FOUND = 126, 127  # as in a shell


def mirror(
    directory: Annotated[Path, argument("DIR", "The folder. Files that are in it already are stored too.")],
    command: Annotated[list[str], argument("-- COMMAND...", "What to run meanwhile.")],
    tenant: TenantOption = None,
    push_wiped: Annotated[
        bool, flag("--push-wiped", "Delete every stored file if COMMAND empties the folder.")
    ] = False,
    pass_credentials: Annotated[
        bool, flag("--pass-credentials", "Let COMMAND see S3MEMORY_* and AWS_* variables.")
    ] = False,
) -> None:
    """Keep a memory in a folder while a command runs.

    Pulls the memory into DIR, runs COMMAND, and stores what it changed, encrypted and redacted. If somebody else
    changed the same file meanwhile, the store wins, and the other version is kept next to it. Afterwards the folder
    is removed, if it was created for this and everything in it is stored: until then, its files are readable on
    this disk. Keys and AWS credentials are kept out of COMMAND's environment.

    Examples:
      s3memory mirror ~/memory --tenant acme -- claude --settings settings.json

    Exit codes: those of COMMAND if everything is stored, or it failed; otherwise
      1  something is out of sync: it is named, and the folder stays
      2  a setting is wrong or missing, or the folder can't be used
      3  the store can't be reached or refuses access: COMMAND was not run
      126, 127  COMMAND can't be run, or is not there: nothing was stored
    """
    if Settings.from_env().get("MOUNTS"):  # what is below a mount point would go where no agent sees it
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
    """Have Linux refuse other processes of the same user this one's environment and memory, which hold the keys.

    Until it ends: what the command leaves running may outlive the command.
    """
    if sys.platform != "linux":
        return
    try:
        import ctypes  # which some builds of Python lack

        failed = ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, *map(ctypes.c_ulong, (0, 0, 0, 0)))
    except (ImportError, OSError, AttributeError):
        failed = -1
    if failed:
        note("This system does not hide the mirror's own environment: the command could read the keys in it.")


class _Signals:
    """Handles signals: once the memory is pulled, they are the command's, and they do not end the push."""

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._noted: list[int] = []

    def __enter__(self) -> Self:
        before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
        # What the caller ignores, as `nohup` does, the command ignores as well: it inherits that.
        self._before = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def keep_for_command(self) -> None:
        """Keep signals for the command, which is about to start."""
        self._have(self._pass_on)

    def pass_on_to(self, process: subprocess.Popen[bytes]) -> None:
        """Pass on to the command what came while it started, and what comes."""
        self._process = process
        for number in self._noted:
            process.send_signal(number)

    def end_nothing(self) -> None:
        """Answer signals with a note: what is in the folder has to be stored."""
        self._have(lambda *_: note("Storing the changes. One moment."))

    def _have(self, handler: Callable[[int, FrameType | None], object]) -> None:
        for number in self._before:
            signal.signal(number, handler)

    def _pass_on(self, number: int, _frame: FrameType | None) -> None:
        if self._process is None:
            self._noted.append(number)
        elif not (number == signal.SIGINT and sys.stdin.isatty()):  # a terminal sends it to the command as well
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
        note(new_tenant(folder.store))
    _tell(pulled)
    if pulled.unstored:  # in a folder that was named by mistake, all of them would be news
        note(f"{count_of(len(pulled.unstored), 'file')} of {folder.directory} will be stored when `{command[0]}` ends.")
    try:
        process = subprocess.Popen(command, env=dict(environ))  # noqa: S603 - what the user typed
    except OSError as error:
        note(f"{command[0]} can't be run: {error.strerror}. Nothing of the folder was stored.")
        _remove_untouched(folder)
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_RUN
    signals.pass_on_to(process)
    code = process.wait()
    signals.end_nothing()
    pushed = folder.push()
    _tell(pushed)
    code = code if code >= 0 else KILLED - code
    if pushed.is_complete and all(path in pulled.unfit for path, _ in pulled.left):
        kept = folder.remove()
        _tell(kept)
        if kept.is_complete:
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
    _tell(report)
    if not report.is_complete:
        note(f"The files stay in {folder.directory}")


def _tell(report: SyncReport) -> None:
    for path, beside in report.conflicts:
        note(f"{path} was changed on both sides. The store's version won; the other one is {beside}")
    for path in report.deleted:
        note(f"{path} was deleted in the store, as it was in the folder.")
    for path in report.redacted:
        note(f"{path} was redacted before it was stored, and the folder now has the redacted text.")
    for path, reason in sorted(report.left):
        note(f"{path} is out of sync: {reason}")
