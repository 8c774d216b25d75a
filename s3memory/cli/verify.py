"""``s3memory verify``: check that everything opens and is where it belongs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Annotated

import typer

from s3memory.admin import verify as verifying
from s3memory.admin.tenants import ensure_has_data, tenants_of
from s3memory.admin.verify import Defect, Kind, Verified
from s3memory.audit.recording import as_one_event
from s3memory.cli.ending import FAILED, NOTHING_CHANGED, OK, STORE, note_if_interrupted
from s3memory.cli.options import JsonOption, TenantOption, VersionsOption, flag
from s3memory.cli.output import discard, fields_of, note, one_line, row, warn
from s3memory.cli.progress import progress_bar
from s3memory.cli.stores import MOVED_ON
from s3memory.config.settings import Settings
from s3memory.contract.views import count_of
from s3memory.errors import BackendError, ConfigurationError
from s3memory.store.memory_store import MemoryStore

StaleOption = Annotated[
    float,
    typer.Option("--stale-after", help="Report unfinished changes older than this.", metavar="SECONDS", min=0),
]

_INCOMPLETE = frozenset({Kind.KEY_RING_MISSING, Kind.KEY_RING_UNREADABLE, Kind.NOT_LOOKED_AT})


def verify(
    tenant: TenantOption = None,
    all_tenants: Annotated[bool, flag("--all", "Verify every tenant in the bucket.")] = False,
    versions: VersionsOption = False,
    stale_after: StaleOption = 900,
    json_output: JsonOption = False,
) -> None:
    """Check that everything opens and is where it belongs.

    Fetches and opens every object: one that was altered, cut, moved or swapped in the bucket does not open. Also
    reports strays, files below files, and changes that a crash left behind. Repairs nothing. It can't notice missing
    objects, nor an older version that somebody put back in its own place.

    With --json, each finding is printed as one line as soon as it is known, and one line follows for each tenant. If
    the output is closed, the check continues until it finds something: the exit code says so.

    Examples:
      s3memory verify --tenant acme
      s3memory verify --tenant acme --versions --json
      s3memory verify --all

    Exit codes:
      0  no findings
      1  findings, or nothing is stored for the tenant, or agents moved files
         during every pass, so that one may have been missed
      2  a setting or an option is wrong
      3  the store can't be reached or refuses access, to one object or to all,
         or a key ring does not open or is missing: not everything was verified
    """
    if all_tenants and tenant is not None:
        raise ConfigurationError("give either --tenant or --all")
    settings = Settings.from_env()
    report = _Report(json_output=json_output)
    if all_tenants:
        listed = tenants_of(settings, stray=lambda key: report.found(Defect(None, Kind.STRAY_OBJECT, key)))
        names: Iterable[str] = (found.tenant for found in listed)
    else:
        names = [settings.tenant(tenant)]
    with note_if_interrupted(NOTHING_CHANGED), progress_bar(), suppress(BrokenPipeError):
        for name in names:
            store = MemoryStore.from_settings(settings, tenant=name).refusing_writes()
            try:
                with as_one_event(store, "verify"):
                    try:
                        verified = verifying.verify(
                            store, report.found, with_versions=versions, stale_after_seconds=stale_after
                        )
                    except BrokenPipeError:
                        break
                    if not (all_tenants or verified.files or verified.findings):
                        ensure_has_data(store)
            except (BackendError, ConfigurationError) as error:  # the latter if a tenant's plain names are refused
                if not all_tenants:
                    raise
                report.is_incomplete = True
                warn(f"{name}: not everything was verified: {error}")
                continue
            report.verified(verified)
    raise typer.Exit(report.exit_code)


class _Report:
    """Reports findings and tenants, and the exit code. If the output is closed, the first finding ends the command."""

    def __init__(self, *, json_output: bool) -> None:
        self.is_incomplete = False
        self._json_output = json_output
        self._has_findings = False
        self._is_unsettled = False
        self._is_unread = False

    @property
    def exit_code(self) -> int:
        return STORE if self.is_incomplete else FAILED if self._has_findings or self._is_unsettled else OK

    def found(self, finding: Defect) -> None:
        """Report a finding, or raise `BrokenPipeError` if the output is closed."""
        self._has_findings = True
        self.is_incomplete |= finding.kind in _INCOMPLETE
        self._show(partial(_show_finding, finding, json_output=self._json_output))

    def verified(self, verified: Verified) -> None:
        """Report a tenant, or raise `BrokenPipeError` if the output is closed and there are findings."""
        self._show(partial(_show_tenant, verified, json_output=self._json_output))
        if not verified.is_settled:
            warn(f"{verified.tenant}: {MOVED_ON}")
            self._is_unsettled = True

    def _show(self, write: Callable[[], None]) -> None:
        try:
            if not self._is_unread:
                write()
        except BrokenPipeError:
            discard(sys.stdout)
            self._is_unread = True
        if self._is_unread and self._has_findings:  # only the exit code is left to report
            raise BrokenPipeError


def _show_finding(finding: Defect, *, json_output: bool) -> None:
    about = [] if finding.generation is None else [f"generation {finding.generation}"]
    about += [] if finding.version_id is None else [f"version {finding.version_id}"]
    about += [one for one in (finding.code, finding.reason) if one is not None]
    notes = f" ({', '.join(about)})" if about else ""
    # Escaped: anyone who may write to the bucket can choose the name, and the server chose the version ID.
    where = one_line(f"{finding.path or finding.object_key}{notes}")
    text = f"{finding.tenant or '-'}: {finding.kind}: {where}"
    row({"type": "finding", **fields_of(finding)}, text, as_json=json_output)
    sys.stdout.flush()


def _show_tenant(verified: Verified, *, json_output: bool) -> None:
    if json_output:
        row({"type": "tenant", **fields_of(verified)}, "", as_json=True)
        return
    older = f", {count_of(verified.versions, 'older version')}" if verified.versions else ""
    under_way = f", {count_of(verified.intents_under_way, 'change')} under way" if verified.intents_under_way else ""
    found = count_of(verified.findings, "finding")
    note(f"{verified.tenant}: {count_of(verified.files, 'file')}{older}{under_way}: {found}")
