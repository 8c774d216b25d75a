"""Prunes and compiles the contents of a package, and writes its zip. This needs neither pip nor the package index."""

from __future__ import annotations

import os
import shutil
import stat
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from wheels import PackageError, tell, this_python

ELF_MACHINES: Final = {"x86_64": 62, "arm64": 183}

# botocore's data is 27 MB. A client of one service needs only that service's data and these files.
BOTOCORE_COMMON: Final = frozenset(
    {"_retry.json", "endpoints.json", "partitions.json", "sdk-default-configuration.json"}
)
# Files in which pip records the installation: useless on Lambda, and they contain a path of this machine.
_INSTALLATION_RECORDS: Final = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})


def prune(stage: Path, services: frozenset[str]) -> None:
    """Remove the files that a function does not use."""
    doomed = [path for path in (stage / "botocore" / "data").iterdir() if path.name not in services | BOTOCORE_COMMON]
    doomed += [stage / "bin", stage / "boto3" / "data", stage / "boto3" / "examples", *stage.rglob("__pycache__")]
    doomed += [path for path in stage.glob("*.dist-info/*") if path.name in _INSTALLATION_RECORDS]
    for path in doomed:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def compile_all(stage: Path, python: str, on_lambda: str) -> None:
    """Add byte code. Only an interpreter of the target's version can compile it; without one, warn and add none.

    The byte code is marked so that Python does not check it against the sources: all times in the zip are fixed, so
    every check would fail.

    Raises:
        PackageError: a module could not be compiled.
    """
    interpreter = find_interpreter(python)
    if interpreter is None:
        tell(
            f"WARNING: python{python} was not found, and Lambda would not use byte code of another version. The "
            "package has no byte code, so a cold start takes about twice as long."
        )
        return
    # Code objects get the path on Lambda instead of the temporary directory on this machine.
    options = ["-q", "-j1", "--invalidation-mode=unchecked-hash", "-s", ".", "-p", on_lambda]
    done = subprocess.run(  # noqa: S603 - `find_interpreter` has checked its version
        [interpreter, "-m", "compileall", *options, "."],
        cwd=stage,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,
    )
    if done.returncode:
        raise PackageError("a module could not be compiled")


def find_interpreter(python: str) -> str | None:
    """Return the path of an interpreter of exactly this version, preferably the running one."""
    if python == this_python():
        return sys.executable
    found = shutil.which(f"python{python}")
    if found is None:
        return None
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([found, "-c", program], capture_output=True, text=True, check=False)  # noqa: S603 - from PATH
    return found if done.stdout.strip() == python else None


def check_machines(stage: Path, arch: str) -> None:
    """Check that all compiled code is for this processor.

    Raises:
        PackageError: a file is for another processor.
    """
    for path, machine in elf_machines(stage):
        if machine != ELF_MACHINES[arch]:
            raise PackageError(f"{path.relative_to(stage)} is not for {arch}: its ELF machine is {machine}")


def elf_machines(directory: Path) -> Iterator[tuple[Path, int]]:
    """Yield the ELF files below a directory, each with the number of its processor (e_machine, at byte 18)."""
    for path in files_below(directory):
        with path.open("rb") as file:
            head = file.read(20)
        if head.startswith(b"\x7fELF"):
            yield path, struct.unpack_from("<H" if head[5] == 1 else ">H", head, 18)[0]


def files_below(directory: Path) -> list[Path]:
    """Return all files below a directory, in their order in the zip."""
    return sorted((path for path in directory.rglob("*") if path.is_file()), key=lambda path: path.as_posix())


def write_zip(stage: Path, package: Path, *, root: str = "") -> None:
    """Write all files below a directory into a zip whose bytes depend only on their names and contents.

    The zip gets its name once it is complete, so an interrupted build leaves no partial zip to deploy.
    """
    part = package.with_name(f"{package.name}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in files_below(stage):
            entry = zipfile.ZipInfo(root + path.relative_to(stage).as_posix(), date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, so that Lambda reads the mode
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, compresslevel=9)
    part.replace(package)
