"""Measures what importing and preparing this package adds to boto3 and Anthropic's SDK alone.

Each case is a fresh process in this environment; cases take turns. ``cold_start.py`` does the same for Lambda's zip.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

from cold_start import BASE, CLIENTS, ENVIRONMENT
from instructions import instructions
from spread import Spread
from wire import WireServer

ROUNDS: Final = 7
_AIM: Final = 1.10
_SDK: Final = "import anthropic; from anthropic.lib.tools import BetaAbstractMemoryTool"
_CORE: Final = "import s3memory; memory = s3memory.MemoryCommands.from_env(tenant='acme')"
_TOOL: Final = "import s3memory; memory = s3memory.S3MemoryTool.from_env(tenant='acme')"
_BOTOCORE: Final = (
    "from botocore.session import get_session; session = get_session(); "
    "session.create_client('s3'); session.create_client('kms')"
)
_BARE: Final = "from bare_clients import Bare; import boto3; bare = Bare(boto3.client)"
_BARE_BOTOCORE: Final = (
    "from bare_clients import Bare; from botocore.session import get_session; bare = Bare(get_session().create_client)"
)
_VIEW: Final = "memory.call({'command': 'view', 'path': '/memories/notes.md'})"
_CREATE: Final = (
    "import os; from note import NOTE; "
    "memory.call({'command': 'create', 'path': f'/memories/{os.getpid()}.md', 'file_text': NOTE})"
)


@dataclass(frozen=True, slots=True)
class Case:
    """What one fresh process runs, and what it is compared with.

    Attributes:
        program: the program.
        by_boto3: the case without this package that sends the same requests through boto3; ``None`` for such a case.
        by_botocore: the same through botocore.
        is_counted: whether its instructions are counted. With the SDK they are not: that takes minutes, and the SDK
            outweighs all else.
    """

    program: str
    by_boto3: str | None = None
    by_botocore: str | None = None
    is_counted: bool = True


class Measured(TypedDict):
    """The result of one case: CPU seconds of each round, peak memory in MB, and the number of modules it loads."""

    cpu_seconds: list[float]
    peak_megabytes: float
    modules: int


_BASE_AND_SDK: Final = "the same and import anthropic"
_BARE_VIEW: Final = "the clients, and the requests of a first view"
_BARE_VIEW_AND_SDK: Final = "the same with the SDK"
_BARE_CREATE: Final = "the clients, and the requests of a first create"
_BY_BOTOCORE: Final = "import botocore, S3 and KMS clients"
_BOTOCORE_VIEW: Final = "botocore's clients, and the requests of a first view"
_BOTOCORE_CREATE: Final = "botocore's clients, and the requests of a first create"
_CASES: Final = {
    BASE: Case(CLIENTS),
    _BASE_AND_SDK: Case(f"{CLIENTS}; {_SDK}", is_counted=False),
    _BARE_VIEW: Case(f"{_BARE}; bare.view()"),
    _BARE_VIEW_AND_SDK: Case(f"{_BARE}; {_SDK}; bare.view()", is_counted=False),
    _BARE_CREATE: Case(f"{_BARE}; bare.create()"),
    _BY_BOTOCORE: Case(_BOTOCORE),
    _BOTOCORE_VIEW: Case(f"{_BARE_BOTOCORE}; bare.view()"),
    _BOTOCORE_CREATE: Case(f"{_BARE_BOTOCORE}; bare.create()"),
    "s3memory's core, ready for a tenant": Case(_CORE, BASE, _BY_BOTOCORE),
    "S3MemoryTool, ready for a tenant": Case(_TOOL, _BASE_AND_SDK, is_counted=False),
    "the core and a first view": Case(f"{_CORE}; {_VIEW}", _BARE_VIEW, _BOTOCORE_VIEW),
    "the tool and a first view": Case(f"{_TOOL}; {_VIEW}", _BARE_VIEW_AND_SDK, is_counted=False),
    "the core and a first create": Case(f"{_CORE}; {_CREATE}", _BARE_CREATE, _BOTOCORE_CREATE),
    "the core, ready, where the program imports boto3 as well": Case(f"import boto3; {_CORE}", BASE),
    "the same, and a first create": Case(f"import boto3; {_CORE}; {_CREATE}", _BARE_CREATE),
}
_WHY: Final = f"""\
The rows without a ratio are the baselines: boto3 or botocore with the same requests to AWS, and for the tool also the
SDK. MB is the largest resident memory. Instructions (valgrind) decide whether the aim is met, because they are the same
on a busy machine: in CPU time, two runs of one program differ by more than matters here. Ratios of CPU time are
medians of {ROUNDS} rounds, with the lowest and highest in brackets. The core makes its clients with botocore, without
boto3. If the program imports boto3, the clients come from boto3's default session, and that saving is lost. The first
command of a process that writes a text loads the rules of redaction; a view or a delete needs none."""
_PROGRAM: Final = """
import time
cpu = time.process_time()
{case}
cpu = time.process_time() - cpu
import sys
modules = len(sys.modules)
from peak import peak_kilobytes
print(cpu, peak_kilobytes(), modules)
"""


def measure(program: str, environment: dict[str, str]) -> tuple[float, int, int]:
    """Run a program in a new process.

    Returns:
        CPU seconds, peak resident memory in kilobytes, and the number of modules it loaded.
    """
    # -S and an explicit path: otherwise the hooks of an editable install would be measured too.
    path = os.pathsep.join(entry for entry in [str(Path(__file__).parents[1]), *sys.path] if entry)
    done = subprocess.run(  # noqa: S603 - this interpreter, our program
        [sys.executable, "-S", "-c", _PROGRAM.format(case=program)],
        env={**environment, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    cpu, peak_kilobytes, modules = done.stdout.split()
    return float(cpu), int(peak_kilobytes), int(modules)


@contextmanager
def _prepared() -> Iterator[dict[str, str]]:
    """Run a server that holds a file. Yield the environment of processes that use it."""
    with WireServer(delay_seconds=0) as server:
        # Processes write byte code, as installing a package does.
        environment = {key: value for key, value in ENVIRONMENT.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment |= server.environment
        measure(f"{_CORE}; memory.create('/memories/notes.md', 'x' * 1000)", environment)
        yield environment


def measured() -> dict[str, Measured]:
    """Measure all cases. They take turns."""
    taken: dict[str, list[tuple[float, int, int]]] = {name: [] for name in _CASES}
    with _prepared() as environment:
        for number in range(ROUNDS + 1):
            for name, case in _CASES.items():
                outcome = measure(case.program, environment)
                if number:  # the first round warms the file cache, and compiles
                    taken[name].append(outcome)
    return {
        name: Measured(
            cpu_seconds=[round(cpu, 4) for cpu, _, _ in outcomes],
            peak_megabytes=round(statistics.median(peak for _, peak, _ in outcomes) / 1024, 1),
            modules=outcomes[0][2],
        )
        for name, outcomes in taken.items()
    }


def counted() -> dict[str, int]:
    """Count the instructions of each case beyond an empty interpreter's. In parallel: that does not change a count."""
    programs = {"": "pass"} | {name: case.program for name, case in _CASES.items() if case.is_counted}
    with _prepared() as environment, ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda program: instructions(program, environment=environment), programs.values())
        counts = dict(zip(programs, found, strict=True))
    nothing = counts.pop("")
    return {name: count - nothing for name, count in counts.items()}


