"""Builds a package to deploy: the function's zip, a layer without Anthropic's SDK, or the MCP server's zip.

``make lambda-zip ARCH=arm64``, ``make lambda-layer`` and ``make lambda-mcp`` call it. The same sources, lock files and
Python give the same bytes: versions and hashes of all wheels are locked, entries are sorted, and times and modes are
fixed.

``python package.py lock`` rewrites the lock files, which nothing else changes. It needs the package index.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import contents
from wheels import (
    ARCHITECTURES,
    CORE_LOCK,
    HERE,
    MCP_LOCK,
    PROJECT,
    SDK_LOCK,
    PackageError,
    Target,
    Wheels,
    gather,
    tell,
    this_python,
    write_locks,
)

SOURCE: Final = HERE.parent / "src"
OUT: Final = PROJECT / "build" / "lambda"

FUNCTION_SERVICES: Final = frozenset({"dynamodb", "kms", "s3", "secretsmanager", "sts"})
MCP_SERVICES: Final = frozenset({"dynamodb", "kms", "s3", "sts"})
LAYER_SERVICES: Final = FUNCTION_SERVICES | {"bedrock-runtime"}

# Lambda's limits for a zip that is uploaded directly, and for all of a function's code.
MAX_ZIPPED_BYTES: Final = 50 * 1024 * 1024
MAX_UNZIPPED_BYTES: Final = 250 * 1024 * 1024

_MEGABYTE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of package.

    Attributes:
        name: the beginning of its file's name.
        locks: the lock files of the wheels that it contains besides s3memory's.
        services: the AWS services whose data botocore keeps.
        root: the directory of the modules in the zip.
        on_lambda: the path of that directory on Lambda.
        has_handler: whether it contains the handler.
    """

    name: str
    locks: tuple[Path, ...]
    services: frozenset[str]
    root: str
    on_lambda: str
    has_handler: bool


FUNCTION: Final = Kind("agent", (CORE_LOCK, SDK_LOCK), FUNCTION_SERVICES, "", "/var/task", has_handler=True)
LAYER: Final = Kind("s3memory-layer", (CORE_LOCK,), LAYER_SERVICES, "python/", "/opt/python", has_handler=False)
MCP: Final = Kind("mcp-server", (CORE_LOCK, MCP_LOCK), MCP_SERVICES, "", "/var/task", has_handler=False)
KINDS: Final = {"zip": FUNCTION, "layer": LAYER, "mcp": MCP}


def assemble(kind: Kind, wheels: Wheels, *, out: Path) -> Path:
    """Build a package from wheels, without the package index. The bytes are the same each time.

    Args:
        kind: what to build.
        wheels: the wheels that it contains.
        out: the directory to write the zip to.

    Returns:
        Path: the zip.

    Raises:
        PackageError: it holds code that does not run on the target, or it is too large.
    """
    target = wheels.target
    with tempfile.TemporaryDirectory(prefix="package-") as directory:
        stage = Path(directory)
        wheels.install(stage)
        if kind.has_handler:
            for module in SOURCE.glob("*.py"):
                shutil.copy(module, stage)
        contents.prune(stage, kind.services)
        contents.compile_all(stage, target.python, kind.on_lambda)
        contents.check_machines(stage, target.arch)
        out.mkdir(parents=True, exist_ok=True)
        package = out / f"{kind.name}-{target.arch}-py{target.python}.zip"
        contents.write_zip(stage, package, root=kind.root)
        report(package, stage, target)
    return package


def report(package: Path, stage: Path, target: Target) -> None:
    """Print the package's size, runtime, architecture and digest.

    Raises:
        PackageError: it is larger than Lambda accepts.
    """
    zipped = package.stat().st_size
    unzipped = sum(path.stat().st_size for path in contents.files_below(stage))
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    tell(
        f"{package}: {zipped / _MEGABYTE:.1f} MB, {unzipped / _MEGABYTE:.1f} MB unzipped\n"
        f"  for runtime python{target.python}, architecture {target.arch}; sha256 {digest}"
    )
    if zipped > MAX_ZIPPED_BYTES or unzipped > MAX_UNZIPPED_BYTES:
        raise PackageError("the package is larger than Lambda accepts")


def main(arguments: Sequence[str] | None = None) -> int:
    """Build a package, or write the lock files. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("what", choices=[*KINDS, "lock"])
    parser.add_argument("--arch", choices=list(ARCHITECTURES), default="x86_64")
    parser.add_argument("--python", default=this_python(), help="the runtime's Python version (default: this one's)")
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args(arguments)
    try:
        if chosen.what == "lock":
            write_locks()
        else:
            kind = KINDS[chosen.what]
            wheels = gather(kind.locks, Target(chosen.arch, chosen.python), store=chosen.out / "wheels")
            assemble(kind, wheels, out=chosen.out)
    except PackageError as error:
        tell(f"package.py: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
