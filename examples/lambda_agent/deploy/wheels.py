"""Gathers the wheels that go into a package: the locked versions, for the target's processor and Python."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
PROJECT: Final = HERE.parents[2]
CORE_LOCK: Final = HERE / "requirements-core.lock"
FAST_LOCK: Final = HERE / "requirements-fast.lock"
SDK_LOCK: Final = HERE / "requirements-sdk.lock"
MCP_LOCK: Final = HERE / "requirements-mcp.lock"

ARCHITECTURES: Final = {"x86_64": "x86_64", "arm64": "aarch64"}
LOCKED_PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")


class PackageError(Exception):
    """The package can't be built, or would not run on Lambda. The text says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """The architecture and runtime that a package is for.

    Attributes:
        arch: the function's architecture: ``x86_64`` or ``arm64``.
        python: the runtime's Python version, such as ``3.13``.
    """

    arch: str
    python: str

    @property
    def has_new_glibc(self) -> bool:
        """Whether the runtime is Amazon Linux 2023 with glibc 2.34. Python 3.11's is Amazon Linux 2 with 2.26."""
        return self.python != "3.11"

    @property
    def pip_options(self) -> list[str]:
        """Options that make pip choose wheels for the target instead of for this machine.

        manylinux2014 needs glibc 2.17. Some packages, such as pycurl, only have wheels for glibc 2.28.
        """
        machine = ARCHITECTURES[self.arch]
        tags = ["manylinux2014", "manylinux_2_17", *(["manylinux_2_28"] if self.has_new_glibc else [])]
        platforms = [f"--platform={tag}_{machine}" for tag in tags]
        return ["--only-binary=:all:", f"--python-version={self.python}", "--implementation=cp", *platforms]


@dataclass(frozen=True, slots=True)
class Wheels:
    """Wheels on this machine, from which a package can be built without the package index.

    Attributes:
        target: the target that they are for.
        directory: their directory.
        locks: the lock files that list them.
        own: the wheel of s3memory itself.
    """

    target: Target
    directory: Path
    locks: tuple[Path, ...]
    own: Path

    def install(self, stage: Path) -> None:
        """Install all wheels into a directory."""
        # --no-deps: the locks list everything, and pip evaluates markers for this Python, not for the target's.
        options = ["--no-deps", "--no-index", "--no-compile", f"--target={stage}", *self.target.pip_options]
        locked = [f"--find-links={self.directory}", "--require-hashes", *_requirements(self.locks)]
        run_pip("install", *options, *locked)
        run_pip("install", *options, "--upgrade", str(self.own))  # --upgrade: the directory is not empty any more


def gather(locks: tuple[Path, ...], target: Target, *, store: Path) -> Wheels:
    """Build s3memory's wheel, and download the others unless an earlier call has.

    Args:
        locks: the lock files that list the wheels. Where the target can run libcurl, its lock file is added.
        target: the target that the wheels are for.
        store: the directory that keeps wheels for later calls.

    Raises:
        PackageError: pip failed.
    """
    if target.has_new_glibc:
        locks = (*locks, FAST_LOCK)
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in locks)).hexdigest()[:16]
    directory = store / f"{target.arch}-py{target.python}-{digest}"
    complete = directory / "complete"
    if not complete.exists():
        options = ["--no-deps", "--require-hashes", f"--dest={directory}", *target.pip_options]
        run_pip("download", *options, *_requirements(locks))
        complete.touch()
    for old in store.glob("s3memory-*.whl"):
        old.unlink()
    run_pip("wheel", "--no-deps", f"--wheel-dir={store}", str(PROJECT))
    return Wheels(target, directory, locks, next(store.glob("s3memory-*.whl")))


def write_locks() -> None:
    """Write the lock files: the newest versions that the project's requirements allow, with the hashes of all wheels.

    Requirements are resolved for every target, and the lock files list the wheels of all targets.
    """
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    core = [requirement for requirement in project["dependencies"] if not requirement.startswith("anthropic")]
    core_pins, all_pins = resolved(core), resolved(project["dependencies"])
    versions = {name: version for name, pins in all_pins.items() for version, _ in pins}
    new_pythons = tuple(python for python in LOCKED_PYTHONS if Target("arm64", python).has_new_glibc)
    fast_pins = resolved(project["optional-dependencies"]["fast"], versions=versions, pythons=new_pythons)
    mcp_pins = resolved([*core, *project["optional-dependencies"]["mcp"]], versions=versions)
    write_lock(CORE_LOCK, {name: all_pins[name] for name in core_pins})
    write_lock(FAST_LOCK, fast_pins)
    write_lock(SDK_LOCK, {name: pins for name, pins in all_pins.items() if name not in core_pins})
    write_lock(MCP_LOCK, {name: pins for name, pins in mcp_pins.items() if name not in core_pins})


def resolved(
    requirements: Sequence[str],
    *,
    versions: Mapping[str, str] | None = None,
    pythons: Sequence[str] = LOCKED_PYTHONS,
) -> dict[str, set[tuple[str, str]]]:
    """Return the versions and hashes of all packages that some target needs, by package; `versions` fixes versions."""
    pins: dict[str, set[tuple[str, str]]] = {}
    for python in pythons:
        for arch in ARCHITECTURES:
            with tempfile.TemporaryDirectory() as directory:
                report_path, constraints = Path(directory, "report.json"), Path(directory, "constraints.txt")
                constraints.write_text("".join(f"{name}=={one}\n" for name, one in (versions or {}).items()), "utf-8")
                options = ["--dry-run", "--ignore-installed", f"--target={directory}", f"--report={report_path}"]
                options += ["--constraint", str(constraints)]
                run_pip("install", *options, *Target(arch, python).pip_options, *requirements)
                for item in json.loads(report_path.read_text("utf-8"))["install"]:
                    name = re.sub(r"[-_.]+", "-", item["metadata"]["name"]).lower()
                    digest = item["download_info"]["archive_info"]["hashes"]["sha256"]
                    pins.setdefault(name, set()).add((item["metadata"]["version"], digest))
    return pins


def write_lock(path: Path, pins: dict[str, set[tuple[str, str]]]) -> None:
    """Write one lock file.

    Raises:
        PackageError: targets need different versions of a package.
    """
    lines = ["# Written by package.py: `python examples/lambda_agent/deploy/package.py lock`."]
    for name, wheels in sorted(pins.items()):
        versions = {version for version, _ in wheels}
        if len(versions) > 1:
            raise PackageError(f"{name} can't be locked: {' and '.join(sorted(versions))} are both needed")
        hashes = sorted(f"    --hash=sha256:{digest}" for _, digest in wheels)
        lines.append(" \\\n".join([f"{name}=={versions.pop()}", *hashes]))
    path.write_text("\n".join(lines) + "\n", "utf-8")


def run_pip(*arguments: str) -> None:
    """Run this environment's pip.

    Raises:
        PackageError: pip failed. It has printed why.
    """
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    if subprocess.run(command, check=False).returncode:  # noqa: S603 - pip, with our arguments
        raise PackageError(f"pip {arguments[0]} failed")


def tell(text: str) -> None:
    """Print a line on standard error, where pip prints too."""
    sys.stderr.write(f"{text}\n")


def this_python() -> str:
    """Return this interpreter's version, such as ``3.13``."""
    return "{}.{}".format(*sys.version_info)


def _requirements(locks: tuple[Path, ...]) -> list[str]:
    return [f"--requirement={lock}" for lock in locks]
