"""The command ``s3memory demo``."""

from __future__ import annotations

import os
import time
from typing import Annotated

import typer

from s3memory._extras import LIBRARIES_OF_MOTO_SERVER, ensure_installed
from s3memory.cli.ending import FAILED, OK
from s3memory.cli.options import JsonOption, flag
from s3memory.cli.output import emit, warn
from s3memory.errors import ConfigurationError

_LIBRARIES = {
    # The SDK comes with s3memory itself, but deployments of the core alone leave it out.
    "anthropic": "anthropic",
    **LIBRARIES_OF_MOTO_SERVER,
}


def demo(
    live: Annotated[bool, flag("--live", "Use the real Claude: needs ANTHROPIC_API_KEY, and costs a little.")] = False,
    json_output: JsonOption = False,
) -> None:
    """Watch an agent with an encrypted memory, offline.

    moto plays S3 and KMS, and a script plays Claude. An agent on the SDK's own tool runner remembers something
    for one tenant; another process recalls it; a third process, of another tenant, sees none of it. Then you see
    what is in the bucket, what happens when somebody tampers with it, and what it all cost. Every claim is checked.

    With --live, Claude decides what to do, and less is checked (our own tests run this mode only against a script).
    If S3MEMORY_BUCKET is set as well, the memory goes to that bucket, to the tenants demo-acme and demo-globex, and
    stays there.

    Examples:
      s3memory demo
      s3memory demo --json | jq .checks

    Exit codes:
      0  every check passed
      1  a check failed, or the demo could not finish
      2  an extra, or with --live the API key, is missing
    """
    ensure_installed("the demo", _LIBRARIES)
    if live and not os.environ.get("ANTHROPIC_API_KEY"):
        raise ConfigurationError("--live asks the real Claude, and ANTHROPIC_API_KEY is not set")
    from rich.console import Console  # the extras provide this and the following

    from s3memory.cli.demo import run
    from s3memory.cli.demo.show import Show
    from s3memory.cli.demo.stage import DemoError

    began = time.perf_counter()
    show = Show(Console(quiet=json_output, highlight=False))
    try:
        evidence, checks = run.perform(show, live=live)
    except DemoError as error:
        warn(f"the demo could not finish: {error}")
        raise typer.Exit(FAILED) from None
    seconds = time.perf_counter() - began
    show.checks(checks, seconds=seconds)
    held = all(check.held for check in checks)
    if held:
        show.closing()
    else:
        warn("a check failed: see the list of checks")
    report = run.report(evidence, checks, seconds=seconds)
    emit(report, as_json=json_output, indent=2, exit_code=OK if held else FAILED)
