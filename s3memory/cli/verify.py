"""``s3memory verify``: does everything open, and lie where it belongs?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from s3memory.admin.findings import Finding, Kind, Verified
from s3memory.cli.exit_codes import FAILED, OK, STORE, exit_code_of
from s3memory.cli.options import JsonOption
from s3memory.cli.progress import progress_bar
from s3memory.cli.reading import printable, write_json
from s3memory.cli.strays import MOVED_ON
from s3memory.contract.views import count_of
from s3memory.errors import BackendError, ConfigurationError

if TYPE_CHECKING:
    from s3memory.config.settings import Settings

VersionsOption = Annotated[bool, typer.Option("--versions", help="Look at older versions, too: a request each.")]
StaleOption = Annotated[
    float,
    typer.Option("--stale-after", help="How old an unfinished change has to be, in seconds.", metavar="SECONDS", min=0),
]

_NOTHING_ELSE_WAS_LOOKED_AT = frozenset({Kind.KEY_RING_MISSING, Kind.KEY_RING_UNREADABLE})


def verify(
    tenant: Annotated[
        str | None,
        typer.Argument(metavar="TENANT", help="Whose memory. Default: S3MEMORY_TENANT.", show_default=False),
    ] = None,
    all_tenants: Annotated[bool, typer.Option("--all", help="All tenants of the bucket, one after another.")] = False,
    versions: VersionsOption = False,
    stale_after: StaleOption = 900,
    json_output: JsonOption = False,
) -> None:
    """Check that everything opens and lies where it belongs.

    Fetches and opens every object: what was altered, cut, moved or swapped in the bucket does not open. Tells
    of strays, of files below files and of changes that a crash left, too. Repairs nothing. What is missing it can't
    see, nor an older version that somebody put back at its own place.

    With --json, each finding is a line as soon as it is known, and each tenant one line at its end.

    \b
    Examples:
      s3memory verify acme
      s3memory verify acme --versions --json
      s3memory verify --all

    \b
    Exit codes:
      0  no findings
      1  findings, or nothing is stored for the tenant, or agents moved files at
         every pass, so that one may not have been looked at
      2  a setting or an option is wrong
      3  the store is out of reach or refuses access, or a key ring does not open
         or is missing: not all was verified
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin import verify as verifying  # noqa: PLC0415 - botocore comes with it
    from s3memory.admin.tenants import ensure_stored  # noqa: PLC0415 - same
    from s3memory.audit.recording import as_one_event  # noqa: PLC0415 - same
    from s3memory.config.settings import Settings  # noqa: PLC0415 - same
    from s3memory.store.memory_store import MemoryStore  # noqa: PLC0415 - same

    if all_tenants and tenant is not None:
        raise ConfigurationError("give either a tenant or --all")
    settings = Settings.from_env()
    exit_code, n_findings, n_unsettled = OK, 0, 0

    def found(finding: Finding) -> None:
        nonlocal exit_code, n_findings
        n_findings += 1
        if finding.kind in _NOTHING_ELSE_WAS_LOOKED_AT:
            exit_code = STORE
        _show_finding(finding, json_output=json_output)

    names: Iterable[str] = _all_tenants(settings, found) if all_tenants else [settings.tenant(tenant)]
    with progress_bar() as watcher:
        for name in names:
            store = MemoryStore.from_settings(settings, tenant=name).refusing_writes()
            try:
                with as_one_event(store, "verify"):
                    verified = verifying.verify(
                        store, found, with_versions=versions, stale_after_seconds=stale_after, watcher=watcher
                    )
                    if not (all_tenants or verified.files or verified.findings):
                        ensure_stored(store)
            except BackendError as error:
                if not all_tenants:
                    raise
                exit_code = exit_code_of(error)
                sys.stderr.write(f"s3memory: {name}: not all verified: {printable(error.detail)}\n")
                continue
            _show_tenant(verified, json_output=json_output)
            if not verified.is_settled:
                sys.stderr.write(f"s3memory: {name}: {MOVED_ON}\n")
                n_unsettled += 1
    raise typer.Exit(exit_code or (FAILED if n_findings or n_unsettled else OK))


def _all_tenants(settings: Settings, found: Callable[[Finding], object]) -> Iterable[str]:
    from s3memory.admin.tenants import list_tenants, shared_bucket  # noqa: PLC0415 - botocore comes with it

    def stray(object_key: str) -> None:
        found(Finding(None, Kind.STRAY_OBJECT, object_key))

    for listed in list_tenants(shared_bucket(settings), settings.get("PREFIX", ""), stray=stray):
        yield listed.tenant


def _show_finding(finding: Finding, *, json_output: bool) -> None:
    if json_output:
        write_json({"type": "finding", **asdict(finding)})
        sys.stdout.flush()
        return
    about = [] if finding.generation is None else [f"generation {finding.generation}"]
    about += [] if finding.version_id is None else [f"version {finding.version_id}"]
    notes = f" ({', '.join(about)})" if about else ""
    # Whoever may write to the bucket has named it, and the server the version.
    where = printable(f"{finding.path or finding.object_key}{notes}")
    sys.stdout.write(f"{finding.tenant or '-'}: {finding.kind}: {where}\n")


def _show_tenant(verified: Verified, *, json_output: bool) -> None:
    if json_output:
        write_json({"type": "tenant", **asdict(verified)})
        return
    older = f", {count_of(verified.versions, 'older version')}" if verified.versions else ""
    under_way = f", {count_of(verified.intents_under_way, 'change')} under way" if verified.intents_under_way else ""
    found = count_of(verified.findings, "finding")
    sys.stderr.write(f"{verified.tenant}: {count_of(verified.files, 'object')}{older}{under_way}: {found}\n")
