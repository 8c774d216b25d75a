"""``s3memory demo``."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Annotated

import typer

from s3memory.cli.exit_codes import FAILED, OK, USAGE
from s3memory.cli.extras import LIBRARIES_OF_DEMO, missing_line
from s3memory.cli.options import JsonOption


def demo(
    live: Annotated[
        bool,
        typer.Option("--live", help="Ask the real Claude: needs ANTHROPIC_API_KEY, and costs a little."),
    ] = False,
    json_output: JsonOption = False,
) -> None:
    """Watch an agent with an encrypted memory, offline.

    moto plays S3 and KMS, and a script plays Claude. An agent on the SDK's own tool runner remembers
    something for one tenant; another process recalls it; a third process, of another tenant, sees none of
    it. Then: what lies in the bucket, what happens when somebody changes it, and what it all cost. Every
    claim is checked.

    With --live, Claude does as it sees fit, and less is checked (our own tests have tried that against a
    script only). If S3MEMORY_BUCKET is set as well, the memory goes to that bucket, to the tenants
    demo-acme and demo-globex, and stays there.

    \b
    Examples:
      s3memory demo
      s3memory demo --json | jq .checks

    \b
    Exit codes:
      0  everything was as it should be
      1  a check failed, or the demo broke off
      2  an extra, or with --live the API key, is missing
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    problem = missing_line("the demo", LIBRARIES_OF_DEMO)
    if live and not problem and not os.environ.get("ANTHROPIC_API_KEY"):
        problem = "--live asks the real Claude, and ANTHROPIC_API_KEY is not set"
    if problem:
        _say(problem)
        raise typer.Exit(USAGE)
    from rich.console import Console  # noqa: PLC0415 - see the package's docstring

    from s3memory.cli.demo import run  # noqa: PLC0415 - same
    from s3memory.cli.demo.processes import DemoError  # noqa: PLC0415 - same
    from s3memory.cli.demo.show import Show  # noqa: PLC0415 - same

    began = time.perf_counter()
    show = Show(Console(quiet=json_output, highlight=False))
    try:
        evidence, checks = run.perform(show, live=live)
    except DemoError as error:
        _say(f"the demo broke off: {error}")
        raise typer.Exit(FAILED) from None
    seconds = time.perf_counter() - began
    show.checks(checks, seconds=seconds)
    held = all(check.held for check in checks)
    if held:
        show.closing()
    else:
        _say("not everything was as it should be: see the list of checks")
    if json_output:
        sys.stdout.write(json.dumps(run.report(evidence, checks, seconds=seconds), indent=2) + "\n")
    raise typer.Exit(OK if held else FAILED)


def _say(line: str) -> None:
    sys.stderr.write(f"s3memory: {line}\n")
