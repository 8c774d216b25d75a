"""What importing and preparing this package adds to what a user of boto3 and Anthropic's SDK pays anyway.

Each case is a fresh process of this environment; cases take turns. ``cold_start.py`` does the same for Lambda's zip.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cold_start import BASE, CLIENTS, ENVIRONMENT
from instructions import instructions
from wire import WireServer

ROUNDS: Final = 15
_AIM: Final = 1.10
_SDK: Final = "import anthropic; from anthropic.lib.tools import BetaAbstractMemoryTool"
_CORE: Final = "import s3memory; memory = s3memory.MemoryCommands.from_env(tenant='acme')"
_TOOL: Final = "import s3memory; memory = s3memory.S3MemoryTool.from_env(tenant='acme')"
_BARE: Final = "from bare_boto3 import Bare; bare = Bare()"
_VIEW: Final = "memory.call({'command': 'view', 'path': '/memories/notes.md'})"
_CREATE: Final = (
    "import os; from note import NOTE; "
    "memory.call({'command': 'create', 'path': f'/memories/{os.getpid()}.md', 'file_text': NOTE})"
)


@dataclass(frozen=True, slots=True)
class Case:
    """What one fresh process does.

    Attributes:
        program: what it runs.
        paid_anyway: the case of a process without this package that asks the same of AWS; none for such a one.
    """

    program: str
    paid_anyway: str | None = None


_BASE_AND_SDK: Final = "the same and import anthropic"
_BARE_VIEW: Final = "the clients, and the requests of a first view"
_BARE_VIEW_AND_SDK: Final = "the same with the SDK"
_BARE_CREATE: Final = "the clients, and the requests of a first create"
_CASES: Final = {
    BASE: Case(CLIENTS),
    _BASE_AND_SDK: Case(f"{CLIENTS}; {_SDK}"),
    _BARE_VIEW: Case(f"{_BARE}; bare.view()"),
    _BARE_VIEW_AND_SDK: Case(f"{_BARE}; {_SDK}; bare.view()"),
    _BARE_CREATE: Case(f"{_BARE}; bare.create()"),
    "s3memory's core, ready for a tenant": Case(_CORE, BASE),
    "S3MemoryTool, ready for a tenant": Case(_TOOL, _BASE_AND_SDK),
    "the core and a first view": Case(f"{_CORE}; {_VIEW}", _BARE_VIEW),
    "the tool and a first view": Case(f"{_TOOL}; {_VIEW}", _BARE_VIEW_AND_SDK),
    "the core and a first create": Case(f"{_CORE}; {_CREATE}", _BARE_CREATE),
    "the core, ready, where the program imports boto3 as well": Case(f"import boto3; {_CORE}", BASE),
    "the same, and a first create": Case(f"import boto3; {_CORE}; {_CREATE}", _BARE_CREATE),
}
_WHY: Final = """\
What is paid anyway are the rows without a ratio: boto3, beside the tool the SDK too, asking the same of AWS. MB are of
the largest resident memory. The aim is held to instructions (valgrind), which are the same on a busy machine: two runs
of one program differ by more in CPU time than what is looked for. The core makes its clients without boto3, by
botocore; where the program imports boto3, they are of boto3's default session, and what is spared otherwise is paid.
The first command of a process that writes a text loads the rules of redaction; a view or a delete needs none."""
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
    """Run a program in a process of its own.

    Returns:
        CPU seconds, peak resident memory in kilobytes, and how many modules it loaded.
    """
    # -S and an explicit path: an editable install's own hooks would be measured too.
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


def table() -> str:
    """Return the table."""
    taken: dict[str, list[tuple[float, int, int]]] = {name: [] for name in _CASES}
    with WireServer(delay_seconds=0) as server:
        # Byte code is written, as it is where a package is installed.
        environment = {key: value for key, value in ENVIRONMENT.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment |= server.environment
        measure(f"{_CORE}; memory.create('/memories/notes.md', 'x' * 1000)", environment)
        for number in range(ROUNDS + 1):
            for name, case in _CASES.items():
                outcome = measure(case.program, environment)
                if number:  # the first round warms the file cache, and compiles
                    taken[name].append(outcome)
        nothing = instructions("pass", environment=environment)
        counts = {name: instructions(case.program, environment=environment) - nothing for name, case in _CASES.items()}
    cpu = {name: statistics.median(outcome[0] for outcome in outcomes) for name, outcomes in taken.items()}
    peak = {name: statistics.median(outcome[1] for outcome in outcomes) / 1024 for name, outcomes in taken.items()}
    lines = [
        "| a fresh process | CPU, ms | ratio to what is paid anyway | M instructions | ratio | aim | MB | modules |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, case in _CASES.items():
        of_cpu, of_count, said = "", "", ""
        if case.paid_anyway is not None:
            ratio = counts[name] / counts[case.paid_anyway]
            of_cpu, of_count = f"{cpu[name] / cpu[case.paid_anyway]:.2f}", f"{ratio:.3f}"
            said = f"{_AIM}: {'met' if ratio <= _AIM else '**missed**'}"
        lines.append(
            f"| {name} | {cpu[name] * 1_000:.0f} | {of_cpu} | {counts[name] / 1e6:,.0f} | {of_count} | {said} "
            f"| {peak[name]:.0f} | {taken[name][0][2]} |"
        )
    return "\n".join(lines) + f"\n\n{_WHY}"


if __name__ == "__main__":
    print(table())
