"""Whether this checkout can be released: reproducible, valid, installable, and with licences that allow distribution.

It leaves in ``dist/`` what a release publishes: wheel, sdist, an SBOM (CycloneDX) of s3memory and its dependencies,
and the licences of the Lambda package's content. It needs a package index, and `build`, `twine` and `cyclonedx-bom`,
which `make release-check` installs. ``REPOSITORY_URL`` says where the repository is: see ``hatch_build.py``.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path

PROJECT = Path(__file__).parents[2]
DIST = PROJECT / "dist"
LOCKS = sorted((PROJECT / "examples" / "lambda_agent" / "deploy").glob("requirements-*.lock"))
PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")
# Licences that allow distribution in a zip, together with the licence text. A person must judge others.
PERMITTED = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "PSF-2.0",
        "Unlicense",
    }
)
_SPELLINGS = {
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


def run(*command: str | Path, environment: dict[str, str] | None = None) -> str:
    """Run a command and return what it prints."""
    done = subprocess.run(  # noqa: S603 - ours
        command, cwd=PROJECT, env=os.environ | (environment or {}), stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def build(folder: Path) -> dict[str, str]:
    """Build sdist and wheel, dated as the last commit. Return their names and hashes."""
    epoch = run("git", "log", "-1", "--format=%ct").strip()
    run(
        *(sys.executable, "-m", "build", "--outdir", folder, "."),
        environment={"SOURCE_DATE_EPOCH": epoch, "PIP_QUIET": "3"},
    )
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def relative_links(wheel: Path) -> list[str]:
    """Return the links in a wheel's index page that point to files of the repository, which an index does not have."""
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (one for one in packed.namelist() if one.endswith(".dist-info/METADATA"))
        return re.findall(r"\]\((?![a-z]+:|#)([^)\s]+)\)", packed.read(name).decode())


def is_at_hand(python: str) -> bool:
    """Whether another interpreter exists and starts: a shim of a version manager may not."""
    if shutil.which(python) is None or python == "python{}.{}".format(*sys.version_info):  # that one is tested anyway
        return False
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0  # noqa: S603 - ours


def install(python: str, wheel: Path, folder: Path) -> Path:
    """Install only the wheel into a new environment, use every public name, and return its interpreter."""
    run(python, "-m", "venv", folder)
    interpreter = folder / "bin" / "python"
    run(interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    run(interpreter, "-I", "-c", "import s3memory; [getattr(s3memory, name) for name in s3memory.__all__]")
    return interpreter


def licences_of(distribution: Distribution) -> frozenset[str]:
    """Return the licences in a package's metadata, in SPDX's spelling if it is known."""
    metadata = distribution.metadata
    stated = "".join(metadata.get_all("License-Expression") or [])
    if stated:
        return frozenset(re.split(r"\s+(?:AND|OR)\s+", stated.replace("(", "").replace(")", "")))
    classified = [
        one.rpartition(" :: ")[2] for one in metadata.get_all("Classifier") or [] if one.startswith("License")
    ]
    named = classified or [("".join(metadata.get_all("License") or []) or "nothing").strip().splitlines()[0]]
    return frozenset(_SPELLINGS.get(name, name) for name in named)


def carried(folder: Path) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Install the packages in the Lambda package's lock file, and yield name, version and licences of each."""
    requirements = [argument for lock in LOCKS for argument in ("--requirement", str(lock))]
    install = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
    run(*install, "--require-hashes", "--target", folder, *requirements)
    for one in sorted(distributions(path=[str(folder)]), key=lambda one: one.name.lower()):
        yield one.name, one.version, licences_of(one)


def main(arguments: Sequence[str]) -> int:
    """Return 0 if all checks passed. With ``--no-index``, only run those that need no further packages."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        first, second = build(folder / "first"), build(folder / "second")
        if first != second:
            say(f"two builds differ: {first} {second}")
            return 1
        say("two builds are alike:")
        for name, digest in first.items():
            say(f"  {digest}  {name}")
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.copytree(folder / "first", DIST)
        say(run(sys.executable, "-m", "twine", "check", "--strict", *map(str, sorted(DIST.iterdir()))).strip())
        (wheel,) = DIST.glob("*.whl")
        if left := relative_links(wheel):
            say(f"on an index, links of the README lead nowhere: {', '.join(left[:3])}, ... {len(left)} in all")
            if os.environ.get("REPOSITORY_URL"):
                return 1
            say("REPOSITORY_URL is not set: what the workflow publishes has links to the repository")
        if "--no-index" in arguments:
            return 0
        interpreter = install(sys.executable, wheel, folder / "own")
        for one in (interpreter, *(install(name, wheel, folder / name) for name in PYTHONS if is_at_hand(name))):
            say(f"installs on {run(one, '--version').strip()}")
        sbom = DIST / "sbom.cdx.json"
        listing = (sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--validate")
        run(*listing, "--output-file", sbom, interpreter)
        say(f"SBOM: {sbom.name}")
        rows = list(carried(folder / "carried"))
        table = [f"| {name} | {version} | {', '.join(sorted(named))} |" for name, version, named in rows]
        lines = [
            "# Licences of what the Lambda package carries",
            "",
            "| package | version | licence |",
            "|---|---|---|",
            *table,
        ]
        (DIST / "licences.md").write_text("\n".join(lines) + "\n", "utf-8")
        unclear = [row for row, (*_, named) in zip(table, rows, strict=True) if not named <= PERMITTED]
        say("\n".join(["licences to be judged:", *unclear]) if unclear else f"{len(rows)} packages, all permissive")
        return 1 if unclear else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
