"""What importing and preparing this package adds to what a user of boto3 and Anthropic's SDK pays anyway.

Each case is a fresh process of this environment; cases take turns. ``cold_start.py`` does the same for Lambda's zip.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Final

from cold_start import BASE, CLIENTS, ENVIRONMENT

ROUNDS: Final = 15
_AIM: Final = 1.10
_BASE_AND_SDK: Final = "the same and import anthropic"
_CORE: Final = "s3memory's core, ready for a tenant"
_TOOL: Final = "S3MemoryTool, ready for a tenant"
_CASES: Final = {
    BASE: CLIENTS,
    _BASE_AND_SDK: f"{CLIENTS}; import anthropic; from anthropic.lib.tools import BetaAbstractMemoryTool",
    _CORE: "import s3memory; s3memory.MemoryCommands.from_env(tenant='acme')",
    _TOOL: "import s3memory; s3memory.S3MemoryTool.from_env(tenant='acme')",
}
_PAID_ANYWAY: Final = {_CORE: BASE, _TOOL: _BASE_AND_SDK}
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


def measure(case: str) -> tuple[float, int, int]:
    """Run a case in a process of its own. Return CPU seconds, peak resident memory in kilobytes, and loaded modules."""
    # -S and an explicit path: an editable install's own hooks would be measured too.
    path = os.pathsep.join(entry for entry in [str(Path(__file__).parents[1]), *sys.path] if entry)
    done = subprocess.run(  # noqa: S603 - this interpreter, our program
        [sys.executable, "-S", "-c", _PROGRAM.format(case=case)],
        env={key: value for key, value in ENVIRONMENT.items() if key != "PYTHONDONTWRITEBYTECODE"}
        | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    cpu, peak_kilobytes, modules = done.stdout.split()
    return float(cpu), int(peak_kilobytes), int(modules)


def table() -> str:
    """Return the table."""
    taken: dict[str, list[tuple[float, int, int]]] = {name: [] for name in _CASES}
    for number in range(ROUNDS + 1):
        for name, case in _CASES.items():
            outcome = measure(case)
            if number:  # the first round warms the file cache, and compiles
                taken[name].append(outcome)
    cpu = {name: statistics.median(outcome[0] for outcome in outcomes) for name, outcomes in taken.items()}
    peak = {name: statistics.median(outcome[1] for outcome in outcomes) / 1024 for name, outcomes in taken.items()}
    lines = [
        "| a fresh process | CPU, ms | of what is paid anyway | aim | peak memory, MB | modules |",
        "|---|---|---|---|---|---|",
    ]
    for name in _CASES:
        paid = _PAID_ANYWAY.get(name)
        ratio = None if paid is None else cpu[name] / cpu[paid]
        said = ["", ""] if ratio is None else [f"{ratio:.2f}", f"{_AIM}: {'met' if ratio <= _AIM else '**missed**'}"]
        lines.append(
            f"| {name} | {cpu[name] * 1_000:.0f} | {said[0]} | {said[1]} | {peak[name]:.0f} | {taken[name][0][2]} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
