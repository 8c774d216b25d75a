"""Terraform as a command: found, configured for its provider's source, and run in a copy of the module.

The provider comes from the registry, or, if that is unreachable, from a filesystem mirror: a directory that contains
``registry.terraform.io/hashicorp/aws``. Nothing is written into the repository.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from steps import CheckError

PROVIDER = Path("registry.terraform.io/hashicorp/aws")

_FIND_SECONDS = 20
_RUN_SECONDS = 1_200  # on a busy machine; otherwise the longest command takes two minutes
# Files that a working directory or an earlier run left behind.
_LEFTOVERS = shutil.ignore_patterns(".terraform", "*.tfstate*", "*.tfplan")
_MIRROR_CONFIG = """\
provider_installation {{
  filesystem_mirror {{
    path    = "{mirror}"
    include = ["{provider}"]
  }}
  direct {{
    exclude = ["{provider}"]
  }}
}}
"""

_running: set[subprocess.Popen[str]] = set()
_running_lock = threading.Lock()
_interrupted = threading.Event()


def copy_of(module: Path, target: Path) -> Path:
    """Copy the module, with its tests and examples, to a writable directory."""
    shutil.rmtree(target, ignore_errors=True)
    return Path(shutil.copytree(module, target, ignore=_LEFTOVERS))


def interrupt() -> None:
    """End all running commands, as Ctrl-C would, and start no more. Terraform ends its providers, too."""
    _interrupted.set()
    with _running_lock:
        for process in _running:
            process.terminate()


def find_mirror() -> Path | None:
    """Return the directory of a provider mirror on this machine, if there is one."""
    named = os.environ.get("TF_PROVIDER_MIRROR")
    if named:
        return Path(named)
    for root in _usual_places():
        if (root / PROVIDER).is_dir():
            return root
    # Limited in depth and time, and to one filesystem.
    find = ["find", "/", "-xdev", "-maxdepth", "6", "-path", f"*/{PROVIDER}", "-type", "d", "-print", "-quit"]
    with suppress(OSError, subprocess.SubprocessError):
        run = subprocess.run(  # noqa: S603 - the line above
            find, capture_output=True, text=True, check=False, timeout=_FIND_SECONDS
        )
        for line in run.stdout.splitlines():
            return Path(line).parents[len(PROVIDER.parts) - 1]
    return None


def _usual_places() -> Iterator[Path]:
    home = Path.home()
    yield home / ".terraform.d" / "plugins"
    data_directories = [os.environ.get("XDG_DATA_HOME") or str(home / ".local" / "share")]
    data_directories += (os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
    for directory in data_directories:
        yield Path(directory) / "terraform" / "plugins"


@dataclass(frozen=True, slots=True)
class Terraform:
    """The command, and its settings.

    Attributes:
        executable: its path.
        environment: all of its environment variables.
    """

    executable: str
    environment: Mapping[str, str]

    @classmethod
    def find(cls, scratch: Path, *, mirror: Path | None) -> Terraform | None:
        """Return the command, if this machine has it.

        Args:
            scratch: a directory for its configuration.
            mirror: the provider's mirror; the registry if left out.
        """
        executable = shutil.which("terraform")
        if executable is None:
            return None
        # Without the user's settings and credentials. (The proxies may be needed.)
        mine = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "TF_"))}
        if mirror is not None:
            config = scratch / "terraform.rc"
            config.write_text(_MIRROR_CONFIG.format(mirror=mirror, provider=PROVIDER.as_posix()))
            mine["TF_CLI_CONFIG_FILE"] = str(config)
        return cls(executable, {**mine, "TF_IN_AUTOMATION": "1", "TF_INPUT": "0", "CHECKPOINT_DISABLE": "1"})

    def with_environment(self, more: Mapping[str, str]) -> Terraform:
        """Return the command with more environment variables."""
        return Terraform(self.executable, {**self.environment, **more})

    def run(self, directory: Path, *arguments: str) -> str:
        """Run a command in a directory. Return its standard output.

        Raises:
            CheckError: its exit code is not 0, it took too long, or it was interrupted.
        """
        if _interrupted.is_set():
            raise CheckError("interrupted")
        with subprocess.Popen(  # noqa: S603 - a command of this module's
            [self.executable, *arguments],
            cwd=directory,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            with _running_lock:
                _running.add(process)
            try:
                output, errors = process.communicate(timeout=_RUN_SECONDS)
            except subprocess.TimeoutExpired:
                process.terminate()
                raise CheckError(f"terraform {arguments[0]} took over {_RUN_SECONDS} s") from None
            finally:
                with _running_lock:
                    _running.discard(process)
        if process.returncode != 0:
            raise CheckError(f"terraform {arguments[0]} ended with {process.returncode}\n{output}{errors}")
        return output