def table(cases: dict[str, Measured], counts: dict[str, int]) -> str:
    """Return the table."""
    lines = [
        "| process | M instructions | to boto3 | aim | to botocore | CPU, ms | to boto3 | to botocore | MB | modules |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, case in _CASES.items():
        mine, count, verdict = cases[name], counts.get(name), ""
        of_counts, of_cpu = ["", ""], ["", ""]
        for place, bare in enumerate((case.by_boto3, case.by_botocore)):
            if bare is not None:
                of_cpu[place] = str(Spread.of(mine["cpu_seconds"], cases[bare]["cpu_seconds"]))
            if bare is not None and count is not None:
                of_counts[place] = f"{count / counts[bare]:.3f}"
        if count is not None and case.by_boto3 is not None:
            verdict = f"{_AIM}: {'met' if count / counts[case.by_boto3] <= _AIM else '**missed**'}"
        cpu_ms = statistics.median(mine["cpu_seconds"]) * 1_000
        counted_millions = "" if count is None else f"{count / 1e6:,.0f}"
        lines.append(
            f"| {name} | {counted_millions} | {of_counts[0]} | {verdict} | {of_counts[1]} | {cpu_ms:.0f} | {of_cpu[0]} "
            f"| {of_cpu[1]} | {mine['peak_megabytes']:.0f} | {mine['modules']} |"
        )
    return "\n".join(lines) + f"\n\n{_WHY}"


if __name__ == "__main__":
    print(table(measured(), counted()))
