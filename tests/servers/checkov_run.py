"""checkov, in a separate environment: it has many dependencies, and this project needs none of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from steps import CheckError, Report

REQUIREMENT = "checkov==3.3.30"

_MIN_CHECKS = 50
_MIN_REASON_CHARS = 10
_INSTALL_SECONDS = 600
_RUN_SECONDS = 300


def check_by_checkov(report: Report, module: Path, environment: Path) -> None:
    """Install checkov if necessary, and run it on the module and its examples.

    Args:
        report: receives the steps.
        module: the module's directory.
        environment: the directory of checkov's virtual environment.
    """
    report.steps(
        ("checkov: install", lambda: install(environment)),
        ("checkov", lambda: run(module, environment)),
    )


def install(environment: Path) -> str:
    """Create checkov's environment if necessary. Return the installed version.

    Raises:
        CheckError: it could not be created.
    """
    installed = environment / "installed.txt"
    if installed.is_file() and installed.read_text() == REQUIREMENT:
        return f"{REQUIREMENT} is there"
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        for command in ([sys.executable, "-m", "venv", "--clear", str(environment)], [*pip, REQUIREMENT]):
            subprocess.run(command, check=True, capture_output=True, timeout=_INSTALL_SECONDS)  # noqa: S603 - as above
    except (OSError, subprocess.SubprocessError) as error:
        raise CheckError(f"{REQUIREMENT} could not be installed: {type(error).__name__}") from error
    installed.write_text(REQUIREMENT)
    return REQUIREMENT


def run(module: Path, environment: Path) -> str:
    """Run checkov. Return its figures.

    Raises:
        CheckError: a check failed or was skipped without a reason, or checkov did not read the module.
    """
    command = [str(environment / "bin" / "checkov"), "--directory", str(module), "--framework", "terraform"]
    ended = subprocess.run(  # noqa: S603 - the line above
        # Nobody applies a test's root module.
        [*command, "--skip-path", "tests/same_apply", "--skip-download", "--output", "json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=_RUN_SECONDS,
    )
    try:
        answer = json.loads(ended.stdout)
        results, summary = answer["results"], answer["summary"]
    except (ValueError, KeyError, TypeError):
        raise CheckError(f"checkov ended with {ended.returncode}\n{ended.stdout}{ended.stderr}") from None
    wrong = [f"{found['check_id']} {found['check_name']}: {found['resource']}" for found in results["failed_checks"]]
    wrong += [
        f"{found['check_id']} is skipped without a reason: {found['resource']}"
        for found in results["skipped_checks"]
        if len(found["check_result"].get("suppress_comment") or "") < _MIN_REASON_CHARS
    ]
    wrong += [f"checkov can't read {path}" for path in results["parsing_errors"]]
    if summary["passed"] < _MIN_CHECKS:
        wrong.append(f"only {summary['passed']} checks were made")
    if wrong:
        raise CheckError("\n".join(wrong))
    return f"{summary['passed']} passed, {summary['failed']} failed, {summary['skipped']} skipped with a reason"
