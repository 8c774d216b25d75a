"""What is in a package, and the zip around it: all that is done without pip and without the index."""

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

# botocore's data is 27 MB, and a client of one service needs that service's and these.
BOTOCORE_COMMON: Final = frozenset(
    {"_retry.json", "endpoints.json", "partitions.json", "sdk-default-configuration.json"}
)
# What pip writes of how a package came here: of no use on Lambda, and a path of this machine is in it.
_INSTALLERS_NOTES: Final = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})


def prune(stage: Path, services: frozenset[str]) -> None:
    """Take out what a function does not use."""
    doomed = [path for path in (stage / "botocore" / "data").iterdir() if path.name not in services | BOTOCORE_COMMON]
    doomed += [stage / "bin", stage / "boto3" / "data", stage / "boto3" / "examples", *stage.rglob("__pycache__")]
    doomed += [note for note in stage.glob("*.dist-info/*") if note.name in _INSTALLERS_NOTES]
    for path in doomed:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def compile_all(stage: Path, python: str, on_lambda: str) -> None:
    """Add byte code, which only an interpreter of the target's version can make; without one, say so and add none.

    Its validity is not to be checked against the sources: with fixed times every check would fail.
    """
    interpreter = find_interpreter(python)
    if interpreter is None:
        tell(
            f"WARNING: no python{python} was found, and byte code of another version would not be used. The package "
            "has none, so its cold start takes about twice as long."
        )
        return
    # Relative paths, so that neither this machine's nor the temporary directory's is in any code object.
    options = ["-q", "-j1", "--invalidation-mode=unchecked-hash", "-s", ".", "-p", on_lambda]
    done = subprocess.run(  # noqa: S603 - an interpreter that was asked for its version
        [interpreter, "-m", "compileall", *options, "."],
        cwd=stage,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,
    )
    if done.returncode:
        raise PackageError("a module could not be compiled")


def find_interpreter(python: str) -> str | None:
    """Return an interpreter of exactly this version, this one first."""
    if python == this_python():
        return sys.executable
    found = shutil.which(f"python{python}")
    if found is None:
        return None
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    said = subprocess.run([found, "-c", program], capture_output=True, text=True, check=False)  # noqa: S603 - as above
    return found if said.stdout.strip() == python else None


def check_machines(stage: Path, arch: str) -> None:
    """Refuse compiled code that is for another processor.

    Raises:
        PackageError: some is.
    """
    for path, machine in elf_machines(stage):
        if machine != ELF_MACHINES[arch]:
            raise PackageError(f"{path.relative_to(stage)} is not for {arch}: its ELF machine is {machine}")


def elf_machines(directory: Path) -> Iterator[tuple[Path, int]]:
    """Yield the ELF files below a directory, and what processor each is for (e_machine, at byte 18)."""
    for path in files_below(directory):
        with path.open("rb") as file:
            head = file.read(20)
        if head.startswith(b"\x7fELF"):
            yield path, struct.unpack_from("<H" if head[5] == 1 else ">H", head, 18)[0]


def files_below(directory: Path) -> list[Path]:
    """Return all files below a directory, in the order of their names in the zip."""
    return sorted((path for path in directory.rglob("*") if path.is_file()), key=lambda path: path.as_posix())


def write_zip(stage: Path, package: Path, *, root: str = "") -> None:
    """Write all files below a directory into a zip whose bytes depend on nothing but their names and contents.

    It has its name once it is whole, so a build that is cut off leaves no half of a zip to deploy.
    """
    part = package.with_name(f"{package.name}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in files_below(stage):
            entry = zipfile.ZipInfo(root + path.relative_to(stage).as_posix(), date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, so that Lambda reads the mode
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, compresslevel=9)
    part.replace(package)
