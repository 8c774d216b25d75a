"""``s3memory doctor``: does this bucket, with these credentials, meet the requirements of a memory?"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from typing import Annotated

from s3memory.admin.doctor import CHECKS, Check, Deployment, Status, examine
from s3memory.cli.ending import FAILED, OK, note_if_interrupted
from s3memory.cli.options import JsonOption, TenantOption, optional
from s3memory.cli.output import emit, fields_of, wrapped
from s3memory.cli.progress import progress_bar
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError
from s3memory.paths import check_tenant

_COLUMNS = 110  # if the output is not a terminal
_MIN_TEXT = 30


def doctor(
    tenant: TenantOption = None,
    other: Annotated[
        str | None,
        optional("--other", "Another tenant with data, which must be out of reach. Default: any it finds.", "NAME"),
    ] = None,
    accept: Annotated[list[str] | None, optional("--accept", "A check that may fail. Repeatable.", "CHECK")] = None,
    json_output: JsonOption = False,
) -> None:
    """Check how safely the bucket and the key are set up.

    Examines the bucket and the key by sending requests: does the server honour conditions, refuse access to other
    tenants and verify checksums, and how is the bucket configured? The report says what follows from each finding.
    The doctor stores a few test objects below the tenant's intents, removes them, and changes nothing else. The
    tenant need not exist. If these credentials may not look at something, it is "not checked", which does not
    count as good.

    Examples:
      s3memory doctor --tenant acme
      s3memory doctor --tenant acme --other globex --json
      s3memory doctor --tenant acme --accept checksums --accept tls-only

    Exit codes:
      0  every check is good, or accepted
      1  something is weaker, wrong or not checked
      2  a setting or an option is wrong
      3  the store can't be reached, or refuses these credentials altogether
    """
    accepted = frozenset(accept or ())
    if accepted - set(CHECKS):
        raise ConfigurationError(f"--accept takes {', '.join(CHECKS)}")
    deployment = Deployment.from_settings(Settings.from_env(), tenant=tenant)
    if other is not None and check_tenant(other) == deployment.tenant:
        raise ConfigurationError("--other must differ from --tenant")
    left = "Test objects of the doctor may be left below the tenant's intents: run it again."
    with note_if_interrupted(left), progress_bar():
        checks = examine(deployment, other_tenant=other)
    open_ones = [check for check in checks if check.status is not Status.GOOD and check.name not in accepted]
    counts = Counter(str(check.status) for check in checks)
    emit(
        {
            "is_good": not open_ones,
            "checks": [{**fields_of(check), "is_accepted": check.name in accepted} for check in checks],
        },
        text=_lines(checks, accepted),
        notes=[", ".join(f"{count} {status}" for status, count in counts.items())],
        as_json=json_output,
        exit_code=FAILED if open_ones else OK,
    )


def _lines(checks: tuple[Check, ...], accepted: frozenset[str]) -> Iterator[str]:
    columns = shutil.get_terminal_size((_COLUMNS, 1)).columns
    width = max(len(check.name) for check in checks)
    for check in checks:
        is_accepted = check.name in accepted and bool(check.follows)
        note = " (accepted)" if is_accepted else ""
        yield _wrapped(f"{check.found}{note}", f"{check.status:<12}{check.name:<{width}}  ", columns)
        if check.follows and not is_accepted:
            yield _wrapped(check.follows, " " * 12, columns)


def _wrapped(text: str, beginning: str, columns: int) -> str:
    """Return a text after its beginning, wrapped to the width of the terminal."""
    return wrapped(text, max(columns, len(beginning) + _MIN_TEXT), first=beginning, indent=" " * len(beginning))
