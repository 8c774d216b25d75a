"""Measures a cold start of the Lambda package, relative to importing boto3 and making clients for S3 and KMS.

Each case is a fresh process that uses the unzipped package, and none of this environment's packages. CPU and wall time
are measured from its first line to its last, without the interpreter's own start. Cases take turns, and medians are
compared within one run: absolute times say little about Lambda's processors, but ratios do.

Run it with ``make bench-cold-start``.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from wire import WireServer

ROUNDS = 9
BASE = "import boto3, S3 and KMS clients"

CLIENTS = "import boto3; boto3.client('s3'); boto3.client('kms')"
CORE = "import s3memory; memory = s3memory.MemoryCommands.from_env(tenant='acme')"
FIRST_VIEW = f"{CORE}; memory.view('/memories/notes.md')"
CREATE = f"{CORE}; memory.create('/memories/notes.md', 'x' * 1000)"
CASES = {
    BASE: CLIENTS,
    "import boto3": "import boto3",
    "s3memory's core, ready for a tenant": CORE,
    "core and first view": FIRST_VIEW,
    "import anthropic": "import anthropic",
    "the handler's INIT phase": "import handler",
}
ON_LIBCURL = ("s3memory's core, ready for a tenant", "core and first view", "the handler's INIT phase")
WITHOUT_BYTE_CODE = "the handler's INIT phase, without byte code"
ALL_OF_BOTOCORE = "import boto3, S3 and KMS clients, with all of botocore's data"

PROGRAM = """
import time
wall, cpu = time.perf_counter(), time.process_time()
{case}
print(time.perf_counter() - wall, time.process_time() - cpu)
"""
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "S3MEMORY_BUCKET": "agent-memory",
    "S3MEMORY_KMS_KEY_ID": "alias/agent-memory",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PATH": os.defpath,
}


def measure(case: str, *search_path: Path, environment: Mapping[str, str]) -> tuple[float, float]:
    """Run a case in a new process. Return its wall and CPU time in seconds."""
    command = [sys.executable, "-S", "-c", PROGRAM.format(case=case)]
    path = os.pathsep.join(map(str, search_path))
    done = subprocess.run(  # noqa: S603 - this interpreter, our program
        command, env={**environment, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    wall, cpu = done.stdout.split()
    return float(wall), float(cpu)


def main(package: str) -> None:
    """Print the table for a zip that `make lambda-zip` built for this Python and processor."""
    with ExitStack() as cleanup:
        directory = cleanup.enter_context(tempfile.TemporaryDirectory())
        whole, bare = Path(directory, "whole"), Path(directory, "bare")
        with zipfile.ZipFile(package) as archive:
            archive.extractall(whole)
            archive.extractall(bare, [name for name in archive.namelist() if not name.endswith(".pyc")])
        plain = {**ENVIRONMENT, "HOME": os.devnull}
        runs: dict[str, tuple[str, tuple[Path, ...], str]] = {
            name: (case, (whole,), "boto3") for name, case in CASES.items()
        }
        if (whole / "pycurl").is_dir():
            runs |= {f"{name}, on libcurl": (CASES[name], (whole,), "fast") for name in ON_LIBCURL}
        runs[WITHOUT_BYTE_CODE] = (CASES["the handler's INIT phase"], (bare,), "boto3")
        # This environment's botocore, with the data of all services, in front of the package's.
        runs[ALL_OF_BOTOCORE] = (CLIENTS, (link_botocore(Path(directory, "botocore")), whole), "boto3")
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
        server = cleanup.enter_context(WireServer(delay_seconds=0))
        plain |= server.environment
        measure(CREATE, whole, environment=plain)
        for number in range(ROUNDS + 1):
            for name, (case, search_path, transport) in runs.items():
                taken = measure(case, *search_path, environment={**plain, "S3MEMORY_TRANSPORT": transport})
                if number:  # the first round warms the file cache
                    times[name].append(taken)
    walls = {name: statistics.median(wall for wall, _ in taken) for name, taken in times.items()}
    cpus = {name: statistics.median(cpu for _, cpu in taken) for name, taken in times.items()}
    print(f"medians of {ROUNDS} interleaved runs, each in a fresh process")
    print("| case | wall, ratio | CPU, ratio | wall, ms |")
    print("|---|---|---|---|")
    for name in runs:
        print(
            f"| {name} | {walls[name] / walls[BASE]:.2f} | {cpus[name] / cpus[BASE]:.2f} | {walls[name] * 1000:.0f} |"
        )


def link_botocore(directory: Path) -> Path:
    """Make a directory with links to this environment's boto3 and botocore, and to nothing else of it."""
    import boto3  # noqa: PLC0415 - only to find it
    import botocore  # noqa: PLC0415 - same

    directory.mkdir()
    for module in (boto3, botocore):
        (directory / module.__name__).symlink_to(Path(str(module.__file__)).parent)
    return directory


if __name__ == "__main__":
    main(*sys.argv[1:])
