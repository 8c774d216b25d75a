"""``s3memory doctor``: does this bucket, with these credentials, hold what memory rests on?"""

from __future__ import annotations

import json
import sys
import textwrap
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from s3memory.cli.exit_codes import FAILED, OK
from s3memory.cli.options import JsonOption, TenantOption, optional
from s3memory.cli.progress import progress_bar
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from s3memory.admin.doctor import Check


def doctor(
    tenant: TenantOption = None,
    other: Annotated[
        str | None,
        optional(
            "--other", "Another tenant with a memory, to see that it is out of reach. Default: looked for.", "NAME"
        ),
    ] = None,
    accept: Annotated[
        list[str] | None,
        optional("--accept", "A check that need not be good. May be given more than once.", "CHECK"),
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Say what is weaker here than it should be.

    Examines the bucket and the key, and says what follows. It asks the server itself: whether it honours
    conditions, refuses what belongs to others, checks what it is sent, and how the bucket is set up. It stores a few
    objects of its own below the tenant's intents, removes them, and changes nothing else. What these credentials may
    not look at is "not checked", and no good sign.

    \b
    Examples:
      s3memory doctor --tenant acme
      s3memory doctor --tenant acme --other globex --json
      s3memory doctor --tenant acme --accept delete-condition --accept batch-delete-condition

    \b
    Exit codes:
      0  all is good, or accepted
      1  something is weaker, wrong or not checked
      2  a setting or an option is wrong
      3  the store is out of reach, or refuses these credentials altogether
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.doctor import CHECKS, Deployment, Status, examine  # noqa: PLC0415 - botocore comes with it
    from s3memory.config.settings import Settings  # noqa: PLC0415 - same
    from s3memory.paths import check_tenant  # noqa: PLC0415 - same

    accepted = frozenset(accept or ())
    if accepted - set(CHECKS):
        raise ConfigurationError(f"--accept takes {', '.join(CHECKS)}")
    deployment = Deployment.from_settings(Settings.from_env(), tenant=tenant)
    if other is not None and check_tenant(other) == deployment.tenant:
        raise ConfigurationError("--other must be another tenant than --tenant")
    with progress_bar() as watcher:
        checks = examine(deployment, other_tenant=other, watcher=watcher)
    open_ones = [check for check in checks if check.status is not Status.GOOD and check.name not in accepted]
    if json_output:
        listed = [{**asdict(check), "is_accepted": check.name in accepted} for check in checks]
        sys.stdout.write(json.dumps({"is_good": not open_ones, "checks": listed}) + "\n")
    else:
        _show(checks, accepted)
    raise typer.Exit(FAILED if open_ones else OK)


def _show(checks: tuple[Check, ...], accepted: frozenset[str]) -> None:
    width = max(len(check.name) for check in checks)
    indent = " " * (width + 14)
    for check in checks:
        is_accepted = check.name in accepted and bool(check.follows)
        note = " (accepted)" if is_accepted else ""
        sys.stdout.write(f"{check.status:<12}{check.name:<{width}}  {check.found}{note}\n")
        if check.follows and not is_accepted:
            sys.stdout.write(f"{textwrap.fill(check.follows, 110, initial_indent=indent, subsequent_indent=indent)}\n")
    counts = Counter(str(check.status) for check in checks)
    sys.stderr.write(f"{', '.join(f'{count} {status}' for status, count in counts.items())}\n")
